"""Every kernel choice, over sizes that leave remainders, against NumPy in float64.

Which kernel the compiler takes follows from shapes, from whether weights are
constant, from the layout, the processor and the precision: the cases here walk
through all of these, and `test_choices_are_taken` checks that each choice occurs.
Sizes are odd, prime, one, zero, a vector and one more or less.

An element of the result may be wrong by 5e-6 of the sum of the magnitudes of its
terms; by Winograd's algorithm, which precision "high" allows, by 1e-5 of the
largest such sum of the result. Maxima are exact.

    python test_forced_kernels.py --fuzz 2000 --seed 1     more of the same
"""

import argparse
import dataclasses
import os
import pathlib
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import relay_mlir as rm

ROOT = pathlib.Path(__file__).resolve().parents[3]
BUILD = ROOT / os.environ.get("RELAY_BUILD_DIR", "build")

BOUND = 5e-6
WINOGRAD_BOUND = 1e-5

CHANNELS = [1, 2, 3, 4, 5, 7, 8, 9, 13, 15, 16, 17, 23, 24, 31, 32, 33, 40, 48, 64, 65]
ROWS = [1, 2, 3, 4, 5, 6, 7, 11, 13, 14, 17, 28, 29]


@dataclasses.dataclass
class Case:
    """An operator: its text over names of operands, and what it should give."""

    name: str
    operands: list
    constant: list
    text: object
    result: np.ndarray
    # What an element may be wrong by.
    error: np.ndarray


def tensor(shape):
    return f"tensor<{'x'.join(map(str, (*shape, 'f32')))}>"


def literal(values):
    if values.size == 0:
        return f"dense<> : {tensor(values.shape)}"
    return f'dense<"0x{values.tobytes().hex()}"> : {tensor(values.shape)}'


def numbers(values):
    return "[" + ", ".join(str(int(v)) for v in values) + "]"


class Generator:
    """Makes random cases."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)

    def pick(self, values):
        return values[int(self.rng.integers(len(values)))]

    def maybe(self, probability):
        return self.rng.random() < probability

    def uniform(self, *shape):
        return self.rng.uniform(-1, 1, shape).astype(np.float32)

    def case(self):
        kinds = [self.dense, self.batch_matmul, self.convolution, self.convolution,
                 self.convolution, self.depthwise, self.grouped, self.winograd,
                 self.max_pool, self.average_pool]
        return self.pick(kinds)()

    def finish(self, name, operands, constant, line, result, magnitude, channel_axis,
               relative=None):
        """Adds an epilogue, perhaps: bias, residual, relu."""
        shape = result.shape
        error = (BOUND * magnitude if relative is None else
                 np.full(shape, relative * magnitude.max(initial=0)))
        lines = [line]
        if self.maybe(0.5):
            bias = self.uniform(*[n if axis == channel_axis else 1
                                  for axis, n in enumerate(shape)])
            lines.append(("add", len(operands), bias.shape))
            operands, constant = operands + [bias], constant + [self.maybe(0.7)]
            result = result + bias
            error = error + 1e-7 * (1 + np.abs(result))
        if self.maybe(0.3):
            other = self.uniform(*shape)
            lines.append(("add", len(operands), shape))
            operands, constant = operands + [other], constant + [False]
            result = result + other
            error = error + 1e-7 * (1 + np.abs(result))
        if self.maybe(0.4):
            lines.append(("relu",))
            result = np.maximum(result, 0)

        def text(names, prefix):
            kind = tensor(shape)
            out, last = [], ""
            for number, entry in enumerate(lines):
                value = f"%{prefix}_{number}"
                if isinstance(entry, str):
                    types = ", ".join(tensor(o.shape) for o in operands[:entry.count("{}")])
                    out.append(f"{value} = {entry.format(*names)} : ({types}) -> {kind}")
                elif entry[0] == "add":
                    out.append(f"{value} = relay.add {last}, {names[entry[1]]} : "
                               f"({kind}, {tensor(entry[2])}) -> {kind}")
                else:
                    out.append(f"{value} = relay.nn.relu {last} : ({kind}) -> {kind}")
                last = value
            return out, last
        epilogue = "+".join(e[0] for e in lines[1:])
        return Case(f"{name} {epilogue}", operands, constant, text, result, error)

    # Matrix products.

    def dense(self):
        return self.dense_of(self.pick([0, 1, 2, 3, 5, 6, 7, 12, 13, 14, 15, 31, 64, 97]),
                             self.pick([1, 3, 8, 15, 16, 17, 24, 33, 64, 100, 130]),
                             self.pick([0, 1, 2, 7, 16, 31, 64, 129, 300]),
                             self.maybe(0.6))

    def dense_of(self, m, n, k, constant):
        x, w = self.uniform(m, k), self.uniform(n, k)
        x64, w64 = x.astype(np.float64), w.astype(np.float64)
        return self.finish(f"dense {m}x{k} {n} constant={constant}", [x, w],
                           [False, constant], "relay.nn.dense {}, {}",
                           x64 @ w64.T, np.abs(x64) @ np.abs(w64).T, 1)

    def batch_matmul(self):
        b, m = self.pick([0, 1, 2, 3, 7, 12]), self.pick([1, 2, 5, 6, 13, 31, 64])
        n, k = self.pick([1, 3, 8, 16, 17, 33, 64]), self.pick([1, 7, 16, 31, 64, 100])
        x, constant = self.uniform(b, m, k), self.maybe(0.3)
        transposed = self.maybe(0.5)
        y = self.uniform(b, n, k) if transposed else self.uniform(b, k, n)
        x64, y64 = x.astype(np.float64), y.astype(np.float64)
        if transposed:
            y64 = y64.transpose(0, 2, 1)
        flag = "true" if transposed else "false"
        line = ("relay.nn.batch_matmul {}, {} {{transpose_a = false, transpose_b = "
                + flag + "}}")
        return self.finish(f"batch_matmul {b}x{m}x{k} {n} {flag} constant={constant}",
                           [x, y], [False, constant], line, x64 @ y64,
                           np.abs(x64) @ np.abs(y64), 2)

    # Windows.

    def window(self):
        """Kernel, strides, dilations, padding, image size."""
        kernel = [self.pick([1, 1, 2, 3, 3, 5, 7]) for _ in range(2)]
        if self.maybe(0.6):
            kernel[1] = kernel[0]
        stride = [self.pick([1, 1, 1, 2, 3]) for _ in range(2)]
        dilation = [self.pick([1, 1, 1, 2, 3]) for _ in range(2)]
        padding = [self.pick([0, 0, 1, 2, (k - 1) // 2]) for k in kernel + kernel]
        size = []
        for axis in range(2):
            reach = (kernel[axis] - 1) * dilation[axis] + 1
            least = reach - padding[axis] - padding[2 + axis]
            size.append(max(self.pick(ROWS), least, 1))
        return kernel, stride, dilation, padding, size

    def convolution_of(self, name, batch, channels, outputs, groups, window, relative=None,
                       constant=None):
        kernel, stride, dilation, padding, size = window
        layout = self.pick(["NHWC", "NCHW"])
        x = self.uniform(batch, *size, channels)
        w = self.uniform(outputs, channels // groups, *kernel)
        if constant is None:
            constant = self.maybe(0.7)
        result = convolve(x, w, stride, dilation, padding, groups)
        magnitude = convolve(np.abs(x), np.abs(w), stride, dilation, padding, groups)
        axis = 3
        if layout == "NCHW":
            x = np.ascontiguousarray(x.transpose(0, 3, 1, 2))
            result, magnitude = result.transpose(0, 3, 1, 2), magnitude.transpose(0, 3, 1, 2)
            axis = 1
        line = ("relay.nn.conv2d {}, {} {{"
                f"strides = {numbers(stride)}, padding = {numbers(padding)}, "
                f"dilation = {numbers(dilation)}, groups = {groups}, "
                f'data_layout = "{layout}", kernel_layout = "OIHW"' + "}}")
        return self.finish(
            f"{name} {layout} {x.shape} {w.shape} strides={stride} dilation={dilation} "
            f"padding={padding} groups={groups} constant={constant}", [x, w],
            [False, constant], line, result, magnitude, axis, relative)

    def convolution(self):
        return self.convolution_of("conv", self.pick([0, 1, 1, 1, 2, 3]),
                                   self.pick(CHANNELS), self.pick(CHANNELS), 1,
                                   self.window())

    def depthwise(self):
        channels = self.pick(CHANNELS)
        return self.convolution_of("depthwise", self.pick([1, 1, 2]), channels,
                                   channels * self.pick([1, 1, 1, 2, 3]), channels,
                                   self.window())

    def grouped(self):
        groups = self.pick([2, 3, 4, 8])
        return self.convolution_of("grouped", self.pick([1, 1, 2]),
                                   groups * self.pick([1, 2, 3, 4, 7, 8, 12, 16]),
                                   groups * self.pick([1, 2, 3, 4, 5, 8, 9, 16, 20]),
                                   groups, self.window())

    def winograd(self):
        kernel, groups = self.pick([3, 3, 3, 5]), self.pick([1, 1, 1, 2, 3])
        padding = [self.pick([0, 1, 1, 2]) for _ in range(4)]
        size = [self.pick([1, 2, 3, 5, 6, 7, 9, 13, 14, 28]) for _ in range(2)]
        size = [max(n, kernel - padding[i] - padding[2 + i], 1)
                for i, n in enumerate(size)]
        return self.convolution_of("winograd", self.pick([1, 1, 2]),
                                   groups * self.pick([8, 13, 16, 17, 32, 40]),
                                   groups * self.pick([8, 13, 16, 17, 32, 40]), groups,
                                   ([kernel, kernel], [1, 1], [1, 1], padding, size),
                                   relative=WINOGRAD_BOUND, constant=True)

    def pool_of(self, name, reduce):
        kernel, stride, dilation, padding, size = self.window()
        padding = [min(p, kernel[i % 2] - 1) for i, p in enumerate(padding)]
        for axis in range(2):
            reach = (kernel[axis] - 1) * dilation[axis] + 1
            size[axis] = max(size[axis], reach - padding[axis] - padding[2 + axis], 1)
        layout = self.pick(["NHWC", "NCHW"])
        x = self.uniform(self.pick([0, 1, 1, 2]), *size, self.pick(CHANNELS))
        include = self.maybe(0.5)
        result, magnitude = reduce(x, kernel, stride, dilation, padding, include)
        axis = 3
        if layout == "NCHW":
            x = np.ascontiguousarray(x.transpose(0, 3, 1, 2))
            result, magnitude = result.transpose(0, 3, 1, 2), magnitude.transpose(0, 3, 1, 2)
            axis = 1
        extra = "" if name == "max_pool2d" else \
            f", count_include_pad = {'true' if include else 'false'}"
        line = (f"relay.nn.{name} " + "{} {{"
                f"pool_size = {numbers(kernel)}, strides = {numbers(stride)}, "
                f"padding = {numbers(padding)}, dilation = {numbers(dilation)}, "
                f'layout = "{layout}"' + extra + "}}")
        return self.finish(f"{name} {layout} {x.shape} {kernel} strides={stride} "
                           f"dilation={dilation} padding={padding} include={include}",
                           [x], [False], line, result, magnitude, axis)

    def max_pool(self):
        def reduce(x, kernel, stride, dilation, padding, _):
            taps = np.stack(list(windows(x, kernel, stride, dilation, padding, -np.inf)))
            # A window of padding only has no maximum.
            result = np.maximum(taps.max(axis=0), np.finfo(np.float32).min)
            return result, np.zeros(result.shape)
        while True:
            case = self.pool_of("max_pool2d", reduce)
            if np.all(np.abs(case.result) < 1e30):
                return case

    def average_pool(self):
        def reduce(x, kernel, stride, dilation, padding, include):
            def total(values):
                return sum(windows(values, kernel, stride, dilation, padding, 0))
            ones = total(np.ones(x.shape))
            count = np.full(ones.shape, kernel[0] * kernel[1]) if include else ones
            count = np.maximum(count, 1)
            return total(x) / count, total(np.abs(x)) / count
        return self.pool_of("avg_pool2d", reduce)


def windows(x, kernel, stride, dilation, padding, fill):
    """For each tap of the kernel, what the windows of an NHWC image have there."""
    x = np.pad(x.astype(np.float64), ((0, 0), (padding[0], padding[2]),
                                      (padding[1], padding[3]), (0, 0)),
               constant_values=fill)
    sizes = [(x.shape[1 + i] - (kernel[i] - 1) * dilation[i] - 1) // stride[i] + 1
             for i in range(2)]
    for y in range(kernel[0]):
        for z in range(kernel[1]):
            top, left = y * dilation[0], z * dilation[1]
            yield x[:, top:top + (sizes[0] - 1) * stride[0] + 1:stride[0],
                    left:left + (sizes[1] - 1) * stride[1] + 1:stride[1]]


def convolve(x, w, stride, dilation, padding, groups):
    kernel = w.shape[2:]
    w = w.astype(np.float64).reshape(groups, w.shape[0] // groups, *w.shape[1:])
    total: Any = 0
    for number, tap in enumerate(windows(x, kernel, stride, dilation, padding, 0)):
        parts = tap.reshape(*tap.shape[:3], groups, tap.shape[3] // groups)
        taps = w[:, :, :, number // kernel[1], number % kernel[1]]
        total = total + np.einsum("nhwgc,goc->nhwgo", parts, taps)
    return total.reshape(*total.shape[:3], w.shape[0] * w.shape[1])


#===-----------------------------------------------------------------------===#
# Running
#===-----------------------------------------------------------------------===#


def build(cases):
    """One module of all cases, and its inputs."""
    arguments, inputs, body, results = [], [], [], []
    for number, case in enumerate(cases):
        names = []
        for position, (operand, constant) in enumerate(zip(case.operands, case.constant)):
            name = f"%c{number}_{position}"
            names.append(name)
            if constant:
                body.append(f"{name} = relay.constant {literal(operand)}")
            else:
                arguments.append(f"{name}: {tensor(operand.shape)}")
                inputs.append(operand)
        lines, last = case.text(names, f"v{number}")
        body += lines
        results.append((last, tensor(case.result.shape)))
    types = ", ".join(kind for _, kind in results)
    text = (f"func.func @main({', '.join(arguments)}) -> ({types}) {{\n"
            + "\n".join(body) + f"\nreturn {', '.join(v for v, _ in results)} : {types}\n}}")
    return text, inputs


def compare(cases, outputs):
    """What is wrong, a line for each case."""
    problems = []
    for case, output in zip(cases, outputs):
        output = np.asarray(output)
        if output.shape != case.result.shape:
            problems.append(f"{case.name}: shape {output.shape}, not {case.result.shape}")
            continue
        difference = np.abs(output - case.result)
        bad = ~(difference <= case.error + 1e-7)
        if bad.any():
            where = np.unravel_index(np.argmax(np.where(bad, np.nan_to_num(
                difference, nan=np.inf), 0)), bad.shape)
            problems.append(f"{case.name}: {bad.sum()} of {bad.size} elements, at "
                            f"{tuple(map(int, where))} {output[where]} for {case.result[where]}")
    return problems


# Each choice that does not follow from a shape.
CONFIGURATIONS = [
    {},
    {"precision": "highest"},
    {"desired_layout": "NHWC"},
    {"desired_layout": "NCHW"},
    {"desired_layout": "default", "precision": "highest"},
    {"target": "x86-64-v3"},
    {"target": "x86-64-v2"},
    {"target": "x86-64-v2", "desired_layout": "NCHW", "precision": "highest"},
]


def check(cases, configuration, threads=(1, 2, 3)):
    text, inputs = build(cases)
    module = rm.compile(rm.IRModule.parse(text), cache=False, **configuration)
    problems, first = [], None
    for count in threads:
        rm.set_num_threads(count)
        outputs = module(*inputs)
        outputs = outputs if isinstance(outputs, tuple) else (outputs,)
        problems += [f"threads={count} {line}" for line in compare(cases, outputs)]
        if first is None:
            first = outputs
        # The same numbers, however many threads there are.
        problems += [f"threads={count} {case.name}: not what one thread gives"
                     for case, a, b in zip(cases, first, outputs)
                     if np.asarray(a).tobytes() != np.asarray(b).tobytes()]
    return problems


@pytest.mark.parametrize("number", range(len(CONFIGURATIONS)))
def test_random_cases(number):
    generator = Generator(100 + number)
    cases = [generator.case() for _ in range(30)]
    assert check(cases, CONFIGURATIONS[number]) == []


@pytest.mark.parametrize("constant", [True, False])
def test_images_that_a_kernel_does_not_cover(constant):
    # One pixel of output, from a part of the image as wide as the image.
    generator = Generator(1)
    cases = [generator.convolution_of("conv", 1, channels, 17, 1,
                                      (kernel, [3, 3], [1, 1], [0] * 4, size),
                                      constant=constant)
             for channels in (1, 32)
             for kernel, size in [([3, 7], [4, 7]), ([3, 7], [5, 7]), ([7, 3], [7, 4]),
                                  ([3, 3], [4, 5]), ([1, 7], [2, 7]), ([3, 5], [3, 5]),
                                 ([1, 1], [2, 3])]]
    cases += [generator.convolution_of("grouped", 2, 16, 80, 4,
                                       ([7, 7], [2, 3], [1, 1], [0] * 4, [7, 7]),
                                       constant=constant)]
    assert check(cases, {}) == []


@pytest.mark.parametrize("number", range(len(CONFIGURATIONS)))
def test_products_without_rows_or_terms(number):
    generator = Generator(2)
    cases = [generator.dense_of(m, n, k, constant)
             for m, n, k in [(0, 16, 7), (0, 33, 16), (5, 24, 0), (0, 8, 0), (13, 17, 0)]
             for constant in (True, False)]
    assert check(cases, CONFIGURATIONS[number]) == []


@pytest.mark.parametrize("layout", ["NHWC", "NCHW"])
@pytest.mark.parametrize("kernel,stride,padding,width", [
    (3, 1, 1, 56), (3, 2, 1, 112), (3, 2, 0, 111), (2, 2, 0, 33), (5, 1, 2, 9),
    (3, 2, 1, 7), (3, 1, 1, 130), (3, 3, 1, 31), (5, 2, 2, 70), (4, 1, 3, 17)])
def test_pooling_of_what_is_no_number(layout, kernel, stride, padding, width):
    """NaN and infinities are in the results of the windows that have them, and in
    no others."""
    rng = np.random.default_rng(width)
    x = rng.uniform(-1, 1, (2, 13, width, 9)).astype(np.float32)
    if layout == "NCHW":
        x = np.ascontiguousarray(x.transpose(0, 3, 1, 2))
    for value in (np.nan, np.inf, -np.inf):
        x[tuple(rng.integers(n, size=40) for n in x.shape)] = value
    image = x if layout == "NHWC" else x.transpose(0, 2, 3, 1)
    windowed = [kernel] * 2, [stride] * 2, [1, 1], [padding] * 4
    with np.errstate(invalid="ignore"):
        expected = {"max": np.stack(list(windows(image, *windowed, -np.inf))).max(axis=0),
                    "avg": sum(windows(image, *windowed, 0)) / sum(
                        windows(np.ones(image.shape), *windowed, 0))}
    for name, result in expected.items():
        if layout == "NCHW":
            result = result.transpose(0, 3, 1, 2)
        text = (f"func.func @main(%x: {tensor(x.shape)}) -> {tensor(result.shape)} {{\n"
                f"%0 = relay.nn.{name}_pool2d %x {{pool_size = [{kernel}, {kernel}], "
                f"strides = [{stride}, {stride}], padding = {[padding] * 4}, "
                f'layout = "{layout}"}} : ({tensor(x.shape)}) -> {tensor(result.shape)}\n'
                f"return %0 : {tensor(result.shape)}\n}}")
        actual = np.asarray(rm.compile(rm.IRModule.parse(text), cache=False)(x))
        np.testing.assert_allclose(actual, result.astype(np.float32), rtol=1e-5,
                                   atol=1e-6 if name == "avg" else 0)


def test_choices_are_taken(tmp_path):
    """The random cases of one configuration see all rules."""
    generator = Generator(101)
    cases = [generator.case() for _ in range(100)]
    cases.append(generator.convolution_of(
        "winograd", 1, 64, 64, 1, ([3, 3], [1, 1], [1, 1], [1] * 4, [28, 28]),
        relative=WINOGRAD_BOUND, constant=True))
    (tmp_path / "model.mlir").write_text(build(cases)[0])
    result = subprocess.run(
        [BUILD / "bin" / "relay-compile", "model.mlir", "--emit=tir", "-o", os.devnull,
         "--target=x86-64-v3", "--remarks"],
        cwd=tmp_path, capture_output=True, text=True, check=True)
    for remark in ["sum of products", "window that slides over channels-last data",
                   "window that slides along rows",
                   "reduction, results side by side", "transforms by constant matrices",
                   "  packed: constant argument",
                   "  not packed: constant argument", "  parallel: ", "  not parallel: ",
                   "  tile: "]:
        assert remark in result.stderr, remark


def fuzz(count, seed, batch=25):
    generator = Generator(seed)
    failures = 0
    for start in range(0, count, batch):
        cases = [generator.case() for _ in range(batch)]
        configuration = CONFIGURATIONS[start // batch % len(CONFIGURATIONS)]
        try:
            problems = check(cases, configuration)
        except rm.CompileError as error:
            problems = []
            for case in cases:
                try:
                    problems += check([case], configuration, threads=(1,))
                except rm.CompileError as error:
                    problems.append(f"{case.name}: {error}")
        for line in problems:
            print(configuration, line, flush=True)
        failures += len(problems)
    print(f"{failures} problems in {count} cases")
    return failures


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--fuzz", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    sys.exit(fuzz(arguments.fuzz, arguments.seed) != 0)
