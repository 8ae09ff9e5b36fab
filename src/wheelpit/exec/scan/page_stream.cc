// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/exec/scan/page_stream.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include <arrow/util/crc32.h>

#include "wheelpit/core/error.h"

namespace wheelpit::exec {

namespace {

using core::ErrorKind;
using core::Metric;

// First look at a header; most have 20 to 60 bytes.
constexpr int64_t kHeaderGuessBytes = 128;

// parquet.thrift CompressionCodec; LZO is not read.
enum CodecNumber : int8_t {
  kUncompressed = 0,
  kSnappy = 1,
  kGzip = 2,
  kBrotli = 4,
  kLz4Hadoop = 5,
  kZstd = 6,
  kLz4Raw = 7,
};

arrow::Result<std::unique_ptr<arrow::util::Codec>> MakeCodec(int8_t number) {
  switch (number) {
    case kUncompressed:
      return nullptr;
    case kSnappy:
      return arrow::util::Codec::Create(arrow::Compression::SNAPPY);
    case kGzip:
      return arrow::util::Codec::Create(arrow::Compression::GZIP);
    case kBrotli:
      return arrow::util::Codec::Create(arrow::Compression::BROTLI);
    case kLz4Hadoop:
      return arrow::util::Codec::Create(arrow::Compression::LZ4_HADOOP);
    case kZstd:
      return arrow::util::Codec::Create(arrow::Compression::ZSTD);
    case kLz4Raw:
      return arrow::util::Codec::Create(arrow::Compression::LZ4);
    default:
      return core::Error(ErrorKind::kUnsupported, "compression codec ", int{number},
                         " is not supported: write the file with snappy, zstd, gzip, ",
                         "brotli or lz4_raw");
  }
}

// More than a codec's format can express, so that a few bytes cannot ask for gigabytes.
// zstd and brotli have no useful bound; theirs says what no sensible page exceeds.
int64_t RatioMax(int8_t codec) {
  switch (codec) {
    case kUncompressed:
      return 1;
    case kSnappy:
      return 64;
    case kLz4Raw:
    case kLz4Hadoop:
      return 256;
    case kGzip:
      return 1100;
    default:
      return 100'000;
  }
}

std::span<const uint8_t> SpanOf(const arrow::Buffer& buffer) {
  return {buffer.data(), static_cast<size_t>(buffer.size())};
}

}  // namespace

PageStream::PageStream(Options options, const index::ParquetChunk& chunk,
                       ChunkBytes bytes, std::unique_ptr<arrow::util::Codec> codec)
    : options_(std::move(options)),
      chunk_(chunk),
      bytes_(std::move(bytes)),
      codec_(std::move(codec)),
      next_offset_(chunk.offset()) {}

arrow::Result<std::unique_ptr<PageStream>> PageStream::Make(
    Options options, const index::ParquetChunk& chunk, ChunkBytes bytes) {
  auto codec = MakeCodec(chunk.codec);
  std::unique_ptr<PageStream> stream(
      new PageStream(std::move(options), chunk, std::move(bytes), nullptr));
  if (!codec.ok()) return stream->At(codec.status());
  stream->codec_ = *std::move(codec);
  const auto& pool = stream->options_.pool;
  ARROW_ASSIGN_OR_RAISE(stream->page_scratch_, arrow::AllocateResizableBuffer(0, pool));
  ARROW_ASSIGN_OR_RAISE(stream->dictionary_scratch_,
                        arrow::AllocateResizableBuffer(0, pool));
  return stream;
}

std::string PageStream::Place() const {
  return options_.path + ": row group " + std::to_string(options_.row_group) +
         ", column '" + options_.column + "'";
}

arrow::Status PageStream::At(const arrow::Status& status) const {
  return core::WithContext(status, Place());
}

arrow::Status PageStream::CorruptAt(int64_t offset, const std::string& what) const {
  return core::Error(ErrorKind::kCorrupt, Place(), ", page at byte ", offset, ": ", what,
                     "; the file is damaged: write it again or leave it out");
}

arrow::Result<bool> PageStream::Ensure(int64_t begin, int64_t end, core::Wait* wait) {
  for (;;) {
    while (!pages_.empty() && pages_.front().end_row <= begin) {
      if (!pages_.front().opened) options_.metrics->Add(Metric::kPagesSkipped, 1);
      pages_.pop_front();
    }
    if (!pages_.empty() && pages_.back().end_row >= end) break;
    ARROW_ASSIGN_OR_RAISE(const bool found, FindPage(begin, wait));
    if (!found) return false;
  }
  return true;
}

// Goes on at the page of `row`, unless what comes before the first page is not read yet.
void PageStream::JumpTo(int64_t row) {
  const auto& pages = *options_.pages;
  if (next_offset_ < pages[0].offset && chunk_.offset() < pages[0].offset) return;
  while (next_location_ + 1 < pages.size() &&
         pages[next_location_ + 1].first_row <= row) {
    ++next_location_;
  }
  next_offset_ = pages[next_location_].offset;
  next_row_ = pages[next_location_].first_row;
}

// A header that the index does not fit would lead to rows that are not those asked for.
arrow::Status PageStream::CheckLocation(const PageSlot& page) const {
  const auto& pages = *options_.pages;
  const int64_t end_row = next_location_ + 1 < pages.size()
                              ? pages[next_location_ + 1].first_row
                              : options_.row_count;
  const int64_t bytes = int64_t{page.header.header_bytes} + page.header.compressed_bytes;
  if (page.offset == pages[next_location_].offset &&
      bytes == pages[next_location_].size_bytes && page.end_row == end_row) {
    return arrow::Status::OK();
  }
  return Corrupt(page,
                 "it is not the page that the page index has here (SET "
                 "scan.page_index = false reads the file without it)");
}

// Reads the next header and takes its page in, with its body unless its rows all lie
// before `begin`.
arrow::Result<bool> PageStream::FindPage(int64_t begin, core::Wait* wait) {
  if (options_.pages != nullptr) JumpTo(std::max(begin, next_row_));
  if (next_offset_ >= bytes_.end()) {
    return CorruptAt(next_offset_, "the column's pages end after " +
                                       std::to_string(next_row_) + " of " +
                                       std::to_string(options_.row_count) + " rows");
  }
  ARROW_ASSIGN_OR_RAISE(const auto header, ReadHeader(wait));
  if (!header) return false;
  ARROW_RETURN_NOT_OK(CheckSizes(*header));
  PageSlot page{.header = *header, .offset = next_offset_, .body = nullptr};
  if (header->kind == PageKind::kDictionary) {
    if (dictionary_ || next_row_ > 0) {
      return Corrupt(page, "a dictionary after other pages");
    }
    ARROW_ASSIGN_OR_RAISE(page.body, LoadBody(page.header, wait));
    if (page.body == nullptr) return false;
    dictionary_ = std::move(page);
  } else if (header->kind != PageKind::kOther) {
    page.first_row = next_row_;
    page.end_row = next_row_ + header->value_count;
    if (page.end_row > options_.row_count) {
      return Corrupt(page, "more values than the row group has rows");
    }
    if (options_.pages != nullptr) ARROW_RETURN_NOT_OK(CheckLocation(page));
    if (page.end_row > begin) {
      ARROW_ASSIGN_OR_RAISE(page.body, LoadBody(page.header, wait));
      if (page.body == nullptr) return false;
    }
    next_row_ = page.end_row;
    if (header->value_count > 0) pages_.push_back(std::move(page));
  } else if (options_.pages != nullptr && next_offset_ >= (*options_.pages)[0].offset) {
    return Corrupt(page, "no data page, where the page index has one");
  }
  next_offset_ += int64_t{header->header_bytes} + header->compressed_bytes;
  return true;
}

arrow::Result<std::optional<PageHeader>> PageStream::ReadHeader(core::Wait* wait) {
  int64_t left = bytes_.end() - next_offset_;
  if (options_.pages != nullptr) {
    // What follows a page need not be there.
    const auto& pages = *options_.pages;
    const int64_t end =
        next_offset_ < pages[0].offset
            ? pages[0].offset
            : pages[next_location_].offset + pages[next_location_].size_bytes;
    left = std::min(left, end - next_offset_);
  }
  for (int64_t size = std::min(kHeaderGuessBytes, left);;) {
    ARROW_ASSIGN_OR_RAISE(const auto bytes, bytes_.View(next_offset_, size, wait));
    if (bytes == nullptr) return std::nullopt;
    auto header = DecodePageHeader({reinterpret_cast<const char*>(bytes->data()),
                                    static_cast<size_t>(bytes->size())});
    if (!header.ok()) return CorruptAt(next_offset_, header.status().message());
    if (*header) return *header;
    if (size >= std::min(left, kPageHeaderBytesMax)) {
      return CorruptAt(next_offset_, "no page header here");
    }
    size = std::min(size * 4, std::min(left, kPageHeaderBytesMax));
  }
}

arrow::Status PageStream::CheckSizes(const PageHeader& header) const {
  const int64_t left = bytes_.end() - next_offset_ - header.header_bytes;
  if (header.compressed_bytes > left) {
    return CorruptAt(next_offset_,
                     "the page would have " + std::to_string(header.compressed_bytes) +
                         " bytes and the column has " + std::to_string(left) + " left");
  }
  const int64_t most = (int64_t{header.compressed_bytes} + 64) * RatioMax(chunk_.codec);
  if (header.uncompressed_bytes > most) {
    return CorruptAt(next_offset_, "it would grow from " +
                                       std::to_string(header.compressed_bytes) + " to " +
                                       std::to_string(header.uncompressed_bytes) +
                                       " bytes, more than its codec can do");
  }
  return arrow::Status::OK();
}

// Of the page at next_offset_, header and body in one view: a window that still holds the
// one but not yet the other stays. Null: *wait.
arrow::Result<std::shared_ptr<arrow::Buffer>> PageStream::LoadBody(
    const PageHeader& header, core::Wait* wait) {
  ARROW_ASSIGN_OR_RAISE(
      auto page,
      bytes_.View(next_offset_, int64_t{header.header_bytes} + header.compressed_bytes,
                  wait));
  if (page == nullptr) return nullptr;
  return arrow::SliceBuffer(std::move(page), header.header_bytes);
}

arrow::Status PageStream::CheckSum(const PageSlot& page) const {
  if (!page.header.crc) return arrow::Status::OK();
  const uint32_t crc = arrow::internal::crc32(0, page.body->data(),
                                              static_cast<size_t>(page.body->size()));
  if (crc == *page.header.crc) return arrow::Status::OK();
  return Corrupt(page, "its checksum does not match its bytes");
}

arrow::Result<std::span<const uint8_t>> PageStream::Decompress(
    const PageSlot& page, std::span<const uint8_t> in, int64_t out_bytes,
    arrow::ResizableBuffer* scratch) {
  if (out_bytes < 0) return Corrupt(page, "its levels are longer than the page");
  if (codec_ == nullptr) {
    if (static_cast<int64_t>(in.size()) == out_bytes) return in;
    return Corrupt(page, "its two sizes differ and it is not compressed");
  }
  if (out_bytes == 0) return std::span<const uint8_t>();
  // What lies in the buffer is not needed, so growing must not copy it.
  if (scratch->capacity() < out_bytes) {
    ARROW_RETURN_NOT_OK(scratch->Resize(0, /*shrink_to_fit=*/true));
  }
  ARROW_RETURN_NOT_OK(scratch->Resize(out_bytes, /*shrink_to_fit=*/false));
  auto written = codec_->Decompress(static_cast<int64_t>(in.size()), in.data(), out_bytes,
                                    scratch->mutable_data());
  if (!written.ok()) {
    return Corrupt(page, "it does not decompress (", written.status().message(), ")");
  }
  if (*written != out_bytes) {
    return Corrupt(page, "it decompresses to ", *written, " bytes and not ", out_bytes);
  }
  return std::span<const uint8_t>(scratch->data(), static_cast<size_t>(out_bytes));
}

arrow::Result<std::span<const uint8_t>> PageStream::OpenDictionary() {
  ARROW_RETURN_NOT_OK(CheckSum(*dictionary_));
  return Decompress(*dictionary_, SpanOf(*dictionary_->body),
                    dictionary_->header.uncompressed_bytes, dictionary_scratch_.get());
}

arrow::Result<PageBytes> PageStream::SplitV1(const PageSlot& page,
                                             std::span<const uint8_t> body) {
  if (!options_.optional) return PageBytes{.definition_levels = {}, .values = body};
  constexpr int32_t kRle = 3;
  if (page.header.definition_encoding != kRle) {
    return At(core::Error(ErrorKind::kUnsupported, "definition levels in encoding ",
                          page.header.definition_encoding,
                          " are not supported: write the file again"));
  }
  uint32_t size = 0;
  if (body.size() < sizeof(size)) return Corrupt(page, "it ends within its levels");
  std::memcpy(&size, body.data(), sizeof(size));
  if (size > body.size() - sizeof(size)) {
    return Corrupt(page, "its levels are longer than the page");
  }
  return PageBytes{.definition_levels = body.subspan(sizeof(size), size),
                   .values = body.subspan(sizeof(size) + size)};
}

arrow::Result<PageBytes> PageStream::Open(PageSlot* page) {
  page->opened = true;
  ARROW_RETURN_NOT_OK(CheckSum(*page));
  const PageHeader& header = page->header;
  const auto body = SpanOf(*page->body);
  if (header.kind == PageKind::kData) {
    ARROW_ASSIGN_OR_RAISE(
        const auto plain,
        Decompress(*page, body, header.uncompressed_bytes, page_scratch_.get()));
    return SplitV1(*page, plain);
  }
  const auto levels = static_cast<size_t>(header.definition_bytes);
  const size_t skipped = static_cast<size_t>(header.repetition_bytes);
  PageBytes bytes;
  if (options_.optional) bytes.definition_levels = body.subspan(skipped, levels);
  bytes.values = body.subspan(skipped + levels);
  if (header.is_compressed) {
    ARROW_ASSIGN_OR_RAISE(
        bytes.values, Decompress(*page, bytes.values,
                                 int64_t{header.uncompressed_bytes} -
                                     header.definition_bytes - header.repetition_bytes,
                                 page_scratch_.get()));
  }
  return bytes;
}

}  // namespace wheelpit::exec
