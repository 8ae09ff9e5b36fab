// SPDX-License-Identifier: Apache-2.0
// The look at a block before Arrow's reader gets it: messages are found and their
// metadata is walked, so that no length in it is larger than the bytes that are there or
// than what the caller allows to be allocated. The layout is Arrow's columnar format
// (Message.fbs), read here straight from the FlatBuffers encoding with every position
// checked.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <arrow/ipc/message.h>
#include <arrow/result.h>

#include "wheelpit/block/ipc_block.h"

namespace wheelpit::block {

/// The messages of a block: `dictionary_count` dictionaries at most, then one record
/// batch. kCorrupt with the offset of the message otherwise. `bytes` starts at a multiple
/// of 8.
arrow::Result<std::vector<std::unique_ptr<arrow::ipc::Message>>> SplitMessages(
    const std::shared_ptr<arrow::Buffer>& bytes, int dictionary_count,
    const DecodeOptions& options);

}  // namespace wheelpit::block
