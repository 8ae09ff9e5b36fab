// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/exec/keys/key_encoder.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include <arrow/array/array_binary.h>
#include <arrow/array/array_dict.h>
#include <arrow/array/array_primitive.h>
#include <arrow/buffer.h>
#include <arrow/type.h>

#include "wheelpit/core/error.h"
#include "wheelpit/exec/keys/key_column_reader.h"
#include "wheelpit/exec/keys/key_values.h"

namespace wheelpit::exec {

namespace {

using arrow::Array;
using arrow::Status;

constexpr int64_t kKeysBytesMax = UINT32_MAX;

// Bytes of a value, without the null byte; of text, of its end.
int64_t ValueBytes(KeyForm form) {
  switch (form) {
    case KeyForm::kNull:
      return 0;
    case KeyForm::kBoolean:
    case KeyForm::kInt8:
      return 1;
    case KeyForm::kInt16:
      return 2;
    case KeyForm::kInt32:
    case KeyForm::kFloat:
      return 4;
    case KeyForm::kInt64:
    case KeyForm::kDecimal64:
    case KeyForm::kDouble:
      return 8;
    case KeyForm::kDecimal128:
      return 16;
    case KeyForm::kText:
      return kTextEndBytes;
  }
  return 0;
}

// Calls visit(array of its own class) for every kind of text.
template <typename Visit>
auto VisitText(const Array& array, const Visit& visit) {
  switch (array.type_id()) {
    case arrow::Type::STRING:
    case arrow::Type::BINARY:
      return visit(static_cast<const arrow::BinaryArray&>(array));
    case arrow::Type::LARGE_STRING:
    case arrow::Type::LARGE_BINARY:
      return visit(static_cast<const arrow::LargeBinaryArray&>(array));
    default:
      return visit(static_cast<const arrow::BinaryViewArray&>(array));
  }
}

bool HoldsZero(std::string_view text) {
  return !text.empty() && std::memchr(text.data(), 0, text.size()) != nullptr;
}

// Whether any value may hold a zero byte. One look at all bytes is much cheaper than one
// for each value; views have no bytes in one piece.
bool MayHoldZeros(const arrow::BinaryViewArray& /*array*/) {
  return true;
}
template <typename TextArray>
bool MayHoldZeros(const TextArray& array) {
  return HoldsZero(
      {reinterpret_cast<const char*>(array.raw_data()) + array.value_offset(0),
       static_cast<size_t>(array.total_values_length())});
}

// Adds to lengths[i] what the column gives to key i; returns the sum of what was added.
int64_t AddTextLengths(const KeyColumnReader& column, bool may_hold_zeros,
                       uint32_t* lengths) {
  return VisitText(column.values(), [&](const auto& array) {
    int64_t sum = 0;
    for (int64_t i = 0; i < column.count(); ++i) {
      const int64_t row = column.At(i);
      int64_t length = 1;
      if (row >= 0) {
        const std::string_view text = array.GetView(row);
        length += static_cast<int64_t>(text.size()) + kTextEndBytes;
        if (may_hold_zeros) {
          length += std::count(text.begin(), text.end(), '\0');
        }
      }
      // May wrap; the sum then is too large, too.
      lengths[i] += static_cast<uint32_t>(length);
      sum += length;
    }
    return sum;
  });
}

int64_t AddFixedLengths(const KeyColumnReader& column, int64_t value_bytes,
                        uint32_t* lengths) {
  int64_t sum = 0;
  for (int64_t i = 0; i < column.count(); ++i) {
    const int64_t length = column.At(i) >= 0 ? 1 + value_bytes : 1;
    lengths[i] += static_cast<uint32_t>(length);
    sum += length;
  }
  return sum;
}

// Where the keys of the rows are written next: positions[i] is moved on for each column.
struct Output {
  uint8_t* bytes = nullptr;
  uint32_t* positions = nullptr;
};

// read(row) gives a number that orders as the value does.
template <typename Read>
void WriteFixed(const KeyColumnReader& column, const KeyColumn& key, const Read& read,
                Output output) {
  using Bits = decltype(read(int64_t{0}));
  const KeyNullBytes null_bytes(key.nulls_first);
  const Bits mask = key.descending ? static_cast<Bits>(~Bits{0}) : Bits{0};
  for (int64_t i = 0; i < column.count(); ++i) {
    const int64_t row = column.At(i);
    uint8_t* out = output.bytes + output.positions[i];
    if (row < 0) {
      *out = null_bytes.null;
      output.positions[i] += 1;
      continue;
    }
    *out = null_bytes.value;
    StoreBigEndian(static_cast<Bits>(read(row) ^ mask), out + 1);
    output.positions[i] += 1 + sizeof(Bits);
  }
}

template <typename T>
void WriteNumbers(const KeyColumnReader& column, const KeyColumn& key, Output output) {
  const T* values = column.values().data()->template GetValues<T>(1);
  WriteFixed(
      column, key, [values](int64_t row) { return KeyNumber<T>::Of(values[row]); },
      output);
}

// Writes the escaped text and its end; returns the byte after them.
uint8_t* WriteEscaped(std::string_view text, uint8_t* out) {
  while (true) {
    const size_t plain = std::min(text.find('\0'), text.size());
    std::memcpy(out, text.data(), plain);
    out += plain;
    *out++ = 0;
    if (plain == text.size()) {
      *out++ = 0;
      return out;
    }
    *out++ = kEscapedZero;
    text.remove_prefix(plain + 1);
  }
}

void WriteText(const KeyColumnReader& column, const KeyColumn& key, bool may_hold_zeros,
               Output output) {
  const KeyNullBytes null_bytes(key.nulls_first);
  VisitText(column.values(), [&](const auto& array) {
    for (int64_t i = 0; i < column.count(); ++i) {
      const int64_t row = column.At(i);
      uint8_t* out = output.bytes + output.positions[i];
      if (row < 0) {
        *out = null_bytes.null;
        output.positions[i] += 1;
        continue;
      }
      *out++ = null_bytes.value;
      uint8_t* end = out;
      const std::string_view text = array.GetView(row);
      if (may_hold_zeros) {
        end = WriteEscaped(text, out);
      } else {
        if (!text.empty()) {
          std::memcpy(out, text.data(), text.size());
        }
        end = out + text.size();
        *end++ = 0;
        *end++ = 0;
      }
      if (key.descending) {
        std::for_each(out, end,
                      [](uint8_t& byte) { byte = static_cast<uint8_t>(~byte); });
      }
      output.positions[i] = static_cast<uint32_t>(end - output.bytes);
    }
  });
}

// One column of a call of Encode.
struct Part {
  const KeyColumn* key = nullptr;
  KeyForm form = KeyForm::kNull;
  KeyColumnReader reader;
  bool may_hold_zeros = false;
};

int64_t AddLengths(Part* part, uint32_t* lengths) {
  const KeyColumnReader& reader = part->reader;
  if (part->form != KeyForm::kText) {
    return AddFixedLengths(reader, ValueBytes(part->form), lengths);
  }
  part->may_hold_zeros =
      VisitText(reader.values(), [](const auto& array) { return MayHoldZeros(array); });
  return AddTextLengths(reader, part->may_hold_zeros, lengths);
}

void Write(const Part& part, Output output) {
  const KeyColumnReader& reader = part.reader;
  const KeyColumn& key = *part.key;
  switch (part.form) {
    case KeyForm::kNull:
      for (int64_t i = 0; i < reader.count(); ++i) {
        output.bytes[output.positions[i]++] = KeyNullBytes(key.nulls_first).null;
      }
      return;
    case KeyForm::kBoolean: {
      const auto& values = static_cast<const arrow::BooleanArray&>(reader.values());
      const auto read = [&values](int64_t row) {
        return static_cast<uint8_t>(values.Value(row) ? 1 : 0);
      };
      return WriteFixed(reader, key, read, output);
    }
    case KeyForm::kInt8:
      return WriteNumbers<int8_t>(reader, key, output);
    case KeyForm::kInt16:
      return WriteNumbers<int16_t>(reader, key, output);
    case KeyForm::kInt32:
      return WriteNumbers<int32_t>(reader, key, output);
    case KeyForm::kInt64:
      return WriteNumbers<int64_t>(reader, key, output);
    case KeyForm::kDecimal64: {
      const auto* values = reader.values().data()->GetValues<KeyInt128>(1);
      const auto read = [values](int64_t row) {
        return KeyNumber<int64_t>::Of(static_cast<int64_t>(values[row].low));
      };
      return WriteFixed(reader, key, read, output);
    }
    case KeyForm::kDecimal128:
      return WriteNumbers<KeyInt128>(reader, key, output);
    case KeyForm::kFloat:
      return WriteNumbers<float>(reader, key, output);
    case KeyForm::kDouble:
      return WriteNumbers<double>(reader, key, output);
    case KeyForm::kText:
      return WriteText(reader, key, part.may_hold_zeros, output);
  }
}

// What the text of the selected or first `count` rows takes, escaped, without its ends.
int64_t TextBytesMax(const Array& column, const int32_t* selection, int64_t count) {
  const auto* coded = column.type_id() == arrow::Type::DICTIONARY
                          ? static_cast<const arrow::DictionaryArray*>(&column)
                          : nullptr;
  return VisitText(
      coded != nullptr ? *coded->dictionary() : column, [&](const auto& array) {
        const bool may_hold_zeros = MayHoldZeros(array);
        int64_t sum = 0;
        for (int64_t i = 0; i < count; ++i) {
          const int64_t at = selection == nullptr ? i : selection[i];
          if (column.IsNull(at)) {
            continue;
          }
          const int64_t row = coded != nullptr ? coded->GetValueIndex(at) : at;
          if (row < array.length()) {
            const std::string_view text = array.GetView(row);
            sum += static_cast<int64_t>(text.size());
            sum += may_hold_zeros ? std::count(text.begin(), text.end(), '\0') : 0;
          }
        }
        return sum;
      });
}

// The type must be that of the key, or store text in another way.
Status CheckType(const Array& column, const KeyColumn& key) {
  const arrow::DataType& type = ValueType(*column.type());
  if (type.Equals(*key.type) ||
      (KeyFormOf(type) == KeyForm::kText && KeyFormOf(*key.type) == KeyForm::kText)) {
    return Status::OK();
  }
  return core::Error(core::ErrorKind::kInternal, "a key of type ", key.type->ToString(),
                     " was given a column of type ", column.type()->ToString());
}

}  // namespace

KeyEncoder::KeyEncoder(std::vector<KeyColumn> columns) : columns_(std::move(columns)) {}
KeyEncoder::~KeyEncoder() = default;

arrow::Result<std::unique_ptr<KeyEncoder>> KeyEncoder::Make(
    std::vector<KeyColumn> columns) {
  for (KeyColumn& column : columns) {
    if (column.type->id() == arrow::Type::DICTIONARY) {
      column.type = static_cast<const arrow::DictionaryType&>(*column.type).value_type();
    }
    if (!KeyFormOf(*column.type).has_value()) {
      return core::Error(
          core::ErrorKind::kUnsupported,
          "rows cannot be grouped, sorted or partitioned by a value of type ",
          column.type->ToString(), " yet");
    }
  }
  return std::unique_ptr<KeyEncoder>(new KeyEncoder(std::move(columns)));
}

arrow::Result<EncodedKeys> KeyEncoder::Encode(const arrow::ArrayVector& columns,
                                              int64_t row_count,
                                              arrow::MemoryPool* pool) const {
  return EncodeRows(columns, nullptr, row_count, pool);
}

arrow::Result<EncodedKeys> KeyEncoder::Encode(const arrow::ArrayVector& columns,
                                              std::span<const int32_t> selection,
                                              arrow::MemoryPool* pool) const {
  return EncodeRows(columns, selection.data(), std::ssize(selection), pool);
}

arrow::Result<EncodedKeys> KeyEncoder::EncodeRows(const arrow::ArrayVector& columns,
                                                  const int32_t* selection, int64_t count,
                                                  arrow::MemoryPool* pool) const {
  WHEELPIT_CHECK(columns.size() == columns_.size(), "one column for each key");
  std::vector<Part> parts(columns_.size());
  EncodedKeys keys;
  keys.count_ = count;
  const auto offsets_bytes = static_cast<int64_t>((count + 1) * sizeof(uint32_t));
  ARROW_ASSIGN_OR_RAISE(keys.offsets_buffer_, arrow::AllocateBuffer(offsets_bytes, pool));
  auto* offsets = reinterpret_cast<uint32_t*>(keys.offsets_buffer_->mutable_data());
  std::fill(offsets, offsets + count + 1, 0);
  int64_t size = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    ARROW_RETURN_NOT_OK(CheckType(*columns[i], columns_[i]));
    Part& part = parts[i];
    part.key = &columns_[i];
    part.form = *KeyFormOf(*columns_[i].type);
    ARROW_ASSIGN_OR_RAISE(part.reader,
                          KeyColumnReader::Make(*columns[i], selection, count, pool));
    size += AddLengths(&part, offsets);
  }
  if (size > kKeysBytesMax) {
    return core::Error(core::ErrorKind::kUnsupported, "the keys of ", count,
                       " rows have ", size, " bytes; at most ", kKeysBytesMax,
                       " at once");
  }
  ARROW_ASSIGN_OR_RAISE(keys.bytes_buffer_, arrow::AllocateBuffer(size, pool));
  // offsets[i] goes from the length of key i to its beginning, and while the columns are
  // written to its end, which is the beginning of the next one.
  uint32_t position = 0;
  for (int64_t i = 0; i < count; ++i) {
    position += std::exchange(offsets[i], position);
  }
  uint8_t* bytes = keys.bytes_buffer_->mutable_data();
  for (const Part& part : parts) {
    Write(part, {bytes, offsets});
  }
  std::memmove(offsets + 1, offsets, static_cast<size_t>(count) * sizeof(uint32_t));
  offsets[0] = 0;
  keys.offsets_ = offsets;
  keys.bytes_ = reinterpret_cast<const char*>(bytes);
  return keys;
}

arrow::Result<int64_t> KeyEncoder::EncodeBytesMax(const arrow::ArrayVector& columns,
                                                  int64_t row_count) const {
  return RowsBytesMax(columns, nullptr, row_count);
}

arrow::Result<int64_t> KeyEncoder::EncodeBytesMax(
    const arrow::ArrayVector& columns, std::span<const int32_t> selection) const {
  return RowsBytesMax(columns, selection.data(), std::ssize(selection));
}

arrow::Result<int64_t> KeyEncoder::RowsBytesMax(const arrow::ArrayVector& columns,
                                                const int32_t* selection,
                                                int64_t row_count) const {
  // Offsets, and the codes of a dictionary; each allocation is rounded up to 64 bytes.
  constexpr int64_t kRounding = 64;
  auto max = static_cast<int64_t>((row_count + 1) * sizeof(uint32_t)) + 2 * kRounding;
  for (size_t i = 0; i < columns_.size(); ++i) {
    ARROW_RETURN_NOT_OK(CheckType(*columns[i], columns_[i]));
    const KeyForm form = *KeyFormOf(*columns_[i].type);
    max += row_count * (1 + ValueBytes(form));
    if (columns[i]->type_id() == arrow::Type::DICTIONARY) {
      max += row_count * static_cast<int64_t>(sizeof(int32_t)) + kRounding;
    }
    if (form == KeyForm::kText) {
      max += TextBytesMax(*columns[i], selection, row_count);
    }
  }
  return max;
}

}  // namespace wheelpit::exec
