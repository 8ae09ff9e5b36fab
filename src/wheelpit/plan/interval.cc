// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/plan/interval.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include <arrow/extension_type.h>
#include <arrow/scalar.h>
#include <arrow/type.h>

#include "wheelpit/plan/value_text.h"

namespace wheelpit::plan {

namespace {

constexpr std::string_view kExtensionName = "wheelpit.interval";

struct Field {
  std::string_view name;
  int64_t unit;
  int64_t maximum;  ///< when it is not the first
  char separator;   ///< before it
};
constexpr std::array<Field, 6> kFields = {Field{"year", 12, 0, ' '},
                                          Field{"month", 1, 11, '-'},
                                          Field{"day", kMicrosPerDay, 0, ' '},
                                          Field{"hour", 3600 * kMicrosPerSecond, 23, ' '},
                                          Field{"minute", 60 * kMicrosPerSecond, 59, ':'},
                                          Field{"second", kMicrosPerSecond, 59, ':'}};

const Field& FieldOf(IntervalField field) {
  return kFields[static_cast<size_t>(field)];
}

class IntervalExtension final : public arrow::ExtensionType {
 public:
  explicit IntervalExtension(IntervalFields fields)
      : ExtensionType(fields.year_month() ? arrow::month_interval()
                                          : arrow::duration(arrow::TimeUnit::MICRO)),
        fields_(fields) {}

  IntervalFields fields() const { return fields_; }

  std::string extension_name() const override { return std::string(kExtensionName); }
  bool ExtensionEquals(const ExtensionType& other) const override {
    return other.extension_name() == kExtensionName &&
           static_cast<const IntervalExtension&>(other).fields_ == fields_;
  }
  std::shared_ptr<arrow::Array> MakeArray(
      std::shared_ptr<arrow::ArrayData> data) const override {
    return std::make_shared<arrow::ExtensionArray>(std::move(data));
  }
  std::string Serialize() const override { return IntervalTypeName(fields_); }
  arrow::Result<std::shared_ptr<arrow::DataType>> Deserialize(
      std::shared_ptr<arrow::DataType>, const std::string& serialized) const override {
    for (const IntervalField first : kAllFields) {
      for (const IntervalField last : kAllFields) {
        if (IntervalTypeName({first, last}) == serialized) {
          return IntervalType({first, last});
        }
      }
    }
    return arrow::Status::Invalid("'", serialized, "' is no type of intervals");
  }

 private:
  static constexpr std::array kAllFields = {
      IntervalField::kYear, IntervalField::kMonth,  IntervalField::kDay,
      IntervalField::kHour, IntervalField::kMinute, IntervalField::kSecond};
  IntervalFields fields_;
};

// Two digits at least, as Java's %02d.
void AppendTwo(uint64_t number, std::string* out) {
  if (number < 10) {
    out->push_back('0');
  }
  out->append(std::to_string(number));
}

void AppendFields(uint64_t magnitude, IntervalFields fields, std::string* out) {
  for (auto i = static_cast<size_t>(fields.first); i <= static_cast<size_t>(fields.last);
       ++i) {
    const Field& field = kFields[i];
    const bool first = i == static_cast<size_t>(fields.first);
    const auto unit = static_cast<uint64_t>(field.unit);
    if (!first) {
      out->push_back(field.separator);
    }
    const bool two_digits = i >= static_cast<size_t>(IntervalField::kHour);
    if (two_digits) {
      AppendTwo(magnitude / unit, out);
    } else {
      out->append(std::to_string(magnitude / unit));
    }
    magnitude %= unit;
  }
  if (fields.last == IntervalField::kSecond && magnitude != 0) {
    std::string digits = std::to_string(magnitude);
    digits.insert(0, 6 - digits.size(), '0');
    out->push_back('.');
    out->append(digits, 0, digits.find_last_not_of('0') + 1);
  }
}

std::string UpperCase(std::string_view text) {
  std::string upper(text);
  std::transform(upper.begin(), upper.end(), upper.begin(), [](char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  });
  return upper;
}

// Takes "INTERVAL [+-]'" from the front and "' DAY TO HOUR" from the end, where both are.
bool TakeFrame(IntervalFields fields, std::string_view* text, bool* negative) {
  constexpr std::string_view kWord = "INTERVAL";
  if (!UpperCase(text->substr(0, kWord.size())).starts_with(kWord)) {
    return true;
  }
  std::string_view rest = TrimBlanks(text->substr(kWord.size()));
  if (rest.starts_with("-") || rest.starts_with("+")) {
    *negative = rest.front() == '-';
    rest = TrimBlanks(rest.substr(1));
  }
  const size_t quote = rest.rfind('\'');
  if (!rest.starts_with("'") || quote == 0) {
    return false;
  }
  const std::string name = UpperCase(IntervalTypeName(fields)).substr(kWord.size() + 1);
  if (UpperCase(TrimBlanks(rest.substr(quote + 1))) != name) {
    return false;
  }
  *text = rest.substr(1, quote - 1);
  return true;
}

// Digits from the front; nothing when there is none or more than fit.
std::optional<int64_t> TakeDigits(std::string_view* text) {
  const size_t end = std::min(text->find_first_not_of("0123456789"), text->size());
  constexpr size_t kDigitsMax = 18;
  if (end == 0 || end > kDigitsMax) {
    return std::nullopt;
  }
  const auto value = ParseInteger(text->substr(0, end));
  text->remove_prefix(end);
  return value;
}

// ".5" as microseconds; at most nine digits, of which six count.
std::optional<int64_t> TakeFraction(std::string_view* text) {
  if (!text->starts_with(".")) {
    return 0;
  }
  text->remove_prefix(1);
  const size_t end = std::min(text->find_first_not_of("0123456789"), text->size());
  if (end > 9) {
    return std::nullopt;
  }
  std::string digits(text->substr(0, std::min<size_t>(end, 6)));
  digits.append(6 - digits.size(), '0');
  text->remove_prefix(end);
  return ParseInteger(digits);
}

}  // namespace

std::shared_ptr<arrow::DataType> IntervalType(IntervalFields fields) {
  return std::make_shared<IntervalExtension>(fields);
}

std::optional<IntervalFields> IntervalFieldsOf(const arrow::DataType& type) {
  if (type.id() != arrow::Type::EXTENSION ||
      static_cast<const arrow::ExtensionType&>(type).extension_name() != kExtensionName) {
    return std::nullopt;
  }
  return static_cast<const IntervalExtension&>(type).fields();
}

std::shared_ptr<arrow::Scalar> MakeIntervalScalar(
    int64_t value, const std::shared_ptr<arrow::DataType>& type) {
  std::shared_ptr<arrow::Scalar> storage;
  if (IntervalFieldsOf(*type)->year_month()) {
    storage = std::make_shared<arrow::MonthIntervalScalar>(static_cast<int32_t>(value));
  } else {
    storage = std::make_shared<arrow::DurationScalar>(value, arrow::TimeUnit::MICRO);
  }
  return std::make_shared<arrow::ExtensionScalar>(std::move(storage), type);
}

int64_t IntervalValueOf(const arrow::Scalar& scalar) {
  const arrow::Scalar& storage =
      *static_cast<const arrow::ExtensionScalar&>(scalar).value;
  return storage.type->id() == arrow::Type::INTERVAL_MONTHS
             ? static_cast<const arrow::MonthIntervalScalar&>(storage).value
             : static_cast<const arrow::DurationScalar&>(storage).value;
}

std::string IntervalTypeName(IntervalFields fields) {
  std::string name = "interval ";
  name += FieldOf(fields.first).name;
  if (fields.first != fields.last) {
    name += " to ";
    name += FieldOf(fields.last).name;
  }
  return name;
}

int64_t IntervalUnit(IntervalField field) {
  return FieldOf(field).unit;
}

int64_t TruncateInterval(int64_t value, IntervalField last) {
  // Of the smallest field all is kept, its fraction too.
  return last == IntervalField::kSecond ? value : value - value % FieldOf(last).unit;
}

void AppendInterval(int64_t value, IntervalFields fields, std::string* out) {
  out->append("INTERVAL '");
  const uint64_t bits = static_cast<uint64_t>(value);
  if (value < 0) {
    out->push_back('-');
  }
  AppendFields(value < 0 ? -bits : bits, fields, out);
  out->append("' ");
  out->append(UpperCase(IntervalTypeName(fields)), std::string_view("interval ").size());
}

std::optional<int64_t> ParseInterval(std::string_view text, IntervalFields fields) {
  text = TrimBlanks(text);
  bool negative = false;
  if (!TakeFrame(fields, &text, &negative)) {
    return std::nullopt;
  }
  if (text.starts_with("-") || text.starts_with("+")) {
    negative = (text.front() == '-') != negative;
    text.remove_prefix(1);
  }
  // Counted downwards: the least value has no positive counterpart.
  int64_t value = 0;
  const auto take = [&](int64_t count, int64_t unit) {
    int64_t part = 0;
    return !__builtin_mul_overflow(count, unit, &part) &&
           !(negative ? __builtin_sub_overflow(value, part, &value)
                      : __builtin_add_overflow(value, part, &value));
  };
  for (auto i = static_cast<size_t>(fields.first); i <= static_cast<size_t>(fields.last);
       ++i) {
    const bool first = i == static_cast<size_t>(fields.first);
    if (!first && (text.empty() || text.front() != kFields[i].separator)) {
      return std::nullopt;
    }
    text.remove_prefix(first ? 0 : 1);
    const auto count = TakeDigits(&text);
    if (!count || (!first && *count > kFields[i].maximum) ||
        !take(*count, kFields[i].unit)) {
      return std::nullopt;
    }
  }
  const auto fraction = fields.last == IntervalField::kSecond ? TakeFraction(&text)
                                                              : std::optional<int64_t>(0);
  const bool fits = fraction && take(*fraction, 1) &&
                    (!fields.year_month() || value == static_cast<int32_t>(value));
  return fits && text.empty() ? std::optional(value) : std::nullopt;
}

std::optional<int64_t> AddMonths(int64_t days, int64_t months) {
  const CivilDate date = CivilFromDays(days);
  const int64_t month = date.year * 12 + date.month - 1 + months;
  CivilDate moved{.year = FloorDivide(month, 12), .month = 1, .day = 1};
  moved.month = static_cast<int32_t>(month - moved.year * 12) + 1;
  moved.day = date.day;
  while (moved.day > 28 && !IsCivilDate(moved)) {
    --moved.day;
  }
  constexpr int64_t kYearMax = 6'000'000;
  if (moved.year > kYearMax || moved.year < -kYearMax) {
    return std::nullopt;
  }
  const int64_t result = DaysFromCivil(moved);
  return result == static_cast<int32_t>(result) ? std::optional(result) : std::nullopt;
}

}  // namespace wheelpit::plan
