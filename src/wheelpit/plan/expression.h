// SPDX-License-Identifier: Apache-2.0
// Typed expressions: what the binder makes and the operators evaluate. Types are Spark's,
// named by Arrow: boolean, int8…int64, float32/64, decimal128(p, s), utf8, binary,
// date32, timestamp[us, UTC] (TIMESTAMP) and timestamp[us] (TIMESTAMP_NTZ), null.
// Semantics are Spark's with ANSI mode on. Expressions are immutable and shared; any
// thread may read them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/result.h>
#include <arrow/type_fwd.h>

namespace wheelpit::plan {

/// Where in the SQL text something was written; offset -1 when nowhere.
struct SourceRange {
  int64_t offset = -1;
  int64_t length = 0;
};

/// An error of what is at `range`, which did not know it. Not for errors that are
/// nobody's fault there: a stop, a limit.
arrow::Status WithRange(const arrow::Status& status, SourceRange range);

enum class ExprKind : uint8_t { kLiteral, kColumn, kCall, kCast };

/// Scalar functions and operators that evaluation knows. Conditionals evaluate lazily: a
/// branch that is not taken for a row raises no error for it. kNullIf is only written:
/// MakeCall turns it into kCase. A date moved by days (d + 1) is kDateAdd or kDateSub.
enum class Function : uint8_t {
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kIntegralDivide,
  kRemainder,
  kNegate,
  kBitAnd,
  kBitOr,
  kBitXor,
  kBitNot,
  kEqual,
  kNotEqual,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kNullSafeEqual,
  kAnd,
  kOr,
  kNot,
  kIsNull,
  kIsNotNull,
  kIsNaN,
  kIn,    ///< (value, item…): Spark's null rules
  kCase,  ///< (condition, value, condition, value, …, [else])
  kCoalesce,
  kNullIf,
  kLike,  ///< (text, pattern[, escape]); the escape is a literal of one character
  kRLike,
  kConcat,
  kUpper,
  kLower,
  kLength,
  kSubstring,  ///< (text, position from 1[, length])
  kTrim,       ///< (text[, characters]); so are the next two
  kLeftTrim,
  kRightTrim,
  kStartsWith,
  kEndsWith,
  kContains,
  kAbs,
  kFloor,  ///< (number[, digits, a literal]); so is kCeil
  kCeil,
  kRound,  ///< (number[, digits, a literal])
  kSqrt,
  kYear,
  kMonth,
  kDay,
  kHour,
  kMinute,
  kSecond,
  kSecondFraction,  ///< with microseconds, as decimal(8,6)
  kDateAdd,
  kDateSub,
  kDateDiff,     ///< (end, start)
  kAddMonths,    ///< (date or time, interval of months): what + is written for, as
  kAddTime,      ///< (time, interval of days and less),
  kDaysBetween,  ///< and - for (date, date) and
  kTimeBetween,  ///< (time, time), of local times
};

struct Expr;
// Shared: subexpressions are referred to from rewritten trees and by running operators.
using ExprPtr = std::shared_ptr<const Expr>;

struct Expr {
  ExprKind kind = ExprKind::kLiteral;
  std::shared_ptr<arrow::DataType> type;
  bool nullable = true;
  std::shared_ptr<arrow::Scalar> literal;  ///< kLiteral
  int column = -1;                         ///< kColumn: position in the input's schema
  std::string name;                    ///< kColumn: its name, for messages and EXPLAIN
  Function function = Function::kAdd;  ///< kCall
  bool try_cast = false;               ///< kCast: null instead of an error
  std::vector<ExprPtr> arguments;      ///< kCall, kCast (one)
  SourceRange range;                   ///< what errors point at
};

ExprPtr MakeLiteral(std::shared_ptr<arrow::Scalar> value, SourceRange range = {});
ExprPtr MakeColumn(int column, std::string name, std::shared_ptr<arrow::DataType> type,
                   bool nullable, SourceRange range = {});

/// A call, with Spark's implicit casts put around its arguments and its result type
/// worked out. A combination that Spark refuses is kInvalidSql with class
/// DATATYPE_MISMATCH and the range.
arrow::Result<ExprPtr> MakeCall(Function function, std::vector<ExprPtr> arguments,
                                SourceRange range = {});

/// An explicit CAST (or TRY_CAST); the argument itself when the type is the same already.
/// A pair that Spark's ANSI rules refuse is kInvalidSql with class DATATYPE_MISMATCH.
arrow::Result<ExprPtr> MakeCast(ExprPtr argument, std::shared_ptr<arrow::DataType> type,
                                bool try_cast, SourceRange range = {});

/// Spark's lower-case name of a type: "int", "decimal(15,2)", "timestamp_ntz".
std::string TypeName(const arrow::DataType& type);

/// Spark's name of a function's operator or function: "+", "div", "substring".
std::string_view FunctionName(Function function);

/// SQL-like text, for EXPLAIN and error messages: "(l_quantity > 49.00)".
std::string ToString(const Expr& expression);

/// Whether both are the same expression: kinds, types, literals, columns (ranges are
/// ignored).
bool Equals(const Expr& a, const Expr& b);

/// The distinct input columns that it reads, ascending.
std::vector<int> ColumnsOf(const Expr& expression);

/// The same expression with every column c replaced by mapping[c].
ExprPtr RemapColumns(const ExprPtr& expression, const std::vector<int>& mapping);

/// The conjuncts of a filter: AND taken apart.
std::vector<ExprPtr> SplitConjuncts(const ExprPtr& expression);

/// AND of all; a true literal when there is none.
ExprPtr JoinConjuncts(const std::vector<ExprPtr>& conjuncts);

}  // namespace wheelpit::plan
