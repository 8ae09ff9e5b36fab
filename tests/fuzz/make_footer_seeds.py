#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the hand-made seeds of the fuzz target parquet_footer: what no writer makes, each for a
path of its own through the decoder. Seeds by real writers lie beside them and stay.

Usage: tests/fuzz/make_footer_seeds.py    (writes src/wheelpit/index/parquet_footer_corpus/by_hand_*)
"""
import pathlib
import struct as packing
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests/data"))
from parquet_writer import (BINARY, BYTE, DOUBLE, I16, I32, I64, LIST, MAP, SET, STRUCT, TRUE, UUID,  # noqa: E402
                            MAGIC, PHYSICAL, boolean, field, i32, i64, sequence, struct, structs,
                            text, varint, zigzag)

CORPUS = ROOT / "src/wheelpit/index/parquet_footer_corpus"


def leaf(physical="INT32", name="c", repetition=0, converted=None, logical=None, more=()):
    fields = [i32(1, PHYSICAL[physical])]
    if repetition is not None:
        fields.append(i32(3, repetition))
    fields.append(text(4, name))
    if converted is not None:
        fields.append(i32(6, converted))
    if logical is not None:
        fields.append(struct(10, logical))
    return (*fields, *more)


def root(children=1):
    return (text(4, "schema"), i32(5, children))


def statistics(minimum=b"\1\0\0\0", maximum=b"\2\0\0\0", deprecated=False):
    return struct(12, text(1 if deprecated else 5, maximum), text(2 if deprecated else 6, minimum),
                  i64(3, 0))


def chunk(physical="INT32", values=10, offset=4, size=100, more=(), more_outside=()):
    return (i64(2, offset), struct(
        3, i32(1, PHYSICAL[physical]), sequence(2, I32, [zigzag(0)]),
        sequence(3, BINARY, [varint(1) + b"c"]), i32(4, 0), i64(5, values), i64(6, size),
        i64(7, size), i64(9, offset), *more), *more_outside)


def group(chunks, rows=10):
    return (structs(1, chunks), i64(2, 100), i64(3, rows))


def footer(schema=None, groups=None, rows=10, more=(), orders=1):
    return (i32(1, 2) + structs(2, schema or [root(), leaf()]) + i64(3, rows) +
            structs(4, groups if groups is not None else [group([chunk()])]) + text(6, "by hand") +
            (structs(7, [(struct(1),)] * orders) if orders else b"") + b"".join(more) + b"\0")


def of_type(physical, converted=None, logical=None, statistics_of=None, more=()):
    """A file of one column of this type, with extremes."""
    return footer([root(), leaf(physical, converted=converted, logical=logical, more=more)],
                  [group([chunk(physical, more=[statistics_of or statistics()])])])


def file_of(footer_bytes, length=None, magic=MAGIC):
    return MAGIC + bytes(20) + footer_bytes + packing.pack(
        "<I", len(footer_bytes) if length is None else length) + magic


def number(width, signed):  # the union's IntType
    return struct(10, field(1, BYTE, bytes([width])), boolean(2, signed))


def moment(kind, unit):  # TimeType 7, TimestampType 8
    return struct(kind, boolean(1, True), struct(2, struct(unit)))


def deep(levels):
    """Groups within groups."""
    return [root(), *[(text(4, "g"), i32(3, 0), i32(5, 1))] * levels, leaf()]


LONGS = packing.pack("<Q", 1), packing.pack("<Q", 2)
FLOATS = packing.pack("<f", -0.0), packing.pack("<f", 0.0)
NESTED_LIST = sequence(20, LIST, [bytes([0x19, 0x15, 2])], container=LIST)

SEEDS = {
    # Thrift
    "skips_every_type": footer(more=[
        boolean(20, True), field(21, BYTE, b"\5"), field(22, I16, zigzag(-3)), i32(23, 1), i64(24, 1 << 40),
        field(25, DOUBLE, bytes(8)), text(26, "x"), NESTED_LIST, sequence(27, TRUE, [b"\1", b"\2"], SET),
        field(28, MAP, varint(1) + bytes([BINARY << 4 | I32]) + varint(1) + b"k" + zigzag(7)),
        field(29, MAP, varint(0)), struct(30, struct(1, i32(1, 1))), field(31, UUID, bytes(16)),
        sequence(32, UUID, [bytes(16)] * 2)]),
    "unknown_thrift_type": footer(more=[field(20, 14)]),
    "long_varint": footer(more=[i64(20, -(1 << 63))]),
    "varint_of_eleven_bytes": footer(more=[field(20, I64, b"\xff" * 10 + b"\1")]),
    "varint_cut": footer()[:40] + b"\xff\xff",
    "id_beyond_16_bits": footer(more=[field(32767, TRUE), b"\x11"]),
    "number_beyond_32_bits": footer(more=[]).replace(i32(1, 2), field(1, I32, zigzag(1 << 40)), 1),
    "list_longer_than_the_bytes": i32(1, 2) + field(2, LIST, bytes([0xfc]) + varint(1 << 40)),
    "map_longer_than_the_bytes": footer(more=[field(20, MAP, varint(1 << 40))]),
    "deep_structs": footer(more=[(field(1, STRUCT) * 100)]),
    "deep_lists": footer(more=[field(20, LIST, bytes([0x19]) * 100)]),
    "stop_with_a_delta": footer()[:-1] + b"\x10",
    "wrong_types": (field(1, TRUE) + field(2, I32, zigzag(1)) + field(3, BINARY, varint(0)) +
                    field(4, STRUCT, b"\0") + field(6, I32, zigzag(1)) + field(7, I64, zigzag(1)) + b"\0"),
    "lists_of_numbers": i32(1, 2) + sequence(2, I32, [zigzag(1)]) + i64(3, 0) + sequence(4, I32, [zigzag(1)]) + b"\0",
    "orders_of_numbers": footer(orders=0, more=[sequence(7, I32, [zigzag(1)])]),
    # the file
    "encrypted": footer(more=[struct(8, struct(1))]),
    "encrypted_column": footer(groups=[group([chunk(more_outside=[struct(8, struct(1))])])]),
    "external_column": footer(groups=[group([chunk(more_outside=[text(1, "other.parquet")])])]),
    "no_schema": i32(1, 2) + i64(3, 0) + structs(4, []) + b"\0",
    "schema_twice": footer(more=[structs(2, [root(), leaf("INT64")])]),
    "groups_twice": footer(more=[structs(4, [group([chunk()])])]),
    "rows_differ": footer(rows=11),
    "no_orders": footer(groups=[group([chunk(more=[statistics()])])], orders=0),
    "unknown_order": footer(groups=[group([chunk(more=[statistics()])])], orders=0,
                            more=[structs(7, [(struct(2),)])]),
    # row groups and chunks
    "columns_missing": footer([root(2), leaf(), leaf(name="d")]),
    "rows_negative": footer(groups=[group([chunk()], rows=-1)]),
    "rows_overflow": footer(groups=[group([chunk(values=(1 << 63) - 1)], rows=(1 << 63) - 1)] * 2),
    "metadata_missing": footer(groups=[group([(i64(2, 4),)])]),
    "chunk_without_offset": footer(groups=[group([(struct(3),)])]),
    "values_differ": footer(groups=[group([chunk(values=9)])]),
    "type_differs": footer(groups=[group([chunk("INT64")])]),
    "size_negative": footer(groups=[group([chunk(size=-1)])]),
    "outside_the_file": footer(groups=[group([chunk(offset=(1 << 20) - 10)])]),
    "no_pages": footer(groups=[group([chunk(size=0)])]),
    "dictionary_behind_the_data": footer(groups=[group([chunk(more=[i64(11, 50)])])]),
    "nulls_impossible": footer(groups=[group([chunk(more=[struct(12, i64(3, 11))])])]),
    "page_index": footer(groups=[group([chunk(more_outside=[i64(4, 200), i32(5, 10), i64(6, 210), i32(7, 10)])])]),
    "page_index_outside": footer(groups=[group([chunk(more_outside=[i64(6, 1 << 20), i32(7, 10)])])]),
    "encodings_of_another_type": footer(groups=[group([chunk(more=[sequence(2, TRUE, [b"\1"])])])]),
    "statistics_of_other_types": footer(groups=[group([chunk(more=[
        struct(12, i32(1, 1), text(3, "x"), text(9, "y"), boolean(7, True), text(5, "max"))])])]),
    "deprecated_statistics": footer(groups=[group([chunk(more=[statistics(deprecated=True)])])], orders=0),
    "deprecated_statistics_of_bytes": of_type("BYTE_ARRAY", statistics_of=statistics(deprecated=True)),
    # extremes
    "extremes_unsigned_64": of_type("INT64", logical=number(64, False), statistics_of=statistics(*LONGS)),
    "extremes_unsigned_32": of_type("INT32", logical=number(32, False)),
    "extremes_swapped": of_type("INT32", statistics_of=statistics(b"\2\0\0\0", b"\1\0\0\0")),
    "extremes_short": of_type("INT64"),
    "extremes_boolean": of_type("BOOLEAN", statistics_of=statistics(b"\0", b"\2")),
    "extremes_zeros": of_type("FLOAT", statistics_of=statistics(*reversed(FLOATS))),
    "extremes_nan": of_type("DOUBLE", statistics_of=statistics(LONGS[0], b"\xff" * 8)),
    "extremes_int96": of_type("INT96", statistics_of=statistics(bytes(12), bytes(12))),
    "extremes_null_type": of_type("INT32", logical=struct(11)),
    "extremes_interval": of_type("FIXED", converted=21, more=[i32(2, 12)]),
    # types
    **{f"logical_{name}": of_type(physical, logical=struct(number), more=more)
       for number, name, physical, more in (
           (4, "enum", "BYTE_ARRAY", ()), (12, "json", "BYTE_ARRAY", ()), (13, "bson", "BYTE_ARRAY", ()),
           (14, "uuid", "FIXED", [i32(2, 16)]), (15, "float16", "FIXED", [i32(2, 2)]),
           (17, "geometry", "BYTE_ARRAY", ()), (18, "geography", "BYTE_ARRAY", ()),
           (99, "of_a_later_version", "INT32", ()))},
    "logical_variant": footer([root(), (text(4, "v"), i32(3, 0), i32(5, 2), struct(10, struct(16))),
                               leaf("BYTE_ARRAY", "metadata"), leaf("BYTE_ARRAY", "value")]),
    "logical_of_another_type": of_type("INT32", logical=i32(1, 1)),
    "logical_with_more": of_type("INT32", logical=struct(10, field(1, BYTE, b"\x20"), boolean(2, True), text(3, "x"))),
    "logical_impossible": of_type("BYTE_ARRAY", logical=struct(5, i32(1, 9), i32(2, 3))),
    "logical_unit_unknown": of_type("INT64", logical=moment(8, 9)),
    "time_millis": of_type("INT32", logical=moment(7, 1)),
    **{f"unsigned_{width}": of_type("INT32", logical=number(width, False)) for width in (8, 16)},
    "converted_utf8": of_type("BYTE_ARRAY", converted=0),
    "converted_decimal": of_type("INT64", converted=5, more=[i32(7, 2), i32(8, 15), i32(9, 3)]),
    # the schema
    "type_unknown": of_type("INT32", converted=99),
    "no_repetition": footer([root(), leaf(repetition=None)]),
    "schema_too_short": footer([root(2), leaf()]),
    "schema_two_trees": footer([root(), leaf(), leaf(name="d")]),
    "schema_of_one_leaf": footer([leaf()]),
    "children_negative": footer([root(), (text(4, "g"), i32(3, 0), i32(5, -1))]),
    "nested_too_deep": footer(deep(101)),
    "nested_deep": footer(deep(60)),
    "no_name": footer([root(), (i32(1, 1), i32(3, 0))]),
    "element_with_more": footer([root(), leaf(more=[text(1, "x"), i32(77, 1)])]),
    "list_without_elements": footer([root(), (text(4, "l"), i32(3, 1), i32(5, 0), i32(6, 3))], []),
    # the tail of a file
    "file": file_of(footer(groups=[group([chunk(size=10)])])),
    "file_encrypted": file_of(footer(), magic=b"PARE"),
    "file_of_another_kind": file_of(footer(), magic=b"ORC1"),
    "file_cut": file_of(footer())[:30],
    "file_too_small": MAGIC + MAGIC,
    "file_length_too_large": file_of(footer(), length=1 << 20),
    "file_footer_beyond_the_first_read": file_of(footer(groups=[], rows=0, more=[text(20, bytes(16500))])),
}


def main():
    for old in CORPUS.glob("by_hand_*"):
        old.unlink()
    for name, content in SEEDS.items():
        (CORPUS / f"by_hand_{name}").write_bytes(content)
    print(f"{len(SEEDS)} seeds in {CORPUS.relative_to(ROOT)}")


main()
