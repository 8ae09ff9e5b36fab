// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/exec/sort/row_gather.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include <arrow/array/array_base.h>
#include <arrow/array/array_binary.h>
#include <arrow/array/builder_base.h>
#include <arrow/array/data.h>
#include <arrow/array/util.h>
#include <arrow/buffer.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/type_traits.h>
#include <arrow/util/bit_util.h>

#include "wheelpit/core/error.h"
#include "wheelpit/exec/sort/referenced_bytes.h"

namespace wheelpit::exec {

namespace {

using arrow::Buffer;
using arrow::Result;
using ArrayPtr = std::shared_ptr<arrow::Array>;

enum class Kind : uint8_t { kNull, kBits, kFixed, kText, kWideText, kView, kBuilt };

Kind KindOf(const arrow::DataType& type) {
  switch (type.id()) {
    case arrow::Type::NA:
      return Kind::kNull;
    case arrow::Type::BOOL:
      return Kind::kBits;
    case arrow::Type::STRING:
    case arrow::Type::BINARY:
      return Kind::kText;
    case arrow::Type::LARGE_STRING:
    case arrow::Type::LARGE_BINARY:
      return Kind::kWideText;
    case arrow::Type::STRING_VIEW:
    case arrow::Type::BINARY_VIEW:
      return Kind::kView;
    case arrow::Type::DICTIONARY:
    case arrow::Type::EXTENSION:
      return Kind::kBuilt;
    default:
      return arrow::is_fixed_width(type.id()) ? Kind::kFixed : Kind::kBuilt;
  }
}

// One column of one source. Pointers are moved to the first row.
struct Part {
  const uint8_t* validity = nullptr;  // null: no nulls
  int64_t offset = 0;                 // of bits
  const uint8_t* values = nullptr;    // of fixed width, bits, or offsets
  const uint8_t* text = nullptr;
  const uint8_t* text_end = nullptr;  // of the buffer
  const arrow::ArrayData* data = nullptr;
  int64_t average_bytes = 0;  // of a row, of a built column

  bool IsNull(uint32_t row) const {
    return validity != nullptr && !arrow::bit_util::GetBit(validity, offset + row);
  }
};

Part PartOf(const arrow::ArrayData& data, Kind kind, int64_t width) {
  Part part;
  part.data = &data;
  part.offset = data.offset;
  if (kind == Kind::kNull) {
    return part;
  }
  if (data.GetNullCount() > 0 && data.buffers[0] != nullptr) {
    part.validity = data.buffers[0]->data();
  }
  switch (kind) {
    case Kind::kBits:
      part.values = data.buffers[1]->data();
      break;
    case Kind::kFixed:
      part.values = data.buffers[1]->data() + data.offset * width;
      break;
    case Kind::kText:
    case Kind::kWideText:
      part.values =
          data.buffers[1]->data() +
          data.offset * (kind == Kind::kText ? sizeof(int32_t) : sizeof(int64_t));
      if (data.buffers[2] != nullptr) {
        part.text = data.buffers[2]->data();
        part.text_end = part.text + data.buffers[2]->size();
      }
      break;
    case Kind::kView:
      part.values = data.buffers[1]->data() + data.offset * arrow::BinaryViewType::kSize;
      break;
    default:
      part.average_bytes = ReferencedBytes(data) / std::max<int64_t>(data.length, 1) + 1;
  }
  return part;
}

template <typename Offset>
int64_t TextBytes(const Part& part, uint32_t row) {
  const auto* offsets = reinterpret_cast<const Offset*>(part.values);
  return static_cast<int64_t>(offsets[row + 1] - offsets[row]);
}

int64_t ViewBytes(const Part& part, uint32_t row) {
  const auto& view =
      reinterpret_cast<const arrow::BinaryViewType::c_type*>(part.values)[row];
  return part.IsNull(row) || view.is_inline() ? 0 : view.size();
}

using Parts = std::vector<Part>;
using Refs = std::span<const RowRef>;

// Null when no row is.
Result<std::shared_ptr<Buffer>> GatherValidity(const Parts& parts, Refs refs,
                                               int64_t* null_count,
                                               arrow::MemoryPool* pool) {
  *null_count = 0;
  if (std::none_of(parts.begin(), parts.end(),
                   [](const Part& part) { return part.validity != nullptr; })) {
    return nullptr;
  }
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<Buffer> validity,
                        arrow::AllocateBitmap(std::ssize(refs), pool));
  uint8_t* bits = validity->mutable_data();
  std::memset(bits, 0, static_cast<size_t>(validity->size()));
  for (size_t i = 0; i < refs.size(); ++i) {
    const bool null = parts[refs[i].source].IsNull(refs[i].row);
    *null_count += null ? 1 : 0;
    bits[i >> 3] |= static_cast<uint8_t>((null ? 0 : 1) << (i & 7));
  }
  return *null_count > 0 ? validity : nullptr;
}

template <typename T>
void CopyFixed(const Parts& parts, Refs refs, uint8_t* out) {
  for (const RowRef ref : refs) {
    std::memcpy(out, parts[ref.source].values + size_t{ref.row} * sizeof(T), sizeof(T));
    out += sizeof(T);
  }
}

struct Sixteen {
  uint64_t words[2];
};

Result<std::shared_ptr<Buffer>> GatherFixed(const Parts& parts, Refs refs, int64_t width,
                                            arrow::MemoryPool* pool) {
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<Buffer> buffer,
                        arrow::AllocateBuffer(std::ssize(refs) * width, pool));
  uint8_t* out = buffer->mutable_data();
  switch (width) {
    case 1:
      CopyFixed<uint8_t>(parts, refs, out);
      break;
    case 2:
      CopyFixed<uint16_t>(parts, refs, out);
      break;
    case 4:
      CopyFixed<uint32_t>(parts, refs, out);
      break;
    case 8:
      CopyFixed<uint64_t>(parts, refs, out);
      break;
    case 16:
      CopyFixed<Sixteen>(parts, refs, out);
      break;
    default:
      for (const RowRef ref : refs) {
        std::memcpy(out, parts[ref.source].values + ref.row * width,
                    static_cast<size_t>(width));
        out += width;
      }
  }
  return buffer;
}

Result<std::shared_ptr<Buffer>> GatherBits(const Parts& parts, Refs refs,
                                           arrow::MemoryPool* pool) {
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<Buffer> buffer,
                        arrow::AllocateBitmap(std::ssize(refs), pool));
  uint8_t* bits = buffer->mutable_data();
  std::memset(bits, 0, static_cast<size_t>(buffer->size()));
  for (size_t i = 0; i < refs.size(); ++i) {
    const Part& part = parts[refs[i].source];
    const bool set = arrow::bit_util::GetBit(part.values, part.offset + refs[i].row);
    bits[i >> 3] |= static_cast<uint8_t>((set ? 1 : 0) << (i & 7));
  }
  return buffer;
}

// Most text is short: a copy of fixed length, where there is room for it on both sides,
// is much cheaper than one of just the bytes. What it writes too much is written over.
uint8_t* CopyText(const uint8_t* text, const uint8_t* text_end, size_t bytes,
                  uint8_t* out, const uint8_t* end) {
  constexpr ptrdiff_t kShort = 32;
  if (bytes <= kShort && text_end - text >= kShort && end - out >= kShort) [[likely]] {
    std::memcpy(out, text, kShort);
  } else if (bytes > 0) {
    std::memcpy(out, text, bytes);
  }
  return out + bytes;
}

template <typename Offset>
arrow::Status GatherText(const Parts& parts, Refs refs, arrow::MemoryPool* pool,
                         arrow::BufferVector* buffers) {
  ARROW_ASSIGN_OR_RAISE(
      std::shared_ptr<Buffer> offsets_buffer,
      arrow::AllocateBuffer(static_cast<int64_t>((refs.size() + 1) * sizeof(Offset)),
                            pool));
  auto* offsets = reinterpret_cast<Offset*>(offsets_buffer->mutable_data());
  int64_t size = 0;
  for (size_t i = 0; i < refs.size(); ++i) {
    offsets[i] = static_cast<Offset>(size);
    size += TextBytes<Offset>(parts[refs[i].source], refs[i].row);
  }
  if (size > std::numeric_limits<Offset>::max()) {
    return core::Error(core::ErrorKind::kUnsupported, "a text column of ", size,
                       " bytes in one batch");
  }
  offsets[refs.size()] = static_cast<Offset>(size);
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<Buffer> text, arrow::AllocateBuffer(size, pool));
  uint8_t* out = text->mutable_data();
  const uint8_t* const end = out + size;
  for (const RowRef ref : refs) {
    const Part& part = parts[ref.source];
    const auto* from = reinterpret_cast<const Offset*>(part.values) + ref.row;
    const auto bytes = static_cast<size_t>(from[1] - from[0]);
    out = CopyText(part.text + from[0], part.text_end, bytes, out, end);
  }
  buffers->push_back(std::move(offsets_buffer));
  buffers->push_back(std::move(text));
  return arrow::Status::OK();
}

// Rows that follow one another are appended together.
Result<ArrayPtr> GatherBuilt(const std::shared_ptr<arrow::DataType>& type,
                             const Parts& parts, Refs refs, arrow::MemoryPool* pool) {
  std::unique_ptr<arrow::ArrayBuilder> builder;
  ARROW_RETURN_NOT_OK(arrow::MakeBuilderExactIndex(pool, type, &builder));
  for (size_t i = 0; i < refs.size();) {
    size_t end = i + 1;
    while (end < refs.size() && refs[end].source == refs[i].source &&
           refs[end].row == refs[end - 1].row + 1) {
      ++end;
    }
    ARROW_RETURN_NOT_OK(
        builder->AppendArraySlice(arrow::ArraySpan(*parts[refs[i].source].data),
                                  refs[i].row, static_cast<int64_t>(end - i)));
    i = end;
  }
  return builder->Finish();
}

Result<ArrayPtr> GatherColumn(const std::shared_ptr<arrow::DataType>& type, Kind kind,
                              int64_t width, const Parts& parts, Refs refs,
                              arrow::MemoryPool* pool) {
  if (kind == Kind::kView || kind == Kind::kBuilt) {
    return GatherBuilt(type, parts, refs, pool);
  }
  if (kind == Kind::kNull) {
    return arrow::MakeArrayOfNull(type, std::ssize(refs), pool);
  }
  int64_t null_count = 0;
  ARROW_ASSIGN_OR_RAISE(auto validity, GatherValidity(parts, refs, &null_count, pool));
  arrow::BufferVector buffers = {std::move(validity)};
  if (kind == Kind::kText) {
    ARROW_RETURN_NOT_OK(GatherText<int32_t>(parts, refs, pool, &buffers));
  } else if (kind == Kind::kWideText) {
    ARROW_RETURN_NOT_OK(GatherText<int64_t>(parts, refs, pool, &buffers));
  } else if (kind == Kind::kBits) {
    ARROW_ASSIGN_OR_RAISE(auto bits, GatherBits(parts, refs, pool));
    buffers.push_back(std::move(bits));
  } else {
    ARROW_ASSIGN_OR_RAISE(auto values, GatherFixed(parts, refs, width, pool));
    buffers.push_back(std::move(values));
  }
  return arrow::MakeArray(
      arrow::ArrayData::Make(type, std::ssize(refs), std::move(buffers), null_count));
}

}  // namespace

struct RowGather::Column {
  Kind kind = Kind::kNull;
  int64_t width = 0;  // of kFixed
  Parts parts = {};   // by source
};

RowGather::RowGather(std::shared_ptr<arrow::Schema> schema) : schema_(std::move(schema)) {
  constexpr int64_t kValidityBytes = 1;  // more than the bit, whatever the rounding
  for (const auto& field : schema_->fields()) {
    Column column{.kind = KindOf(*field->type())};
    fixed_bytes_ += kValidityBytes;
    switch (column.kind) {
      case Kind::kNull:
        break;
      case Kind::kBits:
        fixed_bytes_ += 1;
        break;
      case Kind::kFixed:
        column.width = field->type()->byte_width();
        fixed_bytes_ += column.width;
        break;
      case Kind::kText:
        fixed_bytes_ += static_cast<int64_t>(sizeof(int32_t));
        break;
      case Kind::kWideText:
        fixed_bytes_ += static_cast<int64_t>(sizeof(int64_t));
        break;
      case Kind::kView:
        fixed_bytes_ += arrow::BinaryViewType::kSize;
        break;
      case Kind::kBuilt:
        break;
    }
    if (column.kind > Kind::kFixed) {
      varying_.push_back(columns_.size());
    }
    columns_.push_back(std::move(column));
  }
}

RowGather::~RowGather() = default;

void RowGather::Set(uint32_t source, std::shared_ptr<arrow::RecordBatch> batch) {
  if (source >= batches_.size()) {
    batches_.resize(source + 1);
  }
  batches_[source] = std::move(batch);
  for (size_t i = 0; i < columns_.size(); ++i) {
    Column& column = columns_[i];
    column.parts.resize(batches_.size());
    column.parts[source] =
        batches_[source] == nullptr
            ? Part{}
            : PartOf(*batches_[source]->column_data(static_cast<int>(i)), column.kind,
                     column.width);
  }
  most_bytes_.resize(batches_.size());
  most_bytes_[source] = batches_[source] == nullptr ? -1 : MostBytes(source);
}

int64_t RowGather::MostBytes(uint32_t source) const {
  const auto rows = static_cast<uint32_t>(batches_[source]->num_rows());
  int64_t most = fixed_bytes_;
  int64_t all = fixed_bytes_ * rows;
  for (const size_t i : varying_) {
    const Column& column = columns_[i];
    const Part& part = column.parts[source];
    if (column.kind != Kind::kText) {
      return -1;
    }
    int64_t longest = 0;
    for (uint32_t row = 0; row < rows; ++row) {
      longest = std::max(longest, TextBytes<int32_t>(part, row));
    }
    most += longest;
    const auto* offsets = reinterpret_cast<const int32_t*>(part.values);
    all += rows == 0 ? 0 : offsets[rows] - offsets[0];
  }
  return most * rows <= all * 3 / 2 ? most : -1;
}

int64_t RowGather::ExactRowBytes(RowRef ref) const {
  int64_t bytes = fixed_bytes_;
  for (const size_t i : varying_) {
    const Column& column = columns_[i];
    const Part& part = column.parts[ref.source];
    switch (column.kind) {
      case Kind::kText:
        bytes += TextBytes<int32_t>(part, ref.row);
        break;
      case Kind::kWideText:
        bytes += TextBytes<int64_t>(part, ref.row);
        break;
      case Kind::kView:
        bytes += ViewBytes(part, ref.row);
        break;
      default:
        bytes += part.average_bytes;
    }
  }
  return bytes;
}

Result<std::shared_ptr<arrow::RecordBatch>> RowGather::Gather(
    Refs refs, arrow::MemoryPool* pool) const {
  arrow::ArrayVector arrays;
  for (size_t i = 0; i < columns_.size(); ++i) {
    const Column& column = columns_[i];
    auto array = GatherColumn(schema_->field(static_cast<int>(i))->type(), column.kind,
                              column.width, column.parts, refs, pool);
    if (array.status().IsNotImplemented()) {
      return core::Error(core::ErrorKind::kUnsupported, "column ",
                         schema_->field(static_cast<int>(i))->name(),
                         " cannot be sorted along: ", array.status().message());
    }
    ARROW_RETURN_NOT_OK(array.status());
    arrays.push_back(*std::move(array));
  }
  return arrow::RecordBatch::Make(schema_, std::ssize(refs), std::move(arrays));
}

int64_t GatheredBytes(const arrow::RecordBatch& batch) {
  // A buffer takes at least one cache line.
  constexpr int64_t kBuffersBytes = 3 * 64;
  int64_t bytes = 0;
  for (const auto& column : batch.columns()) {
    bytes += ReferencedBytes(*column->data()) + kBuffersBytes;
  }
  return bytes;
}

}  // namespace wheelpit::exec
