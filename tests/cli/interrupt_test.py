#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C while listing, planning, scanning and writing: the program ends soon, with code 130, tells
what happened, and leaves nothing. Each phase is seen before the signal is sent. How soon is measured
by bench/suites/interrupt; the bound here only tells ending from hanging."""
import os
import signal
import subprocess
import time

import program
from program import (DATA, ORDERS, WHEELPIT, Folder, check, environment, in_terminal, many_files,
                     open_paths, wait_until)

ENDS_WITHIN_SECONDS = 10


class Query:
    """The program with one statement and a place for temporary files."""

    def __init__(self, folder, text, *options, stdout=subprocess.PIPE):
        self.temporary = folder / "temporary"
        self.temporary.mkdir()
        self.process = subprocess.Popen(
            [WHEELPIT, "sql", "--format", "csv", "--spill-dir", str(self.temporary), *options, "-c", text],
            stdout=stdout, stderr=subprocess.PIPE, env=environment(TMPDIR=str(self.temporary)))

    def wait_for_open(self, condition, what):
        """Until it has a path open for which `condition` is true."""
        wait_until(lambda: self.process.poll() is not None or any(map(condition, open_paths(self.process))), what)

    def interrupt(self, number=signal.SIGINT):
        """Sends the signal; what it printed by then and until its end."""
        check(self.process.poll() is None, "it ended before the signal")
        self.process.send_signal(number)
        try:
            out, err = self.process.communicate(timeout=ENDS_WITHIN_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise AssertionError("still running")
        check(os.listdir(self.temporary) == [], os.listdir(self.temporary))
        return self.process.returncode, out or b"", err.decode()


def check_cancelled(ended, code=130):
    # It ends by itself and says so, or is ended when that takes too long.
    returned, out, err = ended
    check(returned == code and out == b"" and err in ("the query was cancelled\n", ""), ended)


def fill(folder, count):
    """A table that takes seconds to query and little to make: one file by many names."""
    folder.mkdir()
    first = folder / "0.parquet"
    first.write_bytes((DATA / "orders.parquet").read_bytes())
    for i in range(1, count):
        os.link(first, folder / f"{i}.parquet")
    return folder


FILES = 30_000
SUMS = "SELECT sum(price), min(name), max(day)"


def test_while_listing():
    with Folder() as folder:
        table = fill(folder / "table", FILES)
        query = Query(folder, f'{SUMS} FROM "{table}"')
        query.wait_for_open(lambda path: path == str(table), "the directory to be open")
        check_cancelled(query.interrupt())


def test_while_planning():
    with Folder() as folder:
        table = fill(folder / "table", FILES)
        query = Query(folder, f'{SUMS} FROM "{table}"')
        query.wait_for_open(lambda path: path.endswith(".parquet"), "a footer to be read")
        check_cancelled(query.interrupt())


def test_while_scanning_with_the_key_on_a_terminal():
    with Folder() as folder:
        table = fill(folder / "table", FILES)
        # The progress line names the number of files once it is known, when the plan is made.
        known = f"of {FILES} files"
        outcome = in_terminal(["sql", "--threads", "2", "-c", f'{SUMS} FROM "{table}"'], columns=120,
                              keys=(known.encode(), b"\x03"), seconds=120)
        check(outcome.code == 130 and known in outcome.out and "sum(price)" not in outcome.out, outcome)


def test_while_writing_to_a_blocked_pipe():
    with Folder() as folder:
        reader, writer = os.pipe()
        query = Query(folder, f"SELECT * FROM {ORDERS}", stdout=writer)
        program.wait_for_full_pipe(reader)
        check_cancelled(query.interrupt())
        os.close(reader)
        os.close(writer)


def test_the_signal_to_terminate_ends_with_143_wherever_it_comes():
    with Folder() as folder:
        table = fill(folder / "table", FILES)
        query = Query(folder, f'{SUMS} FROM "{table}"')
        query.wait_for_open(lambda path: path.endswith(".parquet"), "a footer to be read")
        check_cancelled(query.interrupt(signal.SIGTERM), code=143)


def test_at_any_moment():
    with Folder() as folder:
        many_files(folder, 4000)
        hit = 0
        for after in (0.005, 0.02, 0.05, 0.1, 0.2, 0.4):
            process = subprocess.Popen([WHEELPIT, "sql", "-c", f'{SUMS} FROM "{folder}"'],
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment())
            time.sleep(after)
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=ENDS_WITHIN_SECONDS)
            hit += process.returncode == 130
            # Before the handler is there the signal ends the program by itself.
            check(process.returncode in (0, 130, -signal.SIGINT), (after, process.returncode, err))
            check(process.returncode == 0 or out == b"", (after, out))
        check(hit >= 1, hit)


program.run_tests(globals())
