# SPDX-License-Identifier: Apache-2.0


def _numbers():
    yield from """
        0 1 -1 007 2147483647 2147483648 -2147483648 -2147483649 9223372036854775807
        9223372036854775808 -9223372036854775808 -9223372036854775809
        99999999999999999999999999999999999999 100000000000000000000000000000000000000
        1Y 127Y 128Y -128Y -129Y 1y 1S 32767S 32768S -32768S 1s 1L 1l 9223372036854775807L
        9223372036854775808L -9223372036854775808L 1.0 1. .5 -.5 0.10 00.5 1.50 12345.6789
        0.00000000000000000000000000000000000001 0.000000000000000000000000000000000000001
        1.00000000000000000000000000000000000000 12345678901234567890.123456789012345678
        1e3 1E3 1e+3 1e-3 1.5e2 .5e1 1.e2 1e400 -1e400 1e-400 1e38 1e39 0e0 1.0e0
        1D 1d 1.5D .5D 1.D 1e3D 1e400D 1F 1f 1.5F 1e3F 1e39F 1BD 1bd 1.5BD 1e3BD 1.50BD 1e-3BD
        1e39BD 0.1F 0.1D 16777217F 4.9e-324D 1.4e-45F 0D -0D -0.0 -0.0D 1_000 0x1F 1e 1e+ 1.2.3 1X
        123abc .e1 1D1 NaN Infinity
    """.split()


def _text():
    yield from [
        "''",
        "'a'",
        '"a"',
        '"it\'s"',
        "'say \"hi\"'",
        "'it''s'",
        "'it\\'s'",
        '"a""b"',
        "'a' 'b'",
        "'a' \"b\"",
        "'a'\n'b'",
        "'a\\nb'",
        "'a\\tb'",
        "'a\\\\b'",
        "'a\\rb'",
        "'a\\bb'",
        "'a\\0b'",
        "'a\\Zb'",
        "'\\%'",
        "'\\_'",
        "'\\q'",
        "'\\u00e9'",
        "'\\u00E9x'",
        "'\\U0001F600'",
        "'\\u12'",
        "'\\101'",
        "'\\377'",
        "'\\1'",
        "'\\x41'",
        "r'a\\nb'",
        'R"a\\nb"',
        "r'a\\'",
        "'żółw'",
        "'日本語'",
        "'😀'",
        "'a\nb'",
        "'open",
        "'a' -- note",
        "'a' /* note */",
        "/* a /* nested */ b */ 'x'",
        "'--'",
        "'/*'",
        "'a;b'",
        "X''",
        "X'1F'",
        "x'1f'",
        "X'1'",
        "X'123'",
        "X'GG'",
        "X\"41\"",
        "X 'AB'",
        "b'101'",
        "N'a'",
    ]


def _others():
    yield from [
        "true",
        "TRUE",
        "False",
        "null",
        "NULL",
        "DATE'2020-02-29'",
        "DATE '2020-02-29'",
        "date '2020-02-29'",
        'DATE"2020-02-29"',
        "DATE'2020-2-9'",
        "DATE'2020'",
        "DATE'2020-02'",
        "DATE'2021-02-29'",
        "DATE' 2020-02-29 '",
        "DATE'2020-02-29 12:00:00'",
        "DATE'garbage'",
        "DATE''",
        "DATE'epoch'",
        "DATE'10000-01-01'",
        "DATE'-0001-01-01'",
        "TIMESTAMP'2020-02-29 12:34:56'",
        "TIMESTAMP '2020-02-29 12:34:56.789'",
        "TIMESTAMP'2020-02-29'",
        "TIMESTAMP'2020-02-29T12:34:56Z'",
        "TIMESTAMP'2020-02-29 12:34:56+05:30'",
        "TIMESTAMP'2020-02-29 12:34:56 Europe/Berlin'",
        "TIMESTAMP'2020-02-29 12'",
        "TIMESTAMP'2020'",
        "TIMESTAMP'garbage'",
        "TIMESTAMP'2020-02-30 00:00:00'",
        "TIMESTAMP'epoch'",
        "TIMESTAMP_NTZ'2020-02-29 12:34:56'",
        "TIMESTAMP_NTZ'2020-02-29'",
        "TIMESTAMP_NTZ'2020-02-29 12:34:56Z'",
        "TIMESTAMP_NTZ'2020-02-29 12:34:56+01:00'",
        "TIMESTAMP_NTZ'garbage'",
        "TIMESTAMP_LTZ'2020-02-29 12:34:56'",
        "TIMESTAMP_LTZ'2020-02-29 12:34:56+01:00'",
        "FOO'2020'",
        "DECIMAL'1.5'",
        "`a`",
        "a",
        "a.b",
        "`1`",
        "(1)",
        "((1))",
        "(1, 2)",
        "()",
        "-(1)",
        "- 1",
        "-'1'",
        "-9223372036854775808",
        "- 9223372036854775808",
        "-(9223372036854775808)",
        "-(2147483648)",
        "+1",
    ]


def _more_texts():
    """Every escape letter, and each literal with a suffix at the edge of its type."""
    for code in range(0x21, 0x7F):
        letter = chr(code)
        if letter not in "'\\uUx" and not letter.isdigit():
            yield f"'<\\{letter}>'"
    for digits in range(1, 39, 3):
        yield "9" * digits
        yield "0." + "1" * digits
        yield "9" * digits + ".5"
        yield "9" * digits + "BD"
        yield "1" * digits + "e2"
    for hexadecimal in ["00", "7F", "80", "FF", "C3A9", "E697A5", "DEADBEEF", "deadbeef", "0aF"]:
        yield f"X'{hexadecimal}'"


def expressions():
    for part in (_numbers, _text, _others, _more_texts):
        yield from part()
    for expression in ["INTERVAL 1 DAY", "INTERVAL '1' MONTH", "INTERVAL '1-2' YEAR TO MONTH"]:
        yield expression, "interval"


def expressions_in_los_angeles():
    for text in [
        "2020-02-29 12:34:56",
        "2020-03-08 02:30:00",
        "2020-11-01 01:30:00",
        "2020-02-29 12:34:56Z",
        "2020-02-29",
        "1883-11-18 12:00:00",
        "1900-01-01 00:00:00",
        "2020-02-29 12:34:56+05:30",
    ]:
        yield f"TIMESTAMP'{text}'"
        yield f"TIMESTAMP_NTZ'{text}'"
        yield f"TIMESTAMP'{text}' = TIMESTAMP_NTZ'{text}'"
        yield f"CAST(TIMESTAMP'{text}' AS BIGINT)"
