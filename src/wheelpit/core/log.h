// SPDX-License-Identifier: Apache-2.0
// Logging: libraries hand records to the embedder's Logger and never print. A Logger is
// called from any thread, compute threads too, so it must not block: it queues what it
// wants to write.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace wheelpit::core {

enum class LogLevel : uint8_t { kDebug, kInfo, kWarning, kError };

std::string_view ToString(LogLevel level);

using LogField = std::pair<std::string_view, std::string>;

class Logger {
 public:
  virtual ~Logger() = default;
  virtual bool Enabled(LogLevel level) const = 0;
  /// `event` is a fixed phrase; what varies goes into the fields.
  virtual void Log(LogLevel level, std::string_view event,
                   std::initializer_list<LogField> fields) = 0;
};

/// Drops everything.
class NullLogger final : public Logger {
 public:
  bool Enabled(LogLevel) const override { return false; }
  void Log(LogLevel, std::string_view, std::initializer_list<LogField>) override {}
};

}  // namespace wheelpit::core
