// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/exec/expr/vector.h"

#include <cstring>
#include <limits>
#include <utility>

#include <arrow/array.h>
#include <arrow/array/util.h>
#include <arrow/buffer.h>
#include <arrow/buffer_builder.h>
#include <arrow/builder.h>
#include <arrow/scalar.h>
#include <arrow/type.h>
#include <arrow/util/bit_util.h>

#include "wheelpit/core/error.h"

namespace wheelpit::exec::expr {

namespace {

bool IsText(TypeClass c) {
  return c == TypeClass::kString || c == TypeClass::kBinary;
}

// The bits of a byte as eight bytes of 0 or 1, the lowest first.
uint64_t SpreadBits(uint8_t bits) {
  const uint64_t copies = bits * UINT64_C(0x0101010101010101);
  const uint64_t picked = copies & UINT64_C(0x8040201008040201);
  return ((picked + UINT64_C(0x7f7f7f7f7f7f7f7f)) >> 7) & UINT64_C(0x0101010101010101);
}

void BitsToBytes(const uint8_t* bits, int64_t offset, int64_t length, uint8_t* out) {
  int64_t i = 0;
  for (; i < length && (offset + i) % 8 != 0; ++i) {
    out[i] = arrow::bit_util::GetBit(bits, offset + i) ? 1 : 0;
  }
  for (; i + 8 <= length; i += 8) {
    const uint64_t spread = SpreadBits(bits[(offset + i) / 8]);
    std::memcpy(out + i, &spread, sizeof spread);
  }
  for (; i < length; ++i) {
    out[i] = arrow::bit_util::GetBit(bits, offset + i) ? 1 : 0;
  }
}

// `out` has room for whole bytes; the last one's unused bits become 0. Returns how many
// are set. Of each byte the lowest bit counts: what lies under a null may be anything,
// and must not spoil its neighbours.
int64_t BytesToBits(const uint8_t* bytes, int64_t length, uint8_t* out) {
  int64_t set = 0;
  int64_t i = 0;
  for (; i + 8 <= length; i += 8) {
    uint64_t eight = 0;
    std::memcpy(&eight, bytes + i, sizeof eight);
    eight &= UINT64_C(0x0101010101010101);
    const auto packed =
        static_cast<uint8_t>((eight * UINT64_C(0x0102040810204080)) >> 56);
    out[i / 8] = packed;
    set += __builtin_popcount(packed);
  }
  if (i < length) {
    uint8_t last = 0;
    for (int64_t bit = 0; i + bit < length; ++bit) {
      const int value = bytes[i + bit] & 1;
      last = static_cast<uint8_t>(last | (value << bit));
      set += value;
    }
    out[i / 8] = last;
  }
  return set;
}

template <typename T>
void GatherValues(const void* from, const int32_t* positions, int64_t count, void* to) {
  const T* source = static_cast<const T*>(from);
  T* target = static_cast<T*>(to);
  for (int64_t i = 0; i < count; ++i) {
    target[i] = source[positions[i]];
  }
}

void GatherWide(int width, const void* from, const int32_t* positions, int64_t count,
                void* to) {
  switch (width) {
    case 1:
      return GatherValues<uint8_t>(from, positions, count, to);
    case 2:
      return GatherValues<uint16_t>(from, positions, count, to);
    case 4:
      return GatherValues<uint32_t>(from, positions, count, to);
    case 8:
      return GatherValues<uint64_t>(from, positions, count, to);
    default:
      return GatherValues<DecimalWords>(from, positions, count, to);
  }
}

arrow::Result<Vector> GatherText(const Vector& vector, const int32_t* positions,
                                 int64_t count, arrow::MemoryPool* pool) {
  int64_t size = 0;
  for (int64_t i = 0; i < count; ++i) {
    size += static_cast<int64_t>(vector.Text(positions[i]).size());
  }
  if (size > std::numeric_limits<int32_t>::max()) {
    return core::Error(core::ErrorKind::kUnsupported,
                       "more than 2 GiB of text in one batch; use smaller batches");
  }
  ARROW_ASSIGN_OR_RAISE(Vector out, AllocateVector(vector.type, count, pool));
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> bytes,
                        arrow::AllocateBuffer(size, pool));
  auto* offsets = MutableValues<int32_t>(out);
  auto* target = bytes->mutable_data();
  int32_t end = 0;
  for (int64_t i = 0; i < count; ++i) {
    const std::string_view text = vector.Text(positions[i]);
    offsets[i] = end;
    if (!text.empty()) {
      std::memcpy(target + end, text.data(), text.size());
    }
    end += static_cast<int32_t>(text.size());
  }
  offsets[count] = end;
  out.bytes = bytes->data_as<char>();
  out.bytes_buffer = std::move(bytes);
  return out;
}

// Nested values: runs of rows appended by a builder of the type.
arrow::Result<Vector> GatherOther(const Vector& vector, const int32_t* positions,
                                  int64_t count, arrow::MemoryPool* pool) {
  ARROW_ASSIGN_OR_RAISE(auto builder, arrow::MakeBuilder(vector.type, pool));
  const arrow::ArraySpan span(*vector.other->data());
  for (int64_t i = 0; i < count;) {
    int64_t run = 1;
    while (i + run < count && positions[i + run] == positions[i] + run) {
      ++run;
    }
    ARROW_RETURN_NOT_OK(builder->AppendArraySlice(span, positions[i], run));
    i += run;
  }
  Vector out = vector;
  out.length = count;
  out.valid = nullptr;
  out.valid_buffer = nullptr;
  ARROW_RETURN_NOT_OK(builder->Finish(&out.other));
  return out;
}

arrow::Result<Vector> Nulls(const std::shared_ptr<arrow::DataType>& type, int64_t length,
                            arrow::MemoryPool* pool) {
  Vector vector;
  vector.type = type;
  vector.length = length;
  ARROW_RETURN_NOT_OK(AllocateValidity(&vector, 0, pool).status());
  return vector;
}

// The values of an array in place, without their validity; not for booleans.
arrow::Result<Vector> ValuesOf(const std::shared_ptr<arrow::Array>& array,
                               arrow::MemoryPool* pool) {
  const arrow::ArrayData& data = *array->data();
  Vector vector;
  vector.type = data.type;
  vector.type_class = plan::ClassOf(*data.type);
  vector.length = data.length;
  if (vector.type_class == TypeClass::kOther) {
    vector.other = array;
    return vector;
  }
  vector.values_buffer = data.buffers[1];
  if (vector.values_buffer == nullptr || vector.values_buffer->size() == 0) {
    // An empty array may come without its offsets.
    ARROW_ASSIGN_OR_RAISE(vector.values_buffer, arrow::AllocateBuffer(16, pool));
    std::memset(vector.values_buffer->mutable_data(), 0, 16);
    vector.values = vector.values_buffer->data();
  } else {
    vector.values =
        vector.values_buffer->data() + data.offset * WidthOf(vector.type_class);
  }
  if (IsText(vector.type_class)) {
    vector.bytes_buffer = data.buffers[2];
    vector.bytes =
        vector.bytes_buffer == nullptr ? "" : vector.bytes_buffer->data_as<char>();
  }
  return vector;
}

// All rows of an array.
arrow::Result<Vector> Whole(const std::shared_ptr<arrow::Array>& array,
                            arrow::MemoryPool* pool) {
  const arrow::ArrayData& data = *array->data();
  Vector vector;
  if (data.type->id() == arrow::Type::NA) {
    return Nulls(data.type, data.length, pool);
  }
  if (data.type->id() == arrow::Type::BOOL) {
    ARROW_ASSIGN_OR_RAISE(vector, AllocateVector(data.type, data.length, pool));
    if (data.length > 0) {
      BitsToBytes(data.buffers[1]->data(), data.offset, data.length,
                  MutableValues<uint8_t>(vector));
    }
  } else {
    ARROW_ASSIGN_OR_RAISE(vector, ValuesOf(array, pool));
  }
  if (array->null_count() != 0) {
    ARROW_ASSIGN_OR_RAISE(uint8_t * valid, AllocateValidity(&vector, 1, pool));
    if (data.buffers[0] != nullptr) {
      BitsToBytes(data.buffers[0]->data(), data.offset, data.length, valid);
    } else {
      for (int64_t i = 0; i < data.length; ++i) {
        valid[i] = array->IsValid(i) ? 1 : 0;
      }
    }
  }
  return vector;
}

// Some rows of an array; the others are not looked at.
arrow::Result<Vector> Some(const std::shared_ptr<arrow::Array>& array,
                           const int32_t* selection, int64_t count,
                           arrow::MemoryPool* pool) {
  const arrow::ArrayData& data = *array->data();
  Vector vector;
  if (data.type->id() == arrow::Type::NA) {
    return Nulls(data.type, count, pool);
  }
  if (data.type->id() == arrow::Type::BOOL) {
    ARROW_ASSIGN_OR_RAISE(vector, AllocateVector(data.type, count, pool));
    auto* values = MutableValues<uint8_t>(vector);
    for (int64_t i = 0; i < count; ++i) {
      values[i] =
          arrow::bit_util::GetBit(data.buffers[1]->data(), data.offset + selection[i]);
    }
  } else {
    ARROW_ASSIGN_OR_RAISE(const Vector all, ValuesOf(array, pool));
    ARROW_ASSIGN_OR_RAISE(vector, Gather(all, selection, count, pool));
  }
  if (array->null_count() != 0) {
    ARROW_ASSIGN_OR_RAISE(uint8_t * valid, AllocateValidity(&vector, 1, pool));
    for (int64_t i = 0; i < count; ++i) {
      valid[i] = array->IsValid(selection[i]) ? 1 : 0;
    }
  }
  return vector;
}

// Codes of a dictionary as positions in it; a null code is position 0 and invalid.
template <typename Code>
void CodesAsPositions(const arrow::ArrayData& codes, const int32_t* selection,
                      int64_t length, const uint8_t* valid, int32_t* positions) {
  const Code* values = codes.GetValues<Code>(1);
  for (int64_t i = 0; i < length; ++i) {
    const int64_t row = selection == nullptr ? i : selection[i];
    positions[i] =
        valid == nullptr || valid[row] != 0 ? static_cast<int32_t>(values[row]) : 0;
  }
}

arrow::Result<Vector> FromDictionary(const arrow::DictionaryArray& array,
                                     const int32_t* selection, int64_t length,
                                     arrow::MemoryPool* pool) {
  ARROW_ASSIGN_OR_RAISE(Vector dictionary, Whole(array.dictionary(), pool));
  if (dictionary.length == 0) {
    ARROW_ASSIGN_OR_RAISE(Vector nulls, NullVector(dictionary.type, pool));
    return nulls;
  }
  ARROW_ASSIGN_OR_RAISE(const Vector codes, Whole(array.indices(), pool));
  ARROW_ASSIGN_OR_RAISE(auto buffer,
                        arrow::AllocateBuffer(length * sizeof(int32_t), pool));
  auto* positions = buffer->mutable_data_as<int32_t>();
  const arrow::ArrayData& indices = *array.indices()->data();
  switch (indices.type->id()) {
    case arrow::Type::INT8:
    case arrow::Type::UINT8:
      CodesAsPositions<uint8_t>(indices, selection, length, codes.valid, positions);
      break;
    case arrow::Type::INT16:
    case arrow::Type::UINT16:
      CodesAsPositions<uint16_t>(indices, selection, length, codes.valid, positions);
      break;
    case arrow::Type::INT32:
    case arrow::Type::UINT32:
      CodesAsPositions<int32_t>(indices, selection, length, codes.valid, positions);
      break;
    default:
      CodesAsPositions<int64_t>(indices, selection, length, codes.valid, positions);
      break;
  }
  ARROW_ASSIGN_OR_RAISE(Vector out, Gather(dictionary, positions, length, pool));
  if (codes.valid != nullptr) {
    const Vector decoded = out;
    ARROW_ASSIGN_OR_RAISE(uint8_t * valid, AllocateValidity(&out, 1, pool));
    for (int64_t i = 0; i < length; ++i) {
      const int64_t row = selection == nullptr ? i : selection[i];
      valid[i] = codes.valid[row] & (decoded.IsValid(i) ? 1 : 0);
    }
  }
  return out;
}

}  // namespace

int WidthOf(TypeClass type_class) {
  switch (type_class) {
    case TypeClass::kBoolean:
    case TypeClass::kInt8:
      return 1;
    case TypeClass::kInt16:
      return 2;
    case TypeClass::kInt32:
    case TypeClass::kFloat:
    case TypeClass::kDate:
    case TypeClass::kYearMonthInterval:
    case TypeClass::kString:
    case TypeClass::kBinary:
      return 4;
    case TypeClass::kInt64:
    case TypeClass::kDouble:
    case TypeClass::kTimestamp:
    case TypeClass::kTimestampNtz:
    case TypeClass::kDayTimeInterval:
      return 8;
    case TypeClass::kDecimal:
      return 16;
    case TypeClass::kNull:
    case TypeClass::kOther:
      return 0;
  }
  return 0;
}

arrow::Result<Vector> AllocateVector(std::shared_ptr<arrow::DataType> type,
                                     int64_t length, arrow::MemoryPool* pool) {
  Vector vector;
  vector.type_class = plan::ClassOf(*type);
  vector.type = std::move(type);
  vector.length = length;
  const int64_t count = length + (IsText(vector.type_class) ? 1 : 0);
  ARROW_ASSIGN_OR_RAISE(vector.values_buffer,
                        arrow::AllocateBuffer(count * WidthOf(vector.type_class), pool));
  vector.values = vector.values_buffer->data();
  vector.bytes = "";
  return vector;
}

arrow::Result<uint8_t*> AllocateValidity(Vector* vector, uint8_t fill,
                                         arrow::MemoryPool* pool) {
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> buffer,
                        arrow::AllocateBuffer(vector->length, pool));
  uint8_t* valid = buffer->mutable_data();
  if (vector->length > 0) {
    std::memset(valid, fill, static_cast<size_t>(vector->length));
  }
  vector->valid = valid;
  vector->valid_buffer = std::move(buffer);
  return valid;
}

arrow::Result<Vector> NullVector(std::shared_ptr<arrow::DataType> type,
                                 arrow::MemoryPool* pool) {
  const TypeClass c = plan::ClassOf(*type);
  Vector vector;
  if (WidthOf(c) != 0) {
    ARROW_ASSIGN_OR_RAISE(vector, AllocateVector(std::move(type), 1, pool));
    std::memset(vector.values_buffer->mutable_data(), 0,
                static_cast<size_t>(vector.values_buffer->size()));
  } else {
    if (c == TypeClass::kOther) {
      ARROW_ASSIGN_OR_RAISE(vector.other, arrow::MakeArrayOfNull(type, 1, pool));
    }
    vector.type = std::move(type);
    vector.type_class = c;
    vector.length = 1;
  }
  vector.constant = true;
  ARROW_RETURN_NOT_OK(AllocateValidity(&vector, 0, pool).status());
  return vector;
}

arrow::Result<Vector> ConstantVector(const arrow::Scalar& value,
                                     arrow::MemoryPool* pool) {
  if (!value.is_valid) {
    return NullVector(value.type, pool);
  }
  ARROW_ASSIGN_OR_RAISE(const auto array, arrow::MakeArrayFromScalar(value, 1, pool));
  ARROW_ASSIGN_OR_RAISE(Vector vector, Whole(array, pool));
  vector.constant = true;
  return vector;
}

arrow::Result<Vector> VectorFromArray(const std::shared_ptr<arrow::Array>& array,
                                      const int32_t* selection, int64_t length,
                                      arrow::MemoryPool* pool) {
  if (array->type_id() == arrow::Type::DICTIONARY) {
    return FromDictionary(static_cast<const arrow::DictionaryArray&>(*array), selection,
                          length, pool);
  }
  return selection == nullptr ? Whole(array, pool) : Some(array, selection, length, pool);
}

arrow::Result<Vector> Gather(const Vector& vector, const int32_t* positions,
                             int64_t count, arrow::MemoryPool* pool) {
  if (vector.constant) {
    return vector;
  }
  Vector out;
  if (IsText(vector.type_class)) {
    ARROW_ASSIGN_OR_RAISE(out, GatherText(vector, positions, count, pool));
  } else if (vector.type_class == TypeClass::kOther) {
    ARROW_ASSIGN_OR_RAISE(out, GatherOther(vector, positions, count, pool));
  } else if (vector.type_class == TypeClass::kNull) {
    out.type = vector.type;
    out.length = count;
  } else {
    ARROW_ASSIGN_OR_RAISE(out, AllocateVector(vector.type, count, pool));
    GatherWide(WidthOf(vector.type_class), vector.values, positions, count,
               MutableValues<void>(out));
  }
  if (vector.valid != nullptr) {
    ARROW_ASSIGN_OR_RAISE(uint8_t * valid, AllocateValidity(&out, 1, pool));
    GatherValues<uint8_t>(vector.valid, positions, count, valid);
  }
  return out;
}

arrow::Result<std::shared_ptr<arrow::Array>> ToArray(const Vector& vector, int64_t length,
                                                     arrow::MemoryPool* pool) {
  if (vector.constant) {
    if (vector.IsConstantNull()) {
      return arrow::MakeArrayOfNull(vector.type, length, pool);
    }
    ARROW_ASSIGN_OR_RAISE(const auto scalar, ToScalar(vector, 0, pool));
    return arrow::MakeArrayFromScalar(*scalar, length, pool);
  }
  if (vector.type_class == TypeClass::kNull) {
    return arrow::MakeArrayOfNull(vector.type, length, pool);
  }
  if (vector.type_class == TypeClass::kOther) {
    return vector.other;
  }
  std::shared_ptr<arrow::Buffer> bitmap;
  int64_t null_count = 0;
  if (vector.valid != nullptr) {
    ARROW_ASSIGN_OR_RAISE(
        bitmap, arrow::AllocateBuffer(arrow::bit_util::BytesForBits(length), pool));
    null_count = length - BytesToBits(vector.valid, length, bitmap->mutable_data());
    if (null_count == 0) {
      bitmap = nullptr;
    }
  }
  std::shared_ptr<arrow::Buffer> values;
  if (vector.type_class == TypeClass::kBoolean) {
    ARROW_ASSIGN_OR_RAISE(
        values, arrow::AllocateBuffer(arrow::bit_util::BytesForBits(length), pool));
    BytesToBits(vector.Values<uint8_t>(), length, values->mutable_data());
  } else {
    const int64_t count = length + (IsText(vector.type_class) ? 1 : 0);
    values = arrow::SliceBuffer(vector.values_buffer,
                                vector.Values<uint8_t>() - vector.values_buffer->data(),
                                count * WidthOf(vector.type_class));
  }
  auto data = arrow::ArrayData::Make(vector.type, length,
                                     {std::move(bitmap), std::move(values)}, null_count);
  if (IsText(vector.type_class)) {
    std::shared_ptr<arrow::Buffer> bytes = vector.bytes_buffer;
    if (bytes == nullptr) {
      ARROW_ASSIGN_OR_RAISE(bytes, arrow::AllocateBuffer(0, pool));
    }
    data->buffers.push_back(std::move(bytes));
  }
  return arrow::MakeArray(std::move(data));
}

arrow::Result<std::shared_ptr<arrow::Scalar>> ToScalar(const Vector& vector, int64_t i,
                                                       arrow::MemoryPool* pool) {
  if (!vector.IsValid(i)) {
    return arrow::MakeNullScalar(vector.type);
  }
  const auto position = static_cast<int32_t>(vector.At(i));
  Vector one = vector;
  one.constant = false;
  ARROW_ASSIGN_OR_RAISE(one, Gather(one, &position, 1, pool));
  ARROW_ASSIGN_OR_RAISE(const auto array, ToArray(one, 1, pool));
  return array->GetScalar(0);
}

struct TextBuilder::State {
  std::shared_ptr<arrow::DataType> type;
  arrow::MemoryPool* pool;
  Vector vector;
  arrow::BufferBuilder bytes;
  int64_t values = 0;
};

arrow::Result<TextBuilder> TextBuilder::Make(std::shared_ptr<arrow::DataType> type,
                                             int64_t length, arrow::MemoryPool* pool) {
  ARROW_ASSIGN_OR_RAISE(Vector vector, AllocateVector(type, length, pool));
  MutableValues<int32_t>(vector)[0] = 0;
  auto state = std::make_unique<State>(
      State{std::move(type), pool, std::move(vector), arrow::BufferBuilder(pool)});
  return TextBuilder(std::move(state));
}

TextBuilder::TextBuilder(std::unique_ptr<State> state) : state_(std::move(state)) {}
TextBuilder::TextBuilder(TextBuilder&&) noexcept = default;
TextBuilder& TextBuilder::operator=(TextBuilder&&) noexcept = default;
TextBuilder::~TextBuilder() = default;

arrow::Status TextBuilder::Piece(std::string_view text) {
  if (text.empty()) {
    return arrow::Status::OK();  // it may have no address to copy from
  }
  const auto size = static_cast<int64_t>(text.size());
  if (state_->bytes.length() + size > std::numeric_limits<int32_t>::max()) {
    return core::Error(core::ErrorKind::kUnsupported,
                       "more than 2 GiB of text in one batch; use smaller batches");
  }
  return state_->bytes.Append(text.data(), size);
}

void TextBuilder::EndValue() {
  MutableValues<int32_t>(state_->vector)[++state_->values] =
      static_cast<int32_t>(state_->bytes.length());
}

arrow::Result<Vector> TextBuilder::Finish() {
  Vector vector = std::move(state_->vector);
  ARROW_ASSIGN_OR_RAISE(vector.bytes_buffer, state_->bytes.Finish());
  vector.bytes = vector.bytes_buffer->data_as<char>();
  return vector;
}

}  // namespace wheelpit::exec::expr
