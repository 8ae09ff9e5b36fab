# SPDX-License-Identifier: Apache-2.0
"""TPC-H Q6: a scan of four columns with a selective filter and one sum."""
from bench.lib import engines

SQL = """SELECT sum(l_extendedprice * l_discount) AS revenue FROM {table}
WHERE l_shipdate >= DATE '1994-01-01' AND l_shipdate < DATE '1994-01-01' + INTERVAL '1' YEAR
AND l_discount BETWEEN 0.06 - 0.01 AND 0.06 + 0.01 AND l_quantity < 24"""


def queries(data):
    return [engines.Query("Q6", SQL, data.one_file)]


def summary(figures, data):
    scanned = data.one_file.stat().st_size
    ours = figures["Q6"][0]
    read = ours.stats.get("bytes_read", 0)
    text = f"The file has {scanned / 1e6:.0f} MB"
    return text + (f"; wheelpit read {read / 1e6:.1f} MB of it." if read else ".")
