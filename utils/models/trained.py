#!/usr/bin/env python3
# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small networks that are trained, not random: on the digits of scikit-learn, by
NumPy, from fixed seeds, in seconds each.

    import trained
    path = trained.get("digits_detector")      # an .onnx file, made once
    model = trained.load("digits_detector")    # the same as a protobuf
    images, labels = trained.samples("digits_detector")

The files lie in `models` of the build folder (RELAY_BUILD_DIR); a change of this
script makes new ones. `python utils/models/trained.py` trains all and prints
what they reach on digits that they have not seen.
"""

import argparse
import fcntl
import hashlib
import os
import pathlib
import sys

import numpy as np
import onnx
from threadpoolctl import threadpool_limits

sys.path.insert(0, str(pathlib.Path(__file__).parent))

from autograd import Trainer
from graph import Graph

ROOT = pathlib.Path(__file__).resolve().parents[2]

#
# Networks, in the terms of Graph; the trainer has the same methods.
#


def _silu(g, x):
    return g.op("Mul", x, g.op("Sigmoid", x))


def _conv(g, x, name, cin, cout, kernel, stride=1, groups=1, activation=True):
    """A convolution without bias, normalised."""
    x = g.conv(x, name, cin, cout, kernel, stride, pad=kernel // 2, groups=groups)
    x = g.batch_norm(x, f"{name}.norm", cout)
    return _silu(g, x) if activation else x


def _separable(g, x, name, cin, cout, stride=1):
    """A depthwise convolution and one of single pixels, and what they add to."""
    y = _conv(g, x, f"{name}.depthwise", cin, cin, 3, stride, groups=cin)
    y = _conv(g, y, f"{name}.pointwise", cin, cout, 1)
    return g.op("Add", x, y) if stride == 1 and cin == cout else y


def mlp(g):
    """Three layers of 256."""
    x = g.input("pixels", [64])
    for i, width in enumerate([64, 256, 256]):
        x = g.relu(g.linear(x, f"hidden{i}", width, 256))
    return [g.linear(x, "classes", 256, 10, gain=1.0)]


def cnn(g):
    """Convolutions of 32 and 64 channels with ReLU."""
    x = g.input("image", [1, 16, 16])
    for i, (cin, cout) in enumerate([(1, 32), (32, 64), (64, 64), (64, 64)]):
        x = g.conv(x, f"conv{i}", cin, cout, 3, pad=1)
        x = g.relu(g.batch_norm(x, f"norm{i}", cout))
        if i % 2:
            x = g.max_pool(x, f"pool{i}", 2, 2)
    x = g.op("Flatten", g.op("GlobalAveragePool", x), axis=1)
    return [g.linear(x, "classes", 64, 10, gain=1.0)]


def depthwise(g):
    """Deep and narrow: fourteen blocks of 16 to 64 channels."""
    x = _conv(g, g.input("image", [1, 16, 16]), "stem", 1, 16, 3)
    width = 16
    for i, (cout, stride) in enumerate([(16, 1)] * 3 + [(32, 2)] + [(32, 1)] * 4 +
                                       [(64, 2)] + [(64, 1)] * 5):
        x = _separable(g, x, f"block{i}", width, cout, stride)
        width = cout
    x = g.op("Flatten", g.op("GlobalAveragePool", x), axis=1)
    return [g.linear(x, "classes", width, 10, gain=1.0)]


def _normalised(g, x, name, cin, cout, kernel, stride=1, groups=1):
    """A convolution without activation."""
    return _conv(g, x, name, cin, cout, kernel, stride, groups, activation=False)


def mobile(g):
    """Blocks of MobileNet-V2 with ReLU: wide in their middles, where a convolution is
    depthwise, and added to their narrow ends."""
    x = g.relu(_normalised(g, g.input("image", [1, 16, 16]), "stem", 1, 16, 3))
    width = 16
    for i, (cout, stride) in enumerate([(16, 1), (24, 2), (24, 1), (32, 2), (32, 1)]):
        middle = 3 * width
        y = g.relu(_normalised(g, x, f"block{i}.expand", width, middle, 1))
        y = g.relu(_normalised(g, y, f"block{i}.depthwise", middle, middle, 3, stride,
                               groups=middle))
        y = _normalised(g, y, f"block{i}.project", middle, cout, 1)
        x = g.op("Add", x, y) if stride == 1 and width == cout else y
        width = cout
    x = g.relu(_normalised(g, x, "head", width, 64, 1))
    x = g.op("Flatten", g.op("GlobalAveragePool", x), axis=1)
    return [g.linear(x, "classes", 64, 10, gain=1.0)]


def residual(g):
    """A ResNet of six blocks of two convolutions."""
    x = g.relu(_normalised(g, g.input("image", [1, 16, 16]), "stem", 1, 16, 3))
    width = 16
    for i, cout in enumerate([16, 16, 32, 32, 64, 64]):
        stride = 1 if cout == width else 2
        y = g.relu(_normalised(g, x, f"block{i}.first", width, cout, 3, stride))
        y = _normalised(g, y, f"block{i}.second", cout, cout, 3)
        if stride != 1:
            x = _normalised(g, x, f"block{i}.shortcut", width, cout, 1, stride)
        x = g.relu(g.op("Add", x, y))
        width = cout
    x = g.op("Flatten", g.op("GlobalAveragePool", x), axis=1)
    return [g.linear(x, "classes", width, 10, gain=1.0)]


def detector(g):
    """Finds digits in an image of 32 x 32: for each of 4 x 4 cells the place of a
    digit in it, its size in cells, and how sure it is that there is each."""
    x = _conv(g, g.input("image", [1, 32, 32]), "stem", 1, 16, 3, stride=2)
    width = 16
    for i, (cout, stride) in enumerate([(16, 1), (32, 2), (32, 1), (64, 2), (64, 1), (64, 1)]):
        x = _separable(g, x, f"block{i}", width, cout, stride)
        width = cout
    x = _conv(g, x, "head", width, 64, 1)
    head = lambda name, cout: g.conv(x, name, 64, cout, 1, bias=True, gain=1.0)
    place, size = g.op("Sigmoid", head("place", 2)), g.op("Exp", head("size", 1))
    sure = g.op("Sigmoid", head("object", 1))
    digits = head("class", 10)
    scores = g.op("Mul", sure, g.op("Softmax", digits, axis=1))
    return [place, size, sure, scores, digits]


def attention(g):
    """Two blocks of a transformer on the 16 tokens of an image."""
    tokens, width, heads = 16, 64, 4
    x = g.matmul(g.input("pixels", [tokens, 4]), "embed", 4, width)
    x = g.op("Add", x, g.normal("position", (tokens, width), 0.1))
    for i in range(2):
        y = g.layer_norm(x, f"norm{i}", width)
        parts = []
        for part in "qkv":
            z = g.op("Reshape", g.matmul(y, f"{part}{i}", width, width),
                     g.ints(f"heads{i}{part}", [-1, tokens, heads, width // heads]))
            parts.append(g.op("Transpose", z, perm=[0, 2, 3, 1] if part == "k" else [0, 2, 1, 3]))
        q, k, v = parts
        scores = g.op("Mul", g.op("MatMul", q, k),
                      g.scalar(f"scale{i}", (width // heads) ** -0.5))
        y = g.op("MatMul", g.op("Softmax", scores, axis=-1), v)
        y = g.op("Reshape", g.op("Transpose", y, perm=[0, 2, 1, 3]),
                 g.ints(f"joined{i}", [-1, tokens, width]))
        x = g.op("Add", x, g.matmul(y, f"output{i}", width, width))
        y = g.layer_norm(x, f"middle{i}", width)
        y = _silu(g, g.matmul(y, f"up{i}", width, 256))
        x = g.op("Add", x, g.matmul(y, f"down{i}", 256, width))
    x = g.op("Reshape", x, g.ints("flat", [-1, tokens * width]))
    return [g.linear(x, "classes", tokens * width, 10, gain=1.0)]


#
# Data
#


def _digits():
    """1,797 digits of 8 x 8 pixels from 0 to 1, shuffled, and what they are."""
    from sklearn.datasets import load_digits  # Takes a second.

    images, labels = load_digits(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(labels))
    return (images[order] / 16).astype(np.float32).reshape(-1, 8, 8), labels[order]


def _enlarge(images, times):
    return np.kron(images, np.ones((times, times), np.float32))


def _scenes(images, labels, count, seed):
    """Images of a digit, at a random place, of 16 or 24 pixels; for each cell
    whether its middle is there, where, how large, and which."""
    rng = np.random.default_rng(seed)
    scenes = rng.uniform(0, 0.15, (count, 1, 32, 32)).astype(np.float32)
    targets = np.zeros((count, 5, 4, 4), np.float32)
    for scene, target in zip(scenes, targets):
        digit = rng.integers(len(images))
        size = 8 * rng.integers(2, 4)
        top, left = rng.integers(0, 32 - size + 1, 2)
        area = scene[0, top:top + size, left:left + size]
        np.maximum(area, _enlarge(images[digit], size // 8), out=area)
        row, column = (top + size / 2) / 8, (left + size / 2) / 8
        cell = int(row), int(column)
        target[(slice(None), *cell)] = (1, row - cell[0], column - cell[1], size / 8,
                                        labels[digit])
    return scenes, targets


def _prepare(name, images, labels, seed):
    """Inputs of the network, and what it is to learn."""
    if name == "digits_detector":
        return _scenes(images, labels, 2 * len(images), seed)
    if name == "digits_mlp":
        return images.reshape(-1, 64), labels
    if name == "digits_attention":
        # Tokens are 2 x 2 pixels.
        patches = images.reshape(-1, 4, 2, 4, 2).transpose(0, 1, 3, 2, 4)
        return patches.reshape(-1, 16, 4), labels
    return _enlarge(images, 2)[:, None], labels


#
# Training
#


def _loss(t, name, outputs, labels):
    if name != "digits_detector":
        return t.cross_entropy(outputs[0], labels, np.ones(len(labels)))
    place, size, sure, _, digits = outputs
    isObject, row, column, extent, digit = np.split(labels, 5, axis=1)
    return t.total([
        t.log_loss(sure, isObject), t.cross_entropy(digits, digit[:, 0], isObject[:, 0]),
        t.squares(place, np.concatenate([row, column], 1), isObject),
        t.squares(size, extent, 0.3 * isObject)])


def measure(name, outputs, labels):
    """The share that is right."""
    if name != "digits_detector":
        return float((outputs[0].argmax(1) == labels).mean())
    place, size, sure, scores, _ = outputs
    isObject = labels[:, :1] > 0
    found = (sure > 0.5) & (scores.argmax(1)[:, None] == labels[:, 4:])
    near = np.abs(place - labels[:, 1:3]).max(1, keepdims=True) < 0.5
    near &= np.abs(size - labels[:, 3:4]) < 0.5
    return float((found & near)[isObject].mean())


# Steps, and images in a step.
NETWORKS = {
    "digits_mlp": (mlp, 400, 64),
    "digits_cnn": (cnn, 120, 32),
    "digits_residual": (residual, 100, 32),
    "digits_depthwise": (depthwise, 200, 48),
    "digits_mobile": (mobile, 200, 32),
    "digits_detector": (detector, 900, 32),
    "digits_attention": (attention, 300, 64),
}
NUM_TEST = 297


def train(name):
    """The trained weights, by name, and the share of unseen digits that the
    network gets right."""
    build, steps, batch = NETWORKS[name]
    images, labels = _digits()
    trainer = Trainer(seed=1)
    x, y = _prepare(name, images[NUM_TEST:], labels[NUM_TEST:], 1)
    rng = np.random.default_rng(2)
    # OpenBLAS' threads wait for each other: beside another busy process a small
    # product takes a hundred times as long on two as on one.
    with threadpool_limits(1):
        for step in range(steps):
            chosen = rng.integers(0, len(x), batch)
            outputs = trainer.forward(build, x[chosen])
            loss = _loss(trainer, name, outputs, y[chosen])
            trainer.step(loss, rate=5e-3 * min(1, (step + 1) / 20) * (1 - step / steps))
        x, y = _prepare(name, images[:NUM_TEST], labels[:NUM_TEST], 3)
        outputs = [t.value for t in trainer.forward(build, x, training=False)]
    return trainer.weights, measure(name, outputs, y)


class _Export(Graph):
    """Writes a graph with the weights that were learned."""

    def __init__(self, name, batch, weights):
        super().__init__(name, batch, seed=0)
        self.weights = weights

    def normal(self, name, shape, std, mean=0.0):
        assert self.weights[name].shape == tuple(shape), name
        return self.constant(name, self.weights[name])

    def uniform(self, name, shape, low, high):
        return self.normal(name, shape, 0)

    def matmul(self, x, name, cin, cout):
        return self.op("MatMul", x, self.normal(f"{name}.weight", (cin, cout), 0), name=name)

    def layer_norm(self, x, name, width):
        return self.op("LayerNormalization", x, self.normal(f"{name}.weight", (width,), 0),
                       self.normal(f"{name}.bias", (width,), 0), name=name, axis=-1)


def export(name, weights, batch="n"):
    """The network as a protobuf; `batch` is a number, or the name of a dynamic
    dimension."""
    g = _Export(name, batch, weights)
    for i, output in enumerate(NETWORKS[name][0](g)):
        g.nodes.append(onnx.helper.make_node("Identity", [output], [f"result{i}"]))
        g.outputs.append(onnx.helper.make_tensor_value_info(
            f"result{i}", onnx.TensorProto.FLOAT, None))
    return onnx.shape_inference.infer_shapes(g.model())


#
# Files
#


def _folder():
    return pathlib.Path(ROOT, os.environ.get("RELAY_BUILD_DIR", "build"), "models")


def _weights(name):
    """The weights and the share that is right, from a file if there is one."""
    digest = hashlib.sha256(np.__version__.encode())
    for source in ("trained.py", "autograd.py"):
        digest.update(pathlib.Path(__file__).with_name(source).read_bytes())
    path = _folder() / f"{name}-{digest.hexdigest()[:16]}.npz"
    path.parent.mkdir(parents=True, exist_ok=True)
    # Of several processes that ask at once, one trains.
    with open(path.with_suffix(".lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not path.exists():
            weights, share = train(name)
            partial = path.with_name(f"{path.stem}.{os.getpid()}.npz")
            np.savez(partial, __share__=share, **weights)
            os.replace(partial, path)
    with np.load(path) as file:
        arrays = dict(file)
    return arrays, float(arrays.pop("__share__"))


def load(name, batch="n"):
    """The network as a protobuf, trained when it is asked for first."""
    return export(name, _weights(name)[0], batch)


def builder(name):
    """What builds the network for a batch size, as the other networks are built;
    the seed makes no difference."""
    return lambda batch, seed: load(name, batch)


def get(name, batch="n"):
    """The path of the network as a file."""
    model = load(name, batch).SerializeToString()
    path = _folder() / f"{name}-{hashlib.sha256(model).hexdigest()[:16]}.onnx"
    if not path.exists():
        partial = path.with_suffix(f".{os.getpid()}.partial")
        partial.write_bytes(model)
        os.replace(partial, path)
    return path


def share(name):
    """The share of unseen digits that the network gets right."""
    return _weights(name)[1]


def samples(name, count=16):
    """Inputs that the network was not trained on, and what is right."""
    images, labels = _digits()
    x, y = _prepare(name, images[:NUM_TEST], labels[:NUM_TEST], 3)
    return x[:count], y[:count]


def training_samples(name, count):
    """Inputs that the network was trained on, and what is right."""
    images, labels = _digits()
    x, y = _prepare(name, images[NUM_TEST:], labels[NUM_TEST:], 1)
    return x[:count], y[:count]


def main():
    argparse.ArgumentParser(description=__doc__.splitlines()[0]).parse_args()
    for name in NETWORKS:
        print(f"{name:18} {share(name):6.1%}  {get(name)}")


if __name__ == "__main__":
    main()
