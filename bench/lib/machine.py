# SPDX-License-Identifier: Apache-2.0
"""The machine that a benchmark runs on: what it is, how busy others keep it, and its limits."""
import ctypes
import json
import os
import platform
import statistics
import subprocess
import sys
import time

LIMIT_RUNS = 5
COPY_BYTES = 256 << 20
READ_BLOCK_BYTES = 1 << 20


def cpu_model():
    with open("/proc/cpuinfo") as lines:
        for line in lines:
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or "unknown processor"


def memory_bytes():
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def usable_cores():
    return len(os.sched_getaffinity(0))


def describe(folder):
    """What goes into the head of every result; `folder` holds the data."""
    filesystem = subprocess.run(["stat", "-f", "-c", "%T", folder], capture_output=True, text=True)
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True,
                            cwd=os.path.dirname(os.path.abspath(__file__)))
    return {
        "processor": cpu_model(),
        "cores": usable_cores(),
        "memory_bytes": memory_bytes(),
        "kernel": platform.release(),
        "file_system": filesystem.stdout.strip(),
        "load_average_at_start": os.getloadavg()[0],
        "commit": commit.stdout.strip(),
        "date": time.strftime("%Y-%m-%d"),
    }


def load_warning():
    """A sentence when others are at work, else an empty text. Ask before a run, not after."""
    load = os.getloadavg()[0]
    if load < 0.25 * usable_cores():
        return ""
    return (f"The machine was loaded (load average {load:.1f} on {usable_cores()} cores at the "
            "start): compare CPU seconds, not seconds.")


def busy_seconds():
    """CPU seconds that all processes have used so far."""
    with open("/proc/stat") as lines:
        fields = [int(n) for n in lines.readline().split()[1:9]]
    idle = fields[3] + fields[4]
    return (sum(fields) - idle) / os.sysconf("SC_CLK_TCK")


def copy_bytes_per_second():
    """One thread's memcpy, buffers beyond any cache."""
    source, target = (ctypes.create_string_buffer(COPY_BYTES) for _ in range(2))
    ctypes.memset(source, 1, COPY_BYTES)
    ctypes.memset(target, 1, COPY_BYTES)
    rates = []
    for _ in range(LIMIT_RUNS):
        start = time.perf_counter()
        ctypes.memmove(target, source, COPY_BYTES)
        rates.append(COPY_BYTES / (time.perf_counter() - start))
    return statistics.median(rates)


def read_bytes_per_second(path, cached):
    """Reading a file from start to end, from the page cache or from the disk."""
    rates = []
    block = bytearray(READ_BLOCK_BYTES)
    for _ in range(LIMIT_RUNS if cached else 1):
        descriptor = os.open(path, os.O_RDONLY)
        try:
            size = os.fstat(descriptor).st_size
            if not cached:
                os.fsync(descriptor)  # what was just written would stay in memory
                os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
            start = time.perf_counter()
            while os.readv(descriptor, [block]) > 0:
                pass
            rates.append(size / (time.perf_counter() - start))
        finally:
            os.close(descriptor)
    return statistics.median(rates)


def limits(path):
    """Bytes per second that this machine gives, measured now with the file at `path`. In a process
    of its own: the kernel counts the peak RSS of whoever starts a program as the program's."""
    ended = subprocess.run([sys.executable, __file__, path], capture_output=True, text=True,
                           check=True)
    return json.loads(ended.stdout)


if __name__ == "__main__":
    print(json.dumps({"disk_read": read_bytes_per_second(sys.argv[1], cached=False),
                      "cached_read": read_bytes_per_second(sys.argv[1], cached=True),
                      "copy": copy_bytes_per_second()}))
