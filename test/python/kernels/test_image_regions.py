# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Regions of images that are data: those of no image, or far off, end the kernel
with an error, as they do in the interpreter. Kernels have one message for all that
is out of range.
"""

import numpy as np
import pytest

import relay_mlir as rm
from relay_mlir import relay

IMAGES = np.ones((2, 4, 5, 6), np.float32)
BOX = [0, 1, 2, 3]
ERRORS = (ValueError, rm.RuntimeError, relay.DiagnosticError)


def run(executor, call, *values):
    kinds = {"float32": "float32", "int32": "int32"}
    parameters = ", ".join(f"%{name}: Tensor[{value.shape}, {kinds[value.dtype.name]}]"
                           for name, value in zip("xy" + "z" * (len(values) - 2), values, strict=True))
    module = relay.parse(f'#[version = "0.0.5"]\ndef @main({parameters}) {{ {call} }}')
    return np.asarray(relay.create_executor(executor, mod=module).evaluate()(*values))


@pytest.mark.parametrize("executor", ["aot", "vm", "debug"])
@pytest.mark.parametrize("operator", ["roi_align", "roi_pool"])
@pytest.mark.parametrize("region", [[2, *BOX], [-1, *BOX], [np.nan, *BOX], [0, 1, 2, 3, 2e6],
                                    [0, np.nan, 2, 3, 4]])
def test_regions_of_no_image(executor, operator, region):
    call = f"vision.{operator}(%x, %y, pooled_size=[2, 2], spatial_scale=1f64)"
    good = np.array([[1, *BOX]], np.float32)
    assert (run(executor, call, IMAGES, good) == 1).all()
    bad = np.array([[1, *BOX], region], np.float32)
    with pytest.raises(ERRORS, match="expects (regions|indices)"):
        run(executor, call, IMAGES, bad)


@pytest.mark.parametrize("executor", ["aot", "vm", "debug"])
@pytest.mark.parametrize("index", [2, -1])
def test_boxes_of_no_image(executor, index):
    call = "image.crop_and_resize(%x, %y, %z, crop_size=[2, 2])"
    boxes = np.array([[0, 0, 1, 1]], np.float32)
    assert (run(executor, call, IMAGES, boxes, np.array([1], np.int32)) == 1).all()
    with pytest.raises(ERRORS, match="expects (box_)?indices"):
        run(executor, call, IMAGES, boxes, np.array([index], np.int32))
