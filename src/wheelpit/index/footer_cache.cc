// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/index/footer_cache.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

namespace wheelpit::index {

namespace {

constexpr int64_t kCoarsestTimeMillis = 2000;

// A list node, a hash node and the allocator's overhead of both.
constexpr int64_t kEntryBytes = sizeof(fs::FileInfo) + 160;

bool IsSameFile(const fs::FileInfo& a, const fs::FileInfo& b) {
  return a.size_bytes == b.size_bytes && a.mtime_nanos == b.mtime_nanos &&
         a.device == b.device && a.inode == b.inode;
}

}  // namespace

arrow::Result<std::unique_ptr<FooterCache>> FooterCache::Make(
    int64_t limit_bytes, memory::ProcessBudget* process) {
  std::unique_ptr<FooterCache> cache(new FooterCache(limit_bytes));
  ARROW_ASSIGN_OR_RAISE(cache->query_, process->MakeQuery("process", 0, 0));
  ARROW_ASSIGN_OR_RAISE(
      cache->charge_,
      cache->query_->MakeOperator("footer cache", 0, cache.get(), memory::kNoDriver));
  return cache;
}

FooterCache::~FooterCache() {
  Release(std::numeric_limits<int64_t>::max());
}

std::shared_ptr<const ParquetFooter> FooterCache::Find(const fs::FileInfo& file) {
  auto state = state_.Lock();
  const auto known = state->by_path.find(file.path);
  if (known == state->by_path.end() || !IsSameFile(known->second->file, file)) {
    return nullptr;
  }
  state->entries.splice(state->entries.begin(), state->entries, known->second);
  return known->second->footer;
}

void FooterCache::Insert(const fs::FileInfo& file,
                         std::shared_ptr<const ParquetFooter> footer,
                         int64_t now_millis) {
  const bool settled = file.mtime_nanos / 1'000'000 <= now_millis - kCoarsestTimeMillis;
  const int64_t bytes =
      footer->memory_bytes() + kEntryBytes + static_cast<int64_t>(file.path.size());
  int64_t dropped = 0;
  {
    auto state = state_.Lock();
    if (const auto known = state->by_path.find(file.path);
        known != state->by_path.end()) {
      const int64_t before = state->bytes;
      Drop(*state, known->second);
      dropped = before - state->bytes;
    }
    const ParquetSchema* schema = footer->schema.get();
    const int64_t more =
        bytes + (state->schema_users.contains(schema) ? 0 : MemoryBytes(*schema));
    // TryCountExternal calls nobody back, so it may be called under this lock.
    if (settled && more <= limit_bytes_ && charge_->TryCountExternal(more)) {
      state->entries.push_front({file, std::move(footer), bytes});
      state->by_path.emplace(state->entries.front().file.path, state->entries.begin());
      ++state->schema_users[schema];
      state->bytes += more;
      dropped += ShrinkTo(*state, limit_bytes_);
    }
  }
  // Outside the lock: it may make the broker look around, which may come back here.
  charge_->UncountExternal(dropped);
}

int64_t FooterCache::memory_bytes() const {
  return state_.Lock()->bytes;
}

int64_t FooterCache::entry_count() const {
  return static_cast<int64_t>(state_.Lock()->entries.size());
}

int64_t FooterCache::Release(int64_t bytes) {
  int64_t dropped = 0;
  {
    auto state = state_.Lock();
    dropped = ShrinkTo(*state, std::max<int64_t>(0, state->bytes - bytes));
  }
  charge_->UncountExternal(dropped);
  return dropped;
}

void FooterCache::Drop(State& state, Entries::iterator entry) {
  const ParquetSchema* schema = entry->footer->schema.get();
  state.bytes -= entry->bytes;
  if (--state.schema_users[schema] == 0) {
    state.schema_users.erase(schema);
    state.bytes -= MemoryBytes(*schema);
  }
  state.by_path.erase(entry->file.path);
  state.entries.erase(entry);
}

int64_t FooterCache::ShrinkTo(State& state, int64_t bytes) {
  const int64_t before = state.bytes;
  while (state.bytes > bytes && !state.entries.empty()) {
    Drop(state, std::prev(state.entries.end()));
  }
  return before - state.bytes;
}

}  // namespace wheelpit::index
