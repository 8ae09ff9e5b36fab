# SPDX-License-Identifier: Apache-2.0
# Every dependency, found and never downloaded. What each saves and costs: docs/dependencies.md.

# Arrow: the host's own when it has one, else what tools/fetch_arrow laid out. Arrow's version file
# answers to its own major version only, and a package of another one must not be loaded at all,
# since its targets would stay: so each major version that will do is asked for.
foreach(major RANGE 26 30)
  find_package(Arrow ${major} CONFIG QUIET)
  if(Arrow_FOUND)
    break()
  endif()
endforeach()
if(Arrow_FOUND)
  find_package(Parquet CONFIG REQUIRED)
  find_package(ArrowCompute CONFIG REQUIRED)
  set(WHEELPIT_ARROW_FROM_WHEEL OFF)
else()
  find_package(ArrowWheel 26.0.1 EXACT COMPONENTS Compute Parquet)
  if(NOT ArrowWheel_FOUND)
    message(FATAL_ERROR "No Arrow C++ of version 26 or later here: `make deps` brings it.")
  endif()
  set(WHEELPIT_ARROW_FROM_WHEEL ON)
endif()
find_package(Threads REQUIRED)
find_package(CLI11 CONFIG REQUIRED)
find_package(Cctz REQUIRED)
find_package(Re2 REQUIRED)
find_path(XXHASH_INCLUDE_DIR xxhash.h REQUIRED)
if(WHEELPIT_BUILD_TESTS)
  find_package(GTest REQUIRED)
endif()
if(WHEELPIT_BUILD_BENCH)
  find_package(benchmark REQUIRED)
endif()
