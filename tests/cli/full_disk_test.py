#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Disks that are full, read-only or gone, for spilled bytes and for files that are written. Small
disks are mounted in a mount namespace of this process alone, which takes them with it."""
import ctypes
import errno
import os
import subprocess

import program
from program import ORDERS, WHEELPIT, Folder, Outcome, check, environment, run, wait_until

NEW_MOUNT_NAMESPACE = 0x20000
READ_ONLY, REMOUNT, RECURSIVE, PRIVATE = 1, 32, 1 << 14, 1 << 18
DETACH = 2
LIBC = ctypes.CDLL(None, use_errno=True)

MANY = " UNION ALL ".join([f"SELECT * FROM {ORDERS}"] * 40)
SMALL = ("sql", "--format", "csv", "--threads", "2", "--memory", "36MiB", "--event-log", "none", "--stats")
SORTED = f"SELECT id, name FROM (SELECT * FROM ({MANY}) AS u ORDER BY price, name, id) AS s LIMIT 3 OFFSET 500000"
ALL_SORTED = f"SELECT * FROM ({MANY}) AS u ORDER BY price, name, id"


def call(name, *arguments):
    if getattr(LIBC, name)(*arguments) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")


class SmallDisk:
    """A disk of so many bytes that lies in memory."""
    private = False

    def __init__(self, size_bytes):
        self.size_bytes = size_bytes

    def __enter__(self):
        self.folder = Folder()
        self.path = self.folder.__enter__()
        try:
            if not SmallDisk.private:
                call("unshare", NEW_MOUNT_NAMESPACE)
                call("mount", b"none", b"/", None, RECURSIVE | PRIVATE, None)
                SmallDisk.private = True
            call("mount", b"none", bytes(self.path), b"tmpfs", 0, f"size={self.size_bytes}".encode())
        except OSError as error:
            self.folder.__exit__()
            if error.errno in (errno.EPERM, errno.EACCES, errno.ENOSYS):
                raise program.Skipped(f"this machine lets nobody mount: {error}") from error
            raise
        return self

    def __exit__(self, *_):
        call("umount2", bytes(self.path), DETACH)
        self.folder.__exit__()

    def used_bytes(self):
        about = os.statvfs(self.path)
        return (about.f_blocks - about.f_bfree) * about.f_frsize

    def make_read_only(self):
        call("mount", b"none", bytes(self.path), None, REMOUNT | READ_ONLY, None)


def ask(text, *directories):
    options = [option for directory in directories for option in ("--spill-dir", str(directory))]
    return run(*SMALL, *options, "-c", text)


def test_a_full_spill_disk_is_named_with_the_way_out_and_is_empty_again():
    with SmallDisk(2 << 20) as disk:
        before = disk.used_bytes()
        outcome = ask(SORTED, disk.path)
        check(outcome.code == 3 and outcome.out == "", outcome)
        for part in (str(disk.path), "No space left on device"):
            check(part in outcome.err, (part, outcome))
        check(disk.used_bytes() == before and not os.listdir(disk.path), (disk.used_bytes(), before))
        # Who needs no spill does not care.
        check(ask(f"SELECT count(*) FROM {ORDERS}", disk.path).code == 0, "a query that fits")


def test_a_read_only_spill_disk_is_named():
    with SmallDisk(64 << 20) as disk:
        disk.make_read_only()
        outcome = ask(SORTED, disk.path)
        check(outcome.code in (1, 3) and outcome.out == "", outcome)
        check(str(disk.path) in outcome.err and "Read-only file system" in outcome.err, outcome)


def test_a_spill_directory_that_is_missing_or_a_file_is_named():
    with Folder() as folder:
        (folder / "file").write_text("")
        for name in ("missing", "file"):
            outcome = ask(SORTED, folder / name)
            check(outcome.code in (1, 2) and outcome.out == "" and f"{folder}/{name}" in outcome.err, outcome)


def test_a_spill_directory_that_is_removed_under_a_query_does_no_harm():
    with Folder() as folder:
        spill = folder / "spill"
        spill.mkdir()
        process = subprocess.Popen([WHEELPIT, *SMALL, "--spill-dir", str(spill), "-c", ALL_SORTED],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment())
        wait_until(lambda: any(path.startswith(str(spill)) and "(deleted)" in path
                               for path in program.open_paths(process)), "a spill file")
        spill.rmdir()
        out, err = process.communicate(timeout=120)
        outcome = Outcome(process.returncode, "", err.decode())
        # Its file is open; should it need another, it says where.
        check(outcome.code == 0 and len(out.splitlines()) == 800_001 or str(spill) in outcome.err, outcome)


def check_target(disk, copy, old):
    """Writes to a disk that is too small: the old file stays, and the bytes are free again."""
    before = disk.used_bytes()
    outcome = ask(copy, "/var/tmp")
    check(outcome.code == 3 and outcome.out == "", outcome)
    check(f"{disk.path}/rows" in outcome.err and "No space left on device" in outcome.err, outcome)
    check(os.listdir(disk.path) == (["rows"] if old else []), os.listdir(disk.path))
    check(disk.used_bytes() == before, (disk.used_bytes(), before))


def test_a_full_disk_under_copy_leaves_the_old_file_or_none():
    for size, rows in ((256 << 10, ALL_SORTED), (256 << 10, f"SELECT *, id * price AS x FROM ({MANY}) AS u"),
                       (4096, f"SELECT * FROM {ORDERS}")):
        for kind in ("csv", "parquet", "arrow"):
            with SmallDisk(size) as disk:
                check_target(disk, f"COPY ({rows}) TO '{disk.path}/rows' (FORMAT {kind})", old=False)
    with SmallDisk(8 << 20) as disk:
        (disk.path / "rows").write_text("old\n")
        check_target(disk, f"COPY ({ALL_SORTED}) TO '{disk.path}/rows' (FORMAT csv)", old=True)
        check((disk.path / "rows").read_text() == "old\n", "the old file")
        outcome = ask(f"COPY (SELECT 1 AS one) TO '{disk.path}/rows' (FORMAT csv)")
        check(outcome.code == 0 and (disk.path / "rows").read_text() == "one\n1\n", outcome)


def test_results_on_a_full_disk_end_with_its_exit_code():
    with SmallDisk(1 << 20) as disk:
        for kind in ("csv", "json", "ndjson", "markdown", "parquet", "arrow", "table"):
            with open(disk.path / "out", "wb") as out:
                done = subprocess.run([WHEELPIT, "sql", "--format", kind, "--event-log", "none", "-c",
                                       f"SET output.max_rows = 0; SELECT * FROM ({MANY}) AS u"],
                                      stdout=out, stderr=subprocess.PIPE, env=environment(), timeout=120)
            check(done.returncode == 3 and b"No space left on device" in done.stderr, (kind, done))
            os.unlink(disk.path / "out")


program.run_tests(globals())
