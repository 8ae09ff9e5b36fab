// SPDX-License-Identifier: Apache-2.0
// Events as lines of a Spark event log: the fields of Apache Spark 4.3's JsonProtocol, in
// its order. Private to events; the oracle is Spark's own reader and writer
// (tests/interop/spark_events).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "wheelpit/events/event.h"

namespace wheelpit::events {

/// Whose format it is; readers choose by it what to expect.
inline constexpr std::string_view kSparkVersion = "4.3.0";
/// The one executor: the process itself.
inline constexpr std::string_view kExecutorId = "driver";

/// Appends one line without its end.
void AppendJson(const Event& event, std::string_view host, std::string* out);

/// Appends the lines that begin a log, each with its end.
void AppendPreamble(const Application& application, std::string_view application_id,
                    std::string* out);

/// Appends the line of the application's end, without its end.
void AppendApplicationEnd(int64_t time_millis, int exit_code, std::string* out);

}  // namespace wheelpit::events
