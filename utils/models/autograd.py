# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trains small networks with NumPy: runs a network that is written in the terms of
Graph (graph.py) on arrays, and follows its operators backwards."""

from typing import Any

import numpy as np


class Value:
    """An array, what it was computed from, and its gradient once it is asked for."""

    def __init__(self, value, sources=(), backward=None):
        self.value = np.asarray(value, np.float32)
        self.sources = sources
        self.backward = backward  # The gradient of the result -> those of the sources.
        self.grad = None

    @property
    def shape(self):
        return self.value.shape


def _sum_to(grad, shape):
    """The gradient of what was broadcast from `shape`."""
    grad = grad.sum(axis=tuple(range(grad.ndim - len(shape))))
    axes = tuple(i for i, size in enumerate(shape) if size == 1)
    return grad.sum(axis=axes, keepdims=True).reshape(shape)


def _sigmoid(x):
    return 1 / (1 + np.exp(-np.clip(x, -30, 30)))


def _softmax(x, axis):
    x = np.exp(x - x.max(axis, keepdims=True))
    return x / x.sum(axis, keepdims=True)


class Trainer:
    """Has the methods of Graph that the networks use. Weights are made when they
    are first asked for, and are kept by name."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.weights = {}
        self.moments = {}
        self.numSteps = 0
        self.used = {}
        self.data: Any = None
        self.training = True

    def forward(self, build, data, training=True):
        self.used, self.data, self.training = {}, data, training
        return build(self)

    def step(self, loss, rate):
        """One step of Adam down the gradient of `loss`."""
        order, seen = [], set()
        stack = [(loss, False)]
        while stack:
            value, isDone = stack.pop()
            if isDone:
                order.append(value)
            elif id(value) not in seen:
                seen.add(id(value))
                stack.append((value, True))
                stack.extend((source, False) for source in value.sources)
        loss.grad = np.ones((), np.float32)
        for value in reversed(order):
            if value.backward is None or value.grad is None:
                continue
            for source, grad in zip(value.sources, value.backward(value.grad)):
                grad = np.asarray(grad, np.float32)
                source.grad = grad if source.grad is None else source.grad + grad
        self.numSteps += 1
        for name, value in self.used.items():
            if value.grad is None:
                continue
            first, second = self.moments.setdefault(
                name, [np.zeros(value.shape, np.float32) for _ in range(2)])
            first += 0.1 * (value.grad - first)
            second += 0.01 * (value.grad**2 - second)
            ahead = first / (1 - 0.9**self.numSteps)
            size = np.sqrt(second / (1 - 0.99**self.numSteps)) + 1e-8
            self.weights[name] = (self.weights[name] - rate * ahead / size).astype(np.float32)

    # Weights and inputs.

    def input(self, name, shape):
        return Value(self.data.reshape(-1, *shape))

    def normal(self, name, shape, std, mean=0.0):
        if name not in self.weights:
            self.weights[name] = (self.rng.standard_normal(shape) * std + mean).astype(np.float32)
        return self.used.setdefault(name, Value(self.weights[name]))

    def ints(self, name, values):
        return values

    def scalar(self, name, value):
        return Value(value)

    # Layers.

    def conv(self, x, name, cin, cout, kernel, stride=1, pad=0, groups=1, bias=False, gain=2.0):
        fan = cin // groups * kernel * kernel
        w = self.normal(f"{name}.weight", (cout, cin // groups, kernel, kernel),
                        np.sqrt(gain / fan))
        padded = np.pad(x.value, ((0, 0), (0, 0), (pad, pad), (pad, pad)))
        height, width = ((size - kernel) // stride + 1 for size in padded.shape[2:])

        def window(array, i, j):
            return array[:, :, i:i + stride * (height - 1) + 1:stride,
                         j:j + stride * (width - 1) + 1:stride]

        taps = [(i, j) for i in range(kernel) for j in range(kernel)]
        if groups == 1:
            columns = np.stack([window(padded, i, j) for i, j in taps], 2)
            columns = columns.reshape(-1, fan, height * width)
            matrix = w.value.reshape(cout, fan)
            y = (matrix @ columns).reshape(-1, cout, height, width)

            def backward(grad):
                grad = grad.reshape(-1, cout, height * width)
                parts = (matrix.T @ grad).reshape(-1, cin, len(taps), height, width)
                dw = (grad @ columns.transpose(0, 2, 1)).sum(0)
                return parts.transpose(2, 0, 1, 3, 4), dw.reshape(w.shape)
        else:
            assert groups == cin == cout, "expects a depthwise convolution"
            y = sum(window(padded, i, j) * w.value[:, 0, i, j, None, None] for i, j in taps)

            def backward(grad):
                parts = [grad * w.value[:, 0, i, j, None, None] for i, j in taps]
                dw = [(window(padded, i, j) * grad).sum((0, 2, 3)) for i, j in taps]
                return parts, np.stack(dw, 1).reshape(w.shape)

        def scatter(grad):
            parts, dw = backward(grad)
            dx = np.zeros_like(padded)
            for (i, j), part in zip(taps, parts):
                window(dx, i, j)[...] += part
            return dx[:, :, pad:pad + x.shape[2], pad:pad + x.shape[3]], dw

        result = Value(y, (x, w), scatter)
        if not bias:
            return result
        b = self.normal(f"{name}.bias", (cout,), 0.1)
        return Value(result.value + b.value[:, None, None], (result, b),
                     lambda grad: (grad, grad.sum((0, 2, 3))))

    def batch_norm(self, x, name, channels):
        w = self.normal(f"{name}.weight", (channels,), 0.0, 1.0)
        b = self.normal(f"{name}.bias", (channels,), 0.0)
        along = (slice(None), None, None)
        moving = [self.weights.setdefault(f"{name}.running_{what}",
                                          np.full(channels, start, np.float32))
                  for what, start in (("mean", 0), ("var", 1))]
        mean, var = moving
        if self.training:
            mean, var = x.value.mean((0, 2, 3)), x.value.var((0, 2, 3))
            for known, new in zip(moving, (mean, var)):
                known += 0.1 * (new - known)
        scale = 1 / np.sqrt(var + 1e-5)
        unit = (x.value - mean[along]) * scale[along]

        def backward(grad):
            dw, db = (grad * unit).sum((0, 2, 3)), grad.sum((0, 2, 3))
            count = grad.size // channels
            dx = grad - db[along] / count - unit * dw[along] / count
            return dx * (w.value * scale)[along], dw, db

        return Value(unit * w.value[along] + b.value[along], (x, w, b), backward)

    def layer_norm(self, x, name, width):
        w = self.normal(f"{name}.weight", (width,), 0.0, 1.0)
        b = self.normal(f"{name}.bias", (width,), 0.0)
        scale = 1 / np.sqrt(x.value.var(-1, keepdims=True) + 1e-5)
        unit = (x.value - x.value.mean(-1, keepdims=True)) * scale

        def backward(grad):
            part = grad * w.value
            dx = part - part.mean(-1, keepdims=True)
            dx = dx - unit * (part * unit).mean(-1, keepdims=True)
            axes = tuple(range(grad.ndim - 1))
            return dx * scale, (grad * unit).sum(axes), grad.sum(axes)

        return Value(unit * w.value + b.value, (x, w, b), backward)

    def linear(self, x, name, cin, cout, gain=2.0):
        w = self.normal(f"{name}.weight", (cout, cin), np.sqrt(gain / cin))
        b = self.normal(f"{name}.bias", (cout,), 0.1)
        return Value(x.value @ w.value.T + b.value, (x, w, b),
                     lambda grad: (grad @ w.value, grad.T @ x.value, grad.sum(0)))

    def matmul(self, x, name, cin, cout):
        return self._matmul(x, self.normal(f"{name}.weight", (cin, cout), cin**-0.5))

    def relu(self, x):
        return Value(np.maximum(x.value, 0), (x,), lambda grad: (grad * (x.value > 0),))

    def max_pool(self, x, name, kernel, stride):
        assert kernel == stride == 2, "expects windows of 2 x 2"
        n, c, height, width = x.shape
        blocks = x.value.reshape(n, c, height // 2, 2, width // 2, 2)
        largest = blocks.max((3, 5), keepdims=True)

        def backward(grad):
            isLargest = blocks == largest
            share = isLargest / isLargest.sum((3, 5), keepdims=True)
            return ((share * grad[:, :, :, None, :, None]).reshape(x.shape),)

        return Value(largest[:, :, :, 0, :, 0], (x,), backward)

    # Operators.

    def op(self, op_type, *inputs, **attributes):
        return getattr(self, f"_{op_type.lower()}")(*inputs, **attributes)

    def _binary(self, x, y, value, backward):
        return Value(value, (x, y), lambda grad: [
            _sum_to(part, source.shape) for source, part in zip((x, y), backward(grad))])

    def _add(self, x, y):
        return self._binary(x, y, x.value + y.value, lambda grad: (grad, grad))

    def _mul(self, x, y):
        return self._binary(x, y, x.value * y.value,
                            lambda grad: (grad * y.value, grad * x.value))

    def _matmul(self, x, y):
        def backward(grad):
            return grad @ np.swapaxes(y.value, -1, -2), np.swapaxes(x.value, -1, -2) @ grad

        return self._binary(x, y, x.value @ y.value, backward)

    def _sigmoid(self, x):
        y = _sigmoid(x.value)
        return Value(y, (x,), lambda grad: (grad * y * (1 - y),))

    def _exp(self, x):
        y = np.exp(x.value)
        return Value(y, (x,), lambda grad: (grad * y,))

    def _softmax(self, x, axis):
        y = _softmax(x.value, axis)
        return Value(y, (x,),
                     lambda grad: (y * (grad - (grad * y).sum(axis, keepdims=True)),))

    def _reshape(self, x, shape):
        return Value(x.value.reshape(shape), (x,), lambda grad: (grad.reshape(x.shape),))

    def _flatten(self, x, axis):
        return self._reshape(x, (int(np.prod(x.shape[:axis])), -1))

    def _transpose(self, x, perm):
        return Value(x.value.transpose(perm), (x,), lambda grad: (grad.transpose(np.argsort(perm)),))

    def _globalaveragepool(self, x):
        count = x.shape[2] * x.shape[3]
        return Value(x.value.mean((2, 3), keepdims=True), (x,),
                     lambda grad: (np.broadcast_to(grad / count, x.shape),))

    # Losses: numbers, means over the first axis.

    def cross_entropy(self, x, labels, weight):
        """Of the classes along axis 1."""
        p = _softmax(x.value, 1)
        labels = np.expand_dims(labels.astype(np.int64), 1)
        weight = np.expand_dims(weight, 1) / len(labels)

        def backward(grad):
            dx = p.copy()
            np.put_along_axis(dx, labels, np.take_along_axis(p, labels, 1) - 1, 1)
            return (grad * weight * dx,)

        loss = -np.log(np.take_along_axis(p, labels, 1) + 1e-12)
        return Value((loss * weight).sum(), (x,), backward)

    def log_loss(self, p, wanted):
        """Of probabilities."""
        known = np.clip(p.value, 1e-5, 1 - 1e-5)
        loss = -(wanted * np.log(known) + (1 - wanted) * np.log(1 - known))
        return Value(loss.sum() / len(wanted), (p,), lambda grad: (
            grad * (known - wanted) / (known * (1 - known)) / len(wanted),))

    def squares(self, x, wanted, weight):
        rest = (x.value - wanted) * weight
        return Value((rest * (x.value - wanted)).sum() / len(wanted), (x,),
                     lambda grad: (grad * 2 * rest / len(wanted),))

    def total(self, losses):
        return Value(sum(loss.value for loss in losses), tuple(losses),
                     lambda grad: [grad] * len(losses))
