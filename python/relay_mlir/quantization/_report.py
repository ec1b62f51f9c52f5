"""What quantization made of a network, as text and as a page."""

from __future__ import annotations

import html
import math
from dataclasses import dataclass, field


@dataclass
class Layer:
    """A product of a network: the range and the scale of its data, the scales of its
    weight (least, greatest, how many), and errors against floats as signal to noise
    in dB: of the data and the weight rounded, and, if it was asked for, of the
    network's output with this layer alone in integers. `reason` says why it stays in
    floats; it is empty for integers."""

    name: str
    op: str
    low: float | None = None
    high: float | None = None
    scale: float | None = None
    weight_scales: tuple[float, float, int] | None = None
    sqnr_data: float | None = None
    sqnr_weight: float | None = None
    sqnr_alone: float | None = None
    reason: str = ""


def _number(value: float | None, text: str = "{:.4g}") -> str:
    return "" if value is None else text.format(value)


def _db(value: float | None) -> str:
    if value is None:
        return ""
    return "exact" if value == math.inf else f"{value:.1f}"


def _all_db(values: list[float]) -> str:
    return ", ".join(_db(value) for value in values)


@dataclass
class Step:
    """What was done for the errors of outputs, with all layers in integers, as signal to
    noise in dB before and after; `extent` says how much of the network it has changed."""

    name: str
    extent: str
    before: list[float]
    after: list[float]


_COLUMNS = ("layer", "operator", "range of data", "scale", "scales of weight", "data dB",
            "weight dB", "alone dB", "computed in")


@dataclass
class QuantizationReport:
    """What quantization made of a network. Pairs are before and after: bytes of constants,
    seconds of a run, the share of right classes if there are labels. `weight_bits_reason`
    says why weights have so many bits where that was not asked for."""

    layers: list[Layer]
    metric: str
    budget: float | None
    calibration: str
    num_samples: int
    loss: float
    sqnr: list[float]
    top1: tuple[float, float] | None
    bytes: tuple[int, int]
    seconds: tuple[float, float]
    floats: dict[str, int] = field(default_factory=dict)
    steps: list[Step] = field(default_factory=list)
    weight_bits: int = 8
    weight_bits_reason: str = ""

    @property
    def num_integer(self) -> int:
        """How many layers are computed in integers."""
        return sum(not layer.reason for layer in self.layers)

    def _summary(self) -> list[tuple[str, str]]:
        before, after = self.bytes
        slow, fast = self.seconds
        lines = [
            ("samples", f"{self.num_samples}, ranges by {self.calibration}"),
            ("weights", f"{self.weight_bits} bits" + (
                f" ({self.weight_bits_reason})" if self.weight_bits_reason else "")),
            ("layers in integers", f"{self.num_integer} of {len(self.layers)}"),
            ("error of outputs", _all_db(self.sqnr) + " dB"),
            (f"loss by {self.metric}", f"{self.loss:.4g}" + (
                "" if self.budget is None else f", of a budget of {self.budget:.4g}")),
            ("constants", f"{before} to {after} bytes ({before / max(after, 1):.2f}x smaller)"),
            ("a run", f"{slow * 1e3:.3f} to {fast * 1e3:.3f} ms ({slow / fast:.2f}x as fast)"),
        ]
        if self.top1 is not None:
            lines.insert(4, ("top-1", f"{self.top1[0]:.1%} to {self.top1[1]:.1%}"))
        for step in self.steps:
            lines.append((step.name, f"{step.extent}, {_all_db(step.before)} to "
                          f"{_all_db(step.after)} dB"))
        if self.floats:
            lines.append(("operators in floats", ", ".join(
                f"{count} {name}" for name, count in self.floats.items())))
        return lines

    def _rows(self) -> list[tuple[str, ...]]:
        rows: list[tuple[str, ...]] = []
        for layer in self.layers:
            reach = "" if layer.low is None else f"{layer.low:.4g} to {_number(layer.high)}"
            scales = ""
            if layer.weight_scales is not None:
                low, high, count = layer.weight_scales
                scales = f"{low:.3g}" if count == 1 else f"{low:.3g} to {high:.3g} ({count})"
            rows.append((layer.name, layer.op, reach, _number(layer.scale, "{:.3g}"), scales,
                         _db(layer.sqnr_data), _db(layer.sqnr_weight), _db(layer.sqnr_alone),
                         f"floats: {layer.reason}" if layer.reason else "integers"))
        return rows

    def text(self) -> str:
        """A summary and a line for each layer."""
        lines = [f"{name}: {value}" for name, value in self._summary()]
        rows = [_COLUMNS, *self._rows()]
        widths = [max(len(row[i]) for row in rows) for i in range(len(_COLUMNS))]
        lines.append("")
        lines += ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip()
                  for row in rows]
        return "\n".join(lines) + "\n"

    def html(self) -> str:
        """A page that needs no other file."""
        summary = "".join(f"<tr><th>{html.escape(name)}</th><td>{html.escape(value)}</td></tr>"
                          for name, value in self._summary())
        head = "".join(f"<th>{html.escape(name)}</th>" for name in _COLUMNS)
        body = []
        for layer, row in zip(self.layers, self._rows()):
            cells = []
            for i, cell in enumerate(row):
                value = {5: layer.sqnr_data, 6: layer.sqnr_weight, 7: layer.sqnr_alone}.get(i)
                style = ""
                if value is not None:
                    share = 100 if value == math.inf else max(0, min(100, value / 60 * 100))
                    style = f' class="bar" style="--share:{share:.0f}%"'
                cells.append(f"<td{style}>{html.escape(cell)}</td>")
            kind = ' class="floats"' if layer.reason else ""
            body.append(f"<tr{kind}>{''.join(cells)}</tr>")
        return _PAGE.format(summary=summary, head=head, body="\n".join(body))


_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Quantization</title>
<style>
body {{ font: 14px sans-serif; margin: 2em; color: #222; background: #fff; }}
table {{ border-collapse: collapse; margin-bottom: 2em; }}
th, td {{ text-align: left; padding: 3px 10px; border-bottom: 1px solid #ddd; }}
tr.floats {{ background: #fff3e0; }}
td.bar {{ background: linear-gradient(to right, #cfe3f7 var(--share), transparent var(--share)); }}
</style>
</head>
<body>
<h1>Quantization</h1>
<table>{summary}</table>
<p>Errors are signals to noise in dB: of the data and the weight of a layer rounded, and of the
network's output with this layer alone in integers.</p>
<table>
<thead><tr>{head}</tr></thead>
<tbody>
{body}
</tbody>
</table>
</body>
</html>
"""

__all__ = ["Layer", "QuantizationReport", "Step"]
