# SPDX-License-Identifier: Apache-2.0
"""Whole queries: ungrouped aggregates over rows of every type."""

from .values import VALUES

CALLS = ["count({0})", "sum({0})", "avg({0})", "min({0})", "max({0})"]

ROWS = {
    "boolean": "(true), (NULL), (false)",
    "tinyint": "(100Y), (100Y), (NULL), (-1Y)",
    "smallint": "(32767S), (32767S), (NULL)",
    "int": "(2147483647), (2147483647), (NULL), (-5)",
    "bigint": "(5000000000L), (7L), (NULL)",
    "float": "(0.1F), (0.2F), (NULL), (1E10F)",
    "double": "(0.5D), (0.25D), (NULL), (1E15D)",
    "decimal(5,2)": "(12.34BD), (999.99BD), (NULL), (-0.01BD)",
    "decimal(15,2)": "(CAST(1.5 AS DECIMAL(15,2))), (CAST(2.25 AS DECIMAL(15,2)))",
    "decimal(38,0)": "(CAST(1 AS DECIMAL(38,0))), (CAST(2 AS DECIMAL(38,0)))",
    "decimal(38,18)": "(CAST(1.5 AS DECIMAL(38,18))), (CAST(NULL AS DECIMAL(38,18)))",
    "string": "('b'), ('a'), (NULL), (''), ('é'), ('Z')",
    "numeric string": "('1.5'), ('2'), (NULL)",
    "binary": "(X'02'), (X'0102'), (NULL), (X'FF')",
    "date": "(DATE'2020-02-29'), (DATE'1969-12-31'), (NULL)",
    "timestamp": "(TIMESTAMP'2020-02-29 12:34:56.789'), (TIMESTAMP'1969-12-31 23:59:59'), (NULL)",
    "timestamp_ntz": "(TIMESTAMP_NTZ'2020-02-29 12:34:56'), (TIMESTAMP_NTZ'1969-12-31 01:02:03')",
    "void": "(NULL), (NULL)",
}

FLOATS = [
    "('NaN'), ('1')",
    "('NaN'), ('NaN')",
    "('Infinity'), ('-Infinity')",
    "('Infinity'), ('NaN')",
    "('-Infinity'), ('1')",
    "('-0.0'), ('0.0')",
    "('0.0'), ('-0.0')",
    "('1.7976931348623157E308'), ('1.7976931348623157E308')",
    "(NULL), ('NaN')",
]


def _every_type():
    for rows in ROWS.values():
        source = f"VALUES {rows} AS t(x)"
        for call in CALLS:
            yield f"SELECT {call.format('x')} FROM {source}"
        yield f"SELECT count(*), count(x), min(x), max(x) FROM {source} WHERE false"
        yield f"SELECT count(*), min(x) FILTER (WHERE x IS NOT NULL) FROM {source}"
    for type_name in VALUES:
        value = VALUES[type_name][0]
        source = f"VALUES ({value}) AS t(x)"
        for call in CALLS:
            yield f"SELECT {call.format('x')} FROM {source} WHERE 1 = 0"


def _overflow():
    for rows, calls in [
        ("(9223372036854775807L), (1L)", ["sum(x)", "avg(x)", "sum(CAST(x AS DECIMAL(20,0)))"]),
        ("(-9223372036854775808L), (-1L)", ["sum(x)", "avg(x)"]),
        ("(9223372036854775807L), (1L), (-1L)", ["sum(x)"]),
        ("(2147483647), (2147483647)", ["sum(x)", "avg(x)", "sum(x + 0)", "sum(x + 1)"]),
        ("(1), (0)", ["sum(1 / x)", "sum(1 / x) FILTER (WHERE x <> 0)", "count(1 / x)"]),
        ("('a'), ('1')", ["sum(x)", "avg(x)", "sum(CAST(x AS INT))", "sum(TRY_CAST(x AS INT))"]),
        (
            "(CAST(99999999999999999999999999999999999999BD AS DECIMAL(38,0))), (CAST(1 AS DECIMAL(38,0)))",
            ["sum(x)", "avg(x)", "min(x)", "max(x)"],
        ),
        (
            "(CAST(99999999999999999999 AS DECIMAL(38,18))), (CAST(1 AS DECIMAL(38,18)))",
            ["sum(x)", "avg(x)"],
        ),
        ("(CAST(1 AS DECIMAL(38,18))), (CAST(2 AS DECIMAL(38,18)))", ["sum(x)", "avg(x)"]),
        ("(1BD), (2BD), (2BD)", ["avg(x)", "sum(x) / count(x)", "avg(x) * 3"]),
    ]:
        for call in calls:
            yield f"SELECT {call} FROM VALUES {rows} AS t(x)"
    for shape in ["1,0", "5,2", "10,0", "15,2", "28,10", "29,0", "34,4", "35,0", "38,0", "38,38"]:
        for call in ["sum", "avg", "min"]:
            yield f"SELECT {call}(x) FROM VALUES (CAST(0.1 AS DECIMAL({shape}))) AS t(x)"
    for rows in FLOATS:
        for type_name in ["FLOAT", "DOUBLE"]:
            cast = f"CAST(x AS {type_name})"
            for call in ["sum", "avg", "min", "max"]:
                yield f"SELECT {call}({cast}) FROM VALUES {rows} AS t(x)"


def _filters():
    source = "VALUES (1, 'a', true), (2, 'b', false), (3, NULL, NULL), (NULL, 'd', true) AS t(x, y, z)"
    for select in [
        "count(*) FILTER (WHERE x > 1)",
        "count(*) FILTER (WHERE z)",
        "count(*) FILTER (WHERE NULL)",
        "count(x) FILTER (WHERE y = 'a'), count(x)",
        "sum(x) FILTER (WHERE x < 0)",
        "sum(x) FILTER (WHERE x > 1), sum(x) FILTER (WHERE x <= 1)",
        "avg(x) FILTER (WHERE z IS NULL)",
        "min(y) FILTER (WHERE x IS NOT NULL), max(y) FILTER (WHERE x IS NOT NULL)",
        "count(*) FILTER (WHERE 1)",
        "count(*) FILTER (WHERE 1 / 0 = 1)",
        "sum(x) FILTER (WHERE sum(x) > 1)",
        "count(*)",
        "count(1)",
        "count(NULL)",
        "count(x, y)",
        "count()",
        "count(DISTINCT x)",
        "sum(DISTINCT x)",
        "sum(ALL x)",
        "count(x) + 1",
        "sum(x) / count(*)",
        "max(x) - min(x)",
        "sum(x * 2) + 1",
        "-sum(x)",
        "sum(x) > 5",
        "CASE WHEN count(*) > 3 THEN 'many' ELSE 'few' END",
        "coalesce(sum(x) FILTER (WHERE false), 0)",
        "sum(x), x",
        "x, count(*)",
        "sum(sum(x))",
        "1, count(*)",
        "count(*) AS n, sum(x) AS total",
        "min(z), max(z)",
        "min(x, y)",
        "sum()",
        "sum(*)",
        "avg(*)",
        "sum(z)",
        "mean(x)",
        "first(x)",
        "any_value(y)",
        "sum(nope)",
        "SUM(X), Count(Y)",
    ]:
        yield f"SELECT {select} FROM {source}"
    for tail in [
        "WHERE x > 1",
        "WHERE x > 100",
        "WHERE y IS NULL",
        "LIMIT 0",
        "LIMIT 1",
        "LIMIT 1 OFFSET 1",
        "HAVING count(*) > 10",
        "WHERE count(*) > 1",
    ]:
        yield f"SELECT count(*), sum(x), avg(x), min(y), max(y) FROM {source} {tail}"


def _plain():
    """Rows without an aggregate: projection, filter, limit, offset, names, VALUES forms."""
    source = "VALUES (1, 'a'), (2, 'b'), (3, NULL) AS t(x, y)"
    for query in [
        "SELECT * FROM {}",
        "SELECT x, y FROM {}",
        "SELECT t.* FROM {}",
        "SELECT t.x FROM {}",
        "SELECT y, x, x + 1 AS z FROM {}",
        "SELECT x x2 FROM {}",
        "SELECT X FROM {}",
        "SELECT `x` FROM {}",
        "SELECT nope FROM {}",
        "SELECT t.nope FROM {}",
        "SELECT u.x FROM {}",
        "SELECT x FROM {} WHERE x > 1",
        "SELECT x FROM {} WHERE y = 'b'",
        "SELECT x FROM {} WHERE y IS NULL",
        "SELECT x FROM {} WHERE NULL",
        "SELECT x FROM {} WHERE false",
        "SELECT x FROM {} WHERE x",
        "SELECT x FROM {} WHERE y",
        "SELECT x FROM {} LIMIT 2",
        "SELECT x FROM {} LIMIT 0",
        "SELECT x FROM {} LIMIT 100",
        "SELECT x FROM {} LIMIT 1 OFFSET 1",
        "SELECT x FROM {} OFFSET 2",
        "SELECT x FROM {} OFFSET 100",
        "SELECT x FROM {} LIMIT -1",
        "SELECT x FROM {} LIMIT NULL",
        "SELECT x FROM {} LIMIT 1 + 1",
        "SELECT x FROM {} LIMIT x",
        "SELECT x FROM {} LIMIT 'a'",
        "SELECT x FROM {} LIMIT ALL",
        "SELECT x FROM {} LIMIT 1.5",
        "SELECT x FROM {} OFFSET -1",
        "SELECT x, x FROM {}",
        "SELECT *, x FROM {}",
        "SELECT FROM {}",
        "SELECT x FROM {} WHERE",
        "SELECT x FROM {} WHERE x = 1 / 0",
    ]:
        yield query.format(source)
    yield from [
        "VALUES (1, 'a'), (2, 'b')",
        "VALUES 1, 2, 3",
        "VALUES (1), (2.5)",
        "VALUES (1), ('a')",
        "VALUES (1), (NULL)",
        "VALUES (1, 2), (3)",
        "VALUES (1L), (1Y)",
        "VALUES (DATE'2020-01-01'), (TIMESTAMP'2020-01-01 00:00:00')",
        "VALUES (1 + 1), (1 / 0)",
        "SELECT col1 FROM VALUES (1), (2)",
        "SELECT * FROM VALUES (1, 2) AS t(a)",
        "SELECT * FROM VALUES (1, 2) AS t(a, a)",
        "SELECT a FROM VALUES (1, 2) AS t(a, a)",
        "SELECT * FROM VALUES (1, 2) t",
        "SELECT 1",
        "SELECT 1, 'a', NULL",
        "SELECT 1 WHERE true",
        "SELECT 1 WHERE false",
        "SELECT 1 LIMIT 0",
        "SELECT *",
        "SELECT",
        "SELECT 1 1",
        "SELECT 1,",
    ]


def queries():
    for part in (_every_type, _overflow, _filters, _plain):
        yield from part()
