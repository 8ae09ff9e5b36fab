// SPDX-License-Identifier: Apache-2.0
// Which columns a dictionary makes smaller, guessed from the first rows: to build one for
// values that are all different costs more than everything else that a writer does.
#pragma once

#include <arrow/type_fwd.h>

namespace wheelpit::exec {

/// False when nearly all of the first values (8,192 at most, 1,024 at least) differ. True
/// for what is not fixed-width or text.
bool WorthDictionary(const arrow::Array& column);

}  // namespace wheelpit::exec
