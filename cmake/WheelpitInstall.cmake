# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` lays out, all of it relative to the prefix, so that the tree may be moved:
#   bin/wheelpit                 the program               (component program)
#   lib/wheelpit/arrow/lib       Arrow for it, when it came from the wheel
#   lib/wheelpit/lib             cctz for it, where the host has no static one
#   share/doc/wheelpit           licences
#   include, lib                 headers and libraries     (component development)
#   lib/cmake/wheelpit           the CMake package; a component of it is a module
#   lib/wheelpit/arrow/include   Arrow's headers for a project whose host has no Arrow
include(CMakePackageConfigHelpers)
set(package lib/cmake/wheelpit)
get_property(modules GLOBAL PROPERTY WHEELPIT_MODULES)
list(FILTER modules EXCLUDE REGEX "_testing$|^cli$")

set(WHEELPIT_MODULE_TABLE "")
foreach(module IN LISTS modules)
  install(TARGETS wheelpit_${module} EXPORT wheelpit_${module}
    ARCHIVE DESTINATION lib COMPONENT development
    FILE_SET HEADERS DESTINATION include COMPONENT development)
  install(EXPORT wheelpit_${module} NAMESPACE wheelpit:: DESTINATION ${package}
    FILE ${module}.cmake COMPONENT development)
  get_target_property(links wheelpit_${module} INTERFACE_LINK_LIBRARIES)
  set(depends ${links})
  list(FILTER depends INCLUDE REGEX "^wheelpit::")
  list(TRANSFORM depends REPLACE "^wheelpit::" "")
  string(REGEX MATCHALL "Parquet|ArrowCompute|Threads|Cctz|Re2" needs "${links}")
  list(REMOVE_DUPLICATES needs)
  string(APPEND WHEELPIT_MODULE_TABLE
    "set(_wheelpit_depends_${module} ${depends})\nset(_wheelpit_needs_${module} ${needs})\n")
endforeach()
string(REPLACE ";" " " WHEELPIT_MODULE_TABLE "${WHEELPIT_MODULE_TABLE}")
string(REPLACE ";" " " WHEELPIT_MODULE_NAMES "${modules}")

if(WHEELPIT_ARROW_FROM_WHEEL)
  set(WHEELPIT_ARROW_VERSION "${ArrowWheel_VERSION}")
  set(arrow lib/wheelpit/arrow)
  install(FILES ${ArrowWheel_LIBRARIES} DESTINATION ${arrow}/lib COMPONENT program)
  install(FILES "${ArrowWheel_ROOT}/LICENSE.txt" "${ArrowWheel_ROOT}/NOTICE.txt"
    DESTINATION ${arrow} COMPONENT program)
  install(DIRECTORY "${ArrowWheel_ROOT}/include" DESTINATION ${arrow} COMPONENT development)
  install(FILES cmake/FindArrowWheel.cmake DESTINATION ${package} COMPONENT development)
else()
  set(WHEELPIT_ARROW_VERSION "${ARROW_VERSION}")
endif()

set(rpath "")
file(GLOB cctz "${CCTZ_LIBRARY}.[0-9]")  # the link named as the program asks for it
if(cctz)
  file(REAL_PATH "${cctz}" cctz_file)
  get_filename_component(cctz_name "${cctz}" NAME)
  install(FILES "${cctz_file}" DESTINATION lib/wheelpit/lib RENAME "${cctz_name}"
    COMPONENT program)
  set(rpath ";$ORIGIN/../lib/wheelpit/lib")
endif()
install(FILES cmake/FindCctz.cmake cmake/FindRe2.cmake DESTINATION ${package} COMPONENT development)

if(TARGET wheelpit)
  if(WHEELPIT_ARROW_FROM_WHEEL)
    set_target_properties(wheelpit PROPERTIES
      INSTALL_RPATH "$ORIGIN/../${arrow}/lib${rpath}")
  else()
    set_target_properties(wheelpit PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
  endif()
  install(TARGETS wheelpit RUNTIME DESTINATION bin COMPONENT program)
endif()
install(FILES LICENSE NOTICE DESTINATION share/doc/wheelpit COMPONENT program)

configure_package_config_file(cmake/wheelpitConfig.cmake.in wheelpitConfig.cmake
  INSTALL_DESTINATION ${package} NO_SET_AND_CHECK_MACRO
  NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file(wheelpitConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/wheelpitConfig.cmake"
  "${PROJECT_BINARY_DIR}/wheelpitConfigVersion.cmake"
  DESTINATION ${package} COMPONENT development)
