// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/exec/sort/block_reader.h"

#include <utility>

#include <arrow/buffer.h>

#include "wheelpit/core/error.h"
#include "wheelpit/core/guarded.h"

namespace wheelpit::exec {

struct BlockReader::State {
  struct Inner {
    std::vector<SortedBlock> blocks;
    size_t next = 0;  // to be read
    bool reading = false;
    bool dropped = false;
    std::shared_ptr<arrow::Buffer> read;
    arrow::Status error;
    core::Signal progress;
  };

  core::TaskGroup* io = nullptr;
  arrow::MemoryPool* pool = nullptr;
  bool ahead = false;
  core::Guarded<Inner> inner;

  // Takes the next extent; null when there is none, or a read is under way.
  static std::shared_ptr<const spill::SpillExtent> Claim(Inner& locked) {
    if (locked.reading || locked.next == locked.blocks.size()) {
      return nullptr;
    }
    locked.reading = true;
    locked.progress = core::Signal();
    return std::move(locked.blocks[locked.next++].extent);
  }

  static void Start(const std::shared_ptr<State>& state,
                    std::shared_ptr<const spill::SpillExtent> extent) {
    const bool started = state->io->Spawn([state, extent = std::move(extent)]() mutable {
      auto block = extent->Read(state->pool);
      extent.reset();
      state->End(std::move(block));
      return arrow::Status::OK();
    });
    if (!started) {
      state->End(core::Error(core::ErrorKind::kCancelled, "the query has ended"));
    }
  }

  void End(arrow::Result<std::shared_ptr<arrow::Buffer>> block) {
    core::Signal progress;
    {
      auto locked = inner.Lock();
      locked->reading = false;
      if (!block.ok()) {
        locked->error = block.status();
      } else if (!locked->dropped) {
        locked->read = *std::move(block);
      }
      progress = locked->progress;
    }
    progress.Fire();
  }
};

BlockReader::BlockReader(std::vector<SortedBlock> blocks, core::TaskGroup* io,
                         arrow::MemoryPool* pool, bool ahead)
    : state_(std::make_shared<State>()) {
  state_->io = io;
  state_->pool = pool;
  state_->ahead = ahead;
  state_->inner.Lock()->blocks = std::move(blocks);
}

BlockReader::~BlockReader() {
  auto locked = state_->inner.Lock();
  locked->dropped = true;
  locked->read = nullptr;
  locked->blocks.clear();
  locked->next = 0;
}

arrow::Result<BlockReader::Step> BlockReader::Next() {
  Step step;
  std::shared_ptr<const spill::SpillExtent> extent;
  {
    auto locked = state_->inner.Lock();
    ARROW_RETURN_NOT_OK(locked->error);
    step.block = std::exchange(locked->read, nullptr);
    if (step.block == nullptr || state_->ahead) {
      extent = State::Claim(*locked);
    }
    if (step.block == nullptr && (locked->reading || extent != nullptr)) {
      step.wait = locked->progress.wait();
    }
  }
  if (extent != nullptr) {
    State::Start(state_, std::move(extent));
  }
  return step;
}

}  // namespace wheelpit::exec
