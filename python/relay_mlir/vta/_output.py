"""What a sweep has found, as text and as a picture."""

from __future__ import annotations

import html
import math
from typing import Iterable, Sequence

from .._arguments import expect_list
from ._explore import Point, pareto

_COLUMNS = ("configuration", "scratchpads", "products", "kernels", "cycles", "ms", "GEMM", "ALU",
            "read", "written", "front")
# Of the boards that the cycle simulator is compared with.
_MEGAHERTZ = 100


def _row(point: Point, front: Sequence[Point]) -> list[str]:
    config = point.config
    row = [config.name, str(config.scratchpad_bytes), str(config.products)]
    if point.reason:
        return row
    share = 100 / max(point.cycles, 1)
    return [*row, str(point.kernels), str(point.cycles),
            f"{point.cycles / _MEGAHERTZ / 1000:.3f}", f"{point.gemm * share:.1f}%",
            f"{point.alu * share:.1f}%", str(point.read), str(point.written),
            "*" if point in front else ""]


def table(points: Iterable[Point]) -> str:
    """A table for people: bytes of scratchpads, products in a cycle, kernels of VTA, cycles,
    time at 100 MHz, the share of the cycles in which products are issued and the ALU is at work,
    and bytes that are read and written. A star is where none has both fewer cycles and smaller
    scratchpads; what does not fit has the reason."""
    found = expect_list(points, "points")
    front = pareto(found)
    rows = [list(_COLUMNS), *(_row(point, front) for point in found)]
    widths = [max([len(row[i]) for row in rows if i < len(row)]) for i in range(len(_COLUMNS))]
    lines = []
    for row, point in zip(rows, [None, *found]):
        cells = [cell.ljust(width) if i == 0 else cell.rjust(width)
                 for i, (cell, width) in enumerate(zip(row, widths))]
        if point is not None and point.reason:
            cells.append(" " + point.reason)
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines) + "\n"


def csv(points: Iterable[Point]) -> str:
    """The same for programs, as comma-separated values: numbers without units, and the
    parameters of each configuration."""
    found = expect_list(points, "points")
    front = pareto(found)
    fields = [*Point._fields[1:-1], "pareto", "reason"]
    lines = [["configuration", *(name for name in found[0].config._fields), "scratchpad_bytes",
              *fields] if found else ["configuration", "scratchpad_bytes", *fields]]
    for point in found:
        numbers = ["" if point.reason else str(value) for value in point[1:-1]]
        quoted = point.reason.replace('"', '""')
        lines.append([point.config.name, *map(str, point.config), str(point.config.scratchpad_bytes),
                      *numbers, str(int(point in front)), f'"{quoted}"' if quoted else ""])
    return "".join(",".join(line) + "\n" for line in lines)


class _Axis:
    """A logarithmic axis with a mark at each power of two, or at some of them."""

    def __init__(self, values: Sequence[int], start: float, end: float) -> None:
        logs = [math.log2(value) for value in values] or [0.0]
        self.low, self.high = math.floor(min(logs)), math.floor(max(logs)) + 1
        self.start, self.end = start, end

    def at(self, value: float) -> float:
        part = (math.log2(value) - self.low) / (self.high - self.low)
        return self.start + part * (self.end - self.start)

    def marks(self) -> range:
        return range(self.low, self.high + 1, max(1, (self.high - self.low) // 8))


def _binary(exponent: int) -> str:
    return f"{2 ** (exponent % 10)}{['', ' Ki', ' Mi', ' Gi', ' Ti'][exponent // 10]}"


_COLOURS = ("#4269d0", "#efb118", "#ff725c", "#6cc5b0", "#3ca951", "#a463f2", "#9c6b4e")


def plot(points: Iterable[Point], title: str = "") -> str:
    """A picture, as SVG: the cycles of each point over the bytes of its scratchpads, both
    logarithmic, and a line along those than which none is better in both. A colour is a number
    of products in a cycle. Points say what they are."""
    found = [point for point in expect_list(points, "points") if not point.reason]
    front = pareto(found)
    x = _Axis([point.config.scratchpad_bytes for point in found], 80, 620)
    y = _Axis([max(point.cycles, 1) for point in found], 380, 40)
    lines = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 760 440" width="760" '
             'height="440" font-family="sans-serif" font-size="12">',
             '<rect width="760" height="440" fill="white"/>',
             f'<text x="350" y="22" text-anchor="middle" font-size="14">{html.escape(title)}'
             '</text>']
    for mark in x.marks():
        at = x.at(2.0 ** mark)
        lines.append(f'<path d="M{at:.1f} 40V380" stroke="#ddd"/><text x="{at:.1f}" y="396" '
                     f'text-anchor="middle">{_binary(mark)}</text>')
    for mark in y.marks():
        at = y.at(2.0 ** mark)
        lines.append(f'<path d="M80 {at:.1f}H620" stroke="#ddd"/><text x="74" y="{at + 4:.1f}" '
                     f'text-anchor="end">{_binary(mark)}</text>')
    lines.append('<text x="350" y="424" text-anchor="middle">bytes of scratchpads</text>'
                 '<text transform="translate(20 210) rotate(-90)" text-anchor="middle">cycles'
                 '</text>')

    def place(point: Point) -> tuple[float, float]:
        return x.at(point.config.scratchpad_bytes), y.at(max(point.cycles, 1))

    if front:
        path = "L".join(f"{a:.1f} {b:.1f}" for a, b in map(place, front))
        lines.append(f'<path class="front" d="M{path}" fill="none" stroke="#555"/>')
    products = sorted({point.config.products for point in found})
    for point in found:
        a, b = place(point)
        colour = _COLOURS[products.index(point.config.products) % len(_COLOURS)]
        lines.append(f'<circle cx="{a:.1f}" cy="{b:.1f}" r="{5 if point in front else 3.5}" '
                     f'fill="{colour}"><title>{point.config.name}: {point.cycles} cycles</title>'
                     '</circle>')
    for i, count in enumerate(products):
        lines.append(f'<circle cx="640" cy="{50 + 18 * i}" r="4" '
                     f'fill="{_COLOURS[i % len(_COLOURS)]}"/><text x="650" y="{54 + 18 * i}">'
                     f'{count} products</text>')
    return "\n".join([*lines, "</svg>"]) + "\n"
