# SPDX-License-Identifier: Apache-2.0
"""The tables of figures in the README, from the results of the suites. Each stands below a line
`<!-- NAME: … -->` and ends with an empty line; `make docs` writes them again."""
import json
import re

from . import report

ENGINES = {"wheelpit": "wheelpit", "duckdb": "DuckDB", "datafusion": "DataFusion", "polars": "Polars"}
WARM = (("small_files", "500 files", "count with a filter, 500 files"),
        ("small_files", "one file", "the same, one file"),
        ("small_files", "10,000 files of one row", "the same, 10,000 files of one row"),
        ("tpch_q6", "Q6", "TPC-H Q6"))
IN_BUDGETS = (("full sort to Parquet, 64 MiB", "full sort to Parquet, 64 MiB"),
              ("full sort to Parquet, 256 MiB", "full sort to Parquet, 256 MiB"),
              ("groups of l_partkey, l_orderkey, 64 MiB", "6 million groups, 64 MiB"),
              ("count(distinct l_orderkey), 64 MiB", "count(distinct l_orderkey), 64 MiB"),
              ("count(distinct l_comment), 64 MiB", "count(distinct l_comment), 64 MiB"),
              ("TPC-H Q1, 64 MiB", "TPC-H Q1, 64 MiB"))


def cell(seconds, cpu_seconds, peak_rss_bytes):
    return f"{report.seconds(seconds)} / {report.seconds(cpu_seconds)} / {report.megabytes(peak_rss_bytes)}"


def warm_table(results):
    rows, names = [], dict(ENGINES)
    for suite, query, name in WARM:
        figures = json.loads((results / f"{suite}.json").read_text())["figures"][query]
        cells = {f["engine"]: cell(f["seconds"]["median"], f["cpu_seconds"], f["peak_rss_bytes"]) for f in figures}
        for f in figures:
            if version := re.match(r"\d+\.\d+", f["form"]):
                names[f["engine"]] = f"{ENGINES[f['engine']]} {version.group()}"
        rows.append([name, f"**{cells['wheelpit']}**", *(cells[e] for e in ENGINES if e != "wheelpit")])
    return report.table(["seconds / CPU seconds / peak RSS MB", *names.values()], rows)


def budget_table(results):
    figures, rows = json.loads((results / "budgets.json").read_text())["figures"], []
    for title, name in IN_BUDGETS:
        cells = {engine: "fails" if f["failure"] else cell(f["seconds"], f["cpu_seconds"], f["peak_rss_bytes"])
                 for engine, f in figures[title].items()}
        rows.append([name, f"**{cells['wheelpit']}**", *(cells[e] for e in ENGINES if e != "wheelpit")])
    return report.table(["lineitem, scale factor 1", *ENGINES.values()], rows)


TABLES = {"warm": warm_table, "budgets": budget_table}


def with_tables(text, results):
    """The README with its tables as the results have them; without results a table stays."""
    for name, table in TABLES.items():
        found = re.search(rf"^<!-- {name}: .*-->\n", text, re.M)
        if not found:
            raise ValueError(f"README.md has no line <!-- {name}: … -->")
        end = text.index("\n\n", found.end())
        if name == "budgets" and not (results / "budgets.json").exists():
            continue
        text = text[:found.end()] + table(results) + text[end:]
    return text
