#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the program says about statements: places in the text, and the way out."""
import json
import random

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


# --- damaged files

def with_arrow_schema(whole, value):
    """The file with key-value metadata: in Thrift, field 5 of the footer, before the writer's name."""
    name_at = whole.rindex(b"parquet-cpp-arrow")
    at = name_at - 2
    assert whole[at] == 0x28, "two fields on from the row groups"
    key = b"ARROW:schema"
    metadata = (bytes([0x19, 0x1C, 0x18, len(key)]) + key + bytes([0x18, len(value)]) + value + bytes([0]))
    footer_bytes = int.from_bytes(whole[-8:-4], "little") + len(metadata)
    return (whole[:at] + metadata + bytes([0x18]) + whole[at + 1:-8] + footer_bytes.to_bytes(4, "little") + b"PAR1")


def test_a_damaged_copy_of_arrows_schema_hurts_nobody():
    whole = (DATA.parent / "nested.parquet").read_bytes()
    with Folder() as folder:
        for value in (b"not base64!", b"QUJDREVGR0g=", b"/////wAAAAA=", b""):
            (folder / "a.parquet").write_bytes(with_arrow_schema(whole, value))
            outcome = sql(f"SELECT items, pair, lookup FROM '{folder}/a.parquet'")
            check(outcome.code == 0 and "{k -> 1}" in outcome.out, (value, outcome))


def test_every_error_of_a_files_bytes_names_the_file():
    random.seed(5)
    whole = (DATA.parent / "nested.parquet").read_bytes()
    with Folder() as folder:
        for at in random.sample(range(len(whole)), 120):
            damaged = bytearray(whole)
            damaged[at] ^= 1 << random.randrange(8)
            (folder / "a.parquet").write_bytes(damaged)
            outcome = sql(f"SELECT items, pair, lookup FROM '{folder}/a.parquet'")
            if "there is no column" in outcome.err:
                continue  # the flip is in its name
            refused = "not supported" in outcome.err or "cannot be read" in outcome.err
            check(outcome.code in (0, 1 if refused else 4), (at, outcome))
            check(outcome.code == 0 or "a.parquet" in outcome.err.split("\n")[0], (at, outcome))


# --- settings

def test_a_setting_that_is_read_at_the_start_is_not_set_in_silence():
    for name, flag in (("memory.limit", "--memory"), ("compute.threads", "--threads"), ("io.threads", "--io-threads"),
                       ("spill.directories", "--spill-dir"), ("spill.process_limit", "configuration file")):
        outcome = sql(f"SET {name} = 1")
        check(outcome.code == 2 and name in outcome.err and flag in outcome.err and not outcome.out, outcome)
    outcome = sql("SET spill.limit = 1GB", "--spill-limit", "2GB")
    check(outcome.code == 2 and "--spill-limit" in outcome.err, outcome)


def test_a_setting_applies_to_the_next_statement():
    outcome = run("sql", "-c", f"SET output.max_rows = 2; SELECT id FROM {ORDERS}; RESET output.max_rows; SHOW output.max_rows")
    check(outcome.code == 0 and "2 shown" in outcome.out and "10000" in outcome.out, outcome)
    outcome = sql("SET session.time_zone = '+02:00'; SELECT CAST(TIMESTAMP'2020-01-01 00:00:00Z' AS STRING) AS t")
    check(outcome.out.endswith("t\n2020-01-01 02:00:00\n"), outcome)


# --- figures

def test_the_figures_of_time_are_counted():
    stats = json.loads(sql(f"SELECT sum(price) FROM {ORDERS} WHERE id > 3", "--stats").err)
    check(stats["plan_nanos"] > 0 and stats["list_nanos"] > 0 and stats["compute_nanos"] > 0, stats)
    check(abs(stats["plan_nanos"] / 1e9 - stats["plan_seconds"]) < 0.001, stats)


program.run_tests(globals())
