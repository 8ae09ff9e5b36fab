// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/exec/scan/growing_dictionary.h"

#include <cstring>
#include <functional>
#include <string_view>
#include <utility>

#include <arrow/array/array_base.h>
#include <arrow/array/data.h>
#include <arrow/array/util.h>
#include <arrow/buffer.h>

namespace wheelpit::exec {

namespace {

constexpr int64_t kOffsetsBytes =
    (GrowingDictionary::kValuesMax + 1) * static_cast<int64_t>(sizeof(int32_t));
constexpr int64_t kOffsetsRoom = (kOffsetsBytes + 63) / 64 * 64;
// At most half of them are used.
constexpr size_t kSlots = 2 * GrowingDictionary::kValuesMax;
constexpr int64_t kSlotsBytes = kSlots * sizeof(GrowingDictionary::Code);

}  // namespace

// All memory is taken at once and never moves: arrays that were given refer to its front,
// which is not written any more, while more is written behind it.
struct GrowingDictionary::Values {
  std::shared_ptr<arrow::Buffer> memory;
  std::shared_ptr<arrow::Buffer> offsets_buffer;
  std::shared_ptr<arrow::Buffer> text_buffer;
  int32_t* offsets = nullptr;
  char* text = nullptr;
  Code* slots = nullptr;  // of codes, -1: empty; linear probing
  int64_t count = 0;

  static std::unique_ptr<Values> Make(arrow::MemoryPool* pool) {
    auto allocated =
        arrow::AllocateBuffer(kOffsetsRoom + kSlotsBytes + kTextBytesMax, pool);
    if (!allocated.ok()) return nullptr;
    auto values = std::make_unique<Values>();
    values->memory = *std::move(allocated);
    uint8_t* bytes = values->memory->mutable_data();
    values->offsets = reinterpret_cast<int32_t*>(bytes);
    values->offsets[0] = 0;
    values->slots = reinterpret_cast<Code*>(bytes + kOffsetsRoom);
    std::memset(values->slots, 0xff, kSlotsBytes);
    values->text = reinterpret_cast<char*>(bytes + kOffsetsRoom + kSlotsBytes);
    values->offsets_buffer = arrow::SliceBuffer(values->memory, 0, kOffsetsBytes);
    values->text_buffer =
        arrow::SliceBuffer(values->memory, kOffsetsRoom + kSlotsBytes, kTextBytesMax);
    return values;
  }

  std::string_view At(Code code) const {
    return {text + offsets[code], static_cast<size_t>(offsets[code + 1] - offsets[code])};
  }

  // -1: there is no room for it.
  Code FindOrAdd(std::string_view value) {
    size_t slot = std::hash<std::string_view>()(value) % kSlots;
    for (; slots[slot] >= 0; slot = (slot + 1) % kSlots) {
      if (At(slots[slot]) == value) return slots[slot];
    }
    const int32_t begin = offsets[count];
    if (count == kValuesMax || std::ssize(value) > kTextBytesMax - begin) return -1;
    if (!value.empty()) std::memcpy(text + begin, value.data(), value.size());
    offsets[count + 1] = begin + static_cast<int32_t>(value.size());
    slots[slot] = static_cast<Code>(count);
    return static_cast<Code>(count++);
  }

  // Takes the last values out again, last one first: then no other has been placed behind
  // their slots.
  void ShrinkTo(int64_t kept) {
    for (; count > kept; --count) {
      const auto last = static_cast<Code>(count - 1);
      size_t slot = std::hash<std::string_view>()(At(last)) % kSlots;
      while (slots[slot] != last) slot = (slot + 1) % kSlots;
      slots[slot] = -1;
    }
  }
};

GrowingDictionary::GrowingDictionary(std::shared_ptr<arrow::DataType> type,
                                     arrow::MemoryPool* pool)
    : type_(std::move(type)), pool_(pool) {}

GrowingDictionary::~GrowingDictionary() = default;

std::shared_ptr<arrow::Array> GrowingDictionary::Intern(
    std::span<const std::string_view> values, std::vector<Code>* codes) {
  if (std::ssize(values) > kValuesMax) return nullptr;
  codes->clear();
  auto locked = values_.Lock();
  if (*locked == nullptr) {
    *locked = Values::Make(pool_);
    if (*locked == nullptr) return nullptr;
  }
  Values& all = **locked;
  const int64_t before = all.count;
  for (const std::string_view value : values) {
    const Code code = all.FindOrAdd(value);
    if (code < 0) {
      all.ShrinkTo(before);
      return nullptr;
    }
    codes->push_back(code);
  }
  return arrow::MakeArray(arrow::ArrayData::Make(
      type_, all.count, {nullptr, all.offsets_buffer, all.text_buffer}, 0));
}

}  // namespace wheelpit::exec
