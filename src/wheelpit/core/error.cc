// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/core/error.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

namespace wheelpit::core {

namespace {

constexpr const char* kDetailTypeId = "wheelpit::core::ErrorInfo";

class Detail : public arrow::StatusDetail {
 public:
  explicit Detail(ErrorInfo info) : info_(std::move(info)) {}
  const char* type_id() const override { return kDetailTypeId; }
  std::string ToString() const override {
    return std::string(core::ToString(info_.kind));
  }
  const ErrorInfo& info() const { return info_; }

 private:
  ErrorInfo info_;
};

arrow::StatusCode CodeOf(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kCancelled:
      return arrow::StatusCode::Cancelled;
    case ErrorKind::kMemoryLimit:
      return arrow::StatusCode::OutOfMemory;
    case ErrorKind::kUnsupported:
      return arrow::StatusCode::NotImplemented;
    case ErrorKind::kInvalidSql:
    case ErrorKind::kData:
    case ErrorKind::kConfiguration:
      return arrow::StatusCode::Invalid;
    case ErrorKind::kInternal:
      return arrow::StatusCode::UnknownError;
    default:
      return arrow::StatusCode::IOError;
  }
}

ErrorKind KindOfErrno(int error_number) {
  switch (error_number) {
    case ENOENT:
    case ENOTDIR:
      return ErrorKind::kNotFound;
    case EACCES:
    case EPERM:
      return ErrorKind::kPermission;
    case ENOSPC:
    case EDQUOT:
      return ErrorKind::kDiskFull;
    case ENOMEM:
      return ErrorKind::kMemoryLimit;
    default:
      return ErrorKind::kIo;
  }
}

}  // namespace

std::string_view ToString(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kInternal:
      return "internal";
    case ErrorKind::kNotFound:
      return "not_found";
    case ErrorKind::kPermission:
      return "permission";
    case ErrorKind::kIo:
      return "io";
    case ErrorKind::kCorrupt:
      return "corrupt";
    case ErrorKind::kDiskFull:
      return "disk_full";
    case ErrorKind::kSpillLimit:
      return "spill_limit";
    case ErrorKind::kMemoryLimit:
      return "memory_limit";
    case ErrorKind::kCancelled:
      return "cancelled";
    case ErrorKind::kUnsupported:
      return "unsupported";
    case ErrorKind::kInvalidSql:
      return "invalid_sql";
    case ErrorKind::kData:
      return "data";
    case ErrorKind::kConfiguration:
      return "configuration";
    case ErrorKind::kUnavailable:
      return "unavailable";
  }
  return "internal";
}

int ExitCodeOf(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kConfiguration:
      return 2;
    case ErrorKind::kDiskFull:
    case ErrorKind::kSpillLimit:
    case ErrorKind::kMemoryLimit:
      return 3;
    case ErrorKind::kCorrupt:
      return 4;
    case ErrorKind::kCancelled:
      return 130;
    default:
      return 1;
  }
}

arrow::Status MakeStatus(ErrorInfo info, std::string message) {
  const arrow::StatusCode code = CodeOf(info.kind);
  return {code, std::move(message), std::make_shared<Detail>(std::move(info))};
}

ErrorInfo InfoOf(const arrow::Status& status) {
  if (const auto& detail = status.detail();
      detail != nullptr && std::strcmp(detail->type_id(), kDetailTypeId) == 0) {
    return static_cast<const Detail&>(*detail).info();
  }
  ErrorInfo info;
  if (status.IsCancelled()) {
    info.kind = ErrorKind::kCancelled;
  } else if (status.IsOutOfMemory()) {
    info.kind = ErrorKind::kMemoryLimit;
  } else if (status.IsIOError()) {
    info.kind = ErrorKind::kIo;
  } else if (status.IsNotImplemented()) {
    info.kind = ErrorKind::kUnsupported;
  }
  return info;
}

ErrorKind KindOf(const arrow::Status& status) {
  return InfoOf(status).kind;
}

arrow::Status WithContext(const arrow::Status& status, std::string_view context) {
  if (status.ok()) {
    return status;
  }
  return status.WithMessage(context, ": ", status.message());
}

arrow::Status ErrnoStatus(int error_number, std::string_view what) {
  char buffer[128];
  // The GNU form of strerror_r: the text may or may not be in the buffer.
  const char* text = strerror_r(error_number, buffer, sizeof buffer);
  return Error(KindOfErrno(error_number), what, ": ", text);
}

void CheckFailed(const char* file, int line, const char* condition,
                 const std::string& values) {
  std::fprintf(stderr, "%s:%d: check failed: %s%s%s\n", file, line, condition,
               values.empty() ? "" : ": ", values.c_str());
  std::abort();
}

}  // namespace wheelpit::core
