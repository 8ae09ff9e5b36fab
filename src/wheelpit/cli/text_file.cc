// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/cli/text_file.h"

#include <cerrno>

#include <fcntl.h>
#include <unistd.h>

#include "wheelpit/core/error.h"

namespace wheelpit::cli {

namespace {

constexpr size_t kPartBytes = 64 << 10;

arrow::Result<std::string> ReadAll(io::Syscalls& syscalls, int fd,
                                   const std::string& path, size_t bytes_max) {
  std::string text;
  std::string part(kPartBytes, '\0');
  while (true) {
    const ssize_t got = syscalls.Read(fd, part.data(), part.size());
    if (got == 0) {
      return text;
    }
    if (got < 0 && got != -EINTR) {
      return core::ErrnoStatus(static_cast<int>(-got), "reading '" + path + "'");
    }
    if (got > 0) {
      text.append(part, 0, static_cast<size_t>(got));
    }
    if (text.size() > bytes_max) {
      return core::Error(core::ErrorKind::kConfiguration, "'", path, "' has more than ",
                         bytes_max, " bytes, which is more than is read; shorten it");
    }
  }
}

}  // namespace

arrow::Result<std::string> ReadTextFile(io::Syscalls& syscalls, const std::string& path,
                                        size_t bytes_max) {
  if (path == "-") {
    return ReadAll(syscalls, STDIN_FILENO, "standard input", bytes_max);
  }
  const int fd = syscalls.Open(AT_FDCWD, path.c_str(), O_RDONLY | O_CLOEXEC, 0);
  if (fd < 0) {
    return core::ErrnoStatus(-fd, "opening '" + path + "'");
  }
  auto text = ReadAll(syscalls, fd, path, bytes_max);
  syscalls.Close(fd);
  return text;
}

}  // namespace wheelpit::cli
