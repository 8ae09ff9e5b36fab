// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/exec/scan/page_selector.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include <arrow/buffer.h>

#include "wheelpit/core/error.h"

namespace wheelpit::exec {

namespace {

using index::ParquetChunk;
using index::ParquetRowGroup;
using index::RowRange;

// A read more before the first page: less than this is read whole sooner.
constexpr int64_t kUnitBytesMin = int64_t{1} << 20;

std::string_view TextOf(const arrow::Buffer& buffer) {
  return {reinterpret_cast<const char*>(buffer.data()),
          static_cast<size_t>(buffer.size())};
}

int64_t EndRow(const std::vector<index::PageLocation>& pages, size_t page,
               int64_t row_count) {
  return page + 1 < pages.size() ? pages[page + 1].first_row : row_count;
}

// Calls use(page) for each page that has one of the rows.
template <typename Use>
void ForPagesOf(const std::vector<index::PageLocation>& pages, int64_t row_count,
                const std::vector<RowRange>& rows, Use use) {
  size_t range = 0;
  for (size_t page = 0; page < pages.size(); ++page) {
    while (range < rows.size() && rows[range].end <= pages[page].first_row) ++range;
    if (range == rows.size()) return;
    if (rows[range].begin < EndRow(pages, page, row_count)) use(page);
  }
}

}  // namespace

std::vector<ByteRange> BytesOfRows(const ParquetChunk& chunk,
                                   const std::vector<index::PageLocation>& pages,
                                   int64_t row_count, const std::vector<RowRange>& rows) {
  std::vector<ByteRange> ranges;
  const auto add = [&](int64_t offset, int64_t size_bytes) {
    if (!ranges.empty() && ranges.back().offset + ranges.back().size_bytes == offset) {
      ranges.back().size_bytes += size_bytes;
    } else {
      ranges.push_back({offset, size_bytes});
    }
  };
  if (const int64_t before = pages[0].offset - chunk.offset(); before > 0) {
    add(chunk.offset(), before);
  }
  ForPagesOf(pages, row_count, rows,
             [&](size_t page) { add(pages[page].offset, pages[page].size_bytes); });
  return ranges;
}

PageSelector::PageSelector(const index::Table& table, const index::Predicate& predicate,
                           const Moving& moving, Fetcher* fetcher,
                           core::MetricSet* metrics)
    : table_(table),
      any_term_(!predicate.empty()),
      pruner_(table, predicate),
      moving_(moving),
      fetcher_(fetcher),
      metrics_(metrics) {
  if (moving_.predicate != nullptr) {
    moved_ = {{.column = moving_.predicate->column(),
               .op = index::PredicateOp::kIsNotNull,
               .literals = {}}};
    moving_pruner_.emplace(table_, moved_);
  }
}

bool PageSelector::WorthReading(const index::ScanUnit& unit) const {
  int64_t bytes = 0;
  for (int i = unit.first_row_group; i < unit.last_row_group; ++i) {
    const auto& chunks = file_->footer->row_groups[static_cast<size_t>(i)].chunks;
    for (const int leaf : leaves_) {
      bytes += chunks[static_cast<size_t>(leaf)].compressed_bytes;
    }
  }
  return bytes >= kUnitBytesMin;
}

void PageSelector::Enter(const index::ScanUnit& unit, std::shared_ptr<ScanFile> handle,
                         std::vector<int> leaves) {
  fetch_ = nullptr;
  file_ = &table_.files[static_cast<size_t>(unit.file)];
  first_row_group_ = unit.first_row_group;
  if (moving_pruner_.has_value()) moving_leaves_ = moving_pruner_->Enter(*file_);
  if (!any_term_ && (moving_leaves_.empty() || !moving_.pages)) return;
  leaves_ = std::move(leaves);
  const auto& row_groups = file_->footer->row_groups;
  std::erase_if(leaves_, [&](int leaf) {
    return std::any_of(
        row_groups.begin(), row_groups.end(), [&](const ParquetRowGroup& row_group) {
          return !row_group.chunks[static_cast<size_t>(leaf)].has_offset_index();
        });
  });
  const auto readable = [&](const std::vector<int>& of_values) {
    return std::all_of(of_values.begin(), of_values.end(), [&](int leaf) {
      return std::find(leaves_.begin(), leaves_.end(), leaf) != leaves_.end();
    });
  };
  filter_leaves_ = pruner_.Enter(*file_);
  if (!readable(filter_leaves_)) filter_leaves_.clear();
  if (!moving_.pages || !readable(moving_leaves_)) moving_leaves_.clear();
  value_leaves_.clear();
  std::set_union(filter_leaves_.begin(), filter_leaves_.end(), moving_leaves_.begin(),
                 moving_leaves_.end(), std::back_inserter(value_leaves_));
  if (value_leaves_.empty() || !WorthReading(unit)) return;
  fetch_ = std::make_shared<Fetch>();
  fetch_->file = std::move(handle);
  for (int i = unit.first_row_group; i < unit.last_row_group; ++i) {
    const auto& chunks = row_groups[static_cast<size_t>(i)].chunks;
    for (const int leaf : value_leaves_) {
      const ParquetChunk& chunk = chunks[static_cast<size_t>(leaf)];
      fetch_->ranges.push_back({chunk.column_index_offset, chunk.column_index_bytes});
    }
    for (const int leaf : leaves_) {
      const ParquetChunk& chunk = chunks[static_cast<size_t>(leaf)];
      fetch_->ranges.push_back({chunk.offset_index_offset, chunk.offset_index_bytes});
    }
  }
  fetcher_->Start({fetch_});
}

std::optional<core::Wait> PageSelector::pending() const {
  if (fetch_ == nullptr || fetch_->done.fired()) return std::nullopt;
  return fetch_->done.wait();
}

arrow::Status PageSelector::Move() {
  if (moving_.predicate == nullptr || moving_.predicate->version() == version_) {
    return arrow::Status::OK();
  }
  version_ = moving_.predicate->version();
  ARROW_ASSIGN_OR_RAISE(auto moved, moving_.predicate->Now(moving_.pool));
  moving_pruner_.reset();
  moved_ = std::move(moved);
  moving_pruner_.emplace(table_, moved_);
  return arrow::Status::OK();
}

arrow::Result<PageSelection> PageSelector::Select(int row_group) {
  ARROW_RETURN_NOT_OK(Move());
  const auto& group = file_->footer->row_groups[static_cast<size_t>(row_group)];
  if (version_ > 0) {
    moving_pruner_->Enter(*file_);
    if (!moving_pruner_->RowGroupMayMatch(group)) return PageSelection{};
  }
  if (fetch_ == nullptr) {
    return PageSelection{.rows = {{0, group.row_count}}, .pages = {}};
  }
  ARROW_RETURN_NOT_OK(fetch_->status);
  auto selection = SelectByIndex(row_group);
  if (!selection.ok()) {
    return core::WithContext(selection.status(),
                             file_->path + ": row group " + std::to_string(row_group));
  }
  return selection;
}

arrow::Result<PageSelection> PageSelector::SelectByIndex(int row_group) {
  const ParquetRowGroup& group =
      file_->footer->row_groups[static_cast<size_t>(row_group)];
  const int64_t of_one = std::ssize(value_leaves_) + std::ssize(leaves_);
  const auto buffer = fetch_->buffers.begin() + (row_group - first_row_group_) * of_one;
  PageSelection selection;
  for (size_t i = 0; i < leaves_.size(); ++i) {
    const int leaf = leaves_[i];
    const auto& bytes = *buffer[std::ssize(value_leaves_) + static_cast<int64_t>(i)];
    ARROW_ASSIGN_OR_RAISE(
        auto pages,
        index::DecodeOffsetIndex(TextOf(bytes), group.chunks[static_cast<size_t>(leaf)],
                                 group.row_count));
    selection.pages[leaf] =
        std::make_shared<const std::vector<index::PageLocation>>(std::move(pages));
  }
  const auto indexes_of = [&](const std::vector<int>& leaves) {
    std::vector<index::PagePruner::LeafIndex> indexes;
    for (const int leaf : leaves) {
      const auto at = std::find(value_leaves_.begin(), value_leaves_.end(), leaf);
      indexes.push_back(
          {TextOf(*buffer[at - value_leaves_.begin()]), selection.pages[leaf].get()});
    }
    return indexes;
  };
  ARROW_ASSIGN_OR_RAISE(selection.rows, pruner_.Rows(group, indexes_of(filter_leaves_)));
  if (version_ > 0) {
    ARROW_ASSIGN_OR_RAISE(const auto rows,
                          moving_pruner_->Rows(group, indexes_of(moving_leaves_)));
    selection.rows = index::Intersect(selection.rows, rows);
  }
  int64_t pruned = 0;
  for (const auto& [leaf, pages] : selection.pages) {
    pruned += std::ssize(*pages);
    ForPagesOf(*pages, group.row_count, selection.rows, [&](size_t) { --pruned; });
  }
  metrics_->Add(core::Metric::kPagesPruned, pruned);
  if (pruned == 0) selection.pages.clear();
  return selection;
}

}  // namespace wheelpit::exec
