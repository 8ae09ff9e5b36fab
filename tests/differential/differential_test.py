#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random expressions and filters over one table, through `wheelpit sql` and through DuckDB.

Prints the seed first, then each disagreement with both texts, and at the end which
productions of the grammar were used. The last line is "N passed, N failed". Exits with 77
where DuckDB's Python package is not installed.
"""

import argparse
import datetime
import decimal
import os
import pathlib
import random
import sys
import tempfile
import time

import engines
import grammar

KINDS = ["boolean", "int", "bigint", "double", "decimal", "string", "date", "timestamp"]
EXPRESSIONS_PER_STATEMENT = 20
ROWS = 300
ROWS_PER_FILE = 100
SHOWN_MAX = 30
WORDS = ["", "a", "ab", "Hello", "hello world", "żółw", "日本語", "  pad ", "it's", 'say "x"', "a,b"]


def random_row(draw):
    """A row of grammar.COLUMNS as SQL literals of DuckDB."""

    def maybe(text):
        return "NULL" if draw.random() < 0.15 else text

    special = draw.choice(["'NaN'", "'Infinity'", "'-Infinity'", "-0.0", "0.0"])
    wide = special if draw.random() < 0.15 else repr(draw.choice([1, 1e9]) * draw.uniform(-1, 1))
    day = datetime.date(2000, 1, 1) + datetime.timedelta(days=draw.randint(-15000, 15000))
    moment = datetime.datetime(2000, 1, 1) + datetime.timedelta(
        seconds=draw.randint(-(10**9), 10**9), microseconds=draw.choice([0, 1, 500000])
    )
    word = draw.choice(WORDS).replace("'", "''")
    values = {
        "flag": draw.choice(["true", "false"]),
        "other_flag": draw.choice(["true", "false"]),
        "tiny": str(draw.randint(-100, 100)),
        "small": str(draw.randint(-3000, 3000)),
        "whole": str(draw.choice([0, 1, draw.randint(-100000, 100000)])),
        "big": str(draw.randint(-(10**12), 10**12)),
        "real": repr(draw.randint(-4000, 4000) / 8),
        "wide": wide,
        "price": f"{draw.randint(-99999, 99999) / 100:.2f}",
        "amount": f"{draw.randint(-(10**9), 10**9)}.{draw.randint(0, 9999):04d}",
        "word": f"'{word}'",
        "code": f"'code-{draw.randint(0, 20)}'",
        "digits": f"'{draw.randint(-1000, 1000)}'",
        "day": f"DATE '{day}'",
        "moment": f"TIMESTAMP '{moment}'",
        "raw": "'" + "".join(f"\\x{draw.randint(0, 255):02X}" for _ in range(draw.randint(0, 3))) + "'",
    }
    casts = (
        f"CAST({maybe(values[name])} AS {facts[1]}) AS {name}"
        for name, facts in grammar.COLUMNS.items()
    )
    return ", ".join(casts)


def write_table(connection, draw, folder):
    """The rows in some files, so that both sides read several."""
    for first in range(0, ROWS, ROWS_PER_FILE):
        rows = " UNION ALL ".join(
            f"SELECT {i} AS id, {random_row(draw)}" for i in range(first, first + ROWS_PER_FILE)
        )
        connection.execute(
            f"COPY (SELECT * FROM ({rows}) ORDER BY id) TO '{folder}/{first}.parquet' (FORMAT parquet)"
        )


def same(kind, ours, duck):
    """Whether our text and DuckDB's Python value are the same value."""
    if ours is None or duck is None:
        return ours is None and duck is None
    if kind in ("int", "bigint"):
        return int(ours) == duck
    if kind == "double":
        number = float(ours)
        return number == duck or (number != number and duck != duck)
    if kind == "decimal":
        return decimal.Decimal(ours) == decimal.Decimal(duck)
    if kind == "boolean":
        return ours == ("true" if duck else "false")
    if kind == "timestamp":
        text = duck.isoformat(" ")
        return ours == (text.rstrip("0") if "." in text else text)
    return ours == str(duck)


class Run:
    def __init__(self, ours, duck, generator):
        self.ours, self.duck, self.generator = ours, duck, generator
        self.passed = self.failed = self.statements = 0

    def fail(self, expression, what):
        self.failed += 1
        if self.failed <= SHOWN_MAX:
            print(f"{what}\n    ours: {expression.ours}\n    DuckDB: {expression.duck}", flush=True)

    def ask(self, selects):
        """The answers of both sides to (ours, DuckDB's) texts that go between SELECT and FROM."""
        ours, duck = [], []
        for a, b in selects:
            name = f"q{self.statements}"
            self.statements += 1
            ours.append(f"SELECT id AS {name}{a[0]} FROM {self.ours.table}{a[1]}")
            duck.append(f"SELECT id AS {name}{b[0]} FROM {self.duck.table}{b[1]}")
        return zip(self.ours.answers(ours), self.duck.answers(duck))

    def compare(self, expression, column, ours, duck):
        for key, values in duck.items():
            mine = ours[key][column] if key in ours else "no row"
            if not same(expression.kind, mine, values[column]):
                self.fail(expression, f"row {key}: {mine!r}, DuckDB {values[column]!r}")
                return
        self.passed += 1

    def expressions(self, count):
        pending = []
        for _ in range(count):
            made = self.generator.make(self.generator.random.choice(KINDS))
            if made.kind == "double":  # a FLOAT's text would be of another width
                made = grammar.widened("double", made)
            pending.append(made)
        size = EXPRESSIONS_PER_STATEMENT
        groups = [pending[i : i + size] for i in range(0, count, size)]
        self.groups(groups)

    def groups(self, groups):
        selects = []
        for group in groups:
            ours = "".join(f", {e.ours} AS e{i}" for i, e in enumerate(group))
            duck = "".join(f", {e.duck} AS e{i}" for i, e in enumerate(group))
            selects.append(((ours, ""), (duck, "")))
        alone = []
        for group, (ours, duck) in zip(groups, self.ask(selects)):
            wrong = [side for side in (ours, duck) if isinstance(side, engines.Refused)]
            if wrong and len(group) > 1:
                alone += [[expression] for expression in group]
            elif wrong:
                self.fail(group[0], f"refused: {wrong[0]}")
            else:
                for column, expression in enumerate(group):
                    self.compare(expression, column, ours, duck)
        if alone:
            self.groups(alone)

    def filters(self, count):
        made = [self.generator.make("boolean") for _ in range(count)]
        selects = [(("", f" WHERE {e.ours}"), ("", f" WHERE {e.duck}")) for e in made]
        for expression, (ours, duck) in zip(made, self.ask(selects)):
            wrong = [side for side in (ours, duck) if isinstance(side, engines.Refused)]
            if wrong:
                self.fail(expression, f"refused: {wrong[0]}")
            elif ours.keys() != duck.keys():
                odd = sorted(ours.keys() ^ duck.keys())
                self.fail(expression, f"as a filter: rows {odd[:10]} on one side only")
            else:
                self.passed += 1


def print_productions(generator):
    every = grammar.every_production()
    print(f"productions hit, {len(generator.hits)} of {len(every)}:")
    for name in every:
        print(f"    {name} {generator.hits[name]}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", help="the wheelpit to test")
    parser.add_argument("--spark", action="store_true", help="hold Spark against DuckDB instead")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--expressions", type=int, default=1400)
    parser.add_argument("--filters", type=int, default=600)
    options = parser.parse_args()
    print(f"seed {options.seed}", flush=True)
    try:
        import duckdb
    except ImportError:
        print("skipped: no DuckDB for Python here (tools/python_env installs it)")
        return 77
    draw = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as folder:
        table = os.path.join(folder, "*.parquet")
        connection = duckdb.connect(config={"threads": 1})
        write_table(connection, draw, folder)
        if options.spark:
            ours = engines.Spark(table)
        else:
            ours = engines.Wheelpit(str(pathlib.Path(options.program).resolve()), table)
        run = Run(ours, engines.DuckDb(connection, table), grammar.Generator(draw))
        run.expressions(options.expressions)
        run.filters(options.filters)
    print_productions(run.generator)
    print(f"{run.passed} passed, {run.failed} failed")
    return 0 if run.failed == 0 and run.passed > 0 else 1


if __name__ == "__main__":
    sys.exit(main())
