#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every run leaves an event log, and no trouble with it is the query's trouble. What is in the logs:
tests/interop/spark_events."""
import os
import resource
import signal
import stat
import subprocess

import program
from program import ORDERS, WHEELPIT, Folder, check, environment, many_files, run, wait_until


def logs_in(folder):
    return sorted(folder.glob("eventlog_v2_wheelpit-*"))


def sql(text, folder, **keywords):
    return run("sql", "--format", "csv", "--event-log", str(folder), "-c", text, **keywords)


def is_finished(log):
    names = sorted(os.listdir(log))
    name = log.name.removeprefix("eventlog_v2_")
    return names == [f"appstatus_{name}", f"events_1_{name}.zstd"]


def test_a_run_of_several_statements_leaves_one_log_for_its_owner_only():
    with Folder() as folder:
        outcome = sql(f"SELECT count(*) FROM {ORDERS}; SELECT 1", folder / "a/b")
        check(outcome.code == 0 and outcome.err == "", outcome)
        [log] = logs_in(folder / "a/b")
        check(is_finished(log), outcome)
        check(stat.S_IMODE(log.stat().st_mode) == 0o700, outcome)
        for file in log.iterdir():
            check(stat.S_IMODE(file.stat().st_mode) == 0o600, outcome)


def test_the_state_folder_of_the_user_is_the_default_and_none_is_none():
    with Folder() as folder:
        env = environment(XDG_STATE_HOME=str(folder))
        run("sql", "--event-log", "none", "-c", "SELECT 1", env=env)
        check(not list(folder.iterdir()), "")
        outcome = run("sql", "-c", "SELECT 1", env=env)
        check(len(logs_in(folder / "wheelpit/events")) == 1, outcome)


def test_a_failed_run_has_a_finished_log_too():
    with Folder() as folder:
        for text in ("SELECT 1 / (count(*) - count(*)) FROM " + ORDERS, "SELECT no_such_column"):
            outcome = sql(text, folder)
            check(outcome.code == 1, outcome)
        logs = logs_in(folder)
        check(logs and all(is_finished(log) for log in logs), str(logs))


def test_a_directory_that_takes_no_log_is_a_warning_and_no_error():
    with Folder() as folder:
        (folder / "file").write_text("")
        outcome = sql("SELECT 1; SELECT 2", folder / "file/logs")
        check(outcome.code == 0 and outcome.out == "1\n1\n2\n2\n", outcome)
        check(outcome.err.count("\n") == 1 and "event log" in outcome.err and "file/logs" in outcome.err,
              outcome)


def test_a_disk_that_is_full_ends_the_log_and_not_the_query():
    with Folder() as folder:
        outcome = sql(f"SELECT count(*) FROM {ORDERS}", folder, limits={resource.RLIMIT_FSIZE: 100})
        check(outcome.code == 0 and outcome.out.count("\n") == 2, outcome)
        check(outcome.err.count("\n") == 1 and "event log" in outcome.err, outcome)
        [log] = logs_in(folder)
        check(any(name.endswith(".inprogress") for name in os.listdir(log)), outcome)


def test_ctrl_c_finishes_the_log_and_kill_leaves_it_in_progress():
    for number, finished in ((signal.SIGINT, True), (signal.SIGKILL, False)):
        with Folder() as folder:
            (folder / "table").mkdir()
            many_files(folder / "table", 3000)
            process = subprocess.Popen(
                [WHEELPIT, "sql", "--threads", "1", "--event-log", str(folder / "logs"), "-c",
                 f"SELECT 1; SELECT sum(id) FROM \"{folder}/table\""],
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment())
            wait_until(lambda: logs_in(folder / "logs"), "a log")
            process.send_signal(number)
            process.communicate(timeout=30)
            [log] = logs_in(folder / "logs")
            if process.returncode in (130, -signal.SIGKILL):  # else it was done before
                check(is_finished(log) == finished, f"{number} {os.listdir(log)}")


def test_many_at_once_have_a_log_each():
    with Folder() as folder:
        processes = [subprocess.Popen([WHEELPIT, "sql", "--event-log", str(folder), "-c", "SELECT 1"],
                                      stdout=subprocess.DEVNULL, env=environment()) for _ in range(8)]
        check(all(process.wait(60) == 0 for process in processes), "")
        check(len(logs_in(folder)) == 8 and all(map(is_finished, logs_in(folder))), "")


def test_it_is_no_setting_of_a_session():
    outcome = run("sql", "-c", "SET events.directory = '/tmp'")
    check(outcome.code == 2 and "--event-log" in outcome.err, outcome)


program.run_tests(globals())
