// SPDX-License-Identifier: Apache-2.0
// Bytes that a released version wrote must be readable for ever; bytes that are written
// differently from the golden files must show as a difference, so that the change is a
// decision (docs/formats/block-ipc.md).
#include <cstdio>
#include <string>

#include <arrow/buffer.h>
#include <arrow/io/file.h>
#include <arrow/memory_pool.h>
#include <arrow/record_batch.h>
#include <gtest/gtest.h>

#include "wheelpit/block/ipc_block.h"
#include "wheelpit/block/sample_batches.h"

namespace wheelpit::block {

namespace {

struct Codec {
  Compression compression;
  const char* suffix;
};
constexpr Codec kCodecs[] = {{Compression::kNone, ".block"},
                             {Compression::kLz4, ".lz4.block"},
                             {Compression::kZstd, ".zstd.block"}};

std::string PathOf(const Sample& sample, const Codec& codec) {
  return std::string(WHEELPIT_GOLDEN_DIR) + "/" + sample.name + codec.suffix;
}

arrow::MemoryPool* Pool() {
  return arrow::system_memory_pool();
}

arrow::Result<std::shared_ptr<arrow::Buffer>> ReadAll(const std::string& path) {
  ARROW_ASSIGN_OR_RAISE(auto file, arrow::io::ReadableFile::Open(path, Pool()));
  ARROW_ASSIGN_OR_RAISE(const int64_t size, file->GetSize());
  return file->Read(size);
}

TEST(BlockGolden, EveryFileOfVersion1IsRead) {
  for (const Sample& sample : SampleBatches().ValueOrDie()) {
    for (const Codec& codec : kCodecs) {
      SCOPED_TRACE(PathOf(sample, codec));
      const auto bytes = ReadAll(PathOf(sample, codec));
      ASSERT_TRUE(bytes.ok()) << bytes.status();
      const auto decoder = IpcDecoder::Make(sample.batch->schema(), {}).ValueOrDie();
      const auto decoded = decoder->Decode(*bytes, Pool());
      ASSERT_TRUE(decoded.ok()) << decoded.status();
      EXPECT_EQ(RowTexts(**decoded), RowTexts(*sample.batch));
    }
  }
}

// Not of compressed blocks: a codec's library may choose other bytes in any release.
TEST(BlockGolden, WhatIsWrittenHasNotChanged) {
  for (const Sample& sample : SampleBatches().ValueOrDie()) {
    SCOPED_TRACE(sample.name);
    const auto golden = ReadAll(PathOf(sample, kCodecs[0])).ValueOrDie();
    const auto bytes = EncodeIpc(*sample.batch, {}, Pool()).ValueOrDie();
    EXPECT_TRUE(bytes->Equals(*golden));
  }
}

arrow::Status WriteFile(const std::string& path, const std::string& bytes) {
  ARROW_ASSIGN_OR_RAISE(auto file, arrow::io::FileOutputStream::Open(path));
  ARROW_RETURN_NOT_OK(file->Write(bytes.data(), static_cast<int64_t>(bytes.size())));
  return file->Close();
}

// Run by hand, with --gtest_also_run_disabled_tests, when the format has changed. The
// corpus of the fuzz target is the same blocks behind a byte that tells the schema.
TEST(BlockGolden, DISABLED_WriteTheFiles) {
  char schema = 0;
  for (const Sample& sample : SampleBatches().ValueOrDie()) {
    for (const Codec& codec : kCodecs) {
      const auto bytes =
          EncodeIpc(*sample.batch, {.compression = codec.compression}, Pool())
              .ValueOrDie()
              ->ToString();
      ASSERT_TRUE(WriteFile(PathOf(sample, codec), bytes).ok());
      ASSERT_TRUE(
          WriteFile(std::string(WHEELPIT_CORPUS_DIR) + "/" + sample.name + codec.suffix,
                    schema + bytes)
              .ok());
    }
    ++schema;
  }
}

}  // namespace

}  // namespace wheelpit::block
