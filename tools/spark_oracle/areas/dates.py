# SPDX-License-Identifier: Apache-2.0
from .values import VALUES, ordinary

INSTANTS = [
    "DATE'2020-02-29'",
    "DATE'0001-01-01'",
    "DATE'9999-12-31'",
    "DATE'1969-12-31'",
    "DATE'1582-10-15'",
    "TIMESTAMP'2020-02-29 12:34:56.789012'",
    "TIMESTAMP'1969-12-31 23:59:59.999999'",
    "TIMESTAMP'2020-06-30 23:30:00'",
    "TIMESTAMP'0001-01-01 00:00:00'",
    "TIMESTAMP'2020-02-29 23:00:00-05:00'",
    "TIMESTAMP_NTZ'2020-02-29 12:34:56.789012'",
    "TIMESTAMP_NTZ'1969-12-31 23:59:59.5'",
    "'2020-02-29'",
    "'2020-02-29 12:34:56'",
    "'garbage'",
    "NULL",
]

PARTS = ["year", "month", "day", "dayofmonth", "hour", "minute", "second"]


def _parts():
    for part in PARTS:
        for instant in INSTANTS:
            yield f"{part}({instant})"
    for part in ["YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND"]:
        for instant in INSTANTS[:12]:
            yield f"extract({part} FROM {instant})"
    for part in ["YEARS", "MON", "D", "H", "MIN", "S", "DAYS", "FOO"]:
        yield f"extract({part} FROM DATE'2020-02-29')"
    for part in PARTS:
        for type_name in VALUES:
            yield f"{part}({ordinary(type_name)})"
    yield "extract(YEAR FROM '2020-02-29')"
    yield "date_part('year', DATE'2020-02-29')"
    yield "year()"
    yield "year(DATE'2020-01-01', 1)"


def _arithmetic():
    dates = ["DATE'2020-02-28'", "DATE'2019-12-31'", "DATE'9999-12-31'", "DATE'0001-01-01'"]
    days = ["0", "1", "-1", "365", "1Y", "1S", "NULL"]
    for date in dates:
        for count in days:
            yield f"date_add({date}, {count})"
            yield f"date_sub({date}, {count})"
            yield f"{date} + {count}"
            yield f"{date} - {count}"
    for count in ["1L", "1.5", "1.5D", "'1'", "'1.5'", "'x'", "true", "2147483647", "-2147483648"]:
        yield f"date_add(DATE'2020-01-01', {count})"
        yield f"date_sub(DATE'2020-01-01', {count})"
    for type_name in VALUES:
        value = ordinary(type_name)
        yield f"date_add({value}, 1)"
        yield f"date_sub({value}, 1)"
        yield f"date_add(DATE'2020-01-01', {value})"
        yield f"datediff({value}, DATE'2020-01-01')"
        yield f"datediff(DATE'2020-01-01', {value})"
    for a in dates + ["'2020-01-01'", "'garbage'", "NULL", "TIMESTAMP'2020-01-01 23:59:59'"]:
        for b in dates:
            yield f"datediff({a}, {b})"
    yield from [
        "date_add('2020-01-01', 1)",
        "date_sub('2020-01-01 12:00:00', 1)",
        "date_add(TIMESTAMP'2020-01-01 12:00:00', 1)",
        "dateadd(DATE'2020-01-01', 1)",
        "date_diff(DATE'2020-01-02', DATE'2020-01-01')",
        "1 + DATE'2020-01-01'",
        "1 - DATE'2020-01-01'",
        "DATE'2020-01-01' * 2",
        "DATE'2020-01-01' + '1'",
        "TIMESTAMP'2020-01-01 00:00:00' + 1",
        "-DATE'2020-01-01'",
        "date_add(DATE'2020-01-01')",
    ]


def _intervals():
    units = ["1 DAY", "1 MONTH", "1 YEAR", "36 HOURS", "90 MINUTES", "'1' DAY", "'1-2' YEAR TO MONTH"]
    for instant in [INSTANTS[0], INSTANTS[2], INSTANTS[5], INSTANTS[10]]:
        for unit in units:
            yield f"{instant} + INTERVAL {unit}"
            yield f"{instant} - INTERVAL {unit}"
    yield from [
        "DATE'2020-01-31' + INTERVAL 1 MONTH",
        "DATE'2020-03-31' - INTERVAL 1 MONTH",
        "DATE'1998-12-01' - INTERVAL '90' DAY",
        "INTERVAL 1 DAY + DATE'2020-01-01'",
        "DATE'2020-01-02' - DATE'2020-01-01'",
        "TIMESTAMP'2020-01-02 00:00:00' - TIMESTAMP'2020-01-01 00:00:00'",
        "DATE'2020-01-02' - TIMESTAMP'2020-01-01 12:00:00'",
        "DATE'2020-01-01' - NULL",
        "INTERVAL 1 DAY",
        "INTERVAL '1 2:03:04' DAY TO SECOND",
        "INTERVAL 1 DAY * 2",
        "INTERVAL 1 DAY > INTERVAL 23 HOURS",
    ]


def expressions():
    yield from _parts()
    yield from _arithmetic()
    for expression in _intervals():
        yield expression, "interval"


def expressions_in_los_angeles():
    yield from (
        f"{part}({instant})" for part in PARTS for instant in INSTANTS[5:12] + INSTANTS[13:14]
    )
    yield from (
        f"datediff({instant}, DATE'2020-01-01')" for instant in INSTANTS[5:12] + INSTANTS[13:14]
    )
