// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/exec/groups/group_layout.h"

#include <cstring>
#include <utility>

#include <arrow/array/array_base.h>

#include "wheelpit/core/error.h"

namespace wheelpit::exec {

namespace {

bool SameValues(const plan::ExprPtr& a, const plan::ExprPtr& b) {
  return a == nullptr || b == nullptr ? a == b : plan::Equals(*a, *b);
}

arrow::Status BrokenRow() {
  return core::Error(core::ErrorKind::kCorrupt,
                     "a spilled group is cut off or longer than its block");
}

}  // namespace

arrow::Result<std::unique_ptr<GroupLayout>> GroupLayout::Make(
    const std::vector<plan::Aggregate>& aggregates) {
  std::unique_ptr<GroupLayout> layout(new GroupLayout());
  int64_t end = sizeof(uint64_t);  // the hash
  for (size_t i = 0; i < aggregates.size(); ++i) {
    ARROW_ASSIGN_OR_RAISE(auto result, GroupedState::Make(aggregates[i]));
    int64_t offset = -1;
    for (const State& state : layout->states_) {
      const plan::Aggregate& other = aggregates[state.aggregate];
      if (state.state->accumulator() == result->accumulator() &&
          SameValues(other.argument, aggregates[i].argument) &&
          SameValues(other.filter, aggregates[i].filter)) {
        offset = state.offset;
        break;
      }
    }
    if (offset < 0) {
      offset = end;
      ARROW_ASSIGN_OR_RAISE(auto state, GroupedState::Make(aggregates[i]));
      end += state->width();
      if (state->is_text()) {
        layout->text_offsets_.push_back(offset);
      }
      layout->states_.push_back({std::move(state), offset, i});
    }
    layout->results_.push_back(std::move(result));
    layout->result_offsets_.push_back(offset);
  }
  layout->key_offset_ = end + kLengthBytes;
  return layout;
}

void GroupLayout::Begin(uint8_t* row, uint64_t hash, std::string_view key) const {
  const auto bytes = static_cast<size_t>(RowBytes(static_cast<int64_t>(key.size())));
  // The padding behind the key is in the last 8 bytes.
  std::memset(row + bytes - 8, 0, 8);
  std::memset(row, 0, static_cast<size_t>(key_offset_));
  HashOf(row) = hash;
  const auto length = static_cast<uint32_t>(key.size());
  std::memcpy(row + key_offset_ - kLengthBytes, &length, sizeof length);
  std::memcpy(row + key_offset_, key.data(), key.size());
}

int64_t GroupLayout::TextBytes(const uint8_t* row) const {
  int64_t bytes = 0;
  for (const int64_t offset : text_offsets_) {
    const auto& text = *reinterpret_cast<const TextState*>(row + offset);
    bytes += text.seen() ? PaddedTo8(text.size_and_one - 1) : 0;
  }
  return bytes;
}

void GroupLayout::Pack(const uint8_t* row, uint8_t* out) const {
  const int64_t row_bytes = RowBytes(row);
  std::memcpy(out, row, static_cast<size_t>(row_bytes));
  uint8_t* end = out + row_bytes;
  for (const int64_t offset : text_offsets_) {
    auto& text = *reinterpret_cast<TextState*>(out + offset);
    if (text.seen()) {
      const auto size = static_cast<size_t>(text.size_and_one - 1);
      const auto padded = static_cast<size_t>(PaddedTo8(text.size_and_one - 1));
      if (size != 0) {
        std::memcpy(end, text.bytes, size);
      }
      std::memset(end + size, 0, padded - size);
      end += padded;
    }
    text.bytes = nullptr;
    text.capacity = 0;
  }
}

arrow::Result<int64_t> GroupLayout::Unpack(uint8_t* bytes, int64_t size) const {
  if (size < key_offset_ || RowBytes(bytes) > size) {
    return BrokenRow();
  }
  SetDead(bytes, false);
  int64_t used = RowBytes(bytes);
  for (const int64_t offset : text_offsets_) {
    auto& text = *reinterpret_cast<TextState*>(bytes + offset);
    if (!text.seen()) {
      continue;
    }
    const int64_t padded = PaddedTo8(text.size_and_one - 1);
    if (padded > size - used) {
      return BrokenRow();
    }
    text.bytes = reinterpret_cast<const char*>(bytes + used);
    text.capacity = text.size_and_one - 1;
    used += padded;
  }
  return used;
}

arrow::Result<int64_t> GroupLayout::MergeTexts(uint8_t* const* to,
                                               const uint8_t* const* from, int64_t count,
                                               TextRoom* room) const {
  for (const State& state : states_) {
    if (state.state->is_text()) {
      ARROW_ASSIGN_OR_RAISE(count,
                            state.state->Merge(to, from, state.offset, count, room));
    }
  }
  return count;
}

arrow::Status GroupLayout::MergeOthers(uint8_t* const* to, const uint8_t* const* from,
                                       int64_t count) const {
  for (const State& state : states_) {
    if (!state.state->is_text()) {
      ARROW_RETURN_NOT_OK(
          state.state->Merge(to, from, state.offset, count, nullptr).status());
    }
  }
  return arrow::Status::OK();
}

arrow::Result<arrow::ArrayVector> GroupLayout::Finish(const uint8_t* const* rows,
                                                      int64_t count,
                                                      arrow::MemoryPool* pool) const {
  arrow::ArrayVector arrays;
  for (size_t i = 0; i < results_.size(); ++i) {
    ARROW_ASSIGN_OR_RAISE(auto array,
                          results_[i]->Finish(rows, result_offsets_[i], count, pool));
    arrays.push_back(std::move(array));
  }
  return arrays;
}

}  // namespace wheelpit::exec
