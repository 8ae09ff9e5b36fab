// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/exec/scan/scan_fixture.h"

#include <numeric>

#include <arrow/array/array_dict.h>
#include <arrow/builder.h>
#include <arrow/scalar.h>
#include <parquet/arrow/writer.h>
#include <parquet/properties.h>

namespace wheelpit::exec {

std::shared_ptr<arrow::Buffer> WriteParquet(
    const arrow::Table& table, std::shared_ptr<parquet::WriterProperties> properties,
    int64_t row_group_rows, bool int96) {
  auto sink = arrow::io::BufferOutputStream::Create().ValueOrDie();
  parquet::ArrowWriterProperties::Builder arrow_properties;
  if (int96) arrow_properties.enable_deprecated_int96_timestamps();
  const auto status = parquet::arrow::WriteTable(
      table, arrow::default_memory_pool(), sink, row_group_rows, std::move(properties),
      arrow_properties.build());
  WHEELPIT_CHECK(status.ok());
  return sink->Finish().ValueOrDie();
}

std::shared_ptr<arrow::Array> Plain(const std::shared_ptr<arrow::Array>& array) {
  if (array->type_id() != arrow::Type::DICTIONARY) return array;
  WHEELPIT_CHECK(array->ValidateFull().ok());
  const auto& coded = static_cast<const arrow::DictionaryArray&>(*array);
  auto builder = arrow::MakeBuilder(coded.dictionary()->type()).ValueOrDie();
  for (int64_t i = 0; i < array->length(); ++i) {
    const auto value = array->IsNull(i)
                           ? arrow::MakeNullScalar(coded.dictionary()->type())
                           : *coded.dictionary()->GetScalar(coded.GetValueIndex(i));
    WHEELPIT_CHECK(builder->AppendScalar(*value).ok());
  }
  return builder->Finish().ValueOrDie();
}

ScannedTable::ScannedTable()
    : io_(core::ThreadPool::Make({.thread_count = 2, .role = core::ThreadRole::kIo})
              .ValueOrDie()) {
  table->name = "t";
  table->file_system = &file_system;
}

void ScannedTable::Add(const std::string& path, std::shared_ptr<arrow::Buffer> bytes) {
  arrow::io::BufferReader reader(bytes);
  int64_t bytes_read = 0;
  index::TableFile file;
  file.path = path;
  file.size_bytes = bytes->size();
  file.footer =
      index::ReadParquetFooter(reader, path, bytes->size(), nullptr, &bytes_read)
          .ValueOrDie();
  if (table->schema == nullptr) table->schema = file.footer->schema->arrow;
  auto map = std::make_shared<std::vector<int>>();
  for (const auto& field : table->schema->fields()) {
    map->push_back(file.footer->schema->arrow->GetFieldIndex(field->name()));
  }
  file.column_map = map;
  split.push_back({.file = static_cast<int>(table->files.size()),
                   .first_row_group = 0,
                   .last_row_group = static_cast<int>(file.footer->row_groups.size()),
                   .first_of_file = true});
  table->files.push_back(std::move(file));
  file_system.Put(path, std::move(bytes));
}

std::vector<int> ScannedTable::AllColumns() const {
  std::vector<int> all(static_cast<size_t>(table->schema->num_fields()));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

arrow::Result<std::shared_ptr<arrow::Table>> ScannedTable::Run(
    std::vector<int> columns, std::vector<std::unique_ptr<RowFilter>> filters,
    std::optional<std::vector<int>> output) {
  if (!output) {
    output.emplace(columns.size());
    std::iota(output->begin(), output->end(), 0);
  }
  arrow::FieldVector fields;
  for (const int i : *output) {
    fields.push_back(table->schema->field(columns[static_cast<size_t>(i)]));
  }
  metrics = std::make_unique<core::MetricSet>();
  core::TaskGroup io_tasks(io_.get());
  ScanOptions options{.table = table,
                      .columns = std::move(columns),
                      .filters = std::move(filters),
                      .predicate = predicate,
                      .moving = moving,
                      .output = *output,
                      .dictionaries = dictionaries,
                      .split = split,
                      .batch_rows = batch_rows,
                      .prefetch_bytes = prefetch_bytes,
                      .io_tasks = &io_tasks,
                      .metrics = metrics.get()};
  const core::Context context{.pool = pool, .io = io_.get(), .stop = stop};
  ARROW_ASSIGN_OR_RAISE(auto source, MakeScanSource(std::move(options), context));
  ARROW_ASSIGN_OR_RAISE(batches, RunToEnd(source.get()));
  source.reset();
  ARROW_RETURN_NOT_OK(io_tasks.Close());
  std::vector<std::shared_ptr<arrow::RecordBatch>> plain;
  for (const auto& batch : batches) {
    arrow::ArrayVector arrays;
    for (int i = 0; i < batch->num_columns(); ++i) {
      arrays.push_back(Plain(batch->column(i)));
    }
    plain.push_back(
        arrow::RecordBatch::Make(batch->schema(), batch->num_rows(), std::move(arrays)));
  }
  return arrow::Table::FromRecordBatches(arrow::schema(fields), plain);
}

arrow::Result<std::vector<std::shared_ptr<arrow::RecordBatch>>> RunToEnd(Source* source) {
  std::vector<std::shared_ptr<arrow::RecordBatch>> batches;
  for (;;) {
    ARROW_ASSIGN_OR_RAISE(Step step, source->Next());
    switch (step.kind) {
      case Step::Kind::kBatch:
        batches.push_back(std::move(step.batch));
        break;
      case Step::Kind::kWait:
        step.wait.Block();
        break;
      case Step::Kind::kYield:
        break;
      case Step::Kind::kEnd:
        return batches;
    }
  }
}

}  // namespace wheelpit::exec
