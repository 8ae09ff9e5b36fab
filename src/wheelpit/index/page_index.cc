// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/index/page_index.h"

#include <algorithm>
#include <utility>

#include "wheelpit/core/error.h"
#include "wheelpit/index/pruner.h"
#include "wheelpit/index/thrift_compact.h"

namespace wheelpit::index {

namespace {

template <typename... Pieces>
arrow::Status Corrupt(Pieces&&... pieces) {
  return core::Error(core::ErrorKind::kCorrupt,
                     "corrupt page index: ", std::forward<Pieces>(pieces)...,
                     "; SET scan.page_index = false reads the file without it");
}

PageLocation ReadLocation(ThriftReader* reader) {
  PageLocation location{.offset = -1, .size_bytes = -1, .first_row = -1};
  for (ThriftField field; reader->NextField(&field);) {
    if (field.id == 1 && field.type == ThriftType::kI64) {
      location.offset = reader->ReadI64();
    } else if (field.id == 2 && field.type == ThriftType::kI32) {
      location.size_bytes = reader->ReadI32();
    } else if (field.id == 3 && field.type == ThriftType::kI64) {
      location.first_row = reader->ReadI64();
    } else {
      reader->Skip(field.type);
    }
  }
  return location;
}

template <typename ReadElement>
void ReadList(ThriftReader* reader, ThriftType wanted, const ReadElement& read) {
  ThriftType type;
  const int64_t count = reader->ReadListHeader(&type);
  // Lists of booleans are written with either type.
  const bool fits = type == wanted ||
                    (wanted == ThriftType::kTrue && type == ThriftType::kFalse) ||
                    count == 0;
  if (!fits) reader->Fail();
  for (int64_t i = 0; i < count && reader->ok(); ++i) read(static_cast<size_t>(i));
}

}  // namespace

arrow::Result<std::vector<PageLocation>> DecodeOffsetIndex(std::string_view bytes,
                                                           const ParquetChunk& chunk,
                                                           int64_t row_count) {
  ThriftReader reader(bytes);
  std::vector<PageLocation> pages;
  for (ThriftField field; reader.NextField(&field);) {
    if (field.id == 1 && field.type == ThriftType::kList) {
      ReadList(&reader, ThriftType::kStruct,
               [&](size_t) { pages.push_back(ReadLocation(&reader)); });
    } else {
      reader.Skip(field.type);
    }
  }
  if (!reader.ok() || pages.empty()) return Corrupt("its offsets do not decode");
  const int64_t chunk_end = chunk.offset() + chunk.compressed_bytes;
  int64_t offset_min = chunk.offset();
  int64_t row_min = 0;
  for (size_t i = 0; i < pages.size(); ++i) {
    const PageLocation& page = pages[i];
    if (page.offset < offset_min || page.offset > chunk_end || page.size_bytes <= 0 ||
        page.size_bytes > chunk_end - page.offset) {
      return Corrupt("page ", i, " would lie at byte ", page.offset, " and have ",
                     page.size_bytes, " bytes, in a column of bytes ", chunk.offset(),
                     " to ", chunk_end);
    }
    if (page.first_row < row_min || page.first_row >= row_count ||
        (i == 0 && page.first_row != 0)) {
      return Corrupt("page ", i, " would begin with row ", page.first_row, " of ",
                     row_count);
    }
    offset_min = page.offset + page.size_bytes;
    row_min = page.first_row + 1;
  }
  return pages;
}

arrow::Result<std::vector<PageValues>> DecodeColumnIndex(std::string_view bytes,
                                                         size_t page_count) {
  ThriftReader reader(bytes);
  std::vector<PageValues> pages(page_count);
  size_t counts[3] = {0, 0, 0};  // of null pages, minima, maxima
  PageValues beyond;
  const auto page = [&](size_t i) -> PageValues& {
    if (i >= page_count) reader.Fail();
    return i < page_count ? pages[i] : beyond;
  };
  for (ThriftField field; reader.NextField(&field);) {
    if (field.type != ThriftType::kList) {
      reader.Skip(field.type);
    } else if (field.id == 1) {
      ReadList(&reader, ThriftType::kTrue, [&](size_t i) {
        page(i).only_null = reader.ReadByte() == static_cast<uint8_t>(ThriftType::kTrue);
        counts[0] = i + 1;
      });
    } else if (field.id == 2 || field.id == 3) {
      ReadList(&reader, ThriftType::kBinary, [&](size_t i) {
        (field.id == 2 ? page(i).min : page(i).max) = reader.ReadBinary();
        counts[field.id - 1] = i + 1;
      });
    } else if (field.id == 5) {
      ReadList(&reader, ThriftType::kI64,
               [&](size_t i) { page(i).null_count = reader.ReadI64(); });
    } else {
      reader.Skip(field.type);
    }
  }
  if (!reader.ok() || std::any_of(std::begin(counts), std::end(counts),
                                  [&](size_t count) { return count != page_count; })) {
    return Corrupt("its values do not decode for ", page_count, " pages");
  }
  return pages;
}

std::vector<RowRange> Intersect(const std::vector<RowRange>& a,
                                const std::vector<RowRange>& b) {
  std::vector<RowRange> both;
  for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const int64_t begin = std::max(a[i].begin, b[j].begin);
    const int64_t end = std::min(a[i].end, b[j].end);
    if (begin < end) both.push_back({begin, end});
    ++(a[i].end < b[j].end ? i : j);
  }
  return both;
}

struct PagePruner::Impl {
  Pruner pruner;
  std::vector<int> leaves = {};  // of the file entered
};

PagePruner::PagePruner(const Table& table, const Predicate& predicate)
    : impl_(std::make_unique<Impl>(Pruner(table, predicate))) {}

PagePruner::~PagePruner() = default;

const std::vector<int>& PagePruner::Enter(const TableFile& file) {
  impl_->pruner.Enter(file);
  auto& leaves = impl_->leaves;
  leaves.clear();
  for (const Pruner::Term& term : impl_->pruner.terms()) {
    if (term.bounds.leaf >= 0) leaves.push_back(term.bounds.leaf);
  }
  std::sort(leaves.begin(), leaves.end());
  leaves.erase(std::unique(leaves.begin(), leaves.end()), leaves.end());
  std::erase_if(leaves, [&](int leaf) {
    return std::any_of(
        file.footer->row_groups.begin(), file.footer->row_groups.end(),
        [&](const ParquetRowGroup& row_group) {
          return !row_group.chunks[static_cast<size_t>(leaf)].has_page_index();
        });
  });
  return leaves;
}

bool PagePruner::RowGroupMayMatch(const ParquetRowGroup& row_group) const {
  return impl_->pruner.FileMayMatch() && impl_->pruner.RowGroupMayMatch(row_group);
}

arrow::Result<std::vector<RowRange>> PagePruner::Rows(
    const ParquetRowGroup& row_group, const std::vector<LeafIndex>& leaves) const {
  std::vector<RowRange> rows = {{0, row_group.row_count}};
  for (size_t i = 0; i < leaves.size(); ++i) {
    const int leaf = impl_->leaves[i];
    const std::vector<PageLocation>& pages = *leaves[i].pages;
    ARROW_ASSIGN_OR_RAISE(auto values,
                          DecodeColumnIndex(leaves[i].column_index, pages.size()));
    if (!row_group.chunks[static_cast<size_t>(leaf)].has_min_max) {
      for (PageValues& page : values) page.has_min_max = false;
    }
    std::vector<RowRange> kept;
    for (size_t p = 0; p < pages.size(); ++p) {
      const int64_t begin = pages[p].first_row;
      const int64_t end =
          p + 1 < pages.size() ? pages[p + 1].first_row : row_group.row_count;
      const auto& terms = impl_->pruner.terms();
      if (!std::all_of(terms.begin(), terms.end(), [&](const Pruner::Term& term) {
            return term.bounds.leaf != leaf ||
                   MayMatch(term.comparable,
                            term.bounds.ReadPage(values[p], end - begin));
          })) {
        continue;
      }
      if (!kept.empty() && kept.back().end == begin) {
        kept.back().end = end;
      } else {
        kept.push_back({begin, end});
      }
    }
    rows = Intersect(rows, kept);
  }
  return rows;
}

}  // namespace wheelpit::index
