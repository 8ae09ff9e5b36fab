# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden/spark-expressions/*.jsonl: expressions with Spark's answers.

    python3 -m venv .venv && .venv/bin/pip install -r tools/spark_oracle/requirements.txt
    .venv/bin/python tools/spark_oracle/make_expressions.py [AREA...]
"""

import argparse
import importlib
import json
import pathlib
import re
import sys
import tempfile
import time

from areas import aggregates, columns
from spark import Spark

AREAS = ["literals", "logic", "strings", "dates", "rounding", "conditional"]
AREAS += ["cast", "comparison", "arithmetic", "intervals", "patterns", "zones"]
ZONES = {"UTC": "expressions", "America/Los_Angeles": "expressions_in_los_angeles"}
EXCLUDED_RULES = "spark.sql.optimizer.excludedRules"
ROOT = pathlib.Path(__file__).resolve().parents[2]


def write(path, lines):
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        for line in lines:
            file.write(json.dumps(line, ensure_ascii=False) + "\n")


def entries_of(module):
    """Pairs of a zone and an expression, or an expression with its feature."""
    if hasattr(module, "expressions_by_zone"):
        yield from module.expressions_by_zone()
    for zone, generator in ZONES.items():
        if hasattr(module, generator):
            for entry in getattr(module, generator)():
                yield zone, entry


def expression_lines(spark, area):
    """Each expression once per zone, in the order of the area's generator."""
    seen = set()
    for zone, entry in entries_of(importlib.import_module(f"areas.{area}")):
        expression, feature = (entry, None) if isinstance(entry, str) else entry
        if (zone, expression) in seen:
            continue
        seen.add((zone, expression))
        spark.set("spark.sql.session.timeZone", zone)
        line = {"expression": expression, **spark.evaluate(expression), "zone": zone}
        if feature:
            line["feature"] = feature
        yield line
    spark.set("spark.sql.session.timeZone", "UTC")


def query_lines(spark):
    for query in dict.fromkeys(aggregates.queries()):
        yield {"query": query, **spark.query(query), "zone": "UTC"}


def column_lines(spark):
    """Over a one-row table that no rule folds; says so when folding gives another answer."""
    for expression, over in columns.cases():
        used = {name: over[name] for name in over if re.search(rf"\b{name}\b", expression)}
        source = f" FROM VALUES ({', '.join(used.values())}) AS t({', '.join(used)})"
        spark.set(EXCLUDED_RULES, "org.apache.spark.sql.catalyst.optimizer.ConvertToLocalRelation")
        answer = spark.evaluate(expression, source)
        spark.set(EXCLUDED_RULES, "")
        folded = re.sub(
            "|".join(rf"\b{name}\b(?!')" for name in used),
            lambda match: used[match.group()],
            expression,
        )
        constant = spark.evaluate(folded)
        if constant != answer:
            print(f"{expression}: {answer} but folded {constant}", file=sys.stderr)
        yield {"expression": expression, **answer, "columns": used, "zone": "UTC"}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("areas", nargs="*", default=AREAS + ["aggregates", "all"])
    parser.add_argument("--out", default=ROOT / "tests/golden/spark-expressions")
    arguments = parser.parse_args()
    out = pathlib.Path(arguments.out)
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as warehouse:
        spark = Spark(warehouse)
        for area in arguments.areas:
            start = time.monotonic()
            if area == "aggregates":
                lines, name = list(query_lines(spark)), "aggregates.jsonl"
            elif area == "all":
                lines, name = list(column_lines(spark)), "all.columns.jsonl"
            else:
                lines, name = list(expression_lines(spark, area)), f"{area}.jsonl"
            write(out / name, lines)
            errors = sum("error" in line for line in lines)
            seconds = time.monotonic() - start
            print(f"{name}: {len(lines)} lines, {errors} errors, {seconds:.0f} s", flush=True)


if __name__ == "__main__":
    main()
