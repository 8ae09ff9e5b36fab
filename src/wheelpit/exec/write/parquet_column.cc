// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/exec/write/parquet_column.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include <arrow/array/data.h>
#include <arrow/buffer.h>
#include <arrow/util/bit_util.h>
#include <arrow/util/bitmap_ops.h>
#include <parquet/schema.h>

#include "wheelpit/exec/write/code_runs.h"

namespace wheelpit::exec {

namespace {

// Of a page, as other writers cut them: so finely a page index can tell rows apart.
constexpr int64_t kPageRowsMax = 20'000;
// When so many values have been seen, more than three of four of them new, codes are
// given up: what they save is less than what the dictionary takes.
constexpr int64_t kJudgedValues = 8192;

int CodeWidth(int64_t entry_count) {
  return std::max(1, static_cast<int>(std::bit_width(
                         static_cast<uint64_t>(std::max<int64_t>(entry_count, 1) - 1))));
}

}  // namespace

ParquetColumn::ParquetColumn(const parquet::ColumnDescriptor* descriptor,
                             const Options& options, bool coding)
    : options_(options),
      coding_(coding),
      codes_(options.compressor->pool()),
      values_(options.compressor->pool()),
      nullable_(descriptor->max_definition_level() > 0),
      signed_(descriptor->sort_order() == parquet::SortOrder::SIGNED),
      may_code_(coding),
      pages_(options.compressor),
      validity_(options.compressor->pool()) {}

ParquetColumn::~ParquetColumn() = default;

arrow::Status ParquetColumn::Append(const arrow::ArrayData& rows) {
  for (int64_t begin = 0; begin < rows.length; begin += kPieceRows) {
    ARROW_RETURN_NOT_OK(
        TakePiece(rows, begin, std::min(kPieceRows, rows.length - begin)));
  }
  return arrow::Status::OK();
}

arrow::Status ParquetColumn::TakePiece(const arrow::ArrayData& rows, int64_t begin,
                                       int64_t count) {
  if (coding_ && !HasRoom(rows, begin, count)) {
    ARROW_RETURN_NOT_OK(StopCoding());
  }
  if (!coding_ && values_.length() == 0) {
    ARROW_RETURN_NOT_OK(values_.Append(kFrontBytes, 0));
  }
  ARROW_RETURN_NOT_OK(AddLevels(rows, begin, count));
  ARROW_RETURN_NOT_OK(Take(rows, begin, count));
  page_rows_ += count;
  chunk_rows_ += count;
  const int64_t chunk_values = chunk_rows_ - chunk_nulls_ - page_nulls_;
  if (coding_ && !judged_ && chunk_values >= kJudgedValues) {
    judged_ = true;
    if (entry_count() * 4 > chunk_values * 3) {
      ARROW_RETURN_NOT_OK(StopCoding());
    }
  }
  const int64_t bytes = coding_ ? codes_.length() * 2 : values_.length();
  return bytes >= options_.page_bytes || page_rows_ > kPageRowsMax - kPieceRows
             ? CutPage()
             : arrow::Status::OK();
}

arrow::Status ParquetColumn::AddLevels(const arrow::ArrayData& rows, int64_t begin,
                                       int64_t count) {
  const int64_t nulls = !rows.MayHaveNulls() ? 0
                                             : count - arrow::internal::CountSetBits(
                                                           rows.buffers[0]->data(),
                                                           rows.offset + begin, count);
  if (nulls == 0 && page_nulls_ == 0) {
    return arrow::Status::OK();
  }
  if (page_nulls_ == 0) {
    ARROW_RETURN_NOT_OK(validity_.Append(page_rows_, true));
  }
  page_nulls_ += nulls;
  if (nulls == 0) {
    return validity_.Append(count, true);
  }
  ARROW_RETURN_NOT_OK(validity_.Reserve(count));
  validity_.UnsafeAppend(rows.buffers[0]->data(), rows.offset + begin, count);
  return arrow::Status::OK();
}

// What was coded of a chunk so far goes out by its codes if pages of it have done so,
// else all of it becomes plain.
arrow::Status ParquetColumn::StopCoding() {
  if (has_coded_) {
    ARROW_RETURN_NOT_OK(page_rows_ > 0 ? CutPage() : arrow::Status::OK());
    coding_ = false;
    return arrow::Status::OK();
  }
  ARROW_RETURN_NOT_OK(values_.Append(kFrontBytes, 0));
  ARROW_RETURN_NOT_OK(AppendUncoded());
  codes_.Reset();
  ForgetEntries();
  coding_ = false;
  return arrow::Status::OK();
}

// The levels stand after their length.
int64_t ParquetColumn::LevelBytesMax() const {
  constexpr int64_t kHeaders = 16;
  return kHeaders + (page_nulls_ > 0 ? page_rows_ / 8 : 0);
}

arrow::Result<int64_t> ParquetColumn::PutLevels(uint8_t* out) const {
  if (!nullable_) {
    return page_nulls_ == 0 ? arrow::Result<int64_t>(0)
                            : arrow::Status::Invalid("a null in a column that has none");
  }
  uint8_t* const levels = out + sizeof(uint32_t);
  const auto bytes = static_cast<uint32_t>(
      page_nulls_ == 0 ? EncodeSetRun(page_rows_, levels)
                       : EncodeBitRun(validity_.data(), 0, page_rows_, levels));
  std::memcpy(out, &bytes, sizeof(bytes));
  return int64_t{bytes} + static_cast<int64_t>(sizeof(bytes));
}

void ParquetColumn::Describe(int64_t null_count, int64_t row_count,
                             parquet::EncodedStatistics* statistics) const {
  // What is longer is no use to anybody (the library's limit).
  constexpr size_t kLimitBytesMax = 4096;
  statistics->set_null_count(null_count);
  statistics->all_null_value = null_count == row_count;
  statistics->set_is_signed(signed_);
  statistics->ApplyStatSizeLimits(kLimitBytesMax);
}

arrow::Status ParquetColumn::CutPage() {
  ParquetPages::Data page{.bytes = {}, .row_count = page_rows_, .coded = coding_};
  TakePageLimits(&page.statistics);
  Describe(page_nulls_, page_rows_, &page.statistics);
  ARROW_RETURN_NOT_OK(coding_ ? CutCodedPage(std::move(page))
                              : CutPlainPage(std::move(page)));
  has_coded_ |= coding_;
  chunk_nulls_ += page_nulls_;
  page_rows_ = page_nulls_ = 0;
  validity_.Reset();
  codes_.bytes_builder()->Rewind(0);
  values_.Rewind(0);
  if (values_.capacity() > 4 * options_.page_bytes) {
    values_.Reset();
  }
  return arrow::Status::OK();
}

arrow::Status ParquetColumn::CutCodedPage(ParquetPages::Data page) {
  const int width = CodeWidth(entry_count());
  const int64_t level_bytes_max = LevelBytesMax();
  arrow::BufferBuilder bytes(options_.compressor->pool());
  ARROW_RETURN_NOT_OK(
      bytes.Reserve(level_bytes_max + 1 + RunsBytesMax(codes_.length(), width)));
  uint8_t* const out = bytes.mutable_data();
  ARROW_ASSIGN_OR_RAISE(int64_t size, PutLevels(out));
  out[size++] = static_cast<uint8_t>(width);
  size += EncodeRuns({codes_.data(), static_cast<size_t>(codes_.length())}, width,
                     out + size);
  page.bytes = {reinterpret_cast<const char*>(out), static_cast<size_t>(size)};
  return pages_.Add(std::move(page));
}

arrow::Status ParquetColumn::CutPlainPage(ParquetPages::Data page) {
  ARROW_ASSIGN_OR_RAISE(const std::string_view values, PlainValues());
  const int64_t level_bytes_max = LevelBytesMax();
  if (level_bytes_max <= kFrontBytes) {
    uint8_t levels[2 * kFrontBytes];
    ARROW_ASSIGN_OR_RAISE(const int64_t size, PutLevels(levels));
    char* const begin = const_cast<char*>(values.data()) - size;
    std::memcpy(begin, levels, static_cast<size_t>(size));
    page.bytes = {begin, values.size() + static_cast<size_t>(size)};
    return pages_.Add(std::move(page));
  }
  arrow::BufferBuilder bytes(options_.compressor->pool());
  ARROW_RETURN_NOT_OK(
      bytes.Reserve(level_bytes_max + static_cast<int64_t>(values.size())));
  ARROW_ASSIGN_OR_RAISE(const int64_t size, PutLevels(bytes.mutable_data()));
  bytes.UnsafeAdvance(size);
  bytes.UnsafeAppend(values);
  page.bytes = {reinterpret_cast<const char*>(bytes.data()),
                static_cast<size_t>(bytes.length())};
  return pages_.Add(std::move(page));
}

arrow::Result<std::string_view> ParquetColumn::PlainValues() {
  return std::string_view(reinterpret_cast<const char*>(values_.data()) + kFrontBytes,
                          static_cast<size_t>(values_.length() - kFrontBytes));
}

arrow::Result<int64_t> ParquetColumn::EndChunk(SinkStream* sink,
                                               const ChunkBuilders& builders) {
  if (page_rows_ > 0) {
    ARROW_RETURN_NOT_OK(CutPage());
  }
  if (has_coded_) {
    ARROW_RETURN_NOT_OK(pages_.SetDictionary(entries(), entry_count()));
  }
  parquet::EncodedStatistics all;
  TakeChunkLimits(&all);
  Describe(chunk_nulls_, chunk_rows_, &all);
  ForgetEntries();
  coding_ = may_code_;
  has_coded_ = judged_ = false;
  chunk_rows_ = chunk_nulls_ = 0;
  return pages_.Write(sink, all, builders);
}

}  // namespace wheelpit::exec
