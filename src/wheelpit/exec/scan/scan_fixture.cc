// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/exec/scan/scan_fixture.h"

namespace wheelpit::exec {

arrow::Result<std::vector<std::shared_ptr<arrow::RecordBatch>>> RunToEnd(Source* source) {
  std::vector<std::shared_ptr<arrow::RecordBatch>> batches;
  for (;;) {
    ARROW_ASSIGN_OR_RAISE(Step step, source->Next());
    switch (step.kind) {
      case Step::Kind::kBatch:
        batches.push_back(std::move(step.batch));
        break;
      case Step::Kind::kWait:
        step.wait.Block();
        break;
      case Step::Kind::kYield:
        break;
      case Step::Kind::kEnd:
        return batches;
    }
  }
}

}  // namespace wheelpit::exec
