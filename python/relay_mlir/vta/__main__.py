"""relay-vta-explore: how long a network takes on accelerators that are built in other ways."""

from __future__ import annotations

import argparse
import os
import sys
from typing import Sequence

from .. import _console
from . import Config, Point, configurations, csv, explore, plot, table

_UNITS = {"k": 1 << 10, "m": 1 << 20}


def _numbers(text: str) -> list[int]:
    """Integers between commas, perhaps with a unit."""
    numbers = []
    for part in text.split(","):
        unit = _UNITS.get(part[-1:].lower(), 1)
        digits = part if unit == 1 else part[:-1]
        if not (digits.isascii() and digits.isdigit() and len(digits) < 12):
            raise argparse.ArgumentTypeError(
                f"expects numbers with commas between them, such as 16k,32k, but got {text!r}")
        numbers.append(int(digits) * unit)
    return numbers


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="relay-vta-explore", allow_abbrev=False,
        description="Counts the cycles of a quantized network on VTAs of many configurations: "
        "all combinations of the values that are given.")
    parser.add_argument("model", help="an .onnx, .relay or .mlir file")
    parser.add_argument("-o", dest="output", required=True, metavar="FOLDER",
                        help="where results.jsonl, table.txt, table.csv and plot.svg are written; "
                        "what results.jsonl has already is not measured again")
    defaults = Config()
    for name, what in (("batch", "rows of data that are multiplied in a cycle"),
                       ("block", "inputs and outputs of these products"),
                       ("uop_buff", "bytes of the scratchpad for micro-ops"),
                       ("inp_buff", "bytes of the scratchpad for data"),
                       ("wgt_buff", "bytes of the scratchpad for weights"),
                       ("acc_buff", "bytes of the accumulators")):
        parser.add_argument(f"--{name.replace('_', '-')}", type=_numbers, metavar="N,...",
                            help=f"{what} (default: {getattr(defaults, name)})")
    parser.add_argument("-j", "--jobs", type=int, metavar="N",
                        help="how many processes measure at once (default: one for each processor)")
    parser.add_argument("--no-progress", action="store_true",
                        help="do not print each point when it is known")
    return parser.parse_args(arguments)


def _print(point: Point, done: int, total: int) -> None:
    result = point.reason or f"{point.cycles} cycles"
    print(f"[{done}/{total}] {point.config.name}: {result}", file=sys.stderr)


def _main(arguments: Sequence[str] | None) -> int:
    options = _parse(arguments)
    configs = configurations(
        batch=options.batch, block=options.block, uop_buff=options.uop_buff,
        inp_buff=options.inp_buff, wgt_buff=options.wgt_buff, acc_buff=options.acc_buff)
    os.makedirs(options.output, exist_ok=True)
    points = explore(options.model, configs, jobs=options.jobs,
                     results=os.path.join(options.output, "results.jsonl"),
                     progress=None if options.no_progress else _print)
    text = table(points)
    for name, content in (("table.txt", text), ("table.csv", csv(points)),
                          ("plot.svg", plot(points, os.path.basename(options.model)))):
        _console.write_file(os.path.join(options.output, name), content)
    _console.write(text)
    if not any(point.cycles for point in points):
        raise ValueError("expects a configuration that the network fits; the table says why there "
                         "is none")
    return 0


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the program; returns its exit status."""
    return _console.run("relay-vta-explore", lambda: _main(arguments),
                        "stopped; the same command goes on")


if __name__ == "__main__":
    sys.exit(main())
