# SPDX-License-Identifier: Apache-2.0
"""Ours in forty budgets, from the least that a statement is run in up to what it takes when it has all
the memory that it wants."""
import dataclasses
import re
import statistics

from bench.lib import budgets, engines, plot, report, runner

POINTS, SMOKE_POINTS = 40, 5
NEAR_NEED = 0.9
REPEATS = 3  # of the times at and below the need
TARGET_NEAR_NEED = 1.15
RSS_FACTOR, RSS_MORE_BYTES = 1.1, 64 << 20
LEAST_MEMORY_BYTES = 4 << 20  # of memory.limit
PLENTY_BYTES = 16 << 30
UNITS = {"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}


def run_in(case, memory_bytes, table, options):
    engine = engines.all_engines(options.threads, with_peers=False)[0]
    return budgets.run_case(engine, dataclasses.replace(case, memory_bytes=memory_bytes), table)


def minimum_of(case, table, options):
    """By what the program says when it is given too little."""
    outcome = run_in(case, LEAST_MEMORY_BYTES, table, options)
    if not outcome.failure:
        return LEAST_MEMORY_BYTES
    named = re.search(r"at least ([\d.]+) ([KMG]iB)", outcome.failure)
    if not named:
        raise runner.Failed(f"{case.name} in {LEAST_MEMORY_BYTES >> 20} MiB: {outcome.failure}")
    return int(float(named.group(1)) * UNITS[named.group(2)])


def need_of(case, minimum, table, options):
    """The peak of its budget when there is plenty, and no more than a little above where it spills."""
    outcome = run_in(case, PLENTY_BYTES, table, options)
    if outcome.failure:
        raise runner.Failed(f"{case.name} without a limit: {outcome.failure}")
    return max(outcome.stats["peak_budget_bytes"], int(minimum * 1.25))


def budgets_between(least, most, count):
    return [round(least * (most / least) ** (n / (count - 1))) for n in range(count)]


@dataclasses.dataclass
class Sweep:
    case: budgets.Case
    minimum_bytes: int
    need_bytes: int
    points: list      # (budget in bytes, Outcome), ascending
    near_need: float  # seconds at NEAR_NEED of the need, to those at the need

    @staticmethod
    def make(case, table, options):
        least = minimum_of(case, table, options)
        need = need_of(case, least, table, options)
        count = SMOKE_POINTS if options.smoke else POINTS
        points = [(size, run_in(case, size, table, options)) for size in budgets_between(least, need, count)]
        near, at = [], []
        for _ in range(1 if options.smoke else REPEATS):
            near.append(run_in(case, int(need * NEAR_NEED), table, options).seconds)
            at.append(run_in(case, need, table, options).seconds)
        return Sweep(case, least, need, points, statistics.median(near) / statistics.median(at))

    def wrong(self, right):
        """What is not as it has to be, whatever the figures are."""
        for size, outcome in self.points:
            where = f"{self.case.name} in {size} bytes"
            if outcome.failure:  # its own minimum is the first point
                yield f"{where}: {outcome.failure}"
            elif outcome.answer != right:
                yield f"{where} answers {outcome.answer} instead of {right}"

    def worst_rss(self):
        """(share of the bound, budget) where the peak RSS comes nearest to its bound, or passes it."""
        return max((outcome.peak_rss_bytes / (size * RSS_FACTOR + RSS_MORE_BYTES), size)
                   for size, outcome in self.points)

    def row(self):
        share, size = self.worst_rss()
        first, last = self.points[0][1], self.points[-1][1]
        passed = sum(not outcome.failure for _, outcome in self.points)
        return [self.case.name, f"{self.minimum_bytes >> 20}", f"{self.need_bytes >> 20}",
                f"{passed} of {len(self.points)}", report.seconds(first.seconds), report.seconds(last.seconds),
                f"{self.near_need:.2f}", f"{share:.2f} at {size >> 20} MiB", f"{first.spilled_bytes / 1e6:.0f}"]

    def figures(self):
        points = [{"memory_bytes": size,
                   **{name: value for name, value in vars(outcome).items() if name not in ("engine", "stats")}}
                  for size, outcome in self.points]
        return {"minimum_bytes": self.minimum_bytes, "need_bytes": self.need_bytes,
                "seconds_near_need_to_need": self.near_need, "points": points}


def cases():
    """Each statement once, whatever its limits elsewhere."""
    return list({case.name: case for case in budgets.CASES}.values())


def run(options, data):
    """(markdown, figures, what went wrong, how many answers were checked)"""
    rows, figures, wrong, checked = [], {}, [], 0
    for case in cases():
        print(f"budget_sweep: {case.name} …", flush=True)
        right = budgets.right_answer(case, data.one_file)
        sweep = Sweep.make(case, data.one_file, options)
        rows.append(sweep.row())
        figures[case.name] = sweep.figures()
        wrong += sweep.wrong(right)
        checked += len(sweep.points)
        print(report.table(HEAD, rows[-1:]), flush=True)
    text = (f"One run for each budget, in a process of its own; scale {options.scale:g}. The least budget is the one "
            "that the program names when it is given less; the need is the peak of its budget when it has plenty. "
            f"The budgets between are a constant factor apart. Times at {NEAR_NEED} of the need and at it are medians "
            f"of {REPEATS}.\n\n{report.table(HEAD, rows)}\n\nWanted: every budget from the least on is enough; at "
            f"{NEAR_NEED} of the need at most {TARGET_NEAR_NEED} times the seconds; peak RSS at most the budget times "
            f"{RSS_FACTOR} and 64 MiB (1.00 in the table). All points: `budget_sweep.json`.\n\n"
            "![time, peak RSS and spilled bytes over the budget](budget_sweep.svg)")
    return text, figures, wrong, checked


HEAD = ["statement", "least, MiB", "need, MiB", "budgets that were enough", "s at the least", "s at the need",
        f"s at {NEAR_NEED} of the need, to those at it", "peak RSS to its bound, worst", "MB spilled at the least"]


def pictures(figures):
    """{file name: SVG}, from what stands in the JSON."""
    rows = []
    for name, sweep in figures.items():
        points = [point for point in sweep["points"] if not point["failure"]]

        def line(what, field, unit):
            return plot.Line(what, [(p["memory_bytes"] / 2**20, p[field] / unit) for p in points])
        bound = plot.Line("bound", [(p["memory_bytes"] / 2**20,
                                     (p["memory_bytes"] * RSS_FACTOR + RSS_MORE_BYTES) / 1e6) for p in points],
                          is_bound=True)
        rows.append((name, [
            plot.Panel("seconds", [line("elapsed", "seconds", 1), line("CPU", "cpu_seconds", 1)]),
            plot.Panel("peak RSS, MB", [line("measured", "peak_rss_bytes", 1e6), bound]),
            plot.Panel("spilled, MB", [line("written", "spilled_bytes", 1e6)])]))
    return {"budget_sweep.svg": plot.draw(rows, "memory budget, MiB")}
