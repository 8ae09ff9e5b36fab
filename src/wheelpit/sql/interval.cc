// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/sql/interval.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "wheelpit/core/error.h"
#include "wheelpit/plan/value_text.h"
#include "wheelpit/sql/names.h"

namespace wheelpit::sql {
namespace {

using plan::IntervalField;

struct Unit {
  std::string_view name;
  IntervalField field;  // as which it counts
  int64_t factor;       // months, or microseconds
};

constexpr int64_t kSecond = 1000000;
constexpr int64_t kDay = 86400 * kSecond;

constexpr std::array kUnits = {Unit{"year", IntervalField::kYear, 12},
                               Unit{"month", IntervalField::kMonth, 1},
                               Unit{"week", IntervalField::kDay, 7 * kDay},
                               Unit{"day", IntervalField::kDay, kDay},
                               Unit{"hour", IntervalField::kHour, 3600 * kSecond},
                               Unit{"minute", IntervalField::kMinute, 60 * kSecond},
                               Unit{"second", IntervalField::kSecond, kSecond},
                               Unit{"millisecond", IntervalField::kSecond, 1000},
                               Unit{"microsecond", IntervalField::kSecond, 1},
                               Unit{"nanosecond", IntervalField::kSecond, 0}};

// The fields that TO goes through, each with the largest value that is not the first.
struct Field {
  std::string_view unit;
  char separator;  // before it
  int64_t maximum;
};
constexpr std::array kFields = {Field{"year", ' ', 0},    Field{"month", '-', 11},
                                Field{"day", ' ', 0},     Field{"hour", ' ', 23},
                                Field{"minute", ':', 59}, Field{"second", ':', 59}};
constexpr size_t kFirstDayField = 2;

const Unit* FindUnit(std::string_view name) {
  auto unit = std::find_if(kUnits.begin(), kUnits.end(),
                           [&](const Unit& one) { return one.name == name; });
  return unit == kUnits.end() ? nullptr : &*unit;
}

size_t FindField(std::string_view unit) {
  auto field = std::find_if(kFields.begin(), kFields.end(),
                            [&](const Field& one) { return one.unit == unit; });
  return static_cast<size_t>(field - kFields.begin());
}

bool TakeSign(std::string_view* text) {
  bool negative = !text->empty() && text->front() == '-';
  if (negative || (!text->empty() && text->front() == '+')) {
    text->remove_prefix(1);
  }
  return negative;
}

std::optional<int64_t> TakeNumber(std::string_view* text) {
  if (text->empty() || text->front() < '0' || text->front() > '9') {
    return std::nullopt;
  }
  int64_t value = 0;
  auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
  if (error != std::errc()) {
    return std::nullopt;
  }
  text->remove_prefix(static_cast<size_t>(end - text->data()));
  return value;
}

// ".5" as microseconds; the digits after the ninth are an error, those after the sixth
// are dropped.
std::optional<int64_t> TakeFraction(std::string_view* text) {
  if (text->empty() || text->front() != '.') {
    return 0;
  }
  text->remove_prefix(1);
  int64_t micros = 0;
  int64_t unit = kSecond;
  size_t digits = 0;
  while (!text->empty() && text->front() >= '0' && text->front() <= '9') {
    unit /= 10;
    micros += unit * (text->front() - '0');
    text->remove_prefix(1);
    ++digits;
  }
  return digits <= 9 ? std::optional(micros) : std::nullopt;
}

class Evaluator {
 public:
  std::optional<IntervalValue> Run(const ast::Expression& interval) {
    bool good = true;
    for (const ast::IntervalPart& part : interval.intervals) {
      good = good && (part.unit.empty()      ? AddText(part.value)
                      : part.to_unit.empty() ? AddPart(part.value, part.unit)
                                             : AddRange(part));
    }
    const bool mixed = value_.fields.first <= IntervalField::kMonth &&
                       value_.fields.last > IntervalField::kMonth;
    if (!good || !any_ || mixed || value_.months != static_cast<int32_t>(value_.months)) {
      return std::nullopt;
    }
    return value_;
  }

 private:
  bool Add(int64_t count, int64_t micros_more, bool negative, const Unit& unit) {
    int64_t amount = 0;
    if (__builtin_mul_overflow(count, unit.factor, &amount) ||
        __builtin_add_overflow(amount, micros_more, &amount)) {
      return false;
    }
    int64_t* target =
        unit.field <= IntervalField::kMonth ? &value_.months : &value_.micros;
    value_.fields.first = any_ ? std::min(value_.fields.first, unit.field) : unit.field;
    value_.fields.last = any_ ? std::max(value_.fields.last, unit.field) : unit.field;
    any_ = true;
    return !__builtin_add_overflow(*target, negative ? -amount : amount, target);
  }

  // "-1.5" with a unit; only seconds have fractions.
  bool AddPart(std::string_view text, std::string_view unit_name) {
    const Unit* unit = FindUnit(unit_name);
    text = plan::TrimBlanks(text);
    bool negative = TakeSign(&text);
    if (!text.empty() && (text.front() == '-' || text.front() == '+')) {
      negative = TakeSign(&text) != negative;
    }
    bool seconds = unit_name == "second";
    std::optional<int64_t> count = TakeNumber(&text);
    if (!count && seconds && text.starts_with(".")) {
      count = 0;
    }
    std::optional<int64_t> fraction = seconds ? TakeFraction(&text) : 0;
    return unit != nullptr && unit->factor > 0 && count && fraction && text.empty() &&
           Add(*count, *fraction, negative, *unit);
  }

  // "1-2" YEAR TO MONTH, "1 02:03:04.5" DAY TO SECOND
  bool AddRange(const ast::IntervalPart& part) {
    size_t first = FindField(part.unit);
    size_t last = FindField(part.to_unit);
    bool same_kind = (first < kFirstDayField) == (last < kFirstDayField);
    if (!part.quoted || last >= kFields.size() || first >= last || !same_kind) {
      return false;
    }
    std::string_view text = plan::TrimBlanks(part.value);
    bool negative = TakeSign(&text);
    for (size_t i = first; i <= last; ++i) {
      const Field& field = kFields[i];
      if (i > first) {
        if (text.empty() || text.front() != field.separator) {
          return false;
        }
        text.remove_prefix(1);
      }
      std::optional<int64_t> count = TakeNumber(&text);
      std::optional<int64_t> fraction = field.unit == "second" ? TakeFraction(&text) : 0;
      if (!count || !fraction || (i > first && *count > field.maximum) ||
          !Add(*count, *fraction, negative, *FindUnit(field.unit))) {
        return false;
      }
    }
    return text.empty();
  }

  // "[interval] 1 day -2 hours"
  bool AddText(std::string_view text) {
    std::string lower = LowerCase(plan::TrimBlanks(text));
    std::string_view rest = lower;
    if (rest.starts_with("interval ")) {
      rest = plan::TrimBlanks(rest.substr(9));
    }
    bool good = !rest.empty();
    while (good && !rest.empty()) {
      size_t number_end = rest.find_first_not_of("+-0123456789.");
      if (number_end == std::string_view::npos) {
        return false;
      }
      std::string_view number = rest.substr(0, number_end);
      rest = plan::TrimBlanks(rest.substr(number_end));
      size_t unit_end =
          std::min(rest.find_first_not_of("abcdefghijklmnopqrstuvwxyz"), rest.size());
      std::string_view unit = rest.substr(0, unit_end);
      rest = plan::TrimBlanks(rest.substr(unit_end));
      if (FindUnit(unit) == nullptr && unit.ends_with("s")) {
        unit.remove_suffix(1);
      }
      good = AddPart(number, unit);
    }
    return good;
  }

  IntervalValue value_;
  bool any_ = false;
};

}  // namespace

arrow::Result<IntervalValue> EvaluateInterval(const ast::Expression& interval) {
  std::optional<IntervalValue> value = Evaluator().Run(interval);
  if (!value) {
    return core::MakeStatus(
        {.kind = core::ErrorKind::kInvalidSql,
         .error_class = "INVALID_INTERVAL_FORMAT",
         .sql_offset = interval.range.offset,
         .sql_length = interval.range.length},
        "this is not an interval; write one as INTERVAL 1 DAY 2 HOURS, INTERVAL '1-2' "
        "YEAR TO MONTH or INTERVAL '1 02:03:04' DAY TO SECOND (years and months do not "
        "mix "
        "with days and hours)");
  }
  return *value;
}

std::optional<std::string> IntervalAsOffset(const ast::Expression& interval) {
  constexpr int64_t kSecondsMax = 18 * 3600;
  if (interval.kind != ast::ExpressionKind::kInterval) {
    return std::nullopt;
  }
  auto value = EvaluateInterval(interval);
  if (!value.ok() || value->year_month() || value->micros % kSecond != 0) {
    return std::nullopt;
  }
  int64_t seconds = value->micros / kSecond;
  std::string text = seconds < 0 ? "-" : "+";
  seconds = seconds < 0 ? -seconds : seconds;
  if (seconds > kSecondsMax) {
    return std::nullopt;
  }
  for (int64_t unit : {INT64_C(3600), INT64_C(60), INT64_C(1)}) {
    int64_t part = seconds / unit % 60;
    text += unit == 3600 ? "" : ":";
    text += (part < 10 ? "0" : "") + std::to_string(part);
  }
  return text;
}

}  // namespace wheelpit::sql
