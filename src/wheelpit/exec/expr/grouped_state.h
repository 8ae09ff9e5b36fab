// SPDX-License-Identifier: Apache-2.0
// States of aggregates inside of rows, one row per group: what an aggregate has seen is a
// few bytes at a fixed place of the row, all of them zero at first, and may be moved with
// it. The rules are those of AggregateState. Const after Make: any thread may use a
// GroupedState, on rows of its own.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <typeinfo>

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include "wheelpit/exec/expr/vector.h"
#include "wheelpit/plan/plan.h"

namespace wheelpit::exec {

/// A state that refers to text outside of its row. The owner of rows moves the bytes.
struct TextState {
  const char* bytes;
  uint32_t size_and_one;  ///< 0: no text yet
  uint32_t capacity;      ///< bytes that may be written at `bytes`

  bool seen() const { return size_and_one != 0; }
  std::string_view text() const { return {bytes, size_and_one - 1}; }
};

/// Gives room for the text of states.
class TextRoom {
 public:
  virtual ~TextRoom() = default;
  /// `size` bytes that live as long as the row that refers to them; null when there are
  /// none now.
  virtual arrow::Result<char*> MakeRoom(const uint8_t* row, int64_t size) = 0;
};

class GroupedState {
 public:
  /// `aggregate` as plan::MakeAggregate gives it; copied. kUnsupported where
  /// AggregateState is.
  static arrow::Result<std::unique_ptr<GroupedState>> Make(
      const plan::Aggregate& aggregate);
  virtual ~GroupedState() = default;

  /// Bytes of a state: a multiple of 8. Its place in a row is aligned to 8.
  virtual int64_t width() const = 0;
  /// Whether the state is a TextState.
  virtual bool is_text() const { return false; }
  /// What the state consists of. Aggregates of the same values with the same accumulator
  /// can share a state: they differ only in what they make of it.
  virtual const std::type_info& accumulator() const = 0;

  /// Takes in `count` values: value i into the state at rows[i] + offset. `values` is
  /// null for count(*). Returns how many were taken: less where is_text() and `room` had
  /// none; those states may be updated with the same values again.
  virtual arrow::Result<int64_t> Update(uint8_t* const* rows, int64_t offset,
                                        const expr::Vector* values, int64_t count,
                                        TextRoom* room) const = 0;
  /// The same for values at positions[0 … count) into the state of one row: for few
  /// groups, whose state then stays in registers. Not where is_text().
  virtual void UpdateGroup(uint8_t* row, int64_t offset, const expr::Vector* values,
                           const int32_t* positions, int64_t count) const = 0;
  /// Takes the state of from[i] into that of to[i], for each i in turn. `room` null: the
  /// texts of both live equally long, and are referred to instead of copied. Returns as
  /// Update does.
  virtual arrow::Result<int64_t> Merge(uint8_t* const* to, const uint8_t* const* from,
                                       int64_t offset, int64_t count,
                                       TextRoom* room) const = 0;
  /// The results of `count` rows: kData when a sum does not fit its type.
  virtual arrow::Result<std::shared_ptr<arrow::Array>> Finish(
      const uint8_t* const* rows, int64_t offset, int64_t count,
      arrow::MemoryPool* pool) const = 0;
};

}  // namespace wheelpit::exec
