// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/sql/scope.h"

#include <algorithm>
#include <utility>

#include <arrow/type.h>

#include "wheelpit/core/config.h"
#include "wheelpit/sql/bind_error.h"

namespace wheelpit::sql {

namespace {

constexpr size_t kNamesShownMax = 8;

char Lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
}

std::string PathText(const ast::NamePath& path) {
  std::string text;
  for (const ast::Name& name : path) {
    text += (text.empty() ? "" : ".") + name.text;
  }
  return text;
}

bool Contains(const std::vector<size_t>& values, size_t value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

}  // namespace

bool SameName(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return Lower(x) == Lower(y); });
}

std::string LowerCase(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(), Lower);
  return lower;
}

std::string DidYouMean(std::string_view name, const std::vector<std::string>& known) {
  std::vector<std::string> lower;
  lower.reserve(known.size());
  for (const std::string& one : known) {
    lower.push_back(LowerCase(one));
  }
  std::vector<std::string_view> views(lower.begin(), lower.end());
  std::string_view nearest = core::NearestName(LowerCase(name), views);
  if (nearest.empty()) {
    return {};
  }
  auto found = std::find(views.begin(), views.end(), nearest);
  return " did you mean " + known[static_cast<size_t>(found - views.begin())] + "?";
}

Scope::Scope(const arrow::Schema& schema, std::string qualifier)
    : qualifier_(std::move(qualifier)) {
  for (const auto& field : schema.fields()) {
    columns_.push_back({field->name(), field->type(), field->nullable()});
  }
}

std::vector<size_t> Scope::Matches(std::string_view name) const {
  std::vector<size_t> matches;
  for (size_t i = 0; i < columns_.size(); ++i) {
    if (SameName(columns_[i].name, name)) {
      matches.push_back(i);
    }
  }
  return matches;
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
  std::vector<size_t> matches = Matches(path.front().text);
  if (path.size() > 1) {
    // A column before a qualifier of the same name: then the rest are its fields.
    if (path.size() == 2 && IsQualifier(path[0].text)) {
      matches = Matches(path[1].text);
    } else if (!matches.empty() || (path.size() > 2 && IsQualifier(path[0].text) &&
                                    !Matches(path[1].text).empty())) {
      return NotYet("reading a field of a struct", name.range);
    }
  }
  if (matches.empty()) {
    return Unknown(path, name.range);
  }
  if (matches.size() > 1) {
    return Invalid("AMBIGUOUS_REFERENCE", name.range,
                   "the column " + PathText(path) + " is ambiguous: there are " +
                       std::to_string(matches.size()) +
                       " of that name; rename one with AS");
  }
  return At(matches[0], name.range);
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
  std::vector<size_t> left_out;
  for (const ast::NamePath& path : star.except) {
    bool qualified = path.size() == 2 && IsQualifier(path[0].text);
    std::vector<size_t> matches;
    if (path.size() == 1 || qualified) {
      matches = Matches(path.back().text);
    }
    if (matches.empty()) {
      return Unknown(path,
                     {.offset = path.front().range.offset,
                      .length = path.back().range.offset + path.back().range.length -
                                path.front().range.offset});
    }
    left_out.insert(left_out.end(), matches.begin(), matches.end());
  }
  std::vector<size_t> positions;
  for (size_t i = 0; i < columns_.size(); ++i) {
    if (!Contains(left_out, i)) {
      positions.push_back(i);
    }
  }
  return positions;
}

}  // namespace wheelpit::sql
