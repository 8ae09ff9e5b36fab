// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/io/read_range.h"

#include <algorithm>
#include <limits>
#include <utility>

#include <arrow/buffer.h>
#include <arrow/io/interfaces.h>

#include "wheelpit/core/error.h"
#include "wheelpit/core/guarded.h"

namespace wheelpit::io {

using core::ErrorKind;

namespace {

/// Joined ranges: one buffer.
struct Segment {
  int64_t offset = 0;
  int64_t size_bytes = 0;
  std::shared_ptr<arrow::Buffer> buffer{};
  int64_t ranges_left = 0;  ///< not taken yet

  int64_t end() const { return offset + size_bytes; }
};

/// One read: a part of a segment, most often all of it.
struct Piece {
  int64_t offset;
  int64_t size_bytes;
  uint8_t* out;
};

struct Entry {
  ReadRange range;
  size_t segment = 0;  ///< without meaning for an empty range
  bool taken = false;
};

bool IsPossible(const ReadRange& range) {
  return range.offset >= 0 && range.size_bytes >= 0 &&
         range.size_bytes <= std::numeric_limits<int64_t>::max() - range.offset;
}

/// Whether `range`, which begins in or after `segment`, is read with it.
bool Joins(const Segment& segment, const ReadRange& range,
           const ReadRangeOptions& options) {
  const int64_t end = range.offset + range.size_bytes;
  if (end <= segment.end()) {
    return true;
  }
  const bool near = range.offset <= segment.end() ||
                    range.offset - segment.end() <= options.hole_bytes_max;
  return near && end - segment.offset <= options.read_bytes_max;
}

/// `entries` are possible ranges in ascending order; notes the segment of each.
std::vector<Segment> Coalesce(std::vector<Entry>& entries,
                              const ReadRangeOptions& options) {
  std::vector<Segment> segments;
  for (Entry& entry : entries) {
    if (entry.range.size_bytes == 0) {
      continue;
    }
    if (segments.empty() || !Joins(segments.back(), entry.range, options)) {
      segments.push_back({.offset = entry.range.offset});
    }
    Segment& segment = segments.back();
    const int64_t end = entry.range.offset + entry.range.size_bytes;
    segment.size_bytes = std::max(segment.size_bytes, end - segment.offset);
    ++segment.ranges_left;
    entry.segment = segments.size() - 1;
  }
  return segments;
}

std::vector<Entry> SortedEntries(const std::vector<ReadRange>& ranges) {
  std::vector<Entry> entries;
  entries.reserve(ranges.size());
  for (const ReadRange& range : ranges) {
    entries.push_back({.range = range});
  }
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.range < b.range; });
  return entries;
}

void AddPieces(const Segment& segment, int64_t read_bytes_max,
               std::vector<Piece>* pieces) {
  const int64_t whole = std::max<int64_t>(read_bytes_max, 1);
  const int64_t count = (segment.size_bytes - 1) / whole + 1;
  // Of about the same size, so that there is no tiny one at the end.
  const int64_t each = (segment.size_bytes - 1) / count + 1;
  for (int64_t at = 0; at < segment.size_bytes; at += each) {
    pieces->push_back({.offset = segment.offset + at,
                       .size_bytes = std::min(each, segment.size_bytes - at),
                       .out = segment.buffer->mutable_data() + at});
  }
}

std::string Describe(const std::string& path, int64_t offset, int64_t size_bytes) {
  return path + ": " + std::to_string(size_bytes) + " bytes at offset " +
         std::to_string(offset);
}

}  // namespace

struct PrefetchedRanges::State : std::enable_shared_from_this<PrefetchedRanges::State> {
  struct Progress {
    size_t next_piece = 0;
    int in_flight = 0;              ///< reads queued or running
    arrow::Status failure;          ///< the first one
    bool abandoned = false;         ///< the handle is gone
    std::vector<Segment> segments;  ///< owned by the handle's thread once `done` fired
  };

  PrefetchRequest request;
  std::vector<Entry> entries;  ///< ascending
  std::vector<Piece> pieces;
  core::Guarded<Progress> progress;
  core::Signal done;

  arrow::Status Allocate() {
    std::vector<Segment> segments = Coalesce(entries, request.options);
    for (Segment& segment : segments) {
      auto buffer = arrow::AllocateBuffer(segment.size_bytes, request.pool);
      if (!buffer.ok()) {
        return core::WithContext(
            buffer.status(), "no memory to read " + Describe(request.path, segment.offset,
                                                             segment.size_bytes));
      }
      segment.buffer = *std::move(buffer);
      AddPieces(segment, request.options.read_bytes_max, &pieces);
    }
    progress.Lock()->segments = std::move(segments);
    return arrow::Status::OK();
  }

  void Begin() {
    if (pieces.empty()) {
      Finish();
      return;
    }
    const auto threads =
        static_cast<size_t>(std::max(request.executor->thread_count(), 1));
    const int count = static_cast<int>(std::min(pieces.size(), threads));
    progress.Lock()->in_flight = count;
    for (int i = 0; i < count; ++i) {
      SubmitStep();
    }
  }

  void SubmitStep() {
    request.executor->Submit([self = shared_from_this()] { self->Step(); });
  }

  /// Runs on an I/O thread: one read, then another turn or the end.
  void Step() {
    const Piece* piece = Claim();
    if (HasMore(piece == nullptr ? arrow::Status::OK() : Read(*piece))) {
      SubmitStep();
    }
  }

  void Finish() {
    request.file.reset();
    done.Fire();
  }

  const Piece* Claim() {
    auto locked = progress.Lock();
    if (!locked->failure.ok() || locked->abandoned ||
        locked->next_piece == pieces.size()) {
      return nullptr;
    }
    return &pieces[locked->next_piece++];
  }

  /// Counts the end of a read. When nothing is left and nobody is inside any more, lets
  /// go of everything borrowed and fires.
  bool HasMore(const arrow::Status& status) {
    std::vector<Segment> dropped;
    {
      auto locked = progress.Lock();
      if (!status.ok() && locked->failure.ok()) {
        locked->failure = status;
      }
      if (locked->failure.ok() && !locked->abandoned &&
          locked->next_piece < pieces.size()) {
        return true;
      }
      if (--locked->in_flight > 0) {
        return false;
      }
      if (locked->abandoned || !locked->failure.ok()) {
        dropped.swap(locked->segments);
      }
    }
    dropped.clear();
    Finish();
    return false;
  }

  arrow::Status Read(const Piece& piece) const {
    ARROW_RETURN_NOT_OK(request.stop.Poll());
    int64_t done_bytes = 0;
    while (done_bytes < piece.size_bytes) {
      const int64_t wanted = piece.size_bytes - done_bytes;
      const arrow::Result<int64_t> got =
          request.file->ReadAt(piece.offset + done_bytes, wanted, piece.out + done_bytes);
      Count(got.ok() ? *got : 0);
      if (!got.ok()) {
        return core::WithContext(
            got.status(),
            "cannot read " + Describe(request.path, piece.offset, piece.size_bytes));
      }
      if (*got <= 0 || *got > wanted) {
        return core::Error(ErrorKind::kCorrupt, "cannot read ",
                           Describe(request.path, piece.offset, piece.size_bytes),
                           ": the file was truncated while it was read; it ends at ",
                           piece.offset + done_bytes);
      }
      done_bytes += *got;
    }
    return arrow::Status::OK();
  }

  void Count(int64_t bytes) const {
    if (request.metrics != nullptr) {
      request.metrics->Add(core::Metric::kReads, 1);
      request.metrics->Add(core::Metric::kBytesRead, bytes);
    }
  }

  void Abandon() {
    std::vector<Segment> dropped;
    auto locked = progress.Lock();
    locked->abandoned = true;
    // Else the last read drops them, before it fires.
    if (locked->in_flight == 0) {
      dropped.swap(locked->segments);
    }
  }
};

PrefetchedRanges::PrefetchedRanges(std::shared_ptr<State> state)
    : state_(std::move(state)) {}

PrefetchedRanges::~PrefetchedRanges() {
  state_->Abandon();
}

core::Wait PrefetchedRanges::wait() const {
  return state_->done.wait();
}

arrow::Result<std::shared_ptr<arrow::Buffer>> PrefetchedRanges::Take(ReadRange range) {
  const auto misuse = [&](const char* what) {
    return core::Error(ErrorKind::kInternal,
                       Describe(state_->request.path, range.offset, range.size_bytes),
                       " ", what);
  };
  if (!state_->done.fired()) {
    return misuse("taken before they were read");
  }
  auto progress = state_->progress.Lock();
  ARROW_RETURN_NOT_OK(progress->failure);
  auto entry =
      std::lower_bound(state_->entries.begin(), state_->entries.end(), range,
                       [](const Entry& e, const ReadRange& r) { return e.range < r; });
  while (entry != state_->entries.end() && entry->range == range && entry->taken) {
    ++entry;
  }
  if (entry == state_->entries.end() || entry->range != range) {
    return misuse("were not asked for, or were taken already");
  }
  entry->taken = true;
  if (range.size_bytes == 0) {
    return std::make_shared<arrow::Buffer>(nullptr, 0);
  }
  Segment& segment = progress->segments[entry->segment];
  auto slice =
      arrow::SliceBuffer(segment.buffer, range.offset - segment.offset, range.size_bytes);
  if (--segment.ranges_left == 0) {
    segment.buffer.reset();
  }
  return slice;
}

arrow::Result<std::unique_ptr<PrefetchedRanges>> PrefetchRanges(
    PrefetchRequest request, const std::vector<ReadRange>& ranges) {
  for (const ReadRange& range : ranges) {
    if (!IsPossible(range)) {
      return core::Error(ErrorKind::kCorrupt, "cannot read ",
                         Describe(request.path, range.offset, range.size_bytes),
                         ": no file has such a range");
    }
  }
  auto state = std::make_shared<PrefetchedRanges::State>();
  state->request = std::move(request);
  state->entries = SortedEntries(ranges);
  ARROW_RETURN_NOT_OK(state->Allocate());
  state->Begin();
  return std::unique_ptr<PrefetchedRanges>(new PrefetchedRanges(std::move(state)));
}

int64_t PlannedBytes(const std::vector<ReadRange>& ranges,
                     const ReadRangeOptions& options) {
  std::vector<Entry> entries = SortedEntries(ranges);
  std::erase_if(entries, [](const Entry& entry) { return !IsPossible(entry.range); });
  constexpr int64_t kAlignment = 64;  // Arrow rounds buffers up to it.
  int64_t total = 0;
  for (const Segment& segment : Coalesce(entries, options)) {
    const int64_t padding = kAlignment - 1 - (segment.size_bytes - 1) % kAlignment;
    if (__builtin_add_overflow(total, segment.size_bytes, &total) ||
        __builtin_add_overflow(total, padding, &total)) {
      return std::numeric_limits<int64_t>::max();
    }
  }
  return total;
}

}  // namespace wheelpit::io
