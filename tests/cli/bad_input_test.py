#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Bad and extreme input through the program: each error has its exit code, names the object and says
what to do; nothing of it is on standard output; nothing is left behind."""
import ctypes
import os
import random
import re
import resource
import shutil
import subprocess
import sys

import program
from program import DATA, ORDERS, WHEELPIT, Folder, Outcome, check, environment, open_paths, run

TABLES = DATA.parent
sys.path.insert(0, str(TABLES))
import parquet_writer  # noqa: E402


def sql(text, *options, **keywords):
    """Runs one statement with a place for temporary files that must be empty afterwards."""
    with Folder() as temporary:
        outcome = run("sql", "--format", "csv", "--spill-dir", str(temporary), *options, "-c", text,
                      env=environment(TMPDIR=str(temporary)), **keywords)
        check(os.listdir(temporary) == [], (os.listdir(temporary), outcome))
        return outcome


def check_refused(outcome, code, *words):
    check(outcome.code == code and outcome.out == "" and all(w in outcome.err for w in words)
          and "\x1b" not in outcome.err and outcome.err.endswith("\n"), (code, words, outcome))


# --- files

def test_a_missing_path():
    check_refused(sql('SELECT * FROM "/nonexistent/x.parquet"'), 1, "/nonexistent/x.parquet")
    check_refused(sql('SELECT * FROM "/nonexistent/*.parquet"'), 1, "/nonexistent/*.parquet")


def test_an_empty_directory():
    with Folder() as folder:
        check_refused(sql(f'SELECT * FROM "{folder}"'), 1, str(folder), "no Parquet file")


def as_one_who_may_not(text):
    """Runs a statement without the right to pass over permissions, which root has."""
    drop_from_bounding_set, overrides = 24, (1, 2)  # PR_CAPBSET_DROP; CAP_DAC_OVERRIDE, …_READ_SEARCH
    libc = ctypes.CDLL(None)

    def drop():
        for capability in overrides:
            libc.prctl(drop_from_bounding_set, capability, 0, 0, 0)

    done = subprocess.run([WHEELPIT, "sql", "--format", "csv", "-c", text], capture_output=True, timeout=60,
                          env=environment(), preexec_fn=drop)
    return Outcome(done.returncode, done.stdout.decode(), done.stderr.decode())


def test_an_unreadable_file_and_directory():
    with Folder() as folder:
        shutil.copy(DATA / "one.parquet", folder / "forbidden.parquet")
        os.chmod(folder / "forbidden.parquet", 0)
        for path in (folder, folder / "forbidden.parquet"):
            check_refused(as_one_who_may_not(f'SELECT x FROM "{path}"'), 1, "forbidden.parquet",
                          "Permission denied")
        os.mkdir(folder / "closed", 0)
        check_refused(as_one_who_may_not(f'SELECT x FROM "{folder}/closed"'), 1, "closed", "Permission denied")


def test_files_that_are_not_parquet_or_damaged():
    for name, words in (("not_parquet", ("not a Parquet file", "leave it out")),
                        ("only_magic", ("not a Parquet file",)),
                        ("short", ("not a Parquet file",)),
                        ("truncated", ("not finished", "write it again")),
                        ("footer_flipped", ("footer", "write it again")),
                        ("footer_too_long", ("footer", "more than the file")),
                        ("page_flipped", ("row group 0", "column", "write it again")),
                        ("page_header_flipped", ("row group 0", "column", "write it again"))):
        outcome = sql(f'SELECT * FROM "{TABLES}/corrupt/{name}.parquet"')
        check_refused(outcome, 4, f"{name}.parquet", *words)


def test_flipped_bytes_end_well_wherever_they_are():
    whole = (DATA / "orders.parquet").read_bytes()
    pick = random.Random(20260101)
    refused = 0
    with Folder() as folder:
        for _ in range(40):
            damaged = bytearray(whole)
            at = pick.randrange(len(whole))
            damaged[at:at + 4] = pick.randbytes(4)
            (folder / "damaged.parquet").write_bytes(damaged)
            outcome = sql(f'SELECT count(id), sum(price), max(name), min(day), max(l_quantity) FROM '
                          f'"{folder}/damaged.parquet"')
            # Values that are merely other values, or no dates any more, are nobody's to tell.
            check(outcome.code in (0, 1, 4), (at, outcome))
            if outcome.code != 0:
                refused += 1
                check(outcome.out == "" and "damaged.parquet" in outcome.err, (at, outcome))
    check(refused > 0, refused)


def test_types_that_differ_between_files():
    check_refused(sql(f'SELECT * FROM "{TABLES}/conflict"'), 1, "'id'", "a.parquet", "b.parquet", "int", "string", "write one kind again")


def test_tables_of_lake_formats_are_refused_until_asked_for():
    for name in ("delta", "hudi", "iceberg"):
        lake = f'"{TABLES}/lakes/{name}"'
        check_refused(sql(f"SELECT count(*) FROM {lake}"), 1, name, "index.read_table_formats")
        outcome = sql(f"SET index.read_table_formats = true; SELECT count(*) AS n FROM {lake}")
        check(outcome.code == 0 and outcome.out.endswith("n\n2\n"), outcome)


# --- statements and values

def test_errors_of_statements_name_the_column_or_expression():
    for text, words in (
            (f"SELECT l_quantiti FROM {ORDERS}", ("l_quantiti", "did you mean l_quantity?")),
            (f'SELECT key FROM "{TABLES}/ambiguous.parquet"', ("KEY",)),
            (f"SELECT a.id FROM (SELECT id, id FROM {ORDERS}) a", ("id", "ambiguous")),
            ("SELECT 2147483647 + 1", ("ARITHMETIC_OVERFLOW", "2147483647 + 1")),
            (f"SELECT id * 9223372036854775807 FROM {ORDERS}", ("ARITHMETIC_OVERFLOW", "id * ")),
            (f"SELECT CAST(name AS INT) FROM {ORDERS}", ("CAST_INVALID_INPUT", "'name 0'", "try_cast")),
            (f"SELECT id / (id - 7) FROM {ORDERS}", ("DIVIDE_BY_ZERO", "id / (id - 7)"))):
        outcome = sql(text)
        check(outcome.code == 1 and outcome.out == "" and all(w in outcome.err for w in words), (text, outcome))
        if "ambiguous.parquet" not in text:  # that one is about a file
            check("^" in outcome.err, (text, outcome))


def test_a_budget_that_is_too_small_says_what_is_enough():
    count = f"SELECT count(*) AS n FROM {ORDERS} WHERE id > 3"
    outcome = sql(count, "--memory", "4MiB", "--threads", "2")
    check_refused(outcome, 3, "at least", "memory.limit")
    least = re.search(r"at least (\d+) MiB", outcome.err).group(1)
    outcome = sql(count, "--memory", f"{least}MiB", "--threads", "2")
    check(outcome.code == 0 and outcome.out == "n\n19996\n", outcome)


# --- extremes

def test_ten_thousand_files_of_one_row():
    with Folder() as folder:
        for i in range(10_000):
            parquet_writer.write(folder / f"{i:05}.parquet", [("id", "INT64")], [[[i]]])
        # Few descriptors: not one for each file.
        outcome = sql(f'SELECT count(*), sum(id), min(id), max(id) FROM "{folder}"', "--memory", "64MiB",
                      limits={resource.RLIMIT_NOFILE: 64})
        check(outcome.code == 0 and outcome.out.endswith("\n10000,49995000,0,9999\n"), outcome)
        outcome = sql(f'SELECT id FROM "{folder}"', "--memory", "64MiB")
        check(outcome.out == "id\n" + "".join(f"{i}\n" for i in range(10_000)), outcome)


def test_a_file_of_two_thousand_columns():
    with Folder() as folder:
        names = [f"c{i}" for i in range(2000)]
        parquet_writer.write(folder / "wide.parquet", [(name, "INT64") for name in names],
                             [[[i, -i] for i in range(2000)]])
        table = f'"{folder}/wide.parquet"'
        outcome = sql(f"SELECT c1234 FROM {table}")
        check(outcome.out == "c1234\n1234\n-1234\n", outcome)
        outcome = sql(f"SELECT * FROM {table}", "--memory", "64MiB")
        lines = [",".join(names), ",".join(str(i) for i in range(2000)), ",".join(str(-i) for i in range(2000))]
        check(outcome.code == 0 and outcome.out == "\n".join(lines) + "\n", outcome)
        check_refused(sql(f"SELECT c2000 FROM {table}"), 1, "c2000", "did you mean c", "^")


def test_a_string_of_100_megabytes():
    size = 100_000_000
    with Folder() as folder:
        parquet_writer.write(folder / "long.parquet", [("id", "INT64"), ("text", "STRING")],
                             [[[7], [b"x" * size]]])
        table = f'"{folder}/long.parquet"'
        outcome = sql(f"SELECT id, length(text) AS n, text FROM {table}", "--memory", "1GiB")
        check(outcome.code == 0 and outcome.out == f"id,n,text\n7,{size},{'x' * size}\n", outcome)
        # Who does not ask for the string does not pay for it.
        check(sql(f"SELECT id FROM {table}", "--memory", "64MiB").out == "id\n7\n", "the other column")
        for memory in (64, 128, 256):
            outcome = sql(f"SELECT count(*) FROM {table} WHERE text > 'a'", "--memory", f"{memory}MiB")
            check_refused(outcome, 3, "long.parquet", "'text'", "needs at least", f"limit is {memory} MiB",
                          "memory.limit")


# --- files that change while they are read

GROUP_ROWS = 1000


def make_table(folder, files, groups):
    """Files of a megabyte for ten row groups, ids from 0 on."""
    folder.mkdir()
    first = 0
    for number in range(files):
        parts = []
        for _ in range(groups):
            parts.append([list(range(first, first + GROUP_ROWS)), [b"x" * 100] * GROUP_ROWS])
            first += GROUP_ROWS
        parquet_writer.write(folder / f"{number:02}.parquet", [("id", "INT64"), ("text", "STRING")], parts)


class HeldScan:
    """A scan that has begun and cannot go on: nobody reads its output, and it reads ahead less than
    what is left."""

    def __init__(self, folder, source):
        (folder / "settings").write_text("scan.prefetch_bytes = 64KiB\n")
        self.temporary = folder / "temporary"
        self.temporary.mkdir()
        self.process = subprocess.Popen(
            [WHEELPIT, "sql", "--format", "csv", "--threads", "1", "--memory", "64MiB", "--config",
             str(folder / "settings"), "--spill-dir", str(self.temporary), "-c",
             f'SELECT id, text FROM "{source}"'],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(TMPDIR=str(self.temporary)))
        program.wait_for_full_pipe(self.process.stdout)

    def end(self):
        """Reads the rest: (outcome without the rows, how many rows came out)."""
        out, err = self.process.communicate(timeout=60)
        check(os.listdir(self.temporary) == [], os.listdir(self.temporary))
        lines = out.decode().split("\n")
        # Whole rows only, in order, without a gap.
        check(lines[0] == "id,text" and lines[-1] == "", lines[:2] + lines[-2:])
        check(lines[1:-1] == [f"{i},{'x' * 100}" for i in range(len(lines) - 2)], lines[-3:])
        return Outcome(self.process.returncode, "", err.decode()), len(lines) - 2


def check_change(change, code, *words):
    """Changes the last file while the scan is held before it."""
    with Folder() as folder:
        make_table(folder / "table", files=24, groups=10)
        victim = folder / "table/23.parquet"
        scan = HeldScan(folder, folder / "table")
        check(str(victim) not in open_paths(scan.process), "the scan is at the last file already")
        change(victim)
        outcome, rows = scan.end()
        check_refused(outcome, code, str(victim), "run the query again", *words)
        check(rows <= 230 * GROUP_ROWS, rows)


def test_without_a_change_the_held_scan_gives_every_row():
    with Folder() as folder:
        make_table(folder / "table", files=24, groups=10)
        outcome, rows = HeldScan(folder, folder / "table").end()
        check(outcome.code == 0 and outcome.err == "" and rows == 240 * GROUP_ROWS, (rows, outcome))


def test_a_file_deleted_during_the_scan():
    check_change(os.unlink, 1, "removed since it was listed")


def test_a_file_truncated_during_the_scan():
    check_change(lambda path: os.truncate(path, 1000), 4, "it has 1000 bytes", "cut short")


def test_a_file_emptied_during_the_scan():
    check_change(lambda path: os.truncate(path, 0), 4, "it has 0 bytes", "cut short")


def test_a_file_replaced_during_the_scan():
    def replace(path):
        shutil.copy(DATA / "orders.parquet", path.with_name("next"))
        os.rename(path.with_name("next"), path)
    check_change(replace, 4, "when it was listed")


def check_change_of_one_file(change):
    """Changes the only file, from the middle of which the scan is far."""
    with Folder() as folder:
        make_table(folder / "table", files=1, groups=240)
        file = folder / "table/00.parquet"
        scan = HeldScan(folder, file)
        change(file)
        return (file, *scan.end())


def test_the_file_that_is_being_read_truncated():
    file, outcome, rows = check_change_of_one_file(lambda path: os.truncate(path, path.stat().st_size // 2))
    check_refused(outcome, 4, str(file), "cut short", "run the query again")
    check(rows <= 120 * GROUP_ROWS, rows)


def test_the_file_that_is_being_read_deleted():
    file, outcome, rows = check_change_of_one_file(os.unlink)
    if outcome.code == 0:  # who has it open still reads all of it
        check(rows == 240 * GROUP_ROWS and outcome.err == "", (rows, outcome))
    else:
        check_refused(outcome, 1, str(file), "removed since it was listed")


program.run_tests(globals())
