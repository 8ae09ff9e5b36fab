// SPDX-License-Identifier: Apache-2.0
// A ByteSink as Arrow's writers want it.
#pragma once

#include <cstdint>
#include <string_view>

#include <arrow/buffer.h>
#include <arrow/io/interfaces.h>
#include <arrow/result.h>

#include "wheelpit/exec/write/format_writer.h"

namespace wheelpit::exec {

class SinkStream final : public arrow::io::OutputStream {
 public:
  explicit SinkStream(ByteSink* sink) : sink_(sink) {}

  arrow::Status Write(const void* data, int64_t size) override {
    size_bytes_ += size;
    return sink_->Write({static_cast<const char*>(data), static_cast<size_t>(size)});
  }
  arrow::Status Write(const std::shared_ptr<arrow::Buffer>& data) override {
    return Write(data->data(), data->size());
  }
  arrow::Result<int64_t> Tell() const override { return size_bytes_; }
  arrow::Status Close() override {
    closed_ = true;
    return arrow::Status::OK();
  }
  bool closed() const override { return closed_; }

 private:
  ByteSink* const sink_;
  int64_t size_bytes_ = 0;
  bool closed_ = false;
};

}  // namespace wheelpit::exec
