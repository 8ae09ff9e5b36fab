// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/block/ipc_message.h"

#include <bit>
#include <cstring>
#include <limits>
#include <optional>
#include <span>

#include <arrow/buffer.h>

#include "wheelpit/core/error.h"

namespace wheelpit::block {

namespace {

static_assert(std::endian::native == std::endian::little, "the format is little-endian");

using arrow::Result;
using arrow::Status;

// Most bytes that one compressed byte can stand for: LZ4 adds 255 per length byte, and
// zstd encodes 128 KiB of one value in 4 bytes; both rounded up.
constexpr int64_t kLz4RatioMax = 256;
constexpr int64_t kZstdRatioMax = 1 << 16;
constexpr int64_t kRatioSlack = 64 << 10;

constexpr int64_t kLengthMax = std::numeric_limits<int32_t>::max();

// Field numbers of Message.fbs.
namespace message_field {
constexpr int kVersion = 0, kHeaderType = 1, kHeader = 2, kBodyLength = 3;
}
namespace batch_field {
constexpr int kLength = 0, kNodes = 1, kBuffers = 2, kCompression = 3,
              kVariadicCounts = 4;
}
namespace dictionary_field {
constexpr int kData = 1, kIsDelta = 2;
}
constexpr int16_t kMetadataV5 = 4;
constexpr uint8_t kHeaderDictionary = 2, kHeaderBatch = 3;
constexpr int8_t kCodecZstd = 1;

template <typename... Pieces>
Status Corrupt(Pieces&&... pieces) {
  return core::Error(core::ErrorKind::kCorrupt, std::forward<Pieces>(pieces)...);
}

// A FlatBuffers table: the position of its data, and a table of field offsets. Every
// position is checked against the bytes before it is read.
class FlatTable {
 public:
  using Bytes = std::span<const uint8_t>;

  static Result<FlatTable> Root(Bytes bytes) {
    ARROW_ASSIGN_OR_RAISE(const auto offset, Load<uint32_t>(bytes, 0));
    return At(bytes, offset);
  }

  template <typename T>
  Result<T> Scalar(int field, T fallback) const {
    ARROW_ASSIGN_OR_RAISE(const int64_t at, FieldAt(field));
    return at == 0 ? Result<T>(fallback) : Load<T>(bytes_, at);
  }

  Result<std::optional<FlatTable>> Table(int field) const {
    ARROW_ASSIGN_OR_RAISE(const int64_t at, FieldAt(field));
    if (at == 0) {
      return std::nullopt;
    }
    ARROW_ASSIGN_OR_RAISE(const auto offset, Load<uint32_t>(bytes_, at));
    ARROW_ASSIGN_OR_RAISE(FlatTable table, At(bytes_, at + offset));
    return table;
  }

  // The elements of a vector, each `width` bytes; empty when the field is not there.
  Result<Bytes> Vector(int field, int64_t width) const {
    ARROW_ASSIGN_OR_RAISE(const int64_t at, FieldAt(field));
    if (at == 0) {
      return Bytes();
    }
    ARROW_ASSIGN_OR_RAISE(const auto offset, Load<uint32_t>(bytes_, at));
    const int64_t start = at + offset;
    ARROW_ASSIGN_OR_RAISE(const auto count, Load<uint32_t>(bytes_, start));
    const int64_t size = int64_t{count} * width;
    if (size > std::ssize(bytes_) - start - 4) {
      return Corrupt("metadata vector of ", count, " elements ends beyond the metadata");
    }
    return bytes_.subspan(static_cast<size_t>(start + 4), static_cast<size_t>(size));
  }

  template <typename T>
  static Result<T> Load(Bytes bytes, int64_t at) {
    if (at < 0 || at > std::ssize(bytes) - static_cast<int64_t>(sizeof(T))) {
      return Corrupt("metadata refers to byte ", at, " of ", bytes.size());
    }
    T value;
    std::memcpy(&value, bytes.data() + at, sizeof(T));
    return value;
  }

 private:
  FlatTable(Bytes bytes, int64_t at, int64_t fields, int64_t field_bytes)
      : bytes_(bytes), at_(at), fields_(fields), field_bytes_(field_bytes) {}

  static Result<FlatTable> At(Bytes bytes, int64_t at) {
    ARROW_ASSIGN_OR_RAISE(const auto back, Load<int32_t>(bytes, at));
    const int64_t fields = at - back;
    ARROW_ASSIGN_OR_RAISE(const auto field_bytes, Load<uint16_t>(bytes, fields));
    return FlatTable(bytes, at, fields, field_bytes);
  }

  // Where the field lies; 0 when the table does not have it.
  Result<int64_t> FieldAt(int field) const {
    const int64_t slot = 4 + 2 * int64_t{field};
    if (slot + 2 > field_bytes_) {
      return 0;
    }
    ARROW_ASSIGN_OR_RAISE(const auto offset, Load<uint16_t>(bytes_, fields_ + slot));
    return offset == 0 ? 0 : at_ + offset;
  }

  Bytes bytes_;
  int64_t at_;
  int64_t fields_;
  int64_t field_bytes_;
};

// What one block may still allocate.
struct Allowance {
  int64_t decompressed_bytes;
};

Status CheckCompressed(const uint8_t* data, int64_t size, bool zstd,
                       Allowance* allowance) {
  if (size < 8) {
    return Corrupt("a compressed buffer of ", size, " bytes has no length");
  }
  int64_t claimed;
  std::memcpy(&claimed, data, sizeof(claimed));
  if (claimed == -1) {
    return Status::OK();  // stored raw
  }
  const int64_t ratio_max = zstd ? kZstdRatioMax : kLz4RatioMax;
  if (claimed < 0 || claimed > allowance->decompressed_bytes ||
      (claimed - kRatioSlack) / ratio_max > size) {
    return Corrupt("a compressed buffer of ", size, " bytes claims ", claimed,
                   " decompressed ones");
  }
  allowance->decompressed_bytes -= claimed;
  return Status::OK();
}

// The vectors of a record batch against its body.
Status CheckBatch(const FlatTable& batch, std::span<const uint8_t> body,
                  Allowance* allowance) {
  ARROW_ASSIGN_OR_RAISE(const auto rows, batch.Scalar<int64_t>(batch_field::kLength, 0));
  if (rows < 0 || rows > kLengthMax) {
    return Corrupt("a batch of ", rows, " rows");
  }
  ARROW_ASSIGN_OR_RAISE(const auto nodes, batch.Vector(batch_field::kNodes, 16));
  for (size_t at = 0; at < nodes.size(); at += 16) {
    ARROW_ASSIGN_OR_RAISE(const auto length, FlatTable::Load<int64_t>(nodes, at));
    ARROW_ASSIGN_OR_RAISE(const auto nulls, FlatTable::Load<int64_t>(nodes, at + 8));
    if (length < 0 || length > kLengthMax || nulls < 0 || nulls > length) {
      return Corrupt("a column of ", length, " values, ", nulls, " of them null");
    }
  }
  ARROW_ASSIGN_OR_RAISE(const auto compression, batch.Table(batch_field::kCompression));
  bool zstd = false;
  if (compression.has_value()) {
    ARROW_ASSIGN_OR_RAISE(const auto codec, compression->Scalar<int8_t>(0, 0));
    zstd = codec == kCodecZstd;
  }
  ARROW_ASSIGN_OR_RAISE(const auto buffers, batch.Vector(batch_field::kBuffers, 16));
  int64_t end = 0;
  for (size_t at = 0; at < buffers.size(); at += 16) {
    ARROW_ASSIGN_OR_RAISE(const auto offset, FlatTable::Load<int64_t>(buffers, at));
    ARROW_ASSIGN_OR_RAISE(const auto size, FlatTable::Load<int64_t>(buffers, at + 8));
    if (offset < end || offset % 8 != 0 || offset > std::ssize(body) || size < 0 ||
        size > std::ssize(body) - offset) {
      return Corrupt("a buffer of ", size, " bytes at ", offset, " in a body of ",
                     body.size());
    }
    if (compression.has_value() && size > 0) {
      ARROW_RETURN_NOT_OK(CheckCompressed(body.data() + offset, size, zstd, allowance));
    }
    end = offset + size;
  }
  ARROW_ASSIGN_OR_RAISE(const auto counts, batch.Vector(batch_field::kVariadicCounts, 8));
  auto buffers_left = static_cast<int64_t>(buffers.size() / 16);
  for (size_t at = 0; at < counts.size(); at += 8) {
    ARROW_ASSIGN_OR_RAISE(const auto count, FlatTable::Load<int64_t>(counts, at));
    if (count < 0 || count > buffers_left) {
      return Corrupt("a column of views claims ", count, " buffers");
    }
    buffers_left -= count;
  }
  return Status::OK();
}

struct Cursor {
  const std::shared_ptr<arrow::Buffer>& bytes;
  int64_t at = 0;

  int64_t left() const { return bytes->size() - at; }
  std::span<const uint8_t> Peek(int64_t size) const {
    return {bytes->data() + at, static_cast<size_t>(size)};
  }
  std::shared_ptr<arrow::Buffer> Take(int64_t size) {
    auto slice = arrow::SliceBuffer(bytes, at, size);
    at += size;
    return slice;
  }
};

// One message at the cursor; `*is_batch` tells a record batch from a dictionary.
Result<std::unique_ptr<arrow::ipc::Message>> ReadMessage(Cursor* cursor, bool* is_batch,
                                                         Allowance* allowance) {
  if (cursor->left() < 8) {
    return Corrupt("the block ends before its record batch");
  }
  ARROW_ASSIGN_OR_RAISE(const auto mark, FlatTable::Load<uint32_t>(cursor->Peek(8), 0));
  ARROW_ASSIGN_OR_RAISE(const auto metadata_size,
                        FlatTable::Load<int32_t>(cursor->Peek(8), 4));
  cursor->at += 8;
  if (mark != 0xFFFFFFFF || metadata_size <= 0 || metadata_size % 8 != 0 ||
      metadata_size > cursor->left()) {
    return Corrupt("no message: mark ", mark, ", metadata of ", metadata_size, " bytes");
  }
  const auto metadata_bytes = cursor->Peek(metadata_size);
  auto metadata = cursor->Take(metadata_size);
  ARROW_ASSIGN_OR_RAISE(const FlatTable message, FlatTable::Root(metadata_bytes));
  ARROW_ASSIGN_OR_RAISE(const auto version,
                        message.Scalar<int16_t>(message_field::kVersion, 0));
  ARROW_ASSIGN_OR_RAISE(const auto type,
                        message.Scalar<uint8_t>(message_field::kHeaderType, 0));
  ARROW_ASSIGN_OR_RAISE(const auto body_size,
                        message.Scalar<int64_t>(message_field::kBodyLength, 0));
  ARROW_ASSIGN_OR_RAISE(auto header, message.Table(message_field::kHeader));
  if (version != kMetadataV5 || body_size < 0 || body_size % 8 != 0 ||
      body_size > cursor->left() || !header.has_value()) {
    return Corrupt("a message of version ", version, " with a body of ", body_size,
                   " bytes where ", cursor->left(), " are left");
  }
  *is_batch = type == kHeaderBatch;
  if (type == kHeaderDictionary) {
    ARROW_ASSIGN_OR_RAISE(const auto delta,
                          header->Scalar<uint8_t>(dictionary_field::kIsDelta, 0));
    ARROW_ASSIGN_OR_RAISE(header, header->Table(dictionary_field::kData));
    if (delta != 0 || !header.has_value()) {
      return Corrupt("a dictionary that is no whole one");
    }
  } else if (type != kHeaderBatch) {
    return Corrupt("a message of type ", int{type}, ", neither dictionary nor batch");
  }
  ARROW_RETURN_NOT_OK(CheckBatch(*header, cursor->Peek(body_size), allowance));
  return arrow::ipc::Message::Open(std::move(metadata), cursor->Take(body_size));
}

}  // namespace

Result<std::vector<std::unique_ptr<arrow::ipc::Message>>> SplitMessages(
    const std::shared_ptr<arrow::Buffer>& bytes, int dictionary_count,
    const DecodeOptions& options) {
  std::vector<std::unique_ptr<arrow::ipc::Message>> messages;
  Allowance allowance{options.decompressed_bytes_max};
  Cursor cursor{bytes};
  for (bool is_batch = false; !is_batch;) {
    const int64_t start = cursor.at;
    auto message = ReadMessage(&cursor, &is_batch, &allowance);
    if (!message.ok()) {
      return Corrupt("message at byte ", start, ": ", message.status().message());
    }
    if (!is_batch && std::ssize(messages) >= dictionary_count) {
      return Corrupt("message at byte ", start, ": more dictionaries than the schema's ",
                     dictionary_count);
    }
    messages.push_back(std::move(message).ValueUnsafe());
  }
  if (cursor.left() != 0) {
    return Corrupt(cursor.left(), " bytes after the record batch");
  }
  return messages;
}

}  // namespace wheelpit::block
