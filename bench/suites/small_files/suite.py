# SPDX-License-Identifier: Apache-2.0
"""A filter and a count over one file, 500 files, and 10,000 files of one row."""
from bench.lib import engines, report

SQL = "SELECT count(*) FROM {table} WHERE l_quantity > 49"
TARGETS = {"ms_per_file_more": 0.1, "row_files_seconds": 0.8}


def queries(data):
    found = [engines.Query(f"{data.files} files", SQL, data.many_files),
             engines.Query("one file", SQL, data.one_file)]
    if data.rows:
        found.append(engines.Query(f"{data.rows:,} files of one row", SQL, data.row_files))
    return found


def summary(figures, data):
    """What the question is about: the cost of a file more."""
    rows = []
    for one, many in zip(figures["one file"], figures[f"{data.files} files"]):
        more = (many.seconds.median - one.seconds.median) / (data.files - 1)
        more_cpu = (many.cpu_seconds - one.cpu_seconds) / (data.files - 1)
        rows.append([one.engine, f"{more * 1e3:.3f}", f"{more_cpu * 1e3:.3f}"])
    text = report.table(["engine", "ms for each file more", "CPU ms for each file more"], rows)
    return (f"The cost of a file more, from one to {data.files} "
            f"(wanted: {TARGETS['ms_per_file_more']} ms):\n\n{text}")
