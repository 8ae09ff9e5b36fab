// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/exec/groups/part_writer.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <utility>

#include <arrow/array/array_binary.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "wheelpit/core/error.h"

namespace wheelpit::exec {

std::shared_ptr<arrow::Schema> RowBlockSchema() {
  return arrow::schema({arrow::field("rows", arrow::binary(), /*nullable=*/false)});
}

arrow::Result<std::pair<uint8_t*, int64_t>> RowsOfBlock(const arrow::RecordBatch& block) {
  if (block.num_columns() != 1 || block.num_rows() != 1 ||
      block.column(0)->type_id() != arrow::Type::BINARY) {
    return core::Error(core::ErrorKind::kCorrupt, "a spilled block is not one of groups");
  }
  const auto& column = static_cast<const arrow::BinaryArray&>(*block.column(0));
  const std::string_view bytes = column.GetView(0);
  if (reinterpret_cast<uintptr_t>(bytes.data()) % 8 != 0) {
    return core::Error(core::ErrorKind::kCorrupt, "a spilled block is not aligned");
  }
  // The block is nobody else's: what it says of addresses may be overwritten.
  return std::pair(const_cast<uint8_t*>(reinterpret_cast<const uint8_t*>(bytes.data())),
                   static_cast<int64_t>(bytes.size()));
}

PartWriter::PartWriter(const GroupLayout* layout, const spill::SpillStreamOptions& stream,
                       GroupPart part)
    : layout_(layout),
      pool_(stream.pool),
      part_(std::move(part)),
      writer_(stream, RowBlockSchema()) {}

PartWriter::~PartWriter() = default;

arrow::Result<std::shared_ptr<arrow::Buffer>> PartWriter::NextBlock() {
  if (layout_->has_texts()) {
    return NextPackedBlock();
  }
  const auto& pages = part_.rows.pages();
  int64_t bytes = 0;
  size_t end = page_;
  while (end < pages.size() &&
         (bytes == 0 || bytes + pages[end].used <= kRowBlockBytes)) {
    bytes += pages[end++].used;
  }
  if (bytes == 0) {
    page_ = end;
    return nullptr;
  }
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> block,
                        arrow::AllocateBuffer(bytes, pool_));
  uint8_t* to = block->mutable_data();
  for (; page_ < end; ++page_) {
    const auto used = static_cast<size_t>(pages[page_].used);
    if (used != 0) {
      std::memcpy(to, pages[page_].data(), used);
    }
    to += used;
    part_.rows.DropPage(page_);
  }
  return block;
}

arrow::Result<std::shared_ptr<arrow::Buffer>> PartWriter::NextPackedBlock() {
  const auto& pages = part_.rows.pages();
  // First how much, then the copy.
  std::array<const uint8_t*, 1024> rows;
  size_t count = 0;
  int64_t bytes = 0;
  const size_t first_page = page_;
  while (count < rows.size() && page_ < pages.size()) {
    if (offset_ >= pages[page_].used) {
      ++page_;
      offset_ = 0;
      continue;
    }
    const uint8_t* row = pages[page_].data() + offset_;
    const int64_t packed = layout_->RowBytes(row) + layout_->TextBytes(row);
    if (bytes != 0 && bytes + packed > kRowBlockBytes) {
      break;
    }
    rows[count++] = row;
    bytes += packed;
    offset_ += layout_->RowBytes(row);
  }
  if (count == 0) {
    return nullptr;
  }
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> block,
                        arrow::AllocateBuffer(bytes, pool_));
  uint8_t* to = block->mutable_data();
  for (size_t i = 0; i < count; ++i) {
    layout_->Pack(rows[i], to);
    to += layout_->RowBytes(rows[i]) + layout_->TextBytes(rows[i]);
  }
  for (size_t page = first_page; page < page_; ++page) {
    part_.rows.DropPage(page);
  }
  return block;
}

arrow::Result<std::optional<core::Wait>> PartWriter::Advance() {
  if (await_) {
    if (const core::Wait written = writer_.written(); !written.ready()) {
      return written;
    }
    await_ = false;
  }
  ARROW_ASSIGN_OR_RAISE(auto block, NextBlock());
  if (block == nullptr) {
    part_.rows = GroupPages();
    part_.texts = GroupPages();
    if (const core::Wait written = writer_.written(); !written.ready()) {
      return written;
    }
    return std::nullopt;
  }
  if (block->size() > std::numeric_limits<int32_t>::max()) {
    return core::Error(core::ErrorKind::kUnsupported, "a group of ", block->size(),
                       " bytes cannot be spilled: 2 GiB is the most");
  }
  // Two long blocks at once would be more than the workspace has.
  await_ = block->size() > 2 * kRowBlockBytes;
  const int32_t offsets[2] = {0, static_cast<int32_t>(block->size())};
  arrow::ArrayVector columns = {std::make_shared<arrow::BinaryArray>(
      1,
      arrow::Buffer::FromString(
          std::string(reinterpret_cast<const char*>(offsets), sizeof offsets)),
      std::move(block))};
  const auto batch = arrow::RecordBatch::Make(RowBlockSchema(), 1, std::move(columns));
  ARROW_ASSIGN_OR_RAISE(auto wait, writer_.Append(*batch));
  return wait.has_value() ? std::move(wait) : core::Wait();
}

arrow::Result<GroupPart> PartWriter::Finish() {
  ARROW_ASSIGN_OR_RAISE(spill::SpillRun run, writer_.Finish());
  GroupPart written;
  written.level = part_.level;
  written.spilled_rows = part_.row_count + part_.spilled_rows;
  written.runs = std::move(part_.runs);
  if (run.row_count > 0) {
    written.runs.push_back(std::move(run));
  }
  written.distinct = false;
  return written;
}

}  // namespace wheelpit::exec
