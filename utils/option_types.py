# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Types of options of the programs in this folder, for `type=` of argparse: what an
option must not be is an error of the command line, and no traceback later."""

import argparse
import itertools
import math
import os
import pathlib
import re


def _check(valid, expected, text):
    if not valid:
        raise argparse.ArgumentTypeError(f"expects {expected}, but got '{text}'")


def _to_int(text):
    # int() takes more than digits, such as 1_000.
    return int(text) if re.fullmatch(r"-?[0-9]{1,18}", text) else None


def positive(text):
    """A number from 1 on."""
    value = _to_int(text)
    _check(value is not None and value > 0, "a positive number", text)
    return value


def natural(text):
    """A number from 0 on."""
    value = _to_int(text)
    _check(value is not None and value >= 0, "a number that is not negative", text)
    return value


def seconds(text):
    """A time above zero, with or without a fraction."""
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    _check(value > 0 and math.isfinite(value), "a positive number of seconds", text)
    return value


def positives(text):
    """Numbers from 1 on, separated by commas."""
    values = [_to_int(part) for part in text.split(",")]
    _check(all(value is not None and value > 0 for value in values),
           "positive numbers, separated by commas", text)
    return values


def threads(text):
    """Numbers of threads, separated by commas."""
    values = [_to_int(part) for part in text.split(",")]
    _check(all(value is not None and 1 <= value <= 1024 for value in values),
           "numbers of threads from 1 to 1024", text)
    return values


def seeds(text):
    """`first:last`, without the last; `first:`, without end; or one number."""
    first, colon, last = text.partition(":")
    begin, end = _to_int(first), _to_int(last)
    valid = begin is not None and begin >= 0
    if colon and last:
        valid = valid and end is not None and begin < end
    _check(valid, "seeds as first:last, from 0 on and the first below the last", text)
    if colon and not last:
        return itertools.count(begin)
    return range(begin, end if colon else begin + 1)


def names(known, what):
    """The type of a list of some names of `known`, separated by commas."""
    def parse(text):
        values = text.split(",")
        for value in values:
            if value not in known:
                raise argparse.ArgumentTypeError(
                    f"expects {what}, some of {', '.join(known)}, but got '{value}'")
        return values
    return parse


def model(text):
    """A name of utils/models/build.py, or the path of a file."""
    import build  # What a program that has models has found already.
    _check(text in build.MODELS or pathlib.Path(text).is_file(),
           "a model of utils/models/build.py, or a file", text)
    return text


def existing_file(text):
    """The path of a file that is there."""
    path = pathlib.Path(text)
    _check(path.is_file(), "a file that exists", text)
    return path


def existing_folder(text):
    """The path of a folder that is there."""
    path = pathlib.Path(text)
    _check(path.is_dir(), "a folder that exists", text)
    return path


def output_file(text):
    """The path of a file that can be written, as far as that is known."""
    path = pathlib.Path(text)
    _check(text and not path.is_dir() and os.access(path.absolute().parent, os.W_OK),
           "a file in a folder that exists and can be written to", text)
    return path


def output_folder(text):
    """The path of a folder that is there, or can be made."""
    path = pathlib.Path(text)
    there = next(part for part in [path.absolute(), *path.absolute().parents] if part.exists())
    _check(text and there.is_dir() and os.access(there, os.W_OK),
           "a folder that can be made and written to", text)
    return path


def build_folder(text):
    """The path of a folder in which the project is built."""
    path = pathlib.Path(text).resolve()
    _check((path / "build.ninja").is_file(), "a folder of a build (utils/build.sh)", text)
    return path
