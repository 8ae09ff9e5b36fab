// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/index/parquet_footer.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <utility>

#include <arrow/io/interfaces.h>
#include <arrow/type.h>
#include <arrow/type_traits.h>

#include "wheelpit/core/error.h"
#include "wheelpit/index/parquet_schema.h"
#include "wheelpit/index/thrift_compact.h"

namespace wheelpit::index {

namespace {

using core::Error;
using core::ErrorKind;

static_assert(std::endian::native == std::endian::little, "Parquet is little-endian");

constexpr std::string_view kAdvice =
    "; the file is damaged or was not finished by its writer: write it again or leave it "
    "out";

// Which of Statistics' pairs a chunk's min and max were taken from.
enum class Source : uint8_t { kNone, kDeprecated, kOrdered };

// Sets of field ids: what the format requires of each struct.
constexpr uint32_t Ids(std::initializer_list<int> ids) {
  uint32_t set = 0;
  for (const int id : ids) set |= 1u << id;
  return set;
}
constexpr uint32_t kRequiredOfFile = Ids({1, 2, 3, 4});
constexpr uint32_t kRequiredOfRowGroup = Ids({1, 2, 3});
constexpr uint32_t kRequiredOfChunk = Ids({2});
constexpr uint32_t kRequiredOfMetadata = Ids({1, 2, 3, 4, 5, 6, 7, 9});

// What a chunk's checks need and nobody later.
struct ChunkFacts {
  Source source = Source::kNone;
  int8_t physical_type = -1;
};

struct FieldSet {
  uint32_t ids = 0;
  void Add(int16_t id) {
    if (id >= 0 && id < 32) ids |= 1u << id;
  }
};

struct Extremes {
  std::string_view min;
  std::string_view max;
  bool has_min = false;
  bool has_max = false;
};

// Decodes FileMetaData. Field ids are parquet.thrift's.
class FooterDecoder {
 public:
  FooterDecoder(int64_t file_size, std::shared_ptr<const ParquetSchema> known,
                ParquetFooter* out)
      : reader_(out->raw), file_size_(file_size), known_(std::move(known)), out_(*out) {}

  arrow::Status Decode() {
    FieldSet seen;
    for (ThriftField field; reader_.NextField(&field);) {
      seen.Add(field.id);
      ARROW_RETURN_NOT_OK(ReadFileField(field));
    }
    Require(kRequiredOfFile, seen);
    if (!reader_.ok()) {
      return Corrupt("it does not decode after ", reader_.position(), " of ",
                     out_.raw.size(), " bytes");
    }
    if (out_.schema == nullptr) return Corrupt("it has no schema");
    if (encrypted_) {
      return Error(ErrorKind::kUnsupported,
                   "the file is encrypted, which is not supported: decrypt it first");
    }
    return CheckRowGroups();
  }

 private:
  template <typename... Pieces>
  static arrow::Status Corrupt(Pieces&&... pieces) {
    return Error(ErrorKind::kCorrupt, "corrupt footer: ", std::forward<Pieces>(pieces)...,
                 kAdvice);
  }

  void Require(uint32_t required, FieldSet seen) {
    if ((seen.ids & required) != required) reader_.Fail();
  }

  arrow::Status ReadFileField(const ThriftField& field) {
    switch (field.id) {
      case 2:
        if (field.type == ThriftType::kList) return ReadSchema();
        break;
      case 3:
        if (field.type == ThriftType::kI64) {
          out_.row_count = reader_.ReadI64();
          return arrow::Status::OK();
        }
        break;
      case 4:
        if (field.type == ThriftType::kList) {
          ReadRowGroups();
          return arrow::Status::OK();
        }
        break;
      case 6:
        if (field.type == ThriftType::kBinary) {
          out_.created_by.assign(reader_.ReadBinary());
          return arrow::Status::OK();
        }
        break;
      case 7:
        if (field.type == ThriftType::kList) {
          ReadColumnOrders();
          return arrow::Status::OK();
        }
        break;
      case 8:
        encrypted_ = true;
        break;
      default:
        break;
    }
    reader_.Skip(field.type);
    return arrow::Status::OK();
  }

  // A Thrift value says where it ends, so equal bytes at its start are the same value.
  arrow::Status ReadSchema() {
    const auto begin = static_cast<size_t>(reader_.position());
    const std::string_view rest = std::string_view(out_.raw).substr(begin);
    if (known_ != nullptr && rest.starts_with(known_->bytes)) {
      reader_.SkipBytes(static_cast<int64_t>(known_->bytes.size()));
      out_.schema = known_;
      return arrow::Status::OK();
    }
    reader_.Skip(ThriftType::kList);
    if (!reader_.ok()) return arrow::Status::OK();
    const auto size = static_cast<size_t>(reader_.position()) - begin;
    auto decoded = DecodeParquetSchema(rest.substr(0, size));
    if (!decoded.ok()) {
      const auto& status = decoded.status();
      return core::KindOf(status) == ErrorKind::kCorrupt ? Corrupt(status.message())
                                                         : status;
    }
    out_.schema = *std::move(decoded);
    return arrow::Status::OK();
  }

  void ReadRowGroups() {
    ThriftType type;
    const int64_t count = reader_.ReadListHeader(&type);
    if (type != ThriftType::kStruct && count > 0) reader_.Fail();
    out_.row_groups.clear();
    for (int64_t i = 0; i < count && reader_.ok(); ++i) {
      ReadRowGroup(&out_.row_groups.emplace_back());
    }
  }

  void ReadRowGroup(ParquetRowGroup* group) {
    FieldSet seen;
    for (ThriftField field; reader_.NextField(&field);) {
      seen.Add(field.id);
      if (field.id == 1 && field.type == ThriftType::kList) {
        ReadChunks(group);
      } else if (field.id == 3 && field.type == ThriftType::kI64) {
        group->row_count = reader_.ReadI64();
      } else {
        reader_.Skip(field.type);
      }
    }
    Require(kRequiredOfRowGroup, seen);
  }

  void ReadChunks(ParquetRowGroup* group) {
    ThriftType type;
    const int64_t count = reader_.ReadListHeader(&type);
    if (type != ThriftType::kStruct && count > 0) reader_.Fail();
    group->chunks.clear();
    // A chunk takes more bytes than this, so a lying count reserves little.
    group->chunks.reserve(
        static_cast<size_t>(std::min<int64_t>(count, reader_.remaining() / 16)));
    for (int64_t i = 0; i < count && reader_.ok(); ++i) {
      ReadChunk(&group->chunks.emplace_back());
    }
  }

  void ReadChunk(ParquetChunk* chunk) {
    ChunkFacts facts;
    chunk->value_count = -1;
    FieldSet seen;
    for (ThriftField field; reader_.NextField(&field);) {
      const int16_t id = field.id;
      seen.Add(id);
      if (id == 3 && field.type == ThriftType::kStruct) {
        ReadChunkMetadata(chunk, &facts);
      } else if (id == 4 && field.type == ThriftType::kI64) {
        chunk->offset_index_offset = reader_.ReadI64();
      } else if (id == 5 && field.type == ThriftType::kI32) {
        chunk->offset_index_bytes = reader_.ReadI32();
      } else if (id == 6 && field.type == ThriftType::kI64) {
        chunk->column_index_offset = reader_.ReadI64();
      } else if (id == 7 && field.type == ThriftType::kI32) {
        chunk->column_index_bytes = reader_.ReadI32();
      } else {
        encrypted_ |= id == 8 || id == 9;
        external_ |= id == 1;
        reader_.Skip(field.type);
      }
    }
    Require(kRequiredOfChunk, seen);
    facts_.push_back(facts);
  }

  void ReadChunkMetadata(ParquetChunk* chunk, ChunkFacts* facts) {
    FieldSet seen;
    for (ThriftField field; reader_.NextField(&field);) {
      seen.Add(field.id);
      if (field.type == ThriftType::kI64) {
        ReadChunkNumber(field.id, chunk);
      } else if (field.id == 1 && field.type == ThriftType::kI32) {
        facts->physical_type = static_cast<int8_t>(std::clamp(reader_.ReadI32(), -1, 8));
      } else if (field.id == 2 && field.type == ThriftType::kList) {
        ReadEncodings(chunk);
      } else if (field.id == 4 && field.type == ThriftType::kI32) {
        // What lies outside is no codec of any version.
        chunk->codec = static_cast<int8_t>(std::clamp(reader_.ReadI32(), -1, 127));
      } else if (field.id == 12 && field.type == ThriftType::kStruct) {
        facts->source = ReadStatistics(chunk);
      } else {
        reader_.Skip(field.type);
      }
    }
    Require(kRequiredOfMetadata, seen);
  }

  void ReadChunkNumber(int16_t id, ParquetChunk* chunk) {
    const int64_t value = reader_.ReadI64();
    switch (id) {
      case 5:
        chunk->value_count = value;
        break;
      case 6:
        chunk->uncompressed_bytes = value;
        break;
      case 7:
        chunk->compressed_bytes = value;
        break;
      case 9:
        chunk->data_page_offset = value;
        break;
      case 11:
        chunk->dictionary_page_offset = value;
        break;
      default:
        break;
    }
  }

  void ReadEncodings(ParquetChunk* chunk) {
    ThriftType type;
    const int64_t count = reader_.ReadListHeader(&type);
    for (int64_t i = 0; i < count && reader_.ok(); ++i) {
      if (type != ThriftType::kI32) {
        reader_.SkipElement(type);
        continue;
      }
      const int32_t encoding = reader_.ReadI32();
      if (encoding >= 0 && encoding < 32) chunk->encodings |= 1u << encoding;
    }
  }

  Source ReadStatistics(ParquetChunk* chunk) {
    Extremes deprecated;
    Extremes ordered;
    for (ThriftField field; reader_.NextField(&field);) {
      if (field.id == 3 && field.type == ThriftType::kI64) {
        chunk->null_count = reader_.ReadI64();
      } else if (field.type != ThriftType::kBinary) {
        reader_.Skip(field.type);
      } else if (field.id == 1 || field.id == 5) {
        Extremes& extremes = field.id == 1 ? deprecated : ordered;
        extremes.max = reader_.ReadBinary();
        extremes.has_max = true;
      } else if (field.id == 2 || field.id == 6) {
        Extremes& extremes = field.id == 2 ? deprecated : ordered;
        extremes.min = reader_.ReadBinary();
        extremes.has_min = true;
      } else {
        reader_.Skip(field.type);
      }
    }
    const bool has_ordered = ordered.has_min && ordered.has_max;
    const bool has_deprecated = deprecated.has_min && deprecated.has_max;
    const Extremes& taken = has_ordered ? ordered : deprecated;
    chunk->min = taken.min;
    chunk->max = taken.max;
    if (has_ordered) return Source::kOrdered;
    return has_deprecated ? Source::kDeprecated : Source::kNone;
  }

  // A list of one union per leaf: field 1 is the order that the type defines. Others
  // (the IEEE order of floats) are not known here and not trusted.
  void ReadColumnOrders() {
    ThriftType type;
    const int64_t count = reader_.ReadListHeader(&type);
    if (type != ThriftType::kStruct && count > 0) reader_.Fail();
    for (int64_t i = 0; i < count && reader_.ok(); ++i) {
      bool defined_by_type = false;
      for (ThriftField field; reader_.NextField(&field);) {
        defined_by_type |= field.id == 1;
        reader_.Skip(field.type);
      }
      ordered_by_type_.push_back(defined_by_type);
    }
  }

  arrow::Status CheckRowGroups() {
    const auto leaf_count = static_cast<size_t>(out_.schema->leaf_count());
    int64_t row_count = 0;
    size_t chunk_index = 0;
    if (external_) {
      return Error(ErrorKind::kUnsupported,
                   "the file keeps column chunks in other files, which is not supported");
    }
    for (size_t g = 0; g < out_.row_groups.size(); ++g) {
      ParquetRowGroup& group = out_.row_groups[g];
      if (group.chunks.size() != leaf_count) {
        return Corrupt("row group ", g, " has ", group.chunks.size(), " columns and the ",
                       "schema ", leaf_count);
      }
      if (group.row_count < 0 ||
          __builtin_add_overflow(row_count, group.row_count, &row_count)) {
        return Corrupt("row group ", g, " has an impossible number of rows");
      }
      for (size_t c = 0; c < leaf_count; ++c, ++chunk_index) {
        // Lists that were written twice leave more facts than chunks.
        if (chunk_index == facts_.size())
          return Corrupt("its lists contradict each other");
        const ChunkFacts& facts = facts_[chunk_index];
        if (const char* fault = FaultOf(group.chunks[c], group, c, facts)) {
          return Corrupt("row group ", g, ", column ", c, ": ", fault);
        }
        JudgeExtremes(c, facts.source, &group.chunks[c]);
      }
    }
    if (chunk_index != facts_.size()) return Corrupt("its lists contradict each other");
    if (out_.row_count != row_count) {
      return Corrupt("it announces ", out_.row_count, " rows and its row groups hold ",
                     row_count);
    }
    return arrow::Status::OK();
  }

  bool InFile(int64_t offset, int64_t size) const {
    return offset >= 0 && size >= 0 && offset <= file_size_ &&
           size <= file_size_ - offset;
  }

  // Null when the chunk is sound.
  const char* FaultOf(ParquetChunk& chunk, const ParquetRowGroup& group, size_t column,
                      const ChunkFacts& facts) {
    const ParquetLeaf& leaf = out_.schema->leaves[column];
    if (chunk.value_count < 0) return "its metadata are missing";
    if (leaf.max_repetition_level == 0 && chunk.value_count != group.row_count) {
      return "its number of values is not the row group's number of rows";
    }
    if (facts.physical_type != leaf.physical_type) {
      return "its type is not the schema's";
    }
    if (chunk.uncompressed_bytes < 0) return "its uncompressed size is negative";
    if (!InFile(chunk.offset(), chunk.compressed_bytes)) {
      return "its pages lie outside the file";
    }
    if (chunk.value_count > 0 &&
        chunk.data_page_offset >= chunk.offset() + chunk.compressed_bytes) {
      return "it has values and no pages";
    }
    if (!InFile(std::max<int64_t>(chunk.column_index_offset, 0),
                chunk.column_index_bytes) ||
        !InFile(std::max<int64_t>(chunk.offset_index_offset, 0),
                chunk.offset_index_bytes)) {
      return "its page index lies outside the file";
    }
    if (chunk.null_count < 0 || chunk.null_count > chunk.value_count) {
      chunk.null_count = -1;
    }
    return nullptr;
  }

  // Decides whether min and max may be trusted, and forgets them when not.
  void JudgeExtremes(size_t column, Source source, ParquetChunk* chunk);

  ThriftReader reader_;
  const int64_t file_size_;
  std::shared_ptr<const ParquetSchema> known_;
  ParquetFooter& out_;
  bool encrypted_ = false;
  bool external_ = false;
  std::vector<ChunkFacts> facts_;      // in the order of the file
  std::vector<bool> ordered_by_type_;  // by leaf
};

template <typename T>
T Load(std::string_view bytes) {
  T value;
  std::memcpy(&value, bytes.data(), sizeof(value));
  return value;
}

template <typename T>
bool IntegersInOrder(std::string_view min, std::string_view max) {
  return min.size() == sizeof(T) && max.size() == sizeof(T) &&
         Load<T>(min) <= Load<T>(max);
}

template <typename T>
constexpr T kZeros[2] = {T{-0.0}, T{0.0}};

// A NaN says that the writer did not leave NaNs out, so that the pair means nothing.
// Writers that compared 0.0 and -0.0 as equal may have recorded either.
template <typename T>
bool FloatsInOrder(std::string_view* min, std::string_view* max) {
  if (min->size() != sizeof(T) || max->size() != sizeof(T)) return false;
  // False for NaN on either side.
  if (!(Load<T>(*min) <= Load<T>(*max))) return false;
  const auto* zeros = reinterpret_cast<const char*>(kZeros<T>);
  if (Load<T>(*min) == 0) *min = {zeros, sizeof(T)};
  if (Load<T>(*max) == 0) *max = {zeros + sizeof(T), sizeof(T)};
  return true;
}

// Whether min <= max in the leaf's order, both of its width.
bool InOrder(const ParquetLeaf& leaf, std::string_view* min, std::string_view* max) {
  switch (leaf.bounds) {
    case ParquetBounds::kNone:
      return false;
    case ParquetBounds::kBoolean:
      return min->size() == 1 && max->size() == 1 && *min <= *max && (*max)[0] <= 1;
    case ParquetBounds::kInt32:
      return IntegersInOrder<int32_t>(*min, *max);
    case ParquetBounds::kInt64:
      return IntegersInOrder<int64_t>(*min, *max);
    case ParquetBounds::kUint32:
      return IntegersInOrder<uint32_t>(*min, *max);
    case ParquetBounds::kUint64:
      return IntegersInOrder<uint64_t>(*min, *max);
    case ParquetBounds::kFloat:
      return FloatsInOrder<float>(min, max);
    case ParquetBounds::kDouble:
      return FloatsInOrder<double>(min, max);
    case ParquetBounds::kDecimal:
      return !min->empty() && !max->empty();
    case ParquetBounds::kBytes:
      return *min <= *max;  // char_traits<char> compares as unsigned bytes
  }
  return false;
}

void FooterDecoder::JudgeExtremes(size_t column, Source source, ParquetChunk* chunk) {
  const ParquetLeaf& leaf = out_.schema->leaves[column];
  bool trusted = false;
  if (source == Source::kOrdered) {
    // Without column orders the meaning of the pair is undefined.
    trusted = column < ordered_by_type_.size() && ordered_by_type_[column];
  } else if (source == Source::kDeprecated) {
    // Written when every comparison was signed, and for bytes not even by one rule
    // (PARQUET-251, PARQUET-686): good for signed numbers only.
    trusted =
        leaf.bounds == ParquetBounds::kInt32 || leaf.bounds == ParquetBounds::kInt64 ||
        leaf.bounds == ParquetBounds::kFloat || leaf.bounds == ParquetBounds::kDouble ||
        leaf.bounds == ParquetBounds::kBoolean;
  }
  chunk->has_min_max = trusted && InOrder(leaf, &chunk->min, &chunk->max);
  if (!chunk->has_min_max) chunk->min = chunk->max = {};
}

bool HasNestedColumn(const ParquetSchema& schema) {
  const arrow::FieldVector& fields = schema.arrow->fields();
  return std::any_of(fields.begin(), fields.end(), [](const auto& field) {
    return arrow::is_nested(field->type()->id());
  });
}

// Most of a footer is its schema, which is shared, and what other readers put there.
void KeepOnlyBounds(ParquetFooter* footer) {
  std::vector<std::string_view*> bounds;
  std::string bytes;
  for (ParquetRowGroup& group : footer->row_groups) {
    for (ParquetChunk& chunk : group.chunks) {
      for (std::string_view* bound : {&chunk.min, &chunk.max}) {
        // Some are constants.
        if (std::less_equal<>()(footer->raw.data(), bound->data()) &&
            std::less<>()(bound->data(), footer->raw.data() + footer->raw.size())) {
          bounds.push_back(bound);
          bytes.append(*bound);
        }
      }
    }
  }
  bytes.shrink_to_fit();
  footer->raw = std::move(bytes);
  const char* at = footer->raw.data();
  for (std::string_view* bound : bounds) {
    *bound = {at, bound->size()};
    at += bound->size();
  }
}

constexpr int64_t kTailBytes = 8;  // length and magic
constexpr int64_t kFirstReadBytes = 16 << 10;
constexpr std::string_view kMagic = "PAR1";
constexpr std::string_view kEncryptedMagic = "PARE";

arrow::Status ReadExactly(arrow::io::RandomAccessFile& file, int64_t offset, int64_t size,
                          char* out) {
  ARROW_ASSIGN_OR_RAISE(const int64_t got, file.ReadAt(offset, size, out));
  if (got == size) return arrow::Status::OK();
  return Error(ErrorKind::kCorrupt, "it ends at byte ", offset + got, ", before byte ",
               offset + size, ": it was cut short since it was listed; list it again");
}

arrow::Result<std::shared_ptr<const ParquetFooter>> ReadTail(
    arrow::io::RandomAccessFile& file, int64_t file_size,
    std::shared_ptr<const ParquetSchema> known, int64_t* bytes_read) {
  if (file_size < kTailBytes + 4) {
    return Error(ErrorKind::kCorrupt, "not a Parquet file: ", file_size,
                 " bytes are too few; leave it out or write it again");
  }
  const int64_t tail_size = std::min(file_size, kFirstReadBytes);
  char tail[kFirstReadBytes];
  ARROW_RETURN_NOT_OK(ReadExactly(file, file_size - tail_size, tail_size, tail));
  *bytes_read += tail_size;
  const std::string_view magic(tail + tail_size - 4, 4);
  if (magic == kEncryptedMagic) {
    return Error(ErrorKind::kUnsupported,
                 "the file is encrypted, which is not supported: decrypt it first");
  }
  if (magic != kMagic) {
    return Error(ErrorKind::kCorrupt,
                 "not a Parquet file, or one that was not finished: it does not end in ",
                 kMagic, "; leave it out or write it again");
  }
  uint32_t size = 0;
  std::memcpy(&size, tail + tail_size - kTailBytes, sizeof(size));
  if (size > file_size - kTailBytes - 4) {
    return Error(ErrorKind::kCorrupt, "its footer would have ", size,
                 " bytes, more than the file", kAdvice);
  }
  std::string raw;
  if (const int64_t here = tail_size - kTailBytes; size <= here) {
    raw.assign(tail + here - size, size);
  } else {
    raw.resize(size);
    const int64_t missing = size - here;
    std::memcpy(raw.data() + missing, tail, static_cast<size_t>(here));
    ARROW_RETURN_NOT_OK(
        ReadExactly(file, file_size - kTailBytes - size, missing, raw.data()));
    *bytes_read += missing;
  }
  return DecodeParquetFooter(std::move(raw), file_size, std::move(known));
}

}  // namespace

int64_t MemoryBytes(const ParquetSchema& schema) {
  // Arrow's schema and Parquet's description are made of some dozen small objects a
  // column, about this many times the bytes that the footer spends on the column.
  constexpr int64_t kBytesPerByte = 32;
  return static_cast<int64_t>(schema.bytes.size()) * kBytesPerByte;
}

int64_t ParquetFooter::memory_bytes() const {
  size_t bytes = sizeof(ParquetFooter) + raw.capacity() + created_by.capacity() +
                 row_groups.capacity() * sizeof(ParquetRowGroup);
  for (const auto& group : row_groups) {
    bytes += group.chunks.capacity() * sizeof(ParquetChunk);
  }
  return static_cast<int64_t>(bytes);
}

arrow::Result<std::shared_ptr<const ParquetFooter>> DecodeParquetFooter(
    std::string raw, int64_t file_size, std::shared_ptr<const ParquetSchema> known) {
  // Shared: a cache, plans and running scans hold it.
  auto footer = std::make_shared<ParquetFooter>();
  footer->raw = std::move(raw);
  footer->row_count = -1;
  ARROW_RETURN_NOT_OK(FooterDecoder(file_size, std::move(known), footer.get()).Decode());
  if (!HasNestedColumn(*footer->schema)) KeepOnlyBounds(footer.get());
  return footer;
}

arrow::Result<std::shared_ptr<const ParquetFooter>> ReadParquetFooter(
    arrow::io::RandomAccessFile& file, const std::string& path, int64_t file_size,
    std::shared_ptr<const ParquetSchema> known, int64_t* bytes_read) {
  *bytes_read = 0;
  auto footer = ReadTail(file, file_size, std::move(known), bytes_read);
  if (!footer.ok()) return core::WithContext(footer.status(), path);
  return footer;
}

}  // namespace wheelpit::index
