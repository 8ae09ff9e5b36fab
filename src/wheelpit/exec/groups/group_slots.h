// SPDX-License-Identifier: Apache-2.0
// References to rows by hash, with linear probing: 16 bits of the hash and 48
// of address in 8 bytes; 0 is empty.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

#include "wheelpit/exec/groups/group_layout.h"

namespace wheelpit::exec {

/// The memory is of whoever uses it.
class GroupSlots {
 public:
  /// A power of two in which `group_count` groups have room.
  static int64_t CountFor(int64_t group_count) {
    int64_t count = 64;
    while (count / 3 * 2 < group_count) {
      count *= 2;
    }
    return count;
  }

  GroupSlots() = default;
  /// `count` words at `slots`, a power of two; they are cleared.
  GroupSlots(uint64_t* slots, int64_t count)
      : slots_(slots), mask_(static_cast<uint64_t>(count) - 1) {
    Clear();
  }
  void Clear() {
    std::memset(slots_, 0, (mask_ + 1) * sizeof(uint64_t));
    room_ = static_cast<int64_t>(mask_ + 1) / 3 * 2;
  }

  /// Groups that may still be put.
  int64_t room() const { return room_; }

  uint64_t mask() const { return mask_; }

  void Prefetch(uint64_t hash) const { __builtin_prefetch(slots_ + (hash & mask_)); }
  /// Once the slot is there.
  void PrefetchRow(uint64_t hash) const {
    __builtin_prefetch(reinterpret_cast<const void*>(slots_[hash & mask_] & kAddress));
  }

  /// The row of the key; null: it has none, and `*slot` is where it belongs.
  uint8_t* Find(const GroupLayout& layout, uint64_t hash, std::string_view key,
                uint64_t* slot) const {
    const uint64_t salt = Salt(hash);
    for (uint64_t at = hash & mask_;; at = (at + 1) & mask_) {
      const uint64_t entry = slots_[at];
      if (entry == 0) {
        *slot = at;
        return nullptr;
      }
      if ((entry & ~kAddress) == salt) {
        auto* row = reinterpret_cast<uint8_t*>(entry & kAddress);
        if (HashOf(row) == hash && SameKey(layout, row, key)) {
          return row;
        }
      }
    }
  }
  void Put(uint64_t slot, uint64_t hash, uint8_t* row) {
    slots_[slot] = Salt(hash) | reinterpret_cast<uintptr_t>(row);
    --room_;
  }
  /// Puts the rows of other slots, which are of other groups.
  void PutAll(const GroupSlots& other) {
    for (uint64_t i = 0; i <= other.mask_; ++i) {
      if (const uint64_t entry = other.slots_[i]; entry != 0) {
        const auto* row = reinterpret_cast<const uint8_t*>(entry & kAddress);
        uint64_t at = HashOf(row) & mask_;
        while (slots_[at] != 0) {
          at = (at + 1) & mask_;
        }
        slots_[at] = entry;
        --room_;
      }
    }
  }

 private:
  static constexpr uint64_t kAddress = (uint64_t{1} << 48) - 1;

  // Neither the bits of the partition nor, in small tables, those of the slot.
  static uint64_t Salt(uint64_t hash) { return hash << 16 & ~kAddress; }

  // Most keys are short: words instead of a call.
  static bool SameKey(const GroupLayout& layout, const uint8_t* row,
                      std::string_view key) {
    const std::string_view other = layout.KeyOf(row);
    if (other.size() != key.size()) {
      return false;
    }
    if (key.size() < 8 || key.size() > 64) {
      return std::memcmp(other.data(), key.data(), key.size()) == 0;
    }
    const size_t last = key.size() - 8;
    uint64_t different = Word(other, last) ^ Word(key, last);
    for (size_t i = 0; i < last; i += 8) {
      different |= Word(other, i) ^ Word(key, i);
    }
    return different == 0;
  }
  static uint64_t Word(std::string_view bytes, size_t at) {
    uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, sizeof word);
    return word;
  }

  uint64_t* slots_ = nullptr;
  uint64_t mask_ = 0;
  int64_t room_ = 0;
};

}  // namespace wheelpit::exec
