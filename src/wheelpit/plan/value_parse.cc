// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <charconv>
#include <limits>

#include "wheelpit/plan/value_text.h"

namespace wheelpit::plan {

namespace {

bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}

// A cursor over text that takes it apart from the front.
struct Reader {
  std::string_view rest;

  bool Take(char c) {
    if (rest.empty() || rest.front() != c) {
      return false;
    }
    rest.remove_prefix(1);
    return true;
  }

  bool TakeEither(char a, char b) { return Take(a) || Take(b); }

  /// Between `digits_min` and `digits_max` digits, and no digit after them.
  std::optional<int64_t> Number(int digits_min, int digits_max) {
    int64_t value = 0;
    int digits = 0;
    for (; !rest.empty() && IsDigit(rest.front()); ++digits) {
      if (digits == digits_max) {
        return std::nullopt;
      }
      value = value * 10 + (rest.front() - '0');
      rest.remove_prefix(1);
    }
    return digits < digits_min ? std::nullopt : std::optional(value);
  }
};

// "[+-]yyyy[-m[-d]]"; whether the day was there too.
struct DatePart {
  CivilDate date;
  bool has_day = false;
};

std::optional<DatePart> TakeDate(Reader* reader, int year_digits_max) {
  const bool negative = reader->Take('-');
  if (!negative) {
    reader->Take('+');
  }
  const auto year = reader->Number(4, year_digits_max);
  if (!year) {
    return std::nullopt;
  }
  DatePart part;
  part.date.year = negative ? -*year : *year;
  if (reader->Take('-')) {
    const auto month = reader->Number(1, 2);
    if (!month) {
      return std::nullopt;
    }
    part.date.month = static_cast<int32_t>(*month);
    if (reader->Take('-')) {
      const auto day = reader->Number(1, 2);
      if (!day) {
        return std::nullopt;
      }
      part.date.day = static_cast<int32_t>(*day);
      part.has_day = true;
    }
  }
  return IsCivilDate(part.date) ? std::optional(part) : std::nullopt;
}

// The digits after the point as microseconds.
int64_t TakeFraction(Reader* reader) {
  int64_t micros = 0;
  int digits = 0;
  for (; !reader->rest.empty() && IsDigit(reader->rest.front()); ++digits) {
    if (digits < 6) {
      micros = micros * 10 + (reader->rest.front() - '0');
    }
    reader->rest.remove_prefix(1);
  }
  for (; digits < 6; ++digits) {
    micros *= 10;
  }
  return micros;
}

// "h[:m[:s[.fraction]]]", microseconds since midnight. A zone may follow the seconds
// only.
std::optional<int64_t> TakeTime(Reader* reader, bool minutes_needed) {
  const auto hour = reader->Number(1, 2);
  std::optional<int64_t> minute = 0;
  std::optional<int64_t> second = 0;
  int64_t micros = 0;
  bool whole = false;
  if (reader->Take(':')) {
    minute = reader->Number(1, 2);
    if (reader->Take(':')) {
      second = reader->Number(1, 2);
      whole = true;
      if (reader->Take('.')) {
        micros = TakeFraction(reader);
      }
    }
  } else if (minutes_needed) {
    return std::nullopt;
  }
  if (!hour || !minute || !second || *hour > 23 || *minute > 59 || *second > 59 ||
      (!whole && !reader->rest.empty())) {
    return std::nullopt;
  }
  return ((*hour * 60 + *minute) * 60 + *second) * kMicrosPerSecond + micros;
}

}  // namespace

std::string_view TrimBlanks(std::string_view text) {
  const auto blank = [](char c) { return (c >= 0 && c <= ' ') || c == 0x7f; };
  while (!text.empty() && blank(text.front())) {
    text.remove_prefix(1);
  }
  while (!text.empty() && blank(text.back())) {
    text.remove_suffix(1);
  }
  return text;
}

std::optional<int64_t> ParseInteger(std::string_view text) {
  text = TrimBlanks(text);
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) {
      return std::nullopt;
    }
  }
  int64_t value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return value;
}

std::optional<int32_t> ParseDate(std::string_view text) {
  Reader reader{TrimBlanks(text)};
  const auto part = TakeDate(&reader, 7);
  if (!part) {
    return std::nullopt;
  }
  if (!reader.rest.empty() && (!part->has_day || !reader.TakeEither(' ', 'T'))) {
    return std::nullopt;
  }
  const int64_t days = DaysFromCivil(part->date);
  if (days < std::numeric_limits<int32_t>::min() ||
      days > std::numeric_limits<int32_t>::max()) {
    return std::nullopt;
  }
  return static_cast<int32_t>(days);
}

std::optional<ParsedTimestamp> ParseTimestamp(std::string_view text) {
  text = TrimBlanks(text);
  Reader reader{text};
  ParsedTimestamp parsed;
  int64_t days = 0;
  int64_t micros = 0;
  const size_t colon = text.find(':');
  parsed.time_only =
      reader.Take('T') || (colon <= 2 && text.find_first_not_of("0123456789") == colon);
  if (parsed.time_only) {
    const auto time = TakeTime(&reader, text.front() != 'T');
    if (!time) {
      return std::nullopt;
    }
    micros = *time;
  } else {
    const auto part = TakeDate(&reader, 6);
    if (!part) {
      return std::nullopt;
    }
    days = DaysFromCivil(part->date);
    if (!reader.rest.empty()) {
      if (!part->has_day || !reader.TakeEither(' ', 'T')) {
        return std::nullopt;
      }
      const auto time = TakeTime(&reader, false);
      if (!time) {
        return std::nullopt;
      }
      micros = *time;
    }
  }
  parsed.zone = TrimBlanks(reader.rest);
  if (__builtin_mul_overflow(days, kMicrosPerDay, &parsed.local_micros) ||
      __builtin_add_overflow(parsed.local_micros, micros, &parsed.local_micros)) {
    return std::nullopt;
  }
  return parsed;
}

}  // namespace wheelpit::plan
