#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C in each phase of a statement that spills: it ends soon with 130, spill directories are
empty, and a target is the old file, or the whole new one where it had its name already. WHEELPIT_SPILL_MB says how much has been
spilled by then (default 64; 1000 on request)."""
import base64
import contextlib
import os
import random
import signal
import subprocess
import sys
import time

import program
from program import DATA, WHEELPIT, Folder, check, environment, wait_until

sys.path.insert(0, str(DATA.parent))
import parquet_writer  # noqa: E402

SPILLED_BYTES = int(os.environ.get("WHEELPIT_SPILL_MB", "64")) * 1_000_000
ROWS, TEXT_BYTES = 8, 1 << 17  # of a file
FILES = SPILLED_BYTES * 5 // 4 // (ROWS * TEXT_BYTES) + 48  # what is spilled and what stays in memory
WHOLE_BYTES = FILES * ROWS * (TEXT_BYTES + len("123456789,\n"))  # of the file, about
OLD = "old\n"
ENDS_WITHIN_SECONDS = 10
SEEN_WITHIN_SECONDS = 300


@contextlib.contextmanager
def statement(text, stdout=subprocess.DEVNULL):
    """Runs `text`, with {table} and {target}, until Ctrl-C; gives (process, folder)."""
    with Folder() as folder:
        chance = random.Random(5)
        for name in ("table", "spill", "out"):
            (folder / name).mkdir()
        first = folder / "table/0.parquet"
        # Texts that no codec makes smaller.
        parquet_writer.write(first, [("id", "INT64"), ("text", "STRING")],
                             [[[chance.randrange(10**9) for _ in range(ROWS)],
                               [base64.b64encode(chance.randbytes(TEXT_BYTES * 3 // 4)) for _ in range(ROWS)]]])
        for number in range(1, FILES):
            os.link(first, folder / f"table/{number}.parquet")
        (folder / "out/rows.csv").write_text(OLD)
        process = subprocess.Popen(
            [WHEELPIT, "sql", "--format", "csv", "--threads", "2", "--memory", "40MiB", "--event-log", "none",
             "--spill-dir", str(folder / "spill"), "-c",
             text.format(table=folder / "table", target=folder / "out/rows.csv")],
            stdout=stdout, stderr=subprocess.PIPE, env=environment())
        try:
            yield process, folder
        finally:
            process.kill()
            process.communicate()


def unnamed_bytes(process, folder):
    """Bytes of the files without a name that it has open in the folder."""
    total = 0
    try:
        for entry in os.listdir(f"/proc/{process.pid}/fd"):
            path = f"/proc/{process.pid}/fd/{entry}"
            try:
                if os.readlink(path).startswith(f"{folder}/"):
                    total += os.stat(path).st_size
            except OSError:
                pass  # closed meanwhile
    except OSError:
        pass  # ended
    return total


def wait_for(process, condition, what):
    wait_until(lambda: condition() or process.poll() is not None, what, SEEN_WITHIN_SECONDS)


def interrupt(process, folder, may_be_done=False):
    """Sends Ctrl-C and checks what is left."""
    check(may_be_done or process.poll() is None, (process.poll(), "it ended before the signal"))
    process.send_signal(signal.SIGINT)
    errors = process.communicate(timeout=ENDS_WITHIN_SECONDS)[1]
    check(process.returncode == 130 or may_be_done and process.returncode == 0, (process.returncode, errors))
    check(not os.listdir(folder / "spill"), os.listdir(folder / "spill"))
    check(os.listdir(folder / "out") == ["rows.csv"], os.listdir(folder / "out"))
    target = folder / "out/rows.csv"
    if may_be_done and target.stat().st_size > len(OLD):
        check(abs(target.stat().st_size - WHOLE_BYTES) < FILES * ROWS * 10, (target.stat().st_size, WHOLE_BYTES))
    else:
        check(process.returncode == 130 and target.read_text() == OLD, "the old file has changed")


COPY = 'COPY (SELECT * FROM "{table}" ORDER BY id, text) TO \'{target}\''


def test_while_scanning():
    with statement(COPY) as (process, folder):
        wait_for(process, lambda: any(path.endswith(".parquet") for path in program.open_paths(process)), "a scan")
        interrupt(process, folder)


def test_while_spilling():
    with statement(COPY) as (process, folder):
        wait_for(process, lambda: unnamed_bytes(process, folder / "spill") >= SPILLED_BYTES, "spilled bytes")
        check(unnamed_bytes(process, folder / "out") == 0, "it writes already")
        interrupt(process, folder)


def test_while_merging():
    """Rows have begun to come out, and nobody reads on."""
    with statement('SELECT * FROM "{table}" ORDER BY id, text', stdout=subprocess.PIPE) as (process, folder):
        check(process.stdout.read(1) == b"i", "the name of the column")
        check(unnamed_bytes(process, folder / "spill") >= SPILLED_BYTES, "too little was spilled")
        process.stdout.read(TEXT_BYTES)
        interrupt(process, folder)


def test_while_writing():
    with statement(COPY) as (process, folder):
        wait_for(process, lambda: unnamed_bytes(process, folder / "out") >= SPILLED_BYTES // 2, "written bytes")
        interrupt(process, folder)


def test_at_the_end_of_copy():
    """When nearly all is written: until the file gets its name, and after."""
    for after in (0, 0.02, 0.1):
        with statement(COPY) as (process, folder):
            wait_for(process, lambda: unnamed_bytes(process, folder / "out") >= WHOLE_BYTES - (4 << 20), "the last bytes")
            time.sleep(after)
            interrupt(process, folder, may_be_done=True)


program.run_tests(globals())
