// SPDX-License-Identifier: Apache-2.0
// The decoder against Arrow's own, on files that Arrow wrote and on damaged ones.
#include <cstring>
#include <optional>
#include <random>

#include <arrow/api.h>
#include <arrow/io/memory.h>
#include <gtest/gtest.h>
#include <parquet/arrow/schema.h>
#include <parquet/arrow/writer.h>
#include <parquet/bloom_filter_writer.h>
#include <parquet/encryption/encryption.h>
#include <parquet/exception.h>
#include <parquet/metadata.h>
#include <parquet/properties.h>
#include <parquet/schema.h>
#include <parquet/statistics.h>

#include "wheelpit/core/error.h"
#include "wheelpit/index/parquet_footer.h"

namespace wheelpit::index {
namespace {

using core::ErrorKind;
using core::KindOf;
using parquet::WriterProperties;

std::shared_ptr<arrow::Array> Filled(const std::shared_ptr<arrow::DataType>& type,
                                     int64_t length, std::mt19937* random);

template <typename Builder, typename Value>
std::shared_ptr<arrow::Array> Build(const std::shared_ptr<arrow::DataType>& type,
                                    int64_t length, std::mt19937* random, Value value) {
  Builder builder(type, arrow::default_memory_pool());
  for (int64_t i = 0; i < length; ++i) {
    if ((*random)() % 5 == 0) {
      EXPECT_TRUE(builder.AppendNull().ok());
    } else {
      EXPECT_TRUE(builder.Append(value()).ok());
    }
  }
  return builder.Finish().ValueOrDie();
}

std::shared_ptr<arrow::Array> Nested(const std::shared_ptr<arrow::DataType>& type,
                                     int64_t length, std::mt19937* random) {
  if (type->id() == arrow::Type::STRUCT) {
    arrow::ArrayVector children;
    for (const auto& field : type->fields()) {
      children.push_back(Filled(field->type(), length, random));
    }
    return arrow::StructArray::Make(children, type->fields()).ValueOrDie();
  }
  arrow::Int32Builder offsets;
  for (int64_t i = 0; i <= length; ++i) {
    EXPECT_TRUE(offsets.Append(static_cast<int32_t>(2 * i)).ok());
  }
  const auto offset_array = offsets.Finish().ValueOrDie();
  if (type->id() == arrow::Type::LIST) {
    const auto values = Filled(type->field(0)->type(), 2 * length, random);
    return arrow::ListArray::FromArrays(type, *offset_array, *values).ValueOrDie();
  }
  const auto& map = static_cast<const arrow::MapType&>(*type);
  arrow::StringBuilder keys;
  for (int64_t i = 0; i < 2 * length; ++i) {
    EXPECT_TRUE(keys.Append("k" + std::to_string(i)).ok());
  }
  return arrow::MapArray::FromArrays(type, offset_array, keys.Finish().ValueOrDie(),
                                     Filled(map.item_type(), 2 * length, random))
      .ValueOrDie();
}

std::shared_ptr<arrow::Array> Filled(const std::shared_ptr<arrow::DataType>& type,
                                     int64_t length, std::mt19937* random) {
  const auto text = [&] {
    return std::string((*random)() % 9, static_cast<char>('a' + (*random)() % 26));
  };
  switch (type->id()) {
    case arrow::Type::BOOL:
      return Build<arrow::BooleanBuilder>(type, length, random,
                                          [&] { return (*random)() % 2 == 0; });
    case arrow::Type::DOUBLE:
      return Build<arrow::DoubleBuilder>(type, length, random,
                                         [&] { return double((*random)() % 100); });
    case arrow::Type::FLOAT:
      return Build<arrow::FloatBuilder>(type, length, random,
                                        [&] { return float((*random)() % 100); });
    case arrow::Type::STRING:
      return Build<arrow::StringBuilder>(type, length, random, text);
    case arrow::Type::BINARY:
      return Build<arrow::BinaryBuilder>(type, length, random, text);
    case arrow::Type::FIXED_SIZE_BINARY:
      return Build<arrow::FixedSizeBinaryBuilder>(type, length, random,
                                                  [&] { return std::string(7, 'f'); });
    case arrow::Type::DECIMAL128:
      return Build<arrow::Decimal128Builder>(type, length, random, [&] {
        return arrow::Decimal128(int((*random)() % 999));
      });
    case arrow::Type::STRUCT:
    case arrow::Type::LIST:
    case arrow::Type::MAP:
      return Nested(type, length, random);
    default:
      break;
  }
  const auto numbers = Build<arrow::Int64Builder>(
      arrow::int64(), length, random, [&] { return int64_t((*random)() % 99); });
  const int width = static_cast<const arrow::FixedWidthType&>(*type).bit_width();
  if (width == 64) return numbers->View(type).ValueOrDie();
  std::unique_ptr<arrow::ArrayBuilder> builder = arrow::MakeBuilder(type).ValueOrDie();
  EXPECT_TRUE(builder->AppendNulls(1).ok());
  EXPECT_TRUE(builder->AppendEmptyValues(length - 1).ok());
  return builder->Finish().ValueOrDie();
}

std::shared_ptr<arrow::Table> ManyTypes(int64_t rows) {
  using namespace arrow;
  const auto us = TimeUnit::MICRO;
  const auto fields = FieldVector{
      field("bool", boolean()),
      field("i8", int8()),
      field("u16", uint16()),
      field("i32", int32()),
      field("u32", uint32()),
      field("i64", int64(), false),
      field("u64", uint64()),
      field("f", float32()),
      field("d", float64()),
      field("s", utf8()),
      field("b", binary()),
      field("fixed", fixed_size_binary(7)),
      field("date", date32()),
      field("ts", timestamp(us, "UTC")),
      field("local", timestamp(us)),
      field("millis", timestamp(TimeUnit::MILLI, "Europe/Paris")),
      field("nanos", timestamp(TimeUnit::NANO)),
      field("time", time64(us)),
      field("small", decimal128(5, 2)),
      field("large", decimal128(38, 10)),
      field("list", list(int64())),
      field("map", map(utf8(), float64())),
      field("struct", struct_({field("x", int64()), field("y", list(utf8()))})),
  };
  std::mt19937 random(7);
  ArrayVector arrays;
  for (const auto& f : fields) {
    auto array = Filled(f->type(), rows, &random);
    if (!f->nullable()) {
      Int64Builder builder;
      for (int64_t i = 0; i < rows; ++i) EXPECT_TRUE(builder.Append(i).ok());
      array = builder.Finish().ValueOrDie();
    }
    arrays.push_back(array);
  }
  return Table::Make(schema(fields), arrays);
}

std::string Write(const arrow::Table& table, std::shared_ptr<WriterProperties> properties,
                  bool int96 = false) {
  auto sink = arrow::io::BufferOutputStream::Create().ValueOrDie();
  parquet::ArrowWriterProperties::Builder arrow_properties;
  arrow_properties.store_schema();
  if (int96) arrow_properties.enable_deprecated_int96_timestamps();
  const auto status =
      parquet::arrow::WriteTable(table, arrow::default_memory_pool(), sink, 100,
                                 std::move(properties), arrow_properties.build());
  EXPECT_TRUE(status.ok()) << status;
  return sink->Finish().ValueOrDie()->ToString();
}

std::string FooterOf(const std::string& file) {
  uint32_t size = 0;
  std::memcpy(&size, file.data() + file.size() - 8, 4);
  return file.substr(file.size() - 8 - size, size);
}

std::shared_ptr<parquet::FileMetaData> ArrowsFooter(const std::string& raw) {
  return parquet::FileMetaData::Make(raw.data(), static_cast<int64_t>(raw.size()));
}

// What Arrow keeps in a statistics object, in the format's bytes.
void ExpectSameStatistics(const parquet::ColumnChunkMetaData& theirs,
                          const ParquetChunk& ours, const std::string& column) {
  const auto statistics = theirs.encoded_statistics();
  if (statistics == nullptr) {
    EXPECT_FALSE(ours.has_min_max) << column;
    return;
  }
  if (statistics->has_null_count) {
    EXPECT_EQ(ours.null_count, statistics->null_count) << column;
  }
  if (!ours.has_min_max) return;
  ASSERT_TRUE(statistics->has_min && statistics->has_max) << column;
  const auto type = theirs.type();
  const bool zero = (type == parquet::Type::DOUBLE || type == parquet::Type::FLOAT) &&
                    statistics->min().find_first_not_of('\0') == std::string::npos;
  if (!zero) {
    EXPECT_EQ(ours.min, statistics->min()) << column;
  }
  EXPECT_EQ(ours.max, statistics->max()) << column;
}

void ExpectSameFooter(const parquet::FileMetaData& theirs, const ParquetFooter& ours) {
  EXPECT_EQ(ours.row_count, theirs.num_rows());
  EXPECT_EQ(ours.created_by, theirs.created_by());
  EXPECT_TRUE(ours.schema->descriptor->schema_root()->Equals(
      theirs.schema()->schema_root().get()));
  ASSERT_EQ(ours.schema->leaf_count(), theirs.num_columns());
  ASSERT_EQ(ours.row_groups.size(), size_t(theirs.num_row_groups()));
  for (int g = 0; g < theirs.num_row_groups(); ++g) {
    const auto group = theirs.RowGroup(g);
    EXPECT_EQ(ours.row_groups[g].row_count, group->num_rows());
    for (int c = 0; c < theirs.num_columns(); ++c) {
      const auto chunk = group->ColumnChunk(c);
      const ParquetChunk& mine = ours.row_groups[g].chunks[c];
      const std::string column = chunk->path_in_schema()->ToDotString();
      EXPECT_EQ(mine.data_page_offset, chunk->data_page_offset()) << column;
      EXPECT_EQ(mine.dictionary_page_offset,
                chunk->has_dictionary_page() ? chunk->dictionary_page_offset() : -1)
          << column;
      EXPECT_EQ(mine.compressed_bytes, chunk->total_compressed_size()) << column;
      EXPECT_EQ(mine.uncompressed_bytes, chunk->total_uncompressed_size()) << column;
      EXPECT_EQ(mine.value_count, chunk->num_values()) << column;
      const auto index = chunk->GetOffsetIndexLocation();
      EXPECT_EQ(mine.offset_index_offset, index ? index->offset : -1) << column;
      EXPECT_EQ(mine.offset_index_bytes, index ? index->length : 0) << column;
      const auto pages = chunk->GetColumnIndexLocation();
      EXPECT_EQ(mine.column_index_offset, pages ? pages->offset : -1) << column;
      uint32_t encodings = 0;
      for (const auto encoding : chunk->encodings()) encodings |= 1u << encoding;
      EXPECT_EQ(mine.encodings, encodings) << column;
      ExpectSameStatistics(*chunk, mine, column);
    }
  }
}

void ExpectSame(const std::string& file) {
  const std::string raw = FooterOf(file);
  const auto ours = DecodeParquetFooter(raw, static_cast<int64_t>(file.size()), nullptr);
  ASSERT_TRUE(ours.ok()) << ours.status();
  ExpectSameFooter(*ArrowsFooter(raw), **ours);
  const auto again =
      DecodeParquetFooter(raw, static_cast<int64_t>(file.size()), (*ours)->schema);
  ASSERT_TRUE(again.ok());
  EXPECT_EQ((*again)->schema, (*ours)->schema);
}

TEST(ParquetFooterAgainstArrow, ManyTypesAndOptionsReadTheSame) {
  const auto table = ManyTypes(250);
  using Builder = WriterProperties::Builder;
  ExpectSame(Write(*table, Builder().build()));
  ExpectSame(Write(*table, Builder().disable_statistics()->build()));
  ExpectSame(Write(*table, Builder().disable_dictionary()->build()));
  ExpectSame(Write(*table, Builder().enable_write_page_index()->build()));
  // The first version has no nanoseconds.
  const int nanos = table->schema()->GetFieldIndex("nanos");
  ExpectSame(Write(*table->RemoveColumn(nanos).ValueOrDie(),
                   Builder()
                       .version(parquet::ParquetVersion::PARQUET_1_0)
                       ->data_page_version(parquet::ParquetDataPageVersion::V1)
                       ->compression(parquet::Compression::SNAPPY)
                       ->build()));
  ExpectSame(Write(*table, Builder()
                               .version(parquet::ParquetVersion::PARQUET_2_6)
                               ->data_page_version(parquet::ParquetDataPageVersion::V2)
                               ->compression(parquet::Compression::ZSTD)
                               ->enable_page_checksum()
                               ->enable_store_decimal_as_integer()
                               ->build()));
  ExpectSame(Write(*table, Builder().build(), /*int96=*/true));
  ExpectSame(Write(*table->Slice(0, 0), Builder().build()));
}

TEST(ParquetFooterAgainstArrow, BloomFiltersAndKeyValueMetadataArePassedOver) {
  auto table = ManyTypes(250);
  table = table->ReplaceSchemaMetadata(
      arrow::key_value_metadata({{"writer", std::string(1000, 'w')}, {"empty", ""}}));
  ExpectSame(Write(*table, WriterProperties::Builder()
                               .enable_bloom_filter("s", {.ndv = 100, .fpp = 0.1})
                               ->build()));
}

TEST(ParquetFooterAgainstArrow, ColumnsHaveSparksTypes) {
  const std::string file =
      Write(*ManyTypes(10), WriterProperties::Builder().build(), /*int96=*/true);
  const auto footer =
      DecodeParquetFooter(FooterOf(file), static_cast<int64_t>(file.size()), nullptr)
          .ValueOrDie();
  const auto& schema = *footer->schema->arrow;
  using namespace arrow;
  const auto expect = [&](const char* name, const std::shared_ptr<DataType>& type) {
    EXPECT_TRUE(schema.GetFieldByName(name)->type()->Equals(type))
        << schema.GetFieldByName(name)->ToString();
  };
  expect("i8", int8());
  expect("u16", int32());
  expect("u32", int64());
  expect("u64", decimal128(20, 0));
  expect("fixed", binary());
  expect("ts", timestamp(TimeUnit::MICRO, "UTC"));
  expect("nanos", timestamp(TimeUnit::MICRO, "UTC"));  // INT96 here
  expect("time", time64(TimeUnit::MICRO));
  expect("large", decimal128(38, 10));
  expect("map", map(utf8(), float64()));
  EXPECT_FALSE(schema.GetFieldByName("i64")->nullable());
  EXPECT_EQ(footer->schema->first_leaf.size(), 24u);
  EXPECT_EQ(footer->schema->first_leaf.back(), footer->schema->leaf_count());
  EXPECT_EQ(footer->schema->first_leaf[21], 21);  // map: two leaves
  EXPECT_EQ(footer->schema->first_leaf[22], 23);
  const std::string plain = Write(*ManyTypes(10), WriterProperties::Builder().build());
  const auto other =
      DecodeParquetFooter(FooterOf(plain), static_cast<int64_t>(plain.size()), nullptr)
          .ValueOrDie();
  EXPECT_TRUE(other->schema->arrow->GetFieldByName("local")->type()->Equals(
      timestamp(TimeUnit::MICRO)));
  EXPECT_TRUE(other->schema->arrow->GetFieldByName("millis")->type()->Equals(
      timestamp(TimeUnit::MICRO, "UTC")));
}

TEST(ParquetFooterAgainstArrow, EncryptedFooterAndPlainFooterOnesAreUnsupported) {
  const auto table = ManyTypes(10)->SelectColumns({3, 5}).ValueOrDie();
  for (const bool plain_footer : {false, true}) {
    parquet::FileEncryptionProperties::Builder encryption(
        arrow::util::SecureString("0123456789012345"));
    if (plain_footer) encryption.set_plaintext_footer();
    const std::string file = Write(
        *table, WriterProperties::Builder().encryption(encryption.build())->build());
    arrow::io::BufferReader reader(arrow::Buffer::FromString(file));
    int64_t bytes_read = 0;
    const auto footer =
        ReadParquetFooter(reader, "secret.parquet", static_cast<int64_t>(file.size()),
                          nullptr, &bytes_read);
    EXPECT_EQ(KindOf(footer.status()), ErrorKind::kUnsupported) << footer.status();
  }
}

std::optional<int64_t> RowsByArrow(const std::string& raw) {
  try {
    return ArrowsFooter(raw)->num_rows();
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

TEST(ParquetFooterAgainstArrow,
     DamagedFootersNeverCrashAndReadTheSameWhereArrowReadsThem) {
  const std::string file = Write(
      *ManyTypes(150), WriterProperties::Builder().enable_write_page_index()->build());
  const std::string good = FooterOf(file);
  const auto size = static_cast<int64_t>(file.size());
  std::mt19937 random(20);
  int accepted = 0;
  int accepted_alone = 0;
  for (int round = 0; round < 4000; ++round) {
    std::string raw = good;
    if (round % 8 == 0) {
      raw.resize(random() % raw.size());
    } else {
      for (unsigned i = 0; i <= random() % 3; ++i) {
        raw[random() % raw.size()] = static_cast<char>(random());
      }
    }
    const auto ours = DecodeParquetFooter(raw, size, nullptr);
    if (!ours.ok()) {
      EXPECT_NE(KindOf(ours.status()), ErrorKind::kInternal) << ours.status();
      continue;
    }
    ++accepted;
    if (const auto theirs = RowsByArrow(raw)) {
      EXPECT_EQ((*ours)->row_count, theirs) << "round " << round;
    } else {
      ++accepted_alone;
    }
    for (const auto& group : (*ours)->row_groups) {
      for (const auto& chunk : group.chunks) {
        EXPECT_LE(chunk.offset() + chunk.compressed_bytes, size);
      }
    }
  }
  EXPECT_GT(accepted, 1000);
  // Arrow also decodes what is passed over here (counts of page encodings, key-value
  // metadata, details of logical types), and refuses the file when that is damaged.
  EXPECT_LT(accepted_alone, accepted / 10);
}

}  // namespace
}  // namespace wheelpit::index
