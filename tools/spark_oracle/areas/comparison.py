# SPDX-License-Identifier: Apache-2.0
from .values import VALUES, ordinary, pairs

OPERATORS = ["=", "==", "<>", "!=", "<", "<=", ">", ">=", "<=>"]


def _edges():
    for values in VALUES.values():
        for operator in ["=", "<", "<=>"]:
            for position, a in enumerate(values):
                for b in values[position:]:
                    yield f"{a} {operator} {b}"


def _floats():
    odd = ["CAST('NaN' AS {0})", "CAST('Infinity' AS {0})", "CAST('-Infinity' AS {0})", "-0.0{1}"]
    odd += ["0.0{1}", "1.0{1}", "CAST(NULL AS {0})"]
    for type_name, suffix in [("FLOAT", "F"), ("DOUBLE", "D")]:
        values = [text.format(type_name, suffix) for text in odd]
        for operator in ["=", "<", ">=", "<=>"]:
            for a in values:
                for b in values:
                    yield f"{a} {operator} {b}"
    for a in [text.format("FLOAT", "F") for text in odd[:5]]:
        for b in [text.format("DOUBLE", "D") for text in odd[:5]]:
            yield f"{a} = {b}"
            yield f"{a} < {b}"


def _ranges():
    for a in VALUES:
        for b in VALUES:
            x, y = ordinary(a), ordinary(b)
            yield f"{x} BETWEEN {y} AND {y}"
            yield f"{x} IN ({y}, {x})"
            yield f"{x} IN ({y})"
    yield from [
        "5 BETWEEN 1 AND 10",
        "5 BETWEEN 10 AND 1",
        "5 NOT BETWEEN 1 AND 10",
        "5 NOT BETWEEN 6 AND 10",
        "NULL BETWEEN 1 AND 2",
        "5 BETWEEN NULL AND 10",
        "5 BETWEEN NULL AND 4",
        "5 BETWEEN 6 AND NULL",
        "5 BETWEEN 1 AND NULL",
        "5 NOT BETWEEN NULL AND 4",
        "5 BETWEEN 1 AND 10.5",
        "5 BETWEEN '1' AND '10'",
        "'5' BETWEEN 1 AND 10",
        "'b' BETWEEN 'a' AND 'c'",
        "'5' BETWEEN '10' AND '60'",
        "DATE'2020-01-02' BETWEEN '2020-01-01' AND '2020-01-03'",
        "DATE'2020-01-02' BETWEEN TIMESTAMP'2020-01-01 00:00:00' AND DATE'2020-01-02'",
        "CAST('NaN' AS DOUBLE) BETWEEN 0 AND CAST('Infinity' AS DOUBLE)",
        "1 IN (1, 2, 3)",
        "4 IN (1, 2, 3)",
        "1 NOT IN (1, 2)",
        "3 NOT IN (1, 2)",
        "1 IN (1, NULL)",
        "2 IN (1, NULL)",
        "2 NOT IN (1, NULL)",
        "1 NOT IN (1, NULL)",
        "NULL IN (1, 2)",
        "NULL IN (NULL)",
        "NULL NOT IN (1)",
        "1 IN ()",
        "1 IN (1L, 2.5)",
        "1 IN ('1', '2')",
        "1 IN ('a')",
        "'1' IN (1, 2)",
        "'1' IN (1, 'a')",
        "'a' IN ('a', 'b')",
        "'A' IN ('a', 'b')",
        "1.5 IN (1, 1.5)",
        "1.50 IN (1.5)",
        "true IN (true, false)",
        "true IN (1)",
        "CAST('NaN' AS DOUBLE) IN (CAST('NaN' AS DOUBLE))",
        "0.0D IN (-0.0D)",
        "X'41' IN (X'41')",
        "DATE'2020-01-01' IN ('2020-01-01')",
        "DATE'2020-01-01' IN (TIMESTAMP'2020-01-01 00:00:00')",
        "1 IN (1 / 0)",
        "1 IN (1, 1 / 0)",
        "2 IN (1, 1 / 0)",
    ]


def _text():
    words = ["''", "'a'", "'A'", "'ab'", "'b'", "'é'", "'e'", "'z'", "'ß'", "'日本'", "'😀'", "' a'"]
    for a in words:
        for b in words:
            yield f"{a} < {b}"
    for number in ["1", "1Y", "1L", "1.0F", "1.0D", "1.0BD", "10000000000L"]:
        for text in ["'1'", "'1.0'", "' 1 '", "'01'", "'1e0'", "'x'", "''", "'10000000000'"]:
            yield f"{number} = {text}"
            yield f"{text} < {number}"


def _instants():
    values = [
        "DATE'2020-01-01'",
        "TIMESTAMP'2020-01-01 00:00:00'",
        "TIMESTAMP_NTZ'2020-01-01 00:00:00'",
        "TIMESTAMP'2020-01-01 00:00:00.000001'",
        "'2020-01-01'",
        "'2020-01-01 00:00:00'",
        "'2020-1-1'",
        "'not a date'",
        "TIMESTAMP'2020-01-01 00:00:00+01:00'",
    ]
    for operator in ["=", "<", "<=>"]:
        for a in values:
            for b in values:
                yield f"{a} {operator} {b}"


def _numbers():
    equal = ["1Y", "1S", "1", "1L", "1.0F", "1.0D", "1BD", "1.00BD", "CAST(1 AS DECIMAL(38,18))"]
    for a in equal:
        for b in equal:
            yield f"{a} = {b}"
    yield from [
        "9007199254740993L = 9007199254740992D",
        "9007199254740993L > 9007199254740992D",
        "16777217 = 16777216F",
        "0.1F = 0.1D",
        "0.1F = 0.1BD",
        "0.1D = 0.1BD",
        "0.3BD = 0.1BD + 0.2BD",
        "0.3D = 0.1D + 0.2D",
        "9223372036854775807L = 9223372036854775807BD",
        "99999999999999999999999999999999999999BD = 0.1BD",
        "99999999999999999999999999999999999999BD > 0.00000001BD",
        "CAST(1 AS DECIMAL(38,38)) = 1",
        "1 = 1 = true",
        "1 < 2 < 3",
        "true = 1 = 1",
        "NOT 1 = 2",
        "1 <> 2 AND 2 <> 3",
        "true > false",
        "true = 'true'",
        "true = 'yes'",
        "true = 'x'",
        "false < true",
        "true = 1",
        "NULL = NULL",
        "NULL <=> NULL",
        "1 <=> NULL",
        "NULL <> 1",
        "X'00' < X'01'",
        "X'FF' > X'00'",
        "X'41' = 'A'",
        "X'4142' > X'41'",
        "1 / 0 = 1",
        "NULL = 1 / 0",
        "isnan(CAST('NaN' AS DOUBLE))",
        "isnan(1.0D)",
        "isnan(CAST(NULL AS DOUBLE))",
        "isnan(CAST('NaN' AS FLOAT))",
        "isnan(1)",
        "isnan('NaN')",
        "isnan('abc')",
        "isnan(1.5BD)",
        "isnan(true)",
    ]
    for values in VALUES.values():
        for value in (values[0], values[-1]):
            yield f"{value} IS NULL"
            yield f"{value} IS NOT NULL"


def expressions():
    for a, b in pairs():
        for operator in ["=", "<", "<=>"]:
            yield f"{a} {operator} {b}"
    for type_name in VALUES:
        for operator in OPERATORS:
            yield f"{ordinary(type_name)} {operator} {VALUES[type_name][-1]}"
            yield f"{ordinary(type_name)} {operator} {ordinary(type_name)}"
    for part in (_edges, _floats, _ranges, _text, _instants, _numbers):
        yield from part()
