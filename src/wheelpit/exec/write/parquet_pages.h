// SPDX-License-Identifier: Apache-2.0
// The pages of one column of a row group: compressed as they come, kept until the group
// ends, since the dictionary that is written before them grows until then.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/result.h>
#include <arrow/type_fwd.h>
#include <arrow/util/type_fwd.h>
#include <parquet/statistics.h>
#include <parquet/type_fwd.h>

#include "wheelpit/exec/write/sink_stream.h"

namespace parquet {
class ColumnChunkMetaDataBuilder;
class ColumnIndexBuilder;
class OffsetIndexBuilder;
}  // namespace parquet

namespace wheelpit::exec {

/// Of all columns of a file: they are compressed one after the other.
class PageCompressor {
 public:
  /// `codec` null: bytes are kept as they are. `pool` outlives it and the pages.
  PageCompressor(std::unique_ptr<arrow::util::Codec> codec, arrow::MemoryPool* pool);
  ~PageCompressor();

  /// Valid until the next call.
  arrow::Result<std::string_view> Compress(std::string_view bytes);
  arrow::MemoryPool* pool() const { return pool_; }

 private:
  const std::unique_ptr<arrow::util::Codec> codec_;
  arrow::MemoryPool* const pool_;
  std::unique_ptr<arrow::ResizableBuffer> room_;
};

/// What a chunk's pages have for the footer and the page index.
struct ChunkBuilders {
  parquet::ColumnChunkMetaDataBuilder* chunk = nullptr;
  parquet::ColumnIndexBuilder* column_index = nullptr;
  parquet::OffsetIndexBuilder* offset_index = nullptr;
};

class ParquetPages {
 public:
  explicit ParquetPages(PageCompressor* compressor) : compressor_(compressor) {}
  ~ParquetPages();

  struct Data {
    std::string_view bytes;  ///< levels and values, encoded
    int64_t row_count = 0;
    bool coded = false;  ///< by the dictionary
    parquet::EncodedStatistics statistics = {};
  };
  arrow::Status Add(Data page);
  arrow::Status SetDictionary(std::string_view bytes, int64_t entry_count);
  bool empty() const { return pages_.empty(); }

  /// Writes all and forgets them. May throw what the builders throw.
  arrow::Result<int64_t> Write(SinkStream* sink, const parquet::EncodedStatistics& all,
                               const ChunkBuilders& builders);

 private:
  struct Page {
    std::shared_ptr<arrow::Buffer> bytes;  // with the header
    int64_t row_count = 0;
    bool coded = false;
    parquet::EncodedStatistics statistics;
  };
  arrow::Result<std::shared_ptr<arrow::Buffer>> Encode(std::string_view bytes,
                                                       int64_t value_count,
                                                       int32_t encoding, bool dictionary);

  PageCompressor* const compressor_;
  std::shared_ptr<arrow::Buffer> dictionary_;
  std::vector<Page> pages_;
  int64_t uncompressed_bytes_ = 0;
};

}  // namespace wheelpit::exec
