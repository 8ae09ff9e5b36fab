// SPDX-License-Identifier: Apache-2.0
#include "test_engine.h"

#include "value_text.h"
#include <arrow/memory_pool.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "wheelpit/plan/expression.h"

namespace wheelpit::sqltest {

namespace {

using Batches = std::vector<std::shared_ptr<arrow::RecordBatch>>;

arrow::Status Pull(engine::Query* query, Batches* batches) {
  while (true) {
    ARROW_ASSIGN_OR_RAISE(auto batch, query->Next());
    if (batch == nullptr) {
      return arrow::Status::OK();
    }
    batches->push_back(std::move(batch));
  }
}

arrow::Status Show(const Batches& batches, const arrow::Schema& schema, Answer* answer) {
  for (const auto& batch : batches) {
    // A wrong batch must not become a crash of the comparison.
    ARROW_RETURN_NOT_OK(batch->ValidateFull());
    if (!batch->schema()->Equals(schema, /*check_metadata=*/false)) {
      return arrow::Status::Invalid("a batch of schema ", batch->schema()->ToString(),
                                    " in a result of schema ", schema.ToString());
    }
    for (int64_t row = 0; row < batch->num_rows(); ++row) {
      Row values;
      for (const auto& column : batch->columns()) {
        values.push_back(ValueText(*column, row));
      }
      answer->rows.push_back(std::move(values));
    }
  }
  return arrow::Status::OK();
}

arrow::Status Run(engine::Session* session, const std::string& sql, Answer* answer) {
  const arrow::MemoryPool& uncounted = *arrow::default_memory_pool();
  const int64_t before = uncounted.total_bytes_allocated();
  std::shared_ptr<arrow::Schema> schema;
  Batches batches;
  arrow::Status status;
  {
    ARROW_ASSIGN_OR_RAISE(const auto query, session->Submit(sql));
    ARROW_ASSIGN_OR_RAISE(schema, query->schema());
    status = Pull(query.get(), &batches);
    answer->uncounted_bytes = uncounted.total_bytes_allocated() - before;
    // The batches are looked at while the query still stands, as a client would.
    for (const auto& field : schema->fields()) {
      answer->names.push_back(field->name());
      answer->types.push_back(plan::TypeName(*field->type()));
    }
    ARROW_RETURN_NOT_OK(Show(batches, *schema, answer));
    batches.clear();
  }
  return status;
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
  answer.status = Run(session, sql, &answer);
  return answer;
}

}  // namespace wheelpit::sqltest
