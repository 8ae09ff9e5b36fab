// SPDX-License-Identifier: Apache-2.0
// Footers of files that did not change, kept from one query to the next. Owned by the
// engine; any thread may call anything. Counted in the process's memory budget, only from
// what nobody wants, and the first to go when somebody does: a query that holds a footer
// counts it itself.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include <arrow/result.h>

#include "wheelpit/core/guarded.h"
#include "wheelpit/fs/file_system.h"
#include "wheelpit/index/parquet_footer.h"
#include "wheelpit/memory/budget.h"

namespace wheelpit::index {

class FooterCache final : public memory::Spillable {
 public:
  /// `limit_bytes` bounds what footers, paths and schemas take; the least recently used
  /// goes first. `process` outlives the cache.
  static arrow::Result<std::unique_ptr<FooterCache>> Make(int64_t limit_bytes,
                                                          memory::ProcessBudget* process);
  ~FooterCache() override;

  /// The footer of a file that is still what it was: same path, size, time of change,
  /// device and inode. Null otherwise.
  std::shared_ptr<const ParquetFooter> Find(const fs::FileInfo& file);

  /// A file changed less than two seconds before `now_millis` (since 1970) is not taken:
  /// file systems tell times in steps as coarse as that, so another change could go
  /// unseen.
  void Insert(const fs::FileInfo& file, std::shared_ptr<const ParquetFooter> footer,
              int64_t now_millis);

  int64_t memory_bytes() const;
  int64_t entry_count() const;

  /// Drops the least recently used until `bytes` are free or nothing is left. The bytes
  /// freed.
  int64_t Release(int64_t bytes);

  int64_t reclaimable() const override { return memory_bytes(); }
  void RequestReclaim(int64_t bytes) override { Release(bytes); }
  double cost_per_byte() const override { return 0; }

 private:
  struct Entry {
    fs::FileInfo file;
    std::shared_ptr<const ParquetFooter> footer;
    int64_t bytes = 0;
  };
  using Entries = std::list<Entry>;
  struct State {
    Entries entries;  ///< the most recently used first
    std::unordered_map<std::string_view, Entries::iterator> by_path;
    /// Footers that share a schema: its bytes count once.
    std::unordered_map<const ParquetSchema*, int64_t> schema_users;
    int64_t bytes = 0;
  };

  explicit FooterCache(int64_t limit_bytes) : limit_bytes_(limit_bytes) {}
  static void Drop(State& state, Entries::iterator entry);
  static int64_t ShrinkTo(State& state, int64_t bytes);

  const int64_t limit_bytes_;
  mutable core::Guarded<State> state_;
  std::unique_ptr<memory::QueryBudget> query_;
  std::unique_ptr<memory::OperatorBudget> charge_;  // counts State::bytes
};

}  // namespace wheelpit::index
