# SPDX-License-Identifier: Apache-2.0
import os

import peer

options = peer.options()
os.environ["POLARS_MAX_THREADS"] = str(options.threads)  # both are read at the import
if options.memory_bytes:
    os.environ["POLARS_OOC_MEMORY_BUDGET_MB"] = str(options.memory_bytes >> 20)

import polars  # noqa: E402


def query():
    context = polars.SQLContext(lineitem=polars.scan_parquet(options.path))
    rows = context.execute(options.sql)
    if options.output:
        rows.sink_parquet(options.output)
        return ""
    return rows.collect(engine="streaming").item()


peer.measure(f"{polars.__version__}, streaming", options.warm_runs, query)
