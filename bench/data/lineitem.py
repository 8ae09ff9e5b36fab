#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""TPC-H lineitem for benchmarks and demo, made once below a folder:

  sfN/lineitem.parquet              one file
  sfN-500/lineitem/*.parquet        the same rows in 500 files
  sfN-rows-10000/*.parquet          its first 10,000 rows, one a file

Usage: bench/data/lineitem.py --scale 1 [--files 500] [--rows 10000] FOLDER
"""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BIN = ROOT / ".venv/bin"


def shown(path):
    """A path as one would type it in the root of the tree."""
    return os.path.relpath(path, ROOT) if pathlib.Path(path).is_relative_to(ROOT) else str(path)


class Lineitem:
    def __init__(self, folder, scale, files=500, rows=0):
        self.scale = f"{scale:g}"
        self.files = files
        self.rows = rows
        self.one_folder = folder / f"sf{self.scale}"
        self.one_file = self.one_folder / "lineitem.parquet"
        self.many_root = folder / f"sf{self.scale}-{files}"
        self.many_files = self.many_root / "lineitem"
        self.row_files = folder / f"sf{self.scale}-rows-{rows}"

    def generator(self, *options):
        return [str(BIN / "tpchgen-cli"), "parquet", "-s", self.scale, "-T", "lineitem", *options]

    def make(self, say=lambda command: None):
        """`say` is told each command before it runs; nothing is made twice."""
        if not self.one_file.exists():
            self._run(self.generator("-o", str(self.one_folder)), self.one_folder, say)
        if not self.many_files.exists():
            self._run(self.generator("-p", str(self.files), "-o", str(self.many_root)), self.many_root,
                      say)
        if self.rows and not self.row_files.exists():
            self._run([str(BIN / "python"), str(ROOT / "bench/data/row_files.py"),
                       str(self.one_file), str(self.rows), str(self.row_files)], self.row_files, say)

    def _run(self, command, target, say):
        """Into a folder beside, renamed at the end, so that half-made data is never used."""
        say(" ".join(shown(part) if part.startswith("/") else part for part in command))
        half = target.with_name(target.name + ".half")
        shutil.rmtree(half, ignore_errors=True)
        half.parent.mkdir(parents=True, exist_ok=True)
        command = [str(half) if part == str(target) else part for part in command]
        subprocess.run(command, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        half.rename(target)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scale", type=float, default=1)
    parser.add_argument("--files", type=int, default=500)
    parser.add_argument("--rows", type=int, default=0)
    parser.add_argument("folder", type=pathlib.Path)
    options = parser.parse_args()
    data = Lineitem(options.folder.resolve(), options.scale, options.files, options.rows)
    data.make(lambda command: print("$", command, flush=True))
    return 0


if __name__ == "__main__":
    sys.exit(main())
