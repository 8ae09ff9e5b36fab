# SPDX-License-Identifier: Apache-2.0
"""One statement in a process that was told to keep to a memory limit: what it takes, and whether it
ends. Every answer is compared with that of DuckDB without a limit; of a file that is written, all
values in their order."""
import dataclasses
import json
import pathlib
import statistics
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
DISTINCT_KEYS = "SELECT count(DISTINCT l_orderkey) AS answer FROM {table}"
DISTINCT_TEXTS = "SELECT count(DISTINCT l_comment) AS answer FROM {table}"
ORDER = "l_comment, l_orderkey, l_linenumber"
SORT = f"SELECT * FROM {{table}} ORDER BY {ORDER}"

# Every value of every row, weighed by the row's place.
CHECKSUM = """SELECT count(*) || ' rows, ' || coalesce(sum(hash(l_orderkey::BIGINT,
l_partkey::BIGINT, l_suppkey::BIGINT, l_linenumber::INTEGER, l_quantity::DECIMAL(15, 2),
l_extendedprice::DECIMAL(15, 2), l_discount::DECIMAL(15, 2), l_tax::DECIMAL(15, 2),
l_returnflag::VARCHAR, l_linestatus::VARCHAR, l_shipdate::DATE, l_commitdate::DATE,
l_receiptdate::DATE, l_shipinstruct::VARCHAR, l_shipmode::VARCHAR, l_comment::VARCHAR) % 1000003
* (place % 1000003 + 1)), 0) FROM ({rows})"""
WRITTEN_ROWS = "SELECT *, file_row_number AS place FROM read_parquet('{path}', file_row_number=true)"
SORTED_ROWS = (f"SELECT *, row_number() OVER (ORDER BY {ORDER}) - 1 AS place "
               "FROM read_parquet('{path}')")

TIMEOUT_SECONDS = 150
MEMORY_UNLIMITED = 0


@dataclasses.dataclass
class Case:
    name: str
    sql: str
    memory_bytes: int  # MEMORY_UNLIMITED: as the engine starts
    writes: bool = False
    is_shown: bool = True  # in the demo

    def title(self):
        limit = f"{self.memory_bytes >> 20} MiB" if self.memory_bytes else "no limit"
        return f"{self.name}, {limit}"


CASES = [Case("TPC-H Q1", Q1_ANSWER, 64 << 20),
         Case("groups of l_partkey, l_orderkey", GROUPS, 64 << 20),
         Case("groups of l_partkey, l_orderkey", GROUPS, 256 << 20, is_shown=False),
         Case("groups of l_partkey, l_orderkey", GROUPS, MEMORY_UNLIMITED, is_shown=False),
         Case("full sort to Parquet", SORT, 64 << 20, writes=True),
         Case("full sort to Parquet", SORT, 256 << 20, writes=True),
         Case("count(distinct l_orderkey)", DISTINCT_KEYS, 64 << 20, is_shown=False),
         Case("count(distinct l_comment)", DISTINCT_TEXTS, 64 << 20, is_shown=False)]


@dataclasses.dataclass
class Outcome:
    """One run in a process of its own. Seconds and CPU seconds are those of the statement; ours are
    the whole process's, start and end included."""
    engine: str
    answer: str = ""
    seconds: float = 0
    cpu_seconds: float = 0
    peak_rss_bytes: int = 0
    spilled_bytes: int = 0  # ours: by its own count; others: what the kernel counts less the output
    failure: str = ""
    stats: dict = dataclasses.field(default_factory=dict)  # of ours: its own --stats


@dataclasses.dataclass
class Measured:
    """Several runs of one engine: medians, and the most of the peak RSS."""
    engine: str
    runs: list

    def _median(self, name):
        return statistics.median(getattr(run, name) for run in self.runs)

    @property
    def seconds(self):
        return self._median("seconds")

    @property
    def cpu_seconds(self):
        return self._median("cpu_seconds")

    @property
    def spilled_bytes(self):
        return int(self._median("spilled_bytes"))

    @property
    def peak_rss_bytes(self):
        return max(run.peak_rss_bytes for run in self.runs)

    @property
    def failure(self):
        return next((run.failure for run in self.runs if run.failure), "")

    @property
    def answer(self):
        return self.runs[-1].answer


def command_of(engine, case, table, output):
    if isinstance(engine, engines.Wheelpit):
        sql = case.sql.format(table=f'"{table}"')
        if case.writes:
            sql = f"COPY ({sql}) TO '{output}'"
        limit = ["--memory", case.memory_bytes] if case.memory_bytes else []
        return engine.command(*limit, "--event-log", "none", "-c", sql)
    command = [engine.python, engines.ROOT / f"bench/peers/{engine.name}_peer.py", "--path", table,
               "--sql", case.sql.format(table="lineitem"), "--threads", engine.threads,
               "--warm-runs", 0, "--memory-bytes", case.memory_bytes]
    return command + (["--output", output] if case.writes else [])


def ask_duckdb(sql):
    """One value."""
    return runner.run_well([engines.PYTHON, "-c", "import duckdb, sys; c = duckdb.connect(); "
                            "c.execute('SET enable_progress_bar=false'); "
                            "print(c.execute(sys.argv[1]).fetchone()[0])", sql]).output.strip()


def arrow_bytes(table):
    """What its rows take in memory, as Arrow lays them out."""
    return int(runner.run_well([engines.PYTHON, "-c", "import pyarrow.parquet, sys; "
                                "f = pyarrow.parquet.ParquetFile(sys.argv[1]); "
                                "print(sum(b.nbytes for b in f.iter_batches()))", table]).output)


def right_answer(case, table):
    if case.writes:
        return ask_duckdb(CHECKSUM.format(rows=SORTED_ROWS.format(path=table)))
    return ask_duckdb(case.sql.format(table=f"read_parquet('{table}')"))


def failure_of(ended):
    if ended.code == 0:
        return ""
    if ended.seconds >= TIMEOUT_SECONDS:
        return f"not done after {TIMEOUT_SECONDS} s"
    lines = [line for line in ended.errors.splitlines() if line.strip()]
    telling = [line for line in lines if "rror" in line] or lines
    return telling[-1].strip()[:160] if telling else f"exit code {ended.code}"


def run_case(engine, case, table):
    """Never raises for what the engine does: a failure is an outcome."""
    with tempfile.TemporaryDirectory(prefix="wheelpit-bench-", dir="/var/tmp") as folder:
        output = pathlib.Path(folder) / "sorted.parquet"
        # Everybody spills into the folder, on a disk.
        places = {"TMPDIR": folder, "POLARS_TEMP_DIR": folder}
        ended = runner.run(command_of(engine, case, table, output), environment=places,
                           folder=folder, timeout_seconds=TIMEOUT_SECONDS)
        outcome = Outcome(engine.name, seconds=ended.seconds, cpu_seconds=ended.cpu_seconds,
                          peak_rss_bytes=ended.peak_rss_bytes, failure=failure_of(ended))
        if outcome.failure:
            return outcome
        if isinstance(engine, engines.Wheelpit):
            outcome.stats = engines.stats_lines(ended.errors)[-1]
            outcome.spilled_bytes = outcome.stats["spill_bytes_written"]
            outcome.answer = engines.last_answer(ended.output)
        else:
            told = json.loads(ended.output.strip().splitlines()[-1])
            outcome.answer = told["answer"]
            outcome.seconds, outcome.cpu_seconds = told["seconds"][0], told["cpu_seconds"][0]
            written = output.stat().st_size if case.writes else 0
            outcome.spilled_bytes = max(0, ended.written_bytes - written)
        if case.writes:
            outcome.answer = ask_duckdb(CHECKSUM.format(rows=WRITTEN_ROWS.format(path=output)))
    return outcome


def table_of(outcomes):
    """`outcomes`: of run_case, or Measured ones."""
    rows = [[o.engine, report.seconds(o.seconds), report.seconds(o.cpu_seconds),
             f"{o.peak_rss_bytes / 1e6:.0f}", f"{o.spilled_bytes / 1e6:.0f}" if o.spilled_bytes >= 5e5 else "",
             o.failure.replace("|", "\\|") or o.answer] for o in outcomes]
    return report.table(["engine", "seconds", "CPU s", "peak RSS, MB", "spilled, MB",
                         "answer, or how it failed"], rows)
