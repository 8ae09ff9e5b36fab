// SPDX-License-Identifier: Apache-2.0
// The text of a key=value directory as a typed value, by Spark's rules: what Java's
// number parsers take, in Spark's order. Pinned by testdata/spark_partitions.txt, which
// Spark itself wrote.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include <arrow/result.h>
#include <arrow/type_fwd.h>

namespace wheelpit::index {

/// The name that Spark and Hive give to a directory of nulls.
inline constexpr std::string_view kNullPartition = "__HIVE_DEFAULT_PARTITION__";

/// One key=value directory: the name unescaped, the value as the directory spells it.
struct PartitionKey {
  std::string name;
  std::string value;

  friend bool operator==(const PartitionKey&, const PartitionKey&) = default;
};

/// %XX to the byte; a % that is not followed by two hexadecimal digits stays.
std::string UnescapePathName(std::string_view text);

/// A type that partition values can have, ordered by how Spark tries them. One that holds
/// values of two types is Widen's.
struct PartitionType {
  enum class Kind : uint8_t {
    kNull,
    kInt,
    kLong,
    kDecimal,
    kDouble,
    kTimestamp,
    kDate,
    kString,
  };
  Kind kind = Kind::kNull;
  int32_t precision = 0;  ///< of kDecimal, whose scale is always 0

  friend bool operator==(const PartitionType&, const PartitionType&) = default;
};

/// The type of one value alone. Without inference: null or string.
PartitionType InferPartitionType(std::string_view value, bool infer);

/// The type of a column that has values of both.
PartitionType Widen(PartitionType a, PartitionType b);

/// A column of nulls only is a string column.
std::shared_ptr<arrow::DataType> ToArrow(PartitionType type);

/// The value in a column of `type`, which is the type of the value or wider. `time_zone`
/// is where time stamps without a zone are read: UTC or an offset like +02:00 or a name.
arrow::Result<std::shared_ptr<arrow::Scalar>> MakePartitionScalar(
    std::string_view value, PartitionType type, const std::string& time_zone);

}  // namespace wheelpit::index
