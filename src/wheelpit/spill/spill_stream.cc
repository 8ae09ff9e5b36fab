// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/spill/spill_stream.h"

#include <deque>
#include <utility>

#include <arrow/buffer.h>
#include <arrow/record_batch.h>

#include "wheelpit/core/error.h"
#include "wheelpit/core/guarded.h"

namespace wheelpit::spill {

namespace {

using arrow::Buffer;
using arrow::Result;
using arrow::Status;
using core::Signal;
using core::Wait;

// A signal that exists only while somebody waits for it.
class Bell {
 public:
  Wait wait() {
    if (!signal_) {
      signal_.emplace();
    }
    return signal_->wait();
  }
  std::optional<Signal> Take() { return std::exchange(signal_, std::nullopt); }

 private:
  std::optional<Signal> signal_;
};

// Outside of locks: callbacks run in here.
void Ring(const std::optional<Signal>& signal) {
  if (signal) {
    signal->Fire();
  }
}

Status GroupClosed() {
  return core::Error(core::ErrorKind::kCancelled, "the query has ended");
}

}  // namespace

struct SpillWriter::State {
  struct Inner {
    std::deque<std::shared_ptr<Buffer>> queue;  // the first is being written
    int64_t queued_bytes = 0;
    Status error;
    std::vector<SpillExtent> extents;
    Bell room;     // queued_bytes is within its bound again
    Bell written;  // the queue is empty
  };

  explicit State(const SpillStreamOptions& stream) : options(stream) {}

  const SpillStreamOptions options;
  core::Guarded<Inner> inner;

  static void Start(const std::shared_ptr<State>& state) {
    const bool started = state->options.io->Spawn([state] {
      if (state->WriteFirst()) {
        Start(state);
      }
      return Status::OK();
    });
    if (!started) {
      state->End(GroupClosed());
    }
  }

  // Whether another write is to follow.
  bool WriteFirst() {
    std::shared_ptr<Buffer> block;
    {
      auto locked = inner.Lock();
      if (locked->queue.empty()) {
        return false;  // abandoned meanwhile
      }
      block = locked->queue.front();
    }
    auto extent = options.space->Write(
        options.operator_id, {block->data(), static_cast<size_t>(block->size())},
        options.metrics);
    if (!extent.ok()) {
      End(extent.status());
      return false;
    }
    std::optional<Signal> room;
    std::optional<Signal> written;
    bool again = false;
    {
      auto locked = inner.Lock();
      if (locked->queue.empty()) {
        return false;  // abandoned meanwhile
      }
      locked->extents.push_back(std::move(extent).ValueUnsafe());
      locked->queue.pop_front();
      locked->queued_bytes -= block->size();
      block = nullptr;
      if (locked->queued_bytes <= options.buffered_bytes_max) {
        room = locked->room.Take();
      }
      again = !locked->queue.empty();
      if (!again) {
        written = locked->written.Take();
      }
    }
    Ring(room);
    Ring(written);
    return again;
  }

  // No more writes; whoever waits finds the error.
  void End(const Status& error) {
    std::optional<Signal> room;
    std::optional<Signal> written;
    {
      auto locked = inner.Lock();
      locked->queue.clear();
      locked->queued_bytes = 0;
      locked->extents.clear();
      if (locked->error.ok()) {
        locked->error = error;
      }
      room = locked->room.Take();
      written = locked->written.Take();
    }
    Ring(room);
    Ring(written);
  }
};

SpillWriter::SpillWriter(SpillStreamOptions options,
                         std::shared_ptr<arrow::Schema> schema)
    : options_(std::move(options)),
      schema_(std::move(schema)),
      state_(std::make_shared<State>(options_)) {}

SpillWriter::~SpillWriter() {
  state_->End(core::Error(core::ErrorKind::kCancelled, "the writer was dropped"));
}

Result<std::optional<Wait>> SpillWriter::Append(const arrow::RecordBatch& batch) {
  ARROW_ASSIGN_OR_RAISE(auto block,
                        block::EncodeIpc(batch, options_.encode, options_.pool));
  std::optional<Wait> wait;
  bool idle = false;
  {
    auto locked = state_->inner.Lock();
    ARROW_RETURN_NOT_OK(locked->error);
    idle = locked->queue.empty();
    locked->queued_bytes += block->size();
    locked->queue.push_back(std::move(block));
    if (locked->queued_bytes > options_.buffered_bytes_max) {
      wait = locked->room.wait();
    }
  }
  row_count_ += batch.num_rows();
  if (idle) {
    State::Start(state_);
  }
  return wait;
}

Wait SpillWriter::written() const {
  auto locked = state_->inner.Lock();
  return locked->queue.empty() ? Wait() : locked->written.wait();
}

Result<SpillRun> SpillWriter::Finish() {
  auto locked = state_->inner.Lock();
  ARROW_RETURN_NOT_OK(locked->error);
  WHEELPIT_CHECK(locked->queue.empty(), "Finish before written() was ready");
  return SpillRun{.schema = schema_,
                  .extents = std::exchange(locked->extents, {}),
                  .row_count = std::exchange(row_count_, 0)};
}

struct SpillReader::State {
  struct Inner {
    std::deque<SpillExtent> unread;
    std::deque<std::shared_ptr<Buffer>> blocks;
    int64_t buffered_bytes = 0;
    bool reading = false;
    Status error;
    Bell progress;
  };

  explicit State(const SpillStreamOptions& stream) : options(stream) {}

  const SpillStreamOptions options;
  core::Guarded<Inner> inner;

  // Whether a task is to be started now; the caller starts it, outside the lock.
  bool Claim(Inner& locked) const {
    if (locked.reading || locked.unread.empty() ||
        locked.buffered_bytes > options.buffered_bytes_max) {
      return false;
    }
    locked.reading = true;
    return true;
  }

  static void Start(const std::shared_ptr<State>& state) {
    const bool started = state->options.io->Spawn([state] {
      if (state->ReadFirst()) {
        Start(state);
      }
      return Status::OK();
    });
    if (!started) {
      state->End(GroupClosed());
    }
  }

  // Whether another read is to follow.
  bool ReadFirst() {
    std::optional<SpillExtent> extent;
    {
      auto locked = inner.Lock();
      if (locked->unread.empty()) {
        return false;  // abandoned meanwhile
      }
      extent = std::move(locked->unread.front());
      locked->unread.pop_front();
    }
    auto block = extent->Read(options.pool);
    extent.reset();
    if (!block.ok()) {
      End(block.status());
      return false;
    }
    std::optional<Signal> progress;
    bool again = false;
    {
      auto locked = inner.Lock();
      if (!locked->error.ok()) {
        return false;  // abandoned meanwhile
      }
      locked->buffered_bytes += (*block)->size();
      locked->blocks.push_back(std::move(block).ValueUnsafe());
      locked->reading = false;
      again = Claim(*locked);
      progress = locked->progress.Take();
    }
    Ring(progress);
    return again;
  }

  void End(const Status& error) {
    std::optional<Signal> progress;
    {
      auto locked = inner.Lock();
      locked->unread.clear();
      locked->blocks.clear();
      locked->reading = false;
      if (locked->error.ok()) {
        locked->error = error;
      }
      progress = locked->progress.Take();
    }
    Ring(progress);
  }
};

Result<std::unique_ptr<SpillReader>> SpillReader::Make(SpillStreamOptions options,
                                                       SpillRun run) {
  ARROW_ASSIGN_OR_RAISE(auto decoder, block::IpcDecoder::Make(run.schema, {}));
  return std::unique_ptr<SpillReader>(
      new SpillReader(options, std::move(decoder), std::move(run)));
}

SpillReader::SpillReader(const SpillStreamOptions& options,
                         std::unique_ptr<block::IpcDecoder> decoder, SpillRun run)
    : options_(options),
      decoder_(std::move(decoder)),
      state_(std::make_shared<State>(options)) {
  auto locked = state_->inner.Lock();
  for (SpillExtent& extent : run.extents) {
    locked->unread.push_back(std::move(extent));
  }
}

SpillReader::~SpillReader() {
  state_->End(core::Error(core::ErrorKind::kCancelled, "the reader was dropped"));
}

Result<SpillReader::Step> SpillReader::Next() {
  Step step;
  std::shared_ptr<Buffer> block;
  bool start = false;
  {
    auto locked = state_->inner.Lock();
    ARROW_RETURN_NOT_OK(locked->error);
    if (!locked->blocks.empty()) {
      block = std::move(locked->blocks.front());
      locked->blocks.pop_front();
      locked->buffered_bytes -= block->size();
    } else if (locked->reading || !locked->unread.empty()) {
      step.wait = locked->progress.wait();
    }
    start = state_->Claim(*locked);
  }
  if (start) {
    State::Start(state_);
  }
  if (block != nullptr) {
    ARROW_ASSIGN_OR_RAISE(step.batch, decoder_->Decode(std::move(block), options_.pool));
  }
  return step;
}

}  // namespace wheelpit::spill
