// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/exec/sort/sort_merge.h"

#include <algorithm>
#include <utility>

#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "wheelpit/core/error.h"
#include "wheelpit/exec/sort/sort_state.h"

namespace wheelpit::exec {

namespace {

constexpr int64_t kMiB = int64_t{1} << 20;
constexpr int64_t kSinkBytes = 4 * kMiB + kMiB / 4;
constexpr int64_t kSinkWorkspaceBytes = 8 * kMiB - kSinkBytes;
constexpr int64_t kSourceBytes = 8 * kMiB;

// A key, and how many bytes of rows it stands for.
struct Sample {
  std::string key;
  int64_t bytes = 0;
};

std::vector<Sample> SamplesOf(const std::vector<MergeInput>& inputs) {
  constexpr int64_t kSamplesOfChunk = 16;
  std::vector<Sample> samples;
  for (const MergeInput& input : inputs) {
    for (const SortedBlock& block : input.run.blocks) {
      samples.push_back({block.first_key, block.raw_bytes});
    }
    if (input.chunk != nullptr) {
      const EncodedKeys& keys = input.chunk->keys;
      const int64_t step = std::max<int64_t>(keys.count() / kSamplesOfChunk, 1);
      for (int64_t i = 0; i < keys.count(); i += step) {
        samples.push_back({KeepKey(keys[i]), input.chunk->bytes * step / keys.count()});
      }
    }
  }
  std::sort(samples.begin(), samples.end(),
            [](const Sample& a, const Sample& b) { return a.key < b.key; });
  return samples;
}

// Whether every key that begins with `kept` (or is it) is certainly below `bound`.
bool CertainlyBelow(std::string_view kept, std::string_view bound) {
  return kept < bound.substr(0, kept.size());
}

}  // namespace

std::vector<KeyRange> CutRanges(const std::vector<MergeInput>& inputs,
                                int64_t range_count) {
  std::vector<KeyRange> ranges(static_cast<size_t>(range_count));
  const auto samples = SamplesOf(inputs);
  int64_t total = 0;
  for (const Sample& sample : samples) {
    total += sample.bytes;
  }
  int64_t bytes = 0;
  size_t next = 1;
  for (const Sample& sample : samples) {
    while (next < ranges.size() &&
           bytes >= total / range_count * static_cast<int64_t>(next)) {
      // Where one key fills several ranges, those between are empty.
      ranges[next - 1].high = ranges[next].low = sample.key;
      ++next;
    }
    bytes += sample.bytes;
  }
  for (; next < ranges.size(); ++next) {
    ranges[next - 1].high = ranges[next].low =
        samples.empty() ? std::string() : samples.back().key;
  }
  return ranges;
}

MergeInput PartOf(const MergeInput& input, const KeyRange& range) {
  MergeInput part;
  if (input.chunk != nullptr) {
    const EncodedKeys& keys = input.chunk->keys;
    const bool outside = (!range.high.empty() && keys[0] >= range.high) ||
                         (!range.low.empty() && input.chunk->last_key() < range.low);
    if (!outside) {
      part.chunk = input.chunk;
    }
    return part;
  }
  const auto& blocks = input.run.blocks;
  size_t begin = 0;
  while (begin + 1 < blocks.size() &&
         CertainlyBelow(blocks[begin + 1].first_key, range.low)) {
    ++begin;
  }
  if (begin + 1 == blocks.size() && CertainlyBelow(input.run.last_key, range.low)) {
    return part;
  }
  for (size_t i = begin; i < blocks.size(); ++i) {
    if (!range.high.empty() && blocks[i].first_key >= range.high) {
      break;
    }
    part.run.blocks.push_back(blocks[i]);
  }
  part.run.last_key = input.run.last_key;
  return part;
}

bool TryReserve(OperatorMemory* memory, int64_t bytes) {
  memory::OperatorBudget& budget = memory->budget();
  if (!budget.TryCountExternal(bytes)) {
    return false;
  }
  budget.UncountExternal(bytes);
  // Somebody may have taken it in between; then this is as good as never asked.
  core::Wait wait;
  return budget.Reserve(bytes, &wait).ValueOr(false);
}

std::vector<HeldChunks> SortMerge::State::TakeHeld(OperatorMemory* memory) {
  return std::exchange(inner_.Lock()->held[memory], {});
}

void SortMerge::State::AddRun(int64_t task, SortedRun run) {
  if (!run.blocks.empty()) {
    inner_.Lock()->runs[static_cast<size_t>(task)].push_back(std::move(run));
  }
}

void SortMerge::State::End(OperatorMemory* memory, std::vector<HeldChunks> held) {
  core::Signal complete;
  {
    auto locked = inner_.Lock();
    locked->held[memory] = std::move(held);
    if (--locked->running > 0) {
      return;
    }
    MakeWork(*locked);
    complete = locked->complete;
  }
  complete.Fire();
}

// Inputs in the order of the tasks, of each task the runs before what is in memory.
void SortMerge::State::MakeWork(Inner& locked) const {
  std::vector<std::vector<MergeInput>> by_task(locked.runs.size());
  for (size_t task = 0; task < by_task.size(); ++task) {
    for (SortedRun& run : locked.runs[task]) {
      by_task[task].push_back({.chunk = nullptr, .run = std::move(run)});
    }
  }
  for (auto& [memory, held] : locked.held) {
    for (HeldChunks& of_task : held) {
      for (ChunkPtr& chunk : of_task.chunks) {
        by_task[static_cast<size_t>(of_task.task)].push_back(
            {.chunk = std::move(chunk), .run = {}});
      }
    }
  }
  locked.runs.clear();
  locked.held.clear();
  std::vector<MergeInput> inputs;
  for (auto& of_task : by_task) {
    std::move(of_task.begin(), of_task.end(), std::back_inserter(inputs));
  }
  for (KeyRange& range : CutRanges(inputs, options.range_count)) {
    Work& work = locked.work.emplace_back();
    for (const MergeInput& input : inputs) {
      MergeInput part = PartOf(input, range);
      if (part.chunk != nullptr || !part.run.blocks.empty()) {
        work.inputs.push_back(std::move(part));
      }
    }
    work.range = std::move(range);
  }
}

std::optional<core::Wait> SortMerge::State::Take(int64_t range, Work* work) {
  auto locked = inner_.Lock();
  if (locked->running > 0) {
    return locked->complete.wait();
  }
  *work = std::move(locked->work[static_cast<size_t>(range)]);
  return std::nullopt;
}

arrow::Result<std::unique_ptr<SortMerge>> SortMerge::Make(SortOptions options,
                                                          int64_t task_count) {
  auto state = std::make_shared<State>();
  std::vector<KeyColumn> columns;
  for (const SortKey& key : options.keys) {
    state->rows.key_columns.push_back(key.column);
    columns.push_back({.type = options.schema->field(key.column)->type(),
                       .descending = key.descending,
                       .nulls_first = key.nulls_first});
  }
  ARROW_ASSIGN_OR_RAISE(state->rows.encoder, KeyEncoder::Make(columns));
  state->rows.schema = options.schema;
  state->rows.stored_schema = StoredSchema(*options.schema);
  ARROW_ASSIGN_OR_RAISE(state->rows.decoder,
                        block::IpcDecoder::Make(state->rows.stored_schema, {}));
  if (options.limit >= 0) {
    options.range_count = 1;
    columns.resize(std::min<size_t>(columns.size(), 1));
    ARROW_ASSIGN_OR_RAISE(auto first, KeyEncoder::Make(std::move(columns)));
    state->cut_off = std::make_shared<CutOff>(state->rows.encoder, std::move(first));
  }
  options.range_count = std::max<int64_t>(options.range_count, 1);
  state->options = std::move(options);
  {
    auto locked = state->inner_.Lock();
    locked->runs.resize(static_cast<size_t>(task_count));
    locked->running = task_count;
    if (task_count == 0) {
      state->MakeWork(*locked);
    }
  }
  return std::unique_ptr<SortMerge>(new SortMerge(std::move(state)));
}

SortMerge::SortMerge(std::shared_ptr<State> state) : state_(std::move(state)) {}
SortMerge::~SortMerge() = default;

OperatorMemoryOptions SortMerge::SinkMemory(int driver) {
  return {.name = "sort",
          .minimum_bytes = kSinkBytes,
          .workspace_bytes = kSinkWorkspaceBytes,
          .driver = driver,
          .can_spill = true};
}

OperatorMemoryOptions SortMerge::SourceMemory(int driver) {
  return {.name = "sort merge",
          .minimum_bytes = kSourceBytes,
          .workspace_bytes = 0,
          .driver = driver,
          .can_spill = false};
}

std::unique_ptr<Sink> SortMerge::MakeSink(int64_t task, OperatorMemory* memory,
                                          const TaskContext* task_context) {
  return MakeSortSink(state_, task, memory, task_context);
}

int64_t SortMerge::range_count() const {
  return state_->options.range_count;
}

std::unique_ptr<Source> SortMerge::MakeSource(int64_t range, OperatorMemory* memory,
                                              const TaskContext* task_context) {
  return MakeSortSource(state_, range, memory, task_context);
}

std::shared_ptr<const CutOff> SortMerge::cut_off() const {
  return state_->cut_off;
}

}  // namespace wheelpit::exec
