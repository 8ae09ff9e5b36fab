// SPDX-License-Identifier: Apache-2.0
// Settings. One row per key in one table (config.cc): from it come the parser, `SHOW`,
// the command-line help and docs/config.md. Libraries get values; only the program reads
// flags, files and the environment. A Config is a value: copy it per session; not for
// sharing while changed.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/result.h>

namespace wheelpit::core {

enum class ConfigType : uint8_t { kBytes, kCount, kBool, kText, kTextList };

/// Where a value came from; a later one wins over an earlier one.
enum class ConfigSource : uint8_t { kDefault, kEnvironment, kFile, kSet, kFlag };

std::string_view ToString(ConfigSource source);

/// When a setting is read: once, when the engine is made, or for each statement. Only the
/// latter can be changed by SET.
enum class ConfigScope : uint8_t { kProcess, kStatement };

enum class ConfigKey : uint8_t {
  kMemoryLimit,
  kComputeThreads,
  kIoThreads,
  kSpillDirectories,
  kSpillLimit,
  kSpillProcessLimit,
  kScanBatchRows,
  kScanPrefetchBytes,
  kScanPageIndex,
  kSortStable,
  kIndexFollowSymlinks,
  kIndexIgnoreMissing,
  kIndexPartitionInference,
  kIndexReadTableFormats,
  kSessionTimeZone,
  kOutputMaxRows,
  kEventsDirectory,
  kEventsTotalLimit,
  kEventsRollBytes,
  kKeyCount,  // not a key: how many there are
};

struct ConfigRow {
  ConfigKey key;
  std::string_view name;  ///< as in SET and in the rc file
  ConfigType type;
  std::string_view default_text;  ///< "auto" where the program works it out
  int64_t minimum;                ///< for bytes and counts
  int64_t maximum;
  std::string_view flag;         ///< long option of `wheelpit sql`, or empty
  std::string_view environment;  ///< environment variable, or empty
  std::string_view meaning;      ///< one sentence
  std::string_view since;        ///< version
  ConfigScope scope = ConfigScope::kStatement;
};

/// Every key, in the order of the enumeration.
std::span<const ConfigRow> ConfigTable();

class Config {
 public:
  /// Every key at its default.
  Config();

  /// Sets a key by name; a value already there from a stronger source stays. Unknown
  /// names (with the nearest known one), unreadable and out-of-range values are
  /// kConfiguration errors.
  arrow::Status Set(std::string_view name, std::string_view text, ConfigSource source);
  /// As above for a key known at compile time.
  arrow::Status Set(ConfigKey key, std::string_view text, ConfigSource source);

  /// Set by a statement of a session: a key that is read once, and one that a stronger
  /// source holds already, are errors that say who sets it.
  arrow::Status SetForSession(std::string_view name, std::string_view text);

  /// Takes a key's value and source (every key's when `name` is empty) from `other`.
  arrow::Status Reset(std::string_view name, const Config& other);

  /// "auto" reads as `automatic`.
  int64_t Number(ConfigKey key, int64_t automatic = 0) const;
  bool Flag(ConfigKey key) const;
  const std::string& Text(ConfigKey key) const;
  /// A comma-separated list; empty text is an empty list.
  std::vector<std::string> List(ConfigKey key) const;
  ConfigSource SourceOf(ConfigKey key) const;

  /// The row of a name in any case, or kConfiguration with the nearest known name.
  static arrow::Result<const ConfigRow*> Find(std::string_view name);

 private:
  struct Value {
    std::string text;
    int64_t number = 0;
    ConfigSource source = ConfigSource::kDefault;
  };
  std::array<Value, static_cast<size_t>(ConfigKey::kKeyCount)> values_;
};

/// The known name with the fewest edits from `name`, or empty when none is near. For "did
/// you mean".
std::string_view NearestName(std::string_view name,
                             std::span<const std::string_view> known);

}  // namespace wheelpit::core
