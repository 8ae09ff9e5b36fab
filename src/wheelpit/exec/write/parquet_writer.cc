// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <utility>

#include <arrow/memory_pool.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <parquet/arrow/writer.h>
#include <parquet/properties.h>

#include "wheelpit/core/error.h"
#include "wheelpit/exec/write/dictionary_choice.h"
#include "wheelpit/exec/write/parquet_library.h"
#include "wheelpit/exec/write/plain_columns.h"
#include "wheelpit/exec/write/sink_stream.h"
#include "wheelpit/exec/write/writers.h"
#include "wheelpit/plan/expression.h"

namespace wheelpit::exec {

namespace {

// Rows for one call of the library: with fewer its work for each call is felt (1,024
// rows: 1.7 times the CPU), with more nothing is gained.
constexpr int64_t kSliceRows = 8192;
constexpr int64_t kSliceBytes = 1 << 20;

int64_t LeafCount(const arrow::DataType& type) {
  if (type.num_fields() == 0) {
    return 1;
  }
  int64_t count = 0;
  for (const auto& field : type.fields()) {
    count += LeafCount(*field->type());
  }
  return count;
}

class ParquetWriter final : public FormatWriter {
 public:
  ParquetWriter(const SchemaPtr& schema, const FormatWriterOptions& options,
                ByteSink* sink)
      : schema_(PlainSchema(*schema)),
        coded_(!schema_->Equals(*schema, /*check_metadata=*/false)),
        options_(options),
        pool_(options.pool),
        stream_(std::make_shared<SinkStream>(sink)) {}

  // Nothing: what is written first depends on the first rows.
  arrow::Status Begin() override { return arrow::Status::OK(); }

  arrow::Status Write(const arrow::RecordBatch& batch) override {
    if (batch.num_rows() == 0) {
      return arrow::Status::OK();
    }
    ARROW_RETURN_NOT_OK(Open(&batch));
    const int64_t step = std::min(kSliceRows, RowsOf(batch, kSliceBytes));
    for (int64_t first = 0; first < batch.num_rows();) {
      if (group_rows_ == options_.format.row_group_rows || FilledGroup()) {
        ARROW_RETURN_NOT_OK(CatchParquet([&] { return writer_->NewBufferedRowGroup(); }));
        group_rows_ = 0;
      }
      const int64_t rows = std::min(
          {step, batch.num_rows() - first, options_.format.row_group_rows - group_rows_});
      ARROW_ASSIGN_OR_RAISE(const auto slice,
                            coded_ ? PlainRows(*batch.Slice(first, rows), &pool_)
                                   : batch.Slice(first, rows));
      ARROW_RETURN_NOT_OK(
          Explained(CatchParquet([&] { return writer_->WriteRecordBatch(*slice); })));
      group_rows_ += rows;
      first += rows;
    }
    return arrow::Status::OK();
  }

  arrow::Status Finish() override {
    ARROW_RETURN_NOT_OK(Open(nullptr));
    return CatchParquet([&] { return writer_->Close(); });
  }

  // Also what opening refuses is known before the first row.
  arrow::Status CheckSchema() {
    if (schema_->num_fields() == 0) {
      return core::Error(core::ErrorKind::kInvalidSql,
                         "a Parquet file has one column at least");
    }
    for (const auto& field : schema_->fields()) {
      // The writer that is made here writes nothing.
      class Nowhere final : public ByteSink {
        arrow::Status Write(std::string_view) override { return arrow::Status::OK(); }
      } nowhere;
      std::unique_ptr<parquet::arrow::FileWriter> writer;
      const auto status = CatchParquet([&] {
        return parquet::arrow::FileWriter::Open(*arrow::schema({field}), &pool_,
                                                std::make_shared<SinkStream>(&nowhere),
                                                Properties(nullptr),
                                                ParquetArrowProperties())
            .Value(&writer);
      });
      if (!status.ok()) {
        return core::Error(core::ErrorKind::kUnsupported, "column ", field->name(),
                           " of type ", plan::TypeName(*field->type()),
                           " cannot be written as Parquet; cast it");
      }
    }
    return CheckNamesDiffer(*schema_, "a Parquet file");
  }

 private:
  // Bytes held and encoded until the group ends.
  bool FilledGroup() const {
    if (group_rows_ == 0) {
      return false;
    }
    const int64_t held = pool_.bytes_allocated();
    // The library has a column twice when a group ends.
    return held >= options_.memory_bytes / 5 * 3 ||
           held >= options_.format.row_group_bytes * 2;
  }

  arrow::Status Open(const arrow::RecordBatch* first) {
    if (writer_ != nullptr) {
      return arrow::Status::OK();
    }
    return CatchParquet([&] {
      return parquet::arrow::FileWriter::Open(*schema_, &pool_, stream_,
                                              Properties(first), ParquetArrowProperties())
          .Value(&writer_);
    });
  }

  std::shared_ptr<parquet::WriterProperties> Properties(const arrow::RecordBatch* first) {
    int64_t leaves = 0;
    for (const auto& field : schema_->fields()) {
      leaves += LeafCount(*field->type());
    }
    // A column holds a page, what the page was made of and a dictionary.
    constexpr int64_t kPageLeast = 8 << 10;
    constexpr int64_t kPageMost = 1 << 20;
    const int64_t page_bytes =
        std::clamp(options_.memory_bytes / 6 / leaves, kPageLeast, kPageMost);
    parquet::WriterProperties::Builder builder;
    SetParquetProperties(options_, &pool_, &builder);
    builder.data_pagesize(page_bytes)->dictionary_pagesize_limit(page_bytes);
    for (int i = 0; first != nullptr && i < first->num_columns(); ++i) {
      if (!WorthDictionary(*first->column(i))) {
        builder.disable_dictionary(schema_->field(i)->name());
      }
    }
    return builder.build();
  }

  static arrow::Status Explained(const arrow::Status& status) {
    return status.ok() ? status : core::WithContext(status, "writing rows as Parquet");
  }

  const SchemaPtr schema_;
  const bool coded_;  // rows come with dictionaries or views
  const FormatWriterOptions options_;
  arrow::ProxyMemoryPool pool_;  // counts what the library holds
  const std::shared_ptr<SinkStream> stream_;
  std::unique_ptr<parquet::arrow::FileWriter> writer_;
  int64_t group_rows_ = 0;
};

}  // namespace

parquet::Compression::type ParquetCodecOf(plan::FileCodec codec) {
  switch (codec) {
    case plan::FileCodec::kNone:
      return parquet::Compression::UNCOMPRESSED;
    case plan::FileCodec::kSnappy:
      return parquet::Compression::SNAPPY;
    case plan::FileCodec::kZstd:
      return parquet::Compression::ZSTD;
    case plan::FileCodec::kGzip:
      return parquet::Compression::GZIP;
    case plan::FileCodec::kLz4:
      return parquet::Compression::LZ4;  // LZ4_RAW in the file
  }
  return parquet::Compression::SNAPPY;
}

void SetParquetProperties(const FormatWriterOptions& options, arrow::MemoryPool* pool,
                          parquet::WriterProperties::Builder* builder) {
  builder->memory_pool(pool)
      ->created_by("wheelpit version 0.1.0")
      ->compression(ParquetCodecOf(options.format.codec))
      ->max_row_group_length(options.format.row_group_rows)
      ->enable_store_decimal_as_integer()
      ->enable_write_page_index();
  if (options.format.codec_level != 0) {
    builder->compression_level(options.format.codec_level);
  }
}

std::shared_ptr<parquet::WriterProperties> ParquetProperties(
    const FormatWriterOptions& options, arrow::MemoryPool* pool) {
  parquet::WriterProperties::Builder builder;
  SetParquetProperties(options, pool, &builder);
  return builder.build();
}

std::shared_ptr<parquet::ArrowWriterProperties> ParquetArrowProperties() {
  return parquet::ArrowWriterProperties::Builder()
      .coerce_timestamps(arrow::TimeUnit::MICRO)
      ->allow_truncated_timestamps()
      ->build();
}

WriterResult MakeParquetWriter(const SchemaPtr& schema,
                               const FormatWriterOptions& options, ByteSink* sink) {
  auto writer = std::make_unique<ParquetWriter>(schema, options, sink);
  ARROW_RETURN_NOT_OK(writer->CheckSchema());
  return IsFlatParquet(*schema) ? MakeFlatParquetWriter(schema, options, sink)
                                : WriterResult(std::move(writer));
}

}  // namespace wheelpit::exec
