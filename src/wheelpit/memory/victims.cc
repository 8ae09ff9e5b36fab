// SPDX-License-Identifier: Apache-2.0
// Deciding: who is asked to give when somebody waits, and what happens when nobody can.
#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

#include "wheelpit/core/error.h"
#include "wheelpit/memory/broker.h"

namespace wheelpit::memory {

namespace {

using Ask = Giver::Ask;

bool IsOf(const OperatorState& op, const QueryState* scope) {
  return scope == nullptr || op.query == scope;
}

bool IsClean(const Giver& giver) {
  return giver.cost_per_byte <= 0;
}

bool IsCache(const OperatorState* op) {
  return op->giver->spillable != nullptr && IsClean(*op->giver);
}

/// What it was asked for and did not give yet.
int64_t Pending(const Giver& giver) {
  if (giver.ask == Ask::kNone) {
    return 0;
  }
  const int64_t given = giver.reserved_when_asked - giver.op->reserved.load();
  return std::max<int64_t>(giver.asked_bytes - std::max<int64_t>(given, 0), 0);
}

bool MayBeAsked(const Giver& giver, const QueryState* scope) {
  if (giver.spillable == nullptr || giver.reclaimable <= 0 || giver.ask != Ask::kNone) {
    return false;
  }
  return IsOf(*giver.op, scope) && giver.op->query->admitted &&
         giver.op->used_level() > giver.spent_level;
}

bool DriverIsParked(const OperatorState& op) {
  const auto& operators = op.query->operators;
  return std::any_of(operators.begin(), operators.end(), [&](const OperatorState* other) {
    return other->driver == op.driver && other->waiter.parked;
  });
}

}  // namespace

int64_t Broker::cache_bytes() {
  auto state = state_.Lock();
  int64_t bytes = 0;
  for (const QueryState* query : state->queries) {
    for (const OperatorState* op : query->operators) {
      bytes += IsCache(op) ? op->reserved.load() : 0;
    }
  }
  return bytes;
}

void Broker::Run() {
  if (passes_due_.fetch_add(1) > 0) {
    return;  // Whoever is at it makes another pass.
  }
  int64_t seen = 0;
  do {
    seen = passes_due_.load();
    Pass();
  } while (!passes_due_.compare_exchange_strong(seen, 0));
}

void Broker::Pass() {
  std::vector<std::shared_ptr<Giver>> givers;
  uint64_t park_count = 0;
  Signals signals;
  const auto fire = [&signals] {
    for (const core::Signal& signal : std::exchange(signals, {})) {
      signal.Fire();
    }
  };
  {
    auto state = state_.Lock();
    HarvestAll(*state);
    if (!Serve(*state, &signals).empty()) {
      givers = Givers(*state);
    }
    park_count = state->park_count;
  }
  fire();
  Estimate(givers);
  std::vector<Request> requests;
  {
    auto state = state_.Lock();
    if (state->park_count != park_count) {
      // Decided without them would be wrong. Those who were served at once call no Run.
      passes_due_.fetch_add(1);
      return;
    }
    HarvestAll(*state);
    for (const Shortage& shortage : Serve(*state, &signals)) {
      if (Relieve(*state, shortage, givers, &requests, &signals)) {
        passes_due_.fetch_add(1);
        break;  // What is short is to be looked at anew.
      }
    }
  }
  fire();
  Deliver(requests);
}

std::vector<std::shared_ptr<Giver>> Broker::Givers(const State& state) const {
  std::vector<std::shared_ptr<Giver>> givers;
  for (const QueryState* query : state.queries) {
    for (const OperatorState* op : query->operators) {
      givers.push_back(op->giver);
    }
  }
  return givers;
}

void Broker::CallGiver(Giver& giver, const std::function<void(Spillable&)>& call) {
  Spillable* spillable = nullptr;
  {
    auto state = state_.Lock();
    spillable = giver.spillable;
    if (spillable == nullptr) {
      return;
    }
    ++giver.calls;
  }
  call(*spillable);
  auto state = state_.Lock();
  --giver.calls;
}

void Broker::Estimate(const std::vector<std::shared_ptr<Giver>>& givers) {
  for (const auto& giver : givers) {
    int64_t reclaimable = 0;
    double cost = 1;
    CallGiver(*giver, [&](Spillable& spillable) {
      reclaimable = spillable.reclaimable();
      cost = spillable.cost_per_byte();
    });
    auto state = state_.Lock();
    giver->reclaimable = reclaimable;
    giver->cost_per_byte = cost;
  }
}

// Asks for what is missing. When nobody is left to be asked or waited for, makes one
// waiter go on instead, with memory or with an error, and returns true.
bool Broker::Relieve(State& state, const Shortage& shortage,
                     const std::vector<std::shared_ptr<Giver>>& givers,
                     std::vector<Request>* requests, Signals* signals) {
  int64_t pending = 0;
  for (const auto& giver : givers) {
    if (giver->spillable != nullptr && IsOf(*giver->op, shortage.scope)) {
      pending += Pending(*giver);
    }
  }
  const size_t requests_before = requests->size();
  if (pending < shortage.missing) {
    Choose(shortage, shortage.missing - pending, givers, requests);
  }
  const bool help_is_coming = pending > 0 || requests->size() > requests_before;
  if (help_is_coming || MayGiveByGoingOn(state, shortage)) {
    return false;
  }
  return LetAnotherPass(state, shortage, signals) || FailOne(state, shortage, signals);
}

void Broker::Choose(const Shortage& shortage, int64_t missing,
                    const std::vector<std::shared_ptr<Giver>>& givers,
                    std::vector<Request>* requests) {
  std::vector<std::shared_ptr<Giver>> able;
  std::copy_if(givers.begin(), givers.end(), std::back_inserter(able),
               [&](const auto& giver) { return MayBeAsked(*giver, shortage.scope); });
  // Clean ones first, then those worth a spill, then by cost; of equals the largest,
  // which is the one that need not be asked again soon.
  std::sort(able.begin(), able.end(), [](const auto& a, const auto& b) {
    const auto key = [](const Giver& giver) {
      return std::tuple(!IsClean(giver), giver.reclaimable < kReclaimFloorBytes,
                        giver.cost_per_byte, -giver.reclaimable);
    };
    return key(*a) < key(*b);
  });
  const auto ask = [&](const std::shared_ptr<Giver>& giver) {
    // A quarter at least, so that one spill serves several requests.
    const int64_t bytes =
        std::min(giver->reclaimable, std::max(missing, giver->reclaimable / 4));
    giver->ask = Ask::kChosen;
    giver->asked_bytes = bytes;
    giver->reserved_when_asked = giver->op->reserved.load();
    giver->used_when_asked = giver->op->used_level();
    requests->push_back({giver, bytes});
    missing -= bytes;
  };
  for (const auto& giver : able) {
    if (IsClean(*giver) && missing > 0) {
      ask(giver);
    }
  }
  const auto enough = std::find_if(able.begin(), able.end(), [&](const auto& giver) {
    return giver->ask == Ask::kNone && giver->reclaimable >= missing;
  });
  if (missing > 0 && enough != able.end()) {
    ask(*enough);
  }
  for (const auto& giver : able) {
    if (giver->ask == Ask::kNone && missing > 0) {
      ask(giver);
    }
  }
}

void Broker::Deliver(const std::vector<Request>& requests) {
  for (const Request& request : requests) {
    Giver& giver = *request.giver;
    {
      auto state = state_.Lock();
      giver.ask = Ask::kCalling;
    }
    CallGiver(giver,
              [&](Spillable& spillable) { spillable.RequestReclaim(request.bytes); });
    Signals signals;
    {
      auto state = state_.Lock();
      if (giver.spillable == nullptr) {
        continue;
      }
      if (giver.ask != Ask::kCalling) {
        continue;  // It has answered already.
      }
      OperatorState& op = *giver.op;
      if (IsClean(giver) || op.driver == kNoDriver) {
        Answer(giver);
        continue;
      }
      giver.ask = Ask::kDelivered;
      for (OperatorState* mate : op.query->operators) {
        if (mate->driver == op.driver && mate->waiter.parked) {
          giver.ask = Ask::kReminded;
          Unpark(*state, mate->waiter);
          signals.push_back(mate->waiter.signal);
        }
      }
    }
    for (const core::Signal& signal : signals) {
      signal.Fire();
    }
  }
  if (!requests.empty()) {
    passes_due_.fetch_add(1);  // What was dropped at once, or is spent, decides anew.
  }
}

void Broker::Answer(Giver& giver) {
  const OperatorState& op = *giver.op;
  const bool gave = op.reserved.load() < giver.reserved_when_asked ||
                    op.used_level() < giver.used_when_asked;
  giver.ask = Ask::kNone;
  giver.spent_level = gave ? -1 : op.used_level();
}

// Called when a driver is about to park. True: it was asked to reclaim and may not have
// seen it yet. What it was reminded of and still did not do counts as done.
bool Broker::SendBackToReclaim(OperatorState& op) {
  bool send_back = false;
  for (OperatorState* mate : op.query->operators) {
    Giver& giver = *mate->giver;
    if (mate->driver != op.driver || giver.spillable == nullptr) {
      continue;
    }
    if (giver.ask == Ask::kDelivered) {
      giver.ask = Ask::kReminded;
      send_back = true;
    } else if (giver.ask == Ask::kReminded) {
      Answer(giver);
    }
  }
  return send_back;
}

// Whether somebody who waits for no memory holds some that the head of the queue could
// use: a driver will give it back by coming to an end, or wait for memory itself; a query
// of which nothing waits will end. What operators of the head's own query hold up to
// their minimum does not count, since it stays set aside for that query.
bool Broker::MayGiveByGoingOn(const State& state, const Shortage& shortage) const {
  for (const QueryState* query : state.queries) {
    if (!query->admitted || (shortage.scope != nullptr && query != shortage.scope)) {
      continue;
    }
    if (query->failing && query->used > 0) {
      return true;
    }
    if (query->waiter.parked) {
      continue;  // Nothing of it runs before it is admitted.
    }
    const auto& operators = query->operators;
    const bool own = query == shortage.head->query;
    const bool waits = std::any_of(operators.begin(), operators.end(),
                                   [](const auto* op) { return op->waiter.parked; });
    const bool caches =
        !operators.empty() && std::all_of(operators.begin(), operators.end(), IsCache);
    if (!own && !waits && !caches && query->used > 0) {
      return true;
    }
    for (const OperatorState* op : operators) {
      if (!IsCache(op) && op->driver != kNoDriver && op->running &&
          !DriverIsParked(*op) && op->reserved.load() - (own ? op->minimum : 0) > 0) {
        return true;
      }
    }
  }
  return false;
}

// Every driver that could give is parked behind the head. The first of them that fits is
// served before it: it goes on, and gives back at its end. A query that is not admitted
// yet is not, so that the head waits for those that run and for no others.
bool Broker::LetAnotherPass(State& state, const Shortage& shortage, Signals* signals) {
  for (Waiter* waiter : state.parked) {
    const int64_t level = waiter->WantedLevel();
    if (waiter->op != nullptr && IsOf(*waiter->op, shortage.scope) &&
        Fits(state, *waiter->query, waiter->Need(level))) {
      Grant(state, *waiter, level, signals);
      return true;
    }
  }
  return false;
}

// Nobody can give and everybody waits: the request of the youngest query fails, of its
// requests the largest.
bool Broker::FailOne(State& state, const Shortage& shortage, Signals* signals) {
  Waiter* chosen = nullptr;
  const auto key = [](const Waiter& waiter) {
    return std::tuple(waiter.query->id, waiter.bytes, waiter.ticket);
  };
  for (Waiter* waiter : state.parked) {
    // The admission of a query that holds nothing is in nobody's way.
    const bool holds = waiter->op != nullptr || waiter->query->used > 0;
    if (holds && (shortage.scope == nullptr || waiter->query == shortage.scope) &&
        (chosen == nullptr || key(*waiter) > key(*chosen))) {
      chosen = waiter;
    }
  }
  if (chosen == nullptr) {
    return false;  // What holds the memory runs no driver; it ends by itself.
  }
  chosen->failure =
      chosen->op == nullptr
          ? AdmissionError(state, *chosen->query)
          : LimitError(state, *chosen->op, chosen->Need(chosen->WantedLevel()),
                       "all who hold memory wait for more, and none can give any");
  chosen->query->failing = true;
  Unpark(state, *chosen);
  chosen->ticket = 0;
  signals->push_back(chosen->signal);
  return true;
}

void Broker::DropCaches(const QueryState* scope, int64_t bytes) {
  std::vector<std::shared_ptr<Giver>> givers;
  {
    auto state = state_.Lock();
    givers = Givers(*state);
  }
  Estimate(givers);
  for (const auto& giver : givers) {
    int64_t part = 0;
    {
      auto state = state_.Lock();
      if (giver->spillable != nullptr && IsClean(*giver) && IsOf(*giver->op, scope)) {
        part = std::min(bytes, giver->reclaimable);
      }
    }
    if (part > 0) {
      CallGiver(*giver, [&](Spillable& spillable) { spillable.RequestReclaim(part); });
      bytes -= part;
    }
  }
}

}  // namespace wheelpit::memory
