#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the program says about statements: places in the text, and the way out."""
import json

import program
from program import DATA, ORDERS, Folder, check, run, sql

BOM = "\ufeff"


def check_place(outcome, line, column):
    lines = outcome.err.split("\n")
    check(outcome.code == 1 and f"line {line}, column {column}" in lines, (line, column, outcome))
    caret = next(i for i, text in enumerate(lines) if text.strip("^ ") == "" and "^" in text)
    check(lines[caret - 1][lines[caret].index("^"):].startswith("nosuch"), outcome)


# --- places

def test_the_place_of_an_error_is_that_in_the_whole_text():
    texts = (("SELECT 1; SELECT 2; SELECT 3; SELECT nosuch", 1, 38),
             ("SELECT 1;\nSELECT 2;\n\n-- three\nSELECT nosuch;\n", 5, 8),
             ("SELECT 1;\r\nSELECT ';' AS a; SELECT nosuch", 2, 25),
             (BOM + "SELECT nosuch", 1, 8),
             (BOM + "\n;;SELECT 1;\n  SELECT nosuch", 3, 10))
    for text, line, column in texts:
        check_place(sql(text), line, column)
        check_place(run("sql", "--format", "csv", "-", stdin=text), line, column)
        with Folder() as folder:
            (folder / "a.sql").write_bytes(text.encode())
            check_place(run("sql", "--format", "csv", "-f", str(folder / "a.sql")), line, column)
    check_place(run("sql", "-c", "SELECT 1", "-c", "SELECT 2; SELECT nosuch"), 1, 18)


def test_a_byte_order_mark_begins_no_statement():
    check(sql(BOM + "SELECT 1 AS a").out == "a\n1\n", sql(BOM + "SELECT 1 AS a"))
    check(sql(f"SELECT '{BOM}' AS a").out == f"a\n{BOM}\n", "inside")


# --- nested values

def test_nested_values_are_json_in_ndjson_and_sparks_text_elsewhere():
    nested = f"SELECT items, pair, lookup FROM '{DATA.parent}/nested.parquet'"
    outcome = run("sql", "--format", "ndjson", "-c", nested)
    rows = [json.loads(line) for line in outcome.out.splitlines()]
    check(rows == [{"items": [1, 2], "pair": {"x": 1, "y": "a"}, "lookup": {"k": 1}},
                   {"items": [], "pair": None, "lookup": {}},
                   {"items": None, "pair": {"x": None, "y": "b"}, "lookup": None}], outcome)
    outcome = sql(nested)
    check(outcome.out == 'items,pair,lookup\n"[1, 2]","{1, a}",{k -> 1}\n[],,{}\n,"{null, b}",\n', outcome)


program.run_tests(globals())
