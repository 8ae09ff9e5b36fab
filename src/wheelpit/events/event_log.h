// SPDX-License-Identifier: Apache-2.0
// EventLog: the log of one run in Spark's format. Who computes records plain values;
// JSON, compression and every system call happen on an I/O thread. A log that cannot be
// written is told to the logger once and costs nothing but itself: no call here fails a
// query.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <arrow/status.h>

#include "wheelpit/core/context.h"
#include "wheelpit/events/event.h"
#include "wheelpit/io/syscalls.h"

namespace wheelpit::events {

struct EventLogOptions {
  /// Holds one folder for each run; made with its parents when the first event comes.
  std::string directory;
  /// JSON of one file of a log; a line longer than this has a file of its own.
  int64_t roll_bytes = int64_t{128} << 20;
  /// What finished logs in the directory may take; the oldest go first.
  int64_t total_limit_bytes = 1'000'000'000;
  /// Recorded and not yet written, at most, before tasks are left out. With twice as much
  /// the log ends early.
  int64_t queue_bytes_max = int64_t{4} << 20;
};

class EventLog {
 public:
  /// No system call. Of `context` the I/O threads, clock and logger are used; they and
  /// `syscalls` must outlive the log.
  static std::unique_ptr<EventLog> Make(Application application, EventLogOptions options,
                                        io::Syscalls& syscalls,
                                        const core::Context& context);
  /// Finishes with exit code 0 if nobody has. Not on an I/O thread.
  ~EventLog();

  /// Any thread; never blocks. While more than queue_bytes_max wait to be written, tasks
  /// that start are left out with their end, and counted in the log's last record; all
  /// other events are taken, whose number does not depend on the data, until the log has
  /// to end early.
  void Record(Event event);

  /// Writes what was recorded and the end of the application, and holds the thread until
  /// that is done, or for `timeout_ms`; later events are dropped. The error is what cut
  /// the log short. Without an event there is no log. Not on an I/O thread.
  arrow::Status Finish(int exit_code, int64_t timeout_ms);

  /// The log's folder; empty before an I/O thread has made it.
  std::string folder() const;

 private:
  class Writer;
  explicit EventLog(std::shared_ptr<Writer> writer);
  // Shared with the work on the I/O thread, which may outlive a Finish that ran out of
  // time.
  std::shared_ptr<Writer> writer_;
};

}  // namespace wheelpit::events
