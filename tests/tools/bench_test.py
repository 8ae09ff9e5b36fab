#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the benchmarks make of their figures: pictures, tables, verdicts."""
import json
import pathlib
import sys
import tempfile
import unittest
import xml.etree.ElementTree as xml

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT))
from bench.lib import budgets, plot, readme, runner  # noqa: E402
from bench.suites.budget_sweep import suite as sweep  # noqa: E402
from bench.suites.budgets import suite as suite_of_budgets  # noqa: E402


def outcome(engine="wheelpit", **fields):
    return budgets.Outcome(engine, **{"answer": "7", "seconds": 2.0, "cpu_seconds": 3.0, **fields})


class Pictures(unittest.TestCase):
    def draw(self, points):
        return xml.fromstring(plot.draw([("a < b", [plot.Panel("s", [plot.Line("n", points)])])], "x"))

    def test_every_point_is_within_the_picture(self):
        picture = self.draw([(20, 0.01), (400, 12.5), (33, 7)])
        marks = list(picture.iter("{http://www.w3.org/2000/svg}circle"))
        self.assertEqual(len(marks), 3)
        for mark in marks:
            self.assertTrue(plot.LEFT <= float(mark.get("cx")) <= plot.PANEL_WIDTH)
            self.assertTrue(0 <= float(mark.get("cy")) <= float(picture.get("height")))

    def test_larger_values_stand_higher(self):
        marks = list(self.draw([(20, 1), (40, 2)]).iter("{http://www.w3.org/2000/svg}circle"))
        self.assertGreater(float(marks[0].get("cy")), float(marks[1].get("cy")))
        self.assertLess(float(marks[0].get("cx")), float(marks[1].get("cx")))

    def test_one_point_and_nothing_but_zeros_are_drawn(self):
        self.draw([(20, 0)])
        self.draw([(20, 0), (20, 0)])


class Budgets(unittest.TestCase):
    def test_long_and_failed_runs_are_not_repeated_as_often(self):
        for first, runs in ((outcome(seconds=9.9), 5), (outcome(seconds=10), 3), (outcome(seconds=20), 1),
                            (outcome(failure="killed"), 1)):
            self.assertEqual(suite_of_budgets.runs_of(first, 5), runs)

    def test_a_wrong_answer_of_anyone_and_a_failure_of_ours_are_wrong(self):
        case = budgets.CASES[0]
        measured = [budgets.Measured("wheelpit", [outcome(failure="too small")]),
                    budgets.Measured("duckdb", [outcome("duckdb", answer="8")]),
                    budgets.Measured("polars", [outcome("polars", failure="killed")])]
        wrong = list(suite_of_budgets.wrong_of(case, measured, "7"))
        self.assertEqual(len(wrong), 2)
        self.assertIn("too small", wrong[0])
        self.assertIn("duckdb answers 8 instead of 7", wrong[1])

    def test_the_forty_budgets_go_from_the_least_to_the_need(self):
        sizes = sweep.budgets_between(20 << 20, 700 << 20, 40)
        self.assertEqual((len(sizes), sizes[0], sizes[-1]), (40, 20 << 20, 700 << 20))
        self.assertEqual(sizes, sorted(set(sizes)))

    def test_a_budget_that_is_not_enough_is_wrong(self):
        found = sweep.Sweep(budgets.CASES[0], 20, 40, [(20, outcome()), (30, outcome(failure="no")), (40, outcome())], 1)
        self.assertEqual(list(found.wrong("7")), ["TPC-H Q1 in 30 bytes: no"])

    def test_what_takes_too_long_is_killed(self):
        ended = runner.run(["sleep", "60"], timeout_seconds=0.05)
        self.assertLess(ended.code, 0)


class Readme(unittest.TestCase):
    def test_tables_are_replaced_below_their_lines_and_nothing_else(self):
        with tempfile.TemporaryDirectory() as folder:
            one = {"seconds": 1.5, "cpu_seconds": 2, "peak_rss_bytes": 64e6, "failure": ""}
            figures = {title: {engine: dict(one) for engine in readme.ENGINES} for title, _ in readme.IN_BUDGETS}
            figures[readme.IN_BUDGETS[0][0]]["duckdb"]["failure"] = "out of memory"
            pathlib.Path(folder, "budgets.json").write_text(json.dumps({"figures": figures}))
            kept, readme.TABLES = readme.TABLES, {"budgets": readme.budget_table}
            try:
                text = readme.with_tables("before\n<!-- budgets: x -->\n| old |\n\nafter\n", pathlib.Path(folder))
            finally:
                readme.TABLES = kept
            self.assertTrue(text.startswith("before\n<!-- budgets: x -->\n| lineitem"), text)
            self.assertTrue(text.endswith(" |\n\nafter\n") and "old" not in text, text)
            self.assertIn("**1.50 / 2.00 / 64** | fails |", text)


result = unittest.main(exit=False, verbosity=0).result
bad = len(result.failures) + len(result.errors)
print(f"{result.testsRun - bad} passed, {bad} failed")
sys.exit(1 if bad else 0)
