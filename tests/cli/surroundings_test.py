#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Where the program stands: tables of other formats around the working directory."""
import os
import shutil

import program
from program import DATA, Folder, check, run


def count(path, cwd):
    return run("sql", "--format", "csv", "-c", f"SELECT count(*) FROM '{path}'", cwd=cwd)


def make_delta(folder):
    (folder / "lake/delta/_delta_log").mkdir(parents=True)
    (folder / "lake/delta/p=1").mkdir()
    shutil.copy(DATA / "orders.parquet", folder / "lake/delta/p=1/a.parquet")
    return folder / "lake/delta/p=1"


def test_a_relative_path_inside_another_formats_table_is_refused():
    with Folder() as folder:
        inside = make_delta(folder)
        for cwd, path in ((inside, "a.parquet"), (inside, "*.parquet"), (inside, "."), (inside, "../p=1"),
                          (inside.parent, "p=1"), (inside.parent, "p=1/a.parquet"), (inside.parent, "p*")):
            outcome = count(path, cwd)
            check(outcome.code == 1 and "Delta" in outcome.err and "index.read_table_formats" in outcome.err,
                  (path, outcome))


def test_a_path_out_of_another_formats_table_is_read():
    with Folder() as folder:
        inside = make_delta(folder)
        (folder / "lake/plain").mkdir()
        shutil.copy(DATA / "orders.parquet", folder / "lake/plain/a.parquet")
        for cwd, path in ((inside.parent, "../plain"), (inside, "../../plain/a.parquet"),
                          (folder, "lake/delta/../plain")):
            outcome = count(path, cwd)
            check(outcome.code == 0, (path, outcome))


def test_directories_that_may_not_be_searched_do_not_hide_what_is_below():
    if os.getuid() == 0:
        return  # may search everything
    with Folder() as folder:
        below = folder / "closed/below"
        below.mkdir(parents=True)
        shutil.copy(DATA / "orders.parquet", below / "a.parquet")
        previous = os.getcwd()
        os.chdir(below)
        os.chmod(folder / "closed", 0)
        try:
            outcome = count("a.parquet", None)
            check(outcome.code == 0, outcome)
        finally:
            os.chmod(folder / "closed", 0o700)
            os.chdir(previous)


program.run_tests(globals())
