// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/cli/output.h"

#include <cerrno>
#include <utility>

#include "wheelpit/core/error.h"

namespace wheelpit::cli {

namespace {
constexpr size_t kBufferBytes = 64 << 10;
}  // namespace

Output::Output(io::Syscalls& syscalls, int fd, std::string name)
    : syscalls_(syscalls), fd_(fd), name_(std::move(name)) {}

arrow::Status Output::Write(std::string_view text) {
  if (reader_gone_) {
    return arrow::Status::OK();
  }
  buffer_.append(text);
  return buffer_.size() >= kBufferBytes ? Flush() : arrow::Status::OK();
}

arrow::Status Output::Flush() {
  std::string_view rest = buffer_;
  while (!rest.empty() && !reader_gone_) {
    const ssize_t put = syscalls_.Write(fd_, rest.data(), rest.size());
    if (put == -EINTR) {
      continue;
    }
    if (put == -EPIPE) {
      reader_gone_ = true;
    } else if (put < 0) {
      buffer_.clear();
      return core::ErrnoStatus(static_cast<int>(-put), "writing to " + name_);
    } else {
      rest.remove_prefix(static_cast<size_t>(put));
    }
  }
  buffer_.clear();
  return arrow::Status::OK();
}

}  // namespace wheelpit::cli
