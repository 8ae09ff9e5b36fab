// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/exec/driver.h"

#include <mutex>
#include <utility>

#include <arrow/record_batch.h>

#include "wheelpit/core/bad_alloc.h"
#include "wheelpit/core/clock.h"
#include "wheelpit/core/error.h"

namespace wheelpit::exec {

Step Step::Batch(std::shared_ptr<arrow::RecordBatch> batch) {
  return {Kind::kBatch, std::move(batch), {}};
}

arrow::Result<std::shared_ptr<arrow::RecordBatch>> Operator::Finish() {
  return nullptr;
}

namespace {

using core::Metric;

class Driver : public std::enable_shared_from_this<Driver> {
 public:
  Driver(Pipeline pipeline, DriverOptions options, core::Executor* executor,
         std::function<void(arrow::Status)> done)
      : pipeline_(std::move(pipeline)),
        options_(std::move(options)),
        executor_(executor),
        done_(std::move(done)) {}

  void Start() {
    if (!options_.stopped.ready()) {
      // Weak: the signal may outlive the driver by far.
      options_.stopped.OnReady([weak = weak_from_this()] {
        if (auto driver = weak.lock()) {
          driver->Wake(kAnyPark);
        }
      });
    }
    Enqueue();
  }

 private:
  enum class Outcome : uint8_t { kGoOn, kPark, kEnd };
  static constexpr uint64_t kAnyPark = 0;

  void Enqueue() {
    executor_->Submit([self = shared_from_this()] { self->Run(); });
  }

  // One turn on a compute thread.
  void Run() {
    const int64_t start_nanos = core::ThreadCpuNanos();
    int64_t used_nanos = 0;
    while (true) {
      arrow::Result<Outcome> outcome = core::CatchBadAlloc([this] { return Advance(); });
      used_nanos = core::ThreadCpuNanos() - start_nanos;
      if (!outcome.ok() || *outcome == Outcome::kEnd) {
        Count(Metric::kComputeNanos, used_nanos);
        End(outcome.status());
        return;
      }
      if (*outcome == Outcome::kPark) {
        Count(Metric::kComputeNanos, used_nanos);
        Count(Metric::kDriverParks, 1);
        Park(std::exchange(wait_, core::Wait()));
        return;
      }
      if (used_nanos >= options_.slice_nanos) {
        Count(Metric::kComputeNanos, used_nanos);
        Count(Metric::kDriverYields, 1);
        Enqueue();
        return;
      }
    }
  }

  arrow::Result<Outcome> Advance() {
    if (options_.stop.IsStopRequested()) {
      return core::Error(core::ErrorKind::kCancelled, "the query was cancelled");
    }
    if (pipeline_.sink->done()) {
      return Outcome::kEnd;
    }
    if (!input_ended_) {
      ARROW_ASSIGN_OR_RAISE(Step step, pipeline_.source->Next());
      switch (step.kind) {
        case Step::Kind::kBatch:
          return PassOn(std::move(step.batch), 0);
        case Step::Kind::kWait:
          wait_ = std::move(step.wait);
          return Outcome::kPark;
        case Step::Kind::kYield:
          return Outcome::kGoOn;
        case Step::Kind::kEnd:
          input_ended_ = true;
          pipeline_.source.reset();
          return Outcome::kGoOn;
      }
    }
    if (finishing_ < pipeline_.operators.size()) {
      ARROW_ASSIGN_OR_RAISE(auto rest, pipeline_.operators[finishing_]->Finish());
      if (rest == nullptr) {
        ++finishing_;
        return Outcome::kGoOn;
      }
      return PassOn(std::move(rest), finishing_ + 1);
    }
    ARROW_RETURN_NOT_OK(pipeline_.sink->Finish());
    return Outcome::kEnd;
  }

  // Takes a batch through the operators from `first` on and into the sink.
  arrow::Result<Outcome> PassOn(std::shared_ptr<arrow::RecordBatch> batch, size_t first) {
    for (size_t i = first; i < pipeline_.operators.size(); ++i) {
      Operator& op = *pipeline_.operators[i];
      ARROW_ASSIGN_OR_RAISE(batch, op.Process(std::move(batch)));
      if (op.done() && !input_ended_) {
        // Nothing before this operator can change the output any more.
        input_ended_ = true;
        finishing_ = i;
        pipeline_.source.reset();
      }
      if (batch == nullptr) {
        return Outcome::kGoOn;
      }
    }
    ARROW_ASSIGN_OR_RAISE(auto wait, pipeline_.sink->Push(std::move(batch)));
    if (wait.has_value() && !wait->ready()) {
      wait_ = *std::move(wait);
      return Outcome::kPark;
    }
    return Outcome::kGoOn;
  }

  void Park(const core::Wait& wait) {
    uint64_t park = 0;
    {
      std::lock_guard lock(park_mutex_);
      park = ++park_count_;
      parked_ = true;
    }
    // Shared: a wait that nobody ever fires must not leave a dangling driver behind.
    wait.OnReady([self = shared_from_this(), park] { self->Wake(park); });
    // A stop that came before parked_ was set has found nothing to wake.
    if (options_.stop.IsStopRequested()) {
      Wake(park);
    }
  }

  // Puts the driver back to work if it is still in that park; the later of two wakers is
  // ignored.
  void Wake(uint64_t park) {
    {
      std::lock_guard lock(park_mutex_);
      if (!parked_ || (park != kAnyPark && park != park_count_)) {
        return;
      }
      parked_ = false;
    }
    Enqueue();
  }

  void End(const arrow::Status& status) {
    pipeline_.source.reset();
    pipeline_.operators.clear();
    pipeline_.sink.reset();
    auto done = std::move(done_);
    done(status);
  }

  void Count(Metric metric, int64_t amount) {
    if (options_.metrics != nullptr) {
      options_.metrics->Add(metric, amount);
    }
  }

  Pipeline pipeline_;
  const DriverOptions options_;
  core::Executor* const executor_;
  std::function<void(arrow::Status)> done_;

  bool input_ended_ = false;
  size_t finishing_ = 0;
  core::Wait wait_;

  std::mutex park_mutex_;
  bool parked_ = false;
  uint64_t park_count_ = 0;
};

}  // namespace

void StartDriver(Pipeline pipeline, DriverOptions options, core::Executor* executor,
                 std::function<void(arrow::Status)> done) {
  std::make_shared<Driver>(std::move(pipeline), std::move(options), executor,
                           std::move(done))
      ->Start();
}

}  // namespace wheelpit::exec
