// SPDX-License-Identifier: Apache-2.0
// libFuzzer target over the parser. Seeds: tests/fuzz/sql.
// Covers: src/wheelpit/sql/lexer.cc src/wheelpit/sql/parse_expression.cc
// src/wheelpit/sql/parse_primary.cc src/wheelpit/sql/parse_query.cc
// src/wheelpit/sql/parse_relation.cc src/wheelpit/sql/parse_statement.cc
// src/wheelpit/sql/parse_type.cc
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "wheelpit/sql/parser_robustness.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  wheelpit::sql::CheckRobustness({reinterpret_cast<const char*>(data), size});
  return 0;
}
