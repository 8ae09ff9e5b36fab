// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include <arrow/result.h>

#include "wheelpit/io/syscalls.h"

namespace wheelpit::cli {

/// The whole of a file that a person wrote; "-" is standard input. Blocks. Errors name
/// the path; one of more than `bytes_max` bytes is kConfiguration.
arrow::Result<std::string> ReadTextFile(io::Syscalls& syscalls, const std::string& path,
                                        size_t bytes_max);

}  // namespace wheelpit::cli
