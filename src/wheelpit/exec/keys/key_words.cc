// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "wheelpit/exec/keys/key_encoder.h"
#include "wheelpit/exec/keys/key_values.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace wheelpit::exec {

uint64_t PrefixWord(std::string_view key, size_t skip) {
  uint64_t word = 0;
  if (key.size() >= skip + sizeof(word)) [[likely]] {
    std::memcpy(&word, key.data() + skip, sizeof(word));
  } else if (key.size() > skip) {
    std::memcpy(&word, key.data() + skip, key.size() - skip);
  }
  return arrow::bit_util::FromBigEndian(word);
}

uint64_t HashKey(std::string_view key) {
  return XXH3_64bits(key.data(), key.size());
}

void PrefixWords(const EncodedKeys& keys, size_t skip, uint64_t* out) {
  for (int64_t i = 0; i < keys.count(); ++i) {
    out[i] = PrefixWord(keys[i], skip);
  }
}

void HashKeys(const EncodedKeys& keys, uint64_t* out) {
  for (int64_t i = 0; i < keys.count(); ++i) {
    out[i] = HashKey(keys[i]);
  }
}

}  // namespace wheelpit::exec
