// SPDX-License-Identifier: Apache-2.0
// The blocking guard: in builds that link this file, libc's blocking file calls are
// interposed for the whole process, and a thread marked as compute thread that enters
// one, from whatever library, aborts with the name of the call. Threads that are not ours
// are never judged.
//
// A program's own definition of a libc name wins over libc's in every shared library,
// because the dynamic linker looks in the program first; the real one is RTLD_NEXT.
// Writes to stderr are let through: they are how a check that failed says so.
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#include "wheelpit/core/thread_role.h"

namespace {

void Judge(const char* call) {
  using wheelpit::core::ThreadRole;
  if (wheelpit::core::ThisThreadRole() != ThreadRole::kCompute) {
    return;
  }
  // Foreign from here on: reporting must not be judged again.
  wheelpit::core::SetThisThreadRole(ThreadRole::kForeign);
  std::fprintf(stderr, "blocking guard: a compute thread entered %s()\n", call);
  std::abort();
}

template <typename Function>
Function* Next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

bool TakesMode(int flags) {
  return (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
}

mode_t ModeOf(int flags, va_list arguments) {
  return TakesMode(flags) ? va_arg(arguments, mode_t) : 0;
}

}  // namespace

// One line a call. The pointer to the real function is found once, by whoever comes
// first.
#define WHEELPIT_GUARD(result, name, parameters, arguments)  \
  extern "C" result name parameters {                        \
    static const auto next = Next<result parameters>(#name); \
    Judge(#name);                                            \
    return next arguments;                                   \
  }

WHEELPIT_GUARD(ssize_t, read, (int fd, void* data, size_t size), (fd, data, size))
WHEELPIT_GUARD(ssize_t, pread, (int fd, void* data, size_t size, off_t at),
               (fd, data, size, at))
WHEELPIT_GUARD(ssize_t, pread64, (int fd, void* data, size_t size, off64_t at),
               (fd, data, size, at))
WHEELPIT_GUARD(ssize_t, readv, (int fd, const iovec* parts, int count),
               (fd, parts, count))
WHEELPIT_GUARD(ssize_t, pwrite, (int fd, const void* data, size_t size, off_t at),
               (fd, data, size, at))
WHEELPIT_GUARD(ssize_t, pwrite64, (int fd, const void* data, size_t size, off64_t at),
               (fd, data, size, at))
WHEELPIT_GUARD(ssize_t, writev, (int fd, const iovec* parts, int count),
               (fd, parts, count))
WHEELPIT_GUARD(int, unlink, (const char* path), (path))
WHEELPIT_GUARD(int, unlinkat, (int at, const char* path, int flags), (at, path, flags))
WHEELPIT_GUARD(int, mkdir, (const char* path, mode_t mode), (path, mode))
WHEELPIT_GUARD(int, mkdirat, (int at, const char* path, mode_t mode), (at, path, mode))
WHEELPIT_GUARD(int, fsync, (int fd), (fd))
WHEELPIT_GUARD(int, fdatasync, (int fd), (fd))
WHEELPIT_GUARD(int, rename, (const char* from, const char* to), (from, to))
WHEELPIT_GUARD(int, ftruncate, (int fd, off_t size), (fd, size))
WHEELPIT_GUARD(FILE*, fopen, (const char* path, const char* mode), (path, mode))
WHEELPIT_GUARD(FILE*, fopen64, (const char* path, const char* mode), (path, mode))

extern "C" ssize_t write(int fd, const void* data, size_t size) {
  static const auto next = Next<ssize_t(int, const void*, size_t)>("write");
  if (fd != STDERR_FILENO) {
    Judge("write");
  }
  return next(fd, data, size);
}

#define WHEELPIT_GUARD_OPEN(name)                                     \
  extern "C" int name(const char* path, int flags, ...) {             \
    static const auto next = Next<int(const char*, int, ...)>(#name); \
    va_list arguments;                                                \
    va_start(arguments, flags);                                       \
    const mode_t mode = ModeOf(flags, arguments);                     \
    va_end(arguments);                                                \
    Judge(#name);                                                     \
    return next(path, flags, mode);                                   \
  }
#define WHEELPIT_GUARD_OPENAT(name)                                        \
  extern "C" int name(int at, const char* path, int flags, ...) {          \
    static const auto next = Next<int(int, const char*, int, ...)>(#name); \
    va_list arguments;                                                     \
    va_start(arguments, flags);                                            \
    const mode_t mode = ModeOf(flags, arguments);                          \
    va_end(arguments);                                                     \
    Judge(#name);                                                          \
    return next(at, path, flags, mode);                                    \
  }

WHEELPIT_GUARD_OPEN(open)
WHEELPIT_GUARD_OPEN(open64)
WHEELPIT_GUARD_OPENAT(openat)
WHEELPIT_GUARD_OPENAT(openat64)
