// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/index/statistics.h"

#include <bit>
#include <cstring>
#include <limits>
#include <optional>

#include <arrow/type.h>
#include <parquet/schema.h>
#include <parquet/types.h>

namespace wheelpit::index {

namespace {

using Kind = Comparable::Kind;

static_assert(std::endian::native == std::endian::little,
              "PLAIN values are read as they lie");

enum class Rounding : uint8_t { kDown, kUp };

template <typename T>
std::optional<T> Load(std::string_view bytes) {
  if (bytes.size() != sizeof(T)) {
    return std::nullopt;
  }
  T value;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

std::optional<arrow::Decimal128> LoadBigEndian(std::string_view bytes) {
  constexpr size_t kBytesMax = 16;
  if (bytes.empty() || bytes.size() > kBytesMax) {
    return std::nullopt;
  }
  const auto value = arrow::Decimal128::FromBigEndian(
      reinterpret_cast<const uint8_t*>(bytes.data()), static_cast<int32_t>(bytes.size()));
  return value.ok() ? std::optional(*value) : std::nullopt;
}

// Whole numbers of up to 64 bits; what does not fit int64_t is left out.
std::optional<int64_t> LoadInteger(ParquetBounds bounds, std::string_view bytes) {
  switch (bounds) {
    case ParquetBounds::kBoolean: {
      const auto value = Load<uint8_t>(bytes);
      return value ? std::optional<int64_t>(*value != 0) : std::nullopt;
    }
    case ParquetBounds::kInt32: {
      const auto value = Load<int32_t>(bytes);
      return value ? std::optional<int64_t>(*value) : std::nullopt;
    }
    case ParquetBounds::kUint32: {
      const auto value = Load<uint32_t>(bytes);
      return value ? std::optional<int64_t>(*value) : std::nullopt;
    }
    case ParquetBounds::kInt64:
      return Load<int64_t>(bytes);
    default:
      return std::nullopt;
  }
}

// To microseconds, outwards: the scan may round a nanosecond either way.
std::optional<int64_t> ToMicros(int64_t value, int32_t units_of_micro,
                                Rounding rounding) {
  if (units_of_micro < 0) {
    int64_t micros;
    return __builtin_mul_overflow(value, -int64_t{units_of_micro}, &micros)
               ? std::nullopt
               : std::optional(micros);
  }
  const int64_t quotient = value / units_of_micro;
  const int64_t remainder = value % units_of_micro;
  if (remainder == 0) {
    return quotient;
  }
  const bool down = rounding == Rounding::kDown;
  return quotient + (remainder > 0 ? (down ? 0 : 1) : (down ? -1 : 0));
}

Comparable Decode(const BoundsReader& reader, std::string_view bytes, Rounding rounding) {
  Comparable out;
  switch (reader.bounds) {
    case ParquetBounds::kNone:
      return out;
    case ParquetBounds::kFloat:
    case ParquetBounds::kDouble: {
      const auto single = Load<float>(bytes);
      const auto value = single ? std::optional<double>(*single) : Load<double>(bytes);
      if (!value || *value != *value) {
        return out;  // a NaN bounds nothing
      }
      out.floating = *value;
      break;
    }
    case ParquetBounds::kBytes:
      out.bytes = bytes;
      break;
    case ParquetBounds::kDecimal: {
      const auto value = LoadBigEndian(bytes);
      if (!value) {
        return out;
      }
      out.decimal = *value;
      break;
    }
    case ParquetBounds::kUint64: {
      const auto value = Load<uint64_t>(bytes);
      if (!value) {
        return out;
      }
      out.decimal = arrow::Decimal128(0, *value);
      break;
    }
    default: {
      std::optional<int64_t> value = LoadInteger(reader.bounds, bytes);
      if (value && reader.units_of_micro != 1) {
        value = ToMicros(*value, reader.units_of_micro, rounding);
      }
      if (!value) {
        return out;
      }
      out.integer = *value;
      out.decimal = arrow::Decimal128(*value);
    }
  }
  out.kind = reader.kind;
  out.scale = reader.scale;
  return out;
}

int32_t UnitsOfMicro(const parquet::ColumnDescriptor& leaf) {
  const auto& logical = leaf.logical_type();
  if (logical != nullptr && logical->is_timestamp()) {
    switch (static_cast<const parquet::TimestampLogicalType&>(*logical).time_unit()) {
      case parquet::LogicalType::TimeUnit::MILLIS:
        return -1000;
      case parquet::LogicalType::TimeUnit::NANOS:
        return 1000;
      default:
        return 1;
    }
  }
  return leaf.converted_type() == parquet::ConvertedType::TIMESTAMP_MILLIS ? -1000 : 1;
}

// What values of an Arrow type are compared as, given how their bounds are written;
// kNone where the two do not go together.
Kind KindOf(const arrow::DataType& type, ParquetBounds bounds) {
  const bool whole = bounds == ParquetBounds::kInt32 || bounds == ParquetBounds::kInt64 ||
                     bounds == ParquetBounds::kUint32;
  switch (type.id()) {
    case arrow::Type::BOOL:
      return bounds == ParquetBounds::kBoolean ? Kind::kBoolean : Kind::kNone;
    case arrow::Type::INT8:
    case arrow::Type::INT16:
    case arrow::Type::INT32:
    case arrow::Type::INT64:
      return whole ? Kind::kInteger : Kind::kNone;
    case arrow::Type::FLOAT:
    case arrow::Type::DOUBLE:
      return bounds == ParquetBounds::kFloat || bounds == ParquetBounds::kDouble
                 ? Kind::kFloating
                 : Kind::kNone;
    case arrow::Type::DECIMAL128:
      return whole || bounds == ParquetBounds::kDecimal ||
                     bounds == ParquetBounds::kUint64
                 ? Kind::kDecimal
                 : Kind::kNone;
    case arrow::Type::DATE32:
      return bounds == ParquetBounds::kInt32 ? Kind::kDate : Kind::kNone;
    case arrow::Type::TIMESTAMP: {
      const bool local =
          static_cast<const arrow::TimestampType&>(type).timezone().empty();
      return bounds != ParquetBounds::kInt64 ? Kind::kNone
             : local                         ? Kind::kLocal
                                             : Kind::kInstant;
    }
    case arrow::Type::STRING:
    case arrow::Type::BINARY:
      return bounds == ParquetBounds::kBytes ? Kind::kBytes : Kind::kNone;
    default:
      return Kind::kNone;
  }
}

}  // namespace

BoundsReader BoundsReader::Make(const ParquetSchema& schema, int field) {
  BoundsReader reader;
  const int first = schema.first_leaf[static_cast<size_t>(field)];
  const int end = schema.first_leaf[static_cast<size_t>(field) + 1];
  const arrow::DataType& type = *schema.arrow->field(field)->type();
  if (end != first + 1 || type.num_fields() > 0) {
    return reader;
  }
  const ParquetLeaf& leaf = schema.leaves[static_cast<size_t>(first)];
  if (leaf.max_repetition_level > 0) {
    return reader;
  }
  reader.leaf = first;
  reader.bounds = leaf.bounds;
  reader.kind = KindOf(type, leaf.bounds);
  reader.floating = type.id() == arrow::Type::FLOAT || type.id() == arrow::Type::DOUBLE;
  if (reader.kind == Kind::kDecimal) {
    reader.scale = static_cast<const arrow::Decimal128Type&>(type).scale();
  }
  if (reader.kind == Kind::kInstant || reader.kind == Kind::kLocal) {
    reader.units_of_micro = UnitsOfMicro(*schema.descriptor->Column(first));
  }
  return reader;
}

ColumnRange BoundsReader::Read(const ParquetRowGroup& row_group) const {
  ColumnRange range;
  range.may_have_nan = floating;
  if (leaf < 0 || static_cast<size_t>(leaf) >= row_group.chunks.size()) {
    return range;
  }
  const ParquetChunk& chunk = row_group.chunks[static_cast<size_t>(leaf)];
  if (chunk.null_count >= 0) {
    range.may_have_null = chunk.null_count > 0;
    range.may_have_value = chunk.null_count < row_group.row_count;
  }
  if (chunk.has_min_max && kind != Kind::kNone) {
    range.min = Decode(*this, chunk.min, Rounding::kDown);
    range.max = Decode(*this, chunk.max, Rounding::kUp);
  }
  return range;
}

ColumnRange BoundsReader::ReadPage(const PageValues& page, int64_t row_count) const {
  if (page.only_null) {
    return ColumnRange::OnlyNulls();
  }
  ColumnRange range;
  range.may_have_nan = floating;
  if (page.null_count >= 0) {
    range.may_have_null = page.null_count > 0;
    range.may_have_value = page.null_count < row_count;
  }
  if (page.has_min_max && kind != Kind::kNone) {
    range.min = Decode(*this, page.min, Rounding::kDown);
    range.max = Decode(*this, page.max, Rounding::kUp);
  }
  return range;
}

}  // namespace wheelpit::index
