"""relay-quantize: makes integers of a network of floats, or halves."""

from __future__ import annotations

import argparse
import sys
from typing import Sequence

from .. import _console
from .._compile import _to_module
from .._inputs import parse_fixed_inputs
from . import CALIBRATIONS, DTYPES, WEIGHT_BITS, quantize
from ._metrics import METRICS


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="relay-quantize", description="Makes integers of 8 bits of a network of floats, or "
        "floats of 16, with the ranges that it has for samples.")
    parser.add_argument("model", help="an .onnx, .relay or .mlir file")
    parser.add_argument("--data", required=True, metavar="FILE", help="an .npz file with samples of "
                        "each input, stacked along the first dimension, and perhaps their labels")
    parser.add_argument("-o", dest="output", required=True, metavar="FILE",
                        help="where the network is written, as MLIR, for relay-compile")
    parser.add_argument("--dtype", choices=DTYPES, default="int8",
                        help="what layers are made of: integers, or floats of 16 bits where "
                        "these are safe (default: int8)")
    parser.add_argument("--calibration", choices=CALIBRATIONS, default="mse",
                        help="how ranges of data are chosen (default: mse)")
    parser.add_argument("--equalize", type=float, nargs="?", const=0.5, metavar="STRENGTH",
                        help="make channels of data as large as each other, by so much of their "
                        "differences (0.5 if none is said)")
    parser.add_argument("--correct-bias", action="store_true",
                        help="add to biases what rounding takes from means")
    parser.add_argument("--weight-bits", type=int, choices=WEIGHT_BITS,
                        help="7 for weights that processors with AVX2 but no VNNI multiply "
                        "faster, as reduce_range of ONNX Runtime makes them (default: 8, and with "
                        "a budget that allows for it, 7 where the target gains by it)")
    parser.add_argument("--metric", choices=METRICS, default="cosine",
                        help="what is lost against floats (default: cosine)")
    parser.add_argument("--budget", type=float, help="how much may be lost, from 0 to 1: the layers "
                        "that cost most stay in floats")
    parser.add_argument("--max-runs", type=int, metavar="N",
                        help="look at so many runs of the network")
    for option, text in [("dim", "fix the open size of a name, as --dim=n=16"),
                         ("shape", "fix the shape of an input, as --shape=x=1x3x?x224"),
                         ("input", "fix an input, as --input=scale=0.5 or --input=x=x.npy")]:
        parser.add_argument(f"--{option}", action="append", default=[], metavar="NAME=...",
                            help=text)
    parser.add_argument("--target", help="as of relay-compile, which losses and times are of")
    parser.add_argument("--report", metavar="FILE", help="write the report as a page")
    parser.add_argument("--no-progress", action="store_true", help="show no bars")
    return parser.parse_args(arguments)


def _main(arguments: Sequence[str] | None) -> int:
    options = _parse(arguments)
    fixed = parse_fixed_inputs(options.dim, options.shape, options.input)
    result = quantize(_to_module(options.model, fixed), options.data, dtype=options.dtype,
                      metric=options.metric, budget=options.budget, calibration=options.calibration,
                      equalize=options.equalize, correct_bias=options.correct_bias,
                      weight_bits=options.weight_bits,
                      max_runs=options.max_runs, target=options.target,
                      progress=not options.no_progress and sys.stderr.isatty())
    result.save(options.output)
    if options.report:
        _console.write_file(options.report, result.html())
    _console.write(result.text())
    return 0


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the program; returns its exit status."""
    return _console.run("relay-quantize", lambda: _main(arguments))


if __name__ == "__main__":
    sys.exit(main())
