# SPDX-License-Identifier: Apache-2.0
# RE2, which Debian packages without a CMake file. The static library where there is one, its
# symbols hidden: a copy of Arrow may bring another RE2.
find_path(RE2_INCLUDE_DIR re2/re2.h)
find_library(RE2_LIBRARY NAMES libre2.a re2)
find_package(Threads QUIET)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Re2 REQUIRED_VARS RE2_LIBRARY RE2_INCLUDE_DIR Threads_FOUND)
mark_as_advanced(RE2_INCLUDE_DIR RE2_LIBRARY)
if(Re2_FOUND AND NOT TARGET Re2::re2)
  add_library(Re2::re2 UNKNOWN IMPORTED)
  set_target_properties(Re2::re2 PROPERTIES IMPORTED_LOCATION "${RE2_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${RE2_INCLUDE_DIR}" INTERFACE_LINK_LIBRARIES Threads::Threads
    INTERFACE_LINK_OPTIONS "LINKER:--exclude-libs,libre2.a")
endif()
