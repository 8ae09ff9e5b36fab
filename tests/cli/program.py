# SPDX-License-Identifier: Apache-2.0
"""Runs the program for the tests of this folder, and runs those tests.

A test file is started as FILE WHEELPIT DATA [NAME], with DATA tests/data/cli and NAME a part of the
names of the tests that are wanted. Needs nothing but Python 3. The last line is "N passed, N failed".
"""
import fcntl
import os
import pathlib
import pty
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
import traceback

WHEELPIT, DATA = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
ORDERS = f'"{DATA}/orders.parquet"'


class Skipped(Exception):
    """A test that cannot be done on this machine; the text says why."""


class Outcome:
    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err

    def __repr__(self):
        return f"code {self.code}\n--- out\n{self.out[-1500:]}\n--- err\n{self.err[-1500:]}"


STATE = tempfile.TemporaryDirectory(prefix="wheelpit_state_")  # of event logs


def environment(**extra):
    keep = {k: v for k, v in os.environ.items() if not k.startswith("WHEELPIT_") and k != "TZ"}
    return {**keep, "HOME": "/nonexistent",
            "XDG_STATE_HOME": STATE.name, **extra}


def run(*arguments, stdin="", env=None, cwd=None, limits=None):
    """`limits`: {a resource.RLIMIT_…: its value}."""
    def set_limits():
        for name, value in (limits or {}).items():
            resource.setrlimit(name, (value, value))

    done = subprocess.run(
        [WHEELPIT, *arguments], input=stdin.encode(), capture_output=True, timeout=120,
        env=env or environment(), cwd=cwd, preexec_fn=set_limits)
    return Outcome(done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace"))


def sql(text, *arguments, **keywords):
    return run("sql", "--format", "csv", "-c", text, *arguments, **keywords)


def check(condition, outcome):
    if not condition:
        raise AssertionError(repr(outcome))


def in_terminal(arguments, columns=80, keys=None, seconds=20):
    """Runs the program on a terminal of its own; what it showed, and its exit code."""
    pid, fd = pty.fork()
    if pid == 0:
        os.execve(WHEELPIT, [WHEELPIT, *arguments], environment(TERM="xterm"))
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    shown, start = b"", time.monotonic()
    while time.monotonic() - start < seconds:
        try:
            part = os.read(fd, 65536)
        except OSError:
            break
        if not part:
            break
        shown += part
        if keys and keys[0] in shown:
            os.write(fd, keys[1])
            keys = None
    else:
        os.kill(pid, signal.SIGKILL)
    _, status = os.waitpid(pid, 0)
    os.close(fd)
    return Outcome(os.waitstatus_to_exitcode(status), shown.decode(errors="replace"), "")


class Folder:
    """A temporary folder that goes again."""

    def __enter__(self):
        self.path = pathlib.Path(tempfile.mkdtemp(prefix="wheelpit_cli_"))
        return self.path

    def __exit__(self, *_):
        shutil.rmtree(self.path, ignore_errors=True)


def many_files(folder, count):
    for i in range(count):
        os.symlink(DATA / "orders.parquet", folder / f"{i}.parquet")


def wait_until(condition, what, seconds=30):
    """Polls; for a state of another process that nobody tells of."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise AssertionError(f"waited {seconds} s for: {what}")
        time.sleep(0.001)


def open_paths(process):
    """What the process has open, by path."""
    folder, paths = f"/proc/{process.pid}/fd", []
    try:
        for entry in os.listdir(folder):
            try:
                paths.append(os.readlink(f"{folder}/{entry}"))
            except OSError:
                pass  # closed meanwhile
    except OSError:
        pass  # ended
    return paths


def wait_for_full_pipe(reader):
    """Until whoever writes into the pipe cannot go on."""
    get_pipe_size = 1032  # F_GETPIPE_SZ
    capacity = fcntl.fcntl(reader, get_pipe_size)

    def is_full():
        waiting = bytearray(4)
        fcntl.ioctl(reader, termios.FIONREAD, waiting)
        return int.from_bytes(waiting, sys.byteorder) > capacity - 4096
    wait_until(is_full, "a full pipe")


def run_tests(tests):
    """Runs the functions named test_… of `tests`, each on its own, and ends the process."""
    wanted = sys.argv[3] if len(sys.argv) > 3 else ""
    passed, failed, skipped = 0, [], 0
    for name, test in list(tests.items()):
        if not name.startswith("test_") or wanted not in name:
            continue
        try:
            test()
            passed += 1
        except Skipped as reason:
            skipped += 1
            print(f"SKIPPED {name}: {reason}", flush=True)
        except Exception:
            failed.append(name)
            print(f"FAILED {name}\n{traceback.format_exc()[-3000:]}", flush=True)
    for name in failed:
        print(f"failed: {name}")
    print(f"{passed} passed, {len(failed)} failed" + (f", {skipped} skipped" if skipped else ""))
    sys.exit(1 if failed else 0)
