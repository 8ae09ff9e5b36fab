// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/core/log.h"

namespace wheelpit::core {

std::string_view ToString(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return "debug";
    case LogLevel::kInfo:
      return "info";
    case LogLevel::kWarning:
      return "warning";
    case LogLevel::kError:
      return "error";
  }
  return "error";
}

}  // namespace wheelpit::core
