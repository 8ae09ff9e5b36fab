// SPDX-License-Identifier: Apache-2.0
// What the tests of this folder share: short ways to literals and expressions, and
// ValueOf, which evaluates an expression in every way that there is and gives its value
// as text.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <arrow/type_fwd.h>

#include "wheelpit/plan/expression.h"

namespace wheelpit::exec {

plan::ExprPtr Int(int32_t value);
plan::ExprPtr Tiny(int8_t value);
plan::ExprPtr Small(int16_t value);
plan::ExprPtr Long(int64_t value);
plan::ExprPtr Float(float value);
plan::ExprPtr Double(double value);
plan::ExprPtr Bool(bool value);
plan::ExprPtr Text(std::string value);
plan::ExprPtr Binary(std::string value);
/// "12.50" is decimal(4,2), as in SQL.
plan::ExprPtr Dec(const std::string& text);
plan::ExprPtr Dec(const std::string& text, int precision, int scale);
plan::ExprPtr Date(const std::string& text);
plan::ExprPtr Timestamp(const std::string& utc);
plan::ExprPtr TimestampNtz(const std::string& text);
plan::ExprPtr Null(std::shared_ptr<arrow::DataType> type = nullptr);

/// MakeCall and MakeCast that must succeed.
plan::ExprPtr Call(plan::Function function, std::vector<plan::ExprPtr> arguments);
plan::ExprPtr Cast(plan::ExprPtr argument, std::shared_ptr<arrow::DataType> type);
plan::ExprPtr TryCast(plan::ExprPtr argument, std::shared_ptr<arrow::DataType> type);

/// The value as text ("NULL" for null), or the error class, or the kind of an error that
/// has none. Evaluated with its literals as constants, and again with each literal made a
/// column (sliced, with other values around); both must agree.
std::string ValueOf(const plan::ExprPtr& expression,
                    const std::string& time_zone = "UTC");

/// An array of `type` from values as text; "NULL" is null.
std::shared_ptr<arrow::Array> ArrayOf(const std::shared_ptr<arrow::DataType>& type,
                                      const std::vector<std::string>& values);

/// The values of an array as text.
std::vector<std::string> TextsOf(const arrow::Array& array);

}  // namespace wheelpit::exec
