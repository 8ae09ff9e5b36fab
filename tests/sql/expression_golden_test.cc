// SPDX-License-Identifier: Apache-2.0
// Every line of tests/golden/spark-expressions through the engine: the same type, value
// and error class as Apache Spark's, but for the exact list of known differences.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "json_value.h"
#include "test_engine.h"
#include "value_text.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "wheelpit/core/error.h"

namespace wheelpit::sqltest {
namespace {

const std::filesystem::path kFolder =
    std::filesystem::path(WHEELPIT_SOURCE_DIR) / "tests/golden/spark-expressions";
constexpr int kPrintedMax = 40;

std::vector<std::string> LinesOf(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) {
    lines.push_back(line);
  }
  return lines;
}

// The class of an error condition: what is before its subclass.
std::string ClassOf(const std::string& condition) {
  return condition.substr(0, condition.find('.'));
}

std::string Shown(const std::optional<std::string>& value) {
  return value ? JsonText(*value) : "null";
}

bool IsFloat(const std::string& type) {
  return type == "float" || type == "double";
}

// Both texts are of the same number, bit for bit but for the payload of a NaN. Numbers
// compare as numbers, since the oracle's text need not be the shortest one.
bool SameFloat(const std::string& type, const std::string& a, const std::string& b) {
  const bool is_float = type == "float";
  const auto number = [&](const std::string& text) {
    return is_float ? std::strtof(text.c_str(), nullptr)
                    : std::strtod(text.c_str(), nullptr);
  };
  const double x = number(a);
  const double y = number(b);
  return std::isnan(x) || std::isnan(y) ? std::isnan(x) && std::isnan(y)
                                        : x == y && std::signbit(x) == std::signbit(y);
}

std::optional<std::string> ValueOf(const JsonValue& value) {
  return value.kind == JsonValue::Kind::kNull ? std::nullopt
                                              : std::optional<std::string>(value.text);
}

bool SameValue(const std::string& type, const std::optional<std::string>& wanted,
               const std::optional<std::string>& got) {
  if (!wanted || !got || !IsFloat(type)) {
    return wanted == got;
  }
  return SameFloat(type, *wanted, *got);
}

// Spark has no condition for some overflows: Java's exception is what a user sees.
bool SameError(const std::string& wanted, const std::string& got) {
  return wanted == "INTERNAL_ERROR:java.lang.ArithmeticException"
             ? got.ends_with("OVERFLOW")
             : ClassOf(got) == ClassOf(wanted);
}

// The wanted error, or what is wrong with the answer.
std::string CompareError(const JsonValue& line, const Answer& answer) {
  const std::string wanted = line.TextOf("error");
  if (answer.status.ok()) {
    const auto value =
        answer.rows.empty() ? std::nullopt : std::optional(answer.rows.front().front());
    return "wanted " + wanted + ", got " + (value ? Shown(*value) : "no row");
  }
  const core::ErrorInfo info = core::InfoOf(answer.status);
  if (info.error_class.empty() || !SameError(wanted, info.error_class)) {
    return "wanted " + wanted + ", got " + info.error_class + ": " +
           answer.status.message();
  }
  return "";
}

std::string CompareExpression(const JsonValue& line, const Answer& answer) {
  if (line.Find("error") != nullptr) {
    return CompareError(line, answer);
  }
  if (!answer.status.ok()) {
    return "wanted a value, got " + core::InfoOf(answer.status).error_class + ": " +
           answer.status.message();
  }
  if (answer.rows.size() != 1 || answer.rows.front().size() != 1) {
    return "wanted one row of one column";
  }
  const std::string type = line.TextOf("type");
  if (answer.types.front() != type) {
    return "wanted type " + type + ", got " + answer.types.front();
  }
  auto wanted = ValueOf(*line.Find("value"));
  // The text of a time stamp depends on the zone; the instant does not.
  if (type == "timestamp" && line.Find("exact") != nullptr) {
    wanted = TimestampText(std::stoll(line.TextOf("exact")));
  }
  if (!SameValue(type, wanted, answer.rows.front().front())) {
    return "wanted " + Shown(wanted) + ", got " + Shown(answer.rows.front().front());
  }
  return "";
}

std::string CompareQuery(const JsonValue& line, const Answer& answer) {
  if (line.Find("error") != nullptr) {
    return CompareError(line, answer);
  }
  if (!answer.status.ok()) {
    return "wanted rows, got " + core::InfoOf(answer.status).error_class + ": " +
           answer.status.message();
  }
  std::vector<std::string> types;
  for (const JsonValue& type : line.Find("types")->items) {
    types.push_back(type.text);
  }
  if (answer.types != types) {
    return "wanted types " + testing::PrintToString(types) + ", got " +
           testing::PrintToString(answer.types);
  }
  const std::vector<JsonValue>& rows = line.Find("rows")->items;
  if (rows.size() != answer.rows.size()) {
    return "wanted " + std::to_string(rows.size()) + " rows, got " +
           std::to_string(answer.rows.size());
  }
  for (size_t row = 0; row < rows.size(); ++row) {
    for (size_t column = 0; column < types.size(); ++column) {
      const auto wanted = ValueOf(rows[row].items[column]);
      const auto& got = answer.rows[row][column];
      if (!SameValue(types[column], wanted, got)) {
        return "row " + std::to_string(row) + ": wanted " + Shown(wanted) + ", got " +
               Shown(got);
      }
    }
  }
  return "";
}

std::string StatementOf(const JsonValue& line) {
  if (const JsonValue* query = line.Find("query")) {
    return query->text;
  }
  std::string sql = "SELECT " + line.TextOf("expression");
  if (const JsonValue* columns = line.Find("columns")) {
    std::string names;
    std::string values;
    for (const auto& [name, value] : columns->members) {
      names += (names.empty() ? "" : ", ") + name;
      values += (values.empty() ? "" : ", ") + value.text;
    }
    sql += " FROM VALUES (" + values + ") AS t(" + names + ")";
  }
  return sql;
}

// How the list of known differences names a line.
std::string NameOf(const std::string& area, const JsonValue& line) {
  return area + " " + line.TextOf("zone") + " " + JsonText(StatementOf(line));
}

std::set<std::string> KnownDifferences(const std::string& area) {
  std::set<std::string> known;
  for (const std::string& line : LinesOf(kFolder / "known_differences.txt")) {
    if (line.starts_with(area + " ")) {
      known.insert(line);
    }
  }
  return known;
}

const std::vector<std::string>& Areas() {
  static const auto* const areas = new std::vector<std::string>{
      "aggregates",  "all.columns", "arithmetic", "cast",     "comparison",
      "conditional", "dates",       "intervals",  "literals", "logic",
      "patterns",    "rounding",    "strings",    "zones"};
  return *areas;
}

class ExpressionGolden : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    auto config = TestConfig(testing::TempDir(), {});
    ASSERT_TRUE(config.ok()) << config.status();
    auto engine = engine::Engine::Make(*config, {});
    ASSERT_TRUE(engine.ok()) << engine.status();
    engine_ = std::move(*engine);
  }

  // Empty when the engine's answer to the line is Spark's.
  std::string DifferenceOf(const JsonValue& line) {
    const Answer answer = AnswerTo(line);
    const bool query = line.Find("query") != nullptr;
    std::string difference =
        query ? CompareQuery(line, answer) : CompareExpression(line, answer);
    const bool waived = line.Find("feature") != nullptr && !answer.status.ok() &&
                        core::KindOf(answer.status) == core::ErrorKind::kUnsupported;
    return waived ? "" : difference;
  }

 private:
  struct Zone {
    std::unique_ptr<engine::Session> session;
    arrow::Status status;  // of setting it
  };

  arrow::Result<Zone> MakeZone(const std::string& name) {
    Zone zone;
    ARROW_ASSIGN_OR_RAISE(zone.session, engine_->MakeSession());
    zone.status =
        Ask(zone.session.get(), "SET session.time_zone = '" + name + "'").status;
    return zone;
  }

  // A zone that cannot be set is a difference of each of its lines.
  Answer AnswerTo(const JsonValue& line) {
    const std::string name = line.TextOf("zone");
    Answer answer;
    auto zone = zones_.find(name);
    if (zone == zones_.end()) {
      auto made = MakeZone(name);
      if (!made.ok()) {
        answer.status = made.status();
        return answer;
      }
      zone = zones_.emplace(name, std::move(*made)).first;
    }
    answer.status = zone->second.status;
    return answer.status.ok() ? Ask(zone->second.session.get(), StatementOf(line))
                              : answer;
  }

  std::unique_ptr<engine::Engine> engine_;
  std::map<std::string, Zone> zones_;
};

TEST_P(ExpressionGolden, AnswersAsSparkDoes) {
  const std::string area = GetParam();
  std::set<std::string> known = KnownDifferences(area);
  std::string found;
  int passed = 0;
  int different = 0;
  int failed = 0;
  for (const std::string& text : LinesOf(kFolder / (area + ".jsonl"))) {
    const auto line = ParseJson(text);
    ASSERT_TRUE(line.ok()) << line.status();
    const std::string name = NameOf(area, *line);
    const std::string difference = DifferenceOf(*line);
    const bool listed = known.erase(name) > 0;
    passed += difference.empty() && !listed ? 1 : 0;
    different += !difference.empty() && listed ? 1 : 0;
    if (!difference.empty()) {
      found += "# " + JsonText(difference) + "\n" + name + "\n";
    }
    if (difference.empty() == listed && ++failed <= kPrintedMax) {
      ADD_FAILURE() << name << ": "
                    << (listed ? "listed as different, and is not" : difference);
    }
  }
  for (const std::string& stale : known) {
    ADD_FAILURE() << "known_differences.txt names no line of " << area << ": " << stale;
  }
  std::cout << area << ": " << passed << " passed, " << failed << " failed, " << different
            << " known differences\n";
  if (failed > 0) {
    const std::string report = "differences." + area + ".txt";
    std::ofstream(report, std::ios::binary) << found;
    std::cout << "every difference: " << std::filesystem::absolute(report) << "\n";
  }
  EXPECT_EQ(failed, 0);
  EXPECT_GT(passed, 0);
}

INSTANTIATE_TEST_SUITE_P(Area, ExpressionGolden, testing::ValuesIn(Areas()),
                         [](const testing::TestParamInfo<std::string>& test) {
                           std::string name = test.param;
                           std::replace(name.begin(), name.end(), '.', '_');
                           return name;
                         });

TEST(ExpressionGoldenFiles, AreAllRun) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
    if (entry.path().extension() == ".jsonl") {
      files.push_back(entry.path().stem());
    }
  }
  EXPECT_THAT(files, testing::UnorderedElementsAreArray(Areas()));
}

TEST(ExpressionGoldenFiles, HoldNoLineTwice) {
  for (const std::string& area : Areas()) {
    std::set<std::string> names;
    for (const std::string& text : LinesOf(kFolder / (area + ".jsonl"))) {
      const auto line = ParseJson(text);
      ASSERT_TRUE(line.ok()) << line.status();
      EXPECT_TRUE(names.insert(NameOf(area, *line)).second) << text;
    }
  }
}

TEST(ExpressionGoldenFiles, KnownDifferencesAreOfKnownAreas) {
  for (const std::string& line : LinesOf(kFolder / "known_differences.txt")) {
    if (!line.empty() && line.front() != '#') {
      EXPECT_THAT(Areas(), testing::Contains(line.substr(0, line.find(' ')))) << line;
    }
  }
}

}  // namespace
}  // namespace wheelpit::sqltest
