// SPDX-License-Identifier: Apache-2.0
// LogFile: lines into a rolling log of Spark's layout, in zstd frames. Private to events;
// docs/formats/event-log.md is its format.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/result.h>

#include "wheelpit/io/syscalls.h"

namespace arrow::util {
class Codec;
}  // namespace arrow::util

namespace wheelpit::events {

/// Begins every application id of ours: what a sweep of old logs goes by.
inline constexpr std::string_view kApplicationPrefix = "wheelpit-";
inline constexpr std::string_view kLogFolderPrefix = "eventlog_v2_";
inline constexpr std::string_view kStatusPrefix = "appstatus_";
inline constexpr std::string_view kInProgressSuffix = ".inprogress";

/// The start of a frame: where to begin reading without what comes before.
struct FramePosition {
  int64_t file = 1;        ///< events_<file>_…
  int64_t offset = 0;      ///< in the file, compressed
  int64_t text_bytes = 0;  ///< of the whole log before it, decompressed
  int64_t lines = 0;       ///< of the whole log before it
};

/// Blocks, and is for one thread at a time. After an error only the destructor may be
/// called; every frame that was written whole can be read.
class LogFile {
 public:
  struct Options {
    std::string directory;     ///< made with its parents, mode 0700, when it is not there
    int64_t start_millis = 0;  ///< names the application, with the next that is free
    int64_t roll_bytes = 0;    ///< JSON of one file, at most, but for its last line
  };
  /// A log that says that it is in progress, as long as this process lives or until
  /// Close: who sweeps old logs finds it locked. `syscalls` must outlive it.
  static arrow::Result<std::unique_ptr<LogFile>> Make(io::Syscalls& syscalls,
                                                      Options options);
  ~LogFile();
  LogFile(const LogFile&) = delete;
  LogFile& operator=(const LogFile&) = delete;

  const std::string& application_id() const { return id_; }
  const std::string& folder() const { return folder_; }

  /// Takes whole lines, each with its end. They are on disk after CloseFrame, or when a
  /// frame is full.
  arrow::Status Append(std::string_view lines);
  /// Writes what was appended as a frame of its own; nothing when nothing was.
  arrow::Status CloseFrame();
  /// Writes the rest and marks the log as finished.
  arrow::Status Close();

  /// Starts of frames, at most kFramePositionsMax of them, evenly over the log.
  const std::vector<FramePosition>& frames() const { return frames_; }
  FramePosition end() const;
  int64_t bytes_written() const { return bytes_written_; }

  static constexpr size_t kFramePositionsMax = 1024;

 private:
  LogFile(io::Syscalls& syscalls, Options options);
  arrow::Status MakeFolder();
  arrow::Status Open();
  arrow::Status OpenPart();
  arrow::Status Roll();
  arrow::Status WriteFrame(std::string_view frame);
  arrow::Status CloseFd(int* fd);
  void Remember(const FramePosition& frame);
  std::string PartName() const;

  io::Syscalls& syscalls_;
  const Options options_;
  std::unique_ptr<arrow::util::Codec> codec_;
  std::string id_;
  std::string folder_;
  int folder_fd_ = -1;
  int status_fd_ = -1;  // holds the lock
  int part_fd_ = -1;
  std::string text_;   // of the frame to come
  std::string frame_;  // compressed; kept for its memory
  int64_t text_lines_ = 0;
  int64_t part_text_bytes_ = 0;
  int64_t bytes_written_ = 0;
  FramePosition position_;  // of the frame to come
  std::vector<FramePosition> frames_;
  int64_t frames_seen_ = 0;
  int64_t frame_step_ = 1;  // every how manieth frame is remembered
};

/// Makes a folder and those above it, mode 0700.
arrow::Status MakeFolders(io::Syscalls& syscalls, const std::string& path);

}  // namespace wheelpit::events
