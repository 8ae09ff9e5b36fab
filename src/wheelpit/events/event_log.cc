// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/events/event_log.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <unordered_set>
#include <utility>
#include <vector>

#include "wheelpit/core/error.h"
#include "wheelpit/core/guarded.h"
#include "wheelpit/events/log_file.h"
#include "wheelpit/events/log_sweep.h"
#include "wheelpit/events/run_summary.h"
#include "wheelpit/events/spark_json.h"
#include "wheelpit/fs/path_text.h"

namespace wheelpit::events {

namespace {

// Set aside for the end of a task when its start is taken.
constexpr int64_t kTaskEndBytes = 2048;
constexpr int64_t kFinishMillis = 2000;
// Of queue_bytes_max: what more than tasks may take.
constexpr int64_t kHardLimitFactor = 2;

}  // namespace

class EventLog::Writer : public std::enable_shared_from_this<Writer> {
 public:
  Writer(Application application, EventLogOptions options, io::Syscalls& syscalls,
         const core::Context& context)
      : application_(std::move(application)),
        options_(std::move(options)),
        syscalls_(syscalls),
        io_(*context.io),
        clock_(*context.clock),
        logger_(*context.logger) {}

  void Record(Event event);
  arrow::Status Finish(int exit_code, int64_t timeout_ms);
  std::string folder() { return state_.Lock()->folder; }

 private:
  struct State {
    std::vector<Event> events;
    int64_t bytes = 0;  // of events, and of those being written
    std::unordered_set<int64_t> refused_tasks;
    int64_t lost_tasks = 0;
    bool draining = false;  // a task on an I/O thread looks at `events`
    bool finishing = false;
    bool finished = false;
    int exit_code = 0;
    std::string folder;
    arrow::Status failure;
  };

  static bool Admit(const Event& event, int64_t size_bytes, int64_t bytes_max,
                    State* state);
  void StartDraining(State* state);
  void Drain();
  arrow::Status Write(const std::vector<Event>& events);
  arrow::Status Open();
  arrow::Status WriteEnd(int exit_code, int64_t lost_tasks);
  void Fail(const arrow::Status& status);
  void SweepIfDue();

  const Application application_;
  const EventLogOptions options_;
  io::Syscalls& syscalls_;
  core::Executor& io_;
  const core::Clock& clock_;
  core::Logger& logger_;

  core::Guarded<State> state_;
  std::condition_variable finished_;
  std::atomic<bool> closed_{false};  // failed or finishing: events are dropped

  // Of the one task that drains.
  std::unique_ptr<LogFile> file_;
  RunSummary summary_;
  std::string text_;
  int64_t swept_file_ = 0;  // of the log, when old ones were last looked at
};

bool EventLog::Writer::Admit(const Event& event, int64_t size_bytes, int64_t bytes_max,
                             State* state) {
  if (const auto* start = std::get_if<TaskStart>(&event)) {
    if (state->bytes + size_bytes > bytes_max) {
      state->refused_tasks.insert(start->task.id);
      ++state->lost_tasks;
      return false;
    }
  } else if (const auto* end = std::get_if<TaskEnd>(&event)) {
    return state->refused_tasks.erase(end->task.id) == 0;
  }
  return true;
}

void EventLog::Writer::Record(Event event) {
  if (closed_.load(std::memory_order_relaxed)) {
    return;
  }
  int64_t size = SizeBytes(event);
  if (std::holds_alternative<TaskStart>(event)) {
    size += kTaskEndBytes;
  }
  auto state = state_.Lock();
  if (state->finishing || !state->failure.ok() ||
      !Admit(event, size, options_.queue_bytes_max, &*state)) {
    return;
  }
  if (state->bytes + size > kHardLimitFactor * options_.queue_bytes_max) {
    const int64_t waiting = state->bytes;
    state.Unlock();
    Fail(core::Error(core::ErrorKind::kUnavailable, "the disk of ",
                     fs::Quoted(options_.directory), " takes too long: ", waiting,
                     " bytes wait to be written"));
    return;
  }
  state->bytes += size;
  state->events.push_back(std::move(event));
  StartDraining(&*state);
}

void EventLog::Writer::StartDraining(State* state) {
  if (!std::exchange(state->draining, true)) {
    io_.Submit([self = shared_from_this()] { self->Drain(); });
  }
}

void EventLog::Writer::Drain() {
  while (true) {
    std::vector<Event> events;
    int64_t bytes = 0;
    bool ends = false;
    int exit_code = 0;
    int64_t lost_tasks = 0;
    {
      auto state = state_.Lock();
      ends = state->finishing && !state->finished;
      if (state->events.empty() && !ends) {
        state->draining = false;
        return;
      }
      events.swap(state->events);
      bytes = state->bytes;
      exit_code = state->exit_code;
      lost_tasks = state->lost_tasks;
    }
    arrow::Status status = Write(events);
    if (status.ok() && ends) {
      status = WriteEnd(exit_code, lost_tasks);
    }
    if (!status.ok()) {
      Fail(status);
      file_.reset();
    }
    if (!ends) {
      SweepIfDue();
    }
    events.clear();
    auto state = state_.Lock();
    state->bytes -= bytes;
    if (ends) {
      state->finished = true;
      state->draining = false;
      finished_.notify_all();
      return;
    }
  }
}

arrow::Status EventLog::Writer::Open() {
  ARROW_ASSIGN_OR_RAISE(
      file_, LogFile::Make(syscalls_, {.directory = options_.directory,
                                       .start_millis = application_.start_millis,
                                       .roll_bytes = options_.roll_bytes}));
  state_.Lock()->folder = file_->folder();
  text_.clear();
  AppendPreamble(application_, file_->application_id(), &text_);
  return file_->Append(text_);
}

arrow::Status EventLog::Writer::Write(const std::vector<Event>& events) {
  if (events.empty() || !state_.Lock()->failure.ok()) {
    return arrow::Status::OK();
  }
  if (file_ == nullptr) {
    ARROW_RETURN_NOT_OK(Open());
  }
  bool flush = false;
  for (const Event& event : events) {
    text_.clear();
    AppendJson(event, application_.host, &text_);
    text_ += '\n';
    ARROW_RETURN_NOT_OK(file_->Append(text_));
    summary_.Count(event);
    flush = flush || IsFlushed(event);
  }
  return flush ? file_->CloseFrame() : arrow::Status::OK();
}

arrow::Status EventLog::Writer::WriteEnd(int exit_code, int64_t lost_tasks) {
  if (file_ == nullptr || !state_.Lock()->failure.ok()) {
    return arrow::Status::OK();
  }
  const int64_t now = clock_.WallMillis();
  text_.clear();
  AppendApplicationEnd(now, exit_code, &text_);
  text_ += '\n';
  ARROW_RETURN_NOT_OK(file_->Append(text_));
  ARROW_RETURN_NOT_OK(file_->CloseFrame());
  // In a frame of its own, the last one: found without reading the others.
  summary_.CountLostTasks(lost_tasks);
  text_.clear();
  summary_.AppendJson(application_, *file_, now, exit_code, &text_);
  text_ += '\n';
  ARROW_RETURN_NOT_OK(file_->Append(text_));
  ARROW_RETURN_NOT_OK(file_->Close());
  file_.reset();
  return arrow::Status::OK();
}

// Any thread. The file stays with the task that writes it.
void EventLog::Writer::Fail(const arrow::Status& status) {
  closed_ = true;
  {
    auto state = state_.Lock();
    if (!state->failure.ok()) {
      return;
    }
    state->failure = status;
    state->events.clear();
  }
  logger_.Log(core::LogLevel::kWarning, "the event log of this run ends early",
              {{"reason", status.message()}});
}

void EventLog::Writer::SweepIfDue() {
  if (file_ == nullptr || file_->end().file == swept_file_) {
    return;
  }
  const bool begun = swept_file_ == 0;
  swept_file_ = file_->end().file;
  SweepLogs(syscalls_, options_.directory,
            {.total_limit_bytes = options_.total_limit_bytes,
             .now_millis = clock_.WallMillis(),
             .even_if_swept_lately = !begun});
}

arrow::Status EventLog::Writer::Finish(int exit_code, int64_t timeout_ms) {
  auto state = state_.Lock();
  if (!std::exchange(state->finishing, true)) {
    state->exit_code = exit_code;
    StartDraining(&*state);
  }
  closed_ = true;
  if (!state.AwaitFor(finished_, std::chrono::milliseconds(timeout_ms),
                      [](const State& now) { return now.finished; })) {
    return core::Error(core::ErrorKind::kUnavailable, "the event log was not written in ",
                       timeout_ms, " ms");
  }
  return state->failure;
}

EventLog::EventLog(std::shared_ptr<Writer> writer) : writer_(std::move(writer)) {}

std::unique_ptr<EventLog> EventLog::Make(Application application, EventLogOptions options,
                                         io::Syscalls& syscalls,
                                         const core::Context& context) {
  return std::unique_ptr<EventLog>(new EventLog(std::make_shared<Writer>(
      std::move(application), std::move(options), syscalls, context)));
}

EventLog::~EventLog() {
  static_cast<void>(Finish(0, kFinishMillis));  // The logger was told.
}

void EventLog::Record(Event event) {
  writer_->Record(std::move(event));
}

arrow::Status EventLog::Finish(int exit_code, int64_t timeout_ms) {
  return writer_->Finish(exit_code, timeout_ms);
}

std::string EventLog::folder() const {
  return writer_->folder();
}

}  // namespace wheelpit::events
