# SPDX-License-Identifier: Apache-2.0
from .values import VALUES, ordinary

WORDS = ["''", "'a'", "'Hello'", "'żółw'", "'日本語'", "'😀x'", "'ǅ'", "'ß'", "'İ'", "' pad '", "NULL"]

LIKES = [
    ("abc", "abc"), ("abc", "a%"), ("abc", "%c"), ("abc", "%b%"), ("abc", "a_c"), ("abc", "___"),
    ("abc", "__"), ("abc", ""), ("", ""), ("", "%"), ("", "_"), ("abc", "ABC"), ("abc", "%%"),
    ("a%c", "a\\\\%c"), ("abc", "a\\\\%c"), ("a_c", "a\\\\_c"), ("abc", "a\\\\_c"), ("a\\\\c", "a\\\\\\\\c"),
    ("abc", "a\\\\bc"), ("abc", "abc\\\\"), ("żółw", "ż__w"), ("żółw", "%ł%"), ("日本語", "_本_"),
    ("😀x", "_x"), ("a\\nb", "a_b"), ("a\\nb", "a%b"), ("a.c", "a.c"), ("abc", "a.c"), ("a[c", "a[c"),
    ("a(b", "a(%"), ("a+b", "a+b"), ("aab", "a*b"), ("abcabc", "%abc"), ("aaab", "%ab"), ("abc", "%a%b%c%"),
    ("abc", "c%"), ("ab", "%_%_%"), ("ab", "%_%_%_%"),
]

TRIMS = [
    "trim('  a b  ')", "ltrim('  a b  ')", "rtrim('  a b  ')", "trim('\\t a \\n')", "trim('')",
    "trim('   ')", "trim(NULL)", "trim(BOTH FROM ' a ')", "trim(LEADING FROM ' a ')",
    "trim(TRAILING FROM ' a ')", "trim(BOTH 'x' FROM 'xxaxx')", "trim(LEADING 'x' FROM 'xxaxx')",
    "trim(TRAILING 'x' FROM 'xxaxx')", "trim('x' FROM 'xxaxx')", "trim(BOTH 'xy' FROM 'xyaxyx')",
    "trim(BOTH '' FROM ' a ')", "trim(BOTH NULL FROM 'a')", "trim(BOTH 'é' FROM 'éaé')",
    "trim(BOTH '日' FROM '日本日')", "trim(LEADING '日本' FROM '本日本a')", "ltrim('x', 'xxa')",
    "rtrim('x', 'axx')", "trim('x', 'xax')", "btrim('  a  ')", "btrim('xax', 'x')", "trim(12)",
    "ltrim(' 日本 ')", "rtrim(' 日本 ')", "trim('\\u3000a\\u3000')", "trim(TRAILING 'aa' FROM 'baaa')",
]


def _like():
    for text, pattern in LIKES:
        yield f"'{text}' LIKE '{pattern}'"
    for text, pattern in LIKES[:12]:
        yield f"'{text}' NOT LIKE '{pattern}'"
    yield from [
        "'a%c' LIKE 'a!%c' ESCAPE '!'",
        "'abc' LIKE 'a!%c' ESCAPE '!'",
        "'a!c' LIKE 'a!!c' ESCAPE '!'",
        "'abc' LIKE 'a!bc' ESCAPE '!'",
        "'abc' LIKE 'abc!' ESCAPE '!'",
        "'a_c' LIKE 'a#_c' ESCAPE '#'",
        "'a%c' LIKE 'a%%c' ESCAPE '%'",
        "'abc' LIKE 'abc' ESCAPE ''",
        "'abc' LIKE 'abc' ESCAPE '!!'",
        "'abc' LIKE 'abc' ESCAPE NULL",
        "'a\\\\c' LIKE 'a\\\\c' ESCAPE '!'",
        "'日%' LIKE '日!%' ESCAPE '!'",
        "NULL LIKE 'a'",
        "'a' LIKE NULL",
        "1 LIKE '1'",
        "12 LIKE '1%'",
        "1.5 LIKE '1%'",
        "true LIKE 't%'",
        "DATE'2020-01-01' LIKE '2020%'",
        "X'41' LIKE 'A'",
        "'a' LIKE 1",
        "'abc' ILIKE 'ABC'",
        "'abc' RLIKE 'b'",
        "'abc' RLIKE '^b'",
        "'abc' RLIKE '^a.c$'",
        "'abc' RLIKE ''",
        "'abc' RLIKE '['",
        "'abc' RLIKE NULL",
        "NULL RLIKE 'a'",
        "'abc' NOT RLIKE 'x'",
        "'abc' REGEXP 'b+'",
        "'a1' RLIKE '\\\\d'",
        "'日本' RLIKE '^..$'",
        "'ABC' RLIKE '(?i)abc'",
        "rlike('abc', 'b')",
        "like('abc', 'a%')",
        "12 RLIKE '1'",
    ]


def _concat():
    for a in VALUES:
        for b in VALUES:
            yield f"{ordinary(a)} || {ordinary(b)}"
    yield from [
        "concat()",
        "concat('a')",
        "concat('a', 'b', 'c')",
        "concat('a', NULL)",
        "concat(1, 2)",
        "concat(1, 'a', true)",
        "concat(X'41', X'42')",
        "concat(X'41', 'b')",
        "concat(1.50, 'x')",
        "concat(1.5D, 'x')",
        "concat(DATE'2020-01-01', 'x')",
        "concat('żó', 'łw', '日')",
        "'a' || 'b' || 'c'",
        "'a' || 1 + 1",
        "1 + 1 || 'a'",
        "'a' || NULL",
        "NULL || NULL",
        "'x' || 1 / 0",
        "'a' || 'b' = 'ab'",
        "'a' 'b'",
        "'a' \"b\" || 'c'",
    ]


def _positions():
    for word in ["'abcdef'", "'日本語テ'", "'😀bc'", "''"]:
        for position in [0, 1, 2, 3, 4, 10, -1, -2, -3, -10]:
            yield f"substring({word}, {position})"
            for length in [0, 1, 2, 100, -1]:
                yield f"substring({word}, {position}, {length})"
    yield from [
        "substr('abc', 2)",
        "substr('abc', 2, 1)",
        "substring('abc' FROM 2)",
        "substring('abc' FROM 2 FOR 1)",
        "substr('abc' FROM -1)",
        "substring(NULL, 1, 1)",
        "substring('abc', NULL)",
        "substring('abc', 1, NULL)",
        "substring(12345, 2, 2)",
        "substring(X'41424344', 2, 2)",
        "substring(X'41424344', -2)",
        "substring('abc', 2147483647, 2147483647)",
        "substring('abc', -2147483648, 2147483647)",
        "substring('abc', 1, 2147483647)",
        "substring('abc', 2, 2147483647)",
        "substring('abc', 2L)",
        "substring('abc', '2')",
        "substring('abc', 'x')",
        "substring('abc', 1.5)",
        "substring('abc', true)",
        "substring('abc')",
        "substring(DATE'2020-01-02', 1, 4)",
        "left('abc', 2)",
        "right('abc', 2)",
    ]


def _ends():
    for call in ["startswith", "endswith", "contains"]:
        for text, part in [
            ("'abc'", "'a'"), ("'abc'", "'c'"), ("'abc'", "'b'"), ("'abc'", "''"), ("''", "''"),
            ("''", "'a'"), ("'abc'", "'abcd'"), ("'abc'", "NULL"), ("NULL", "'a'"), ("'日本語'", "'日'"),
            ("'日本語'", "'語'"), ("'日本語'", "'本'"), ("123", "1"), ("123", "'3'"), ("X'414243'", "X'41'"),
            ("X'414243'", "X'43'"), ("X'414243'", "'A'"), ("true", "'t'"), ("'ABC'", "'a'"),
            ("DATE'2020-01-01'", "'2020'"),
        ]:
            yield f"{call}({text}, {part})"
        yield f"{call}('a')"


def expressions():
    for word in WORDS:
        for call in ["upper", "lower", "length", "char_length", "character_length", "len"]:
            yield f"{call}({word})"
        yield f"ucase({word})"
        yield f"lcase({word})"
    for type_name in VALUES:
        for call in ["upper", "lower", "length", "trim", "ltrim", "rtrim"]:
            yield f"{call}({ordinary(type_name)})"
    for text in ["'e\\u0301'", "'ŉ'", "'ﬁ'", "'ΑΣ'", "'σς'", "'I'", "'ı'", "'\\u0000'", "'ÀÉ'", "'ДЖ'"]:
        yield f"upper({text})"
        yield f"lower({text})"
        yield f"length({text})"
    yield "length(X'C3A9')"
    yield "length(X'')"
    yield "char_length(X'C3A9')"
    yield "length()"
    yield "upper('a', 'b')"
    yield from TRIMS
    for part in (_like, _concat, _positions, _ends):
        yield from part()
