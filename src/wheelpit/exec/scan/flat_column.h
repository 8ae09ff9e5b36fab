// SPDX-License-Identifier: Apache-2.0
// A column of primitive values (no lists, no structs): read page by page. A filter over
// it is evaluated once on the chunk's dictionary and then looked up per code; pages that
// are not dictionary-coded are decoded and filtered by value.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <arrow/result.h>
#include <arrow/type_fwd.h>
#include <parquet/types.h>

#include "wheelpit/exec/scan/array_assembler.h"
#include "wheelpit/exec/scan/column_reader.h"
#include "wheelpit/exec/scan/growing_dictionary.h"
#include "wheelpit/exec/scan/page_stream.h"
#include "wheelpit/exec/scan/rle_decoder.h"
#include "wheelpit/index/parquet_footer.h"

namespace wheelpit::exec {

class FlatColumn final : public ColumnReader {
 public:
  struct Options {
    PageStream::Options stream;
    index::ParquetLeaf leaf;
    const parquet::ColumnDescriptor* descriptor = nullptr;  ///< outlives the reader
    std::shared_ptr<arrow::DataType> type;                  ///< of the table
    /// Not null: what comes of dictionary-coded pages alone comes out as codes of it,
    /// where it has room for the chunk's values. Outlives the reader.
    GrowingDictionary* growing = nullptr;
  };
  static arrow::Result<std::unique_ptr<FlatColumn>> Make(Options options,
                                                         const index::ParquetChunk& chunk,
                                                         ChunkBytes bytes);

  arrow::Result<bool> Ensure(int64_t begin, int64_t end, core::Wait* wait) override;
  arrow::Status Read(int64_t begin, const RowSelection& selection) override;
  arrow::Result<std::shared_ptr<arrow::Array>> Finish() override;
  arrow::Status Filter(int64_t begin, RowFilter* filter, bool keep,
                       RowSelection* selection) override;
  int64_t bytes_per_row() const override;

 private:
  // The selected rows of one page: their places in the page, and in the batch.
  struct Segment {
    PageSlot* page = nullptr;
    std::vector<int32_t> rows;  // in the page, ascending
    int32_t batch_offset = 0;   // batch row = page row + this
  };

  FlatColumn(Options options, const ValueLayout& layout,
             std::unique_ptr<PageStream> stream);

  // Calls use(segment) for every page that has selected rows.
  template <typename Use>
  arrow::Status ForEachSegment(int64_t begin, const RowSelection& selection, Use use);

  arrow::Status LoadDictionary();
  arrow::Status OpenPage(PageSlot* page);
  arrow::Status OpenLevels(const PageSlot& page, std::span<const uint8_t> levels);
  arrow::Status CheckExpansion(const PageSlot& page) const;
  arrow::Status OpenValues(const PageSlot& page, std::span<const uint8_t> values);
  arrow::Status OpenCodes(const PageSlot& page, std::span<const uint8_t> values);
  arrow::Status OpenPlain(const PageSlot& page, std::span<const uint8_t> values,
                          int64_t count_max);
  arrow::Status OpenByArrow(const PageSlot& page, std::span<const uint8_t> values);
  arrow::Status DecodeByArrow(parquet::Type::type type, parquet::Encoding::type encoding,
                              const parquet::ColumnDescriptor* descriptor,
                              std::span<const uint8_t> values, int64_t count,
                              arrow::MemoryPool* pool);
  template <typename Type>
  arrow::Status DecodeByteArrays(parquet::Encoding::type encoding,
                                 std::span<const uint8_t> values, int64_t count);
  // Those of the page's values from `begin` on.
  arrow::Status DecodeCodes(const PageSlot& page, int64_t begin,
                            std::span<uint32_t> codes);
  void ViewFixed(const uint8_t* data, int64_t count);

  arrow::Status PickCodes(const PageSlot& page, const Segment& segment);
  arrow::Status SkipCodes(const PageSlot& page, int64_t begin);
  arrow::Status CheckCodes(const PageSlot& page, std::span<const uint32_t> codes) const;
  arrow::Status ConvertDictionary(const PageSlot& page);

  // Fills indices_ with where the segment's rows have their values; -1 for nulls.
  arrow::Status Locate(const Segment& segment);
  // To what Finish gives.
  arrow::Status Append(const PageSlot& page, std::span<const int32_t> indices);
  bool MayStayCoded();
  arrow::Status DecodeCoded();
  arrow::Result<std::shared_ptr<arrow::Array>> FinishCoded();
  arrow::Status AppendTo(ArrayAssembler* assembler, const PageSlot& page,
                         std::span<const int32_t> indices);

  arrow::Status EvaluateOnDictionary(RowFilter* filter);
  arrow::Status FilterSegment(RowFilter* filter, bool keep, const Segment& segment,
                              std::vector<int32_t>* passed);
  arrow::Status FilterByValue(RowFilter* filter, const Segment& segment);
  void FilterByCode();

  Options options_;
  ValueLayout layout_;
  std::unique_ptr<PageStream> stream_;
  ArrayAssembler assembler_;
  ArrayAssembler filter_assembler_;
  Segment segment_;  // reused

  // The dictionary, once loaded.
  bool dictionary_loaded_ = false;
  DenseValues dictionary_;
  std::vector<uint8_t> dictionary_storage_;
  int64_t dictionary_uses_ = 0;

  // What Finish owes, as long as all of it is coded: indices into the dictionary, -1 for
  // nulls. Where the growing one took the dictionary's values: their codes in it.
  enum class Stays : uint8_t { kUnknown, kCoded, kPlain };
  Stays stays_ = Stays::kUnknown;
  std::shared_ptr<arrow::Array> grown_;
  std::vector<GrowingDictionary::Code> grown_codes_;
  std::vector<int32_t> coded_rows_;
  bool coded_rows_have_nulls_ = false;

  // What the filter says of each code; of `filtered_by_` only.
  enum class CodeFilter : uint8_t { kUnknown, kReady, kUnusable };
  RowFilter* filtered_by_ = nullptr;
  CodeFilter code_filter_ = CodeFilter::kUnknown;
  std::vector<uint8_t> code_passes_;
  bool null_passes_ = false;
  bool any_passes_ = false;

  // The open page.
  int64_t open_offset_ = -1;  // of its header; -1: none
  bool coded_ = false;
  bool has_nulls_ = false;
  bool all_null_ = false;
  std::vector<int32_t> ranks_;  // some nulls: values before each row, then all
  int64_t value_count_ = 0;     // not null
  RleDecoder codes_decoder_;
  int64_t codes_position_ = 0;  // next code of the decoder
  std::vector<uint32_t> codes_;
  DenseValues dense_;
  std::vector<uint8_t> dense_storage_;
  std::shared_ptr<void> page_decoder_;  // what dense_ may point into
  std::vector<uint32_t> scratch_;

  std::vector<int32_t> indices_;
  std::vector<int32_t> positions_;  // in the segment: rows that pass
  std::vector<int32_t> passed_;
};

}  // namespace wheelpit::exec
