# SPDX-License-Identifier: Apache-2.0
# Every dependency, found and never downloaded. What each saves and costs: docs/dependencies.md.

# Arrow: the host's own when it has one, else what tools/fetch_arrow laid out. Arrow installs its
# version file as same-major, so the version is compared here and not asked for.
find_package(Arrow CONFIG QUIET)
if(Arrow_FOUND AND ARROW_VERSION VERSION_GREATER_EQUAL 26)
  find_package(Parquet CONFIG REQUIRED)
  find_package(ArrowCompute CONFIG REQUIRED)
  set(WHEELPIT_ARROW_FROM_WHEEL OFF)
else()
  find_package(ArrowWheel 26.0.1 EXACT REQUIRED COMPONENTS Compute Parquet)
  set(WHEELPIT_ARROW_FROM_WHEEL ON)
endif()
find_package(Threads REQUIRED)
find_path(XXHASH_INCLUDE_DIR xxhash.h REQUIRED)
if(WHEELPIT_BUILD_TESTS)
  find_package(GTest REQUIRED)
endif()
if(WHEELPIT_BUILD_BENCH)
  find_package(benchmark REQUIRED)
endif()
