"""Programs with recursion, data types and closures against NumPy."""

from typing import Any

import numpy as np
from relay_programs import run_main

# Sums of some dozen products in float32, through a few steps.
TOLERANCE: dict[str, Any] = dict(rtol=1e-5, atol=1e-6)


def random_arrays(seed, **shapes):
    rng = np.random.default_rng(seed)
    return {
        name: rng.uniform(-1, 1, shape).astype(np.float32)
        for name, shape in shapes.items()
    }


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


RNN = """
type Weights {
  Weights(Tensor[(8, 5), float32], Tensor[(8, 8), float32], Tensor[(8), float32], Tensor[(5, 8), float32]),
}

def @cell(%w: Weights, %x: Tensor[(1, 5), float32], %h: Tensor[(1, 8), float32]) -> (Tensor[(1, 8), float32], Tensor[(1, 5), float32]) {
  match (%w) {
    Weights(%wx, %wh, %b, %wo) => {
      let %sum = nn.dense(%x, %wx, units=8) + nn.dense(%h, %wh, units=8);
      let %next = tanh(nn.bias_add(%sum, %b));
      (%next, nn.softmax(nn.dense(%next, %wo, units=5)))
    },
  }
}

/* What is likeliest is the next input. */
def @generate(%w: Weights, %n: int32, %x: Tensor[(1, 5), float32], %h: Tensor[(1, 8), float32]) -> List[Tensor[(1, 5), float32]] {
  if (%n == 0) {
    Nil
  } else {
    let %result = @cell(%w, %x, %h);
    let %choice = one_hot(argmax(%result.1, axis=[1]), 1f, 0f, depth=5, axis=-1, dtype="float32");
    Cons(%result.1, @generate(%w, %n - 1, %choice, %result.0))
  }
}

def @main(%n: int32, %x: Tensor[(1, 5), float32], %h: Tensor[(1, 8), float32], %wx: Tensor[(8, 5), float32], %wh: Tensor[(8, 8), float32], %b: Tensor[(8), float32], %wo: Tensor[(5, 8), float32]) -> Tensor[(?, 5), float32] {
  let %join = fn (%rows: Tensor[(?, 5), float32], %row: Tensor[(1, 5), float32]) -> Tensor[(?, 5), float32] {
    concatenate((%rows, %row), axis=0)
  };
  let %outputs = @generate(Weights(%wx, %wh, %b, %wo), %n, %x, %h);
  @foldl(%join, zeros(shape=[0, 5], dtype="float32"), %outputs)
}
"""


def test_generative_rnn(tmp_path):
    arrays = random_arrays(
        1, x=(1, 5), h=(1, 8), wx=(8, 5), wh=(8, 8), b=(8,), wo=(5, 8)
    )
    for steps in (0, 1, 7):
        inputs = {"n": np.array(steps, np.int32), **arrays}
        (actual,) = run_main(RNN, inputs, 1, tmp_path)
        x, h = arrays["x"].astype(np.float64), arrays["h"].astype(np.float64)
        outputs = []
        for _ in range(steps):
            h = np.tanh(x @ arrays["wx"].T + h @ arrays["wh"].T + arrays["b"])
            outputs.append(softmax(h @ arrays["wo"].T))
            x = np.eye(5)[outputs[-1].argmax(axis=1)]
        expected = np.concatenate(outputs) if steps else np.zeros((0, 5))
        assert actual.shape == (steps, 5)
        np.testing.assert_allclose(actual, expected, **TOLERANCE)


# The child-sum Tree-LSTM: gates i, o, u see the sum of the children's states,
# each child has a forget gate of its own.
TREE_LSTM = """
type Weights {
  Weights(Tensor[(18, 4), float32], Tensor[(18, 6), float32], Tensor[(6, 4), float32], Tensor[(6, 6), float32]),
}

def @node(%w: Weights, %x: Tensor[(1, 4), float32], %children: List[(Tensor[(1, 6), float32], Tensor[(1, 6), float32])]) -> (Tensor[(1, 6), float32], Tensor[(1, 6), float32]) {
  match (%w) {
    Weights(%wx, %wh, %fx, %fh) => {
      let %zero = zeros(shape=[1, 6], dtype="float32");
      let %add_state = fn (%sum: Tensor[(1, 6), float32], %child: (Tensor[(1, 6), float32], Tensor[(1, 6), float32])) -> Tensor[(1, 6), float32] {
        %sum + %child.0
      };
      let %add_cell = fn (%sum: Tensor[(1, 6), float32], %child: (Tensor[(1, 6), float32], Tensor[(1, 6), float32])) -> Tensor[(1, 6), float32] {
        let %forget = sigmoid(nn.dense(%x, %fx, units=6) + nn.dense(%child.0, %fh, units=6));
        %sum + %forget * %child.1
      };
      let %h = @foldl(%add_state, %zero, %children);
      let %gates = split(nn.dense(%x, %wx, units=18) + nn.dense(%h, %wh, units=18), indices_or_sections=3, axis=1);
      let %update = sigmoid(%gates.0) * tanh(%gates.2);
      let %c = %update + @foldl(%add_cell, %zero, %children);
      (sigmoid(%gates.1) * tanh(%c), %c)
    },
  }
}

def @encode(%w: Weights, %tree: Tree[Tensor[(1, 4), float32]]) -> (Tensor[(1, 6), float32], Tensor[(1, 6), float32]) {
  match (%tree) {
    Rose(%x, %children) => {
      let %encode_child = fn (%child: Tree[Tensor[(1, 4), float32]]) -> (Tensor[(1, 6), float32], Tensor[(1, 6), float32]) {
        @encode(%w, %child)
      };
      @node(%w, %x, @map(%encode_child, %children))
    },
  }
}

def @main(%x: Tensor[(7, 4), float32], %wx: Tensor[(18, 4), float32], %wh: Tensor[(18, 6), float32], %fx: Tensor[(6, 4), float32], %fh: Tensor[(6, 6), float32]) {
  let %row = fn (%i: int32) -> Tensor[(1, 4), float32] {
    expand_dims(take(%x, %i, axis=0), axis=0)
  };
  let %left = Rose(%row(1), Cons(Rose(%row(2), Nil), Cons(Rose(%row(3), Nil), Cons(Rose(%row(4), Nil), Nil))));
  let %right = Rose(%row(5), Cons(Rose(%row(6), Nil), Nil));
  @encode(Weights(%wx, %wh, %fx, %fh), Rose(%row(0), Cons(%left, Cons(%right, Nil))))
}
"""


def test_tree_lstm(tmp_path):
    arrays = random_arrays(
        2, x=(7, 4), wx=(18, 4), wh=(18, 6), fx=(6, 4), fh=(6, 6)
    )
    actual = run_main(TREE_LSTM, arrays, 2, tmp_path)
    wx, wh, fx, fh = (arrays[n].astype(np.float64) for n in ("wx", "wh", "fx", "fh"))

    def encode(tree):
        index, children = tree
        x = arrays["x"][index : index + 1].astype(np.float64)
        states = [encode(child) for child in children]
        h = sum((s[0] for s in states), np.zeros((1, 6)))
        i, o, u = np.split(x @ wx.T + h @ wh.T, 3, axis=1)
        c = sigmoid(i) * np.tanh(u)
        for child_h, child_c in states:
            c = c + sigmoid(x @ fx.T + child_h @ fh.T) * child_c
        return sigmoid(o) * np.tanh(c), c

    tree: Any = (0, [(1, [(2, []), (3, []), (4, [])]), (5, [(6, [])])])
    for got, want in zip(actual, encode(tree)):
        assert got.shape == want.shape
        np.testing.assert_allclose(got, want, **TOLERANCE)


# Power iteration: until the vector moves little, or for %limit steps.
WHILE_LOOP = """
def @main(%a: Tensor[(6, 6), float32], %v: Tensor[(1, 6), float32], %limit: int32) {
  let %loop = fn (%i: int32, %u: Tensor[(1, 6), float32], %moved: float32) -> (int32, Tensor[(1, 6), float32]) {
    if (logical_and(%i < %limit, %moved > 0.001f)) {
      let %w = nn.dense(%u, %a, units=6);
      let %next = %w / sqrt(sum(%w * %w));
      %loop(%i + 1, %next, max(abs(%next - %u)))
    } else {
      (%i, %u)
    }
  };
  %loop(0, %v, 1f)
}
"""


def test_while_loop_as_closure(tmp_path):
    arrays = random_arrays(3, a=(6, 6), v=(1, 6))
    # Positive, so that the iteration converges.
    arrays = {name: np.abs(array) + 0.1 for name, array in arrays.items()}
    counts = []
    for limit in (0, 2, 100):
        inputs = {"limit": np.array(limit, np.int32), **arrays}
        count, vector = run_main(WHILE_LOOP, inputs, 2, tmp_path)
        a, v = arrays["a"].astype(np.float64), arrays["v"].astype(np.float64)
        i, moved = 0, 1.0
        while i < limit and moved > 0.001:
            w = v @ a.T
            after = w / np.sqrt((w * w).sum())
            moved = np.abs(after - v).max()
            i, v = i + 1, after
        assert count == i
        np.testing.assert_allclose(vector, v, **TOLERANCE)
        counts.append(i)
    assert counts[:2] == [0, 2] and 2 < counts[2] < 100


COUNT = """
def @main(%n: int32) -> int32 {
  let %count = fn (%m: int32) -> int32 {
    if (%m == 0) {
      0
    } else {
      1 + %count(%m - 1)
    }
  };
  %count(%n)
}
"""


def test_recursion_a_million_deep(tmp_path):
    (actual,) = run_main(COUNT, {"n": np.array(1000000, np.int32)}, 1, tmp_path)
    assert actual == 1000000
