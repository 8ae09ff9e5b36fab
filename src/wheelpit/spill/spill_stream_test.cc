// SPDX-License-Identifier: Apache-2.0
// Writers and readers under drivers' conditions: the calling thread must not block, one
// I/O thread has to do for all, and whatever fails or is dropped leaves nothing.
#include "wheelpit/spill/spill_stream.h"

#include <atomic>
#include <cerrno>
#include <random>

#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "wheelpit/core/error.h"
#include "wheelpit/spill/spill_fixture.h"

namespace wheelpit::spill {

namespace {

using arrow::Status;

std::shared_ptr<arrow::Schema> Numbers() {
  return arrow::schema({arrow::field("n", arrow::int64())});
}

// `rows` numbers from `first` on.
std::shared_ptr<arrow::RecordBatch> Batch(int64_t first, int64_t rows,
                                          arrow::MemoryPool* pool) {
  arrow::Int64Builder builder(pool);
  for (int64_t i = 0; i < rows; ++i) {
    EXPECT_TRUE(builder.Append(first + i).ok());
  }
  return arrow::RecordBatch::Make(Numbers(), rows, {builder.Finish().ValueOrDie()});
}

class SpillStreamTest : public SpillFixture {
 protected:
  SpillStreamTest() { Renew(64 * kMiB); }

  void Renew(int64_t limit_bytes) {
    io_tasks_.reset();
    space_ = MakeSpace(limit_bytes);
    io_tasks_ = std::make_unique<core::TaskGroup>(io_.get());
  }

  SpillStreamOptions Options(int64_t buffered_bytes_max = 64 << 10) {
    return {.space = space_.get(),
            .operator_id = 1,
            .io = io_tasks_.get(),
            .pool = pool(),
            .encode = {},
            .buffered_bytes_max = buffered_bytes_max};
  }

  // What a client thread does: blocks on every wait.
  arrow::Result<SpillRun> WriteAll(int64_t batches, int64_t rows) {
    SpillWriter writer(Options(), Numbers());
    for (int64_t i = 0; i < batches; ++i) {
      ARROW_ASSIGN_OR_RAISE(const auto wait,
                            writer.Append(*Batch(i * rows, rows, pool())));
      if (wait) {
        wait->Block();
      }
    }
    writer.written().Block();
    return writer.Finish();
  }

  // The rows, checked to be 0, 1, …
  arrow::Result<int64_t> ReadAll(SpillRun run, int64_t buffered_bytes_max = 64 << 10) {
    ARROW_ASSIGN_OR_RAISE(const auto reader,
                          SpillReader::Make(Options(buffered_bytes_max), std::move(run)));
    int64_t rows = 0;
    while (true) {
      ARROW_ASSIGN_OR_RAISE(const auto step, reader->Next());
      if (step.batch != nullptr) {
        const auto& values =
            static_cast<const arrow::Int64Array&>(*step.batch->column(0));
        for (int64_t i = 0; i < values.length(); ++i) {
          EXPECT_EQ(values.Value(i), rows++);
        }
      } else if (step.wait) {
        step.wait->Block();
      } else {
        return rows;
      }
    }
  }

  void ExpectNothingHeld() {
    EXPECT_EQ(quota_.used_bytes(), 0);
    EXPECT_EQ(pool_.bytes_allocated(), 0);
  }

  std::unique_ptr<SpillSpace> space_;
  std::unique_ptr<core::TaskGroup> io_tasks_;
};

TEST_F(SpillStreamTest, WriterCountsWhereItIsTold) {
  core::MetricSet of_task(&metrics_);
  SpillStreamOptions options = Options();
  options.metrics = &of_task;
  {
    SpillWriter writer(options, Numbers());
    ASSERT_TRUE(writer.Append(*Batch(0, 1000, pool())).ok());
    writer.written().Block();
    ASSERT_TRUE(writer.Finish().ok());
  }
  ASSERT_TRUE(WriteAll(1, 1000).ok());
  const int64_t bytes = of_task.Get(core::Metric::kSpillBytesWritten);
  EXPECT_GT(bytes, 0);
  EXPECT_EQ(of_task.Get(core::Metric::kSpillExtents), 1);
  EXPECT_EQ(metrics_.Get(core::Metric::kSpillExtents), 2);
  EXPECT_EQ(metrics_.Get(core::Metric::kSpillBytesWritten), 2 * bytes);
}

TEST_F(SpillStreamTest, RowsComeBackInOrder) {
  auto run = WriteAll(100, 1000);
  ASSERT_TRUE(run.ok()) << run.status();
  EXPECT_EQ(run->row_count, 100'000);
  EXPECT_EQ(run->extents.size(), 100u);
  const auto rows = ReadAll(std::move(*run));
  ASSERT_TRUE(rows.ok()) << rows.status();
  EXPECT_EQ(*rows, 100'000);
  ExpectNothingHeld();
}

TEST_F(SpillStreamTest, ARunOfNothingIsEmpty) {
  auto run = WriteAll(0, 0);
  ASSERT_TRUE(run.ok());
  EXPECT_EQ(*ReadAll(std::move(*run)), 0);
  EXPECT_EQ(syscalls_.count(), 0);
}

TEST_F(SpillStreamTest, ABoundBelowOneBlockStillMakesProgress) {
  auto run = WriteAll(20, 1000);
  ASSERT_TRUE(run.ok());
  EXPECT_EQ(*ReadAll(std::move(*run), 1), 20'000);
}

TEST_F(SpillStreamTest, ExtentsAreFreedAsTheyAreRead) {
  auto run = WriteAll(50, 1000).ValueOrDie();
  const int64_t all = space_->used_bytes();
  const auto reader = SpillReader::Make(Options(1), std::move(run)).ValueOrDie();
  int64_t batches = 0;
  while (batches < 25) {
    const auto step = reader->Next().ValueOrDie();
    if (step.wait) {
      step.wait->Block();
    }
    batches += step.batch != nullptr ? 1 : 0;
  }
  EXPECT_LE(space_->used_bytes(), all / 2 + all / 10);
}

// The I/O thread is held at its first write, or read, until Release.
class Gate final : public io::FaultSyscalls {
 public:
  using FaultSyscalls::FaultSyscalls;
  ssize_t Pwrite(int fd, const void* data, size_t size, int64_t offset) override {
    released_.wait().Block();
    return FaultSyscalls::Pwrite(fd, data, size, offset);
  }
  void Release() { released_.Fire(); }

 private:
  core::Signal released_;
};

TEST_F(SpillStreamTest, AWriterHoldsNoMoreThanItsBoundAndOneBlock) {
  Gate gate(&kernel_);
  directories_ = SpillDirectories::Make({temporary_[0]->path()}, &gate).ValueOrDie();
  Renew(64 * kMiB);
  {
    SpillWriter writer(Options(64 << 10), Numbers());
    const auto batch = Batch(0, 1000, pool());
    const int64_t held_before = pool_.bytes_allocated();
    std::optional<core::Wait> wait;
    int appended = 0;
    while (!wait) {
      wait = writer.Append(*batch).ValueOrDie();
      ASSERT_LT(++appended, 100);
    }
    EXPECT_LE(pool_.bytes_allocated() - held_before, (64 << 10) + 9000);
    EXPECT_GE(appended, 7);
    EXPECT_FALSE(wait->ready());
    gate.Release();
    wait->Block();
    writer.written().Block();
    EXPECT_EQ(writer.Finish()->extents.size(), static_cast<size_t>(appended));
  }
  io_tasks_.reset();
  space_.reset();
}

TEST_F(SpillStreamTest, AReaderReadsAheadUpToItsBoundAndOneBlock) {
  auto run = WriteAll(100, 1000).ValueOrDie();
  const auto reader = SpillReader::Make(Options(64 << 10), std::move(run)).ValueOrDie();
  ASSERT_TRUE(reader->Next().ok());
  io_tasks_->idle().Block();
  EXPECT_GT(pool_.bytes_allocated(), 56 << 10);
  EXPECT_LE(pool_.bytes_allocated(), (64 << 10) + 2 * 9000);
}

TEST_F(SpillStreamTest, AnyFailedCallIsOneErrorAndLeavesNothing) {
  using io::SyscallKind;
  for (const auto kind : {SyscallKind::kOpen, SyscallKind::kStatx, SyscallKind::kPwrite,
                          SyscallKind::kPread}) {
    const auto fault = io::SyscallFault{.kind = kind, .error_number = EIO};
    const int64_t met = SweepFaults(&syscalls_, fault, [&](int64_t n) {
      ForgetHealth();
      Renew(64 * kMiB);
      const Status status = [&] {
        ARROW_ASSIGN_OR_RAISE(auto run, WriteAll(5, 5000));
        ARROW_ASSIGN_OR_RAISE(const int64_t rows, ReadAll(std::move(run)));
        EXPECT_EQ(rows, 25'000);
        return Status::OK();
      }();
      // The third write of a file is its header, which nobody waits for.
      const bool harmless = kind == SyscallKind::kPwrite && n == 2;
      EXPECT_EQ(status.ok(), syscalls_.hits() == 0 || harmless) << status;
      EXPECT_TRUE(io_tasks_->Close().ok());
      ExpectNothingHeld();
    });
    EXPECT_GE(met, 1);
  }
}

TEST_F(SpillStreamTest, TheLimitIsAnErrorOfTheAppend) {
  Renew(100'000);
  const auto run = WriteAll(50, 1000);
  ASSERT_FALSE(run.ok());
  EXPECT_EQ(core::KindOf(run.status()), core::ErrorKind::kSpillLimit);
  EXPECT_TRUE(io_tasks_->Close().ok());
  ExpectNothingHeld();
  Renew(1'000'000);
  EXPECT_TRUE(WriteAll(50, 1000).ok());
}

TEST_F(SpillStreamTest, DroppingAWriterOrReaderMidwayLeavesNothing) {
  for (int batches = 0; batches < 20; ++batches) {
    Renew(64 * kMiB);
    {
      SpillWriter writer(Options(1 << 20), Numbers());
      for (int i = 0; i < batches; ++i) {
        ASSERT_TRUE(writer.Append(*Batch(0, 100, pool())).ok());
      }
    }
    auto run = WriteAll(20, 100).ValueOrDie();
    {
      const auto reader = SpillReader::Make(Options(), std::move(run)).ValueOrDie();
      for (int i = 0; i < batches; ++i) {
        ASSERT_TRUE(reader->Next().ok());
      }
    }
    EXPECT_TRUE(io_tasks_->Close().ok());
    ExpectNothingHeld();
  }
}

TEST_F(SpillStreamTest, AClosedGroupIsACancelledQuery) {
  EXPECT_TRUE(io_tasks_->Close().ok());
  const auto run = WriteAll(1, 100);
  ASSERT_FALSE(run.ok());
  EXPECT_EQ(core::KindOf(run.status()), core::ErrorKind::kCancelled);
}

// A driver: writes a run, reads it back, parks on every wait, and is gone on an error.
class Spiller : public std::enable_shared_from_this<Spiller> {
 public:
  Spiller(SpillStreamOptions options, uint64_t seed, core::Executor* compute,
          std::function<void(Status)> done)
      : options_(options),
        random_(seed),
        compute_(compute),
        done_(std::move(done)),
        writer_(std::make_unique<SpillWriter>(options, Numbers())),
        batches_(static_cast<int64_t>(random_() % 30)) {}

  void Run() {
    const auto parked = Step();
    if (!parked.ok() || !parked->has_value()) {
      writer_.reset();
      reader_.reset();
      auto done = std::move(done_);
      done(parked.status());
      return;
    }
    (*parked)->OnReady(
        [self = shared_from_this()] { self->compute_->Submit([self] { self->Run(); }); });
  }

 private:
  // The wait to park on; none at the end.
  arrow::Result<std::optional<core::Wait>> Step() {
    while (batch_ < batches_) {
      const auto rows = static_cast<int64_t>(random_() % 500);
      ++batch_;
      ARROW_ASSIGN_OR_RAISE(auto wait,
                            writer_->Append(*Batch(rows_, rows, options_.pool)));
      rows_ += rows;
      if (wait) {
        return wait;
      }
    }
    if (reader_ == nullptr) {
      if (!writer_->written().ready()) {
        return writer_->written();
      }
      ARROW_ASSIGN_OR_RAISE(auto run, writer_->Finish());
      ARROW_ASSIGN_OR_RAISE(reader_, SpillReader::Make(options_, std::move(run)));
    }
    while (true) {
      ARROW_ASSIGN_OR_RAISE(auto step, reader_->Next());
      if (step.wait) {
        return std::move(step.wait);
      }
      if (step.batch == nullptr) {
        return read_ == rows_ ? arrow::Result<std::optional<core::Wait>>(std::nullopt)
                              : Status::Invalid("rows were lost");
      }
      const auto& values = static_cast<const arrow::Int64Array&>(*step.batch->column(0));
      for (int64_t i = 0; i < values.length(); ++i) {
        if (values.Value(i) != read_++) {
          return Status::Invalid("rows out of order");
        }
      }
    }
  }

  const SpillStreamOptions options_;
  std::mt19937_64 random_;
  core::Executor* const compute_;
  std::function<void(Status)> done_;
  std::unique_ptr<SpillWriter> writer_;
  std::unique_ptr<SpillReader> reader_;
  const int64_t batches_;
  int64_t batch_ = 0;
  int64_t rows_ = 0;
  int64_t read_ = 0;
};

// Many drivers, few compute threads, one I/O thread, tiny buffers: every wake-up counts.
TEST_F(SpillStreamTest, ManyDriversOverOneIoThreadLoseNoRowAndNoWakeUp) {
  const auto compute = core::ThreadPool::Make({.thread_count = 3}).ValueOrDie();
  for (uint64_t round = 0; round < 10; ++round) {
    Renew(64 * kMiB);
    constexpr int kDrivers = 40;
    std::atomic<int> left{kDrivers};
    core::Signal all_done;
    for (uint64_t i = 0; i < kDrivers; ++i) {
      const auto spiller = std::make_shared<Spiller>(
          Options(static_cast<int64_t>(1 + i * 300)), round * kDrivers + i, compute.get(),
          [&](const Status& status) {
            EXPECT_TRUE(status.ok()) << status;
            if (--left == 0) {
              all_done.Fire();
            }
          });
      compute->Submit([spiller] { spiller->Run(); });
    }
    all_done.wait().Block();
    EXPECT_TRUE(io_tasks_->Close().ok());
    EXPECT_EQ(space_->used_bytes(), 0);
    EXPECT_LE(space_->file_count(), 1);
  }
}

// The same with a fault somewhere: every driver ends, in success or in that error.
TEST_F(SpillStreamTest, ManyDriversEndWhateverFails) {
  const auto compute = core::ThreadPool::Make({.thread_count = 3}).ValueOrDie();
  for (int64_t round = 0; round < 30; ++round) {
    Renew(64 * kMiB);
    syscalls_.Set({.first = round * 7, .count = 3, .error_number = EIO});
    std::atomic<int> left{10};
    core::Signal all_done;
    for (uint64_t i = 0; i < 10; ++i) {
      const auto spiller = std::make_shared<Spiller>(
          Options(2000), i, compute.get(), [&](const Status& status) {
            EXPECT_TRUE(status.ok() || core::KindOf(status) == core::ErrorKind::kIo)
                << status;
            if (--left == 0) {
              all_done.Fire();
            }
          });
      compute->Submit([spiller] { spiller->Run(); });
    }
    all_done.wait().Block();
    syscalls_.Clear();
    EXPECT_TRUE(io_tasks_->Close().ok());
    EXPECT_EQ(space_->used_bytes(), 0);
  }
}

}  // namespace

}  // namespace wheelpit::spill
