# SPDX-License-Identifier: Apache-2.0
from .values import VALUES, ordinary


def _result_types():
    for a in VALUES:
        for b in VALUES:
            x, y = ordinary(a), ordinary(b)
            yield f"CASE WHEN true THEN {x} ELSE {y} END"
            yield f"CASE WHEN false THEN {x} ELSE {y} END"
            yield f"coalesce({x}, {y})"
            yield f"nullif({x}, {y})"
            if a < b:
                yield f"if(false, {x}, {y})"
                yield f"nvl({x}, {y})"


def _branches():
    yield from [
        "CASE WHEN 1 = 1 THEN 'a' END",
        "CASE WHEN 1 = 2 THEN 'a' END",
        "CASE WHEN NULL THEN 'a' ELSE 'b' END",
        "CASE WHEN false THEN 1 WHEN true THEN 2 ELSE 3 END",
        "CASE WHEN false THEN 1 WHEN false THEN 2 END",
        "CASE 1 WHEN 1 THEN 'one' WHEN 2 THEN 'two' END",
        "CASE 3 WHEN 1 THEN 'one' WHEN 2 THEN 'two' ELSE 'many' END",
        "CASE 1L WHEN 1 THEN 'one' END",
        "CASE '1' WHEN 1 THEN 'one' ELSE 'other' END",
        "CASE NULL WHEN NULL THEN 'null' ELSE 'other' END",
        "CASE 1 WHEN NULL THEN 'null' ELSE 'other' END",
        "CASE 1 WHEN 'a' THEN 'x' ELSE 'y' END",
        "CASE WHEN true THEN NULL END",
        "CASE WHEN true THEN NULL ELSE 1 END",
        "CASE WHEN true THEN 1 ELSE 1 / 0 END",
        "CASE WHEN false THEN 1 / 0 ELSE 1 END",
        "CASE WHEN true THEN 1 / 0 ELSE 1 END",
        "CASE WHEN 1 / 0 = 1 THEN 1 ELSE 2 END",
        "CASE WHEN true THEN 1 WHEN 1 / 0 = 1 THEN 2 END",
        "CASE WHEN false THEN CAST('a' AS INT) WHEN true THEN 2 END",
        "CASE 1 WHEN 1 THEN 2 WHEN 1 / 0 THEN 3 END",
        "CASE WHEN 1 THEN 2 END",
        "CASE WHEN 'true' THEN 2 END",
        "CASE WHEN 'a' THEN 2 END",
        "CASE WHEN true THEN 1 ELSE 'a' END",
        "CASE WHEN true THEN '1' ELSE 2 END",
        "CASE WHEN true THEN 1 ELSE 2.5 END",
        "CASE WHEN true THEN 1 ELSE 2.5D END",
        "CASE WHEN true THEN 1L ELSE 2.5 END",
        "CASE WHEN true THEN 1.5 ELSE 2.55 END",
        "CASE WHEN true THEN 1Y WHEN false THEN 1S ELSE 1L END",
        "CASE WHEN true THEN DATE'2020-01-01' ELSE TIMESTAMP'2020-01-01 00:00:00' END",
        "CASE WHEN true THEN DATE'2020-01-01' ELSE '2020-01-02' END",
        "CASE WHEN true THEN true ELSE 'x' END",
        "CASE WHEN true THEN X'41' ELSE 'A' END",
        "CASE WHEN true THEN CAST(1 AS DECIMAL(38,0)) ELSE CAST(0.1 AS DECIMAL(38,38)) END",
        "CASE END",
        "CASE WHEN true THEN 1",
        "CASE WHEN true END",
        "CASE ELSE 1 END",
        "CASE WHEN true THEN CASE WHEN false THEN 1 ELSE 2 END ELSE 3 END",
        "if(true, 1, 2)",
        "if(false, 1, 2)",
        "if(NULL, 1, 2)",
        "if(true, 1, 1 / 0)",
        "if(false, 1 / 0, 2)",
        "if(1 = 1, 'a', 2)",
        "if(1, 2, 3)",
        "if(true, 1)",
        "if(true, 1, 2, 3)",
        "if(true, NULL, 2)",
        "coalesce(NULL, 1)",
        "coalesce(NULL, NULL)",
        "coalesce(NULL, NULL, 3)",
        "coalesce(1)",
        "coalesce()",
        "coalesce(1, 1 / 0)",
        "coalesce(NULL, 1 / 0)",
        "coalesce(1 / 0, 1)",
        "coalesce(CAST(NULL AS INT), 2.5)",
        "coalesce(CAST(NULL AS INT), 'a')",
        "coalesce('a', 1)",
        "coalesce(CAST(NULL AS DATE), 'a')",
        "nvl(NULL, 1)",
        "nvl(1, 2)",
        "nvl(1, 'a')",
        "ifnull(NULL, 'x')",
        "ifnull(1, 2)",
        "nvl2(NULL, 1, 2)",
        "nvl2(1, 2, 3)",
        "nullif(1, 1)",
        "nullif(1, 2)",
        "nullif(1, 1.0)",
        "nullif('a', 'a')",
        "nullif('a', 'b')",
        "nullif(NULL, 1)",
        "nullif(1, NULL)",
        "nullif(NULL, NULL)",
        "nullif(1, '1')",
        "nullif(1, 'a')",
        "nullif(CAST('NaN' AS DOUBLE), CAST('NaN' AS DOUBLE))",
        "nullif(1 / 0, 1)",
        "nullif(1)",
    ]


def expressions():
    yield from _result_types()
    yield from _branches()
