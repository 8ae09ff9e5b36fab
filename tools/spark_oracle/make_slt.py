# SPDX-License-Identifier: Apache-2.0
"""Fills the answers of the queries in .slt files with Spark's, in place.

    .venv/bin/python tools/spark_oracle/make_slt.py tests/sql/*.slt

A record under a comment that begins with "# ours:" keeps its answer: Spark cannot give it,
and the comment says why. So do records of statements and errors; an error class that is not
Spark's is reported, and so is a query that Spark refuses. Run in the root of the source tree.
"""

import pathlib
import re
import sys
import tempfile

from spark import Refused, Spark

KINDS = {
    "boolean": "B",
    "tinyint": "I",
    "smallint": "I",
    "int": "I",
    "bigint": "I",
    "float": "R",
    "double": "R",
    "date": "D",
    "timestamp": "D",
    "timestamp_ntz": "D",
}
ESCAPES = str.maketrans({"\n": "\\n", "\t": "\\t", "\r": "\\r", "\\": "\\\\"})


def cell(value):
    if value is None:
        return "NULL"
    return value.translate(ESCAPES) or "(empty)"


def as_spark_writes_it(sql):
    """A string after FROM names a file here; there, a quoted name after the format does."""
    return re.sub(r"""\bFROM\s+(["'])(.*?)\1""", lambda m: f"FROM parquet.`{m[2]}`", sql)


def answer(spark, sql):
    """(kinds, lines) of a query's answer."""
    given = spark.query(as_spark_writes_it(sql))
    if "error" in given:
        raise Refused(given["error"], given.get("phase", "execution"))
    kinds = "".join("R" if t.startswith("decimal") else KINDS.get(t, "T") for t in given["types"])
    return kinds, ["\t".join(map(cell, row)) for row in given["rows"]]


def check_error(spark, path, lines):
    """Reports an expected error class that is not Spark's."""
    at = lines.index("statement error")
    end = lines.index("----")
    _, _, wanted = lines[end + 1].partition(" ")
    sql = "\n".join(lines[at + 1 : end])
    if not wanted or sql.startswith(("EXPLAIN", "SET", "SHOW")):
        return
    given = spark.query(as_spark_writes_it(sql)).get("error", "no error")
    if given.split(".")[0] != wanted:
        print(f"{path}: {sql}: {wanted} here, {given} in Spark", file=sys.stderr)


def filled(spark, path, blocks):
    """The blocks (runs of lines without an empty one), queries with Spark's answers."""
    for block in blocks:
        lines = block.split("\n")
        at = next((i for i, line in enumerate(lines) if line.startswith("query ")), None)
        ours = any(line.startswith("# ours:") for line in lines)
        if "statement error" in lines and not ours:
            check_error(spark, path, lines)
        if at is None or ours:
            yield block
            continue
        words = lines[at].split()
        end = lines.index("----") if "----" in lines else len(lines)
        sql = "\n".join(lines[at + 1 : end])
        try:
            kinds, rows = answer(spark, sql)
        except Refused as refused:
            print(f"{path}: {sql}: {refused}", file=sys.stderr)
            yield block
            continue
        head = " ".join(["query", kinds, *words[2:]])
        if "rowsort" in words:
            rows.sort(key=lambda row: row.encode())
        yield "\n".join([*lines[:at], head, *lines[at + 1 : end], "----", *rows])


def main():
    with tempfile.TemporaryDirectory() as warehouse:
        spark = Spark(warehouse)
        for name in sys.argv[1:]:
            path = pathlib.Path(name)
            blocks = re.split(r"\n{2,}", path.read_text(encoding="utf-8").strip("\n"))
            text = "\n\n".join(filled(spark, path, blocks)) + "\n"
            path.write_text(text, encoding="utf-8")
            print(path, flush=True)


if __name__ == "__main__":
    main()
