# SPDX-License-Identifier: Apache-2.0
"""From Ctrl-C to the end of the program, in each phase of a query."""
import fcntl
import os
import pathlib
import pty
import random
import signal
import subprocess
import tempfile
import termios
import time

from bench.lib import engines, report, runner

ROUNDS = 15
FILES = 60_000
TARGET_SECONDS = 0.200
SEEN_WITHIN_SECONDS = 60
SPREAD_SECONDS = 0.020
SOURCE = engines.ROOT / "tests/data/cli/orders.parquet"
SUMS = 'SELECT sum(price), min(name), max(day) FROM "{table}"'
GET_PIPE_SIZE = 1032  # F_GETPIPE_SZ


def make_table(folder, files):
    """One file by many names: quick to make, slow to list, plan and scan."""
    folder.mkdir()
    first = folder / "0.parquet"
    first.write_bytes(SOURCE.read_bytes())
    for i in range(1, files):
        os.link(first, folder / f"{i}.parquet")
    return folder


def open_paths(pid):
    try:
        entries = os.listdir(f"/proc/{pid}/fd")
    except OSError:
        return []
    paths = []
    for entry in entries:
        try:
            paths.append(os.readlink(f"/proc/{pid}/fd/{entry}"))
        except OSError:
            pass  # closed meanwhile
    return paths


def wait_until(condition, what):
    end = time.monotonic() + SEEN_WITHIN_SECONDS
    while not condition():
        if time.monotonic() > end:
            raise runner.Failed(f"waited {SEEN_WITHIN_SECONDS} s for {what}")
        time.sleep(0.0005)


def end_by_signal(process):
    """Seconds from the signal to the end."""
    time.sleep(random.random() * SPREAD_SECONDS)
    if process.poll() is not None:
        raise runner.Failed(f"it ended with {process.returncode} before the signal")
    start = time.perf_counter()
    process.send_signal(signal.SIGINT)
    process.wait()
    return time.perf_counter() - start


def interrupt(text, stdout, stderr, seen):
    """Runs a statement until `seen(process)`, then interrupts it: seconds to its end."""
    process = subprocess.Popen(
        [engines.PROGRAM, "sql", "--format", "csv", "--stats", "-c", text], stdin=subprocess.DEVNULL,
        stdout=stdout, stderr=stderr)
    try:
        seen(process)
        seconds = end_by_signal(process)
    finally:
        process.kill()
        process.wait()
    if process.returncode != 130:
        raise runner.Failed(f"it ended with {process.returncode} instead of 130")
    return seconds


def with_errors_in_a_file(text, seen, agrees):
    """(seconds, whether the query stopped by itself)"""
    with tempfile.TemporaryFile("w+") as errors:
        seconds = interrupt(text, subprocess.DEVNULL, errors, seen)
        errors.seek(0)
        stats = engines.stats_lines(errors.read())
    if stats and not agrees(stats[0]):
        raise runner.Failed(f"it was interrupted in another phase: {stats[0]}")
    return seconds, bool(stats)


def while_listing(table):
    return with_errors_in_a_file(
        SUMS.format(table=table),
        lambda process: wait_until(lambda: str(table) in open_paths(process.pid), "an open directory"),
        lambda stats: stats["files_read"] == 0)


def while_planning(table):
    return with_errors_in_a_file(
        SUMS.format(table=table),
        lambda process: wait_until(
            lambda: any(path.endswith(".parquet") for path in open_paths(process.pid)), "an open file"),
        lambda stats: stats["footers_read"] > 0 and stats["files_read"] == 0)


def while_scanning(table, files):
    master, terminal = pty.openpty()
    os.set_blocking(master, False)
    shown = bytearray()

    def is_shown(text):
        try:
            shown.extend(os.read(master, 65536))
        except BlockingIOError:
            pass  # nothing new
        return text in shown
    try:
        seconds = interrupt(
            SUMS.format(table=table), subprocess.DEVNULL, terminal,
            lambda process: wait_until(
                lambda: is_shown(f"of {files} files".encode()) or process.poll() is not None,
                "a progress line"))
        return seconds, is_shown(b"was cancelled")
    finally:
        os.close(master)
        os.close(terminal)


def while_writing():
    reader, writer = os.pipe()

    def is_full():
        waiting = fcntl.ioctl(reader, termios.FIONREAD, bytes(4))
        return int.from_bytes(waiting, "little") > fcntl.fcntl(reader, GET_PIPE_SIZE) - 4096
    try:
        seconds = interrupt(f'SELECT * FROM "{SOURCE}"', writer, subprocess.DEVNULL,
                            lambda process: wait_until(is_full, "a full pipe"))
        return seconds, False
    finally:
        os.close(reader)
        os.close(writer)


def while_asleep():
    return end_by_signal(subprocess.Popen(["sleep", "60"])), False


def run(options, _):
    rounds, files = (2, FILES // 2) if options.smoke else (ROUNDS, FILES)
    rows, figures = [], {}
    with tempfile.TemporaryDirectory(prefix="wheelpit_interrupt_") as folder:
        table = make_table(pathlib.Path(folder) / "table", files)
        phases = {"listing": lambda: while_listing(table), "planning": lambda: while_planning(table),
                  "scanning": lambda: while_scanning(table, files),
                  "writing to a full pipe": while_writing,
                  "(a process that sleeps)": while_asleep}
        for name, phase in phases.items():
            ended = [phase() for _ in range(rounds)]
            seconds = runner.Spread.of([s for s, _ in ended])
            figures[name] = seconds
            rows.append([name, *(f"{s * 1000:.1f}" for s in (seconds.median, seconds.least, seconds.most)),
                         f"{sum(by_itself for _, by_itself in ended)} of {rounds}"])
    text = report.table(["while", f"ms, median of {rounds}", "least", "most", "the query stopped by itself"],
                        rows)
    return text + f"\n\nWanted: at most {TARGET_SECONDS * 1000:.0f} ms.", figures, [], 1
