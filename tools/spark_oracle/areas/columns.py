# SPDX-License-Identifier: Apache-2.0
"""Expressions over columns of a one-row table, which planning cannot fold to constants."""

NUMBERS = {
    "a": "CAST(2147483647 AS INT)",
    "b": "CAST(-3 AS INT)",
    "z": "CAST(0 AS INT)",
    "n": "CAST(NULL AS INT)",
    "l": "CAST(9223372036854775807 AS BIGINT)",
    "d": "CAST(2.5 AS DOUBLE)",
    "nan": "CAST('NaN' AS DOUBLE)",
    "m": "CAST(12.34 AS DECIMAL(15,2))",
    "w": "CAST(99999999999999999999999999999999999999 AS DECIMAL(38,0))",
}

TEXTS = {
    "s": "CAST('żółw' AS STRING)",
    "u": "CAST('12' AS STRING)",
    "e": "CAST('' AS STRING)",
    "n": "CAST(NULL AS STRING)",
    "p": "CAST('ż%' AS STRING)",
    "x": "CAST('abc' AS BINARY)",
}

TIMES = {
    "d": "CAST('2020-02-29' AS DATE)",
    "t": "CAST('2020-02-29 12:34:56.789' AS TIMESTAMP)",
    "z": "CAST('2020-02-29 12:34:56.789' AS TIMESTAMP_NTZ)",
    "n": "CAST(NULL AS DATE)",
    "i": "CAST(1 AS INT)",
}

TRUTHS = {
    "t": "CAST(true AS BOOLEAN)",
    "f": "CAST(false AS BOOLEAN)",
    "n": "CAST(NULL AS BOOLEAN)",
    "z": "CAST(0 AS INT)",
    "s": "CAST('a' AS STRING)",
}

OVER = [
    (
        NUMBERS,
        """a + b; a + 1; a * a; a - n; a / z; a / b; a div z; a div b; a % b; a % z; -a; -b; ~a; a & b;
        l + 1; l * 2; l + a; l - -1; -l; l div -1; d / z; d * nan; nan = nan; nan > d; d % 2; m * m;
        m + a; m / b; m / z; m % b; w + 1; w * 10; w - w; w / 3; a = l; a < b; b <=> n; n <=> n; a = n;
        a IN (b, n); b IN (b, n); b BETWEEN -5 AND a; n IS NULL; abs(b); round(m, 1); floor(d); ceil(d);
        sqrt(d); CAST(a AS TINYINT); CAST(l AS INT); CAST(nan AS INT); CAST(d AS INT);
        CAST(m AS STRING); CAST(w AS DECIMAL(10,0)); TRY_CAST(l AS INT); CAST(d AS DECIMAL(5,2));
        CASE WHEN z = 0 THEN b ELSE a / z END; if(z = 0, b, a / z); coalesce(n, b, a / z);
        coalesce(n, a / z); nullif(a, a); z <> 0 AND a / z > 1; a / z > 1 AND z <> 0;
        z = 0 OR a / z > 1; CAST(m AS INT) + b; a + d; a + m; l = w; m < d""",
    ),
    (
        TEXTS,
        """upper(s); lower(s); length(s); substring(s, 2, 2); substring(s, -2); s || u; s || n; s LIKE p;
        s LIKE '%w'; s LIKE e; u = 12; u + 1; s + 1; CAST(s AS INT); CAST(u AS INT); CAST(e AS DOUBLE);
        TRY_CAST(s AS DATE); trim(s); startswith(s, 'ż'); endswith(s, 'w'); contains(s, 'ół');
        s = n; s <=> n; s < u; s IN (u, s); concat(u, 1, s); length(x); x = CAST('abc' AS BINARY);
        CAST(x AS STRING); x || x; coalesce(n, s); CASE s WHEN 'żółw' THEN 1 ELSE 2 END;
        s RLIKE '^ż'; length(e); substring(e, 1, 1); rtrim(n)""",
    ),
    (
        TIMES,
        """year(d); month(d); day(d); hour(t); minute(t); second(t); year(n); d + 1; d - i; date_add(d, i);
        date_sub(d, 1); datediff(d, n); datediff(t, d); d < t; t = z; d = z; CAST(t AS DATE);
        CAST(d AS TIMESTAMP); CAST(t AS STRING); CAST(z AS STRING); CAST(d AS STRING); d + n; i + d;
        d BETWEEN '2020-01-01' AND '2020-12-31'; d IN ('2020-02-29'); d = 'garbage'; hour(z);
        CAST(t AS BIGINT); d * 2; t + 1; coalesce(n, d)""",
    ),
    (
        TRUTHS,
        """t AND n; f AND n; t OR n; f OR n; NOT n; NOT t; t AND s; t = f; t <=> n; f AND 1 / z = 1;
        1 / z = 1 AND f; t OR 1 / z = 1; 1 / z = 1 OR t; t AND 1 / z = 1; CAST(s AS BOOLEAN);
        t IS TRUE; n IS NOT TRUE; if(n, 1, 2); CASE WHEN n THEN 1 WHEN t THEN 2 ELSE 1 / z END;
        CAST(t AS INT); t < f; t + 1""",
    ),
]


def cases():
    """(expression, columns it is over) pairs."""
    for columns, text in OVER:
        for expression in text.split(";"):
            yield " ".join(expression.split()), columns
