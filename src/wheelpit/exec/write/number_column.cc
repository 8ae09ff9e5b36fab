// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>

#include <arrow/array/data.h>
#include <arrow/type.h>
#include <arrow/util/bit_util.h>
#include <parquet/schema.h>

#include "wheelpit/exec/write/value_columns.h"

namespace wheelpit::exec {

namespace {

// The least and the largest of numbers; NaN is neither.
template <typename Number>
class Limits {
 public:
  void Add(const Number* numbers, int64_t count) {
    Number low = low_;
    Number high = high_;
    for (int64_t i = 0; i < count; ++i) {
      low = numbers[i] < low ? numbers[i] : low;
      high = numbers[i] > high ? numbers[i] : high;
    }
    low_ = low;
    high_ = high;
    any_ = low_ <= high_;
  }
  void Add(const Limits& other) {
    low_ = std::min(low_, other.low_);
    high_ = std::max(high_, other.high_);
    any_ |= other.any_;
  }
  void Put(parquet::EncodedStatistics* out) const {
    if (!any_) {
      return;
    }
    Number low = low_;
    Number high = high_;
    if constexpr (std::is_floating_point_v<Number>) {
      // A zero may be of either sign.
      low = low == 0 ? -Number{0} : low;
      high = high == 0 ? Number{0} : high;
    }
    out->set_min(Bytes(low));
    out->set_max(Bytes(high));
    out->is_min_value_exact = out->is_max_value_exact = true;
  }

 private:
  static std::string Bytes(Number number) {
    return {reinterpret_cast<const char*>(&number), sizeof(number)};
  }
  using Range = std::numeric_limits<Number>;
  Number low_ = Range::has_infinity ? Range::infinity() : Range::max();
  Number high_ = Range::has_infinity ? -Range::infinity() : Range::lowest();
  bool any_ = false;
};

// Codes of numbers, by their bits.
template <typename Bits>
class NumberCodes {
 public:
  explicit NumberCodes(arrow::MemoryPool* pool) : entries_(pool), slots_(pool) {}

  int64_t count() const { return entries_.length(); }
  const Bits* entries() const { return entries_.data(); }

  /// There is room for `more` after that.
  arrow::Status Reserve(int64_t more) {
    ARROW_RETURN_NOT_OK(entries_.Reserve(more));
    const int64_t slots = SlotsFor(count() + more);
    if (slots <= slots_.length()) {
      return arrow::Status::OK();
    }
    slots_.Reset();
    ARROW_RETURN_NOT_OK(slots_.Append(slots, 0));
    shift_ = 64 - std::countr_zero(static_cast<uint64_t>(slots));
    mask_ = static_cast<uint64_t>(slots - 1);
    for (int64_t code = 0; code < count(); ++code) {
      *SlotOf(entries_.data()[code]) = static_cast<uint16_t>(code + 1);
    }
    return arrow::Status::OK();
  }

  uint16_t CodeOf(Bits bits) {
    uint16_t* const slot = SlotOf(bits);
    if (*slot == 0) {
      entries_.UnsafeAppend(bits);
      *slot = static_cast<uint16_t>(count());
    }
    return static_cast<uint16_t>(*slot - 1);
  }

  void Clear() {
    entries_.Reset();
    slots_.Reset();
  }

 private:
  // Where it is, or where it goes.
  uint16_t* SlotOf(Bits bits) {
    constexpr uint64_t kSpread = 0x9E3779B97F4A7C15;
    uint64_t at = (uint64_t{bits} * kSpread) >> shift_;
    uint16_t* const slots = slots_.mutable_data();
    while (slots[at] != 0 && entries_.data()[slots[at] - 1] != bits) {
      at = (at + 1) & mask_;
    }
    return slots + at;
  }

  arrow::TypedBufferBuilder<Bits> entries_;
  arrow::TypedBufferBuilder<uint16_t> slots_;  // code + 1; 0: empty
  int shift_ = 0;
  uint64_t mask_ = 0;
};

// `Number` is what the file holds.
template <typename Number>
class NumberColumn final : public ParquetColumn {
 public:
  using Bits = std::conditional_t<sizeof(Number) == 4, uint32_t, uint64_t>;

  NumberColumn(arrow::Type::type source, const parquet::ColumnDescriptor* descriptor,
               const Options& options)
      : ParquetColumn(descriptor, options, /*coding=*/true),
        source_(source),
        dictionary_(options.compressor->pool()),
        entries_max_(
            std::min(kEntriesMax, options.dictionary_bytes / int64_t{sizeof(Number)})) {}

 private:
  bool HasRoom(const arrow::ArrayData& /*rows*/, int64_t /*begin*/,
               int64_t count) override {
    return dictionary_.count() + count <= entries_max_;
  }

  arrow::Status Take(const arrow::ArrayData& rows, int64_t begin,
                     int64_t count) override {
    const std::span<const Number> numbers = Numbers(rows, rows.offset + begin, count);
    page_limits_.Add(numbers.data(), std::ssize(numbers));
    if (!coding_) {
      return values_.Append(numbers.data(),
                            std::ssize(numbers) * int64_t{sizeof(Number)});
    }
    ARROW_RETURN_NOT_OK(dictionary_.Reserve(std::ssize(numbers)));
    ARROW_RETURN_NOT_OK(codes_.Reserve(std::ssize(numbers)));
    for (const Number number : numbers) {
      codes_.UnsafeAppend(dictionary_.CodeOf(std::bit_cast<Bits>(number)));
    }
    return arrow::Status::OK();
  }

  // Those that are not null, side by side.
  std::span<const Number> Numbers(const arrow::ArrayData& rows, int64_t first,
                                  int64_t count) {
    switch (source_) {
      case arrow::Type::INT8:
        return Converted<int8_t>(rows, first, count);
      case arrow::Type::INT16:
        return Converted<int16_t>(rows, first, count);
      case arrow::Type::DECIMAL128:
        return Converted<Decimal>(rows, first, count);
      default: {
        const auto* numbers =
            reinterpret_cast<const Number*>(rows.buffers[1]->data()) + first;
        return rows.MayHaveNulls() ? Converted<Number>(rows, first, count)
                                   : std::span(numbers, static_cast<size_t>(count));
      }
    }
  }

  // Of its two words the first, where it fits into one.
  struct Decimal {
    uint64_t low;
    uint64_t high;
    explicit operator Number() const { return static_cast<Number>(low); }
  };

  template <typename From>
  std::span<const Number> Converted(const arrow::ArrayData& rows, int64_t first,
                                    int64_t count) {
    const auto* from = reinterpret_cast<const From*>(rows.buffers[1]->data()) + first;
    if (!rows.MayHaveNulls()) {
      for (int64_t i = 0; i < count; ++i) {
        piece_[i] = static_cast<Number>(from[i]);
      }
      return {piece_, static_cast<size_t>(count)};
    }
    size_t valid = 0;
    for (int64_t i = 0; i < count; ++i) {
      piece_[valid] = static_cast<Number>(from[i]);
      valid += arrow::bit_util::GetBit(rows.buffers[0]->data(), first + i) ? 1 : 0;
    }
    return {piece_, valid};
  }

  arrow::Status AppendUncoded() override {
    ARROW_RETURN_NOT_OK(values_.Reserve(codes_.length() * int64_t{sizeof(Number)}));
    for (int64_t i = 0; i < codes_.length(); ++i) {
      values_.UnsafeAppend(dictionary_.entries() + codes_.data()[i], sizeof(Number));
    }
    return arrow::Status::OK();
  }

  int64_t entry_count() const override { return dictionary_.count(); }
  std::string_view entries() const override {
    return {reinterpret_cast<const char*>(dictionary_.entries()),
            static_cast<size_t>(dictionary_.count()) * sizeof(Number)};
  }
  void ForgetEntries() override { dictionary_.Clear(); }

  void TakePageLimits(parquet::EncodedStatistics* page) override {
    page_limits_.Put(page);
    chunk_limits_.Add(std::exchange(page_limits_, {}));
  }
  void TakeChunkLimits(parquet::EncodedStatistics* chunk) override {
    std::exchange(chunk_limits_, {}).Put(chunk);
  }

  const arrow::Type::type source_;
  NumberCodes<Bits> dictionary_;
  const int64_t entries_max_;
  Limits<Number> page_limits_;
  Limits<Number> chunk_limits_;
  Number piece_[kPieceRows];
};

}  // namespace

std::unique_ptr<ParquetColumn> MakeNumberColumn(
    const arrow::DataType& type, const parquet::ColumnDescriptor* descriptor,
    const ParquetColumn::Options& options) {
  switch (descriptor->physical_type()) {
    case parquet::Type::INT32:
      return std::make_unique<NumberColumn<int32_t>>(type.id(), descriptor, options);
    case parquet::Type::INT64:
      return std::make_unique<NumberColumn<int64_t>>(type.id(), descriptor, options);
    case parquet::Type::FLOAT:
      return std::make_unique<NumberColumn<float>>(type.id(), descriptor, options);
    case parquet::Type::DOUBLE:
      return std::make_unique<NumberColumn<double>>(type.id(), descriptor, options);
    default:
      return nullptr;
  }
}

bool ParquetColumn::Takes(const arrow::DataType& type) {
  switch (type.id()) {
    case arrow::Type::INT8:
    case arrow::Type::INT16:
    case arrow::Type::INT32:
    case arrow::Type::INT64:
    case arrow::Type::FLOAT:
    case arrow::Type::DOUBLE:
    case arrow::Type::DATE32:
    case arrow::Type::STRING:
    case arrow::Type::BINARY:
      return true;
    case arrow::Type::TIMESTAMP:
      return static_cast<const arrow::TimestampType&>(type).unit() ==
             arrow::TimeUnit::MICRO;
    case arrow::Type::DECIMAL128:
      return static_cast<const arrow::DecimalType&>(type).precision() <= 18;
    default:
      return false;
  }
}

std::unique_ptr<ParquetColumn> ParquetColumn::Make(
    const arrow::DataType& type, const parquet::ColumnDescriptor* descriptor,
    const Options& options) {
  return descriptor->physical_type() == parquet::Type::BYTE_ARRAY
             ? MakeTextColumn(type, descriptor, options)
             : MakeNumberColumn(type, descriptor, options);
}

}  // namespace wheelpit::exec
