// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/block/live_bytes.h"

#include <functional>
#include <string>

#include <arrow/array.h>
#include <arrow/buffer.h>
#include <arrow/builder.h>
#include <arrow/memory_pool.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <gtest/gtest.h>

#include "wheelpit/block/ipc_block.h"
#include "wheelpit/block/sample_batches.h"

namespace wheelpit::block {

namespace {

constexpr int64_t kRows = 10'000;
constexpr int64_t kTextBytes = 100;

arrow::MemoryPool* Pool() {
  return arrow::system_memory_pool();
}

std::string TextOf(int64_t i) {
  std::string text = "row " + std::to_string(i) + " ";
  text.resize(kTextBytes, static_cast<char>('a' + i % 26));
  return text;
}

std::shared_ptr<arrow::Array> Views(int64_t rows, int64_t distinct) {
  arrow::StringViewBuilder builder(arrow::utf8_view(), Pool());
  for (int64_t i = 0; i < rows; ++i) {
    EXPECT_TRUE(builder.Append(TextOf(i % distinct)).ok());
  }
  return builder.Finish().ValueOrDie();
}

// `rows` views over the text of `distinct` strings, which all rows share.
std::shared_ptr<arrow::Array> SharedViews(int64_t rows, int64_t distinct) {
  auto data = Views(distinct, distinct)->data()->Copy();
  std::shared_ptr<arrow::Buffer> views =
      arrow::AllocateBuffer(rows * 16, Pool()).ValueOrDie();
  using View = arrow::BinaryViewType::c_type;
  auto* out = reinterpret_cast<View*>(views->mutable_data());
  for (int64_t i = 0; i < rows; ++i) {
    out[i] = data->GetValues<View>(1)[i % distinct];
  }
  data->buffers[1] = views;
  data->length = rows;
  return arrow::MakeArray(data);
}

std::shared_ptr<arrow::Array> Lists(const std::shared_ptr<arrow::Array>& values) {
  arrow::Int32Builder offsets(Pool());
  for (int64_t i = 0; i <= values->length(); ++i) {
    EXPECT_TRUE(offsets.Append(static_cast<int32_t>(i)).ok());
  }
  return arrow::ListArray::FromArrays(*offsets.Finish().ValueOrDie(), *values, Pool())
      .ValueOrDie();
}

std::shared_ptr<arrow::Array> Struct(const std::shared_ptr<arrow::Array>& values) {
  return arrow::StructArray::Make(arrow::ArrayVector{values},
                                  std::vector<std::string>{"s"})
      .ValueOrDie();
}

std::shared_ptr<arrow::Array> Coded(const std::shared_ptr<arrow::Array>& values) {
  arrow::Int32Builder codes(Pool());
  for (int64_t i = 0; i < values->length(); ++i) {
    EXPECT_TRUE(codes.Append(static_cast<int32_t>(i)).ok());
  }
  return arrow::DictionaryArray::FromArrays(codes.Finish().ValueOrDie(), values)
      .ValueOrDie();
}

std::shared_ptr<arrow::Array> ListViews(const std::shared_ptr<arrow::Array>& values) {
  arrow::Int32Builder offsets(Pool());
  arrow::Int32Builder sizes(Pool());
  for (int64_t i = 0; i < values->length(); ++i) {
    EXPECT_TRUE(offsets.Append(static_cast<int32_t>(values->length() - 1 - i)).ok());
    EXPECT_TRUE(sizes.Append(1).ok());
  }
  return arrow::ListViewArray::FromArrays(*offsets.Finish().ValueOrDie(),
                                          *sizes.Finish().ValueOrDie(), *values, Pool())
      .ValueOrDie();
}

std::shared_ptr<arrow::RecordBatch> BatchOf(const std::shared_ptr<arrow::Array>& column) {
  return arrow::RecordBatch::Make(arrow::schema({arrow::field("c", column->type())}),
                                  column->length(), {column});
}

int64_t EncodedBytes(const std::shared_ptr<arrow::Array>& column) {
  return EncodeIpc(*BatchOf(column), {}, Pool()).ValueOrDie()->size();
}

struct Shape {
  const char* name;
  std::function<std::shared_ptr<arrow::Array>(std::shared_ptr<arrow::Array>)> build;
  int64_t bytes_per_row;  // beside the text: views, offsets, codes
};

class LiveBytesOfShape : public testing::TestWithParam<Shape> {};

TEST_P(LiveBytesOfShape, ASliceIsWrittenAtItsOwnSize) {
  const auto column = GetParam().build(Views(kRows, kRows));
  const int64_t rows = kRows / 100;
  const auto slice = column->Slice(4321, rows);
  const int64_t live = rows * (kTextBytes + GetParam().bytes_per_row);
  EXPECT_LE(EncodedBytes(slice), live + live / 10 + 640);
  const auto cut = KeepLiveBytes(slice, Pool()).ValueOrDie();
  ASSERT_TRUE(cut->ValidateFull().ok()) << cut->ValidateFull();
  EXPECT_EQ(RowTexts(*BatchOf(cut)), RowTexts(*BatchOf(slice)));
}

TEST_P(LiveBytesOfShape, AWholeColumnIsNotInflated) {
  const auto column = GetParam().build(Views(kRows, kRows));
  EXPECT_LE(EncodedBytes(column),
            kRows * (kTextBytes + GetParam().bytes_per_row) * 11 / 10);
}

INSTANTIATE_TEST_SUITE_P(
    Each, LiveBytesOfShape,
    testing::Values(Shape{"views", [](auto values) { return values; }, 16},
                    Shape{"lists", Lists, 20}, Shape{"structs", Struct, 16},
                    Shape{"lists_of_structs",
                          [](auto values) { return Lists(Struct(values)); }, 20},
                    Shape{"list_views", ListViews, 24}, Shape{"dictionaries", Coded, 20},
                    Shape{"lists_of_dictionaries",
                          [](auto values) { return Lists(Coded(values)); }, 24},
                    Shape{"dictionaries_of_lists",
                          [](auto values) { return Coded(Lists(values)); }, 24}),
    [](const auto& shape) { return shape.param.name; });

TEST(LiveBytes, TextThatRowsShareIsWrittenOnce) {
  const auto column = SharedViews(100'000, 1000);
  EXPECT_LE(EncodedBytes(column), 100'000 * 16 + 1000 * kTextBytes * 11 / 10 + 640);
  // Also where cutting pays: half of the strings are used by no row of the slice.
  auto data = SharedViews(100'000, 1000)->data()->Copy();
  using View = arrow::BinaryViewType::c_type;
  auto* views = data->GetMutableValues<View>(1);
  for (int64_t i = 0; i < data->length; ++i) {
    views[i] = views[i % 500];
  }
  const auto half = arrow::MakeArray(data);
  EXPECT_LE(EncodedBytes(half), 100'000 * 16 + 500 * kTextBytes * 11 / 10 + 640);
  const auto cut = KeepLiveBytes(half, Pool()).ValueOrDie();
  EXPECT_TRUE(cut->Equals(half));
}

TEST(LiveBytes, OverlappingViewsKeepTheirTextAndItsSize) {
  auto data = Views(1000, 1000)->data()->Copy();
  using View = arrow::BinaryViewType::c_type;
  auto* views = data->GetMutableValues<View>(1);
  // Row i is 50 bytes of the first 200, from byte i % 100.
  const uint8_t* text = data->buffers[2]->data();
  for (int32_t i = 0; i < 1000; ++i) {
    views[i].ref.size = 50;
    views[i].ref.buffer_index = 0;
    views[i].ref.offset = 1 + i % 100;
    std::copy_n(text + 1 + i % 100, 4, views[i].ref.prefix.begin());
  }
  const auto column = arrow::MakeArray(data);
  const auto cut = KeepLiveBytes(column, Pool()).ValueOrDie();
  EXPECT_TRUE(cut->Equals(column));
  EXPECT_TRUE(cut->ValidateFull().ok());
  EXPECT_LE(EncodedBytes(column), 1000 * 16 + 200 + 640);
}

TEST(LiveBytes, NullRowsAndTheirLeftoversAreNotWritten) {
  auto data = Views(kRows, kRows)->data()->Copy();
  data->buffers[0] = arrow::AllocateBitmap(kRows, Pool()).ValueOrDie();
  std::fill_n(data->buffers[0]->mutable_data(), (kRows + 7) / 8, uint8_t{0x01});
  data->SetNullCount(arrow::kUnknownNullCount);
  const auto column = arrow::MakeArray(data);
  EXPECT_LE(EncodedBytes(column), kRows * 17 + kRows / 8 * kTextBytes * 11 / 10 + 640);
  EXPECT_TRUE(KeepLiveBytes(column, Pool()).ValueOrDie()->Equals(column));
}

TEST(LiveBytes, BuffersThatNoRowRefersToAreGone) {
  const auto column = Views(kRows, kRows);
  ASSERT_GT(column->data()->buffers.size(), 10u);
  const auto slice = column->Slice(kRows / 2, 10);
  const auto cut = KeepLiveBytes(slice, Pool()).ValueOrDie();
  EXPECT_LE(cut->data()->buffers.size(), 4u);
  EXPECT_TRUE(cut->Equals(slice));
}

TEST(LiveBytes, AColumnWithNothingToGainIsNotCopied) {
  const auto column = Views(1000, 1000);
  EXPECT_EQ(KeepLiveBytes(column, Pool()).ValueOrDie()->data()->buffers[2],
            column->data()->buffers[2]);
}

}  // namespace

}  // namespace wheelpit::block
