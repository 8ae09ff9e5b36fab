// SPDX-License-Identifier: Apache-2.0
// How many bytes may lie on disk. The process has one quota and every query one below it.
// Bytes are reserved before they are written and given back by the reservation's end, so
// that a gauge is what lies on disk plus what is being written, on every path. Any thread
// may call anything here; nothing blocks.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <utility>

#include <arrow/result.h>

namespace wheelpit::spill {

class SpillQuota;

/// Bytes taken from a quota and all above it, given back by the destructor. The quotas
/// must outlive it.
class SpillReservation {
 public:
  SpillReservation() = default;
  SpillReservation(SpillReservation&& other) noexcept
      : quota_(std::exchange(other.quota_, nullptr)), bytes_(other.bytes_) {}
  SpillReservation& operator=(SpillReservation&& other) noexcept;
  ~SpillReservation();

  int64_t bytes() const { return quota_ == nullptr ? 0 : bytes_; }

 private:
  friend class SpillQuota;
  SpillReservation(SpillQuota* quota, int64_t bytes) : quota_(quota), bytes_(bytes) {}
  SpillQuota* quota_ = nullptr;
  int64_t bytes_ = 0;
};

struct SpillQuotaOptions {
  std::string owner;    ///< for messages: "the process", "query 'q7'"
  std::string setting;  ///< the setting that raises the limit
  int64_t limit_bytes = 0;
};

class SpillQuota {
 public:
  /// `parent` may be null, else must outlive this.
  SpillQuota(SpillQuotaOptions options, SpillQuota* parent);
  /// Every reservation has ended (checked in dev builds).
  ~SpillQuota();
  SpillQuota(const SpillQuota&) = delete;
  SpillQuota& operator=(const SpillQuota&) = delete;

  /// Takes `bytes` here and in every quota above, or none at all: kSpillLimit naming the
  /// quota that is in the way, its limit and its use. No gauge is above its limit at any
  /// instant.
  arrow::Result<SpillReservation> Reserve(int64_t bytes);

  int64_t limit_bytes() const { return options_.limit_bytes; }
  int64_t used_bytes() const { return used_bytes_.load(); }
  int64_t peak_bytes() const { return peak_bytes_.load(); }

 private:
  friend class SpillReservation;
  bool TryTake(int64_t bytes);
  void GiveBack(int64_t bytes);  // here and above

  const SpillQuotaOptions options_;
  SpillQuota* const parent_;
  std::atomic<int64_t> used_bytes_{0};
  std::atomic<int64_t> peak_bytes_{0};
};

}  // namespace wheelpit::spill
