// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/index/time_zone.h"

#include <array>
#include <atomic>
#include <filesystem>
#include <map>
#include <memory>
#include <shared_mutex>
#include <system_error>
#include <utility>

#include <cctz/civil_time.h>
#include <cctz/time_zone.h>

#include "wheelpit/core/error.h"

namespace wheelpit::index {

struct TimeZone::Source {
  cctz::time_zone zone;
};

namespace {

using Seconds = cctz::time_point<cctz::seconds>;

constexpr int64_t kMicrosPerSecond = 1'000'000;
constexpr int64_t kMicrosPerDay = 86'400 * kMicrosPerSecond;
// The Gregorian calendar repeats after 400 years, weekdays included, and with it what the
// last rule of a zone says. Periods are kept for one such cycle after the last year that
// the database lists itself.
constexpr int64_t kCycleMicros = INT64_C(146'097) * kMicrosPerDay;
constexpr int64_t kListedUntilSeconds = INT64_C(2'145'916'800);  // 2038-01-01
// Later times are looked up one or more cycles earlier.
constexpr int64_t kCycleEnd =
    kListedUntilSeconds * kMicrosPerSecond + kCycleMicros - kMicrosPerDay;
constexpr int64_t kPeriodsMax = 4'000;
constexpr int64_t kForever = std::numeric_limits<int64_t>::max();

struct ShortName {
  std::string_view name;
  std::string_view zone;
};

// java.time.ZoneId.SHORT_IDS.
constexpr std::array kShortNames = {ShortName{"ACT", "Australia/Darwin"},
                                    ShortName{"AET", "Australia/Sydney"},
                                    ShortName{"AGT", "America/Argentina/Buenos_Aires"},
                                    ShortName{"ART", "Africa/Cairo"},
                                    ShortName{"AST", "America/Anchorage"},
                                    ShortName{"BET", "America/Sao_Paulo"},
                                    ShortName{"BST", "Asia/Dhaka"},
                                    ShortName{"CAT", "Africa/Harare"},
                                    ShortName{"CNT", "America/St_Johns"},
                                    ShortName{"CST", "America/Chicago"},
                                    ShortName{"CTT", "Asia/Shanghai"},
                                    ShortName{"EAT", "Africa/Addis_Ababa"},
                                    ShortName{"ECT", "Europe/Paris"},
                                    ShortName{"EST", "-05:00"},
                                    ShortName{"HST", "-10:00"},
                                    ShortName{"IET", "America/Indiana/Indianapolis"},
                                    ShortName{"IST", "Asia/Kolkata"},
                                    ShortName{"JST", "Asia/Tokyo"},
                                    ShortName{"MIT", "Pacific/Apia"},
                                    ShortName{"MST", "-07:00"},
                                    ShortName{"NET", "Asia/Yerevan"},
                                    ShortName{"NST", "Pacific/Auckland"},
                                    ShortName{"PLT", "Asia/Karachi"},
                                    ShortName{"PNT", "America/Phoenix"},
                                    ShortName{"PRT", "America/Puerto_Rico"},
                                    ShortName{"PST", "America/Los_Angeles"},
                                    ShortName{"SST", "Pacific/Guadalcanal"},
                                    ShortName{"VST", "Asia/Ho_Chi_Minh"}};

// Where the database lies unless TZDIR, which cctz obeys, says otherwise.
constexpr const char* kDatabase = "/usr/share/zoneinfo";

std::string_view WithoutShortName(std::string_view name) {
  for (const ShortName& one : kShortNames) {
    if (one.name == name) {
      return one.zone;
    }
  }
  return name;
}

// Takes one to `digits_max` digits, at least `digits_min`.
std::optional<int32_t> TakeDigits(std::string_view* text, size_t digits_min,
                                  size_t digits_max) {
  size_t digits = 0;
  int32_t value = 0;
  while (digits < digits_max && digits < text->size() && (*text)[digits] >= '0' &&
         (*text)[digits] <= '9') {
    value = value * 10 + ((*text)[digits++] - '0');
  }
  text->remove_prefix(digits);
  return digits < digits_min ? std::nullopt : std::optional(value);
}

// Not the copies of the database for clocks that count leap seconds, or do not.
bool IsOfDatabase(std::string_view name) {
  return IsZoneRegion(name) && !name.starts_with("posix/") && !name.starts_with("right/");
}

int64_t Micros(Seconds time) {
  return time.time_since_epoch().count() * kMicrosPerSecond;
}

bool HasDatabase() {
  cctz::time_zone zone;
  return cctz::load_time_zone("Etc/UTC", &zone);
}

}  // namespace

std::optional<int32_t> ParseZoneOffset(std::string_view zone) {
  for (const std::string_view prefix : {"UTC", "GMT", "UT", "Z"}) {
    if (zone == prefix) {
      return 0;
    }
    if (prefix != "Z" && zone.size() > prefix.size() && zone.starts_with(prefix) &&
        (zone[prefix.size()] == '+' || zone[prefix.size()] == '-')) {
      zone.remove_prefix(prefix.size());
      break;
    }
  }
  if (zone.empty() || (zone[0] != '+' && zone[0] != '-')) {
    return std::nullopt;
  }
  const bool negative = zone[0] == '-';
  zone.remove_prefix(1);
  // Hours, minutes and seconds: with colons one digit may do, without two are needed.
  std::array<int32_t, 3> parts{};
  const bool colons = zone.find(':') != std::string_view::npos;
  for (size_t i = 0; i < parts.size() && (i == 0 || !zone.empty()); ++i) {
    if (i > 0 && colons) {
      if (zone[0] != ':') {
        return std::nullopt;
      }
      zone.remove_prefix(1);
    }
    const auto value = TakeDigits(&zone, i == 0 || colons ? 1 : 2, 2);
    if (!value) {
      return std::nullopt;
    }
    parts[i] = *value;
  }
  const int32_t seconds = (parts[0] * 60 + parts[1]) * 60 + parts[2];
  if (!zone.empty() || parts[1] > 59 || parts[2] > 59 || seconds > 18 * 3600) {
    return std::nullopt;
  }
  return negative ? -seconds : seconds;
}

bool IsZoneRegion(std::string_view zone) {
  const auto is_letter = [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
  };
  constexpr size_t kLengthMax = 64;
  return zone.size() >= 2 && zone.size() <= kLengthMax && is_letter(zone[0]) &&
         std::all_of(zone.begin(), zone.end(), [&](char c) {
           return is_letter(c) || (c >= '0' && c <= '9') || c == '/' || c == '_' ||
                  c == '-' || c == '+';
         });
}

// The zones of this process, found once each.
struct TimeZone::Registry {
  static Registry& Instance() {
    // Never destroyed: zones may be used until the last thread ends.
    static auto* const registry = new Registry;
    return *registry;
  }

  const TimeZone* Fixed(int32_t seconds) {
    std::lock_guard lock(mutex);
    auto& zone = offsets[seconds];
    if (zone == nullptr) {
      zone.reset(new TimeZone(seconds * kMicrosPerSecond));
    }
    return zone.get();
  }

  const TimeZone* Loaded(std::string_view name) {
    std::shared_lock lock(mutex);
    const auto found = regions.find(name);
    return found == regions.end() ? nullptr : found->second.get();
  }

  // Null when there is none.
  const TimeZone* Load(const std::string& name) {
    if (const TimeZone* zone = Loaded(name)) {
      return zone;
    }
    auto source = std::make_unique<Source>();
    if (!IsOfDatabase(name) || !cctz::load_time_zone(name, &source->zone)) {
      return nullptr;
    }
    std::lock_guard lock(mutex);
    auto& zone = regions[name];
    if (zone == nullptr) {
      zone.reset(new TimeZone(std::move(source)));
    }
    return zone.get();
  }

  std::shared_mutex mutex;  // guards the maps, not the zones
  std::map<int32_t, std::unique_ptr<const TimeZone>> offsets;
  std::map<std::string, std::unique_ptr<const TimeZone>, std::less<>> regions;
  std::once_flag all_loaded;
  std::atomic<bool> missing = false;  // there is no database
};

arrow::Result<const TimeZone*> TimeZone::Find(std::string_view name) {
  const std::string_view known = WithoutShortName(name);
  if (const auto seconds = ParseZoneOffset(known)) {
    return Registry::Instance().Fixed(*seconds);
  }
  if (const TimeZone* zone = Registry::Instance().Load(std::string(known))) {
    return zone;
  }
  if (IsOfDatabase(known) && !HasDatabase()) {
    Registry::Instance().missing = true;
    return core::Error(core::ErrorKind::kConfiguration, "the time zone '", name,
                       "' is not known: this system has no time zone database at ",
                       kDatabase, "; install the package tzdata, or use UTC or an ",
                       "offset such as +02:00");
  }
  return core::Error(core::ErrorKind::kConfiguration, "the time zone '", name,
                     "' is not known; use a name such as Europe/Berlin, UTC, or an "
                     "offset such as +02:00");
}

const TimeZone* TimeZone::FindLoaded(std::string_view name) {
  name = WithoutShortName(name);
  if (const auto seconds = ParseZoneOffset(name)) {
    return Registry::Instance().Fixed(*seconds);
  }
  return Registry::Instance().Loaded(name);
}

void TimeZone::LoadAll() {
  Registry& registry = Registry::Instance();
  std::call_once(registry.all_loaded, [&registry] {
    std::error_code error;
    const std::filesystem::path root(kDatabase);
    std::filesystem::recursive_directory_iterator entry(root, error);
    for (; !error && entry != std::filesystem::recursive_directory_iterator();
         entry.increment(error)) {
      const std::string name = entry->path().lexically_relative(root).string();
      if (name == "posix" || name == "right") {
        entry.disable_recursion_pending();
      } else if (std::error_code ignored; !entry->is_directory(ignored)) {
        registry.Load(name);
      }
    }
    registry.missing = registry.missing || !HasDatabase();
  });
}

bool TimeZone::IsDatabaseMissing() {
  return Registry::Instance().missing;
}

const TimeZone& TimeZone::Utc() {
  static const TimeZone* const utc = Registry::Instance().Fixed(0);
  return *utc;
}

TimeZone::TimeZone(int64_t fixed_offset_micros)
    : periods_{{.end = kForever, .local_end = kForever, .offset = fixed_offset_micros}} {}

TimeZone::TimeZone(std::unique_ptr<Source> source) : source_(std::move(source)) {}

TimeZone::~TimeZone() = default;

std::vector<TimeZone::Period> TimeZone::ReadPeriods(const Source& source) {
  const cctz::time_zone& zone = source.zone;
  const auto offset_at = [&zone](Seconds time) {
    return zone.lookup(time).offset * kMicrosPerSecond;
  };
  std::vector<Period> periods;
  Seconds last = Seconds::min();
  int64_t offset = offset_at(last);
  cctz::time_zone::civil_transition transition;
  const Seconds until(
      cctz::seconds(kListedUntilSeconds + kCycleMicros / kMicrosPerSecond));
  while (periods.size() < kPeriodsMax && zone.next_transition(last, &transition)) {
    const Seconds time = zone.lookup(transition.to).trans;
    if (time <= last || time >= until) {
      break;
    }
    last = time;
    const int64_t next = offset_at(time);
    if (next != offset) {
      periods.push_back({.end = Micros(time),
                         .local_end = Micros(time) + std::max(offset, next),
                         .offset = offset});
      offset = next;
    }
  }
  periods.push_back({.end = kForever, .local_end = kForever, .offset = offset});
  return periods;
}

const std::vector<TimeZone::Period>& TimeZone::periods() const {
  if (source_ != nullptr) {
    std::call_once(filled_, [this] { periods_ = ReadPeriods(*source_); });
  }
  return periods_;
}

// By how much a time is later than the one in the last cycle that has the same offset.
int64_t TimeZone::CycleShift(int64_t micros) {
  return micros < kCycleEnd ? 0
                            : ((micros - kCycleEnd) / kCycleMicros + 1) * kCycleMicros;
}

const TimeZone::Period* TimeZone::PeriodOfLocal(int64_t local_micros,
                                                int64_t* shift) const {
  const std::vector<Period>& all = periods();
  *shift = all.size() == 1 ? 0 : CycleShift(local_micros);
  return &*std::upper_bound(
      all.begin(), all.end() - 1, local_micros - *shift,
      [](int64_t time, const Period& one) { return time < one.local_end; });
}

std::optional<int64_t> TimeZone::ToInstant(
    int64_t local_micros, std::optional<int64_t> preferred_offset) const {
  int64_t shift = 0;
  const Period* period = PeriodOfLocal(local_micros, &shift);
  int64_t offset = period->offset;
  if (preferred_offset && *preferred_offset != offset && period != &periods_.back() &&
      period[1].offset == *preferred_offset &&
      local_micros - shift >= period->end + *preferred_offset) {
    offset = *preferred_offset;
  }
  int64_t instant = 0;
  return __builtin_sub_overflow(local_micros, offset, &instant) ? std::nullopt
                                                                : std::optional(instant);
}

std::optional<int64_t> TimeZone::StartOfDay(int64_t days) const {
  int64_t midnight = 0;
  int64_t instant = 0;
  if (__builtin_mul_overflow(days, kMicrosPerDay, &midnight)) {
    return std::nullopt;
  }
  int64_t shift = 0;
  const Period* period = PeriodOfLocal(midnight, &shift);
  const bool skipped = period != &periods_.back() && period[1].offset > period->offset &&
                       midnight - shift >= period->end + period->offset;
  if (skipped) {
    return period->end + shift;
  }
  return __builtin_sub_overflow(midnight, period->offset, &instant)
             ? std::nullopt
             : std::optional(instant);
}

void LocalClock::Seek(int64_t instant_micros) {
  const auto& all = zone_->periods();
  const int64_t shift = all.size() == 1 ? 0 : TimeZone::CycleShift(instant_micros);
  const int64_t instant = instant_micros - shift;
  const auto period = std::upper_bound(
      all.begin(), all.end() - 1, instant,
      [](int64_t time, const TimeZone::Period& one) { return time < one.end; });
  offset_ = period->offset;
  begin_ = std::numeric_limits<int64_t>::min();
  end_ = kForever;
  if (shift != 0) {
    // Where a cycle begins or ends need not be where a period does: one instant only.
    begin_ = instant_micros;
    end_ = instant_micros == kForever ? kForever : instant_micros + 1;
    return;
  }
  if (period != all.begin()) {
    begin_ = (period - 1)->end;
  }
  if (all.size() > 1) {
    end_ = std::min(period->end, kCycleEnd);
  }
}

}  // namespace wheelpit::index
