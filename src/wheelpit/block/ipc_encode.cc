// SPDX-License-Identifier: Apache-2.0
#include <utility>
#include <vector>

#include <arrow/array.h>
#include <arrow/buffer.h>
#include <arrow/io/memory.h>
#include <arrow/ipc/dictionary.h>
#include <arrow/ipc/writer.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/util/compression.h>

#include "wheelpit/block/ipc_block.h"
#include "wheelpit/block/live_bytes.h"
#include "wheelpit/core/error.h"

namespace wheelpit::block {

namespace {

using arrow::RecordBatch;
using arrow::Result;
using arrow::Status;

constexpr double kLeastSavings = 0.05;
// Levels above 1 cost more CPU than any disk here gives back.
constexpr int kZstdLevel = 1;
constexpr int32_t kAlignment = 8;

Result<arrow::ipc::IpcWriteOptions> WriteOptions(Compression compression,
                                                 arrow::MemoryPool* pool) {
  auto options = arrow::ipc::IpcWriteOptions::Defaults();
  options.memory_pool = pool;
  options.use_threads = false;
  options.alignment = kAlignment;
  if (compression == Compression::kLz4) {
    ARROW_ASSIGN_OR_RAISE(options.codec,
                          arrow::util::Codec::Create(arrow::Compression::LZ4_FRAME));
  } else if (compression == Compression::kZstd) {
    ARROW_ASSIGN_OR_RAISE(
        options.codec, arrow::util::Codec::Create(arrow::Compression::ZSTD, kZstdLevel));
  }
  if (options.codec != nullptr) {
    options.min_space_savings = kLeastSavings;
  }
  return options;
}

Result<std::vector<arrow::ipc::IpcPayload>> Payloads(
    const RecordBatch& batch, const arrow::ipc::IpcWriteOptions& options) {
  const arrow::ipc::DictionaryFieldMapper mapper(*batch.schema());
  ARROW_ASSIGN_OR_RAISE(const auto dictionaries,
                        arrow::ipc::CollectDictionaries(batch, mapper));
  std::vector<arrow::ipc::IpcPayload> payloads(dictionaries.size() + 1);
  for (size_t i = 0; i < dictionaries.size(); ++i) {
    ARROW_RETURN_NOT_OK(arrow::ipc::GetDictionaryPayload(
        dictionaries[i].first, dictionaries[i].second, options, &payloads[i]));
  }
  ARROW_RETURN_NOT_OK(
      arrow::ipc::GetRecordBatchPayload(batch, options, &payloads.back()));
  return payloads;
}

Status WriteAll(const std::vector<arrow::ipc::IpcPayload>& payloads,
                const arrow::ipc::IpcWriteOptions& options,
                arrow::io::OutputStream* sink) {
  for (const auto& payload : payloads) {
    int32_t metadata_size = 0;
    ARROW_RETURN_NOT_OK(
        arrow::ipc::WriteIpcPayload(payload, options, sink, &metadata_size));
  }
  return Status::OK();
}

}  // namespace

Result<std::shared_ptr<arrow::Buffer>> EncodeIpc(const RecordBatch& batch,
                                                 const EncodeOptions& options,
                                                 arrow::MemoryPool* pool) {
  std::vector<std::shared_ptr<arrow::Array>> columns;
  for (const auto& column : batch.columns()) {
    ARROW_ASSIGN_OR_RAISE(columns.emplace_back(), KeepLiveBytes(column, pool));
  }
  const auto live =
      RecordBatch::Make(batch.schema(), batch.num_rows(), std::move(columns));
  ARROW_ASSIGN_OR_RAISE(const auto write_options,
                        WriteOptions(options.compression, pool));
  auto payloads = Payloads(*live, write_options);
  if (payloads.status().IsCapacityError()) {
    return core::Error(core::ErrorKind::kUnsupported, "a batch of ", batch.num_rows(),
                       " rows is too long for one block: ", payloads.status().message());
  }
  ARROW_RETURN_NOT_OK(payloads.status());
  arrow::io::MockOutputStream measure;
  ARROW_RETURN_NOT_OK(WriteAll(*payloads, write_options, &measure));
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> bytes,
                        arrow::AllocateBuffer(measure.GetExtentBytesWritten(), pool));
  arrow::io::FixedSizeBufferWriter sink(bytes);
  ARROW_RETURN_NOT_OK(WriteAll(*payloads, write_options, &sink));
  return bytes;
}

}  // namespace wheelpit::block
