// SPDX-License-Identifier: Apache-2.0
// Output: a file descriptor that results are written to, buffered. Knows the difference
// between a reader that has gone (`| head`: not an error) and a disk that is full.
#pragma once

#include <string>
#include <string_view>

#include <arrow/status.h>

#include "wheelpit/exec/write/format_writer.h"
#include "wheelpit/io/syscalls.h"

namespace wheelpit::cli {

class Output final : public exec::ByteSink {
 public:
  /// `fd` is borrowed; `name` is how errors call it ("standard output").
  Output(io::Syscalls& syscalls, int fd, std::string name);
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  /// Appends; writes out when 64 KiB are full. OK and nothing more once the reader has
  /// gone.
  arrow::Status Write(std::string_view text) override;
  arrow::Status Flush();
  /// True when the other end of the pipe is closed: nobody wants the rest.
  bool reader_gone() const { return reader_gone_; }

 private:
  io::Syscalls& syscalls_;
  const int fd_;
  const std::string name_;
  std::string buffer_;
  bool reader_gone_ = false;
};

}  // namespace wheelpit::cli
