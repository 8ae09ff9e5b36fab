// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/index/table.h"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <unordered_set>
#include <utility>

#include <arrow/io/interfaces.h>
#include <arrow/type.h>

#include "wheelpit/core/byte_size.h"
#include "wheelpit/core/error.h"
#include "wheelpit/core/task_group.h"
#include "wheelpit/fs/path_text.h"
#include "wheelpit/index/footer_cache.h"
#include "wheelpit/index/listing.h"
#include "wheelpit/index/partition_columns.h"
#include "wheelpit/index/roots.h"
#include "wheelpit/index/schema_union.h"

namespace wheelpit::index {

namespace {

using core::ErrorKind;
using core::Metric;
using FooterPointer = std::shared_ptr<const ParquetFooter>;

// Files whose footers one thread reads in a row: neighbours mostly share their schema, so
// the decoder can share it too.
constexpr int64_t kFilesOfRun = 16;

// Reads the footers of a table's files.
class FooterReader {
 public:
  FooterReader(const TableOptions& options, fs::FileSystem* file_system,
               const core::Context& context, core::MetricSet* metrics, FooterCache* cache)
      : options_(options),
        file_system_(file_system),
        context_(context),
        metrics_(metrics),
        cache_(cache) {}

  /// In the order of the files; null for one that is skipped.
  arrow::Result<std::vector<FooterPointer>> ReadAll(
      const std::vector<ListedFile>& files) {
    std::vector<FooterPointer> footers(files.size());
    if (files.empty()) {
      return footers;
    }
    // The first one's schema is most likely everyone's.
    ARROW_ASSIGN_OR_RAISE(footers[0], Read(files[0].info, nullptr));
    const auto count = static_cast<int64_t>(files.size());
    std::atomic<int64_t> held_count{0};
    std::atomic<int64_t> held_bytes{0};
    const int64_t run_count = (count + kFilesOfRun - 1) / kFilesOfRun;
    ARROW_RETURN_NOT_OK(
        core::ParallelFor(context_.io, run_count, [&](int64_t run) -> arrow::Status {
          const int64_t end = std::min(count, (run + 1) * kFilesOfRun);
          std::shared_ptr<const ParquetSchema> known =
              footers[0] == nullptr ? nullptr : footers[0]->schema;
          for (int64_t i = std::max<int64_t>(1, run * kFilesOfRun); i < end; ++i) {
            const auto at = static_cast<size_t>(i);
            ARROW_ASSIGN_OR_RAISE(footers[at], Read(files[at].info, known));
            if (footers[at] != nullptr) {
              known = footers[at]->schema;
              held_bytes += footers[at]->memory_bytes();
            }
            ARROW_RETURN_NOT_OK(CheckMemory(++held_count, count, held_bytes));
          }
          return arrow::Status::OK();
        }));
    return footers;
  }

 private:
  // Before all of them are there: what is refused in the end should not be held first.
  arrow::Status CheckMemory(int64_t held_count, int64_t count, int64_t held_bytes) const {
    if (options_.footer_bytes_max == 0 || held_bytes <= options_.footer_bytes_max) {
      return arrow::Status::OK();
    }
    const int64_t all_bytes = held_bytes / held_count * count;
    return core::Error(ErrorKind::kMemoryLimit, "the footers of ", held_count, " of ",
                       count, " files take ", core::FormatByteSize(held_bytes),
                       ", and the memory limit is ",
                       core::FormatByteSize(options_.footer_bytes_max),
                       "; set memory.limit to more than ",
                       core::FormatByteSize(all_bytes), ", or name fewer files");
  }

  arrow::Result<FooterPointer> Read(const fs::FileInfo& file,
                                    std::shared_ptr<const ParquetSchema> known) {
    ARROW_RETURN_NOT_OK(context_.stop.Poll());
    if (cache_ != nullptr) {
      if (FooterPointer footer = cache_->Find(file)) {
        metrics_->Add(Metric::kFooterCacheHits, 1);
        return footer;
      }
    }
    arrow::Result<FooterPointer> footer = ReadFile(file, std::move(known));
    if (!footer.ok()) {
      return Judge(footer.status(), file);
    }
    if (cache_ != nullptr) {
      cache_->Insert(file, *footer, context_.clock->WallMillis());
    }
    return footer;
  }

  arrow::Result<FooterPointer> ReadFile(const fs::FileInfo& file,
                                        std::shared_ptr<const ParquetSchema> known) {
    ARROW_ASSIGN_OR_RAISE(const auto handle,
                          file_system_->Open(file.path, context_.pool));
    ARROW_ASSIGN_OR_RAISE(const int64_t size_bytes, handle->GetSize());
    if (size_bytes != file.size_bytes) {
      return core::Error(ErrorKind::kIo, fs::Quoted(file.path), " had ", file.size_bytes,
                         " bytes when it was listed and has ", size_bytes,
                         " now; do not change files while they are read");
    }
    int64_t bytes_read = 0;
    auto footer = ReadParquetFooter(*handle, fs::Quoted(file.path), size_bytes,
                                    std::move(known), &bytes_read);
    metrics_->Add(Metric::kBytesRead, bytes_read);
    metrics_->Add(Metric::kReads, 1);
    metrics_->Add(Metric::kFootersRead, footer.ok() ? 1 : 0);
    return footer;
  }

  // Whether a failure ends the query, and what more there is to say.
  arrow::Result<FooterPointer> Judge(const arrow::Status& status,
                                     const fs::FileInfo& file) {
    const ErrorKind kind = core::KindOf(status);
    if (kind == ErrorKind::kNotFound || kind == ErrorKind::kPermission) {
      if (options_.ignore_missing) {
        metrics_->Add(Metric::kFilesSkipped, 1);
        return nullptr;
      }
      return status.WithMessage(status.message(),
                                "; SET index.ignore_missing = true skips such files");
    }
    if (kind == ErrorKind::kCorrupt && !NameOf(file.path).ends_with(".parquet")) {
      const std::string glob = std::string(ParentOf(file.path)) + "/*.parquet";
      return status.WithMessage(status.message(),
                                "; if it is no part of the table, leave it out with a "
                                "glob like ",
                                fs::Quoted(glob));
    }
    return status;
  }

  const TableOptions& options_;
  fs::FileSystem* file_system_;
  const core::Context& context_;
  core::MetricSet* metrics_;
  FooterCache* cache_;
};

arrow::Status NothingThere(const std::string& path, const FileListing& listing) {
  std::string why;
  if (listing.empty_count > 0) {
    why += ", only " + core::Counted(listing.empty_count, "file") + " of zero bytes";
  }
  if (listing.hidden_count > 0) {
    why += (why.empty() ? ", only " : " and ") +
           core::Counted(listing.hidden_count, "name") +
           (listing.hidden_count == 1 ? " that is" : " that are") +
           " passed over (begins with '_' or '.', ends with .crc, or is no file)";
  }
  return core::Error(ErrorKind::kNotFound, "there is no Parquet file in ",
                     fs::Quoted(path), why,
                     "; name the directory or the glob of the files to read");
}

// Leaves the files out whose footers were skipped.
void DropSkipped(std::vector<ListedFile>* files, std::vector<FooterPointer>* footers) {
  size_t kept = 0;
  for (size_t i = 0; i < files->size(); ++i) {
    if ((*footers)[i] != nullptr) {
      if (kept != i) {
        (*files)[kept] = std::move((*files)[i]);
        (*footers)[kept] = std::move((*footers)[i]);
      }
      ++kept;
    }
  }
  files->resize(kept);
  footers->resize(kept);
}

std::shared_ptr<const Table> MakeTable(const std::string& name, FileListing listing,
                                       std::vector<FooterPointer> footers,
                                       const PartitionColumns& partitions,
                                       const SchemaUnion& schemas,
                                       fs::FileSystem* file_system) {
  auto table = std::make_shared<Table>();
  table->name = name;
  table->schema = schemas.schema();
  table->file_system = file_system;
  for (const std::shared_ptr<arrow::Field>& field : partitions.fields) {
    table->partition_columns.push_back(field->name());
  }
  table->files.reserve(listing.files.size());
  for (size_t i = 0; i < listing.files.size(); ++i) {
    ListedFile& file = listing.files[i];
    TableFile out;
    out.path = std::move(file.info.path);
    out.size_bytes = file.info.size_bytes;
    out.mtime_nanos = file.info.mtime_nanos;
    out.column_map = schemas.ColumnMapOf(footers[i]->schema.get());
    out.footer = std::move(footers[i]);
    if (!partitions.fields.empty()) {
      out.partition_values = partitions.values[static_cast<size_t>(file.directory)];
    }
    table->files.push_back(std::move(out));
  }
  return table;
}

}  // namespace

arrow::Result<std::shared_ptr<const Table>> OpenTable(
    const std::string& path, const Predicate& partition_filter,
    const TableOptions& options, fs::FileSystem* file_system,
    const core::Context& context, core::MetricSet* metrics, FooterCache* footers) {
  FileListing sample;
  ARROW_ASSIGN_OR_RAISE(
      FileListing listing,
      ListFiles(path, partition_filter, options, file_system, context, metrics, &sample));
  FooterReader reader(options, file_system, context, metrics, footers);
  ARROW_ASSIGN_OR_RAISE(std::vector<FooterPointer> found, reader.ReadAll(listing.files));
  DropSkipped(&listing.files, &found);
  SchemaUnion schemas;
  for (size_t i = 0; i < found.size(); ++i) {
    ARROW_RETURN_NOT_OK(schemas.Add(found[i]->schema, listing.files[i].info.path));
  }
  if (found.empty()) {
    // All was pruned: one file says what the columns are.
    sample.files.resize(std::min<size_t>(sample.files.size(), 1));
    ARROW_ASSIGN_OR_RAISE(const auto samples, reader.ReadAll(sample.files));
    if (samples.empty() || samples[0] == nullptr) {
      return NothingThere(path, listing);
    }
    ARROW_RETURN_NOT_OK(schemas.Add(samples[0]->schema, sample.files[0].info.path));
  }
  ARROW_ASSIGN_OR_RAISE(const PartitionColumns partitions,
                        MakePartitionColumns(listing, sample, options));
  schemas.Finish(partitions.fields);
  return MakeTable(path, std::move(listing), std::move(found), partitions, schemas,
                   file_system);
}

int64_t MemoryBytes(const Table& table) {
  // A scalar and its control block; strings are short.
  constexpr int64_t kPartitionValueBytes = 96;
  int64_t bytes = 0;
  std::unordered_set<const ParquetSchema*> schemas;
  for (const TableFile& file : table.files) {
    bytes +=
        static_cast<int64_t>(sizeof(TableFile) + file.path.capacity()) +
        std::ssize(file.partition_values) * kPartitionValueBytes +
        file.footer->memory_bytes() +
        std::ssize(file.footer->row_groups) * static_cast<int64_t>(2 * sizeof(ScanUnit));
    if (schemas.insert(file.footer->schema.get()).second) {
      bytes += MemoryBytes(*file.footer->schema);
    }
  }
  return bytes;
}

}  // namespace wheelpit::index
