// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/exec/scan/column_reader.h"

#include <utility>

#include <arrow/array/array_primitive.h>
#include <arrow/buffer.h>
#include <arrow/compute/api_vector.h>
#include <arrow/compute/exec.h>
#include <arrow/datum.h>
#include <arrow/memory_pool.h>

namespace wheelpit::exec {

void Narrow(const std::vector<int32_t>& positions, RowSelection* selection) {
  if (selection->all) {
    selection->rows = positions;
    selection->all = static_cast<int64_t>(positions.size()) == selection->length;
    return;
  }
  // In place: positions ascend, so nothing is overwritten before it is read.
  for (size_t i = 0; i < positions.size(); ++i) {
    selection->rows[i] = selection->rows[static_cast<size_t>(positions[i])];
  }
  selection->rows.resize(positions.size());
}

arrow::Result<std::shared_ptr<arrow::Array>> TakePositions(
    const std::shared_ptr<arrow::Array>& array, const std::vector<int32_t>& positions,
    arrow::MemoryPool* pool) {
  if (static_cast<int64_t>(positions.size()) == array->length()) return array;
  const arrow::Int32Array indices(static_cast<int64_t>(positions.size()),
                                  arrow::Buffer::Wrap(positions));
  // A context without executor runs on this thread.
  arrow::compute::ExecContext context(pool);
  ARROW_ASSIGN_OR_RAISE(
      const arrow::Datum taken,
      arrow::compute::Take(arrow::Datum(array), arrow::Datum(indices.data()),
                           arrow::compute::TakeOptions::NoBoundsCheck(), &context));
  return taken.make_array();
}

arrow::Status ColumnReader::Filter(int64_t begin, RowFilter* filter, bool keep,
                                   RowSelection* selection) {
  ARROW_RETURN_NOT_OK(Read(begin, *selection));
  ARROW_ASSIGN_OR_RAISE(auto array, Finish());
  std::vector<int32_t> positions(static_cast<size_t>(array->length()));
  ARROW_ASSIGN_OR_RAISE(const int64_t count,
                        filter->Evaluate({array}, array->length(), positions.data()));
  positions.resize(static_cast<size_t>(count));
  if (keep) {
    ARROW_ASSIGN_OR_RAISE(kept_, TakePositions(array, positions, pool()));
  }
  Narrow(positions, selection);
  return arrow::Status::OK();
}

}  // namespace wheelpit::exec
