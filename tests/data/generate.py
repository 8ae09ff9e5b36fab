# SPDX-License-Identifier: Apache-2.0
"""Writes the Parquet files of this folder; see README.md for what each is for.

    python3 -m venv .venv && .venv/bin/pip install pyarrow==26.0.1
    .venv/bin/python tests/data/generate.py

The files are committed: tests never need Python. The same pyarrow gives the same bytes.
"""

import datetime
import decimal
import pathlib
import shutil

import pyarrow as pa
import pyarrow.parquet as pq

ROOT = pathlib.Path(__file__).resolve().parent
UTC = datetime.timezone.utc
WORDS = ["", "a", "Hello", "żółw", "日本語", "😀", "line\nbreak", "tab\there", "quote\"'", "%_\\"]


def write(path, table, **options):
    path = ROOT / path
    path.parent.mkdir(parents=True, exist_ok=True)
    settings = {"store_schema": False, "compression": "zstd", **options}
    pq.write_table(table, path, **settings)
    return path


def column(rows, make, null_every):
    """make(i) for each row, null at every null_every-th."""
    return [None if i % null_every == null_every - 1 else make(i) for i in range(rows)]


def all_types(rows=60):
    """Every type; edge values in the first rows; sums that no order of adding changes."""
    start = datetime.datetime(2020, 2, 29, 12, 34, 56, 789012)
    floats = [0.0, -0.0, float("nan"), float("inf"), float("-inf")]
    columns = {
        "id": (pa.int32(), list(range(rows))),
        "flag": (pa.bool_(), column(rows, lambda i: i % 3 == 0, 7)),
        "tiny": (pa.int8(), column(rows, lambda i: [127, -128, 0][i] if i < 3 else i, 5)),
        "small": (pa.int16(), column(rows, lambda i: [32767, -32768][i] if i < 2 else i * 7, 6)),
        "whole": (
            pa.int32(),
            column(rows, lambda i: [2147483647, -2147483648][i] if i < 2 else i * 1000, 8),
        ),
        "big": (
            pa.int64(),
            column(rows, lambda i: [2**62, -(2**62)][i] if i < 2 else i * 10**10, 9),
        ),
        "real": (pa.float32(), column(rows, lambda i: floats[i] if i < 5 else i / 4, 10)),
        "wide": (pa.float64(), column(rows, lambda i: floats[i] if i < 5 else i / 8, 11)),
        "half": (pa.float64(), [i / 2 for i in range(rows)]),
        "price": (pa.decimal128(9, 2), column(rows, lambda i: decimal.Decimal(i * 1999) / 100, 4)),
        "amount": (
            pa.decimal128(18, 4),
            column(rows, lambda i: decimal.Decimal(i * 10**10 + 1) / 10000, 12),
        ),
        "huge": (
            pa.decimal128(38, 10),
            column(rows, lambda i: decimal.Decimal(i * 10**20 + i) / 10**5, 13),
        ),
        "word": (pa.string(), column(rows, lambda i: WORDS[i % len(WORDS)], 6)),
        "code": (pa.string(), [f"code-{i:04d}" for i in range(rows)]),
        "bytes": (pa.binary(), column(rows, lambda i: bytes([i, 255 - i, 0]), 5)),
        "day": (
            pa.date32(),
            column(rows, lambda i: datetime.date(1969, 12, 1) + datetime.timedelta(days=i * 400), 7),
        ),
        "moment": (
            pa.timestamp("us", tz="UTC"),
            column(
                rows,
                lambda i: (start + datetime.timedelta(days=i - 30, microseconds=i)).replace(tzinfo=UTC),
                8,
            ),
        ),
        "local": (
            pa.timestamp("us"),
            column(rows, lambda i: start - datetime.timedelta(hours=i * 1000), 9),
        ),
        "nothing": (pa.int32(), [None] * rows),
    }
    arrays = [pa.array(values, type=type_) for type_, values in columns.values()]
    return pa.table(arrays, names=list(columns))


def write_types():
    table = all_types()
    write("types.parquet", table, row_group_size=25, store_decimal_as_integer=True)
    write(
        "types_v2.parquet",
        table,
        row_group_size=60,
        use_dictionary=False,
        data_page_version="2.0",
        data_page_size=256,
        write_page_index=True,
        compression="snappy",
    )
    moments = table.select(["id", "moment"])
    write("moments/int96.parquet", moments, use_deprecated_int96_timestamps=True)
    write("moments/millis.parquet", moments, coerce_timestamps="ms", allow_truncated_timestamps=True)
    nanos = pa.timestamp("ns", tz="UTC")
    write("nanos.parquet", moments.set_column(1, "moment", moments["moment"].cast(nanos)))


def write_codecs_and_encodings():
    table = all_types().select(["id", "half", "word", "price"])
    for codec in ["none", "snappy", "gzip", "brotli", "lz4", "zstd"]:
        write(f"codecs/{codec}.parquet", table, compression=codec)
    whole = all_types().select(["id", "whole", "big", "real", "wide", "word", "code", "flag"])
    write(
        "encodings.parquet",
        whole.drop_columns(["real", "wide"]).append_column("half", all_types()["half"]),
        use_dictionary=False,
        data_page_version="2.0",
        column_encoding={
            "id": "DELTA_BINARY_PACKED",
            "whole": "DELTA_BINARY_PACKED",
            "big": "DELTA_BINARY_PACKED",
            "word": "DELTA_LENGTH_BYTE_ARRAY",
            "code": "DELTA_BYTE_ARRAY",
            "flag": "RLE",
            "half": "BYTE_STREAM_SPLIT",
        },
    )
    # The dictionary outgrows its limit in the middle of the chunk: both kinds of page in one.
    codes = pa.table({"code": [f"code-{i % 40:03d}" for i in range(400)], "id": range(400)})
    write(
        "dictionary_overflow.parquet",
        codes,
        dictionary_pagesize_limit=150,
        data_page_size=300,
        write_batch_size=20,
    )
    numbers = pa.table({"id": range(2000), "group": [i // 100 for i in range(2000)]})
    write(
        "row_groups.parquet",
        numbers,
        row_group_size=100,
        write_page_index=True,
        column_encoding={"id": "DELTA_BINARY_PACKED", "group": "PLAIN"},
        use_dictionary=False,
    )


def few(first, rows):
    return pa.table({"id": pa.array(range(first, first + rows), type=pa.int32())})


def write_partitions():
    first = 0
    for year, month in [(2023, 1), (2023, 12), (2024, 2)]:
        write(f"partitioned/year={year}/month={month:02d}/part-0.parquet", few(first, 3))
        first += 3
    write("partitioned/year=__HIVE_DEFAULT_PARTITION__/month=01/part-0.parquet", few(first, 2))
    for hidden in ["_SUCCESS", "year=2023/month=01/.gone.parquet.crc", "year=2024/.part.parquet", "_temporary/part-9.parquet"]:
        (ROOT / "partitioned" / hidden).parent.mkdir(exist_ok=True)
        (ROOT / "partitioned" / hidden).write_bytes(b"not data")
    for position, name in enumerate(["a b", "a%20b", "x%3Dy", "50%25", "żółw", "1%2F2", "it's"]):
        write(f"odd names/key={name}/part 0.parquet", few(position * 2, 2))
    for position, name in enumerate(["1", "2.5", "text"]):
        write(f"mixed_partitions/key={name}/part-0.parquet", few(position, 1))
    for position, name in enumerate(["2024-01-31", "2024-02-29"]):
        write(f"date_partitions/day={name}/part-0.parquet", few(position, 1))
    # Files whose names need quoting.
    for position, name in enumerate(["with space", "per%cent", "equals=sign", "żółw", "#hash", "a+b"]):
        write(f"file names/{name}.parquet", few(position * 10, 1))


def write_schemas():
    """Files of one folder whose schemas differ."""
    narrow = pa.table(
        {
            "id": pa.array([1, 2], pa.int32()),
            "value": pa.array([1.5, None], pa.float32()),
            "day": pa.array([datetime.date(2020, 2, 29)] * 2, pa.date32()),
        }
    )
    broad = pa.table(
        {
            "value": pa.array([2.25, 1e300], pa.float64()),
            "id": pa.array([3, 2**40], pa.int64()),
            "extra": pa.array(["x", None]),
        }
    )
    write("widening/a.parquet", narrow)
    write("widening/b.parquet", broad)
    write("conflict/a.parquet", pa.table({"id": pa.array([1], pa.int32())}))
    write("conflict/b.parquet", pa.table({"id": pa.array(["one"])}))
    write("case.parquet", pa.table({"Key": [1, 2], "VALUE": ["a", "b"]}))
    write("ambiguous.parquet", pa.table([[1], [2]], names=["key", "KEY"]))
    write("odd_columns.parquet", pa.table({"a b": [1], "c.d": [2], "e`f": [3], "select": [4], "ż": [5]}))
    nested = pa.table(
        {
            "id": [1, 2, 3],
            "items": pa.array([[1, 2], [], None], pa.list_(pa.int32())),
            "pair": pa.array([{"x": 1, "y": "a"}, None, {"x": None, "y": "b"}]),
            "lookup": pa.array([[("k", 1)], [], None], pa.map_(pa.string(), pa.int32())),
        }
    )
    write("nested.parquet", nested)


def write_empties():
    write("zero_rows.parquet", all_types().slice(0, 0).select(["id", "word"]))
    write("with_empty_file/a.parquet", few(0, 2))
    (ROOT / "with_empty_file/b.parquet").write_bytes(b"")
    write("with_empty_file/c.parquet", few(2, 2))
    (ROOT / "only_hidden").mkdir(exist_ok=True)
    (ROOT / "only_hidden/_SUCCESS").write_bytes(b"")
    write("no_columns.parquet", pa.table({"id": range(5)}).select([]))


def write_corrupt():
    """A good file broken in one way each."""
    table = pa.table({"id": range(500), "word": [WORDS[i % 5] * 3 for i in range(500)]})
    good = write("corrupt/good.parquet", table, write_page_checksum=True, compression="snappy")
    data = good.read_bytes()
    footer_size = int.from_bytes(data[-8:-4], "little")

    def broken(name, content):
        (ROOT / "corrupt" / name).write_bytes(content)

    def flipped(at, mask=0xFF):
        return data[:at] + bytes([data[at] ^ mask]) + data[at + 1 :]

    broken("not_parquet.parquet", b"id,word\n1,this is a text file and no Parquet file\n")
    broken("only_magic.parquet", b"PAR1PAR1")
    broken("short.parquet", b"PAR1")
    broken("truncated.parquet", data[: len(data) // 2])
    broken("no_tail_magic.parquet", data[:-4] + b"PAR2")
    broken("encrypted.parquet", data[:-4] + b"PARE")
    broken("footer_too_long.parquet", data[:-8] + (2**31 - 1).to_bytes(4, "little") + data[-4:])
    broken("footer_zero.parquet", data[:-8] + bytes(4) + data[-4:])
    broken("footer_flipped.parquet", flipped(len(data) - 8 - footer_size + 3))
    broken("page_header_flipped.parquet", flipped(4))
    broken("page_flipped.parquet", flipped(200, 0x01))


def main():
    for path in ROOT.iterdir():
        if path.is_dir():
            shutil.rmtree(path)
        elif path.suffix == ".parquet":
            path.unlink()
    write_types()
    write_codecs_and_encodings()
    write_partitions()
    write_schemas()
    write_empties()
    write_corrupt()
    for lake, marker in [
        ("delta", "_delta_log/00000000000000000000.json"),
        ("hudi", ".hoodie/hoodie.properties"),
        ("iceberg", "metadata/v1.metadata.json"),
    ]:
        write(f"lakes/{lake}/part-0.parquet" if lake != "iceberg" else "lakes/iceberg/data/part-0.parquet", few(0, 2))
        (ROOT / "lakes" / lake / marker).parent.mkdir(parents=True)
        (ROOT / "lakes" / lake / marker).write_text("{}\n")
    sizes = [path.stat().st_size for path in ROOT.rglob("*") if path.is_file()]
    print(f"{len(sizes)} files, {sum(sizes)} bytes")


if __name__ == "__main__":
    main()
