// SPDX-License-Identifier: Apache-2.0
// The pages of one flat column chunk, found in order, loaded before they are needed, and
// decompressed only when somebody wants a row of them. Compute side, one thread.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <utility>

#include <arrow/buffer.h>
#include <arrow/result.h>
#include <arrow/util/compression.h>

#include "wheelpit/core/metrics.h"
#include "wheelpit/exec/scan/chunk_bytes.h"
#include "wheelpit/exec/scan/page_header.h"
#include "wheelpit/index/page_index.h"
#include "wheelpit/index/parquet_footer.h"

namespace wheelpit::exec {

/// A data page that was found. Rows are counted from the start of the row group.
struct PageSlot {
  PageHeader header;
  int64_t offset = 0;  ///< of the header in the file
  int64_t first_row = 0;
  int64_t end_row = 0;
  std::shared_ptr<arrow::Buffer> body;  ///< as in the file; null until it is wanted
  bool opened = false;
};

/// A page's bytes once decompressed; valid until the next Open of the stream.
struct PageBytes {
  std::span<const uint8_t> definition_levels;  ///< RLE, without length; empty: none
  std::span<const uint8_t> values;
};

class PageStream {
 public:
  struct Options {
    std::string path;    ///< for errors
    std::string column;  ///< for errors
    int row_group = 0;
    int64_t row_count = 0;
    bool optional = false;  ///< has definition levels
    /// Where the pages lie, if it is known: those of no row that Ensure asks for are
    /// jumped over.
    index::PageLocations pages;
    arrow::MemoryPool* pool = nullptr;
    core::MetricSet* metrics = nullptr;
  };

  /// kUnsupported for a codec that is not known.
  static arrow::Result<std::unique_ptr<PageStream>> Make(Options options,
                                                         const index::ParquetChunk& chunk,
                                                         ChunkBytes bytes);

  /// Makes the pages of rows [begin, end) the pages(), with their bodies in memory; those
  /// before are given up. False: *wait says when to ask again with the same rows.
  arrow::Result<bool> Ensure(int64_t begin, int64_t end, core::Wait* wait);

  /// After Ensure.
  std::deque<PageSlot>& pages() { return pages_; }

  /// The dictionary page, once Ensure was true, if there is one. Its bytes are valid
  /// until it is called again.
  const PageHeader* dictionary_header() const {
    return dictionary_ ? &dictionary_->header : nullptr;
  }
  arrow::Result<std::span<const uint8_t>> OpenDictionary();

  /// Checks the page's checksum where it has one, decompresses it, splits it.
  arrow::Result<PageBytes> Open(PageSlot* page);

  /// kCorrupt, naming file, row group, column and page.
  template <typename... Pieces>
  arrow::Status Corrupt(const PageSlot& page, Pieces&&... pieces) const {
    std::ostringstream text;
    (text << ... << std::forward<Pieces>(pieces));
    return CorruptAt(page.offset, text.str());
  }
  /// The same place put before another error.
  arrow::Status At(const arrow::Status& status) const;

 private:
  PageStream(Options options, const index::ParquetChunk& chunk, ChunkBytes bytes,
             std::unique_ptr<arrow::util::Codec> codec);

  arrow::Status CorruptAt(int64_t offset, const std::string& what) const;
  std::string Place() const;
  arrow::Result<bool> FindPage(int64_t begin, core::Wait* wait);
  void JumpTo(int64_t row);
  arrow::Status CheckLocation(const PageSlot& page) const;
  arrow::Result<std::optional<PageHeader>> ReadHeader(core::Wait* wait);
  arrow::Status CheckSizes(const PageHeader& header) const;
  arrow::Result<std::shared_ptr<arrow::Buffer>> LoadBody(const PageHeader& header,
                                                         core::Wait* wait);
  arrow::Status CheckSum(const PageSlot& page) const;
  arrow::Result<std::span<const uint8_t>> Decompress(const PageSlot& page,
                                                     std::span<const uint8_t> in,
                                                     int64_t out_bytes,
                                                     arrow::ResizableBuffer* scratch);
  arrow::Result<PageBytes> SplitV1(const PageSlot& page, std::span<const uint8_t> body);

  Options options_;
  index::ParquetChunk chunk_;
  ChunkBytes bytes_;
  std::unique_ptr<arrow::util::Codec> codec_;  // null: uncompressed
  int64_t next_offset_ = 0;                    // of the next header
  int64_t next_row_ = 0;
  size_t next_location_ = 0;  // of options_.pages
  std::deque<PageSlot> pages_;
  std::optional<PageSlot> dictionary_;
  std::unique_ptr<arrow::ResizableBuffer> page_scratch_;
  std::unique_ptr<arrow::ResizableBuffer> dictionary_scratch_;
};

}  // namespace wheelpit::exec
