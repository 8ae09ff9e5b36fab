// SPDX-License-Identifier: Apache-2.0
// Lists the Parquet files of a directory. What touches files is passed in, never reached
// for: a test hands over system calls that fail, a program those of the kernel.
// Run: list .
#include <iostream>
#include <string>

#include "wheelpit/core/byte_size.h"
#include "wheelpit/core/error.h"
#include "wheelpit/fs/local/local_file_system.h"
#include "wheelpit/io/syscalls.h"

using namespace wheelpit;  // NOLINT(google-build-using-namespace): an example

arrow::Status Run(const std::string& directory) {
  io::KernelSyscalls syscalls;
  ARROW_ASSIGN_OR_RAISE(auto files, fs::LocalFileSystem::Make(syscalls));
  ARROW_ASSIGN_OR_RAISE(
      const fs::Listing listing,
      files->List(
          directory,
          [](const fs::EntryName& entry) { return entry.name.ends_with(".parquet"); },
          arrow::StopToken::Unstoppable()));
  for (const fs::FileInfo& entry : listing.entries) {
    std::cout << entry.path << "  " << core::FormatByteSize(entry.size_bytes) << "\n";
  }
  std::cout << listing.entries.size() << " files\n";
  return arrow::Status::OK();
}

int main(int argc, char** argv) {
  const arrow::Status status = Run(argc > 1 ? argv[1] : ".");
  if (!status.ok()) {
    std::cerr << "list: " << status.message() << "\n";
    return core::ExitCodeOf(core::KindOf(status));
  }
  return 0;
}
