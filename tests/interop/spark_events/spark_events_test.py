#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Event logs read by Apache Spark's own classes: line by line (SparkEvents.java), and by a history
server. The logs are the golden one and those of runs of the program.

WHEELPIT_SPARK_JARS names the jars of an installed pyspark (pyspark/jars). Without Java or jars the
test is skipped (exit 77), or fails when WHEELPIT_INTEROP_REQUIRED is set.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import traceback
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
TESTS = HERE.parent.parent
GOLDEN = sorted((TESTS / "golden/event-log").glob("*/*.ndjson"))
TABLE = f'"{TESTS}/data/cli/orders.parquet"'
STATEMENTS = [
    ("SELECT 1", 0),
    (f"SELECT count(*) FROM {TABLE}; SELECT * FROM {TABLE} LIMIT 3", 0),
    (f"SELECT day, count(*) AS c FROM {TABLE} GROUP BY day ORDER BY c, day LIMIT 3; "
     f"SELECT id FROM {TABLE} UNION ALL SELECT 1", 0),
    (f"SELECT count(*) FROM {TABLE}; SELECT 1 / (count(*) - count(*)) FROM {TABLE}", 1),
    ("SELECT 'größe \\' \"\U0001f30a', '\\n\\t' ; VALUES (1), (2)", 0),
]
PACKAGES = ("java.base/java.lang", "java.base/java.nio", "java.base/sun.nio.ch")


def skip(why):
    print(f"skipped: {why}")
    sys.exit(1 if os.environ.get("WHEELPIT_INTEROP_REQUIRED") else 77)


class Java:
    def __init__(self, jars, classes):
        self.jars, self.path = jars, f"{jars}/*:{classes}"
        classes.mkdir(parents=True, exist_ok=True)
        subprocess.run(["javac", "-d", classes, "-cp", self.path, HERE / "SparkEvents.java"],
                       check=True)

    def command(self, *arguments):
        return ["java", "-Xmx512m", "-XX:TieredStopAtLevel=1",
                *[f"--add-opens={package}=ALL-UNNAMED" for package in PACKAGES],
                "-cp", self.path, *map(str, arguments)]


def logs_of_runs(program, folder):
    for number, (statement, code) in enumerate(STATEMENTS):
        done = subprocess.run(
            [program, "sql", "--format", "csv", "--event-log", folder / "logs", "-c", statement],
            capture_output=True, text=True, timeout=60)
        assert done.returncode == code, done
        found = sorted((folder / "logs").glob("eventlog_v2_*"))
        assert len(found) == number + 1, f"{statement}: {found}\n{done.stderr}"
    return found


def test_spark_reads_each_line_and_writes_it_alike(java, logs):
    """Returns what Spark counted in each log."""
    done = subprocess.run(java.command("SparkEvents", *GOLDEN, *logs), capture_output=True,
                          text=True, timeout=120)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    lines = re.findall(r"^log (\{.*\}) (.+)$", done.stdout, re.M)
    return {pathlib.Path(path).name: json.loads(counts) for counts, path in lines}


def start_history_server(java, folder):
    settings = folder / "history.conf"
    settings.write_text(f"spark.history.fs.logDirectory file://{folder}/logs\n"
                        "spark.history.ui.port 0\nspark.history.fs.update.interval 1s\n")
    said = open(folder / "history.txt", "w+", encoding="utf-8")
    server = subprocess.Popen(
        java.command("org.apache.spark.deploy.history.HistoryServer", "--properties-file",
                     settings),
        stdout=said, stderr=said, env={**os.environ, "SPARK_LOCAL_IP": "127.0.0.1"})
    end = time.monotonic() + 60
    while time.monotonic() < end and server.poll() is None:
        found = re.search(r"(?:started at|bound to).*?:(\d+)", (folder / "history.txt").read_text(),
                          re.I)
        if found:
            return server, f"http://127.0.0.1:{found.group(1)}"
        time.sleep(0.2)
    server.kill()
    raise AssertionError((folder / "history.txt").read_text()[-3000:])


def get(url):
    with urllib.request.urlopen(url, timeout=60) as answer:
        return json.load(answer)


def test_the_history_server_shows_what_was_written(java, folder, counts):
    server, url = start_history_server(java, folder)
    try:
        api = url + "/api/v1/applications"
        end = time.monotonic() + 60
        while len(get(api)) < len(counts) and time.monotonic() < end:
            time.sleep(0.2)
        applications = get(api)
        assert len(applications) == len(counts), applications
        for application in applications:
            one = application["id"]
            expected = counts[f"eventlog_v2_{one}"].get
            assert application["attempts"][0]["completed"], application
            assert application["attempts"][0]["appSparkVersion"] == "4.3.0", application
            stages = get(f"{api}/{one}/stages")
            tasks = [task for stage in stages for task in get(
                f"{api}/{one}/stages/{stage['stageId']}/{stage['attemptId']}/taskList?length=9999")]
            executions = get(f"{api}/{one}/sql?details=true&planDescription=true&length=999")
            found = (len(get(f"{api}/{one}/jobs")), len(stages), len(tasks), len(executions))
            wanted = (expected("SparkListenerJobStart", 0), expected("SparkListenerStageSubmitted", 0),
                      expected("SparkListenerTaskEnd", 0), expected("SparkListenerSQLExecutionStart", 0))
            assert found == wanted, f"{one}: {found}, in the log {wanted}"
            assert not any(execution["status"] == "RUNNING" for execution in executions), executions
            assert not any(task["status"] == "RUNNING" for task in tasks), tasks
            for page in ("jobs/", "stages/", "SQL/", "SQL/execution/?id=0", "environment/", "executors/"):
                urllib.request.urlopen(f"{url}/history/{one}/{page}", timeout=60).close()
    finally:
        server.kill()
        server.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", required=True)
    parser.add_argument("--classes", required=True, type=pathlib.Path)
    options = parser.parse_args()
    jars = os.environ.get("WHEELPIT_SPARK_JARS")
    if not jars:
        skip("WHEELPIT_SPARK_JARS is not set; name a folder with Spark's jars, as pyspark/jars")
    if shutil.which("javac") is None:
        skip("there is no javac")
    if not list(pathlib.Path(jars).glob("spark-core_*.jar")):
        skip(f"{jars} has no spark-core jar")
    failed = 0
    with tempfile.TemporaryDirectory(prefix="wheelpit-test-") as name:
        folder = pathlib.Path(name)
        try:
            java = Java(jars, options.classes)
            logs = logs_of_runs(options.program, folder)
            counts = test_spark_reads_each_line_and_writes_it_alike(java, logs)
            counts = {log.name: counts[log.name] for log in logs}
            test_the_history_server_shows_what_was_written(java, folder, counts)
        except Exception:  # the second test needs what the first has found
            traceback.print_exc()
            failed = 1
    print(f"{2 - failed} passed, {failed} failed")
    return failed


if __name__ == "__main__":
    sys.exit(main())
