// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/core/config.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <numeric>

#include "wheelpit/core/byte_size.h"
#include "wheelpit/core/error.h"

namespace wheelpit::core {

namespace {

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
constexpr int64_t kMiB = 1 << 20;
using enum ConfigType;

constexpr std::array<ConfigRow, static_cast<size_t>(ConfigKey::kKeyCount)> kTable = {{
    {ConfigKey::kMemoryLimit, "memory.limit", kBytes, "auto", 4 * kMiB, kMax, "memory",
     "WHEELPIT_MEMORY",
     "Budget of the process; auto is 60% of the smallest of physical memory and the "
     "cgroup limits above the process.",
     "0.1", ConfigScope::kProcess},
    {ConfigKey::kComputeThreads, "compute.threads", kCount, "auto", 1, 1024, "threads",
     "WHEELPIT_THREADS", "Compute threads; auto is what affinity and cpu.max allow.",
     "0.1", ConfigScope::kProcess},
    {ConfigKey::kIoThreads, "io.threads", kCount, "8", 1, 1024, "io-threads", "",
     "Threads that wait for disks.", "0.1", ConfigScope::kProcess},
    {ConfigKey::kSpillDirectories, "spill.directories", kTextList, "auto", 0, 0,
     "spill-dir", "WHEELPIT_SPILL_DIR",
     "Directories for spilled data; auto is those of $SPARK_LOCAL_DIRS, else "
     "$LOCAL_DIRS, "
     "else $TMPDIR, else /var/tmp, never one in memory.",
     "0.1", ConfigScope::kProcess},
    {ConfigKey::kSpillLimit, "spill.limit", kBytes, "100GB", 0, kMax, "spill-limit", "",
     "Bytes on disk that one query may spill.", "0.1"},
    {ConfigKey::kSpillProcessLimit, "spill.process_limit", kBytes, "1TB", 0, kMax, "", "",
     "Bytes on disk that all queries of the process may spill together.", "0.1",
     ConfigScope::kProcess},
    {ConfigKey::kScanBatchRows, "scan.batch_rows", kCount, "8192", 1, 1 << 20, "", "",
     "Rows of a batch between operators.", "0.1"},
    {ConfigKey::kScanPrefetchBytes, "scan.prefetch_bytes", kBytes, "8MiB", 64 << 10, kMax,
     "", "",
     "Bytes that one scan task reads ahead, at most: it begins with 1 MiB and doubles "
     "when it had to wait.",
     "0.1"},
    {ConfigKey::kScanPageIndex, "scan.page_index", kBool, "true", 0, 1, "", "",
     "Whether pages are left out by the page index of files that have one.", "0.1"},
    {ConfigKey::kSortStable, "sort.stable", kBool, "true", 0, 1, "", "",
     "Whether rows with equal keys keep the order of the input.", "0.1"},
    {ConfigKey::kIndexFollowSymlinks, "index.follow_symlinks", kBool, "true", 0, 1, "",
     "", "Whether listing follows symbolic links; loops are found and cut.", "0.1"},
    {ConfigKey::kIndexIgnoreMissing, "index.ignore_missing", kBool, "false", 0, 1, "", "",
     "Whether files that vanish or are forbidden while listing are skipped and counted.",
     "0.1"},
    {ConfigKey::kIndexPartitionInference, "index.partition_inference", kBool, "true", 0,
     1, "", "", "Whether key=value folder names give typed columns (else strings).",
     "0.1"},
    {ConfigKey::kIndexReadTableFormats, "index.read_table_formats", kBool, "false", 0, 1,
     "", "",
     "Whether the Parquet files of a Delta, Hudi or Iceberg table are read as plain "
     "files, "
     "deleted rows included.",
     "0.1"},
    {ConfigKey::kSessionTimeZone, "session.time_zone", kText, "UTC", 0, 0, "", "TZ",
     "Zone in which time stamps are shown and parsed: UTC, an offset such as +02:00, or "
     "a "
     "name such as Europe/Berlin.",
     "0.1"},
    {ConfigKey::kOutputMaxRows, "output.max_rows", kCount, "10000", 0, kMax, "", "",
     "Rows that the table format prints at most; 0 is all.", "0.1"},
    {ConfigKey::kEventsDirectory, "events.directory", kText, "auto", 0, 0, "event-log",
     "",
     "Directory for the event logs of runs, or none; auto is "
     "$XDG_STATE_HOME/wheelpit/events, "
     "else ~/.local/state/wheelpit/events, and none where the library is embedded.",
     "0.1", ConfigScope::kProcess},
    {ConfigKey::kEventsTotalLimit, "events.total_limit", kBytes, "1GB", 0, kMax, "", "",
     "Bytes that all event logs in the directory may take: the oldest go first, never "
     "that of a running process.",
     "0.1", ConfigScope::kProcess},
    {ConfigKey::kEventsRollBytes, "events.roll_bytes", kBytes, "128MiB", 64 << 10, kMax,
     "", "", "Bytes of an event log, before compression, from which a new file is begun.",
     "0.1", ConfigScope::kProcess},
}};

constexpr bool TableIsInOrder() {
  for (size_t i = 0; i < kTable.size(); ++i) {
    if (static_cast<size_t>(kTable[i].key) != i) {
      return false;
    }
  }
  return true;
}
static_assert(TableIsInOrder());

const ConfigRow& RowOf(ConfigKey key) {
  return kTable[static_cast<size_t>(key)];
}

arrow::Result<int64_t> ParseCount(std::string_view text) {
  int64_t number = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) {
    return Error(ErrorKind::kConfiguration, "'", text, "' is not a whole number");
  }
  return number;
}

arrow::Result<int64_t> ParseBool(std::string_view text) {
  if (text == "true" || text == "on" || text == "1") {
    return 1;
  }
  if (text == "false" || text == "off" || text == "0") {
    return 0;
  }
  return Error(ErrorKind::kConfiguration, "'", text, "' is neither true nor false");
}

arrow::Result<int64_t> ParseNumber(const ConfigRow& row, std::string_view text) {
  switch (row.type) {
    case kBytes:
      return ParseByteSize(text);
    case kCount:
      return ParseCount(text);
    case kBool:
      return ParseBool(text);
    default:
      return 0;
  }
}

std::string ShowLimit(const ConfigRow& row, int64_t limit) {
  return row.type == kBytes ? FormatByteSize(limit) : std::to_string(limit);
}

bool SameName(std::string_view a, std::string_view b) {
  const auto lower = [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
  };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [&](char x, char y) { return lower(x) == lower(y); });
}

// Edits (insert, delete, replace) between two names, ignoring case.
size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const bool same = (a[i - 1] | 0x20) == (b[j - 1] | 0x20);
      const size_t replaced = diagonal + (same ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row.back();
}

}  // namespace

std::string_view ToString(ConfigSource source) {
  switch (source) {
    case ConfigSource::kDefault:
      return "default";
    case ConfigSource::kEnvironment:
      return "environment";
    case ConfigSource::kFile:
      return "file";
    case ConfigSource::kSet:
      return "SET";
    case ConfigSource::kFlag:
      return "flag";
  }
  return "default";
}

std::span<const ConfigRow> ConfigTable() {
  return kTable;
}

std::string_view NearestName(std::string_view name,
                             std::span<const std::string_view> known) {
  std::string_view nearest;
  // Of a short name one edit is much already; of nothing nothing is near.
  size_t fewest = name.empty() ? 0 : std::max<size_t>(1, name.size() / 3) + 1;
  for (const std::string_view candidate : known) {
    const size_t edits = EditDistance(name, candidate);
    if (edits < fewest) {
      fewest = edits;
      nearest = candidate;
    }
  }
  return nearest;
}

Config::Config() {
  for (const ConfigRow& row : kTable) {
    Value& value = values_[static_cast<size_t>(row.key)];
    value.text = row.default_text;
    value.number =
        row.default_text == "auto" ? 0 : ParseNumber(row, row.default_text).ValueOr(0);
  }
}

arrow::Result<const ConfigRow*> Config::Find(std::string_view name) {
  std::vector<std::string_view> names;
  for (const ConfigRow& row : kTable) {
    if (SameName(row.name, name)) {
      return &row;
    }
    names.push_back(row.name);
  }
  const std::string_view nearest = NearestName(name, names);
  return Error(ErrorKind::kConfiguration, "there is no setting '", name, "'",
               nearest.empty() ? "; SHOW ALL lists them"
                               : "; did you mean '" + std::string(nearest) + "'?");
}

arrow::Status Config::Set(std::string_view name, std::string_view text,
                          ConfigSource source) {
  ARROW_ASSIGN_OR_RAISE(const ConfigRow* row, Find(name));
  return Set(row->key, text, source);
}

arrow::Status Config::Set(ConfigKey key, std::string_view text, ConfigSource source) {
  const ConfigRow& row = RowOf(key);
  Value value{.text = std::string(text), .number = 0, .source = source};
  if (text != "auto" || row.default_text != "auto") {
    auto number = ParseNumber(row, text);
    if (!number.ok()) {
      return WithContext(number.status(), row.name);
    }
    value.number = *number;
    const bool bounded = row.type == kBytes || row.type == kCount;
    if (bounded && (value.number < row.minimum || value.number > row.maximum)) {
      return Error(
          ErrorKind::kConfiguration, row.name, ": ", text, " is ",
          value.number < row.minimum ? "below the least, " : "above the most, ",
          ShowLimit(row, value.number < row.minimum ? row.minimum : row.maximum));
    }
  }
  Value& current = values_[static_cast<size_t>(key)];
  if (source >= current.source) {
    current = std::move(value);
  }
  return arrow::Status::OK();
}

arrow::Status Config::SetForSession(std::string_view name, std::string_view text) {
  ARROW_ASSIGN_OR_RAISE(const ConfigRow* row, Find(name));
  const std::string flag = "--" + std::string(row->flag);
  if (row->scope == ConfigScope::kProcess) {
    return Error(ErrorKind::kConfiguration, row->name,
                 " is fixed when the program starts; set it by ",
                 row->flag.empty() ? "" : flag + ", or by ", "'", row->name,
                 " = …' in the configuration file");
  }
  if (SourceOf(row->key) > ConfigSource::kSet) {
    return Error(ErrorKind::kConfiguration, row->name, " was set by ", flag,
                 ", which SET does not change; leave the flag out to use SET");
  }
  return Set(row->key, text, ConfigSource::kSet);
}

arrow::Status Config::Reset(std::string_view name, const Config& other) {
  if (name.empty()) {
    values_ = other.values_;
    return arrow::Status::OK();
  }
  ARROW_ASSIGN_OR_RAISE(const ConfigRow* row, Find(name));
  const auto index = static_cast<size_t>(row->key);
  values_[index] = other.values_[index];
  return arrow::Status::OK();
}

int64_t Config::Number(ConfigKey key, int64_t automatic) const {
  const Value& value = values_[static_cast<size_t>(key)];
  return value.text == "auto" ? automatic : value.number;
}

bool Config::Flag(ConfigKey key) const {
  return Number(key) != 0;
}

const std::string& Config::Text(ConfigKey key) const {
  return values_[static_cast<size_t>(key)].text;
}

std::vector<std::string> Config::List(ConfigKey key) const {
  std::vector<std::string> items;
  const std::string& text = Text(key);
  for (size_t at = 0; at < text.size();) {
    const size_t comma = std::min(text.find(',', at), text.size());
    if (comma > at) {
      items.push_back(text.substr(at, comma - at));
    }
    at = comma + 1;
  }
  return items;
}

ConfigSource Config::SourceOf(ConfigKey key) const {
  return values_[static_cast<size_t>(key)].source;
}

}  // namespace wheelpit::core
