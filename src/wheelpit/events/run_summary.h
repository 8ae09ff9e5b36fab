// SPDX-License-Identifier: Apache-2.0
// RunSummary: what a log held, in one line at its end, so that a reader can show the run
// before it has read it. Private to events; docs/formats/event-log.md is its format.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "wheelpit/events/event.h"
#include "wheelpit/events/log_file.h"

namespace wheelpit::events {

/// The class of the line; Spark's readers pass over classes that they don't have.
inline constexpr std::string_view kRunSummaryEvent = "org.wheelpit.events.RunSummary";

/// One thread at a time.
class RunSummary {
 public:
  /// Stages of which figures are kept; of later ones only the number.
  static constexpr size_t kStagesMax = 10000;

  void Count(const Event& event);
  void CountLostTasks(int64_t tasks) { lost_tasks_ += tasks; }

  /// Appends the line without its end. `log` says where its frames begin, as it was
  /// before this line.
  void AppendJson(const Application& application, const LogFile& log, int64_t end_millis,
                  int exit_code, std::string* out) const;

 private:
  struct Stage {
    std::string name;
    int64_t submission_millis = 0;
    int64_t completion_millis = 0;
    int64_t tasks = 0;
    int64_t failed_tasks = 0;
    int64_t killed_tasks = 0;
    bool failed = false;
    TaskMetrics totals;  // peak_memory_bytes: the largest
  };

  void CountTask(const TaskEnd& event);

  std::map<std::pair<int64_t, int64_t>, Stage> stages_;
  int64_t stages_left_out_ = 0;
  int64_t events_ = 0;
  int64_t lost_tasks_ = 0;
  int64_t jobs_ = 0;
  int64_t failed_jobs_ = 0;
  int64_t tasks_ = 0;
  int64_t failed_tasks_ = 0;
  int64_t killed_tasks_ = 0;
  int64_t executions_ = 0;
  int64_t failed_executions_ = 0;
};

}  // namespace wheelpit::events
