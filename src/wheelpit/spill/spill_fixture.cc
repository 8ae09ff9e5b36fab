// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/spill/spill_fixture.h"

#include <algorithm>
#include <barrier>
#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace wheelpit::spill {

TemporaryDirectory::TemporaryDirectory()
    : path_(testing::TempDir() + "wheelpit_spill_XXXXXX") {
  if (::mkdtemp(path_.data()) == nullptr) {
    std::perror("mkdtemp");
    std::abort();
  }
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::vector<std::string> TemporaryDirectory::Names() const {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(path_)) {
    names.push_back(entry.path().filename());
  }
  return names;
}

SpillFixture::SpillFixture() {
  io_ = core::ThreadPool::Make(
            {.thread_count = 1, .role = core::ThreadRole::kIo, .name = "io"})
            .ValueOrDie();
  UseDirectories(1);
  descriptors_ = OpenDescriptors();
}

SpillFixture::~SpillFixture() = default;

void SpillFixture::UseDirectories(size_t count) {
  temporary_.clear();
  std::vector<std::string> paths;
  for (size_t i = 0; i < count; ++i) {
    temporary_.push_back(std::make_unique<TemporaryDirectory>());
    paths.push_back(temporary_.back()->path());
  }
  UsePaths(std::move(paths));
}

void SpillFixture::UsePaths(std::vector<std::string> paths) {
  directories_ =
      SpillDirectories::Make(std::move(paths), &syscalls_, &clock_).ValueOrDie();
}

void SpillFixture::ForgetHealth() {
  std::vector<std::string> paths;
  for (const auto& directory : temporary_) {
    paths.push_back(directory->path());
  }
  UsePaths(std::move(paths));
}

std::unique_ptr<SpillSpace> SpillFixture::MakeSpace(int64_t limit_bytes,
                                                    std::string query) {
  return SpillSpace::Make(
      {.query = std::move(query), .limit_bytes = limit_bytes, .metrics = &metrics_},
      {.directories = directories_.get(), .quota = &quota_, .io = host_io_});
}

void SpillFixture::AwaitIo() {
  // As many as there are threads: each of these waits for the others.
  // Shared: a thread may still be inside when this one has gone on.
  const auto all = std::make_shared<std::barrier<>>(io_->thread_count() + 1);
  for (int i = 0; i < io_->thread_count(); ++i) {
    io_->Submit([all] { all->arrive_and_wait(); });
  }
  all->arrive_and_wait();
}

void SpillFixture::ExpectNothingLeft() const {
  EXPECT_EQ(quota_.used_bytes(), 0);
  EXPECT_EQ(pool_.bytes_allocated(), 0);
  EXPECT_EQ(OpenDescriptors(), descriptors_);
  for (const auto& directory : temporary_) {
    EXPECT_TRUE(directory->Names().empty());
  }
}

int64_t SpillFixture::OpenDescriptors() {
  int64_t count = 0;
  for ([[maybe_unused]] const auto& entry :
       std::filesystem::directory_iterator("/proc/self/fd")) {
    ++count;
  }
  return count;
}

std::vector<uint8_t> Payload(size_t size, uint64_t seed) {
  std::vector<uint8_t> bytes(size);
  uint64_t state = seed * 0x9E3779B97F4A7C15 + 1;
  for (uint8_t& byte : bytes) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    byte = static_cast<uint8_t>(state >> 56);
  }
  return bytes;
}

testing::AssertionResult Holds(const SpillExtent& extent, uint64_t seed,
                               arrow::MemoryPool* pool) {
  const auto read = extent.Read(pool);
  if (!read.ok()) {
    return testing::AssertionFailure() << read.status();
  }
  const auto bytes = (*read)->span_as<uint8_t>();
  const auto wanted = Payload(static_cast<size_t>(extent.payload_bytes()), seed);
  if (!std::equal(bytes.begin(), bytes.end(), wanted.begin(), wanted.end())) {
    return testing::AssertionFailure() << "other bytes";
  }
  return testing::AssertionSuccess();
}

}  // namespace wheelpit::spill
