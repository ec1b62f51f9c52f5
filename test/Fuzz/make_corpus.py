# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes valid inputs of the fuzz targets, a folder for each:

    make_corpus.py FOLDER [--tools build/bin] [TARGET...]

ONNX graphs are those of utils/random_graphs, one for each operator; text comes from
the tests; artefacts are compiled with the tools.
"""

import argparse
import io
import pathlib
import struct
import subprocess
import sys
import tempfile

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Long inputs make slow runs; what they contain occurs in short ones too.
MAX_BYTES = 6000


def onnx():
    sys.path.insert(0, str(ROOT / "utils" / "random_graphs"))
    from generate import generate
    from operators import OPERATORS
    for i, (name, function) in enumerate(OPERATORS.items()):
        for dynamic in (False, True):
            graph, _ = generate(i, dynamic, {name: function}, num_nodes=2)
            if graph.nodes:
                yield f"{name}-{'dynamic' if dynamic else 'static'}", (
                    graph.model().SerializeToString())


def _parts(name, text):
    """Parts of a test, without the lines that check."""
    for i, part in enumerate(text.split("// -----\n")):
        lines = [line for line in part.splitlines()
                 if not line.lstrip().startswith(("// ", "# "))]
        yield f"{name}-{i}", "\n".join(lines).strip().encode() + b"\n"


def _tests(suffix):
    """Parts of the tests' files."""
    for path in sorted((ROOT / "test").rglob("*" + suffix)):
        if "Fuzz" in path.parts:
            continue
        yield from _parts(path.stem, path.read_text(encoding="utf-8"))


def mlir():
    yield from _tests(".mlir")


def relay_text():
    yield from _tests(".relay")
    for i, text in enumerate(RELAY):
        yield f"program-{i}", ('#[version = "0.0.5"]\n' + text).encode()


RELAY = [
    "def @main(%x: Tensor[(2, 3), float32]) -> Tensor[(2, 3), float32] {\n"
    "  let %y: Tensor[(2, 3), float32] = nn.relu(%x);\n  add(%y, 1f)\n}\n",
    "def @f[A](%x: A) -> A { %x }\n"
    "def @main(%n: int32) { if (less(%n, 3)) { @f(%n) } else { (%n, 4).0 } }\n",
    "type List[A] { Nil, Cons(A, List[A]), }\n"
    "def @len[A](%l: List[A]) -> int32 {\n  match (%l) { Nil => 0, Cons(_, %t) => "
    "add(1, @len(%t)) }\n}\n",
    "def @main(%x: Tensor[(?, 4), float16]) { %0 = ref(%x); ref_write(%0, %x); "
    "ref_read(%0) }\n",
    "def @main(%x: Tensor[(1, 3, 8, 8), float32], %w: Tensor[(4, 3, 3, 3), float32]) {\n"
    "  nn.conv2d(%x, %w, padding=[1, 1, 1, 1], channels=4, kernel_size=[3, 3])\n}\n",
    "def @main() { meta[relay.Constant][0] }\n"
    "#[metadata]\n{\n  \"root\": 1, \n  \"nodes\": [{\"type_key\": \"\"}]\n}\n",
    "def @main(%g: fn (int32) -> int32) { let %h = fn (%a: int32) { %g(%a) }; %h(1) }\n",
]


def npy():
    arrays = [np.arange(6).reshape(2, 3).astype(d) for d in (
        "f4", "f8", "f2", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "?", ">f4", ">i2")]
    arrays += [np.asfortranarray(arrays[0]), np.float32(3), np.zeros((0, 4), "f4"),
               np.zeros((1, 2, 1, 3), "V2")]
    for i, array in enumerate(arrays):
        for version in ((1, 0), (2, 0), (3, 0)):
            data = io.BytesIO()
            np.lib.format.write_array(data, np.asanyarray(array), version)
            yield f"array-{i}-{version[0]}", data.getvalue()


def command_line():
    texts = [
        "model.onnx\n-o\nmodel.so", "--target=x86-64-v3,+avx512f,-fma\nmodel.mlir",
        "--target=aarch64,+dotprod", "--target=sapphirerapids", "--target=nonsense,++",
        "--target=cuda -arch=sm_90a\nmodel.onnx", "--target=cuda", "--target=cuda -arch=sm_",
        "--target=vta", "--target=vta -model=sim -keys=cpu", "--target=llvm -mcpu=skylake",
        "--device-targets=npu = #npu.core<lanes = 8>, cuda = #cuda.gpu<chip = \"sm_80\">",
        "-O3\n--precision=medium\n--force-matrix-tiles", "-O4", "-O", "--precision=exact",
        "--desired-layout=nn.conv2d=NHWC:OHWI,nn.conv2d_transpose=NCHW",
        "--desired-layout=default", "--desired-layout==:,", "--no-cache=maybe",
        "--cache-dir=\n--cache-dir", "--", "-", "---", "--target", "--no-such=1",
        "--pass-pipeline=builtin.module(relay-fuse-ops,func.func(relay-fold-constant))",
        "--pass-pipeline=builtin.module(relay-optimize{desired-layout=NHWC opt-level=3})",
        "--pass-pipeline=builtin.module(any(cse),relay-to-kernels)",
        "--pass-pipeline=builtin.module(tir-schedule-kernels{target=native})",
    ]
    for i, text in enumerate(texts):
        yield f"words-{i}", text.encode()


def artifact(tools):
    text = ("func.func @main(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {\n"
            "  %w = relay.constant dense<0.5> : tensor<4x4xf32>\n"
            "  %y = relay.nn.dense %x, %w : (tensor<?x4xf32>, tensor<4x4xf32>)"
            " -> tensor<?x4xf32>\n  return %y : tensor<?x4xf32>\n}\n")
    with tempfile.TemporaryDirectory() as folder:
        source, output = pathlib.Path(folder, "m.mlir"), pathlib.Path(folder, "m.so")
        source.write_text(text, encoding="utf-8")
        for target in ("native", "x86-64-v2", "aarch64", "cuda"):
            subprocess.run([tools / "relay-compile", source, "-o", output, "--no-cache",
                            f"--target={target}"], check=True)
            data = output.read_bytes()
            yield target, data
            for size in (0, 1, 63, 64, 4095, len(data) // 2, len(data) - 1):
                yield f"{target}-first-{size}", data[:size]
            rng = np.random.default_rng(0)
            for i in range(20):
                changed = bytearray(data)
                changed[rng.integers(len(data))] ^= 1 << rng.integers(8)
                yield f"{target}-flip-{i}", bytes(changed)


def vta():
    for path in sorted((ROOT / "test" / "VTA" / "Inputs" / "vectors").glob("*.vtao")):
        program = path.read_bytes()
        yield path.stem, program
        # As an artefact has it: a buffer is the first bytes of the memory.
        base, = struct.unpack_from("<Q", program, 48)
        kernel = struct.pack("<I6sIQQIQ", 6, b"kernel", 1, base, 16, 1, len(program))
        yield f"kernel-{path.stem}", b"VTAK" + struct.pack("<I", 1) + kernel + program


def cuda():
    launches = ["launch f_0 d0,128,ceildiv d1 1 128 2 1 d0,4,*", "launch f_1 1 1 1 32 1 1 0",
                "launch f_1 d0,d1,max,3,floordiv d0,7,mod d1,2,- 32 4 8 1024 cluster=4"]
    images = [("ptx sm_80", b".version 7.0\n.target sm_80\n"), ("cubin sm_90a", b"\x7fELF\0"),
              ("mlir sm_90a", b"ML"), ("ptx sm_100f", b"\n")]
    yield "nothing", b""
    for i in range(len(launches) + 1):
        for used in (images[:1], images[:i], images):
            lines = ["relay-cuda 1"]
            lines += [f"image {kind} {len(data)}" for kind, data in used]
            lines += ["kernel f 3 2", *launches[:i], "kernel g 0 2", *launches[i:], "end\n"]
            yield f"code-{i}-{len(used)}", "\n".join(lines).encode() + b"".join(
                data for _, data in used)


def gpu():
    for folder in ("GPUExecutor", "Tools"):
        for path in sorted((ROOT / "test" / folder).glob("*.mlir")):
            text = path.read_text(encoding="utf-8")
            if "gpu.func" in text:
                yield from _parts(path.stem, text)


TARGETS = {"onnx": onnx, "relay-text": relay_text, "mlir": mlir, "npy": npy,
           "command-line": command_line, "artifact": artifact, "vta": vta,
           "cuda": cuda, "gpu": gpu}


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("targets", nargs="*", help=f"of {', '.join(TARGETS)}")
    parser.add_argument("--tools", type=pathlib.Path, default=ROOT / "build" / "bin")
    arguments = parser.parse_args()
    for target in arguments.targets or TARGETS:
        folder = arguments.folder / target
        folder.mkdir(parents=True, exist_ok=True)
        parts = [arguments.tools] if target == "artifact" else []
        for name, data in TARGETS[target](*parts):
            if target in ("artifact", "gpu") or len(data) <= MAX_BYTES:
                (folder / name).write_bytes(data)


if __name__ == "__main__":
    main()
