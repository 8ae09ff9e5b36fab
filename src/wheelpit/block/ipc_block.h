// SPDX-License-Identifier: Apache-2.0
// A RecordBatch as bytes, in Arrow's IPC stream messages without the schema message: both
// sides know the schema (docs/formats/block-ipc.md). Called by whoever puts rows on a
// disk or a wire; the container around a block (spill extent, shuffle block) adds
// identity and checksum. Everything here is free of state shared between calls: any
// thread, any number at once, and no call blocks.
#pragma once

#include <cstdint>
#include <memory>

#include <arrow/result.h>
#include <arrow/type_fwd.h>

namespace wheelpit::block {

/// Of each buffer on its own. A buffer that does not shrink by a twentieth is stored raw.
enum class Compression : uint8_t { kNone, kLz4, kZstd };

struct EncodeOptions {
  Compression compression = Compression::kNone;
};

/// The bytes of `batch`, and of nothing but its rows: slices, views and dictionaries are
/// cut down to what a row refers to (KeepLiveBytes). The result is allocated from `pool`;
/// its size is a multiple of 8. More than 2^31 - 1 rows, or values in one nested column,
/// are kUnsupported: split the batch.
arrow::Result<std::shared_ptr<arrow::Buffer>> EncodeIpc(const arrow::RecordBatch& batch,
                                                        const EncodeOptions& options,
                                                        arrow::MemoryPool* pool);

struct DecodeOptions {
  /// Bytes that decompressing one block may allocate; a block that claims more is
  /// corrupt.
  int64_t decompressed_bytes_max = int64_t{1} << 30;
};

/// Decodes blocks of one schema. The bytes are taken for hostile: lengths are checked
/// before anything is allocated by them and the rows are checked value by value, so that
/// what is returned is a valid batch of `schema`. Anything else is kCorrupt.
class IpcDecoder {
 public:
  static arrow::Result<std::unique_ptr<IpcDecoder>> Make(
      std::shared_ptr<arrow::Schema> schema, const DecodeOptions& options);
  ~IpcDecoder();

  /// The batch refers to `bytes` where a buffer was not compressed; a block whose address
  /// is not a multiple of 8 is copied first. `pool` must outlive the batch.
  arrow::Result<std::shared_ptr<arrow::RecordBatch>> Decode(
      std::shared_ptr<arrow::Buffer> bytes, arrow::MemoryPool* pool) const;

 private:
  IpcDecoder(std::shared_ptr<arrow::Schema> schema, const DecodeOptions& options);
  const std::shared_ptr<arrow::Schema> schema_;
  const DecodeOptions options_;
  int dictionary_count_ = 0;
  std::shared_ptr<arrow::Buffer> schema_message_;  // null where there are no dictionaries
};

}  // namespace wheelpit::block
