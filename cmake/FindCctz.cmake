# SPDX-License-Identifier: Apache-2.0
# cctz, which Debian packages without a CMake file. The static library where there is one.
find_path(CCTZ_INCLUDE_DIR cctz/time_zone.h)
find_library(CCTZ_LIBRARY NAMES libcctz.a cctz)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Cctz REQUIRED_VARS CCTZ_LIBRARY CCTZ_INCLUDE_DIR)
mark_as_advanced(CCTZ_INCLUDE_DIR CCTZ_LIBRARY)
if(Cctz_FOUND AND NOT TARGET Cctz::cctz)
  add_library(Cctz::cctz UNKNOWN IMPORTED)
  set_target_properties(Cctz::cctz PROPERTIES IMPORTED_LOCATION "${CCTZ_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${CCTZ_INCLUDE_DIR}")
endif()
