// SPDX-License-Identifier: Apache-2.0
// Memory budgets: one per process, one per query below it, one per operator below that.
// An operator's budget is an arrow::MemoryPool, so that what Arrow allocates for it is
// counted too; it reserves from the query, and the query from the process, in steps of at
// least 1 MiB.
//
// When a reservation fails the broker (inside ProcessBudget) picks victims: clean caches
// first, then the operator with the lowest cost per byte freed. It only sets a flag in
// the victim, which gives memory back on its own thread at its next batch boundary. No
// callback runs under a lock. Waiters park, first in first out, and a waiting operator is
// itself reclaimable. When every driver that could give memory waits for some, and none
// can give any, one request fails, so that the others go on.
//
// Threads: every function of every class here may be called from any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <arrow/memory_pool.h>
#include <arrow/result.h>

#include "wheelpit/core/wait.h"

namespace wheelpit::memory {

/// Something that can give memory back, registered with the budget that counts it. A
/// cache is an operator too: one that runs on no driver (kNoDriver) and costs nothing to
/// drop.
class Spillable {
 public:
  virtual ~Spillable() = default;
  /// Bytes that a reclaim would free now; any thread asks, so it is an estimate.
  virtual int64_t reclaimable() const = 0;
  /// Asks for `bytes`. An operator sets a flag and returns: the work happens at its next
  /// batch boundary, and ends with OperatorBudget::ReleaseUnusedReservation, also when
  /// there was nothing to give. (If its driver is parked in Reserve, that wait becomes
  /// ready.) A cache drops at once. Called under no lock, and may call back into any
  /// budget, but must not destroy its own.
  virtual void RequestReclaim(int64_t bytes) = 0;
  /// Cost of freeing one byte, relative: 0 for clean caches, 1 for one write, more for
  /// redone work.
  virtual double cost_per_byte() const { return 1.0; }
};

/// For operators that run on no driver, such as caches: they give what they say that they
/// can, and nothing by going on.
inline constexpr int kNoDriver = -1;

struct Holder {
  std::string query;
  std::string name;  ///< of the operator
  int64_t bytes = 0;
  bool can_spill = false;
};

class QueryBudget;
class OperatorBudget;

class ProcessBudget {
 public:
  /// `backend` provides the memory and must outlive the budget.
  static arrow::Result<std::unique_ptr<ProcessBudget>> Make(int64_t limit_bytes,
                                                            arrow::MemoryPool* backend);
  ~ProcessBudget();

  /// Admits a query whose operators need `minimum_bytes` together; `limit_bytes` 0 means
  /// the process limit. When the minimum is beyond the limit: kMemoryLimit naming both.
  /// When other queries hold too much now: a budget that is not admitted yet
  /// (QueryBudget::admitted).
  arrow::Result<std::unique_ptr<QueryBudget>> MakeQuery(std::string name,
                                                        int64_t limit_bytes,
                                                        int64_t minimum_bytes);

  int64_t limit_bytes() const;
  int64_t used_bytes() const;  ///< reserved by queries
  int64_t peak_bytes() const;
  /// Of used_bytes what caches hold, which is there for whoever asks.
  int64_t cache_bytes() const;
  /// The largest first.
  std::vector<Holder> Holders(int count_max) const;

 private:
  friend class QueryBudget;
  friend class OperatorBudget;
  struct Impl;
  explicit ProcessBudget(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

class QueryBudget {
 public:
  ~QueryBudget();

  /// Ready once the sum of minimums fits beside the other queries, or never will
  /// (`admission` tells); drivers wait for it.
  core::Wait admitted() const;
  /// kMemoryLimit once the admission was given up: all that holds the memory waits for
  /// admission too.
  arrow::Status admission() const;
  /// Sets `minimum_bytes` in all aside for the operators made from now on: what is known
  /// only after planning. Wait for admitted() then. One at a time. kMemoryLimit, naming
  /// the limit that would do, when that is beyond the query's limit beside what its
  /// operators hold above their minimums now.
  arrow::Status RaiseMinimum(int64_t minimum_bytes);

  /// `minimum_bytes` is what the operator always gets: it is set aside at admission and
  /// can be allocated without asking. `spillable` may be null and must be unregistered
  /// (by destroying the budget) before it dies. `driver` tells which operators of the
  /// query run on one driver: when one of them waits, none of them can give memory back
  /// by going on. Every driver has budgets of its own, what serves no driver kNoDriver.
  arrow::Result<std::unique_ptr<OperatorBudget>> MakeOperator(std::string name,
                                                              int64_t minimum_bytes,
                                                              Spillable* spillable,
                                                              int driver = 0);

  const std::string& name() const;
  int64_t limit_bytes() const;
  int64_t used_bytes() const;
  int64_t peak_bytes() const;

 private:
  friend class ProcessBudget;
  friend class OperatorBudget;
  struct Impl;
  explicit QueryBudget(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// Allocates for one operator. An allocation that the budget does not allow fails with
/// kMemoryLimit, naming the three largest holders and the smallest budget that would do;
/// operators avoid that by reserving ahead. Allocations and frees come from any thread;
/// Reserve and ReleaseUnusedReservation from one thread at a time, the operator's own.
class OperatorBudget final : public arrow::MemoryPool {
 public:
  /// Everything must have been freed and uncounted (checked; see drained).
  ~OperatorBudget() override;

  /// Makes sure that `bytes` more can be allocated without failing, until the next call
  /// of this or of ReleaseUnusedReservation. True when they can, at once. False: the
  /// broker has been asked; park on *wait, do what RequestReclaim asked for meanwhile,
  /// and try again with the same number. kMemoryLimit when nobody is left who could give.
  arrow::Result<bool> Reserve(int64_t bytes, core::Wait* wait);
  /// Gives reserved bytes that are not allocated back, down to the minimum. Answers
  /// Spillable::RequestReclaim.
  void ReleaseUnusedReservation();

  using arrow::MemoryPool::Allocate;
  using arrow::MemoryPool::Free;
  using arrow::MemoryPool::Reallocate;
  arrow::Status Allocate(int64_t size, int64_t alignment, uint8_t** out) override;
  arrow::Status Reallocate(int64_t old_size, int64_t new_size, int64_t alignment,
                           uint8_t** ptr) override;
  void Free(uint8_t* buffer, int64_t size, int64_t alignment) override;
  void ReleaseUnused() override;
  int64_t bytes_allocated() const override;
  int64_t max_memory() const override;
  int64_t total_bytes_allocated() const override;
  int64_t num_allocations() const override;
  std::string backend_name() const override;

  /// Whether its driver is there, as it is from the beginning: one that ended, or is to
  /// come, gives nothing by going on.
  void SetRunning(bool running);

  /// Counts memory that does not come from this pool (footers, hash tables, codec
  /// contexts).
  arrow::Status CountExternal(int64_t bytes);
  /// As above for what can be done without: false, and nothing counted, when somebody
  /// would have to be asked to give memory or waits for some. Calls nobody back.
  bool TryCountExternal(int64_t bytes);
  void UncountExternal(int64_t bytes);

  /// Ready when nothing is allocated or counted (any more): then, and not before, the
  /// budget may be destroyed. For owners whose buffers end on other threads.
  core::Wait drained();

  int64_t reserved_bytes() const;

 private:
  friend class QueryBudget;
  struct Impl;
  explicit OperatorBudget(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace wheelpit::memory
