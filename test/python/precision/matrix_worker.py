"""Compiles and runs models, one after the other, for the tests of precision.

A process of its own, because instructions that the processor lacks are emulated
by a library that must be there first. Requests and answers are pickled.
"""

import ctypes
import mmap
import os
import pickle
import sys

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
    text, inputs, options, threads = request
    before = count()
    rm.set_num_threads(threads)
    options = {"force_matrix_tiles": True, **options}
    result = rm.compile(rm.IRModule.parse(text), **options)(*map(guard, inputs))
    used = None if before is None else count() - before
    return np.asarray(result), used


def main():
    # What anyone prints must not get between the answers.
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    while True:
        try:
            request = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        try:
            reply = answer(request)
        except Exception as error:  # pylint: disable=broad-except
            reply = str(error)
        pickle.dump(reply, replies)
        replies.flush()


if __name__ == "__main__":
    main()
