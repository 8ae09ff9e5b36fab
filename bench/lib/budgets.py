# SPDX-License-Identifier: Apache-2.0
"""One statement in a process that was told to keep to a memory limit: what it takes, and whether it
ends. Files that are written are checked for their rows and their order."""
import dataclasses
import json
import pathlib
import tempfile

from . import engines, report, runner

Q1 = """SELECT l_returnflag, l_linestatus, sum(l_quantity) AS sum_qty,
sum(l_extendedprice) AS sum_base_price, sum(l_extendedprice * (1 - l_discount)) AS sum_disc_price,
sum(l_extendedprice * (1 - l_discount) * (1 + l_tax)) AS sum_charge, avg(l_quantity) AS avg_qty,
avg(l_extendedprice) AS avg_price, avg(l_discount) AS avg_disc, count(*) AS count_order
FROM {table} WHERE l_shipdate <= DATE '1998-09-02' GROUP BY l_returnflag, l_linestatus"""
# One value of it, for which every column is needed.
Q1_ANSWER = f"""SELECT sum(count_order) AS answer FROM ({Q1}) AS q1 WHERE sum_qty > 0
AND sum_base_price > 0 AND sum_disc_price > 0 AND sum_charge > 0 AND avg_qty > 0 AND avg_price > 0
AND avg_disc > 0"""
GROUPS = """SELECT count(*) AS answer FROM (SELECT l_partkey, l_orderkey, sum(l_quantity) AS quantity
FROM {table} GROUP BY l_partkey, l_orderkey) AS g WHERE quantity > 10"""
SORT = "SELECT * FROM {table} ORDER BY l_comment, l_orderkey, l_linenumber"
CHECK_FILE = """SELECT count(*) || ' rows, ' || sum(l_orderkey * (file_row_number % 1000003)
+ l_linenumber) FROM read_parquet('{path}', file_row_number=true)"""


@dataclasses.dataclass
class Case:
    name: str
    sql: str
    memory_bytes: int
    writes: bool = False


@dataclasses.dataclass
class Outcome:
    engine: str
    answer: str = ""
    seconds: float = 0
    cpu_seconds: float = 0
    peak_rss_bytes: int = 0
    spilled_bytes: int = 0
    failure: str = ""


CASES = [Case("TPC-H Q1, 64 MiB", Q1_ANSWER, 64 << 20),
         Case("groups of l_partkey, l_orderkey, 64 MiB", GROUPS, 64 << 20),
         Case("full sort to Parquet, 64 MiB", SORT, 64 << 20, writes=True),
         Case("full sort to Parquet, 256 MiB", SORT, 256 << 20, writes=True)]


def command_of(engine, case, table, output):
    if isinstance(engine, engines.Wheelpit):
        sql = case.sql.format(table=f'"{table}"')
        if case.writes:
            sql = f"COPY ({sql}) TO '{output}'"
        return engine.command("--memory", case.memory_bytes, "--event-log", "none", "-c", sql)
    command = [engine.python, engines.ROOT / f"bench/peers/{engine.name}_peer.py", "--path", table,
               "--sql", case.sql.format(table="lineitem"), "--threads", engine.threads,
               "--warm-runs", 0, "--memory-bytes", case.memory_bytes]
    return command + (["--output", output] if case.writes else [])


def checksum(path, python):
    text = CHECK_FILE.format(path=path)
    return runner.run_well([python, "-c", "import duckdb, sys; "
                            "print(duckdb.connect().execute(sys.argv[1]).fetchone()[0])", text]).output.strip()


def run_case(engine, case, table):
    """Never raises for what the engine does: a failure is an outcome."""
    with tempfile.TemporaryDirectory(prefix="wheelpit-bench-", dir="/var/tmp") as folder:
        output = pathlib.Path(folder) / "sorted.parquet"
        ended = runner.run(command_of(engine, case, table, output))
        outcome = Outcome(engine.name, seconds=ended.seconds, cpu_seconds=ended.cpu_seconds,
                          peak_rss_bytes=ended.peak_rss_bytes)
        if ended.code != 0:
            lines = [line for line in ended.errors.splitlines() if line.strip()]
            telling = [line for line in lines if "rror" in line] or lines
            outcome.failure = (telling[-1][:160] if telling else f"exit code {ended.code}")
            return outcome
        if isinstance(engine, engines.Wheelpit):
            outcome.spilled_bytes = engines.stats_lines(ended.errors)[-1]["spill_bytes_written"]
            outcome.answer = engines.last_answer(ended.output)
        else:
            outcome.answer = json.loads(ended.output.strip().splitlines()[-1])["answer"]
        if case.writes:
            outcome.answer = checksum(output, engines.PYTHON)
    return outcome


def table_of(outcomes):
    rows = [[o.engine, report.seconds(o.seconds), report.seconds(o.cpu_seconds),
             f"{o.peak_rss_bytes / 1e6:.0f}", f"{o.spilled_bytes / 1e6:.0f}" if o.spilled_bytes else "",
             o.failure or o.answer] for o in outcomes]
    return report.table(["engine", "seconds", "CPU s", "peak RSS, MB", "spilled, MB",
                         "answer, or how it failed"], rows)
