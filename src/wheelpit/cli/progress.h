// SPDX-License-Identifier: Apache-2.0
// The progress line on a terminal's standard error: rows, bytes, files, once a query has
// run for half a second. Drawn from a thread of its own; gone without a trace when the
// query ends.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "wheelpit/cli/output.h"
#include "wheelpit/core/executor.h"
#include "wheelpit/engine/session.h"

namespace wheelpit::cli {

class Progress {
 public:
  /// `stats` is called from the drawing thread until this object is gone. `width` is the
  /// terminal's.
  Progress(std::function<engine::QueryStats()> stats, int width, Output* output);
  ~Progress();
  /// Takes the line away, for good: results are about to be printed.
  void Stop();

 private:
  void Draw();

  std::function<engine::QueryStats()> stats_;
  const int width_;
  Output* const output_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stopping_ = false;
  std::unique_ptr<core::ThreadPool> thread_;
};

/// "1.2M rows, 34 of 500 files, 120 MB read, 3.1 s", at most `width` columns.
std::string ProgressText(const engine::QueryStats& stats, int width);

}  // namespace wheelpit::cli
