// SPDX-License-Identifier: Apache-2.0
// Parquet footers, decoded by us: what pruning and scanning need of the file's metadata
// and nothing else, in a compact form that a cache can hold for 10,000 files. Format:
// Apache Parquet's parquet.thrift (Thrift compact protocol),
// https://parquet.apache.org/docs/file-format/metadata/. Bytes are hostile: every length
// and offset is checked against the file before it is used.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/io/type_fwd.h>
#include <arrow/result.h>
#include <arrow/type_fwd.h>

namespace parquet {
class SchemaDescriptor;
}  // namespace parquet

namespace wheelpit::index {

/// What the bytes of a leaf column's min and max are and how they are ordered.
enum class ParquetBounds : uint8_t {
  kNone,     ///< an order that nobody agrees on: min and max are never trusted
  kBoolean,  ///< one byte, 0 or 1
  kInt32,    ///< little-endian, signed; also dates, millisecond times, small decimals
  kInt64,    ///< little-endian, signed; also time stamps in the file's unit, decimals
  kUint32,
  kUint64,
  kFloat,
  kDouble,
  kDecimal,  ///< big-endian two's complement of any length
  kBytes,    ///< compared byte for byte, unsigned; may be cut short: bounds, not values
};

/// A leaf column, as far as its bytes go.
struct ParquetLeaf {
  int8_t physical_type = 0;  ///< parquet.thrift Type
  ParquetBounds bounds = ParquetBounds::kNone;
  int16_t max_definition_level = 0;
  int16_t max_repetition_level = 0;
  int32_t width_bytes = 0;  ///< of FIXED_LEN_BYTE_ARRAY
};

/// The columns of a file. Shared between the footers whose schema bytes are the same.
struct ParquetSchema {
  /// Top-level fields in Spark's types: INT96 and UTC-adjusted time stamps are
  /// timestamp[us, UTC], local ones timestamp[us]; unsigned integers are widened (uint64
  /// to decimal(20, 0)); decimals are decimal128; strings, enums and JSON are utf8, other
  /// bytes binary. What Spark has no type for keeps Arrow's (time, half float,
  /// decimal256), for the binder or the scan to refuse by name.
  std::shared_ptr<arrow::Schema> arrow;
  /// Arrow's description of the same, for its page readers.
  std::shared_ptr<parquet::SchemaDescriptor> descriptor;
  /// First leaf column of each top-level field, and one past the last at the end.
  std::vector<int> first_leaf;
  std::vector<ParquetLeaf> leaves;
  std::string bytes;  ///< the Thrift list that this was made from

  int leaf_count() const { return static_cast<int>(leaves.size()); }
};

/// Bytes of memory that a schema holds, about.
int64_t MemoryBytes(const ParquetSchema& schema);

/// One column chunk. Offsets are from the start of the file, sizes in bytes, -1 is
/// absent.
struct ParquetChunk {
  int64_t data_page_offset = -1;
  int64_t dictionary_page_offset = -1;
  int64_t compressed_bytes = 0;
  int64_t uncompressed_bytes = 0;
  int64_t value_count = 0;
  int64_t null_count = -1;
  int64_t column_index_offset = -1;
  int32_t column_index_bytes = 0;
  int64_t offset_index_offset = -1;
  int32_t offset_index_bytes = 0;
  int8_t codec = 0;        ///< parquet.thrift CompressionCodec
  uint32_t encodings = 0;  ///< bit i set: Encoding i is used
  /// Both are there, of the type's width and may be trusted: no value lies outside.
  bool has_min_max = false;
  /// As ParquetLeaf::bounds says; points into ParquetFooter::raw or at a constant. Zeros
  /// of floating-point columns are widened: a min of 0.0 reads -0.0, a max 0.0.
  std::string_view min;
  std::string_view max;

  /// Where the chunk's bytes begin.
  int64_t offset() const {
    return dictionary_page_offset > 0 && dictionary_page_offset < data_page_offset
               ? dictionary_page_offset
               : data_page_offset;
  }
};

struct ParquetRowGroup {
  int64_t row_count = 0;
  std::vector<ParquetChunk> chunks;  ///< one per leaf column
};

struct ParquetFooter {
  std::shared_ptr<const ParquetSchema> schema;
  int64_t row_count = 0;
  std::vector<ParquetRowGroup> row_groups;
  std::string created_by;
  /// What min and max point into. The footer's bytes where a column is nested, since
  /// Arrow's reader, which reads those, decodes them again; else only the bounds.
  std::string raw;

  /// Bytes of memory that this footer holds, shared parts left out.
  int64_t memory_bytes() const;
};

/// Decodes the Thrift bytes of a footer (without length and magic). `file_size` bounds
/// every offset. `known`, when given, is shared if its schema is byte for byte the same.
/// Any thread. kCorrupt for bytes that are no footer, kUnsupported for encrypted ones.
arrow::Result<std::shared_ptr<const ParquetFooter>> DecodeParquetFooter(
    std::string raw, int64_t file_size, std::shared_ptr<const ParquetSchema> known);

/// Reads the end of a file of `file_size` bytes: magic, length, footer. Errors name the
/// path. `bytes_read` is what was read in all. Blocks: I/O threads only.
arrow::Result<std::shared_ptr<const ParquetFooter>> ReadParquetFooter(
    arrow::io::RandomAccessFile& file, const std::string& path, int64_t file_size,
    std::shared_ptr<const ParquetSchema> known, int64_t* bytes_read);

}  // namespace wheelpit::index
