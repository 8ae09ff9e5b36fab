// SPDX-License-Identifier: Apache-2.0
// A loser tree: which of several sorted inputs has the smallest key. Replacing the
// smallest costs one comparison a level, most of them of one word.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace wheelpit::exec {

/// The key at which an input stands.
struct MergeHead {
  uint64_t word = 0;  ///< PrefixWord of `key` from where keys differ on
  std::string_view key;
  bool ended = false;
};

class MergeTree {
 public:
  /// Puts the inputs in order. `heads` is read by every later call and may be changed for
  /// the top one, followed by Replay.
  void Build(const std::vector<MergeHead>* heads) {
    heads_ = heads->data();
    count_ = heads->size();
    losers_.assign(count_, 0);
    std::vector<uint32_t> winners(2 * count_);
    for (size_t i = 0; i < count_; ++i) {
      winners[count_ + i] = static_cast<uint32_t>(i);
    }
    for (size_t node = count_; node-- > 1;) {
      uint32_t winner = winners[2 * node];
      uint32_t loser = winners[2 * node + 1];
      if (Before(loser, winner)) {
        std::swap(winner, loser);
      }
      winners[node] = winner;
      losers_[node] = loser;
    }
    top_ = count_ > 1 ? winners[1] : 0;
  }

  /// The input whose head is the smallest; of equal ones the first.
  uint32_t top() const { return top_; }

  /// After the head of top() has changed.
  void Replay() {
    uint32_t winner = top_;
    for (size_t node = (count_ + top_) / 2; node > 0; node /= 2) {
      if (Before(losers_[node], winner)) {
        std::swap(winner, losers_[node]);
      }
    }
    top_ = winner;
  }

 private:
  bool Before(uint32_t a, uint32_t b) const {
    const MergeHead& left = heads_[a];
    const MergeHead& right = heads_[b];
    return left.word != right.word ? left.word < right.word : BeforeInFull(a, b);
  }

  bool BeforeInFull(uint32_t a, uint32_t b) const {
    const MergeHead& left = heads_[a];
    const MergeHead& right = heads_[b];
    if (left.ended || right.ended) {
      return left.ended == right.ended ? a < b : right.ended;
    }
    const int order = left.key.compare(right.key);
    return order != 0 ? order < 0 : a < b;
  }

  const MergeHead* heads_ = nullptr;
  size_t count_ = 0;
  std::vector<uint32_t> losers_;
  uint32_t top_ = 0;
};

}  // namespace wheelpit::exec
