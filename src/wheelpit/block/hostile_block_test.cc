// SPDX-License-Identifier: Apache-2.0
// Bytes that are no block: whatever they are, Decode returns kCorrupt or a valid batch,
// and allocates no more than it was allowed. Run under address and undefined-behaviour
// sanitizers too.
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <span>
#include <string>

#include <arrow/buffer.h>
#include <arrow/builder.h>
#include <arrow/memory_pool.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <gtest/gtest.h>

#include "wheelpit/block/ipc_block.h"
#include "wheelpit/block/sample_batches.h"
#include "wheelpit/core/error.h"

namespace wheelpit::block {

namespace {

constexpr int64_t kDecompressedMax = 1 << 20;

using Bytes = std::vector<uint8_t>;

Bytes Encode(const arrow::RecordBatch& batch, Compression compression) {
  const auto block =
      EncodeIpc(batch, {.compression = compression}, arrow::system_memory_pool())
          .ValueOrDie();
  return {block->data(), block->data() + block->size()};
}

arrow::Result<std::shared_ptr<arrow::RecordBatch>> Decode(const IpcDecoder& decoder,
                                                          const Bytes& bytes,
                                                          arrow::MemoryPool* pool) {
  // Allocated to the byte, so that a read beyond the end is seen.
  std::shared_ptr<arrow::Buffer> block =
      arrow::AllocateBuffer(static_cast<int64_t>(bytes.size()), pool).ValueOrDie();
  std::copy(bytes.begin(), bytes.end(), block->mutable_data());
  return decoder.Decode(block, pool);
}

// Decodes and checks what every decode must keep to.
void Check(const IpcDecoder& decoder, const Bytes& bytes) {
  arrow::ProxyMemoryPool pool(arrow::system_memory_pool());
  {
    const auto decoded = Decode(decoder, bytes, &pool);
    if (decoded.ok()) {
      EXPECT_TRUE((*decoded)->ValidateFull().ok());
      RowTexts(*(*decoded)->Slice(0, 10));
    } else {
      EXPECT_EQ(core::KindOf(decoded.status()), core::ErrorKind::kCorrupt)
          << decoded.status();
    }
  }
  EXPECT_LE(pool.max_memory(),
            3 * static_cast<int64_t>(bytes.size()) + 2 * kDecompressedMax);
  EXPECT_EQ(pool.bytes_allocated(), 0);
}

struct Seed {
  std::unique_ptr<IpcDecoder> decoder;
  Bytes bytes;
};

enum class Choice { kAll, kFew };

// A few have every kind of field that all have, for tests that try each position.
std::vector<Seed> Seeds(Choice choice) {
  std::vector<Seed> seeds;
  for (const Sample& sample : SampleBatches().ValueOrDie()) {
    if (choice == Choice::kFew && sample.name.ends_with("_slice")) {
      continue;
    }
    for (const auto compression :
         {Compression::kNone, Compression::kLz4, Compression::kZstd}) {
      seeds.push_back({IpcDecoder::Make(sample.batch->schema(),
                                        {.decompressed_bytes_max = kDecompressedMax})
                           .ValueOrDie(),
                       Encode(*sample.batch, compression)});
    }
  }
  return seeds;
}

TEST(HostileBlock, EveryTruncationIsCorrupt) {
  for (const Seed& seed : Seeds(Choice::kAll)) {
    for (size_t size = 0; size < seed.bytes.size(); ++size) {
      const Bytes cut(seed.bytes.begin(),
                      seed.bytes.begin() + static_cast<int64_t>(size));
      const auto decoded = Decode(*seed.decoder, cut, arrow::system_memory_pool());
      ASSERT_FALSE(decoded.ok()) << size << " of " << seed.bytes.size();
      ASSERT_EQ(core::KindOf(decoded.status()), core::ErrorKind::kCorrupt);
    }
  }
}

TEST(HostileBlock, BytesAfterTheBatchAreCorrupt) {
  for (Seed& seed : Seeds(Choice::kAll)) {
    seed.bytes.resize(seed.bytes.size() + 8, 0);
    EXPECT_FALSE(Decode(*seed.decoder, seed.bytes, arrow::system_memory_pool()).ok());
  }
}

TEST(HostileBlock, EveryByteMayBeAnything) {
  for (Seed& seed : Seeds(Choice::kFew)) {
    for (size_t at = 0; at < seed.bytes.size(); ++at) {
      const uint8_t was = seed.bytes[at];
      for (const int flip : {0x01, 0x80}) {
        seed.bytes[at] = static_cast<uint8_t>(was ^ flip);
        Check(*seed.decoder, seed.bytes);
      }
      seed.bytes[at] = was;
    }
  }
}

TEST(HostileBlock, EveryWordMayBeAnExtreme) {
  constexpr int64_t kExtremes[] = {0, -1, INT32_MAX, INT64_MAX, int64_t{1} << 40};
  for (Seed& seed : Seeds(Choice::kFew)) {
    for (size_t at = 0; at + 8 <= seed.bytes.size(); at += 4) {
      int64_t was;
      std::memcpy(&was, &seed.bytes[at], 8);
      for (const int64_t extreme : kExtremes) {
        std::memcpy(&seed.bytes[at], &extreme, 8);
        Check(*seed.decoder, seed.bytes);
        std::memcpy(&seed.bytes[at], &was, 8);
        std::memcpy(&seed.bytes[at], &extreme, 4);
        Check(*seed.decoder, seed.bytes);
        std::memcpy(&seed.bytes[at], &was, 8);
      }
    }
  }
}

TEST(HostileBlock, RandomMutationsOfTheSeeds) {
  std::mt19937_64 random(20'261);
  const auto seeds = Seeds(Choice::kAll);
  for (int round = 0; round < 20'000; ++round) {
    const Seed& seed = seeds[random() % seeds.size()];
    Bytes bytes = seed.bytes;
    for (uint64_t edits = 1 + random() % 8; edits > 0 && !bytes.empty(); --edits) {
      const size_t at = random() % bytes.size();
      switch (random() % 4) {
        case 0:
          bytes[at] = static_cast<uint8_t>(random());
          break;
        case 1:
          bytes[at] = static_cast<uint8_t>(bytes[at] + 1);
          break;
        case 2:
          bytes.resize(at);
          break;
        default: {
          const size_t from = random() % bytes.size();
          const size_t size = std::min(
              {bytes.size() - at, bytes.size() - from, size_t{1} + random() % 16});
          std::memmove(&bytes[at], &bytes[from], size);
        }
      }
    }
    Check(*seed.decoder, bytes);
  }
}

// What fuzzing has found worth keeping: a byte that chooses the schema, then a block.
TEST(HostileBlock, EveryFileOfTheCorpusAndItsMutations) {
  std::mt19937_64 random(7);
  const auto samples = SampleBatches().ValueOrDie();
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(WHEELPIT_CORPUS_DIR)) {
    std::ifstream file(entry.path(), std::ios::binary);
    const Bytes input{std::istreambuf_iterator<char>(file), {}};
    if (input.empty()) {
      continue;
    }
    const auto decoder =
        IpcDecoder::Make(samples[input[0] % samples.size()].batch->schema(),
                         {.decompressed_bytes_max = kDecompressedMax})
            .ValueOrDie();
    Bytes bytes(input.begin() + 1, input.end());
    Check(*decoder, bytes);
    for (int round = 0; round < 50 && !bytes.empty(); ++round) {
      bytes[random() % bytes.size()] ^= static_cast<uint8_t>(1 << random() % 8);
      Check(*decoder, bytes);
    }
    ++files;
  }
  EXPECT_GT(files, 30);
}

TEST(HostileBlock, BlocksOfOtherSchemasAreNoDanger) {
  const auto seeds = Seeds(Choice::kAll);
  for (const Seed& seed : seeds) {
    for (const Seed& other : seeds) {
      Check(*seed.decoder, other.bytes);
    }
  }
}

TEST(HostileBlock, AClaimOfMoreThanTheLimitIsRefusedBeforeAllocating) {
  arrow::Int64Builder zeros(arrow::system_memory_pool());
  ASSERT_TRUE(zeros.AppendEmptyValues(1 << 20).ok());
  const auto batch =
      arrow::RecordBatch::Make(arrow::schema({arrow::field("n", arrow::int64())}),
                               1 << 20, {zeros.Finish().ValueOrDie()});
  const Bytes bytes = Encode(*batch, Compression::kZstd);
  const auto wide = IpcDecoder::Make(batch->schema(), {}).ValueOrDie();
  EXPECT_TRUE(Decode(*wide, bytes, arrow::system_memory_pool()).ok());
  const auto narrow =
      IpcDecoder::Make(batch->schema(), {.decompressed_bytes_max = kDecompressedMax})
          .ValueOrDie();
  arrow::ProxyMemoryPool pool(arrow::system_memory_pool());
  const auto decoded = Decode(*narrow, bytes, &pool);
  ASSERT_FALSE(decoded.ok());
  EXPECT_NE(decoded.status().message().find("claims 8388608"), std::string::npos)
      << decoded.status();
  EXPECT_LT(pool.max_memory(), kDecompressedMax);
}

}  // namespace

}  // namespace wheelpit::block
