// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <arrow/array/data.h>
#include <arrow/type.h>
#include <arrow/util/bit_util.h>
#include <parquet/schema.h>

#include "wheelpit/exec/keys/key_encoder.h"
#include "wheelpit/exec/write/value_columns.h"

namespace wheelpit::exec {

namespace {

// The least and the largest text, as bytes compare.
class TextLimits {
 public:
  void Add(std::string_view text) {
    if (!any_) {
      low_ = high_ = text;
      any_ = true;
    } else if (text > high_) {
      high_ = text;
    } else if (text < low_) {
      low_ = text;
    }
  }
  void Add(const TextLimits& other) {
    if (other.any_) {
      Add(other.low_);
      Add(other.high_);
    }
  }
  void Put(parquet::EncodedStatistics* out) const {
    if (any_) {
      out->set_min(low_);
      out->set_max(high_);
      out->is_min_value_exact = out->is_max_value_exact = true;
    }
  }

 private:
  std::string low_;
  std::string high_;
  bool any_ = false;
};

// Codes of text. Entries stand as in a page: their length, then their bytes.
class TextCodes {
 public:
  explicit TextCodes(arrow::MemoryPool* pool)
      : entries_(pool), starts_(pool), hashes_(pool), slots_(pool) {}

  int64_t count() const { return starts_.length(); }
  int64_t bytes() const { return entries_.length(); }
  std::string_view entries() const {
    return {reinterpret_cast<const char*>(entries_.data()),
            static_cast<size_t>(entries_.length())};
  }
  std::string_view entry(int64_t code) const {
    const uint8_t* const at = entries_.data() + starts_.data()[code];
    uint32_t size = 0;
    std::memcpy(&size, at, sizeof(size));
    return {reinterpret_cast<const char*>(at + sizeof(size)), size};
  }

  /// There is room for `more` of so many bytes after that.
  arrow::Status Reserve(int64_t more, int64_t more_bytes) {
    ARROW_RETURN_NOT_OK(entries_.Reserve(more_bytes + more * 4));
    ARROW_RETURN_NOT_OK(starts_.Reserve(more));
    ARROW_RETURN_NOT_OK(hashes_.Reserve(more));
    const int64_t slots = SlotsFor(count() + more);
    if (slots <= slots_.length()) {
      return arrow::Status::OK();
    }
    slots_.Reset();
    ARROW_RETURN_NOT_OK(slots_.Append(slots, 0));
    mask_ = static_cast<uint32_t>(slots - 1);
    for (int64_t code = 0; code < count(); ++code) {
      uint32_t at = hashes_.data()[code] & mask_;
      while (slots_.data()[at] != 0) {
        at = (at + 1) & mask_;
      }
      slots_.mutable_data()[at] = static_cast<uint16_t>(code + 1);
    }
    return arrow::Status::OK();
  }

  uint16_t CodeOf(std::string_view text) {
    const auto hash = static_cast<uint32_t>(HashKey(text));
    uint16_t* const slots = slots_.mutable_data();
    uint32_t at = hash & mask_;
    for (; slots[at] != 0; at = (at + 1) & mask_) {
      const int64_t code = slots[at] - 1;
      if (hashes_.data()[code] == hash && entry(code) == text) {
        return static_cast<uint16_t>(code);
      }
    }
    starts_.UnsafeAppend(static_cast<uint32_t>(entries_.length()));
    hashes_.UnsafeAppend(hash);
    const auto size = static_cast<uint32_t>(text.size());
    entries_.UnsafeAppend(&size, sizeof(size));
    entries_.UnsafeAppend(text);
    slots[at] = static_cast<uint16_t>(count());
    return static_cast<uint16_t>(slots[at] - 1);
  }

  void Clear() {
    entries_.Reset();
    starts_.Reset();
    hashes_.Reset();
    slots_.Reset();
  }

 private:
  arrow::BufferBuilder entries_;
  arrow::TypedBufferBuilder<uint32_t> starts_;
  arrow::TypedBufferBuilder<uint32_t> hashes_;
  arrow::TypedBufferBuilder<uint16_t> slots_;  // code + 1; 0: empty
  uint32_t mask_ = 0;
};

// Text that stands as Arrow's STRING does.
struct Texts {
  const int32_t* offsets = nullptr;
  const char* bytes = nullptr;

  explicit Texts(const arrow::ArrayData& data)
      : offsets(reinterpret_cast<const int32_t*>(data.buffers[1]->data()) + data.offset),
        bytes(data.buffers[2] == nullptr
                  ? nullptr
                  : reinterpret_cast<const char*>(data.buffers[2]->data())) {}
  std::string_view at(int64_t row) const {
    return {bytes + offsets[row], static_cast<size_t>(offsets[row + 1] - offsets[row])};
  }
};

class TextColumn final : public ParquetColumn {
 public:
  TextColumn(const parquet::ColumnDescriptor* descriptor, const Options& options)
      : ParquetColumn(descriptor, options, /*coding=*/true),
        dictionary_(options.compressor->pool()) {}

 private:
  bool HasRoom(const arrow::ArrayData& rows, int64_t begin, int64_t count) override {
    if (dictionary_.count() + count > kEntriesMax) {
      return false;
    }
    const Texts texts(rows);
    return dictionary_.bytes() + count * 4 + texts.offsets[begin + count] -
               texts.offsets[begin] <=
           options_.dictionary_bytes;
  }

  arrow::Status Take(const arrow::ArrayData& rows, int64_t begin,
                     int64_t count) override {
    const Texts texts(rows);
    const int64_t bytes = texts.offsets[begin + count] - texts.offsets[begin];
    const bool all_valid = !rows.MayHaveNulls();
    const auto valid = [&](int64_t row) {
      return all_valid ||
             arrow::bit_util::GetBit(rows.buffers[0]->data(), rows.offset + row);
    };
    if (coding_) {
      ARROW_RETURN_NOT_OK(dictionary_.Reserve(count, bytes));
      ARROW_RETURN_NOT_OK(codes_.Reserve(count));
      for (int64_t row = begin; row < begin + count; ++row) {
        if (valid(row)) {
          codes_.UnsafeAppend(dictionary_.CodeOf(texts.at(row)));
        }
      }
      return arrow::Status::OK();
    }
    ARROW_RETURN_NOT_OK(values_.Reserve(bytes + count * 4));
    std::optional<std::string_view> low;
    std::string_view high;
    for (int64_t row = begin; row < begin + count; ++row) {
      if (valid(row)) {
        const std::string_view text = texts.at(row);
        AppendPlain(text);
        if (!low.has_value()) {
          low = high = text;
        } else if (text > high) {
          high = text;
        } else if (text < *low) {
          low = text;
        }
      }
    }
    if (low.has_value()) {
      page_limits_.Add(*low);
      page_limits_.Add(high);
    }
    return arrow::Status::OK();
  }

  void AppendPlain(std::string_view text) {
    const auto size = static_cast<uint32_t>(text.size());
    values_.UnsafeAppend(&size, sizeof(size));
    values_.UnsafeAppend(text);
  }

  arrow::Status AppendUncoded() override {
    int64_t bytes = 0;
    for (int64_t i = 0; i < codes_.length(); ++i) {
      bytes += std::ssize(dictionary_.entry(codes_.data()[i])) + 4;
    }
    ARROW_RETURN_NOT_OK(values_.Reserve(bytes));
    for (int64_t i = 0; i < codes_.length(); ++i) {
      AppendPlain(dictionary_.entry(codes_.data()[i]));
    }
    AddCoded();
    return arrow::Status::OK();
  }

  // Of coded values the limits are those of the entries that are used.
  void AddCoded() {
    std::vector<bool> used(static_cast<size_t>(dictionary_.count()));
    for (int64_t i = 0; i < codes_.length(); ++i) {
      used[codes_.data()[i]] = true;
    }
    for (size_t code = 0; code < used.size(); ++code) {
      if (used[code]) {
        page_limits_.Add(dictionary_.entry(static_cast<int64_t>(code)));
      }
    }
  }

  int64_t entry_count() const override { return dictionary_.count(); }
  std::string_view entries() const override { return dictionary_.entries(); }
  void ForgetEntries() override { dictionary_.Clear(); }

  void TakePageLimits(parquet::EncodedStatistics* page) override {
    if (coding_) {
      AddCoded();
    }
    page_limits_.Put(page);
    chunk_limits_.Add(std::exchange(page_limits_, {}));
  }
  void TakeChunkLimits(parquet::EncodedStatistics* chunk) override {
    std::exchange(chunk_limits_, {}).Put(chunk);
  }

  TextCodes dictionary_;
  TextLimits page_limits_;
  TextLimits chunk_limits_;
};

}  // namespace

std::unique_ptr<ParquetColumn> MakeTextColumn(const arrow::DataType& /*type*/,
                                              const parquet::ColumnDescriptor* descriptor,
                                              const ParquetColumn::Options& options) {
  return std::make_unique<TextColumn>(descriptor, options);
}

}  // namespace wheelpit::exec
