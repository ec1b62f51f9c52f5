# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs on matrix units, which are emulated where the processor has none."""

import contextlib

import matrix_worker
from bounds import FLAGS, TILE_FLAGS
from worker_process import emulator, WorkerProcess

TARGET = "x86-64-v3,+amx-tile,+amx-bf16,+amx-int8"
# Products of bytes on vectors, emulated, too.
VNNI = "x86-64-v3,+avxvnni"


@contextlib.contextmanager
def start_worker(cache):
    """A function that compiles a program for matrix units, wherever it may take
    them, and runs it in a process of its own."""
    environment = {"RELAY_CACHE_DIR": str(cache), **emulator(TILE_FLAGS | {"avx_vnni"})}
    with WorkerProcess(matrix_worker.answer, environment=environment) as process:
        def run(text, *inputs, precision="high", threads=1, target=TARGET):
            options = {"precision": precision, "target": target}
            result, count = process.ask((text, inputs, options, threads))
            emulated = target == TARGET or (target == VNNI and "avx_vnni" not in FLAGS)
            if emulated and count is not None:
                assert count > 0, "no tile instructions"
            return result
        yield run
