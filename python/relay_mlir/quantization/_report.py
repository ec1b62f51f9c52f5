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
# What only integers have.
_SCALES = ("scale", "scales of weight")


@dataclass
class QuantizationReport:
    """What quantization made of a network. Pairs are before and after: bytes of constants,
    seconds of a run, the share of right classes if there are labels. `dtype` is what layers
    are made of: integers, or halves of floats. `weight_bits_reason` says why weights have so
    many bits where that was not asked for, and `source_floats` which types the network has
    computed in other than float32. `floats` counts what else stays in floats."""

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
    dtype: str = "int8"
    source_floats: list[str] = field(default_factory=list)
    weight_bits: int | None = 8
    weight_bits_reason: str = ""

    @property
    def num_integer(self) -> int:
        """How many layers are computed in integers, or in half precision."""
        return sum(not layer.reason for layer in self.layers)

    def _summary(self) -> list[tuple[str, str]]:
        before, after = self.bytes
        slow, fast = self.seconds
        lines = [("samples", str(self.num_samples))]
        if self.source_floats:
            lines.append(("types", f"{' and '.join(self.source_floats)}, made float32 first"))
        if self.dtype == "int8":
            lines[0] = ("samples", f"{self.num_samples}, ranges by {self.calibration}")
            lines.append(("weights", f"{self.weight_bits} bits" + (
                f" ({self.weight_bits_reason})" if self.weight_bits_reason else "")))
        lines += [(f"layers in {self._kind}", f"{self.num_integer} of {len(self.layers)}"),
                  ("error of outputs", _all_db(self.sqnr) + " dB")]
        if self.top1 is not None:
            lines.append(("top-1", f"{self.top1[0]:.1%} to {self.top1[1]:.1%}"))
        lines += [
            (f"loss by {self.metric}", f"{self.loss:.4g}" + (
                "" if self.budget is None else f", of a budget of {self.budget:.4g}")),
            ("constants", f"{before} to {after} bytes ({before / max(after, 1):.2f}x smaller)"),
            ("a run", f"{slow * 1e3:.3f} to {fast * 1e3:.3f} ms ({slow / fast:.2f}x as fast)"),
        ]
        for step in self.steps:
            lines.append((step.name, f"{step.extent}, {_all_db(step.before)} to "
                          f"{_all_db(step.after)} dB"))
        if self.floats:
            lines.append((f"operators in {self._rest}", ", ".join(
                f"{count} {name}" for name, count in self.floats.items())))
        return lines

    @property
    def _kind(self) -> str:
        return "integers" if self.dtype == "int8" else self.dtype

    @property
    def _rest(self) -> str:
        return "floats" if self.dtype == "int8" else "float32"

    def _table(self) -> list[list[tuple[str, float | None]]]:
        """Cells, whose errors are numbers as well, in dB; the first row has names."""
        rows: list[list[tuple[str, float | None]]] = [[(name, None) for name in _COLUMNS]]
        rows += [self._row(layer) for layer in self.layers]
        kept = [i for i, name in enumerate(_COLUMNS)
                if self.dtype == "int8" or name not in _SCALES]
        return [[row[i] for i in kept] for row in rows]

    def _row(self, layer: Layer) -> list[tuple[str, float | None]]:
        reach = "" if layer.low is None else f"{layer.low:.4g} to {_number(layer.high)}"
        scales = ""
        if layer.weight_scales is not None:
            low, high, count = layer.weight_scales
            scales = f"{low:.3g}" if count == 1 else f"{low:.3g} to {high:.3g} ({count})"
        cells = [layer.name, layer.op, reach, _number(layer.scale, "{:.3g}"), scales]
        errors = [layer.sqnr_data, layer.sqnr_weight, layer.sqnr_alone]
        where = f"{self._rest}: {layer.reason}" if layer.reason else self._kind
        return [*((cell, None) for cell in cells), *((_db(error), error) for error in errors),
                (where, None)]

    def text(self) -> str:
        """A summary and a line for each layer."""
        lines = [f"{name}: {value}" for name, value in self._summary()]
        rows = [[cell for cell, _ in row] for row in self._table()]
        widths = [max(map(len, column)) for column in zip(*rows)]
        lines.append("")
        lines += ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip()
                  for row in rows]
        return "\n".join(lines) + "\n"

    def html(self) -> str:
        """A page that needs no other file."""
        summary = "".join(f"<tr><th>{html.escape(name)}</th><td>{html.escape(value)}</td></tr>"
                          for name, value in self._summary())
        names, *rows = self._table()
        head = "".join(f"<th>{html.escape(name)}</th>" for name, _ in names)
        body = []
        for layer, row in zip(self.layers, rows):
            cells = []
            for cell, value in row:
                style = ""
                if value is not None:
                    share = 100 if value == math.inf else max(0, min(100, value / _MOST_DB * 100))
                    style = f' class="bar" style="--share:{share:.0f}%"'
                cells.append(f"<td{style}>{html.escape(cell)}</td>")
            kind = ' class="floats"' if layer.reason else ""
            body.append(f"<tr{kind}>{''.join(cells)}</tr>")
        title = "Quantization" if self.dtype == "int8" else f"Half precision: {self.dtype}"
        return _PAGE.format(title=title, summary=summary, head=head, body="\n".join(body))


# Where bars of errors end.
_MOST_DB = 90
_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>{title}</title>
<style>
body {{ font: 14px sans-serif; margin: 2em; color: #222; background: #fff; }}
table {{ border-collapse: collapse; margin-bottom: 2em; }}
th, td {{ text-align: left; padding: 3px 10px; border-bottom: 1px solid #ddd; }}
tr.floats {{ background: #fff3e0; }}
td.bar {{ background: linear-gradient(to right, #cfe3f7 var(--share), transparent var(--share)); }}
</style>
</head>
<body>
<h1>{title}</h1>
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
