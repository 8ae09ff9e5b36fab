// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/exec/scan/scan_source.h"

#include <algorithm>
#include <deque>
#include <optional>
#include <utility>

#include <arrow/array/array_base.h>
#include <arrow/array/util.h>
#include <arrow/scalar.h>
#include <arrow/type.h>
#include <parquet/schema.h>

#include "wheelpit/core/error.h"
#include "wheelpit/exec/scan/chunk_bytes.h"
#include "wheelpit/exec/scan/constant_column.h"
#include "wheelpit/exec/scan/fetcher.h"
#include "wheelpit/exec/scan/flat_column.h"
#include "wheelpit/exec/scan/nested_column.h"
#include "wheelpit/exec/scan/page_selector.h"
#include "wheelpit/exec/scan/row_group_reader.h"

namespace wheelpit::exec {

namespace {

using core::Metric;
using index::ParquetChunk;
using index::ParquetRowGroup;
using index::TableFile;

// Small row groups that one I/O task reads, at most: fewer wake-ups, and the first are
// decoded while the last are read.
constexpr size_t kStepsPerTaskMax = 16;
constexpr int64_t kTaskBytes = 512 << 10;
constexpr size_t kStepsAheadMax = 64;
constexpr int64_t kWindowBytesMin = 64 << 10;
// Read-ahead begins with this and doubles whenever the scan had to wait, up to
// prefetch_bytes: where reads are quick, the few buffers in turn stay in the cache.
constexpr int64_t kAheadBytesMin = 1 << 20;
// What the next batch takes: its values, and the pages that are decompressed for it.
constexpr int64_t kNextBatchBytes = 3 << 20;

// Where one wanted column of a file comes from.
struct ColumnPlace {
  std::shared_ptr<arrow::Scalar> constant;  // else leaves:
  int first_leaf = 0;
  int last_leaf = 0;  // one past
  bool flat = false;
  int field = -1;  // top-level, of the file
};

// A leaf column and its ranges of the fetch.
struct LeafRanges {
  int leaf = 0;
  size_t first = 0;
  size_t count = 0;
  bool flat = false;
};

// One row group that is or will be read.
struct ScanStep {
  const TableFile* file = nullptr;
  std::shared_ptr<ScanFile> handle;
  int row_group = 0;
  bool first_of_file = false;
  std::shared_ptr<const std::vector<ColumnPlace>> places;
  std::vector<RowFilter*> filters;
  PageSelection selection;
  std::vector<LeafRanges> leaves;
  std::shared_ptr<Fetch> fetch;  // null: no column of the file is wanted
  int64_t window_bytes = 0;
  int64_t bytes = 0;  // of the fetch

  const ParquetRowGroup& group() const {
    return file->footer->row_groups[static_cast<size_t>(row_group)];
  }
  index::PageLocations PagesOf(int leaf) const {
    const auto found = selection.pages.find(leaf);
    return found == selection.pages.end() ? nullptr : found->second;
  }
};

// Several filters over the same columns as one, so that a dictionary is looked up once.
class JointFilter final : public RowFilter {
 public:
  JointFilter(std::vector<RowFilter*> filters, arrow::MemoryPool* pool)
      : filters_(std::move(filters)), pool_(pool) {}

  const std::vector<int>& columns() const override { return filters_[0]->columns(); }
  bool may_fail() const override { return filters_[0]->may_fail(); }

  arrow::Result<int64_t> Evaluate(const arrow::ArrayVector& arrays, int64_t length,
                                  int32_t* rows) override {
    ARROW_ASSIGN_OR_RAISE(int64_t count, filters_[0]->Evaluate(arrays, length, rows));
    arrow::ArrayVector left;
    for (size_t i = 1; i < filters_.size() && count > 0; ++i) {
      rows_.assign(rows, rows + count);
      left.clear();
      for (const auto& array : arrays) {
        ARROW_ASSIGN_OR_RAISE(left.emplace_back(), TakePositions(array, rows_, pool_));
      }
      ARROW_ASSIGN_OR_RAISE(count, filters_[i]->Evaluate(left, count, rows));
      for (int64_t j = 0; j < count; ++j) rows[j] = rows_[static_cast<size_t>(rows[j])];
    }
    return count;
  }

 private:
  std::vector<RowFilter*> filters_;
  arrow::MemoryPool* pool_;
  std::vector<int32_t> rows_;
};

class ScanSource final : public Source {
 public:
  ScanSource(ScanOptions options, const core::Context& context)
      : options_(std::move(options)),
        pool_(context.pool),
        stop_(context.stop),
        fetcher_({.file_system = options_.table->file_system,
                  .pool = context.pool,
                  .io_tasks = options_.io_tasks,
                  .metrics = options_.metrics,
                  .stop = context.stop}),
        selector_(*options_.table, options_.predicate,
                  {.predicate = options_.moving.get(),
                   .pages = options_.moving_pages,
                   .pool = context.pool},
                  &fetcher_, options_.metrics) {
    arrow::FieldVector fields;
    for (const int position : options_.output) {
      fields.push_back(TableField(static_cast<size_t>(position)));
    }
    schema_ = arrow::schema(std::move(fields));
    ahead_bytes_max_ = std::min(kAheadBytesMin, options_.prefetch_bytes);
    OrderFilters();
  }

  ~ScanSource() override {
    for (const auto& step : ahead_) fetcher_.Close(step.handle);
    if (current_) fetcher_.Close(current_->handle);
  }

  arrow::Result<std::optional<core::Wait>> AtBoundary(bool input_ended) override;
  arrow::Result<Step> Next() override;

 private:
  const std::shared_ptr<arrow::Field>& TableField(size_t position) const {
    return options_.table->schema->field(options_.columns[position]);
  }

  void OrderFilters();
  std::vector<bool> WantedBy(const std::vector<RowFilter*>& filters) const;
  ColumnPlace PlaceOf(const TableFile& file, size_t position) const;
  bool EnterFile(const TableFile& file);
  bool EnterUnit();
  arrow::Result<bool> PlanStep();
  void PlanRanges(ScanStep* step) const;
  void PlanWindows(ScanStep* step) const;
  arrow::Status ReadAhead();
  arrow::Status Begin();
  arrow::Result<std::unique_ptr<ColumnReader>> MakeColumn(size_t position) const;
  ChunkBytes BytesOf(const LeafRanges& leaf) const;
  int64_t RowBytes() const;

  ScanOptions options_;
  arrow::MemoryPool* pool_;
  arrow::StopToken stop_;
  mutable Fetcher fetcher_;
  PageSelector selector_;
  std::shared_ptr<arrow::Schema> schema_;
  std::vector<std::unique_ptr<RowFilter>> joint_filters_;
  std::vector<RowFilter*> filters_;  // in the order in which they run

  // Planning: the next row group, and what is known of its file.
  size_t unit_ = 0;
  int row_group_ = -1;  // -1: the unit was not entered
  const TableFile* file_ = nullptr;
  bool file_may_match_ = true;
  bool first_of_file_ = false;  // of the next row group that is read
  std::shared_ptr<const std::vector<ColumnPlace>> places_;
  std::vector<RowFilter*> file_filters_;
  std::shared_ptr<ScanFile> handle_;

  std::optional<ScanStep> planned_;
  std::optional<core::Wait> index_wait_;  // why the last PlanStep had none
  std::deque<ScanStep> ahead_;            // being read, or read
  int64_t ahead_bytes_ = 0;
  int64_t ahead_bytes_max_ = 0;
  size_t steps_per_task_ = 1;

  std::optional<ScanStep> current_;
  std::unique_ptr<RowGroupReader> reader_;
};

// Cheap ones first: few columns, fixed width before strings. Those that can fail come
// last, in their own order, so that the others may keep the offending rows away.
void ScanSource::OrderFilters() {
  const auto cost = [&](const RowFilter* filter) {
    int sum = 0;
    for (const int position : filter->columns()) {
      const auto id = TableField(static_cast<size_t>(position))->type()->id();
      sum += arrow::is_primitive(id) ? 2 : arrow::is_decimal(id) ? 3 : 8;
    }
    return sum;
  };
  std::vector<std::vector<RowFilter*>> groups;
  for (const auto& filter : options_.filters) {
    const auto group = std::find_if(groups.begin(), groups.end(), [&](const auto& other) {
      return other[0]->columns() == filter->columns() &&
             other[0]->may_fail() == filter->may_fail();
    });
    if (group != groups.end()) {
      group->push_back(filter.get());
    } else {
      groups.push_back({filter.get()});
    }
  }
  for (auto& group : groups) {
    if (group.size() == 1) {
      filters_.push_back(group[0]);
      continue;
    }
    joint_filters_.push_back(std::make_unique<JointFilter>(std::move(group), pool_));
    filters_.push_back(joint_filters_.back().get());
  }
  const auto safe_end =
      std::stable_partition(filters_.begin(), filters_.end(),
                            [](const RowFilter* filter) { return !filter->may_fail(); });
  std::stable_sort(filters_.begin(), safe_end,
                   [&](RowFilter* a, RowFilter* b) { return cost(a) < cost(b); });
}

std::vector<bool> ScanSource::WantedBy(const std::vector<RowFilter*>& filters) const {
  std::vector<bool> wanted(options_.columns.size());
  for (const int position : options_.output) wanted[static_cast<size_t>(position)] = true;
  for (const RowFilter* filter : filters) {
    for (const int position : filter->columns()) {
      wanted[static_cast<size_t>(position)] = true;
    }
  }
  return wanted;
}

ColumnPlace ScanSource::PlaceOf(const TableFile& file, size_t position) const {
  const int column = options_.columns[position];
  const int field = (*file.column_map)[static_cast<size_t>(column)];
  ColumnPlace place;
  if (field <= -2) {
    place.constant = file.partition_values[static_cast<size_t>(-2 - field)];
    return place;
  }
  const auto& type = TableField(position)->type();
  const index::ParquetSchema& schema = *file.footer->schema;
  // A column of the null type has nothing to read either.
  if (field == -1 || schema.arrow->field(field)->type()->id() == arrow::Type::NA) {
    place.constant = arrow::MakeNullScalar(type);
    return place;
  }
  place.field = field;
  place.first_leaf = schema.first_leaf[static_cast<size_t>(field)];
  place.last_leaf = schema.first_leaf[static_cast<size_t>(field) + 1];
  const auto* root = schema.descriptor->group_node();
  place.flat = root->field(field)->is_primitive() && !root->field(field)->is_repeated();
  return place;
}

// False: its partition values alone make a filter false.
bool ScanSource::EnterFile(const TableFile& file) {
  file_ = &file;
  auto places = std::make_shared<std::vector<ColumnPlace>>();
  for (size_t i = 0; i < options_.columns.size(); ++i) {
    places->push_back(PlaceOf(file, i));
  }
  file_filters_.clear();
  for (RowFilter* filter : filters_) {
    arrow::ArrayVector arrays;
    for (const int position : filter->columns()) {
      const auto& constant = (*places)[static_cast<size_t>(position)].constant;
      if (constant == nullptr) break;
      auto array = arrow::MakeArrayFromScalar(*constant, 1, pool_);
      if (!array.ok()) break;
      arrays.push_back(*std::move(array));
    }
    int32_t row = 0;
    if (arrays.size() == filter->columns().size()) {
      const auto passed = filter->Evaluate(arrays, 1, &row);
      if (passed.ok() && *passed == 0) return false;
      if (passed.ok()) continue;
    }
    // What fails must fail for a row.
    file_filters_.push_back(filter);
  }
  places_ = std::move(places);
  return true;
}

// Makes the next unit that has rows the current one; false when there is none.
bool ScanSource::EnterUnit() {
  for (; unit_ < options_.split.size(); ++unit_) {
    const index::ScanUnit& unit = options_.split[unit_];
    const TableFile& file = options_.table->files[static_cast<size_t>(unit.file)];
    if (file_ != &file) file_may_match_ = EnterFile(file);
    if (!file_may_match_) continue;
    row_group_ = unit.first_row_group;
    first_of_file_ = unit.first_of_file;
    handle_ = std::make_shared<ScanFile>(file.path, file.size_bytes, options_.io_tasks);
    const std::vector<bool> wanted = WantedBy(file_filters_);
    std::vector<int> leaves;
    for (size_t i = 0; i < wanted.size(); ++i) {
      const ColumnPlace& place = (*places_)[i];
      if (wanted[i] && place.flat) leaves.push_back(place.first_leaf);
    }
    selector_.Enter(unit, handle_, std::move(leaves));
    return true;
  }
  return false;
}

// Makes the next row group planned_; false when there is none, or none yet: while the
// page index of its unit is on its way, which index_wait_ is for then.
arrow::Result<bool> ScanSource::PlanStep() {
  index_wait_.reset();
  if (planned_) return true;
  while (row_group_ >= 0 || EnterUnit()) {
    const index::ScanUnit& unit = options_.split[unit_];
    if (row_group_ >= unit.last_row_group) {
      ++unit_;
      row_group_ = -1;
      continue;
    }
    index_wait_ = selector_.pending();
    if (index_wait_) return false;
    ScanStep step{.file = file_,
                  .handle = handle_,
                  .row_group = row_group_++,
                  .places = places_,
                  .filters = file_filters_,
                  .selection = {},
                  .leaves = {},
                  .fetch = nullptr};
    if (step.group().row_count == 0) continue;
    ARROW_ASSIGN_OR_RAISE(step.selection, selector_.Select(step.row_group));
    if (step.selection.rows.empty()) {
      options_.metrics->Add(Metric::kRowGroupsPruned, 1);
      continue;
    }
    step.first_of_file = std::exchange(first_of_file_, false);
    PlanRanges(&step);
    if (step.fetch != nullptr) {
      step.fetch->close_file =
          row_group_ >= unit.last_row_group && step.window_bytes == 0;
    }
    planned_ = std::move(step);
    return true;
  }
  return false;
}

void ScanSource::PlanRanges(ScanStep* step) const {
  const std::vector<bool> wanted = WantedBy(step->filters);
  auto fetch = std::make_shared<Fetch>();
  fetch->file = step->handle;
  for (size_t i = 0; i < wanted.size(); ++i) {
    const ColumnPlace& place = (*step->places)[i];
    if (!wanted[i] || place.constant != nullptr) continue;
    for (int leaf = place.first_leaf; leaf < place.last_leaf; ++leaf) {
      const ParquetChunk& chunk = step->group().chunks[static_cast<size_t>(leaf)];
      const auto pages = step->selection.pages.find(leaf);
      std::vector<ByteRange> ranges = {{chunk.offset(), chunk.compressed_bytes}};
      if (pages != step->selection.pages.end()) {
        ranges = BytesOfRows(chunk, *pages->second, step->group().row_count,
                             step->selection.rows);
      }
      step->leaves.push_back({leaf, fetch->ranges.size(), ranges.size(), place.flat});
      fetch->ranges.insert(fetch->ranges.end(), ranges.begin(), ranges.end());
    }
  }
  if (step->leaves.empty()) return;
  step->fetch = std::move(fetch);
  for (const ByteRange& range : step->fetch->ranges) step->bytes += range.size_bytes;
  if (step->bytes > options_.prefetch_bytes) PlanWindows(step);
}

// Of a row group that is too large to be read at once: two windows for each column. Those
// of nested columns must be there whole for Arrow's reader.
void ScanSource::PlanWindows(ScanStep* step) const {
  step->window_bytes =
      std::max(options_.prefetch_bytes / (2 * static_cast<int64_t>(step->leaves.size())),
               kWindowBytesMin);
  step->bytes = 0;
  std::vector<ByteRange> ranges;
  for (LeafRanges& leaf : step->leaves) {
    ByteRange first = step->fetch->ranges[leaf.first];
    if (leaf.flat) first.size_bytes = std::min(first.size_bytes, step->window_bytes);
    leaf = {leaf.leaf, ranges.size(), 1, leaf.flat};
    ranges.push_back(first);
    step->bytes += first.size_bytes;
  }
  step->fetch->ranges = std::move(ranges);
}

// Keeps ahead_bytes_max_ on their way, in tasks of several small row groups.
arrow::Status ScanSource::ReadAhead() {
  if (!ahead_.empty() &&
      (ahead_bytes_ > ahead_bytes_max_ / 2 || ahead_.size() > kStepsAheadMax / 2)) {
    return arrow::Status::OK();
  }
  std::vector<std::shared_ptr<Fetch>> task;
  int64_t task_bytes = 0;
  const auto start = [&] {
    if (!task.empty()) steps_per_task_ = std::min(steps_per_task_ * 2, kStepsPerTaskMax);
    fetcher_.Start(std::exchange(task, {}));
    task_bytes = 0;
  };
  while (ahead_.size() < kStepsAheadMax) {
    ARROW_ASSIGN_OR_RAISE(const bool planned, PlanStep());
    if (!planned) break;
    if (!ahead_.empty() && ahead_bytes_ + planned_->bytes > ahead_bytes_max_) break;
    const ScanStep& step = ahead_.emplace_back(*std::exchange(planned_, std::nullopt));
    ahead_bytes_ += step.bytes;
    if (step.fetch == nullptr) continue;
    if (task.size() == steps_per_task_ || task_bytes + step.bytes > kTaskBytes) start();
    task.push_back(step.fetch);
    task_bytes += step.bytes;
  }
  start();
  return arrow::Status::OK();
}

ChunkBytes ScanSource::BytesOf(const LeafRanges& leaf) const {
  const ScanStep& step = *current_;
  const ParquetChunk& chunk = step.group().chunks[static_cast<size_t>(leaf.leaf)];
  std::vector<ChunkBytes::Window> windows;
  for (size_t i = leaf.first; i < leaf.first + leaf.count; ++i) {
    windows.push_back({step.fetch->ranges[i].offset, std::move(step.fetch->buffers[i])});
  }
  return ChunkBytes(&fetcher_, step.handle, {chunk.offset(), chunk.compressed_bytes},
                    std::move(windows), step.window_bytes);
}

arrow::Result<std::unique_ptr<ColumnReader>> ScanSource::MakeColumn(
    size_t position) const {
  const ScanStep& step = *current_;
  const ColumnPlace& place = (*step.places)[position];
  if (place.constant != nullptr) {
    return std::make_unique<ConstantColumn>(place.constant, pool_);
  }
  const auto first = std::find_if(
      step.leaves.begin(), step.leaves.end(),
      [&](const LeafRanges& ranges) { return ranges.leaf == place.first_leaf; });
  const auto leaf = static_cast<size_t>(place.first_leaf);
  const index::ParquetSchema& schema = *step.file->footer->schema;
  const PageStream::Options stream{
      .path = step.file->path,
      .column = TableField(position)->name(),
      .row_group = step.row_group,
      .row_count = step.group().row_count,
      .optional = schema.leaves[leaf].max_definition_level > 0,
      .pages = step.PagesOf(place.first_leaf),
      .pool = pool_,
      .metrics = options_.metrics};
  if (place.flat) {
    FlatColumn::Options options{.stream = stream,
                                .leaf = schema.leaves[leaf],
                                .descriptor = schema.descriptor->Column(place.first_leaf),
                                .type = TableField(position)->type(),
                                .growing = options_.dictionaries.empty()
                                               ? nullptr
                                               : options_.dictionaries[position].get()};
    return FlatColumn::Make(std::move(options), step.group().chunks[leaf],
                            BytesOf(*first));
  }
  NestedColumn::Options options{.path = step.file->path,
                                .column = TableField(position)->name(),
                                .row_group = step.row_group,
                                .batch_rows = options_.batch_rows,
                                .type = TableField(position)->type(),
                                .footer = step.file->footer,
                                .file_size = step.file->size_bytes,
                                .leaves = {},
                                .ranges = {},
                                .buffers = {},
                                .pool = pool_,
                                .metrics = options_.metrics};
  for (int i = place.first_leaf; i < place.last_leaf; ++i) {
    const size_t range = first->first + static_cast<size_t>(i - place.first_leaf);
    options.leaves.push_back(i);
    options.ranges.push_back(step.fetch->ranges[range]);
    options.buffers.push_back(std::move(step.fetch->buffers[range]));
  }
  return NestedColumn::Make(std::move(options));
}

// Of the columns read, as the footer has it: dictionary-coded ones look narrower.
int64_t ScanSource::RowBytes() const {
  int64_t bytes = 0;
  for (const LeafRanges& ranges : current_->leaves) {
    const auto leaf = static_cast<size_t>(ranges.leaf);
    bytes += current_->group().chunks[leaf].uncompressed_bytes;
  }
  return bytes / current_->group().row_count + 1;
}

// Makes the readers of the row group that has arrived.
arrow::Status ScanSource::Begin() {
  const ScanStep& step = *current_;
  if (step.fetch != nullptr) {
    ARROW_RETURN_NOT_OK(step.fetch->status);
    if (step.first_of_file) options_.metrics->Add(Metric::kFilesRead, 1);
    options_.metrics->Add(Metric::kRowGroupsRead, 1);
  }
  for (const index::RowRange& rows : step.selection.rows) {
    options_.metrics->Add(Metric::kRowsRead, rows.end - rows.begin);
  }
  const std::vector<bool> wanted = WantedBy(step.filters);
  std::vector<std::unique_ptr<ColumnReader>> columns(wanted.size());
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (!wanted[i]) continue;
    ARROW_ASSIGN_OR_RAISE(columns[i], MakeColumn(i));
  }
  RowGroupReader::Options options{.rows = step.selection.rows,
                                  .batch_rows = options_.batch_rows,
                                  .row_bytes = RowBytes(),
                                  .schema = schema_,
                                  .output = options_.output,
                                  .filters = step.filters,
                                  .pool = pool_};
  reader_ = std::make_unique<RowGroupReader>(std::move(options), std::move(columns));
  return arrow::Status::OK();
}

arrow::Result<std::optional<core::Wait>> ScanSource::AtBoundary(bool /*input_ended*/) {
  core::Wait wait;
  if (options_.budget != nullptr) {
    const auto reserved = options_.budget->Reserve(kNextBatchBytes, &wait);
    if (reserved.ok() && !*reserved) {
      return wait;
    }
    // Nobody can give it: it may do without, or the allocation that fails will say what
    // it needs.
  }
  return std::nullopt;
}

arrow::Result<Step> ScanSource::Next() {
  if (stop_.IsStopRequested()) {
    return core::Error(core::ErrorKind::kCancelled, "the query was cancelled");
  }
  while (true) {
    if (reader_ != nullptr) {
      ARROW_ASSIGN_OR_RAISE(Step step, reader_->Next());
      if (step.kind != Step::Kind::kEnd) return step;
      reader_.reset();
      if (current_->window_bytes > 0) fetcher_.Close(current_->handle);
      current_.reset();
    }
    ARROW_RETURN_NOT_OK(ReadAhead());
    if (ahead_.empty()) {
      // Not asked anew: what has arrived meanwhile is not planned yet.
      return index_wait_ ? Step::Waiting(*index_wait_) : Step::End();
    }
    ScanStep& next = ahead_.front();
    if (next.fetch != nullptr && !next.fetch->done.fired()) {
      ahead_bytes_max_ = std::min(ahead_bytes_max_ * 2, options_.prefetch_bytes);
      return Step::Waiting(next.fetch->done.wait());
    }
    current_ = std::move(next);
    ahead_bytes_ -= current_->bytes;
    ahead_.pop_front();
    ARROW_RETURN_NOT_OK(ReadAhead());
    ARROW_RETURN_NOT_OK(Begin());
  }
}

}  // namespace

arrow::Result<std::unique_ptr<Source>> MakeScanSource(ScanOptions options,
                                                      const core::Context& context) {
  WHEELPIT_CHECK(options.io_tasks != nullptr && options.metrics != nullptr &&
                 context.pool != nullptr && options.batch_rows > 0);
  return std::make_unique<ScanSource>(std::move(options), context);
}

}  // namespace wheelpit::exec
