# SPDX-License-Identifier: Apache-2.0
"""Writes the first COUNT rows of a Parquet file, each as a file of its own, into FOLDER."""
import pathlib
import sys

import pyarrow.parquet

source, count, folder = sys.argv[1], int(sys.argv[2]), pathlib.Path(sys.argv[3])
folder.mkdir(parents=True)
number = 0
for batch in pyarrow.parquet.ParquetFile(source).iter_batches(batch_size=count):
    for row in range(min(batch.num_rows, count - number)):
        table = pyarrow.Table.from_batches([batch.slice(row, 1)])
        pyarrow.parquet.write_table(table, folder / f"row-{number:05d}.parquet")
        number += 1
    if number == count:
        break
