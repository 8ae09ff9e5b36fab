// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <arrow/type_fwd.h>

namespace wheelpit::exec {

/// What an array's values take of its buffers: of a slice, only its own. A buffer that
/// two columns share counts twice. Not Arrow's ReferencedBufferSize, which allocates from
/// Arrow's default pool, outside of any budget.
int64_t ReferencedBytes(const arrow::ArrayData& data);

}  // namespace wheelpit::exec
