// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/exec/sort/stored_rows.h"

#include <random>

#include <arrow/array/array_base.h>
#include <arrow/buffer.h>
#include <arrow/builder.h>
#include <arrow/memory_pool.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/util/decimal.h>
#include <gtest/gtest.h>

#include "wheelpit/core/error.h"

namespace wheelpit::exec {
namespace {

template <typename Builder, typename Make>
std::shared_ptr<arrow::Array> Build(Builder builder, int64_t rows, Make make) {
  for (int64_t i = 0; i < rows; ++i) {
    EXPECT_TRUE((i % 11 == 3 ? builder.AppendNull() : builder.Append(make())).ok());
  }
  return builder.Finish().ValueOrDie();
}

std::shared_ptr<arrow::RecordBatch> BatchOf(const arrow::ArrayVector& columns) {
  arrow::FieldVector fields;
  for (const auto& column : columns) {
    fields.push_back(arrow::field("c" + std::to_string(fields.size()), column->type()));
  }
  return arrow::RecordBatch::Make(arrow::schema(fields), columns[0]->length(), columns);
}

TEST(StoredRows, ComeBackInAnyNumberAndWidth) {
  arrow::MemoryPool* const pool = arrow::system_memory_pool();
  std::mt19937_64 random(5);
  const auto any = [&] { return static_cast<int64_t>(random()); };
  for (int64_t rows = 0; rows < 70; ++rows) {
    const auto batch = BatchOf({
        Build(arrow::Int16Builder(pool), rows,
              [&] { return static_cast<int16_t>(any()); }),
        Build(arrow::Int32Builder(pool), rows,
              [&] { return static_cast<int32_t>(any()); }),
        Build(arrow::Int64Builder(pool), rows, any),
        Build(arrow::Decimal128Builder(arrow::decimal128(18, 2), pool), rows,
              [&] { return arrow::Decimal128(any() / 100); }),
        Build(arrow::Decimal128Builder(arrow::decimal128(38, 2), pool), rows,
              [&] { return arrow::Decimal128(any() / 100, random()); }),
        Build(arrow::StringBuilder(pool), rows, [&] { return std::to_string(any()); }),
    });
    const auto stored_schema = StoredSchema(*batch->schema());
    EXPECT_EQ(stored_schema->field(3)->type()->byte_width(), 8);
    const auto stored = ToStored(*batch, stored_schema, pool).ValueOrDie();
    ASSERT_TRUE(stored->ValidateFull().ok());
    const auto back = FromStored(*stored, batch->schema(), pool).ValueOrDie();
    ASSERT_TRUE(back->ValidateFull().ok());
    EXPECT_TRUE(back->Equals(*batch)) << rows;
  }
}

TEST(StoredRows, FirstBytesStandTogether) {
  arrow::Int32Builder builder(arrow::system_memory_pool());
  for (int32_t i = 0; i < 40; ++i) {
    ASSERT_TRUE(builder.Append(0x03020100 + i).ok());
  }
  const auto batch = BatchOf({builder.Finish().ValueOrDie()});
  const auto stored =
      ToStored(*batch, StoredSchema(*batch->schema()), arrow::system_memory_pool())
          .ValueOrDie();
  const uint8_t* const bytes = stored->column_data(0)->buffers[1]->data();
  EXPECT_EQ(bytes[1], 0x01);
  EXPECT_EQ(bytes[39], 39);
  EXPECT_EQ(bytes[40], 0x01);
  EXPECT_EQ(bytes[159], 0x03);
}

TEST(StoredRows, ADecimalOfTooManyDigitsIsNotCutOff) {
  const auto type = arrow::decimal128(18, 0);
  for (const int64_t rows : {3, 40}) {
    arrow::Decimal128Builder builder(type, arrow::system_memory_pool());
    for (int64_t i = 0; i < rows; ++i) {
      ASSERT_TRUE(builder.Append(arrow::Decimal128(i == 1 ? 5 : 0, 7)).ok());
    }
    const auto batch = BatchOf({builder.Finish().ValueOrDie()});
    const auto stored =
        ToStored(*batch, StoredSchema(*batch->schema()), arrow::system_memory_pool());
    EXPECT_EQ(core::KindOf(stored.status()), core::ErrorKind::kCorrupt);
    EXPECT_NE(stored.status().message().find("column c0"), std::string::npos);
  }
}

}  // namespace
}  // namespace wheelpit::exec
