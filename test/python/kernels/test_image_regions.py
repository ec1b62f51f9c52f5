# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Regions of images that are data: those of no image, or far off, end the kernel
with an error that says what is expected, as they do in the interpreter.
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
    with pytest.raises(ERRORS, match="expects regions (of images|within 1e6 pixels)"):
        run(executor, call, IMAGES, bad)


@pytest.mark.parametrize("mode", ["avg", "max"])
@pytest.mark.parametrize("ratio", [-1, 1, 3])
@pytest.mark.parametrize("scale", [1, 10, 300])
def test_regions_beyond_the_image(mode, ratio, scale):
    """Only samples near the image are looked at; the others count as zeros. f32
    averages of up to 90,000 samples, in another order: 1e-5."""
    generator = np.random.default_rng(scale)
    images = generator.normal(size=IMAGES.shape).astype(np.float32)
    regions = np.concatenate([generator.integers(0, 2, (40, 1)),
                              generator.normal(size=(40, 4)) * scale], axis=1).astype(np.float32)
    call = (f"vision.roi_align(%x, %y, pooled_size=[2, 3], spatial_scale=1f64, "
            f'sample_ratio={ratio}, mode="{mode}")')
    compiled, interpreted = (run(executor, call, images, regions) for executor in ("aot", "debug"))
    np.testing.assert_allclose(compiled, interpreted, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("mode", ["avg", "max"])
def test_largest_regions(mode):
    """With a sample for each of 1e12 pixels, of which 30 are there."""
    call = f'vision.roi_align(%x, %y, pooled_size=[1, 1], spatial_scale=1f64, mode="{mode}")'
    result = run("aot", call, IMAGES, np.array([[1, -1e6, -1e6, 1e6, 1e6]], np.float32))
    expected = np.full((1, 4, 1, 1), {"avg": 30 / 4e12, "max": 1}[mode])
    # The samples on the border are averaged with it.
    np.testing.assert_allclose(result, expected, rtol=1 if mode == "avg" else 0)


@pytest.mark.parametrize("executor", ["aot", "vm", "debug"])
@pytest.mark.parametrize("index", [2, -1])
def test_boxes_of_no_image(executor, index):
    call = "image.crop_and_resize(%x, %y, %z, crop_size=[2, 2])"
    boxes = np.array([[0, 0, 1, 1]], np.float32)
    assert (run(executor, call, IMAGES, boxes, np.array([1], np.int32)) == 1).all()
    with pytest.raises(ERRORS, match="expects box_indices (of images|in the range)"):
        run(executor, call, IMAGES, boxes, np.array([index], np.int32))
