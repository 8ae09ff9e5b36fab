# SPDX-License-Identifier: Apache-2.0
from .values import VALUES

NUMBERS = [
    "0.5", "1.5", "2.5", "-0.5", "-1.5", "-2.5", "0.4999999", "2.675", "1.005", "-1.005", "123.456",
    "-123.456", "0.0", "-0.0", "1E15", "9.5", "99.95",
]


def expressions():
    for call in ["abs", "floor", "ceil", "ceiling", "round", "sqrt"]:
        for values in VALUES.values():
            for value in values:
                yield f"{call}({value})"
    for call in ["floor", "ceil", "round"]:
        for number in NUMBERS:
            for suffix in ["D", "F", "BD"]:
                if suffix == "BD" and "E" in number:
                    continue
                yield f"{call}({number}{suffix})"
    for number in NUMBERS:
        for suffix in ["D", "F", "BD"]:
            for scale in [0, 1, 2, -1, -2, 10]:
                yield f"round({number}{suffix}, {scale})"
    for integer in ["15", "25", "-15", "149", "150", "-150", "2147483647", "125Y", "127Y", "32767S"]:
        for scale in [0, 1, -1, -2, -3, -10]:
            yield f"round({integer}, {scale})"
    for integer in ["9223372036854775807L", "5000000000L", "-5000000000L"]:
        for scale in [0, -1, -9, -18, -19]:
            yield f"round({integer}, {scale})"
    for shape in ["5,2", "10,0", "18,18", "38,0", "38,18", "38,38"]:
        yield f"round(CAST(0.5 AS DECIMAL({shape})))"
        yield f"round(CAST(0.5 AS DECIMAL({shape})), 1)"
        yield f"round(CAST(0.5 AS DECIMAL({shape})), -1)"
        yield f"floor(CAST(0.5 AS DECIMAL({shape})))"
        yield f"ceil(CAST(0.5 AS DECIMAL({shape})))"
        yield f"abs(CAST(-0.5 AS DECIMAL({shape})))"
    yield from [
        "round(2.5)",
        "round(3.5)",
        "round(-2.5)",
        "round(1.5, NULL)",
        "round(NULL, 1)",
        "round(1.555, 2L)",
        "round(1.555, '2')",
        "round(1.555, 1 + 1)",
        "round(9.99, 1)",
        "round(99.99, -1)",
        "round(999.99, -3)",
        "round('1.5')",
        "round('1.567', 2)",
        "round(1.5, 1, 1)",
        "round()",
        "floor(1.5, 0)",
        "floor(1.55, 1)",
        "ceil(1.55, 1)",
        "floor(1E300D)",
        "ceil(1E300D)",
        "floor(9.3E18D)",
        "floor(-9.3E18D)",
        "floor(9999999999999999999.5)",
        "ceil(9999999999999999999.5)",
        "ceil(99999999999999999999999999999999999999BD)",
        "floor('1.5')",
        "abs('-1.5')",
        "abs('x')",
        "abs(-2147483648)",
        "abs(-5)",
        "abs(-5.50)",
        "abs(-0.0D)",
        "sqrt(4)",
        "sqrt(2)",
        "sqrt(-1)",
        "sqrt(2BD)",
        "sqrt('4')",
        "sqrt('x')",
        "sqrt(0)",
        "sqrt(-0.0D)",
        "sqrt(1E300D)",
    ]
