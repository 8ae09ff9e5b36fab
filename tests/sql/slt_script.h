// SPDX-License-Identifier: Apache-2.0
// SQL logic tests as written in *.slt files; README.md has the form.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/result.h>

namespace wheelpit::sqltest {

enum class RecordKind : uint8_t { kStatementOk, kStatementError, kQuery };

/// How the rows of an answer and the lines expected are compared.
enum class RowOrder : uint8_t {
  kAsGiven,   ///< nosort: line by line
  kSorted,    ///< rowsort: both sides sorted by bytes
  kContains,  ///< contains: each line is part of a row, in that order; more may be
              ///< between
};

struct Record {
  RecordKind kind = RecordKind::kQuery;
  int line = 0;  ///< of the directive, from 1
  std::string sql;
  std::string column_kinds;  ///< one letter a column, "*" for any columns
  RowOrder order = RowOrder::kAsGiven;
  std::vector<std::string> expected;
  std::vector<std::string> only_in;  ///< configurations; empty is all
  std::vector<std::string> not_in;
};

/// The records of a file's text; errors name the line.
arrow::Result<std::vector<Record>> ParseScript(std::string_view text);

/// Whether the record runs in that configuration.
bool RunsIn(const Record& record, std::string_view configuration);

}  // namespace wheelpit::sqltest
