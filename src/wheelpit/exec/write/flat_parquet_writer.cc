// SPDX-License-Identifier: Apache-2.0
// Parquet files of flat columns: pages of ours, footer and indexes of the library.
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include <arrow/array/array_base.h>
#include <arrow/memory_pool.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/util/compression.h>
#include <parquet/arrow/schema.h>
#include <parquet/file_writer.h>
#include <parquet/metadata.h>
#include <parquet/page_index.h>
#include <parquet/schema.h>

#include "wheelpit/exec/write/parquet_column.h"
#include "wheelpit/exec/write/parquet_library.h"
#include "wheelpit/exec/write/plain_columns.h"
#include "wheelpit/exec/write/sink_stream.h"
#include "wheelpit/exec/write/writers.h"

namespace wheelpit::exec {

namespace {

class FlatParquetWriter final : public FormatWriter {
 public:
  FlatParquetWriter(const SchemaPtr& schema, const FormatWriterOptions& options,
                    ByteSink* sink)
      : schema_(PlainSchema(*schema)),
        coded_(!schema_->Equals(*schema, /*check_metadata=*/false)),
        options_(options),
        pool_(options.pool),
        stream_(sink) {}

  arrow::Status Open() {
    return CatchParquet([&]() -> arrow::Status {
      const int64_t count = schema_->num_fields();
      const auto properties = ParquetProperties(options_, &pool_);
      ARROW_RETURN_NOT_OK(parquet::arrow::ToParquetSchema(
          schema_.get(), *properties, *ParquetArrowProperties(), &descriptor_));
      file_ = parquet::FileMetaDataBuilder::Make(descriptor_.get(), properties);
      index_ = parquet::PageIndexBuilder::Make(descriptor_.get());
      const auto codec = ParquetCodecOf(options_.format.codec);
      const int level = options_.format.codec_level;
      compressor_.emplace(
          level != 0 ? parquet::GetCodec(codec, level) : parquet::GetCodec(codec),
          &pool_);
      // A column holds a page of values and its compressed form, and a dictionary.
      constexpr int64_t kPageLeast = 8 << 10;
      constexpr int64_t kPageMost = 1 << 20;
      const int64_t share = options_.memory_bytes / count;
      const ParquetColumn::Options options = {
          .page_bytes = std::clamp(share / 8, kPageLeast, kPageMost),
          .dictionary_bytes = std::clamp(share / 4, kPageLeast, kPageMost),
          .compressor = &*compressor_};
      for (int i = 0; i < schema_->num_fields(); ++i) {
        columns_.push_back(ParquetColumn::Make(*schema_->field(i)->type(),
                                               descriptor_->Column(i), options));
      }
      return arrow::Status::OK();
    });
  }

  arrow::Status Begin() override { return stream_.Write(kMagic, sizeof(kMagic)); }

  arrow::Status Write(const arrow::RecordBatch& batch) override {
    constexpr int64_t kSliceBytes = 1 << 20;
    if (batch.num_rows() == 0) {
      return arrow::Status::OK();
    }
    const int64_t step = RowsOf(batch, kSliceBytes);
    for (int64_t first = 0; first < batch.num_rows();) {
      if (group_rows_ == options_.format.row_group_rows || FilledGroup()) {
        ARROW_RETURN_NOT_OK(EndGroup());
      }
      const int64_t rows = std::min(
          {step, batch.num_rows() - first, options_.format.row_group_rows - group_rows_});
      ARROW_ASSIGN_OR_RAISE(const auto slice,
                            coded_ ? PlainRows(*batch.Slice(first, rows), &pool_)
                                   : batch.Slice(first, rows));
      for (int i = 0; i < slice->num_columns(); ++i) {
        ARROW_RETURN_NOT_OK(
            columns_[static_cast<size_t>(i)]->Append(*slice->column_data(i)));
      }
      group_rows_ += rows;
      first += rows;
    }
    return arrow::Status::OK();
  }

  arrow::Status Finish() override {
    if (group_rows_ > 0) {
      ARROW_RETURN_NOT_OK(EndGroup());
    }
    return CatchParquet([&] {
      index_->Finish();
      const auto written = index_->WriteTo(&stream_);
      file_->SetIndexLocations(parquet::IndexKind::kColumnIndex,
                               written.column_index_locations);
      file_->SetIndexLocations(parquet::IndexKind::kOffsetIndex,
                               written.offset_index_locations);
      parquet::WriteFileMetaData(*file_->Finish(), &stream_);
      return arrow::Status::OK();
    });
  }

 private:
  static constexpr char kMagic[4] = {'P', 'A', 'R', '1'};

  // Bytes held and encoded until the group ends.
  bool FilledGroup() const {
    if (group_rows_ == 0) {
      return false;
    }
    const int64_t held = pool_.bytes_allocated();
    return held >= options_.memory_bytes || held >= options_.format.row_group_bytes * 2;
  }

  arrow::Status EndGroup() {
    return CatchParquet([&]() -> arrow::Status {
      parquet::RowGroupMetaDataBuilder* const group = file_->AppendRowGroup();
      index_->AppendRowGroup();
      int64_t bytes = 0;
      for (size_t i = 0; i < columns_.size(); ++i) {
        const auto number = static_cast<int>(i);
        ARROW_ASSIGN_OR_RAISE(
            const int64_t column_bytes,
            columns_[i]->EndChunk(
                &stream_, {.chunk = group->NextColumnChunk(),
                           .column_index = index_->GetColumnIndexBuilder(number),
                           .offset_index = index_->GetOffsetIndexBuilder(number)}));
        bytes += column_bytes;
      }
      group->set_num_rows(std::exchange(group_rows_, 0));
      group->Finish(bytes, static_cast<int16_t>(group_count_++));
      return arrow::Status::OK();
    });
  }

  const SchemaPtr schema_;
  const bool coded_;  // rows come with dictionaries or views
  const FormatWriterOptions options_;
  arrow::ProxyMemoryPool pool_;  // counts what is held
  SinkStream stream_;
  std::shared_ptr<parquet::SchemaDescriptor> descriptor_;
  std::unique_ptr<parquet::FileMetaDataBuilder> file_;
  std::unique_ptr<parquet::PageIndexBuilder> index_;
  std::optional<PageCompressor> compressor_;
  std::vector<std::unique_ptr<ParquetColumn>> columns_;
  int64_t group_rows_ = 0;
  int64_t group_count_ = 0;
};

}  // namespace

WriterResult MakeFlatParquetWriter(const SchemaPtr& schema,
                                   const FormatWriterOptions& options, ByteSink* sink) {
  auto writer = std::make_unique<FlatParquetWriter>(schema, options, sink);
  ARROW_RETURN_NOT_OK(writer->Open());
  return writer;
}

bool IsFlatParquet(const arrow::Schema& schema) {
  const SchemaPtr plain = PlainSchema(schema);
  return schema.num_fields() > 0 &&
         std::all_of(
             plain->fields().begin(), plain->fields().end(),
             [](const auto& field) { return ParquetColumn::Takes(*field->type()); });
}

}  // namespace wheelpit::exec
