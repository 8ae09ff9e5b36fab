// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: any bytes as an offset index and as a column index. Seeds in
// page_index_corpus/.
// Covers: src/wheelpit/index/page_index.cc
#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string_view>

#include <arrow/scalar.h>
#include <arrow/type.h>

#include "wheelpit/index/page_index.h"

namespace {

using wheelpit::index::ParquetChunk;

constexpr int64_t kRowCount = 1000;

// One file of one row group with one column of integers.
wheelpit::index::Table MakeTable(const ParquetChunk& chunk) {
  auto schema = std::make_shared<wheelpit::index::ParquetSchema>();
  schema->arrow = arrow::schema({arrow::field("n", arrow::int32())});
  schema->first_leaf = {0, 1};
  schema->leaves = {{.bounds = wheelpit::index::ParquetBounds::kInt32}};
  auto footer = std::make_shared<wheelpit::index::ParquetFooter>();
  footer->schema = schema;
  footer->row_groups = {{.row_count = kRowCount, .chunks = {chunk}}};
  wheelpit::index::Table table;
  table.schema = schema->arrow;
  table.files.push_back({.footer = footer,
                         .partition_values = {},
                         .column_map = std::make_shared<std::vector<int>>(1, 0)});
  return table;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  // Two bytes say where the column index begins.
  if (size < 2) return 0;
  std::string_view bytes(reinterpret_cast<const char*>(data) + 2, size - 2);
  const size_t middle = std::min<size_t>(data[0] + data[1] * 256u, bytes.size());
  ParquetChunk chunk;
  chunk.data_page_offset = 4;
  chunk.compressed_bytes = 1 << 20;
  chunk.column_index_offset = chunk.offset_index_offset = 1 << 21;
  chunk.column_index_bytes = chunk.offset_index_bytes = 100;
  chunk.has_min_max = true;
  const auto pages =
      wheelpit::index::DecodeOffsetIndex(bytes.substr(0, middle), chunk, kRowCount);
  if (!pages.ok()) return 0;
  const auto table = MakeTable(chunk);
  const wheelpit::index::Predicate predicate = {
      {.column = "n",
       .op = wheelpit::index::PredicateOp::kLess,
       .literals = {arrow::MakeScalar(int32_t{7})}}};
  wheelpit::index::PagePruner pruner(table, predicate);
  if (pruner.Enter(table.files[0]).size() != 1) std::abort();
  const auto rows = pruner.Rows(table.files[0].footer->row_groups[0],
                                {{bytes.substr(middle), &*pages}});
  if (!rows.ok()) return 0;
  int64_t end = -1;
  for (const auto& range : *rows) {
    if (range.begin <= end || range.end <= range.begin) std::abort();
    end = range.end;
  }
  if (end > kRowCount) std::abort();
  return 0;
}
