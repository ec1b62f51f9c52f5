# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiled random operators on keys without room in the counter or the path, which
no random key is."""

import pathlib
import sys

import numpy as np
import pytest

from relay_mlir import relay

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "interpreter"))
from test_random import generate, keys, split  # noqa: E402


def evaluate(body, parameters):
    text = f'#[version = "0.0.5"]\ndef @main({parameters}) {{ {body} }}'
    return relay.create_executor("aot", mod=relay.parse(text)).evaluate()


def test_words_and_keys():
    counts = (4, 12, 5, 2, 0)
    calls = ", ".join(f"random.threefry_generate(%k, out_shape=[{n}])" for n in counts)
    function = evaluate(f"({calls}, random.threefry_split(%k))", "%k: Tensor[(10), uint64]")
    for key in keys():
        *made, halves = function(key)
        for count, got in zip(counts, made, strict=True):
            for value, want in zip(got, generate(key, count), strict=True):
                np.testing.assert_array_equal(value, want)
        for value, want in zip(halves, split(key), strict=True):
            np.testing.assert_array_equal(value, want)


def test_a_key_has_ten_words():
    function = evaluate("random.threefry_split(%k)", "%k: Tensor[(?), uint64]")
    np.testing.assert_array_equal(function(keys()[0])[0], split(keys()[0])[0])
    with pytest.raises(ValueError, match="dimension 0 of input 'k'"):
        function(keys()[0][:9])


def test_samples_of_nothing():
    text = "random.multinomial(%k, %p)"
    function = evaluate(text, "%k: Tensor[(10), uint64], %p: Tensor[(2, ?), float32]")
    with pytest.raises(ValueError, match="at least 1, but got 0"):
        function(keys()[0], np.zeros((2, 0), np.float32))
    with pytest.raises(relay.CompileError, match="expects probs that are not empty"):
        evaluate(text, "%k: Tensor[(10), uint64], %p: Tensor[(2, 0), float32]")
