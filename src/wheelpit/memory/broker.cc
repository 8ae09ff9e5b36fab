// SPDX-License-Identifier: Apache-2.0
// Counting, promises and the queue. Who is asked to give is in victims.cc.
#include "wheelpit/memory/broker.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "wheelpit/core/byte_size.h"
#include "wheelpit/core/error.h"

namespace wheelpit::memory {

using core::ErrorKind;
using core::FormatByteSize;

namespace {

void FireAll(const std::vector<core::Signal>& signals) {
  for (const core::Signal& signal : signals) {
    signal.Fire();
  }
}

/// What harvesting must leave.
int64_t Kept(const OperatorState& op) {
  return op.Cover(std::max(op.used_level(), op.promised.load()));
}

constexpr std::string_view kUnreserved = "reserve before allocating, or give it more";

// A limit as an error tells it: what is typed from there must do, so whole MiB, which
// are printed exactly.
std::string Enough(int64_t bytes) {
  constexpr int64_t kMiB = int64_t{1} << 20;
  return FormatByteSize((bytes + kMiB - 1) / kMiB * kMiB);
}

arrow::Status TooSmall(const QueryState& query, int64_t enough) {
  return core::Error(ErrorKind::kMemoryLimit, "query ", query.name, " needs at least ",
                     Enough(enough), " of memory to run, its limit is ",
                     FormatByteSize(query.limit), "; set memory.limit to at least ",
                     Enough(enough));
}

}  // namespace

int64_t Waiter::WantedLevel() const {
  return op == nullptr ? 0 : op->used_level() + bytes;
}

int64_t Waiter::Need(int64_t level) const {
  return op == nullptr ? query->AdmissionNeed()
                       : std::max<int64_t>(op->Cover(level) - op->reserved.load(), 0);
}

Broker::~Broker() {
  while (passes_due_.load() > 0) {
    std::this_thread::yield();  // A pass that found nobody any more is about to end.
  }
  auto state = state_.Lock();
  WHEELPIT_CHECK(state->queries.empty(), "a memory budget ended before its queries");
}

// --- Counting ---

void Broker::Count(State& state, QueryState& query, int64_t bytes) {
  query.used += bytes;
  query.peak = std::max(query.peak, query.used);
  state.used += bytes;
  state.peak = std::max(state.peak, state.used);
}

bool Broker::Fits(const State& state, const QueryState& query, int64_t bytes) const {
  return bytes <= query.limit - query.used && bytes <= limit_bytes_ - state.used;
}

bool Broker::Raise(State& state, OperatorState& op, int64_t level) {
  const int64_t more = op.Cover(level) - op.reserved.load();
  if (more <= 0) {
    return true;
  }
  if (!op.query->admitted || !Fits(state, *op.query, more)) {
    return false;
  }
  Count(state, *op.query, more);
  op.reserved.fetch_add(more);
  return true;
}

void Broker::Harvest(State& state, OperatorState& op) {
  if (!op.query->admitted) {
    return;
  }
  const int64_t before = op.reserved.load();
  const int64_t kept = Kept(op);
  if (kept >= before) {
    return;
  }
  op.reserved.store(kept);
  // An allocation that did not see the lower value yet is seen here.
  const int64_t after = std::clamp(Kept(op), kept, before);
  op.reserved.store(after);
  Count(state, *op.query, after - before);
}

void Broker::HarvestAll(State& state) {
  for (QueryState* query : state.queries) {
    for (OperatorState* op : query->operators) {
      Harvest(state, *op);
    }
  }
}

bool Broker::Take(State& state, OperatorState& op, int64_t size) {
  int64_t raw = op.used.load();
  do {
    if (!Raise(state, op, (raw & ~kDraining) + size)) {
      return false;
    }
    // No harvest can come between: it needs the lock.
  } while (!op.used.compare_exchange_weak(raw, raw + size));
  return true;
}

arrow::Status Broker::Grow(OperatorState* op, int64_t size) {
  for (bool caches_dropped = false;; caches_dropped = true) {
    int64_t need = 0;
    {
      auto state = state_.Lock();
      if (Take(*state, *op, size)) {
        return arrow::Status::OK();
      }
      HarvestAll(*state);
      if (Take(*state, *op, size)) {
        return arrow::Status::OK();
      }
      need = op->Cover(op->used_level() + size) - op->reserved.load();
      if (caches_dropped) {
        return LimitError(*state, *op, need, kUnreserved);
      }
    }
    DropCaches(nullptr, need);
  }
}

bool Broker::TryGrow(OperatorState* op, int64_t size) {
  auto state = state_.Lock();
  return state->parked.empty() && Take(*state, *op, size);
}

void Broker::ReleaseUnused(OperatorState* op) {
  op->promised.store(0);
  {
    auto state = state_.Lock();
    Giver& giver = *op->giver;
    Harvest(*state, *op);
    if (giver.ask >= Giver::Ask::kCalling) {
      Answer(giver);
    } else if (op->used_level() < giver.spent_level) {
      giver.spent_level = -1;  // It gives after all.
    }
  }
  if (anybody_waits()) {
    Run();
  }
}

void Broker::SetRunning(OperatorState* op, bool running) {
  {
    auto state = state_.Lock();
    op->running = running;
  }
  if (!running && anybody_waits()) {
    Run();
  }
}

core::Wait Broker::Drained(OperatorState* op) {
  auto state = state_.Lock();
  if (op->used.fetch_or(kDraining) == 0) {
    op->used.fetch_and(~kDraining);
    return core::Wait();
  }
  if (!op->drained) {
    op->drained.emplace();
  }
  return op->drained->wait();
}

void Broker::OnDrained(OperatorState* op) {
  std::optional<core::Signal> drained;
  {
    auto state = state_.Lock();
    int64_t expected = kDraining;
    // Unless something was allocated meanwhile; then a later free comes here.
    if (op->used.compare_exchange_strong(expected, 0)) {
      drained.swap(op->drained);
    }
  }
  if (drained) {
    drained->Fire();
  }
}

// --- The queue ---

void Broker::Park(State& state, Waiter& waiter) {
  if (waiter.ticket == 0) {
    waiter.ticket = ++state.last_ticket;
  }
  ++state.park_count;
  waiter.parked = true;
  waiter.signal = core::Signal();
  const auto place = std::upper_bound(
      state.parked.begin(), state.parked.end(), &waiter,
      [](const Waiter* a, const Waiter* b) { return a->ticket < b->ticket; });
  state.parked.insert(place, &waiter);
  parked_count_.store(static_cast<int64_t>(state.parked.size()));
}

void Broker::Unpark(State& state, Waiter& waiter) {
  if (waiter.parked) {
    waiter.parked = false;
    std::erase(state.parked, &waiter);
    parked_count_.store(static_cast<int64_t>(state.parked.size()));
  }
}

void Broker::Grant(State& state, Waiter& waiter, int64_t level, Signals* signals) {
  QueryState& query = *waiter.query;
  if (waiter.op != nullptr) {
    OperatorState& op = *waiter.op;
    op.promised.store(level);
    WHEELPIT_CHECK(Raise(state, op, level), "memory granted that is not there");
  } else {
    Count(state, query, query.AdmissionNeed());
    query.minimum = query.minimum_wanted;
    if (!query.admitted) {
      query.admitted = true;
      for (OperatorState* op : query.operators) {
        op->reserved.store(op->minimum);
      }
    }
  }
  Unpark(state, waiter);
  waiter.ticket = 0;
  signals->push_back(waiter.signal);
}

std::vector<Broker::Shortage> Broker::Serve(State& state, Signals* signals) {
  std::vector<Shortage> shortages;
  bool process_is_short = false;
  const auto is_short = [&](const QueryState* query) {
    return std::any_of(shortages.begin(), shortages.end(),
                       [&](const Shortage& shortage) { return shortage.scope == query; });
  };
  const std::vector<Waiter*> queue = state.parked;
  for (Waiter* waiter : queue) {
    QueryState* const query = waiter->query;
    const int64_t level = waiter->WantedLevel();
    const int64_t need = waiter->Need(level);
    if (need > 0 && is_short(query)) {
      continue;
    }
    const int64_t free_in_query = query->limit - query->used;
    const int64_t free_in_process = limit_bytes_ - state.used;
    if (need > free_in_query) {
      shortages.push_back(
          {.scope = query, .head = waiter, .missing = need - free_in_query});
    } else if (need == 0 || (need <= free_in_process && !process_is_short)) {
      Grant(state, *waiter, level, signals);
    } else if (!process_is_short) {
      shortages.push_back(
          {.scope = nullptr, .head = waiter, .missing = need - free_in_process});
      process_is_short = true;
    }
  }
  return shortages;
}

arrow::Result<bool> Broker::Reserve(OperatorState* op, int64_t bytes, core::Wait* wait) {
  Signals signals;
  bool served = false;
  {
    auto state = state_.Lock();
    QueryState& query = *op->query;
    Waiter& waiter = op->waiter;
    op->promised.store(0);
    Unpark(*state, waiter);
    if (!waiter.failure.ok()) {
      waiter.ticket = 0;
      return std::exchange(waiter.failure, arrow::Status::OK());
    }
    if (!query.admitted) {
      *wait = query.waiter.signal.wait();
      return false;
    }
    const int64_t alone = query.set_aside() + op->Cover(bytes) - op->minimum;
    if (alone > query.limit) {
      waiter.ticket = 0;
      return LimitError(*state, *op, alone - query.used, "even alone it does not fit");
    }
    query.failing = false;
    waiter.bytes = bytes;
    const int64_t level = waiter.WantedLevel();
    if (waiter.Need(level) > 0 && SendBackToReclaim(*op)) {
      *wait = core::Wait();
      return false;
    }
    if (state->parked.empty() && Raise(*state, *op, level)) {
      op->promised.store(level);
      waiter.ticket = 0;
      return true;
    }
    Park(*state, waiter);
    if (!Serve(*state, &signals).empty()) {
      HarvestAll(*state);
      Serve(*state, &signals);
    }
    served = !waiter.parked;
    *wait = waiter.signal.wait();
  }
  FireAll(signals);
  if (!served) {
    Run();
  }
  return served;
}

// --- Who there is ---

arrow::Status Broker::AddQuery(QueryState* query) {
  query->limit = query->limit == 0 ? limit_bytes_ : std::min(query->limit, limit_bytes_);
  if (query->minimum > query->limit) {
    return TooSmall(*query, query->minimum);
  }
  Signals signals;
  {
    auto state = state_.Lock();
    query->id = ++state->last_query;
    query->waiter.query = query;
    query->minimum_wanted = query->minimum;
    state->queries.push_back(query);
    QueueAdmission(*state, *query, &signals);
  }
  FireAll(signals);
  if (anybody_waits()) {
    Run();
  }
  return arrow::Status::OK();
}

void Broker::QueueAdmission(State& state, QueryState& query, Signals* signals) {
  Park(state, query.waiter);
  if (!Serve(state, signals).empty()) {
    HarvestAll(state);
    Serve(state, signals);
  }
}

arrow::Status Broker::RaiseMinimum(QueryState* query, int64_t minimum_bytes) {
  Signals signals;
  {
    auto state = state_.Lock();
    WHEELPIT_CHECK(!query->waiter.parked, "two admissions of a query at once");
    HarvestAll(*state);
    query->minimum_wanted = std::max(query->minimum, minimum_bytes);
    if (query->AdmissionNeed() > query->limit - query->used) {
      const int64_t enough = query->used + query->AdmissionNeed();
      query->minimum_wanted = query->minimum;
      return TooSmall(*query, enough);
    }
    QueueAdmission(*state, *query, &signals);
  }
  FireAll(signals);
  if (anybody_waits()) {
    Run();
  }
  return arrow::Status::OK();
}

void Broker::RemoveQuery(QueryState* query) {
  {
    auto state = state_.Lock();
    WHEELPIT_CHECK(query->operators.empty(),
                   "a query's budget ended before an operator's");
    Unpark(*state, query->waiter);
    if (query->admitted) {
      Count(*state, *query, -query->used);
    }
    std::erase(state->queries, query);
  }
  if (anybody_waits()) {
    Run();
  }
}

arrow::Status Broker::AddOperator(OperatorState* op) {
  QueryState& query = *op->query;
  for (bool caches_dropped = false;; caches_dropped = true) {
    int64_t more = 0;
    {
      auto state = state_.Lock();
      const int64_t before = query.set_aside();
      query.minimum_of_operators += op->minimum;
      more = query.set_aside() - before;
      if (query.admitted && !Fits(*state, query, more)) {
        HarvestAll(*state);
      }
      if (query.admitted ? Fits(*state, query, more) : query.set_aside() <= query.limit) {
        if (query.admitted) {
          Count(*state, query, more);
          op->reserved.store(op->minimum);
        }
        op->waiter.query = &query;
        op->waiter.op = op;
        query.operators.push_back(op);
        return arrow::Status::OK();
      }
      query.minimum_of_operators -= op->minimum;
      if (caches_dropped) {
        return LimitError(*state, *op, more,
                          "its minimum was not part of what the query was admitted with");
      }
    }
    DropCaches(nullptr, more);
  }
}

void Broker::RemoveOperator(OperatorState* op) {
  WHEELPIT_CHECK(op->used_level() == 0,
                 "memory of operator '" + op->name +
                     "' is still in use: " + std::to_string(op->used_level()) + " bytes");
  Retire(op->giver);
  {
    auto state = state_.Lock();
    QueryState& query = *op->query;
    Unpark(*state, op->waiter);
    std::erase(query.operators, op);
    const int64_t before = query.set_aside();
    query.minimum_of_operators -= op->minimum;
    if (query.admitted) {
      const int64_t above_minimum = op->reserved.load() - op->minimum;
      Count(*state, query, query.set_aside() - before - above_minimum);
    }
  }
  if (anybody_waits()) {
    Run();
  }
}

void Broker::Retire(const std::shared_ptr<Giver>& giver) {
  while (true) {
    {
      auto state = state_.Lock();
      giver->spillable = nullptr;
      if (giver->calls == 0) {
        return;
      }
    }
    // Another thread is inside the spillable, where it only sets a flag.
    std::this_thread::yield();
  }
}

core::Wait Broker::Admitted(const QueryState& query) {
  auto state = state_.Lock();
  return query.waiter.parked ? query.waiter.signal.wait() : core::Wait();
}

arrow::Status Broker::Admission(const QueryState& query) {
  auto state = state_.Lock();
  return query.waiter.failure;
}

int64_t Broker::used_bytes(const QueryState& query) {
  auto state = state_.Lock();
  return query.used;
}

int64_t Broker::peak_bytes(const QueryState& query) {
  auto state = state_.Lock();
  return query.peak;
}

// --- Telling ---

std::vector<Holder> Broker::LargestHolders(const State& state, const QueryState* scope,
                                           int count_max) const {
  std::vector<Holder> holders;
  for (const QueryState* query : state.queries) {
    if (scope != nullptr && query != scope) {
      continue;
    }
    for (const OperatorState* op : query->operators) {
      holders.push_back({.query = query->name,
                         .name = op->name,
                         .bytes = op->reserved.load(),
                         .can_spill = op->giver->spillable != nullptr});
    }
  }
  std::stable_sort(holders.begin(), holders.end(),
                   [](const Holder& a, const Holder& b) { return a.bytes > b.bytes; });
  if (static_cast<int64_t>(holders.size()) > count_max) {
    holders.resize(static_cast<size_t>(count_max));
  }
  return holders;
}

std::vector<Holder> Broker::Holders(int count_max) {
  auto state = state_.Lock();
  return LargestHolders(*state, nullptr, count_max);
}

namespace {

std::string Listed(const std::vector<Holder>& holders) {
  std::string text;
  for (const Holder& holder : holders) {
    text += (text.empty() ? "" : ", ") + holder.name + " of " + holder.query + " " +
            FormatByteSize(holder.bytes) +
            (holder.can_spill ? " (can spill)" : " (cannot spill)");
  }
  return text.empty() ? "none" : text;
}

}  // namespace

arrow::Status Broker::AdmissionError(const State& state, const QueryState& query) const {
  return core::Error(
      ErrorKind::kMemoryLimit, "query ", query.name, " needs ",
      FormatByteSize(query.AdmissionNeed()),
      " more to run beside others that wait for memory too, and the process's memory "
      "limit is ",
      FormatByteSize(limit_bytes_), "; the largest holders are ",
      Listed(LargestHolders(state, nullptr, 3)),
      "; run it again when they have ended, or "
      "with a limit of ",
      Enough(state.used + query.AdmissionNeed()), " (memory.limit)");
}

arrow::Status Broker::LimitError(const State& state, const OperatorState& op,
                                 int64_t need, std::string_view why) const {
  const QueryState& query = *op.query;
  const bool of_query = need > query.limit - query.used;
  // Who asks before it allocates tells all that it needs; else more may follow.
  const bool reserved = why != kUnreserved;
  const int64_t limit = of_query ? query.limit : limit_bytes_;
  const int64_t enough = (of_query ? query.used : state.used) + need;
  return core::Error(ErrorKind::kMemoryLimit, "operator ", op.name, " of query ",
                     query.name, " needs ", FormatByteSize(need), " more, and the ",
                     of_query ? "query's" : "process's", " memory limit is ",
                     FormatByteSize(limit), ": ", why, "; the largest holders are ",
                     Listed(LargestHolders(state, of_query ? &query : nullptr, 3)),
                     "; a limit of ", reserved ? "" : "at least ", Enough(enough),
                     reserved ? " would do (memory.limit)" : " is needed (memory.limit)");
}

}  // namespace wheelpit::memory
