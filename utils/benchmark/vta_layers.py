#!/usr/bin/env python3
# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The convolutions of ResNet-18 on VTA, and pools: cycles, and where these go.

    vta_layers.py                           # tables in Markdown
    vta_layers.py C2 C4 --config 4x8_i8w8a32_15_16_16_18 --bias
    vta_layers.py --pools

Behind each convolution there are a shift, a clip and a cast, as published schedules were tuned
for, and with --bias a constant of each channel before them. Numbers are random. Results must have
the bits of the interpreter, on the strict cycle simulator, or the program fails. As many images
as the configuration has in an element are computed. Pools are behind a convolution of 1x1, since
they are on VTA only if their data is.
"""

import argparse
import math
import os
import pathlib
import re
import sys
import tempfile

import numpy as np

import vta

# Height and width, input and output channels, window, stride, how often ResNet-18 has it, and ms
# at 100 MHz of the published tiles by the timing of the cycle simulator (1x16 only).
LAYERS = {
    "C2": (56, 64, 64, 3, 1, 4, 5.17),
    "C3": (56, 64, 128, 3, 2, 1, 2.62),
    "C4": (56, 64, 128, 1, 2, 1, 0.82),
    "C5": (28, 128, 128, 3, 1, 3, 4.86),
    "C6": (28, 128, 256, 3, 2, 1, 2.46),
    "C7": (28, 128, 256, 1, 2, 1, 0.49),
    "C8": (14, 256, 256, 3, 1, 3, 4.70),
    "C9": (14, 256, 512, 3, 2, 1, 2.39),
    "C10": (14, 256, 512, 1, 2, 1, 0.38),
    "C11": (7, 512, 512, 3, 1, 3, 4.65),
}
# Height and width of the data, channels, window, stride, padding.
POOLS = {
    "maximum": [(112, 64, 3, 2, 1), (56, 64, 2, 2, 0), (28, 128, 3, 1, 1)],
    "average": [(56, 64, 2, 2, 0), (28, 128, 3, 2, 0), (7, 512, 7, 1, 0)],
}
DEFAULT_CONFIG = "1x16_i8w8a32_15_15_18_17"


def get_sizes(config):
    """Images and channels of an element, of the name of a configuration."""
    images, channels = config.split("_")[0].split("x")
    return int(images), int(channels)


def quantized_average(relay, value, window, stride):
    """As relay.quantize writes it: of numbers with more bits than bytes."""
    bits = 8
    value = relay.multiply(relay.cast(value, "int32"), relay.const(1 << bits))
    value = relay.nn.avg_pool2d(value, pool_size=(window, window), strides=(stride, stride))
    value = relay.multiply(relay.cast(value, "int64"), relay.const(1 << 30, "int64"))
    value = relay.add(value, relay.const(1 << (29 + bits), "int64"))
    value = relay.cast(relay.right_shift(value, relay.const(30 + bits, "int64")), "int32")
    return relay.cast(relay.clip(value, -128, 127), "int8")


def write_pool(kind, pool, images, path):
    """A module of a convolution of 1x1 and a pool."""
    size, channels, window, stride, padding = pool
    rng = np.random.default_rng(size + window)
    relay = vta.rm.relay
    x = relay.var("x", shape=(images, channels, size, size), dtype="int8")
    weight = rng.integers(-128, 128, (channels, channels, 1, 1)).astype("int8")
    value = relay.nn.conv2d(x, relay.const(weight), out_dtype="int32")
    value = relay.clip(relay.right_shift(value, relay.const(8)), -128, 127)
    value = relay.cast(value, "int8")
    if kind == "maximum":
        value = relay.nn.max_pool2d(value, pool_size=(window, window), strides=(stride, stride),
                                    padding=(padding, padding))
    else:
        value = quantized_average(relay, value, window, stride)
    path.write_text(relay.IRModule.from_expr(relay.Function([x], value)).astext())


def write_layer(name, images, bias, path):
    """A module of one layer."""
    size, inputs, outputs, window, stride, *_ = LAYERS[name]
    rng = np.random.default_rng(size + window)
    relay = vta.rm.relay
    x = relay.var("x", shape=(images, inputs, size, size), dtype="int8")
    weight = rng.integers(-128, 128, (outputs, inputs, window, window)).astype("int8")
    value = relay.nn.conv2d(x, relay.const(weight), strides=(stride, stride),
                            padding=(window // 2, window // 2), out_dtype="int32")
    if bias:
        numbers = rng.integers(-1 << 16, 1 << 16, (outputs, 1, 1)).astype("int32")
        value = relay.add(value, relay.const(numbers))
    value = relay.clip(relay.right_shift(value, relay.const(8)), 0, 127)
    function = relay.Function([x], relay.cast(value, "int8"))
    path.write_text(relay.IRModule.from_expr(function).astext())


def read_statistics(text):
    """What `relay-vta-sim --stats` prints, by name."""
    lines = dict(line.split(": ", 1) for line in text.splitlines())

    def numbers(line):
        return {name.strip(): int(count)
                for name, count in re.findall(r"([a-z ]+) (\d+)", lines[line])}

    intensity, rate, roof = re.findall(r"[\d.]+", lines["roofline"])[:3]
    uops = numbers("micro-ops")
    return {
        "cycles": int(lines["cycles"]),
        "products": uops["gemm"],
        "alu": float(re.findall(r"[\d.]+", lines["alu utilisation"])[0]),
        "bytes": {**numbers("loaded bytes"), "out": int(lines["stored bytes"])},
        "compute": numbers("stage compute"),
        "intensity": float(intensity), "rate": float(rate), "roof": float(roof),
    }


def measure(module, config, search, folder, choose=lambda programs: programs):
    """Statistics of the one kernel that `choose` leaves of those on VTA."""
    artefact, program = folder / "layer.so", folder / "layer.vtao"
    vta.run_tool("relay-compile", module, f"--target=vta -config={config},cpu",
                 f"--vta-search={search}", "-o", artefact)
    (data, ) = choose(vta.read_programs(artefact)).values()
    program.write_bytes(data)
    return read_statistics(vta.run_tool("relay-vta-sim", program, "--mode=cycle", "--stats"))


def check(module, config):
    """The bits of the interpreter, of random numbers."""
    text = vta.run_tool("relay-run", module, f"--target=vta -config={config},cpu",
                        "--device=vta:tsim", "--check=interpreter")
    if "agrees, max difference 0," not in text:
        sys.exit(f"error: expects the bits of the interpreter, but got:\n{text}")


def count_products(name, config):
    """Cycles in which products of a layer are issued, without those that constants are added by:
    for each element of results, and for all."""
    size, inputs, outputs, window, stride, *_ = LAYERS[name]
    block = get_sizes(config)[1]
    products = inputs // block * window**2
    return products, products * (size // stride)**2 * (outputs // block)


def get_bound(name, config, bias):
    """The share that no tile can exceed: what sets accumulators to zero, constants, the shift and
    both ends of the clip take a cycle for each element."""
    products, _ = count_products(name, config)
    return products / (products + 4 + bias)


def measure_pools(config, images, with_check):
    print("| pool | size | channels | window, stride | cycles | per result | GEMM | ALU | inp "
          "bytes | out |\n|---|---|---|---|---|---|---|---|---|---|")
    for kind, pools in POOLS.items():
        for pool in pools:
            size, channels, window, stride, padding = pool
            with tempfile.TemporaryDirectory() as path:
                folder = pathlib.Path(path)
                module = folder / "pool.relay"
                write_pool(kind, pool, images, module)
                # The other kernel ends in a shift by 8, and has no average.
                layer = "fused_nn_conv2d_right_shift_clip_cast"
                found = measure(module, config, 16, folder, lambda programs: {
                    name: data for name, data in programs.items() if name != layer})
                if with_check:
                    check(module, config)
            cycles = found["cycles"]
            results = (size + 2 * padding - window) // stride + 1
            elements = found["bytes"]["out"] // math.prod(get_sizes(config))
            print(f"| {kind} | {size} | {channels} | {window}x{window}, {stride} | {cycles} | "
                  f"{cycles / elements:.1f} | {100 * found['products'] / cycles:.1f} % | "
                  f"{found['alu']:.1f} % | {found['bytes']['inp']} | {found['bytes']['out']} |",
                  flush=True)
            assert results**2 * channels * images == found["bytes"]["out"]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("layers", nargs="*", metavar="layer",
                        help=f"of {', '.join(LAYERS)} (default: all)")
    parser.add_argument("--config", default=DEFAULT_CONFIG,
                        help="configuration of VTA (default: %(default)s)")
    parser.add_argument("--bias", action="store_true", help="add constants of channels")
    parser.add_argument("--pools", action="store_true", help="pools in place of layers")
    parser.add_argument("--no-check", action="store_true", help="compute nothing")
    args = parser.parse_args()
    for name in args.layers:
        if name not in LAYERS:
            parser.error(f"expects layers of {', '.join(LAYERS)}, but got '{name}'")
    if args.pools and args.layers:
        parser.error("expects --pools or layers, but got both")
    if not re.fullmatch(r"\d+x\d+(_[a-z0-9]+)+", args.config):
        parser.error(f"expects --config as '{DEFAULT_CONFIG}', but got '{args.config}'")
    os.environ["RELAY_DEVICE_PATH"] = str(vta.BUILD / "lib")
    os.environ["RELAY_VTA_STRICT"] = "1"
    images, _ = get_sizes(args.config)
    if args.pools:
        return measure_pools(args.config, images, not args.no_check)
    has_tuned = args.config == DEFAULT_CONFIG and not args.bias
    rows = []
    total: dict[int | str, tuple[int, int]] = {}
    print("| layer | size | channels | window, stride | estimated | found | ms at 100 MHz | "
          "tuned ms | GEMM | bound |\n|---|---|---|---|---|---|---|---|---|---|")
    for name in args.layers or LAYERS:
        size, inputs, outputs, window, stride, times, tuned = LAYERS[name]
        with tempfile.TemporaryDirectory() as path:
            folder = pathlib.Path(path)
            module = folder / "layer.relay"
            write_layer(name, images, args.bias, module)
            estimated = measure(module, args.config, 0, folder)["cycles"]
            found = measure(module, args.config, 16, folder)
            if not args.no_check:
                check(module, args.config)
        cycles, (_, products) = found["cycles"], count_products(name, args.config)
        for kind in (window, "all"):
            before = total.get(kind, (0, 0))
            total[kind] = before[0] + times * products, before[1] + times * cycles
        rows.append((name, found))
        print(f"| {name} | {size} | {inputs} to {outputs} | {window}x{window}, {stride} | "
              f"{estimated} | {cycles} | {cycles / vta.MHZ / 1e3:.2f} | "
              f"{f'{tuned:.2f}' if has_tuned else '-'} | {100 * products / cycles:.1f} % | "
              f"{100 * get_bound(name, args.config, args.bias):.1f} % |", flush=True)
    for kind, (products, cycles) in total.items():
        what = "all" if kind == "all" else f"{kind}x{kind}"
        print(f"\n{what}, as often as in the network: {cycles} cycles, GEMM "
              f"{100 * products / cycles:.1f} %", end="")
    print("\n\n| layer | inp bytes | wgt | acc | uop | out | compute waits for: instructions | load "
          "| store | memory | operations per byte | per cycle | roof |\n" + "|---" * 13 + "|")
    for name, found in rows:
        moved = " | ".join(str(found["bytes"][kind]) for kind in
                           ("inp", "wgt", "acc", "uop", "out"))
        waits = " | ".join(str(found["compute"][cause]) for cause in
                           ("no instruction", "token of stage before", "token of stage after",
                            "memory"))
        print(f"| {name} | {moved} | {waits} | {found['intensity']:.1f} | {found['rate']:.0f} | "
              f"{found['roof']:.0f} |")


if __name__ == "__main__":
    main()
