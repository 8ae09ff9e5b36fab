// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/exec/write/file_write.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <optional>
#include <string_view>
#include <utility>

#include <arrow/array/builder_primitive.h>
#include <arrow/buffer.h>
#include <arrow/memory_pool.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "wheelpit/core/bad_alloc.h"
#include "wheelpit/core/byte_size.h"
#include "wheelpit/core/error.h"
#include "wheelpit/core/guarded.h"
#include "wheelpit/exec/write/format_writer.h"
#include "wheelpit/fs/local/local_output_file.h"

namespace wheelpit::exec {

namespace {

using MaybeWait = std::optional<core::Wait>;

constexpr int64_t kMiB = int64_t{1} << 20;
constexpr int64_t kSinkBytes = 8 * kMiB;
constexpr int64_t kBlockBytes = kMiB / 4;
// Beyond this no row is encoded until something was written.
constexpr int64_t kQueueBytes = 2 * kMiB;
// Of a row group: with the queue and what a slice of rows takes it is the whole.
constexpr int64_t kWriterBytes = 5 * kMiB;

}  // namespace

struct FileWrite::State {
  struct Inner {
    std::deque<std::shared_ptr<arrow::Buffer>> blocks;
    int64_t queued_bytes = 0;
    bool task_running = false;  // an I/O thread has the file
    bool complete = false;      // nothing more comes: commit
    bool dropped = false;       // nobody wants the file any more
    arrow::Status failure;      // of the file
    std::optional<core::Signal> room;
    int64_t rows = 0;
    int64_t bytes = 0;
  };

  FileWriteOptions options;
  core::Signal done;  // committed or failed
  core::Guarded<Inner> inner;
  // Of the I/O task that runs; there is one at most.
  std::unique_ptr<fs::LocalOutputFile> file;
  bool opened = false;

  /// Starts an I/O task where there is something to do and none runs.
  static void Kick(const std::shared_ptr<State>& state, const TaskContext* context) {
    {
      auto locked = state->inner.Lock();
      if (locked->task_running) {
        return;
      }
      locked->task_running = true;
    }
    // What it finds out is kept here: a task that failed would stop others of the query.
    auto work = [state, stop = context->context.stop] {
      state->Run(stop);
      return arrow::Status::OK();
    };
    if (!context->io_tasks->Spawn(work)) {
      // The query is being taken down: the file is let go all the same.
      state->inner.Lock()->dropped = true;
      context->context.io->Submit([work] { static_cast<void>(work()); });
    }
  }

 private:
  // On an I/O thread: until there is nothing to do.
  void Run(const arrow::StopToken& stop) {
    while (true) {
      std::shared_ptr<arrow::Buffer> block;
      std::optional<core::Signal> room;
      bool commit = false;
      {
        auto locked = inner.Lock();
        if (locked->dropped || !locked->failure.ok()) {
          End(locked, {});
          return;
        }
        if (opened && locked->blocks.empty()) {
          if (!locked->complete) {
            locked->task_running = false;
            return;
          }
          commit = true;
        } else if (opened) {
          block = std::move(locked->blocks.front());
          locked->blocks.pop_front();
        }
      }
      const auto status = core::CatchBadAlloc([&] { return Step(block, commit, stop); });
      auto locked = inner.Lock();
      if (block != nullptr) {
        locked->queued_bytes -= block->size();
        room.swap(locked->room);
      }
      if (!status.ok() || commit) {
        End(locked, status);
        return;
      }
      locked.Unlock();
      block = nullptr;
      if (room.has_value()) {
        room->Fire();
      }
    }
  }

  arrow::Status Step(const std::shared_ptr<arrow::Buffer>& block, bool commit,
                     const arrow::StopToken& stop) {
    if (stop.IsStopRequested()) {
      return core::Error(core::ErrorKind::kCancelled, "the query was cancelled");
    }
    if (!opened) {
      auto made = fs::LocalOutputFile::Make(*options.syscalls, options.path);
      ARROW_RETURN_NOT_OK(plan::WithRange(made.status(), options.path_range));
      file = *std::move(made);
      opened = true;
      return arrow::Status::OK();
    }
    return commit ? file->Commit() : file->Append(std::string_view(*block));
  }

  // The file is let go of, here, where that may block; everybody who waits is woken.
  void End(core::Guarded<Inner>::Locked& locked, const arrow::Status& status) {
    if (locked->failure.ok()) {
      locked->failure = status;
    }
    locked->bytes = file == nullptr ? 0 : file->size_bytes();
    std::deque<std::shared_ptr<arrow::Buffer>> blocks;
    blocks.swap(locked->blocks);
    locked->queued_bytes = 0;
    locked->task_running = false;
    std::optional<core::Signal> room;
    room.swap(locked->room);
    locked.Unlock();
    file = nullptr;
    blocks.clear();
    if (room.has_value()) {
      room->Fire();
    }
    done.Fire();
  }
};

namespace {

class FileSink final : public Sink, private ByteSink {
 public:
  FileSink(std::shared_ptr<FileWrite::State> state, OperatorMemory* memory,
           const TaskContext* context)
      : state_(std::move(state)), memory_(memory), context_(context) {
    FileWrite::State::Kick(state_, context_);
  }

  ~FileSink() override {
    writer_ = nullptr;
    block_ = nullptr;
    if (!finished_) {
      state_->inner.Lock()->dropped = true;
      FileWrite::State::Kick(state_, context_);
    }
  }

  arrow::Result<MaybeWait> AtBoundary(bool /*input_ended*/) override {
    if (memory_->asked_bytes() > 0) {
      memory_->Answer();
    }
    return GoOn();
  }

  arrow::Result<MaybeWait> Push(std::shared_ptr<arrow::RecordBatch> batch) override {
    batch_ = std::move(batch);
    next_row_ = 0;
    return GoOn();
  }

  arrow::Status Finish() override {
    ARROW_RETURN_NOT_OK(Begin());
    ARROW_RETURN_NOT_OK(writer_->Finish());
    writer_ = nullptr;
    ARROW_RETURN_NOT_OK(PassBlock());
    {
      auto locked = state_->inner.Lock();
      ARROW_RETURN_NOT_OK(locked->failure);
      locked->complete = true;
      locked->rows = rows_;
    }
    finished_ = true;
    FileWrite::State::Kick(state_, context_);
    return arrow::Status::OK();
  }

 private:
  // Encodes a part of what is there; a wait when the disk has enough to do, one that is
  // over when there is more to encode.
  arrow::Result<MaybeWait> GoOn() {
    {
      auto locked = state_->inner.Lock();
      ARROW_RETURN_NOT_OK(locked->failure);
      if (locked->queued_bytes > kQueueBytes) {
        if (!locked->room.has_value()) {
          locked->room.emplace();
        }
        return locked->room->wait();
      }
    }
    if (batch_ == nullptr) {
      return std::nullopt;
    }
    ARROW_RETURN_NOT_OK(Begin());
    constexpr int64_t kSliceRows = 8192;
    const int64_t rows =
        std::min({kSliceRows, RowsOf(*batch_, kMiB / 2), batch_->num_rows() - next_row_});
    ARROW_RETURN_NOT_OK(Explained(writer_->Write(*batch_->Slice(next_row_, rows))));
    rows_ += rows;
    next_row_ += rows;
    if (next_row_ == batch_->num_rows()) {
      batch_ = nullptr;
      return std::nullopt;
    }
    return core::Wait();
  }

  arrow::Status Begin() {
    if (writer_ != nullptr) {
      return arrow::Status::OK();
    }
    const FileWriteOptions& options = state_->options;
    ARROW_ASSIGN_OR_RAISE(
        writer_, MakeFormatWriter(options.schema,
                                  {.format = options.format,
                                   .arrow_stream = false,
                                   .time_zone = options.time_zone,
                                   .pool = &memory_->budget(),
                                   .memory_bytes = kWriterBytes + options.more_bytes},
                                  this));
    return writer_->Begin();
  }

  arrow::Status Explained(const arrow::Status& status) const {
    if (core::KindOf(status) != core::ErrorKind::kMemoryLimit) {
      return status;
    }
    const int64_t row_bytes = RowBytesOf(*batch_);
    return core::WithContext(status, "writing rows of " +
                                         core::FormatByteSize(row_bytes) + " to '" +
                                         state_->options.path + "'");
  }

  // What the writer gives: gathered into blocks.
  arrow::Status Write(std::string_view bytes) override {
    while (!bytes.empty()) {
      if (block_ == nullptr) {
        ARROW_ASSIGN_OR_RAISE(
            block_, arrow::AllocateResizableBuffer(kBlockBytes, &memory_->budget()));
        filled_ = 0;
      }
      const auto part = static_cast<size_t>(
          std::min(kBlockBytes - filled_, static_cast<int64_t>(bytes.size())));
      std::memcpy(block_->mutable_data() + filled_, bytes.data(), part);
      filled_ += static_cast<int64_t>(part);
      bytes.remove_prefix(part);
      if (filled_ == kBlockBytes) {
        ARROW_RETURN_NOT_OK(PassBlock());
      }
    }
    return arrow::Status::OK();
  }

  arrow::Status PassBlock() {
    if (block_ == nullptr) {
      return arrow::Status::OK();
    }
    ARROW_RETURN_NOT_OK(block_->Resize(filled_, /*shrink_to_fit=*/false));
    {
      auto locked = state_->inner.Lock();
      ARROW_RETURN_NOT_OK(locked->failure);
      locked->queued_bytes += filled_;
      locked->blocks.push_back(std::move(block_));
    }
    block_ = nullptr;
    FileWrite::State::Kick(state_, context_);
    return arrow::Status::OK();
  }

  const std::shared_ptr<FileWrite::State> state_;
  OperatorMemory* const memory_;
  const TaskContext* const context_;
  std::unique_ptr<FormatWriter> writer_;
  std::shared_ptr<arrow::RecordBatch> batch_;  // being encoded
  int64_t next_row_ = 0;
  std::shared_ptr<arrow::ResizableBuffer> block_;
  int64_t filled_ = 0;
  int64_t rows_ = 0;
  bool finished_ = false;
};

class FileWriteSource final : public Source {
 public:
  FileWriteSource(std::shared_ptr<FileWrite::State> state, arrow::MemoryPool* pool)
      : state_(std::move(state)), pool_(pool) {}

  arrow::Result<Step> Next() override {
    if (given_) {
      return Step::End();
    }
    if (const core::Wait done = state_->done.wait(); !done.ready()) {
      return Step::Waiting(done);
    }
    given_ = true;
    int64_t rows = 0;
    int64_t bytes = 0;
    {
      auto locked = state_->inner.Lock();
      ARROW_RETURN_NOT_OK(locked->failure);
      if (locked->dropped) {
        return core::Error(core::ErrorKind::kCancelled, "the query was cancelled");
      }
      rows = locked->rows;
      bytes = locked->bytes;
    }
    arrow::ArrayVector columns;
    for (const int64_t value : {rows, bytes}) {
      arrow::Int64Builder builder(pool_);
      ARROW_RETURN_NOT_OK(builder.Append(value));
      ARROW_ASSIGN_OR_RAISE(columns.emplace_back(), builder.Finish());
    }
    return Step::Batch(
        arrow::RecordBatch::Make(FileWrite::ResultSchema(), 1, std::move(columns)));
  }

 private:
  const std::shared_ptr<FileWrite::State> state_;
  arrow::MemoryPool* const pool_;
  bool given_ = false;
};

}  // namespace

arrow::Result<std::unique_ptr<FileWrite>> FileWrite::Make(FileWriteOptions options) {
  class Nowhere final : public ByteSink {
    arrow::Status Write(std::string_view) override { return arrow::Status::OK(); }
  } nowhere;
  // Only to see whether there can be one.
  ARROW_RETURN_NOT_OK(MakeFormatWriter(options.schema,
                                       {.format = options.format,
                                        .time_zone = options.time_zone,
                                        .pool = arrow::system_memory_pool()},
                                       &nowhere));
  auto state = std::make_shared<State>();
  state->options = std::move(options);
  return std::unique_ptr<FileWrite>(new FileWrite(std::move(state)));
}

FileWrite::FileWrite(std::shared_ptr<State> state) : state_(std::move(state)) {}
FileWrite::~FileWrite() = default;

OperatorMemoryOptions FileWrite::SinkMemory(int driver) {
  return {.name = "file write",
          .minimum_bytes = kSinkBytes,
          .workspace_bytes = 0,
          .driver = driver,
          .can_spill = false};
}

int64_t FileWrite::MoreBytes(const plan::FileFormat& format) {
  return format.kind == plan::FileFormatKind::kParquet ? format.row_group_bytes : 0;
}

std::unique_ptr<Sink> FileWrite::MakeSink(OperatorMemory* memory,
                                          const TaskContext* task_context) {
  return std::make_unique<FileSink>(state_, memory, task_context);
}

std::unique_ptr<Source> FileWrite::MakeSource(arrow::MemoryPool* pool) {
  return std::make_unique<FileWriteSource>(state_, pool);
}

std::shared_ptr<arrow::Schema> FileWrite::ResultSchema() {
  return arrow::schema({arrow::field("rows", arrow::int64(), /*nullable=*/false),
                        arrow::field("bytes", arrow::int64(), /*nullable=*/false)});
}

}  // namespace wheelpit::exec
