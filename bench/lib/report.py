# SPDX-License-Identifier: Apache-2.0
"""Results as a table for people (.md) and as figures for programs (.json)."""
import dataclasses
import json


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    lines += ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]
    return "\n".join(lines)


def seconds(value):
    return f"{value:.3f}" if value < 1 else f"{value:.2f}"


def megabytes(size_bytes):
    return f"{size_bytes / 1e6:.0f}" if size_bytes else "does not end"


def engine_table(figures):
    """One query, an engine a row."""
    rows = [[f.engine, seconds(f.seconds.median),
             f"{seconds(f.seconds.least)} to {seconds(f.seconds.most)}", seconds(f.cpu_seconds),
             seconds(f.first_seconds), megabytes(f.peak_rss_bytes), f.answer, f.form]
            for f in figures]
    return table(["engine", "seconds", "spread", "CPU s", "first run", "peak RSS, MB", "answer",
                  "form"], rows)


def machine_text(about, limits):
    return (f"Machine: {about['processor']}, {about['cores']} cores, "
            f"{about['memory_bytes'] / 2**30:.0f} GiB, Linux {about['kernel']}, "
            f"{about['file_system']}; commit {about['commit'] or 'none'}, {about['date']}. "
            f"Its limits in the same run, one thread: disk {limits['disk_read'] / 1e9:.2f} GB/s, "
            f"page cache {limits['cached_read'] / 1e9:.1f} GB/s, "
            f"memcpy {limits['copy'] / 1e9:.1f} GB/s.")


def write_picture(path, svg):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(svg)


def write(folder, suite, markdown, figures):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{suite}.md").write_text(markdown.rstrip() + "\n")
    plain = json.dumps(figures, indent=1, sort_keys=True,
                       default=lambda value: dataclasses.asdict(value))
    (folder / f"{suite}.json").write_text(plain + "\n")
