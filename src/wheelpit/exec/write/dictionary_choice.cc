// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/exec/write/dictionary_choice.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <unordered_set>

#include <arrow/array/array_base.h>
#include <arrow/array/array_binary.h>
#include <arrow/type.h>
#include <arrow/type_traits.h>
#include <arrow/util/bit_util.h>

namespace wheelpit::exec {

namespace {

constexpr int64_t kSampleLeast = 1024;
constexpr int64_t kSampleMost = 8192;

template <typename View>
bool MostDiffer(const arrow::Array& column, View view) {
  const int64_t count = std::min(column.length(), kSampleMost);
  std::unordered_set<std::string_view> seen;
  int64_t values = 0;
  for (int64_t i = 0; i < count; ++i) {
    if (column.IsValid(i)) {
      seen.insert(view(i));
      ++values;
    }
  }
  return values >= kSampleLeast && static_cast<int64_t>(seen.size()) > values / 8 * 7;
}

}  // namespace

bool WorthDictionary(const arrow::Array& column) {
  const auto id = column.type_id();
  if (id == arrow::Type::STRING || id == arrow::Type::BINARY) {
    const auto& text = static_cast<const arrow::BinaryArray&>(column);
    return !MostDiffer(column, [&](int64_t i) { return text.GetView(i); });
  }
  if (!arrow::is_fixed_width(id) || id == arrow::Type::BOOL ||
      id == arrow::Type::DICTIONARY || column.data()->buffers.size() < 2) {
    return true;
  }
  const auto width = static_cast<size_t>(column.type()->byte_width());
  const auto* values = reinterpret_cast<const char*>(column.data()->buffers[1]->data()) +
                       static_cast<size_t>(column.offset()) * width;
  return !MostDiffer(column, [&](int64_t i) {
    return std::string_view(values + static_cast<size_t>(i) * width, width);
  });
}

}  // namespace wheelpit::exec
