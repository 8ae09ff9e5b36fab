// SPDX-License-Identifier: Apache-2.0
// Keys of several columns as one byte string each: memcmp order is the order of ORDER BY,
// equality is that of GROUP BY. Shared by grouping, sorting and range partitioning; the
// bytes are laid down in docs/design/keys-groups-and-runs.md. No key is a prefix of
// another one of the same encoder, so memcmp over the shorter of two decides.
//
// NaN is one value and the largest, -0.0 is 0.0, strings compare by their bytes, also
// where they hold zeros. What is decoded is what was encoded, but for these two.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include <arrow/result.h>
#include <arrow/type_fwd.h>
#include <arrow/util/endian.h>

namespace wheelpit::exec {

struct KeyColumn {
  /// Of the values; a dictionary type stands for the type of its values.
  std::shared_ptr<arrow::DataType> type;
  bool descending = false;
  bool nulls_first = true;
};

/// The keys of some rows, one after another. Movable; the memory is the pool's.
class EncodedKeys {
 public:
  int64_t count() const { return count_; }
  std::string_view operator[](int64_t i) const {
    return {bytes_ + offsets_[i], offsets_[i + 1] - offsets_[i]};
  }
  /// count() + 1 offsets into bytes(); the first is 0.
  const uint32_t* offsets() const { return offsets_; }
  const char* bytes() const { return bytes_; }
  /// Of the keys alone.
  int64_t size_bytes() const { return offsets_[count_]; }

 private:
  friend class KeyEncoder;
  int64_t count_ = 0;
  const uint32_t* offsets_ = nullptr;
  const char* bytes_ = nullptr;
  std::shared_ptr<arrow::Buffer> offsets_buffer_;
  std::shared_ptr<arrow::Buffer> bytes_buffer_;
};

/// Const after Make: any thread may use it. Nothing here blocks.
class KeyEncoder {
 public:
  /// kUnsupported for a type that cannot be a key: nested ones, and those that the plan
  /// does not know.
  static arrow::Result<std::unique_ptr<KeyEncoder>> Make(std::vector<KeyColumn> columns);
  ~KeyEncoder();

  /// The keys of `row_count` rows of `columns`, or of those rows of them that
  /// `selection` names (in its order; any order). A column has its KeyColumn's type, as
  /// it is, as a dictionary of it, or, for text, as a view or with wide offsets; it may
  /// be a slice. kUnsupported when the keys have more than 4 GiB: take fewer rows.
  arrow::Result<EncodedKeys> Encode(const arrow::ArrayVector& columns, int64_t row_count,
                                    arrow::MemoryPool* pool) const;
  arrow::Result<EncodedKeys> Encode(const arrow::ArrayVector& columns,
                                    std::span<const int32_t> selection,
                                    arrow::MemoryPool* pool) const;

  /// What Encode of these rows would allocate at most: to reserve before.
  arrow::Result<int64_t> EncodeBytesMax(const arrow::ArrayVector& columns,
                                        int64_t row_count) const;
  arrow::Result<int64_t> EncodeBytesMax(const arrow::ArrayVector& columns,
                                        std::span<const int32_t> selection) const;

  /// The columns of keys that this encoder made, each of its KeyColumn's type (views as
  /// plain text). The
  /// bytes are taken for hostile: what no encoder of these columns makes is kCorrupt.
  /// kUnsupported when a text column would have 2 GiB.
  arrow::Result<arrow::ArrayVector> Decode(std::span<const std::string_view> keys,
                                           arrow::MemoryPool* pool) const;

  const std::vector<KeyColumn>& columns() const { return columns_; }

 private:
  explicit KeyEncoder(std::vector<KeyColumn> columns);
  arrow::Result<int64_t> RowsBytesMax(const arrow::ArrayVector& columns,
                                      const int32_t* selection, int64_t count) const;
  arrow::Result<EncodedKeys> EncodeRows(const arrow::ArrayVector& columns,
                                        const int32_t* selection, int64_t count,
                                        arrow::MemoryPool* pool) const;

  const std::vector<KeyColumn> columns_;  // dictionary types replaced by their values'
};

/// The first 8 bytes of `key` from `skip` on as a number that orders as they do; where it
/// ends earlier, zeros.
inline uint64_t PrefixWord(std::string_view key, size_t skip = 0) {
  uint64_t word = 0;
  if (key.size() >= skip + sizeof(word)) [[likely]] {
    std::memcpy(&word, key.data() + skip, sizeof(word));
  } else if (key.size() > skip) {
    std::memcpy(&word, key.data() + skip, key.size() - skip);
  }
  return arrow::bit_util::FromBigEndian(word);
}

/// XXH3-64 of a key: the hash of its group, in memory and on disk.
uint64_t HashKey(std::string_view key);

/// Both for all keys; `out` has room for keys.count().
void PrefixWords(const EncodedKeys& keys, size_t skip, uint64_t* out);
void HashKeys(const EncodedKeys& keys, uint64_t* out);

}  // namespace wheelpit::exec
