// SPDX-License-Identifier: Apache-2.0
// The first side of an aggregation by groups: rows of the input into a table.
#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include <arrow/array/array_base.h>
#include <arrow/record_batch.h>

#include "wheelpit/exec/grouped_aggregate_state.h"
#include "wheelpit/exec/groups/code_groups.h"
#include "wheelpit/exec/groups/part_merger.h"

namespace wheelpit::exec {

namespace {

// What is evaluated at once, what is encoded at once, and what is taken in at once: a
// step's rows and their groups stay in the first-level cache.
constexpr int64_t kSliceRows = 8192;
constexpr int64_t kKeyBytesMax = 512 << 10;
constexpr int64_t kStepRows = 2048;

// Of the workspace, for merging rows of the same group before they are spilled.
constexpr int64_t kMergeSlotBytes = 2 << 20;
// How many parts are spilled as they are after one that had next to no such rows.
constexpr int64_t kUnmergedParts = 32;

class GroupSink final : public Sink {
 public:
  using State = GroupedAggregate::State;

  GroupSink(std::shared_ptr<State> state, OperatorMemory* memory)
      : state_(std::move(state)), memory_(memory), input_(state_->arguments.get()) {}

  arrow::Result<std::optional<core::Wait>> AtBoundary(bool /*input_ended*/) override {
    Begin();
    if (!reclaiming_ && memory_->asked_bytes() > 0) {
      reclaiming_ = true;
      merged_ = 0;
      ARROW_ASSIGN_OR_RAISE(const int64_t given, filled_->table->Shrink());
      // Not less than is worth a few writes.
      to_free_ =
          std::max(memory_->asked_bytes() - given, filled_->table->part_bytes() / 4);
    }
    if (reclaiming_) {
      ARROW_ASSIGN_OR_RAISE(auto wait, GoOnReclaiming());
      if (wait.has_value()) {
        return wait;
      }
    }
    GroupTable& table = *filled_->table;
    GrowWhereThereIsRoom(&table, memory_);
    const int64_t allowance = std::max(kGroupAllowanceBytes, table.wanted_bytes());
    core::Wait wait;
    ARROW_ASSIGN_OR_RAISE(
        const bool reserved,
        ReserveForGroups(memory_, allowance + key_bytes_max_, group_bytes_, &wait));
    if (!reserved) {
      return wait;
    }
    table.SetAllowance(allowance);
    ARROW_RETURN_NOT_OK(Work());
    memory_->set_reclaimable(table.part_bytes());
    return batch_ == nullptr ? std::nullopt : std::optional(core::Wait());
  }

  arrow::Result<std::optional<core::Wait>> Push(
      std::shared_ptr<arrow::RecordBatch> batch) override {
    Begin();
    batch_ = std::move(batch);
    next_slice_ = 0;
    position_ = 0;
    slice_rows_ = 0;
    ARROW_RETURN_NOT_OK(Work());
    return std::nullopt;
  }

  arrow::Status Finish() override {
    Begin();
    state_->End(memory_, std::move(filled_));
    return arrow::Status::OK();
  }

 private:
  void Begin() {
    if (filled_ == nullptr) {
      filled_ = state_->Take(memory_);
    }
  }

  // The part to be freed next: of what was not just merged those of which something is on
  // disk, if they are worth a write, then the largest.
  int64_t Largest() const {
    const GroupTable& table = *filled_->table;
    for (const uint64_t candidates : {state_->spilled.load() & ~merged_, ~merged_}) {
      const int64_t largest = table.largest(candidates);
      if ((candidates >> largest & 1) != 0 &&
          table.part(largest).bytes() >= kRowBlockBytes / 4) {
        return largest;
      }
    }
    return table.largest();
  }

  arrow::Result<std::optional<core::Wait>> GoOnReclaiming() {
    if (writer_ != nullptr) {
      ARROW_ASSIGN_OR_RAISE(auto wait, writer_->Advance());
      if (wait.has_value()) {
        return wait;
      }
      ARROW_ASSIGN_OR_RAISE(GroupPart written, writer_->Finish());
      writer_ = nullptr;
      filled_->spilled[static_cast<size_t>(spilling_)].Append(std::move(written));
    }
    memory_->set_reclaimable(filled_->table->part_bytes());
    spilling_ = Largest();
    if (to_free_ <= 0 || filled_->table->part(spilling_).bytes() == 0) {
      reclaiming_ = false;
      memory_->Answer();
      return std::nullopt;
    }
    GroupPart part = filled_->table->TakePart(spilling_);
    to_free_ -= part.bytes();
    const bool merged = (merged_ >> spilling_ & 1) != 0;
    if (!part.distinct && !merged && unmerged_-- <= 0) {
      const int64_t bytes = part.bytes();
      ARROW_RETURN_NOT_OK(MergeRows(&part));
      if (part.bytes() <= bytes / 4 * 3) {
        // No need of the disk: merging four rows costs less than writing three.
        to_free_ += part.bytes();
        filled_->table->PutPart(spilling_, std::move(part));
        merged_ |= uint64_t{1} << spilling_;
        return core::Wait();
      }
      unmerged_ = part.bytes() > bytes / 8 * 7 ? kUnmergedParts : 0;
    }
    state_->spilled |= uint64_t{1} << spilling_;
    writer_ = std::make_unique<PartWriter>(state_->layout.get(),
                                           state_->SpillStream(memory_), std::move(part));
    return core::Wait();
  }

  // Those of the same key that are found with few slots.
  arrow::Status MergeRows(GroupPart* part) {
    ARROW_ASSIGN_OR_RAISE(
        const auto merger,
        PartMerger::Make(state_->layout.get(), part,
                         std::min(kMergeSlotBytes, PartMerger::SlotBytes(*part)),
                         &memory_->workspace()));
    bool done = false;
    while (!done) {
      ARROW_ASSIGN_OR_RAISE(done, merger->Step());
    }
    DropDeadRows(*state_->layout, merger->dead_rows(), part);
    return arrow::Status::OK();
  }

  // Until the batch is done, or memory is short.
  arrow::Status Work() {
    GroupTable& table = *filled_->table;
    while (batch_ != nullptr) {
      if (position_ == slice_rows_) {
        ARROW_RETURN_NOT_OK(NextSlice());
        continue;
      }
      if (by_code_) {
        ARROW_ASSIGN_OR_RAISE(const bool taken, TakeByCode());
        if (!taken) {
          return arrow::Status::OK();
        }
        continue;
      }
      if (position_ == key_end_) {
        ARROW_ASSIGN_OR_RAISE(const bool encoded, EncodeKeys());
        if (!encoded) {
          return arrow::Status::OK();
        }
      }
      const int64_t count = std::min(kStepRows, key_end_ - position_);
      const auto key = static_cast<size_t>(position_ - key_begin_);
      ARROW_ASSIGN_OR_RAISE(int64_t done, table.FindOrAdd(&views_[key], &hashes_[key],
                                                          count, groups_.data()));
      if (state_->layout->has_texts()) {
        ARROW_ASSIGN_OR_RAISE(done,
                              input_.TakeTexts(position_, done, groups_.data(), &table));
      }
      ARROW_RETURN_NOT_OK(input_.TakeOthers(position_, done, groups_.data()));
      position_ += done;
      if (done < count) {
        group_bytes_ = state_->layout->RowBytes(
            static_cast<int64_t>(views_[key + static_cast<size_t>(done)].size()));
        return arrow::Status::OK();
      }
    }
    return arrow::Status::OK();
  }

  arrow::Status NextSlice() {
    const int64_t rows = std::min(kSliceRows, batch_->num_rows() - next_slice_);
    if (rows == 0) {
      batch_ = nullptr;
      slice_ = nullptr;
      return arrow::Status::OK();
    }
    slice_ = rows == batch_->num_rows() ? batch_ : batch_->Slice(next_slice_, rows);
    next_slice_ += rows;
    ARROW_ASSIGN_OR_RAISE(key_columns_, state_->keys->Evaluate(*slice_));
    ARROW_RETURN_NOT_OK(input_.Evaluate(*slice_));
    position_ = 0;
    slice_rows_ = rows;
    key_end_ = 0;
    groups_.resize(static_cast<size_t>(kStepRows));
    by_code_ = codes_.Assign(key_columns_, rows);
    if (by_code_) {
      attempts_ = 0;
      ARROW_ASSIGN_OR_RAISE(
          const int64_t bytes,
          state_->encoder->EncodeBytesMax(key_columns_, std::span(codes_.first_rows())));
      by_code_ = bytes <= kKeyBytesMax;
    }
    return arrow::Status::OK();
  }

  // The whole slice, where its rows are told apart by codes; false when memory is short.
  arrow::Result<bool> TakeByCode() {
    if (attempts_ == 0) {
      keys_ = EncodedKeys();
      ARROW_ASSIGN_OR_RAISE(
          keys_,
          state_->encoder->Encode(key_columns_, codes_.first_rows(), &memory_->budget()));
      HashAndView();
    }
    by_group_.groups.resize(views_.size());
    ARROW_ASSIGN_OR_RAISE(
        const int64_t found,
        filled_->table->FindOrAdd(views_.data(), hashes_.data(), codes_.count(),
                                  by_group_.groups.data()));
    // What makes room may take groups away that were there: after a few attempts row by
    // row, which goes on from where it was.
    by_code_ = ++attempts_ < 4;
    if (found < codes_.count()) {
      return false;
    }
    const bool sorted = codes_.count() * 16 <= slice_rows_;
    if (!sorted || state_->layout->has_texts() || input_.has_filters()) {
      groups_.resize(static_cast<size_t>(slice_rows_));
      for (size_t i = 0; i < groups_.size(); ++i) {
        groups_[i] = by_group_.groups[static_cast<size_t>(codes_.groups()[i])];
      }
    }
    if (state_->layout->has_texts()) {
      ARROW_ASSIGN_OR_RAISE(
          const int64_t done,
          input_.TakeTexts(0, slice_rows_, groups_.data(), filled_->table.get()));
      if (done < slice_rows_) {
        return false;
      }
    }
    if (sorted) {
      codes_.Sort(&by_group_.rows, &by_group_.starts);
      input_.TakeByGroup(by_group_);
      if (input_.has_filters()) {
        ARROW_RETURN_NOT_OK(input_.TakeFiltered(0, slice_rows_, groups_.data()));
      }
    } else {
      ARROW_RETURN_NOT_OK(input_.TakeOthers(0, slice_rows_, groups_.data()));
    }
    position_ = slice_rows_;
    return true;
  }

  void HashAndView() {
    hashes_.resize(static_cast<size_t>(keys_.count()));
    views_.resize(static_cast<size_t>(keys_.count()));
    HashKeys(keys_, hashes_.data());
    for (int64_t i = 0; i < keys_.count(); ++i) {
      views_[static_cast<size_t>(i)] = keys_[i];
    }
  }

  // Of as many rows as are not too much at once; false when memory is short.
  arrow::Result<bool> EncodeKeys() {
    int64_t count = slice_rows_ - position_;
    arrow::ArrayVector columns = key_columns_;
    int64_t bytes = 0;
    while (true) {
      for (size_t i = 0; i < columns.size(); ++i) {
        columns[i] = position_ == 0 && count == slice_rows_
                         ? key_columns_[i]
                         : key_columns_[i]->Slice(position_, count);
      }
      ARROW_ASSIGN_OR_RAISE(bytes, state_->encoder->EncodeBytesMax(columns, count));
      if (bytes <= kKeyBytesMax || count == 1) {
        break;
      }
      count = (count + 1) / 2;
    }
    if (bytes > key_bytes_max_) {
      group_bytes_ = bytes;
      key_bytes_max_ = bytes;  // Reserved at the next boundary.
      return false;
    }
    keys_ = EncodedKeys();
    ARROW_ASSIGN_OR_RAISE(keys_,
                          state_->encoder->Encode(columns, count, &memory_->budget()));
    HashAndView();
    key_begin_ = position_;
    key_end_ = position_ + count;
    return true;
  }

  const std::shared_ptr<State> state_;
  OperatorMemory* const memory_;
  std::unique_ptr<State::Filled> filled_;

  // The batch, the slice of it that was evaluated, and the part of that whose keys were
  // encoded; what comes before position_ is taken in.
  std::shared_ptr<arrow::RecordBatch> batch_;
  int64_t next_slice_ = 0;
  std::shared_ptr<arrow::RecordBatch> slice_;
  int64_t slice_rows_ = 0;
  arrow::ArrayVector key_columns_;
  GroupInput input_;
  int64_t position_ = 0;
  EncodedKeys keys_;
  int64_t key_begin_ = 0;
  int64_t key_end_ = 0;
  std::vector<std::string_view> views_;
  std::vector<uint64_t> hashes_;
  std::vector<uint8_t*> groups_;

  // Where rows are told apart by the codes of dictionaries.
  bool by_code_ = false;
  int attempts_ = 0;
  CodeGroups codes_;
  RowsByGroup by_group_;

  int64_t key_bytes_max_ = kKeyBytesMax;
  int64_t group_bytes_ = 0;  // of the one that memory was short for

  std::unique_ptr<PartWriter> writer_;
  bool reclaiming_ = false;
  int64_t spilling_ = 0;
  int64_t to_free_ = 0;
  uint64_t merged_ = 0;   // partitions that were merged, since memory was asked for
  int64_t unmerged_ = 0;  // parts to spill as they are: merging was of no use
};

}  // namespace

std::unique_ptr<Sink> MakeGroupSink(std::shared_ptr<GroupedAggregate::State> state,
                                    OperatorMemory* memory) {
  return std::make_unique<GroupSink>(std::move(state), memory);
}

}  // namespace wheelpit::exec
