# SPDX-License-Identifier: Apache-2.0
from .values import DECIMALS, INTEGERS, NUMBERS, VALUES, pairs

OPERATORS = ["+", "-", "*", "/", "div", "%", "&", "|", "^"]


def _edges(type_name, operators):
    """Both ends of a type, zero, minus one and null against each other."""
    ordinary, *edges = VALUES[type_name]
    for operator in operators:
        for a, b in zip(edges, edges[1:] + edges[:1]):
            yield f"{a} {operator} {a}"
            yield f"{a} {operator} {b}"
            if operator in ("-", "/", "div", "%"):
                yield f"{b} {operator} {a}"
                yield f"{a} {operator} {ordinary}"
                yield f"{ordinary} {operator} {a}"


def _decimal_types():
    """Result types of each pair of precision and scale, around the limit of 38."""
    shapes = ["5,2", "10,0", "15,2", "18,4", "18,18", "20,0", "38,0", "38,10", "38,37", "38,38"]
    for operator in ["+", "-", "*", "/", "%", "div"]:
        for a in shapes:
            for b in shapes:
                yield f"CAST(0.5 AS DECIMAL({a})) {operator} CAST(0.25 AS DECIMAL({b}))"


def _decimal_values():
    values = [
        "0.1BD",
        "1.005BD",
        "-7.5BD",
        "3BD",
        "123456789.987654321BD",
        "CAST(12345678901234567890.12 AS DECIMAL(22,2))",
        "CAST(0.00000000000000000001 AS DECIMAL(38,20))",
        "CAST(1E37 AS DECIMAL(38,0))",
    ]
    for operator in ["+", "-", "*", "/", "%", "div"]:
        for a in values:
            for b in values:
                yield f"{a} {operator} {b}"


def _unary():
    for values in VALUES.values():
        for value in values:
            for operator in "-+~":
                yield f"{operator}({value})"
    for type_name in INTEGERS:
        minimum = VALUES[type_name][2]
        yield f"- {minimum}"
        yield f"-(-({VALUES[type_name][1]}))"


def _shapes():
    """Precedence, nesting, signs and the functions that are operators in disguise."""
    yield from [
        "1 + 2 * 3",
        "(1 + 2) * 3",
        "10 - 4 - 3",
        "2 * 3 % 4",
        "7 div 2 * 2",
        "7 % -3",
        "-7 % 3",
        "-7 div 2",
        "7 div -2",
        "-7 / 2",
        "7.0 % 2.5",
        "-7.5D % 2D",
        "5.5F % 2F",
        "1 - -1",
        "1 - - 1",
        "- - 1",
        "+ + 1",
        "~~5",
        "-~5",
        "1 | 2 & 3",
        "1 ^ 3 | 4",
        "1 & 3 ^ 2",
        "5 & -1L",
        "1Y + 1S",
        "1Y + 1",
        "1S * 1L",
        "100Y + 100Y",
        "100Y * 2Y",
        "100Y + 100",
        "2147483647 + 1L",
        "0.1 + 0.2",
        "0.1D + 0.2D",
        "0.1F + 0.2F",
        "0.1F + 0.2D",
        "1 / 3",
        "1L / 3L",
        "2 / 2",
        "1BD / 3",
        "1.0 / 3.0",
        "10 / 4 * 2",
        "1e0 / 0",
        "0 / 0",
        "0D / 0D",
        "1D / 0D",
        "1D % 0D",
        "1 % 0",
        "1 div 0",
        "1 div 0.0",
        "1.5 div 0.5",
        "7.9D div 2",
        "1BD / 0",
        "1BD % 0BD",
        "NULL / 0",
        "0 / NULL",
        "1 div NULL",
        "NULL % 0",
        "CAST(NULL AS INT) / 0",
        "CAST(NULL AS INT) div 0",
        "'1' + '2'",
        "'1' + 2",
        "'1.5' + 2",
        "'1.5' + 2D",
        "'a' + 1",
        "'6' / '2'",
        "'6' div 4",
        "'9999999999' + 1",
        "-'1'",
        "-'a'",
        "~'1'",
        "true + true",
        "-true",
        "DATE'2020-01-01' + 1Y",
        "DATE'2020-01-01' + 1S",
        "DATE'2020-01-01' + 1L",
        "1 + DATE'2020-01-01'",
        "DATE'2020-01-01' - 1",
        "DATE'2020-01-01' - '1'",
        "9223372036854775807 + 1",
        "9223372036854775808 + 1",
        "-9223372036854775808",
        "-2147483648",
        "2147483648",
        "-9223372036854775808 - 1",
        "-9223372036854775808L div -1L",
        "-9223372036854775808L / -1L",
        "-9223372036854775808L % -1L",
        "-2147483648 div -1",
        "-2147483648 % -1",
        "-128Y div -1Y",
        "-128Y * -1Y",
        "-128Y % -1Y",
        "mod(7, 3)",
        "mod(-7, 3)",
        "mod(7.5, 2)",
        "negative(5)",
        "positive(-5)",
        "1 +",
        "* 2",
        "1 + + 2",
        "1 2",
    ]


def expressions():
    for operator in OPERATORS:
        for a, b in pairs():
            yield f"{a} {operator} {b}"
    for type_name in INTEGERS:
        yield from _edges(type_name, OPERATORS)
    for type_name in NUMBERS[4:6]:
        yield from _edges(type_name, OPERATORS[:6])
    for type_name in DECIMALS:
        yield from _edges(type_name, OPERATORS[:6])
    yield from _decimal_types()
    yield from _decimal_values()
    yield from _unary()
    yield from _shapes()
