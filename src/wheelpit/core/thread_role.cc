// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/core/thread_role.h"

namespace wheelpit::core {

namespace {
constinit thread_local ThreadRole this_thread_role = ThreadRole::kForeign;
}  // namespace

ThreadRole ThisThreadRole() {
  return this_thread_role;
}
void SetThisThreadRole(ThreadRole role) {
  this_thread_role = role;
}

}  // namespace wheelpit::core
