# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rules on programs of many operators: no recursion, and time that grows with their
number."""

import re
import subprocess

import pytest

from test_rules import BUILD

NUMBER = 20000


def chain(make, type_="tensor<3x3xf32>"):
    lines = [make(i, f"%v{i}", f"%v{i + 1}", type_) for i in range(NUMBER)]
    return (f"func.func @f(%v0: {type_}, %zero: tensor<f32>) -> {type_} {{\n"
            "  %c = relay.constant dense<0.0> : tensor<f32>\n"
            "  %two = relay.constant dense<1.5> : tensor<f32>\n"
            + "\n".join(lines) + f"\n  return %v{NUMBER} : {type_}\n}}\n")


def add_zero(_, x, y, type_):
    return f"  {y} = relay.add {x}, %c : ({type_}, tensor<f32>) -> {type_}"


def transpose(_, x, y, type_):
    return f"  {y} = relay.transpose {x} : ({type_}) -> {type_}"


def add_number(_, x, y, type_):
    return f"  {y} = relay.add {x}, %two : ({type_}, tensor<f32>) -> {type_}"


def negative(_, x, y, type_):
    return f"  {y} = relay.negative {x} : ({type_}) -> {type_}"


@pytest.mark.parametrize("make, left", [
    (add_zero, 0), (transpose, 0), (add_number, 1), (negative, NUMBER)])
def test_long_chain(make, left):
    result = subprocess.run(
        [BUILD / "bin/relay-opt", "--relay-simplify-expr"],
        input=chain(make), capture_output=True, text=True, check=True, timeout=120)
    operators = re.findall(r"= relay\.(add|transpose|negative)", result.stdout)
    assert len(operators) == left
