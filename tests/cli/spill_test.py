#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sorting, grouping and writing files beyond the memory budget: limits, full and missing disks,
interruptions. Whatever happens, nothing is left on disk, and the next statement works."""
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import time

import program
from program import DATA, ORDERS, WHEELPIT, Folder, check, environment, run, wait_until

sys.path.insert(0, str(DATA.parent))
import parquet_writer  # noqa: E402

MANY = " UNION ALL ".join([f"SELECT * FROM {ORDERS}"] * 40)
ROWS = 40 * 20_000
SMALL = ("sql", "--format", "csv", "--threads", "2", "--memory", "36MiB", "--event-log", "none")
SORTED = f"SELECT id, name FROM ({MANY}) AS u ORDER BY price, name, id LIMIT 1 OFFSET {ROWS - 1}"
GROUPED = f"SELECT count(*) FROM (SELECT id + price AS k, name, n FROM (SELECT *, 1 AS n FROM ({MANY})) AS u GROUP BY id + price, name, n) AS g"


def test_what_does_not_fit_is_spilled_and_the_answer_is_the_same():
    with Folder() as folder:
        for query in (SORTED, GROUPED):
            small = run(*SMALL, "--stats", "--spill-dir", str(folder), "-c", query)
            large = run(*SMALL[:-4], "--memory", "1GiB", "--event-log", "none", "--stats", "-c", query)
            check(small.code == 0 and small.out == large.out, (small, large))
            check('"spill_bytes_written":0,' in large.err, large)
        check(not os.listdir(folder), os.listdir(folder))


def test_a_sort_says_that_it_has_spilled():
    with Folder() as folder:
        outcome = run(*SMALL, "--stats", "--spill-dir", str(folder), "-c", SORTED)
        check(outcome.code == 0 and '"spill_bytes_written":0,' not in outcome.err, outcome)


def test_the_spill_limit_is_an_error_that_names_it():
    with Folder() as folder:
        outcome = run(*SMALL, "--spill-dir", str(folder), "--spill-limit", "1MB", "-c", SORTED)
        check(outcome.code == 3, outcome)
        for part in ("spill limit of query '1'", "1 MB allowed", "in use", "spill.limit"):
            check(part in outcome.err, (part, outcome))
        check(not os.listdir(folder), os.listdir(folder))


def test_ten_million_groups_and_ten_million_rows_of_one_in_32_mib():
    with Folder() as folder:
        (folder / "spill").mkdir()
        for number in range(500):
            (folder / f"table/k={number}").mkdir(parents=True)
            os.symlink(DATA / "orders.parquet", folder / f"table/k={number}/orders.parquet")
        query = f"""SELECT count(*), sum(n), min(k), max(k), sum(m) FROM (SELECT id + 20000 * k AS k, count(*) AS n,
            max(id) AS m FROM '{folder}/table' GROUP BY id + 20000 * k) AS g"""
        outcome = run("sql", "--format", "csv", "--threads", "2", "--memory", "32MiB", "--event-log", "none",
                      "--spill-dir", str(folder / "spill"), "-c", query)
        count, of_ids = 10_000_000, 500 * sum(range(20_000))
        check(outcome.code == 0 and outcome.out.endswith(f"\n{count},{count},0,{count - 1},{of_ids}\n"), outcome)
        check(not os.listdir(folder / "spill"), os.listdir(folder / "spill"))
        outcome = run("sql", "--format", "csv", "--threads", "2", "--memory", "32MiB", "--event-log", "none", "-c",
                      f"SELECT id * 0 AS z, count(*) AS n, sum(id) AS s FROM '{folder}/table' GROUP BY id * 0")
        check(outcome.code == 0 and outcome.out == f"z,n,s\n0,{count},{of_ids}\n", outcome)


def test_two_processes_share_a_spill_directory_and_no_limit():
    with Folder() as folder:
        right = run(*SMALL[:-4], "--memory", "1GiB", "--event-log", "none", "-c", SORTED)
        both = [start(folder, SORTED, stdout=subprocess.PIPE) for _ in range(2)]
        for process in both:
            out, err = process.communicate(timeout=120)
            check(process.returncode == 0 and out.decode() == right.out, (process.returncode, err))
        check(not os.listdir(folder), os.listdir(folder))
        # One that may spill little beside one that may spill all.
        free = start(folder, SORTED, stdout=subprocess.PIPE)
        bound = run(*SMALL, "--spill-dir", str(folder), "--spill-limit", "1MB", "-c", SORTED)
        out, err = free.communicate(timeout=120)
        check(bound.code == 3 and "spill limit" in bound.err, bound)
        check(free.returncode == 0 and out.decode() == right.out, (free.returncode, err))
        check(not os.listdir(folder), os.listdir(folder))


def write_texts(path, count, size):
    """Rows (id, text) of texts that differ only at their ends, ids falling; the ids in the texts' order."""
    chance = random.Random(11)
    ids = list(range(count))
    texts = [b"x" * (size - 8) + f"{chance.randrange(10**8):08}".encode() for _ in ids]
    parquet_writer.write(path, [("id", "INT64"), ("text", "STRING")], [[[i], [t]] for i, t in zip(ids, texts)])
    return sorted(ids, key=lambda i: texts[i])


def test_strings_of_a_megabyte_are_sorted_grouped_and_counted():
    count, size = 100, 1_000_000
    with Folder() as folder:
        (folder / "spill").mkdir()
        order = write_texts(folder / "long.parquet", count, size)
        table = f"'{folder}/long.parquet'"
        for query, answer in (
                (f"SELECT id, length(text) AS n FROM {table} ORDER BY text",
                 "id,n\n" + "".join(f"{i},{size}\n" for i in order)),
                (f"SELECT count(*) AS n, min(m) AS a, max(m) AS b FROM (SELECT text, max(id) AS m FROM {table} "
                 "GROUP BY text) AS g", f"n,a,b\n{count},0,{count - 1}\n"),
                (f"SELECT count(DISTINCT text) AS n FROM {table}", f"n\n{count}\n")):
            outcome = run("sql", "--format", "csv", "--threads", "2", "--memory", "64MiB", "--event-log", "none",
                          "--stats", "--spill-dir", str(folder / "spill"), "-c", query)
            check(outcome.code == 0 and outcome.out == answer, (query, outcome))
            check('"spill_bytes_written":0,' not in outcome.err, outcome)
        check(not os.listdir(folder / "spill"), os.listdir(folder / "spill"))


def run_with_what_it_names(folder, query, answer):
    """Gives the query the memory that it names, again where it then names more."""
    memory, named = "36MiB", []
    while True:
        outcome = run("sql", "--format", "csv", "--threads", "2", "--memory", memory, "--event-log", "none",
                      "--spill-dir", str(folder), "-c", query)
        if outcome.code == 0:
            check(named and outcome.out == answer, outcome)
            return
        check(outcome.code == 3 and outcome.out == "" and "memory.limit" in outcome.err, outcome)
        needed = re.findall(r"(?:at least|limit of) ([0-9.]+) MiB", outcome.err)
        check(needed and len(named) < 12 and float(needed[-1]) > max(named, default=36), (named, outcome))
        named.append(float(needed[-1]))
        memory = f"{needed[-1]}MiB"


def test_a_row_or_group_that_is_larger_than_the_budget_says_what_it_needs():
    with Folder() as folder:
        order = write_texts(folder / "huge.parquet", 3, 20_000_000)
        table = f"'{folder}/huge.parquet'"
        for query, answer in (
                (f"SELECT id FROM {table} ORDER BY text", "id\n" + "".join(f"{i}\n" for i in order)),
                (f"SELECT max(id) AS m, count(*) AS n FROM {table} GROUP BY text ORDER BY m", "m,n\n0,1\n1,1\n2,1\n"),
                (f"SELECT id, length(max(text)) AS n FROM {table} GROUP BY id ORDER BY id",
                 "id,n\n" + "".join(f"{i},20000000\n" for i in range(3)))):
            run_with_what_it_names(folder, query, answer)


def test_a_missing_spill_directory_is_named_when_it_is_needed():
    outcome = run(*SMALL, "--spill-dir", "/nonexistent/spill", "-c", SORTED)
    check(outcome.code != 0 and "/nonexistent/spill" in outcome.err, outcome)
    outcome = run(*SMALL, "--spill-dir", "/nonexistent/spill", "-c", "SELECT 1 AS one")
    check(outcome.code == 0, outcome)


def test_a_target_is_written_whole_or_not_at_all():
    with Folder() as folder:
        target = folder / "out.csv"
        target.write_text("old\n")
        failing = f"COPY (SELECT id, 1 / (id - 19000) AS x FROM {ORDERS}) TO '{target}'"
        outcome = run(*SMALL, "-c", failing)
        check(outcome.code == 1 and "id - 19000" in outcome.err, outcome)
        check(target.read_text() == "old\n" and os.listdir(folder) == ["out.csv"], os.listdir(folder))
        outcome = run(*SMALL, "-c", f"COPY (SELECT 7 AS seven) TO '{target}'")
        check(outcome.code == 0 and target.read_text() == "seven\n7\n", outcome)
        check(os.listdir(folder) == ["out.csv"], os.listdir(folder))


def test_a_target_that_is_read_is_refused():
    with Folder() as folder:
        target = folder / "rows.parquet"
        check(run(*SMALL, "-c", f"COPY {ORDERS} TO '{target}'").code == 0, target)
        before = target.read_bytes()
        (folder / "link.parquet").symlink_to(target)
        for name in ("rows.parquet", "link.parquet", "./rows.parquet"):
            outcome = run(*SMALL, "-c", f"COPY (SELECT id FROM '{target}') TO '{folder}/{name}'")
            check(outcome.code == 1 and "read by the query" in outcome.err, outcome)
        check(target.read_bytes() == before, "the file has changed")


def start(folder, query, stdout=subprocess.DEVNULL):
    return subprocess.Popen([WHEELPIT, *SMALL, "--spill-dir", str(folder), "-c", query],
                            env=environment(), stdout=stdout, stderr=subprocess.PIPE)


def has_spilled(process):
    """Whether an unnamed file is open."""
    return any(" (deleted)" in path and "wheelpit" in path for path in program.open_paths(process))


def test_an_interrupt_while_spilling_ends_the_query_and_leaves_nothing():
    with Folder() as folder:
        process = start(folder, SORTED)
        wait_until(lambda: has_spilled(process) or process.poll() is not None, "a spill file")
        process.send_signal(signal.SIGINT)
        errors = process.communicate(timeout=20)[1]
        check(process.returncode == 130, (process.returncode, errors))
        check(not os.listdir(folder), os.listdir(folder))


def test_a_killed_process_leaves_no_name_and_no_byte():
    """At random times, while it spills and while it writes its file."""
    with Folder() as folder:
        spill, out = folder / "spill", folder / "out"
        spill.mkdir()
        out.mkdir()
        (out / "rows.parquet").write_bytes(b"old")
        rounds = int(os.environ.get("WHEELPIT_KILL_ROUNDS", "50"))
        chance = random.Random(7)
        query = f"COPY (SELECT * FROM ({MANY}) AS u ORDER BY price, name) TO '{out}/rows.parquet'"
        started = time.monotonic()
        whole = start(spill, query)
        check(whole.wait(60) == 0, "the query that is killed later")
        seconds = time.monotonic() - started
        written = (out / "rows.parquet").read_bytes()
        for _ in range(rounds):
            process = start(spill, query)
            time.sleep(chance.uniform(0, seconds))
            process.kill()
            process.communicate()
            check(not os.listdir(spill), os.listdir(spill))
            left = [name for name in os.listdir(out) if name != "rows.parquet"]
            # Between the link and the rename of a file that is replaced there is a name.
            check(all(name.startswith(".wheelpit-") for name in left), left)
            for name in left:
                pathlib.Path(out, name).unlink()
            check((out / "rows.parquet").read_bytes() == written, "the old file")


program.run_tests(globals())
