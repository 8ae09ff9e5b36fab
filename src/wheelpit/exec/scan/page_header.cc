// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/exec/scan/page_header.h"

#include "wheelpit/core/error.h"
#include "wheelpit/index/thrift_compact.h"

namespace wheelpit::exec {

namespace {

using index::ThriftField;
using index::ThriftReader;
using index::ThriftType;

// Gives each i32 field of a struct to `take(id, value)` and each boolean to
// `take(id, 0 or 1)`; passes over the rest.
template <typename Take>
void ReadNumbers(ThriftReader& reader, Take take) {
  for (ThriftField field; reader.NextField(&field);) {
    if (field.type == ThriftType::kI32) {
      take(field.id, reader.ReadI32());
    } else if (field.is_bool()) {
      take(field.id, field.type == ThriftType::kTrue ? 1 : 0);
    } else {
      reader.Skip(field.type);
    }
  }
}

void ReadData(ThriftReader& reader, PageHeader* out) {
  ReadNumbers(reader, [&](int16_t id, int32_t value) {
    if (id == 1) out->value_count = value;
    if (id == 2) out->encoding = value;
    if (id == 3) out->definition_encoding = value;
  });
}

void ReadDataV2(ThriftReader& reader, PageHeader* out) {
  ReadNumbers(reader, [&](int16_t id, int32_t value) {
    if (id == 1) out->value_count = value;
    if (id == 4) out->encoding = value;
    if (id == 5) out->definition_bytes = value;
    if (id == 6) out->repetition_bytes = value;
    if (id == 7) out->is_compressed = value != 0;
  });
}

void ReadDictionary(ThriftReader& reader, PageHeader* out) {
  ReadNumbers(reader, [&](int16_t id, int32_t value) {
    if (id == 1) out->value_count = value;
    if (id == 2) out->encoding = value;
  });
}

void ReadHeader(ThriftReader& reader, PageHeader* out) {
  int32_t type = -1;
  bool has_body = false;
  for (ThriftField field; reader.NextField(&field);) {
    if (field.type == ThriftType::kI32) {
      const int32_t value = reader.ReadI32();
      if (field.id == 1) type = value;
      if (field.id == 2) out->uncompressed_bytes = value;
      if (field.id == 3) out->compressed_bytes = value;
      if (field.id == 4) out->crc = static_cast<uint32_t>(value);
    } else if (field.type == ThriftType::kStruct && (field.id == 5 || field.id == 7)) {
      has_body = true;
      field.id == 5 ? ReadData(reader, out) : ReadDictionary(reader, out);
    } else if (field.type == ThriftType::kStruct && field.id == 8) {
      has_body = true;
      ReadDataV2(reader, out);
    } else {
      reader.Skip(field.type);
    }
  }
  // Values of parquet.thrift PageType; 1 is an index page, which nobody writes.
  if (has_body && type == 0) out->kind = PageKind::kData;
  if (has_body && type == 2) out->kind = PageKind::kDictionary;
  if (has_body && type == 3) out->kind = PageKind::kDataV2;
}

}  // namespace

arrow::Result<std::optional<PageHeader>> DecodePageHeader(std::string_view bytes) {
  ThriftReader reader(bytes);
  PageHeader header;
  ReadHeader(reader, &header);
  if (!reader.ok()) {
    if (static_cast<int64_t>(bytes.size()) < kPageHeaderBytesMax) return std::nullopt;
    return core::Error(core::ErrorKind::kCorrupt, "no page header here");
  }
  header.header_bytes = static_cast<int32_t>(reader.position());
  const bool impossible = header.compressed_bytes < 0 || header.uncompressed_bytes < 0 ||
                          header.value_count < 0 || header.definition_bytes < 0 ||
                          header.repetition_bytes < 0 ||
                          int64_t{header.definition_bytes} + header.repetition_bytes >
                              header.compressed_bytes;
  if (impossible) {
    return core::Error(core::ErrorKind::kCorrupt, "a page header has impossible sizes");
  }
  return header;
}

}  // namespace wheelpit::exec
