#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""COPY … TO and --format: every format and codec, read back by ours and by other libraries; targets
that exist, are read, are linked, or cannot be."""
import ctypes
import json
import os
import stat
import subprocess

import program
from program import DATA, ORDERS, WHEELPIT, Folder, Outcome, check, environment, run

TABLES = DATA.parent
PYTHON = TABLES.parent.parent / ".venv/bin/python3"  # tools/python_env
# Each type, nulls, nested values, several row groups.
SOURCES = ("types", "types_v2", "nested", "row_groups", "encodings")
CODECS = ("none", "snappy", "zstd", "gzip", "lz4")


def sql(text, *options, **keywords):
    return run("sql", "--event-log", "none", *options, "-c", text, **keywords)


def copy(query, target, options=""):
    outcome = sql(f"COPY ({query}) TO '{target}' {options}", "--format", "csv")
    check(outcome.code == 0 and outcome.out.startswith("rows,bytes\n"), (query, target, outcome))
    rows, size = map(int, outcome.out.splitlines()[1].split(","))
    check(size == os.stat(target).st_size, (size, os.stat(target).st_size))
    return rows


def rows_of(path):
    """Its values and types as ours reads them."""
    values, types = sql(f'SELECT * FROM "{path}"', "--format", "ndjson"), sql(f'DESCRIBE "{path}"', "--format", "csv")
    check(values.code == 0 and types.code == 0, (values, types))
    return values.out, types.out


def source(name):
    return TABLES / f"{name}.parquet"


COMPARE = """
import json, sys
import duckdb, pyarrow as pa, pyarrow.ipc, pyarrow.parquet as pq

def values(table):
    return {name: repr(table.column(name).to_pylist()) for name in table.column_names}

for original, written in json.loads(sys.argv[1]):
    expected = values(pq.read_table(original))
    if written.endswith(".arrow"):
        found = values(pa.ipc.open_file(written).read_all())
    else:
        pq.ParquetFile(written).metadata
        found = values(pq.read_table(written))
        count = duckdb.execute(f"SELECT count(*) FROM '{written}'").fetchone()[0]
        assert count == pq.ParquetFile(original).metadata.num_rows, (written, count)
        theirs, ours = (repr(duckdb.execute(f"SELECT * FROM '{path}'").fetchall()) for path in (original, written))
        assert theirs == ours, (written, theirs[:500], ours[:500])
    for name in expected:
        assert expected[name] == found[name], (written, name, expected[name][:300], found[name][:300])
print("same")
"""


def compare_elsewhere(pairs):
    """Reads (original, written) files with pyarrow and DuckDB."""
    if not PYTHON.exists():
        if os.environ.get("WHEELPIT_INTEROP_REQUIRED"):
            raise AssertionError(f"no {PYTHON}; tools/python_env makes it")
        raise program.Skipped(f"no {PYTHON}, so that nobody else can read the files")
    done = subprocess.run([PYTHON, "-c", COMPARE, json.dumps([[str(a), str(b)] for a, b in pairs])],
                          capture_output=True, text=True, timeout=120)
    check(done.stdout == "same\n", (done.stdout, done.stderr))


# --- formats

def test_each_codec_of_parquet_gives_every_value_back():
    with Folder() as folder:
        pairs = []
        for name in SOURCES:
            expected = rows_of(source(name))
            for codec in CODECS:
                target = folder / f"{name}-{codec}.parquet"
                copy(f'SELECT * FROM "{source(name)}"', target, f"(CODEC {codec})")
                check(rows_of(target) == expected, (name, codec, rows_of(target)[0][:1000]))
                pairs.append((source(name), target))
        compare_elsewhere(pairs)


def test_arrow_files_are_what_others_read():
    with Folder() as folder:
        pairs = []
        for name in SOURCES:
            for codec in ("none", "zstd", "lz4"):
                target = folder / f"{name}-{codec}.arrow"
                copy(f'SELECT * FROM "{source(name)}"', target, f"(CODEC {codec})")
                pairs.append((source(name), target))
        compare_elsewhere(pairs)


def test_formats_on_standard_output_are_those_of_copy():
    extensions = {"csv": "csv", "json": "json", "ndjson": "ndjson", "markdown": "md", "parquet": "parquet"}
    with Folder() as folder:
        for name in SOURCES:
            query = f'SELECT * FROM "{source(name)}"'
            for kind, extension in extensions.items():
                copy(query, folder / f"copied.{extension}")
                with open(folder / "printed.parquet", "wb") as out:
                    done = subprocess.run([WHEELPIT, "sql", "--event-log", "none", "--format", kind, "-c", query],
                                          stdout=out, stderr=subprocess.PIPE, env=environment(), timeout=60)
                check(done.returncode == 0 and done.stderr == b"", (name, kind, done))
                if kind == "parquet":
                    check(rows_of(folder / "printed.parquet") == rows_of(source(name)), name)
                else:
                    printed = (folder / "printed.parquet").read_bytes()
                    check(printed == (folder / f"copied.{extension}").read_bytes(), (name, kind, printed[:300]))


def test_json_is_what_a_parser_reads():
    with Folder() as folder:
        count = copy(f'SELECT * FROM "{source("types")}"', folder / "a.json")
        lines = copy(f'SELECT * FROM "{source("types")}"', folder / "a.ndjson")
        whole = json.loads((folder / "a.json").read_text())
        each = [json.loads(line) for line in (folder / "a.ndjson").read_text().splitlines()]
        check(len(whole) == count == lines and repr(whole) == repr(each), whole[:2])


def test_options_of_csv():
    with Folder() as folder:
        query = "SELECT * FROM VALUES (1, 'a;b', NULL), (2, NULL, 'NA') AS t(x, y, z)"
        copy(query, folder / "a.csv", "(HEADER false, DELIMITER ';', NULL_TEXT 'NA')")
        check((folder / "a.csv").read_text() == '1;"a;b";NA\n2;NA;"NA"\n', (folder / "a.csv").read_text())
        copy(query, folder / "a.tsv")
        check((folder / "a.tsv").read_text() == "x\ty\tz\n1\ta;b\t\n2\t\tNA\n", (folder / "a.tsv").read_text())


def test_row_groups_have_the_rows_that_are_asked_for():
    with Folder() as folder:
        for rows in (1, 999, 1000, 50_000):
            target = folder / f"{rows}.parquet"
            copy(f"SELECT id, price FROM {ORDERS} WHERE id < 3000", target, f"(ROW_GROUP_ROWS {rows})")
            outcome = sql(f"SELECT sum(id), count(*) FROM '{target}'", "--stats", "--format", "csv")
            check(outcome.out.endswith(f"\n{sum(range(3000))},3000\n"), outcome)
            found = json.loads(outcome.err)["row_groups_read"]
            check(found == -(-3000 // rows), (rows, found))


def test_no_rows_make_a_file_with_the_types():
    with Folder() as folder:
        for name in ("types", "nested"):
            target = folder / f"{name}.parquet"
            check(copy(f'SELECT * FROM "{source(name)}" WHERE id < 0 AND id > 0', target) == 0, name)
            check(rows_of(target) == ("", rows_of(source(name))[1]), rows_of(target))


# --- targets

def test_an_old_file_is_replaced_with_its_rights_and_seen_through_links():
    with Folder() as folder:
        old, link, other = folder / "old.csv", folder / "link.csv", folder / "other.csv"
        old.write_text("old\n")
        old.chmod(0o640)
        link.symlink_to("old.csv")
        os.link(old, other)
        copy("SELECT 1 AS one", link)
        check(link.is_symlink() and old.read_text() == "one\n1\n", old.read_text())
        check(stat.S_IMODE(old.stat().st_mode) == 0o640, old.stat())
        check(other.read_text() == "old\n", "the other name of the old file")
        link.unlink()
        link.symlink_to("new.csv")  # to a file that is not there yet
        copy("SELECT 2 AS two", link)
        check((folder / "new.csv").read_text() == "two\n2\n" and link.is_symlink(), os.listdir(folder))
        check(sorted(os.listdir(folder)) == ["link.csv", "new.csv", "old.csv", "other.csv"], os.listdir(folder))


def test_a_file_that_is_read_is_never_written():
    with Folder() as folder:
        rows = folder / "lake/rows.parquet"
        rows.parent.mkdir()
        copy(f"SELECT * FROM {ORDERS}", rows)
        before = rows.read_bytes()
        (folder / "soft.parquet").symlink_to(rows)
        os.link(rows, folder / "hard.parquet")
        for query in (f"SELECT * FROM '{rows}'", f"SELECT count(*) AS n FROM '{folder}/lake'",
                      f"SELECT id FROM '{folder}/lake/*.parquet' ORDER BY id LIMIT 1",
                      f"SELECT 1 AS id UNION ALL SELECT id FROM (SELECT * FROM '{rows}') AS t"):
            for target in (rows, folder / "soft.parquet", folder / "hard.parquet", folder / "lake/../lake/rows.parquet"):
                outcome = sql(f"COPY ({query}) TO '{target}'")
                check(outcome.code == 1 and outcome.out == "" and "read by the query" in outcome.err, (target, outcome))
        viewed = sql(f"CREATE VIEW v AS SELECT * FROM '{rows}'; COPY (SELECT * FROM v) TO '{rows}'")
        check(viewed.code == 1 and "read by the query" in viewed.err, viewed)
        check(rows.read_bytes() == before and os.listdir(folder / "lake") == ["rows.parquet"], "the file that is read")
        # A new file beside those that are read is none of them.
        copy(f"SELECT * FROM '{folder}/lake'", folder / "lake/more.parquet")


def test_targets_that_cannot_be_are_named():
    with Folder() as folder:
        (folder / "directory.csv").mkdir()
        (folder / "file").write_text("")
        os.symlink("loop.csv", folder / "loop.csv")
        for target, words in (("missing/a.csv", "No such file or directory"), ("directory.csv", "directory"),
                              ("file/a.csv", "Not a directory"), ("loop.csv", "loop.csv"),
                              ("x" * 300 + ".csv", "File name too long")):
            outcome = sql(f"COPY (SELECT 1 AS one) TO '{folder}/{target}'")
            check(outcome.code == 1 and outcome.out == "" and words in outcome.err and str(folder) in outcome.err,
                  (target, outcome))
        check(sorted(os.listdir(folder)) == ["directory.csv", "file", "loop.csv"], os.listdir(folder))


def test_who_may_not_write_is_told():
    drop_from_bounding_set, overrides = 24, (1, 2)  # PR_CAPBSET_DROP; CAP_DAC_OVERRIDE, …_READ_SEARCH
    libc = ctypes.CDLL(None)

    def drop():
        for capability in overrides:
            libc.prctl(drop_from_bounding_set, capability, 0, 0, 0)

    with Folder() as folder:
        closed = folder / "closed"
        closed.mkdir(0o555)
        done = subprocess.run([WHEELPIT, "sql", "--event-log", "none", "-c", f"COPY (SELECT 1 AS one) TO '{closed}/a.csv'"],
                              capture_output=True, timeout=60, env=environment(), preexec_fn=drop)
        outcome = Outcome(done.returncode, done.stdout.decode(), done.stderr.decode())
        check(outcome.code == 1 and "Permission denied" in outcome.err and f"{closed}/a.csv" in outcome.err, outcome)
        check(not os.listdir(closed), os.listdir(closed))


def test_any_name_will_do():
    with Folder() as folder:
        for name in ("two words.csv", "new\nline.csv", "quo''te.csv", "Größe 雪.csv", "*.csv", "-c.csv", "%20.csv",
                     ".csv.csv", "a" * 251 + ".csv"):
            copied = sql(f"COPY (SELECT 1 AS one) TO '{folder}/{name}'")
            check(copied.code == 0, (name, copied))
            check((folder / name.replace("''", "'")).read_text() == "one\n1\n", name)
        relative = sql("COPY (SELECT 2 AS two) TO 'here.csv'", cwd=folder)
        check(relative.code == 0 and (folder / "here.csv").read_text() == "two\n2\n", relative)


def test_devices_are_written_to_directly():
    outcome = sql("COPY (SELECT 1 AS one) TO '/dev/null' (FORMAT csv)", "--format", "csv")
    check(outcome.code == 0 and outcome.out == "rows,bytes\n1,6\n", outcome)
    outcome = sql("COPY (SELECT 1 AS one) TO '/dev/stdout' (FORMAT csv)", "--format", "csv")
    check(outcome.code == 0 and outcome.out.startswith("one\n1\n"), outcome)


program.run_tests(globals())
