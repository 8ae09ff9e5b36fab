// SPDX-License-Identifier: Apache-2.0
// Time zones: what the clocks of a place show at an instant, and back, as java.time has
// it. Times are microseconds; instants count from 1970-01-01T00:00:00Z, local times as if
// the zone were UTC. Zones by name come from the system's database (tzdata), which cctz
// reads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/result.h>

namespace wheelpit::index {

/// Seconds east of Greenwich of "UTC", "GMT", "UT", "Z" and of offsets with or without
/// one of these before them ("+02:00", "-0530", "GMT+8"); nothing for region names.
std::optional<int32_t> ParseZoneOffset(std::string_view zone);

/// Whether it has the form of a region's name ("Europe/Paris", "CET"). Which names exist
/// is another question.
bool IsZoneRegion(std::string_view zone);

/// Immutable for its users; any thread. A zone is never destroyed: what was found stays
/// valid, and is shared by the process, like the database it came from.
class TimeZone {
 public:
  /// Offsets, names of the database, and the short names of java.time ("PST"). A name
  /// that is asked for the first time is read from a file: threads that may block only.
  /// kConfiguration for an unknown zone, saying so when the database itself is missing.
  static arrow::Result<const TimeZone*> Find(std::string_view name);

  /// The same without ever reading a file: null for what Find or LoadAll has not read.
  static const TimeZone* FindLoaded(std::string_view name);

  /// Reads every zone of the database, once per process: some 80 ms of CPU. Threads that
  /// may block only.
  static void LoadAll();

  /// Whether Find or LoadAll has seen that this system has no database of zones.
  static bool IsDatabaseMissing();

  static const TimeZone& Utc();

  TimeZone(const TimeZone&) = delete;
  TimeZone& operator=(const TimeZone&) = delete;
  ~TimeZone();

  /// A time that clocks skip is moved on by what they skip; of two instants the earlier
  /// is taken, or the one with `preferred_offset`, microseconds, where that is one of
  /// them. Nothing beyond 64 bits.
  std::optional<int64_t> ToInstant(int64_t local_micros,
                                   std::optional<int64_t> preferred_offset = {}) const;

  /// The first instant of a day since 1970-01-01: not midnight where clocks skip it.
  std::optional<int64_t> StartOfDay(int64_t days) const;

 private:
  friend class LocalClock;
  struct Source;
  struct Registry;

  // While clocks go by `offset`: instants up to `end`, exclusive.
  struct Period {
    int64_t end;
    int64_t local_end;  ///< local times before it are read with this offset
    int64_t offset;
  };

  explicit TimeZone(int64_t fixed_offset_micros);
  explicit TimeZone(std::unique_ptr<Source> source);

  const std::vector<Period>& periods() const;
  static std::vector<Period> ReadPeriods(const Source& source);
  static int64_t CycleShift(int64_t micros);
  // The period by whose offset a local time, less `shift`, is read.
  const Period* PeriodOfLocal(int64_t local_micros, int64_t* shift) const;

  // Filled from the source at first use, which most zones of LoadAll never see.
  mutable std::once_flag filled_;
  mutable std::vector<Period> periods_;
  std::unique_ptr<Source> source_;
};

/// The offset of a zone for instants one after the other: remembers the last period, so
/// that a loop over rows near each other does not search. One thread.
class LocalClock {
 public:
  explicit LocalClock(const TimeZone& zone) : zone_(&zone) {}

  /// Microseconds to add to the instant to get local time.
  int64_t OffsetAt(int64_t instant_micros) {
    if (instant_micros < begin_ || instant_micros >= end_) [[unlikely]] {
      Seek(instant_micros);
    }
    return offset_;
  }

  /// Local time; at the very ends of the range, where it would leave 64 bits, the zone is
  /// given up.
  int64_t ToLocal(int64_t instant_micros) {
    int64_t local = 0;
    return __builtin_add_overflow(instant_micros, OffsetAt(instant_micros), &local)
               ? instant_micros
               : local;
  }

 private:
  void Seek(int64_t instant_micros);

  const TimeZone* zone_;
  int64_t begin_ = 0;
  int64_t end_ = 0;
  int64_t offset_ = 0;
};

}  // namespace wheelpit::index
