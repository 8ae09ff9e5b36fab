// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/exec/groups/code_groups.h"

#include <algorithm>

#include <arrow/array/array_dict.h>
#include <arrow/util/bit_util.h>

namespace wheelpit::exec {

namespace {

constexpr int64_t kCombinationsMax = 1024;

// Adds `step` times a code to each row; a null is the code behind the last one.
template <typename Code>
void AddCodes(const arrow::ArrayData& codes, int64_t null_code, int64_t step,
              std::vector<int32_t>* out) {
  const Code* values = codes.GetValues<Code>(1);
  const auto rows = static_cast<int64_t>(out->size());
  const auto factor = static_cast<int32_t>(step);
  int32_t* to = out->data();
  if (!codes.MayHaveNulls()) {
    for (int64_t i = 0; i < rows; ++i) {
      to[i] += factor * static_cast<int32_t>(values[i]);
    }
    return;
  }
  const uint8_t* validity = codes.buffers[0]->data();
  for (int64_t i = 0; i < rows; ++i) {
    const bool valid = arrow::bit_util::GetBit(validity, codes.offset + i);
    to[i] += factor *
             (valid ? static_cast<int32_t>(values[i]) : static_cast<int32_t>(null_code));
  }
}

bool AddColumn(const arrow::DictionaryArray& column, int64_t step,
               std::vector<int32_t>* out) {
  const arrow::ArrayData& codes = *column.indices()->data();
  const int64_t null_code = column.dictionary()->length();
  switch (codes.type->id()) {
    case arrow::Type::INT8:
      AddCodes<int8_t>(codes, null_code, step, out);
      return true;
    case arrow::Type::INT16:
      AddCodes<int16_t>(codes, null_code, step, out);
      return true;
    case arrow::Type::INT32:
      AddCodes<int32_t>(codes, null_code, step, out);
      return true;
    default:
      return false;
  }
}

}  // namespace

bool CodeGroups::Assign(const arrow::ArrayVector& columns, int64_t row_count) {
  int64_t combinations = 1;
  for (const auto& column : columns) {
    if (column->type_id() != arrow::Type::DICTIONARY) {
      return false;
    }
    const auto& dictionary = static_cast<const arrow::DictionaryArray&>(*column);
    combinations *= dictionary.dictionary()->length() + 1;
    if (combinations > kCombinationsMax || combinations > row_count) {
      return false;
    }
  }
  groups_.assign(static_cast<size_t>(row_count), 0);
  int64_t step = 1;
  for (const auto& column : columns) {
    const auto& dictionary = static_cast<const arrow::DictionaryArray&>(*column);
    if (!AddColumn(dictionary, step, &groups_)) {
      return false;
    }
    step *= dictionary.dictionary()->length() + 1;
  }
  first_rows_.clear();
  group_of_codes_.assign(static_cast<size_t>(combinations), -1);
  for (int32_t i = 0; i < static_cast<int32_t>(row_count); ++i) {
    int32_t& row = groups_[static_cast<size_t>(i)];
    int32_t& group = group_of_codes_[static_cast<size_t>(row)];
    if (group < 0) {
      group = static_cast<int32_t>(first_rows_.size());
      first_rows_.push_back(i);
    }
    row = group;
  }
  return true;
}

void CodeGroups::Sort(std::vector<int32_t>* rows, std::vector<int32_t>* starts) const {
  starts->assign(first_rows_.size() + 1, 0);
  for (const int32_t group : groups_) {
    ++(*starts)[static_cast<size_t>(group) + 1];
  }
  for (size_t i = 1; i < starts->size(); ++i) {
    (*starts)[i] += (*starts)[i - 1];
  }
  std::vector<int32_t> next(starts->begin(), starts->end() - 1);
  rows->resize(groups_.size());
  for (int32_t i = 0; i < static_cast<int32_t>(groups_.size()); ++i) {
    (*rows)[static_cast<size_t>(
        next[static_cast<size_t>(groups_[static_cast<size_t>(i)])]++)] = i;
  }
}

}  // namespace wheelpit::exec
