// SPDX-License-Identifier: Apache-2.0
// The words that the grammar looks at, in byte order. Every other word is only ever a
// name to the parser, and most of these are names too where no clause can begin: reserved
// words are the parser's affair, not the lexer's.
#pragma once

#include <cstdint>

// clang-format off
#define WHEELPIT_SQL_KEYWORDS(X) \
  X(kAggregate, "AGGREGATE") X(kAll, "ALL") X(kAnalyze, "ANALYZE") X(kAnd, "AND")       \
  X(kAnti, "ANTI") X(kAny, "ANY") X(kAs, "AS") X(kAsc, "ASC") X(kBetween, "BETWEEN")    \
  X(kBoth, "BOTH") X(kBucket, "BUCKET") X(kBy, "BY") X(kCase, "CASE") X(kCast, "CAST")  \
  X(kCluster, "CLUSTER") X(kCodegen, "CODEGEN") X(kCollate, "COLLATE")                  \
  X(kComment, "COMMENT") X(kCopy, "COPY") X(kCost, "COST") X(kCross, "CROSS")           \
  X(kCube, "CUBE") X(kCurrent, "CURRENT") X(kDay, "DAY") X(kDesc, "DESC")               \
  X(kDescribe, "DESCRIBE") X(kDistinct, "DISTINCT") X(kDistribute, "DISTRIBUTE")        \
  X(kDiv, "DIV") X(kDrop, "DROP") X(kElse, "ELSE") X(kEnd, "END") X(kEscape, "ESCAPE")  \
  X(kExcept, "EXCEPT") X(kExclude, "EXCLUDE") X(kExists, "EXISTS")                      \
  X(kExplain, "EXPLAIN") X(kExtend, "EXTEND") X(kExtended, "EXTENDED")                  \
  X(kExtract, "EXTRACT") X(kFalse, "FALSE") X(kFilter, "FILTER") X(kFirst, "FIRST")     \
  X(kFollowing, "FOLLOWING") X(kFor, "FOR") X(kFormatted, "FORMATTED")                  \
  X(kFrom, "FROM") X(kFull, "FULL") X(kFunction, "FUNCTION") X(kGroup, "GROUP")         \
  X(kGrouping, "GROUPING") X(kHaving, "HAVING") X(kHour, "HOUR") X(kIgnore, "IGNORE")   \
  X(kIlike, "ILIKE") X(kIn, "IN") X(kInclude, "INCLUDE") X(kInner, "INNER")             \
  X(kIntersect, "INTERSECT") X(kInterval, "INTERVAL") X(kIs, "IS") X(kJoin, "JOIN")     \
  X(kLast, "LAST") X(kLateral, "LATERAL") X(kLeading, "LEADING") X(kLeft, "LEFT")       \
  X(kLike, "LIKE") X(kLimit, "LIMIT") X(kMinus, "MINUS") X(kMinute, "MINUTE")           \
  X(kMonth, "MONTH") X(kNatural, "NATURAL") X(kNot, "NOT") X(kNull, "NULL")             \
  X(kNulls, "NULLS") X(kOf, "OF") X(kOffset, "OFFSET") X(kOn, "ON") X(kOr, "OR")        \
  X(kOrder, "ORDER") X(kOut, "OUT") X(kOuter, "OUTER") X(kOver, "OVER")                 \
  X(kOverlay, "OVERLAY") X(kPartition, "PARTITION") X(kPercent, "PERCENT")              \
  X(kPivot, "PIVOT") X(kPlacing, "PLACING") X(kPosition, "POSITION")                    \
  X(kPreceding, "PRECEDING") X(kQualify, "QUALIFY") X(kQuery, "QUERY")                  \
  X(kRange, "RANGE") X(kRecursive, "RECURSIVE") X(kRegexp, "REGEXP")                    \
  X(kRepeatable, "REPEATABLE") X(kReset, "RESET") X(kRespect, "RESPECT")                \
  X(kRight, "RIGHT") X(kRlike, "RLIKE") X(kRollup, "ROLLUP") X(kRow, "ROW")             \
  X(kRows, "ROWS") X(kSecond, "SECOND") X(kSelect, "SELECT") X(kSemi, "SEMI")           \
  X(kSet, "SET") X(kSets, "SETS") X(kShow, "SHOW") X(kSingle, "SINGLE")                 \
  X(kSome, "SOME") X(kSort, "SORT") X(kSubstr, "SUBSTR") X(kSubstring, "SUBSTRING")     \
  X(kSystemTime, "SYSTEM_TIME") X(kSystemVersion, "SYSTEM_VERSION") X(kTable, "TABLE")  \
  X(kTablesample, "TABLESAMPLE") X(kThen, "THEN") X(kTime, "TIME")                      \
  X(kTimestamp, "TIMESTAMP") X(kTo, "TO") X(kTrailing, "TRAILING")                      \
  X(kTransform, "TRANSFORM") X(kTrim, "TRIM") X(kTrue, "TRUE") X(kTryCast, "TRY_CAST")  \
  X(kUnbounded, "UNBOUNDED") X(kUnion, "UNION") X(kUnknown, "UNKNOWN")                  \
  X(kUnpivot, "UNPIVOT") X(kUsing, "USING") X(kValues, "VALUES")                        \
  X(kVersion, "VERSION") X(kView, "VIEW") X(kWhen, "WHEN") X(kWhere, "WHERE")           \
  X(kWindow, "WINDOW") X(kWith, "WITH") X(kWithin, "WITHIN") X(kWithout, "WITHOUT")     \
  X(kYear, "YEAR") X(kZone, "ZONE")
// clang-format on

namespace wheelpit::sql {

#define WHEELPIT_SQL_ENUMERATOR(name, text) name,
enum class Keyword : uint8_t { kNone, WHEELPIT_SQL_KEYWORDS(WHEELPIT_SQL_ENUMERATOR) };
#undef WHEELPIT_SQL_ENUMERATOR

}  // namespace wheelpit::sql
