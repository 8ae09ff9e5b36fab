# SPDX-License-Identifier: Apache-2.0
"""From the start of the program to the answer of SELECT 1, and what memory that takes."""
from bench.lib import engines, report, runner

RUNS = 15
TARGETS = {"seconds": 0.030, "peak_rss_bytes": 42_000_000}


def run(options, _):
    program = engines.PROGRAM
    ended = [runner.run_well([program, "sql", "--format", "csv", "-c", "SELECT 1"])
             for _ in range(RUNS)]
    wrong = [e.output for e in ended if engines.last_answer(e.output) != "1"]
    if wrong:
        raise runner.Failed(f"SELECT 1 gives {wrong[0]!r}")
    seconds = runner.Spread.of([e.seconds for e in ended])
    figures = {"seconds": seconds, "cpu_seconds": runner.Spread.of([e.cpu_seconds for e in ended]),
               "peak_rss_bytes": runner.Spread.of([e.peak_rss_bytes for e in ended])}
    rows = [["seconds", f"{seconds.median:.4f}", f"{seconds.least:.4f} to {seconds.most:.4f}",
             TARGETS["seconds"]],
            ["CPU s", f"{figures['cpu_seconds'].median:.4f}", "", ""],
            ["peak RSS, MB", f"{figures['peak_rss_bytes'].median / 1e6:.1f}", "",
             f"{TARGETS['peak_rss_bytes'] / 1e6:.0f}"]]
    return report.table(["`SELECT 1`", f"median of {RUNS}", "spread", "wanted at most"], rows), figures, [], 1
