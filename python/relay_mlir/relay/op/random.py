"""Random numbers by a counter-based generator: `random.*`."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._arguments import expect_int
from ..expr import const, ExprLike, TupleWrapper
from ._build import populate
from ._numbers import scalar
from ._registry import make_call

__all__ = ["multinomial", "normal", "threefry_generate", "threefry_key", "threefry_split",
           "uniform"]


def threefry_key(seed: Any) -> Any:
    """A key to begin with, of a seed of up to 256 bits."""
    seed = expect_int(seed, "seed", 0)
    if seed >= 1 << 256:
        raise OverflowError(f"expects seed to be an integer of 256 bits, but got {seed}")
    words = np.frombuffer(seed.to_bytes(32, "little"), np.uint64)
    # An empty path, and the place of its first bit.
    return const(np.concatenate([words, np.array([0, 0, 0, 0, 1 << 63, 0], np.uint64)]))


def threefry_generate(key: ExprLike, shape: Any) -> TupleWrapper:
    """Random bits. Returns a TupleWrapper of the next key and the numbers."""
    call = make_call("random.threefry_generate", [key], {"out_shape": shape})
    return TupleWrapper(call, 2)


def threefry_split(key: ExprLike) -> TupleWrapper:
    """Two independent keys of one, as a TupleWrapper."""
    return TupleWrapper(make_call("random.threefry_split", [key]), 2)


def uniform(key: ExprLike, shape: Any, dtype: Any = "float32", low: Any = 0.0,
            high: Any = 1.0) -> TupleWrapper:
    """Uniform numbers. Returns a TupleWrapper of the next key and the numbers."""
    call = make_call("random.uniform", [key, scalar("random.uniform: 'low'", low, dtype),
                                        scalar("random.uniform: 'high'", high, dtype)],
                     {"out_shape": shape, "out_dtype": dtype})
    return TupleWrapper(call, 2)


def normal(key: ExprLike, shape: Any, dtype: Any = "float32", mean: Any = 0.0,
           scale: Any = 1.0) -> TupleWrapper:
    """Normal numbers. Returns a TupleWrapper of the next key and the numbers."""
    call = make_call("random.normal", [key, scalar("random.normal: 'mean'", mean, dtype),
                                       scalar("random.normal: 'scale'", scale, dtype)],
                     {"out_shape": shape, "out_dtype": dtype})
    return TupleWrapper(call, 2)


def multinomial(key: ExprLike, probs: ExprLike, num_samples: Any) -> TupleWrapper:
    """Indices drawn with given probabilities. Returns a TupleWrapper of the next
    key and the indices."""
    call = make_call("random.multinomial", [key, probs], {"num_samples": num_samples})
    return TupleWrapper(call, 2)


populate(globals(), "random.")
