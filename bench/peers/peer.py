# SPDX-License-Identifier: Apache-2.0
"""What the peers share: options, the warm loop, one line of JSON at the end."""
import argparse
import json
import resource
import time


def options():
    parser = argparse.ArgumentParser()
    parser.add_argument("--path", required=True, help="a file or a pattern")
    parser.add_argument("--sql", required=True, help="over the table lineitem")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--warm-runs", type=int, default=7)
    parser.add_argument("--memory-bytes", type=int, default=0, help="0: no limit")
    parser.add_argument("--output", default="", help="write the rows to this Parquet file")
    return parser.parse_args()


def cpu_seconds():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def measure(form, warm_runs, query):
    """`query()` lists the files, runs, and returns the one value of the answer."""
    seconds, cpu, answer = [], [], None
    for _ in range(1 + warm_runs):
        wall, used = time.perf_counter(), cpu_seconds()
        answer = query()
        seconds.append(time.perf_counter() - wall)
        cpu.append(cpu_seconds() - used)
    print(json.dumps({"form": form, "answer": str(answer), "first_seconds": seconds[0],
                      "seconds": seconds[1:] or seconds, "cpu_seconds": cpu[1:] or cpu}))
