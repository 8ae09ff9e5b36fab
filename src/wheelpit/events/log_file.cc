// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/events/log_file.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include <arrow/util/compression.h>
#include <sys/file.h>

#include "wheelpit/core/error.h"
#include "wheelpit/fs/path_text.h"

namespace wheelpit::events {

namespace {

// Of JSON: a reader decodes a frame at once, and a killed process loses one at most.
constexpr size_t kFrameBytes = size_t{1} << 20;
// Two processes that start in one millisecond take one each.
constexpr int kNamesTried = 1000;
constexpr int kZstdLevel = 1;  // Spark's

arrow::Status PathError(int error_number, std::string_view what,
                        const std::string& path) {
  return core::ErrnoStatus(error_number, std::string(what) + " " + fs::Quoted(path));
}

}  // namespace

arrow::Status MakeFolders(io::Syscalls& syscalls, const std::string& path) {
  const int error = syscalls.Mkdir(AT_FDCWD, path.c_str(), 0700);
  if (error == 0 || error == -EEXIST) {
    return arrow::Status::OK();
  }
  const size_t slash = path.find_last_not_of('/') == std::string::npos
                           ? std::string::npos
                           : path.rfind('/', path.find_last_not_of('/'));
  if (error != -ENOENT || slash == std::string::npos || slash == 0) {
    return PathError(-error, "cannot make the folder", path);
  }
  ARROW_RETURN_NOT_OK(MakeFolders(syscalls, path.substr(0, slash)));
  const int again = syscalls.Mkdir(AT_FDCWD, path.c_str(), 0700);
  return again == 0 || again == -EEXIST
             ? arrow::Status::OK()
             : PathError(-again, "cannot make the folder", path);
}

LogFile::LogFile(io::Syscalls& syscalls, Options options)
    : syscalls_(syscalls), options_(std::move(options)) {}

LogFile::~LogFile() {
  for (int* fd : {&part_fd_, &status_fd_, &folder_fd_}) {
    static_cast<void>(CloseFd(fd));  // Who closes without errors has called Close.
  }
}

arrow::Result<std::unique_ptr<LogFile>> LogFile::Make(io::Syscalls& syscalls,
                                                      Options options) {
  std::unique_ptr<LogFile> log(new LogFile(syscalls, std::move(options)));
  ARROW_ASSIGN_OR_RAISE(log->codec_,
                        arrow::util::Codec::Create(arrow::Compression::ZSTD, kZstdLevel));
  ARROW_RETURN_NOT_OK(log->MakeFolder());
  ARROW_RETURN_NOT_OK(log->Open());
  return log;
}

arrow::Status LogFile::MakeFolder() {
  bool parents_made = false;
  for (int64_t millis = options_.start_millis;
       millis < options_.start_millis + kNamesTried;) {
    id_ = std::string(kApplicationPrefix) + std::to_string(millis);
    folder_ = options_.directory + "/" + std::string(kLogFolderPrefix) + id_;
    const int error = syscalls_.Mkdir(AT_FDCWD, folder_.c_str(), 0700);
    if (error == 0) {
      return arrow::Status::OK();
    }
    if (error == -ENOENT && !std::exchange(parents_made, true)) {
      ARROW_RETURN_NOT_OK(MakeFolders(syscalls_, options_.directory));
    } else if (error == -EEXIST) {
      ++millis;
    } else {
      return PathError(-error, "cannot make the folder", folder_);
    }
  }
  return core::Error(core::ErrorKind::kIo, "no free name for an event log in ",
                     fs::Quoted(options_.directory));
}

arrow::Status LogFile::Open() {
  folder_fd_ =
      syscalls_.Open(AT_FDCWD, folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
  if (folder_fd_ < 0) {
    return PathError(-folder_fd_, "cannot open", folder_);
  }
  const std::string name =
      std::string(kStatusPrefix) + id_ + std::string(kInProgressSuffix);
  status_fd_ = syscalls_.Open(folder_fd_, name.c_str(),
                              O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (status_fd_ < 0) {
    return PathError(-status_fd_, "cannot make", folder_ + "/" + name);
  }
  // Without locks (some network file systems) old logs are judged by their age alone.
  static_cast<void>(syscalls_.Flock(status_fd_, LOCK_EX | LOCK_NB));
  return OpenPart();
}

std::string LogFile::PartName() const {
  return "events_" + std::to_string(position_.file) + "_" + id_ + ".zstd";
}

arrow::Status LogFile::OpenPart() {
  part_fd_ = syscalls_.Open(folder_fd_, PartName().c_str(),
                            O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (part_fd_ < 0) {
    return PathError(-part_fd_, "cannot make", folder_ + "/" + PartName());
  }
  return arrow::Status::OK();
}

arrow::Status LogFile::CloseFd(int* fd) {
  if (*fd < 0) {
    return arrow::Status::OK();
  }
  const int error = syscalls_.Close(std::exchange(*fd, -1));
  return error < 0 ? PathError(-error, "cannot close a file of", folder_)
                   : arrow::Status::OK();
}

arrow::Status LogFile::Append(std::string_view lines) {
  while (!lines.empty()) {
    const size_t length = lines.find('\n') + 1;  // npos + 1 is 0
    const std::string_view line = lines.substr(0, length == 0 ? lines.size() : length);
    const int64_t part = part_text_bytes_ + static_cast<int64_t>(text_.size());
    if (part > 0 && part + static_cast<int64_t>(line.size()) > options_.roll_bytes) {
      ARROW_RETURN_NOT_OK(Roll());
    }
    text_ += line;
    ++text_lines_;
    if (text_.size() >= kFrameBytes) {
      ARROW_RETURN_NOT_OK(CloseFrame());
    }
    lines.remove_prefix(line.size());
  }
  return arrow::Status::OK();
}

arrow::Status LogFile::Roll() {
  ARROW_RETURN_NOT_OK(CloseFrame());
  ARROW_RETURN_NOT_OK(CloseFd(&part_fd_));
  ++position_.file;
  position_.offset = 0;
  part_text_bytes_ = 0;
  return OpenPart();
}

arrow::Status LogFile::CloseFrame() {
  if (text_.empty()) {
    return arrow::Status::OK();
  }
  const auto size = static_cast<int64_t>(text_.size());
  const auto* text = reinterpret_cast<const uint8_t*>(text_.data());
  frame_.resize(static_cast<size_t>(codec_->MaxCompressedLen(size, text)));
  ARROW_ASSIGN_OR_RAISE(const int64_t compressed,
                        codec_->Compress(size, text, static_cast<int64_t>(frame_.size()),
                                         reinterpret_cast<uint8_t*>(frame_.data())));
  ARROW_RETURN_NOT_OK(
      WriteFrame(std::string_view(frame_).substr(0, static_cast<size_t>(compressed))));
  Remember(position_);
  position_.offset += compressed;
  position_.text_bytes += size;
  position_.lines += std::exchange(text_lines_, 0);
  part_text_bytes_ += size;
  bytes_written_ += compressed;
  text_.clear();
  return arrow::Status::OK();
}

arrow::Status LogFile::WriteFrame(std::string_view frame) {
  size_t written = 0;
  const int error = io::WriteFully(syscalls_, part_fd_, frame.data(), frame.size(),
                                   position_.offset, &written);
  if (error == 0) {
    return arrow::Status::OK();
  }
  // Half a frame would read as damage; what was whole stays whole.
  static_cast<void>(syscalls_.Ftruncate(part_fd_, position_.offset));
  return PathError(-error, "cannot write", folder_ + "/" + PartName());
}

void LogFile::Remember(const FramePosition& frame) {
  if (frames_seen_++ % frame_step_ != 0) {
    return;
  }
  if (frames_.size() == kFramePositionsMax) {
    for (size_t i = 0; i < kFramePositionsMax / 2; ++i) {
      frames_[i] = frames_[2 * i];
    }
    frames_.resize(kFramePositionsMax / 2);
    frame_step_ *= 2;
  }
  frames_.push_back(frame);
}

FramePosition LogFile::end() const {
  FramePosition end = position_;
  end.text_bytes += static_cast<int64_t>(text_.size());
  end.lines += text_lines_;
  return end;
}

arrow::Status LogFile::Close() {
  ARROW_RETURN_NOT_OK(CloseFrame());
  ARROW_RETURN_NOT_OK(CloseFd(&part_fd_));
  const std::string done = std::string(kStatusPrefix) + id_;
  const std::string running = done + std::string(kInProgressSuffix);
  const int error =
      syscalls_.Rename(folder_fd_, running.c_str(), folder_fd_, done.c_str());
  if (error < 0) {
    return PathError(-error, "cannot rename", folder_ + "/" + running);
  }
  ARROW_RETURN_NOT_OK(CloseFd(&status_fd_));
  return CloseFd(&folder_fd_);
}

}  // namespace wheelpit::events
