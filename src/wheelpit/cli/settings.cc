// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/cli/settings.h"

#include <cstdlib>
#include <string_view>

#include "wheelpit/cli/text_file.h"
#include "wheelpit/core/error.h"
#include "wheelpit/index/time_zone.h"

namespace wheelpit::cli {

namespace {

constexpr size_t kConfigBytesMax = 1 << 20;

std::string_view Trim(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r";
  const size_t first = text.find_first_not_of(kSpace);
  return first == std::string_view::npos
             ? std::string_view()
             : text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

std::string DefaultConfigFile() {
  if (const std::string base = Environment("XDG_CONFIG_HOME"); !base.empty()) {
    return base + "/wheelpit/config";
  }
  const std::string home = Environment("HOME");
  return home.empty() ? "" : home + "/.config/wheelpit/config";
}

// Where event logs go when nobody says where, or "none". The standard that names the
// variable wants it passed over when it is not absolute.
std::string DefaultEventDirectory() {
  const std::string state = Environment("XDG_STATE_HOME");
  if (state.starts_with('/')) {
    return state + "/wheelpit/events";
  }
  const std::string home = Environment("HOME");
  return home.starts_with('/') ? home + "/.local/state/wheelpit/events" : "none";
}

// $TZ as the name of a zone: libc takes a colon before it, and the path of its file.
std::string ZoneName(std::string_view tz) {
  for (const std::string_view prefix : {":", "/usr/share/zoneinfo/"}) {
    if (tz.starts_with(prefix)) {
      tz.remove_prefix(prefix.size());
    }
  }
  return std::string(tz);
}

// Before a comment, which a space and # begin: names of directories may have a #.
std::string_view WithoutComment(std::string_view line) {
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '#' && (i == 0 || line[i - 1] == ' ' || line[i - 1] == '\t')) {
      return line.substr(0, i);
    }
  }
  return line;
}

arrow::Status CheckTimeZone(const core::Config& config) {
  const auto key = core::ConfigKey::kSessionTimeZone;
  const arrow::Status status = index::TimeZone::Find(config.Text(key)).status();
  return status.ok() || config.SourceOf(key) != core::ConfigSource::kEnvironment
             ? status
             : core::WithContext(status, "environment variable TZ");
}

}  // namespace

std::string Environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

arrow::Status ApplyConfigText(const std::string& text, const std::string& path,
                              core::Config* config) {
  int line_number = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line =
        Trim(WithoutComment(std::string_view(text).substr(at, end - at)));
    at = end + 1;
    ++line_number;
    if (line.empty()) {
      continue;
    }
    const std::string where = path + " line " + std::to_string(line_number);
    const size_t equals = line.find('=');
    if (equals == std::string_view::npos) {
      return core::Error(core::ErrorKind::kConfiguration, where, ": '", line,
                         "' is not of the form name = value");
    }
    const arrow::Status status =
        config->Set(Trim(line.substr(0, equals)), Trim(line.substr(equals + 1)),
                    core::ConfigSource::kFile);
    if (!status.ok()) {
      return core::WithContext(status, where);
    }
  }
  return arrow::Status::OK();
}

arrow::Result<core::Config> LoadSettings(io::Syscalls& syscalls,
                                         const SettingSources& sources,
                                         const Machine& machine) {
  core::Config config;
  for (const core::ConfigRow& row : core::ConfigTable()) {
    const std::string name(row.environment);
    if (std::string value = name.empty() ? "" : Environment(name.c_str());
        !value.empty()) {
      value = row.key == core::ConfigKey::kSessionTimeZone ? ZoneName(value) : value;
      const auto status = config.Set(row.key, value, core::ConfigSource::kEnvironment);
      if (!status.ok()) {
        return core::WithContext(status, "environment variable " + name);
      }
    }
  }
  const bool named = !sources.config_file.empty();
  const std::string path = named ? sources.config_file : DefaultConfigFile();
  if (!path.empty()) {
    auto text = ReadTextFile(syscalls, path, kConfigBytesMax);
    if (text.ok()) {
      ARROW_RETURN_NOT_OK(ApplyConfigText(*text, path, &config));
    } else if (named || core::KindOf(text.status()) == core::ErrorKind::kConfiguration) {
      return core::Error(core::ErrorKind::kConfiguration,
                         "settings: ", text.status().message());
    }
  }
  for (const auto& [key, value] : sources.flags) {
    const auto status = config.Set(key, value, core::ConfigSource::kFlag);
    if (!status.ok()) {
      const core::ConfigRow& row = core::ConfigTable()[static_cast<size_t>(key)];
      return core::WithContext(status, "--" + std::string(row.flag));
    }
  }
  ARROW_RETURN_NOT_OK(CheckTimeZone(config));
  ARROW_RETURN_NOT_OK(ApplyDefaults(machine, &config));
  if (const auto key = core::ConfigKey::kEventsDirectory; config.Text(key) == "auto") {
    ARROW_RETURN_NOT_OK(config.Set(key, DefaultEventDirectory(), config.SourceOf(key)));
  }
  return config;
}

}  // namespace wheelpit::cli
