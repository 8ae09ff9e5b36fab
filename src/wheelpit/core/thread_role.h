// SPDX-License-Identifier: Apache-2.0
// Which of our thread sets the calling thread belongs to. Only threads that we start are
// marked; the blocking guard (blocking_guard.cc) aborts when a marked compute thread
// blocks.
#pragma once

#include <cstdint>

namespace wheelpit::core {

enum class ThreadRole : uint8_t { kForeign, kCompute, kIo };

ThreadRole ThisThreadRole();
/// Called once at the start of a thread that we own.
void SetThisThreadRole(ThreadRole role);

}  // namespace wheelpit::core
