// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/exec/sort/run_writer.h"

#include <utility>

#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "wheelpit/core/error.h"

namespace wheelpit::exec {

arrow::Result<std::optional<core::Wait>> RunWriter::Append(const RunMerge::Step& rows) {
  run_.blocks.push_back({.extent = nullptr,
                         .first_key = rows.first_key,
                         .raw_bytes = GatheredBytes(*rows.batch),
                         .key_bytes = rows.key_bytes});
  run_.last_key = rows.last_key;
  return writer_.Append(*Retyped(*rows.batch, rows_->stored_schema));
}

arrow::Result<SortedRun> RunWriter::Finish() {
  ARROW_ASSIGN_OR_RAISE(auto written, writer_.Finish());
  WHEELPIT_CHECK(written.extents.size() == run_.blocks.size(), "an extent per block");
  for (size_t i = 0; i < run_.blocks.size(); ++i) {
    run_.blocks[i].extent =
        std::make_shared<const spill::SpillExtent>(std::move(written.extents[i]));
  }
  return std::move(run_);
}

}  // namespace wheelpit::exec
