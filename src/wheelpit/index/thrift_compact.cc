// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/index/thrift_compact.h"

namespace wheelpit::index {

uint64_t ThriftReader::ReadLongVarint() {
  uint64_t value = 0;
  for (int shift = 0; shift < 70; shift += 7) {
    const uint8_t byte = ReadByte();
    if (shift == 63 && byte > 1) break;
    value |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if ((byte & 0x80) == 0) return failed_ ? 0 : value;
  }
  Fail();
  return 0;
}

void ThriftReader::SkipMap(int depth_left) {
  const int64_t count = CheckCount(ReadVarint());
  if (count == 0) return;
  const uint8_t types = ReadByte();
  for (int64_t i = 0; i < count && ok(); ++i) {
    SkipValue(static_cast<ThriftType>(types >> 4), true, depth_left);
    SkipValue(static_cast<ThriftType>(types & 0x0f), true, depth_left);
  }
}

void ThriftReader::SkipValue(ThriftType type, bool in_container, int depth_left) {
  switch (type) {
    case ThriftType::kTrue:
    case ThriftType::kFalse:
      // A boolean field's value is its type; an element has a byte of its own.
      if (in_container) Advance(1);
      return;
    case ThriftType::kByte:
      return Advance(1);
    case ThriftType::kI16:
    case ThriftType::kI32:
    case ThriftType::kI64:
      ReadVarint();
      return;
    case ThriftType::kDouble:
      return Advance(8);
    case ThriftType::kUuid:
      return Advance(16);
    case ThriftType::kBinary:
      ReadBinary();
      return;
    default:
      break;
  }
  if (depth_left == 0) return Fail();
  switch (type) {
    case ThriftType::kList:
    case ThriftType::kSet: {
      ThriftType element;
      const int64_t count = ReadListHeader(&element);
      for (int64_t i = 0; i < count && ok(); ++i) {
        SkipValue(element, true, depth_left - 1);
      }
      return;
    }
    case ThriftType::kMap:
      return SkipMap(depth_left - 1);
    case ThriftType::kStruct:
      for (ThriftField field; NextField(&field);) {
        SkipValue(field.type, false, depth_left - 1);
      }
      return;
    default:
      return Fail();
  }
}

}  // namespace wheelpit::index
