// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/cli/progress.h"

#include <array>
#include <chrono>
#include <cstdio>

#include "wheelpit/core/byte_size.h"
#include "wheelpit/core/metrics.h"

namespace wheelpit::cli {

namespace {

using core::Metric;

constexpr std::chrono::milliseconds kFirst{500};
constexpr std::chrono::milliseconds kEach{100};

std::string ShortCount(int64_t count) {
  constexpr std::array<std::pair<int64_t, char>, 3> kUnits = {
      {{1'000'000'000, 'G'}, {1'000'000, 'M'}, {1'000, 'k'}}};
  for (const auto& [factor, letter] : kUnits) {
    if (count >= factor * 10) {
      return std::to_string(count / factor) + letter;
    }
    if (count >= factor) {
      char text[24];
      std::snprintf(text, sizeof text, "%.1f%c",
                    static_cast<double>(count) / static_cast<double>(factor), letter);
      return text;
    }
  }
  return std::to_string(count);
}

int64_t Get(const engine::QueryStats& stats, Metric metric) {
  const auto index = static_cast<size_t>(metric);
  return index < stats.metrics.size() ? stats.metrics[index] : 0;
}

}  // namespace

std::string ProgressText(const engine::QueryStats& stats, int width) {
  std::string text = ShortCount(Get(stats, Metric::kRowsRead)) + " rows";
  const int64_t files_done =
      Get(stats, Metric::kFilesRead) + Get(stats, Metric::kFilesPruned);
  text += stats.files_total > 0 ? ", " + std::to_string(files_done) + " of " +
                                      core::Counted(stats.files_total, "file")
                                : ", listing";
  // Round to 0.1 of a unit: exact sizes jump about.
  const int64_t bytes = Get(stats, Metric::kBytesRead) / 100'000 * 100'000;
  text += ", " + core::FormatByteSize(bytes) + " read";
  if (const int64_t spilled = Get(stats, Metric::kSpillBytesWritten); spilled > 0) {
    text += ", " + core::FormatByteSize(spilled / 100'000 * 100'000) + " spilled";
  }
  char seconds[32];
  std::snprintf(seconds, sizeof seconds, ", %.1f s", stats.seconds);
  text += seconds;
  if (width > 0 && text.size() >= static_cast<size_t>(width)) {
    text.resize(static_cast<size_t>(width) - 1);
  }
  return text;
}

Progress::Progress(std::function<engine::QueryStats()> stats, int width, Output* output)
    : stats_(std::move(stats)), width_(width), output_(output) {
  auto thread = core::ThreadPool::Make(
      {.thread_count = 1, .role = core::ThreadRole::kIo, .name = "progress"});
  if (thread.ok()) {
    thread_ = *std::move(thread);
    thread_->Submit([this] { Draw(); });
  }
}

Progress::~Progress() {
  Stop();
}

void Progress::Stop() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.reset();
}

void Progress::Draw() {
  std::unique_lock lock(mutex_);
  bool drawn = false;
  auto pause = kFirst;
  while (!changed_.wait_for(lock, pause, [&] { return stopping_; })) {
    pause = kEach;
    drawn = true;
    // \r: to the start of the line; \x1b[K: clear the rest of it.
    if (!output_->Write("\r" + ProgressText(stats_(), width_) + "\x1b[K").ok() ||
        !output_->Flush().ok()) {
      return;
    }
  }
  if (drawn) {
    static_cast<void>(output_->Write("\r\x1b[K"));
    static_cast<void>(output_->Flush());
  }
}

}  // namespace wheelpit::cli
