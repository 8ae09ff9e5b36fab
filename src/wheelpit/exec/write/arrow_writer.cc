// SPDX-License-Identifier: Apache-2.0
#include <arrow/ipc/options.h>
#include <arrow/ipc/writer.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/util/compression.h>

#include "wheelpit/core/error.h"
#include "wheelpit/exec/write/plain_columns.h"
#include "wheelpit/exec/write/sink_stream.h"
#include "wheelpit/exec/write/writers.h"

namespace wheelpit::exec {

namespace {

// Plain columns: a file may have one dictionary for a column, while batches of ours have
// each their own; and of views all that is behind them would be written.
class ArrowWriter final : public FormatWriter {
 public:
  ArrowWriter(const SchemaPtr& schema, arrow::ipc::IpcWriteOptions options, bool stream,
              ByteSink* sink)
      : schema_(PlainSchema(*schema)),
        options_(std::move(options)),
        stream_(stream),
        out_(sink) {}

  arrow::Status Begin() override {
    return (stream_ ? arrow::ipc::MakeStreamWriter(&out_, schema_, options_)
                    : arrow::ipc::MakeFileWriter(&out_, schema_, options_))
        .Value(&writer_);
  }

  arrow::Status Write(const arrow::RecordBatch& batch) override {
    if (batch.num_rows() == 0) {
      return arrow::Status::OK();
    }
    ARROW_ASSIGN_OR_RAISE(const auto rows, PlainRows(batch, options_.memory_pool));
    return writer_->WriteRecordBatch(*rows);
  }

  arrow::Status Finish() override { return writer_->Close(); }

 private:
  const SchemaPtr schema_;
  const arrow::ipc::IpcWriteOptions options_;
  const bool stream_;
  SinkStream out_;
  std::shared_ptr<arrow::ipc::RecordBatchWriter> writer_;
};

}  // namespace

WriterResult MakeArrowWriter(const SchemaPtr& schema, const FormatWriterOptions& options,
                             ByteSink* sink) {
  arrow::ipc::IpcWriteOptions ipc = arrow::ipc::IpcWriteOptions::Defaults();
  ipc.memory_pool = options.pool;
  ipc.use_threads = false;
  const plan::FileCodec codec = options.format.codec;
  if (codec == plan::FileCodec::kZstd || codec == plan::FileCodec::kLz4) {
    const int level = options.format.codec_level;
    ARROW_ASSIGN_OR_RAISE(
        ipc.codec, arrow::util::Codec::Create(
                       codec == plan::FileCodec::kZstd ? arrow::Compression::ZSTD
                                                       : arrow::Compression::LZ4_FRAME,
                       level == 0 ? arrow::util::kUseDefaultCompressionLevel : level));
  }
  return std::make_unique<ArrowWriter>(schema, std::move(ipc), options.arrow_stream,
                                       sink);
}

}  // namespace wheelpit::exec
