// SPDX-License-Identifier: Apache-2.0
// How a group stands in memory and on disk: one row of
//   hash (8) | states | bytes of the key (4), the highest bit: dead | key,
// with zeros to a multiple of 8. A row refers to nothing outside of itself but
// the texts of states, so it may be moved as bytes. On disk the texts follow
// the row, in the order of their states, each padded to 8; their addresses are
// meaningless there.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include "wheelpit/exec/expr/grouped_state.h"
#include "wheelpit/plan/plan.h"

namespace wheelpit::exec {

/// The hash of its key.
inline uint64_t& HashOf(uint8_t* row) {
  return *reinterpret_cast<uint64_t*>(row);
}
inline uint64_t HashOf(const uint8_t* row) {
  return *reinterpret_cast<const uint64_t*>(row);
}

constexpr int64_t PaddedTo8(int64_t size) {
  return (size + 7) & ~int64_t{7};
}

/// Const after Make: shared by threads.
class GroupLayout {
 public:
  static arrow::Result<std::unique_ptr<GroupLayout>> Make(
      const std::vector<plan::Aggregate>& aggregates);

  /// A state and its place; some aggregates share one.
  struct State {
    std::unique_ptr<GroupedState> state;
    int64_t offset = 0;
    size_t aggregate = 0;  ///< the first one that it is of
  };
  const std::vector<State>& states() const { return states_; }

  bool has_texts() const { return !text_offsets_.empty(); }
  int64_t RowBytes(int64_t key_bytes) const { return PaddedTo8(key_offset_ + key_bytes); }
  int64_t RowBytes(const uint8_t* row) const { return RowBytes(KeyBytes(row)); }
  std::string_view KeyOf(const uint8_t* row) const {
    return {reinterpret_cast<const char*>(row) + key_offset_,
            static_cast<size_t>(KeyBytes(row))};
  }
  /// A new row in RowBytes of the key: nothing was seen of it yet.
  void Begin(uint8_t* row, uint64_t hash, std::string_view key) const;

  /// Dead: its states were merged into another row of the same key.
  bool IsDead(const uint8_t* row) const { return (Length(row) & kDead) != 0; }
  void SetDead(uint8_t* row, bool dead) const {
    auto& length = *reinterpret_cast<uint32_t*>(row + key_offset_ - kLengthBytes);
    length = (length & ~kDead) | (dead ? kDead : 0);
  }

  /// Of the texts behind a row on disk.
  int64_t TextBytes(const uint8_t* row) const;
  /// Writes the row with its texts; there is room for RowBytes + TextBytes.
  void Pack(const uint8_t* row, uint8_t* out) const;
  /// Checks the row on disk that begins at `bytes`, makes its texts refer to
  /// what follows it, and returns the bytes of both. kCorrupt when it does not
  /// fit into `size` bytes.
  arrow::Result<int64_t> Unpack(uint8_t* bytes, int64_t size) const;

  /// States of rows from[i] into those of rows to[i]: the texts, as far as
  /// there is room (again, if need be), and the others.
  arrow::Result<int64_t> MergeTexts(uint8_t* const* to, const uint8_t* const* from,
                                    int64_t count, TextRoom* room) const;
  arrow::Status MergeOthers(uint8_t* const* to, const uint8_t* const* from,
                            int64_t count) const;
  /// One array per aggregate.
  arrow::Result<arrow::ArrayVector> Finish(const uint8_t* const* rows, int64_t count,
                                           arrow::MemoryPool* pool) const;

 private:
  static constexpr uint32_t kDead = uint32_t{1} << 31;
  static constexpr int64_t kLengthBytes = sizeof(uint32_t);

  GroupLayout() = default;
  uint32_t Length(const uint8_t* row) const {
    return *reinterpret_cast<const uint32_t*>(row + key_offset_ - kLengthBytes);
  }
  int64_t KeyBytes(const uint8_t* row) const { return Length(row) & ~kDead; }

  std::vector<State> states_;
  std::vector<std::unique_ptr<GroupedState>> results_;  // per aggregate
  std::vector<int64_t> result_offsets_;
  std::vector<int64_t> text_offsets_;
  int64_t key_offset_ = 0;
};

}  // namespace wheelpit::exec
