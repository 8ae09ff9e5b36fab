#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The operating system refuses memory, at any allocation: an error with exit code 3, never a crash."""
import resource

import program
from program import Folder, check, many_files, run

# Below the first no thread starts; above the second nothing is refused.
LEAST, MOST, STEP = 124 << 20, 168 << 20, 2 << 20


def run_within(address_space, *arguments):
    limits = {resource.RLIMIT_AS: address_space, resource.RLIMIT_CORE: 0}
    outcome = run("sql", "--format", "csv", "--threads", "1", "--io-threads", "2", *arguments, limits=limits)
    no_threads = outcome.code == 2 and "cannot start" in outcome.err
    check(outcome.code in (0, 3) or no_threads, (address_space, outcome))
    check(outcome.code == 0 or outcome.err.strip(), (address_space, outcome))
    return outcome.code


def test_every_refused_allocation_is_an_error_of_the_query():
    with Folder() as folder:
        many_files(folder, 30)
        query = f'SELECT count(*), max(name), sum(price) FROM "{folder}"'
        codes = [run_within(size, "-c", query) for size in range(LEAST, MOST, STEP)]
        check(codes[-1] == 0, codes)


def test_a_long_statement_is_refused_by_its_memory():
    values = ", ".join(f"({i}, 'text {i}')" for i in range(20_000))
    with Folder() as folder:
        (folder / "a.sql").write_text(f"SELECT count(*) FROM VALUES {values} AS t(a, b)")
        codes = [run_within(size, "-f", str(folder / "a.sql")) for size in range(LEAST, MOST, 4 * STEP)]
        check(3 in codes or 2 in codes, codes)


program.run_tests(globals())
