// SPDX-License-Identifier: Apache-2.0
// What a statement says, before any name is looked up. Every node knows its byte range in
// the text, so that whatever is said about it later can point at it. Trees are at most
// kTreeDepthMax deep (parser.h): recursion over them is safe.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "wheelpit/plan/expression.h"

namespace wheelpit::sql::ast {

using plan::SourceRange;

struct Name {
  std::string text;  ///< as written, back-ticks taken off
  bool quoted = false;
  SourceRange range;
};

/// a.b.c
using NamePath = std::vector<Name>;

struct Query;
struct Expression;
using ExpressionPtr = std::unique_ptr<Expression>;
using ExpressionList = std::vector<ExpressionPtr>;

enum class LiteralKind : uint8_t {
  kNull,
  kTrue,
  kFalse,
  kString,
  kInteger,  ///< digits alone: int, else bigint, else decimal
  kDecimal,
  kExponent,
  kBigint,
  kSmallint,
  kTinyint,
  kFloat,
  kDouble,
  kBigDecimal,
  kTyped,  ///< DATE '…', X'…': `type_word` says which
};

enum class ExpressionKind : uint8_t {
  kLiteral,
  kInterval,       ///< intervals
  kParameter,      ///< ? or :name
  kColumn,         ///< path
  kStar,           ///< path (may be empty), except
  kUnary,          ///< op, 1 operand
  kBinary,         ///< op; 2 operands, any number from 2 for AND and OR
  kIs,             ///< test; 1 operand, 2 for DISTINCT FROM
  kBetween,        ///< value, low, high
  kIn,             ///< value, items…
  kInQuery,        ///< value; query
  kLike,           ///< value, pattern [, escape]; with a quantifier: value, patterns…
  kExists,         ///< query
  kSubquery,       ///< query
  kCase,           ///< [value], (when, then)…, [else]: has_value, has_else
  kCast,           ///< 1 operand; type
  kCall,           ///< call; operands are the arguments
  kLambda,         ///< names; operand is the body
  kSubscript,      ///< value, index
  kField,          ///< value; path[0]
  kJsonPath,       ///< value; text is the path
  kRow,            ///< (a, b, …)
  kCollate,        ///< value; path
  kAlias,          ///< value; names: inside STRUCT(…) and rows
  kNamedArgument,  ///< name => value
  kTableArgument,  ///< TABLE t or TABLE (query), of a table-valued function
};

enum class Operator : uint8_t {
  kOr,
  kAnd,
  kNot,
  kEqual,
  kNullSafeEqual,
  kNotEqual,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kBitOr,
  kBitXor,
  kBitAnd,
  kShiftLeft,
  kShiftRight,
  kShiftRightUnsigned,
  kPlus,
  kMinus,
  kConcat,
  kMultiply,
  kDivide,
  kRemainder,
  kDiv,
  kBitNot,
};

/// "+", "AND", …
const char* ToString(Operator op);

enum class IsTest : uint8_t { kNull, kTrue, kFalse, kUnknown, kDistinctFrom };
enum class LikeKind : uint8_t { kLike, kIlike, kRlike };
enum class Quantifier : uint8_t { kNone, kAny, kAll };

struct TypeName {
  std::string word;                 ///< lower case: "decimal", "array", "interval"
  std::vector<int64_t> parameters;  ///< DECIMAL(10, 2)
  std::vector<TypeName> arguments;  ///< ARRAY<…>, MAP<…, …>, STRUCT<…>
  std::vector<Name> fields;         ///< STRUCT's
  std::vector<std::string> units;   ///< INTERVAL DAY TO SECOND: "day", "second"
  std::optional<bool> time_zone;    ///< TIMESTAMP/TIME WITH or WITHOUT TIME ZONE
  SourceRange range;
};

/// One value of an INTERVAL with its unit.
struct IntervalPart {
  std::string value;    ///< "1", "-1.5", "1-2"; of INTERVAL '1 day', all of it
  bool quoted = false;  ///< was a string
  std::string unit;     ///< lower case, without plural s; empty for INTERVAL '1 day'
  std::string to_unit;  ///< of YEAR TO MONTH and the like
};

struct SortItem {
  ExpressionPtr expression;
  bool descending = false;
  std::optional<bool> nulls_first;
};

struct WindowFrame {
  enum class Bound : uint8_t {
    kUnboundedPreceding,
    kPreceding,
    kCurrentRow,
    kFollowing,
    kUnboundedFollowing,
  };
  bool rows = false;  ///< else RANGE
  Bound start = Bound::kUnboundedPreceding;
  Bound end = Bound::kCurrentRow;
  ExpressionPtr start_offset;
  ExpressionPtr end_offset;
};

struct Window {
  Name reference;  ///< OVER w; empty text when written out
  ExpressionList partition_by;
  std::vector<SortItem> order_by;
  std::optional<WindowFrame> frame;
  SourceRange range;
};

struct NamedWindow {
  Name name;
  Window window;
};

/// What a call has besides name and arguments.
struct Call {
  NamePath name;
  bool distinct = false;
  std::string option;  ///< BOTH, LEADING, TRAILING of TRIM; unit of TIMESTAMPADD
  std::vector<SortItem> within_group;
  ExpressionPtr filter;
  std::optional<bool> ignore_nulls;
  std::optional<Window> over;
};

struct Expression {
  ExpressionKind kind = ExpressionKind::kLiteral;
  LiteralKind literal = LiteralKind::kNull;
  Operator op = Operator::kOr;
  IsTest test = IsTest::kNull;
  LikeKind like = LikeKind::kLike;
  Quantifier quantifier = Quantifier::kNone;
  bool negated = false;  ///< NOT IN, IS NOT NULL, …
  bool has_value = false;
  bool has_else = false;
  bool try_cast = false;
  bool parenthesised = false;
  int32_t depth = 1;  ///< of this tree, for the parser's bound
  SourceRange range;
  SourceRange op_range;   ///< of an operator or a function's name
  std::string text;       ///< literal as written, string's value, parameter, JSON path
  std::string type_word;  ///< kTyped: upper case
  NamePath path;
  ExpressionList operands;
  std::vector<NamePath> except;  ///< of a star
  std::vector<IntervalPart> intervals;
  std::unique_ptr<Query> query;
  std::unique_ptr<TypeName> type;
  std::unique_ptr<Call> call;

  Expression();
  ~Expression();
};

struct Relation;
struct QueryBody;

/// expression [AS name | AS (name, …)]
struct SelectItem {
  ExpressionPtr expression;
  std::vector<Name> aliases;
};

struct Sample {
  SourceRange range;
};

struct PivotValue {
  ExpressionPtr expression;
  Name alias;
};

struct Pivot {
  bool unpivot = false;
  std::vector<SelectItem> aggregates;
  std::vector<Name> columns;
  std::vector<PivotValue> values;
  SourceRange range;
};

enum class JoinKind : uint8_t {
  kInner,
  kCross,
  kLeft,
  kRight,
  kFull,
  kLeftSemi,
  kLeftAnti,
};

/// What may follow a relation: a join, a pivot.
struct RelationExtension {
  std::unique_ptr<Pivot> pivot;  ///< else it is a join
  JoinKind join = JoinKind::kInner;
  bool natural = false;
  std::unique_ptr<Relation> right;
  ExpressionPtr on;
  std::vector<Name> using_columns;
  bool has_using = false;
  SourceRange range;
};

enum class RelationKind : uint8_t {
  kTable,     ///< path
  kFile,      ///< file: "x.parquet" after FROM
  kQuery,     ///< query
  kFunction,  ///< function, a kCall
  kValues,    ///< values
  kNested,    ///< (relation)
};

struct Relation {
  RelationKind kind = RelationKind::kTable;
  bool lateral = false;
  NamePath path;
  std::string file;
  std::unique_ptr<Query> query;
  ExpressionPtr function;
  ExpressionList values;
  std::unique_ptr<Relation> nested;
  ExpressionPtr version;  ///< VERSION AS OF, TIMESTAMP AS OF
  std::optional<Sample> sample;
  Name alias;
  std::vector<Name> column_aliases;
  std::vector<RelationExtension> extensions;
  SourceRange range;

  Relation();
  Relation(Relation&&) noexcept;
  Relation& operator=(Relation&&) noexcept;
  ~Relation();
};

struct LateralView {
  bool outer = false;
  ExpressionPtr function;
  Name table_alias;
  std::vector<Name> column_aliases;
  SourceRange range;
};

struct GroupItem {
  enum class Kind : uint8_t { kExpression, kRollup, kCube, kGroupingSets, kSet };
  Kind kind = Kind::kExpression;
  ExpressionPtr expression;
  std::vector<GroupItem>
      items;  ///< of ROLLUP, CUBE, GROUPING SETS; sets hold expressions
};

struct GroupBy {
  std::vector<GroupItem> items;
  bool all = false;  ///< GROUP BY ALL
  bool with_rollup = false;
  bool with_cube = false;
  std::vector<GroupItem> grouping_sets;  ///< GROUP BY a, b GROUPING SETS (…)
  SourceRange range;
};

struct Hint {
  Name name;
  ExpressionList parameters;
};

struct Select {
  std::vector<Hint> hints;
  bool distinct = false;
  bool transform = false;  ///< SELECT TRANSFORM (…) USING …: parsed, kept as a fact
  std::vector<SelectItem> items;
  std::vector<Relation> from;
  std::vector<LateralView> lateral_views;
  ExpressionPtr where;
  std::optional<GroupBy> group_by;
  ExpressionPtr having;
  ExpressionPtr qualify;
  std::vector<NamedWindow> windows;
  SourceRange from_range;  ///< of the word
  SourceRange having_range;
  SourceRange qualify_range;
  SourceRange distinct_range;
  SourceRange windows_range;
};

enum class SetOperator : uint8_t { kUnion, kExcept, kIntersect };

/// TABLE t and a FROM t without SELECT are SELECT * FROM t.
enum class BodyKind : uint8_t {
  kSelect,
  kValues,
  kQuery,         ///< (query)
  kSetOperation,  ///< left, right
};

struct QueryBody {
  BodyKind kind = BodyKind::kSelect;
  std::unique_ptr<Select> select;
  std::unique_ptr<Relation> values;
  std::unique_ptr<Query> query;
  SetOperator set_operator = SetOperator::kUnion;
  bool all = false;
  std::unique_ptr<QueryBody> left;
  std::unique_ptr<QueryBody> right;
  int32_t depth = 1;
  SourceRange range;
  SourceRange op_range;
};

struct CommonTable {
  Name name;
  std::vector<Name> columns;
  std::unique_ptr<Query> query;
};

/// One |> step: its word and range. Steps are parsed and not kept.
struct PipeStep {
  std::string word;
  SourceRange range;
};

struct Query {
  bool recursive = false;
  std::vector<CommonTable> common_tables;
  std::unique_ptr<QueryBody> body;
  std::vector<SortItem> order_by;
  std::vector<SortItem> sort_by;
  ExpressionList cluster_by;
  ExpressionList distribute_by;
  std::vector<NamedWindow> windows;
  ExpressionPtr limit;  ///< null when none or LIMIT ALL
  ExpressionPtr offset;
  std::vector<PipeStep> pipe;
  int32_t depth = 1;        ///< of the deepest tree in it
  SourceRange order_range;  ///< of the first of ORDER, SORT, CLUSTER, DISTRIBUTE BY
  SourceRange windows_range;
  SourceRange with_range;
  SourceRange range;
};

enum class StatementKind : uint8_t {
  kQuery,
  kExplain,        ///< inner; explain_mode
  kDescribeQuery,  ///< query
  kDescribeTable,  ///< relation
  kSet,            ///< key, value; without a key all settings are asked for
  kReset,          ///< key, or all
  kShow,           ///< key
  kShowAll,
  kCopy,        ///< query; path, options
  kCreateView,  ///< view, query
  kDropView,    ///< view
  kShowViews,
  kOther,  ///< understood as far as its words: "CREATE TABLE"
};

struct CopyOption {
  Name name;
  ExpressionPtr value;  ///< null when only the name is there: HEADER
  SourceRange range;    ///< of both
};

/// CREATE VIEW, DROP VIEW
struct View {
  NamePath name;
  std::vector<Name> columns;  ///< empty: as the query calls them
  bool or_replace = false;
  bool if_exists = false;      ///< DROP VIEW IF EXISTS
  bool if_not_exists = false;  ///< CREATE VIEW IF NOT EXISTS
  std::string text;            ///< of CREATE VIEW, whole: what ranges refer to
  SourceRange range;           ///< of the name
};

struct Statement {
  StatementKind kind = StatementKind::kQuery;
  std::unique_ptr<Query> query;
  std::unique_ptr<Relation> relation;
  std::unique_ptr<Statement> inner;
  std::string explain_mode;  ///< upper case: ANALYZE, EXTENDED, …, or empty
  bool extended = false;     ///< DESCRIBE EXTENDED
  /// kOther: its first words, upper case. kDescribeTable: what is asked beside the table.
  std::string words;
  std::string key;
  std::optional<std::string> value;
  std::string path;
  SourceRange path_range;
  std::vector<CopyOption> options;
  View view;
  int64_t parameter_count = 0;
  SourceRange range;
};

/// One line that shows the structure, fully parenthesised; for tests and messages.
std::string ToString(const Expression& expression);

}  // namespace wheelpit::sql::ast
