# SPDX-License-Identifier: Apache-2.0
"""Values of every type, spelled in SQL: an ordinary one first, then the edges."""

VALUES = {
    "boolean": ["true", "false", "CAST(NULL AS BOOLEAN)"],
    "tinyint": ["7Y", "127Y", "-128Y", "0Y", "-1Y", "CAST(NULL AS TINYINT)"],
    "smallint": ["70S", "32767S", "-32768S", "0S", "-1S", "CAST(NULL AS SMALLINT)"],
    "int": ["42", "2147483647", "-2147483648", "0", "-1", "CAST(NULL AS INT)"],
    "bigint": [
        "5000000000L",
        "9223372036854775807L",
        "-9223372036854775808L",
        "0L",
        "-1L",
        "CAST(NULL AS BIGINT)",
    ],
    "float": [
        "1.25F",
        "CAST('3.4028235E38' AS FLOAT)",
        "1.4E-45F",
        "0.0F",
        "-0.0F",
        "CAST('NaN' AS FLOAT)",
        "CAST('Infinity' AS FLOAT)",
        "CAST(NULL AS FLOAT)",
    ],
    "double": [
        "2.5D",
        "1.7976931348623157E308D",
        "4.9E-324D",
        "0.0D",
        "-0.0D",
        "CAST('NaN' AS DOUBLE)",
        "CAST('-Infinity' AS DOUBLE)",
        "CAST(NULL AS DOUBLE)",
    ],
    "decimal(5,2)": ["12.34BD", "CAST(999.99 AS DECIMAL(5,2))", "CAST(0 AS DECIMAL(5,2))"],
    "decimal(10,0)": ["CAST(17 AS DECIMAL(10,0))", "CAST(-9999999999 AS DECIMAL(10,0))"],
    "decimal(18,18)": ["CAST(0.123456789 AS DECIMAL(18,18))"],
    "decimal(38,0)": [
        "CAST(12345678901234567890 AS DECIMAL(38,0))",
        "99999999999999999999999999999999999999BD",
        "-99999999999999999999999999999999999999BD",
    ],
    "decimal(38,18)": [
        "CAST(1.5 AS DECIMAL(38,18))",
        "CAST(99999999999999999999.999999999999999999BD AS DECIMAL(38,18))",
        "CAST(NULL AS DECIMAL(38,18))",
    ],
    "string": ["'12'", "'abc'", "''", "' 7 '", "'1.5'", "CAST(NULL AS STRING)"],
    "binary": ["X'31'", "X''", "CAST(NULL AS BINARY)"],
    "date": ["DATE'2020-02-29'", "DATE'0001-01-01'", "DATE'9999-12-31'", "CAST(NULL AS DATE)"],
    "timestamp": [
        "TIMESTAMP'2020-02-29 12:34:56.789012'",
        "TIMESTAMP'1969-12-31 23:59:59.999999'",
        "CAST(NULL AS TIMESTAMP)",
    ],
    "timestamp_ntz": [
        "TIMESTAMP_NTZ'2020-02-29 12:34:56.789012'",
        "CAST(NULL AS TIMESTAMP_NTZ)",
    ],
    "void": ["NULL"],
}

TYPES = [name for name in VALUES if name != "void"]
NUMBERS = TYPES[1:12]
INTEGERS = NUMBERS[:4]
DECIMALS = NUMBERS[6:]


def ordinary(type_name):
    return VALUES[type_name][0]


def pairs(left=tuple(VALUES), right=tuple(VALUES)):
    """An ordinary value of each type beside one of each other."""
    for a in left:
        for b in right:
            yield ordinary(a), ordinary(b)
