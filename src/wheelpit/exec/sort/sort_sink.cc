// SPDX-License-Identifier: Apache-2.0
// The sink of a sort's task: sorts what comes in chunks, and writes all it holds as a run
// when memory is asked of it. With a limit it drops what cannot be among the rows wanted.
#include <algorithm>
#include <string>
#include <utility>

#include <arrow/record_batch.h>

#include "wheelpit/core/error.h"
#include "wheelpit/exec/sort/chunk_builder.h"
#include "wheelpit/exec/sort/run_writer.h"
#include "wheelpit/exec/sort/sort_state.h"

namespace wheelpit::exec {

namespace {

using MaybeWait = std::optional<core::Wait>;

// Blocks of a run: so many that runs of a few megabytes can be merged by the dozen within
// the least memory, and that those of a gigabyte are read in long pieces.
constexpr int64_t kBlocksOfRun = 160;
constexpr int64_t kBlockBytesMin = 64 << 10;
constexpr int64_t kBlockBytesMax = 256 << 10;
constexpr int64_t kBufferedBytes = 256 << 10;
constexpr int64_t kBlockRows = 64 << 10;
// With so many runs on disk the merge needs the memory more than what is held in it.
constexpr int64_t kManyRuns = 12;

int64_t BytesOf(const std::vector<ChunkPtr>& chunks) {
  int64_t bytes = 0;
  for (const ChunkPtr& chunk : chunks) {
    bytes += chunk->bytes;
  }
  return bytes;
}

int64_t RowsOf(const std::vector<ChunkPtr>& chunks) {
  int64_t rows = 0;
  for (const ChunkPtr& chunk : chunks) {
    rows += chunk->keys.count();
  }
  return rows;
}

std::vector<MergeInput> InputsOf(const std::vector<ChunkPtr>& chunks) {
  std::vector<MergeInput> inputs;
  for (const ChunkPtr& chunk : chunks) {
    inputs.push_back({.chunk = chunk, .run = {}});
  }
  return inputs;
}

class SortSink final : public Sink {
 public:
  SortSink(std::shared_ptr<SortMerge::State> state, int64_t task, OperatorMemory* memory,
           const TaskContext* context)
      : state_(std::move(state)),
        task_(task),
        memory_(memory),
        context_(context),
        builder_(&state_->rows) {}

  arrow::Result<MaybeWait> Push(std::shared_ptr<arrow::RecordBatch> batch) override {
    builder_.Add(std::move(batch));
    need_.reset();
    return std::nullopt;
  }

  arrow::Result<MaybeWait> AtBoundary(bool input_ended) override {
    if (!std::exchange(begun_, true)) {
      held_ = state_->TakeHeld(memory_);
      std::erase_if(held_, [](const HeldChunks& held) { return held.chunks.empty(); });
      held_.push_back({.task = task_, .chunks = {}});
      TellReclaimable();
    }
    if (job_ != nullptr) {
      return GoOn();
    }
    if (memory_->asked_bytes() > 0) {
      if (StartSpill()) {
        return core::Wait();
      }
      memory_->Answer();
    }
    if (NeedsTrim()) {
      return StartTrim();
    }
    if (builder_.full() || (input_ended && !builder_.empty())) {
      return AddChunk();
    }
    if (input_ended && state_->run_count() >= kManyRuns && StartSpill()) {
      return core::Wait();
    }
    return std::nullopt;
  }

  arrow::Status Finish() override {
    WHEELPIT_CHECK(builder_.empty() && job_ == nullptr, "rows of a sort left behind");
    state_->End(memory_, std::move(held_));
    return arrow::Status::OK();
  }

 private:
  // What is done in steps: a merge of chunks, to disk or (trim) into fewer chunks.
  struct Job {
    HeldChunks chunks;  // given up when the job has ended
    std::unique_ptr<RunMerge> merge;
    std::unique_ptr<RunWriter> writer;  // null: trim
    std::vector<ChunkPtr> trimmed;
    int64_t block_bytes = 0;
    int64_t rows_left = 0;  // of the limit
    bool merged = false;
  };

  std::vector<ChunkPtr>& own() { return held_.back().chunks; }
  int64_t limit() const { return state_->options.limit; }

  // A ready wait: called again, with a chance for the driver to yield.
  arrow::Result<MaybeWait> AddChunk() {
    if (!need_.has_value()) {
      ARROW_ASSIGN_OR_RAISE(need_, builder_.Measure());
    }
    core::Wait wait;
    const auto reserved = memory_->budget().Reserve(*need_, &wait);
    if (!reserved.ok()) {
      return core::WithContext(reserved.status(), "sorting a part of the rows needs " +
                                                      std::to_string(*need_) +
                                                      " bytes at once");
    }
    if (!*reserved) {
      return wait;
    }
    need_.reset();
    ChunkBuilder::Limits limits;
    if (limit() >= 0) {
      ReadCutOff();
      limits = {.rows = limit(), .below = below_, .up_to = up_to_};
    }
    ARROW_ASSIGN_OR_RAISE(auto chunk, builder_.Build(limits, &memory_->budget()));
    if (chunk != nullptr) {
      if (chunk->keys.count() == limit()) {
        LowerCutOff(chunk->last_key());
      }
      own().push_back(std::move(chunk));
    }
    TellReclaimable();
    return core::Wait();
  }

  void TellReclaimable() {
    int64_t bytes = 0;
    for (const HeldChunks& held : held_) {
      bytes += BytesOf(held.chunks);
    }
    memory_->set_reclaimable(bytes);
  }

  // Rows of tasks that have ended go first. The first time a task writes only the half
  // of what it holds: often that is enough.
  bool StartSpill() {
    HeldChunks chosen{.task = task_, .chunks = {}};
    const bool mixed = !state_->options.stable;
    for (HeldChunks& held : held_) {
      if (held.chunks.empty() || (!mixed && !chosen.chunks.empty())) {
        continue;
      }
      if (!mixed) {
        chosen.task = held.task;
      }
      std::move(held.chunks.begin(), held.chunks.end(),
                std::back_inserter(chosen.chunks));
      held.chunks.clear();
    }
    if (chosen.chunks.empty()) {
      return false;
    }
    if (chosen.task == task_ && !std::exchange(has_spilled_, true) && limit() < 0) {
      KeepHalf(&chosen);
    }
    StartJob(std::move(chosen));
    job_->block_bytes = std::clamp(BytesOf(job_->chunks.chunks) / kBlocksOfRun,
                                   kBlockBytesMin, kBlockBytesMax);
    auto stream = context_->SpillStream(&memory_->workspace(),
                                        state_->options.operator_id, kBufferedBytes);
    stream.encode.compression = state_->options.compression;
    stream.metrics = memory_->task_metrics();
    job_->writer = std::make_unique<RunWriter>(stream, &state_->rows);
    return true;
  }

  // The rows that came last stay, if what is asked for is not more than the rest.
  void KeepHalf(HeldChunks* chosen) {
    const int64_t all = BytesOf(chosen->chunks);
    int64_t spilled = 0;
    size_t count = 0;
    while (count < chosen->chunks.size() &&
           spilled < std::max(all / 2, memory_->asked_bytes())) {
      spilled += chosen->chunks[count++]->bytes;
    }
    const auto rest = chosen->chunks.begin() + static_cast<std::ptrdiff_t>(count);
    own().assign(rest, chosen->chunks.end());
    chosen->chunks.erase(rest, chosen->chunks.end());
  }

  void StartJob(HeldChunks chunks) {
    job_ = std::make_unique<Job>();
    job_->merge = std::make_unique<RunMerge>(&state_->rows, InputsOf(chunks.chunks),
                                             KeyRange{}, RunMergeOptions{});
    job_->chunks = std::move(chunks);
    job_->rows_left = limit() < 0 ? INT64_MAX : limit();
  }

  // With a limit: whether twice as many rows are held as are wanted.
  bool NeedsTrim() {
    constexpr int64_t kRowsMin = 4096;
    return limit() >= 0 && own().size() > 1 &&
           RowsOf(own()) > std::max(2 * limit(), kRowsMin);
  }

  arrow::Result<MaybeWait> StartTrim() {
    // The rows that stay are there twice for a while.
    const int64_t bytes = std::max<int64_t>(BytesOf(own()) / 2, 1 << 20) * 5 / 4;
    core::Wait wait;
    ARROW_ASSIGN_OR_RAISE(const bool reserved, memory_->budget().Reserve(bytes, &wait));
    if (!reserved) {
      return wait;
    }
    StartJob({.task = task_, .chunks = std::exchange(own(), {})});
    job_->block_bytes = ChunkBuilder::kChunkBytes / 2;
    return core::Wait();
  }

  arrow::Result<MaybeWait> GoOn() {
    if (!job_->merged) {
      const int64_t rows = std::min(kBlockRows, job_->rows_left);
      arrow::MemoryPool* pool = &memory_->budget();
      if (job_->writer != nullptr) {
        pool = &memory_->workspace();
      }
      ARROW_ASSIGN_OR_RAISE(auto step, job_->merge->Next(job_->block_bytes, rows, pool));
      if (step.batch != nullptr) {
        job_->rows_left -= step.batch->num_rows();
        if (job_->rows_left == 0 && job_->chunks.task == task_) {
          LowerCutOff(job_->merge->last_key());
        }
        return Store(std::move(step));
      }
      job_->merged = true;
      job_->merge = nullptr;
    }
    return EndJob();
  }

  arrow::Result<MaybeWait> Store(RunMerge::Step step) {
    if (job_->writer != nullptr) {
      auto wait = job_->writer->Append(step);
      if (!wait.ok()) {
        return core::WithContext(wait.status(), "the sort writes a part of its rows");
      }
      return wait->has_value() ? *wait : core::Wait();
    }
    auto chunk = std::make_shared<SortedChunk>();
    chunk->rows = std::move(step.batch);
    ARROW_ASSIGN_OR_RAISE(chunk->keys, state_->rows.encoder->Encode(
                                           state_->rows.KeyColumnsOf(*chunk->rows),
                                           chunk->rows->num_rows(), &memory_->budget()));
    chunk->bytes = GatheredBytes(*chunk->rows) + step.key_bytes;
    job_->trimmed.push_back(std::move(chunk));
    return core::Wait();
  }

  arrow::Result<MaybeWait> EndJob() {
    if (job_->writer != nullptr) {
      if (const core::Wait written = job_->writer->written(); !written.ready()) {
        return written;
      }
      ARROW_ASSIGN_OR_RAISE(auto run, job_->writer->Finish());
      state_->AddRun(job_->chunks.task, std::move(run));
    } else {
      own() = std::move(job_->trimmed);
    }
    const int64_t freed = BytesOf(job_->chunks.chunks);
    const bool spilled = job_->writer != nullptr;
    job_ = nullptr;
    TellReclaimable();
    if (spilled) {
      freed_bytes_ += freed;
      if (freed_bytes_ >= memory_->asked_bytes()) {
        freed_bytes_ = 0;
        memory_->Answer();
      }
    }
    return core::Wait();
  }

  // So many rows of this task as are wanted have keys up to `key`.
  void LowerCutOff(std::string_view key) {
    if (limit() > 0) {
      if (below_.empty() || key < below_) {
        below_ = key;
      }
      state_->cut_off->Lower(key);
    }
  }

  void ReadCutOff() {
    const int64_t version = state_->cut_off->version();
    if (version != cut_off_version_) {
      cut_off_version_ = version;
      up_to_ = state_->cut_off->key();
    }
  }

  const std::shared_ptr<SortMerge::State> state_;
  const int64_t task_;
  OperatorMemory* const memory_;
  const TaskContext* const context_;
  ChunkBuilder builder_;
  bool begun_ = false;
  std::vector<HeldChunks> held_;  // of ended tasks, then its own
  std::optional<int64_t> need_;   // of the next chunk
  std::unique_ptr<Job> job_;
  bool has_spilled_ = false;
  int64_t freed_bytes_ = 0;  // since memory was asked for
  // With a limit. A later row of this task with the key below_ is not wanted, one of any
  // task with a larger key than up_to_ neither.
  std::string below_;
  std::string up_to_;
  int64_t cut_off_version_ = 0;
};

}  // namespace

std::unique_ptr<Sink> MakeSortSink(std::shared_ptr<SortMerge::State> state, int64_t task,
                                   OperatorMemory* memory, const TaskContext* context) {
  return std::make_unique<SortSink>(std::move(state), task, memory, context);
}

}  // namespace wheelpit::exec
