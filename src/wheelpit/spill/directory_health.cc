// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/spill/directory_health.h"

#include <algorithm>
#include <utility>

#include "wheelpit/core/error.h"

namespace wheelpit::spill {

void DirectoryHealth::Out(arrow::Status reason, int64_t now_nanos) {
  auto locked = inner_.Lock();
  if (!usable_.exchange(false)) {
    return;  // another writer was first
  }
  full_.store(core::KindOf(reason) == core::ErrorKind::kDiskFull);
  locked->reason = std::move(reason);
  locked->probe_at_nanos = now_nanos + NextPause();
}

void DirectoryHealth::StillOut(int64_t now_nanos) {
  inner_.Lock()->probe_at_nanos = now_nanos + NextPause();
}

int64_t DirectoryHealth::NextPause() {
  const int64_t doublings = std::min<int64_t>(failures_.fetch_add(1), 8);
  return std::min(kPauseNanos << doublings, kLongestPauseNanos);
}

void DirectoryHealth::Back() {
  auto locked = inner_.Lock();
  locked->reason = arrow::Status::OK();
  full_.store(false);
  usable_.store(true);
}

bool DirectoryHealth::DueForProbe(int64_t now_nanos) const {
  return !usable() && now_nanos >= inner_.Lock()->probe_at_nanos;
}

}  // namespace wheelpit::spill
