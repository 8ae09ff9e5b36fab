#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/run_tests counts what passed, failed, crashed, hung and was skipped."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
REPORT = json.dumps({"testsuites": [{"name": "S", "testsuite": [
    {"name": "Good", "status": "RUN", "result": "COMPLETED"},
    {"name": "Bad", "status": "RUN", "result": "COMPLETED", "failures": [{"failure": "two is not three"}]},
    {"name": "Left", "status": "RUN", "result": "SKIPPED"},
    {"name": "Off", "status": "NOTRUN", "result": "SUPPRESSED"}]}]})
GOOD_REPORT = json.dumps({"testsuites": [{"name": "S", "testsuite": [
    {"name": "Good", "status": "RUN", "result": "COMPLETED"}]}]})
WRITE = "cat >\"${GTEST_OUTPUT#json:}$(basename $0).json\" <<'E'\n%s\nE\n"

# name: (script, lines of the expected output, last line, exit code)
CASES = {
    "google": (WRITE % REPORT + "exit 1", ["FAILED google: S.Bad", "two is not three",
                                           "SKIPPED google: S.Left"],
               "1 passed, 1 failed, 1 skipped", 1),
    "google_good": (WRITE % GOOD_REPORT, [], "1 passed, 0 failed", 0),
    "google_dies_after": (WRITE % GOOD_REPORT + "kill -9 $$", ["FAILED google_dies_after"],
                          "1 passed, 1 failed", 1),
    "crash": ("echo last words; kill -SEGV $$", ["FAILED crash", "last words"],
              "0 passed, 1 failed", 1),
    "cut_report": ("echo '{' >\"${GTEST_OUTPUT#json:}cut_report.json\"; kill -9 $$",
                   ["FAILED cut_report"], "0 passed, 1 failed", 1),
    "hang": ("sleep 30", ["FAILED hang"], "0 passed, 1 failed", 1),
    "script": ("echo '5 passed, 0 failed'", [], "5 passed, 0 failed", 0),
    "script_word": ("echo 'sql: 5 passed, 0 failed, 2 skipped'", ["SKIPPED script_word"],
                    "5 passed, 0 failed, 2 skipped", 0),
    "script_bad": ("echo '3 passed, 2 failed'; exit 1", ["FAILED script_bad"],
                   "3 passed, 2 failed", 1),
    "script_lies": ("echo '3 passed, 0 failed'; exit 1", ["FAILED script_lies"],
                    "3 passed, 1 failed", 1),
    "plain": ("exit 0", [], "1 passed, 0 failed", 0),
    "absent": (None, ["FAILED absent"], "0 passed, 1 failed", 1),
    "skip": ("echo no Java here; exit 77", ["no test ran", "no Java here"],
             "0 passed, 0 failed, 1 skipped", 1),
    "nothing": ("", ["no test ran"], "0 passed, 0 failed", 1),
}
PRESETS = {"version": 6, "configurePresets": [{"name": "dev", "generator": "Ninja",
                                               "binaryDir": "${sourceDir}/build/dev"}],
           "testPresets": [{"name": "dev", "configurePreset": "dev",
                            "output": {"outputOnFailure": True}}]}


def run_case(name, script):
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        (root / "tools").mkdir()
        shutil.copy(ROOT / "tools/run_tests", root / "tools")
        build = root / "build/dev"
        build.mkdir(parents=True)
        (root / "CMakePresets.json").write_text(json.dumps(PRESETS))
        if script is not None:
            (build / name).write_text("#!/bin/sh\n" + script + "\n")
            (build / name).chmod(0o755)
        ctest = "" if name == "nothing" else (
            f'add_test({name} "{build / name}")\n'
            f'set_tests_properties({name} PROPERTIES TIMEOUT 1 SKIP_RETURN_CODE 77)\n')
        (build / "CTestTestfile.cmake").write_text(ctest)
        environment = {k: v for k, v in os.environ.items() if not k.startswith("GTEST_")}
        return subprocess.run([root / "tools/run_tests", "dev"], capture_output=True, text=True,
                              env=environment)


def main():
    passed = failed = 0
    for name, (script, parts, last, code) in CASES.items():
        ended = run_case(name, script)
        wrong = [part for part in parts if part not in ended.stdout]
        if wrong or ended.stdout.splitlines()[-1:] != [last] or ended.returncode != code:
            print(f"FAILED {name}: exit {ended.returncode}, without {wrong}\n"
                  f"{re.sub('^', '  | ', ended.stdout + ended.stderr, flags=re.M)}")
            failed += 1
        else:
            passed += 1
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
