// SPDX-License-Identifier: Apache-2.0
// COPY: writes the rows of one task, in their order, to a file that appears whole or not
// at all. Rows are encoded on the compute thread; a bounded number of bytes waits for an
// I/O thread, which writes one piece after the other. The target is opened before the
// first row is asked for and gets its name when all is written.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include "wheelpit/exec/driver.h"
#include "wheelpit/exec/operator_memory.h"
#include "wheelpit/exec/task_context.h"
#include "wheelpit/io/syscalls.h"
#include "wheelpit/plan/file_format.h"

namespace wheelpit::exec {

struct FileWriteOptions {
  std::string path;
  plan::SourceRange path_range = {};  ///< what errors of opening it point at
  plan::FileFormat format;
  std::shared_ptr<arrow::Schema> schema;  ///< of the rows
  std::string time_zone = "UTC";          ///< in which text shows time stamps
  int64_t more_bytes = 0;            ///< that the sink's memory has besides SinkMemory
  io::Syscalls* syscalls = nullptr;  ///< never null; outlives everything
};

class FileWrite {
 public:
  /// Touches no disk. kInvalidSql and kUnsupported as MakeFormatWriter.
  static arrow::Result<std::unique_ptr<FileWrite>> Make(FileWriteOptions options);
  ~FileWrite();

  /// What the sink needs: 8 MiB, in which it finishes for rows of up to 1 MiB.
  static OperatorMemoryOptions SinkMemory(int driver);
  /// What makes row groups of Parquet as large as they may be; 0 for other formats.
  static int64_t MoreBytes(const plan::FileFormat& format);

  /// For the one task that gets all rows. A driver that ends without Finish leaves the
  /// old file or none. `memory` was made with SinkMemory; it and `task_context` outlive
  /// the sink. Destroyed on any thread: the file is closed on an I/O thread.
  std::unique_ptr<Sink> MakeSink(OperatorMemory* memory, const TaskContext* task_context);

  /// Waits until the file has its name, then gives one row: rows BIGINT, bytes BIGINT
  /// (of the file). The error is that of the file. `pool` outlives the batch.
  std::unique_ptr<Source> MakeSource(arrow::MemoryPool* pool);

  /// What MakeSource gives.
  static std::shared_ptr<arrow::Schema> ResultSchema();

  struct State;

 private:
  explicit FileWrite(std::shared_ptr<State> state);
  // Shared with sink, source and the writes that are under way.
  std::shared_ptr<State> state_;
};

}  // namespace wheelpit::exec
