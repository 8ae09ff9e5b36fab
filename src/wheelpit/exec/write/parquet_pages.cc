// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/exec/write/parquet_pages.h"

#include <cstring>
#include <limits>
#include <map>
#include <utility>

#include <arrow/buffer.h>
#include <arrow/memory_pool.h>
#include <arrow/util/compression.h>
#include <parquet/metadata.h>
#include <parquet/page_index.h>
#include <parquet/size_statistics.h>
#include <parquet/types.h>

#include "wheelpit/core/error.h"

namespace wheelpit::exec {

namespace {

// Numbers of parquet.thrift.
constexpr int32_t kDataPage = 0;
constexpr int32_t kDictionaryPage = 2;
constexpr int16_t kDataHeaderField = 5;
constexpr int16_t kDictionaryHeaderField = 7;
constexpr int32_t kPlain = 0;
constexpr int32_t kRle = 3;
constexpr int32_t kRleDictionary = 8;

// A PageHeader in Thrift's compact protocol: structs of i32 fields, ascending.
class HeaderWriter {
 public:
  void I32(int16_t field, int32_t value) {
    constexpr uint8_t kI32 = 5;
    Field(field, kI32);
    auto zigzag =
        (static_cast<uint32_t>(value) << 1) ^ static_cast<uint32_t>(value >> 31);
    for (; zigzag >= 0x80; zigzag >>= 7) {
      bytes_.push_back(static_cast<char>(zigzag | 0x80));
    }
    bytes_.push_back(static_cast<char>(zigzag));
  }
  void Begin(int16_t field) {
    constexpr uint8_t kStruct = 12;
    Field(field, kStruct);
    last_ = 0;
  }
  // Of a struct; the one around it ends with it here.
  void End() { bytes_.push_back(0); }
  std::string_view bytes() const { return bytes_; }

 private:
  void Field(int16_t field, uint8_t type) {
    bytes_.push_back(static_cast<char>((field - last_) << 4 | type));
    last_ = field;
  }

  std::string bytes_;
  int16_t last_ = 0;
};

}  // namespace

PageCompressor::PageCompressor(std::unique_ptr<arrow::util::Codec> codec,
                               arrow::MemoryPool* pool)
    : codec_(std::move(codec)), pool_(pool) {}

PageCompressor::~PageCompressor() = default;

arrow::Result<std::string_view> PageCompressor::Compress(std::string_view bytes) {
  if (codec_ == nullptr) {
    return bytes;
  }
  const auto* from = reinterpret_cast<const uint8_t*>(bytes.data());
  const auto size = static_cast<int64_t>(bytes.size());
  const int64_t most = codec_->MaxCompressedLen(size, from);
  if (room_ == nullptr || room_->size() < most) {
    room_ = nullptr;
    ARROW_ASSIGN_OR_RAISE(room_, arrow::AllocateResizableBuffer(most, pool_));
  }
  ARROW_ASSIGN_OR_RAISE(const int64_t compressed,
                        codec_->Compress(size, from, most, room_->mutable_data()));
  return std::string_view(reinterpret_cast<const char*>(room_->data()),
                          static_cast<size_t>(compressed));
}

ParquetPages::~ParquetPages() = default;

arrow::Result<std::shared_ptr<arrow::Buffer>> ParquetPages::Encode(std::string_view bytes,
                                                                   int64_t value_count,
                                                                   int32_t encoding,
                                                                   bool dictionary) {
  if (bytes.size() > std::numeric_limits<int32_t>::max()) {
    return core::Error(core::ErrorKind::kUnsupported, "a Parquet page of ", bytes.size(),
                       " bytes");
  }
  ARROW_ASSIGN_OR_RAISE(const std::string_view body, compressor_->Compress(bytes));
  HeaderWriter header;
  header.I32(1, dictionary ? kDictionaryPage : kDataPage);
  header.I32(2, static_cast<int32_t>(bytes.size()));
  header.I32(3, static_cast<int32_t>(body.size()));
  header.Begin(dictionary ? kDictionaryHeaderField : kDataHeaderField);
  header.I32(1, static_cast<int32_t>(value_count));
  header.I32(2, encoding);
  if (!dictionary) {
    header.I32(3, kRle);  // of definition levels
    header.I32(4, kRle);  // of repetition levels
  }
  header.End();
  header.End();
  const size_t header_bytes = header.bytes().size();
  ARROW_ASSIGN_OR_RAISE(
      std::shared_ptr<arrow::Buffer> page,
      arrow::AllocateBuffer(static_cast<int64_t>(header_bytes + body.size()),
                            compressor_->pool()));
  std::memcpy(page->mutable_data(), header.bytes().data(), header_bytes);
  std::memcpy(page->mutable_data() + header_bytes, body.data(), body.size());
  uncompressed_bytes_ += static_cast<int64_t>(header_bytes + bytes.size());
  return page;
}

arrow::Status ParquetPages::Add(Data page) {
  ARROW_ASSIGN_OR_RAISE(auto bytes, Encode(page.bytes, page.row_count,
                                           page.coded ? kRleDictionary : kPlain, false));
  pages_.push_back({.bytes = std::move(bytes),
                    .row_count = page.row_count,
                    .coded = page.coded,
                    .statistics = std::move(page.statistics)});
  return arrow::Status::OK();
}

arrow::Status ParquetPages::SetDictionary(std::string_view bytes, int64_t entry_count) {
  ARROW_ASSIGN_OR_RAISE(dictionary_, Encode(bytes, entry_count, kPlain, true));
  return arrow::Status::OK();
}

arrow::Result<int64_t> ParquetPages::Write(SinkStream* sink,
                                           const parquet::EncodedStatistics& all,
                                           const ChunkBuilders& builders) {
  ARROW_ASSIGN_OR_RAISE(const int64_t begin, sink->Tell());
  const bool has_dictionary = dictionary_ != nullptr;
  if (has_dictionary) {
    ARROW_RETURN_NOT_OK(sink->Write(dictionary_));
    dictionary_ = nullptr;
  }
  ARROW_ASSIGN_OR_RAISE(const int64_t data_begin, sink->Tell());
  std::map<parquet::Encoding::type, int32_t> encodings;
  int64_t offset = data_begin;
  int64_t rows = 0;
  for (Page& page : pages_) {
    builders.column_index->AddPage(page.statistics, parquet::SizeStatistics{});
    builders.offset_index->AddPage(offset, static_cast<int32_t>(page.bytes->size()),
                                   rows);
    ++encodings[page.coded ? parquet::Encoding::RLE_DICTIONARY
                           : parquet::Encoding::PLAIN];
    offset += page.bytes->size();
    rows += page.row_count;
    ARROW_RETURN_NOT_OK(sink->Write(page.bytes));
    page.bytes = nullptr;
  }
  builders.offset_index->Finish(0);
  builders.column_index->Finish();
  builders.chunk->SetStatistics(all);
  const bool fallback = has_dictionary && encodings.size() > 1;
  builders.chunk->Finish(
      rows, has_dictionary ? begin : 0, -1, data_begin, offset - begin,
      uncompressed_bytes_, has_dictionary, fallback,
      has_dictionary
          ? std::map<parquet::Encoding::type, int32_t>{{parquet::Encoding::PLAIN, 1}}
          : std::map<parquet::Encoding::type, int32_t>{},
      encodings);
  pages_.clear();
  return std::exchange(uncompressed_bytes_, 0);
}

}  // namespace wheelpit::exec
