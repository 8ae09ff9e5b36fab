// SPDX-License-Identifier: Apache-2.0
// What must not be read in a log: values of settings that look like secrets.
#pragma once

#include <string_view>

namespace wheelpit::events {

/// What stands in the log instead; Spark's text.
inline constexpr std::string_view kRedacted = "*********(redacted)";

/// Whether a name or a value looks like a secret, by the default of Spark 4.3's
/// spark.redaction.regex: (?i)secret|password|token|access[.]?key|credential.
bool LooksSecret(std::string_view text);

}  // namespace wheelpit::events
