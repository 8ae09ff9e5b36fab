// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/exec/write/file_write.h"

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <arrow/array/array_primitive.h>
#include <arrow/builder.h>
#include <arrow/memory_pool.h>
#include <arrow/record_batch.h>
#include <arrow/table.h>
#include <arrow/type.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "wheelpit/core/error.h"
#include "wheelpit/core/executor.h"
#include "wheelpit/core/task_group.h"
#include "wheelpit/exec/write/write_fixture.h"
#include "wheelpit/io/testing/fault_syscalls.h"
#include "wheelpit/memory/budget.h"

namespace wheelpit::exec {
namespace {

constexpr int64_t kMiB = 1 << 20;

// Gives its batches, then ends, fails or waits for ever.
class GivenSource final : public Source {
 public:
  GivenSource(arrow::RecordBatchVector batches, arrow::Status last)
      : batches_(std::move(batches)), last_(std::move(last)) {}
  arrow::Result<Step> Next() override {
    if (next_ < batches_.size()) {
      return Step::Batch(batches_[next_++]);
    }
    if (last_.IsCancelled()) {
      return Step::Waiting(never_.wait());
    }
    ARROW_RETURN_NOT_OK(last_);
    return Step::End();
  }

 private:
  const arrow::RecordBatchVector batches_;
  const arrow::Status last_;
  size_t next_ = 0;
  core::Signal never_;
};

class RowSink final : public Sink {
 public:
  explicit RowSink(std::vector<int64_t>* row) : row_(row) {}
  arrow::Result<std::optional<core::Wait>> Push(
      std::shared_ptr<arrow::RecordBatch> batch) override {
    for (const auto& column : batch->columns()) {
      row_->push_back(static_cast<const arrow::Int64Array&>(*column).Value(0));
    }
    return std::nullopt;
  }

 private:
  std::vector<int64_t>* const row_;
};

class FileWriteTest : public testing::Test {
 protected:
  FileWriteTest() {
    EXPECT_NE(::mkdtemp(folder_.data()), nullptr);
    compute_ = core::ThreadPool::Make({.thread_count = 2}).ValueOrDie();
    io_ = core::ThreadPool::Make({.thread_count = 2, .role = core::ThreadRole::kIo})
              .ValueOrDie();
  }
  ~FileWriteTest() override {
    io_ = nullptr;
    std::filesystem::remove_all(folder_);
  }

  std::string Path(const std::string& name) const { return folder_ + "/" + name; }

  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
      names.push_back(entry.path().filename());
    }
    std::sort(names.begin(), names.end());
    return names;
  }

  static std::string Content(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
  }

  // Runs a COPY: the row that it gives, or its error. `last`: see GivenSource; what is
  // cancelled is stopped when the batches were taken.
  arrow::Result<std::vector<int64_t>> Copy(const std::string& path,
                                           const plan::FileFormat& format,
                                           const arrow::RecordBatchVector& batches,
                                           const arrow::Status& last = {}) {
    memory::ProcessBudget* process = process_.get();
    ARROW_ASSIGN_OR_RAISE(auto query, process->MakeQuery("q", 0, 8 * kMiB));
    ARROW_ASSIGN_OR_RAISE(
        auto memory,
        OperatorMemory::Make(query.get(), FileWrite::SinkMemory(0), nullptr));
    arrow::StopSource stop;
    core::Signal stopped;
    core::TaskGroup io_tasks(io_.get());
    const TaskContext context{.context = {.pool = arrow::system_memory_pool(),
                                          .compute = compute_.get(),
                                          .io = io_.get(),
                                          .stop = stop.token()},
                              .io_tasks = &io_tasks};
    ARROW_ASSIGN_OR_RAISE(auto write, FileWrite::Make({.path = path,
                                                       .format = format,
                                                       .schema = batches[0]->schema(),
                                                       .syscalls = &syscalls_}));
    std::vector<int64_t> row;
    auto run = [&](Pipeline pipeline, bool cancel) {
      core::Signal ended;
      arrow::Status outcome;
      StartDriver(std::move(pipeline), {.stop = stop.token(), .stopped = stopped.wait()},
                  compute_.get(), [&outcome, ended](const arrow::Status& status) {
                    outcome = status;
                    ended.Fire();
                  });
      if (cancel) {
        stop.RequestStop();
        stopped.Fire();
      }
      ended.wait().Block();
      return outcome;
    };
    Pipeline first;
    first.source = std::make_unique<GivenSource>(batches, last);
    first.sink = write->MakeSink(memory.get(), &context);
    first.memories = {memory.get()};
    arrow::Status status = run(std::move(first), last.IsCancelled());
    if (status.ok()) {
      Pipeline second;
      second.source = write->MakeSource(arrow::system_memory_pool());
      second.sink = std::make_unique<RowSink>(&row);
      status = run(std::move(second), false);
    }
    ARROW_RETURN_NOT_OK(io_tasks.Close());
    memory->drained().Block();
    peak_bytes_ = memory->budget().max_memory();
    ARROW_RETURN_NOT_OK(status);
    return row;
  }

  std::string folder_ = testing::TempDir() + "wheelpit_write_XXXXXX";
  io::KernelSyscalls kernel_;
  io::FaultSyscalls syscalls_{&kernel_};
  std::unique_ptr<core::ThreadPool> compute_;
  std::unique_ptr<core::ThreadPool> io_;
  arrow::ProxyMemoryPool backend_{arrow::system_memory_pool()};
  std::unique_ptr<memory::ProcessBudget> process_ =
      memory::ProcessBudget::Make(8 * kMiB, &backend_).ValueOrDie();
  int64_t peak_bytes_ = 0;
};

TEST_F(FileWriteTest, WritesEveryFormatAndCountsRowsAndBytes) {
  const auto rows = ManyRows(1000);
  for (const auto kind :
       {plan::FileFormatKind::kParquet, plan::FileFormatKind::kCsv,
        plan::FileFormatKind::kJson, plan::FileFormatKind::kJsonLines,
        plan::FileFormatKind::kArrow, plan::FileFormatKind::kMarkdown}) {
    const plan::FileFormat format{.kind = kind, .codec = plan::FileCodec::kNone};
    SCOPED_TRACE(plan::ToString(kind));
    const auto row = Copy(Path("x"), format, {rows});
    ASSERT_TRUE(row.ok()) << row.status();
    const std::string bytes = Content(Path("x"));
    EXPECT_EQ(*row, (std::vector<int64_t>{1000, std::ssize(bytes)}));
    EXPECT_EQ(bytes, Written(rows, format));
    EXPECT_EQ(Names(), std::vector<std::string>{"x"});
  }
}

TEST_F(FileWriteTest, ManyRowsPassThroughLittleMemory) {
  arrow::RecordBatchVector batches(20, ManyRows(50'000));
  const auto row = Copy(Path("x.parquet"), {}, batches);
  ASSERT_TRUE(row.ok()) << row.status();
  EXPECT_EQ(row->at(0), 1'000'000);
  EXPECT_LE(peak_bytes_, 8 * kMiB);
  EXPECT_EQ(ReadParquet(Content(Path("x.parquet")))->num_rows(), 1'000'000);
}

TEST_F(FileWriteTest, RowsOfOneMebibytePassAndLongerOnesNameTheirSize) {
  for (const auto kind : {plan::FileFormatKind::kParquet, plan::FileFormatKind::kCsv,
                          plan::FileFormatKind::kJson, plan::FileFormatKind::kArrow}) {
    SCOPED_TRACE(plan::ToString(kind));
    const plan::FileFormat format{.kind = kind};
    const std::vector<std::optional<std::string>> rows(20, std::string(kMiB - 16, 'x'));
    const auto row = Copy(Path("x"), format,
                          {TwoColumns(std::vector<std::optional<int64_t>>(20, 1), rows)});
    EXPECT_TRUE(row.ok()) << row.status();
    const auto refused =
        Copy(Path("y"), format, {TwoColumns({1}, {std::string(20 * kMiB, 'x')})});
    // Text may pass while the disk keeps up.
    if (refused.ok()) {
      EXPECT_NE(kind, plan::FileFormatKind::kParquet);
      std::filesystem::remove(Path("y"));
      continue;
    }
    EXPECT_EQ(core::KindOf(refused.status()), core::ErrorKind::kMemoryLimit);
    EXPECT_NE(refused.status().message().find("rows of 2"), std::string::npos)
        << refused.status();
    EXPECT_FALSE(std::filesystem::exists(Path("y")));
  }
}

TEST_F(FileWriteTest, AFailedOrCancelledQueryLeavesTheOldFile) {
  std::ofstream(Path("old")) << "old";
  for (const auto& last :
       {core::Error(core::ErrorKind::kData, "division by zero"),
        core::Error(core::ErrorKind::kCancelled, "the query was cancelled")}) {
    for (const std::string name : {"old", "new"}) {
      const auto row = Copy(Path(name), {}, {ManyRows(20'000)}, last);
      EXPECT_EQ(core::KindOf(row.status()), core::KindOf(last)) << row.status();
      EXPECT_EQ(Names(), std::vector<std::string>{"old"});
      EXPECT_EQ(Content(Path("old")), "old");
    }
  }
}

TEST_F(FileWriteTest, AnyFailedCallIsOneErrorAndLeavesTheOldFile) {
  const auto rows = ManyRows(20'000);
  for (const bool old : {false, true}) {
    for (const int error : {EIO, ENOSPC, EDQUOT, EROFS, EACCES}) {
      io::SweepFaults(&syscalls_, {.error_number = error}, [&](int64_t n) {
        SCOPED_TRACE("error " + std::to_string(error) + " of call " + std::to_string(n));
        std::filesystem::remove(Path("x"));
        if (old) {
          std::ofstream(Path("x")) << "old";
        }
        syscalls_.Forget();
        const auto row = Copy(Path("x"), {}, {rows});
        if (!row.ok()) {
          EXPECT_EQ(Content(Path("x")), old ? "old" : "") << row.status();
          EXPECT_NE(row.status().message().find(Path("x")), std::string::npos);
          EXPECT_NE(core::KindOf(row.status()), core::ErrorKind::kInternal);
        } else {
          EXPECT_EQ(ReadParquet(Content(Path("x")))->num_rows(), 20'000);
        }
        EXPECT_LE(Names().size(), 1);
      });
    }
  }
}

TEST_F(FileWriteTest, AFullDiskGivesTheExitCodeOfALimit) {
  syscalls_.Set({.kind = io::SyscallKind::kPwrite, .error_number = ENOSPC});
  const auto row = Copy(Path("x"), {}, {ManyRows(20'000)});
  EXPECT_EQ(core::ExitCodeOf(core::KindOf(row.status())), 3) << row.status();
}

TEST_F(FileWriteTest, ATargetThatCannotBeIsAnErrorBeforeAllRows) {
  for (const auto& [path, part] :
       {std::pair(folder_, "a directory"), std::pair(Path("no/x"), "no/x")}) {
    const auto row = Copy(path, {}, arrow::RecordBatchVector(3, ManyRows(1000)));
    EXPECT_NE(row.status().message().find(part), std::string::npos) << row.status();
  }
}

// A process without tests' threads that copies for ever.
int CopyUntilKilled(const std::string& path, int progress) {
  const auto rows = ManyRows(2000);
  io::KernelSyscalls syscalls;
  const auto io =
      core::ThreadPool::Make({.thread_count = 1, .role = core::ThreadRole::kIo})
          .ValueOrDie();
  const auto compute = core::ThreadPool::Make({.thread_count = 1}).ValueOrDie();
  const auto process =
      memory::ProcessBudget::Make(16 * kMiB, arrow::system_memory_pool()).ValueOrDie();
  while (true) {
    const auto query = process->MakeQuery("q", 0, 8 * kMiB).ValueOrDie();
    const auto memory =
        OperatorMemory::Make(query.get(), FileWrite::SinkMemory(0), nullptr).ValueOrDie();
    core::TaskGroup io_tasks(io.get());
    const TaskContext context{.context = {.io = io.get()}, .io_tasks = &io_tasks};
    const auto write =
        FileWrite::Make(
            {.path = path, .format = {}, .schema = rows->schema(), .syscalls = &syscalls})
            .ValueOrDie();
    Pipeline pipeline;
    pipeline.source =
        std::make_unique<GivenSource>(arrow::RecordBatchVector(3, rows), arrow::Status());
    pipeline.sink = write->MakeSink(memory.get(), &context);
    core::Signal ended;
    arrow::Status outcome;
    StartDriver(std::move(pipeline), {}, compute.get(),
                [&outcome, ended](const arrow::Status& status) {
                  outcome = status;
                  ended.Fire();
                });
    ended.wait().Block();
    if (!outcome.ok() || !io_tasks.Close().ok() || ::write(progress, "x", 1) != 1) {
      return 1;
    }
    memory->drained().Block();
  }
}

TEST_F(FileWriteTest, OneThatIsKilledLeavesAWholeFileAndHardlyAName) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "this sanitizer allows no threads in a child";
#endif
  const auto rounds = std::getenv("WHEELPIT_KILL_ROUNDS");
  const int count = rounds == nullptr ? 50 : std::atoi(rounds);
  // No thread of the parent may hold a lock when it forks.
  compute_ = nullptr;
  io_ = nullptr;
  for (int round = 0; round < count; ++round) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      ::_exit(CopyUntilKilled(Path("x"), ends[1]));
    }
    ::close(ends[1]);
    char byte;
    for (int i = 0; i < round % 4; ++i) {
      ASSERT_EQ(::read(ends[0], &byte, 1), 1);
    }

    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    ::close(ends[0]);
    ASSERT_TRUE(WIFSIGNALED(status));
    for (const std::string& name : Names()) {
      // The name between link and rename is the one that may be left, and it is whole.
      EXPECT_TRUE(name == "x" || name.starts_with(".wheelpit-")) << name;
      EXPECT_EQ(ReadParquet(Content(Path(name)))->num_rows(), 6000) << name;
    }
  }
}

}  // namespace
}  // namespace wheelpit::exec
