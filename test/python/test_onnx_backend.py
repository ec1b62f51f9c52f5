# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The ONNX project's tests of operators: imported, interpreted, compiled."""

import dataclasses

import numpy as np
import pytest

import onnx_backend

# Operators without an import. A test that uses one must be refused with its
# name; remove what becomes supported.
UNSUPPORTED = {
    "AffineGrid", "Attention", "Bernoulli", "BitCast", "BlackmanWindow",
    "CausalConvWithState", "CenterCropPad", "Col2Im", "Compress", "CumProd", "DFT",
    "DeformConv", "Det", "DynamicQuantizeLinear", "GridSample",
    "HammingWindow", "HannWindow", "ImageDecoder", "LinearAttention",
    "Loop", "MaxUnpool", "MelWeightMatrix", "NegativeLogLikelihoodLoss",
    "NonMaxSuppression", "NonZero", "OptionalGetElement", "OptionalHasElement",
    "QLinearConv", "QLinearMatMul", "RandomUniformLike",
    "ReverseSequence", "RoiAlign", "RotaryEmbedding", "STFT", "Scan",
    "SoftmaxCrossEntropyLoss", "SwiGLU", "TensorScatter", "TfIdfVectorizer",
    "Unique",
    # Of other domains.
    "Adagrad", "Adam", "ArrayFeatureExtractor", "Binarizer", "FlexAttention",
    "Momentum", "TreeEnsemble"
}

# Tests of supported operators that are refused: a part of the message, for
# names with this beginning.
REFUSED = {
    "test_affine_grid_": "computed at run time",
    "test_batchnorm_epsilon_training_mode": "training_mode is not supported",
    "test_batchnorm_example_training_mode": "training_mode is not supported",
    "test_convtranspose_3d": "three spatial dimensions",
    "test_dequantizelinear_blocked": "scales of blocks",
    "test_einsum_batch_diagonal": "a repeated label",
    "test_maxpool_with_argmax_": "output 1 .* is not supported",
    "test_not_": "expects opset 7 to 28",
    "test_quantizelinear_blocked": "scales of blocks",
    "test_resize_downsample_scales_cubic": "a whole size|antialias",
    "test_resize_downsample_scales_linear": "a whole size|antialias|symmetric",
    "test_resize_downsample_scales_nearest": "a whole size",
    "test_resize_downsample_sizes_cubic_antialias": "antialias",
    "test_resize_downsample_sizes_linear_antialias": "antialias",
    "test_resize_downsample_sizes_nearest_not_": "keep_aspect_ratio_policy",
    "test_resize_upsample_scales_linear_half_pixel_symmetric": "symmetric",
    "test_resize_upsample_sizes_nearest_not_": "keep_aspect_ratio_policy",
    "test_training_dropout": "training mode",
}

# The exceptions from these beginnings.
ACCEPTED = {
    "test_training_dropout_zero_ratio",
    "test_training_dropout_zero_ratio_mask"
}

# Where the expected outputs contradict the specification: coordinates follow
# from a fraction of a pixel. ONNX Runtime computes what we do.
CONTRADICTORY = {
    "test_resize_downsample_scales_cubic_align_corners",
    "test_resize_downsample_scales_linear_align_corners",
}


def find_refusal(case):
    if case.name in ACCEPTED:
        return None
    for prefix, message in REFUSED.items():
        if case.name.startswith(prefix):
            return message
    return None


def is_unsupported(case):
    return bool(case.operators & UNSUPPORTED)


def get_cases():
    return onnx_backend.node_cases() + onnx_backend.converted_cases()


@pytest.fixture(scope="module")
def interpreter():
    executor = onnx_backend.Interpreter()
    yield executor
    executor.close()


@pytest.mark.parametrize(
    "case", [c for c in get_cases()
             if not is_unsupported(c) and c.name not in CONTRADICTORY],
    ids=lambda case: case.name)
def test_supported(case, interpreter):
    case = onnx_backend.freeze(case)
    refusal = find_refusal(case)
    if refusal is None:
        onnx_backend.check_case(case, interpreter)
        return
    with pytest.raises(onnx_backend.ExecutionError, match=refusal):
        interpreter.run(case.model, case.inputs)


@pytest.mark.parametrize(
    "case", [c for c in get_cases() if is_unsupported(c)],
    ids=lambda case: case.name)
def test_unsupported(case, interpreter):
    with pytest.raises(onnx_backend.ExecutionError) as error:
        interpreter.run(case.model, case.inputs)
    names = case.operators & UNSUPPORTED
    assert all(name in str(error.value) for name in names)


# Where compiled code differs from the interpreter: remainders of infinities and
# by zero, and sums of nothing.
NOT_COMPILED = (
    "test_mod_float_edge_cases_fmod_0", "test_reduce_sum_empty_set_non_reduced")


def get_compiled_cases():
    """A sample, and nightly the others."""
    cases = [
        case for case in get_cases()
        if not is_unsupported(case) and case.name not in CONTRADICTORY and
        find_refusal(case) is None and "expanded" not in case.name and
        not case.name.startswith(NOT_COMPILED)
    ]
    return [case if number % 25 == 0 else pytest.param(case, marks=pytest.mark.nightly)
            for number, case in enumerate(cases)]


@pytest.fixture(scope="module")
def compiler():
    executor = onnx_backend.Compiler()
    yield executor
    executor.close()


@pytest.mark.parametrize("case", get_compiled_cases(),
                         ids=lambda case: case.name)
def test_compiled(case, compiler):
    onnx_backend.check_case(onnx_backend.freeze(case), compiler)


def test_wrong_outputs_are_noticed(interpreter):
    """The comparison itself."""
    case = next(c for c in get_cases() if c.name == "test_relu")
    onnx_backend.check_case(case, interpreter)
    wrong = dataclasses.replace(case, outputs=[case.outputs[0] + 0.01])
    with pytest.raises(AssertionError):
        onnx_backend.check_case(wrong, interpreter)
    wrong = dataclasses.replace(case,
                                outputs=[case.outputs[0].astype(np.float64)])
    with pytest.raises(AssertionError):
        onnx_backend.check_case(wrong, interpreter)
