// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/memory/budget.h"

#include <algorithm>
#include <utility>

#include "wheelpit/core/byte_size.h"
#include "wheelpit/core/error.h"
#include "wheelpit/memory/broker.h"

namespace wheelpit::memory {

using core::ErrorKind;

// --- The process ---

struct ProcessBudget::Impl {
  Impl(int64_t limit_bytes, arrow::MemoryPool* pool)
      : broker(limit_bytes), backend(pool) {}
  Broker broker;
  arrow::MemoryPool* backend;
};

struct QueryBudget::Impl {
  Broker* broker = nullptr;
  arrow::MemoryPool* backend = nullptr;
  QueryState query;
};

arrow::Result<std::unique_ptr<ProcessBudget>> ProcessBudget::Make(
    int64_t limit_bytes, arrow::MemoryPool* backend) {
  if (limit_bytes < 1) {
    return core::Error(ErrorKind::kConfiguration,
                       "memory.limit must be at least 1 byte, got ", limit_bytes);
  }
  return std::unique_ptr<ProcessBudget>(
      new ProcessBudget(std::make_unique<Impl>(limit_bytes, backend)));
}

ProcessBudget::ProcessBudget(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ProcessBudget::~ProcessBudget() = default;

arrow::Result<std::unique_ptr<QueryBudget>> ProcessBudget::MakeQuery(
    std::string name, int64_t limit_bytes, int64_t minimum_bytes) {
  auto impl = std::make_unique<QueryBudget::Impl>();
  impl->broker = &impl_->broker;
  impl->backend = impl_->backend;
  impl->query.name = std::move(name);
  impl->query.limit = limit_bytes;
  impl->query.minimum = minimum_bytes;
  ARROW_RETURN_NOT_OK(impl_->broker.AddQuery(&impl->query));
  return std::unique_ptr<QueryBudget>(new QueryBudget(std::move(impl)));
}

int64_t ProcessBudget::limit_bytes() const {
  return impl_->broker.limit_bytes();
}

int64_t ProcessBudget::used_bytes() const {
  return impl_->broker.used_bytes();
}

int64_t ProcessBudget::peak_bytes() const {
  return impl_->broker.peak_bytes();
}

int64_t ProcessBudget::cache_bytes() const {
  return impl_->broker.cache_bytes();
}

std::vector<Holder> ProcessBudget::Holders(int count_max) const {
  return impl_->broker.Holders(count_max);
}

// --- A query ---

QueryBudget::QueryBudget(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

QueryBudget::~QueryBudget() {
  impl_->broker->RemoveQuery(&impl_->query);
}

core::Wait QueryBudget::admitted() const {
  return impl_->broker->Admitted(impl_->query);
}

arrow::Status QueryBudget::admission() const {
  return impl_->broker->Admission(impl_->query);
}

arrow::Status QueryBudget::RaiseMinimum(int64_t minimum_bytes) {
  return impl_->broker->RaiseMinimum(&impl_->query, minimum_bytes);
}

const std::string& QueryBudget::name() const {
  return impl_->query.name;
}

int64_t QueryBudget::limit_bytes() const {
  return impl_->query.limit;
}

int64_t QueryBudget::used_bytes() const {
  return impl_->broker->used_bytes(impl_->query);
}

int64_t QueryBudget::peak_bytes() const {
  return impl_->broker->peak_bytes(impl_->query);
}

// --- An operator ---

struct OperatorBudget::Impl {
  Broker* broker = nullptr;
  arrow::MemoryPool* backend = nullptr;
  OperatorState op;
  /// Reserve has said no and not yes since. Of the operator's own thread.
  bool request_open = false;

  std::atomic<int64_t> external{0};
  std::atomic<int64_t> peak{0};
  std::atomic<int64_t> total{0};
  std::atomic<int64_t> count{0};

  /// Adds what the reservation allows, without a lock.
  bool AddReserved(int64_t size) {
    int64_t used = op.used.load();
    do {
      // Also when kDraining is set.
      if (used + size > op.reserved.load()) {
        return false;
      }
    } while (!op.used.compare_exchange_weak(used, used + size));
    if (used + size > op.reserved.load()) {
      Subtract(size);  // Harvested between the two looks.
      return false;
    }
    NotePeak(used + size);
    return true;
  }

  arrow::Status Add(int64_t size) {
    if (!AddReserved(size)) {
      ARROW_RETURN_NOT_OK(broker->Grow(&op, size));
      NotePeak(op.used_level());
    }
    return arrow::Status::OK();
  }

  void Subtract(int64_t size) {
    Broker* const the_broker = broker;
    const int64_t reserved = op.reserved.load();
    const int64_t minimum = op.minimum;
    const int64_t left = op.used.fetch_sub(size) - size;
    // From here on *this may be gone, unless this was the free that a drain waits for.
    if (left == kDraining) {
      the_broker->OnDrained(&op);
    }
    if (the_broker->anybody_waits() &&
        reserved - std::max(left & ~kDraining, minimum) >= kStepBytes) {
      the_broker->Run();
    }
  }

  void NotePeak(int64_t level) {
    // Relaxed: a figure, which orders nothing.
    int64_t seen = peak.load(std::memory_order_relaxed);
    while (seen < level &&
           !peak.compare_exchange_weak(seen, level, std::memory_order_relaxed)) {
    }
  }

  void CountAllocation(int64_t size) {
    // Relaxed: figures, as above.
    total.fetch_add(size, std::memory_order_relaxed);
    count.fetch_add(1, std::memory_order_relaxed);
  }

  arrow::Status Named(const arrow::Status& status) const {
    return core::WithContext(status,
                             "operator " + op.name + " of query " + op.query->name);
  }
};

arrow::Result<std::unique_ptr<OperatorBudget>> QueryBudget::MakeOperator(
    std::string name, int64_t minimum_bytes, Spillable* spillable, int driver) {
  auto impl = std::make_unique<OperatorBudget::Impl>();
  impl->broker = impl_->broker;
  impl->backend = impl_->backend;
  OperatorState& op = impl->op;
  op.query = &impl_->query;
  op.name = std::move(name);
  op.minimum = minimum_bytes;
  op.driver = driver;
  op.giver = std::make_shared<Giver>();
  op.giver->spillable = spillable;
  op.giver->cost_per_byte = spillable != nullptr ? spillable->cost_per_byte() : 1.0;
  op.giver->op = &op;
  ARROW_RETURN_NOT_OK(impl->broker->AddOperator(&op));
  return std::unique_ptr<OperatorBudget>(new OperatorBudget(std::move(impl)));
}

OperatorBudget::OperatorBudget(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

OperatorBudget::~OperatorBudget() {
  impl_->broker->RemoveOperator(&impl_->op);
}

arrow::Result<bool> OperatorBudget::Reserve(int64_t bytes, core::Wait* wait) {
  WHEELPIT_DCHECK(bytes >= 0, "a reservation of negative size");
  OperatorState& op = impl_->op;
  if (!impl_->request_open) {
    const int64_t level = op.used_level() + bytes;
    op.promised.store(level);
    if (level <= op.reserved.load()) {
      // The promise before may have been a larger one.
      if (impl_->broker->anybody_waits() && op.reserved.load() > op.Cover(level)) {
        impl_->broker->Run();
      }
      return true;
    }
  }
  auto served = impl_->broker->Reserve(&op, bytes, wait);
  impl_->request_open = served.ok() && !*served;
  return served;
}

void OperatorBudget::ReleaseUnusedReservation() {
  impl_->broker->ReleaseUnused(&impl_->op);
}

void OperatorBudget::SetRunning(bool running) {
  impl_->broker->SetRunning(&impl_->op, running);
}

arrow::Status OperatorBudget::Allocate(int64_t size, int64_t alignment, uint8_t** out) {
  if (size < 0) {
    return arrow::Status::Invalid("negative allocation size");
  }
  ARROW_RETURN_NOT_OK(impl_->Add(size));
  const arrow::Status status = impl_->backend->Allocate(size, alignment, out);
  if (!status.ok()) [[unlikely]] {
    const arrow::Status named = impl_->Named(status);
    impl_->Subtract(size);
    return named;
  }
  impl_->CountAllocation(size);
  return arrow::Status::OK();
}

arrow::Status OperatorBudget::Reallocate(int64_t old_size, int64_t new_size,
                                         int64_t alignment, uint8_t** ptr) {
  if (new_size < 0) {
    return arrow::Status::Invalid("negative allocation size");
  }
  const int64_t more = new_size - old_size;
  if (more > 0) {
    ARROW_RETURN_NOT_OK(impl_->Add(more));
  }
  const arrow::Status status =
      impl_->backend->Reallocate(old_size, new_size, alignment, ptr);
  if (!status.ok()) [[unlikely]] {
    const arrow::Status named = impl_->Named(status);
    if (more > 0) {
      impl_->Subtract(more);
    }
    return named;
  }
  if (more > 0) {
    impl_->CountAllocation(more);
  } else if (more < 0) {
    impl_->Subtract(-more);
  }
  return arrow::Status::OK();
}

void OperatorBudget::Free(uint8_t* buffer, int64_t size, int64_t alignment) {
  impl_->backend->Free(buffer, size, alignment);
  impl_->Subtract(size);
}

void OperatorBudget::ReleaseUnused() {
  ReleaseUnusedReservation();
  impl_->backend->ReleaseUnused();
}

int64_t OperatorBudget::bytes_allocated() const {
  return impl_->op.used_level() - impl_->external.load();
}

int64_t OperatorBudget::max_memory() const {
  return impl_->peak.load();
}

int64_t OperatorBudget::total_bytes_allocated() const {
  return impl_->total.load();
}

int64_t OperatorBudget::num_allocations() const {
  return impl_->count.load();
}

std::string OperatorBudget::backend_name() const {
  return impl_->backend->backend_name();
}

arrow::Status OperatorBudget::CountExternal(int64_t bytes) {
  WHEELPIT_DCHECK(bytes >= 0, "external memory of negative size");
  ARROW_RETURN_NOT_OK(impl_->Add(bytes));
  impl_->external.fetch_add(bytes);
  return arrow::Status::OK();
}

bool OperatorBudget::TryCountExternal(int64_t bytes) {
  if (!impl_->broker->TryGrow(&impl_->op, bytes)) {
    return false;
  }
  impl_->NotePeak(impl_->op.used_level());
  impl_->external.fetch_add(bytes);
  return true;
}

void OperatorBudget::UncountExternal(int64_t bytes) {
  impl_->external.fetch_sub(bytes);
  impl_->Subtract(bytes);
}

core::Wait OperatorBudget::drained() {
  return impl_->broker->Drained(&impl_->op);
}

int64_t OperatorBudget::reserved_bytes() const {
  return impl_->op.reserved.load();
}

}  // namespace wheelpit::memory
