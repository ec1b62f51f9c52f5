# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rows of the table of operators: CSR and BSR matrices. The running sum of small
numbers is where rows begin; rows may be empty."""

from operator_rows import Input, add, row

STEPS = Input("7", "int32", low=0, high=2)
INDPTR = "cumsum(%p, axis=0)"


def sparse_row(text, columns, data, steps=STEPS, index="int32", **inputs):
    """Rows of at most two blocks each, in `columns` columns of blocks."""
    count = data.split(",", maxsplit=1)[0]
    return row(text, sums=True, i=Input(count, index, low=0, high=columns - 1), p=steps,
               d=data, **inputs)


PRODUCTS = [("n,11", 11, "14", False), ("n,12", 4, "14,2,3", True), ("m,6", 6, "14,16,1", False),
            ("3,12", 2, "14,9,6", True), ("n,m", 1, "16", False)]
for name, products in [("nn.sparse_dense", PRODUCTS),
                       ("nn.internal.sparse_dense_padded", PRODUCTS[:2])]:
    add(name, *[
        sparse_row(f"{name}(%x, %d, %i, {INDPTR}, sparse_lhs={lhs})", columns, data, x=x)
        for x, columns, data, lhs in products])
# More columns than fit into registers at once.
add("nn.sparse_dense",
    sparse_row(f"nn.sparse_dense(%x, %d, %i, {INDPTR})", 5, "16", x="83,5", index="int64",
               steps=Input("h", "int64", low=0, high=2)))
add("nn.sparse_add",
    sparse_row(f"nn.sparse_add(%x, %d, %i, {INDPTR})", 9, "14", x="6,9"),
    sparse_row(f"nn.sparse_add(%x, %d, %i, {INDPTR})", 1, "16", x="7,m", index="uint8",
               steps=Input("h", "uint16", low=0, high=2), ones=False))
# All elements are in the rows: four in each of the first ones.
add("nn.sparse_transpose",
    *[row(f'nn.sparse_transpose(%d, %i, cast(minimum(arange(0, 24, 4, dtype="int32"), '
          f'take(shape_of(%d), 0)), dtype="{indptr}"))', d=count,
          i=Input(count, index, low=0, high=4))
      for count, index, indptr in [("n", "int32", "int32"), ("20", "int64", "uint8"),
                                   ("m", "uint16", "int64")]])
add("nn.sparse_conv2d",
    *[sparse_row(f'nn.sparse_conv2d(%x, %d, %i, {INDPTR}, layout="{layout}", '
                 f"kernel_size=[{kernel}, {kernel}])", columns, data, x=x)
      for layout, kernel, columns, data, x in [
          ("NHWC", 1, 4, "14", "n,3,5,4"), ("NCHW", 1, 2, "14,3,2", "n,4,h,w"),
          ("NHWC", 3, 18, "14,4", "n,h,w,2"), ("NCHW", 3, 9, "14,2,2", "2,2,h,n")]])
# No pixels, whose outputs only the matrix tells.
add("nn.sparse_conv2d",
    row('nn.sparse_conv2d(%x, %d, %i, %p, layout="NHWC", kernel_size=[1, 1])', x="2,0,3,2",
        d="n,2,2", i=Input("n", "int32", 0, 0), p=Input("m", "int32", 0, 0), sums=True, ones=False,
        zero=None))
