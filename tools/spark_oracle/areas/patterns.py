# SPDX-License-Identifier: Apache-2.0
"""Regular expressions. What only Java's can do may also be answered by "not supported"."""

TEXTS = ["abc", "ABC", "a\\nb", "a\\n", "a\\r\\n", "\\u00e9", "a.c", "", "aab", "x-1"]

PATTERNS = [
    "a.b", "(?s)a.b", "a$", "b\\\\Z", "b\\\\z", "^a", "\\\\Aa", "^$", "", "a|b", "(a|b)+c?", "a{2}",
    "a{2,}?b", "a{1,2}", "[a-c]+", "[^a-c]", "[a-]", "[]a]", "[a^]", "(?i)abc", "(?i:b)c", "(?-i)b",
    "\\\\d", "\\\\D", "\\\\w", "\\\\W", "\\\\s", "\\\\S", "\\\\bb", "\\\\Bb", "\\\\h", "\\\\v", "\\\\R",
    "\\\\Qa.c\\\\E", "a\\\\.c", "\\\\x61", "\\\\u0061", "\\\\x{61}", "\\\\0141", "\\\\e", "\\\\t", "\\\\cA",
    "\\\\p{L}", "\\\\P{L}", "\\\\pL", "\\\\p{Lu}", "\\\\p{Alpha}+", "\\\\p{Lower}+", "\\\\p{Punct}", "\\\\p{IsLatin}",
    "(?<x>b)", "(?:b)", "()", "a]", "a}", "[\\\\d-]", "[\\\\s]", "[\\\\S]", "(a$|b\\\\Z)",
    # Not regular expressions.
    "(", "a)", "*a", "a**", "a{3,1}", "a{", "[z-a]", "\\\\", "\\\\y", "[]", "[a", "(?", "(?q)",
    "\\\\p{Foo}", "\\\\x6", "\\\\u12", "|+",
]  # fmt: skip

ONLY_JAVA = [
    "(?=b)", "(?!b)", "(?<=a)b", "(?<!a)b", "(ab)\\\\1", "(?<x>b)\\\\k<x>", "a++", "(?>a)b", "[a-c&&[b]]",
    "[a[b]]", "[[:alpha:]]", "(?m)a$", "(?x)a b", "(?u)a", "\\\\Ga", "\\\\p{IsAlphabetic}",
    "\\\\p{javaLowerCase}", "a{1001}", "{2}", "a$\\n",
]  # fmt: skip


def expressions():
    for pattern in PATTERNS:
        for text in TEXTS:
            yield f"'{text}' RLIKE '{pattern}'"
    for pattern in ONLY_JAVA:
        for text in TEXTS[:3]:
            yield f"'{text}' RLIKE '{pattern}'", "java patterns"
    yield from [
        "'k' RLIKE '(?i)\\u212a'",
        "'\\u212a' RLIKE '(?i)k'",
        "regexp_like('abc', 'b')",
        "regexp('abc', 'b')",
        "'abc' NOT RLIKE 'b'",
        "X'616263' RLIKE 'b'",
        "12 RLIKE '1'",
        "true RLIKE 'tr'",
        "DATE'2020-01-01' RLIKE '^2020'",
        "NULL RLIKE '('",
        "'a' RLIKE NULL",
        "rlike('a')",
    ]
