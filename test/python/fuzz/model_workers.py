# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Processes that run broken models, with little memory and time.

A worker answers one request a line, `ok N` or `error MESSAGE`, and writes output
i to a file. Whoever dies or does not answer has failed, and is started anew.
"""

import os
import pathlib
import resource
import select
import subprocess
import sys
import time
from typing import Any

from memory_limit import limit_memory

BUILD = pathlib.Path(os.environ.get("RELAY_BUILD_DIR", "build"))
GIGABYTE = 1 << 30


class Crash(Exception):
    """A worker died, or took too long."""


class Worker:
    """`command`, with `memory` bytes of addresses and `seconds` an answer. Sanitizers do
    not watch a foreign one, of which they would report that it asks for too much."""

    def __init__(self, command, memory, seconds, is_foreign=False):
        self.command, self.memory, self.seconds = command, memory, seconds
        self.is_foreign = is_foreign
        self.process: Any = None

    def _start(self):
        def limit():
            limit_memory(self.memory, self.is_foreign)
            # What a hang writes until it is noticed.
            resource.setrlimit(resource.RLIMIT_FSIZE, (GIGABYTE, GIGABYTE))

        environment = dict(os.environ)
        if self.is_foreign:
            environment.pop("LD_PRELOAD", None)
        self.process = subprocess.Popen(
            self.command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, preexec_fn=limit)

    def ask(self, *words):
        """The answer's status and text."""
        if self.process is None:
            self._start()
        process = self.process
        process.stdin.write(("\t".join(map(str, words)) + "\n").encode())
        process.stdin.flush()
        deadline = time.monotonic() + self.seconds
        streams = {process.stdout.fileno(): b"", process.stderr.fileno(): b""}
        output = process.stdout.fileno()
        while b"\n" not in streams[output]:
            left = deadline - time.monotonic()
            ready = select.select(list(streams), [], [], max(left, 0))[0]
            chunks = {stream: os.read(stream, 1 << 16) for stream in ready}
            for stream, chunk in chunks.items():
                streams[stream] += chunk
            if left <= 0 or not chunks.get(output, b"?"):
                said = streams[process.stderr.fileno()]
                self.close()
                why = "no answer" if left <= 0 else f"exit {process.returncode}"
                raise Crash(f"{why}: {said[:3000].decode(errors='replace')}")
        line = streams[output]
        status, _, text = line.decode(errors="replace").strip().partition(" ")
        return status, text

    def close(self):
        if self.process is not None:
            self.process.kill()
            self.process.communicate()
            self.process = None


def interpreter(memory=4 * GIGABYTE, seconds=20):
    """Imports a model and interprets it."""
    return Worker([BUILD / "bin" / "relay-test-onnx"], memory, seconds)


def onnxruntime(memory=8 * GIGABYTE, seconds=20):
    """Runs a model by ONNX Runtime."""
    script = pathlib.Path(__file__).parent / "onnxruntime_worker.py"
    return Worker([sys.executable, script], memory, seconds, is_foreign=True)
