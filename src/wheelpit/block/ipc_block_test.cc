// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/block/ipc_block.h"

#include <cstring>

#include <arrow/array.h>
#include <arrow/buffer.h>
#include <arrow/builder.h>
#include <arrow/memory_pool.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <gtest/gtest.h>

#include "wheelpit/block/sample_batches.h"
#include "wheelpit/core/error.h"

namespace wheelpit::block {

namespace {

arrow::MemoryPool* Pool() {
  return arrow::system_memory_pool();
}

std::shared_ptr<arrow::RecordBatch> RoundTrip(const arrow::RecordBatch& batch,
                                              Compression compression) {
  auto bytes = EncodeIpc(batch, {.compression = compression}, Pool());
  EXPECT_TRUE(bytes.ok()) << bytes.status();
  EXPECT_EQ((*bytes)->size() % 8, 0);
  const auto decoder = IpcDecoder::Make(batch.schema(), {});
  EXPECT_TRUE(decoder.ok()) << decoder.status();
  auto decoded = (*decoder)->Decode(*bytes, Pool());
  EXPECT_TRUE(decoded.ok()) << decoded.status();
  return decoded.ValueOr(nullptr);
}

class IpcBlockOfSample : public testing::TestWithParam<Compression> {};

TEST_P(IpcBlockOfSample, GivesTheSameRowsBack) {
  const auto samples = SampleBatches();
  ASSERT_TRUE(samples.ok()) << samples.status();
  for (const Sample& sample : *samples) {
    SCOPED_TRACE(sample.name);
    const auto decoded = RoundTrip(*sample.batch, GetParam());
    ASSERT_NE(decoded, nullptr);
    EXPECT_TRUE(decoded->schema()->Equals(sample.batch->schema()));
    EXPECT_EQ(RowTexts(*decoded), RowTexts(*sample.batch));
    EXPECT_EQ(decoded->num_rows(), sample.batch->num_rows());
  }
}

INSTANTIATE_TEST_SUITE_P(Each, IpcBlockOfSample,
                         testing::Values(Compression::kNone, Compression::kLz4,
                                         Compression::kZstd));

std::shared_ptr<arrow::RecordBatch> Numbers(int64_t rows) {
  arrow::Int64Builder builder(Pool());
  for (int64_t i = 0; i < rows; ++i) {
    EXPECT_TRUE(builder.Append(i % 100).ok());
  }
  return arrow::RecordBatch::Make(arrow::schema({arrow::field("n", arrow::int64())}),
                                  rows, {builder.Finish().ValueOrDie()});
}

TEST(IpcBlock, ZeroColumnsKeepTheirRowCount) {
  const auto batch = arrow::RecordBatch::Make(arrow::schema({}), 7, arrow::ArrayVector());
  EXPECT_EQ(RoundTrip(*batch, Compression::kNone)->num_rows(), 7);
}

TEST(IpcBlock, DecodedBuffersLieInsideTheBlock) {
  const auto batch = Numbers(1000);
  const auto bytes = EncodeIpc(*batch, {}, Pool()).ValueOrDie();
  const auto decoder = IpcDecoder::Make(batch->schema(), {}).ValueOrDie();
  const auto decoded = decoder->Decode(bytes, Pool()).ValueOrDie();
  const uint8_t* values = decoded->column_data(0)->buffers[1]->data();
  EXPECT_GE(values, bytes->data());
  EXPECT_LT(values, bytes->data() + bytes->size());
}

TEST(IpcBlock, MisalignedBytesAreCopiedIntoPlace) {
  const auto batch = Numbers(1000);
  const auto bytes = EncodeIpc(*batch, {}, Pool()).ValueOrDie();
  std::shared_ptr<arrow::Buffer> shifted =
      arrow::AllocateBuffer(bytes->size() + 3, Pool()).ValueOrDie();
  std::memcpy(shifted->mutable_data() + 3, bytes->data(),
              static_cast<size_t>(bytes->size()));
  const auto decoder = IpcDecoder::Make(batch->schema(), {}).ValueOrDie();
  const auto decoded =
      decoder->Decode(arrow::SliceBuffer(shifted, 3), Pool()).ValueOrDie();
  EXPECT_EQ(decoded->column_data(0)->buffers[1]->address() % 8, 0);
  EXPECT_TRUE(decoded->Equals(*batch));
}

TEST(IpcBlock, IncompressibleBuffersAreStoredRaw) {
  arrow::Int64Builder builder(Pool());
  uint64_t state = 1;
  for (int i = 0; i < 10'000; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    ASSERT_TRUE(builder.Append(static_cast<int64_t>(state ^ (state >> 29))).ok());
  }
  const auto batch =
      arrow::RecordBatch::Make(arrow::schema({arrow::field("n", arrow::int64())}), 10'000,
                               {builder.Finish().ValueOrDie()});
  const auto raw = EncodeIpc(*batch, {}, Pool()).ValueOrDie();
  const auto lz4 =
      EncodeIpc(*batch, {.compression = Compression::kLz4}, Pool()).ValueOrDie();
  EXPECT_LE(lz4->size(), raw->size() + 64);
}

TEST(IpcBlock, AllMemoryComesFromThePoolAndGoesBack) {
  arrow::ProxyMemoryPool pool(Pool());
  const auto samples = SampleBatches().ValueOrDie();
  for (const Sample& sample : samples) {
    const auto bytes =
        EncodeIpc(*sample.batch, {.compression = Compression::kLz4}, &pool).ValueOrDie();
    EXPECT_GE(pool.bytes_allocated(), bytes->size());
    const auto decoder = IpcDecoder::Make(sample.batch->schema(), {}).ValueOrDie();
    ASSERT_TRUE(decoder->Decode(bytes, &pool).ok());
  }
  EXPECT_EQ(pool.bytes_allocated(), 0);
}

TEST(IpcBlock, ABlockOfAnotherSchemaIsCorrupt) {
  const auto batch = Numbers(10);
  const auto bytes = EncodeIpc(*batch, {}, Pool()).ValueOrDie();
  for (const auto& type : {arrow::utf8(), arrow::list(arrow::int64()),
                           arrow::dictionary(arrow::int32(), arrow::utf8())}) {
    const auto decoder =
        IpcDecoder::Make(arrow::schema({arrow::field("n", type)}), {}).ValueOrDie();
    const auto decoded = decoder->Decode(bytes, Pool());
    ASSERT_FALSE(decoded.ok()) << type->ToString();
    EXPECT_EQ(core::KindOf(decoded.status()), core::ErrorKind::kCorrupt)
        << decoded.status();
  }
}

}  // namespace

}  // namespace wheelpit::block
