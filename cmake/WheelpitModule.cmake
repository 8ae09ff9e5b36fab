# SPDX-License-Identifier: Apache-2.0
# wheelpit_module(NAME API headers SOURCES files [DEPENDS modules] [LINK targets]
#                 [TESTS files] [TEST_LINK targets] [TEST_LABELS asan race …] [BENCHES files])
#
# The only way to make a library here: one folder, one target wheelpit_NAME (alias wheelpit::NAME),
# one test program wheelpit_NAME_test. API lists the headers that are installed; a test program is
# built in the asan and tsan presets only when TEST_LABELS names that preset's label. A module
# named x_testing is support for tests: built where it is linked, never installed.

# What GCC 12 reports wrongly when it optimises: copies that overlap in "a" + std::string() (its bug
# 105651), and values of an empty std::optional that is not read (80635). Other builds keep both.
set(false_reports "")
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  set(false_reports $<$<CONFIG:Release>:-Wno-restrict> $<$<CONFIG:Release>:-Wno-maybe-uninitialized>)
endif()

add_library(wheelpit_flags INTERFACE)
target_compile_options(wheelpit_flags INTERFACE
  -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion -Wnon-virtual-dtor
  ${false_reports}
  $<$<BOOL:${WHEELPIT_WARNINGS_AS_ERRORS}>:-Werror>)
if(WHEELPIT_SANITIZER)
  target_compile_options(wheelpit_flags INTERFACE
    -fsanitize=${WHEELPIT_SANITIZER} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(wheelpit_flags INTERFACE -fsanitize=${WHEELPIT_SANITIZER})
endif()
if(WHEELPIT_BUILD_FUZZ)
  set(instrument -fsanitize=fuzzer-no-link -fprofile-instr-generate -fcoverage-mapping)
  target_compile_options(wheelpit_flags INTERFACE ${instrument})
  target_link_options(wheelpit_flags INTERFACE ${instrument})
endif()

# Tests that take long, with about their seconds: ctest begins with the longest, so that none runs alone at
# the end. (Its own record of times is not there in a fresh clone.)
set(long_tests
  wheelpit_exec_sort_test=60 wheelpit_exec_test=40 spill=40 slt_io_slow=25 wheelpit_exec_scan_test=20
  wheelpit_memory_limit_test=15 wheelpit_exec_write_test=14 wheelpit_memory_test=13 consumer_test=12 bad_input=11
  copy=10 spill_interrupt=10 wheelpit_sql_test=9 wheelpit_block_test=8 wheelpit_index_test=7 wheelpit_spill_test=7
  out_of_memory=6 full_disk=6 differential=5 interrupt=5)
function(wheelpit_begin_early name)
  if(";${long_tests};" MATCHES ";${name}=([0-9]+);")
    set_tests_properties(${name} PROPERTIES COST ${CMAKE_MATCH_1})
  endif()
endfunction()

add_custom_target(wheelpit_tests)  # every test program: what asan and tsan build

function(wheelpit_module name)
  cmake_parse_arguments(M "" ""
    "API;SOURCES;DEPENDS;LINK;TESTS;TEST_LINK;TEST_LABELS;BENCHES" ${ARGN})
  set(target wheelpit_${name})
  add_library(${target} STATIC ${M_SOURCES})
  if(name MATCHES "_testing$")
    set_target_properties(${target} PROPERTIES EXCLUDE_FROM_ALL ON)
  endif()
  add_library(wheelpit::${name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  target_sources(${target} PUBLIC FILE_SET HEADERS BASE_DIRS "${PROJECT_SOURCE_DIR}/src"
                 FILES ${M_API})
  target_compile_features(${target} PUBLIC cxx_std_20)
  list(TRANSFORM M_DEPENDS PREPEND wheelpit:: OUTPUT_VARIABLE depends)
  target_link_libraries(${target} PUBLIC ${depends} Arrow::arrow_shared ${M_LINK}
                        PRIVATE $<BUILD_INTERFACE:wheelpit_flags>)
  set_property(GLOBAL APPEND PROPERTY WHEELPIT_MODULES ${name})
  if(WHEELPIT_BUILD_TESTS AND M_TESTS)
    wheelpit_test(${target}_test SOURCES ${M_TESTS} LINK ${target} ${M_TEST_LINK}
                  LABELS unit ${M_TEST_LABELS})
  endif()
  if(WHEELPIT_BUILD_BENCH AND M_BENCHES)
    add_executable(${target}_bench ${M_BENCHES})
    target_link_libraries(${target}_bench PRIVATE ${target} ${M_TEST_LINK} wheelpit_flags
                          benchmark::benchmark benchmark::benchmark_main)
  endif()
endfunction()

# wheelpit_test(NAME SOURCES files LINK targets [LABELS labels]): a GoogleTest program. Where the
# blocking guard is on it is linked in, so that every test runs under it.
function(wheelpit_test name)
  cmake_parse_arguments(T "" "" "SOURCES;LINK;LABELS" ${ARGN})
  if(WHEELPIT_ONLY_LABEL AND NOT WHEELPIT_ONLY_LABEL IN_LIST T_LABELS)
    return()
  endif()
  add_executable(${name} ${T_SOURCES})
  add_dependencies(wheelpit_tests ${name})
  target_link_libraries(${name} PRIVATE ${T_LINK} wheelpit_flags GTest::gmock
                        GTest::gtest GTest::gtest_main)
  if(WHEELPIT_BLOCKING_GUARD)
    target_link_libraries(${name} PRIVATE wheelpit_blocking_guard)
  endif()
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES LABELS "${T_LABELS}" TIMEOUT 600)
  wheelpit_begin_early(${name})
endfunction()

# wheelpit_fuzz(NAME SOURCES files LINK targets): a libFuzzer program fuzz_NAME, built in preset fuzz
# only. Its corpus is tests/fuzz/NAME; tools/run_fuzz runs it and tells the lines it reaches.
add_custom_target(wheelpit_fuzzers)
function(wheelpit_fuzz name)
  if(NOT WHEELPIT_BUILD_FUZZ)
    return()
  endif()
  cmake_parse_arguments(F "" "" "SOURCES;LINK" ${ARGN})
  add_executable(fuzz_${name} ${F_SOURCES})
  add_dependencies(wheelpit_fuzzers fuzz_${name})
  target_link_libraries(fuzz_${name} PRIVATE ${F_LINK} wheelpit_flags)
  target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
endfunction()
