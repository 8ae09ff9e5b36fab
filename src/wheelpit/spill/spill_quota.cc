// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/spill/spill_quota.h"

#include "wheelpit/core/byte_size.h"
#include "wheelpit/core/error.h"

namespace wheelpit::spill {

SpillReservation& SpillReservation::operator=(SpillReservation&& other) noexcept {
  std::swap(quota_, other.quota_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

SpillReservation::~SpillReservation() {
  if (quota_ != nullptr) {
    quota_->GiveBack(bytes_);
  }
}

SpillQuota::SpillQuota(SpillQuotaOptions options, SpillQuota* parent)
    : options_(std::move(options)), parent_(parent) {}

SpillQuota::~SpillQuota() {
  WHEELPIT_DCHECK(used_bytes() == 0, "a spill quota ended before its reservations");
}

arrow::Result<SpillReservation> SpillQuota::Reserve(int64_t bytes) {
  for (SpillQuota* quota = this; quota != nullptr; quota = quota->parent_) {
    if (quota->TryTake(bytes)) {
      continue;
    }
    const int64_t used = quota->used_bytes();
    for (SpillQuota* taken = this; taken != quota; taken = taken->parent_) {
      taken->used_bytes_.fetch_sub(bytes);
    }
    const auto& options = quota->options_;
    return core::Error(
        core::ErrorKind::kSpillLimit, "spill limit of ", options.owner,
        " reached: ", core::FormatByteSize(options.limit_bytes), " allowed, ",
        core::FormatByteSize(used), " in use, ", core::FormatByteSize(bytes),
        " more needed; raise ", options.setting,
        ", or the memory limit so that less is spilled (what is in use comes back when "
        "its query ends)");
  }
  return SpillReservation(this, bytes);
}

bool SpillQuota::TryTake(int64_t bytes) {
  int64_t used = used_bytes_.load();
  do {
    if (bytes > options_.limit_bytes - used) {
      return false;
    }
  } while (!used_bytes_.compare_exchange_weak(used, used + bytes));
  int64_t peak = peak_bytes_.load();
  while (peak < used + bytes && !peak_bytes_.compare_exchange_weak(peak, used + bytes)) {
  }
  return true;
}

void SpillQuota::GiveBack(int64_t bytes) {
  for (SpillQuota* quota = this; quota != nullptr; quota = quota->parent_) {
    quota->used_bytes_.fetch_sub(bytes);
  }
}

}  // namespace wheelpit::spill
