// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/block/live_bytes.h"

#include <algorithm>
#include <cstring>
#include <tuple>
#include <utility>
#include <vector>

#include <arrow/array.h>
#include <arrow/array/concatenate.h>
#include <arrow/buffer.h>
#include <arrow/extension_type.h>
#include <arrow/type.h>

namespace wheelpit::block {

namespace {

using arrow::ArrayData;
using arrow::Buffer;
using arrow::DataType;
using arrow::MemoryPool;
using DataPtr = std::shared_ptr<ArrayData>;
using View = arrow::BinaryViewType::c_type;

// A copy is worth it when it saves this share of the bytes.
constexpr int64_t kShareToGain = 16;

const DataType& StorageOf(const DataType& type) {
  return type.id() == arrow::Type::EXTENSION
             ? *static_cast<const arrow::ExtensionType&>(type).storage_type()
             : type;
}

// Whether values of the type refer to bytes that a slice of them leaves behind.
bool HasReferences(const DataType& type) {
  const DataType& storage = StorageOf(type);
  switch (storage.id()) {
    case arrow::Type::STRING_VIEW:
    case arrow::Type::BINARY_VIEW:
    case arrow::Type::LIST_VIEW:
    case arrow::Type::LARGE_LIST_VIEW:
    case arrow::Type::DICTIONARY:
      return true;
    default:
      return std::any_of(storage.fields().begin(), storage.fields().end(),
                         [](const auto& field) { return HasReferences(*field->type()); });
  }
}

// A range that rows refer to, and where it lies in the copy.
struct Range {
  int32_t source = 0;  // which buffer
  int64_t begin = 0;
  int64_t end = 0;
  int64_t moved_to = 0;
  auto key() const { return std::tuple(source, begin); }
};

// Adds a range; one that goes on where the last ended makes that longer, so that a column
// whose rows lie in order is a few ranges however long it is.
void Add(const Range& next, std::vector<Range>* ranges) {
  if (!ranges->empty()) {
    Range& last = ranges->back();
    if (last.source == next.source && last.begin <= next.begin &&
        next.begin <= last.end) {
      last.end = std::max(last.end, next.end);
      return;
    }
  }
  ranges->push_back(next);
}

// Sorts and unites ranges that touch or overlap, so that each byte is copied once however
// many rows refer to it, and lays them out one after another, each source on its own.
// Returns the sum of their lengths.
int64_t Unite(std::vector<Range>* ranges) {
  const auto before = [](const Range& a, const Range& b) { return a.key() < b.key(); };
  if (!std::is_sorted(ranges->begin(), ranges->end(), before)) {
    std::sort(ranges->begin(), ranges->end(), before);
  }
  size_t count = 0;
  int64_t total = 0;
  int64_t in_source = 0;
  for (const Range& next : *ranges) {
    Range* last = count == 0 ? nullptr : &(*ranges)[count - 1];
    if (last != nullptr && last->source == next.source && next.begin <= last->end) {
      const int64_t longer = std::max<int64_t>(next.end - last->end, 0);
      last->end += longer;
      total += longer;
      in_source += longer;
      continue;
    }
    if (last == nullptr || last->source != next.source) {
      in_source = 0;
    }
    Range& kept = (*ranges)[count++];
    kept = next;
    kept.moved_to = in_source;
    in_source += next.end - next.begin;
    total += next.end - next.begin;
  }
  ranges->resize(count);
  return total;
}

// Where the byte or value at `begin` lies in the copy.
int64_t Moved(const std::vector<Range>& ranges, int32_t source, int64_t begin) {
  const Range wanted{.source = source, .begin = begin};
  const auto after =
      std::upper_bound(ranges.begin(), ranges.end(), wanted,
                       [](const Range& a, const Range& b) { return a.key() < b.key(); });
  const Range& range = *(after - 1);
  return range.moved_to + (begin - range.begin);
}

// The live part of each source that has one.
struct Copies {
  std::vector<std::shared_ptr<Buffer>> buffers;
  std::vector<int32_t> index_of_source;
};

arrow::Result<Copies> CopyRanges(const std::vector<std::shared_ptr<Buffer>>& sources,
                                 const std::vector<Range>& ranges, MemoryPool* pool) {
  std::vector<int64_t> sizes(sources.size(), 0);
  for (const Range& range : ranges) {
    sizes[static_cast<size_t>(range.source)] += range.end - range.begin;
  }
  Copies copies;
  for (const int64_t size : sizes) {
    copies.index_of_source.push_back(static_cast<int32_t>(copies.buffers.size()));
    if (size > 0) {
      ARROW_ASSIGN_OR_RAISE(copies.buffers.emplace_back(),
                            arrow::AllocateBuffer(size, pool));
    }
  }
  for (const Range& range : ranges) {
    const auto source = static_cast<size_t>(range.source);
    const auto copy = static_cast<size_t>(copies.index_of_source[source]);
    std::memcpy(copies.buffers[copy]->mutable_data() + range.moved_to,
                sources[source]->data() + range.begin,
                static_cast<size_t>(range.end - range.begin));
  }
  return copies;
}

// `data` has offset 0, as have all below.
arrow::Result<DataPtr> CutViews(const DataPtr& data, MemoryPool* pool) {
  const std::vector<std::shared_ptr<Buffer>> sources(data->buffers.begin() + 2,
                                                     data->buffers.end());
  int64_t held = 0;
  for (const auto& source : sources) {
    held += source->size();
  }
  if (held == 0) {
    return data;
  }
  const View* views = data->GetValues<View>(1);
  std::vector<Range> ranges;
  for (int64_t i = 0; i < data->length; ++i) {
    if (!views[i].is_inline() && data->IsValid(i)) {
      const auto& ref = views[i].ref;
      Add({.source = ref.buffer_index,
           .begin = ref.offset,
           .end = int64_t{ref.offset} + ref.size},
          &ranges);
    }
  }
  if (Unite(&ranges) > held - held / kShareToGain) {
    return data;
  }
  auto cut = std::make_shared<ArrayData>(*data);
  ARROW_ASSIGN_OR_RAISE(const Copies copies, CopyRanges(sources, ranges, pool));
  cut->buffers.resize(2);
  cut->buffers.insert(cut->buffers.end(), copies.buffers.begin(), copies.buffers.end());
  ARROW_ASSIGN_OR_RAISE(
      cut->buffers[1],
      arrow::AllocateBuffer(data->length * arrow::BinaryViewType::kSize, pool));
  View* moved = cut->GetMutableValues<View>(1);
  for (int64_t i = 0; i < data->length; ++i) {
    moved[i] = data->IsValid(i) ? views[i] : View{};
    if (!moved[i].is_inline()) {
      auto& ref = moved[i].ref;
      ref.offset = static_cast<int32_t>(Moved(ranges, ref.buffer_index, ref.offset));
      ref.buffer_index = copies.index_of_source[static_cast<size_t>(ref.buffer_index)];
    }
  }
  return cut;
}

// The values in the ranges, one after another.
arrow::Result<DataPtr> Gather(const DataPtr& values, const std::vector<Range>& ranges,
                              MemoryPool* pool) {
  const auto array = arrow::MakeArray(values);
  arrow::ArrayVector parts = {array->Slice(0, 0)};
  for (const Range& range : ranges) {
    parts.push_back(array->Slice(range.begin, range.end - range.begin));
  }
  ARROW_ASSIGN_OR_RAISE(const auto gathered, arrow::Concatenate(parts, pool));
  return gathered->data();
}

template <typename Offset>
arrow::Result<DataPtr> CutListViews(const DataPtr& data, MemoryPool* pool) {
  const Offset* offsets = data->GetValues<Offset>(1);
  const Offset* sizes = data->GetValues<Offset>(2);
  std::vector<Range> ranges;
  for (int64_t i = 0; i < data->length; ++i) {
    if (sizes[i] > 0 && data->IsValid(i)) {
      Add({.begin = offsets[i], .end = int64_t{offsets[i]} + sizes[i]}, &ranges);
    }
  }
  const int64_t held = data->child_data[0]->length;
  if (Unite(&ranges) > held - held / kShareToGain) {
    return data;
  }
  auto cut = std::make_shared<ArrayData>(*data);
  ARROW_ASSIGN_OR_RAISE(cut->child_data[0], Gather(data->child_data[0], ranges, pool));
  const auto width = static_cast<int64_t>(sizeof(Offset));
  ARROW_ASSIGN_OR_RAISE(cut->buffers[1],
                        arrow::AllocateBuffer(data->length * width, pool));
  ARROW_ASSIGN_OR_RAISE(cut->buffers[2],
                        arrow::AllocateBuffer(data->length * width, pool));
  Offset* moved = cut->GetMutableValues<Offset>(1);
  Offset* moved_sizes = cut->GetMutableValues<Offset>(2);
  for (int64_t i = 0; i < data->length; ++i) {
    const bool live = sizes[i] > 0 && data->IsValid(i);
    moved[i] = live ? static_cast<Offset>(Moved(ranges, 0, offsets[i])) : 0;
    moved_sizes[i] = live ? sizes[i] : 0;
  }
  return cut;
}

// Keeps the order of the dictionary, so that an ordered one stays ordered.
template <typename Code>
arrow::Result<DataPtr> CutDictionary(const DataPtr& data, MemoryPool* pool) {
  const Code* codes = data->GetValues<Code>(1);
  std::vector<Range> ranges;
  for (int64_t i = 0; i < data->length; ++i) {
    if (data->IsValid(i)) {
      const auto code = static_cast<int64_t>(codes[i]);
      Add({.begin = code, .end = code + 1}, &ranges);
    }
  }
  const int64_t held = data->dictionary->length;
  if (Unite(&ranges) > held - held / kShareToGain) {
    return data;
  }
  auto cut = std::make_shared<ArrayData>(*data);
  ARROW_ASSIGN_OR_RAISE(cut->dictionary, Gather(data->dictionary, ranges, pool));
  const auto width = static_cast<int64_t>(sizeof(Code));
  ARROW_ASSIGN_OR_RAISE(cut->buffers[1],
                        arrow::AllocateBuffer(data->length * width, pool));
  Code* moved = cut->GetMutableValues<Code>(1);
  for (int64_t i = 0; i < data->length; ++i) {
    moved[i] = data->IsValid(i)
                   ? static_cast<Code>(Moved(ranges, 0, static_cast<int64_t>(codes[i])))
                   : Code{0};
  }
  return cut;
}

// The sign of a code does not matter: valid ones are within the dictionary.
arrow::Result<DataPtr> CutDictionary(const DataPtr& data, MemoryPool* pool) {
  const auto& type = static_cast<const arrow::DictionaryType&>(StorageOf(*data->type));
  switch (type.bit_width()) {
    case 8:
      return CutDictionary<uint8_t>(data, pool);
    case 16:
      return CutDictionary<uint16_t>(data, pool);
    case 32:
      return CutDictionary<uint32_t>(data, pool);
    default:
      return CutDictionary<uint64_t>(data, pool);
  }
}

// The same values at offset 0, offsets and children cut to the slice. Text behind views
// and dictionaries are not copied by this.
arrow::Result<DataPtr> Rebase(const DataPtr& data, MemoryPool* pool) {
  ARROW_ASSIGN_OR_RAISE(const auto copy,
                        arrow::Concatenate({arrow::MakeArray(data)}, pool));
  return copy->data();
}

arrow::Result<DataPtr> Cut(DataPtr data, MemoryPool* pool) {
  if (!HasReferences(*data->type)) {
    return data;
  }
  if (data->offset != 0) {
    ARROW_ASSIGN_OR_RAISE(data, Rebase(data, pool));
  }
  switch (StorageOf(*data->type).id()) {
    case arrow::Type::STRING_VIEW:
    case arrow::Type::BINARY_VIEW:
      return CutViews(data, pool);
    case arrow::Type::LIST_VIEW: {
      ARROW_ASSIGN_OR_RAISE(data, CutListViews<int32_t>(data, pool));
      break;
    }
    case arrow::Type::LARGE_LIST_VIEW: {
      ARROW_ASSIGN_OR_RAISE(data, CutListViews<int64_t>(data, pool));
      break;
    }
    case arrow::Type::DICTIONARY: {
      ARROW_ASSIGN_OR_RAISE(data, CutDictionary(data, pool));
      break;
    }
    default:
      break;
  }
  auto cut = std::make_shared<ArrayData>(*data);
  for (auto& child : cut->child_data) {
    ARROW_ASSIGN_OR_RAISE(child, Cut(child, pool));
  }
  if (cut->dictionary != nullptr) {
    ARROW_ASSIGN_OR_RAISE(cut->dictionary, Cut(cut->dictionary, pool));
  }
  return cut;
}

}  // namespace

arrow::Result<std::shared_ptr<arrow::Array>> KeepLiveBytes(
    const std::shared_ptr<arrow::Array>& column, arrow::MemoryPool* pool) {
  if (!HasReferences(*column->type())) {
    return column;
  }
  DataPtr data = column->data();
  // A nested column may be a slice at any depth, which only shows in its children once
  // they are rebased.
  if (data->type->num_fields() > 0) {
    auto rebased = Rebase(data, pool);
    if (rebased.status().IsNotImplemented()) {
      return column;
    }
    ARROW_ASSIGN_OR_RAISE(data, std::move(rebased));
  }
  ARROW_ASSIGN_OR_RAISE(data, Cut(std::move(data), pool));
  return arrow::MakeArray(data);
}

}  // namespace wheelpit::block
