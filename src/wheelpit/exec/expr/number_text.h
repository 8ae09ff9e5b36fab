// SPDX-License-Identifier: Apache-2.0
// Numbers out of text, in the forms that Spark and Java read.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "wheelpit/exec/expr/vector.h"
#include "wheelpit/plan/types.h"

namespace wheelpit::exec::expr {

/// What Java's parseDouble takes (also "1.5d", "0x1p3"), and inf, infinity and nan in any
/// case. Too large is infinity, too small 0.
std::optional<double> ParseDouble(std::string_view text);
std::optional<float> ParseFloat(std::string_view text);

std::optional<bool> ParseBoolean(std::string_view text);

/// "[+-]digits[.digits][e[+-]digits]", rounded half up to the shape. Gives a Spark error
/// class, empty when it fits.
std::string_view ParseDecimal(std::string_view text, plan::DecimalShape shape,
                              int128* out);

/// A number by its shortest digits as a decimal; NaN and infinities become null.
std::string_view DecimalFromDouble(double value, plan::DecimalShape shape, int128* out);

/// Correctly rounded.
double DoubleFromDecimal(int128 unscaled, int scale);
float FloatFromDecimal(int128 unscaled, int scale);

}  // namespace wheelpit::exec::expr
