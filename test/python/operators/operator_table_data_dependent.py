# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rows of operators whose elements decide on sizes, which the executor vm compiles,
and of those that say in a result how much of the others counts."""

from operator_rows import Input, add, row, special

add("unique",
    *(row(f"unique(%x, sorted={is_sorted}, return_counts={counts})", x=x)
      for is_sorted in (True, False) for counts in (True, False)
      for x in ("m", special("n", low=-2, high=2))))
