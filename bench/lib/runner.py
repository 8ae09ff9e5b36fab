# SPDX-License-Identifier: Apache-2.0
"""Runs programs and measures them by what the kernel says of them when they end."""
import dataclasses
import os
import statistics
import subprocess
import tempfile
import threading
import time

from . import machine

BLOCK_BYTES = 512  # of ru_oublock


@dataclasses.dataclass
class Ended:
    """One process. peak_rss_bytes is the kernel's figure (wait4), which is never below that of the
    process that started it: this runner imports nothing large."""
    code: int
    seconds: float
    cpu_seconds: float
    peak_rss_bytes: int
    others_share: float  # of the machine's CPU, used by other processes meanwhile
    written_bytes: int   # that it made dirty in files, by the kernel's count
    output: str
    errors: str


def run(command, environment=None, folder=None, timeout_seconds=None):
    """Runs to the end, with output to files, so that no pipe slows it. What takes longer than the
    timeout is killed: its code is -SIGKILL."""
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        busy, start = machine.busy_seconds(), time.perf_counter()
        process = subprocess.Popen([str(part) for part in command], stdin=subprocess.DEVNULL,
                                   stdout=output, stderr=errors, cwd=folder,
                                   env={**os.environ, **(environment or {})})
        timer = threading.Timer(timeout_seconds or threading.TIMEOUT_MAX, process.kill)
        timer.daemon = True
        timer.start()
        _, status, usage = os.wait4(process.pid, 0)
        timer.cancel()
        seconds = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        cpu_seconds = usage.ru_utime + usage.ru_stime
        others = max(0.0, machine.busy_seconds() - busy - cpu_seconds)
        output.seek(0)
        errors.seek(0)
        return Ended(process.returncode, seconds, cpu_seconds, usage.ru_maxrss * 1024,
                     min(1.0, others / (seconds * machine.usable_cores() + 1e-9)),
                     usage.ru_oublock * BLOCK_BYTES,
                     output.read().decode(errors="replace"), errors.read().decode(errors="replace"))


@dataclasses.dataclass
class Spread:
    """Median, least and most of at least one figure."""
    median: float
    least: float
    most: float
    count: int

    @staticmethod
    def of(figures):
        return Spread(statistics.median(figures), min(figures), max(figures), len(figures))


class Failed(Exception):
    """A program did not do what was asked; the text says which and why."""


def run_well(command, **options):
    try:
        ended = run(command, **options)
    except OSError as error:
        raise Failed(f"cannot start {command[0]}: {error.strerror}") from error
    if ended.code != 0:
        raise Failed(f"exit code {ended.code}: {' '.join(map(str, command))}\n"
                     f"{ended.output[-1000:]}{ended.errors[-2000:]}")
    return ended
