# SPDX-License-Identifier: Apache-2.0
# `cmake -P cmake/HostArrow.cmake` succeeds when the host's own Arrow is new enough. It reads
# the version file that find_package would, since that command needs a project.
foreach(name Arrow Parquet ArrowCompute)
  find_path(${name}_DIR ${name}ConfigVersion.cmake
    HINTS ENV ${name}_DIR
    PATHS /usr /usr/local
    PATH_SUFFIXES lib/cmake/${name} lib/x86_64-linux-gnu/cmake/${name}
                  lib/aarch64-linux-gnu/cmake/${name} lib64/cmake/${name})
  if(NOT ${name}_DIR)
    message(FATAL_ERROR "the host has no ${name}")
  endif()
  set(PACKAGE_FIND_VERSION 0)
  include("${${name}_DIR}/${name}ConfigVersion.cmake")
  if(PACKAGE_VERSION VERSION_LESS 26)
    message(FATAL_ERROR "the host's ${name} is ${PACKAGE_VERSION}")
  endif()
endforeach()
