// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/cli/interrupt.h"

#include <cerrno>
#include <csignal>
#include <mutex>

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "wheelpit/core/error.h"

namespace wheelpit::cli {

namespace {

constexpr int kGraceMillis = 100;
constexpr char kStop = 'q';
constexpr char kInterrupt = 'c';
constexpr char kTerminate = 't';
constexpr char kReport = 'r';

// The handler may use nothing else: a descriptor, and write(2).
std::atomic<int> signal_pipe{-1};

extern "C" void HandleSignal(int number) {
  const int saved = errno;
  const char byte = number == SIGTERM   ? kTerminate
                    : number == SIGUSR1 ? kReport
                                        : kInterrupt;
  if (const int fd = signal_pipe.load(); fd >= 0) {
    static_cast<void>(!::write(fd, &byte, 1));
  }
  errno = saved;
}

}  // namespace

arrow::Result<std::unique_ptr<Interrupt>> Interrupt::Make() {
  int fds[2];
  if (pipe2(fds, O_CLOEXEC) != 0) {
    return core::ErrnoStatus(errno, "making a pipe for Ctrl-C");
  }
  std::unique_ptr<Interrupt> interrupt(new Interrupt());
  interrupt->pipe_read_ = fds[0];
  signal_pipe = fds[1];
  ARROW_ASSIGN_OR_RAISE(
      interrupt->watcher_,
      core::ThreadPool::Make(
          {.thread_count = 1, .role = core::ThreadRole::kIo, .name = "interrupt"}));
  interrupt->watcher_->Submit([raw = interrupt.get()] { raw->Watch(); });
  struct sigaction action {};
  action.sa_handler = HandleSignal;
  // No SA_RESTART: a blocked write comes back with EINTR.
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  // A report is no reason to stop a write.
  action.sa_flags = SA_RESTART;
  sigaction(SIGUSR1, &action, nullptr);
  return interrupt;
}

Interrupt::~Interrupt() {
  signal(SIGINT, SIG_DFL);
  signal(SIGTERM, SIG_DFL);
  signal(SIGUSR1, SIG_IGN);
  const int fd = signal_pipe.exchange(-1);
  static_cast<void>(!::write(fd, &kStop, 1));
  watcher_.reset();
  close(fd);
  close(pipe_read_);
}

void Interrupt::OnInterrupt(std::function<void()> action) {
  std::lock_guard lock(mutex_);
  action_ = std::move(action);
}

void Interrupt::OnReport(std::function<void()> action) {
  std::lock_guard lock(mutex_);
  report_ = std::move(action);
}

void Interrupt::Watch() {
  char byte = 0;
  while (true) {
    pollfd wait = {pipe_read_, POLLIN, 0};
    const int ready = poll(&wait, 1, interrupted_ ? kGraceMillis : -1);
    if (ready < 0 && errno == EINTR) {
      continue;
    }
    if (ready > 0 && (read(pipe_read_, &byte, 1) != 1 || byte == kStop)) {
      return;
    }
    if (ready > 0 && byte == kReport) {
      std::lock_guard lock(mutex_);
      if (report_) {
        report_();
      }
      continue;
    }
    exit_code_ = byte == kTerminate ? 143 : 130;
    if (interrupted_.exchange(true)) {
      _exit(exit_code_);
    }
    std::lock_guard lock(mutex_);
    if (action_) {
      action_();
    }
  }
}

}  // namespace wheelpit::cli
