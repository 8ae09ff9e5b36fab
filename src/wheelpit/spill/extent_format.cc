// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/spill/extent_format.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "wheelpit/core/error.h"

namespace wheelpit::spill {

namespace {

static_assert(std::endian::native == std::endian::little, "the format is little-endian");

constexpr uint32_t kMagic = 0x45535057;  // "WPSE"
constexpr uint32_t kVersion = 1;

struct Header {
  uint32_t magic = kMagic;
  uint32_t version = kVersion;
  ExtentIdentity identity;
  uint64_t payload_bytes = 0;
  uint64_t reserved[2] = {0, 0};
  uint64_t checksum = 0;  // last, so that what it covers is one piece
};
static_assert(sizeof(Header) == kExtentHeaderBytes);

constexpr uint32_t kFileMagic = 0x46535057;  // "WPSF"

struct FileStart {
  uint32_t magic = kFileMagic;
  uint32_t version = kVersion;
  std::array<char, 56> query{};  // filled up with zeros
};
static_assert(sizeof(FileStart) == kFileHeaderBytes);

// Of the header before the checksum, and of the payload: each bit of either counts.
uint64_t Checksum(const Header& header, std::span<const uint8_t> payload) {
  const uint64_t seed = XXH3_64bits(&header, offsetof(Header, checksum));
  return XXH3_64bits_withSeed(payload.data(), payload.size(), seed);
}

template <typename... Pieces>
arrow::Status Corrupt(Pieces&&... pieces) {
  return core::Error(core::ErrorKind::kCorrupt, std::forward<Pieces>(pieces)...);
}

}  // namespace

ExtentHeader MakeExtentHeader(const ExtentIdentity& identity,
                              std::span<const uint8_t> payload) {
  Header header{.identity = identity, .payload_bytes = payload.size()};
  header.checksum = Checksum(header, payload);
  return std::bit_cast<ExtentHeader>(header);
}

arrow::Status CheckExtent(const ExtentIdentity& identity,
                          std::span<const uint8_t> bytes) {
  Header header;
  if (bytes.size() < sizeof(header)) {
    return Corrupt("only ", bytes.size(), " bytes are there");
  }
  std::memcpy(&header, bytes.data(), sizeof(header));
  const auto payload = bytes.subspan(sizeof(header));
  if (header.magic != kMagic || header.version != kVersion) {
    return Corrupt("no extent of version ", kVersion, " begins here");
  }
  if (header.checksum != Checksum(header, payload)) {
    return Corrupt("the checksum does not match");
  }
  // Beyond here the bytes are an extent that was written by somebody.
  if (header.identity != identity || header.payload_bytes != payload.size()) {
    return Corrupt("another extent lies here: query ", header.identity.query,
                   ", operator ", header.identity.operator_id, ", extent ",
                   header.identity.number, " of ", header.payload_bytes, " bytes");
  }
  return arrow::Status::OK();
}

FileHeader MakeFileHeader(std::string_view query) {
  FileStart start;
  query = query.substr(0, start.query.size());
  std::copy(query.begin(), query.end(), start.query.begin());
  return std::bit_cast<FileHeader>(start);
}

std::optional<std::string> QueryOfFile(std::span<const uint8_t> bytes) {
  FileStart start;
  if (bytes.size() < sizeof(start)) {
    return std::nullopt;
  }
  std::memcpy(&start, bytes.data(), sizeof(start));
  if (start.magic != kFileMagic || start.version != kVersion) {
    return std::nullopt;
  }
  std::string query(start.query.begin(), std::ranges::find(start.query, '\0'));
  std::ranges::replace_if(
      query, [](char c) { return c < ' ' || c > '~'; }, '?');
  return query;
}

}  // namespace wheelpit::spill
