// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/exec/sort/sort_fixture.h"

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <map>
#include <random>
#include <utility>

#include <arrow/array.h>
#include <arrow/array/concatenate.h>
#include <arrow/builder.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "wheelpit/core/error.h"
#include "wheelpit/core/task_group.h"
#include "wheelpit/exec/sort/row_gather.h"

namespace wheelpit::exec {

SortFixture::~SortFixture() {
  std::filesystem::remove_all(folder_);
}

std::string SortFixture::MakeFolder() {
  std::string pattern = testing::TempDir() + "/sort_XXXXXX";
  return mkdtemp(pattern.data());
}

SortOutcome SortFixture::Run(const SortCase& sort_case,
                             const std::function<bool(int64_t)>& on_rows) {
  auto outcome = harness_.Run(sort_case, on_rows);
  EXPECT_EQ(outcome.left_bytes, 0);
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
  if (sort_case.limit_bytes > 0) {
    EXPECT_LE(outcome.peak_bytes, sort_case.limit_bytes);
  }
  return outcome;
}

uint64_t Mixed(int64_t id) {
  uint64_t value = (static_cast<uint64_t>(id) + 1) * 0x9E3779B97F4A7C15u;
  value ^= value >> 29;
  return value * 0xBF58476D1CE4E5B9u;
}

std::string RandomText(int64_t id) {
  std::string text(64, ' ');
  for (size_t i = 0; i < text.size(); ++i) {
    text[i] = static_cast<char>('a' + Mixed(id * 64 + static_cast<int64_t>(i)) % 26);
  }
  return text;
}

SortCase TextCase(int task_count, int64_t rows_of_task, int64_t rows_of_batch,
                  const std::function<std::string(int64_t)>& text_of) {
  SortCase made;
  made.options.keys = {{.column = 0}};
  made.options.schema = arrow::schema(
      {arrow::field("k", arrow::utf8()), arrow::field("id", arrow::int64())});
  int64_t id = 0;
  for (int task = 0; task < task_count; ++task) {
    Batches batches;
    for (int64_t begin = 0; begin < rows_of_task; begin += rows_of_batch) {
      const int64_t rows = std::min(rows_of_batch, rows_of_task - begin);
      arrow::StringBuilder texts;
      arrow::Int64Builder ids;
      for (int64_t i = 0; i < rows; ++i, ++id) {
        static_cast<void>(texts.Append(text_of(id)));
        static_cast<void>(ids.Append(id));
      }
      batches.push_back(arrow::RecordBatch::Make(made.options.schema, rows,
                                                 {*texts.Finish(), *ids.Finish()}));
    }
    made.tasks.push_back(std::move(batches));
  }
  return made;
}

SortCase MakeCase(const std::vector<KeyColumn>& keys, int task_count,
                  int64_t rows_of_task, const SampleOptions& options) {
  std::mt19937_64 random(options.seed);
  SortCase made;
  arrow::FieldVector fields;
  for (const KeyColumn& key : keys) {
    made.options.keys.push_back({.column = static_cast<int>(fields.size()),
                                 .descending = key.descending,
                                 .nulls_first = key.nulls_first});
    fields.push_back(arrow::field("k" + std::to_string(fields.size()), key.type));
  }
  fields.push_back(arrow::field("text", arrow::utf8()));
  fields.push_back(arrow::field("list", arrow::list(arrow::int32())));
  fields.push_back(arrow::field("id", arrow::int64(), /*nullable=*/false));
  made.options.schema = arrow::schema(fields);
  int64_t id = 0;
  for (int task = 0; task < task_count; ++task) {
    Batches batches;
    for (int64_t left = rows_of_task; left > 0;) {
      const int64_t rows =
          std::min<int64_t>(left, 1 + static_cast<int64_t>(random() % 3000));
      SampleOptions each = options;
      arrow::ArrayVector columns;
      for (const KeyColumn& key : keys) {
        each.seed = random();
        columns.push_back(SampleColumn(key.type, rows, each));
      }
      columns.push_back(SampleColumn(arrow::utf8(), rows, each));
      arrow::ListBuilder lists(arrow::system_memory_pool(),
                               std::make_shared<arrow::Int32Builder>());
      arrow::Int64Builder ids;
      for (int64_t i = 0; i < rows; ++i, ++id) {
        static_cast<void>(id % 7 == 0 ? lists.AppendNull() : lists.Append());
        for (int64_t n = 0; id % 7 != 0 && n < id % 3; ++n) {
          static_cast<void>(static_cast<arrow::Int32Builder*>(lists.value_builder())
                                ->Append(static_cast<int32_t>(id)));
        }
        static_cast<void>(ids.Append(id));
      }
      columns.push_back(*lists.Finish());
      columns.push_back(*ids.Finish());
      batches.push_back(arrow::RecordBatch::Make(made.options.schema, rows, columns));
      left -= rows;
    }
    made.tasks.push_back(std::move(batches));
  }
  return made;
}

namespace {

// The row with an id: ids count through all tasks.
struct InputRows {
  explicit InputRows(const SortCase& sort_case) {
    for (const Batches& task : sort_case.tasks) {
      for (const auto& batch : task) {
        if (batch->num_rows() > 0) {
          batches[count] = batch;
        }
        count += batch->num_rows();
      }
    }
  }
  std::pair<const arrow::RecordBatch*, int64_t> Find(int64_t id) const {
    const auto after = std::prev(batches.upper_bound(id));
    return {after->second.get(), id - after->first};
  }
  std::map<int64_t, std::shared_ptr<arrow::RecordBatch>> batches;
  int64_t count = 0;
};

bool SameValue(const std::shared_ptr<arrow::Array>& a, int64_t i,
               const std::shared_ptr<arrow::Array>& b, int64_t j) {
  switch (a->type_id()) {
    case arrow::Type::FLOAT:
    case arrow::Type::DOUBLE:
    case arrow::Type::DICTIONARY:
      return ComparePlainly({{a->type()}}, {a}, i, {b}, j) == 0;
    default:
      return a->RangeEquals(*b, i, i + 1, j);
  }
}

arrow::ArrayVector KeysOf(const SortCase& sort_case, const arrow::RecordBatch& batch) {
  arrow::ArrayVector keys;
  for (const SortKey& key : sort_case.options.keys) {
    keys.push_back(batch.column(key.column));
  }
  return keys;
}

std::vector<KeyColumn> KeyColumnsOf(const SortCase& sort_case) {
  std::vector<KeyColumn> columns;
  for (const SortKey& key : sort_case.options.keys) {
    columns.push_back({sort_case.options.schema->field(key.column)->type(),
                       key.descending, key.nulls_first});
  }
  return columns;
}

}  // namespace

testing::AssertionResult IsSorted(const SortCase& sort_case, const SortOutcome& outcome) {
  if (!outcome.status.ok()) {
    return testing::AssertionFailure() << outcome.status;
  }
  const InputRows input(sort_case);
  const auto& options = sort_case.options;
  const int64_t wanted =
      options.limit < 0 ? input.count : std::min(options.limit, input.count);
  if (outcome.row_count != wanted) {
    return testing::AssertionFailure() << outcome.row_count << " rows, not " << wanted;
  }
  const auto encoder = KeyEncoder::Make(KeyColumnsOf(sort_case)).ValueOrDie();
  std::vector<bool> seen(static_cast<size_t>(input.count));
  std::pair<std::string, int64_t> before = {"", -1};
  for (const auto& batch : outcome.batches) {
    if (!batch->Validate().ok() || !batch->schema()->Equals(*options.schema)) {
      return testing::AssertionFailure() << "an invalid batch";
    }
    const auto keys = *encoder->Encode(KeysOf(sort_case, *batch), batch->num_rows(),
                                       arrow::system_memory_pool());
    const auto& ids =
        static_cast<const arrow::Int64Array&>(*batch->column(batch->num_columns() - 1));
    for (int64_t i = 0; i < batch->num_rows(); ++i) {
      std::pair<std::string, int64_t> now = {std::string(keys[i]), ids.Value(i)};
      if (!(options.stable ? before < now : before.first <= now.first)) {
        return testing::AssertionFailure() << "row " << now.second << " is out of order";
      }
      if (seen[static_cast<size_t>(now.second)]) {
        return testing::AssertionFailure() << "row " << now.second << " twice";
      }
      seen[static_cast<size_t>(now.second)] = true;
      const auto [from, row] = input.Find(now.second);
      for (int c = 0; c < batch->num_columns(); ++c) {
        if (!SameValue(batch->column(c), i, from->column(c), row)) {
          return testing::AssertionFailure()
                 << "row " << now.second << " has another value in column " << c;
        }
      }
      before = std::move(now);
    }
  }
  if (options.limit < 0) {
    return testing::AssertionSuccess();
  }
  // No row that was left out may come before the last one that was given.
  for (const auto& [first, batch] : input.batches) {
    const auto keys = *encoder->Encode(KeysOf(sort_case, *batch), batch->num_rows(),
                                       arrow::system_memory_pool());
    for (int64_t i = 0; wanted > 0 && i < keys.count(); ++i) {
      if (!seen[static_cast<size_t>(first + i)] &&
          (options.stable ? std::pair(std::string(keys[i]), first + i) < before
                          : keys[i] < before.first)) {
        return testing::AssertionFailure() << "row " << first + i << " is missing";
      }
    }
  }
  return testing::AssertionSuccess();
}

}  // namespace wheelpit::exec
