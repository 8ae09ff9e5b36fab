// SPDX-License-Identifier: Apache-2.0
// What the encoder and the decoder of keys agree on: which form a type has, and how a
// value of fixed width becomes an unsigned number that orders as the value does.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <type_traits>

#include <arrow/type.h>
#include <arrow/util/endian.h>

namespace wheelpit::exec {

__extension__ using KeyUint128 = unsigned __int128;

enum class KeyForm : uint8_t {
  kNull,  ///< no value byte
  kBoolean,
  kInt8,
  kInt16,
  kInt32,
  kInt64,
  kDecimal64,  ///< decimal128 of at most 18 digits: its low half
  kDecimal128,
  kFloat,
  kDouble,
  kText,
};

/// None for what cannot be a key.
inline std::optional<KeyForm> KeyFormOf(const arrow::DataType& type) {
  constexpr int kDigitsOfInt64 = 18;
  switch (type.id()) {
    case arrow::Type::NA:
      return KeyForm::kNull;
    case arrow::Type::BOOL:
      return KeyForm::kBoolean;
    case arrow::Type::INT8:
      return KeyForm::kInt8;
    case arrow::Type::INT16:
      return KeyForm::kInt16;
    case arrow::Type::INT32:
    case arrow::Type::DATE32:
    case arrow::Type::INTERVAL_MONTHS:
      return KeyForm::kInt32;
    case arrow::Type::INT64:
    case arrow::Type::TIMESTAMP:
    case arrow::Type::DURATION:
      return KeyForm::kInt64;
    case arrow::Type::DECIMAL128:
      return static_cast<const arrow::DecimalType&>(type).precision() <= kDigitsOfInt64
                 ? KeyForm::kDecimal64
                 : KeyForm::kDecimal128;
    case arrow::Type::FLOAT:
      return KeyForm::kFloat;
    case arrow::Type::DOUBLE:
      return KeyForm::kDouble;
    case arrow::Type::STRING:
    case arrow::Type::BINARY:
    case arrow::Type::LARGE_STRING:
    case arrow::Type::LARGE_BINARY:
    case arrow::Type::STRING_VIEW:
    case arrow::Type::BINARY_VIEW:
      return KeyForm::kText;
    default:
      return std::nullopt;
  }
}

/// The bytes before a value and in the place of one.
struct KeyNullBytes {
  uint8_t value = 1;
  uint8_t null = 0;
  explicit KeyNullBytes(bool nulls_first) : null(nulls_first ? 0 : 2) {}
};

// Text: a zero byte is followed by kEscapedZero, the end is two zero bytes.
inline constexpr uint8_t kEscapedZero = 0xFF;
inline constexpr int64_t kTextEndBytes = 2;

/// The number whose big-endian bytes stand for a value, and back.
template <typename T>
struct KeyNumber {
  using Bits = std::make_unsigned_t<T>;
  static constexpr Bits kSign = static_cast<Bits>(Bits{1} << (sizeof(T) * 8 - 1));
  static Bits Of(T value) { return static_cast<Bits>(static_cast<Bits>(value) ^ kSign); }
  static T Back(Bits bits) { return static_cast<T>(bits ^ kSign); }
};

template <typename Float, typename Word>
struct KeyNumberOfFloat {
  using Bits = Word;
  static constexpr Bits kSign = Bits{1} << (sizeof(Bits) * 8 - 1);
  static Bits Of(Float value) {
    if (value != value) {
      value = std::numeric_limits<Float>::quiet_NaN();
    }
    const auto bits = std::bit_cast<Bits>(value + Float{0});  // -0.0 + 0.0 is 0.0
    return (bits & kSign) != 0 ? ~bits : bits ^ kSign;
  }
  static Float Back(Bits bits) {
    return std::bit_cast<Float>((bits & kSign) != 0 ? bits ^ kSign : ~bits);
  }
};

template <>
struct KeyNumber<float> : KeyNumberOfFloat<float, uint32_t> {};
template <>
struct KeyNumber<double> : KeyNumberOfFloat<double, uint64_t> {};

struct KeyInt128 {
  uint64_t low = 0;
  uint64_t high = 0;
};

template <>
struct KeyNumber<KeyInt128> {
  using Bits = KeyUint128;
  static constexpr uint64_t kSign = uint64_t{1} << 63;
  static Bits Of(KeyInt128 value) { return Bits{value.high ^ kSign} << 64 | value.low; }
  static KeyInt128 Back(Bits bits) {
    return {static_cast<uint64_t>(bits), static_cast<uint64_t>(bits >> 64) ^ kSign};
  }
};

template <typename Bits>
void StoreBigEndian(Bits bits, uint8_t* out) {
  bits = arrow::bit_util::ToBigEndian(bits);
  std::memcpy(out, &bits, sizeof(bits));
}
inline void StoreBigEndian(KeyUint128 bits, uint8_t* out) {
  StoreBigEndian(static_cast<uint64_t>(bits >> 64), out);
  StoreBigEndian(static_cast<uint64_t>(bits), out + 8);
}

template <typename Bits>
Bits LoadBigEndian(const uint8_t* in) {
  if constexpr (std::is_same_v<Bits, KeyUint128>) {
    return Bits{LoadBigEndian<uint64_t>(in)} << 64 | LoadBigEndian<uint64_t>(in + 8);
  } else {
    Bits bits;
    std::memcpy(&bits, in, sizeof(bits));
    return arrow::bit_util::FromBigEndian(bits);
  }
}

}  // namespace wheelpit::exec
