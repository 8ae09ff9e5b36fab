// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/engine/view_catalog.h"

#include <utility>

#include "wheelpit/core/byte_size.h"
#include "wheelpit/core/error.h"

namespace wheelpit::engine {

namespace {

std::string LowerCase(std::string name) {
  for (char& c : name) {
    c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
  }
  return name;
}

const std::string& NameOf(const ViewCatalog::Definition& definition) {
  return definition->view.name[0].text;
}

int64_t TextBytes(const ViewCatalog::Definition& definition) {
  return static_cast<int64_t>(definition->view.text.size());
}

arrow::Status Refused(core::ErrorKind kind, const char* error_class,
                      const sql::ast::View& view, std::string message) {
  return core::MakeStatus({.kind = kind,
                           .error_class = error_class,
                           .sql_offset = view.range.offset,
                           .sql_length = view.range.length},
                          std::move(message));
}

}  // namespace

ViewCatalog::Definition ViewCatalog::Find(const std::string& name) const {
  std::lock_guard lock(mutex_);
  const auto found = views_.find(LowerCase(name));
  return found == views_.end() ? nullptr : found->second;
}

arrow::Status ViewCatalog::Create(Definition definition) {
  const sql::ast::View& view = definition->view;
  const std::string key = LowerCase(NameOf(definition));
  std::lock_guard lock(mutex_);
  const auto found = views_.find(key);
  if (found != views_.end() && view.if_not_exists) {
    return arrow::Status::OK();
  }
  if (found != views_.end() && !view.or_replace) {
    return Refused(core::ErrorKind::kInvalidSql, "TEMP_TABLE_OR_VIEW_ALREADY_EXISTS",
                   view,
                   "there is a view " + NameOf(definition) +
                       " already; DROP VIEW it, or write CREATE OR REPLACE VIEW");
  }
  const int64_t before = found == views_.end() ? 0 : TextBytes(found->second);
  const int64_t bytes = text_bytes_ - before + TextBytes(definition);
  if (bytes > kTextBytesMax) {
    return Refused(core::ErrorKind::kInvalidSql, "VIEWS_TOO_LARGE", view,
                   "the texts of this session's views would pass " +
                       core::FormatByteSize(kTextBytesMax) + "; DROP VIEW some");
  }
  text_bytes_ = bytes;
  views_[key] = std::move(definition);
  return arrow::Status::OK();
}

void ViewCatalog::Drop(const std::string& name) {
  std::lock_guard lock(mutex_);
  const auto found = views_.find(LowerCase(name));
  if (found != views_.end()) {
    text_bytes_ -= TextBytes(found->second);
    views_.erase(found);
  }
}

std::vector<std::string> ViewCatalog::names() const {
  std::lock_guard lock(mutex_);
  std::vector<std::string> names;
  for (const auto& [key, definition] : views_) {
    names.push_back(NameOf(definition));
  }
  return names;
}

}  // namespace wheelpit::engine
