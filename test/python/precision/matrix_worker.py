# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles and runs models, one after the other, for the tests of precision: what
a WorkerProcess answers.

A process of its own, because instructions that the processor lacks are emulated
by a library that must be there first.
"""

import ctypes
import mmap

import numpy as np

import relay_mlir as rm


def count():
    """Tile instructions that were emulated so far, or None."""
    try:
        function = ctypes.CDLL(None).amx_emulator_count
    except AttributeError:
        return None
    function.restype = ctypes.c_uint64
    return function()


def guard(array):
    """A copy that ends where no memory may be read."""
    if array.size == 0:
        return array
    pages = -(-array.nbytes // mmap.PAGESIZE)
    memory = mmap.mmap(-1, (pages + 1) * mmap.PAGESIZE)
    end = ctypes.addressof(ctypes.c_char.from_buffer(memory)) + pages * mmap.PAGESIZE
    if ctypes.CDLL(None).mprotect(ctypes.c_void_p(end), mmap.PAGESIZE, 0) != 0:
        raise OSError("mprotect failed")
    copy = np.frombuffer(memory, array.dtype, array.size,
                         pages * mmap.PAGESIZE - array.nbytes).reshape(array.shape)
    copy[...] = array
    return copy


def answer(request):
    """The result of a program, and how many tile instructions were emulated, or
    None."""
    text, inputs, options, threads = request
    before = count()
    rm.set_num_threads(threads)
    options = {"force_matrix_tiles": True, **options}
    result = rm.compile(rm.IRModule.parse(text), **options)(*map(guard, inputs))
    used = None if before is None else count() - before
    return np.asarray(result), used
