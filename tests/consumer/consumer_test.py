#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Installs a build, moves the tree, and builds examples/ against it as an outsider would, with the
source checkout and the build hidden (an empty file system is mounted over them, in a namespace of
the test's own). Usage: consumer_test.py BUILD_FOLDER
"""
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
HERE = ROOT / "tests/consumer"
BUILD = pathlib.Path(sys.argv[1]).resolve()
NAMESPACE = ["unshare", *([] if os.geteuid() == 0 else ["-r"]), "--mount"]
ARROW_CONFIG = """
set(ARROW_VERSION "{version}")
if(NOT TARGET {package}::{stem}_shared)
  add_library({package}::{stem}_shared SHARED IMPORTED)
  set_target_properties({package}::{stem}_shared PROPERTIES
    IMPORTED_LOCATION "{arrow}/lib/lib{stem}.so.2600" IMPORTED_SONAME lib{stem}.so.2600
    INTERFACE_INCLUDE_DIRECTORIES "{arrow}/include")
endif()
"""
ARROW_PACKAGES = (("Arrow", "arrow"), ("ArrowCompute", "arrow_compute"), ("Parquet", "parquet"))
VERSION_FILE = """
set(PACKAGE_VERSION "{version}")
if(PACKAGE_FIND_VERSION_MAJOR STREQUAL "{major}" OR NOT PACKAGE_FIND_VERSION)
  set(PACKAGE_VERSION_COMPATIBLE TRUE)
endif()
"""


class Outcome:
    passed = failed = 0

    def expect(self, condition, what, text=""):
        if condition:
            self.passed += 1
        else:
            self.failed += 1
            print(f"FAILED {what}\n{text[-3000:]}")
        return bool(condition)


def hidden(command, cwd):
    """Runs a command with the checkout and the build out of sight."""
    over = {ROOT, BUILD, (ROOT / "third_party/arrow").resolve()}
    mounts = " && ".join(f"{{ [ ! -d {shlex.quote(str(p))} ] || "
                         f"mount -t tmpfs none {shlex.quote(str(p))}; }}" for p in sorted(over))
    script = f"{mounts} && cd {shlex.quote(str(cwd))} && {shlex.join(map(str, command))}"
    return subprocess.run([*NAMESPACE, "sh", "-c", script], capture_output=True, text=True,
                          stdin=subprocess.DEVNULL)


def configure(work, name, prefix, *options):
    # Compilers named as a stranger's would be: nothing of this build's settings is passed on.
    return hidden(["cmake", "-S", work / "project", "-B", work / name, "-G", "Ninja",
                   f"-DCMAKE_PREFIX_PATH={prefix}", *options], work)


def fake_host_arrow(work, version, arrow):
    """A host's Arrow with each of its packages, as Arrow itself installs them."""
    major = version.split(".")[0]
    for package, stem in ARROW_PACKAGES:
        folder = work / f"host-{version}/lib/cmake/{package}"
        folder.mkdir(parents=True)
        (folder / f"{package}Config.cmake").write_text(
            ARROW_CONFIG.format(version=version, arrow=arrow, package=package, stem=stem))
        (folder / f"{package}ConfigVersion.cmake").write_text(
            VERSION_FILE.format(version=version, major=major))
    return work / f"host-{version}"


def check_examples(outcome, work, prefix):
    """Builds and runs them; a "// Run:" line of an example gives its arguments."""
    made = configure(work, "build", prefix)
    text = made.stdout + made.stderr
    if not outcome.expect(made.returncode == 0, "configure against the moved prefix", text):
        return
    outcome.expect(f"arrow: {prefix}" in text, "the copy of Arrow beside it is used", text)
    made = hidden(["cmake", "--build", work / "build", "-j2"], work)
    if not outcome.expect(made.returncode == 0, "build against the moved prefix",
                          made.stdout + made.stderr):
        return
    for example in sorted((work / "project").glob("*.cc")):
        source = example.read_text()
        outcome.expect(len(source.splitlines()) <= 60, f"{example.name}: at most 60 lines")
        run = re.search(r"^// +Run: *\w+(.*)$", source, re.M)
        arguments = shlex.split(run.group(1)) if run else []
        ended = hidden([work / "build" / example.stem, *arguments], work)
        outcome.expect(ended.returncode == 0, f"{example.stem} runs", ended.stdout + ended.stderr)


def check_layers(outcome, work, prefix):
    """One module brings what lies below it and nothing else."""
    alone = work / "alone"
    alone.mkdir()
    package = (prefix / "lib/cmake/wheelpit/wheelpitConfig.cmake").read_text()
    depends = dict(re.findall(r"^set\(_wheelpit_depends_(\w+) ?(.*)\)$", package, re.M))
    module = "spill" if "spill" in depends else "core"
    (alone / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.25)\nproject(alone LANGUAGES CXX)\n"
        f"find_package(wheelpit REQUIRED COMPONENTS {module})\n"
        "file(WRITE a.cc \"int main() {}\")\nadd_executable(a a.cc)\n"
        f"target_link_libraries(a PRIVATE wheelpit::{module})\n"
        "get_directory_property(targets IMPORTED_TARGETS)\nmessage(STATUS \"${targets}\")\n")
    made = hidden(["cmake", "-S", alone, "-B", alone / "b", f"-DCMAKE_PREFIX_PATH={prefix}"], work)
    text = made.stdout + made.stderr
    below, todo = set(), [module]
    while todo:
        name = todo.pop()
        if name not in below:
            below.add(name)
            todo += depends[name].split()
    found = set(re.findall(r"wheelpit::(\w+)", text))
    outcome.expect(made.returncode == 0 and found == below,
                   f"wheelpit::{module} brings {sorted(below)} and not {sorted(found - below)}", text)
    unknown = (alone / "CMakeLists.txt").read_text().replace(f"COMPONENTS {module}",
                                                             "COMPONENTS nosuch")
    (alone / "CMakeLists.txt").write_text(unknown)
    made = hidden(["cmake", "-S", alone, "-B", alone / "c", f"-DCMAKE_PREFIX_PATH={prefix}"], work)
    outcome.expect(made.returncode != 0 and "nosuch" in made.stderr,
                   "an unknown component is an error that names it", made.stderr)


def check_host_arrow(outcome, work, prefix):
    """The host's Arrow of the same major version is taken, one of another is left alone."""
    arrow = work / "arrow"
    shutil.copytree(prefix / "lib/wheelpit/arrow", arrow)
    for version, used in (("26.3.0", True), ("25.0.0", False), ("27.0.0", False)):
        host = fake_host_arrow(work, version, arrow)
        made = configure(work, f"build-{version}", f"{prefix};{host}")
        text = made.stdout + made.stderr
        wanted = f"arrow: {arrow if used else prefix}"
        outcome.expect(made.returncode == 0 and wanted in text,
                       f"with a host's Arrow {version}: {wanted}", text)


def check_program(outcome, work, prefix):
    program = prefix / "bin/wheelpit"
    if not program.exists():
        return
    ended = hidden([program, "--version"], work)
    outcome.expect(ended.returncode == 0 and "wheelpit" in ended.stdout,
                   "the program runs after the move", ended.stdout + ended.stderr)


def check_no_paths(outcome, prefix):
    names = (str(ROOT).encode(), str(BUILD).encode())
    told = [str(path.relative_to(prefix)) for path in prefix.rglob("*")
            if path.suffix in (".cmake", ".h", ".txt") and path.is_file()
            and any(name in path.read_bytes() for name in names)]
    outcome.expect(not told, f"files that name a folder of the build: {told}")


def main():
    if subprocess.run([*NAMESPACE, "true"], capture_output=True).returncode != 0:
        print("no mount namespaces here, so that the checkout cannot be hidden")
        return 77
    outcome = Outcome()
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder).resolve()
        first, prefix = work / "first", work / "moved" / "here"
        made = subprocess.run(["cmake", "--install", BUILD, "--prefix", first],
                              capture_output=True, text=True)
        if outcome.expect(made.returncode == 0, "install", made.stdout + made.stderr):
            prefix.parent.mkdir()
            first.rename(prefix)
            shutil.copytree(HERE / "project", work / "project")
            for example in (ROOT / "examples").glob("*.cc"):
                shutil.copy(example, work / "project")
            check_examples(outcome, work, prefix)
            check_layers(outcome, work, prefix)
            if (prefix / "lib/wheelpit/arrow").exists():
                check_host_arrow(outcome, work, prefix)
            check_program(outcome, work, prefix)
            check_no_paths(outcome, prefix)
    print(f"{outcome.passed} passed, {outcome.failed} failed")
    return 1 if outcome.failed else 0


if __name__ == "__main__":
    sys.exit(main())
