#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The rules of this tree, as far as a program can check them.

A rule is a generator over one file or over the whole tree that yields (path, line, message);
it stands in FILE_RULES or TREE_RULES under the name that is printed. Each has a bad example in
tests/tools/tidy_test.py. Usage: tools/tidy.py [ROOT]
"""
import os
import pathlib
import re
import subprocess
import sys

# Who may include whom: complete lists, not transitive. Everything may include core.
EVERYTHING = object()
LAYERS = {
    "core": [],
    "memory": [],
    "io": ["memory"],
    "net": ["io", "memory"],
    "fs": ["io", "memory", "net"],
    "events": ["fs", "io"],
    "block": ["memory"],
    "index": ["fs", "io", "memory"],
    "spill": ["block", "io", "memory"],
    "shuffle": ["spill", "block", "io", "memory", "net"],
    "plan": ["index"],
    "exec": ["plan", "index", "spill", "shuffle", "block", "fs", "io", "memory"],
    "sql": ["plan", "index"],
    "scheduler": ["exec", "plan", "index", "shuffle", "events", "io", "memory"],
    "history": ["events", "fs", "io", "memory", "net"],
    "engine": ["memory", "io", "net", "fs", "events", "block", "index", "spill", "shuffle",
               "plan", "exec", "sql", "scheduler"],
    "cli": EVERYTHING,
    "jni": ["engine", "history"],
    "python": ["engine", "history"],
}

FILE_LINES_MAX = 800
FUNCTION_LINES_MAX = 70
COLUMNS_MAX = 90
README_LINES_MAX = 60

CPP = (".cc", ".h")
CODE = (".cc", ".h", ".py", ".cmake", ".java", ".sh")
SKIPPED_FOLDERS = {".git", ".venv", "build", "demo", "dist", "third_party", "__pycache__"}
TOP_FOLDERS = "bench|changes|cmake|docs|examples|src|tests|tools|\\.ci"


class File:
    def __init__(self, root, path):
        self.path = path
        self.name = path.rsplit("/", 1)[-1]
        self.suffix = pathlib.PurePosixPath(path).suffix
        self.text = (root / path).read_bytes().decode("utf-8", "replace")
        self.lines = self.text.splitlines()
        parts = path.split("/")
        self.in_source = path.startswith("src/wheelpit/") and len(parts) > 3
        self.module = parts[2] if self.in_source else None
        self.is_test = (path.startswith(("tests/", "examples/", "bench/")) or
                        re.search(r"_(test|bench|fuzz)\.cc$", path) is not None or
                        (self.in_source and "testing" in parts))
        self.is_script = self.suffix == "" and self.text.startswith("#!")
        self._bare = None

    @property
    def bare(self):
        """C++ without comments, strings and directives; line numbers kept."""
        if self._bare is None:
            self._bare = strip_cpp(self.text)
        return self._bare


class Tree(dict):
    """The files that rules read, by path; all_paths has data and binary files too."""

    def __init__(self, root):
        self.all_paths = set(list_paths(root))
        super().__init__((path, File(root, path)) for path in sorted(self.all_paths)
                         if not is_data(root, path))
        self._mark_support_for_tests()

    def _mark_support_for_tests(self):
        """Fixtures: what a TESTS list names, and private headers that only tests include."""
        for path in listed_paths(self, "TESTS", r"\.cc"):
            if path in self:
                self[path].is_test = True
        public = listed_paths(self, "API", r"\.h")
        includers = {}
        for file in self.values():
            if file.suffix in CPP:
                for found in re.findall(r'^\s*#\s*include\s+"(wheelpit/[^"]+)"', file.text, re.M):
                    includers.setdefault("src/" + found, []).append(file)
        for _ in range(3):  # fixtures that include fixtures
            for path, files in includers.items():
                source = path[:-2] + ".cc"  # includes its own header, whatever it is for
                if path in self and path not in public and all(
                        f.is_test or f.path == source for f in files):
                    for member in (path, source):
                        if member in self:
                            self[member].is_test = True


def listed_paths(files, keyword, ending):
    """Paths that follow a keyword of wheelpit_module in the CMake files of modules."""
    found = set()
    for file in files.values():
        if file.in_source and file.name == "CMakeLists.txt":
            text = re.sub(r"#[^\n]*", "", file.text)
            for listed in re.findall(rf"\b{keyword}\s+((?:[\w./]+{ending}\s*)+)", text):
                found |= {os.path.normpath(os.path.join(os.path.dirname(file.path), name))
                          for name in listed.split()}
    return found


STRIPPED = re.compile(
    r'R"(?P<tag>[^()\s\\"]*)\(.*?\)(?P=tag)"|"(?:[^"\\\n]|\\.)*"|(?<![0-9a-fA-F])\'(?:[^\'\\\n]|\\.)+\'|'
    r"//[^\n]*|/\*.*?\*/|^[ \t]*#(?:[^\n\\]|\\.|\\\n)*", re.S | re.M)


def strip_cpp(text):
    def blank(match):
        found = match.group()
        kept = "\n" * found.count("\n")
        return ('""' + kept) if found[0] in "\"'R" else kept
    return STRIPPED.sub(blank, text)


def matches(file, pattern, text=None):
    text = file.text if text is None else text
    for found in re.finditer(pattern, text, re.M):
        yield text.count("\n", 0, found.start()) + 1, found


# ---- Rules about one file ----

def layers(file):
    if not file.in_source or file.suffix not in CPP:
        return
    allowed = LAYERS.get(file.module)
    if allowed is None:
        yield 1, f"module '{file.module}' is not in the layer table of tools/tidy.py"
        return
    for line, found in matches(file, r'^\s*#\s*include\s+["<]wheelpit/([^/">]+)/([^">]*)[">]'):
        other = found.group(1)
        if other not in LAYERS:
            yield line, f"includes '{other}', which is not in the layer table"
        elif allowed is not EVERYTHING and other not in (file.module, "core", *allowed):
            yield line, f"{file.module} may not include {other}"
        if found.group(2).startswith("testing/") and not file.is_test:
            yield line, "support for tests, included by what is not a test"


def file_length(file):
    if (file.suffix in CODE or file.is_script) and len(file.lines) > FILE_LINES_MAX:
        yield FILE_LINES_MAX + 1, f"{len(file.lines)} lines; at most {FILE_LINES_MAX}"


def columns(file):
    if file.suffix in CPP:
        for number, line in enumerate(file.lines, 1):
            if len(line) > COLUMNS_MAX:
                yield number, f"{len(line)} columns; at most {COLUMNS_MAX}"


NOT_A_FUNCTION = re.compile(r"^\s*(?:inline\s+)?(?:namespace|enum)\b|=\s*$|\[[^\]]*\]\s*$|"
                            r"^\s*(?:template\s*<.*>\s*)?(?:class|struct|union)\b[^(]*$", re.S)


def function_length(file):
    """Counts braces: a block at namespace or class level whose head has a ")" is a function."""
    if file.suffix not in CPP:
        return
    stack = []  # (is_function, line of its head)
    head_start, line, text = 0, 1, file.bare
    for at, character in enumerate(text):
        if character == "\n":
            line += 1
        elif character == "{":
            head = text[head_start:at]
            inside = any(is_function for is_function, _ in stack)
            is_function = not inside and ")" in head and not NOT_A_FUNCTION.search(head)
            stack.append((is_function, line - head.strip().count("\n")))
            head_start = at + 1
        elif character == "}":
            is_function, start = stack.pop() if stack else (False, 0)
            if is_function and line - start + 1 > FUNCTION_LINES_MAX:
                yield start, f"function of {line - start + 1} lines; at most {FUNCTION_LINES_MAX}"
            head_start = at + 1
        elif character == ";":
            head_start = at + 1


def licence(file):
    named = file.name in ("CMakeLists.txt", "Makefile")
    if file.suffix in CODE or file.is_script or named:
        if not any("SPDX-License-Identifier: Apache-2.0" in line for line in file.lines[:2]):
            yield 1, "no SPDX line at the top"


def pragma_once(file):
    if file.suffix == ".h" and not re.search(r"^#pragma once$", file.text, re.M):
        yield 1, "a header without #pragma once"


# What a process that is about to abort says.
LAST_WORDS = ("src/wheelpit/core/error.cc", "src/wheelpit/core/blocking_guard.cc")

# (what, pattern, where it is banned)
BANNED = [
    ("the default memory pool: take one from the context", r"\bdefault_memory_pool\(",
     lambda f: f.in_source and not f.is_test),
    ("output from a library: hand it to the logger or return it",
     r"\bstd::(cout|cerr|clog)\b|\b(printf|puts|putchar)\(|\bfprintf\(",
     lambda f: (f.in_source and not f.is_test and f.module != "cli" and
                f.path not in LAST_WORDS)),
    ("ValueOrDie outside tests", r"\bValueOrDie\(",
     lambda f: f.in_source and not f.is_test),
    ("a thread outside core", r"\bstd::(jthread|thread|async)\b|\bpthread_create\(",
     lambda f: f.in_source and not f.is_test and f.module != "core"),
    ("the environment read by a library", r"\b(secure_)?getenv\(|\benviron\b",
     lambda f: f.in_source and not f.is_test and f.module != "cli"),
    ("an exception thrown", r"\bthrow\b",  # main.cc: what a new-handler has to do
     lambda f: f.in_source and not f.is_test and f.path != "src/wheelpit/cli/main.cc"),
    ("a sleep in a test: wait for what is meant", r"\bsleep_(for|until)\(|\bu?sleep\(",
     lambda f: re.search(r"_test\.cc$", f.path) is not None),
    ("using namespace in a header", r"^\s*using namespace\b", lambda f: f.suffix == ".h"),
    ("a name that says nothing (Utils, Helper, Common, Manager)",
     r"\b(?:class|struct|namespace|enum class)\s+\w*(?:[Uu]tils?|[Hh]elpers?|[Cc]ommon|Manager)\b",
     lambda f: f.in_source),
]


def banned_calls(file):
    if file.suffix in CPP:
        for what, pattern, where in BANNED:
            if where(file):
                for line, found in matches(file, pattern, file.bare):
                    yield line, f"{what}: {found.group().strip()}"


HEAVY = r"arrow/(?:api|compute/api|dataset/api|ipc/api|io/api|csv/api)\.h|parquet/(?:arrow/|api/)[\w/]+\.h"


def banned_includes(file):
    if file.suffix == ".h":
        for line, found in matches(file, rf"^\s*#\s*include\s+[<\"]({HEAVY})"):
            yield line, f"a header that costs every includer seconds: {found.group(1)}"
    if file.suffix in CPP:
        inner = r"^\s*#\s*include\s+[<\"](arrow/testing/[^>\"]*|(?:arrow|parquet)/[^>\"]*_internal\.h)"
        for line, found in matches(file, inner):
            yield line, f"not part of Arrow's public API: {found.group(1)}"


def downloads(file):
    if file.suffix == ".cmake" or file.name == "CMakeLists.txt":
        for line, found in matches(file, r"(?i)^[^#\n]*\b(FetchContent|ExternalProject|file\s*\(\s*DOWNLOAD)"):
            yield line, f"a download inside CMake: {found.group(1)}"


def open_ends(file):
    if file.suffix in CODE or file.is_script:
        if file.path.startswith(("tools/tidy", "tests/tools/")):
            return
        for line, found in matches(file, r"\bFIXME\b|\bXXX\b|\bTODO\b(?!\(#\d+\))"):
            yield line, f"{found.group()}: an issue's number, TODO(#1), or not at all"


def file_names(file):
    stem = re.split(r"[/._]", file.path.lower())
    for word in ("util", "utils", "helper", "helpers", "common", "manager", "misc"):
        if word in stem and file.path.startswith(("src/", "bench/", "tests/", "tools/")):
            yield 1, f"a name that says nothing: {word}"


def machine_paths(file):
    if file.path.startswith(("tools/tidy", "tests/tools/tidy")):
        return
    pattern = r"(?<![\w./$}])/(?:work|root|home/\w+|farm|Users/\w+)/[\w.]"
    for line, found in matches(file, pattern):
        yield line, f"a path of one machine: {found.group()}"


def without_fences(file):
    return re.sub(r"^(```|~~~).*?^\1[^\n]*$", lambda m: "\n" * m.group().count("\n"), file.text,
                  flags=re.S | re.M)


def one_title(file):
    if file.suffix == ".md" and not file.path.startswith("changes/"):
        titles = re.findall(r"^# ", without_fences(file), re.M)
        if len(titles) != 1:
            yield 1, f"{len(titles)} titles; a document has one"


def readme_length(file):
    if re.fullmatch(r"src/wheelpit/[^/]+/README\.md", file.path):
        if len(file.lines) > README_LINES_MAX:
            yield README_LINES_MAX + 1, f"{len(file.lines)} lines; at most {README_LINES_MAX}"


# ---- Rules about the tree ----

def links(files):
    paths = files.all_paths
    folders = {str(parent) for path in paths for parent in pathlib.PurePosixPath(path).parents}
    names = {path.rsplit("/", 1)[-1] for path in paths}

    def exists(path):
        path = os.path.normpath(path)
        return path in paths or path in folders

    for file in files.values():
        if file.suffix != ".md":
            continue
        folder = os.path.dirname(file.path)
        text = without_fences(file)
        for line, found in matches(file, r"\]\(([^)#\s]+)(?:#[^)]*)?\)", text):
            target = found.group(1)
            if not re.match(r"[a-z]+:", target) and not exists(os.path.join(folder, target)):
                yield file.path, line, f"a link to nothing: {target}"
        for line, found in matches(file, r"`([^`\n]+)`", text):
            target = found.group(1)
            rooted = re.fullmatch(rf"(?:{TOP_FOLDERS})/[\w./-]*", target)
            included = re.fullmatch(r"wheelpit/[\w./-]+\.h", target)
            bare = re.fullmatch(r"\w+(?:_\w+)*\.(?:h|cc|md|cmake)", target)
            if rooted and not exists(target):
                yield file.path, line, f"a path that is not there: {target}"
            elif included and not exists("src/" + target):
                yield file.path, line, f"a header that is not there: {target}"
            elif bare and target not in names:
                yield file.path, line, f"a file that is not there: {target}"


def api_headers(files):
    """Paths of the headers in API lists: what is installed. All other headers are private."""
    return listed_paths(files, "API", r"\.h")


def public_headers(files):
    public = api_headers(files)
    for path in sorted(public):
        if path not in files:
            yield path, 1, "in an API list, and not there"
            continue
        for line, found in matches(files[path], r'^\s*#\s*include\s+["<](wheelpit/[^">]+)'):
            if f"src/{found.group(1)}" not in public:
                yield path, line, f"an installed header includes a private one: {found.group(1)}"


def module_readmes(files):
    for path in list(files):
        if re.fullmatch(r"src/wheelpit/[^/]+/CMakeLists\.txt", path):
            readme = os.path.dirname(path) + "/README.md"
            if readme not in files:
                yield path, 1, "a module without README.md"


def module_table(files):
    page = files.get("ARCHITECTURE.md")
    if page is None:
        return
    there = {file.module for file in files.values()
             if re.fullmatch(r"src/wheelpit/[^/]+/CMakeLists\.txt", file.path)}
    for line, found in matches(page, r"^\|\s*[Mm]odule\s*\|[^\n]*\n\|[-:| ]+\n((?:\|[^\n]*\n)+)",
                               page.text + "\n"):
        named = set(re.findall(r"^\|\s*\[?`?(\w+)`?", found.group(1), re.M))
        for name in sorted(named ^ there):
            why = "has no folder" if name in named else "is not in the module table"
            yield page.path, line, f"module '{name}' {why}"
        return
    yield page.path, 1, "no table of modules (first column 'module')"


def metrics(files):
    table = files.get("src/wheelpit/core/metrics.cc")
    if table is None:
        return
    written = set()
    for file in files.values():
        if file.suffix in CPP and file.in_source and not file.is_test and file.module not in ("core", "cli"):
            written.update(re.findall(r"(?<!Get\()(?<!Get\(core::)Metric::(k\w+)", file.bare))
    for line, found in matches(table, r"^ *\{Metric::(k\w+),"):
        if found.group(1) not in written:
            yield table.path, line, f"nothing counts {found.group(1)}"


FILE_RULES = {
    "layers": layers,
    "file-length": file_length,
    "columns": columns,
    "function-length": function_length,
    "licence": licence,
    "pragma-once": pragma_once,
    "banned-call": banned_calls,
    "banned-include": banned_includes,
    "download": downloads,
    "open-end": open_ends,
    "file-name": file_names,
    "machine-path": machine_paths,
    "one-title": one_title,
    "readme-length": readme_length,
}
TREE_RULES = {
    "link": links,
    "public-header": public_headers,
    "module-readme": module_readmes,
    "module-table": module_table,
    "metric": metrics,
}


def list_paths(root):
    if (root / ".git").exists():
        listed = subprocess.run(
            ["git", "-c", f"safe.directory={root}", "ls-files", "-z", "--cached", "--others",
             "--exclude-standard"], cwd=root, capture_output=True, text=True, check=True).stdout
        return [p for p in listed.split("\0") if p and (root / p).is_file()]
    found = []
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if name not in SKIPPED_FOLDERS]
        found += [os.path.relpath(os.path.join(folder, name), root) for name in names]
    return found


def is_data(root, path):
    if re.match(r"tests/(.*/)?(data|golden|fuzz/\w+)/", path):
        return True
    with open(root / path, "rb") as start:
        return b"\0" in start.read(4096)


def check(root):
    """All findings as (path, line, rule, message)."""
    files = Tree(root)
    findings = []
    for name, rule in FILE_RULES.items():
        for file in files.values():
            findings += [(file.path, line, name, message) for line, message in rule(file)]
    for name, rule in TREE_RULES.items():
        findings += [(path, line, name, message) for path, line, message in rule(files)]
    return len(files), sorted(findings)


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else
                        pathlib.Path(__file__).parent.parent).resolve()
    count, findings = check(root)
    for path, line, rule, message in findings:
        print(f"{path}:{line}: [{rule}] {message}")
    rules = len(FILE_RULES) + len(TREE_RULES)
    print(f"tidy: {rules} rules, {count} files, {len(findings)} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
