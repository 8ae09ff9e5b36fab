// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/sql/parser.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "wheelpit/core/error.h"
#include "wheelpit/sql/interval.h"

namespace wheelpit::sql {
namespace {

// The structure of SELECT <text>'s first expression.
std::string Shape(std::string_view expression) {
  auto statement = Parse("SELECT " + std::string(expression));
  if (!statement.ok()) {
    return "error: " + statement.status().message();
  }
  return ToString(*statement->query->body->select->items[0].expression);
}

core::ErrorInfo ErrorOf(std::string_view text) {
  auto statement = Parse(text);
  EXPECT_FALSE(statement.ok()) << text;
  return core::InfoOf(statement.status());
}

std::string MessageOf(std::string_view text) {
  auto statement = Parse(text);
  EXPECT_FALSE(statement.ok()) << text;
  return statement.ok() ? "" : statement.status().message();
}

TEST(Parser, OperatorsBindAsInSpark) {
  EXPECT_EQ(Shape("1 + 2 * 3"), "(1 + (2 * 3))");
  EXPECT_EQ(Shape("1 - 2 - 3"), "((1 - 2) - 3)");
  EXPECT_EQ(Shape("a || b + c"), "((a || b) + c)");
  EXPECT_EQ(Shape("a | b ^ c & d << e + f"), "(a | (b ^ (c & (d << (e + f)))))");
  EXPECT_EQ(Shape("a = b < c"), "((a = b) < c)");
  EXPECT_EQ(Shape("-a * b"), "((- a) * b)");
  EXPECT_EQ(Shape("a DIV b % c"), "((a div b) % c)");
  EXPECT_EQ(Shape("NOT a = b AND c OR d"), "(((NOT (a = b)) AND c) OR d)");
  EXPECT_EQ(Shape("a OR b AND c"), "(a OR (b AND c))");
  EXPECT_EQ(Shape("-1::int"), "CAST(-1 AS int)");
  EXPECT_EQ(Shape("a::int::string"), "CAST(CAST(a AS int) AS string)");
}

TEST(Parser, ChainsOfOneLogicalOperatorAreOneNode) {
  EXPECT_EQ(Shape("a AND b AND c AND d"), "(a AND b AND c AND d)");
  EXPECT_EQ(Shape("a AND (b AND c)"), "(a AND (b AND c))");
  EXPECT_EQ(Shape("(a AND b) AND c"), "((a AND b) AND c)");
}

TEST(Parser, PredicatesTakeAWholeValue) {
  EXPECT_EQ(Shape("a + 1 IS NOT NULL"), "((a + 1) IS NOT NULL)");
  EXPECT_EQ(Shape("a = b IS TRUE"), "((a = b) IS TRUE)");
  EXPECT_EQ(Shape("a NOT BETWEEN 1 AND 2 AND b"), "((a NOT BETWEEN 1 AND 2) AND b)");
  EXPECT_EQ(Shape("a NOT IN (1, 2)"), "(a NOT IN (1, 2))");
  EXPECT_EQ(Shape("a LIKE 'x!%' ESCAPE '!'"), "(a LIKE 'x!%' ESCAPE '!')");
  EXPECT_EQ(Shape("a LIKE ANY ('x', 'y')"), "(a LIKE ANY ('x', 'y'))");
  EXPECT_EQ(Shape("a REGEXP 'x'"), "(a RLIKE 'x')");
  EXPECT_EQ(Shape("a IS NOT DISTINCT FROM b"), "(a IS NOT DISTINCT FROM b)");
  EXPECT_EQ(Shape("a IN (SELECT 1)"), "(a IN (query))");
}

TEST(Parser, CallsAndTheFormsWithWords) {
  EXPECT_EQ(Shape("count(DISTINCT a, b)"), "count(DISTINCT a, b)");
  EXPECT_EQ(Shape("sum(a) FILTER (WHERE b > 1)"), "sum(a) FILTER ((b > 1))");
  EXPECT_EQ(Shape("extract(YEAR FROM d)"), "extract('YEAR', d)");
  EXPECT_EQ(Shape("substring(a FROM 2 FOR 3)"), "substring(a, 2, 3)");
  EXPECT_EQ(Shape("trim(LEADING 'x' FROM a)"), "trim(LEADING a, 'x')");
  EXPECT_EQ(Shape("position('a' IN b)"), "position('a', b)");
  EXPECT_EQ(Shape("overlay(a PLACING 'x' FROM 2)"), "overlay(a, 'x', 2)");
  EXPECT_EQ(Shape("transform(xs, (x, i) -> x + i)"), "transform(xs, (x.i -> (x + i)))");
  EXPECT_EQ(Shape("f(a => 1)"), "f(a => 1)");
  EXPECT_EQ(Shape("xs[0].b"), "xs[0].b");
  EXPECT_EQ(Shape("CASE a WHEN 1 THEN 'x' ELSE 'y' END"),
            "CASE a WHEN 1 THEN 'x' ELSE 'y' END");
  EXPECT_EQ(Shape("CAST(a AS MAP<STRING, ARRAY<MAP<INT, INT>>>)"),
            "CAST(a AS map<string, array<map<int, int>>>)");
  EXPECT_EQ(Shape("'a' 'b'"), "'ab'");
}

TEST(Parser, NodesKnowTheirRange) {
  std::string_view text = "SELECT a + coalesce(b, 1) FROM t WHERE c IN (1, 2)";
  auto statement = Parse(text);
  ASSERT_TRUE(statement.ok());
  const ast::Select& select = *statement->query->body->select;
  auto text_of = [&](plan::SourceRange range) {
    return text.substr(range.offset, range.length);
  };
  const ast::Expression& sum = *select.items[0].expression;
  EXPECT_EQ(text_of(sum.range), "a + coalesce(b, 1)");
  EXPECT_EQ(text_of(sum.op_range), "+");
  EXPECT_EQ(text_of(sum.operands[1]->range), "coalesce(b, 1)");
  EXPECT_EQ(text_of(sum.operands[1]->op_range), "coalesce");
  EXPECT_EQ(text_of(select.where->range), "c IN (1, 2)");
  EXPECT_EQ(text_of(select.from[0].range), "t");
  EXPECT_EQ(text_of(statement->range), text);
}

TEST(Parser, AStringAfterFromAndJoinNamesAFile) {
  auto statement = Parse("SELECT * FROM \"a b.parquet\" x JOIN 'c.parquet' USING (k)");
  ASSERT_TRUE(statement.ok());
  const ast::Relation& relation = statement->query->body->select->from[0];
  EXPECT_EQ(relation.kind, ast::RelationKind::kFile);
  EXPECT_EQ(relation.file, "a b.parquet");
  EXPECT_EQ(relation.alias.text, "x");
  ASSERT_EQ(relation.extensions.size(), 1U);
  EXPECT_EQ(relation.extensions[0].right->file, "c.parquet");
}

TEST(Parser, ClauseWordsAreNamesWhereNoClauseCanBegin) {
  auto statement = Parse("SELECT a limit, b offset, c AS order FROM t left JOIN u");
  ASSERT_TRUE(statement.ok());
  const ast::Select& select = *statement->query->body->select;
  EXPECT_EQ(select.items[0].aliases[0].text, "limit");
  EXPECT_EQ(select.items[1].aliases[0].text, "offset");
  EXPECT_EQ(select.items[2].aliases[0].text, "order");
  EXPECT_EQ(select.from[0].extensions[0].join, ast::JoinKind::kLeft);
}

TEST(Parser, SetOperationsBindAsInSpark) {
  auto statement = Parse("SELECT 1 UNION SELECT 2 INTERSECT SELECT 3 ORDER BY 1");
  ASSERT_TRUE(statement.ok());
  const ast::QueryBody& body = *statement->query->body;
  EXPECT_EQ(body.set_operator, ast::SetOperator::kUnion);
  EXPECT_EQ(body.right->set_operator, ast::SetOperator::kIntersect);
  EXPECT_EQ(statement->query->order_by.size(), 1U);
}

TEST(Parser, SettingsTakeTheRestOfTheText) {
  auto statement = Parse("SET spill.directories = /tmp/a, /tmp/b ;");
  ASSERT_TRUE(statement.ok()) << statement.status().ToString();
  EXPECT_EQ(statement->kind, ast::StatementKind::kSet);
  EXPECT_EQ(statement->key, "spill.directories");
  EXPECT_EQ(statement->value, "/tmp/a, /tmp/b");
  EXPECT_EQ(Parse("SET memory.limit='1GB'")->value, "1GB");
  EXPECT_EQ(Parse("SET memory.limit")->value, std::nullopt);
  EXPECT_EQ(Parse("SET")->key, "");
  EXPECT_EQ(Parse("RESET memory.limit")->key, "memory.limit");
  EXPECT_EQ(Parse("SHOW memory.limit")->key, "memory.limit");
  EXPECT_EQ(Parse("SHOW ALL")->kind, ast::StatementKind::kShowAll);
  EXPECT_FALSE(Parse("SET a b").ok());
  EXPECT_FALSE(Parse("SET = 1").ok());
}

TEST(Parser, StatementsAroundQueries) {
  auto explain = Parse("EXPLAIN ANALYZE SELECT 1");
  ASSERT_TRUE(explain.ok());
  EXPECT_EQ(explain->explain_mode, "ANALYZE");
  EXPECT_EQ(explain->inner->kind, ast::StatementKind::kQuery);
  EXPECT_EQ(Parse("DESCRIBE SELECT 1")->kind, ast::StatementKind::kDescribeQuery);
  EXPECT_EQ(Parse("DESCRIBE \"x.parquet\"")->relation->file, "x.parquet");
  EXPECT_EQ(Parse("DESC TABLE EXTENDED a.b")->relation->path.size(), 2U);
  auto copy = Parse("COPY (SELECT 1) TO 'x' (FORMAT parquet, COMPRESSION 'zstd')");
  ASSERT_TRUE(copy.ok());
  EXPECT_EQ(copy->path, "x");
  EXPECT_EQ(copy->options.size(), 2U);
  EXPECT_EQ(Parse("CREATE TABLE t (a INT)")->words, "CREATE TABLE");
  EXPECT_EQ(Parse("INSERT INTO t SELECT 1")->words, "INSERT INTO");
}

TEST(Parser, ErrorsSayWhatWasFoundAndWhatWasExpected) {
  EXPECT_EQ(MessageOf("SELECT 1 +"), "the text ends here, expected an expression");
  EXPECT_EQ(MessageOf("SELECT * FROM t WHERE a > 1 b"),
            "found b, expected the end of the statement");
  EXPECT_EQ(MessageOf("SELECT CAST(a INT)"), "found INT, expected AS and a type");
  EXPECT_EQ(MessageOf("SELECT a, FROM t"),
            "found FROM (a keyword; a name spelt so needs back-ticks), expected an "
            "expression");
  EXPECT_EQ(MessageOf("SELECT * FROM s3://b/x"), "put the path in quotes: 's3://b/x'");
  EXPECT_EQ(MessageOf(""),
            "the text ends here, expected a statement, as SELECT, EXPLAIN, DESCRIBE, SET "
            "or SHOW");
  core::ErrorInfo info = ErrorOf("SELECT a FROM t WHRE b");
  EXPECT_EQ(info.kind, core::ErrorKind::kInvalidSql);
  EXPECT_EQ(info.error_class, "PARSE_SYNTAX_ERROR");
  EXPECT_EQ(info.sql_offset, 21);
  EXPECT_EQ(info.sql_length, 1);
}

TEST(Parser, LiteralsOutOfRangeAreErrorsOfTheirClass) {
  EXPECT_EQ(ErrorOf("SELECT 128Y").error_class, "INVALID_NUMERIC_LITERAL_RANGE");
  EXPECT_EQ(Shape("-128Y"), "-128Y");
  EXPECT_EQ(ErrorOf("SELECT DATE '2020-02-30'").error_class, "INVALID_TYPED_LITERAL");
  EXPECT_EQ(ErrorOf("SELECT CAST(a AS FOO)").error_class, "UNSUPPORTED_DATATYPE");
  EXPECT_EQ(ErrorOf("SELECT INTERVAL '1' DAY TO YEAR").error_class,
            "INVALID_INTERVAL_FORMAT");
}

std::string Repeat(std::string_view piece, int64_t count) {
  std::string text;
  for (int64_t i = 0; i < count; ++i) {
    text += piece;
  }
  return text;
}

TEST(Parser, AStatementThatIsTooLongIsRefused) {
  std::string text = "SELECT 1" + Repeat(" ", kStatementBytesMax);
  EXPECT_NE(MessageOf(text).find("too long"), std::string::npos);
  EXPECT_TRUE(Parse(std::string_view(text).substr(0, kStatementBytesMax)).ok());
}

TEST(Parser, DeepNestingIsAnErrorAndNoOverflow) {
  constexpr int64_t kDeep = 50000;
  for (std::string_view open :
       {"(", "NOT ", "- ", "~", "f(", "CASE WHEN ", "a[", "(SELECT ", "x -> ",
        "EXISTS (SELECT ", "CAST(", "a IN (", "f() OVER (ORDER BY ", "(a, "}) {
    std::string text = "SELECT " + Repeat(open, kDeep);
    EXPECT_NE(MessageOf(text).find("nested"), std::string::npos) << open;
  }
  EXPECT_FALSE(Parse(Repeat("(", kDeep)).ok());
  EXPECT_FALSE(Parse("SELECT * FROM " + Repeat("(", kDeep)).ok());
  EXPECT_FALSE(Parse("SELECT * FROM " + Repeat("(SELECT * FROM ", 50000)).ok());
  EXPECT_FALSE(Parse(Repeat("EXPLAIN ", kDeep) + "SELECT 1").ok());
  EXPECT_FALSE(Parse("SELECT CAST(a AS " + Repeat("ARRAY<", kDeep)).ok());
  EXPECT_FALSE(Parse("SELECT 1 GROUP BY " + Repeat("ROLLUP(", kDeep)).ok());
  EXPECT_FALSE(Parse(Repeat("WITH a AS (", 80000)).ok());
}

TEST(Parser, LongChainsAreBoundedByTheDepthOfTheirTree) {
  constexpr int64_t kLong = 100000;
  EXPECT_NE(MessageOf("SELECT 1" + Repeat("+1", kLong)).find("1000 levels"),
            std::string::npos);
  EXPECT_FALSE(Parse("SELECT a" + Repeat("[0]", kLong)).ok());
  EXPECT_FALSE(Parse("SELECT a" + Repeat("::int", kLong)).ok());
  EXPECT_FALSE(Parse("SELECT (a)" + Repeat(".b", kLong)).ok());
  EXPECT_FALSE(Parse("SELECT 1" + Repeat(" UNION SELECT 1", 50000)).ok());
  // A subquery at the bottom of a deep tree counts with the tree.
  std::string inner = "1" + Repeat("+1", 600);
  EXPECT_TRUE(Parse("SELECT (SELECT " + inner + ")").ok());
  EXPECT_FALSE(Parse("SELECT (SELECT " + inner + ")" + Repeat("+1", 600)).ok());
  EXPECT_FALSE(
      Parse("SELECT sum(a) OVER (ORDER BY " + inner + ")" + Repeat("+1", 600)).ok());
}

TEST(Parser, LongListsAndLogicalChainsAreFine) {
  constexpr int64_t kLong = 50000;
  EXPECT_TRUE(Parse("SELECT 1" + Repeat(",1", kLong)).ok());
  EXPECT_TRUE(Parse("SELECT a IN (1" + Repeat(",1", kLong) + ")").ok());
  EXPECT_TRUE(Parse("SELECT a" + Repeat(" AND a", kLong)).ok());
  EXPECT_TRUE(Parse("SELECT a" + Repeat(" OR a=1", kLong)).ok());
  EXPECT_TRUE(Parse("SELECT * FROM a" + Repeat(" JOIN b", kLong)).ok());
  EXPECT_TRUE(Parse("SELECT " + Repeat("(", 60) + "1" + Repeat(")", 60)).ok());
}

TEST(Interval, ValuesHaveTheirUnits) {
  auto value = [](std::string_view text) {
    auto statement = Parse("SELECT " + std::string(text));
    EXPECT_TRUE(statement.ok()) << text << statement.status().ToString();
    return EvaluateInterval(*statement->query->body->select->items[0].expression)
        .ValueOr(IntervalValue{});
  };
  constexpr int64_t kHour = INT64_C(3600000000);
  EXPECT_EQ(value("INTERVAL '90' day").micros, 90 * 24 * kHour);
  EXPECT_EQ(value("INTERVAL 2 WEEKS").fields.last, plan::IntervalField::kDay);
  EXPECT_EQ(value("INTERVAL 24 HOURS").fields.first, plan::IntervalField::kHour);
  EXPECT_EQ(value("INTERVAL '1-2' YEAR TO MONTH").months, 14);
  EXPECT_EQ(value("INTERVAL '-1-2' YEAR TO MONTH").months, -14);
  EXPECT_EQ(value("INTERVAL -'1' MONTH").months, -1);
  EXPECT_EQ(value("INTERVAL 1 YEAR 2 MONTHS").months, 14);
  EXPECT_EQ(value("INTERVAL '1 02:03:04.5' DAY TO SECOND").micros,
            26 * kHour + INT64_C(184500000));
  EXPECT_EQ(value("INTERVAL '1 day -2 hours'").micros, 22 * kHour);
  EXPECT_EQ(value("INTERVAL 1.5 SECONDS").micros, 1500000);
}

}  // namespace
}  // namespace wheelpit::sql
