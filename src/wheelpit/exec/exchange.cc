// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/exec/exchange.h"

#include <atomic>
#include <deque>
#include <optional>
#include <utility>

#include <arrow/record_batch.h>
#include <arrow/util/byte_size.h>

#include "wheelpit/core/error.h"
#include "wheelpit/core/guarded.h"

namespace wheelpit::exec {

namespace {

// All tasks together may be ahead by this many times what one may.
constexpr int64_t kAheadOfAll = 8;

struct Lane {
  std::deque<std::shared_ptr<arrow::RecordBatch>> batches;
  int64_t bytes = 0;
  bool finished = false;
  std::optional<core::Signal> space;  // set while the producer is parked
};

}  // namespace

// Not Arrow's ReferencedBufferSize: it allocates from Arrow's default pool, outside of
// every budget, and the first allocation there maps an arena (8 ms measured).
int64_t BatchBytes(const arrow::RecordBatch& batch) {
  return arrow::util::TotalBufferSize(batch);
}

struct GatherExchange::State {
  struct Inner {
    std::vector<Lane> lanes;
    size_t current = 0;
    int64_t bytes = 0;  // of all lanes
    bool closed = false;
    arrow::Status error;
    std::optional<core::Signal> item;  // set while the consumer is parked
  };

  explicit State(int64_t task_count, int64_t ahead) : ahead_bytes(ahead) {
    inner.Lock()->lanes.resize(static_cast<size_t>(task_count));
  }

  arrow::Result<std::optional<core::Wait>> Push(
      size_t task, std::shared_ptr<arrow::RecordBatch> batch) {
    const int64_t bytes = BatchBytes(*batch);
    std::optional<core::Signal> item;
    std::optional<core::Wait> wait;
    {
      auto locked = inner.Lock();
      if (ended.load()) {
        return std::nullopt;
      }
      Lane& lane = locked->lanes[task];
      lane.batches.push_back(std::move(batch));
      lane.bytes += bytes;
      locked->bytes += bytes;
      const bool early =
          task != locked->current && locked->bytes > kAheadOfAll * ahead_bytes;
      if (lane.bytes > ahead_bytes || early) {
        lane.space.emplace();
        wait = lane.space->wait();
      }
      if (task == locked->current) {
        item.swap(locked->item);
      }
    }
    if (item) {
      item->Fire();
    }
    return wait;
  }

  void FinishLane(size_t task) {
    std::optional<core::Signal> item;
    {
      auto locked = inner.Lock();
      locked->lanes[task].finished = true;
      if (task == locked->current) {
        item.swap(locked->item);
      }
    }
    if (item) {
      item->Fire();
    }
  }

  arrow::Result<Step> Pop() {
    std::vector<core::Signal> space;
    std::shared_ptr<arrow::RecordBatch> batch;
    {
      auto locked = inner.Lock();
      ARROW_RETURN_NOT_OK(locked->error);
      auto& lanes = locked->lanes;
      while (locked->current < lanes.size() && lanes[locked->current].finished &&
             lanes[locked->current].batches.empty()) {
        ++locked->current;
      }
      if (locked->current == lanes.size() || locked->closed) {
        return Step::End();
      }
      Lane& lane = lanes[locked->current];
      if (lane.batches.empty()) {
        // It may have parked before its turn came.
        Release(&lane, &space);
        if (!locked->item) {
          locked->item.emplace();
        }
      } else {
        batch = std::move(lane.batches.front());
        lane.batches.pop_front();
        const int64_t bytes = BatchBytes(*batch);
        lane.bytes -= bytes;
        locked->bytes -= bytes;
        ReleaseLanes(*locked, &space);
      }
      if (batch == nullptr) {
        const core::Wait wait = locked->item->wait();
        locked.Unlock();
        FireAll(space);
        return Step::Waiting(wait);
      }
    }
    FireAll(space);
    return Step::Batch(std::move(batch));
  }

  // Lets the producers go on that have room again.
  void ReleaseLanes(Inner& state, std::vector<core::Signal>* space) const {
    const bool room_for_all = state.bytes <= kAheadOfAll * ahead_bytes / 2;
    for (size_t i = state.current; i < state.lanes.size(); ++i) {
      Lane& lane = state.lanes[i];
      const bool room = lane.bytes <= ahead_bytes / 2 || lane.batches.empty();
      if (room && (room_for_all || i == state.current)) {
        Release(&lane, space);
      }
    }
  }

  static void Release(Lane* lane, std::vector<core::Signal>* space) {
    if (lane->space) {
      space->push_back(*std::exchange(lane->space, std::nullopt));
    }
  }

  static void FireAll(const std::vector<core::Signal>& signals) {
    for (const auto& signal : signals) {
      signal.Fire();
    }
  }

  // Wakes everybody: they come back, find it closed or failed, and end.
  void End(bool close, const arrow::Status& status) {
    std::vector<core::Signal> signals;
    {
      auto locked = inner.Lock();
      ended = true;
      locked->closed = locked->closed || close;
      if (locked->error.ok()) {
        locked->error = status;
      }
      for (Lane& lane : locked->lanes) {
        Release(&lane, &signals);
        if (close) {
          lane.batches.clear();
          lane.bytes = 0;
        }
      }
      if (locked->item) {
        signals.push_back(*std::exchange(locked->item, std::nullopt));
      }
    }
    FireAll(signals);
  }

  const int64_t ahead_bytes;
  std::atomic<bool> ended{false};  // closed or failed
  core::Guarded<Inner> inner;
};

GatherExchange::GatherExchange(int64_t task_count, int64_t ahead_bytes)
    : state_(std::make_shared<State>(task_count, ahead_bytes)) {}

GatherExchange::~GatherExchange() = default;

std::unique_ptr<Sink> GatherExchange::MakeSink(int64_t task) {
  class LaneSink final : public Sink {
   public:
    LaneSink(std::shared_ptr<State> state, size_t lane)
        : state_(std::move(state)), lane_(lane) {}
    arrow::Result<std::optional<core::Wait>> Push(
        std::shared_ptr<arrow::RecordBatch> batch) override {
      if (batch->num_rows() == 0) {
        return std::nullopt;
      }
      return state_->Push(lane_, std::move(batch));
    }
    arrow::Status Finish() override {
      state_->FinishLane(lane_);
      return arrow::Status::OK();
    }
    bool done() const override { return state_->ended.load(); }

   private:
    std::shared_ptr<State> state_;
    size_t lane_;
  };
  return std::make_unique<LaneSink>(state_, static_cast<size_t>(task));
}

std::unique_ptr<Source> GatherExchange::MakeSource() {
  class ExchangeSource final : public Source {
   public:
    explicit ExchangeSource(std::shared_ptr<State> state) : state_(std::move(state)) {}
    // A consumer that ends early (a limit, an error) must let the producers go.
    ~ExchangeSource() override { state_->End(/*close=*/true, arrow::Status::OK()); }
    arrow::Result<Step> Next() override { return state_->Pop(); }

   private:
    std::shared_ptr<State> state_;
  };
  return std::make_unique<ExchangeSource>(state_);
}

arrow::Result<Step> GatherExchange::Pop() {
  return state_->Pop();
}

void GatherExchange::Close() {
  state_->End(/*close=*/true, arrow::Status::OK());
}

bool GatherExchange::closed() const {
  return state_->ended.load();
}

void GatherExchange::Fail(const arrow::Status& status) {
  state_->End(/*close=*/false, status);
}

}  // namespace wheelpit::exec
