// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/exec/scan/flat_column.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <string_view>
#include <utility>

#include <arrow/array/array_base.h>
#include <arrow/array/data.h>
#include <arrow/array/util.h>
#include <arrow/buffer.h>
#include <arrow/type.h>
#include <arrow/util/bit_util.h>
#include <parquet/encoding.h>
#include <parquet/exception.h>
#include <parquet/schema.h>
#include <parquet/types.h>

#include "wheelpit/core/bad_alloc.h"
#include "wheelpit/core/error.h"

namespace wheelpit::exec {

namespace {

using core::ErrorKind;
using core::Metric;
using PhysicalType = parquet::Type;

// parquet.thrift Encoding.
enum EncodingNumber : int32_t {
  kPlain = 0,
  kPlainDictionary = 2,
  kRle = 3,
  kDeltaBinaryPacked = 5,
  kDeltaLengthByteArray = 6,
  kDeltaByteArray = 7,
  kRleDictionary = 8,
  kByteStreamSplit = 9,
};

// Pages whose levels or values take memory per row, however few bytes they have, may have
// this many: a thousand times what writers make.
constexpr int64_t kExpandedRowsMax = int64_t{1} << 24;

// A dictionary that is converted stands for this many rows each at least.
constexpr int64_t kUsesMin = 4;

// Extracting one code costs about as much as unpacking this many.
constexpr size_t kPickShare = 4;

bool IsCoded(const PageHeader& header) {
  return header.encoding == kPlainDictionary || header.encoding == kRleDictionary;
}

// PLAIN byte arrays: each with its length in front. Stops where the bytes end.
int64_t ViewByteArrays(std::span<const uint8_t> bytes, int64_t count_max,
                       std::vector<uint8_t>* out) {
  const uint8_t* at = bytes.data();
  const uint8_t* end = at + bytes.size();
  // Each takes four bytes at least.
  const auto room = std::min<int64_t>(count_max, static_cast<int64_t>(bytes.size()) / 4);
  out->resize(static_cast<size_t>(room) * sizeof(ByteView));
  auto* views = reinterpret_cast<ByteView*>(out->data());
  int64_t count = 0;
  while (count < room && end - at >= 4) {
    uint32_t size;
    std::memcpy(&size, at, sizeof(size));
    at += sizeof(size);
    if (size > static_cast<uint64_t>(end - at)) break;
    views[count++] = {at, size};
    at += size;
  }
  return count;
}

void UnpackBits(std::span<const uint8_t> bits, int64_t count, std::vector<uint8_t>* out) {
  out->resize(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) {
    (*out)[static_cast<size_t>(i)] = (bits[static_cast<size_t>(i / 8)] >> (i % 8)) & 1;
  }
}

// A page in one of Arrow's encodings, as dense raw values; how many there were. Throws
// for bytes that are none.
template <typename Type>
int64_t DecodeNumbers(parquet::Encoding::type encoding,
                      const parquet::ColumnDescriptor* descriptor,
                      std::span<const uint8_t> bytes, int64_t count,
                      arrow::MemoryPool* pool, std::vector<uint8_t>* out) {
  auto decoder = parquet::MakeTypedDecoder<Type>(encoding, descriptor, pool);
  decoder->SetData(static_cast<int>(count), bytes.data(), static_cast<int>(bytes.size()));
  out->resize(static_cast<size_t>(count) * sizeof(typename Type::c_type));
  return decoder->Decode(reinterpret_cast<typename Type::c_type*>(out->data()),
                         static_cast<int>(count));
}

}  // namespace

FlatColumn::FlatColumn(Options options, const ValueLayout& layout,
                       std::unique_ptr<PageStream> stream)
    : ColumnReader(options.stream.pool),
      options_(std::move(options)),
      layout_(layout),
      stream_(std::move(stream)),
      assembler_(options_.type, layout, options_.stream.pool),
      filter_assembler_(options_.type, layout, options_.stream.pool) {}

arrow::Result<std::unique_ptr<FlatColumn>> FlatColumn::Make(
    Options options, const index::ParquetChunk& chunk, ChunkBytes bytes) {
  ARROW_ASSIGN_OR_RAISE(auto stream,
                        PageStream::Make(options.stream, chunk, std::move(bytes)));
  const auto layout = ResolveLayout(*options.descriptor, *options.type);
  if (!layout.ok()) return stream->At(layout.status());
  return std::unique_ptr<FlatColumn>(
      new FlatColumn(std::move(options), *layout, std::move(stream)));
}

arrow::Result<bool> FlatColumn::Ensure(int64_t begin, int64_t end, core::Wait* wait) {
  return stream_->Ensure(begin, end, wait);
}

int64_t FlatColumn::bytes_per_row() const {
  if (layout_.storage == Storage::kBool) return 1;
  if (layout_.storage == Storage::kFixed) return layout_.target_width;
  int64_t most = 1;
  for (const PageSlot& page : stream_->pages()) {
    const PageHeader* header = &page.header;
    if (IsCoded(*header) && stream_->dictionary_header() != nullptr) {
      header = stream_->dictionary_header();
    }
    most = std::max<int64_t>(
        most, header->uncompressed_bytes / std::max(header->value_count, 1));
  }
  return most;
}

template <typename Use>
arrow::Status FlatColumn::ForEachSegment(int64_t begin, const RowSelection& selection,
                                         Use use) {
  int64_t next = 0;
  const int64_t count = selection.count();
  for (PageSlot& page : stream_->pages()) {
    if (next == count) break;
    segment_.page = &page;
    segment_.batch_offset = static_cast<int32_t>(page.first_row - begin);
    segment_.rows.clear();
    const int64_t batch_end = page.end_row - begin;
    if (selection.all) {
      const int64_t until = std::min(batch_end, count);
      if (until <= next) continue;
      segment_.rows.resize(static_cast<size_t>(until - next));
      std::iota(segment_.rows.begin(), segment_.rows.end(),
                static_cast<int32_t>(next - segment_.batch_offset));
      next = until;
    } else {
      const int32_t* rows = selection.rows.data();
      const int64_t until =
          rows[count - 1] < batch_end
              ? count
              : std::lower_bound(rows + next, rows + count, batch_end) - rows;
      segment_.rows.resize(static_cast<size_t>(until - next));
      std::transform(
          rows + next, rows + until, segment_.rows.begin(),
          [offset = segment_.batch_offset](int32_t row) { return row - offset; });
      next = until;
    }
    if (!segment_.rows.empty()) ARROW_RETURN_NOT_OK(use(segment_));
  }
  if (next == count) return arrow::Status::OK();
  return stream_->At(core::Error(ErrorKind::kInternal, "rows were not ensured"));
}

arrow::Status FlatColumn::LoadDictionary() {
  if (dictionary_loaded_) return arrow::Status::OK();
  const PageHeader* header = stream_->dictionary_header();
  PageSlot& first = stream_->pages().front();
  if (header == nullptr) return stream_->Corrupt(first, "its dictionary is missing");
  if (header->encoding != kPlain && header->encoding != kPlainDictionary) {
    return stream_->Corrupt(first, "its dictionary has encoding ", header->encoding);
  }
  ARROW_ASSIGN_OR_RAISE(const auto bytes, stream_->OpenDictionary());
  options_.stream.metrics->Add(Metric::kBytesDecoded, static_cast<int64_t>(bytes.size()));
  std::swap(dense_storage_, dictionary_storage_);
  open_offset_ = -1;
  ARROW_RETURN_NOT_OK(OpenPlain(first, bytes, header->value_count));
  std::swap(dense_storage_, dictionary_storage_);
  dictionary_ = dense_;
  dictionary_.count = std::min<int64_t>(dense_.count, header->value_count);
  if (dictionary_.count < header->value_count) {
    return stream_->Corrupt(first, "its dictionary ends after ", dictionary_.count,
                            " of ", header->value_count, " values");
  }
  dictionary_loaded_ = true;
  return arrow::Status::OK();
}

// Pays once more values were taken from it than it has, if many more are to be.
arrow::Status FlatColumn::ConvertDictionary(const PageSlot& page) {
  if (layout_.conversion == nullptr || dictionary_.converted) return arrow::Status::OK();
  std::vector<uint8_t> converted(
      static_cast<size_t>(dictionary_.count * layout_.target_width));
  if (!layout_.conversion(dictionary_.data, dictionary_.count, layout_.arguments,
                          converted.data())) {
    return stream_->Corrupt(page, "a value does not fit type ",
                            options_.type->ToString());
  }
  dictionary_storage_ = std::move(converted);
  dictionary_.data = dictionary_storage_.data();
  dictionary_.converted = true;
  return arrow::Status::OK();
}

arrow::Status FlatColumn::OpenPage(PageSlot* page) {
  if (open_offset_ == page->offset) return arrow::Status::OK();
  open_offset_ = -1;
  if (IsCoded(page->header)) ARROW_RETURN_NOT_OK(LoadDictionary());
  ARROW_ASSIGN_OR_RAISE(const PageBytes bytes, stream_->Open(page));
  options_.stream.metrics->Add(
      Metric::kBytesDecoded,
      static_cast<int64_t>(bytes.definition_levels.size() + bytes.values.size()));
  ARROW_RETURN_NOT_OK(OpenLevels(*page, bytes.definition_levels));
  ARROW_RETURN_NOT_OK(OpenValues(*page, bytes.values));
  open_offset_ = page->offset;
  return arrow::Status::OK();
}

arrow::Status FlatColumn::OpenLevels(const PageSlot& page,
                                     std::span<const uint8_t> levels) {
  const int64_t rows = page.header.value_count;
  value_count_ = rows;
  has_nulls_ = false;
  all_null_ = false;
  if (options_.leaf.max_definition_level == 0) return arrow::Status::OK();
  RleDecoder decoder(levels, 1);
  uint32_t level = 0;
  if (decoder.PeekRun(rows, &level) == rows && level <= 1) {
    all_null_ = has_nulls_ = level == 0;
    if (all_null_) value_count_ = 0;
    return arrow::Status::OK();
  }
  ARROW_RETURN_NOT_OK(CheckExpansion(page));
  scratch_.resize(static_cast<size_t>(rows));
  if (decoder.Decode(scratch_.data(), rows) != rows) {
    return stream_->Corrupt(page, "it has fewer levels than values");
  }
  ranks_.resize(static_cast<size_t>(rows) + 1);
  int32_t rank = 0;
  uint32_t seen = 0;
  for (size_t i = 0; i < static_cast<size_t>(rows); ++i) {
    ranks_[i] = rank;
    seen |= scratch_[i];
    rank += static_cast<int32_t>(scratch_[i] & 1);
  }
  ranks_[static_cast<size_t>(rows)] = rank;
  if (seen > 1) return stream_->Corrupt(page, "it has a level above the column's");
  value_count_ = rank;
  has_nulls_ = rank != rows;
  return arrow::Status::OK();
}

arrow::Status FlatColumn::CheckExpansion(const PageSlot& page) const {
  if (page.header.value_count <= kExpandedRowsMax) return arrow::Status::OK();
  return stream_->At(core::Error(
      ErrorKind::kUnsupported, "a page of ", page.header.value_count, " rows, more than ",
      kExpandedRowsMax, ", is not supported: write the file with smaller pages"));
}

arrow::Status FlatColumn::OpenValues(const PageSlot& page,
                                     std::span<const uint8_t> values) {
  coded_ = IsCoded(page.header);
  if (coded_) return OpenCodes(page, values);
  if (page.header.encoding == kPlain) {
    ARROW_RETURN_NOT_OK(OpenPlain(page, values, value_count_));
  } else {
    ARROW_RETURN_NOT_OK(OpenByArrow(page, values));
  }
  if (dense_.count >= value_count_) return arrow::Status::OK();
  return stream_->Corrupt(page, "it ends after ", dense_.count, " of ", value_count_,
                          " values");
}

arrow::Status FlatColumn::OpenCodes(const PageSlot& page,
                                    std::span<const uint8_t> values) {
  codes_position_ = 0;
  if (values.empty()) {
    codes_decoder_ = RleDecoder();
    return arrow::Status::OK();
  }
  if (values[0] > RleDecoder::kBitWidthMax) {
    return stream_->Corrupt(page, "its codes would be ", int{values[0]}, " bits wide");
  }
  codes_decoder_ = RleDecoder(values.subspan(1), values[0]);
  return arrow::Status::OK();
}

// FIXED_LEN_BYTE_ARRAY, densely packed.
void FlatColumn::ViewFixed(const uint8_t* data, int64_t count) {
  const int64_t width = options_.leaf.width_bytes;
  dense_storage_.resize(static_cast<size_t>(count) * sizeof(ByteView));
  auto* views = reinterpret_cast<ByteView*>(dense_storage_.data());
  for (int64_t i = 0; i < count; ++i) views[i] = {data + i * width, width};
  dense_ = {.data = dense_storage_.data(), .count = count};
}

arrow::Status FlatColumn::OpenPlain(const PageSlot& page, std::span<const uint8_t> values,
                                    int64_t count_max) {
  const auto size = static_cast<int64_t>(values.size());
  switch (options_.leaf.physical_type) {
    case PhysicalType::BOOLEAN: {
      const int64_t count = std::min(size * 8, count_max);
      UnpackBits(values, count, &dense_storage_);
      dense_ = {.data = dense_storage_.data(), .count = count};
      return arrow::Status::OK();
    }
    case PhysicalType::BYTE_ARRAY: {
      const int64_t count = ViewByteArrays(values, count_max, &dense_storage_);
      dense_ = {.data = dense_storage_.data(), .count = count};
      return arrow::Status::OK();
    }
    case PhysicalType::FIXED_LEN_BYTE_ARRAY:
      if (options_.leaf.width_bytes <= 0) {
        return stream_->Corrupt(page, "values of no width");
      }
      ViewFixed(values.data(), std::min(count_max, size / options_.leaf.width_bytes));
      return arrow::Status::OK();
    default:
      dense_ = {.data = values.data(), .count = size / layout_.raw_width};
      return arrow::Status::OK();
  }
}

arrow::Status FlatColumn::OpenByArrow(const PageSlot& page,
                                      std::span<const uint8_t> values) {
  const auto encoding = static_cast<parquet::Encoding::type>(page.header.encoding);
  const auto type = static_cast<PhysicalType::type>(options_.leaf.physical_type);
  const auto* descriptor = options_.descriptor;
  const int64_t count = value_count_;
  arrow::MemoryPool* pool = options_.stream.pool;
  ARROW_RETURN_NOT_OK(CheckExpansion(page));
  if (type == PhysicalType::BOOLEAN && page.header.encoding == kRle) {
    if (values.size() < 4) return stream_->Corrupt(page, "it ends within its length");
    RleDecoder decoder(values.subspan(4), 1);
    scratch_.resize(static_cast<size_t>(count));
    dense_storage_.resize(static_cast<size_t>(count));
    dense_.count = decoder.Decode(scratch_.data(), count);
    std::transform(scratch_.begin(), scratch_.end(), dense_storage_.begin(),
                   [](uint32_t bit) { return static_cast<uint8_t>(bit); });
    dense_.data = dense_storage_.data();
    return arrow::Status::OK();
  }
  const bool known = page.header.encoding >= kDeltaBinaryPacked &&
                     page.header.encoding <= kByteStreamSplit;
  if (!known) {
    return stream_->At(core::Error(ErrorKind::kUnsupported, "pages in encoding ",
                                   page.header.encoding, " are not supported"));
  }
  try {
    dense_ = {};
    ARROW_RETURN_NOT_OK(DecodeByArrow(type, encoding, descriptor, values, count, pool));
  } catch (const std::bad_alloc&) {
    return core::BadAllocError();
  } catch (const std::exception& error) {
    return stream_->Corrupt(page, "it does not decode (", error.what(), ")");
  }
  return arrow::Status::OK();
}

arrow::Status FlatColumn::SkipCodes(const PageSlot& page, int64_t begin) {
  codes_position_ += codes_decoder_.Skip(begin - codes_position_);
  if (codes_position_ == begin) return arrow::Status::OK();
  return stream_->Corrupt(page, "it has fewer codes than values");
}

arrow::Status FlatColumn::CheckCodes(const PageSlot& page,
                                     std::span<const uint32_t> codes) const {
  // Without branches: a code beyond the last one makes the difference negative, one from
  // 2^31 on is negative itself.
  const auto last = static_cast<uint32_t>(dictionary_.count) - 1;
  uint32_t signs = 0;
  for (const uint32_t code : codes) signs |= code | (last - code);
  if (codes.empty() || (dictionary_.count > 0 && signs >> 31 == 0)) {
    return arrow::Status::OK();
  }
  return stream_->Corrupt(page, "code ", *std::max_element(codes.begin(), codes.end()),
                          " is beyond its dictionary of ", dictionary_.count);
}

arrow::Status FlatColumn::DecodeCodes(const PageSlot& page, int64_t begin,
                                      std::span<uint32_t> codes) {
  ARROW_RETURN_NOT_OK(SkipCodes(page, begin));
  const int64_t got = codes_decoder_.Decode(codes.data(), std::ssize(codes));
  codes_position_ += got;
  if (got != std::ssize(codes)) {
    return stream_->Corrupt(page, "it has fewer codes than values");
  }
  return CheckCodes(page, codes);
}

// Of a page without nulls, the codes of the segment's rows, into indices_.
arrow::Status FlatColumn::PickCodes(const PageSlot& page, const Segment& segment) {
  const int32_t first = segment.rows.front();
  const int64_t count = segment.rows.back() + 1 - first;
  ARROW_RETURN_NOT_OK(SkipCodes(page, first));
  positions_.resize(segment.rows.size());
  std::transform(segment.rows.begin(), segment.rows.end(), positions_.begin(),
                 [&](int32_t row) { return row - first; });
  codes_.resize(segment.rows.size());
  const int64_t got = codes_decoder_.Pick(positions_, count, codes_.data());
  codes_position_ += got;
  if (got != count) return stream_->Corrupt(page, "it has fewer codes than values");
  ARROW_RETURN_NOT_OK(CheckCodes(page, codes_));
  indices_.assign(codes_.begin(), codes_.end());
  return arrow::Status::OK();
}

arrow::Status FlatColumn::Locate(const Segment& segment) {
  const int32_t first = segment.rows.front();
  const int32_t last = segment.rows.back() + 1;
  ARROW_RETURN_NOT_OK(OpenPage(segment.page));
  if (all_null_) {
    indices_.assign(segment.rows.size(), -1);
    return arrow::Status::OK();
  }
  const auto rank = [&](int32_t row) {
    return has_nulls_ ? ranks_[static_cast<size_t>(row)] : row;
  };
  // Few of many: extracting each beats unpacking all.
  if (coded_ && !has_nulls_ &&
      segment.rows.size() < static_cast<size_t>(last - first) / kPickShare) {
    return PickCodes(*segment.page, segment);
  }
  const int32_t base = rank(first);
  const bool contiguous = segment.rows.size() == static_cast<size_t>(last - first);
  if (coded_ && contiguous && !has_nulls_) {
    indices_.resize(segment.rows.size());
    return DecodeCodes(*segment.page, base,
                       {reinterpret_cast<uint32_t*>(indices_.data()), indices_.size()});
  }
  if (coded_) {
    codes_.resize(static_cast<size_t>(rank(last) - base));
    ARROW_RETURN_NOT_OK(DecodeCodes(*segment.page, base, codes_));
  }
  if (!has_nulls_) {
    if (!coded_) {
      indices_.assign(segment.rows.begin(), segment.rows.end());
    } else {
      indices_.resize(segment.rows.size());
      std::transform(
          segment.rows.begin(), segment.rows.end(), indices_.begin(), [&](int32_t row) {
            return static_cast<int32_t>(codes_[static_cast<size_t>(row - first)]);
          });
    }
    return arrow::Status::OK();
  }
  indices_.resize(segment.rows.size());
  for (size_t i = 0; i < segment.rows.size(); ++i) {
    const auto row = static_cast<size_t>(segment.rows[i]);
    const int32_t position = ranks_[row];
    if (position == ranks_[row + 1]) {
      indices_[i] = -1;
    } else {
      indices_[i] =
          coded_ ? static_cast<int32_t>(codes_[static_cast<size_t>(position - base)])
                 : position;
    }
  }
  return arrow::Status::OK();
}

arrow::Status FlatColumn::AppendTo(ArrayAssembler* assembler, const PageSlot& page,
                                   std::span<const int32_t> indices) {
  if (coded_) {
    dictionary_uses_ += static_cast<int64_t>(indices.size());
    if (dictionary_uses_ > dictionary_.count &&
        dictionary_.count <= options_.stream.row_count / kUsesMin) {
      ARROW_RETURN_NOT_OK(ConvertDictionary(page));
    }
  }
  auto fits = assembler->Gather(coded_ ? dictionary_ : dense_, indices, has_nulls_);
  if (!fits.ok()) return stream_->At(fits.status());
  if (*fits) return arrow::Status::OK();
  return stream_->Corrupt(page, "a value does not fit type ", options_.type->ToString());
}

arrow::Status FlatColumn::Read(int64_t begin, const RowSelection& selection) {
  return ForEachSegment(begin, selection, [&](const Segment& segment) {
    ARROW_RETURN_NOT_OK(Locate(segment));
    return Append(*segment.page, indices_);
  });
}

arrow::Result<std::shared_ptr<arrow::Array>> FlatColumn::Finish() {
  return coded_rows_.empty() ? assembler_.Finish() : FinishCoded();
}

// Asked once a page with codes is open.
bool FlatColumn::MayStayCoded() {
  if (stays_ == Stays::kUnknown) {
    stays_ = Stays::kPlain;
    if (options_.growing != nullptr &&
        dictionary_.count <= GrowingDictionary::kValuesMax &&
        layout_.storage == Storage::kBytes && layout_.conversion == nullptr) {
      const auto* values = reinterpret_cast<const ByteView*>(dictionary_.data);
      std::vector<std::string_view> texts;
      for (int64_t i = 0; i < dictionary_.count; ++i) {
        texts.emplace_back(reinterpret_cast<const char*>(values[i].data),
                           static_cast<size_t>(values[i].size_bytes));
      }
      grown_ = options_.growing->Intern(texts, &grown_codes_);
      if (grown_ != nullptr) stays_ = Stays::kCoded;
    }
  }
  return stays_ == Stays::kCoded;
}

arrow::Status FlatColumn::Append(const PageSlot& page, std::span<const int32_t> indices) {
  if (coded_ && assembler_.length() == 0 && MayStayCoded()) {
    coded_rows_.insert(coded_rows_.end(), indices.begin(), indices.end());
    coded_rows_have_nulls_ |= has_nulls_;
    return arrow::Status::OK();
  }
  if (!coded_rows_.empty()) ARROW_RETURN_NOT_OK(DecodeCoded());
  return AppendTo(&assembler_, page, indices);
}

// The writer of the file has given its dictionary up in the middle of a batch.
arrow::Status FlatColumn::DecodeCoded() {
  const auto fits = assembler_.Gather(dictionary_, coded_rows_, coded_rows_have_nulls_);
  if (!fits.ok()) return stream_->At(fits.status());
  coded_rows_.clear();
  coded_rows_have_nulls_ = false;
  return arrow::Status::OK();
}

arrow::Result<std::shared_ptr<arrow::Array>> FlatColumn::FinishCoded() {
  using Code = GrowingDictionary::Code;
  const auto count = static_cast<int64_t>(coded_rows_.size());
  ARROW_ASSIGN_OR_RAISE(
      std::shared_ptr<arrow::Buffer> codes,
      arrow::AllocateBuffer(count * static_cast<int64_t>(sizeof(Code)), pool()));
  auto* out = reinterpret_cast<Code*>(codes->mutable_data());
  const Code* grown = grown_codes_.data();
  std::shared_ptr<arrow::Buffer> validity;
  int64_t null_count = 0;
  if (!coded_rows_have_nulls_) {
    for (const int32_t row : coded_rows_) *out++ = grown[row];
  } else {
    ARROW_ASSIGN_OR_RAISE(validity, arrow::AllocateEmptyBitmap(count, pool()));
    uint8_t* bits = validity->mutable_data();
    for (int64_t i = 0; i < count; ++i) {
      const int32_t row = coded_rows_[static_cast<size_t>(i)];
      out[i] = row < 0 ? Code{0} : grown[row];
      null_count += row < 0 ? 1 : 0;
      arrow::bit_util::SetBitTo(bits, i, row >= 0);
    }
  }
  coded_rows_.clear();
  coded_rows_have_nulls_ = false;
  auto data =
      arrow::ArrayData::Make(arrow::dictionary(arrow::int16(), options_.type), count,
                             {std::move(validity), std::move(codes)}, null_count);
  data->dictionary = grown_->data();
  return arrow::MakeArray(data);
}

// Fails for no value that may not be there: a filter that fails on the dictionary is
// evaluated on the rows instead.
arrow::Status FlatColumn::EvaluateOnDictionary(RowFilter* filter) {
  if (filtered_by_ == filter && code_filter_ != CodeFilter::kUnknown) {
    return arrow::Status::OK();
  }
  filtered_by_ = filter;
  code_filter_ = CodeFilter::kUnusable;
  ARROW_RETURN_NOT_OK(LoadDictionary());
  indices_.resize(static_cast<size_t>(dictionary_.count));
  std::iota(indices_.begin(), indices_.end(), 0);
  ARROW_ASSIGN_OR_RAISE(const bool fits,
                        filter_assembler_.Gather(dictionary_, indices_, false));
  ARROW_ASSIGN_OR_RAISE(const auto values, filter_assembler_.Finish());
  if (!fits) return arrow::Status::OK();
  positions_.resize(std::max<size_t>(indices_.size(), 1));
  const auto count = filter->Evaluate({values}, values->length(), positions_.data());
  if (!count.ok()) return arrow::Status::OK();
  code_passes_.assign(indices_.size(), 0);
  for (int64_t i = 0; i < *count; ++i) {
    code_passes_[static_cast<size_t>(positions_[static_cast<size_t>(i)])] = 1;
  }
  null_passes_ = false;
  if (options_.leaf.max_definition_level > 0) {
    ARROW_ASSIGN_OR_RAISE(const auto null,
                          arrow::MakeArrayOfNull(options_.type, 1, options_.stream.pool));
    const auto passes = filter->Evaluate({null}, 1, positions_.data());
    if (!passes.ok()) return arrow::Status::OK();
    null_passes_ = *passes == 1;
  }
  any_passes_ = null_passes_ || *count > 0;
  code_filter_ = CodeFilter::kReady;
  return arrow::Status::OK();
}

// Leaves the places in the segment that pass in positions_, their values in indices_.
arrow::Status FlatColumn::FilterByValue(RowFilter* filter, const Segment& segment) {
  ARROW_RETURN_NOT_OK(AppendTo(&filter_assembler_, *segment.page, indices_));
  ARROW_ASSIGN_OR_RAISE(const auto values, filter_assembler_.Finish());
  positions_.resize(indices_.size());
  auto count = filter->Evaluate({values}, values->length(), positions_.data());
  if (!count.ok()) return count.status();
  positions_.resize(static_cast<size_t>(*count));
  return arrow::Status::OK();
}

void FlatColumn::FilterByCode() {
  positions_.resize(indices_.size());
  size_t passed = 0;
  const uint8_t* passes = code_passes_.data();
  if (!has_nulls_) {
    for (size_t i = 0; i < indices_.size(); ++i) {
      positions_[passed] = static_cast<int32_t>(i);
      passed += passes[indices_[i]];
    }
  } else {
    for (size_t i = 0; i < indices_.size(); ++i) {
      positions_[passed] = static_cast<int32_t>(i);
      passed += indices_[i] < 0 ? null_passes_ : passes[indices_[i]] != 0;
    }
  }
  positions_.resize(passed);
}

arrow::Status FlatColumn::FilterSegment(RowFilter* filter, bool keep,
                                        const Segment& segment,
                                        std::vector<int32_t>* passed) {
  bool by_code = false;
  if (IsCoded(segment.page->header)) {
    ARROW_RETURN_NOT_OK(EvaluateOnDictionary(filter));
    by_code = code_filter_ == CodeFilter::kReady;
    // The page need not even be opened.
    if (by_code && !any_passes_) return arrow::Status::OK();
  }
  ARROW_RETURN_NOT_OK(Locate(segment));
  if (by_code) {
    FilterByCode();
  } else {
    ARROW_RETURN_NOT_OK(FilterByValue(filter, segment));
  }
  for (int32_t& position : positions_) {
    const auto i = static_cast<size_t>(position);
    passed->push_back(segment.rows[i] + segment.batch_offset);
    position = indices_[i];
  }
  if (!keep) return arrow::Status::OK();
  return Append(*segment.page, positions_);
}

arrow::Status FlatColumn::Filter(int64_t begin, RowFilter* filter, bool keep,
                                 RowSelection* selection) {
  passed_.clear();
  ARROW_RETURN_NOT_OK(ForEachSegment(begin, *selection, [&](const Segment& segment) {
    return FilterSegment(filter, keep, segment, &passed_);
  }));
  selection->all = static_cast<int64_t>(passed_.size()) == selection->length;
  std::swap(selection->rows, passed_);
  return arrow::Status::OK();
}

arrow::Status FlatColumn::DecodeByArrow(parquet::Type::type type,
                                        parquet::Encoding::type encoding,
                                        const parquet::ColumnDescriptor* descriptor,
                                        std::span<const uint8_t> values, int64_t count,
                                        arrow::MemoryPool* pool) {
  switch (type) {
    case PhysicalType::INT32:
      dense_.count = DecodeNumbers<parquet::Int32Type>(encoding, descriptor, values,
                                                       count, pool, &dense_storage_);
      break;
    case PhysicalType::INT64:
      dense_.count = DecodeNumbers<parquet::Int64Type>(encoding, descriptor, values,
                                                       count, pool, &dense_storage_);
      break;
    case PhysicalType::FLOAT:
      dense_.count = DecodeNumbers<parquet::FloatType>(encoding, descriptor, values,
                                                       count, pool, &dense_storage_);
      break;
    case PhysicalType::DOUBLE:
      dense_.count = DecodeNumbers<parquet::DoubleType>(encoding, descriptor, values,
                                                        count, pool, &dense_storage_);
      break;
    case PhysicalType::BYTE_ARRAY:
      return DecodeByteArrays<parquet::ByteArrayType>(encoding, values, count);
    case PhysicalType::FIXED_LEN_BYTE_ARRAY:
      return DecodeByteArrays<parquet::FLBAType>(encoding, values, count);
    default:
      return arrow::Status::OK();  // no values: told by the caller
  }
  dense_.data = dense_storage_.data();
  return arrow::Status::OK();
}

// What the decoder gives may point into it, so it lives as long as the page is open.
template <typename Type>
arrow::Status FlatColumn::DecodeByteArrays(parquet::Encoding::type encoding,
                                           std::span<const uint8_t> values,
                                           int64_t count) {
  auto decoder = parquet::MakeTypedDecoder<Type>(encoding, options_.descriptor,
                                                 options_.stream.pool);
  decoder->SetData(static_cast<int>(count), values.data(),
                   static_cast<int>(values.size()));
  std::vector<typename Type::c_type> decoded(static_cast<size_t>(count));
  const int64_t got = decoder->Decode(decoded.data(), static_cast<int>(count));
  dense_storage_.resize(static_cast<size_t>(got) * sizeof(ByteView));
  auto* views = reinterpret_cast<ByteView*>(dense_storage_.data());
  for (int64_t i = 0; i < got; ++i) {
    const auto& value = decoded[static_cast<size_t>(i)];
    if constexpr (std::is_same_v<Type, parquet::ByteArrayType>) {
      views[i] = {value.ptr, value.len};
    } else {
      views[i] = {value.ptr, options_.leaf.width_bytes};
    }
  }
  dense_ = {.data = dense_storage_.data(), .count = got};
  page_decoder_ = std::move(decoder);
  return arrow::Status::OK();
}

}  // namespace wheelpit::exec
