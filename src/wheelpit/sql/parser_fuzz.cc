// SPDX-License-Identifier: Apache-2.0
// libFuzzer target over the parser. Seeds: tests/fuzz/sql.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "wheelpit/sql/parser_robustness.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  wheelpit::sql::CheckRobustness({reinterpret_cast<const char*>(data), size});
  return 0;
}
