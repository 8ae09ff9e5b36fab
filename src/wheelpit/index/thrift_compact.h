// SPDX-License-Identifier: Apache-2.0
// Reader of the Thrift compact protocol, for the structs that Parquet keeps in its files.
// Format:
// https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md
//
// Bytes are hostile. A reader never looks past its end; the first thing that does not
// fit makes it fail for good: from then on every read gives zero, every loop over fields
// ends, and ok() is false. Callers decode on and check once. Every list is at most as
// long as the bytes that are left, so work and memory are linear in the input. One
// thread.
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>

namespace wheelpit::index {

enum class ThriftType : uint8_t {
  kStop = 0,
  kTrue = 1,
  kFalse = 2,
  kByte = 3,
  kI16 = 4,
  kI32 = 5,
  kI64 = 6,
  kDouble = 7,
  kBinary = 8,
  kList = 9,
  kSet = 10,
  kMap = 11,
  kStruct = 12,
  kUuid = 13,
};

/// One field's header. Default-made before a struct's first field; ids are relative to
/// the one before.
struct ThriftField {
  int16_t id = 0;
  ThriftType type = ThriftType::kStop;

  bool is_bool() const { return type == ThriftType::kTrue || type == ThriftType::kFalse; }
};

class ThriftReader {
 public:
  /// Structs and containers within each other beyond this fail.
  static constexpr int kDepthMax = 64;

  /// `bytes` must outlive the reader and every view that it gives.
  explicit ThriftReader(std::string_view bytes)
      : begin_(reinterpret_cast<const uint8_t*>(bytes.data())),
        at_(begin_),
        end_(begin_ + bytes.size()) {}

  bool ok() const { return !failed_; }
  /// Bytes consumed so far.
  int64_t position() const { return at_ - begin_; }
  int64_t remaining() const { return end_ - at_; }

  /// The next field of the struct being read; false at its end or after a failure. What
  /// the caller does not know it must Skip.
  bool NextField(ThriftField* field) {
    const uint8_t header = ReadByte();
    field->type = static_cast<ThriftType>(header & 0x0f);
    if (field->type == ThriftType::kStop) {
      if (header != 0) Fail();
      return false;
    }
    if (const int delta = header >> 4; delta != 0) {
      const int id = field->id + delta;
      if (id > std::numeric_limits<int16_t>::max()) Fail();
      field->id = static_cast<int16_t>(id);
    } else {
      field->id = ReadI16();
    }
    return !failed_;
  }

  int16_t ReadI16() { return ReadNarrow<int16_t>(); }
  int32_t ReadI32() { return ReadNarrow<int32_t>(); }
  int64_t ReadI64() {
    const uint64_t raw = ReadVarint();
    return static_cast<int64_t>(raw >> 1) ^ -static_cast<int64_t>(raw & 1);
  }
  uint8_t ReadByte() {
    if (at_ == end_) {
      failed_ = true;
      return 0;
    }
    return *at_++;
  }

  std::string_view ReadBinary() {
    const uint64_t size = ReadVarint();
    if (size > static_cast<uint64_t>(remaining())) {
      Fail();
      return {};
    }
    const char* data = reinterpret_cast<const char*>(at_);
    at_ += size;
    return {data, static_cast<size_t>(size)};
  }

  /// The number of elements of a list or set, 0 after a failure: at most remaining().
  int64_t ReadListHeader(ThriftType* element) {
    const uint8_t header = ReadByte();
    *element = static_cast<ThriftType>(header & 0x0f);
    const uint64_t count = (header >> 4) == 15 ? ReadVarint() : header >> 4;
    return CheckCount(count);
  }

  /// Passes over a field's value.
  void Skip(ThriftType type) { SkipValue(type, /*in_container=*/false, kDepthMax); }
  /// Passes over one element of a list, set or map.
  void SkipElement(ThriftType type) { SkipValue(type, /*in_container=*/true, kDepthMax); }

  /// Goes on `size` bytes further.
  void SkipBytes(int64_t size) { Advance(size); }

  void Fail() {
    failed_ = true;
    at_ = end_;
  }

 private:
  uint64_t ReadVarint() {
    if (at_ != end_ && *at_ < 0x80) return *at_++;
    return ReadLongVarint();
  }
  template <typename T>
  T ReadNarrow() {
    const int64_t value = ReadI64();
    if (value < std::numeric_limits<T>::min() || value > std::numeric_limits<T>::max()) {
      Fail();
      return 0;
    }
    return static_cast<T>(value);
  }
  // Every element takes at least one byte.
  int64_t CheckCount(uint64_t count) {
    if (count > static_cast<uint64_t>(remaining())) {
      Fail();
      return 0;
    }
    return static_cast<int64_t>(count);
  }
  void Advance(int64_t size) {
    if (size > remaining()) {
      Fail();
    } else {
      at_ += size;
    }
  }
  uint64_t ReadLongVarint();
  void SkipValue(ThriftType type, bool in_container, int depth_left);
  void SkipMap(int depth_left);

  const uint8_t* begin_;
  const uint8_t* at_;
  const uint8_t* end_;
  bool failed_ = false;
};

}  // namespace wheelpit::index
