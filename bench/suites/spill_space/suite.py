# SPDX-License-Identifier: Apache-2.0
"""What a query pays for being able to spill: before it does, and the first time."""
import json

from bench.lib import engines, report, runner

PROGRAM = engines.ROOT / "build/release/bin/wheelpit_spill_bench"
REPETITIONS = 5
TARGET_NANOS = 50
TARGET_THREAD_RATIO = 1.2
TARGET_TAIL_RATIO = 3


def run(options, _):
    ended = runner.run_well([
        PROGRAM, "--benchmark_filter=MakeAndDrop|FirstSpill", "--benchmark_format=json",
        f"--benchmark_repetitions={1 if options.smoke else REPETITIONS}",
        f"--benchmark_min_time={0.01 if options.smoke else 0.2}"])
    tails = {}  # directories: [(50th, 99th percentile)] of the first spill
    found = {}  # (name, directories, threads): [(seconds, CPU seconds of a thread)]
    for one in json.loads(ended.output)["benchmarks"]:
        if one["run_type"] == "iteration":
            key = (one["run_name"].split("/")[0], int(one["run_name"].split("/")[1]),
                   one["threads"])
            # Times are per iteration, in nanoseconds; with threads, those of one thread's share.
            found.setdefault(key, []).append((one["real_time"] * one["threads"], one["cpu_time"]))
            if "p99_ns" in one:
                tails.setdefault(key[1], []).append((one["p50_ns"], one["p99_ns"]))
    rows, medians = [], {}
    for key, times in sorted(found.items()):
        medians[key] = (runner.Spread.of([t for t, _ in times]),
                        runner.Spread.of([c for _, c in times]))
        wall, cpu = medians[key]
        rows.append([key[0], key[1], key[2], f"{wall.median:,.0f}", f"{cpu.median:,.0f}"])
    text = report.table(["what", "directories", "threads", "ns", "CPU ns of a thread"], rows)
    alone, many = medians[("MakeAndDrop", 1, 1)][1], medians[("MakeAndDrop", 1, 16)][1]
    text += (f"\n\nMake and drop, CPU: {alone.median:.0f} ns (wanted: at most {TARGET_NANOS}); with "
             f"16 threads {many.median / alone.median:.2f} times that of one (wanted: at most "
             f"{TARGET_THREAD_RATIO}).")
    for directories, pairs in sorted(tails.items()):
        half, tail = (runner.Spread.of(list(values)).median for values in zip(*pairs))
        text += (f"\n\nFirst spill to first byte, {directories} "
                 f"director{'y' if directories == 1 else 'ies'}: half within {half:,.0f} ns, 99 of "
                 f"100 within {tail:,.0f} ns, {tail / half:.1f} times that (wanted: at most "
                 f"{TARGET_TAIL_RATIO}).")
    return text, {"/".join(map(str, key)): spreads for key, spreads in medians.items()}, [], 1
