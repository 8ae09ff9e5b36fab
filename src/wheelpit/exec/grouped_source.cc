// SPDX-License-Identifier: Apache-2.0
// The second side of an aggregation by groups: a partition of what the tables
// hold, merged. A part that is in memory is merged in place, and so is one of
// which something is on disk, where there is memory for all of it. Else it goes
// through a table again, by the next bits of the hash, and what comes out of
// that are parts again.
#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "wheelpit/core/error.h"
#include "wheelpit/exec/grouped_aggregate_state.h"
#include "wheelpit/exec/groups/part_merger.h"

namespace wheelpit::exec {

namespace {

constexpr int64_t kBatchRows = 4096;
constexpr int64_t kBatchBytes = 256 << 10;
constexpr int64_t kOutputBytes = 3 * kBatchBytes;
// Slots of a part that are worth it without asking whether memory is left.
constexpr int64_t kSlotBytesMax = int64_t{1} << 20;
// What a reader has in memory.
constexpr int64_t kReaderBytes = kGroupBufferedBytes + 2 * kRowBlockBytes;
constexpr int64_t kFeedRows = 1024;

// Rows of a block that was read back.
class BlockMemory final : public arrow::MutableBuffer {
 public:
  BlockMemory(std::pair<uint8_t*, int64_t> rows,
              std::shared_ptr<arrow::RecordBatch> block)
      : MutableBuffer(rows.first, rows.second), block_(std::move(block)) {}

 private:
  const std::shared_ptr<arrow::RecordBatch> block_;
};

class GroupSource final : public Source {
 public:
  using State = GroupedAggregate::State;

  GroupSource(std::shared_ptr<State> state, int64_t partition, OperatorMemory* memory)
      : state_(std::move(state)), partition_(partition), memory_(memory) {
    groups_.resize(static_cast<size_t>(kFeedRows));
  }
  ~GroupSource() override {
    if (lent_) {
      state_->ReturnPending(spilling_, std::nullopt);
    }
  }

  arrow::Result<std::optional<core::Wait>> AtBoundary(bool /*input_ended*/) override {
    if (writer_ == nullptr && memory_->asked_bytes() > 0) {
      to_free_ = memory_->asked_bytes();
      if (table_ != nullptr) {
        ARROW_ASSIGN_OR_RAISE(const int64_t given, table_->Shrink());
        to_free_ -= given;
      }
      SpillLargest();
    }
    if (writer_ != nullptr) {
      ARROW_ASSIGN_OR_RAISE(auto wait, GoOnSpilling());
      if (wait.has_value()) {
        return wait;
      }
    }
    if (table_ != nullptr) {
      GrowWhereThereIsRoom(table_.get(), memory_);
    }
    if (need_bytes_ > 0) {
      core::Wait wait;
      auto reserved = ReserveForGroups(memory_, need_bytes_, group_bytes_, &wait);
      if (!reserved.ok() && phase_ == Phase::kBegin && loads_) {
        // Somebody was quicker. The table does with less.
        FeedNext();
        reserved = ReserveForGroups(memory_, need_bytes_, group_bytes_, &wait);
      }
      ARROW_RETURN_NOT_OK(reserved);
      if (!*reserved) {
        return wait;
      }
      if (table_ != nullptr) {
        table_->SetAllowance(std::max(kGroupAllowanceBytes, table_->wanted_bytes()));
      }
    }
    return std::nullopt;
  }

  arrow::Result<Step> Next() override {
    switch (phase_) {
      case Phase::kStart:
        return Start();
      case Phase::kPick:
        return Pick();
      case Phase::kBegin:
        return BeginPart();
      case Phase::kLoad:
        return Load();
      case Phase::kMerge:
        return MergeSome();
      case Phase::kGive:
        return Give();
      case Phase::kFeedPages:
        return FeedPages();
      case Phase::kFeedRuns:
        return FeedRuns();
    }
    return Step::End();
  }

 private:
  enum class Phase : uint8_t {
    kStart,
    kPick,   // look at the next part
    kBegin,  // what it takes is reserved
    kLoad,   // from the disk
    kMerge,
    kGive,
    kFeedPages,
    kFeedRuns
  };

  Step Go(Phase phase) {
    phase_ = phase;
    return Step::Yield();
  }

  arrow::Result<Step> Start() {
    GroupPart part;
    ARROW_ASSIGN_OR_RAISE(auto wait, state_->TakePending(partition_, &part));
    if (wait.has_value()) {
      return Step::Waiting(*std::move(wait));
    }
    parts_.push_back(std::move(part));
    return Go(Phase::kPick);
  }

  // Slots for a part that is merged in place; -1 when it has to go through a
  // table.
  arrow::Result<int64_t> SlotBytes(const GroupPart& part) {
    if (!part.runs.empty()) {
      return MayLoad(part) ? PartMerger::SlotBytes(part) : -1;
    }
    const int64_t bytes = part.distinct ? 0 : PartMerger::SlotBytes(part);
    if (bytes > kSlotBytesMax && part.level <= kLevelMax) {
      if (!memory_->budget().TryCountExternal(bytes)) {
        return -1;
      }
      memory_->budget().UncountExternal(bytes);
    }
    return bytes;
  }

  // Texts stand behind their rows on disk, but not in memory. Of long rows what goes out
  // at once may be more than was thought.
  bool MayLoad(const GroupPart& part) const {
    if (state_->layout->has_texts()) {
      return false;
    }
    for (const spill::SpillRun& run : part.runs) {
      for (const spill::SpillExtent& extent : run.extents) {
        if (extent.payload_bytes() > 2 * kRowBlockBytes) {
          return false;
        }
      }
    }
    const int64_t bytes = LoadedBytes(part) + PartMerger::SlotBytes(part) + kOutputBytes;
    if (!memory_->budget().TryCountExternal(bytes)) {
      return false;
    }
    memory_->budget().UncountExternal(bytes);
    return true;
  }

  void FeedNext() {
    feed_ = true;
    loads_ = false;
    need_bytes_ = kGroupAllowanceBytes + kReaderBytes;
  }

  // What reading its runs takes at most: the pool rounds up by an eighth.
  static int64_t LoadedBytes(const GroupPart& part) {
    int64_t bytes = part.runs.empty() ? 0 : kReaderBytes + kOutputBytes;
    for (const spill::SpillRun& run : part.runs) {
      for (const spill::SpillExtent& extent : run.extents) {
        bytes += extent.space_bytes() / 8 * 9 + 4096;
      }
    }
    return bytes;
  }

  arrow::Result<Step> Pick() {
    while (!parts_.empty() && parts_.back().empty()) {
      parts_.pop_back();
    }
    memory_->set_reclaimable(SpillableBytes());
    if (parts_.empty()) {
      return Step::End();
    }
    ARROW_ASSIGN_OR_RAISE(const int64_t slots, SlotBytes(parts_.back()));
    if (slots < 0 && parts_.back().level > kLevelMax) {
      return core::Error(core::ErrorKind::kMemoryLimit,
                         "groups that cannot be told apart by their hash need ",
                         parts_.back().bytes(),
                         " bytes of memory at once; raise the memory limit");
    }
    if (slots < 0) {
      FeedNext();
    } else {
      feed_ = false;
      loads_ = !parts_.back().runs.empty();
      need_bytes_ = slots + kOutputBytes + LoadedBytes(parts_.back());
    }
    return Go(Phase::kBegin);
  }

  arrow::Result<Step> BeginPart() {
    if (!feed_ && !loads_ && !parts_.back().runs.empty()) {
      return Go(Phase::kPick);  // it was spilled meanwhile
    }
    part_ = std::move(parts_.back());
    parts_.pop_back();
    if (feed_) {
      table_ =
          std::make_unique<GroupTable>(GroupTableOptions{.layout = state_->layout.get(),
                                                         .pool = &memory_->budget(),
                                                         .level = part_.level,
                                                         .may_skip_lookups = false});
      table_->SetAllowance(kGroupAllowanceBytes);
      walk_.emplace(state_->layout.get(), &part_.rows);
      given_pages_ = 0;
      return Go(Phase::kFeedPages);
    }
    if (loads_) {
      return Go(Phase::kLoad);
    }
    return part_.distinct ? BeginGiving() : BeginMerging();
  }

  // Blocks become pages as they are.
  arrow::Result<Step> Load() {
    ARROW_ASSIGN_OR_RAISE(auto step, NextBlock());
    if (step.wait.has_value()) {
      return Step::Waiting(*std::move(step.wait));
    }
    if (step.batch == nullptr) {
      part_.spilled_rows = 0;
      return BeginMerging();
    }
    ARROW_ASSIGN_OR_RAISE(const auto rows, RowsOfBlock(*step.batch));
    for (int64_t at = 0; at < rows.second;) {
      ARROW_ASSIGN_OR_RAISE(const int64_t bytes,
                            state_->layout->Unpack(rows.first + at, rows.second - at));
      at += bytes;
      ++part_.row_count;
    }
    part_.rows.AddFull(std::make_unique<BlockMemory>(rows, std::move(step.batch)));
    // Of what was reserved as much as is sure to be there still.
    need_bytes_ = std::max(need_bytes_ - rows.second / 8 * 9, kOutputBytes);
    return Step::Yield();
  }

  arrow::Result<Step> BeginMerging() {
    ARROW_ASSIGN_OR_RAISE(
        merger_, PartMerger::Make(state_->layout.get(), &part_,
                                  PartMerger::SlotBytes(part_), &memory_->budget()));
    return Go(Phase::kMerge);
  }

  arrow::Result<Step> MergeSome() {
    for (int i = 0; i < 32; ++i) {
      ARROW_ASSIGN_OR_RAISE(const bool done, merger_->Step());
      if (done) {
        merger_ = nullptr;
        return BeginGiving();
      }
    }
    return Step::Yield();
  }

  arrow::Result<Step> BeginGiving() {
    walk_.emplace(state_->layout.get(), &part_.rows);
    given_pages_ = 0;
    need_bytes_ = kOutputBytes;
    return Go(Phase::kGive);
  }

  // Rows of the next batch, of what need_bytes_ allows.
  void CollectRows() {
    if (!rows_.empty()) {
      return;
    }
    int64_t bytes = 0;
    while (std::ssize(rows_) < kBatchRows && bytes < kBatchBytes) {
      const uint8_t* row = walk_->Next();
      if (row == nullptr) {
        break;
      }
      if (!state_->layout->IsDead(row)) {
        rows_.push_back(row);
        bytes += state_->layout->RowBytes(row) + state_->layout->TextBytes(row);
      }
    }
    // Keys are decoded into columns, text that grows by doubling.
    collected_bytes_ = bytes;
  }

  arrow::Result<Step> Give() {
    CollectRows();
    if (rows_.empty()) {
      part_ = GroupPart();
      walk_.reset();
      need_bytes_ = 0;
      return Go(Phase::kPick);
    }
    if (3 * collected_bytes_ > need_bytes_) {
      need_bytes_ = 3 * collected_bytes_;
      group_bytes_ = collected_bytes_;
      return Step::Yield();
    }
    std::vector<std::string_view> keys;
    keys.reserve(rows_.size());
    for (const uint8_t* row : rows_) {
      keys.push_back(state_->layout->KeyOf(row));
    }
    arrow::MemoryPool* pool = &memory_->budget();
    ARROW_ASSIGN_OR_RAISE(arrow::ArrayVector columns,
                          state_->encoder->Decode(keys, pool));
    const int64_t count = std::ssize(rows_);
    ARROW_ASSIGN_OR_RAISE(const arrow::ArrayVector results,
                          state_->layout->Finish(rows_.data(), count, pool));
    columns.insert(columns.end(), results.begin(), results.end());
    rows_.clear();
    for (; given_pages_ < walk_->page(); ++given_pages_) {
      part_.rows.DropPage(given_pages_);
    }
    need_bytes_ = kOutputBytes;
    group_bytes_ = 0;
    return Step::Batch(
        arrow::RecordBatch::Make(state_->options.output, count, std::move(columns)));
  }

  // Takes the rows of from_ that are left into the table; false when memory is
  // short.
  arrow::Result<bool> TakeCollected() {
    const int64_t left = std::ssize(from_) - fed_;
    if (left == 0) {
      return true;
    }
    const auto at = static_cast<size_t>(fed_);
    ARROW_ASSIGN_OR_RAISE(
        int64_t done, table_->FindOrAdd(&views_[at], &hashes_[at], left, groups_.data()));
    ARROW_ASSIGN_OR_RAISE(
        done, state_->layout->MergeTexts(groups_.data(), &from_[at], done, table_.get()));
    ARROW_RETURN_NOT_OK(state_->layout->MergeOthers(groups_.data(), &from_[at], done));
    fed_ += done;
    if (done < left) {
      need_bytes_ = std::max(kGroupAllowanceBytes, table_->wanted_bytes()) + kReaderBytes;
      group_bytes_ = table_->wanted_bytes();
    }
    memory_->set_reclaimable(SpillableBytes());
    return done == left;
  }

  void Collect(const uint8_t* row) {
    from_.push_back(row);
    hashes_.push_back(HashOf(row));
    views_.push_back(state_->layout->KeyOf(row));
  }
  void ForgetCollected() {
    from_.clear();
    hashes_.clear();
    views_.clear();
    fed_ = 0;
  }

  arrow::Result<Step> FeedPages() {
    ARROW_ASSIGN_OR_RAISE(const bool taken, TakeCollected());
    if (!taken) {
      return Step::Yield();
    }
    ForgetCollected();
    for (; given_pages_ < walk_->page(); ++given_pages_) {
      part_.rows.DropPage(given_pages_);
    }
    while (std::ssize(from_) < kFeedRows) {
      const uint8_t* row = walk_->Next();
      if (row == nullptr) {
        break;
      }
      Collect(row);
    }
    if (from_.empty()) {
      part_.rows = GroupPages();
      part_.texts = GroupPages();
      return Go(Phase::kFeedRuns);
    }
    return Step::Yield();
  }

  // Of all runs of part_, or a wait, or neither at the end.
  arrow::Result<spill::SpillReader::Step> NextBlock() {
    while (true) {
      if (reader_ == nullptr) {
        if (part_.runs.empty()) {
          return spill::SpillReader::Step{};
        }
        spill::SpillRun run = std::move(part_.runs.back());
        part_.runs.pop_back();
        ARROW_ASSIGN_OR_RAISE(
            reader_, spill::SpillReader::Make(state_->SpillStream(&memory_->budget()),
                                              std::move(run)));
      }
      ARROW_ASSIGN_OR_RAISE(auto step, reader_->Next());
      if (step.wait.has_value() || step.batch != nullptr) {
        return step;
      }
      reader_ = nullptr;
    }
  }

  arrow::Result<Step> FeedRuns() {
    ARROW_ASSIGN_OR_RAISE(const bool taken, TakeCollected());
    if (!taken) {
      return Step::Yield();
    }
    ForgetCollected();
    while (block_left_ > 0 && std::ssize(from_) < kFeedRows) {
      ARROW_ASSIGN_OR_RAISE(const int64_t bytes,
                            state_->layout->Unpack(block_rows_, block_left_));
      Collect(block_rows_);
      block_rows_ += bytes;
      block_left_ -= bytes;
    }
    if (!from_.empty()) {
      return Step::Yield();
    }
    block_ = nullptr;
    ARROW_ASSIGN_OR_RAISE(auto step, NextBlock());
    if (step.wait.has_value()) {
      return Step::Waiting(*std::move(step.wait));
    }
    if (step.batch == nullptr) {
      return EndFeed();
    }
    block_ = std::move(step.batch);
    ARROW_ASSIGN_OR_RAISE(std::tie(block_rows_, block_left_), RowsOfBlock(*block_));
    return Step::Yield();
  }

  // What is in memory comes first: it frees some.
  arrow::Result<Step> EndFeed() {
    const auto begin = std::ssize(parts_);
    for (int64_t i = 0; i < kPartitionCount; ++i) {
      GroupPart part = table_->TakePart(i);
      part.Append(std::exchange(spilled_[static_cast<size_t>(i)], GroupPart()));
      if (!part.empty()) {
        parts_.push_back(std::move(part));
      }
    }
    std::stable_partition(parts_.begin() + begin, parts_.end(),
                          [](const GroupPart& part) { return !part.runs.empty(); });
    table_ = nullptr;
    part_ = GroupPart();
    need_bytes_ = 0;
    group_bytes_ = 0;
    return Go(Phase::kPick);
  }

  // A part that fits into the minimum with all that it takes is not given up:
  // it is the next one.
  int64_t SpillableBytesOf(size_t part) const {
    const int64_t bytes = parts_[part].bytes();
    const bool next = part + 1 == parts_.size() && phase_ == Phase::kBegin && !feed_;
    return next && bytes + need_bytes_ <= GroupedAggregate::kMinimumBytes ? 0 : bytes;
  }

  int64_t SpillableBytes() const {
    int64_t bytes = state_->pending_bytes.load();
    for (size_t i = 0; i < parts_.size(); ++i) {
      bytes += SpillableBytesOf(i);
    }
    return bytes + (table_ == nullptr ? 0 : table_->part_bytes());
  }

  void SpillLargest() {
    size_t largest = 0;
    int64_t bytes = 0;
    for (size_t i = 0; i < parts_.size(); ++i) {
      if (SpillableBytesOf(i) > bytes) {
        bytes = SpillableBytesOf(i);
        largest = i;
      }
    }
    GroupPart part;
    if (table_ != nullptr && table_->part(table_->largest()).bytes() > bytes) {
      from_where_ = From::kTable;
      spilling_ = table_->largest();
      part = table_->TakePart(spilling_);
    } else if (bytes > 0) {
      from_where_ = From::kParts;
      spilling_ = static_cast<int64_t>(largest);
      part = std::exchange(parts_[largest], GroupPart());
    } else if (state_->LendPending(&spilling_, &part)) {
      from_where_ = From::kPending;
      lent_ = true;
    } else {
      memory_->set_reclaimable(0);
      memory_->Answer();
      return;
    }
    to_free_ -= part.bytes();
    writer_ = std::make_unique<PartWriter>(state_->layout.get(),
                                           state_->SpillStream(memory_), std::move(part));
  }

  arrow::Result<std::optional<core::Wait>> GoOnSpilling() {
    ARROW_ASSIGN_OR_RAISE(auto wait, writer_->Advance());
    if (wait.has_value()) {
      return wait;
    }
    ARROW_ASSIGN_OR_RAISE(GroupPart written, writer_->Finish());
    writer_ = nullptr;
    switch (from_where_) {
      case From::kTable:
        spilled_[static_cast<size_t>(spilling_)].Append(std::move(written));
        break;
      case From::kParts:
        parts_[static_cast<size_t>(spilling_)] = std::move(written);
        break;
      case From::kPending:
        lent_ = false;
        state_->ReturnPending(spilling_, std::move(written));
        break;
    }
    memory_->set_reclaimable(SpillableBytes());
    if (to_free_ > 0) {
      SpillLargest();
      return writer_ == nullptr ? std::nullopt : std::optional(core::Wait());
    }
    memory_->Answer();
    return std::nullopt;
  }

  const std::shared_ptr<State> state_;
  const int64_t partition_;
  OperatorMemory* const memory_;
  Phase phase_ = Phase::kStart;
  int64_t need_bytes_ = 0;   // what the next step may allocate
  int64_t group_bytes_ = 0;  // of the one that it is for

  std::vector<GroupPart> parts_;  // to be done, the next one last
  bool feed_ = false;             // what becomes of the next one
  bool loads_ = false;
  GroupPart part_;  // being done
  std::optional<RowWalk> walk_;
  size_t given_pages_ = 0;

  std::unique_ptr<PartMerger> merger_;
  std::vector<const uint8_t*> rows_;  // of the next batch
  int64_t collected_bytes_ = 0;

  // A part that goes through a table.
  std::unique_ptr<GroupTable> table_;
  PartArray spilled_;
  std::unique_ptr<spill::SpillReader> reader_;
  std::shared_ptr<arrow::RecordBatch> block_;
  uint8_t* block_rows_ = nullptr;
  int64_t block_left_ = 0;
  std::vector<const uint8_t*> from_;
  std::vector<uint64_t> hashes_;
  std::vector<std::string_view> views_;
  std::vector<uint8_t*> groups_;
  int64_t fed_ = 0;

  enum class From : uint8_t { kParts, kTable, kPending };
  std::unique_ptr<PartWriter> writer_;
  From from_where_ = From::kParts;
  int64_t spilling_ = 0;
  bool lent_ = false;
  int64_t to_free_ = 0;
};

}  // namespace

std::unique_ptr<Source> MakeGroupSource(std::shared_ptr<GroupedAggregate::State> state,
                                        int64_t partition, OperatorMemory* memory) {
  return std::make_unique<GroupSource>(std::move(state), partition, memory);
}

}  // namespace wheelpit::exec
