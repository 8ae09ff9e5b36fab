// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/exec/keys/key_encoder.h"

#include <algorithm>
#include <numeric>
#include <random>
#include <string>

#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/json/from_string.h>
#include <arrow/memory_pool.h>
#include <arrow/type.h>
#include <gtest/gtest.h>

#include "wheelpit/core/error.h"
#include "wheelpit/exec/keys/key_sample.h"

namespace wheelpit::exec {
namespace {

arrow::MemoryPool* Pool() {
  return arrow::system_memory_pool();
}

std::unique_ptr<KeyEncoder> EncoderOf(std::vector<KeyColumn> columns) {
  return KeyEncoder::Make(std::move(columns)).ValueOrDie();
}

std::vector<std::string_view> ViewsOf(const EncodedKeys& keys) {
  std::vector<std::string_view> views;
  for (int64_t i = 0; i < keys.count(); ++i) {
    views.push_back(keys[i]);
  }
  return views;
}

int SignOf(int order) {
  return order < 0 ? -1 : order > 0 ? 1 : 0;
}

// Every pair of rows must order as their keys do.
void ExpectSameOrder(const std::vector<KeyColumn>& columns,
                     const arrow::ArrayVector& arrays, const EncodedKeys& keys) {
  for (int64_t a = 0; a < keys.count(); ++a) {
    for (int64_t b = 0; b < keys.count(); ++b) {
      const int wanted = SignOf(ComparePlainly(columns, arrays, a, arrays, b));
      ASSERT_EQ(SignOf(keys[a].compare(keys[b])), wanted)
          << arrays[0]->ToString() << " rows " << a << " and " << b;
      ASSERT_EQ(keys[a] == keys[b], wanted == 0);
      const size_t shorter = std::min(keys[a].size(), keys[b].size());
      ASSERT_EQ(keys[a].substr(0, shorter) == keys[b].substr(0, shorter), wanted == 0)
          << "a key is a prefix of another";
      if (PrefixWord(keys[a]) != PrefixWord(keys[b])) {
        ASSERT_EQ(PrefixWord(keys[a]) < PrefixWord(keys[b]), wanted < 0);
      }
      ASSERT_TRUE(wanted != 0 || HashKey(keys[a]) == HashKey(keys[b]));
    }
  }
}

void ExpectDecodes(const KeyEncoder& encoder, const arrow::ArrayVector& arrays,
                   const EncodedKeys& keys) {
  const auto views = ViewsOf(keys);
  const auto decoded = encoder.Decode(views, Pool());
  ASSERT_TRUE(decoded.ok()) << decoded.status();
  for (size_t i = 0; i < arrays.size(); ++i) {
    ASSERT_EQ((*decoded)[i]->length(), keys.count());
    ASSERT_TRUE((*decoded)[i]->Validate().ok());
  }
  for (int64_t row = 0; row < keys.count(); ++row) {
    ASSERT_EQ(ComparePlainly(encoder.columns(), arrays, row, *decoded, row), 0)
        << arrays[0]->ToString() << " row " << row;
  }
  const auto again = encoder.Encode(*decoded, keys.count(), Pool());
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(ViewsOf(*again), views);
}

TEST(KeyEncoder, OrdersEveryTypeAsItsValues) {
  for (const auto& type : SampleKeyTypes()) {
    for (const bool descending : {false, true}) {
      for (const bool nulls_first : {false, true}) {
        for (const int nulls : {0, 20}) {
          const std::vector<KeyColumn> columns = {{type, descending, nulls_first}};
          const arrow::ArrayVector arrays = {SampleColumn(type, 60, {.nulls = nulls})};
          const auto encoder = EncoderOf(columns);
          const auto keys = encoder->Encode(arrays, 60, Pool());
          ASSERT_TRUE(keys.ok()) << keys.status();
          ExpectSameOrder(columns, arrays, *keys);
          ExpectDecodes(*encoder, arrays, *keys);
        }
      }
    }
  }
}

TEST(KeyEncoder, OrdersSeveralColumnsOneAfterAnother) {
  const auto types = SampleKeyTypes();
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    std::vector<KeyColumn> columns;
    arrow::ArrayVector arrays;
    for (uint64_t i = 0; i < 2 + random() % 3; ++i) {
      columns.push_back(
          {types[random() % types.size()], random() % 2 == 0, random() % 2 == 0});
      arrays.push_back(SampleColumn(columns.back().type, 50,
                                    {.seed = random(), .nulls = 20, .distinct = 4}));
    }
    const auto encoder = EncoderOf(columns);
    const auto keys = encoder->Encode(arrays, 50, Pool());
    ASSERT_TRUE(keys.ok()) << keys.status();
    ExpectSameOrder(columns, arrays, *keys);
    ExpectDecodes(*encoder, arrays, *keys);
  }
}

TEST(KeyEncoder, EncodesTheRowsOfASelection) {
  for (const auto& type : SampleKeyTypes()) {
    const arrow::ArrayVector arrays = {SampleColumn(type, 50, {})};
    const auto encoder = EncoderOf({{type}});
    const auto all = *encoder->Encode(arrays, 50, Pool());
    const std::vector<int32_t> selection = {3, 7, 7, 49, 0};
    const auto some = *encoder->Encode(arrays, selection, Pool());
    ASSERT_EQ(some.count(), 5);
    for (size_t i = 0; i < selection.size(); ++i) {
      EXPECT_EQ(some[static_cast<int64_t>(i)], all[selection[i]]) << type->ToString();
    }
  }
}

TEST(KeyEncoder, MeasuresWhatItAllocates) {
  for (const auto& type : SampleKeyTypes()) {
    const arrow::ArrayVector arrays = {SampleColumn(type, 500, {})};
    const auto encoder = EncoderOf({{type}});
    arrow::ProxyMemoryPool pool(Pool());
    const auto keys = encoder->Encode(arrays, 500, &pool);
    ASSERT_TRUE(keys.ok());
    EXPECT_LE(pool.max_memory(), *encoder->EncodeBytesMax(arrays, 500))
        << type->ToString();
  }
}

// The bytes are a format: rows on disk and the design page rely on them.
TEST(KeyEncoder, HasTheBytesOfTheDesign) {
  const auto bytes = [](const std::shared_ptr<arrow::DataType>& type,
                        const std::string& json, bool descending = false,
                        bool nulls_first = true) {
    const auto encoder = EncoderOf({{type, descending, nulls_first}});
    const auto array = *arrow::json::ArrayFromJSONString(type, json);
    return std::string((*encoder->Encode({array}, 1, Pool()))[0]);
  };
  const auto text = [](std::initializer_list<int> values) {
    std::string all;
    for (const int value : values) {
      all += static_cast<char>(value);
    }
    return all;
  };
  EXPECT_EQ(bytes(arrow::int32(), "[null]"), text({0}));
  EXPECT_EQ(bytes(arrow::int32(), "[null]", true, false), text({2}));
  EXPECT_EQ(bytes(arrow::int16(), "[1]"), text({1, 0x80, 1}));
  EXPECT_EQ(bytes(arrow::int16(), "[1]", true), text({1, 0x7F, 0xFE}));
  EXPECT_EQ(bytes(arrow::boolean(), "[true]"), text({1, 1}));
  EXPECT_EQ(bytes(arrow::decimal128(4, 2), "[\"-0.01\"]"),
            text({1, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF}));
  EXPECT_EQ(bytes(arrow::float32(), "[-0.0]"), text({1, 0x80, 0, 0, 0}));
  EXPECT_EQ(bytes(arrow::utf8(), "[\"a\\u0000b\"]"), text({1, 'a', 0, 0xFF, 'b', 0, 0}));
  EXPECT_EQ(bytes(arrow::utf8(), "[\"a\"]", true), text({1, 0x9E, 0xFF, 0xFF}));
}

TEST(KeyEncoder, TakesAMegabyteOfText) {
  for (const char fill : {'x', '\0'}) {
    arrow::StringBuilder builder;
    const std::string long_text(1 << 20, fill);
    ASSERT_TRUE(builder.Append(long_text + "b").ok());
    ASSERT_TRUE(builder.Append(long_text + "a").ok());
    ASSERT_TRUE(builder.Append(long_text).ok());
    const arrow::ArrayVector arrays = {*builder.Finish()};
    const auto encoder = EncoderOf({{arrow::utf8()}});
    const auto keys = *encoder->Encode(arrays, 3, Pool());
    EXPECT_LT(keys[1], keys[0]);
    EXPECT_LT(keys[2], keys[1]);
    ExpectDecodes(*encoder, arrays, keys);
  }
}

TEST(KeyEncoder, HasKeysOfNoRowsAndOfNoColumns) {
  const auto encoder = EncoderOf({{arrow::utf8()}});
  const arrow::ArrayVector none = {SampleColumn(arrow::utf8(), 0, {})};
  EXPECT_EQ((*encoder->Encode(none, 0, Pool())).count(), 0);
  EXPECT_EQ((*encoder->Decode({}, Pool()))[0]->length(), 0);
  const auto no_columns = EncoderOf({});
  const auto keys = *no_columns->Encode(arrow::ArrayVector{}, 3, Pool());
  EXPECT_EQ(keys.count(), 3);
  EXPECT_EQ(keys[2], "");
}

TEST(KeyEncoder, PrefixWordStartsWhereItIsTold) {
  const std::string key = "\x01\x02\x03\x04\x05\x06\x07\x08\x09";
  EXPECT_EQ(PrefixWord(key), 0x0102030405060708u);
  EXPECT_EQ(PrefixWord(key, 1), 0x0203040506070809u);
  EXPECT_EQ(PrefixWord(key, 6), 0x0708090000000000u);
  EXPECT_EQ(PrefixWord(key, 20), 0u);
}

TEST(KeyEncoder, RefusesNestedTypesByName) {
  const auto made = KeyEncoder::Make({{arrow::list(arrow::int32())}});
  EXPECT_EQ(core::KindOf(made.status()), core::ErrorKind::kUnsupported);
  EXPECT_NE(made.status().message().find("list<item: int32>"), std::string::npos);
}

TEST(KeyEncoder, RefusesACodeBeyondTheDictionary) {
  const auto type = arrow::dictionary(arrow::int8(), arrow::utf8());
  const auto codes = *arrow::json::ArrayFromJSONString(arrow::int8(), "[0, 5]");
  const auto values = *arrow::json::ArrayFromJSONString(arrow::utf8(), "[\"a\"]");
  const arrow::ArrayVector arrays = {
      std::make_shared<arrow::DictionaryArray>(type, codes, values)};
  const auto keys = EncoderOf({{type}})->Encode(arrays, 2, Pool());
  EXPECT_EQ(core::KindOf(keys.status()), core::ErrorKind::kCorrupt);
}

void ExpectCorrupt(const KeyEncoder& encoder, std::string_view key) {
  const auto decoded = encoder.Decode(std::span(&key, 1), Pool());
  ASSERT_FALSE(decoded.ok());
  EXPECT_EQ(core::KindOf(decoded.status()), core::ErrorKind::kCorrupt)
      << decoded.status();
}

TEST(KeyDecoder, RefusesBytesThatAreNoKey) {
  for (const bool descending : {false, true}) {
    for (const auto& type : SampleKeyTypes()) {
      const auto encoder = EncoderOf({{type, descending}, {arrow::int16()}});
      const arrow::ArrayVector arrays = {SampleColumn(type, 30, {}),
                                         SampleColumn(arrow::int16(), 30, {.nulls = 0})};
      const auto keys = *encoder->Encode(arrays, 30, Pool());
      for (int64_t row = 0; row < keys.count(); ++row) {
        const std::string key(keys[row]);
        for (size_t size = 0; size < key.size(); ++size) {
          ExpectCorrupt(*encoder, key.substr(0, size));
        }
        ExpectCorrupt(*encoder, key + "x");
        ExpectCorrupt(*encoder, "\x07" + key.substr(1));
      }
    }
  }
  ExpectCorrupt(*EncoderOf({{arrow::boolean()}}), "\x01\x02");
  ExpectCorrupt(*EncoderOf({{arrow::null()}}), "\x01");
  ExpectCorrupt(*EncoderOf({{arrow::utf8()}}), std::string_view("\x01"
                                                                "a\0b\0\0",
                                                                6));
}

TEST(KeyDecoder, SurvivesFlippedBytes) {
  std::mt19937_64 random(7);
  for (const auto& type : SampleKeyTypes()) {
    const auto encoder = EncoderOf({{type}, {arrow::utf8()}});
    const arrow::ArrayVector arrays = {SampleColumn(type, 30, {}),
                                       SampleColumn(arrow::utf8(), 30, {})};
    const auto keys = *encoder->Encode(arrays, 30, Pool());
    for (int round = 0; round < 300; ++round) {
      std::string key(keys[static_cast<int64_t>(random() % 30)]);
      key[random() % key.size()] ^= static_cast<char>(1 << random() % 8);
      const std::string_view view = key;
      const auto decoded = encoder->Decode(std::span(&view, 1), Pool());
      if (decoded.ok()) {
        EXPECT_TRUE((*decoded)[0]->Validate().ok());
        EXPECT_TRUE((*decoded)[1]->Validate().ok());
      } else {
        EXPECT_EQ(core::KindOf(decoded.status()), core::ErrorKind::kCorrupt);
      }
    }
  }
}

}  // namespace
}  // namespace wheelpit::exec
