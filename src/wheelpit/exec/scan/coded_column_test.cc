// SPDX-License-Identifier: Apache-2.0
// Text columns that come out of a scan as codes of a growing dictionary.
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <arrow/api.h>
#include <gtest/gtest.h>
#include <parquet/properties.h>

#include "wheelpit/exec/scan/scan_fixture.h"

namespace wheelpit::exec {
namespace {

using Builder = parquet::WriterProperties::Builder;
using Text = std::function<std::optional<std::string>(int64_t)>;

std::shared_ptr<arrow::Table> Texts(
    int64_t begin, int64_t end, const Text& text,
    const std::shared_ptr<arrow::DataType>& type = arrow::utf8()) {
  arrow::BinaryBuilder texts;
  arrow::Int64Builder numbers;
  for (int64_t i = begin; i < end; ++i) {
    const auto value = text(i);
    EXPECT_TRUE((value ? texts.Append(*value) : texts.AppendNull()).ok());
    EXPECT_TRUE(numbers.Append(i).ok());
  }
  return arrow::Table::Make(
      arrow::schema({arrow::field("t", type), arrow::field("n", arrow::int64())}),
      {texts.Finish().ValueOrDie()->View(type).ValueOrDie(),
       numbers.Finish().ValueOrDie()});
}

std::optional<std::string> Word(int64_t i) {
  if (i % 11 == 3) return std::nullopt;
  return std::string(static_cast<size_t>(i % 5), 'w') + std::to_string(i % 7);
}

std::string Many(int64_t i) {
  return "value " + std::to_string(i);
}

class CodedColumn : public ::testing::Test {
 protected:
  void AllowCodes(const std::shared_ptr<arrow::DataType>& type = arrow::utf8()) {
    scanned_->dictionaries = {
        std::make_shared<GrowingDictionary>(type, arrow::default_memory_pool()), nullptr};
  }

  void Expect(const std::vector<std::shared_ptr<arrow::Table>>& tables,
              std::vector<std::unique_ptr<RowFilter>> filters = {}) {
    const auto expected = arrow::ConcatenateTables(tables).ValueOrDie();
    const auto actual = scanned_->Run(scanned_->AllColumns(), std::move(filters));
    ASSERT_TRUE(actual.ok()) << actual.status();
    ASSERT_EQ((*actual)->num_rows(), expected->num_rows());
    EXPECT_TRUE((*actual)->Equals(*expected));
  }

  int64_t CodedBatches() const {
    int64_t coded = 0;
    for (const auto& batch : scanned_->batches) {
      coded += batch->column(0)->type_id() == arrow::Type::DICTIONARY;
      EXPECT_NE(batch->column(1)->type_id(), arrow::Type::DICTIONARY);
    }
    return coded;
  }

  std::unique_ptr<ScannedTable> scanned_ = std::make_unique<ScannedTable>();
};

TEST_F(CodedColumn, ValuesAndNullsAreThoseOfTheFile) {
  for (const auto& type : {arrow::utf8(), arrow::binary()}) {
    scanned_ = std::make_unique<ScannedTable>();
    AllowCodes(type);
    const auto table = Texts(0, 5000, Word, type);
    scanned_->Add("a", WriteParquet(*table, Builder().data_pagesize(500)->build(), 1700));
    Expect({table});
    EXPECT_EQ(CodedBatches(), std::ssize(scanned_->batches));
  }
}

TEST_F(CodedColumn, NobodyGetsCodesWhoDidNotAsk) {
  const auto table = Texts(0, 5000, Word);
  scanned_->Add("a", WriteParquet(*table, Builder().build()));
  Expect({table});
  EXPECT_EQ(CodedBatches(), 0);
}

TEST_F(CodedColumn, CodesMeanTheSameInEveryFile) {
  AllowCodes();
  std::vector<std::shared_ptr<arrow::Table>> tables;
  for (int64_t f = 0; f < 5; ++f) {
    tables.push_back(
        Texts(0, 1000, [f](int64_t i) { return Many((i * 7) % 50 + 20 * f); }));
    scanned_->Add("f" + std::to_string(f),
                  WriteParquet(*tables.back(), Builder().build()));
  }
  Expect(tables);
  ASSERT_EQ(CodedBatches(), std::ssize(scanned_->batches));
  const auto values = [](const auto& batch) {
    return static_cast<const arrow::DictionaryArray&>(*batch->column(0)).dictionary();
  };
  const auto last = values(scanned_->batches.back());
  EXPECT_EQ(last->length(), 130);
  for (const auto& batch : scanned_->batches) {
    EXPECT_TRUE(last->Slice(0, values(batch)->length())->Equals(values(batch)));
  }
}

TEST_F(CodedColumn, ChunksWithoutADictionaryComePlainBetweenOthers) {
  AllowCodes();
  std::vector<std::shared_ptr<arrow::Table>> tables;
  for (int64_t f = 0; f < 4; ++f) {
    tables.push_back(Texts(1000 * f, 1000 * f + 1000, Word));
    Builder properties;
    if (f % 2 == 1) properties.disable_dictionary();
    scanned_->Add("f" + std::to_string(f),
                  WriteParquet(*tables.back(), properties.build()));
  }
  Expect(tables);
  EXPECT_EQ(CodedBatches(), 2);
}

TEST_F(CodedColumn, AChunkMayChangeOverInTheMiddleOfABatch) {
  AllowCodes();
  const auto table = Texts(0, 5000, [](int64_t i) -> std::optional<std::string> {
    if (i < 2500) return Word(i);
    if (i % 13 == 0) return std::nullopt;
    return Many(i);
  });
  for (const int64_t batch_rows : {100, 333, 5000}) {
    scanned_->batch_rows = batch_rows;
    if (scanned_->split.empty()) {
      scanned_->Add("a", WriteParquet(*table, Builder()
                                                  .data_pagesize(1000)
                                                  ->write_batch_size(50)
                                                  ->dictionary_pagesize_limit(1500)
                                                  ->build()));
    }
    Expect({table});
    EXPECT_EQ(CodedBatches() > 0, batch_rows < 5000);
    EXPECT_LT(CodedBatches(), std::ssize(scanned_->batches));
  }
}

TEST_F(CodedColumn, PassingTheBoundMakesLaterChunksPlain) {
  AllowCodes();
  const auto table = Texts(0, 100000, Many);
  scanned_->Add("a", WriteParquet(*table, Builder().build(), 1000));
  Expect({table});
  EXPECT_EQ(CodedBatches(), 4);
}

TEST_F(CodedColumn, OfNullsAloneThereIsAnEmptyDictionary) {
  AllowCodes();
  const auto table = Texts(0, 1500, [](int64_t) { return std::nullopt; });
  scanned_->Add("a", WriteParquet(*table, Builder().build()));
  Expect({table});
}

TEST_F(CodedColumn, FiltersOverItKeepItsRows) {
  AllowCodes();
  const auto table = Texts(0, 5000, Word);
  scanned_->Add("a", WriteParquet(*table, Builder().data_pagesize(500)->build(), 1700));
  const auto starts_with_w = [](const arrow::ArrayVector& arrays,
                                int64_t row) -> arrow::Result<bool> {
    const auto text = Plain(arrays[0]);
    return text->IsValid(row) &&
           static_cast<const arrow::StringArray&>(*text).GetView(row).starts_with("w");
  };
  std::vector<std::unique_ptr<RowFilter>> filters;
  filters.push_back(std::make_unique<FunctionFilter>(std::vector<int>{0}, starts_with_w));
  filters.push_back(ValueFilter<int64_t>(1, [](int64_t n) { return n % 3 == 1; }));
  filters.push_back(
      std::make_unique<FunctionFilter>(std::vector<int>{0, 1}, starts_with_w));
  std::vector<int64_t> expected;
  for (int64_t i = 0; i < 5000; ++i) {
    if (i % 3 == 1 && Word(i).value_or("").starts_with("w")) expected.push_back(i);
  }
  const auto actual =
      scanned_->Run(scanned_->AllColumns(), std::move(filters)).ValueOrDie();
  EXPECT_EQ(CodedBatches(), std::ssize(scanned_->batches));
  const auto whole = actual->CombineChunks().ValueOrDie();
  ASSERT_EQ(whole->num_rows(), std::ssize(expected));
  const auto& texts = static_cast<const arrow::StringArray&>(*whole->column(0)->chunk(0));
  const auto& numbers =
      static_cast<const arrow::Int64Array&>(*whole->column(1)->chunk(0));
  for (int64_t i = 0; i < whole->num_rows(); ++i) {
    EXPECT_EQ(numbers.Value(i), expected[static_cast<size_t>(i)]);
    EXPECT_EQ(texts.GetString(i), Word(numbers.Value(i)));
  }
}

}  // namespace
}  // namespace wheelpit::exec
