// SPDX-License-Identifier: Apache-2.0
// Writes sorted rows to disk as a run.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include <arrow/result.h>

#include "wheelpit/core/wait.h"
#include "wheelpit/exec/sort/run_merge.h"
#include "wheelpit/exec/sort/sorted_run.h"
#include "wheelpit/spill/spill_stream.h"

namespace wheelpit::exec {

class RunWriter {
 public:
  /// `rows` outlives it.
  RunWriter(const spill::SpillStreamOptions& options, const SortedRows* rows)
      : rows_(rows), writer_(options, rows->stored_schema) {}

  /// Takes the rows, always. A wait: no more until it is ready.
  arrow::Result<std::optional<core::Wait>> Append(const RunMerge::Step& rows);

  /// Ready when all is on disk, or a write has failed.
  core::Wait written() const { return writer_.written(); }

  /// Once written() is ready. Without rows it has no blocks.
  arrow::Result<SortedRun> Finish();

 private:
  const SortedRows* const rows_;
  spill::SpillWriter writer_;
  SortedRun run_;
};

}  // namespace wheelpit::exec
