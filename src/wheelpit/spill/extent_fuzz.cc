// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: bytes as they might come from a disk. What passes the check must be
// exactly what the writer makes of that payload and identity; nothing is read beyond the
// bytes (address sanitizer).
// Covers: src/wheelpit/spill/extent_format.cc
#include <algorithm>
#include <cstdint>
#include <vector>

#include "wheelpit/core/error.h"
#include "wheelpit/spill/extent_format.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using wheelpit::spill::CheckExtent;
  using wheelpit::spill::ExtentIdentity;
  constexpr ExtentIdentity kIdentity{.query = 1, .operator_id = 2, .number = 3};
  const std::vector<uint8_t> bytes(data, data + size);
  const auto status = CheckExtent(kIdentity, bytes);
  if (!status.ok()) {
    WHEELPIT_CHECK(wheelpit::core::KindOf(status) == wheelpit::core::ErrorKind::kCorrupt);
  } else {
    const auto header = wheelpit::spill::MakeExtentHeader(
        kIdentity, std::span(bytes).subspan(wheelpit::spill::kExtentHeaderBytes));
    WHEELPIT_CHECK(std::equal(header.begin(), header.end(), bytes.begin()));
  }
  // Whatever the bytes are as a payload, their extent passes until a bit changes.
  const auto header = wheelpit::spill::MakeExtentHeader(kIdentity, bytes);
  std::vector<uint8_t> extent(header.begin(), header.end());
  extent.insert(extent.end(), bytes.begin(), bytes.end());
  WHEELPIT_CHECK(CheckExtent(kIdentity, extent).ok());
  constexpr ExtentIdentity kOther{.query = 1, .operator_id = 2, .number = 4};
  WHEELPIT_CHECK(!CheckExtent(kOther, extent).ok());
  extent[size % extent.size()] ^= 1;
  WHEELPIT_CHECK(!CheckExtent(kIdentity, extent).ok());
  return 0;
}
