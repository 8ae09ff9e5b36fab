// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: any bytes as keys. The first byte chooses the columns, the second how
// many bytes the first key has; the rest is the second key.
// Covers: src/wheelpit/exec/keys/key_decoder.cc
#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include <arrow/array/array_base.h>
#include <arrow/memory_pool.h>
#include <arrow/type.h>

#include "wheelpit/core/error.h"
#include "wheelpit/exec/keys/key_encoder.h"

namespace {

using wheelpit::exec::KeyColumn;
using wheelpit::exec::KeyEncoder;

std::vector<std::unique_ptr<KeyEncoder>> MakeEncoders() {
  const std::vector<std::vector<KeyColumn>> columns = {
      {{arrow::utf8()}, {arrow::int32()}},
      {{arrow::large_binary(), true, false}, {arrow::boolean()}},
      {{arrow::null()}, {arrow::int8(), true}, {arrow::int16()}, {arrow::int64()}},
      {{arrow::decimal128(9, 2)}, {arrow::decimal128(38, 2), true}},
      {{arrow::float32()}, {arrow::float64(), true}, {arrow::utf8(), true}},
      {{arrow::utf8_view()}, {arrow::timestamp(arrow::TimeUnit::MICRO)}},
  };
  std::vector<std::unique_ptr<KeyEncoder>> encoders;
  for (const auto& each : columns) {
    encoders.push_back(KeyEncoder::Make(each).ValueOrDie());
  }
  return encoders;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const auto encoders = MakeEncoders();
  if (size < 2) {
    return 0;
  }
  const KeyEncoder& encoder = *encoders[data[0] % encoders.size()];
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 2, size - 2);
  const size_t first = std::min<size_t>(data[1], bytes.size());
  const std::string_view keys[] = {bytes.substr(0, first), bytes.substr(first)};
  const bool one = first == bytes.size();
  arrow::MemoryPool* pool = arrow::system_memory_pool();
  const auto decoded = encoder.Decode(std::span(keys, one ? 1 : 2), pool);
  if (!decoded.ok()) {
    WHEELPIT_CHECK(wheelpit::core::KindOf(decoded.status()) ==
                   wheelpit::core::ErrorKind::kCorrupt);
    return 0;
  }
  for (const auto& array : *decoded) {
    WHEELPIT_CHECK(array->Validate().ok());
  }
  // Decoding is the inverse of encoding, but that floats have many bytes for one value.
  const auto encoded = encoder.Encode(*decoded, one ? 1 : 2, pool).ValueOrDie();
  const std::string_view again[] = {encoded[0], encoded[one ? 0 : 1]};
  const auto twice = encoder.Decode(std::span(again, one ? 1 : 2), pool).ValueOrDie();
  for (size_t i = 0; i < twice.size(); ++i) {
    WHEELPIT_CHECK(encoder.columns()[i].type->id() == arrow::Type::FLOAT ||
                   encoder.columns()[i].type->id() == arrow::Type::DOUBLE ||
                   twice[i]->Equals(*(*decoded)[i]));
  }
  return 0;
}
