// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/exec/sort/run_merge.h"

#include <algorithm>
#include <utility>

#include <arrow/array/array_base.h>
#include <arrow/array/data.h>
#include <arrow/array/util.h>
#include <arrow/buffer.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "wheelpit/core/error.h"
#include "wheelpit/exec/sort/block_reader.h"

namespace wheelpit::exec {

namespace {

size_t CommonBytes(std::string_view a, std::string_view b) {
  const auto end = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  return static_cast<size_t>(end.first - a.begin());
}

// The first of the keys that is not below `bound`.
uint32_t LowerBound(const EncodedKeys& keys, std::string_view bound) {
  uint32_t begin = 0;
  auto end = static_cast<uint32_t>(keys.count());
  while (begin < end) {
    const uint32_t middle = begin + (end - begin) / 2;
    if (keys[middle] < bound) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  return begin;
}

std::shared_ptr<arrow::DataType> StoredType(
    const std::shared_ptr<arrow::DataType>& type) {
  switch (type->id()) {
    case arrow::Type::STRING:
      return arrow::binary();
    case arrow::Type::LARGE_STRING:
      return arrow::large_binary();
    case arrow::Type::STRING_VIEW:
      return arrow::binary_view();
    default:
      return type;
  }
}

}  // namespace

arrow::ArrayVector SortedRows::KeyColumnsOf(const arrow::RecordBatch& batch) const {
  arrow::ArrayVector columns;
  for (const int column : key_columns) {
    columns.push_back(batch.column(column));
  }
  return columns;
}

std::shared_ptr<arrow::Schema> StoredSchema(const arrow::Schema& schema) {
  arrow::FieldVector fields;
  for (const auto& field : schema.fields()) {
    if (field->type()->id() == arrow::Type::DICTIONARY) {
      const auto& coded = static_cast<const arrow::DictionaryType&>(*field->type());
      fields.push_back(field->WithType(arrow::dictionary(
          coded.index_type(), StoredType(coded.value_type()), coded.ordered())));
    } else {
      fields.push_back(field->WithType(StoredType(field->type())));
    }
  }
  return arrow::schema(std::move(fields));
}

std::shared_ptr<arrow::RecordBatch> Retyped(
    const arrow::RecordBatch& batch, const std::shared_ptr<arrow::Schema>& schema) {
  arrow::ArrayVector columns;
  for (int i = 0; i < batch.num_columns(); ++i) {
    const auto& type = schema->field(i)->type();
    if (batch.column(i)->type()->Equals(*type)) {
      columns.push_back(batch.column(i));
      continue;
    }
    auto data = std::make_shared<arrow::ArrayData>(*batch.column_data(i));
    data->type = type;
    if (data->dictionary != nullptr) {
      data->dictionary = std::make_shared<arrow::ArrayData>(*data->dictionary);
      data->dictionary->type =
          static_cast<const arrow::DictionaryType&>(*type).value_type();
    }
    columns.push_back(arrow::MakeArray(std::move(data)));
  }
  return arrow::RecordBatch::Make(schema, batch.num_rows(), std::move(columns));
}

struct RunMerge::Cursor {
  ChunkPtr chunk;
  std::unique_ptr<BlockReader> reader;
  std::string last_key;    // of the run on disk
  EncodedKeys block_keys;  // of its current block
  const EncodedKeys* keys = nullptr;
  uint32_t row = 0;
  uint32_t end = 0;  // of the rows that are within the range
  bool last_block = false;
};

RunMerge::RunMerge(const SortedRows* rows, std::vector<MergeInput> inputs,
                   const KeyRange& range, const RunMergeOptions& options)
    : rows_(rows),
      range_(range),
      options_(options),
      heads_(inputs.size()),
      gather_(rows->schema) {
  for (MergeInput& input : inputs) {
    const auto number = static_cast<uint32_t>(cursors_.size());
    Cursor& cursor = cursors_.emplace_back();
    if (input.chunk == nullptr) {
      cursor.last_key = std::move(input.run.last_key);
      cursor.reader = std::make_unique<BlockReader>(
          std::move(input.run.blocks), options.io, options.pool, options.ahead);
      to_load_.push_back(number);
      continue;
    }
    cursor.chunk = std::move(input.chunk);
    cursor.last_block = true;
    if (Enter(number, &cursor.chunk->keys)) {
      gather_.Set(number, cursor.chunk->rows);
    } else {
      heads_[number].ended = true;
    }
  }
}

RunMerge::~RunMerge() = default;

// Whether any of the keys is within the range.
bool RunMerge::Enter(uint32_t input, const EncodedKeys* keys) {
  Cursor& cursor = cursors_[input];
  cursor.keys = keys;
  cursor.row = range_.low.empty() ? 0 : LowerBound(*keys, range_.low);
  cursor.end = static_cast<uint32_t>(keys->count());
  if (!range_.high.empty() && cursor.end > 0 &&
      (*keys)[cursor.end - 1] >= std::string_view(range_.high)) {
    cursor.end = LowerBound(*keys, range_.high);
    cursor.last_block = true;
  }
  return cursor.row < cursor.end;
}

arrow::Result<std::optional<core::Wait>> RunMerge::LoadNext(uint32_t input) {
  Cursor& cursor = cursors_[input];
  gather_.Set(input, nullptr);
  cursor.block_keys = {};
  while (!cursor.last_block) {
    ARROW_ASSIGN_OR_RAISE(auto step, cursor.reader->Next());
    if (step.wait.has_value()) {
      return step.wait;
    }
    if (step.block == nullptr) {
      break;
    }
    ARROW_ASSIGN_OR_RAISE(const auto stored,
                          rows_->decoder->Decode(std::move(step.block), options_.pool));
    auto batch = Retyped(*stored, rows_->schema);
    ARROW_ASSIGN_OR_RAISE(cursor.block_keys,
                          rows_->encoder->Encode(rows_->KeyColumnsOf(*batch),
                                                 batch->num_rows(), options_.pool));
    if (Enter(input, &cursor.block_keys)) {
      gather_.Set(input, std::move(batch));
      return std::nullopt;
    }
  }
  heads_[input].ended = true;
  cursor.reader = nullptr;
  cursor.block_keys = {};
  return std::nullopt;
}

// All that have to wait are waited for at once, so that their reads run side by side.
arrow::Result<std::optional<core::Wait>> RunMerge::LoadBlocks() {
  std::optional<core::Wait> first;
  std::vector<uint32_t> waiting;
  for (const uint32_t input : to_load_) {
    ARROW_ASSIGN_OR_RAISE(auto wait, LoadNext(input));
    if (!wait.has_value()) {
      if (built_) {
        SetHead(input);
        tree_.Replay();
      }
      continue;
    }
    waiting.push_back(input);
    if (!first.has_value()) {
      first = std::move(wait);
    }
  }
  to_load_ = std::move(waiting);
  if (!first.has_value() && !built_) {
    skip_ = CommonPrefix();
    for (uint32_t i = 0; i < cursors_.size(); ++i) {
      SetHead(i);
    }
    tree_.Build(&heads_);
    built_ = true;
  }
  return first;
}

// How many bytes all keys of all inputs begin with: those between the first and the last
// of an input begin as both do.
size_t RunMerge::CommonPrefix() const {
  std::optional<std::string_view> reference;
  size_t common = 0;
  const auto add = [&](std::string_view key) {
    common = reference.has_value() ? std::min(common, CommonBytes(*reference, key))
                                   : key.size();
    reference = reference.value_or(key);
  };
  for (size_t i = 0; i < cursors_.size(); ++i) {
    const Cursor& cursor = cursors_[i];
    if (heads_[i].ended) {
      continue;
    }
    add((*cursor.keys)[cursor.row]);
    if (cursor.last_block) {
      add((*cursor.keys)[cursor.end - 1]);
    } else if (!range_.high.empty() && range_.high < cursor.last_key) {
      add(range_.high);
    } else {
      add(cursor.last_key);
    }
  }
  return common;
}

void RunMerge::SetHead(uint32_t input) {
  MergeHead& head = heads_[input];
  if (head.ended) {
    head.word = UINT64_MAX;
    return;
  }
  const Cursor& cursor = cursors_[input];
  head.key = (*cursor.keys)[cursor.row];
  head.word = PrefixWord(head.key, skip_);
}

void RunMerge::Collect(int64_t max_bytes, int64_t max_rows, Step* step) {
  while (std::ssize(refs_) < max_rows) {
    const uint32_t input = tree_.top();
    if (heads_[input].ended) {
      return;
    }
    Cursor& cursor = cursors_[input];
    const RowRef ref{input, cursor.row};
    const int64_t row_bytes = gather_.RowBytes(ref);
    if (!refs_.empty() && step->raw_bytes + row_bytes > max_bytes) {
      return;
    }
    last_key_ = heads_[input].key;
    if (refs_.empty()) {
      step->first_key = KeepKey(last_key_);
    }
    refs_.push_back(ref);
    step->raw_bytes += row_bytes;
    step->key_bytes += static_cast<int64_t>(last_key_.size() + sizeof(uint32_t));
    if (++cursor.row == cursor.end) {
      if (!cursor.last_block) {
        to_load_.push_back(input);
        return;
      }
      heads_[input].ended = true;
    }
    SetHead(input);
    tree_.Replay();
  }
}

arrow::Result<RunMerge::Step> RunMerge::Next(int64_t max_bytes, int64_t max_rows,
                                             arrow::MemoryPool* pool) {
  Step step;
  last_key_ = {};
  if (cursors_.empty()) {
    return step;
  }
  if (!to_load_.empty() || !built_) {
    ARROW_ASSIGN_OR_RAISE(step.wait, LoadBlocks());
    if (step.wait.has_value()) {
      return step;
    }
  }
  refs_.clear();
  Collect(max_bytes, max_rows, &step);
  if (!refs_.empty()) {
    step.last_key = KeepKey(last_key_);
    ARROW_ASSIGN_OR_RAISE(step.batch, gather_.Gather(refs_, pool));
  }
  return step;
}

int64_t MergeBytes(const MergeInput& input, bool ahead) {
  if (input.chunk != nullptr) {
    return 0;
  }
  // One that was not compressed is not copied when it is decoded.
  constexpr int64_t kStoredShare = 16;
  constexpr int64_t kBuffersBytes = 8 << 10;
  int64_t most = 0;
  for (const SortedBlock& block : input.run.blocks) {
    const int64_t stored = block.extent->payload_bytes();
    const bool decoded_apart = stored < block.raw_bytes - block.raw_bytes / kStoredShare;
    const int64_t current =
        block.raw_bytes + std::max(block.key_bytes, decoded_apart ? stored : 0);
    most = std::max(most, ahead ? current + stored : current);
  }
  return most + kBuffersBytes;
}

}  // namespace wheelpit::exec
