// SPDX-License-Identifier: Apache-2.0
#include "test_engine.h"

#include "value_text.h"
#include <arrow/memory_pool.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "wheelpit/plan/expression.h"

namespace wheelpit::sqltest {

namespace {

arrow::Status Show(const arrow::RecordBatch& batch, const arrow::Schema& schema,
                   Answer* answer) {
  // A wrong batch must not become a crash of the comparison.
  ARROW_RETURN_NOT_OK(batch.ValidateFull());
  if (!batch.schema()->Equals(schema, /*check_metadata=*/false)) {
    return arrow::Status::Invalid("a batch of schema ", batch.schema()->ToString(),
                                  " in a result of schema ", schema.ToString());
  }
  for (int64_t row = 0; row < batch.num_rows(); ++row) {
    Row values;
    for (const auto& column : batch.columns()) {
      values.push_back(ValueText(*column, row));
    }
    answer->rows.push_back(std::move(values));
  }
  return arrow::Status::OK();
}

// Batches are let go one by one: they count against the limit.
arrow::Status Pull(engine::Session* session, const std::string& sql, Answer* answer) {
  ARROW_ASSIGN_OR_RAISE(const auto query, session->Submit(sql));
  ARROW_ASSIGN_OR_RAISE(const auto schema, query->schema());
  for (const auto& field : schema->fields()) {
    answer->names.push_back(field->name());
    answer->types.push_back(plan::TypeName(*field->type()));
  }
  while (true) {
    ARROW_ASSIGN_OR_RAISE(const auto batch, query->Next());
    if (batch == nullptr) {
      return arrow::Status::OK();
    }
    ARROW_RETURN_NOT_OK(Show(*batch, *schema, answer));
  }
}

}  // namespace

arrow::Result<core::Config> TestConfig(const std::string& directory,
                                       const Settings& settings) {
  core::Config config;
  Settings all = {{"memory.limit", "256MiB"},
                  {"compute.threads", "2"},
                  {"io.threads", "2"},
                  {"spill.directories", directory},
                  {"session.time_zone", "UTC"}};
  all.insert(all.end(), settings.begin(), settings.end());
  for (const auto& [name, value] : all) {
    ARROW_RETURN_NOT_OK(config.Set(name, value, core::ConfigSource::kFile));
  }
  return config;
}

Answer Ask(engine::Session* session, const std::string& sql) {
  Answer answer;
  const arrow::MemoryPool& uncounted = *arrow::default_memory_pool();
  const int64_t before = uncounted.total_bytes_allocated();
  answer.status = Pull(session, sql, &answer);
  answer.uncounted_bytes = uncounted.total_bytes_allocated() - before;
  return answer;
}

}  // namespace wheelpit::sqltest
