// SPDX-License-Identifier: Apache-2.0
// Runs a statement in this process and prints how many rows it gives, and what was read
// for them. Usage: query STATEMENT
#include <cstdio>
#include <string>

#include <arrow/record_batch.h>

#include "wheelpit/core/config.h"
#include "wheelpit/core/metrics.h"
#include "wheelpit/engine/session.h"

using wheelpit::core::ConfigKey;
using wheelpit::core::ConfigSource;

arrow::Status Run(const std::string& statement) {
  // A library does not look at the machine: the embedder says what it may use.
  wheelpit::core::Config config;
  for (const auto& [key, text] : {std::pair(ConfigKey::kMemoryLimit, "64MiB"),
                                  std::pair(ConfigKey::kComputeThreads, "2"),
                                  std::pair(ConfigKey::kSpillDirectories, "/var/tmp")}) {
    ARROW_RETURN_NOT_OK(config.Set(key, text, ConfigSource::kSet));
  }
  ARROW_ASSIGN_OR_RAISE(auto engine, wheelpit::engine::Engine::Make(config, {}));
  ARROW_ASSIGN_OR_RAISE(auto session, engine->MakeSession());
  ARROW_ASSIGN_OR_RAISE(auto query, session->Submit(statement));
  int64_t row_count = 0;
  while (true) {
    ARROW_ASSIGN_OR_RAISE(auto batch, query->Next());
    if (batch == nullptr) {
      break;
    }
    row_count += batch->num_rows();
  }
  const auto stats = query->stats();
  const auto bytes = static_cast<size_t>(wheelpit::core::Metric::kBytesRead);
  std::printf("%lld rows, %lld bytes read, %.3f s\n", static_cast<long long>(row_count),
              static_cast<long long>(stats.metrics[bytes]), stats.seconds);
  return arrow::Status::OK();
}

int main(int argc, char** argv) {
  const arrow::Status status = Run(argc > 1 ? argv[1] : "SELECT 1");
  if (!status.ok()) {
    std::fprintf(stderr, "%s\n", status.message().c_str());
    return 1;
  }
  return 0;
}
