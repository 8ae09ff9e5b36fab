# SPDX-License-Identifier: Apache-2.0
from .values import VALUES

TARGETS = [
    "BOOLEAN",
    "TINYINT",
    "SMALLINT",
    "INT",
    "BIGINT",
    "FLOAT",
    "DOUBLE",
    "DECIMAL(5,2)",
    "DECIMAL(38,18)",
    "STRING",
    "BINARY",
    "DATE",
    "TIMESTAMP",
    "TIMESTAMP_NTZ",
]

NUMBERS = [
    "0", "1", "-1", "+1", "007", "-0", "+0", " 12 ", "\\t12\\n", "12 ", "1 2", "", " ", "-", "+", ".",
    "1.", ".5", "-.5", "1.5", "1.9", "-1.9", "1.49999", "1e3", "1E3", "1e+3", "1e-3", "1.5e2", "e3",
    "1e", "1e400", "-1e400", "1e-400", "127", "128", "-128", "-129", "32767", "32768", "2147483647",
    "2147483648", "-2147483648", "-2147483649", "9223372036854775807", "9223372036854775808",
    "-9223372036854775808", "-9223372036854775809", "99999999999999999999999999999999999999",
    "100000000000000000000000000000000000000", "0x1F", "1_000", "1,000", "NaN", "nan", "Infinity",
    "-Infinity", "inf", "+inf", "-INF", "infinity", "1d", "1f", "1L", "1.5D", "abc", "١٢", "１２",
    "12a", "--1", "+-1", "1.2.3", "0.1", "123.456", "999.994", "999.995", "999.996", "-999.995",
    "0.005", "0.0049999", "1e37", "1e38", "0.000000000000000001", "0.0000000000000000001",
    "9007199254740993", "16777217", "3.4028235E38", "3.4028236E38", "1.7976931348623157E308",
    "4.9E-324", "2.4E-324", "\\u00A012", "12\\u0000",
]

TRUTH = [
    "true", "TRUE", "True", "t", "T", "tr", "yes", "y", "Y", "1", "on", "false", "F", "n", "no", "0",
    "off", " true ", "\\ttrue", "01", "2", "", "null", "truee",
]

DATES = [
    "2020-02-29", "2021-02-29", "2020-2-9", "2020-02-9", "2020", "2020-02", "20200229", "2020/02/29",
    " 2020-02-29 ", "2020-02-29 ", "2020-02-29T", "2020-02-29 12:34:56", "2020-02-29T12:34:56",
    "2020-02-29 garbage", "2020-02-29x", "2020-13-01", "2020-00-01", "2020-01-00", "2020-01-32",
    "0001-01-01", "0000-01-01", "9999-12-31", "10000-01-01", "+10000-01-01", "-0001-01-01",
    "1582-10-04", "1582-10-10", "1582-10-15", "1900-02-29", "99-01-01", "099-01-01", "", " ",
    "epoch", "2020-1", "2020-02-", "2020--02", "２０２０-01-01",
    "262143-12-31", "5881580-07-11", "5881580-07-12",
]

INSTANTS = [
    "2020-02-29 12:34:56", "2020-02-29T12:34:56", "2020-02-29 12:34:56.7", "2020-02-29 12:34:56.789",
    "2020-02-29 12:34:56.789012", "2020-02-29 12:34:56.7890129", "2020-02-29 12:34:56.",
    "2020-02-29 12:34", "2020-02-29 12", "2020-02-29 1:2:3", "2020-2-9 1:2:3", "2020-02-29",
    "2020-02", "2020", " 2020-02-29 12:34:56 ", "2020-02-29  12:34:56", "2020-02-29 24:00:00",
    "2020-02-29 23:60:00", "2020-02-29 23:59:60", "2020-02-29 12:34:56Z", "2020-02-29T12:34:56Z",
    "2020-02-29 12:34:56 Z", "2020-02-29 12:34:56+01:00", "2020-02-29 12:34:56-08",
    "2020-02-29 12:34:56+0130", "2020-02-29 12:34:56+1:30", "2020-02-29 12:34:56 UTC",
    "2020-02-29 12:34:56 GMT+1", "2020-02-29 12:34:56 UTC+01:30", "2020-02-29 12:34:56 PST",
    "2020-02-29 12:34:56 Europe/Berlin", "2020-02-29T12:34:56.5Europe/Berlin",
    "2020-02-29 12:34:56 Mars/Base", "2020-02-29 12:34:56+18:00", "2020-02-29 12:34:56+18:01",
    "2020-02-30 00:00:00", "1582-10-10 00:00:00", "0001-01-01 00:00:00",
    "9999-12-31 23:59:59.999999", "10000-01-01 00:00:00", "-0001-01-01 00:00:00", "294247-01-10",
    "294248-01-01", "2020-02-29t12:34:56", "2020-02-29_12:34:56", "epoch", "", "garbage",
    "2020-02-29 12:34:56 garbage", "1970-01-01 00:00:00.000001", "1969-12-31 23:59:59.999999",
]

DOUBLES = [
    "0.0", "-0.0", "1.0", "0.1", "100.0", "1234567.0", "9999999.0", "10000000.0", "12345678.9",
    "0.001", "0.0001", "0.00012345", "1E10", "1.5E-10", "1E100", "123456789012345680.0",
    "9007199254740993", "3.141592653589793", "2.2250738585072014E-308", "4.9E-324",
    "1.7976931348623157E308", "0.30000000000000004", "2E-3", "1E23", "2.0E-3", "9.999999E6",
    "9999999.999", "5E-324", "1E21", "1E22", "8.41E21",
]

ROUNDED = [
    "0.4", "0.5", "0.6", "1.5", "2.5", "-0.5", "-1.5", "-2.5", "2.4999999", "999.994", "999.995",
    "-999.995", "127.9", "128.0", "-128.9", "-129.0", "2147483647.9", "2147483648.0",
    "-2147483648.9", "-2147483649.0", "9223372036854775807.5", "9.3E18", "1E38", "0.005", "0.015",
    "0.025", "1.005",
]


def _text(values, targets):
    for value in values:
        for target in targets:
            yield f"CAST('{value}' AS {target})"


def _try(values, targets):
    for value in values:
        for target in targets:
            yield f"TRY_CAST('{value}' AS {target})"


def _every_pair():
    for type_name, values in VALUES.items():
        for target in TARGETS:
            for value in values:
                yield f"CAST({value} AS {target})"
            yield f"TRY_CAST({values[0]} AS {target})"
            yield f"TRY_CAST({values[min(1, len(values) - 1)]} AS {target})"
            yield f"({values[0]}) :: {target}"


def _numbers_to_numbers():
    for value in ROUNDED:
        for suffix in ["D", "F", "BD"]:
            for target in ["TINYINT", "INT", "BIGINT", "DECIMAL(5,2)", "DECIMAL(10,0)"]:
                yield f"CAST({value}{suffix} AS {target})"
    for suffix in ["D", "F"]:
        for value in DOUBLES:
            if suffix == "F" and ("E308" in value or "E100" in value):
                continue
            yield f"CAST({value}{suffix} AS STRING)"
        yield f"CAST(0.1{suffix} AS DECIMAL(38,30))"
        yield f"CAST(1E20{suffix} AS DECIMAL(38,10))"
        yield f"CAST(1E30{suffix} AS DECIMAL(38,10))"
    for target in TARGETS[:8] + ["DATE", "TIMESTAMP"]:
        for value in ["'NaN'", "'Infinity'", "'-Infinity'"]:
            yield f"CAST(CAST({value} AS DOUBLE) AS {target})"
            yield f"CAST(CAST({value} AS FLOAT) AS {target})"
    for shape in ["1,0", "1,1", "10,2", "10,-2", "38,38", "38,0", "39,0", "5,6", "0,0", "10", "38"]:
        yield f"CAST(0.5 AS DECIMAL({shape}))"
        yield f"CAST('12.345' AS DECIMAL({shape}))"
    yield "CAST(1 AS DECIMAL)"
    yield "CAST(1.5 AS DEC(5,1))"
    yield "CAST(1.5 AS NUMERIC(5,1))"


def _instants():
    for value in ["0", "1", "-1", "1582934400", "0.000001D", "1.5D", "1.5BD", "-1.5D", "1E18D"]:
        yield f"CAST({value} AS TIMESTAMP)"
        yield f"CAST({value} AS TIMESTAMP_NTZ)"
        yield f"CAST({value} AS DATE)"
    for value in [
        "1970-01-01 00:00:00",
        "1969-12-31 23:59:59.9",
        "2020-02-29 12:34:56.789012",
        "2020-03-08 02:30:00",
        "2020-11-01 01:30:00",
        "1883-11-18 12:00:00",
        "0001-01-01 00:00:00",
        "9999-12-31 23:59:59.999999",
        "2020-01-01 00:00:00.100",
        "2020-01-01 00:00:00.120000",
    ]:
        for type_name in ["TIMESTAMP", "TIMESTAMP_NTZ"]:
            for target in ["STRING", "DATE", "BIGINT", "INT", "DOUBLE", "DECIMAL(20,6)"]:
                yield f"CAST({type_name}'{value}' AS {target})"
        yield f"CAST(TIMESTAMP'{value}' AS TIMESTAMP_NTZ)"
        yield f"CAST(TIMESTAMP_NTZ'{value}' AS TIMESTAMP)"
    for value in ["0001-01-01", "1969-12-31", "1970-01-01", "2020-03-08", "9999-12-31"]:
        for target in ["STRING", "TIMESTAMP", "TIMESTAMP_NTZ", "INT"]:
            yield f"CAST(DATE'{value}' AS {target})"


def _names_of_types():
    for name in [
        "BOOL", "BYTE", "SHORT", "INTEGER", "LONG", "REAL", "DEC", "NUMERIC", "CHAR(3)", "VARCHAR(2)",
        "TEXT", "BLOB", "TIMESTAMP_LTZ", "VOID", "FOO", "INT8", "BIGINT UNSIGNED", "DOUBLE PRECISION",
    ]:
        yield f"CAST('1' AS {name})"
        yield f"CAST(NULL AS {name})"
    for call in ["int('7')", "string(7)", "double('1.5')", "date('2020-01-01')", "boolean('t')"]:
        yield call
    for call in ["bigint(7.9)", "decimal(7)", "timestamp('2020-01-01')", "binary('a')", "float('x')"]:
        yield call
    yield from [
        "'1' :: INT + 1",
        "1 :: STRING || 'a'",
        "-1 :: TINYINT",
        "'a' :: INT",
        "1.5 :: INT :: STRING",
        "CAST(1 AS INT",
        "CAST(1)",
        "CAST(1, INT)",
        "TRY_CAST('a' AS INT)",
        "TRY_CAST('a' AS INT) IS NULL",
        "TRY_CAST(1 / 0 AS INT)",
        "TRY_CAST(300 AS TINYINT)",
        "TRY_CAST(1 AS DATE)",
        "CAST(CAST('a' AS STRING) AS BINARY)",
        "CAST(X'C3A9' AS STRING)",
        "CAST(X'FF' AS STRING)",
        "CAST(1 AS BINARY)",
        "CAST(1L AS BINARY)",
        "CAST(-1Y AS BINARY)",
        "CAST(256S AS BINARY)",
        "CAST('é' AS BINARY)",
        "CAST(true AS STRING)",
        "CAST(true AS DOUBLE)",
        "CAST(0.0D AS BOOLEAN)",
        "CAST(CAST('NaN' AS DOUBLE) AS BOOLEAN)",
        "CAST(2 AS BOOLEAN)",
        "CAST(0BD AS BOOLEAN)",
        "CAST(1BD AS STRING)",
        "CAST(1.500BD AS STRING)",
        "CAST(0.0000001BD AS STRING)",
        "CAST(CAST(0 AS DECIMAL(38,18)) AS STRING)",
        "CAST(CAST(1E-18 AS DECIMAL(38,18)) AS STRING)",
        "CAST(12345678901234567890123456789012345678BD AS STRING)",
        "CAST(12345678901234567890123456789012345678BD AS DOUBLE)",
        "CAST(12345678901234567890123456789012345678BD AS BIGINT)",
        "CAST(0.1BD AS FLOAT)",
        "CAST(0.1BD AS DOUBLE)",
        "CAST(0.1F AS DOUBLE)",
        "CAST(0.1D AS FLOAT)",
        "CAST(1E40D AS FLOAT)",
        "CAST(9223372036854775807L AS FLOAT)",
        "CAST(9223372036854775807L AS DOUBLE)",
        "CAST(9007199254740993L AS DOUBLE)",
        "CAST(CAST(9223372036854775807L AS DOUBLE) AS BIGINT)",
        "CAST(9223372036854775807D AS BIGINT)",
        "CAST(-9223372036854775808D AS BIGINT)",
    ]


def expressions():
    yield from _every_pair()
    yield from _text(NUMBERS, ["TINYINT", "INT", "BIGINT", "DOUBLE", "FLOAT", "DECIMAL(5,2)"])
    yield from _text(NUMBERS[:40], ["SMALLINT", "DECIMAL(38,18)", "DECIMAL(38,0)"])
    yield from _text(TRUTH, ["BOOLEAN"])
    yield from _text(DATES, ["DATE"])
    yield from _text(INSTANTS, ["TIMESTAMP", "TIMESTAMP_NTZ", "DATE"])
    yield from _try(NUMBERS, ["INT", "DOUBLE", "DECIMAL(5,2)"])
    yield from _try(TRUTH, ["BOOLEAN"])
    yield from _try(DATES, ["DATE"])
    yield from _try(INSTANTS, ["TIMESTAMP"])
    yield from _numbers_to_numbers()
    yield from _instants()
    yield from _names_of_types()


def expressions_in_los_angeles():
    """What depends on the session's time zone, again in one with summer time."""
    yield from _text(INSTANTS, ["TIMESTAMP"])
    yield from _instants()
