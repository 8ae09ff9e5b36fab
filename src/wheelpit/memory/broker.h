// SPDX-License-Identifier: Apache-2.0
// The broker behind the budgets: who holds how much, who waits, who is asked to give.
// Internal to this module; budget.h is the interface.
//
// How counting works. An operator's `used` may rise up to its `reserved` without a lock.
// `reserved` is its minimum plus whole steps; it is raised and lowered under the broker's
// lock only, and what is reserved but neither used nor promised can be taken back
// ("harvested") without asking anybody. Both sides write first and look after:
//   an allocation adds to `used`, then looks at `reserved`;
//   a harvest lowers `reserved`, then looks at `used` and `promised`;
//   a free subtracts from `used`, then looks at the number of parked waiters;
//   a waiter is counted as parked, then everything is harvested.
// All of it in the single order of sequential consistency, so at least one of two that
// meet sees the other, and neither memory nor a wake-up is lost.
//
// How deciding works. Run() makes passes, one thread at a time and the others only note
// that one more is due; so no callback ever nests in another, and none runs under a lock.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/memory_pool.h>
#include <arrow/result.h>

#include "wheelpit/core/guarded.h"
#include "wheelpit/core/wait.h"
#include "wheelpit/memory/budget.h"

namespace wheelpit::memory {

/// Reservations above the minimum are whole steps.
inline constexpr int64_t kStepBytes = int64_t{1} << 20;
/// Victims that hold less are asked last: a spill of less costs more than it frees.
inline constexpr int64_t kReclaimFloorBytes = int64_t{1} << 20;
/// Marks `used` while somebody waits for the operator to hold nothing.
inline constexpr int64_t kDraining = int64_t{1} << 62;

struct OperatorState;
struct QueryState;

/// A registered Spillable. Shared between its owner and a pass that may be about to call
/// it: the owner empties it when it leaves.
struct Giver {
  Spillable* spillable = nullptr;
  OperatorState* op = nullptr;
  int calls = 0;            ///< that are inside the spillable now
  int64_t reclaimable = 0;  ///< as of the last pass
  double cost_per_byte = 1.0;

  /// What came of asking.
  enum class Ask : uint8_t {
    kNone,
    kChosen,     ///< RequestReclaim is about to be called
    kCalling,    ///< it is being called; an answer may come before it returns
    kDelivered,  ///< it was; the driver has not been stopped on its way to a wait yet
    kReminded,   ///< the driver was woken or sent back because of it
  };
  Ask ask = Ask::kNone;
  int64_t asked_bytes = 0;
  int64_t reserved_when_asked = 0;
  int64_t used_when_asked = 0;
  /// It was asked and gave nothing: not asked again before it uses more than this.
  int64_t spent_level = -1;
};

/// Somebody who waits for memory: an operator's request, or a query's admission.
struct Waiter {
  QueryState* query = nullptr;
  OperatorState* op = nullptr;  ///< null for an admission
  int64_t bytes = 0;            ///< what Reserve was asked for
  uint64_t ticket = 0;          ///< place in the queue, kept until served; 0: none
  bool parked = false;
  core::Signal signal;
  arrow::Status failure;  ///< what the next Reserve returns, if not OK

  int64_t WantedLevel() const;
  /// What the reservation lacks for a level of use.
  int64_t Need(int64_t level) const;
};

struct OperatorState {
  OperatorState() = default;
  OperatorState(const OperatorState&) = delete;
  OperatorState& operator=(const OperatorState&) = delete;

  QueryState* query = nullptr;
  std::string name;
  int64_t minimum = 0;
  int driver = 0;
  std::shared_ptr<Giver> giver;

  /// Allocated and counted bytes, perhaps with kDraining.
  alignas(64) std::atomic<int64_t> used{0};
  std::atomic<int64_t> reserved{0};
  /// Level of `used` up to which the last Reserve promised success.
  std::atomic<int64_t> promised{0};

  bool running = true;                  ///< under the lock
  Waiter waiter;                        ///< under the lock
  std::optional<core::Signal> drained;  ///< under the lock

  int64_t used_level() const { return used.load() & ~kDraining; }
  /// The reservation that a level of `used` takes.
  int64_t Cover(int64_t level) const {
    const int64_t above = std::max<int64_t>(level - minimum, 0);
    return minimum + (above + kStepBytes - 1) / kStepBytes * kStepBytes;
  }
};

struct QueryState {
  std::string name;
  int64_t limit = 0;
  uint64_t id = 0;

  // Under the lock.
  int64_t minimum = 0;
  int64_t minimum_wanted = 0;  ///< what an admission is for
  int64_t minimum_of_operators = 0;
  int64_t used = 0;
  int64_t peak = 0;
  bool admitted = false;
  /// A request of it failed and none was made since: it is about to give everything back.
  bool failing = false;
  Waiter waiter;
  std::vector<OperatorState*> operators;

  int64_t set_aside() const { return std::max(minimum, minimum_of_operators); }
  /// What an admission takes.
  int64_t AdmissionNeed() const {
    return std::max(minimum_wanted, minimum_of_operators) - (admitted ? set_aside() : 0);
  }
};

class Broker {
 public:
  explicit Broker(int64_t limit_bytes) : limit_bytes_(limit_bytes) {}
  ~Broker();

  arrow::Status AddQuery(QueryState* query);
  void RemoveQuery(QueryState* query);
  arrow::Status AddOperator(OperatorState* op);
  void RemoveOperator(OperatorState* op);

  /// See OperatorBudget::Reserve; called when the reservation does not suffice.
  arrow::Result<bool> Reserve(OperatorState* op, int64_t bytes, core::Wait* wait);
  /// Adds to `used`, raising the reservation as needed, or fails.
  arrow::Status Grow(OperatorState* op, int64_t size);
  /// As Grow, but only from what is free and wanted by nobody.
  bool TryGrow(OperatorState* op, int64_t size);
  void ReleaseUnused(OperatorState* op);
  void SetRunning(OperatorState* op, bool running);
  core::Wait Drained(OperatorState* op);
  /// `used` fell to zero while kDraining was set.
  void OnDrained(OperatorState* op);

  core::Wait Admitted(const QueryState& query);
  arrow::Status Admission(const QueryState& query);
  arrow::Status RaiseMinimum(QueryState* query, int64_t minimum_bytes);

  bool anybody_waits() const { return parked_count_.load() > 0; }
  /// Something changed that may help a waiter.
  void Run();

  int64_t limit_bytes() const { return limit_bytes_; }
  int64_t used_bytes() { return state_.Lock()->used; }
  int64_t peak_bytes() { return state_.Lock()->peak; }
  int64_t cache_bytes();
  int64_t used_bytes(const QueryState& query);
  int64_t peak_bytes(const QueryState& query);
  std::vector<Holder> Holders(int count_max);

 private:
  struct State {
    int64_t used = 0;
    int64_t peak = 0;
    uint64_t last_ticket = 0;
    uint64_t last_query = 0;
    std::vector<QueryState*> queries;
    std::vector<Waiter*> parked;  ///< by ticket
    uint64_t park_count = 0;      ///< ever
  };

  /// The first waiter that cannot be served, in a query's limit or in the process's.
  struct Shortage {
    QueryState* scope = nullptr;  ///< null: the process
    Waiter* head = nullptr;
    int64_t missing = 0;
  };

  struct Request {
    std::shared_ptr<Giver> giver;
    int64_t bytes;
  };

  /// To be fired after the lock was released.
  using Signals = std::vector<core::Signal>;

  // Counting (broker.cc). All but these run under the lock, as State& shows.
  void Count(State& state, QueryState& query, int64_t bytes);
  bool Fits(const State& state, const QueryState& query, int64_t bytes) const;
  bool Raise(State& state, OperatorState& op, int64_t level);
  void Harvest(State& state, OperatorState& op);
  void HarvestAll(State& state);
  bool Take(State& state, OperatorState& op, int64_t size);

  // The queue (broker.cc).
  void Park(State& state, Waiter& waiter);
  void QueueAdmission(State& state, QueryState& query, Signals* signals);
  void Unpark(State& state, Waiter& waiter);
  void Grant(State& state, Waiter& waiter, int64_t level, Signals* signals);
  std::vector<Shortage> Serve(State& state, Signals* signals);

  // Deciding (victims.cc).
  void Pass();
  void DropCaches(const QueryState* scope, int64_t bytes);
  std::vector<std::shared_ptr<Giver>> Givers(const State& state) const;
  void Estimate(const std::vector<std::shared_ptr<Giver>>& givers);
  bool Relieve(State& state, const Shortage& shortage,
               const std::vector<std::shared_ptr<Giver>>& givers,
               std::vector<Request>* requests, Signals* signals);
  void Choose(const Shortage& shortage, int64_t missing,
              const std::vector<std::shared_ptr<Giver>>& givers,
              std::vector<Request>* requests);
  void Deliver(const std::vector<Request>& requests);
  bool MayGiveByGoingOn(const State& state, const Shortage& shortage) const;
  bool LetAnotherPass(State& state, const Shortage& shortage, Signals* signals);
  bool FailOne(State& state, const Shortage& shortage, Signals* signals);
  void CallGiver(Giver& giver, const std::function<void(Spillable&)>& call);
  void Retire(const std::shared_ptr<Giver>& giver);
  void Answer(Giver& giver);
  bool SendBackToReclaim(OperatorState& op);

  arrow::Status LimitError(const State& state, const OperatorState& op, int64_t need,
                           std::string_view why) const;
  arrow::Status AdmissionError(const State& state, const QueryState& query) const;
  std::vector<Holder> LargestHolders(const State& state, const QueryState* scope,
                                     int count_max) const;

  const int64_t limit_bytes_;
  core::Guarded<State> state_;
  std::atomic<int64_t> parked_count_{0};
  std::atomic<int64_t> passes_due_{0};
};

}  // namespace wheelpit::memory
