// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/index/type_name.h"

#include <arrow/type.h>

namespace wheelpit::index {

namespace {

std::string NestedName(const arrow::DataType& type) {
  if (type.id() == arrow::Type::LIST || type.id() == arrow::Type::LARGE_LIST) {
    return "array<" + TypeName(*type.field(0)->type()) + ">";
  }
  if (type.id() == arrow::Type::MAP) {
    const auto& map = static_cast<const arrow::MapType&>(type);
    return "map<" + TypeName(*map.key_type()) + "," + TypeName(*map.item_type()) + ">";
  }
  std::string text = "struct<";
  for (const auto& field : type.fields()) {
    text +=
        (text.back() == '<' ? "" : ",") + field->name() + ":" + TypeName(*field->type());
  }
  return text + ">";
}

}  // namespace

std::string TypeName(const arrow::DataType& type) {
  switch (type.id()) {
    case arrow::Type::NA:
      return "void";
    case arrow::Type::BOOL:
      return "boolean";
    case arrow::Type::INT8:
      return "tinyint";
    case arrow::Type::INT16:
      return "smallint";
    case arrow::Type::INT32:
      return "int";
    case arrow::Type::INT64:
      return "bigint";
    case arrow::Type::HALF_FLOAT:
      return "half float";
    case arrow::Type::FLOAT:
      return "float";
    case arrow::Type::DOUBLE:
      return "double";
    case arrow::Type::STRING:
      return "string";
    case arrow::Type::BINARY:
      return "binary";
    case arrow::Type::DATE32:
      return "date";
    case arrow::Type::TIME32:
    case arrow::Type::TIME64:
      return "time";
    case arrow::Type::TIMESTAMP:
      return static_cast<const arrow::TimestampType&>(type).timezone().empty()
                 ? "timestamp_ntz"
                 : "timestamp";
    case arrow::Type::DECIMAL128:
    case arrow::Type::DECIMAL256: {
      const auto& decimal = static_cast<const arrow::DecimalType&>(type);
      return "decimal(" + std::to_string(decimal.precision()) + "," +
             std::to_string(decimal.scale()) + ")";
    }
    case arrow::Type::LIST:
    case arrow::Type::LARGE_LIST:
    case arrow::Type::MAP:
    case arrow::Type::STRUCT:
      return NestedName(type);
    default:
      return type.ToString();
  }
}

}  // namespace wheelpit::index
