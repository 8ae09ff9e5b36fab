#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tables on a terminal: no line is wider than it, every title shown can be read."""
import json

import program
from program import DATA, check, in_terminal, run

TYPES = f'"{DATA.parent}/types.parquet"'


def lines_of(outcome):
    return [line for line in outcome.out.replace("\r", "").split("\n") if "\x1b" not in line]


def test_a_table_of_many_columns_fits_and_says_what_is_left_out():
    described = run("sql", "--format", "ndjson", "-c", f"DESCRIBE {TYPES}").out.splitlines()
    names = [json.loads(line)["col_name"] for line in described]
    for columns in (40, 80, 120):
        outcome = in_terminal(["sql", "-c", f"SELECT * FROM {TYPES} LIMIT 3"], columns=columns)
        lines = lines_of(outcome)
        check(outcome.code == 0 and all(len(line) <= columns for line in lines if not line.startswith("(")), outcome)
        check(f"(3 rows; {len(names)} columns, " in outcome.out, outcome)
        header = next(line for line in lines if line.startswith(names[0]))
        titles = [title.strip() for title in header.split("|")]
        gap = titles.index("…")
        check(titles[:gap] == names[:gap] and titles[gap + 1:] == names[len(names) - (len(titles) - gap - 1):], outcome)


def test_a_table_in_a_pipe_is_never_cut():
    outcome = run("sql", "-c", f"SELECT * FROM {TYPES} LIMIT 3")
    check("…" not in outcome.out and outcome.out.endswith("\n(3 rows)\n"), outcome)


program.run_tests(globals())
