# SPDX-License-Identifier: Apache-2.0
"""The two sides: each takes statements and gives, for each, {id: values} or an Exception."""

import re
import subprocess
import tempfile

STATEMENTS_PER_RUN = 40


class Refused(Exception):
    """An engine's error about one statement."""


def parse_csv(text):
    """RFC 4180 rows; an empty field is None, a quoted empty one is ""."""
    rows, row, at = [], [], 0
    while at < len(text):
        if text[at] == '"':
            end = at + 1
            while True:
                end = text.index('"', end)
                if text[end + 1 : end + 2] != '"':
                    break
                end += 2
            row.append(text[at + 1 : end].replace('""', '"'))
            at = end + 1
        else:
            end = re.compile(r"[,\r\n]|$").search(text, at).start()
            row.append(text[at:end] or None)
            at = end
        if text[at : at + 1] == ",":
            at += 1
            if text[at : at + 1] in ("", "\r", "\n"):
                row.append(None)
            else:
                continue
        at += 2 if text[at : at + 2] == "\r\n" else 1
        rows.append(row)
        row = []
    return rows


class Wheelpit:
    """`wheelpit sql`, some statements a run. Their first column is called q and a number."""

    def __init__(self, program, table):
        self.program = program
        self.table = f'"{table}"'

    def _run(self, statements):
        """(the answers of the statements that were begun, the error or None)."""
        with tempfile.NamedTemporaryFile("w", suffix=".sql", encoding="utf-8") as file:
            file.write(";\n".join(statements))
            file.flush()
            done = subprocess.run(
                [self.program, "sql", "--format", "csv", "-f", file.name],
                capture_output=True,
                timeout=300,
            )
        answers = []
        for row in parse_csv(done.stdout.decode("utf-8")):
            if re.fullmatch(r"q\d+", row[0] or ""):
                answers.append({})
            else:
                answers[-1][int(row[0])] = row[1:]
        if done.returncode == 0:
            return answers, None
        return answers, Refused(done.stderr.decode("utf-8", "replace").strip())

    def answers(self, statements):
        results, step = [], STATEMENTS_PER_RUN
        while len(results) < len(statements):
            part = statements[len(results) : len(results) + step]
            given, error = self._run(part)
            if error is None:
                if len(given) != len(part):
                    raise SystemExit(f"{len(given)} answers to {len(part)} statements")
                results += given
                step = STATEMENTS_PER_RUN
            elif step == 1:
                results.append(error)
                step = STATEMENTS_PER_RUN
            else:
                # The last one begun may be cut off; it is asked again alone.
                results += given[:-1]
                step = 1
        return results


class DuckDb:
    def __init__(self, connection, table):
        self.connection = connection
        self.table = f"read_parquet('{table}')"

    def answers(self, statements):
        results = []
        for statement in statements:
            try:
                rows = self.connection.execute(statement).fetchall()
                results.append({row[0]: list(row[1:]) for row in rows})
            except Exception as error:  # its classes are many
                results.append(Refused(str(error)))
        return results


class Spark:
    """Stands in for `wheelpit sql` to check that the grammar's two texts mean the same."""

    def __init__(self, table):
        import pyspark.sql

        builder = pyspark.sql.SparkSession.builder.master("local[2]")
        self.warehouse = tempfile.TemporaryDirectory()
        for key, value in {
            "spark.ui.enabled": "false",
            "spark.sql.warehouse.dir": self.warehouse.name,
            "spark.log.level": "OFF",
            "spark.sql.session.timeZone": "UTC",
        }.items():
            builder = builder.config(key, value)
        self.session = builder.getOrCreate()
        self.table = f"parquet.`{table}`"

    def answers(self, statements):
        results = []
        for statement in statements:
            try:
                frame = self.session.sql(statement)
                rows = frame.selectExpr(*[f"string({name})" for name in frame.columns]).collect()
                results.append({int(row[0]): list(row[1:]) for row in rows})
            except Exception as error:
                results.append(Refused(str(error)[:300]))
        return results
