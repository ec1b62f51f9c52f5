#!/usr/bin/env python3
# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Networks on VTA: which share of their products runs there, and how long that takes.

    vta.py                                  # all, a table in Markdown
    vta.py ResNet-18 --config 4x8_i8w8a32_15_16_16_18

Each network is compiled for VTA and the processor, and for the processor alone. Both must
compute the same bits of the same input, with the strict simulator, or the program fails.
Cycles are those of the cycle simulator, of all kernels that the network runs, at 100 MHz;
copies and what the processor does are not in them.
"""

import argparse
import collections
import math
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
BUILD = (ROOT / os.environ.get("RELAY_BUILD_DIR", "build")).resolve()
sys.path[:0] = [str(BUILD / "python_packages"), str(HERE)]

import numpy as np  # noqa: E402

import relay_mlir as rm  # noqa: E402
import vta_networks  # noqa: E402

MHZ = 100
LAYER = re.compile(r"relay\.nn\.(\w*(?:conv|dense|matmul)\w*) (.*?) : \((.*)\) -> (tensor<\S+)$")


def run_tool(name, *args):
    result = subprocess.run([BUILD / "bin" / name, *map(str, args)], capture_output=True,
                            text=True)
    if result.returncode:
        sys.exit(f"error: {name} failed\n{result.stderr[:2000]}")
    return result.stdout


def read_shape(tensor):
    return [int(size) for size in re.findall(r"(\d+)x", tensor)]


def count_products(line):
    """Of an operator in the text of a graph: how many numbers it multiplies, and whether VTA
    does. None of other operators."""
    match = LAYER.search(line)
    if not match:
        return None
    name, attributes, operands, result = match.groups()
    data, weight = re.findall(r"tensor<[^>]*>", operands)[:2]
    sizes = read_shape(weight)
    if name in ("dense", "matmul"):
        terms = sizes[-1]
    elif name in ("conv2d", "conv2d_transpose"):
        layout = re.search(r'kernel_layout = "(\w+)"', attributes)
        letters = layout.group(1) if layout else "IOHW" if "transpose" in name else "OIHW"
        letters = re.sub(r"\d", "", letters)
        terms = math.prod(size for size, letter in zip(sizes, letters) if letter not in "Oo")
    elif name == "contrib_conv2d_winograd_without_weight_transform":
        # Those of the convolution, which are more than its algorithm multiplies. The weight is
        # [rows, columns, output channels, input channels].
        kernel = re.findall(r"kernel_size = \[(\d+), (\d+)\]", attributes)[0]
        terms = sizes[-1] * math.prod(map(int, kernel))
    else:
        sys.exit(f"error: expects convolutions and dense layers, but got {name}")
    on_device = re.search(r'kernel_layout = "OIHW\d+o\d+i"', attributes) and data.endswith("xi8>")
    return math.prod(read_shape(result)) * terms, bool(on_device)


def count_on_processor(module, *target):
    """Products that the processor computes of a module."""
    text = run_tool("relay-compile", module, *target, "--emit=relay", "-o", "-")
    calls = collections.Counter(re.findall(r"relay\.call @(\w+)\(", text))
    products = 0
    name = ""
    for line in text.splitlines():
        if function := re.search(r"func\.func .*?@(\w+)\(", line):
            name = function.group(1)
        found = count_products(line)
        if found and not found[1]:
            products += found[0] * (1 if name == "main" else calls[name])
    return products


def read_programs(artefact):
    """The programs of all kernels by their names: code in the format "vta 1"."""
    data = artefact.read_bytes()
    offset = data.index(b"VTAK") + 4

    def take(form):
        nonlocal offset
        values = struct.unpack_from(form, data, offset)
        offset += struct.calcsize(form)
        return values[0]

    programs = {}
    for _ in range(take("<I")):
        name = take(f"{take('<I')}s").decode()
        for _ in range(take("<I")):
            take("<QQI")
        programs[name] = take(f"{take('<Q')}s")
    return programs


def count_cycles(artefact, folder):
    """Of each kernel on the device, by its name: cycles, and those with products."""
    cycles = {}
    program = folder / "program.vtao"
    for name, data in read_programs(artefact).items():
        program.write_bytes(data)
        stats = run_tool("relay-vta-sim", program, "--mode=cycle", "--stats")
        found = re.search(r"^cycles: (\d+)$.*^gemm utilisation: ([\d.]+)", stats, re.M | re.S)
        if not found:
            sys.exit(f"error: expects cycles and utilisation, but got:\n{stats}")
        count = int(found[1])
        cycles[name] = count, count * float(found[2]) / 100
    return cycles


def measure(function, target, folder, check=True):
    """Products, the share of them on the device, cycles, and the share of cycles in which
    products are issued."""
    module = folder / "network.relay"
    module.write_text(vta_networks.quantize(function).astext())
    device, host = rm.compile(module, target=target), rm.compile(module)
    inputs = vta_networks.get_inputs(function)
    if check:
        for ours, expected in zip(device.run(inputs), host.run(inputs)):
            if len(np.unique(expected)) < 3 or not np.array_equal(ours, expected):
                sys.exit("error: expects the same bits as on the processor, but got others")
    calls = {kernel.name: kernel.calls for kernel in device.profile(inputs, repeat=1)
             if kernel.device == "vta:0" and kernel.name.startswith("fused_")}
    artefact = folder / "network.so"
    run_tool("relay-compile", module, f"--target={target}", "-o", artefact)
    programs = count_cycles(artefact, folder)
    missing = calls.keys() - programs.keys()
    if missing:
        sys.exit(f"error: expects programs of all kernels, but got none of {sorted(missing)}")
    total = count_on_processor(module)
    rest = count_on_processor(module, f"--target={target}")
    cycles = sum(count * programs[name][0] for name, count in calls.items())
    busy = sum(count * programs[name][1] for name, count in calls.items())
    return total, 1 - rest / total, cycles, busy / cycles


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("networks", nargs="*", metavar="network",
                        help=f"of {', '.join(vta_networks.NETWORKS)} (default: all)")
    parser.add_argument("--config", default="1x16_i8w8a32_15_15_18_17",
                        help="configuration of VTA (default: %(default)s)")
    args = parser.parse_args()
    for name in args.networks:
        if name not in vta_networks.NETWORKS:
            parser.error(f"expects networks of {', '.join(vta_networks.NETWORKS)}, but got "
                         f"'{name}'")
    os.environ["RELAY_DEVICE_PATH"] = str(BUILD / "lib")
    os.environ["RELAY_VTA_STRICT"] = "1"
    os.environ["RELAY_VTA_SIMULATOR"] = "functional"
    print("| network | million products | on VTA | cycles | ms | GEMM |")
    print("|---|---|---|---|---|---|")
    for name in args.networks or vta_networks.NETWORKS:
        with tempfile.TemporaryDirectory() as folder:
            total, share, cycles, busy = measure(vta_networks.NETWORKS[name](),
                                                 f"vta -config={args.config},cpu",
                                                 pathlib.Path(folder))
        print(f"| {name} | {total / 1e6:.0f} | {100 * share:.1f} % | {cycles} | "
              f"{cycles / MHZ / 1e3:.1f} | {100 * busy:.1f} % |", flush=True)


if __name__ == "__main__":
    main()
