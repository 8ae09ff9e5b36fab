# SPDX-License-Identifier: Apache-2.0
wheelpit_module(index_footer
  API parquet_footer.h thrift_compact.h
  SOURCES parquet_footer.cc parquet_schema.cc thrift_compact.cc
  DEPENDS core
  LINK Parquet::parquet_shared
  TESTS parquet_footer_arrow_test.cc parquet_footer_test.cc thrift_compact_test.cc
  TEST_LABELS asan
  BENCHES parquet_footer_bench.cc)
if(WHEELPIT_BUILD_FUZZ)
  add_executable(wheelpit_parquet_footer_fuzz "${CMAKE_CURRENT_LIST_DIR}/parquet_footer_fuzz.cc")
  target_link_libraries(wheelpit_parquet_footer_fuzz PRIVATE wheelpit_index_footer wheelpit_flags
                        -fsanitize=fuzzer)
endif()
