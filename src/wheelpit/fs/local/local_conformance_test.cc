// SPDX-License-Identifier: Apache-2.0
#include <cerrno>
#include <filesystem>
#include <memory>
#include <set>
#include <string>

#include "fs_conformance/file_system_conformance.h"
#include "fs_conformance/forwarding_syscalls.h"
#include "fs_conformance/temp_directory.h"

#include "wheelpit/fs/local/local_file_system.h"

namespace wheelpit::fs_conformance {
namespace {

// Tests often run as root, whom no mode bit stops; so the refusal is made here.
class ForbiddingSyscalls final : public ForwardingSyscalls {
 public:
  int Open(int at_fd, const char* path, int flags, mode_t mode) override {
    return forbidden.contains(path) ? -EACCES
                                    : ForwardingSyscalls::Open(at_fd, path, flags, mode);
  }
  std::set<std::string> forbidden;
};

class LocalSubject final : public Subject {
 public:
  fs::FileSystem& file_system() override { return *file_system_; }
  std::string root() override { return directory_.path(); }
  void Write(const std::string& path, std::string_view bytes) override {
    directory_.Write(path, bytes);
  }
  void MakeDirectory(const std::string& path) override { directory_.MakeDirectory(path); }
  void MakeLink(const std::string& path, const std::string& target) override {
    directory_.MakeLink(path, target);
  }
  void Truncate(const std::string& path, int64_t size_bytes) override {
    std::filesystem::resize_file(directory_ / path, static_cast<uintmax_t>(size_bytes));
  }
  void Forbid(const std::string& path) override {
    syscalls_.forbidden.insert(directory_ / path);
  }

 private:
  TempDirectory directory_;
  ForbiddingSyscalls syscalls_;
  std::unique_ptr<fs::FileSystem> file_system_ =
      fs::LocalFileSystem::Make(syscalls_).ValueOrDie();
};

std::unique_ptr<Subject> MakeLocal() {
  return std::make_unique<LocalSubject>();
}

INSTANTIATE_TEST_SUITE_P(Local, FileSystemConformance, testing::Values(&MakeLocal));

}  // namespace
}  // namespace wheelpit::fs_conformance
