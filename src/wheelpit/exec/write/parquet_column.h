// SPDX-License-Identifier: Apache-2.0
// Encodes the rows of one flat column into Parquet pages: by a dictionary while that
// pays, plain after that, with the least and the largest value of each page. A third of
// the CPU that the library's own encoders take; what it does not take is theirs.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include <arrow/buffer_builder.h>
#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include "wheelpit/exec/write/parquet_pages.h"

namespace parquet {
class ColumnDescriptor;
}  // namespace parquet

namespace wheelpit::exec {

class ParquetColumn {
 public:
  struct Options {
    int64_t page_bytes = 0;        ///< at which a page ends, not compressed
    int64_t dictionary_bytes = 0;  ///< at which coding ends
    PageCompressor* compressor = nullptr;
  };

  /// Numbers, dates, times in microseconds, decimals of up to 18 digits, text and bytes.
  static bool Takes(const arrow::DataType& type);
  /// `descriptor` is of a column of such a type at the top of the schema; it and what is
  /// in the options outlive the column.
  static std::unique_ptr<ParquetColumn> Make(const arrow::DataType& type,
                                             const parquet::ColumnDescriptor* descriptor,
                                             const Options& options);
  virtual ~ParquetColumn();

  /// Text may come with a dictionary none of whose entries is null.
  arrow::Status Append(const arrow::ArrayData& rows);

  /// Writes the chunk of a row group; returns its bytes before compression. May throw
  /// what the builders throw.
  arrow::Result<int64_t> EndChunk(SinkStream* sink, const ChunkBuilders& builders);

 protected:
  ParquetColumn(const parquet::ColumnDescriptor* descriptor, const Options& options,
                bool coding);

  /// Rows that are taken at once.
  static constexpr int64_t kPieceRows = 1024;
  /// Before plain values there is room for the levels.
  static constexpr int64_t kFrontBytes = 16;

  /// Whether all values of so many rows can get codes.
  virtual bool HasRoom(const arrow::ArrayData& rows, int64_t begin, int64_t count) = 0;
  /// Appends the values that are not null to codes_ or values_.
  virtual arrow::Status Take(const arrow::ArrayData& rows, int64_t begin,
                             int64_t count) = 0;
  /// Appends what codes_ stand for to values_.
  virtual arrow::Status AppendUncoded() = 0;
  virtual int64_t entry_count() const = 0;
  /// All entries, plain.
  virtual std::string_view entries() const = 0;
  virtual void ForgetEntries() = 0;
  /// Sets the least and the largest value since the last call, where there are any.
  virtual void TakePageLimits(parquet::EncodedStatistics* page) = 0;
  /// The same of the chunk.
  virtual void TakeChunkLimits(parquet::EncodedStatistics* chunk) = 0;
  /// Values as they stand in a page.
  virtual arrow::Result<std::string_view> PlainValues();

  const Options options_;
  bool coding_ = false;
  arrow::TypedBufferBuilder<uint16_t> codes_;
  arrow::BufferBuilder values_;  // of the page, after kFrontBytes

 private:
  arrow::Status TakePiece(const arrow::ArrayData& rows, int64_t begin, int64_t count);
  arrow::Status AddLevels(const arrow::ArrayData& rows, int64_t begin, int64_t count);
  arrow::Status StopCoding();
  arrow::Status CutPage();
  arrow::Result<int64_t> PutLevels(uint8_t* out) const;
  int64_t LevelBytesMax() const;
  arrow::Status CutCodedPage(ParquetPages::Data page);
  arrow::Status CutPlainPage(ParquetPages::Data page);
  void Describe(int64_t null_count, int64_t row_count,
                parquet::EncodedStatistics* statistics) const;

  const bool nullable_;
  const bool signed_;
  const bool may_code_;
  ParquetPages pages_;
  arrow::TypedBufferBuilder<bool> validity_;  // of the page, from its first null on
  int64_t page_rows_ = 0;
  int64_t page_nulls_ = 0;
  int64_t chunk_rows_ = 0;
  int64_t chunk_nulls_ = 0;
  bool judged_ = false;     // whether codes pay
  bool has_coded_ = false;  // some page of the chunk
};

}  // namespace wheelpit::exec
