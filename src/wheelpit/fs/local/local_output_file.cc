// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/fs/local/local_output_file.h"

#include <cerrno>
#include <climits>
#include <cstdio>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "wheelpit/core/error.h"
#include "wheelpit/fs/path_text.h"

namespace wheelpit::fs {

namespace {

constexpr int kLinksMax = 40;  // as the kernel follows at most
constexpr int kNamesMax = 100;
constexpr mode_t kNewMode = 0666;  // the kernel takes the umask off
constexpr mode_t kPermissions = 07777;

int OpenRetrying(io::Syscalls& syscalls, int at_fd, const char* path, int flags) {
  int fd;
  do {
    fd = syscalls.Open(at_fd, path, flags | O_CLOEXEC | O_NOCTTY, kNewMode);
  } while (fd == -EINTR);
  return fd;
}

std::string DirectoryOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash + 1);
}

// Of a process and a number: where another process has the same, the next is tried.
std::string HiddenName(int64_t number) {
  return ".wheelpit-" + std::to_string(::getpid()) + "-" + std::to_string(number) +
         ".tmp";
}

}  // namespace

arrow::Result<std::unique_ptr<LocalOutputFile>> LocalOutputFile::Make(
    io::Syscalls& syscalls, const std::string& path) {
  if (path.empty() || path.back() == '/' || path.find('\0') != std::string::npos) {
    return core::Error(core::ErrorKind::kNotFound, Quoted(path),
                       " cannot be written: it names no file; give a directory and a "
                       "file's name");
  }
  std::unique_ptr<LocalOutputFile> file(new LocalOutputFile(syscalls, path));
  struct statx stat = {};
  const int outcome = syscalls.Statx(AT_FDCWD, path.c_str(), 0, STATX_TYPE, &stat);
  if (outcome < 0 && outcome != -ENOENT) {
    return file->Failed(-outcome, "");
  }
  if (outcome == 0 && !S_ISREG(stat.stx_mode)) {
    ARROW_RETURN_NOT_OK(file->OpenDirect(stat.stx_mode));
    return file;
  }
  ARROW_RETURN_NOT_OK(file->FollowLinks());
  ARROW_RETURN_NOT_OK(file->OpenUnnamed());
  return file;
}

LocalOutputFile::~LocalOutputFile() {
  Discard();
}

arrow::Status LocalOutputFile::Failed(int error_number, std::string_view what) const {
  std::string text = "cannot write " + Quoted(path_);
  text += what.empty() ? "" : " (" + std::string(what) + ")";
  return core::ErrnoStatus(error_number, text);
}

arrow::Status LocalOutputFile::FollowLinks() {
  target_ = path_;
  for (int link = 0; link <= kLinksMax; ++link) {
    char to[PATH_MAX];
    const ssize_t size = syscalls_.Readlink(AT_FDCWD, target_.c_str(), to, sizeof to);
    if (size == -EINVAL || size == -ENOENT) {  // no link, or nothing at all
      name_ = target_.substr(target_.rfind('/') + 1);
      return arrow::Status::OK();
    }
    if (size < 0) {
      return Failed(static_cast<int>(-size), "following its link");
    }
    const std::string next(to, static_cast<size_t>(size));
    target_ = next.starts_with('/') ? next : DirectoryOf(target_) + "/" + next;
  }
  return Failed(ELOOP, "following its link");
}

arrow::Status LocalOutputFile::OpenDirect(unsigned mode) {
  if (!S_ISCHR(mode) && !S_ISFIFO(mode)) {
    return core::Error(core::ErrorKind::kIo, "cannot write ", Quoted(path_), ": it is ",
                       S_ISDIR(mode) ? "a directory; name a file in it"
                                     : "neither a file, a pipe nor a character device");
  }
  // Without O_NONBLOCK, opening a named pipe waits for a reader that may never come.
  fd_ = OpenRetrying(syscalls_, AT_FDCWD, path_.c_str(), O_WRONLY | O_NONBLOCK);
  if (fd_ == -ENXIO) {
    return Failed(ENXIO, "nobody reads this pipe; start its reader first");
  }
  if (fd_ < 0) {
    return Failed(-fd_, "");
  }
  direct_ = true;
  // Writing then waits as usual.
  return ::fcntl(fd_, F_SETFL, 0) < 0 ? Failed(errno, "") : arrow::Status::OK();
}

arrow::Status LocalOutputFile::OpenUnnamed() {
  const std::string directory = DirectoryOf(target_);
  directory_ = OpenRetrying(syscalls_, AT_FDCWD, directory.c_str(), O_PATH | O_DIRECTORY);
  if (directory_ == -ENOENT || directory_ == -ENOTDIR) {
    return Failed(-directory_, "its directory must be there already");
  }
  if (directory_ < 0) {
    return Failed(-directory_, "opening its directory");
  }
  fd_ = OpenRetrying(syscalls_, directory_, ".", O_TMPFILE | O_WRONLY);
  // What kernels and file systems say that do not have it.
  if (fd_ == -EOPNOTSUPP || fd_ == -EISDIR || fd_ == -EINVAL || fd_ == -ENOSYS) {
    return OpenHidden();
  }
  return fd_ < 0 ? Failed(-fd_, "making a file in its directory") : arrow::Status::OK();
}

arrow::Status LocalOutputFile::OpenHidden() {
  for (int64_t number = 0; number < kNamesMax; ++number) {
    const std::string name = HiddenName(number);
    fd_ = OpenRetrying(syscalls_, directory_, name.c_str(), O_CREAT | O_EXCL | O_WRONLY);
    if (fd_ >= 0) {
      hidden_ = name;
      return arrow::Status::OK();
    }
    if (fd_ != -EEXIST) {
      break;
    }
  }
  return Failed(-fd_, "making a file in its directory");
}

arrow::Status LocalOutputFile::Append(std::string_view bytes) {
  while (direct_ && !bytes.empty()) {
    const ssize_t put = syscalls_.Write(fd_, bytes.data(), bytes.size());
    if (put < 0 && put != -EINTR) {
      return Failed(static_cast<int>(-put), "");
    }
    if (put > 0) {
      size_bytes_ += put;
      bytes.remove_prefix(static_cast<size_t>(put));
    }
  }
  size_t written = 0;
  const int outcome =
      io::WriteFully(syscalls_, fd_, bytes.data(), bytes.size(), size_bytes_, &written);
  size_bytes_ += static_cast<int64_t>(written);
  return outcome < 0 ? Failed(-outcome, "after " + std::to_string(size_bytes_) + " bytes")
                     : arrow::Status::OK();
}

// Gives the unnamed file a name: 0 or an error, EEXIST among them.
arrow::Status LocalOutputFile::LinkUnnamed(const std::string& name) {
  const std::string unnamed = "/proc/self/fd/" + std::to_string(fd_);
  const int outcome = syscalls_.Link(AT_FDCWD, unnamed.c_str(), directory_, name.c_str(),
                                     AT_SYMLINK_FOLLOW);
  return outcome < 0 ? Failed(-outcome, "giving the file its name") : arrow::Status::OK();
}

arrow::Status LocalOutputFile::Commit() {
  if (direct_) {
    Discard();
    return arrow::Status::OK();
  }
  struct statx old = {};
  const int looked = syscalls_.Statx(directory_, name_.c_str(), AT_SYMLINK_NOFOLLOW,
                                     STATX_TYPE | STATX_MODE, &old);
  if (looked < 0 && looked != -ENOENT) {
    return Failed(-looked, "looking at the old file");
  }
  if (looked == 0) {
    if (!S_ISREG(old.stx_mode)) {
      return core::Error(core::ErrorKind::kIo, "cannot write ", Quoted(path_),
                         ": something that is no file has taken its place meanwhile");
    }
    const int changed = syscalls_.Fchmod(fd_, old.stx_mode & kPermissions);
    if (changed < 0) {
      return Failed(-changed, "giving it the old file's permissions");
    }
  }
  int synced;
  do {
    synced = syscalls_.Fsync(fd_);
  } while (synced == -EINTR);
  if (synced < 0) {
    return Failed(-synced, "waiting for the disk");
  }
  if (hidden_.empty() && looked == -ENOENT) {
    ARROW_RETURN_NOT_OK(LinkUnnamed(name_));
    Discard();
    return arrow::Status::OK();
  }
  if (hidden_.empty()) {
    ARROW_ASSIGN_OR_RAISE(hidden_, LinkHidden());
  }
  const int renamed =
      syscalls_.Rename(directory_, hidden_.c_str(), directory_, name_.c_str());
  if (renamed < 0) {
    return Failed(-renamed, "putting it in the old file's place");
  }
  hidden_.clear();
  Discard();
  return arrow::Status::OK();
}

arrow::Result<std::string> LocalOutputFile::LinkHidden() {
  for (int64_t number = 0;; ++number) {
    std::string name = HiddenName(number);
    struct statx taken = {};
    if (number < kNamesMax &&
        syscalls_.Statx(directory_, name.c_str(), AT_SYMLINK_NOFOLLOW, 0, &taken) == 0) {
      continue;
    }
    ARROW_RETURN_NOT_OK(LinkUnnamed(name));
    return name;
  }
}

void LocalOutputFile::Discard() {
  if (!hidden_.empty()) {
    syscalls_.Unlink(directory_, hidden_.c_str(), 0);
    hidden_.clear();
  }
  for (int* fd : {&fd_, &directory_}) {
    if (*fd >= 0) {
      syscalls_.Close(std::exchange(*fd, -1));
    }
  }
}

arrow::Result<std::optional<FileIdentity>> IdentityOf(io::Syscalls& syscalls,
                                                      const std::string& path) {
  struct statx stats = {};
  const int outcome = syscalls.Statx(AT_FDCWD, path.c_str(), 0, STATX_INO, &stats);
  if (outcome == -ENOENT || outcome == -ENOTDIR) {
    return std::nullopt;
  }
  if (outcome < 0) {
    return core::ErrnoStatus(-outcome, "cannot look at " + Quoted(path));
  }
  return FileIdentity{.inode = stats.stx_ino,
                      .device_major = stats.stx_dev_major,
                      .device_minor = stats.stx_dev_minor};
}

}  // namespace wheelpit::fs
