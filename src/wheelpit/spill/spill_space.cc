// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/spill/spill_space.h"

#include <utility>

#include <arrow/buffer.h>

#include "wheelpit/core/error.h"
#include "wheelpit/spill/spill_store.h"

namespace wheelpit::spill {

SpillExtent::SpillExtent(std::shared_ptr<SpillStore> store, SpillReservation reservation)
    : store_(std::move(store)), reservation_(std::move(reservation)) {}

SpillExtent& SpillExtent::operator=(SpillExtent&& other) noexcept {
  SpillExtent old(std::move(*this));  // frees what this was, at the end of the scope
  store_ = std::move(other.store_);
  reservation_ = std::move(other.reservation_);
  identity_ = other.identity_;
  directory_ = other.directory_;
  ranges_ = std::move(other.ranges_);
  payload_bytes_ = other.payload_bytes_;
  return *this;
}

// The place before the quota: whoever gets the quota next finds the place free. The quota
// before the store, which it lies in.
SpillExtent::~SpillExtent() {
  if (store_ != nullptr) {
    store_->Free(*this);
  }
}

arrow::Result<std::shared_ptr<arrow::Buffer>> SpillExtent::Read(
    arrow::MemoryPool* pool) const {
  WHEELPIT_CHECK(store_ != nullptr, "read of an extent that was moved from");
  return store_->Read(*this, pool);
}

std::unique_ptr<SpillSpace> SpillSpace::Make(SpillSpaceOptions options,
                                             const SpillHost& host) {
  return std::unique_ptr<SpillSpace>(new SpillSpace(std::move(options), host));
}

SpillSpace::SpillSpace(SpillSpaceOptions options, const SpillHost& host)
    : options_(std::move(options)), host_(host) {}

SpillSpace::~SpillSpace() = default;

arrow::Result<SpillExtent> SpillSpace::Write(uint64_t operator_id,
                                             std::span<const uint8_t> payload,
                                             core::MetricSet* metrics) {
  std::shared_ptr<SpillStore> store;
  {
    auto locked = store_.Lock();
    if (*locked == nullptr) {
      *locked = std::make_shared<SpillStore>(options_, host_);
    }
    store = *locked;
  }
  return SpillStore::Write(std::move(store), operator_id, payload, metrics);
}

int64_t SpillSpace::used_bytes() const {
  const auto spilled = store();
  return spilled == nullptr ? 0 : spilled->quota().used_bytes();
}

int64_t SpillSpace::peak_bytes() const {
  const auto spilled = store();
  return spilled == nullptr ? 0 : spilled->quota().peak_bytes();
}

int64_t SpillSpace::file_bytes() const {
  const auto spilled = store();
  return spilled == nullptr ? 0 : spilled->file_bytes();
}

int64_t SpillSpace::file_count() const {
  const auto spilled = store();
  return spilled == nullptr ? 0 : spilled->file_count();
}

std::vector<SpillDirectoryUse> SpillSpace::directory_use() const {
  const auto spilled = store();
  return spilled == nullptr ? std::vector<SpillDirectoryUse>() : spilled->directory_use();
}

}  // namespace wheelpit::spill
