// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/exec/grouped_aggregate.h"

#include <utility>

#include <arrow/type.h>

#include "wheelpit/core/error.h"
#include "wheelpit/exec/grouped_aggregate_state.h"

namespace wheelpit::exec {

arrow::Result<std::unique_ptr<GroupedAggregate>> GroupedAggregate::Make(
    GroupedAggregateOptions options, int64_t task_count) {
  auto state = std::make_shared<State>();
  const EvaluatorOptions evaluator{.pool = options.task.context.pool,
                                   .time_zone = options.time_zone};
  std::vector<KeyColumn> columns;
  for (const auto& key : options.keys) {
    columns.push_back({.type = key->type});
  }
  ARROW_ASSIGN_OR_RAISE(state->encoder, KeyEncoder::Make(std::move(columns)));
  ARROW_ASSIGN_OR_RAISE(state->keys,
                        Evaluator::Make(options.keys, *options.input, evaluator));
  ARROW_ASSIGN_OR_RAISE(state->layout, GroupLayout::Make(options.aggregates));
  ARROW_ASSIGN_OR_RAISE(state->arguments,
                        GroupArguments::Make(options.aggregates, *state->layout,
                                             *options.input, evaluator));
  {
    auto inner = state->inner.Lock();
    inner->tasks_left = task_count;
    inner->pending.resize(static_cast<size_t>(kPartitionCount));
    if (task_count == 0) {
      inner->complete.Fire();
    }
  }
  state->options = std::move(options);
  return std::unique_ptr<GroupedAggregate>(new GroupedAggregate(std::move(state)));
}

GroupedAggregate::GroupedAggregate(std::shared_ptr<State> state)
    : state_(std::move(state)) {}
GroupedAggregate::~GroupedAggregate() = default;

OperatorMemoryOptions GroupedAggregate::SinkMemory(int driver) {
  return {.name = "groups",
          .minimum_bytes = kMinimumBytes,
          .workspace_bytes = kWorkspaceBytes,
          .driver = driver,
          .can_spill = true};
}

OperatorMemoryOptions GroupedAggregate::SourceMemory(int driver) {
  OperatorMemoryOptions options = SinkMemory(driver);
  options.name = "merged groups";
  return options;
}

std::unique_ptr<Sink> GroupedAggregate::MakeSink(int64_t /*task*/,
                                                 OperatorMemory* memory) {
  return MakeGroupSink(state_, memory);
}

int64_t GroupedAggregate::partition_count() const {
  return kPartitionCount;
}

std::unique_ptr<Source> GroupedAggregate::MakeSource(int64_t partition,
                                                     OperatorMemory* memory) {
  return MakeGroupSource(state_, partition, memory);
}

std::unique_ptr<GroupedAggregate::State::Filled> GroupedAggregate::State::Take(
    OperatorMemory* memory) {
  std::unique_ptr<Filled> filled;
  {
    auto locked = inner.Lock();
    const auto found = locked->filled.find(memory);
    if (found != locked->filled.end()) {
      filled = std::move(found->second);
      locked->filled.erase(found);
    }
  }
  if (filled == nullptr) {
    filled = std::make_unique<Filled>();
    filled->table = std::make_unique<GroupTable>(
        GroupTableOptions{.layout = layout.get(), .pool = &memory->budget()});
  }
  return filled;
}

void GroupedAggregate::State::End(OperatorMemory* memory,
                                  std::unique_ptr<Filled> filled) {
  core::Signal complete;
  {
    auto locked = inner.Lock();
    locked->filled[memory] = std::move(filled);
    if (--locked->tasks_left > 0) {
      return;
    }
    int64_t bytes = 0;
    for (auto& [of, each] : locked->filled) {
      for (int64_t i = 0; i < kPartitionCount; ++i) {
        GroupPart& part = locked->pending[static_cast<size_t>(i)].part;
        part.Append(each->table->TakePart(i));
        part.Append(std::move(each->spilled[static_cast<size_t>(i)]));
        part.level = 1;
      }
    }
    for (const Pending& pending : locked->pending) {
      bytes += pending.part.bytes();
    }
    pending_bytes = bytes;
    locked->filled.clear();
    complete = locked->complete;
  }
  complete.Fire();
}

arrow::Result<std::optional<core::Wait>> GroupedAggregate::State::TakePending(
    int64_t partition, GroupPart* part) {
  auto locked = inner.Lock();
  if (!locked->complete.fired()) {
    // Also before the last task has fired it, outside of the lock.
    return locked->complete.wait();
  }
  Pending& pending = locked->pending[static_cast<size_t>(partition)];
  if (pending.lent.has_value()) {
    return pending.lent->wait();
  }
  if (pending.lost) {
    return core::Error(core::ErrorKind::kCancelled, "the query has ended");
  }
  pending.taken = true;
  pending_bytes -= pending.part.bytes();
  *part = std::exchange(pending.part, GroupPart());
  return std::nullopt;
}

bool GroupedAggregate::State::LendPending(int64_t* partition, GroupPart* part) {
  auto locked = inner.Lock();
  // Those of which something is on disk first.
  const auto worth = [](const Pending& pending) {
    const int64_t bytes = pending.part.bytes();
    return std::pair(!pending.part.runs.empty() && bytes > 0, bytes);
  };
  size_t largest = 0;
  for (size_t i = 1; i < locked->pending.size(); ++i) {
    if (worth(locked->pending[i]) > worth(locked->pending[largest])) {
      largest = i;
    }
  }
  Pending& pending = locked->pending[largest];
  if (pending.part.bytes() == 0) {
    return false;
  }
  pending.lent.emplace();
  pending_bytes -= pending.part.bytes();
  *part = std::exchange(pending.part, GroupPart());
  *partition = static_cast<int64_t>(largest);
  return true;
}

void GroupedAggregate::State::ReturnPending(int64_t partition,
                                            std::optional<GroupPart> part) {
  std::optional<core::Signal> lent;
  {
    auto locked = inner.Lock();
    Pending& pending = locked->pending[static_cast<size_t>(partition)];
    if (part.has_value()) {
      pending.part = *std::move(part);
    } else {
      pending.lost = true;
    }
    lent = std::exchange(pending.lent, std::nullopt);
  }
  lent->Fire();
}

arrow::Result<bool> ReserveForGroups(OperatorMemory* memory, int64_t bytes,
                                     int64_t group_bytes, core::Wait* wait) {
  auto reserved = memory->budget().Reserve(bytes, wait);
  if (reserved.ok() || group_bytes < kGroupBytesMax) {
    return reserved;
  }
  return reserved.status().WithMessage("a group of ", group_bytes, " bytes needs ", bytes,
                                       " bytes of memory: ", reserved.status().message());
}

void GrowWhereThereIsRoom(GroupTable* table, OperatorMemory* memory) {
  const int64_t bytes = table->growth_bytes();
  if (bytes > 0 && memory->budget().TryCountExternal(bytes)) {
    memory->budget().UncountExternal(bytes);
    // When somebody was quicker it goes on as it is.
    (void)table->Grow();
  }
}

}  // namespace wheelpit::exec
