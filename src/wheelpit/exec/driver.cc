// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/exec/driver.h"

#include <atomic>
#include <mutex>
#include <utility>

#include <arrow/record_batch.h>

#include "wheelpit/core/clock.h"
#include "wheelpit/core/error.h"
#include "wheelpit/exec/operator_memory.h"

namespace wheelpit::exec {

Step Step::Batch(std::shared_ptr<arrow::RecordBatch> batch) {
  return {Kind::kBatch, std::move(batch), {}};
}

arrow::Result<std::optional<core::Wait>> PipelinePart::AtBoundary(bool /*input_ended*/) {
  return std::nullopt;
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
    for (OperatorMemory* memory : pipeline_.memories) {
      // Weak: the memory outlives the driver.
      memory->SetBell([weak = weak_from_this()] {
        if (auto driver = weak.lock()) {
          driver->Ring();
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
      arrow::Result<Outcome> outcome = Advance();
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
    bells_heard_ = bells_.load();
    ARROW_ASSIGN_OR_RAISE(auto wait, CallAtBoundary());
    if (wait.has_value() && wait->ready()) {
      return Outcome::kGoOn;  // To be called again.
    }
    if (wait.has_value() || !held_.ready()) {
      wait_ = wait.value_or(held_);
      return Outcome::kPark;
    }
    if (!input_ended_) {
      ARROW_ASSIGN_OR_RAISE(Step step, pipeline_.source->Next());
      switch (step.kind) {
        case Step::Kind::kBatch:
          return PassOn(std::move(step.batch), 0);
        case Step::Kind::kWait:
          return Hold(std::move(step.wait));
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
      return Hold(*std::move(wait));
    }
    return Outcome::kGoOn;
  }

  // Parks; woken for another reason, the driver comes back to the same wait.
  Outcome Hold(core::Wait wait) {
    held_ = std::move(wait);
    wait_ = held_;
    return Outcome::kPark;
  }

  // Every part is called, so that one can give memory back while another waits for some.
  arrow::Result<std::optional<core::Wait>> CallAtBoundary() {
    std::optional<core::Wait> first;
    const auto call = [&first](PipelinePart& part, bool input_ended) -> arrow::Status {
      ARROW_ASSIGN_OR_RAISE(auto wait, part.AtBoundary(input_ended));
      if (!first.has_value()) {
        first = std::move(wait);
      }
      return arrow::Status::OK();
    };
    if (pipeline_.source != nullptr) {
      ARROW_RETURN_NOT_OK(call(*pipeline_.source, false));
    }
    const size_t count = pipeline_.operators.size();
    for (size_t i = 0; i < count; ++i) {
      ARROW_RETURN_NOT_OK(call(*pipeline_.operators[i], input_ended_ && finishing_ >= i));
    }
    ARROW_RETURN_NOT_OK(call(*pipeline_.sink, input_ended_ && finishing_ == count));
    return first;
  }

  // Any thread: memory is asked of an operator.
  void Ring() {
    ++bells_;
    Wake(kAnyPark);
  }

  void Park(const core::Wait& wait) {
    // From where parked_ is set on, another thread may be running this driver.
    const uint64_t bells_heard = bells_heard_;
    uint64_t park = 0;
    {
      std::lock_guard lock(park_mutex_);
      park = ++park_count_;
      parked_ = true;
    }
    // Shared: a wait that nobody ever fires must not leave a dangling driver behind.
    wait.OnReady([self = shared_from_this(), park] { self->Wake(park); });
    // A stop or a bell that came before parked_ was set has found nothing to wake.
    if (options_.stop.IsStopRequested() || bells_.load() != bells_heard) {
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
    // What is never fired keeps its callback, which keeps the driver: not the other way
    // round, too.
    wait_ = core::Wait();
    held_ = core::Wait();
    for (OperatorMemory* memory : pipeline_.memories) {
      memory->SetBell(nullptr);
    }
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
  core::Wait wait_;  // what it is about to park on
  core::Wait held_;  // what source or sink wait for
  std::atomic<uint64_t> bells_{0};
  uint64_t bells_heard_ = 0;

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
