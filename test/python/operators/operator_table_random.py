# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rows of random operators. test_random.py has the keys that a random key never is."""

from operator_rows import Input, add, row

# Elements with all bits, and some that are the largest number.
KEY = Input("10", low=0, high=2**62, special=True)
KEY64 = Input("10", "uint64", low=0, high=2**62)

add("random.threefry_generate",
    *(row(f"random.threefry_generate(%k, out_shape={shape})", k=KEY)
      for shape in ["[16]", "[7]", "[3, 5, 2]", "[]", "[0, 4]"]))
add("random.threefry_split", row("random.threefry_split(%k)", k=KEY))
add("random.uniform",
    *(row(f'random.uniform(%k, %l, %h, out_shape={shape}, out_dtype="{{dtype}}")', k=KEY64, l="",
          h="") for shape in ["[7, 5]", "[]", "[0]"]))
add("random.normal",
    *(row(f'random.normal(%k, %m, %s, out_shape={shape}, out_dtype="{{dtype}}")', sums=True, k=KEY64, m="",
          s="") for shape in ["[64]", "[3, 1, 5]", "[]", "[0]"]))
add("random.multinomial",
    row("random.multinomial(%k, %p, num_samples=5)", k=KEY64, p=Input("n,m", low=-1, high=9)),
    row("random.multinomial(%k, %p, num_samples=17)", k=KEY64, p=Input("m", low=0, high=9), zero=""),
    row("random.multinomial(%k, %p)", k=KEY64, p=Input("n,2,h", low=0, high=3, special=True)))
