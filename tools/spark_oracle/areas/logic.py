# SPDX-License-Identifier: Apache-2.0
from .values import VALUES, ordinary

TRUTH = ["true", "false", "NULL", "CAST(NULL AS BOOLEAN)"]
FAILING = ["1 / 0 = 1", "CAST('a' AS INT) = 1", "CAST('maybe' AS BOOLEAN)", "2147483647 + 1 > 0"]


def expressions():
    for operator in ["AND", "OR"]:
        for a in TRUTH:
            for b in TRUTH:
                yield f"{a} {operator} {b}"
                yield f"NOT ({a} {operator} {b})"
                for c in TRUTH[:3]:
                    yield f"{a} {operator} {b} OR {c}"
                    yield f"{a} {operator} {b} AND {c}"
        for a in TRUTH:
            for failing in FAILING:
                yield f"{a} {operator} {failing}"
                yield f"{failing} {operator} {a}"
        for type_name in VALUES:
            value = ordinary(type_name)
            yield f"{value} {operator} true"
            yield f"false {operator} {value}"
        yield f"'true' {operator} 'false'"
        yield f"'t' {operator} true"
        yield f"'maybe' {operator} true"
        yield f"1 {operator} 0"
    for a in TRUTH:
        for form in ["NOT {}", "! {}", "NOT NOT {}", "{} IS TRUE", "{} IS NOT TRUE", "{} IS FALSE"]:
            yield form.format(a)
        for form in ["{} IS NOT FALSE", "{} IS UNKNOWN", "{} IS NOT UNKNOWN", "{} IS NULL"]:
            yield form.format(a)
        for b in TRUTH:
            yield f"{a} = {b}"
            yield f"({a}) IS DISTINCT FROM ({b})"
            yield f"({a}) IS NOT DISTINCT FROM ({b})"
    for type_name in VALUES:
        yield f"NOT {ordinary(type_name)}"
        yield f"{ordinary(type_name)} IS TRUE"
    yield from [
        "true OR false AND false",
        "(true OR false) AND false",
        "NOT true OR true",
        "NOT (true OR true)",
        "NOT 1 = 1",
        "NOT NULL IS NULL",
        "1 = 1 AND 2 = 2 OR 3 = 4",
        "NOT 1 / 0 = 1",
        "'yes' AND 'no'",
        "isnull(NULL)",
        "isnull(1)",
        "isnotnull(NULL)",
        "isnotnull(1)",
        "isnull(1 / 0)",
        "(1 / 0) IS NULL",
        "(1 / 0) IS NOT NULL",
        "true AND",
        "AND true",
        "NOT",
        "true && false",
    ]
