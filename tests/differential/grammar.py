# SPDX-License-Identifier: Apache-2.0
"""Random typed expressions, each as a pair of texts: ours (Spark's dialect) and DuckDB's.

Only what both define alike is generated, and the known differences are mapped: integer
division, exclusive or, casts that truncate here and round there, functions of other names.
Magnitudes are tracked so that nothing overflows and no divisor is zero: neither side may fail.
"""

import collections
import dataclasses

INT_MAX = 2**31 - 1
BIGINT_MAX = 2**62
DEPTH_MAX = 4


@dataclasses.dataclass(frozen=True)
class Expression:
    kind: str  # int, bigint, double, decimal, string, boolean, date, timestamp, binary
    ours: str
    duck: str
    bound: float = 0  # no value of a number is larger than this
    precision: int = 0  # of a decimal
    scale: int = 0


# name: (kind, type in DuckDB, bound, precision, scale)
COLUMNS = {
    "flag": ("boolean", "BOOLEAN", 0, 0, 0),
    "other_flag": ("boolean", "BOOLEAN", 0, 0, 0),
    "tiny": ("int", "TINYINT", 100, 0, 0),
    "small": ("int", "SMALLINT", 3000, 0, 0),
    "whole": ("int", "INTEGER", 100000, 0, 0),
    "big": ("bigint", "BIGINT", 10**12, 0, 0),
    "real": ("double", "FLOAT", 1e6, 0, 0),
    "wide": ("double", "DOUBLE", 1e9, 0, 0),
    "price": ("decimal", "DECIMAL(9,2)", 0, 9, 2),
    "amount": ("decimal", "DECIMAL(15,4)", 0, 15, 4),
    "word": ("string", "VARCHAR", 0, 0, 0),
    "code": ("string", "VARCHAR", 0, 0, 0),
    "digits": ("string", "VARCHAR", 0, 0, 0),
    "day": ("date", "DATE", 0, 0, 0),
    "moment": ("timestamp", "TIMESTAMP", 0, 0, 0),
    "raw": ("binary", "BLOB", 0, 0, 0),
}
LENGTH_BOUND = 200  # of any string: bounded by the nesting of concatenations

PRODUCTIONS = collections.defaultdict(list)  # kind: functions of a Generator


def produces(kind):
    def register(function):
        PRODUCTIONS[kind].append(function)
        return function

    return register


def same(kind, text, **facts):
    return Expression(kind, text, text, **facts)


class Generator:
    """Draws expressions; counts the productions that it used."""

    def __init__(self, random):
        self.random = random
        self.hits = collections.Counter()

    def make(self, kind, depth=0):
        choices = PRODUCTIONS[kind]
        leaves = [p for p in choices if p.__name__ in ("column", "literal")]
        while True:
            deep = depth >= DEPTH_MAX or self.random.random() < 0.12 * depth
            production = self.random.choice(leaves if deep else choices)
            made = production(self, depth + 1)
            if made is not None:  # else it would have left its bounds
                self.hits[f"{kind}.{production.__name__}"] += 1
                return made

    def any_number(self, depth):
        return self.make(self.random.choice(["int", "bigint", "double"]), depth)

    def column(self, kind):
        names = [name for name, facts in COLUMNS.items() if facts[0] == kind]
        name = self.random.choice(names)
        _, _, bound, precision, scale = COLUMNS[name]
        return same(kind, name, bound=bound, precision=precision, scale=scale)

    def infix(self, kind, operator, a, b, **facts):
        return Expression(
            kind, f"({a.ours} {operator} {b.ours})", f"({a.duck} {operator} {b.duck})", **facts
        )

    def call(self, kind, name, *arguments, duck=None, **facts):
        ours = ", ".join(a.ours for a in arguments)
        theirs = ", ".join(a.duck for a in arguments)
        return Expression(kind, f"{name}({ours})", f"{duck or name}({theirs})", **facts)


def every_production():
    return sorted(f"{kind}.{p.__name__}" for kind, ps in PRODUCTIONS.items() for p in ps)


def within(kind, bound):
    return bound <= (INT_MAX if kind == "int" else BIGINT_MAX if kind == "bigint" else 1e100)


# ---- Leaves of every kind ----

for _kind in ["boolean", "int", "bigint", "double", "decimal", "string", "date", "timestamp", "binary"]:

    def column(generator, _, kind=_kind):
        return generator.column(kind)

    produces(_kind)(column)


@produces("boolean")
def literal(generator, _):
    return same("boolean", generator.random.choice(["true", "false", "CAST(NULL AS BOOLEAN)"]))


@produces("int")
def literal(generator, _):
    number = generator.random.choice([0, 1, -1, 2, 7, -13, 100, 1000])
    return same("int", f"CAST({number} AS INT)", bound=abs(number))


@produces("bigint")
def literal(generator, _):
    number = generator.random.choice([0, 1, -1, 10**6, -(10**9)])
    return same("bigint", f"CAST({number} AS BIGINT)", bound=abs(number))


@produces("double")
def literal(generator, _):
    number = generator.random.choice([0.0, 1.5, -2.25, 0.1, 1e6, -1e-3])
    return same("double", f"CAST({number!r} AS DOUBLE)", bound=abs(number))


@produces("decimal")
def literal(generator, _):
    text, precision, scale = generator.random.choice(
        [("0", 3, 0), ("1.5", 5, 2), ("-12.34", 6, 2), ("999.999", 6, 3), ("NULL", 4, 1)]
    )
    text = f"CAST({text} AS DECIMAL({precision},{scale}))"
    return same("decimal", text, precision=precision, scale=scale)


@produces("string")
def literal(generator, _):
    word = generator.random.choice(["", "a", "Hello", "żółw", "日本語", "  x ", "a%b_c", "it"])
    return same("string", f"'{word}'")


@produces("date")
def literal(generator, _):
    day = generator.random.choice(["2020-02-29", "1969-12-31", "2000-01-01", "1999-03-31"])
    return same("date", f"DATE '{day}'")


@produces("timestamp")
def literal(generator, _):
    moment = generator.random.choice(["2020-02-29 12:34:56.789", "1969-12-31 23:59:59"])
    return Expression("timestamp", f"TIMESTAMP_NTZ '{moment}'", f"TIMESTAMP '{moment}'")


@produces("binary")
def literal(generator, _):
    digits = generator.random.choice(["", "00", "FF", "6162"])
    escaped = "".join(f"\\x{digits[i:i + 2]}" for i in range(0, len(digits), 2))
    return Expression("binary", f"X'{digits}'", f"'{escaped}'::BLOB")


# ---- Conditionals, of every kind but binary ----

for _kind in ["boolean", "int", "bigint", "double", "string", "date", "timestamp"]:

    def case(generator, depth, kind=_kind):
        condition = generator.make("boolean", depth)
        a, b = generator.make(kind, depth), generator.make(kind, depth)
        text = "CASE WHEN {} THEN {} ELSE {} END"
        return Expression(
            kind,
            text.format(condition.ours, a.ours, b.ours),
            text.format(condition.duck, a.duck, b.duck),
            bound=max(a.bound, b.bound),
        )

    def case_without_else(generator, depth, kind=_kind):
        condition, a = generator.make("boolean", depth), generator.make(kind, depth)
        text = "CASE WHEN {} THEN {} END"
        return Expression(
            kind, text.format(condition.ours, a.ours), text.format(condition.duck, a.duck), bound=a.bound
        )

    def case_of_value(generator, depth, kind=_kind):
        value, key = generator.make("int", depth), generator.make("int", depth)
        a, b = generator.make(kind, depth), generator.make(kind, depth)
        text = "CASE {} WHEN {} THEN {} ELSE {} END"
        return Expression(
            kind,
            text.format(value.ours, key.ours, a.ours, b.ours),
            text.format(value.duck, key.duck, a.duck, b.duck),
            bound=max(a.bound, b.bound),
        )

    def choice(generator, depth, kind=_kind):
        condition = generator.make("boolean", depth)
        a, b = generator.make(kind, depth), generator.make(kind, depth)
        return generator.call(kind, "if", condition, a, b, bound=max(a.bound, b.bound))

    def coalesce(generator, depth, kind=_kind):
        a, b = generator.make(kind, depth), generator.make(kind, depth)
        return generator.call(kind, "coalesce", a, b, bound=max(a.bound, b.bound))

    def nullif(generator, depth, kind=_kind):
        a, b = generator.make(kind, depth), generator.make(kind, depth)
        return generator.call(kind, "nullif", a, b, bound=a.bound)

    for _production in [case, case_without_else, case_of_value, choice, coalesce, nullif]:
        produces(_kind)(_production)


# ---- Integers and doubles: operands are widened, since narrower columns may be below ----

for _kind in ["int", "bigint", "double"]:

    def plus(generator, depth, kind=_kind):
        a, b = generator.make(kind, depth), generator.make(kind, depth)
        bound = a.bound + b.bound
        a, b = widened(kind, a), widened(kind, b)
        return generator.infix(kind, "+", a, b, bound=bound) if within(kind, bound) else None

    def minus(generator, depth, kind=_kind):
        a, b = generator.make(kind, depth), generator.make(kind, depth)
        bound = a.bound + b.bound
        a, b = widened(kind, a), widened(kind, b)
        return generator.infix(kind, "-", a, b, bound=bound) if within(kind, bound) else None

    def times(generator, depth, kind=_kind):
        a, b = generator.make(kind, depth), generator.make(kind, depth)
        bound = a.bound * b.bound
        a, b = widened(kind, a), widened(kind, b)
        return generator.infix(kind, "*", a, b, bound=bound) if within(kind, bound) else None

    def negated(generator, depth, kind=_kind):
        a = generator.make(kind, depth)
        return Expression(kind, f"(- {a.ours})", f"(- {a.duck})", bound=a.bound)

    def absolute(generator, depth, kind=_kind):
        a = generator.make(kind, depth)
        return generator.call(kind, "abs", a, bound=a.bound)

    for _production in [plus, minus, times, negated, absolute]:
        produces(_kind)(_production)


def widened(kind, a):
    name = {"int": "INT", "bigint": "BIGINT", "double": "DOUBLE"}[kind]
    return dataclasses.replace(
        a, kind=kind, ours=f"CAST({a.ours} AS {name})", duck=f"CAST({a.duck} AS {name})"
    )


def nonzero(a):
    """At least one, and the same on both sides."""
    a = widened("bigint", a)
    return dataclasses.replace(
        a, ours=f"(abs({a.ours}) + 1)", duck=f"(abs({a.duck}) + 1)", bound=a.bound + 1
    )


for _kind in ["int", "bigint"]:

    def bits(generator, depth, kind=_kind):
        a, b = widened(kind, generator.make(kind, depth)), widened(kind, generator.make(kind, depth))
        operator = generator.random.choice(["&", "|"])
        bound = 2.0 ** (int(max(a.bound, b.bound)).bit_length() + 1)
        return generator.infix(kind, operator, a, b, bound=bound) if within(kind, bound) else None

    def exclusive_or(generator, depth, kind=_kind):
        a, b = widened(kind, generator.make(kind, depth)), widened(kind, generator.make(kind, depth))
        bound = 2.0 ** (int(max(a.bound, b.bound)).bit_length() + 1)
        if not within(kind, bound):
            return None
        return Expression(kind, f"({a.ours} ^ {b.ours})", f"xor({a.duck}, {b.duck})", bound=bound)

    def complement(generator, depth, kind=_kind):
        a = generator.make(kind, depth)
        return Expression(kind, f"(~ {a.ours})", f"(~ {a.duck})", bound=a.bound + 1)

    for _production in [bits, exclusive_or, complement]:
        produces(_kind)(_production)


@produces("bigint")
def remainder(generator, depth):
    a, b = widened("bigint", generator.make("bigint", depth)), nonzero(generator.make("int", depth))
    return generator.infix("bigint", "%", a, b, bound=b.bound)


@produces("bigint")
def integer_division(generator, depth):
    a, b = widened("bigint", generator.make("bigint", depth)), nonzero(generator.make("int", depth))
    return Expression("bigint", f"({a.ours} div {b.ours})", f"({a.duck} // {b.duck})", bound=a.bound)


@produces("bigint")
def from_int(generator, depth):
    return widened("bigint", generator.make("int", depth))


@produces("bigint")
def floor_of_double(generator, depth):
    a = bounded_double(generator, depth)
    call = generator.random.choice(["floor", "ceil"])
    return Expression(
        "bigint", f"{call}({a.ours})", f"CAST({call}({a.duck}) AS BIGINT)", bound=a.bound + 1
    )


@produces("bigint")
def truncated_double(generator, depth):
    a = bounded_double(generator, depth)
    return Expression(
        "bigint", f"CAST({a.ours} AS BIGINT)", f"CAST(trunc({a.duck}) AS BIGINT)", bound=a.bound
    )


def bounded_double(generator, depth):
    """A double that is a whole number's neighbour: no NaN, no infinity, nothing huge."""
    a = widened("double", generator.make("int", depth))
    text = f"({{}} / CAST({generator.random.choice(['2', '3', '10'])} AS DOUBLE))"
    return dataclasses.replace(a, ours=text.format(a.ours), duck=text.format(a.duck))


@produces("int")
def narrow_sum(generator, _):
    text = generator.random.choice(["(tiny + small)", "(small - tiny)", "(whole + small)"])
    return same("int", text, bound=200000)


@produces("int")
def length(generator, depth):
    return generator.call("int", "length", generator.make("string", depth), bound=LENGTH_BOUND)


@produces("int")
def length_of_binary(generator, depth):
    a = generator.make("binary", depth)
    return Expression("int", f"length({a.ours})", f"CAST(octet_length({a.duck}) AS INT)", bound=10)


@produces("int")
def part_of_date(generator, depth):
    part = generator.random.choice(["year", "month", "day"])
    a = generator.make(generator.random.choice(["date", "timestamp"]), depth)
    return Expression("int", f"{part}({a.ours})", f"CAST({part}({a.duck}) AS INT)", bound=9999)


@produces("int")
def part_of_time(generator, depth):
    part = generator.random.choice(["hour", "minute", "second"])
    a = generator.make("timestamp", depth)
    return Expression("int", f"{part}({a.ours})", f"CAST({part}({a.duck}) AS INT)", bound=60)


@produces("int")
def days_between(generator, depth):
    a, b = generator.make("date", depth), generator.make("date", depth)
    return Expression(
        "int",
        f"datediff({a.ours}, {b.ours})",
        f"CAST(date_diff('day', {b.duck}, {a.duck}) AS INT)",
        bound=10**6,
    )


@produces("int")
def days_between(generator, depth):
    a, b = generator.make("date", depth), generator.make("date", depth)
    return Expression(
        "int", f"CAST({a.ours} - {b.ours} AS INT)", f"CAST({a.duck} - {b.duck} AS INT)", bound=10**6
    )


@produces("int")
def part_of_interval(generator, depth):
    a, b = generator.make("timestamp", depth), generator.make("timestamp", depth)
    part = generator.random.choice(["day", "hour", "minute"])
    return Expression(
        "int",
        f"CAST(extract({part} FROM {a.ours} - {b.ours}) AS INT)",
        f"CAST(extract({part} FROM {a.duck} - {b.duck}) AS INT)",
        bound=10**6,
    )


@produces("int")
def from_digits(_, __):
    return same("int", "CAST(digits AS INT)", bound=1000)


@produces("int")
def from_boolean(generator, depth):
    a = generator.make("boolean", depth)
    return Expression("int", f"CAST({a.ours} AS INT)", f"CAST({a.duck} AS INT)", bound=1)


@produces("int")
def length_of_decimal(generator, depth):
    a = generator.make("decimal", depth)
    return Expression(
        "int", f"length(CAST({a.ours} AS STRING))", f"length(CAST({a.duck} AS VARCHAR))", bound=40
    )


@produces("double")
def quotient(generator, depth):
    a, b = generator.any_number(depth), nonzero(generator.make("int", depth))
    a, b = widened("double", a), widened("double", b)
    return generator.infix("double", "/", a, b, bound=a.bound)


@produces("double")
def quotient_of_integers(generator, depth):
    a, b = widened("bigint", generator.make("int", depth)), nonzero(generator.make("int", depth))
    return generator.infix("double", "/", a, b, bound=a.bound)


@produces("double")
def square_root(generator, depth):
    a = generator.make("int", depth)
    text = "sqrt(abs(CAST({} AS DOUBLE)))"
    return Expression("double", text.format(a.ours), text.format(a.duck), bound=a.bound + 1)


@produces("double")
def rounded(generator, depth):
    a = widened("double", generator.make("double", depth))
    return Expression("double", f"round({a.ours})", f"round({a.duck})", bound=a.bound + 1)


@produces("double")
def from_number(generator, depth):
    return widened("double", generator.make(generator.random.choice(["int", "bigint"]), depth))


@produces("double")
def from_decimal(generator, depth):
    a = generator.make("decimal", depth)
    # Up to 15 digits the quotient of the digits and a power of ten is the nearest double.
    if a.precision > 15:
        return None
    return Expression(
        "double", f"CAST({a.ours} AS DOUBLE)", f"CAST({a.duck} AS DOUBLE)", bound=10.0**15
    )


# ---- Decimals: compared as numbers, so that scales may differ ----


@produces("decimal")
def sum_of_decimals(generator, depth):
    a, b = generator.make("decimal", depth), generator.make("decimal", depth)
    scale = max(a.scale, b.scale)
    precision = max(a.precision - a.scale, b.precision - b.scale) + scale + 1
    operator = generator.random.choice(["+", "-"])
    facts = {"precision": precision, "scale": scale}
    return generator.infix("decimal", operator, a, b, **facts) if precision <= 36 else None


@produces("decimal")
def product_of_decimals(generator, depth):
    a, b = generator.make("decimal", depth), generator.make("decimal", depth)
    precision, scale = a.precision + b.precision + 1, a.scale + b.scale
    if precision > 36:
        return None
    # DuckDB multiplies in 64 bits when the declared precisions would fit there.
    duck = f"(CAST({a.duck} AS DECIMAL(38,{a.scale})) * {b.duck})"
    duck = f"CAST({duck} AS DECIMAL({precision},{scale}))"
    ours = f"({a.ours} * {b.ours})"
    return Expression("decimal", ours, duck, precision=precision, scale=scale)


@produces("decimal")
def sign_of_decimal(generator, depth):
    a = generator.make("decimal", depth)
    text = generator.random.choice(["(- {})", "abs({})"])
    return dataclasses.replace(a, ours=text.format(a.ours), duck=text.format(a.duck))


@produces("decimal")
def from_integer(generator, depth):
    a = generator.make("int", depth)
    text = "CAST({} AS DECIMAL(14,3))"
    return Expression("decimal", text.format(a.ours), text.format(a.duck), precision=14, scale=3)


@produces("decimal")
def rescaled(generator, depth):
    a = generator.make("decimal", depth)
    scale = generator.random.choice([0, 1, 2, 5])
    precision = a.precision - a.scale + 1 + scale
    if precision > 36:
        return None
    text = f"CAST({{}} AS DECIMAL({precision},{scale}))"
    facts = {"precision": precision, "scale": scale}
    return Expression("decimal", text.format(a.ours), text.format(a.duck), **facts)


@produces("decimal")
def rounded_decimal(generator, depth):
    a = generator.make("decimal", depth)
    scale = generator.random.choice([0, 1])
    if a.scale <= scale or a.precision > 35:
        return None
    text = f"round({{}}, {scale})"
    facts = {"precision": a.precision - a.scale + 1 + scale, "scale": scale}
    # DuckDB keeps the digits that rounding took, and lacks them for the scale of what follows.
    duck = f"CAST({text.format(a.duck)} AS DECIMAL({facts['precision']}, {scale}))"
    return Expression("decimal", text.format(a.ours), duck, **facts)


@produces("decimal")
def case_of_decimals(generator, depth):
    condition = generator.make("boolean", depth)
    a, b = generator.make("decimal", depth), generator.make("decimal", depth)
    scale = max(a.scale, b.scale)
    precision = max(a.precision - a.scale, b.precision - b.scale) + scale
    if precision > 36:
        return None
    text = "CASE WHEN {} THEN {} ELSE {} END"
    return Expression(
        "decimal",
        text.format(condition.ours, a.ours, b.ours),
        text.format(condition.duck, a.duck, b.duck),
        precision=precision,
        scale=scale,
    )


# ---- Strings ----


@produces("string")
def concatenation(generator, depth):
    a, b = generator.make("string", depth), generator.make("string", depth)
    return generator.infix("string", "||", a, b)


@produces("string")
def changed_case(generator, depth):
    return generator.call(
        "string", generator.random.choice(["upper", "lower"]), generator.make("string", depth)
    )


@produces("string")
def trimmed(generator, depth):
    return generator.call(
        "string", generator.random.choice(["trim", "ltrim", "rtrim"]), generator.make("string", depth)
    )


@produces("string")
def substring(generator, depth):
    a = generator.make("string", depth)
    start, size = generator.random.randint(1, 5), generator.random.randint(0, 4)
    return Expression(
        "string", f"substring({a.ours}, {start}, {size})", f"substring({a.duck}, {start}, {size})"
    )


@produces("string")
def end_of_string(generator, depth):
    a, size = generator.make("string", depth), generator.random.randint(1, 4)
    return Expression("string", f"substring({a.ours}, -{size})", f"right({a.duck}, {size})")


@produces("string")
def written(generator, depth):
    a = generator.make(generator.random.choice(["int", "bigint", "boolean", "date", "decimal"]), depth)
    if a.kind == "decimal":  # the scales of a product differ
        text = "CAST(CAST({} AS DECIMAL(38,4)) AS {})" if a.precision - a.scale < 34 else None
        if text is None:
            return None
        return Expression("string", text.format(a.ours, "STRING"), text.format(a.duck, "VARCHAR"))
    return Expression("string", f"CAST({a.ours} AS STRING)", f"CAST({a.duck} AS VARCHAR)")


# ---- Dates and time stamps ----


@produces("date")
def moved(generator, depth):
    a, days = generator.make("date", depth), generator.random.randint(-400, 400)
    form = generator.random.choice(["date_add({0}, {1})", "({0} + {1})", "date_sub({0}, {2})"])
    return Expression("date", form.format(a.ours, days, -days), f"({a.duck} + ({days}))")


@produces("date")
def moved_by_number(generator, depth):
    a = generator.make("date", depth)
    return Expression("date", f"date_add({a.ours}, small)", f"({a.duck} + CAST(small AS INT))")


@produces("date")
def date_of_timestamp(generator, depth):
    a = generator.make("timestamp", depth)
    return Expression("date", f"CAST({a.ours} AS DATE)", f"CAST({a.duck} AS DATE)")


@produces("timestamp")
def timestamp_of_date(generator, depth):
    a = generator.make("date", depth)
    return Expression("timestamp", f"CAST({a.ours} AS TIMESTAMP_NTZ)", f"CAST({a.duck} AS TIMESTAMP)")


@produces("date")
def moved_by_months(generator, depth):
    a, months = generator.make("date", depth), generator.random.randint(-30, 30)
    return Expression(
        "date",
        f"({a.ours} + INTERVAL '{months}' MONTH)",
        f"CAST({a.duck} + INTERVAL '{months} months' AS DATE)",
    )


@produces("timestamp")
def moved_by_interval(generator, depth):
    a = generator.make("timestamp", depth)
    ours, duck = generator.random.choice(
        [
            ("'1 02:03:04.5' DAY TO SECOND", "1 day 2 hours 3 minutes 4.5 seconds"),
            ("'-90' MINUTE", "-90 minutes"),
            ("'-1-2' YEAR TO MONTH", "-14 months"),
            ("13 MONTHS", "13 months"),
            ("2 DAYS 5 SECONDS", "2 days 5 seconds"),
        ]
    )
    operator = generator.random.choice("+-")
    return Expression(
        "timestamp", f"({a.ours} {operator} INTERVAL {ours})", f"({a.duck} {operator} INTERVAL '{duck}')"
    )


# ---- Booleans ----


@produces("boolean")
def comparison(generator, depth):
    kind = generator.random.choice(
        ["int", "bigint", "double", "decimal", "string", "date", "timestamp", "binary", "boolean"]
    )
    a, b = generator.make(kind, depth), generator.make(kind, depth)
    operator = generator.random.choice(["=", "<>", "<", "<=", ">", ">="])
    return generator.infix("boolean", operator, a, b)


@produces("boolean")
def comparison_of_numbers(generator, depth):
    a, b = generator.any_number(depth), generator.any_number(depth)
    return generator.infix("boolean", generator.random.choice(["=", "<", ">="]), a, b)


@produces("boolean")
def comparison_with_decimal(generator, depth):
    a, b = generator.make("decimal", depth), generator.make("int", depth)
    if a.precision - a.scale > 20:
        return None
    return generator.infix("boolean", generator.random.choice(["=", "<", ">="]), a, b)


@produces("boolean")
def null_safe_equality(generator, depth):
    kind = generator.random.choice(["int", "double", "string", "date", "boolean"])
    a, b = generator.make(kind, depth), generator.make(kind, depth)
    return Expression(
        "boolean", f"({a.ours} <=> {b.ours})", f"({a.duck} IS NOT DISTINCT FROM {b.duck})"
    )


@produces("boolean")
def connective(generator, depth):
    a, b = generator.make("boolean", depth), generator.make("boolean", depth)
    return generator.infix("boolean", generator.random.choice(["AND", "OR"]), a, b)


@produces("boolean")
def negation(generator, depth):
    a = generator.make("boolean", depth)
    return Expression("boolean", f"(NOT {a.ours})", f"(NOT {a.duck})")


@produces("boolean")
def nullness(generator, depth):
    kind = generator.random.choice(["int", "double", "decimal", "string", "date", "boolean", "binary"])
    a, test = generator.make(kind, depth), generator.random.choice(["IS NULL", "IS NOT NULL"])
    return Expression("boolean", f"({a.ours} {test})", f"({a.duck} {test})")


@produces("boolean")
def truth_test(generator, depth):
    a = generator.make("boolean", depth)
    test = generator.random.choice(["IS TRUE", "IS FALSE", "IS NOT TRUE", "IS NOT FALSE"])
    return Expression("boolean", f"({a.ours} {test})", f"({a.duck} {test})")


@produces("boolean")
def membership(generator, depth):
    kind = generator.random.choice(["int", "bigint", "string", "date"])
    value, *items = [generator.make(kind, depth) for _ in range(generator.random.randint(2, 4))]
    word = generator.random.choice(["IN", "NOT IN"])
    return Expression(
        "boolean",
        f"({value.ours} {word} ({', '.join(item.ours for item in items)}))",
        f"({value.duck} {word} ({', '.join(item.duck for item in items)}))",
    )


@produces("boolean")
def between(generator, depth):
    kind = generator.random.choice(["int", "double", "decimal", "string", "date"])
    a, b, c = [generator.make(kind, depth) for _ in range(3)]
    word = generator.random.choice(["BETWEEN", "NOT BETWEEN"])
    return Expression(
        "boolean",
        f"({a.ours} {word} {b.ours} AND {c.ours})",
        f"({a.duck} {word} {b.duck} AND {c.duck})",
    )


@produces("boolean")
def like(generator, depth):
    a = generator.make("string", depth)
    pattern = generator.random.choice(["%", "a%", "%b", "%l%", "_", "__%", "H_llo", "", "%ó%", "日%"])
    word = generator.random.choice(["LIKE", "NOT LIKE"])
    return Expression("boolean", f"({a.ours} {word} '{pattern}')", f"({a.duck} {word} '{pattern}')")


@produces("boolean")
def affix(generator, depth):
    ours, duck = generator.random.choice(
        [("startswith", "starts_with"), ("endswith", "ends_with"), ("contains", "contains")]
    )
    a, b = generator.make("string", depth), generator.make("string", depth)
    return generator.call("boolean", ours, a, b, duck=duck)


@produces("boolean")
def not_a_number(generator, depth):
    a = widened("double", generator.make("double", depth))
    return Expression("boolean", f"isnan({a.ours})", f"coalesce(isnan({a.duck}), false)")


@produces("boolean")
def rlike(generator, depth):
    a = generator.make("string", depth)
    pattern = generator.random.choice(
        ["l+", "^[a-h]", "(?:it|lo)", "[^a-z]", "[0-9]{2}", "(a|e)*l", "^H.l", "ó|本", "x?", "[%_]"]
    )
    return Expression(
        "boolean", f"({a.ours} RLIKE '{pattern}')", f"regexp_matches({a.duck}, '{pattern}')"
    )


@produces("boolean")
def compared_intervals(generator, depth):
    a, b = generator.make("date", depth), generator.make("date", depth)
    days = generator.random.randint(-400, 400)
    operator = generator.random.choice(["<", ">=", "="])
    return Expression(
        "boolean",
        f"({a.ours} - {b.ours} {operator} INTERVAL '{days}' DAY)",
        f"({a.duck} - {b.duck} {operator} {days})",
    )


@produces("string")
def right(generator, depth):
    a, count = generator.make("string", depth), generator.random.choice([1, 2, 5])
    return Expression("string", f"right({a.ours}, {count})", f"right({a.duck}, {count})")


@produces("string")
def trim_characters(generator, depth):
    a, characters = generator.make("string", depth), generator.random.choice(["a", "lo", "ów", " x"])
    name = generator.random.choice(["trim", "ltrim", "rtrim"])
    return Expression("string", f"{name}('{characters}', {a.ours})", f"{name}({a.duck}, '{characters}')")
