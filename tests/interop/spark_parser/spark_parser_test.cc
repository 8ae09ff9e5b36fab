// SPDX-License-Identifier: Apache-2.0
// Our parser accepts what Spark's accepts and rejects what it rejects; where it does not,
// intended.txt says so and why.
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "wheelpit/sql/parser.h"

namespace wheelpit::sql {
namespace {

std::vector<std::string> ReadLines(const std::string& name) {
  std::ifstream file(std::string(WHEELPIT_SPARK_PARSER_DIR) + "/" + name);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) {
    if (!line.empty() && !line.starts_with("# ")) {
      lines.push_back(line);
    }
  }
  return lines;
}

// A line that begins with two spaces goes on with the one before.
std::vector<std::string> ReadStatements() {
  std::vector<std::string> statements;
  for (const std::string& line : ReadLines("statements.sql")) {
    if (line.starts_with("  ") && !statements.empty()) {
      statements.back() += "\n" + line;
    } else {
      statements.push_back(line);
    }
  }
  return statements;
}

struct Verdict {
  std::string word;
  std::string statement;  // its line feeds written as \n
};

std::vector<Verdict> ReadVerdicts(const std::string& name) {
  std::vector<Verdict> verdicts;
  for (const std::string& line : ReadLines(name)) {
    size_t tab = line.find('\t');
    EXPECT_NE(tab, std::string::npos) << line;
    verdicts.push_back({line.substr(0, tab), line.substr(tab + 1)});
  }
  return verdicts;
}

std::string OneLine(const std::string& statement) {
  std::string line;
  for (char c : statement) {
    line += c == '\n' ? std::string("\\n") : std::string(1, c);
  }
  return line;
}

TEST(SparkParser, OursAgreesOrTheDifferenceIsIntended) {
  std::vector<std::string> statements = ReadStatements();
  std::vector<Verdict> verdicts = ReadVerdicts("verdicts.txt");
  std::map<std::string, std::string> intended;
  for (const Verdict& verdict : ReadVerdicts("intended.txt")) {
    intended[verdict.statement] = verdict.word;
  }
  ASSERT_GE(statements.size(), 400U);
  ASSERT_EQ(statements.size(), verdicts.size())
      << "make verdicts.txt again: check_verdicts.sh BUILD_FOLDER write";
  for (size_t i = 0; i < statements.size(); ++i) {
    std::string line = OneLine(statements[i]);
    ASSERT_EQ(line, verdicts[i].statement)
        << "verdicts.txt is not of this statements.sql";
    auto parsed = Parse(statements[i]);
    bool spark_accepts = verdicts[i].word == "accept";
    auto difference = intended.find(line);
    if (difference == intended.end()) {
      EXPECT_EQ(parsed.ok(), spark_accepts)
          << statements[i] << "\n"
          << FormatSqlError(statements[i], parsed.status());
      continue;
    }
    EXPECT_EQ(parsed.ok(), difference->second == "accept") << statements[i];
    EXPECT_NE(parsed.ok(), spark_accepts)
        << statements[i] << "\nis in intended.txt and is no difference";
    intended.erase(difference);
  }
  for (const auto& [statement, word] : intended) {
    ADD_FAILURE() << "intended.txt has a statement that statements.sql has not: "
                  << statement;
  }
}

}  // namespace
}  // namespace wheelpit::sql
