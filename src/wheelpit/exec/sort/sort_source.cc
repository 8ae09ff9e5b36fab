// SPDX-License-Identifier: Apache-2.0
// The source of one range of a sort: merges what all tasks have left of it, in one go
// where the memory suffices, else smaller runs into a larger one on disk first.
#include <algorithm>
#include <string>
#include <utility>

#include <arrow/record_batch.h>

#include "wheelpit/core/byte_size.h"
#include "wheelpit/core/error.h"
#include "wheelpit/exec/sort/run_writer.h"
#include "wheelpit/exec/sort/sort_state.h"

namespace wheelpit::exec {

namespace {

using MaybeWait = std::optional<core::Wait>;

// Of what a source has set aside: what blocks and keys of runs may take, and what is left
// for the batches that it gives and their receivers still hold, or for writing a run.
constexpr int64_t kInputBytes = (4 << 20) + (512 << 10);
constexpr int64_t kOutputBytes = (3 << 20) + (512 << 10);
// A batch that is given.
constexpr int64_t kBatchBytes = 512 << 10;
constexpr int64_t kBatchRows = 16 << 10;
constexpr int64_t kBlockBytes = 256 << 10;

// How the next merge is done.
struct MergePlan {
  size_t begin = 0;  // of the inputs
  size_t end = 0;
  bool ahead = true;
  int64_t bytes = 0;  // that its inputs take
};

int64_t SumOf(const std::vector<MergeInput>& inputs, bool ahead) {
  int64_t bytes = 0;
  for (const MergeInput& input : inputs) {
    bytes += MergeBytes(input, ahead);
  }
  return bytes;
}

int64_t MostOf(const std::vector<MergeInput>& inputs, bool ahead) {
  int64_t bytes = 1;
  for (const MergeInput& input : inputs) {
    bytes = std::max(bytes, MergeBytes(input, ahead));
  }
  return bytes;
}

int64_t RowBytesOf(const MergeInput& input) {
  int64_t bytes = input.chunk == nullptr ? 0 : input.chunk->bytes;
  for (const SortedBlock& block : input.run.blocks) {
    bytes += block.raw_bytes;
  }
  return bytes;
}

// The neighbours with `count` runs on disk that have the fewest bytes: only neighbours,
// so that equal keys keep their order.
MergePlan SmallestNeighbours(const std::vector<MergeInput>& inputs, size_t count) {
  std::vector<size_t> on_disk;
  std::vector<int64_t> bytes_before = {0};
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].chunk == nullptr) {
      on_disk.push_back(i);
    }
    bytes_before.push_back(bytes_before.back() + RowBytesOf(inputs[i]));
  }
  MergePlan best;
  int64_t fewest = INT64_MAX;
  for (size_t first = 0; first + count <= on_disk.size(); ++first) {
    const size_t begin = on_disk[first];
    const size_t end = on_disk[first + count - 1] + 1;
    const int64_t bytes = bytes_before[end] - bytes_before[begin];
    if (bytes < fewest) {
      fewest = bytes;
      best = {.begin = begin, .end = end};
    }
  }
  return best;
}

class SortSource final : public Source {
 public:
  SortSource(std::shared_ptr<SortMerge::State> state, int64_t range,
             OperatorMemory* memory, const TaskContext* context)
      : state_(std::move(state)),
        range_(range),
        memory_(memory),
        context_(context),
        rows_left_(state_->options.limit < 0 ? INT64_MAX : state_->options.limit) {}

  arrow::Result<MaybeWait> AtBoundary(bool /*input_ended*/) override {
    if (memory_->asked_bytes() > 0) {
      memory_->Answer();
    }
    return phase_ == Phase::kPlan ? StartMerge() : MaybeWait();
  }

  arrow::Result<Step> Next() override {
    switch (phase_) {
      case Phase::kTasks:
        if (auto wait = state_->Take(range_, &work_); wait.has_value()) {
          return Step::Waiting(*std::move(wait));
        }
        phase_ = Phase::kPlan;
        return Step::Yield();
      case Phase::kPlan:
        return Step::Yield();
      case Phase::kShrink:
        return Shrink();
      case Phase::kGive:
        return Give();
    }
    return Step::End();
  }

 private:
  enum class Phase : uint8_t {
    kTasks,   // the tasks of the sinks are running
    kPlan,    // memory is needed for the next merge
    kShrink,  // some runs are merged into one on disk
    kGive,    // the last merge
  };

  arrow::Result<MaybeWait> StartMerge() {
    ARROW_ASSIGN_OR_RAISE(auto wait, MakePlan());
    if (wait.has_value()) {
      return wait;
    }
    const bool all = plan_.begin == 0 && plan_.end == work_.inputs.size();
    std::vector<MergeInput> inputs;
    const auto begin = work_.inputs.begin() + static_cast<std::ptrdiff_t>(plan_.begin);
    const auto end = work_.inputs.begin() + static_cast<std::ptrdiff_t>(plan_.end);
    std::move(begin, end, std::back_inserter(inputs));
    work_.inputs.erase(begin, end);
    merge_ = std::make_unique<RunMerge>(
        &state_->rows, std::move(inputs), work_.range,
        RunMergeOptions{
            .io = context_->io_tasks, .pool = &memory_->budget(), .ahead = plan_.ahead});
    if (all) {
      phase_ = Phase::kGive;
      return std::nullopt;
    }
    auto stream = context_->SpillStream(&memory_->budget(), state_->options.operator_id,
                                        kBlockBytes);
    stream.encode.compression = state_->options.compression;
    writer_ = std::make_unique<RunWriter>(stream, &state_->rows);
    phase_ = Phase::kShrink;
    return std::nullopt;
  }

  // Decides how to go on; a wait for memory that it cannot do without.
  arrow::Result<MaybeWait> MakePlan() {
    const auto& inputs = work_.inputs;
    const int64_t all_bytes = SumOf(inputs, /*ahead=*/true);
    plan_ = {.begin = 0, .end = inputs.size(), .ahead = true, .bytes = all_bytes};
    // What was granted after a wait must be taken: to try for more would give it up.
    if (all_bytes <= kInputBytes ||
        (!waits_for_large_rows_ && TryReserve(memory_, all_bytes + kOutputBytes))) {
      return std::nullopt;
    }
    const auto fit = [&inputs](bool ahead) {
      return static_cast<size_t>(kInputBytes / MostOf(inputs, ahead));
    };
    constexpr size_t kFewRuns = 8;
    const bool ahead = fit(true) >= kFewRuns;
    if (!ahead && SumOf(inputs, false) <= kInputBytes) {
      plan_.ahead = false;
      return std::nullopt;
    }
    size_t count = fit(ahead);
    if (count < 2) {
      count = 2;
      const int64_t bytes = 2 * MostOf(inputs, false);
      ARROW_ASSIGN_OR_RAISE(auto wait, ReserveForLargeRows(bytes));
      if (wait.has_value()) {
        return wait;
      }
    }
    const auto on_disk = static_cast<size_t>(
        std::count_if(inputs.begin(), inputs.end(),
                      [](const MergeInput& input) { return input.chunk == nullptr; }));
    if (on_disk <= count) {
      plan_.ahead = ahead;
      return std::nullopt;
    }
    // Just enough that the last merge takes all that are left.
    plan_ = SmallestNeighbours(inputs, std::min(count, on_disk - count + 1));
    plan_.ahead = ahead;
    return std::nullopt;
  }

  arrow::Result<MaybeWait> ReserveForLargeRows(int64_t bytes) {
    core::Wait wait;
    const auto reserved = memory_->budget().Reserve(bytes + kOutputBytes, &wait);
    if (!reserved.ok()) {
      return core::WithContext(reserved.status(),
                               "merging sorted rows, some as long as " +
                                   core::FormatByteSize(bytes / 2) + " with their key");
    }
    waits_for_large_rows_ = !*reserved;
    return *reserved ? MaybeWait() : wait;
  }

  arrow::Result<Step> Shrink() {
    if (merge_ != nullptr) {
      ARROW_ASSIGN_OR_RAISE(auto step,
                            merge_->Next(kBlockBytes, kBatchRows, &memory_->budget()));
      if (step.wait.has_value()) {
        return Step::Waiting(*std::move(step.wait));
      }
      if (step.batch != nullptr) {
        ARROW_ASSIGN_OR_RAISE(auto wait, writer_->Append(step));
        return wait.has_value() ? Step::Waiting(*std::move(wait)) : Step::Yield();
      }
      merge_ = nullptr;
    }
    if (const core::Wait written = writer_->written(); !written.ready()) {
      return Step::Waiting(written);
    }
    ARROW_ASSIGN_OR_RAISE(auto run, writer_->Finish());
    writer_ = nullptr;
    if (!run.blocks.empty()) {
      work_.inputs.insert(work_.inputs.begin() + static_cast<std::ptrdiff_t>(plan_.begin),
                          MergeInput{.chunk = nullptr, .run = std::move(run)});
    }
    phase_ = Phase::kPlan;
    return Step::Yield();
  }

  arrow::Result<Step> Give() {
    ARROW_ASSIGN_OR_RAISE(
        auto step,
        merge_->Next(kBatchBytes, std::min(kBatchRows, rows_left_), &memory_->budget()));
    if (step.wait.has_value()) {
      return Step::Waiting(*std::move(step.wait));
    }
    if (step.batch == nullptr) {
      merge_ = nullptr;
      return Step::End();
    }
    rows_left_ -= step.batch->num_rows();
    return Step::Batch(std::move(step.batch));
  }

  const std::shared_ptr<SortMerge::State> state_;
  const int64_t range_;
  OperatorMemory* const memory_;
  const TaskContext* const context_;
  Phase phase_ = Phase::kTasks;
  SortMerge::State::Work work_;
  MergePlan plan_;
  bool waits_for_large_rows_ = false;
  std::unique_ptr<RunMerge> merge_;
  std::unique_ptr<RunWriter> writer_;
  int64_t rows_left_;
};

}  // namespace

std::unique_ptr<Source> MakeSortSource(std::shared_ptr<SortMerge::State> state,
                                       int64_t range, OperatorMemory* memory,
                                       const TaskContext* context) {
  return std::make_unique<SortSource>(std::move(state), range, memory, context);
}

}  // namespace wheelpit::exec
