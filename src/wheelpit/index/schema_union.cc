// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/index/schema_union.h"

#include <algorithm>
#include <optional>

#include <arrow/type.h>
#include <arrow/util/decimal.h>

#include "wheelpit/core/error.h"
#include "wheelpit/fs/path_text.h"
#include "wheelpit/index/column_name.h"
#include "wheelpit/index/type_name.h"

namespace wheelpit::index {

namespace {

using TypePointer = std::shared_ptr<arrow::DataType>;

constexpr int32_t kPrecisionMax = 38;

// Decimal digits that hold every value of an integer type; 0 for other types.
int32_t DigitsOf(arrow::Type::type id) {
  switch (id) {
    case arrow::Type::INT8:
      return 3;
    case arrow::Type::INT16:
      return 5;
    case arrow::Type::INT32:
      return 10;
    case arrow::Type::INT64:
      return 19;
    default:
      return 0;
  }
}

struct Decimal {
  int32_t precision = 0;
  int32_t scale = 0;
};

std::optional<Decimal> AsDecimal(const arrow::DataType& type) {
  if (type.id() == arrow::Type::DECIMAL128) {
    const auto& decimal = static_cast<const arrow::Decimal128Type&>(type);
    return Decimal{decimal.precision(), decimal.scale()};
  }
  const int32_t digits = DigitsOf(type.id());
  return digits > 0 ? std::optional(Decimal{digits, 0}) : std::nullopt;
}

TypePointer WiderDecimal(const arrow::DataType& a, const arrow::DataType& b) {
  const std::optional<Decimal> left = AsDecimal(a);
  const std::optional<Decimal> right = AsDecimal(b);
  if (!left || !right) {
    return nullptr;
  }
  const int32_t scale = std::max(left->scale, right->scale);
  const int32_t whole =
      std::max(left->precision - left->scale, right->precision - right->scale);
  return whole + scale <= kPrecisionMax ? arrow::decimal128(whole + scale, scale)
                                        : nullptr;
}

// What may become a double without loss.
bool FitsDouble(arrow::Type::type id) {
  return id == arrow::Type::FLOAT || id == arrow::Type::DOUBLE ||
         (DigitsOf(id) > 0 && id != arrow::Type::INT64);
}

}  // namespace

TypePointer WiderType(const TypePointer& a, const TypePointer& b) {
  if (a->Equals(*b) || b->id() == arrow::Type::NA) {
    return a;
  }
  if (a->id() == arrow::Type::NA) {
    return b;
  }
  const int32_t digits_a = DigitsOf(a->id());
  const int32_t digits_b = DigitsOf(b->id());
  if (digits_a > 0 && digits_b > 0) {
    return digits_a > digits_b ? a : b;
  }
  const bool one_is_double =
      a->id() == arrow::Type::DOUBLE || b->id() == arrow::Type::DOUBLE;
  if (one_is_double && FitsDouble(a->id()) && FitsDouble(b->id())) {
    return arrow::float64();
  }
  return WiderDecimal(*a, *b);
}

arrow::Result<int> SchemaUnion::AddField(const arrow::Field& field,
                                         const std::string& path) {
  const auto [known, is_new] =
      by_name_.try_emplace(FoldedName(field.name()), static_cast<int>(columns_.size()));
  if (is_new) {
    columns_.push_back({field.name(), field.type(), path});
    return known->second;
  }
  Column& column = columns_[static_cast<size_t>(known->second)];
  TypePointer wider = WiderType(column.type, field.type());
  if (wider == nullptr) {
    return core::Error(core::ErrorKind::kInvalidSql, "the column '", column.name, "' is ",
                       TypeName(*column.type), " in ", fs::Quoted(column.path), " and ",
                       TypeName(*field.type()), " in ", fs::Quoted(path),
                       ", and neither type holds the other's values; read the files of "
                       "one type at a time, by a glob, or write one kind again with the "
                       "other's type");
  }
  if (!wider->Equals(*column.type)) {
    column.type = std::move(wider);
    column.path = path;
  }
  return known->second;
}

arrow::Status SchemaUnion::Add(std::shared_ptr<const ParquetSchema> schema,
                               const std::string& path) {
  if (known_.contains(schema.get())) {
    return arrow::Status::OK();
  }
  Known known;
  std::vector<bool> taken(columns_.size() +
                          static_cast<size_t>(schema->arrow->num_fields()));
  for (const std::shared_ptr<arrow::Field>& field : schema->arrow->fields()) {
    ARROW_ASSIGN_OR_RAISE(const int column, AddField(*field, path));
    if (taken[static_cast<size_t>(column)]) {
      return core::Error(core::ErrorKind::kInvalidSql, fs::Quoted(path),
                         " has two columns named '", field->name(),
                         "' (case does not count); neither could be asked for");
    }
    taken[static_cast<size_t>(column)] = true;
    known.columns.push_back(column);
  }
  const ParquetSchema* key = schema.get();
  known.schema = std::move(schema);
  known_.emplace(key, std::move(known));
  return arrow::Status::OK();
}

void SchemaUnion::Finish(
    const std::vector<std::shared_ptr<arrow::Field>>& partition_fields) {
  arrow::FieldVector fields;
  fields.reserve(columns_.size() + partition_fields.size());
  for (const Column& column : columns_) {
    fields.push_back(arrow::field(column.name, column.type));
  }
  // What every file has at a column that is no data column of its own.
  std::vector<int> absent(columns_.size(), -1);
  for (size_t i = 0; i < partition_fields.size(); ++i) {
    const int marker = -2 - static_cast<int>(i);
    const auto known = by_name_.find(FoldedName(partition_fields[i]->name()));
    if (known == by_name_.end()) {
      fields.push_back(partition_fields[i]);
      absent.push_back(marker);
    } else {
      fields[static_cast<size_t>(known->second)] = partition_fields[i];
      absent[static_cast<size_t>(known->second)] = marker;
    }
  }
  schema_ = arrow::schema(std::move(fields));
  for (auto& [key, known] : known_) {
    auto map = std::make_shared<std::vector<int>>(absent);
    for (size_t field = 0; field < known.columns.size(); ++field) {
      int& source = (*map)[static_cast<size_t>(known.columns[field])];
      // A column of type null is read as one that is not there.
      const auto& type = known.schema->arrow->field(static_cast<int>(field))->type();
      if (source == -1 && type->id() != arrow::Type::NA) {
        source = static_cast<int>(field);
      }
    }
    known.column_map = std::move(map);
  }
}

std::shared_ptr<const std::vector<int>> SchemaUnion::ColumnMapOf(
    const ParquetSchema* schema) const {
  const auto known = known_.find(schema);
  return known == known_.end() ? nullptr : known->second.column_map;
}

}  // namespace wheelpit::index
