// SPDX-License-Identifier: Apache-2.0
#include "slt_script.h"

#include <algorithm>
#include <sstream>

#include <arrow/status.h>

namespace wheelpit::sqltest {

namespace {

constexpr std::string_view kAnswerFollows = "----";
constexpr std::string_view kKindLetters = "IRTBD?";

std::vector<std::string> SplitLines(std::string_view text) {
  std::vector<std::string> lines;
  std::istringstream stream{std::string(text)};
  for (std::string line; std::getline(stream, line);) {
    lines.push_back(line);
  }
  return lines;
}

std::vector<std::string> SplitWords(const std::string& line) {
  std::istringstream stream(line);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) {
    words.push_back(word);
  }
  return words;
}

class ScriptParser {
 public:
  explicit ScriptParser(std::string_view text) : lines_(SplitLines(text)) {}

  arrow::Result<std::vector<Record>> Parse() {
    std::vector<Record> records;
    Record record;
    while (at_ < lines_.size()) {
      const std::vector<std::string> words = SplitWords(lines_[at_]);
      ++at_;
      if (words.empty() || words[0].front() == '#') {
        continue;
      }
      if (words[0] == "halt") {
        return records;
      }
      if (words[0] == "onlyif" || words[0] == "skipif") {
        auto& names = words[0] == "onlyif" ? record.only_in : record.not_in;
        names.insert(names.end(), words.begin() + 1, words.end());
        continue;
      }
      record.line = static_cast<int>(at_);
      ARROW_RETURN_NOT_OK(Directive(words, &record));
      ARROW_RETURN_NOT_OK(Body(&record));
      records.push_back(std::move(record));
      record = {};
    }
    return records;
  }

 private:
  arrow::Status Wrong(const Record& record, std::string_view what) const {
    return arrow::Status::Invalid("line ", record.line, ": ", what);
  }

  arrow::Status Directive(const std::vector<std::string>& words, Record* record) const {
    const std::string second = words.size() > 1 ? words[1] : "";
    if (words[0] == "statement" && words.size() == 2 && second == "ok") {
      record->kind = RecordKind::kStatementOk;
      return arrow::Status::OK();
    }
    if (words[0] == "statement" && words.size() == 2 && second == "error") {
      record->kind = RecordKind::kStatementError;
      return arrow::Status::OK();
    }
    if (words[0] != "query" || words.size() < 2 || words.size() > 3) {
      return Wrong(*record,
                   "neither statement ok, statement error nor query KINDS [ORDER]");
    }
    if (second != "*" && second.find_first_not_of(kKindLetters) != std::string::npos) {
      return Wrong(*record, "column kinds are letters of IRTBD?, or *");
    }
    record->column_kinds = second;
    const std::string order = words.size() > 2 ? words[2] : "nosort";
    if (order != "nosort" && order != "rowsort" && order != "contains") {
      return Wrong(*record, "the order is nosort, rowsort or contains");
    }
    record->order = order == "rowsort"    ? RowOrder::kSorted
                    : order == "contains" ? RowOrder::kContains
                                          : RowOrder::kAsGiven;
    return arrow::Status::OK();
  }

  // The statement up to "----" or an empty line, and the answer up to an empty line.
  arrow::Status Body(Record* record) {
    const auto ended = [&] { return at_ == lines_.size() || lines_[at_].empty(); };
    for (; !ended() && lines_[at_] != kAnswerFollows; ++at_) {
      record->sql += (record->sql.empty() ? "" : "\n") + lines_[at_];
    }
    if (record->sql.empty()) {
      return Wrong(*record, "no statement");
    }
    const bool answered = !ended();
    if (answered != (record->kind != RecordKind::kStatementOk)) {
      return Wrong(*record, answered ? "an answer to a statement" : "no answer");
    }
    for (at_ += answered ? 1 : 0; !ended(); ++at_) {
      record->expected.push_back(lines_[at_]);
    }
    return arrow::Status::OK();
  }

  const std::vector<std::string> lines_;
  size_t at_ = 0;
};

bool Contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

arrow::Result<std::vector<Record>> ParseScript(std::string_view text) {
  return ScriptParser(text).Parse();
}

bool RunsIn(const Record& record, std::string_view configuration) {
  return (record.only_in.empty() || Contains(record.only_in, configuration)) &&
         !Contains(record.not_in, configuration);
}

}  // namespace wheelpit::sqltest
