# SPDX-License-Identifier: Apache-2.0
"""Time stamps where clocks change, in zones with unlike habits."""

# Zone: local times around changes, in a gap, in an overlap, and before there were zones.
ZONES = {
    "America/New_York": [
        "1883-11-18 12:03:57", "1883-11-18 12:00:00", "2024-03-10 01:59:59.999999",
        "2024-03-10 02:30:00", "2024-03-10 03:00:00", "2024-11-03 00:59:59",
        "2024-11-03 01:30:00", "2024-11-03 02:00:00", "2037-11-01 01:30:00",
        "2038-03-14 02:30:00", "2500-07-01 12:00:00",
    ],
    "Europe/Dublin": ["1916-05-21 02:30:00", "1968-10-27 00:30:00", "2023-03-26 01:30:00"],
    "Australia/Lord_Howe": ["2023-10-01 02:15:00", "2024-04-07 01:45:00", "1981-03-01 00:15:00"],
    "Asia/Kolkata": ["1800-01-01 00:00:00", "1941-10-01 00:30:00", "2020-01-01 00:00:00"],
    "America/Sao_Paulo": ["2018-11-04 00:00:00", "2018-11-04 00:30:00", "2018-02-17 23:30:00"],
    "America/Toronto": ["1919-03-30 23:45:00", "1919-03-31 00:15:00", "1919-03-31 00:00:00"],
    "Pacific/Apia": ["2011-12-29 23:59:59", "2011-12-30 12:00:00", "2011-12-31 00:00:00"],
    "Africa/Casablanca": ["2024-03-10 02:30:00", "2024-04-14 02:30:00", "1890-01-01 00:00:00"],
    "Pacific/Chatham": ["2024-09-29 02:50:00", "2024-04-07 03:00:00", "1868-11-01 00:00:00"],
    "Europe/Berlin": ["1893-04-01 00:03:00", "1945-05-24 02:30:00", "0001-01-01 00:00:00"],
    "EST": ["2024-07-01 12:00:00"],
    "+05:45": ["2024-07-01 12:00:00", "0001-01-01 00:00:00"],
}


def _of_time(text):
    date = text.split(" ")[0]
    yield f"TIMESTAMP'{text}'"
    yield f"CAST('{text}' AS TIMESTAMP)"
    yield f"CAST(TIMESTAMP_NTZ'{text}' AS TIMESTAMP)"
    yield f"CAST(TIMESTAMP'{text}' AS STRING)"
    yield f"CAST(TIMESTAMP'{text}' AS TIMESTAMP_NTZ)"
    yield f"CAST(TIMESTAMP'{text} UTC' AS STRING)"
    yield f"CAST(TIMESTAMP'{text} UTC' AS DATE)"
    yield f"CAST(DATE'{date}' AS TIMESTAMP)"
    yield f"TIMESTAMP_NTZ'{text}' = TIMESTAMP'{text}'"
    for part in ["hour", "minute", "second", "year", "day"]:
        yield f"{part}(TIMESTAMP'{text} UTC')"
    yield f"extract(SECOND FROM TIMESTAMP'{text} UTC')"
    for other in ["Asia/Tokyo", "PST", "+01:00"]:
        yield f"TIMESTAMP'{text} {other}'"
        yield f"CAST('{text} {other}' AS TIMESTAMP)"


def _moves(text):
    for interval in [
        "'1' DAY", "'24' HOUR", "'1' HOUR", "'30' MINUTE", "'1' MONTH", "'1 01:00:00' DAY TO SECOND",
        "'-1' DAY", "'-1' HOUR", "'-1-1' YEAR TO MONTH", "'0' DAY", "'0' MONTH",
    ]:
        yield f"TIMESTAMP'{text}' + INTERVAL {interval}"
        yield f"TIMESTAMP'{text}' - INTERVAL {interval}"
    yield f"TIMESTAMP'{text}' + INTERVAL '1' HOUR + INTERVAL '0' DAY"
    yield f"TIMESTAMP'{text}' + INTERVAL '1' HOUR + INTERVAL '1' MONTH"
    yield f"TIMESTAMP'{text}' - TIMESTAMP'2000-01-01 00:00:00'"
    yield f"DATE'{text.split(' ')[0]}' - TIMESTAMP'{text}'"
    yield f"DATE'{text.split(' ')[0]}' + INTERVAL '1' HOUR"


def expressions_by_zone():
    for zone, times in ZONES.items():
        for text in times:
            for expression in _of_time(text):
                yield zone, expression
            for expression in _moves(text):
                yield zone, expression
