"""Products with weights that come from memory, whose tiles prefetch: all numbers
of rows, sizes that are no multiple of anything, against double precision."""

import numpy as np
import pytest

import relay_mlir as rm
from bounds import bound

pytestmark = pytest.mark.share(2)


@pytest.mark.parametrize("rows", [0, 1, 2, 3, 5, 7, 24, 33, 128, 131])
@pytest.mark.parametrize("depth,columns", [(1024, 768), (517, 1031), (2053, 129),
                                           (1, 300000), (300000, 1), (4099, 65),
                                           # Two places at a time, and four.
                                           (512, 2048), (2100, 2100)])
def test_product(rows, depth, columns):
    rng = np.random.default_rng(rows + depth)
    x = rng.uniform(-1, 1, (rows, depth)).astype(np.float32)
    w = rng.uniform(-1, 1, (depth, columns)).astype(np.float32)
    left, right = f"tensor<{rows}x{depth}xf32>", f"tensor<{depth}x{columns}xf32>"
    result = f"tensor<{rows}x{columns}xf32>"
    text = f"""
func.func @main(%x: {left} {{relay.name = "x"}}) -> ({result} {{relay.name = "y"}}) {{
  %w = relay.constant dense<"0x{w.tobytes().hex().upper()}"> : {right}
  %0 = relay.nn.matmul %x, %w : ({left}, {right}) -> {result}
  return %0 : {result}
}}"""
    y = rm.compile(rm.parse(text))(x)
    expected = x.astype(np.float64) @ w.astype(np.float64)
    scale = np.abs(x).astype(np.float64) @ np.abs(w).astype(np.float64)
    assert y.shape == expected.shape
    assert (np.abs(y - expected) <= bound("products", symmetric=True) * scale + 1e-30).all()
