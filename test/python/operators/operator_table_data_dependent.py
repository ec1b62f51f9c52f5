# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rows of operators whose elements decide on sizes, which become programs of several functions,
and of those that say in a result how much of the others counts."""

from operator_rows import Input, add, row, special

add("unique",
    *(row(f"unique(%x, sorted={is_sorted}, return_counts={counts})", x=x)
      for is_sorted in (True, False) for counts in (True, False)
      for x in ("m", special("n", low=-2, high=2))))

add("argwhere",
    *(row(f"argwhere({x})", executor="vm", x=shape)
      for x, shape in [("%x", "n,m"), ("%x", special("h,n,2", low=0, high=1)), ("%x", ""),
                       ("argwhere(%x)", "m")]),
    row("gather_nd(%x, transpose(argwhere(%y))) + {1}", executor="vm", x="n,m",
        y=Input("n,m", "bool")),
    row("(if (less(%i, 3)) { argwhere(%x) } else { argwhere(%y) })", executor="vm", i=Input("", "int32"),
        x="n", y="m"))

add("sparse_fill_empty_rows",
    row("sparse_fill_empty_rows(%i, %v, %s, %d)", executor="vm", i=Input("n,2", low=0, high=6),
        v=Input("n", "int32"), s=Input("2", "int64", low=7, high=9), d=""),
    row("sparse_fill_empty_rows(%i, %v, %s, %d)", executor="vm", i=Input("m,3", "int64", low=0, high=30),
        v="m", s=Input("3", "int32", low=31, high=60), d=Input("1", "int16")),
    # The rank is a size that only the data has.
    row("sparse_fill_empty_rows(%i, %v, %s, %d)", executor="vm", i=Input("4,n", low=0, high=6),
        v=Input("4", "int32"), s=Input("5", "int64", low=7, high=9), d="", ones=False, zero=None),
    row("sparse_fill_empty_rows(%i, %v, %s, %d)", executor="vm", i=Input("m,n", "int64", low=0, high=6),
        v=Input("m"), s=Input("n", "int64", low=7, high=9), d="", zero=None))


def sizes(*numbers):
    """A vector of constant sizes."""
    parts = [f'expand_dims(cast({number}, dtype="int64"), axis=0)' for number in numbers]
    return f"concatenate(({', '.join(parts)},), axis=0)"


add("sparse_reshape",
    *(row(f"sparse_reshape(%i, {sizes(*old)}, {sizes(*new)})", i=Input("n,2", low=0, high=2))
      for old, new in [((3, 4), (2, -1, 3)), ((3, 4), (12,)), ((3, 4), (3, 4)), ((3, 4), (-1, 4))]))
