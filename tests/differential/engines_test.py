#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of what the differential test reads and how it goes on after an error."""

import os
import random
import sys
import tempfile
import textwrap
import unittest

import engines
import grammar

# Answers `SELECT id AS qN FROM …` with two rows; a statement with "bad" fails after one row, as
# a program does that has begun to print.
STUB = """\
    #!{python}
    import sys
    text = open(sys.argv[-1], encoding="utf-8").read()
    for statement in text.split(";\\n"):
        name = statement.split()[3]
        print(name + ",e0\\r\\n1,x", end="\\r\\n")
        if "bad" in statement:
            sys.exit("refused " + name)
        print('2,""', end="\\r\\n")
"""


class Csv(unittest.TestCase):
    def test_fields(self):
        text = 'a,b\r\n1,\r\n2,""\r\n3,"x,""y""\nz"\r\n,\r\n'
        wanted = [["a", "b"], ["1", None], ["2", ""], ["3", 'x,"y"\nz'], [None, None]]
        self.assertEqual(engines.parse_csv(text), wanted)
        self.assertEqual(engines.parse_csv(text.replace("\r\n", "\n")), wanted)

    def test_one_column(self):
        self.assertEqual(engines.parse_csv('q1\n7\n""\n'), [["q1"], ["7"], [""]])

    def test_nothing(self):
        self.assertEqual(engines.parse_csv(""), [])


class Program(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        path = os.path.join(self.folder.name, "stub")
        with open(path, "w", encoding="utf-8") as file:
            file.write(textwrap.dedent(STUB).format(python=sys.executable))
        os.chmod(path, 0o755)
        self.engine = engines.Wheelpit(path, "t")

    def answers(self, bad):
        statements = [
            f"SELECT id AS q{i} FROM {'bad' if i in bad else 't'}" for i in range(100)
        ]
        return self.engine.answers(statements)

    def test_every_statement_has_its_answer(self):
        self.assertEqual(self.answers(bad=()), [{1: ["x"], 2: [""]}] * 100)

    def test_an_error_is_of_its_statement_alone(self):
        bad = (0, 7, 8, 99)
        for i, answer in enumerate(self.answers(bad)):
            if i in bad:
                self.assertIsInstance(answer, engines.Refused)
                self.assertIn(f"q{i}", str(answer))
            else:
                self.assertEqual(answer, {1: ["x"], 2: [""]})


class Grammar(unittest.TestCase):
    def test_a_seed_gives_the_same_expressions(self):
        def drawn(seed):
            generator = grammar.Generator(random.Random(seed))
            return [generator.make("boolean").ours for _ in range(50)]

        self.assertEqual(drawn(5), drawn(5))
        self.assertNotEqual(drawn(5), drawn(6))

    def test_every_production_is_within_reach(self):
        generator = grammar.Generator(random.Random(1))
        for _ in range(300):
            for kind in ("boolean", "decimal", "string", "bigint"):
                generator.make(kind)
        self.assertEqual(set(grammar.every_production()) - set(generator.hits), set())


if __name__ == "__main__":
    result = unittest.main(exit=False, verbosity=1).result
    failed = len(result.failures) + len(result.errors)
    print(f"{result.testsRun - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)
