# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes files of few different numbers small, as tools/relay-exec/Pack.h says."""

import numpy as np

BLOCK = 4096


def _pack_block(words):
    values, numbers = np.unique(words, return_inverse=True)
    for bits in (1, 2, 4, 8):
        if len(values) <= 1 << bits:
            break
    else:
        return b"\x20" + words.tobytes()
    table = np.zeros(1 << bits, "<u4")
    table[:len(values)] = values
    parts = numbers.astype(np.uint8).reshape(-1, 8 // bits)
    packed = np.bitwise_or.reduce(parts << (np.arange(8 // bits, dtype=np.uint8) * bits), axis=1)
    return bytes([bits]) + table.tobytes() + packed.astype(np.uint8).tobytes()


def pack(path, packed):
    """Writes the file at `path` to `packed`."""
    data = path.read_bytes()
    padded = data + bytes(-len(data) % (4 * BLOCK))
    with open(packed, "wb") as file:
        file.write(b"relay-pack 1\n" + len(data).to_bytes(8, "little"))
        for words in np.frombuffer(padded, "<u4").reshape(-1, BLOCK):
            file.write(_pack_block(words))
