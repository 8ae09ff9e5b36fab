#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each rule of tools/tidy.py fails on a bad example and passes a good one beside it."""
import pathlib
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))
import tidy  # noqa: E402

SPDX = "// SPDX-License-Identifier: Apache-2.0\n"
HEADER = SPDX + "#pragma once\n"
SPILL = "src/wheelpit/spill/"
SPDX_CMAKE = "# SPDX-License-Identifier: Apache-2.0\n"
CMAKE = SPDX_CMAKE + "wheelpit_module(spill API good.h SOURCES good.cc TESTS good_test.cc fixture.cc)\n"

# A small tree without findings; each example below adds or replaces one file of it.
GOOD = {
    SPILL + "CMakeLists.txt": CMAKE,
    SPILL + "README.md": "# spill\nSee `good.h` and [the build](CMakeLists.txt).\n",
    SPILL + "good.h": HEADER + '#include "wheelpit/block/block.h"\nvoid Good();\n',
    SPILL + "private.h": HEADER,
    SPILL + "fixture.h": HEADER + '#include "wheelpit/io/testing/a.h"\n',
    SPILL + "fixture.cc": SPDX + '#include "wheelpit/spill/fixture.h"\nint a = b().ValueOrDie();\n',
    "src/wheelpit/block/CMakeLists.txt": SPDX_CMAKE + "wheelpit_module(block API block.h)\n",
    "src/wheelpit/block/block.h": HEADER,
    "src/wheelpit/block/README.md": "# block\n",
    SPILL + "good.cc": SPDX + "// std::cout is named here only.\nvoid Good() {\n  int a[] = {1};\n}\n",
    SPILL + "good_test.cc": SPDX + "TEST(Good, PrintsNothing) { std::cout << x.ValueOrDie(); }\n",
    "src/wheelpit/cli/main.cc": SPDX + '#include "wheelpit/spill/good.h"\nvoid f() { getenv("A"); }\n',
    "ARCHITECTURE.md": "# A\n\n| module | job |\n|---|---|\n| `spill` | spills |\n| [block](src/wheelpit/block/README.md) | encodes |\n",
}

LONG = "void Long() {\n" + "  f();\n" * 70 + "}\n"

BAD = {
    "layers": [
        (SPILL + "bad.cc", SPDX + '#include "wheelpit/exec/driver.h"\n', "spill may not include exec"),
        ("src/wheelpit/core/bad.cc", SPDX + '#include "wheelpit/io/syscalls.h"\n', "core may not"),
        ("src/wheelpit/memory/bad.cc", SPDX + '#include "wheelpit/io/syscalls.h"\n', "memory may not"),
        ("src/wheelpit/sql/deep/bad.cc", SPDX + '#include "wheelpit/exec/driver.h"\n', "sql may not"),
        ("src/wheelpit/plan/bad.cc", SPDX + '#  include <wheelpit/exec/driver.h>\n', "plan may not"),
        ("src/wheelpit/engine/bad.cc", SPDX + '#include "wheelpit/history/a.h"\n', "engine may not"),
        ("src/wheelpit/history/bad.cc", SPDX + '#include "wheelpit/exec/a.h"\n', "history may not"),
        ("src/wheelpit/novel/bad.cc", SPDX, "not in the layer table"),
        (SPILL + "bad.cc", SPDX + '#include "wheelpit/novel/a.h"\n', "not in the layer table"),
        (SPILL + "bad.cc", SPDX + '#include "wheelpit/io/testing/a.h"\n', "support for tests"),
    ],
    "file-length": [(SPILL + "bad.cc", SPDX + "int a;\n" * 800, "801 lines")],
    "columns": [(SPILL + "bad.cc", SPDX + "//" + "x" * 89 + "\n", "91 columns")],
    "function-length": [
        (SPILL + "bad.cc", SPDX + "namespace a {\nnamespace {\n" + LONG + "}\n}\n", "72 lines"),
        (SPILL + "bad.cc", SPDX + "class A {\n" + LONG + "};\n", "72 lines"),
        (SPILL + "bad.cc", SPDX + LONG.replace("Long()", "A::A(int a) : a_(a), b_()"), "72 lines"),
    ],
    "licence": [
        (SPILL + "bad.cc", "int a;\n", "no SPDX"),
        ("tools/bad", "#!/bin/sh\n", "no SPDX"),
        ("CMakeLists.txt", "project(a)\n", "no SPDX"),
    ],
    "pragma-once": [("tests/bad.h", SPDX, "#pragma once")],
    "banned-call": [
        (SPILL + "bad.cc", SPDX + "auto p = arrow::default_memory_pool();\n", "memory pool"),
        (SPILL + "bad.cc", SPDX + 'void f() { std::cerr << "a"; }\n', "output"),
        (SPILL + "bad.cc", SPDX + 'void f() { printf("a"); }\n', "output"),
        (SPILL + "bad.cc", SPDX + "auto a = b.ValueOrDie();\n", "ValueOrDie"),
        (SPILL + "bad.cc", SPDX + "std::thread a;\n", "thread outside core"),
        (SPILL + "bad.cc", SPDX + 'auto a = std::getenv("A");\n', "environment"),
        (SPILL + "bad.cc", SPDX + "void f() { throw 1; }\n", "exception"),
        (SPILL + "bad_test.cc", SPDX + "void f() { std::this_thread::sleep_for(a); }\n", "sleep"),
        ("tests/bad.h", HEADER + "using namespace std;\n", "using namespace"),
        (SPILL + "bad.cc", SPDX + "class SpillHelper {};\n", "says nothing"),
        (SPILL + "bad.cc", SPDX + "struct FileManager {};\n", "says nothing"),
    ],
    "banned-include": [
        ("tests/bad.h", HEADER + "#include <arrow/api.h>\n", "arrow/api.h"),
        ("tests/bad.h", HEADER + "#include <parquet/arrow/reader.h>\n", "parquet/arrow/reader.h"),
        (SPILL + "bad.cc", SPDX + "#include <arrow/util/hash_internal.h>\n", "public API"),
        (SPILL + "bad.cc", SPDX + "#include <arrow/testing/gtest_util.h>\n", "public API"),
    ],
    "download": [
        ("cmake/Bad.cmake", "# SPDX-License-Identifier: Apache-2.0\ninclude(FetchContent)\n", "download"),
        ("cmake/Bad.cmake", "# SPDX-License-Identifier: Apache-2.0\nfile(DOWNLOAD a b)\n", "download"),
    ],
    "open-end": [
        (SPILL + "bad.cc", SPDX + "// TODO: later\n", "TODO"),
        (SPILL + "bad.cc", SPDX + "// FIXME(#1)\n", "FIXME"),
    ],
    "file-name": [(SPILL + "string_utils.cc", SPDX, "utils"), ("tools/helpers/a.txt", "", "helpers")],
    "machine-path": [("docs/bad.md", "# A\nIn /home/ann/wheelpit.\n", "one machine")],
    "one-title": [("docs/bad.md", "# A\n# B\n", "2 titles"), ("docs/bad.md", "none\n", "0 titles")],
    "readme-length": [(SPILL + "README.md", "# A\n" + "a\n" * 60, "61 lines")],
    "link": [
        ("docs/bad.md", "# A\n[a](nowhere.md)\n", "link to nothing"),
        ("docs/bad.md", "# A\n`src/wheelpit/nowhere.cc`\n", "path that is not there"),
        ("docs/bad.md", "# A\n`wheelpit/spill/nowhere.h`\n", "header that is not there"),
        ("docs/bad.md", "# A\n`nowhere.cc`\n", "file that is not there"),
    ],
    "public-header": [
        (SPILL + "good.h", HEADER + '#include "wheelpit/spill/private.h"\n', "a private one"),
        (SPILL + "absent.h", None, "not there"),
    ],
    "module-readme": [("src/wheelpit/fs/CMakeLists.txt", CMAKE, "without README")],
    "module-table": [
        ("ARCHITECTURE.md", "# A\n| module | job |\n|---|---|\n| fs | - |\n", "'fs' has no folder"),
        ("ARCHITECTURE.md", "# A\n| module | job |\n|---|---|\n| fs | - |\n", "'spill' is not in"),
        ("ARCHITECTURE.md", "# A\n", "no table of modules"),
    ],
    "metric": [
        ("src/wheelpit/core/metrics.cc", SPDX + "T t = {\n    {Metric::kLost, 1},\n};\n", "nothing counts kLost"),
    ],
}


def findings_of(tree):
    with tempfile.TemporaryDirectory() as folder:
        for path, text in tree.items():
            target = pathlib.Path(folder, path)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text)
        return tidy.check(pathlib.Path(folder))[1]


def main():
    passed = failed = 0

    def expect(condition, what):
        nonlocal passed, failed
        passed, failed = passed + bool(condition), failed + (not condition)
        if not condition:
            print("FAILED", what)

    good = findings_of(GOOD)
    expect(good == [], f"the good tree has findings: {good}")
    for rule, examples in BAD.items():
        for path, text, part in examples:
            tree = {**GOOD, path: text}
            if text is None:  # named where it is listed, and left out
                tree[SPILL + "CMakeLists.txt"] = CMAKE.replace("good.h", "absent.h")
                del tree[path]
            found = findings_of(tree)
            hit = [f for f in found if f[0] == path and f[2] == rule and part in f[3]]
            expect(hit, f"[{rule}] does not find '{part}' in {path}: {found}")
    for rule in {**tidy.FILE_RULES, **tidy.TREE_RULES}:
        expect(rule in BAD, f"[{rule}] has no bad example")
    for module, allowed in tidy.LAYERS.items():
        if allowed is not tidy.EVERYTHING:
            above = [o for o in allowed if o not in tidy.LAYERS or module in (tidy.LAYERS[o] or [])]
            expect(not above, f"the layers of {module} have a cycle or an unknown module: {above}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
