// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/exec/sort/chunk_builder.h"

#include <algorithm>
#include <bit>
#include <utility>

#include <arrow/array/array_base.h>
#include <arrow/buffer.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/type_traits.h>

#include "wheelpit/core/error.h"

namespace wheelpit::exec {

// The key of a row, as far as one word goes, and where the row is.
struct ChunkBuilder::Entry {
  uint64_t word = 0;
  uint32_t source = 0;
  uint32_t row = 0;  // of the measured ones
};

ChunkBuilder::ChunkBuilder(const SortedRows* rows) : rows_(rows), gather_(rows->schema) {
  for (const auto& field : rows->schema->fields()) {
    const auto id = field->type()->id();
    built_columns_ |= !arrow::is_fixed_width(id) && !arrow::is_base_binary_like(id);
    built_columns_ |= id == arrow::Type::DICTIONARY;
  }
}

ChunkBuilder::~ChunkBuilder() = default;

void ChunkBuilder::Add(std::shared_ptr<arrow::RecordBatch> batch) {
  if (batch->num_rows() == 0) {
    return;
  }
  gather_.Set(static_cast<uint32_t>(pending_.size()), batch);
  pending_bytes_ += GatheredBytes(*batch);
  pending_rows_ += batch->num_rows();
  pending_.push_back({.batch = std::move(batch)});
}

bool ChunkBuilder::full() const {
  return pending_bytes_ >= kChunkBytes || pending_rows_ >= kChunkRows ||
         pending_.size() >= kBatchesMax;
}

arrow::Result<int64_t> ChunkBuilder::Measure() {
  // Each buffer is rounded up to a cache line.
  constexpr int64_t kColumnBytes = 4 * 64;
  int64_t bytes = 0;
  int64_t rows = 0;
  int64_t key_bytes = 0;
  for (uint32_t source = 0; source < pending_.size(); ++source) {
    Pending& pending = pending_[source];
    pending.end = pending.begin;
    while (pending.end < pending.batch->num_rows() && rows < kChunkRows) {
      const int64_t row_bytes =
          gather_.RowBytes({source, static_cast<uint32_t>(pending.end)});
      if (rows > 0 && bytes + row_bytes > kChunkBytes) {
        break;
      }
      bytes += row_bytes;
      ++rows;
      ++pending.end;
    }
    if (pending.end > pending.begin) {
      const auto slice = pending.batch->Slice(pending.begin, pending.end - pending.begin);
      ARROW_ASSIGN_OR_RAISE(
          const int64_t slice_bytes,
          rows_->encoder->EncodeBytesMax(rows_->KeyColumnsOf(*slice), slice->num_rows()));
      key_bytes += slice_bytes;
    }
  }
  bytes += kColumnBytes * rows_->schema->num_fields();
  // Builders grow by doubling.
  return (built_columns_ ? 3 * bytes : bytes) + key_bytes;
}

arrow::Result<ChunkPtr> ChunkBuilder::Build(const Limits& limits,
                                            arrow::MemoryPool* pool) {
  ARROW_RETURN_NOT_OK(EncodeKeys(pool));
  MakeEntries(limits);
  SortEntries();
  keys_.clear();
  if (limits.rows >= 0 && std::ssize(entries_) > limits.rows) {
    entries_.resize(static_cast<size_t>(limits.rows));
  }
  refs_.clear();
  for (const Entry& entry : entries_) {
    const auto begin = static_cast<uint32_t>(pending_[entry.source].begin);
    refs_.push_back({entry.source, begin + entry.row});
  }
  ChunkPtr made;
  if (!refs_.empty()) {
    auto chunk = std::make_shared<SortedChunk>();
    ARROW_ASSIGN_OR_RAISE(chunk->rows, gather_.Gather(refs_, pool));
    ARROW_ASSIGN_OR_RAISE(chunk->keys,
                          rows_->encoder->Encode(rows_->KeyColumnsOf(*chunk->rows),
                                                 chunk->rows->num_rows(), pool));
    chunk->bytes = GatheredBytes(*chunk->rows) + chunk->keys.size_bytes() +
                   chunk->keys.count() * static_cast<int64_t>(sizeof(uint32_t));
    made = std::move(chunk);
  }
  DropMeasured();
  return made;
}

arrow::Status ChunkBuilder::EncodeKeys(arrow::MemoryPool* pool) {
  keys_.clear();
  for (const Pending& pending : pending_) {
    const auto slice = pending.batch->Slice(pending.begin, pending.end - pending.begin);
    ARROW_ASSIGN_OR_RAISE(auto keys, rows_->encoder->Encode(rows_->KeyColumnsOf(*slice),
                                                            slice->num_rows(), pool));
    keys_.push_back(std::move(keys));
  }
  return arrow::Status::OK();
}

std::string_view ChunkBuilder::KeyOf(const Entry& entry) const {
  return keys_[entry.source][entry.row];
}

void ChunkBuilder::MakeEntries(const Limits& limits) {
  entries_.clear();
  for (uint32_t source = 0; source < keys_.size(); ++source) {
    for (uint32_t row = 0; row < keys_[source].count(); ++row) {
      const std::string_view key = keys_[source][row];
      if ((!limits.below.empty() && key >= limits.below) ||
          (!limits.up_to.empty() && key > limits.up_to)) {
        continue;
      }
      entries_.push_back({.source = source, .row = row});
    }
  }
}

void ChunkBuilder::SortEntries() {
  if (entries_.empty()) {
    return;
  }
  // Where the keys begin to differ: that word tells the most.
  const std::string_view first = KeyOf(entries_[0]);
  size_t skip = 0;
  uint64_t differing = 0;
  for (; differing == 0 && skip < first.size(); skip += sizeof(uint64_t)) {
    const uint64_t word = PrefixWord(first, skip);
    for (const Entry& entry : entries_) {
      differing |= PrefixWord(KeyOf(entry), skip) ^ word;
    }
    if (differing != 0) {
      skip += static_cast<size_t>(std::countl_zero(differing)) / 8;
      break;
    }
  }
  for (Entry& entry : entries_) {
    entry.word = PrefixWord(KeyOf(entry), skip);
  }
  std::sort(entries_.begin(), entries_.end(), [this](const Entry& a, const Entry& b) {
    if (a.word != b.word) [[likely]] {
      return a.word < b.word;
    }
    const int order = KeyOf(a).compare(KeyOf(b));
    return order != 0 ? order < 0
                      : std::pair(a.source, a.row) < std::pair(b.source, b.row);
  });
}

void ChunkBuilder::DropMeasured() {
  std::vector<Pending> rest;
  pending_bytes_ = 0;
  pending_rows_ = 0;
  for (uint32_t source = 0; source < pending_.size(); ++source) {
    Pending& pending = pending_[source];
    gather_.Set(source, nullptr);
    if (pending.end < pending.batch->num_rows()) {
      rest.push_back({std::move(pending.batch), pending.end, pending.end});
    }
  }
  pending_ = std::move(rest);
  for (uint32_t source = 0; source < pending_.size(); ++source) {
    const Pending& pending = pending_[source];
    gather_.Set(source, pending.batch);
    const int64_t rows = pending.batch->num_rows() - pending.begin;
    pending_rows_ += rows;
    pending_bytes_ += GatheredBytes(*pending.batch->Slice(pending.begin, rows));
  }
}

}  // namespace wheelpit::exec
