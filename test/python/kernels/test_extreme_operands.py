# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Numbers at the ends of int64 where operators count or compare with them, and open
sizes where they were not expected, against the interpreter."""

import numpy as np
import pytest

from relay_mlir import relay

LEAST, LARGEST = -2**63, 2**63 - 1


def int64(*values):
    return np.array(values, np.int64)


@pytest.mark.parametrize("text,arguments", [
    ("%x: Tensor[(12), int8], %v: Tensor[(1), int8], %b: Tensor[(1), int64], "
     "%e: Tensor[(1), int64], %s: Tensor[(1), int64]) { strided_set(%x, %v, %b, %e, %s)",
     [np.arange(12, dtype=np.int8), np.array([7], np.int8), int64(11), int64(0), int64(LEAST)]),
    *[("%x: Tensor[(3, 64), float32], %y: Tensor[(3), int64]) { "
       "reverse_sequence(%x, %y, seq_axis=1, batch_axis=0)",
       [np.arange(192, dtype=np.float32).reshape(3, 64), int64(least, 5, LARGEST)])
      for least in [LEAST, LEAST + 30]],
    ("%x: Tensor[(?, 3, 6, 5), float32], %b: Tensor[(2, 4), float32], %i: Tensor[(2), int32]) { "
     "image.crop_and_resize(%x, %b, %i, crop_size=[2, 2])",
     [np.arange(180, dtype=np.float32).reshape(2, 3, 6, 5),
      np.array([[0, 0, 1, 1], [0.2, 0.1, 0.7, 0.9]], np.float32), np.array([1, 0], np.int32)]),
    # The expressions of its sizes share their parts.
    ("%x: Tensor[(?, ?, 3, 8, ?), float32]) { nn.batch_to_space_nd(%x, block_shape=[3, 2, 3], "
     "crops=[[2, 2], [0, 1], [1, 1]])",
     [np.arange(3456, dtype=np.float32).reshape(36, 2, 3, 8, 2)])])
def test_agrees(text, arguments):
    module = relay.parse(f'#[version = "0.0.5"]\ndef @main({text} }}')
    got, want = (np.asarray(relay.create_executor(kind, mod=module).evaluate()(*arguments))
                 for kind in ("aot", "debug"))
    assert got.shape == want.shape
    np.testing.assert_allclose(got, want, rtol=1e-5)


def test_broadcast_of_open_sizes():
    """A size of 1 is not repeated to another one that is open: an error says so."""
    module = relay.parse('#[version = "0.0.5"]\ndef @main(%x: Tensor[(?, ?), float32], '
                         '%y: Tensor[(?, ?), float32]) { dyn.broadcast_to(%x, shape_of(%y)) }')
    run = relay.create_executor("aot", mod=module).evaluate()
    x = np.arange(12, dtype=np.float32).reshape(4, 3)
    np.testing.assert_array_equal(np.asarray(run(x, x)), x)
    with pytest.raises(Exception, match="expects d1 to equal d3, but got 1 and 3"):
        run(x[:, :1], x)
