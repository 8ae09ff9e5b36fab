// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/exec/scan/growing_dictionary.h"

#include <string>
#include <thread>

#include <arrow/array/array_binary.h>
#include <arrow/memory_pool.h>
#include <arrow/type.h>
#include <gtest/gtest.h>

namespace wheelpit::exec {
namespace {

using Codes = std::vector<GrowingDictionary::Code>;

std::vector<std::string_view> Views(const std::vector<std::string>& values) {
  return {values.begin(), values.end()};
}

std::vector<std::string> Numbered(int begin, int end, size_t size = 0) {
  std::vector<std::string> values;
  for (int i = begin; i < end; ++i) {
    values.push_back(std::to_string(i));
    if (values.back().size() < size) values.back().resize(size, '.');
  }
  return values;
}

std::string At(const arrow::Array& values, int64_t i) {
  return static_cast<const arrow::StringArray&>(values).GetString(i);
}

TEST(GrowingDictionary, CodesStayWhatTheyWere) {
  GrowingDictionary dictionary(arrow::utf8(), arrow::default_memory_pool());
  Codes codes;
  const auto first = dictionary.Intern(Views({"A", "", "R", "A"}), &codes);
  EXPECT_EQ(codes, (Codes{0, 1, 2, 0}));
  ASSERT_EQ(first->length(), 3);
  const auto second = dictionary.Intern(Views({"N", "R", ""}), &codes);
  EXPECT_EQ(codes, (Codes{3, 2, 1}));
  ASSERT_EQ(second->length(), 4);
  EXPECT_EQ(first->data()->buffers[2]->data(), second->data()->buffers[2]->data());
  EXPECT_TRUE(second->Slice(0, 3)->Equals(*first));
  EXPECT_EQ(At(*second, 3), "N");
  EXPECT_TRUE(second->ValidateFull().ok());
}

TEST(GrowingDictionary, NothingIsAddedWhereNotAllHaveRoom) {
  GrowingDictionary dictionary(arrow::utf8(), arrow::default_memory_pool());
  Codes codes;
  EXPECT_EQ(dictionary.Intern(Views(Numbered(0, 4097)), &codes), nullptr);
  ASSERT_NE(dictionary.Intern(Views(Numbered(0, 4000)), &codes), nullptr);
  EXPECT_EQ(dictionary.Intern(Views(Numbered(3950, 4097)), &codes), nullptr);
  const auto values = dictionary.Intern(Views(Numbered(3990, 4096)), &codes);
  ASSERT_NE(values, nullptr);
  EXPECT_EQ(codes.front(), 3990);
  EXPECT_EQ(codes.back(), 4095);
  EXPECT_EQ(values->length(), 4096);
  for (int i = 0; i < 4096; ++i) EXPECT_EQ(At(*values, i), std::to_string(i));
}

TEST(GrowingDictionary, TextHasABoundAsWell) {
  GrowingDictionary dictionary(arrow::utf8(), arrow::default_memory_pool());
  Codes codes;
  EXPECT_EQ(dictionary.Intern(Views(Numbered(0, 66, 1000)), &codes), nullptr);
  EXPECT_NE(dictionary.Intern(Views(Numbered(0, 65, 1000)), &codes), nullptr);
  EXPECT_EQ(dictionary.Intern(Views(Numbered(65, 66, 1000)), &codes), nullptr);
  EXPECT_NE(dictionary.Intern(Views({"short"}), &codes), nullptr);
}

TEST(GrowingDictionary, NoValuesAreAnEmptyArray) {
  GrowingDictionary dictionary(arrow::binary(), arrow::default_memory_pool());
  Codes codes = {7};
  const auto values = dictionary.Intern({}, &codes);
  ASSERT_NE(values, nullptr);
  EXPECT_EQ(values->length(), 0);
  EXPECT_TRUE(codes.empty());
}

TEST(GrowingDictionary, ThreadsAgreeOnCodes) {
  GrowingDictionary dictionary(arrow::utf8(), arrow::default_memory_pool());
  const auto all = Numbered(0, 1000);
  std::vector<std::thread> threads;
  std::vector<std::vector<std::pair<std::string, GrowingDictionary::Code>>> seen(4);
  for (size_t t = 0; t < seen.size(); ++t) {
    threads.emplace_back([&, t] {
      Codes codes;
      for (size_t begin = 0; begin < all.size(); begin += 50) {
        const size_t from = (begin + 250 * t) % all.size();
        const std::vector<std::string> some(
            all.begin() + static_cast<ptrdiff_t>(from),
            all.begin() + static_cast<ptrdiff_t>(from + 50));
        const auto values = dictionary.Intern(Views(some), &codes);
        for (size_t i = 0; i < some.size(); ++i) {
          EXPECT_EQ(At(*values, codes[i]), some[i]);
          seen[t].emplace_back(some[i], codes[i]);
        }
      }
    });
  }
  for (auto& thread : threads) thread.join();
  Codes codes;
  const auto values = dictionary.Intern(Views(all), &codes);
  for (const auto& of_thread : seen) {
    for (const auto& [value, code] : of_thread) EXPECT_EQ(At(*values, code), value);
  }
}

}  // namespace
}  // namespace wheelpit::exec
