// SPDX-License-Identifier: Apache-2.0
// Footers made by hand: what decides whether statistics are trusted, and bad input.
#include "wheelpit/index/parquet_footer.h"

#include <cmath>
#include <cstring>
#include <functional>
#include <limits>

#include <arrow/buffer.h>
#include <arrow/io/memory.h>
#include <arrow/type.h>
#include <gtest/gtest.h>

#include "wheelpit/core/error.h"

namespace wheelpit::index {
namespace {

using core::ErrorKind;
using core::KindOf;

// Writes the Thrift compact protocol, as far as footers need it.
class ThriftWriter {
 public:
  using Body = std::function<void(ThriftWriter&)>;

  ThriftWriter& I32(int id, int64_t value) { return Field(id, 5).Zigzag(value); }
  ThriftWriter& I64(int id, int64_t value) { return Field(id, 6).Zigzag(value); }
  ThriftWriter& Binary(int id, std::string_view value) {
    Field(id, 8).Varint(value.size());
    bytes += value;
    return *this;
  }
  ThriftWriter& Bool(int id, bool value) { return Field(id, value ? 1 : 2); }
  ThriftWriter& Struct(int id, const Body& body) { return Field(id, 12).Element(body); }
  ThriftWriter& List(int id, const std::vector<Body>& elements) {
    Field(id, 9);
    bytes += static_cast<char>(0xfc);
    Varint(elements.size());
    for (const Body& element : elements) Element(element);
    return *this;
  }
  ThriftWriter& Stop() {
    bytes += '\0';
    return *this;
  }

  std::string bytes;

 private:
  ThriftWriter& Element(const Body& body) {
    ThriftWriter inner;
    body(inner);
    bytes += inner.Stop().bytes;
    return *this;
  }
  ThriftWriter& Field(int id, int type) {
    bytes += static_cast<char>(type);
    return Zigzag(id);
  }
  ThriftWriter& Zigzag(int64_t value) {
    return Varint((static_cast<uint64_t>(value) << 1) ^
                  static_cast<uint64_t>(value >> 63));
  }
  ThriftWriter& Varint(uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(value | 0x80);
    bytes += static_cast<char>(value);
    return *this;
  }
};

constexpr int64_t kFileBytes = 1000;

template <typename T>
std::string Plain(T value) {
  std::string bytes(sizeof(value), '\0');
  std::memcpy(bytes.data(), &value, sizeof(value));
  return bytes;
}

// A file of one required column and one row group; tests bend what they are about.
struct OneColumn {
  int physical_type = 1;  // INT32
  int width_bytes = -1;
  int converted_type = -1;
  ThriftWriter::Body logical_type;
  std::optional<std::string> min, max, min_value, max_value;
  bool column_orders = true;
  int order = 1;
  std::string created_by = "parquet-mr version 1.12.3 (build abc)";
  int64_t rows = 10, group_rows = 10, values = 10, null_count = 0;
  int64_t data_page_offset = 4, compressed_bytes = 100;
  int chunk_type = -1;
  ThriftWriter::Body more_in_chunk, more_in_file;

  std::string Bytes() const {
    ThriftWriter file;
    file.I32(1, 2).List(2,
                        {[](ThriftWriter& root) { root.Binary(4, "schema").I32(5, 1); },
                         [&](ThriftWriter& leaf) {
                           leaf.I32(1, physical_type);
                           if (width_bytes >= 0) leaf.I32(2, width_bytes);
                           leaf.I32(3, 0).Binary(4, "c");
                           if (converted_type >= 0) leaf.I32(6, converted_type);
                           if (logical_type) leaf.Struct(10, logical_type);
                         }});
    file.I64(3, rows).List(4, {[&](ThriftWriter& group) { Group(group); }});
    file.Binary(6, created_by);
    if (column_orders) {
      file.List(7, {[&](ThriftWriter& w) { w.Struct(order, [](ThriftWriter&) {}); }});
    }
    if (more_in_file) more_in_file(file);
    return file.Stop().bytes;
  }

  auto Decode(std::shared_ptr<const ParquetSchema> known = nullptr) const {
    return DecodeParquetFooter(Bytes(), kFileBytes, std::move(known));
  }

  ParquetChunk Chunk() const {
    const auto footer = Decode();
    EXPECT_TRUE(footer.ok()) << footer.status();
    if (!footer.ok()) return {};
    kept = *footer;
    return kept->row_groups.at(0).chunks.at(0);
  }
  mutable std::shared_ptr<const ParquetFooter> kept;

 private:
  void Group(ThriftWriter& group) const {
    group.List(1, {[&](ThriftWriter& chunk) {
                 chunk.I64(2, 0).Struct(3, [&](ThriftWriter& meta) { Meta(meta); });
                 if (more_in_chunk) more_in_chunk(chunk);
               }});
    group.I64(2, 0).I64(3, group_rows);
  }
  void Meta(ThriftWriter& meta) const {
    meta.I32(1, chunk_type >= 0 ? chunk_type : physical_type);
    meta.List(2, {}).List(3, {}).I32(4, 0);
    meta.I64(5, values).I64(6, 100).I64(7, compressed_bytes).I64(9, data_page_offset);
    meta.Struct(12, [&](ThriftWriter& statistics) {
      if (max) statistics.Binary(1, *max);
      if (min) statistics.Binary(2, *min);
      statistics.I64(3, null_count);
      if (max_value) statistics.Binary(5, *max_value);
      if (min_value) statistics.Binary(6, *min_value);
      statistics.Bool(7, false).Bool(8, false);
    });
  }
};

OneColumn Ordered(int type, std::string min, std::string max) {
  OneColumn file;
  file.physical_type = type;
  file.min_value = std::move(min);
  file.max_value = std::move(max);
  return file;
}

OneColumn Deprecated(int type, std::string min, std::string max) {
  OneColumn file;
  file.physical_type = type;
  file.min = std::move(min);
  file.max = std::move(max);
  return file;
}

constexpr int kInt32 = 1, kInt96 = 3, kFloat = 4, kDouble = 5, kByteArray = 6;

TEST(ParquetFooter, OrderedStatisticsAreTrusted) {
  const auto file = Ordered(kInt32, Plain(-5), Plain(7));
  const auto chunk = file.Chunk();
  ASSERT_TRUE(chunk.has_min_max);
  EXPECT_EQ(chunk.min, Plain(-5));
  EXPECT_EQ(chunk.max, Plain(7));
  EXPECT_EQ(chunk.null_count, 0);
}

TEST(ParquetFooter, OrderedStatisticsWithoutColumnOrdersAreNot) {
  auto file = Ordered(kInt32, Plain(-5), Plain(7));
  file.column_orders = false;
  EXPECT_FALSE(file.Chunk().has_min_max);
  file.column_orders = true;
  file.order = 2;  // the IEEE total order, or whatever comes next
  EXPECT_FALSE(file.Chunk().has_min_max);
}

TEST(ParquetFooter, DeprecatedStatisticsServeSignedNumbersOnly) {
  EXPECT_TRUE(Deprecated(kInt32, Plain(-5), Plain(7)).Chunk().has_min_max);
  auto file = Deprecated(kInt32, Plain(1), Plain(7));
  file.converted_type = 13;  // UINT_32
  EXPECT_FALSE(file.Chunk().has_min_max);
  // Binary minima of old writers ordered signed bytes, or shared a buffer that was
  // overwritten.
  file = Deprecated(kByteArray, "a", "b");
  file.created_by = "parquet-mr version 1.6.0";
  EXPECT_FALSE(file.Chunk().has_min_max);
  file.created_by = "";
  EXPECT_FALSE(file.Chunk().has_min_max);
}

TEST(ParquetFooter, UnsignedStatisticsOrderAsUnsigned) {
  auto file = Ordered(kInt32, Plain(5u), Plain(0xffff'fff0u));
  EXPECT_FALSE(file.Chunk().has_min_max);  // signed: min > max
  file.converted_type = 13;
  EXPECT_TRUE(file.Chunk().has_min_max);
  EXPECT_EQ(file.kept->schema->leaves[0].bounds, ParquetBounds::kUint32);
  EXPECT_TRUE(file.kept->schema->arrow->field(0)->type()->Equals(arrow::int64()));
}

TEST(ParquetFooter, NanMakesStatisticsUntrusted) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(Ordered(kDouble, Plain(1.0), Plain(2.0)).Chunk().has_min_max);
  EXPECT_FALSE(Ordered(kDouble, Plain(nan), Plain(2.0)).Chunk().has_min_max);
  EXPECT_FALSE(Ordered(kDouble, Plain(1.0), Plain(nan)).Chunk().has_min_max);
  EXPECT_FALSE(Deprecated(kFloat, Plain(std::nanf("")), Plain(1.0f)).Chunk().has_min_max);
}

TEST(ParquetFooter, ZerosAreWidenedToBothSigns) {
  auto file = Ordered(kDouble, Plain(0.0), Plain(1.0));
  EXPECT_EQ(file.Chunk().min, Plain(-0.0));
  file = Ordered(kDouble, Plain(-1.0), Plain(-0.0));
  EXPECT_EQ(file.Chunk().max, Plain(0.0));
  file = Ordered(kFloat, Plain(0.0f), Plain(-0.0f));
  EXPECT_EQ(file.Chunk().min, Plain(-0.0f));
  EXPECT_EQ(file.Chunk().max, Plain(0.0f));
}

TEST(ParquetFooter, StatisticsOfTheWrongWidthOrOrderAreForgotten) {
  EXPECT_FALSE(Ordered(kInt32, "abc", Plain(7)).Chunk().has_min_max);
  EXPECT_FALSE(Ordered(kInt32, "", "").Chunk().has_min_max);
  EXPECT_FALSE(Ordered(kInt32, Plain(8), Plain(7)).Chunk().has_min_max);
  EXPECT_FALSE(Ordered(kDouble, Plain(1.0f), Plain(2.0f)).Chunk().has_min_max);
  EXPECT_FALSE(Ordered(kByteArray, "b", "a").Chunk().has_min_max);
  EXPECT_FALSE(
      Ordered(kInt96, std::string(12, 'a'), std::string(12, 'b')).Chunk().has_min_max);
  EXPECT_EQ(Ordered(kInt32, Plain(8), Plain(7)).Chunk().min, "");
}

TEST(ParquetFooter, TruncatedStringStatisticsAreStillBounds) {
  const auto file = Ordered(kByteArray, "aa", "b\xff");
  EXPECT_TRUE(file.Chunk().has_min_max);
  EXPECT_EQ(file.kept->schema->leaves[0].bounds, ParquetBounds::kBytes);
}

TEST(ParquetFooter, OneSidedStatisticsAreNone) {
  OneColumn file;
  file.min_value = Plain(1);
  EXPECT_FALSE(file.Chunk().has_min_max);
  file.max = Plain(9);
  EXPECT_FALSE(file.Chunk().has_min_max);
}

TEST(ParquetFooter, AnImpossibleNullCountIsAbsent) {
  OneColumn file;
  file.null_count = 11;
  EXPECT_EQ(file.Chunk().null_count, -1);
  file.null_count = -3;
  EXPECT_EQ(file.Chunk().null_count, -1);
}

TEST(ParquetFooter, TheSchemaIsSharedWhenItsBytesAreTheSame) {
  OneColumn file;
  const auto first = file.Decode().ValueOrDie();
  file.rows = file.group_rows = file.values = 20;
  const auto second = file.Decode(first->schema).ValueOrDie();
  EXPECT_EQ(second->schema, first->schema);
  EXPECT_EQ(second->row_count, 20);
  file.physical_type = 2;
  const auto other = file.Decode(first->schema).ValueOrDie();
  EXPECT_NE(other->schema, first->schema);
  EXPECT_TRUE(other->schema->arrow->field(0)->type()->Equals(arrow::int64()));
}

TEST(ParquetFooter, AKnownSchemaThatStandsThereTwiceIsKnownBothTimes) {
  OneColumn footer;
  footer.more_in_file = [](ThriftWriter& file) {
    file.List(2, {[](ThriftWriter& root) { root.Binary(4, "schema").I32(5, 1); },
                  [](ThriftWriter& leaf) { leaf.I32(1, 1).I32(3, 0).Binary(4, "c"); }});
  };
  const auto known = footer.Decode();
  ASSERT_TRUE(known.ok()) << known.status();
  const auto again = footer.Decode((*known)->schema);
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ((*again)->schema, (*known)->schema);
}

TEST(ParquetFooter, UnknownFieldsAndStructsArePassedOver) {
  OneColumn file;
  file.more_in_chunk = [](ThriftWriter& w) {
    w.Struct(40, [](ThriftWriter& inner) {
      inner.Binary(1, "new").List(2, {[](ThriftWriter& x) { x.I64(1, 5); }});
    });
  };
  file.more_in_file = [](ThriftWriter& w) { w.I64(99, 1).Binary(100, "later"); };
  EXPECT_EQ(file.Chunk().value_count, 10);
}

TEST(ParquetFooter, AnUnknownLogicalTypeIsReadAsBytesWithoutStatistics) {
  auto file = Ordered(kByteArray, "a", "b");
  file.logical_type = [](ThriftWriter& w) { w.Struct(77, [](ThriftWriter&) {}); };
  EXPECT_TRUE(file.Decode().ok());
  EXPECT_FALSE(file.Chunk().has_min_max);
  EXPECT_TRUE(file.kept->schema->arrow->field(0)->type()->Equals(arrow::binary()));
}

void ExpectCorrupt(const OneColumn& file, const std::string& words) {
  const auto status = file.Decode().status();
  EXPECT_EQ(KindOf(status), ErrorKind::kCorrupt) << status;
  EXPECT_NE(status.message().find(words), std::string::npos) << status;
}

TEST(ParquetFooter, ContradictionsNameTheirPlace) {
  OneColumn file;
  file.data_page_offset = 950;
  ExpectCorrupt(file, "row group 0, column 0: its pages lie outside the file");
  file = {};
  file.compressed_bytes = std::numeric_limits<int64_t>::max();
  ExpectCorrupt(file, "row group 0, column 0: its pages lie outside the file");
  file = {};
  file.compressed_bytes = -1;
  ExpectCorrupt(file, "outside the file");
  file = {};
  file.values = 9;
  ExpectCorrupt(file, "its number of values is not the row group's number of rows");
  file = {};
  file.chunk_type = 2;
  ExpectCorrupt(file, "its type is not the schema's");
  file = {};
  file.rows = 11;
  ExpectCorrupt(file, "it announces 11 rows and its row groups hold 10");
  file = {};
  file.group_rows = file.values = -1;
  ExpectCorrupt(file, "impossible number of rows");
  file = {};
  file.physical_type = 8;
  ExpectCorrupt(file, "that does not exist");
  file = {};
  file.more_in_chunk = [](ThriftWriter& w) { w.I64(4, 999).I32(5, 100); };
  ExpectCorrupt(file, "page index lies outside");
  file = {};
  file.more_in_file = [](ThriftWriter& w) { w.List(4, {}); };
  ExpectCorrupt(file, "contradict");
}

TEST(ParquetFooter, EncryptedAndExternalFilesAreRefusedByName) {
  OneColumn file;
  file.more_in_file = [](ThriftWriter& w) { w.Struct(8, [](ThriftWriter&) {}); };
  EXPECT_EQ(KindOf(file.Decode().status()), ErrorKind::kUnsupported);
  file = {};
  file.more_in_chunk = [](ThriftWriter& w) { w.Struct(8, [](ThriftWriter&) {}); };
  EXPECT_EQ(KindOf(file.Decode().status()), ErrorKind::kUnsupported);
  file = {};
  file.more_in_chunk = [](ThriftWriter& w) { w.Binary(1, "elsewhere.parquet"); };
  EXPECT_EQ(KindOf(file.Decode().status()), ErrorKind::kUnsupported);
}

TEST(ParquetFooter, SchemasAreBoundedInDepthAndMustBeTrees) {
  const auto decode = [](int groups, int children) {
    ThriftWriter file;
    std::vector<ThriftWriter::Body> elements(
        static_cast<size_t>(groups),
        [&](ThriftWriter& w) { w.I32(3, 0).Binary(4, "g").I32(5, children); });
    elements.push_back([](ThriftWriter& w) { w.I32(1, 1).I32(3, 0).Binary(4, "c"); });
    file.I32(1, 1).List(2, elements).I64(3, 0).List(4, {});
    return DecodeParquetFooter(file.Stop().bytes, kFileBytes, nullptr).status();
  };
  EXPECT_TRUE(decode(50, 1).ok()) << decode(50, 1);
  EXPECT_NE(decode(5000, 1).message().find("deeper"), std::string::npos);
  EXPECT_NE(decode(5, 2).message().find("fewer elements"), std::string::npos);
  EXPECT_NE(decode(5, -2).message().find("negative"), std::string::npos);
  EXPECT_EQ(KindOf(decode(5, 1 << 30)), ErrorKind::kCorrupt);
}

arrow::Status ReadBytes(const std::string& bytes, int64_t listed_size) {
  arrow::io::BufferReader file(arrow::Buffer::FromString(bytes));
  int64_t bytes_read = 0;
  return ReadParquetFooter(file, "/t/a.parquet", listed_size, nullptr, &bytes_read)
      .status();
}

std::string File(const std::string& footer, const std::string& magic = "PAR1") {
  std::string bytes = "PAR1" + std::string(200, 'x') + footer;
  return bytes + Plain(static_cast<uint32_t>(footer.size())) + magic;
}

TEST(ReadParquetFooter, FilesThatAreNoneAreNamed) {
  const std::string good = File(OneColumn{}.Bytes());
  EXPECT_TRUE(ReadBytes(good, static_cast<int64_t>(good.size())).ok());
  auto status = ReadBytes("PAR1", 4);
  EXPECT_EQ(KindOf(status), ErrorKind::kCorrupt);
  EXPECT_EQ(status.message(),
            "/t/a.parquet: not a Parquet file: 4 bytes are too few; leave it out or "
            "write it again");
  const std::string text(500, 'a');
  status = ReadBytes(text, 500);
  EXPECT_EQ(KindOf(status), ErrorKind::kCorrupt);
  EXPECT_NE(status.message().find("not a Parquet file"), std::string::npos);
  const std::string encrypted = File("", "PARE");
  EXPECT_EQ(KindOf(ReadBytes(encrypted, static_cast<int64_t>(encrypted.size()))),
            ErrorKind::kUnsupported);
}

TEST(ReadParquetFooter, LengthsBeyondTheFileAreRefused) {
  std::string bytes = "PAR1" + std::string(100, 'x') + Plain(0x7fff'ffffu) + "PAR1";
  EXPECT_EQ(KindOf(ReadBytes(bytes, static_cast<int64_t>(bytes.size()))),
            ErrorKind::kCorrupt);
}

TEST(ReadParquetFooter, AFileCutShortSinceItWasListedSaysSo) {
  const std::string good = File(OneColumn{}.Bytes());
  const auto status = ReadBytes(good, static_cast<int64_t>(good.size()) + 10);
  EXPECT_EQ(KindOf(status), ErrorKind::kCorrupt);
  EXPECT_NE(status.message().find("cut short"), std::string::npos) << status;
}

TEST(ReadParquetFooter, LongFootersTakeASecondRead) {
  OneColumn file;
  file.more_in_file = [](ThriftWriter& w) { w.Binary(99, std::string(100'000, 'k')); };
  const std::string bytes = File(file.Bytes());
  arrow::io::BufferReader reader(arrow::Buffer::FromString(bytes));
  int64_t bytes_read = 0;
  const auto footer = ReadParquetFooter(reader, "f", static_cast<int64_t>(bytes.size()),
                                        nullptr, &bytes_read);
  ASSERT_TRUE(footer.ok()) << footer.status();
  EXPECT_GT(bytes_read, 100'000);
  EXPECT_LT(bytes_read, 101'000);
  EXPECT_GT((*footer)->memory_bytes(), 100'000);
}

}  // namespace
}  // namespace wheelpit::index
