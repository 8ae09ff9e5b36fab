# SPDX-License-Identifier: Apache-2.0
"""Lines over a logarithmic axis, as SVG that a page can show: panels in rows, each with its axes, its
lines named beside them."""
import dataclasses
import html
import math

PANEL_WIDTH, PANEL_HEIGHT, ROW_HEAD = 330, 190, 28
LEFT, RIGHT, TOP, BOTTOM = 52, 14, 26, 34  # of a panel's lines, within it
COLOURS = ("#0b6e99", "#c2410c", "#5b7f2b", "#6d28d9")


@dataclasses.dataclass
class Line:
    name: str
    points: list  # (x, y), x above 0
    is_bound: bool = False  # dashed, without marks


@dataclasses.dataclass
class Panel:
    title: str
    lines: list


def step_of(most):
    """A step of 1, 2 or 5 times a power of ten that cuts 0 to `most` into at most five."""
    if most <= 0:
        return 1
    power = 10 ** math.floor(math.log10(most / 5))
    return next(power * factor for factor in (1, 2, 5, 10) if most / (power * factor) <= 5)


def ticks_between(least, most):
    """Powers of two, and where these are few, 1.5 times them as well."""
    powers = [2 ** n for n in range(math.floor(math.log2(least)), math.floor(math.log2(most)) + 1)]
    if len(powers) < 4:
        powers = [power * factor for power in powers for factor in (1, 1.5)]
    return [power for power in powers if least <= power <= most]


def text(x, y, content, anchor="start", **attributes):
    more = "".join(f' {name.replace("_", "-")}="{value}"' for name, value in attributes.items())
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{more}>{html.escape(str(content))}</text>'


def draw_panel(panel, left, top):
    xs = [x for line in panel.lines for x, _ in line.points]
    highest = max(y for line in panel.lines for _, y in line.points)
    step = step_of(highest)
    most = max(step, math.ceil(highest / step) * step)
    x0, x1 = left + LEFT, left + PANEL_WIDTH - RIGHT
    y0, y1 = top + PANEL_HEIGHT - BOTTOM, top + TOP
    span = math.log(max(xs) / min(xs)) or 1

    def place(x, y):
        return x0 + (x1 - x0) * math.log(x / min(xs)) / span, y0 + (y1 - y0) * y / most

    parts = [text(x0, top + 14, panel.title, font_weight="bold")]
    for n in range(round(most / step) + 1):
        y = place(min(xs), n * step)[1]
        parts.append(f'<path d="M{x0} {y:.1f}H{x1}" stroke="#ddd"/>')
        parts.append(text(x0 - 5, y + 4, f"{n * step:g}", "end"))
    for tick in ticks_between(min(xs), max(xs)):
        x = place(tick, 0)[0]
        parts.append(f'<path d="M{x:.1f} {y0}v4" stroke="#444"/>')
        parts.append(text(x, y0 + 16, f"{tick:g}", "middle"))
    names = x1
    for line, colour in reversed(list(zip(panel.lines, COLOURS))):
        names -= 7 * len(line.name) + 8
        parts.append(text(names, top + 14, line.name, fill=colour))
        places = [place(x, y) for x, y in sorted(line.points)]
        path = "L".join(f"{x:.1f} {y:.1f}" for x, y in places)
        dashes = ' stroke-dasharray="5 4"' if line.is_bound else ""
        parts.append(f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="1.5"{dashes}/>')
        if not line.is_bound:
            parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2" fill="{colour}"/>' for x, y in places]
    return parts


def draw(rows, below):
    """`rows`: (title, [Panel]); `below` says what the x axis is."""
    width = PANEL_WIDTH * max(len(panels) for _, panels in rows)
    height = (PANEL_HEIGHT + ROW_HEAD) * len(rows) + 20
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
             f'height="{height}" font-family="sans-serif" font-size="11" fill="#222">',
             f'<rect width="{width}" height="{height}" fill="#fff"/>']
    for row, (title, panels) in enumerate(rows):
        top = row * (PANEL_HEIGHT + ROW_HEAD)
        parts.append(text(10, top + 18, title, font_size=14, font_weight="bold"))
        for column, panel in enumerate(panels):
            parts += draw_panel(panel, column * PANEL_WIDTH, top + ROW_HEAD)
    parts.append(text(width / 2, height - 6, below, "middle"))
    return "\n".join(parts) + "\n</svg>\n"
