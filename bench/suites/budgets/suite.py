# SPDX-License-Identifier: Apache-2.0
"""Q1, groups, sorts into a Parquet file and distinct counts in small budgets, beside the others."""
from bench.lib import budgets, engines, report

RUNS = 5
# (at least so many seconds in the first run, runs)
RUNS_OF_LONG = ((20, 1), (10, 3))
RSS_FACTOR, RSS_MORE_BYTES = 1.1, 64 << 20


def runs_of(first, wanted):
    if first.failure:
        return 1
    return min(wanted, next((runs for seconds, runs in RUNS_OF_LONG if first.seconds >= seconds), wanted))


def measure(engine, case, table, wanted):
    runs = [budgets.run_case(engine, case, table)]
    while len(runs) < runs_of(runs[0], wanted):
        runs.append(budgets.run_case(engine, case, table))
    return budgets.Measured(engine.name, runs)


def wrong_of(case, measured, right):
    """Ours must end and be right; others must be right where they end."""
    for one in measured:
        if one.failure and one.engine == "wheelpit":
            yield f"{case.title()}: {one.engine}: {one.failure}"
        for run in one.runs:
            if not run.failure and run.answer != right:
                yield f"{case.title()}: {one.engine} answers {run.answer} instead of {right}"


def ratio_row(what, found, wanted):
    return [what, f"{found:.2f}", f"{wanted:g}", "yes" if found <= wanted else "**no**"]


def of_engine(measured, name):
    return next((one for one in measured if one.engine == name and not one.failure), None)


def verdicts(found, arrow_bytes):
    """`found`: {title: [Measured]}; what was wanted of ours, by figures of the same run. Of engines
    that were not run nothing is told."""
    rows = []
    for title, measured in found.items():
        ours, duckdb = measured[0], of_engine(measured, "duckdb")
        wanted = 0.75 if title == "full sort to Parquet, 256 MiB" else 1
        if ours.failure:
            rows.append([title, "fails", "", "**no**"])
        elif len(measured) > 1 and not duckdb:
            rows.append([f"{title}: ends (DuckDB's does not)", "", "", "yes"])
        elif duckdb:
            rows.append(ratio_row(f"{title}: CPU s, to DuckDB's", ours.cpu_seconds / duckdb.cpu_seconds, wanted))
    pairs = (("full sort to Parquet, 64 MiB", "full sort to Parquet, 256 MiB", 2),
             ("groups of l_partkey, l_orderkey, 256 MiB", "groups of l_partkey, l_orderkey, no limit", 1.5))
    for small, large, wanted in pairs:
        ours = [found[title][0] for title in (small, large)]
        if not any(one.failure for one in ours):
            rows.append(ratio_row(f"{small}: seconds, to those of {large.rsplit(', ', 1)[1]}",
                                  ours[0].seconds / ours[1].seconds, wanted))
    for title in (title for title in found if title.startswith("full sort")):
        if not found[title][0].failure:
            rows.append(ratio_row(f"{title}: spilled bytes, to the rows' Arrow bytes",
                                  found[title][0].spilled_bytes / arrow_bytes, 0.5))
    for case in budgets.CASES:
        ours = found[case.title()][0]
        if case.memory_bytes and not ours.failure:
            bound = case.memory_bytes * RSS_FACTOR + RSS_MORE_BYTES
            rows.append(ratio_row(f"{case.title()}: peak RSS, to budget x {RSS_FACTOR} + 64 MiB",
                                  ours.peak_rss_bytes / bound, 1))
    return report.table(["what", "found", "wanted, at most", "reached"], rows)


def run(options, data):
    """(markdown, figures, what went wrong, how many answers were checked)"""
    wanted = 1 if options.smoke else RUNS
    parts, found, right, wrong, checked = [], {}, {}, [], 0
    for case in budgets.CASES:
        print(f"budgets: {case.title()} …", flush=True)
        if case.name not in right:
            right[case.name] = budgets.right_answer(case, data.one_file)
        measured = [measure(engine, case, data.one_file, wanted)
                    for engine in engines.all_engines(options.threads, not options.no_peers)]
        found[case.title()] = measured
        wrong += wrong_of(case, measured, right[case.name])
        checked += len([run for one in measured for run in one.runs if not run.failure])
        runs = ", ".join(f"{one.engine} {len(one.runs)}" for one in measured)
        parts.append(f"## {case.title()}\n\n{budgets.table_of(measured)}\n\nRuns: {runs}.")
        print(parts[-1], flush=True)
    text = (f"Each run in a process of its own, one statement, {engines.all_engines(options.threads, False)[0].threads} "
            f"threads, scale {options.scale:g}, warm page cache; medians of {wanted} runs (3 where a run takes 10 s, "
            "1 where it takes 20 s or fails), the most of the peak RSS. Ours are the whole process's seconds; of the "
            "others, the start of Python and the imports are left out. Spilled: ours by its own count, of the others "
            "what the kernel counts as written less the output.\n\n" + "\n\n".join(parts) +
            "\n\n## What was wanted\n\n" + verdicts(found, budgets.arrow_bytes(data.one_file)))
    figures = {title: {one.engine: figures_of(one) for one in measured} for title, measured in found.items()}
    return text, figures, wrong, checked


def figures_of(one):
    runs = [{name: value for name, value in vars(run).items() if name not in ("stats", "engine")}
            for run in one.runs]
    return {"seconds": one.seconds, "cpu_seconds": one.cpu_seconds, "peak_rss_bytes": one.peak_rss_bytes,
            "spilled_bytes": one.spilled_bytes, "failure": one.failure, "runs": runs}
