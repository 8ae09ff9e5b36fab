// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <utility>

#include <arrow/array/array_base.h>
#include <arrow/array/data.h>
#include <arrow/array/util.h>
#include <arrow/buffer.h>
#include <arrow/util/bit_util.h>

#include "wheelpit/core/error.h"
#include "wheelpit/exec/keys/key_encoder.h"
#include "wheelpit/exec/keys/key_values.h"

namespace wheelpit::exec {

namespace {

using arrow::Buffer;
using arrow::Result;
using arrow::Status;

// The keys, and how much of each has been read.
class Input {
 public:
  static Result<Input> Make(std::span<const std::string_view> keys,
                            arrow::MemoryPool* pool) {
    Input input(keys);
    ARROW_ASSIGN_OR_RAISE(
        input.positions_buffer_,
        arrow::AllocateBuffer(static_cast<int64_t>(keys.size() * sizeof(uint32_t)),
                              pool));
    input.positions_ =
        reinterpret_cast<uint32_t*>(input.positions_buffer_->mutable_data());
    std::fill(input.positions_, input.positions_ + keys.size(), 0);
    for (const std::string_view key : keys) {
      if (key.size() > UINT32_MAX) {
        return core::Error(core::ErrorKind::kCorrupt, "a key of ", key.size(), " bytes");
      }
    }
    return input;
  }

  int64_t count() const { return std::ssize(keys_); }
  std::string_view rest(int64_t i) const {
    const auto at = static_cast<size_t>(i);
    return {keys_[at].data() + positions_[i], keys_[at].size() - positions_[i]};
  }
  void Skip(int64_t i, size_t bytes) { positions_[i] += static_cast<uint32_t>(bytes); }

 private:
  explicit Input(std::span<const std::string_view> keys) : keys_(keys) {}

  std::span<const std::string_view> keys_;
  std::shared_ptr<Buffer> positions_buffer_;
  uint32_t* positions_ = nullptr;
};

Status Corrupt(const KeyColumn& key, std::string_view what) {
  return core::Error(core::ErrorKind::kCorrupt, "the bytes of a sort or group key ", what,
                     " (a column of type ", key.type->ToString(), ")");
}

// Reads the null bytes: a bit per key, set where a value follows.
Result<std::shared_ptr<Buffer>> ReadValidity(const KeyColumn& key, Input* input,
                                             int64_t* null_count,
                                             arrow::MemoryPool* pool) {
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<Buffer> validity,
                        arrow::AllocateBitmap(input->count(), pool));
  uint8_t* bits = validity->mutable_data();
  std::memset(bits, 0, static_cast<size_t>(validity->size()));
  const KeyNullBytes null_bytes(key.nulls_first);
  *null_count = 0;
  for (int64_t i = 0; i < input->count(); ++i) {
    const std::string_view rest = input->rest(i);
    if (rest.empty()) {
      return Corrupt(key, "end early");
    }
    const auto byte = static_cast<uint8_t>(rest[0]);
    if (byte == null_bytes.value) {
      arrow::bit_util::SetBit(bits, i);
    } else if (byte == null_bytes.null) {
      ++*null_count;
    } else {
      return Corrupt(key, "hold no null byte where one belongs");
    }
    input->Skip(i, 1);
  }
  return validity;
}

// Calls take(i, bits) for each value.
template <typename Bits, typename Take>
Status ReadFixed(const KeyColumn& key, const uint8_t* validity, Input* input,
                 const Take& take) {
  const Bits mask = key.descending ? static_cast<Bits>(~Bits{0}) : Bits{0};
  for (int64_t i = 0; i < input->count(); ++i) {
    if (!arrow::bit_util::GetBit(validity, i)) {
      continue;
    }
    const std::string_view rest = input->rest(i);
    if (rest.size() < sizeof(Bits)) {
      return Corrupt(key, "end early");
    }
    take(i,
         static_cast<Bits>(
             LoadBigEndian<Bits>(reinterpret_cast<const uint8_t*>(rest.data())) ^ mask));
    input->Skip(i, sizeof(Bits));
  }
  return Status::OK();
}

// T: what the key stands for; Stored: what the array holds.
template <typename T, typename Stored = T>
Result<std::shared_ptr<Buffer>> ReadNumbers(const KeyColumn& key, const uint8_t* validity,
                                            Input* input, arrow::MemoryPool* pool) {
  const auto size = static_cast<int64_t>(sizeof(Stored)) * input->count();
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<Buffer> buffer,
                        arrow::AllocateBuffer(size, pool));
  auto* values = reinterpret_cast<Stored*>(buffer->mutable_data());
  std::memset(buffer->mutable_data(), 0, static_cast<size_t>(size));
  using Bits = typename KeyNumber<T>::Bits;
  ARROW_RETURN_NOT_OK(
      ReadFixed<Bits>(key, validity, input, [values](int64_t i, Bits bits) {
        const T value = KeyNumber<T>::Back(bits);
        if constexpr (std::is_same_v<T, Stored>) {
          values[i] = value;
        } else {
          values[i] = {static_cast<uint64_t>(value), static_cast<uint64_t>(value >> 63)};
        }
      }));
  return buffer;
}

Result<std::shared_ptr<Buffer>> ReadBooleans(const KeyColumn& key,
                                             const uint8_t* validity, Input* input,
                                             arrow::MemoryPool* pool) {
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<Buffer> buffer,
                        arrow::AllocateBitmap(input->count(), pool));
  uint8_t* bits = buffer->mutable_data();
  std::memset(bits, 0, static_cast<size_t>(buffer->size()));
  bool known = true;
  ARROW_RETURN_NOT_OK(
      ReadFixed<uint8_t>(key, validity, input, [bits, &known](int64_t i, uint8_t value) {
        known &= value <= 1;
        arrow::bit_util::SetBitTo(bits, i, value == 1);
      }));
  return known ? Result<std::shared_ptr<Buffer>>(buffer)
               : Corrupt(key, "hold a boolean that is neither true nor false");
}

// Text as it stands in a key: what is escaped, and with descending order inverted.
class EscapedText {
 public:
  explicit EscapedText(bool descending)
      : mask_(descending ? uint8_t{0xFF} : uint8_t{0}) {}

  /// How many bytes the text has and how many stand for it, its end included; false when
  /// it has no end or an escape that there is not.
  bool Measure(std::string_view rest, int64_t* text_bytes, size_t* key_bytes) const {
    const char marker = static_cast<char>(mask_);
    size_t at = 0;
    int64_t escaped = 0;
    while (true) {
      at = rest.find(marker, at);
      if (at == std::string_view::npos || at + 1 >= rest.size()) {
        return false;
      }
      const auto next = static_cast<uint8_t>(static_cast<uint8_t>(rest[at + 1]) ^ mask_);
      at += 2;
      if (next == 0) {
        *text_bytes = static_cast<int64_t>(at) - kTextEndBytes - escaped;
        *key_bytes = at;
        return true;
      }
      if (next != kEscapedZero) {
        return false;
      }
      ++escaped;
    }
  }

  /// Of what Measure has found right: `key_bytes` with the end.
  void Copy(std::string_view rest, size_t key_bytes, int64_t text_bytes,
            uint8_t* out) const {
    const auto* in = reinterpret_cast<const uint8_t*>(rest.data());
    const size_t end = key_bytes - kTextEndBytes;
    if (mask_ == 0 && static_cast<int64_t>(end) == text_bytes) {
      if (end > 0) {
        std::memcpy(out, in, end);
      }
      return;
    }
    for (size_t i = 0; i < end; ++i) {
      const auto byte = static_cast<uint8_t>(in[i] ^ mask_);
      *out++ = byte;
      i += byte == 0 ? 1 : 0;  // the escape
    }
  }

 private:
  const uint8_t mask_;
};

// Offsets and bytes of a text column.
template <typename Offset>
Status ReadText(const KeyColumn& key, const uint8_t* validity, Input* input,
                arrow::MemoryPool* pool, arrow::BufferVector* buffers) {
  const int64_t count = input->count();
  ARROW_ASSIGN_OR_RAISE(
      std::shared_ptr<Buffer> offsets_buffer,
      arrow::AllocateBuffer((count + 1) * static_cast<int64_t>(sizeof(Offset)), pool));
  auto* offsets = reinterpret_cast<Offset*>(offsets_buffer->mutable_data());
  const EscapedText escaped(key.descending);
  int64_t size = 0;
  for (int64_t i = 0; i < count; ++i) {
    offsets[i] = static_cast<Offset>(size);
    if (arrow::bit_util::GetBit(validity, i)) {
      int64_t text_bytes = 0;
      size_t key_bytes = 0;
      if (!escaped.Measure(input->rest(i), &text_bytes, &key_bytes)) {
        return Corrupt(key, "hold a text without its end");
      }
      size += text_bytes;
      if (size > std::numeric_limits<Offset>::max()) {
        return core::Error(core::ErrorKind::kUnsupported, "the text of ", count,
                           " keys does not fit into one column: take fewer");
      }
    }
  }
  offsets[count] = static_cast<Offset>(size);
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<Buffer> bytes, arrow::AllocateBuffer(size, pool));
  for (int64_t i = 0; i < count; ++i) {
    if (arrow::bit_util::GetBit(validity, i)) {
      int64_t text_bytes = 0;
      size_t key_bytes = 0;
      const std::string_view rest = input->rest(i);
      escaped.Measure(rest, &text_bytes, &key_bytes);
      escaped.Copy(rest, key_bytes, text_bytes, bytes->mutable_data() + offsets[i]);
      input->Skip(i, key_bytes);
    }
  }
  buffers->push_back(std::move(offsets_buffer));
  buffers->push_back(std::move(bytes));
  return Status::OK();
}

// Views become plain text: the bytes of keys are not kept.
std::shared_ptr<arrow::DataType> DecodedType(
    const std::shared_ptr<arrow::DataType>& type) {
  switch (type->id()) {
    case arrow::Type::STRING_VIEW:
      return arrow::utf8();
    case arrow::Type::BINARY_VIEW:
      return arrow::binary();
    default:
      return type;
  }
}

Result<std::shared_ptr<Buffer>> ReadValues(const KeyColumn& key, KeyForm form,
                                           const uint8_t* validity, Input* input,
                                           arrow::MemoryPool* pool) {
  switch (form) {
    case KeyForm::kBoolean:
      return ReadBooleans(key, validity, input, pool);
    case KeyForm::kInt8:
      return ReadNumbers<int8_t>(key, validity, input, pool);
    case KeyForm::kInt16:
      return ReadNumbers<int16_t>(key, validity, input, pool);
    case KeyForm::kInt32:
      return ReadNumbers<int32_t>(key, validity, input, pool);
    case KeyForm::kDecimal64:
      return ReadNumbers<int64_t, KeyInt128>(key, validity, input, pool);
    case KeyForm::kDecimal128:
      return ReadNumbers<KeyInt128>(key, validity, input, pool);
    case KeyForm::kFloat:
      return ReadNumbers<float>(key, validity, input, pool);
    case KeyForm::kDouble:
      return ReadNumbers<double>(key, validity, input, pool);
    default:
      return ReadNumbers<int64_t>(key, validity, input, pool);
  }
}

Result<std::shared_ptr<arrow::Array>> DecodeColumn(const KeyColumn& key, Input* input,
                                                   arrow::MemoryPool* pool) {
  const KeyForm form = *KeyFormOf(*key.type);
  const int64_t count = input->count();
  int64_t null_count = 0;
  ARROW_ASSIGN_OR_RAISE(auto validity, ReadValidity(key, input, &null_count, pool));
  const uint8_t* bits = validity->data();
  if (form == KeyForm::kNull) {
    return null_count == count ? arrow::MakeArrayOfNull(key.type, count, pool)
                               : Corrupt(key, "hold a value");
  }
  arrow::BufferVector buffers = {null_count > 0 ? validity : nullptr};
  const auto type = DecodedType(key.type);
  if (form == KeyForm::kText) {
    const bool wide = type->id() == arrow::Type::LARGE_STRING ||
                      type->id() == arrow::Type::LARGE_BINARY;
    ARROW_RETURN_NOT_OK(wide ? ReadText<int64_t>(key, bits, input, pool, &buffers)
                             : ReadText<int32_t>(key, bits, input, pool, &buffers));
  } else {
    ARROW_ASSIGN_OR_RAISE(auto values, ReadValues(key, form, bits, input, pool));
    buffers.push_back(std::move(values));
  }
  return arrow::MakeArray(
      arrow::ArrayData::Make(type, count, std::move(buffers), null_count));
}

}  // namespace

Result<arrow::ArrayVector> KeyEncoder::Decode(std::span<const std::string_view> keys,
                                              arrow::MemoryPool* pool) const {
  ARROW_ASSIGN_OR_RAISE(Input input, Input::Make(keys, pool));
  arrow::ArrayVector arrays;
  for (const KeyColumn& column : columns_) {
    ARROW_ASSIGN_OR_RAISE(auto array, DecodeColumn(column, &input, pool));
    arrays.push_back(std::move(array));
  }
  for (int64_t i = 0; i < input.count(); ++i) {
    if (!input.rest(i).empty()) {
      return core::Error(core::ErrorKind::kCorrupt,
                         "a sort or group key has bytes beyond its columns");
    }
  }
  return arrays;
}

}  // namespace wheelpit::exec
