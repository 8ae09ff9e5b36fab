// SPDX-License-Identifier: Apache-2.0
// GrowingDictionary: the values of one text column of a scan, each with a code that stays
// the same for the whole query. Chunks of files add what their own dictionaries have that
// is new; the values so far are a prefix of all later ones, so codes of any two batches
// can be compared. Bounded: what has more values comes as plain text.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include "wheelpit/core/guarded.h"

namespace wheelpit::exec {

/// Any thread may call anything.
class GrowingDictionary {
 public:
  /// Codes are int16: `kValuesMax` fits.
  using Code = int16_t;
  static constexpr int64_t kValuesMax = 4096;
  static constexpr int64_t kTextBytesMax = 64 << 10;

  /// `type` is utf8 or binary. The pool outlives every array that was given.
  GrowingDictionary(std::shared_ptr<arrow::DataType> type, arrow::MemoryPool* pool);
  ~GrowingDictionary();

  /// Leaves the code of each value in `codes`, adding those that are new, and returns an
  /// array in which all of them are. Null, and nothing added, where one of the bounds
  /// would be passed or there is no memory. Equal values get the same code.
  std::shared_ptr<arrow::Array> Intern(std::span<const std::string_view> values,
                                       std::vector<Code>* codes);

 private:
  struct Values;
  std::shared_ptr<arrow::DataType> type_;
  arrow::MemoryPool* pool_;
  core::Guarded<std::unique_ptr<Values>> values_;
};

}  // namespace wheelpit::exec
