# SPDX-License-Identifier: Apache-2.0
import duckdb

import peer

options = peer.options()
connection = duckdb.connect()
connection.execute("SET enable_progress_bar=false")
connection.execute(f"SET threads={options.threads}")
connection.execute("SET parquet_metadata_cache=true")  # its best form over many files
if options.memory_bytes:
    connection.execute(f"SET memory_limit='{options.memory_bytes}B'")
path = options.path.replace("'", "''")
connection.execute(f"CREATE VIEW lineitem AS SELECT * FROM read_parquet('{path}')")
sql = options.sql
if options.output:
    connection.execute("SET preserve_insertion_order=true")
    sql = f"COPY ({sql}) TO '{options.output}' (FORMAT parquet)"
peer.measure(f"{duckdb.__version__}, metadata cache", options.warm_runs,
             lambda: connection.execute(sql).fetchone()[0])
