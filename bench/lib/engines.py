# SPDX-License-Identifier: Apache-2.0
"""The engines that are compared. Each gives the same figures for one query: medians over warm runs
in one process, and the peak RSS of a process that runs it once under a memory limit."""
import dataclasses
import json
import pathlib
import tempfile

from . import machine, runner

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PROGRAM = ROOT / "build/release/bin/wheelpit"
PYTHON = ROOT / ".venv/bin/python"
PEERS = ("duckdb", "datafusion", "polars")
WARM_RUNS = 7
MEMORY_LIMIT_BYTES = 64 << 20


@dataclasses.dataclass
class Query:
    """SQL with `{table}` where the table stands; `path` is a file, or a folder of files."""
    name: str
    sql: str
    path: pathlib.Path

    def pattern(self):
        return str(self.path / "*.parquet") if self.path.is_dir() else str(self.path)


@dataclasses.dataclass
class Figures:
    engine: str
    form: str
    answer: str
    seconds: runner.Spread      # one warm run
    cpu_seconds: float          # of one warm run, the median or, for ours, the mean
    first_seconds: float
    peak_rss_bytes: int         # with MEMORY_LIMIT_BYTES
    others_share: float
    stats: dict                 # of ours: its own --stats


def stats_lines(errors):
    """The JSON objects that --stats wrote, one a line."""
    found = []
    for line in errors.splitlines():
        if line.startswith("{"):
            try:
                found.append(json.loads(line))
            except ValueError:
                pass
    return found


def last_answer(output):
    lines = [line for line in output.strip().splitlines() if line]
    return lines[-1] if lines else ""


class Wheelpit:
    name = "wheelpit"

    def __init__(self, threads, program=PROGRAM):
        self.threads = threads
        self.program = program

    def command(self, *options):
        return [self.program, "sql", "--threads", self.threads, "--format", "csv", "--stats",
                *options]

    def text(self, query):
        return query.sql.format(table='"' + query.pattern() + '"')

    def _repeated(self, query, count):
        with tempfile.NamedTemporaryFile("w", suffix=".sql") as file:
            file.write(f"{self.text(query)};\n" * count)
            file.flush()
            return runner.run_well(self.command("-f", file.name))

    def run_query(self, query, warm_runs):
        # What further runs add to a process that runs it once is free of start and end.
        alone = sorted((self._repeated(query, 1) for _ in range(3)), key=lambda e: e.cpu_seconds)
        once = alone[1]
        many = self._repeated(query, 1 + warm_runs)
        lines = stats_lines(many.errors)
        if len(lines) == 1 + warm_runs:
            seconds = runner.Spread.of([line["seconds"] for line in lines[1:]])
        else:  # figures of the whole process only: the mean of what the further runs added
            mean = (many.seconds - once.seconds) / warm_runs
            seconds = runner.Spread(mean, mean, mean, warm_runs)
        small = runner.run_well(self.command("--memory", str(MEMORY_LIMIT_BYTES), "-c",
                                             self.text(query)))
        stats = (stats_lines(once.errors) or [{}])[-1]
        return Figures(self.name, "program, -f", last_answer(many.output), seconds,
                       (many.cpu_seconds - once.cpu_seconds) / warm_runs,
                       stats.get("seconds", once.seconds), small.peak_rss_bytes,
                       many.others_share, stats)


class Peer:
    def __init__(self, name, threads, python=PYTHON):
        self.name = name
        self.threads = threads
        self.python = python

    def _run(self, query, warm_runs, memory_bytes):
        command = [self.python, ROOT / f"bench/peers/{self.name}_peer.py", "--path",
                   query.pattern(), "--sql", query.sql.format(table="lineitem"),
                   "--threads", self.threads, "--warm-runs", warm_runs,
                   "--memory-bytes", memory_bytes]
        ended = runner.run_well(command)
        return ended, json.loads(ended.output.strip().splitlines()[-1])

    def run_query(self, query, warm_runs):
        ended, figures = self._run(query, warm_runs, 0)
        try:
            small = self._run(query, 0, MEMORY_LIMIT_BYTES)[0].peak_rss_bytes
        except runner.Failed:
            small = 0  # it does not end within the limit
        return Figures(self.name, figures["form"], figures["answer"],
                       runner.Spread.of(figures["seconds"]),
                       runner.Spread.of(figures["cpu_seconds"]).median, figures["first_seconds"],
                       small, ended.others_share, {})


def all_engines(threads=None, with_peers=True):
    threads = threads or machine.usable_cores()
    peers = [Peer(name, threads) for name in PEERS] if with_peers else []
    return [Wheelpit(threads), *peers]


def same_answer(first, second):
    """Engines print numbers in their own ways; exact ones must be equal, others to 1e-9."""
    if first == second:
        return True
    try:
        a, b = float(first), float(second)
    except ValueError:
        return False
    return abs(a - b) <= 1e-9 * max(abs(a), abs(b))
