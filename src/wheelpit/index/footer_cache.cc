// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/index/footer_cache.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace wheelpit::index {

namespace {

constexpr int64_t kCoarsestTimeMillis = 2000;

// A list node, a hash node and the allocator's overhead of both.
constexpr int64_t kEntryBytes = sizeof(fs::FileInfo) + 160;

// Arrow's schema and Parquet's description are made of some dozen small objects a column,
// about this many times the bytes that the footer spends on the column.
constexpr int64_t kSchemaBytesPerByte = 32;

int64_t BytesOf(const ParquetSchema& schema) {
  return static_cast<int64_t>(schema.bytes.size()) * kSchemaBytesPerByte;
}

bool IsSameFile(const fs::FileInfo& a, const fs::FileInfo& b) {
  return a.size_bytes == b.size_bytes && a.mtime_nanos == b.mtime_nanos &&
         a.device == b.device && a.inode == b.inode;
}

}  // namespace

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
  auto state = state_.Lock();
  if (const auto known = state->by_path.find(file.path); known != state->by_path.end()) {
    Drop(*state, known->second);
  }
  if (!settled || bytes > limit_bytes_) {
    return;
  }
  const ParquetSchema* schema = footer->schema.get();
  state->entries.push_front({file, std::move(footer), bytes});
  state->by_path.emplace(state->entries.front().file.path, state->entries.begin());
  state->bytes += bytes;
  if (state->schema_users[schema]++ == 0) {
    state->bytes += BytesOf(*schema);
  }
  ShrinkTo(*state, limit_bytes_);
}

int64_t FooterCache::memory_bytes() {
  return state_.Lock()->bytes;
}

int64_t FooterCache::entry_count() {
  return static_cast<int64_t>(state_.Lock()->entries.size());
}

int64_t FooterCache::Release(int64_t bytes) {
  auto state = state_.Lock();
  return ShrinkTo(*state, std::max<int64_t>(0, state->bytes - bytes));
}

void FooterCache::Drop(State& state, Entries::iterator entry) {
  const ParquetSchema* schema = entry->footer->schema.get();
  state.bytes -= entry->bytes;
  if (--state.schema_users[schema] == 0) {
    state.schema_users.erase(schema);
    state.bytes -= BytesOf(*schema);
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
