# SPDX-License-Identifier: Apache-2.0
"""Makes the Parquet files of this folder (pyarrow 26). Run by hand; the files are committed.

Provenance: made by this script, no other source. Licence: Apache-2.0.
"""
import datetime
import decimal
import pathlib

import pyarrow as pa
import pyarrow.parquet as pq

FOLDER = pathlib.Path(__file__).parent


def orders(first, count):
    days = [datetime.date(1992, 1, 1) + datetime.timedelta(days=i % 2500) for i in range(first, first + count)]
    return pa.table(
        {
            "id": pa.array(range(first, first + count), pa.int64()),
            "l_quantity": pa.array(
                [decimal.Decimal((i * 7919) % 50 + 1) for i in range(first, first + count)],
                pa.decimal128(15, 2),
            ),
            "price": pa.array([i * 0.25 for i in range(first, first + count)], pa.float64()),
            "day": pa.array(days, pa.date32()),
            "name": pa.array([None if i % 10 == 3 else f"name {i % 100}" for i in range(first, first + count)]),
        }
    )


pq.write_table(orders(0, 20000), FOLDER / "orders.parquet", row_group_size=5000)
pq.write_table(pa.table({"x": pa.array([1], pa.int32())}), FOLDER / "one.parquet")
pq.write_table(pa.table({"x": pa.array([], pa.int32())}), FOLDER / "none.parquet")
