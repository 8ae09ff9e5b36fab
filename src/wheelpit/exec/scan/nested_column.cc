// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/exec/scan/nested_column.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include <arrow/array/array_base.h>
#include <arrow/array/concatenate.h>
#include <arrow/array/util.h>
#include <arrow/compute/cast.h>
#include <arrow/io/interfaces.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <parquet/arrow/reader.h>
#include <parquet/exception.h>
#include <parquet/file_reader.h>
#include <parquet/metadata.h>
#include <parquet/properties.h>

#include "wheelpit/core/bad_alloc.h"
#include "wheelpit/core/error.h"
#include "wheelpit/index/thrift_compact.h"
#include "wheelpit/index/type_name.h"

namespace wheelpit::exec {

namespace {

using core::ErrorKind;

// A file of which some ranges are in memory.
class RangesInMemory final : public arrow::io::RandomAccessFile {
 public:
  RangesInMemory(int64_t file_size, std::vector<ByteRange> ranges,
                 std::vector<std::shared_ptr<arrow::Buffer>> buffers)
      : file_size_(file_size), ranges_(std::move(ranges)), buffers_(std::move(buffers)) {}

  arrow::Status Close() override { return arrow::Status::OK(); }
  bool closed() const override { return false; }
  arrow::Result<int64_t> Tell() const override { return position_; }
  arrow::Status Seek(int64_t position) override {
    position_ = position;
    return arrow::Status::OK();
  }
  arrow::Result<int64_t> GetSize() override { return file_size_; }

  arrow::Result<std::shared_ptr<arrow::Buffer>> ReadAt(int64_t position,
                                                       int64_t size) override {
    for (size_t i = 0; i < ranges_.size(); ++i) {
      const int64_t offset = position - ranges_[i].offset;
      if (offset >= 0 && offset <= ranges_[i].size_bytes &&
          size <= ranges_[i].size_bytes - offset) {
        return arrow::SliceBuffer(buffers_[i], offset, size);
      }
    }
    return core::Error(ErrorKind::kCorrupt, "bytes ", position, " to ", position + size,
                       " are not part of the column");
  }
  arrow::Result<int64_t> ReadAt(int64_t position, int64_t size, void* out) override {
    ARROW_ASSIGN_OR_RAISE(const auto buffer, ReadAt(position, size));
    std::memcpy(out, buffer->data(), static_cast<size_t>(size));
    return size;
  }
  arrow::Result<int64_t> Read(int64_t size, void* out) override {
    ARROW_ASSIGN_OR_RAISE(const int64_t got, ReadAt(position_, size, out));
    position_ += got;
    return got;
  }
  arrow::Result<std::shared_ptr<arrow::Buffer>> Read(int64_t size) override {
    ARROW_ASSIGN_OR_RAISE(auto buffer, ReadAt(position_, size));
    position_ += size;
    return buffer;
  }

 private:
  const int64_t file_size_;
  const std::vector<ByteRange> ranges_;
  const std::vector<std::shared_ptr<arrow::Buffer>> buffers_;
  int64_t position_ = 0;
};

// The footer without its key-value metadata: the Parquet schema is enough, and from the
// schema that Arrow's writer keeps there types would be made that the table has not, or
// an error when it is damaged.
std::string WithoutKeyValueMetadata(const std::string& footer) {
  constexpr int16_t kKeyValueMetadata = 5;  // parquet.thrift FileMetaData
  constexpr char kEmptyList = static_cast<char>(index::ThriftType::kStruct);
  index::ThriftReader reader(footer);
  std::string out;
  size_t copied = 0;
  for (index::ThriftField field; reader.NextField(&field);) {
    const auto begin = static_cast<size_t>(reader.position());
    reader.Skip(field.type);
    if (field.id == kKeyValueMetadata && field.type == index::ThriftType::kList) {
      out.append(footer, copied, begin - copied);
      out += kEmptyList;
      copied = static_cast<size_t>(reader.position());
    }
  }
  return out.append(footer, copied);
}

}  // namespace

struct NestedColumn::Reader {
  std::unique_ptr<parquet::arrow::FileReader> file;
  std::shared_ptr<arrow::RecordBatchReader> batches;
};

NestedColumn::NestedColumn(Options options, std::unique_ptr<Reader> reader,
                           int64_t bytes_per_row)
    : ColumnReader(options.pool),
      options_(std::move(options)),
      reader_(std::move(reader)),
      bytes_per_row_(bytes_per_row) {}

NestedColumn::~NestedColumn() = default;

arrow::Status NestedColumn::At(const arrow::Status& status) const {
  const ErrorKind kind = core::KindOf(status);
  const bool known = kind == ErrorKind::kMemoryLimit || kind == ErrorKind::kUnsupported;
  const std::string place = options_.path + ": row group " +
                            std::to_string(options_.row_group) + ", column '" +
                            options_.column + "'";
  if (known) return core::WithContext(status, place);
  return core::Error(ErrorKind::kCorrupt, place, ": ", status.message(),
                     "; the file is damaged: write it again or leave it out");
}

arrow::Result<std::unique_ptr<ColumnReader>> NestedColumn::Make(Options options) {
  const index::ParquetFooter& footer = *options.footer;
  auto file = std::make_shared<RangesInMemory>(options.file_size, options.ranges,
                                               std::move(options.buffers));
  const auto& group = footer.row_groups[static_cast<size_t>(options.row_group)];
  int64_t bytes = 0;
  for (const int leaf : options.leaves) {
    bytes += group.chunks[static_cast<size_t>(leaf)].uncompressed_bytes;
  }
  const int64_t bytes_per_row = bytes / std::max<int64_t>(group.row_count, 1) + 1;
  std::unique_ptr<NestedColumn> column(
      new NestedColumn(std::move(options), std::make_unique<Reader>(), bytes_per_row));
  const Options& kept = column->options_;
  try {
    parquet::ReaderProperties properties(kept.pool);
    properties.set_page_checksum_verification(true);
    const std::string raw = WithoutKeyValueMetadata(footer.raw);
    auto metadata = parquet::FileMetaData::Make(
        raw.data(), static_cast<int64_t>(raw.size()), properties);
    auto pages = parquet::ParquetFileReader::Open(std::move(file), properties, metadata);
    parquet::ArrowReaderProperties arrow_properties(/*use_threads=*/false);
    arrow_properties.set_batch_size(kept.batch_rows);
    arrow_properties.set_pre_buffer(false);
    arrow_properties.set_arrow_extensions_enabled(false);
    arrow_properties.set_coerce_int96_timestamp_unit(arrow::TimeUnit::MICRO);
    auto reader =
        parquet::arrow::FileReader::Make(kept.pool, std::move(pages), arrow_properties);
    if (!reader.ok()) return column->At(reader.status());
    column->reader_->file = *std::move(reader);
    auto batches =
        column->reader_->file->GetRecordBatchReader({kept.row_group}, kept.leaves);
    if (!batches.ok()) return column->At(batches.status());
    column->reader_->batches = *std::move(batches);
  } catch (const std::bad_alloc&) {
    return column->At(core::BadAllocError());
  } catch (const std::exception& error) {
    return column->At(arrow::Status::IOError(error.what()));
  }
  kept.metrics->Add(core::Metric::kBytesDecoded, bytes);
  return column;
}

arrow::Status NestedColumn::ReadBatch() {
  batch_begin_ += batch_ == nullptr ? 0 : batch_->length();
  batch_ = nullptr;
  std::shared_ptr<arrow::RecordBatch> batch;
  try {
    const auto status = reader_->batches->ReadNext(&batch);
    if (!status.ok()) return At(status);
  } catch (const std::bad_alloc&) {
    return At(core::BadAllocError());
  } catch (const std::exception& error) {
    return At(arrow::Status::IOError(error.what()));
  }
  if (batch == nullptr || batch->num_columns() != 1 || batch->num_rows() == 0) {
    return At(arrow::Status::IOError("it has fewer rows than its row group"));
  }
  batch_ = batch->column(0);
  if (batch_->type()->Equals(options_.type)) return arrow::Status::OK();
  // The table's names of Arrow's types: shorter units of time, wider integers.
  arrow::compute::CastOptions cast = arrow::compute::CastOptions::Safe(options_.type);
  cast.allow_time_truncate = true;
  arrow::compute::ExecContext context(pool());
  const auto converted = arrow::compute::Cast(*batch_, cast, &context);
  if (converted.ok()) {
    batch_ = converted->make_array();
    return arrow::Status::OK();
  }
  return core::Error(ErrorKind::kUnsupported, options_.path, ": column '",
                     options_.column, "' of type ", index::TypeName(*batch_->type()),
                     " cannot be read as ", index::TypeName(*options_.type),
                     ": leave it out of the query");
}

arrow::Status NestedColumn::Read(int64_t begin, const RowSelection& selection) {
  std::vector<int32_t> positions;
  int64_t next = 0;
  while (next < selection.count()) {
    const int64_t row = begin + selection.row(next);
    while (batch_ == nullptr || row >= batch_begin_ + batch_->length()) {
      ARROW_RETURN_NOT_OK(ReadBatch());
    }
    positions.clear();
    for (; next < selection.count(); ++next) {
      const int64_t position = begin + selection.row(next) - batch_begin_;
      if (position >= batch_->length()) break;
      positions.push_back(static_cast<int32_t>(position));
    }
    ARROW_ASSIGN_OR_RAISE(auto piece, TakePositions(batch_, positions, pool()));
    pieces_.push_back(std::move(piece));
  }
  return arrow::Status::OK();
}

arrow::Result<std::shared_ptr<arrow::Array>> NestedColumn::Finish() {
  if (kept_ != nullptr) return std::move(kept_);
  const auto pieces = std::exchange(pieces_, {});
  if (pieces.empty()) return arrow::MakeEmptyArray(options_.type, pool());
  if (pieces.size() == 1) return pieces[0];
  return arrow::Concatenate(pieces, pool());
}

}  // namespace wheelpit::exec
