// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/io/io_executor.h"

#include <utility>

#include "wheelpit/core/error.h"
#include "wheelpit/core/guarded.h"
#include "wheelpit/io/byte_admission.h"

namespace wheelpit::io {

struct IoExecutor::Impl {
  struct State {
    explicit State(int64_t bytes_max) : admission(bytes_max, 0) {}
    ByteAdmission admission;
    int64_t queued = 0;
    int64_t running = 0;
  };

  explicit Impl(int64_t bytes_max) : state(State(bytes_max)) {}

  mutable core::Guarded<State> state;
  // Last, so that its threads end while the state is still there.
  std::unique_ptr<core::ThreadPool> pool;

  /// `size_bytes` -1: not admitted by bytes.
  void Enqueue(std::function<void()> task, int64_t size_bytes) {
    pool->Submit([this, task = std::move(task), size_bytes]() mutable {
      {
        auto locked = state.Lock();
        --locked->queued;
        ++locked->running;
      }
      task();
      task = nullptr;  // What it held goes before its bytes are given back.
      std::optional<core::Signal> room;
      {
        auto locked = state.Lock();
        --locked->running;
        if (size_bytes >= 0) {
          room = locked->admission.Leave(size_bytes);
        }
      }
      if (room) {
        room->Fire();
      }
    });
  }
};

arrow::Result<std::unique_ptr<IoExecutor>> IoExecutor::Make(IoExecutorOptions options) {
  if (options.bytes_max < 1) {
    return core::Error(core::ErrorKind::kConfiguration,
                       "the I/O threads need a byte bound of at least 1, got ",
                       options.bytes_max);
  }
  auto impl = std::make_unique<Impl>(options.bytes_max);
  ARROW_ASSIGN_OR_RAISE(impl->pool, core::ThreadPool::Make({
                                        .thread_count = options.thread_count,
                                        .role = core::ThreadRole::kIo,
                                        .name = std::move(options.name),
                                    }));
  return std::unique_ptr<IoExecutor>(new IoExecutor(std::move(impl)));
}

IoExecutor::IoExecutor(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

IoExecutor::~IoExecutor() = default;

void IoExecutor::Submit(std::function<void()> task) {
  ++impl_->state.Lock()->queued;
  impl_->Enqueue(std::move(task), -1);
}

bool IoExecutor::TrySubmit(int64_t size_bytes, std::function<void()>& task,
                           core::Wait* wait) {
  WHEELPIT_DCHECK(size_bytes >= 0, "a task of negative size");
  {
    auto locked = impl_->state.Lock();
    if (!locked->admission.TryEnter(size_bytes, wait)) {
      return false;
    }
    ++locked->queued;
  }
  impl_->Enqueue(std::move(task), size_bytes);
  return true;
}

int IoExecutor::thread_count() const {
  return impl_->pool->thread_count();
}

IoExecutorCounts IoExecutor::counts() const {
  auto locked = impl_->state.Lock();
  return {
      .queued = locked->queued,
      .running = locked->running,
      .bytes = locked->admission.bytes(),
  };
}

}  // namespace wheelpit::io
