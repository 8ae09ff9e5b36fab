// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/index/parquet_schema.h"

#include <utility>

#include <arrow/type.h>
#include <parquet/arrow/schema.h>
#include <parquet/exception.h>
#include <parquet/properties.h>
#include <parquet/schema.h>
#include <parquet/types.h>

#include "wheelpit/core/bad_alloc.h"
#include "wheelpit/core/error.h"
#include "wheelpit/index/thrift_compact.h"

namespace wheelpit::index {

namespace {

using core::Error;
using core::ErrorKind;
using parquet::ConvertedType;
using parquet::LogicalType;
using parquet::Repetition;
using PhysicalType = parquet::Type;

// Groups within groups. Building, converting and destroying the tree is recursive.
constexpr int kSchemaDepthMax = 100;

// parquet.thrift SchemaElement; -1 is absent.
struct Element {
  std::string_view name;
  int32_t physical_type = -1;
  int32_t width_bytes = -1;
  int32_t repetition = -1;
  int32_t child_count = 0;
  int32_t converted_type = -1;
  int32_t scale = -1;
  int32_t precision = -1;
  int32_t field_id = -1;
  std::shared_ptr<const LogicalType> logical_type;
  bool unknown_logical_type = false;  // of a later version of the format
};

// The fields of the logical types that have any, by field id.
struct LogicalArguments {
  int32_t numbers[3] = {0, 0, 0};
  bool flags[3] = {false, false, false};
  int16_t unit = 0;
};

LogicalArguments ReadArguments(ThriftReader& reader) {
  LogicalArguments out;
  for (ThriftField field; reader.NextField(&field);) {
    const bool known = field.id == 1 || field.id == 2;
    if (known && field.is_bool()) {
      out.flags[field.id] = field.type == ThriftType::kTrue;
    } else if (known && field.type == ThriftType::kI32) {
      out.numbers[field.id] = reader.ReadI32();
    } else if (known && field.type == ThriftType::kByte) {
      out.numbers[field.id] = static_cast<int8_t>(reader.ReadByte());
    } else if (known && field.type == ThriftType::kStruct) {
      for (ThriftField unit; reader.NextField(&unit);) {
        out.unit = unit.id;
        reader.Skip(unit.type);
      }
    } else {
      reader.Skip(field.type);
    }
  }
  return out;
}

LogicalType::TimeUnit::unit UnitOf(const LogicalArguments& arguments) {
  switch (arguments.unit) {
    case 1:
      return LogicalType::TimeUnit::MILLIS;
    case 2:
      return LogicalType::TimeUnit::MICROS;
    case 3:
      return LogicalType::TimeUnit::NANOS;
    default:
      return LogicalType::TimeUnit::UNKNOWN;
  }
}

// Field ids of parquet.thrift's union LogicalType. Null for what this version does not
// know. Throws for impossible arguments.
std::shared_ptr<const LogicalType> MakeLogicalType(int16_t id,
                                                   const LogicalArguments& arguments) {
  switch (id) {
    case 1:
      return LogicalType::String();
    case 2:
      return LogicalType::Map();
    case 3:
      return LogicalType::List();
    case 4:
      return LogicalType::Enum();
    case 5:
      return LogicalType::Decimal(arguments.numbers[2], arguments.numbers[1]);
    case 6:
      return LogicalType::Date();
    case 7:
      return LogicalType::Time(arguments.flags[1], UnitOf(arguments));
    case 8:
      return LogicalType::Timestamp(arguments.flags[1], UnitOf(arguments));
    case 10:
      return LogicalType::Int(arguments.numbers[1], arguments.flags[2]);
    case 11:
      return LogicalType::Null();
    case 12:
      return LogicalType::JSON();
    case 13:
      return LogicalType::BSON();
    case 14:
      return LogicalType::UUID();
    case 15:
      return LogicalType::Float16();
    case 16:
      return LogicalType::Variant();
    case 17:
      return LogicalType::Geometry();
    case 18:
      return LogicalType::Geography();
    default:
      return nullptr;
  }
}

std::shared_ptr<const LogicalType> ReadLogicalType(ThriftReader& reader) {
  std::shared_ptr<const LogicalType> out;
  for (ThriftField field; reader.NextField(&field);) {
    if (field.type != ThriftType::kStruct) {
      reader.Skip(field.type);
      continue;
    }
    const LogicalArguments arguments = ReadArguments(reader);
    if (reader.ok()) out = MakeLogicalType(field.id, arguments);
  }
  return out;
}

int32_t* NumberOf(int16_t field_id, Element* element) {
  switch (field_id) {
    case 1:
      return &element->physical_type;
    case 2:
      return &element->width_bytes;
    case 3:
      return &element->repetition;
    case 5:
      return &element->child_count;
    case 6:
      return &element->converted_type;
    case 7:
      return &element->scale;
    case 8:
      return &element->precision;
    case 9:
      return &element->field_id;
    default:
      return nullptr;
  }
}

Element ReadElement(ThriftReader& reader) {
  Element element;
  bool named = false;
  for (ThriftField field; reader.NextField(&field);) {
    if (int32_t* number = NumberOf(field.id, &element);
        number != nullptr && field.type == ThriftType::kI32) {
      *number = reader.ReadI32();
    } else if (field.id == 4 && field.type == ThriftType::kBinary) {
      element.name = reader.ReadBinary();
      named = true;
    } else if (field.id == 10 && field.type == ThriftType::kStruct) {
      element.logical_type = ReadLogicalType(reader);
      element.unknown_logical_type = element.logical_type == nullptr;
    } else {
      reader.Skip(field.type);
    }
  }
  if (!named) reader.Fail();
  return element;
}

arrow::Status CheckEnumerations(const Element& element) {
  if (element.physical_type > 7 || element.physical_type < -1 || element.repetition > 2 ||
      element.repetition < -1 || element.converted_type > 21 ||
      element.converted_type < -1) {
    return Error(ErrorKind::kCorrupt, "schema element '", element.name,
                 "' has a type, repetition or converted type that does not exist");
  }
  return arrow::Status::OK();
}

// Elements to Arrow's nodes. Throws what the nodes' constructors throw.
class TreeBuilder {
 public:
  explicit TreeBuilder(std::vector<Element> elements) : elements_(std::move(elements)) {}

  /// By leaf, after Build: whether its order is one that this version does not know.
  const std::vector<bool>& unknown_orders() const { return unknown_orders_; }

  arrow::Result<parquet::schema::NodePtr> Build() {
    ARROW_ASSIGN_OR_RAISE(auto root, Next(0));
    if (next_ != elements_.size() || !root->is_group()) {
      return Error(ErrorKind::kCorrupt, "the schema is not one tree");
    }
    return root;
  }

 private:
  arrow::Result<parquet::schema::NodePtr> Next(int depth) {
    if (next_ == elements_.size()) {
      return Error(ErrorKind::kCorrupt,
                   "the schema has fewer elements than it announces");
    }
    if (depth > kSchemaDepthMax) {
      return Error(ErrorKind::kCorrupt, "the schema is nested deeper than ",
                   kSchemaDepthMax, " levels");
    }
    const Element& element = elements_[next_++];
    ARROW_RETURN_NOT_OK(CheckEnumerations(element));
    // Only the root may lack a repetition.
    if (element.repetition < 0 && depth > 0) {
      return Error(ErrorKind::kCorrupt, "schema element '", element.name,
                   "' has no repetition");
    }
    const auto repetition = static_cast<Repetition::type>(
        element.repetition < 0 ? int{Repetition::REQUIRED} : element.repetition);
    if (element.child_count == 0 && element.physical_type >= 0) {
      unknown_orders_.push_back(element.unknown_logical_type);
      return MakeLeaf(element, repetition);
    }
    if (element.child_count < 0) {
      return Error(ErrorKind::kCorrupt, "schema element '", element.name,
                   "' has a negative number of children");
    }
    parquet::schema::NodeVector children;
    for (int32_t i = 0; i < element.child_count; ++i) {
      ARROW_ASSIGN_OR_RAISE(auto child, Next(depth + 1));
      children.push_back(std::move(child));
    }
    return MakeGroup(element, repetition, children);
  }

  static ConvertedType::type Converted(const Element& element) {
    // Arrow's enumeration has NONE in front of the format's values.
    return static_cast<ConvertedType::type>(element.converted_type + 1);
  }

  static parquet::schema::NodePtr MakeLeaf(const Element& element,
                                           Repetition::type repetition) {
    const std::string name(element.name);
    const auto type = static_cast<PhysicalType::type>(element.physical_type);
    if (element.logical_type != nullptr || element.converted_type < 0) {
      return parquet::schema::PrimitiveNode::Make(
          name, repetition,
          element.logical_type != nullptr ? element.logical_type : LogicalType::None(),
          type, element.width_bytes, element.field_id);
    }
    return parquet::schema::PrimitiveNode::Make(
        name, repetition, type, Converted(element), element.width_bytes,
        element.precision, element.scale, element.field_id);
  }

  static parquet::schema::NodePtr MakeGroup(const Element& element,
                                            Repetition::type repetition,
                                            const parquet::schema::NodeVector& children) {
    const std::string name(element.name);
    if (element.logical_type != nullptr) {
      return parquet::schema::GroupNode::Make(name, repetition, children,
                                              element.logical_type, element.field_id);
    }
    return parquet::schema::GroupNode::Make(name, repetition, children,
                                            Converted(element), element.field_id);
  }

  std::vector<Element> elements_;
  size_t next_ = 0;
  std::vector<bool> unknown_orders_;
};

bool IsTextType(LogicalType::Type::type type) {
  return type == LogicalType::Type::STRING || type == LogicalType::Type::ENUM ||
         type == LogicalType::Type::JSON;
}

// Spark's type of a leaf; `arrow_type` is what Arrow makes of it.
std::shared_ptr<arrow::DataType> LeafType(
    const parquet::ColumnDescriptor& leaf,
    const std::shared_ptr<arrow::DataType>& arrow_type) {
  const auto logical =
      leaf.logical_type() ? leaf.logical_type()->type() : LogicalType::Type::NONE;
  const bool bytes = leaf.physical_type() == PhysicalType::BYTE_ARRAY ||
                     leaf.physical_type() == PhysicalType::FIXED_LEN_BYTE_ARRAY;
  if (leaf.physical_type() == PhysicalType::INT96) {
    return arrow::timestamp(arrow::TimeUnit::MICRO, "UTC");
  }
  if (bytes && logical != LogicalType::Type::DECIMAL &&
      logical != LogicalType::Type::FLOAT16 && logical != LogicalType::Type::NIL) {
    return IsTextType(logical) ? arrow::utf8() : arrow::binary();
  }
  switch (arrow_type->id()) {
    case arrow::Type::UINT8:
      return arrow::int16();
    case arrow::Type::UINT16:
      return arrow::int32();
    case arrow::Type::UINT32:
      return arrow::int64();
    case arrow::Type::UINT64:
      return arrow::decimal128(20, 0);
    case arrow::Type::TIMESTAMP: {
      const auto& zone = static_cast<const arrow::TimestampType&>(*arrow_type).timezone();
      return arrow::timestamp(arrow::TimeUnit::MICRO, zone.empty() ? "" : "UTC");
    }
    default:
      return arrow_type;
  }
}

std::shared_ptr<arrow::Field> SparkField(const parquet::SchemaDescriptor& descriptor,
                                         const parquet::arrow::SchemaField& in) {
  const auto& field = in.field;
  if (in.is_leaf()) {
    return field->WithType(LeafType(*descriptor.Column(in.column_index), field->type()))
        ->RemoveMetadata();
  }
  arrow::FieldVector children;
  for (const auto& child : in.children) {
    children.push_back(SparkField(descriptor, child));
  }
  std::shared_ptr<arrow::DataType> type = field->type();
  switch (type->id()) {
    case arrow::Type::STRUCT:
      type = arrow::struct_(children);
      break;
    case arrow::Type::LIST:
      type = arrow::list(children.at(0));
      break;
    case arrow::Type::MAP: {
      const auto& entry = *children.at(0)->type();
      type = std::make_shared<arrow::MapType>(entry.field(0), entry.field(1));
      break;
    }
    default:
      break;
  }
  return field->WithType(std::move(type))->RemoveMetadata();
}

ParquetBounds BoundsOf(const parquet::ColumnDescriptor& leaf) {
  const LogicalType& logical =
      leaf.logical_type() ? *leaf.logical_type() : *LogicalType::None();
  const auto kind = logical.type();
  const bool is_unsigned =
      kind == LogicalType::Type::INT &&
      !static_cast<const parquet::IntLogicalType&>(logical).is_signed();
  if (kind == LogicalType::Type::NIL || kind == LogicalType::Type::UNDEFINED) {
    return ParquetBounds::kNone;
  }
  switch (leaf.physical_type()) {
    case PhysicalType::BOOLEAN:
      return ParquetBounds::kBoolean;
    case PhysicalType::INT32:
      return is_unsigned ? ParquetBounds::kUint32 : ParquetBounds::kInt32;
    case PhysicalType::INT64:
      return is_unsigned ? ParquetBounds::kUint64 : ParquetBounds::kInt64;
    case PhysicalType::FLOAT:
      return ParquetBounds::kFloat;
    case PhysicalType::DOUBLE:
      return ParquetBounds::kDouble;
    case PhysicalType::BYTE_ARRAY:
    case PhysicalType::FIXED_LEN_BYTE_ARRAY:
      break;
    default:  // INT96 has no order
      return ParquetBounds::kNone;
  }
  if (kind == LogicalType::Type::DECIMAL) return ParquetBounds::kDecimal;
  const bool plain_bytes = IsTextType(kind) || kind == LogicalType::Type::BSON ||
                           kind == LogicalType::Type::UUID ||
                           kind == LogicalType::Type::NONE;
  return plain_bytes ? ParquetBounds::kBytes : ParquetBounds::kNone;
}

arrow::Status ConvertToArrow(ParquetSchema* schema) {
  parquet::ArrowReaderProperties properties;
  properties.set_arrow_extensions_enabled(false);
  parquet::arrow::SchemaManifest manifest;
  const parquet::SchemaDescriptor& descriptor = *schema->descriptor;
  const arrow::Status made = parquet::arrow::SchemaManifest::Make(
      &descriptor, /*metadata=*/nullptr, properties, &manifest);
  if (!made.ok()) {
    return Error(ErrorKind::kUnsupported,
                 "the schema has columns that cannot be read: ", made.message());
  }
  arrow::FieldVector fields;
  for (const auto& field : manifest.schema_fields) {
    fields.push_back(SparkField(descriptor, field));
  }
  schema->arrow = arrow::schema(std::move(fields));
  return arrow::Status::OK();
}

void DescribeLeaves(const std::vector<bool>& unknown_orders, ParquetSchema* schema) {
  const parquet::SchemaDescriptor& descriptor = *schema->descriptor;
  const parquet::schema::GroupNode* root = descriptor.group_node();
  int field = 0;
  for (int i = 0; i < descriptor.num_columns(); ++i) {
    const parquet::ColumnDescriptor& leaf = *descriptor.Column(i);
    schema->leaves.push_back(
        {.physical_type = static_cast<int8_t>(leaf.physical_type()),
         .bounds = unknown_orders.at(static_cast<size_t>(i)) ? ParquetBounds::kNone
                                                             : BoundsOf(leaf),
         .max_definition_level = leaf.max_definition_level(),
         .max_repetition_level = leaf.max_repetition_level(),
         .width_bytes = leaf.physical_type() == PhysicalType::FIXED_LEN_BYTE_ARRAY
                            ? leaf.type_length()
                            : 0});
    const parquet::schema::Node* column_root = descriptor.GetColumnRoot(i);
    while (root->field(field).get() != column_root) ++field;
    // A group without leaves begins where the next field does.
    schema->first_leaf.resize(static_cast<size_t>(field) + 1, i);
  }
  schema->first_leaf.resize(static_cast<size_t>(root->field_count()) + 1,
                            schema->leaf_count());
}

arrow::Result<std::shared_ptr<const ParquetSchema>> Decode(std::string_view bytes) {
  ThriftReader reader(bytes);
  ThriftType type;
  const int64_t count = reader.ReadListHeader(&type);
  if (type != ThriftType::kStruct && count > 0) reader.Fail();
  std::vector<Element> elements;
  for (int64_t i = 0; i < count && reader.ok(); ++i) {
    elements.push_back(ReadElement(reader));
  }
  if (!reader.ok() || reader.remaining() != 0) {
    return Error(ErrorKind::kCorrupt, "the schema does not decode");
  }
  TreeBuilder builder(std::move(elements));
  ARROW_ASSIGN_OR_RAISE(auto root, builder.Build());
  auto schema = std::make_shared<ParquetSchema>();
  schema->bytes.assign(bytes);
  schema->descriptor = std::make_shared<parquet::SchemaDescriptor>();
  schema->descriptor->Init(std::move(root));
  DescribeLeaves(builder.unknown_orders(), schema.get());
  ARROW_RETURN_NOT_OK(ConvertToArrow(schema.get()));
  return schema;
}

}  // namespace

arrow::Result<std::shared_ptr<const ParquetSchema>> DecodeParquetSchema(
    std::string_view bytes) {
  try {
    return Decode(bytes);
  } catch (const std::bad_alloc&) {
    return core::BadAllocError();
  } catch (const std::exception& error) {
    return Error(ErrorKind::kCorrupt, "the schema is not valid: ", error.what());
  }
}

}  // namespace wheelpit::index
