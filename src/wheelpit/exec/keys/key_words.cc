// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/exec/keys/key_encoder.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace wheelpit::exec {

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
