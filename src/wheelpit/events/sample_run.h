// SPDX-License-Identifier: Apache-2.0
// For tests: a run that has every event, with every member of each set somewhere, and
// what reads a log back.
#pragma once

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "wheelpit/events/event.h"

namespace wheelpit::events {

Application SampleApplication();

/// Two statements, one of which fails, with two jobs, three stages and five tasks. Text
/// with quotes, control characters, characters beyond the first plane, and bytes that are
/// not UTF-8; settings that look secret.
std::vector<Event> SampleEvents();

/// The text of all files of a log's folder, in order; stops at bytes that are no whole
/// frame, and says so. Every frame is counted.
struct LogText {
  std::string text;
  int64_t files = 0;
  int64_t frames = 0;
  bool whole = true;
};
LogText ReadLog(const std::string& folder);
std::vector<std::string> LinesOf(const std::string& text);

/// Made new, removed with all that is in it.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// Names in a folder, sorted.
std::vector<std::string> NamesIn(const std::string& folder);

}  // namespace wheelpit::events
