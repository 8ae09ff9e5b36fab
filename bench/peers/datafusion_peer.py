# SPDX-License-Identifier: Apache-2.0
import os

import datafusion

import peer

options = peer.options()
runtime = datafusion.RuntimeEnvBuilder()
if options.memory_bytes:
    runtime = runtime.with_fair_spill_pool(options.memory_bytes)
context = datafusion.SessionContext(
    datafusion.SessionConfig().with_target_partitions(options.threads), runtime)
folder = os.path.dirname(options.path) + "/" if "*" in options.path else options.path
context.register_parquet("lineitem", folder)  # once: its best form over many files
sql = options.sql
if options.output:
    sql = f"COPY ({sql}) TO '{options.output}' STORED AS PARQUET"
peer.measure(f"{datafusion.__version__}, registered before", options.warm_runs,
             lambda: context.sql(sql).collect()[0].column(0)[0].as_py())
