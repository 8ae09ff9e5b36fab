// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/fs/local/local_file_system.h"

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <optional>
#include <utility>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "wheelpit/core/error.h"
#include "wheelpit/fs/local/local_file.h"
#include "wheelpit/fs/path_text.h"

namespace wheelpit::fs {

namespace {

// Smaller pieces cost a call each, larger ones gained nothing when measured.
constexpr size_t kDirectoryBufferBytes = 64 << 10;

constexpr unsigned kWantedFields = STATX_TYPE | STATX_SIZE | STATX_MTIME | STATX_INO;

// The record of getdents64(2): inode (8 bytes), offset (8), record length (2), type (1),
// name ended by a zero byte.
constexpr size_t kRecordLengthAt = 16;
constexpr size_t kTypeAt = 18;
constexpr size_t kNameAt = 19;

FileType TypeOf(unsigned mode) {
  switch (mode & S_IFMT) {
    case S_IFREG:
      return FileType::kFile;
    case S_IFDIR:
      return FileType::kDirectory;
    case S_IFLNK:
      return FileType::kSymlink;
    default:
      return FileType::kOther;
  }
}

void Fill(const struct statx& stat, FileInfo* info) {
  info->type = TypeOf(stat.stx_mode);
  info->size_bytes = static_cast<int64_t>(stat.stx_size);
  info->mtime_nanos = stat.stx_mtime.tv_sec * 1'000'000'000 + stat.stx_mtime.tv_nsec;
  info->device = makedev(stat.stx_dev_major, stat.stx_dev_minor);
  info->inode = stat.stx_ino;
}

// A path with a zero byte would name another file to the kernel.
arrow::Status CheckPath(const std::string& path) {
  if (path.find('\0') != std::string::npos) {
    return core::Error(core::ErrorKind::kNotFound, Quoted(path),
                       " cannot be a path: it contains a zero byte");
  }
  return arrow::Status::OK();
}

// Closes a descriptor at the end of a block.
class ScopedDescriptor {
 public:
  ScopedDescriptor(io::Syscalls& syscalls, int fd) : syscalls_(syscalls), fd_(fd) {}
  ~ScopedDescriptor() { syscalls_.Close(fd_); }
  ScopedDescriptor(const ScopedDescriptor&) = delete;
  ScopedDescriptor& operator=(const ScopedDescriptor&) = delete;
  int get() const { return fd_; }

 private:
  io::Syscalls& syscalls_;
  const int fd_;
};

int OpenRetrying(io::Syscalls& syscalls, const char* path, int flags) {
  int fd;
  do {
    fd = syscalls.Open(AT_FDCWD, path, flags | O_RDONLY | O_CLOEXEC | O_NOCTTY, 0);
  } while (fd == -EINTR);
  return fd;
}

struct Entry {
  const char* name;  // ended by a zero byte
  size_t name_size;
  uint8_t type;
};

// Takes the first record off `records`; nothing when they make no sense.
std::optional<Entry> TakeEntry(std::string_view* records) {
  if (records->size() <= kNameAt) {
    return std::nullopt;
  }
  uint16_t length;
  std::memcpy(&length, records->data() + kRecordLengthAt, sizeof length);
  if (length <= kNameAt || length > records->size()) {
    return std::nullopt;
  }
  const char* name = records->data() + kNameAt;
  const void* end = std::memchr(name, 0, length - kNameAt);
  if (end == nullptr) {
    return std::nullopt;
  }
  const Entry entry{name, static_cast<size_t>(static_cast<const char*>(end) - name),
                    static_cast<uint8_t>((*records)[kTypeAt])};
  records->remove_prefix(length);
  return entry;
}

EntryName NameOf(const Entry& entry) {
  const bool unknown = entry.type == DT_UNKNOWN;
  const bool link = entry.type == DT_LNK;
  return {.name = {entry.name, entry.name_size},
          .maybe_directory = unknown || link || entry.type == DT_DIR,
          .maybe_file = unknown || link || entry.type == DT_REG,
          .maybe_symlink = unknown || link};
}

// Reads one open directory.
class DirectoryReader {
 public:
  DirectoryReader(io::Syscalls& syscalls, int fd, const std::string& directory,
                  const EntryFilter& wanted)
      : syscalls_(syscalls), fd_(fd), directory_(directory), wanted_(wanted) {
    prefix_ = directory;
    if (!prefix_.empty() && prefix_.back() != '/') {
      prefix_ += '/';
    }
  }

  arrow::Result<Listing> Read(const arrow::StopToken& stop) {
    alignas(8) char buffer[kDirectoryBufferBytes];
    for (;;) {
      ARROW_RETURN_NOT_OK(stop.Poll());
      const ssize_t got = syscalls_.Getdents(fd_, buffer, sizeof buffer);
      if (got == -EINTR) {
        continue;
      }
      if (got < 0) {
        return core::ErrnoStatus(static_cast<int>(-got), "cannot list " + Here());
      }
      if (got == 0) {
        return std::move(listing_);
      }
      std::string_view records(buffer, static_cast<size_t>(got));
      while (!records.empty()) {
        const std::optional<Entry> entry = TakeEntry(&records);
        if (!entry) {
          return core::Error(core::ErrorKind::kIo, "cannot list ", Here(),
                             ": the kernel returned a malformed entry");
        }
        ARROW_RETURN_NOT_OK(Take(*entry, stop));
      }
    }
  }

 private:
  std::string Here() const { return Quoted(directory_); }

  arrow::Status Take(const Entry& entry, const arrow::StopToken& stop) {
    const EntryName shown = NameOf(entry);
    if (shown.name == "." || shown.name == ".." || !wanted_(shown)) {
      return arrow::Status::OK();
    }
    // A look costs microseconds and a full buffer holds two thousand names; on a slow
    // disk that is longer than a user waits for Ctrl-C.
    if (++looked_at_ % 64 == 0) {
      ARROW_RETURN_NOT_OK(stop.Poll());
    }
    FileInfo info;
    info.path.reserve(prefix_.size() + entry.name_size);
    info.path.append(prefix_).append(shown.name);
    info.is_symlink = entry.type == DT_LNK;
    const int outcome = Look(entry, &info);
    if (outcome == -ENOENT || outcome == -ELOOP || outcome == -ENOTDIR) {
      listing_.vanished.push_back(std::move(info.path));
    } else if (outcome < 0) {
      return core::ErrnoStatus(-outcome, "cannot look at " + Quoted(info.path));
    } else {
      listing_.entries.push_back(std::move(info));
    }
    return arrow::Status::OK();
  }

  int Look(const Entry& entry, FileInfo* info) {
    struct statx stat = {};
    int outcome = 0;
    if (entry.type == DT_UNKNOWN) {
      outcome = Statx(entry.name, AT_SYMLINK_NOFOLLOW, &stat);
      info->is_symlink = outcome >= 0 && S_ISLNK(stat.stx_mode);
    }
    if (entry.type != DT_UNKNOWN || info->is_symlink) {
      outcome = Statx(entry.name, 0, &stat);
    }
    Fill(stat, info);
    return outcome;
  }

  int Statx(const char* name, int flags, struct statx* stat) {
    // Without DONT_SYNC network file systems ask their server for each entry; what the
    // directory read just brought is fresh enough.
    return syscalls_.Statx(fd_, name, flags | AT_NO_AUTOMOUNT | AT_STATX_DONT_SYNC,
                           kWantedFields, stat);
  }

  io::Syscalls& syscalls_;
  const int fd_;
  const std::string& directory_;
  const EntryFilter& wanted_;
  std::string prefix_;
  uint32_t looked_at_ = 0;
  Listing listing_;
};

}  // namespace

arrow::Result<std::unique_ptr<LocalFileSystem>> LocalFileSystem::Make(
    io::Syscalls& syscalls) {
  return std::unique_ptr<LocalFileSystem>(new LocalFileSystem(syscalls));
}

arrow::Result<FileInfo> LocalFileSystem::Stat(const std::string& path) {
  ARROW_RETURN_NOT_OK(CheckPath(path));
  FileInfo info;
  info.path = path;
  struct statx stat = {};
  const int outcome = syscalls_.Statx(AT_FDCWD, path.c_str(), 0, kWantedFields, &stat);
  if (outcome < 0) {
    return core::ErrnoStatus(-outcome, "cannot look at " + Quoted(path));
  }
  Fill(stat, &info);
  return info;
}

arrow::Result<Listing> LocalFileSystem::List(const std::string& directory,
                                             const EntryFilter& wanted,
                                             const arrow::StopToken& stop) {
  ARROW_RETURN_NOT_OK(CheckPath(directory));
  const int fd = OpenRetrying(syscalls_, directory.c_str(), O_DIRECTORY);
  if (fd == -ENOTDIR && Stat(directory).ok()) {
    return core::Error(core::ErrorKind::kIo, Quoted(directory), " is not a directory");
  }
  if (fd < 0) {
    return core::ErrnoStatus(-fd, "cannot list " + Quoted(directory));
  }
  const ScopedDescriptor descriptor(syscalls_, fd);
  return DirectoryReader(syscalls_, descriptor.get(), directory, wanted).Read(stop);
}

arrow::Result<std::shared_ptr<arrow::io::RandomAccessFile>> LocalFileSystem::Open(
    const std::string& path, arrow::MemoryPool* pool) {
  ARROW_RETURN_NOT_OK(CheckPath(path));
  // Without O_NONBLOCK, opening a named pipe would wait for its writer.
  const int fd = OpenRetrying(syscalls_, path.c_str(), O_NONBLOCK);
  if (fd < 0) {
    return core::ErrnoStatus(-fd, "cannot open " + Quoted(path));
  }
  return LocalFile::Adopt(syscalls_, fd, path, pool);
}

}  // namespace wheelpit::fs
