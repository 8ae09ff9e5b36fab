// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/core/executor.h"

#include <condition_variable>
#include <deque>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <pthread.h>

#include "wheelpit/core/error.h"
#include "wheelpit/core/guarded.h"

namespace wheelpit::core {

struct ThreadPool::Impl {
  struct Queue {
    std::deque<std::function<void()>> tasks;
    bool closed = false;
  };

  ThreadPoolOptions options;
  Guarded<Queue> queue;
  std::condition_variable changed;
  std::vector<std::thread> threads;

  void Run() {
    SetThisThreadRole(options.role);
    pthread_setname_np(pthread_self(), options.name.substr(0, 15).c_str());
    while (true) {
      std::function<void()> task;
      {
        auto locked = queue.Lock();
        locked.Await(changed, [](Queue& q) { return q.closed || !q.tasks.empty(); });
        if (locked->tasks.empty()) {
          return;
        }
        task = std::move(locked->tasks.front());
        locked->tasks.pop_front();
      }
      task();
    }
  }

  void CloseAndJoin() {
    queue.Lock()->closed = true;
    changed.notify_all();
    for (auto& thread : threads) {
      thread.join();
    }
  }
};

arrow::Result<std::unique_ptr<ThreadPool>> ThreadPool::Make(ThreadPoolOptions options) {
  if (options.thread_count < 1) {
    return Error(ErrorKind::kConfiguration,
                 "a thread pool needs at least one thread, got ", options.thread_count);
  }
  auto impl = std::make_unique<Impl>();
  impl->options = std::move(options);
  try {
    for (int i = 0; i < impl->options.thread_count; ++i) {
      impl->threads.emplace_back([raw = impl.get()] { raw->Run(); });
    }
  } catch (const std::system_error& error) {
    impl->CloseAndJoin();
    return Error(ErrorKind::kConfiguration, "cannot start ", impl->options.thread_count,
                 " threads: ", error.what(),
                 "; ask for fewer or raise the limit (ulimit -u)");
  }
  return std::unique_ptr<ThreadPool>(new ThreadPool(std::move(impl)));
}

ThreadPool::ThreadPool(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

ThreadPool::~ThreadPool() {
  impl_->CloseAndJoin();
}

void ThreadPool::Submit(std::function<void()> task) {
  {
    auto locked = impl_->queue.Lock();
    WHEELPIT_CHECK(!locked->closed || ThisThreadRole() == impl_->options.role,
                   "a task submitted to a closed thread pool");
    locked->tasks.push_back(std::move(task));
  }
  impl_->changed.notify_one();
}

int ThreadPool::thread_count() const {
  return impl_->options.thread_count;
}

}  // namespace wheelpit::core
