// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/io/read_range.h"

#include <atomic>
#include <cstring>
#include <functional>
#include <limits>
#include <mutex>
#include <random>
#include <string>

#include <arrow/buffer.h>
#include <arrow/io/interfaces.h>
#include <arrow/memory_pool.h>
#include <gtest/gtest.h>

#include "wheelpit/core/error.h"
#include "wheelpit/io/io_executor.h"

namespace wheelpit::io {
namespace {

using core::ErrorKind;
using core::KindOf;

/// A file in memory that notes its reads and lets a test stand in their way.
class ScriptedFile final : public arrow::io::RandomAccessFile {
 public:
  explicit ScriptedFile(std::string content) : content_(std::move(content)) {}

  /// Runs before each read, with its number; what it returns, if not OK, is the outcome.
  std::function<arrow::Status(int)> before_read;
  int64_t at_most = std::numeric_limits<int64_t>::max();  ///< bytes that one read gives

  using arrow::io::RandomAccessFile::ReadAt;
  arrow::Result<int64_t> ReadAt(int64_t position, int64_t size, void* out) override {
    int number = 0;
    {
      std::lock_guard lock(mutex_);
      number = static_cast<int>(reads_.size());
      reads_.push_back({position, size});
    }
    if (before_read) {
      ARROW_RETURN_NOT_OK(before_read(number));
    }
    const int64_t left = static_cast<int64_t>(content_.size()) - position;
    const int64_t got = std::max<int64_t>(0, std::min({size, left, at_most}));
    std::memcpy(out, content_.data() + position, static_cast<size_t>(got));
    return got;
  }

  std::vector<ReadRange> reads() {
    std::lock_guard lock(mutex_);
    return reads_;
  }

  arrow::Status Close() override { return arrow::Status::OK(); }
  bool closed() const override { return false; }
  arrow::Result<int64_t> Tell() const override { return 0; }
  arrow::Status Seek(int64_t) override { return arrow::Status::OK(); }
  arrow::Result<int64_t> GetSize() override {
    return static_cast<int64_t>(content_.size());
  }
  arrow::Result<int64_t> Read(int64_t, void*) override {
    return arrow::Status::NotImplemented("");
  }
  arrow::Result<std::shared_ptr<arrow::Buffer>> Read(int64_t) override {
    return arrow::Status::NotImplemented("");
  }

 private:
  std::string content_;
  std::mutex mutex_;
  std::vector<ReadRange> reads_;
};

std::string Pattern(size_t size) {
  std::string text(size, '\0');
  for (size_t i = 0; i < size; ++i) {
    text[i] = static_cast<char>((i * 31 + i / 251) & 0xff);
  }
  return text;
}

class ReadRangeTest : public testing::Test {
 protected:
  static constexpr int64_t kSize = 1 << 20;

  PrefetchRequest Request() {
    PrefetchRequest request;
    request.file = file_;
    request.path = "/data/part-0.parquet";
    request.executor = executor_.get();
    request.pool = &pool_;
    request.metrics = &metrics_;
    return request;
  }

  void ExpectBytes(PrefetchedRanges& ranges, ReadRange range) {
    auto taken = ranges.Take(range);
    ASSERT_TRUE(taken.ok()) << taken.status();
    ASSERT_EQ((*taken)->size(), range.size_bytes);
    EXPECT_EQ((*taken)->ToString(),
              content_.substr(static_cast<size_t>(range.offset),
                              static_cast<size_t>(range.size_bytes)));
  }

  std::string content_ = Pattern(kSize);
  std::shared_ptr<ScriptedFile> file_ = std::make_shared<ScriptedFile>(content_);
  arrow::ProxyMemoryPool pool_{arrow::default_memory_pool()};
  core::MetricSet metrics_;
  std::unique_ptr<IoExecutor> executor_ =
      IoExecutor::Make({.thread_count = 2}).ValueOrDie();
};

TEST_F(ReadRangeTest, NearRangesAreReadTogetherAndFarOnesAlone) {
  auto request = Request();
  request.options = {.hole_bytes_max = 10, .read_bytes_max = 1000};
  auto ranges =
      PrefetchRanges(std::move(request), {{500, 20}, {0, 100}, {110, 50}, {171, 9}})
          .ValueOrDie();
  ranges->wait().Block();
  auto reads = file_->reads();
  std::sort(reads.begin(), reads.end());
  EXPECT_EQ(reads, (std::vector<ReadRange>{{0, 160}, {171, 9}, {500, 20}}));
  ExpectBytes(*ranges, {110, 50});
  ExpectBytes(*ranges, {0, 100});
  ExpectBytes(*ranges, {500, 20});
  ExpectBytes(*ranges, {171, 9});
  EXPECT_EQ(metrics_.Get(core::Metric::kReads), 3);
  EXPECT_EQ(metrics_.Get(core::Metric::kBytesRead), 189);
}

TEST_F(ReadRangeTest, RangesAreJoinedUpToTheReadSize) {
  auto request = Request();
  request.options = {.hole_bytes_max = 10, .read_bytes_max = 100};
  auto ranges =
      PrefetchRanges(std::move(request), {{0, 60}, {60, 40}, {100, 1}}).ValueOrDie();
  ranges->wait().Block();
  auto reads = file_->reads();
  std::sort(reads.begin(), reads.end());
  EXPECT_EQ(reads, (std::vector<ReadRange>{{0, 100}, {100, 1}}));
}

TEST_F(ReadRangeTest, ALongRangeIsReadInPiecesIntoOneBuffer) {
  auto request = Request();
  request.options = {.hole_bytes_max = 0, .read_bytes_max = 1000};
  auto ranges = PrefetchRanges(std::move(request), {{7, 10'001}}).ValueOrDie();
  ranges->wait().Block();
  EXPECT_EQ(file_->reads().size(), 11);
  for (const ReadRange& read : file_->reads()) {
    EXPECT_LE(read.size_bytes, 1000);
    EXPECT_GE(read.size_bytes, 900);
  }
  ExpectBytes(*ranges, {7, 10'001});
}

TEST_F(ReadRangeTest, OverlappingRepeatedAndEmptyRangesAreServed) {
  auto ranges =
      PrefetchRanges(Request(), {{10, 100}, {50, 100}, {10, 100}, {30, 0}, {60, 5}})
          .ValueOrDie();
  ranges->wait().Block();
  EXPECT_EQ(file_->reads().size(), 1);
  ExpectBytes(*ranges, {10, 100});
  ExpectBytes(*ranges, {10, 100});
  ExpectBytes(*ranges, {50, 100});
  ExpectBytes(*ranges, {30, 0});
  ExpectBytes(*ranges, {60, 5});
}

TEST_F(ReadRangeTest, RandomRangesGiveTheFilesBytes) {
  std::mt19937 random(20);
  const auto below = [&](int64_t bound) {
    return static_cast<int64_t>(random()) % bound;
  };
  for (int round = 0; round < 50; ++round) {
    auto request = Request();
    request.options.hole_bytes_max = below(2000);
    request.options.read_bytes_max = 1 + below(20'000);
    std::vector<ReadRange> asked;
    for (int i = 0; i < 20; ++i) {
      const int64_t offset = below(kSize);
      asked.push_back({offset, below(std::min<int64_t>(kSize - offset, 30'000))});
    }
    const int64_t planned = PlannedBytes(asked, request.options);
    auto ranges = PrefetchRanges(std::move(request), asked).ValueOrDie();
    EXPECT_EQ(pool_.bytes_allocated(), planned);
    ranges->wait().Block();
    for (const ReadRange& range : asked) {
      ExpectBytes(*ranges, range);
    }
    EXPECT_EQ(pool_.bytes_allocated(), 0) << "kept after the last range was taken";
  }
}

TEST_F(ReadRangeTest, ShortReadsAreContinued) {
  file_->at_most = 7;
  auto ranges = PrefetchRanges(Request(), {{3, 100}}).ValueOrDie();
  ranges->wait().Block();
  ExpectBytes(*ranges, {3, 100});
  EXPECT_EQ(metrics_.Get(core::Metric::kReads), 15);
}

TEST_F(ReadRangeTest, AFileThatEndsEarlyWasTruncated) {
  auto ranges = PrefetchRanges(Request(), {{kSize - 10, 11}}).ValueOrDie();
  ranges->wait().Block();
  const arrow::Status status = ranges->Take({kSize - 10, 11}).status();
  EXPECT_EQ(KindOf(status), ErrorKind::kCorrupt);
  EXPECT_NE(status.message().find("/data/part-0.parquet: 11 bytes at offset 1048566"),
            std::string::npos)
      << status;
  EXPECT_NE(status.message().find("truncated while it was read; it ends at 1048576"),
            std::string::npos)
      << status;
}

TEST_F(ReadRangeTest, EveryReadThatFailsFailsTheRequestAndLeavesNothing) {
  // On one thread, so that the reads after the failing one can be counted.
  executor_ = IoExecutor::Make({.thread_count = 1}).ValueOrDie();
  for (int failing = 0; failing < 8; ++failing) {
    file_ = std::make_shared<ScriptedFile>(content_);
    file_->before_read = [failing](int number) {
      return number == failing ? core::Error(ErrorKind::kIo, "EIO, as scripted")
                               : arrow::Status::OK();
    };
    auto request = Request();
    request.options.read_bytes_max = 1000;
    auto ranges = PrefetchRanges(std::move(request), {{0, 8000}}).ValueOrDie();
    ranges->wait().Block();
    const arrow::Status status = ranges->Take({0, 8000}).status();
    EXPECT_EQ(KindOf(status), ErrorKind::kIo);
    EXPECT_NE(status.message().find("/data/part-0.parquet: 1000 bytes at offset"),
              std::string::npos)
        << status;
    EXPECT_NE(status.message().find("EIO, as scripted"), std::string::npos);
    EXPECT_EQ(static_cast<int>(file_->reads().size()), failing + 1);
    EXPECT_EQ(pool_.bytes_allocated(), 0);
  }
}

TEST_F(ReadRangeTest, ARequestedStopEndsTheReads) {
  executor_ = IoExecutor::Make({.thread_count = 1}).ValueOrDie();
  arrow::StopSource source;
  file_->before_read = [&](int number) {
    if (number == 3) {
      source.RequestStop();
    }
    return arrow::Status::OK();
  };
  auto request = Request();
  request.options.read_bytes_max = 1000;
  request.stop = source.token();
  auto ranges = PrefetchRanges(std::move(request), {{0, 100'000}}).ValueOrDie();
  ranges->wait().Block();
  EXPECT_EQ(KindOf(ranges->Take({0, 100'000}).status()), ErrorKind::kCancelled);
  EXPECT_EQ(file_->reads().size(), 4);
}

TEST_F(ReadRangeTest, TakingTooEarlyOrWhatWasNotAskedForIsAnError) {
  core::Signal go;
  file_->before_read = [go](int) {
    go.wait().Block();
    return arrow::Status::OK();
  };
  auto ranges = PrefetchRanges(Request(), {{0, 10}}).ValueOrDie();
  EXPECT_FALSE(ranges->wait().ready());
  EXPECT_EQ(KindOf(ranges->Take({0, 10}).status()), ErrorKind::kInternal);
  go.Fire();
  ranges->wait().Block();
  EXPECT_EQ(KindOf(ranges->Take({0, 9}).status()), ErrorKind::kInternal);
  EXPECT_EQ(KindOf(ranges->Take({1, 10}).status()), ErrorKind::kInternal);
  ExpectBytes(*ranges, {0, 10});
  EXPECT_EQ(KindOf(ranges->Take({0, 10}).status()), ErrorKind::kInternal);
}

TEST_F(ReadRangeTest, AnAbandonedRequestFreesItsMemoryBeforeItsWaitIsReady) {
  core::Signal started;
  core::Signal go;
  file_->before_read = [started, go](int) {
    started.Fire();
    go.wait().Block();
    return arrow::Status::OK();
  };
  auto request = Request();
  request.options.read_bytes_max = 1000;
  auto ranges = PrefetchRanges(std::move(request), {{0, 100'000}}).ValueOrDie();
  const core::Wait wait = ranges->wait();
  started.wait().Block();
  ranges.reset();  // Does not block, although a read is in flight.
  EXPECT_GT(pool_.bytes_allocated(), 0);
  EXPECT_FALSE(wait.ready());
  go.Fire();
  wait.Block();
  EXPECT_EQ(pool_.bytes_allocated(), 0);
  EXPECT_EQ(file_.use_count(), 1);
  EXPECT_LE(file_->reads().size(), 2);
}

TEST_F(ReadRangeTest, ImpossibleRangesAreCorrupt) {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  for (const ReadRange range : {ReadRange{-1, 1}, ReadRange{0, -1}, ReadRange{kMax, 1},
                                ReadRange{kMax - 5, 6 + kMax / 2}}) {
    EXPECT_EQ(KindOf(PrefetchRanges(Request(), {{0, 4}, range}).status()),
              ErrorKind::kCorrupt);
    EXPECT_EQ(PlannedBytes({range}), 0);
  }
  EXPECT_EQ(PlannedBytes({{0, kMax}, {kMax - 1, 1}}), kMax);
}

TEST_F(ReadRangeTest, ARequestThatDoesNotFitThePoolFailsAtOnceAndReadsNothing) {
  arrow::CappedMemoryPool small(arrow::default_memory_pool(), 5000);
  auto request = Request();
  request.pool = &small;
  request.options = {.hole_bytes_max = 0, .read_bytes_max = 4000};
  const arrow::Status status =
      PrefetchRanges(std::move(request), {{0, 4000}, {9000, 4000}}).status();
  EXPECT_EQ(KindOf(status), ErrorKind::kMemoryLimit);
  EXPECT_NE(status.message().find("/data/part-0.parquet"), std::string::npos);
  EXPECT_TRUE(file_->reads().empty());
  EXPECT_EQ(small.bytes_allocated(), 0);
}

TEST_F(ReadRangeTest, ALongRequestTakesTurnsWithAnother) {
  executor_ = IoExecutor::Make({.thread_count = 1}).ValueOrDie();
  auto other_file = std::make_shared<ScriptedFile>(content_);
  std::atomic<size_t> reads_before_other{0};
  other_file->before_read = [&](int) {
    reads_before_other = file_->reads().size();
    return arrow::Status::OK();
  };
  core::Signal go;
  file_->before_read = [go](int) {
    go.wait().Block();
    return arrow::Status::OK();
  };
  auto request = Request();
  request.options.read_bytes_max = 1000;
  auto ranges = PrefetchRanges(std::move(request), {{0, kSize}}).ValueOrDie();
  auto other_request = Request();
  other_request.file = other_file;
  auto other = PrefetchRanges(std::move(other_request), {{0, 10}}).ValueOrDie();
  go.Fire();
  other->wait().Block();
  ranges->wait().Block();
  EXPECT_LE(reads_before_other.load(), 2);
}

TEST_F(ReadRangeTest, NothingAskedForIsReadyAtOnce) {
  auto ranges = PrefetchRanges(Request(), {{5, 0}}).ValueOrDie();
  EXPECT_TRUE(ranges->wait().ready());
  ExpectBytes(*ranges, {5, 0});
}

}  // namespace
}  // namespace wheelpit::io
