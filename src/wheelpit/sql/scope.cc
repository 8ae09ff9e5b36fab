// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/sql/scope.h"

#include <algorithm>
#include <utility>

#include <arrow/type.h>
#include <arrow/type_traits.h>

#include "wheelpit/plan/types.h"
#include "wheelpit/sql/bind_error.h"
#include "wheelpit/sql/names.h"
#include "wheelpit/sql/spark_functions.h"

namespace wheelpit::sql {

namespace {

constexpr size_t kNamesShownMax = 8;

std::string PathText(const ast::NamePath& path) {
  std::string text;
  for (const ast::Name& name : path) {
    text += (text.empty() ? "" : ".") + name.text;
  }
  return text;
}

// Whether values of a file's column can be read and shown.
bool IsReadable(const arrow::DataType& type) {
  if (!arrow::is_nested(type.id())) {
    return plan::ClassOf(type) != plan::TypeClass::kOther;
  }
  return std::all_of(type.fields().begin(), type.fields().end(),
                     [](const auto& field) { return IsReadable(*field->type()); });
}

plan::SourceRange RangeOf(const ast::NamePath& path) {
  const plan::SourceRange& last = path.back().range;
  int64_t start = path.front().range.offset;
  return {.offset = start, .length = last.offset + last.length - start};
}

}  // namespace

Scope::Scope(const arrow::Schema& schema, std::string qualifier)
    : qualifier_(std::move(qualifier)) {
  for (const auto& field : schema.fields()) {
    positions_[LowerCase(field->name())].push_back(columns_.size());
    columns_.push_back({field->name(), field->type(), field->nullable()});
  }
}

const std::vector<size_t>& Scope::Matches(std::string_view name) const {
  static const std::vector<size_t> kNone;
  auto found = positions_.find(LowerCase(name));
  return found == positions_.end() ? kNone : found->second;
}

bool Scope::IsQualifier(std::string_view qualifier) const {
  return !qualifier_.empty() && SameName(qualifier_, qualifier);
}

arrow::Status Scope::Unknown(const ast::NamePath& path, plan::SourceRange range) const {
  std::vector<std::string> known;
  for (const Column& column : columns_) {
    known.push_back(column.name);
  }
  if (path.size() > 1 && !IsQualifier(path[0].text) && !qualifier_.empty()) {
    return Invalid(
        kUnresolvedColumn, range,
        "there is no table or column " + path[0].text + "; FROM has " + qualifier_);
  }
  if (path.size() == 1 && IsBareFunction(LowerCase(path[0].text))) {
    return NotYet(UpperCase(path[0].text), range);
  }
  std::string message = "there is no column " + PathText(path);
  if (std::string suggestion = DidYouMean(path.back().text, known); !suggestion.empty()) {
    message += ";" + suggestion;
  } else if (known.empty()) {
    message += "; there is no FROM";
  } else {
    message += "; there " + std::string(known.size() == 1 ? "is " : "are ");
    for (size_t i = 0; i < std::min(known.size(), kNamesShownMax); ++i) {
      message += (i > 0 ? ", " : "") + known[i];
    }
    message += known.size() > kNamesShownMax ? ", …" : "";
  }
  return Invalid(kUnresolvedColumn, range, std::move(message));
}

arrow::Result<plan::ExprPtr> Scope::Find(const ast::Expression& name) const {
  const ast::NamePath& path = name.path;
  bool qualified = path.size() > 1 && IsQualifier(path[0].text);
  size_t first = qualified ? 1 : 0;
  const std::vector<size_t>& matches = Matches(path[first].text);
  if (matches.empty()) {
    return Unknown(path, name.range);
  }
  if (path.size() > first + 1) {
    return NotYet("reading a field of a struct", name.range);
  }
  if (matches.size() > 1) {
    return Invalid("AMBIGUOUS_REFERENCE", name.range,
                   "the column " + PathText(path) + " is ambiguous: there are " +
                       std::to_string(matches.size()) +
                       " of that name; rename one with AS");
  }
  ARROW_RETURN_NOT_OK(CheckReadable(matches[0], name.range));
  return At(matches[0], name.range);
}

arrow::Status Scope::CheckReadable(size_t column, plan::SourceRange range) const {
  const Column& found = columns_[column];
  if (IsReadable(*found.type)) {
    return arrow::Status::OK();
  }
  return BindError(core::ErrorKind::kUnsupported, "UNSUPPORTED_FEATURE", range,
                   "column " + found.name + " has the type " +
                       plan::TypeName(*found.type) +
                       ", which is not supported yet; SELECT * EXCEPT (" + found.name +
                       ") reads the others");
}

plan::ExprPtr Scope::At(size_t column, plan::SourceRange range) const {
  const Column& found = columns_[column];
  return plan::MakeColumn(static_cast<int>(column), found.name, found.type,
                          found.nullable, range);
}

arrow::Result<std::vector<size_t>> Scope::Expand(const ast::Expression& star) const {
  if (!star.path.empty() && (star.path.size() > 1 || !IsQualifier(star.path[0].text))) {
    return Invalid("CANNOT_RESOLVE_STAR_EXPAND", star.range,
                   "there is no table " + PathText(star.path) + " in FROM" +
                       (qualifier_.empty() ? "" : "; there is " + qualifier_));
  }
  std::vector<bool> left_out(columns_.size(), false);
  for (const ast::NamePath& path : star.except) {
    bool reachable = path.size() == 1 || (path.size() == 2 && IsQualifier(path[0].text));
    if (!reachable || Matches(path.back().text).empty()) {
      return Unknown(path, RangeOf(path));
    }
    for (size_t match : Matches(path.back().text)) {
      left_out[match] = true;
    }
  }
  std::vector<size_t> positions;
  for (size_t i = 0; i < columns_.size(); ++i) {
    if (!left_out[i]) {
      ARROW_RETURN_NOT_OK(CheckReadable(i, star.range));
      positions.push_back(i);
    }
  }
  return positions;
}

}  // namespace wheelpit::sql
