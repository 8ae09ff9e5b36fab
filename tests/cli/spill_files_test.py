#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Spilled data has no names in any directory: doctor --spill and SIGUSR1 show it."""
import json
import os
import signal
import subprocess

import program
from program import ORDERS, WHEELPIT, Folder, check, environment, run, wait_until

MANY = " UNION ALL ".join([f"SELECT * FROM {ORDERS}"] * 40)


def start(*directories):
    """Has spilled before its first row, and is then held up by a pipe that nobody reads."""
    spill = [word for name in directories for word in ("--spill-dir", str(name))]
    return subprocess.Popen(
        [WHEELPIT, "sql", "--format", "csv", "--threads", "2", "--memory", "36MiB", "--event-log", "none", *spill,
         "-c", f"SELECT id, name FROM ({MANY}) AS u ORDER BY price, name, id"],
        env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def files_of(process):
    outcome = run("doctor", "--spill", "--json")
    check(outcome.code == 0, outcome)
    return [file for file in json.loads(outcome.out) if file["process"] == process.pid]


def test_doctor_lists_what_a_live_process_holds():
    with Folder() as folder:
        process = start(folder)
        try:
            wait_until(lambda: any(file["bytes"] > 1_000_000 for file in files_of(process)), "a megabyte spilled")
            files = files_of(process)
            check(len(files) == 1 and not os.listdir(folder), files)
            check(files[0]["command"] == "wheelpit" and files[0]["query"] == "1", files)
            check(files[0]["directory"] == os.path.realpath(folder) and files[0]["bytes"] > 1_000_000, files)
            table = run("doctor", "--spill")
            check(table.code == 0 and str(process.pid) in table.out and str(folder) in table.out, table)
            check(all(len(line) <= 80 + len(str(folder)) for line in table.out.splitlines()), table)
        finally:
            process.kill()
            process.communicate()
        check(not files_of(process), files_of(process))


def test_nothing_spilled_is_said_in_words():
    outcome = run("doctor", "--spill")
    check(outcome.code == 0 and outcome.out, outcome)


def test_a_signal_prints_the_same_of_one_process_and_stops_nothing():
    with Folder() as folder:
        process = start(folder)
        try:
            wait_until(lambda: files_of(process), "a spill file")
            process.send_signal(signal.SIGUSR1)
            text = os.read(process.stderr.fileno(), 4096).decode()
            check(str(process.pid) in text and str(folder) in text, text)
            check(process.poll() is None, process.returncode)
        finally:
            out, err = process.communicate(timeout=60)  # reads on
        check(process.returncode == 0 and out.count(b"\n") == 40 * 20_000 + 1, (process.returncode, err))


def test_the_report_says_how_much_went_to_which_directory():
    with Folder() as folder:
        names = [folder / "a", folder / "b"]
        for name in names:
            name.mkdir()
        outcome = run("sql", "--threads", "2", "--memory", "36MiB", "--event-log", "none", "--report", "--format",
                      "csv", "--spill-dir", str(names[0]), "--spill-dir", str(names[1]), "-c",
                      f"SELECT id, name FROM ({MANY}) AS u ORDER BY price, name, id LIMIT 1 OFFSET 799999")
        check(outcome.code == 0, outcome)
        line = next(line for line in outcome.err.splitlines() if line.startswith("spilled"))
        check(str(names[0]) in line or str(names[1]) in line, line)


program.run_tests(globals())
