"""Networks that are trained by compiled gradients, on the digits of scikit-learn."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from sklearn.datasets import load_digits

from gradient_checks import flatten, run
from relay_mlir import relay
from relay_mlir.relay import op, transform

BATCH = 64
# Sums of up to some hundred products, back and forth; bounds.py has those of single
# operators.
RTOL = 2e-5


def mlp(x, weight):
    h = op.nn.relu(op.nn.bias_add(op.nn.dense(op.nn.batch_flatten(x), weight("w1", 32, 64)),
                                  weight("b1", 32)))
    return op.nn.bias_add(op.nn.dense(h, weight("w2", 10, 32)), weight("b2", 10))


def lenet(x, weight):
    for i, (cin, cout) in enumerate([(1, 6), (6, 12)]):
        x = op.nn.conv2d(x, weight(f"k{i}", cout, cin, 3, 3), padding=(1, 1))
        x = op.nn.relu(op.nn.bias_add(x, weight(f"c{i}", cout)))
        x = op.nn.max_pool2d(x, (2, 2), (2, 2)) if i == 0 else op.nn.avg_pool2d(x, (2, 2), (2, 2))
    h = relay.tanh(op.nn.dense(op.nn.batch_flatten(x), weight("w1", 24, 48)))
    return op.nn.bias_add(op.nn.dense(h, weight("w2", 10, 24)), weight("b2", 10))


def normalized(x, weight):
    """With batch normalisation as training has it: by mean and variance of the batch."""
    x = op.nn.conv2d(x, weight("k", 8, 1, 3, 3), strides=(2, 2), padding=(1, 1))
    norm = op.nn.batch_norm(x, weight("gamma", 8), weight("beta", 8),
                            relay.mean(x, axis=[0, 2, 3]), relay.variance(x, axis=[0, 2, 3]))
    h = op.nn.batch_flatten(op.nn.relu(norm[0]))
    return op.nn.dense(h, weight("w", 10, 128))


NETWORKS = {"mlp": mlp, "lenet": lenet, "normalized": normalized}


@functools.lru_cache(maxsize=None)
def digits():
    images, labels = load_digits(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(images))
    images = (images[order] / 16).reshape(-1, 1, 8, 8).astype("float32")
    return images, labels[order]


def make(name, batch=BATCH):
    """The loss of a network, a function of images, one-hot labels and weights, and weights
    to begin with."""
    rng = np.random.default_rng(1)
    params, weights = [], []

    def weight(name, *shape):
        params.append(relay.var(name, shape=shape))
        fan_in = np.prod(shape[1:]) if len(shape) > 1 else 0
        value = rng.standard_normal(shape) * np.sqrt(2 / fan_in) if fan_in else \
            np.full(shape, float(name == "gamma"))
        weights.append(value.astype("float32"))
        return params[-1]

    x = relay.var("x", shape=(batch, 1, 8, 8))
    y = relay.var("y", shape=(batch, 10))
    logits = NETWORKS[name](x, weight)
    loss = -relay.mean(relay.sum(op.nn.log_softmax(logits) * y, axis=[1]))
    return (relay.Function([x, y, *params], loss), relay.Function([x, *params], logits), weights)


def batches(count):
    images, labels = digits()
    rng = np.random.default_rng(2)
    for _ in range(count):
        picked = rng.integers(0, 1500, BATCH)
        yield images[picked], np.eye(10, dtype="float32")[labels[picked]]


def train(step, weights, steps=250, rate=0.1, momentum=0.9):
    velocity = [np.zeros_like(w) for w in weights]
    losses = []
    for x, y in batches(steps):
        loss, gradients = step(x, y, *weights)
        losses.append(float(np.asarray(loss)))
        for i, gradient in enumerate(gradients[2:]):
            velocity[i] = momentum * velocity[i] - rate * np.asarray(gradient)
            weights[i] = weights[i] + velocity[i]
    return losses


@pytest.mark.parametrize("name", NETWORKS)
def test_training(name):
    loss, logits, weights = make(name)
    gradient = transform.gradient(loss, mode="first_order")
    # Compiled, it computes what the interpreter does, ...
    step = relay.create_executor("aot").evaluate(gradient)
    x, y = next(batches(1))
    for found, expected in zip(flatten(step(x, y, *weights)),
                               flatten(run(gradient, [x, y, *weights])), strict=True):
        np.testing.assert_allclose(found, expected, rtol=RTOL,
                                   atol=RTOL * (np.abs(expected).max() + 1e-3))
    # ... and teaches the network digits that it has not seen.
    losses = train(step, weights)
    assert np.mean(losses[-10:]) < 0.15 < 2 < losses[0]
    images, labels = digits()
    unseen = images[-BATCH * 4:], labels[-BATCH * 4:]
    predict = relay.create_executor("aot").evaluate(logits)
    found = [np.asarray(predict(part, *weights)).argmax(axis=1)
             for part in np.split(unseen[0], 4)]
    accuracy = float(np.mean(np.concatenate(found) == unseen[1]))
    assert accuracy > 0.93, accuracy


def test_batches_of_any_size():
    """One compiled step for every size."""
    loss, _, weights = make("mlp", relay.Any())
    gradient = transform.gradient(loss, mode="first_order")
    step = relay.create_executor("aot").evaluate(gradient)
    images, labels = digits()
    for size in (1, 3, BATCH):
        x, y = images[:size], np.eye(10, dtype="float32")[labels[:size]]
        for found, expected in zip(flatten(step(x, y, *weights)),
                                   flatten(run(gradient, [x, y, *weights])), strict=True):
            np.testing.assert_allclose(found, expected, rtol=RTOL,
                                       atol=RTOL * (np.abs(expected).max() + 1e-3))


def test_gradients_of_both_modes_agree():
    loss, _, weights = make("lenet", 4)
    x, y = (part[:4] for part in next(batches(1)))
    first = run(transform.gradient(loss, mode="first_order"), [x, y, *weights])
    mod = relay.IRModule.from_expr(transform.gradient(loss))
    passes = transform.Sequential([
        transform.PartialEvaluate(), transform.DeadCodeElimination(ignore_impurity=True),
        transform.ToGraphNormalForm()])
    mod = passes(mod)
    higher = relay.create_executor("aot", mod).evaluate()(x, y, *weights)
    for found, expected in zip(flatten(higher), flatten(first), strict=True):
        np.testing.assert_allclose(found, expected, rtol=RTOL,
                                   atol=RTOL * (np.abs(expected).max() + 1e-3))
