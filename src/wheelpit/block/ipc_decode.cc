// SPDX-License-Identifier: Apache-2.0
#include <exception>
#include <utility>
#include <vector>

#include <arrow/array.h>
#include <arrow/buffer.h>
#include <arrow/io/memory.h>
#include <arrow/ipc/dictionary.h>
#include <arrow/ipc/message.h>
#include <arrow/ipc/reader.h>
#include <arrow/ipc/writer.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "wheelpit/block/ipc_block.h"
#include "wheelpit/block/ipc_message.h"
#include "wheelpit/core/bad_alloc.h"
#include "wheelpit/core/error.h"

namespace wheelpit::block {

namespace {

using arrow::RecordBatch;
using arrow::Result;
using arrow::Status;
using core::ErrorKind;

constexpr uintptr_t kAlignment = 8;

// Hands out the schema, then the messages of one block.
class BlockMessages final : public arrow::ipc::MessageReader {
 public:
  explicit BlockMessages(std::vector<std::unique_ptr<arrow::ipc::Message>> messages)
      : messages_(std::move(messages)) {}

  Result<std::unique_ptr<arrow::ipc::Message>> ReadNextMessage() override {
    return next_ < messages_.size() ? std::move(messages_[next_++]) : nullptr;
  }

 private:
  std::vector<std::unique_ptr<arrow::ipc::Message>> messages_;
  size_t next_ = 0;
};

arrow::ipc::IpcReadOptions ReadOptions(arrow::MemoryPool* pool) {
  auto options = arrow::ipc::IpcReadOptions::Defaults();
  options.memory_pool = pool;
  options.use_threads = false;
  return options;
}

Result<std::shared_ptr<RecordBatch>> ReadWithDictionaries(
    std::vector<std::unique_ptr<arrow::ipc::Message>> messages,
    const std::shared_ptr<arrow::Buffer>& schema_message,
    const std::shared_ptr<arrow::Schema>& schema, arrow::MemoryPool* pool) {
  arrow::io::BufferReader schema_bytes(schema_message);
  ARROW_ASSIGN_OR_RAISE(auto first, arrow::ipc::ReadMessage(&schema_bytes, pool));
  messages.insert(messages.begin(), std::move(first));
  ARROW_ASSIGN_OR_RAISE(
      const auto reader,
      arrow::ipc::RecordBatchStreamReader::Open(
          std::make_unique<BlockMessages>(std::move(messages)), ReadOptions(pool)));
  std::shared_ptr<RecordBatch> batch;
  ARROW_RETURN_NOT_OK(reader->ReadNext(&batch));
  if (batch == nullptr) {
    return Status::Invalid("no record batch");
  }
  // The reader made a schema of its own; the caller's is the one that is passed around.
  return RecordBatch::Make(schema, batch->num_rows(), batch->column_data());
}

// A failed allocation stays what it is; whatever else the reader says is about the bytes.
Status Classify(const Status& status) {
  if (status.ok() || core::KindOf(status) == ErrorKind::kMemoryLimit ||
      core::KindOf(status) == ErrorKind::kCorrupt) {
    return status;
  }
  return core::Error(ErrorKind::kCorrupt, status.message());
}

}  // namespace

Result<std::unique_ptr<IpcDecoder>> IpcDecoder::Make(
    std::shared_ptr<arrow::Schema> schema, const DecodeOptions& options) {
  std::unique_ptr<IpcDecoder> decoder(new IpcDecoder(std::move(schema), options));
  const arrow::ipc::DictionaryFieldMapper mapper(*decoder->schema_);
  decoder->dictionary_count_ = mapper.num_dicts();
  if (decoder->dictionary_count_ > 0) {
    // Lives as long as the decoder, outside any budget: a few hundred bytes.
    ARROW_ASSIGN_OR_RAISE(
        decoder->schema_message_,
        arrow::ipc::SerializeSchema(*decoder->schema_, arrow::system_memory_pool()));
  }
  return decoder;
}

IpcDecoder::IpcDecoder(std::shared_ptr<arrow::Schema> schema,
                       const DecodeOptions& options)
    : schema_(std::move(schema)), options_(options) {}

IpcDecoder::~IpcDecoder() = default;

Result<std::shared_ptr<RecordBatch>> IpcDecoder::Decode(
    std::shared_ptr<arrow::Buffer> bytes, arrow::MemoryPool* pool) const {
  if (bytes->address() % kAlignment != 0) {
    ARROW_ASSIGN_OR_RAISE(bytes, bytes->CopySlice(0, bytes->size(), pool));
  }
  ARROW_ASSIGN_OR_RAISE(auto messages, SplitMessages(bytes, dictionary_count_, options_));
  const auto read = [&]() -> Result<std::shared_ptr<RecordBatch>> {
    if (schema_message_ != nullptr) {
      return ReadWithDictionaries(std::move(messages), schema_message_, schema_, pool);
    }
    const arrow::ipc::DictionaryMemo no_dictionaries;
    return arrow::ipc::ReadRecordBatch(*messages.back(), schema_, &no_dictionaries,
                                       ReadOptions(pool));
  };
  const auto checked = [&]() -> Result<std::shared_ptr<RecordBatch>> {
    ARROW_ASSIGN_OR_RAISE(auto batch, read());
    ARROW_RETURN_NOT_OK(batch->ValidateFull());
    return batch;
  };
  try {
    auto batch = checked();
    return batch.ok() ? batch : Classify(batch.status());
  } catch (const std::bad_alloc&) {
    return core::BadAllocError();
  } catch (const std::exception& error) {
    return core::Error(ErrorKind::kCorrupt, "the block cannot be read: ", error.what());
  }
}

}  // namespace wheelpit::block
