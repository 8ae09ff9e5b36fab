#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The program as a person meets it: exit codes, streams, terminals, closed pipes."""
import json
import os
import pathlib
import shutil
import subprocess
import tempfile

import program
from program import (DATA, ORDERS, WHEELPIT, Folder, check, environment, in_terminal, many_files, run,
                     sql)


# --- usage

def test_version_and_help_go_to_stdout_with_code_0():
    check(run("--version").out.startswith("wheelpit 0."), run("--version"))
    for arguments in (["--help"], ["sql", "--help"], ["doctor", "--help"]):
        outcome = run(*arguments)
        check(outcome.code == 0 and "xit codes" in outcome.out and not outcome.err, outcome)
    check("Examples" in run("sql", "--help").out, run("sql", "--help"))


def test_usage_errors_have_code_2_and_say_what_to_do():
    for arguments in ([], ["nothing"], ["sql"], ["sql", "--what"], ["sql", "-c", "SELECT 1", "--format", "xml"],
                      ["sql", "-c", "SELECT 1", "--memory", "lots"], ["sql", "-c", "SELECT 1", "--threads", "0"],
                      ["sql", "SELECT 1"], ["sql", "-f", "/nonexistent/file.sql"]):
        outcome = run(*arguments)
        check(outcome.code == 2 and outcome.err and not outcome.out, (arguments, outcome))


def test_statements_come_from_command_file_and_standard_input():
    with Folder() as folder:
        (folder / "a.sql").write_text("SELECT 1 AS a; -- one\nSELECT 2 AS a;\n")
        check(run("sql", "--format", "csv", "-f", str(folder / "a.sql")).out == "a\n1\na\n2\n", "file")
    check(run("sql", "--format", "csv", "-", stdin="SELECT ';' AS a;;").out == "a\n;\n", "stdin")
    check(run("sql", "--format", "csv", "-c", "SELECT 1 AS a", "-c", "SELECT 2 AS b").out == "a\n1\nb\n2\n", "-c twice")


# --- results

def test_count_with_a_filter():
    outcome = sql(f"SELECT count(*) AS n, min(id), max(id), sum(l_quantity) AS s FROM {ORDERS} WHERE l_quantity > 49")
    check(outcome.code == 0 and outcome.out == "n,min(id),max(id),s\n400,21,19971,20000.00\n" and not outcome.err, outcome)


def test_ndjson_and_table():
    outcome = run("sql", "--format", "ndjson", "-c", f"SELECT id, l_quantity, day, name FROM {ORDERS} LIMIT 1 OFFSET 3")
    check(json.loads(outcome.out) == {"id": 3, "l_quantity": 8.0, "day": "1992-01-04", "name": None}, outcome)
    outcome = run("sql", "-c", f"SELECT id FROM {ORDERS} LIMIT 2")
    check(outcome.out == "id\n--\n 0\n 1\n(2 rows)\n", outcome)


def test_the_report_is_on_stderr_and_only_when_asked_for():
    outcome = sql(f"SELECT count(*) FROM {ORDERS} WHERE id < 10", "--report")
    lines = outcome.err.splitlines()
    check(lines[0].startswith("took ") and lines[0].endswith(", 1 row"), outcome)
    check(" of 1 of 1 file, 1 of 4 row groups, " in lines[1], outcome)
    check(any(line.startswith("stage ") and line.endswith(" s, 1 task") for line in lines[2:]), outcome)
    check(sql(f"SELECT count(*) FROM {ORDERS}").err == "", outcome)


def test_stats_is_one_line_of_json_on_stderr():
    outcome = sql(f"SELECT count(*) FROM {ORDERS} WHERE id < 10", "--stats")
    stats = json.loads(outcome.err)
    check(outcome.err.count("\n") == 1 and stats["rows"] == 1 and stats["row_groups_pruned"] == 3
          and stats["row_groups_read"] == 1 and stats["files_read"] == 1 and stats["peak_rss_bytes"] > 10_000_000
          and stats["bytes_read"] > 0 and stats["seconds"] > 0, outcome)


def test_file_names_in_all_three_spellings():
    for name in (ORDERS, f"'{DATA}/orders.parquet'", f"parquet.`{DATA}/orders.parquet`"):
        check(sql(f"SELECT count(*) AS n FROM {name}").out == "n\n20000\n", name)


def test_odd_names():
    for name in ("with space", "per%cent", "per%20cent", "a=b", "co:lon", "new\nline", "quote'", 'dou"ble', "日本", "-dash"):
        with Folder() as folder:
            path = folder / f"{name}.parquet"
            shutil.copy(DATA / "one.parquet", path)
            outcome = sql(f"SELECT x FROM parquet.`{path}`")
            check(outcome.out == "x\n1\n", (name, outcome))
            outcome = sql(f"SELECT count(*) AS n FROM parquet.`{folder}`")
            check(outcome.out == "n\n1\n", (name, outcome))


def test_names_that_are_not_utf8():
    with Folder() as folder:
        shutil.copy(DATA / "one.parquet", os.fsencode(folder) + b"/\xff\xfe.parquet")
        check(sql(f'SELECT count(*) AS n FROM "{folder}"').out == "n\n1\n", "listing")
        (folder / "bad.parquet").write_bytes(b"not parquet at all")
        os.rename(folder / "bad.parquet", os.fsencode(folder) + b"/\xff\x1b[2J.parquet")
        outcome = sql(f'SELECT count(*) AS n FROM "{folder}"')
        check(outcome.code in (1, 4) and "\x1b" not in outcome.err, outcome)


def test_no_rows_and_no_files():
    check(sql(f'SELECT x FROM "{DATA}/none.parquet"').out == "x\n", "no rows")
    check(sql(f'SELECT count(*) AS n, max(x) AS m FROM "{DATA}/none.parquet"').out == "n,m\n0,\n", "no rows")
    with Folder() as folder:
        outcome = sql(f'SELECT * FROM "{folder}"')
        check(outcome.code == 1 and str(folder) in outcome.err, outcome)


def test_explain_describe_set_show():
    outcome = sql(f"EXPLAIN SELECT count(*) FROM {ORDERS} WHERE l_quantity > 49")
    check(outcome.code == 0 and "l_quantity" in outcome.out, outcome)
    outcome = sql(f"EXPLAIN ANALYZE SELECT count(*) FROM {ORDERS} WHERE l_quantity > 49")
    check(outcome.code == 0 and "row_groups_read" in outcome.out, outcome)
    outcome = sql(f"DESCRIBE {ORDERS}")
    check('l_quantity,"decimal(15,2)"' in outcome.out and "day,date" in outcome.out, outcome)
    outcome = sql("SET output.max_rows = 3; SHOW OUTPUT.max_rows")
    check("3" in outcome.out and "SET" in outcome.out, outcome)
    check("memory.limit" in sql("SHOW ALL").out, "SHOW ALL")


def test_intervals_are_text():
    query = "SELECT INTERVAL '1-2' YEAR TO MONTH AS a, TIMESTAMP'2020-01-02 03:00:00' - TIMESTAMP'2020-01-01 00:00:00' AS b"
    a, b = "INTERVAL '1-2' YEAR TO MONTH", "INTERVAL '1 03:00:00' DAY TO SECOND"
    check(sql(query).out == f"a,b\n{a},{b}\n", "csv")
    check(json.loads(run("sql", "--format", "ndjson", "-c", query).out) == {"a": a, "b": b}, "ndjson")
    check(a in run("sql", "--format", "table", "-c", query).out, "table")


def test_the_time_zone_is_that_of_tz():
    berlin = environment(TZ="Europe/Berlin")
    instant = "SELECT CAST(TIMESTAMP'2020-07-01 10:00:00Z' AS STRING) AS t"
    check(sql(instant, env=berlin).out == "t\n2020-07-01 12:00:00\n", "Berlin")
    outcome = sql("SHOW session.time_zone", env=berlin)
    check("Europe/Berlin" in outcome.out and "environment" in outcome.out, outcome)
    outcome = sql(f"SET TIME ZONE 'PST'; {instant}", env=berlin)
    check("2020-07-01 03:00:00" in outcome.out, outcome)
    # No database, as on a bare system: the error says what is missing.
    outcome = sql("SELECT 1", env=environment(TZ="Europe/Berlin", TZDIR="/nonexistent"))
    check(outcome.code == 2 and "Europe/Berlin" in outcome.err and "tzdata" in outcome.err, outcome)
    texts = "VALUES ('2020-01-01 00:00:00 Europe/Berlin') AS t(s)"
    outcome = sql(f"SELECT TRY_CAST(s AS TIMESTAMP) FROM {texts}", env=environment(TZDIR="/nonexistent"))
    check(outcome.code == 1 and "Europe/Berlin" in outcome.err and "tzdata" in outcome.err, outcome)


# --- errors

def test_errors_of_the_statement_have_code_1_and_a_caret():
    for text, wanted in ((f"SELECT l_quantiti FROM {ORDERS}", "l_quantity"),
                         ("SELEC 1", "SELEC"),
                         (f"SELECT id + 'x' FROM {ORDERS}", "x"),
                         (f"SELECT id / 0 FROM {ORDERS}", "id / 0"),
                         (f"SELECT * FROM {ORDERS} JOIN x", "not supported yet"),
                         ("SELECT 1 +", "ends here")):
        outcome = sql(text)
        check(outcome.code == 1 and "^" in outcome.err and wanted.lower() in outcome.err.lower(), (text, outcome))
        # The message is wrapped by the terminal; the line and its caret must fit.
        check(all(len(line) <= 80 for line in outcome.err.split("\n")[1:]) and not outcome.out, (text, outcome))


def test_errors_of_files_name_them():
    with Folder() as folder:
        cases = {"missing.parquet": 1}
        whole = (DATA / "orders.parquet").read_bytes()
        for name, content, code in (("text.parquet", b"a,b\n1,2\n" * 5, 4), ("cut.parquet", whole[:len(whole) // 2], 4),
                                    ("footer.parquet", whole[:-2000] + bytes(1992) + whole[-8:], 4)):
            (folder / name).write_bytes(content)
            cases[name] = code
        for name, code in cases.items():
            outcome = sql(f'SELECT count(id) FROM "{folder}/{name}"')
            check(outcome.code == code and name in outcome.err, (name, outcome))


def test_output_to_a_full_disk_has_code_3():
    with open("/dev/full", "w") as full:
        done = subprocess.run([WHEELPIT, "sql", "-c", "SELECT 1"], stdout=full, stderr=subprocess.PIPE, env=environment())
    check(done.returncode == 3 and b"No space left" in done.stderr, done)


def test_a_budget_that_is_too_small_says_the_least():
    outcome = sql(f"SELECT count(*) FROM {ORDERS} WHERE id > 3", "--memory", "4MiB", "--threads", "8")
    check(outcome.code == 3 and "MiB" in outcome.err, outcome)


# --- pipes and terminals

def test_a_closed_pipe_ends_quietly():
    command = f"'{WHEELPIT}' sql --format csv -c 'SELECT * FROM {ORDERS}' | head -2; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, env=environment(), timeout=60)
    check(done.stdout.decode().split("\n")[2] == "0" and not done.stderr, done)


def test_a_pipe_gets_no_progress_and_no_escapes():
    with Folder() as folder:
        many_files(folder, 500)
        outcome = sql(f'SELECT sum(price) FROM "{folder}"')
        check(outcome.code == 0 and not outcome.err and "\x1b" not in outcome.out and "\r" not in outcome.out, outcome)


def test_a_table_fits_a_terminal_of_80_columns():
    outcome = in_terminal(["sql", "-c", f"SELECT *, name AS other_name, name AS third_name, name AS fourth FROM {ORDERS} LIMIT 3"])
    lines = outcome.out.replace("\r", "").split("\n")
    check(outcome.code == 0 and all(len(line) <= 80 for line in lines), outcome)


# --- spilling

def test_a_query_that_does_not_spill_makes_no_call_about_spilling():
    if shutil.which("strace") is None:
        return  # a package of `make deps-ci`
    with tempfile.TemporaryDirectory() as name:
        folders = [f"{name}/spill{i}" for i in range(8)]
        for folder in folders:
            os.mkdir(folder)
        log = f"{name}/calls"
        done = subprocess.run(
            ["strace", "-f", "-o", log, WHEELPIT, "sql", "-c", f"SELECT sum(id) FROM {ORDERS}",
             *(part for folder in folders for part in ("--spill-dir", folder))],
            capture_output=True, timeout=60, env=environment())
        calls = pathlib.Path(log).read_text(errors="replace")
        # The command line itself is shown by the first call.
        about = [line for line in calls.splitlines() if f"{name}/spill" in line and "execve(" not in line]
        check(done.returncode == 0 and "orders.parquet" in calls and not about, (done, about))


def test_spill_directories_come_from_the_first_variable_that_names_some():
    with tempfile.TemporaryDirectory(dir="/var/tmp") as name:
        outcome = run("doctor", env=environment(SPARK_LOCAL_DIRS=f"{name},/nowhere", TMPDIR="/tmp"))
        check(f"unnamed files in {name}" in outcome.out and "$SPARK_LOCAL_DIRS" in outcome.out
              and "(environment)" in outcome.out, outcome)
        outcome = sql("SHOW spill.directories", env=environment(LOCAL_DIRS=name))
        check(f"{name},environment" in outcome.out, outcome)


# --- doctor

def test_doctor_shows_values_with_sources():
    outcome = run("doctor", "--memory", "100MB")
    check(outcome.code == 0 and "memory.limit" in outcome.out and "(flag)" in outcome.out
          and "unnamed files" in outcome.out, outcome)
    check(isinstance(json.loads(run("doctor", "--json").out), list), "json")
    outcome = run("doctor", "--spill-dir", "/nonexistent/x")
    check(outcome.code == 0 and "->" in outcome.out, outcome)


program.run_tests(globals())
