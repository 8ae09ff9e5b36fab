// SPDX-License-Identifier: Apache-2.0
// Errors. Everything that can fail returns arrow::Status or arrow::Result; what a caller
// may act on rides along as an ErrorInfo detail, which survives propagation and added
// context. Exit codes, retries and foreign exception classes are chosen from ErrorKind
// and from nothing else.
#pragma once

#include <cstdint>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

#include <arrow/status.h>

namespace wheelpit::core {

/// What went wrong, as far as a caller can act on it.
enum class ErrorKind : uint8_t {
  kInternal,     ///< a bug of ours, or an error that nobody classified
  kNotFound,     ///< a file, column, table or setting that is not there
  kPermission,   ///< it is there, and the operating system or an owner rule refuses it
  kIo,           ///< the operating system failed an operation (EIO, EROFS, …)
  kCorrupt,      ///< bytes that are not what their format or checksum promises
  kDiskFull,     ///< ENOSPC or EDQUOT
  kSpillLimit,   ///< the spill quota of a query or of the process is used up
  kMemoryLimit,  ///< the memory budget does not allow it
  kCancelled,    ///< somebody asked for the stop
  kUnsupported,  ///< understood, and not done yet or not done here
  kInvalidSql,   ///< text that is not a statement, or names and types that do not fit
  kData,  ///< a value that the ANSI rules refuse: overflow, bad cast, division by zero
  kConfiguration,  ///< a flag, setting or environment value that makes no sense
  kUnavailable,    ///< a peer that may answer later
};

/// The snake_case name of a kind, for logs and JSON.
std::string_view ToString(ErrorKind kind);

/// The exit code of every command for an error of this kind: 1 data or query error, 2
/// usage or configuration, 3 a limit (memory, spill, disk), 4 corruption, 130 cancelled.
/// 0 is success.
int ExitCodeOf(ErrorKind kind);

/// What an error carries besides its message.
struct ErrorInfo {
  ErrorKind kind = ErrorKind::kInternal;
  /// Spark's error class where there is one ("DIVIDE_BY_ZERO"), else empty.
  std::string error_class;
  /// Byte range in the SQL text that the error is about; offset -1 when there is none.
  int64_t sql_offset = -1;
  int64_t sql_length = 0;
};

/// Makes a status with the given detail; a kCancelled one satisfies
/// Status::IsCancelled().
arrow::Status MakeStatus(ErrorInfo info, std::string message);

/// Makes a status whose message is the pieces put together.
template <typename... Pieces>
arrow::Status Error(ErrorKind kind, Pieces&&... pieces) {
  std::ostringstream text;
  (text << ... << std::forward<Pieces>(pieces));
  return MakeStatus(ErrorInfo{.kind = kind, .error_class = {}}, std::move(text).str());
}

/// The detail of a status. One without is classified by its Arrow code (IOError gives
/// kIo, OutOfMemory kMemoryLimit, Cancelled kCancelled, anything else kInternal).
ErrorInfo InfoOf(const arrow::Status& status);

/// Short for InfoOf(status).kind.
ErrorKind KindOf(const arrow::Status& status);

/// The same error with `context` and ": " put before its message.
arrow::Status WithContext(const arrow::Status& status, std::string_view context);

/// The error of a failed system call: kind from `error_number`, message "what: strerror".
arrow::Status ErrnoStatus(int error_number, std::string_view what);

/// Ends the process with the message: a broken invariant, where going on could corrupt
/// data.
[[noreturn]] void CheckFailed(const char* file, int line, const char* condition,
                              const std::string& values);

}  // namespace wheelpit::core

/// Always on. For bugs only: bytes from disk, wire or user are never checked by
/// assertion.
#define WHEELPIT_CHECK(condition, ...)                              \
  do {                                                              \
    if (!(condition)) [[unlikely]] {                                \
      ::wheelpit::core::CheckFailed(__FILE__, __LINE__, #condition, \
                                    ::std::string("" __VA_ARGS__)); \
    }                                                               \
  } while (false)

#ifdef NDEBUG
#define WHEELPIT_DCHECK(condition, ...) \
  do {                                  \
  } while (false && (condition))
#else
#define WHEELPIT_DCHECK(condition, ...) WHEELPIT_CHECK(condition, __VA_ARGS__)
#endif
