# SPDX-License-Identifier: Apache-2.0
"""Parquet files by hand, with nothing but Python: the Thrift compact protocol as far as the format
needs it, and files of plain uncompressed required columns, in any number and of any size.

Facts from parquet-format's parquet.thrift and Thrift's compact protocol specification.
"""
import struct as packing

TRUE, FALSE, BYTE, I16, I32, I64, DOUBLE, BINARY, LIST, SET, MAP, STRUCT, UUID = range(1, 14)
PHYSICAL = {"BOOLEAN": 0, "INT32": 1, "INT64": 2, "INT96": 3, "FLOAT": 4, "DOUBLE": 5,
            "BYTE_ARRAY": 6, "FIXED": 7}
MAGIC = b"PAR1"


# --- Thrift: a struct is its fields put together, a field is bytes

def varint(number):
    out = bytearray()
    while number >= 0x80:
        out.append(number & 0x7f | 0x80)
        number >>= 7
    return bytes(out + bytes([number]))


def zigzag(number):
    return varint((number << 1) ^ (number >> 63) if number >= 0 else ((-number) << 1) - 1)


def field(number, kind, value=b""):
    return bytes([kind]) + zigzag(number) + value


def i32(number, value):
    return field(number, I32, zigzag(value))


def i64(number, value):
    return field(number, I64, zigzag(value))


def boolean(number, value):
    return field(number, TRUE if value else FALSE)


def text(number, value):
    value = value.encode() if isinstance(value, str) else value
    return field(number, BINARY, varint(len(value)) + value)


def struct(number, *fields):
    return field(number, STRUCT, b"".join(fields) + b"\0")


def sequence(number, kind, elements, container=LIST):
    elements = list(elements)
    return field(number, container, bytes([0xf0 | kind]) + varint(len(elements)) + b"".join(elements))


def structs(number, elements):
    return sequence(number, STRUCT, [b"".join(fields) + b"\0" for fields in elements])


# --- files

def plain(kind, values):
    """The values of a page; numbers as one INT64 or text as one BYTE_ARRAY after the other."""
    if kind == "INT64":
        return packing.pack(f"<{len(values)}q", *values)
    return b"".join(packing.pack("<I", len(value)) + value for value in values)


def page(kind, values):
    data = plain(kind, values)
    header = i32(1, 0) + i32(2, len(data)) + i32(3, len(data)) + struct(
        5, i32(1, len(values)), i32(2, 0), i32(3, 3), i32(4, 3)) + b"\0"
    return header + data


def schema(columns):
    """`columns` is [(name, "INT64" or "STRING")]."""
    root = (text(4, "schema"), i32(5, len(columns)))
    leaves = [(i32(1, PHYSICAL["INT64" if kind == "INT64" else "BYTE_ARRAY"]), i32(3, 0), text(4, name),
               *([] if kind == "INT64" else [i32(6, 0), struct(10, struct(1))]))
              for name, kind in columns]
    return structs(2, [root, *leaves])


def write(path, columns, groups):
    """Writes a file; each group is a list of columns, a column a list of values."""
    row_groups, row_count = [], 0
    with open(path, "wb") as file:
        file.write(MAGIC)
        for group in groups:
            chunks, group_bytes = [], 0
            for (name, kind), values in zip(columns, group):
                offset, data = file.tell(), page(kind, values)
                file.write(data)
                group_bytes += len(data)
                number = PHYSICAL["INT64" if kind == "INT64" else "BYTE_ARRAY"]
                chunks.append((i64(2, offset), struct(
                    3, i32(1, number), sequence(2, I32, [zigzag(0)]),
                    sequence(3, BINARY, [varint(len(name.encode())) + name.encode()]), i32(4, 0),
                    i64(5, len(values)), i64(6, len(data)), i64(7, len(data)), i64(9, offset))))
            row_count += len(group[0])
            row_groups.append((structs(1, chunks), i64(2, group_bytes), i64(3, len(group[0]))))
        footer = i32(1, 1) + schema(columns) + i64(3, row_count) + structs(4, row_groups) + b"\0"
        file.write(footer + packing.pack("<I", len(footer)) + MAGIC)
