// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/sql/scope.h"

#include <string>

#include <arrow/type.h>
#include <gtest/gtest.h>

#include "wheelpit/core/error.h"

namespace wheelpit::sql {
namespace {

ast::NamePath Path(const std::string& text) {
  ast::Name name;
  name.text = text;
  return {name};
}

arrow::Status Find(const Scope& scope, const std::string& text) {
  ast::Expression name;
  name.path = Path(text);
  name.range = {.offset = 7, .length = 1};
  return scope.Find(name).status();
}

TEST(Scope, ColumnsOfTypesThatAreNotReadAreRefusedWhenTheyAreNamed) {
  const auto time = arrow::time32(arrow::TimeUnit::MILLI);
  const Scope scope(
      *arrow::schema({arrow::field("a", arrow::int32()), arrow::field("t", time),
                      arrow::field("d", arrow::decimal256(60, 2)),
                      arrow::field("l", arrow::list(time)),
                      arrow::field("i", arrow::list(arrow::int32()))}),
      "x");
  EXPECT_TRUE(Find(scope, "a").ok());
  EXPECT_TRUE(Find(scope, "i").ok());
  for (const auto& [name, type] :
       {std::pair("t", "time"), {"d", "decimal(60,2)"}, {"l", "array<time>"}}) {
    const arrow::Status status = Find(scope, name);
    EXPECT_EQ(core::KindOf(status), core::ErrorKind::kUnsupported);
    EXPECT_EQ(core::InfoOf(status).sql_offset, 7);
    EXPECT_EQ(status.message(), "column " + std::string(name) + " has the type " + type +
                                    ", which is not supported yet; SELECT * EXCEPT (" +
                                    name + ") reads the others");
  }
  EXPECT_FALSE(scope.Expand(ast::Expression()).ok());
  ast::Expression star;
  star.except = {Path("t"), Path("d"), Path("l")};
  const auto rest = scope.Expand(star);
  ASSERT_TRUE(rest.ok()) << rest.status();
  EXPECT_EQ(*rest, (std::vector<size_t>{0, 4}));
}

}  // namespace
}  // namespace wheelpit::sql
