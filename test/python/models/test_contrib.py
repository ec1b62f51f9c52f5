# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators of the domain com.microsoft, against ONNX Runtime, which defines them."""

import math

import numpy as np
import onnx
import onnx.parser
import onnxruntime
import pytest

import relay_mlir as rm
from single_nodes import check_refused, compare, compiled, machine, make, random, runtime

pytestmark = pytest.mark.share(2)

DOMAIN = "com.microsoft"


def check(op, inputs, attributes=None, constants=None, run=compiled, **options):
    arguments = (op, inputs, 17, attributes or {}, constants)
    compare(run(*arguments, domain=DOMAIN, **options),
            runtime(*arguments, domain=DOMAIN, **options))


@pytest.mark.parametrize("values", [[4, 1, 4, 2, 2, 9], [7], [3, 3, 3]])
def test_unique(values):
    """In the order of the first occurrence, which ONNX's operator has only if asked."""
    model = onnx.parser.parse_model(f"""<ir_version: 8, opset_import: ["" : 17, "{DOMAIN}" : 1]>
        g (float[n] x) => (float[m] y, int64[n] i, int64[m] c) {{ y, i, c = {DOMAIN}.Unique(x) }}""")
    feeds = {"x": np.array(values, np.float32)}
    theirs = onnxruntime.InferenceSession(model.SerializeToString(),
                                          providers=["CPUExecutionProvider"])
    for ours, expected in zip(rm.InferenceSession(model).run(None, feeds),
                              theirs.run(None, feeds), strict=True):
        np.testing.assert_array_equal(ours, expected)


@pytest.mark.parametrize("op", ["Gelu", "FastGelu", "QuickGelu"])
def test_gelu(op):
    inputs = {"x": random(3, 7) * 4}
    check(op, inputs)
    if op == "QuickGelu":
        check(op, inputs, {"alpha": 0.5})


def test_gelu_with_bias():
    inputs = {"x": random(2, 3, 8), "b": random(8)}
    check("BiasGelu", inputs)
    check("FastGelu", inputs)


@pytest.mark.parametrize("attributes", [
    {"activation": "Relu"}, {"activation": "Sigmoid"}, {"activation": "Tanh"},
    {"activation": "LeakyRelu", "activation_params": [0.2]},
    {"activation": "Clip", "activation_params": [-0.5, 0.5]},
    {"activation": "HardSigmoid", "activation_params": [0.3, 0.4]}])
def test_fused_convolution(attributes):
    inputs = {"x": random(1, 4, 6, 7), "w": random(8, 2, 3, 3), "b": random(8)}
    attributes = {**attributes, "group": 2, "pads": [1, 1, 1, 1], "strides": [2, 1]}
    check("FusedConv", inputs, attributes)


def test_fused_convolution_with_a_sum():
    inputs = {"x": random(1, 4, 6, 7), "w": random(8, 4, 1, 1), "b": random(8),
              "z": random(1, 8, 6, 7)}
    check("FusedConv", inputs, {"activation": "Relu"})


@pytest.mark.parametrize("trans", [0, 1])
def test_fused_products(trans):
    a, b = random(2, 3, 4, 5), random(2, 3, 5, 6)
    if trans:
        b = np.ascontiguousarray(b.swapaxes(-1, -2))
    check("FusedMatMul", {"a": a, "b": b}, {"transB": trans, "alpha": 0.25})
    moved = np.ascontiguousarray(np.moveaxis(a, 2, 0))
    check("FusedMatMul", {"a": moved, "b": b}, {"transB": trans, "transBatchA": 1})
    check("FusedGemm", {"a": random(4, 5), "b": random(5, 6), "c": random(6)},
          {"activation": "LeakyRelu", "activation_alpha": 0.1, "alpha": 0.5})


def test_skip_normalization():
    x, skip, gamma, beta, bias = random(2, 3, 8), random(2, 3, 8), random(8), random(8), random(8)
    outputs = ["y", "", "", "sum"]
    check("SkipLayerNormalization", {"x": x, "s": skip, "g": gamma, "b": beta, "c": bias},
          outputs=outputs)
    check("SkipLayerNormalization", {"x": x, "s": skip[0], "g": gamma, "b": beta})
    check("SkipSimplifiedLayerNormalization", {"x": x, "s": skip, "g": gamma, "c": bias},
          {"epsilon": 1e-6}, outputs=outputs)


@pytest.mark.parametrize("has_mask", [False, True])
def test_embedding(has_mask):
    generator = np.random.default_rng(0)
    inputs = {"w": generator.integers(0, 9, (2, 5)).astype(np.int32),
              "s": generator.integers(0, 2, (2, 5)).astype(np.int32)}
    tables = {"a": random(9, 8), "b": random(6, 8, seed=1), "c": random(2, 8, seed=2),
              "g": random(8), "h": random(8)}
    order = ["w", "s", *tables]
    if has_mask:
        inputs["m"] = np.array([[1, 1, 1, 0, 0], [1, 1, 1, 1, 1]], np.int32)
        order.append("m")
    check("EmbedLayerNormalization", inputs, {"epsilon": 1e-5}, tables, outputs=2, order=order)


def mask_of(form):
    if form == "ends":
        return np.array([3, 5], np.int32)
    if form == "bounds":
        return np.array([3, 5, 1, 0], np.int32)
    keys = np.array([[1, 1, 1, 0, 0], [1, 1, 1, 1, 1]], np.int32)
    return keys if form == "keys" else np.broadcast_to(keys[:, None], (2, 5, 5)).copy()


@pytest.mark.parametrize("form", [None, "ends", "bounds", "keys", "pairs"])
@pytest.mark.parametrize("unidirectional", [0, 1])
def test_attention(form, unidirectional):
    inputs = {"x": random(2, 5, 8), "w": random(8, 36) / 3, "b": random(36)}
    if form:
        inputs["m"] = mask_of(form)
    check("Attention", inputs, {"num_heads": 3, "unidirectional": unidirectional})


def test_attention_with_a_past():
    inputs = {"x": random(2, 3, 8), "w": random(8, 24) / 3, "b": random(24),
              "p": random(2, 2, 2, 4, 4)}
    check("Attention", inputs, {"num_heads": 2, "unidirectional": 1}, outputs=2,
          order=["x", "w", "b", "", "p"])


def test_multi_head_attention():
    q, k, v = random(2, 3, 8), random(2, 5, 8, seed=1), random(2, 5, 8, seed=2)
    mask = np.array([[1, 1, 1, 0, 0], [1, 1, 1, 1, 1]], np.int32)
    check("MultiHeadAttention", {"q": q, "k": k, "v": v}, {"num_heads": 2})
    check("MultiHeadAttention",
          {"q": q, "k": k, "v": v, "b": random(24), "m": mask, "s": random(2, 2, 3, 5)},
          {"num_heads": 2, "scale": 0.3})
    check("MultiHeadAttention",
          {"q": q, "k": q, "v": q, "pk": random(2, 2, 4, 4), "pv": random(2, 2, 4, 4)},
          {"num_heads": 2, "unidirectional": 1}, outputs=3,
          order=["q", "k", "v", "", "", "", "pk", "pv"])


@pytest.mark.parametrize("dims", [None, {"q": ["b", "s", 8], "k": ["b", "t", 8], "v": ["b", "t", 8]}])
@pytest.mark.parametrize("queries, keys", [(3, 5), (5, 3), (1, 4), (4, 4)])
def test_multi_head_attention_to_earlier_keys(queries, keys, dims):
    check("MultiHeadAttention",
          {"q": random(2, queries, 8), "k": random(2, keys, 8, seed=1), "v": random(2, keys, 8, seed=2)},
          {"num_heads": 2, "unidirectional": 1},
          run=lambda *arguments, **options: compiled(*arguments, dims=dims, **options))


def test_multi_head_attention_of_packed_operands():
    """ONNX Runtime has these on GPUs only: as those that are not packed."""
    attributes = {"num_heads": 2}
    for packed, count in ((random(2, 3, 2, 3, 4), 3), (random(2, 5, 2, 2, 4), 2)):
        parts = [np.ascontiguousarray(packed[:, :, :, i]).reshape(*packed.shape[:2], 8)
                 for i in range(count)]
        query = [] if count == 3 else [random(2, 3, 8)]
        inputs = dict(zip("qkv", query + parts))
        expected = runtime("MultiHeadAttention", inputs, 17, attributes, domain=DOMAIN)
        inputs = dict(zip("qk", query + [packed]))
        compare(compiled("MultiHeadAttention", inputs, 17, attributes, domain=DOMAIN), expected)


def test_decoder_attention_over_an_encoder():
    query, state = random(2, 1, 24), {"pk": random(2, 3, 4, 8, seed=1), "pv": random(2, 3, 4, 8, seed=2)}
    check("DecoderMaskedMultiHeadAttention", {"q": query, **state}, {"num_heads": 3})
    check("DecoderMaskedMultiHeadAttention", {"q": query, **state, "b": random(72)},
          {"num_heads": 3, "scale": 0.3}, order=["q", "pk", "pv"] + [""] * 7 + ["b"])


@pytest.mark.parametrize("past", [0, 4, 7])
def test_decoder_attention_in_a_buffer(past):
    inputs = {name: random(2, 1, 24, seed=seed) for seed, name in enumerate("qkv")}
    inputs.update(pk=random(2, 3, 8, 8, seed=5), pv=random(2, 3, 8, 8, seed=6), n=np.array([past], np.int32))
    # ONNX Runtime leaves open what is behind the new position, and writes nothing there.
    for name in ("pk", "pv"):
        inputs[name][:, :, past:] = 0
    options = {"outputs": 3, "domain": DOMAIN,
               "order": ["q", "k", "v", "", "", "pk", "pv", "n", "", "", "b"]}
    arguments = ("DecoderMaskedMultiHeadAttention", {**inputs, "b": random(72)}, 17,
                 {"num_heads": 3, "past_present_share_buffer": 1}, None)
    ours, theirs = compiled(*arguments, **options), runtime(*arguments, **options)
    compare([ours[0]] + [buffer[:, :, :past + 1] for buffer in ours[1:]],
            [theirs[0]] + [buffer[:, :, :past + 1] for buffer in theirs[1:]])


def test_decoder_attention_behind_a_past():
    """ONNX Runtime has this on GPUs only: as MultiHeadAttention."""
    inputs = {name: random(2, 1, 24, seed=seed) for seed, name in enumerate("qkv")}
    inputs.update(m=np.array([[1] * 5, [0, 0, 1, 1, 1]], np.int32), s=random(2, 3, 1, 5),
                  pk=random(2, 3, 4, 8, seed=5), pv=random(2, 3, 4, 8, seed=6))
    arguments = (inputs, 17, {"num_heads": 3})
    expected = runtime("MultiHeadAttention", *arguments, outputs=3, domain=DOMAIN,
                       order=["q", "k", "v", "", "m", "s", "pk", "pv"])
    compare(compiled("DecoderMaskedMultiHeadAttention", *arguments, outputs=3, domain=DOMAIN,
                     order=["q", "k", "v", "m", "s", "pk", "pv"]), expected)


def group_query(batch, length, past, lengths, packed=False, rotary=True, heads=4, shared=2, size=16):
    total = past + length
    inputs = {"q": random(batch, length, (heads + (2 * shared if packed else 0)) * size)}
    if not packed:
        inputs["k"] = random(batch, length, shared * size, seed=1)
        inputs["v"] = random(batch, length, shared * size, seed=2)
    if past:
        inputs["pk"] = random(batch, shared, past, size, seed=3)
        inputs["pv"] = random(batch, shared, past, size, seed=4)
    inputs["n"] = np.array(lengths, np.int32)
    inputs["t"] = np.array(total, np.int32)
    if rotary:
        angles = np.outer(np.arange(32), 1 / 100**np.linspace(0, 1, size // 2))
        inputs["c"], inputs["s"] = np.cos(angles).astype("f4"), np.sin(angles).astype("f4")
    names = ["q", "k", "v", "pk", "pv", "n", "t", "c", "s"]
    order = [name if name in inputs else "" for name in names]
    while not order[-1]:
        order.pop()
    return inputs, order


@pytest.mark.parametrize("attributes", [{}, {"rotary_interleaved": 1}, {"softcap": 2.0},
                                        {"local_window_size": 3}, {"smooth_softmax": 1}])
@pytest.mark.parametrize("past", [0, 6])
def test_group_query_attention(attributes, past):
    length = 1 if past else 5
    inputs, order = group_query(2, length, past, [past + length - 1] * 2)
    check("GroupQueryAttention", inputs,
          {"num_heads": 4, "kv_num_heads": 2, "do_rotary": 1, **attributes}, outputs=3,
          order=order, run=machine)


def test_group_query_attention_of_packed_and_short_items():
    inputs, order = group_query(2, 5, 0, [4, 2], packed=True, rotary=False)
    arguments = ("GroupQueryAttention", inputs, 17, {"num_heads": 4, "kv_num_heads": 2}, None)
    options = {"outputs": 3, "order": order, "domain": DOMAIN}
    actual, expected = compiled(*arguments, **options), runtime(*arguments, **options)
    # Behind the end of an item there is nothing.
    compare([actual[0][0], actual[0][1, :3]], [expected[0][0], expected[0][1, :3]])


@pytest.mark.parametrize("interleaved", [0, 1])
def test_rotary_embedding(interleaved):
    angles = np.outer(np.arange(9), np.linspace(0.1, 1, 4))
    tables = {"c": np.cos(angles).astype("f4"), "s": np.sin(angles).astype("f4")}
    positions = np.array([[0, 3, 5], [2, 4, 8]])
    for x in (random(2, 3, 16), random(2, 2, 3, 8)):
        for p in (positions, np.array([2])):
            check("RotaryEmbedding", {"x": x, "p": p, **tables}, {"interleaved": interleaved},
                  order=["x", "p", "c", "s"])


@pytest.mark.parametrize("bits", [4, 8])
@pytest.mark.parametrize("has_zeros", [False, True])
@pytest.mark.parametrize("shape", [(3, 80), (1, 96), (2, 2, 96), (7, 96), (1, 1, 1, 96)])
def test_products_with_few_bits(shape, bits, has_zeros):
    """A row of whole blocks is multiplied block by block."""
    rows, columns, block = 6, shape[-1], 32
    blocks = -(-columns // block)
    generator = np.random.default_rng(0)
    constants = {"b": generator.integers(0, 256, (rows, blocks, block * bits // 8)).astype("u1"),
                 "s": generator.uniform(0.01, 0.1, rows * blocks).astype("f4")}
    if has_zeros:
        constants["z"] = generator.integers(0, 256, rows * -(-blocks * bits // 8)).astype("u1")
    check("MatMulNBits", {"x": random(*shape)},
          {"N": rows, "K": columns, "bits": bits, "block_size": block}, constants)


@pytest.mark.parametrize("zeros", ["none", "packed", "floats"])
@pytest.mark.parametrize("bits, is_whole", [(4, False), (4, True), (8, False)])
def test_products_of_columns_in_groups(bits, is_whole, zeros):
    """A column is in the group that g_idx says. ONNX Runtime takes packed zero points for 8 then, and has
    no such product of 8 bits."""
    rows, columns, block = 5, 80, 32
    blocks = -(-columns // block)
    generator = np.random.default_rng(0)
    numbers = generator.integers(0, 2**bits, (rows, blocks * block)).astype("u1")
    packed = numbers if bits == 8 else numbers[:, ::2] | numbers[:, 1::2] << 4
    scales = generator.uniform(0.01, 0.1, (rows, blocks)).astype("f4")
    groups = generator.integers(0, blocks, blocks * block if is_whole else columns).astype("i4")
    offsets = generator.integers(0, 2**bits, (rows, blocks + 1)).astype("u1")
    constants = {"b": packed.reshape(rows, blocks, -1), "s": scales.ravel(), "g": groups}
    if zeros == "packed":
        constants["z"] = offsets[:, :blocks] if bits == 8 else offsets[:, ::2] | offsets[:, 1::2] << 4
    elif zeros == "floats":
        constants["z"] = offsets[:, :blocks].astype("f4").ravel()
    else:
        offsets[:] = 2**(bits - 1)
    place = groups[:columns]
    weight = (numbers[:, :columns] - offsets[:, place].astype("f4")) * scales[:, place]
    inputs = {"x": random(3, columns)}
    result, = compiled("MatMulNBits", inputs, 17,
                       {"N": rows, "K": columns, "bits": bits, "block_size": block}, constants, domain=DOMAIN,
                       order=["x", "b", "s", "" if zeros == "none" else "z", "g"])
    compare([result], [inputs["x"] @ weight.T])


def quantized(shape, seed, dtype=np.uint8):
    low, high = (0, 256) if dtype == np.uint8 else (-128, 128)
    return np.random.default_rng(seed).integers(low, high, shape).astype(dtype)


def scale(value):
    return np.array(value, np.float32)


def close(actual, expected):
    """Quantized numbers differ by one step at most, where a result lies between two."""
    for one, other in zip(actual, expected, strict=True):
        assert one.dtype == other.dtype and one.shape == other.shape
        assert np.abs(one.astype(np.int64) - other.astype(np.int64)).max(initial=0) <= 1


def check_quantized(op, inputs, constants, attributes=None, **options):
    arguments = (op, inputs, 17, attributes or {}, constants)
    close(compiled(*arguments, domain=DOMAIN, **options),
          runtime(*arguments, domain=DOMAIN, **options))


@pytest.mark.parametrize("op", ["QLinearAdd", "QLinearMul"])
@pytest.mark.parametrize("dtype", [np.uint8, np.int8])
def test_quantized_arithmetic(op, dtype):
    constants = {"as": scale(0.03), "az": dtype(3), "bs": scale(0.05), "bz": dtype(7),
                 "cs": scale(0.08), "cz": dtype(5)}
    inputs = {"a": quantized((3, 4), 0, dtype), "b": quantized((4,), 1, dtype)}
    check_quantized(op, inputs, constants, order=["a", "as", "az", "b", "bs", "bz", "cs", "cz"])


@pytest.mark.parametrize("op,attributes", [("QLinearLeakyRelu", {"alpha": 0.1}),
                                           ("QLinearSigmoid", {}),
                                           ("QLinearSoftmax", {"axis": -1, "opset": 13})])
def test_quantized_functions(op, attributes):
    constants = {"xs": scale(0.03), "xz": np.uint8(100), "ys": scale(1 / 256), "yz": np.uint8(0)}
    check_quantized(op, {"x": quantized((3, 8), 0)}, constants, attributes)


@pytest.mark.parametrize("last", [0, 1])
def test_quantized_pools(last):
    constants = {"xs": scale(0.03), "xz": np.uint8(100), "ys": scale(0.02), "yz": np.uint8(90)}
    inputs = {"x": quantized((1, 6, 6, 3) if last else (1, 3, 6, 6), 0)}
    check_quantized("QLinearGlobalAveragePool", inputs, constants, {"channels_last": last})
    check_quantized("QLinearAveragePool", inputs, constants,
                    {"channels_last": last, "kernel_shape": [3, 3], "strides": [2, 2],
                     "pads": [1, 1, 1, 1]})
    # The last window of a row reaches past the padding.
    for counts in (0, 1):
        check_quantized("QLinearAveragePool", inputs, constants,
                        {"channels_last": last, "kernel_shape": [2, 3], "strides": [1, 2],
                         "pads": [1, 1, 0, 0], "ceil_mode": 1, "count_include_pad": counts})


def test_quantized_parts():
    constants = {"ys": scale(0.05), "yz": np.uint8(90), "as": scale(0.03), "az": np.uint8(100),
                 "bs": scale(0.06), "bz": np.uint8(80)}
    inputs = {"a": quantized((2, 3), 0), "b": quantized((2, 5), 1)}
    check_quantized("QLinearConcat", inputs, constants, {"axis": 1},
                    order=["ys", "yz", "a", "as", "az", "b", "bs", "bz"])


def test_quantized_products():
    inputs = {"a": random(3, 8)}
    weight = {"b": quantized((8, 5), 0), "s": scale(0.02), "z": np.array(120, "u1"), "c": random(5)}
    check("DynamicQuantizeMatMul", inputs, {}, weight)
    check("MatMulIntegerToFloat",
          {"a": quantized((3, 8), 1), "b": quantized((8, 5), 2), "as": scale(0.02),
           "bs": scale(0.03), "az": np.array(100, "u1"),
           "bz": np.array(110, "u1"), "c": random(5)})
    constants = {"as": scale(0.02), "az": np.uint8(100), "b": quantized((8, 5), 2),
                 "bs": scale(0.03), "bz": np.uint8(110), "c": np.arange(5, dtype=np.int32),
                 "ys": scale(0.1), "yz": np.uint8(128)}
    check_quantized("QGemm", {"a": quantized((3, 8), 1)}, constants)


def test_quantized_attention():
    inputs = {"x": quantized((2, 5, 8), 0), "w": quantized((8, 24), 1), "b": random(24),
              "xs": scale(0.02), "ws": scale(0.01), "m": np.array([5, 3], np.int32),
              "xz": np.array(128, "u1"), "wz": np.array(128, "u1")}
    check("QAttention", inputs, {"num_heads": 2})


def test_others():
    check("ExpandDims", {"x": random(3, 4)}, {}, {"a": np.array(-1, np.int32)})
    check("CropAndResize", {"x": random(2, 3, 6, 7), "r": np.array(
        [[0, 0, 1, 1], [0.2, 0.1, 0.7, 0.9], [-0.5, 0, 1.5, 1]], np.float32),
        "i": np.array([0, 1, 1], np.int32)}, {"extrapolation_value": 2.0},
        {"s": np.array([4, 5], np.int32)})
    check("Trilu", {"x": random(4, 5)}, {"upper": 0})


def test_products_and_choices_of_older_names():
    check("TransposeMatMul", {"a": random(3, 4), "b": random(5, 4)}, {"transB": 1})
    constants = {"xs": scale(0.1), "xz": np.uint8(3), "ys": scale(0.2), "yz": np.uint8(5),
                 "zs": scale(0.2), "zz": np.uint8(1)}
    check_quantized("QLinearWhere", {"c": np.array([[True, False]] * 3), "x": quantized((3, 2), 0),
                                     "y": quantized((3, 2), 1)}, constants,
                    order=["c", "x", "xs", "xz", "y", "ys", "yz", "zs", "zz"])
    constants = {"s": scale(0.1), "z": np.uint8(3)}
    check_quantized("QuantizeLinear", {"x": random(3, 4)}, constants, {"axis": 1})
    check("DequantizeLinear", {"x": quantized((3, 4), 0)}, {"axis": 1}, constants)


# What ONNX Runtime has on GPUs only, by NumPy.


def check_formula(op, inputs, expected, attributes=None, constants=None, order=None):
    compare(compiled(op, inputs, 17, attributes or {}, constants, domain=DOMAIN, order=order),
            [expected.astype(np.float32)])


def test_sums_on_gpus():
    x, bias, skip = random(2, 5, 8), random(8, seed=1), random(2, 5, 8, seed=2)
    check_formula("BiasAdd", {"x": x, "b": bias, "s": skip}, x + bias + skip)
    check_formula("BiasDropout", {"x": x, "b": bias}, x + bias)
    check_formula("BiasDropout", {"x": x, "b": bias, "s": skip}, x + bias + skip)
    exponentials = np.exp(x + skip)
    check_formula("BiasSoftmax", {"x": x, "s": skip},
                  exponentials / exponentials.sum(-1, keepdims=True),
                  {"axis": 2, "is_inner_broadcast": 1})
    exponentials = np.exp(x + bias)
    check_formula("BiasSoftmax", {"x": x, "b": bias},
                  exponentials / exponentials.sum((1, 2), keepdims=True),
                  {"axis": 1, "is_inner_broadcast": 1})
    left, right = np.split(x + bias, 2, axis=-1)
    erf = np.vectorize(math.erf)(right / np.sqrt(2))
    check_formula("BiasSplitGelu", {"x": x, "b": bias}, left * right * 0.5 * (1 + erf))


def test_complex_products():
    a, b = random(3, 4, 2), random(3, 4, 2, seed=1)
    for op, factor in (("ComplexMul", 1), ("ComplexMulConj", -1)):
        product = (a[..., 0] + 1j * a[..., 1]) * (b[..., 0] + factor * 1j * b[..., 1])
        check_formula(op, {"a": a, "b": b}, np.stack([product.real, product.imag], -1))


@pytest.mark.parametrize("is_last", [0, 1])
@pytest.mark.parametrize("activation", [0, 1])
def test_group_norm(is_last, activation):
    x, gamma, beta = random(2, 6, 4, 5), random(6, seed=1), random(6, seed=2)
    groups = x.reshape(2, 3, -1).astype(np.float64)
    normal = (groups - groups.mean(-1, keepdims=True)) / np.sqrt(
        groups.var(-1, keepdims=True) + 1e-5)
    expected = normal.reshape(x.shape) * gamma[:, None, None] + beta[:, None, None]
    if activation:
        expected = expected / (1 + np.exp(-expected))
    if is_last:
        x, expected = (np.ascontiguousarray(np.moveaxis(v, 1, 3)) for v in (x, expected))
    attributes = {"groups": 3, "activation": activation, "channels_last": is_last}
    check_formula("GroupNorm", {"x": x, "g": gamma, "b": beta}, expected, attributes)
    half = (x / 2).astype(np.float32)
    check_formula("SkipGroupNorm", {"x": half, "g": gamma, "b": beta, "s": half}, expected,
                  attributes)


def test_convolution_with_channels_last():
    x, w, b = random(1, 4, 6, 7), random(8, 4, 3, 3, seed=1), random(8, seed=2)
    attributes = {"pads": [1, 1, 1, 1]}
    (expected,) = runtime("Conv", {"x": x, "w": w, "b": b}, 17, attributes)
    moved = np.ascontiguousarray(np.moveaxis(x, 1, 3))
    check_formula("NhwcConv", {"x": moved, "w": w, "b": b}, np.moveaxis(expected, 1, 3),
                  attributes)


def test_refused():
    x = random(2, 3, 8)
    options = {"domain": DOMAIN}
    check_refused('activation "Cube" is not supported', "FusedGemm",
                  {"a": x[0], "b": random(8, 4)}, 17, {"activation": "Cube"}, **options)
    check_refused("expects weights for queries, keys and values", "Attention",
                  {"x": x, "w": random(8, 25)}, 17, {"num_heads": 2}, **options)
    check_refused("expects a number of heads that divides", "Attention",
                  {"x": x, "w": random(8, 24)}, 17, {"num_heads": 3}, **options)
    check_refused("expects kv_num_heads to divide", "GroupQueryAttention",
                  *group_query(1, 3, 0, [2], rotary=False)[:1], 17,
                  {"num_heads": 3, "kv_num_heads": 2},
                  order=group_query(1, 3, 0, [2], rotary=False)[1], **options)
    check_refused("expects bits 2, 4 or 8, but got 3", "MatMulNBits",
                  {"x": random(2, 32), "b": quantized((4, 1, 12), 0), "s": random(4)}, 17,
                  {"N": 4, "K": 32, "bits": 3, "block_size": 32}, **options)
    check_refused("expects a group for each of 32 columns, but got 'tensor<31xi32>'", "MatMulNBits",
                  {"x": random(2, 32), "b": quantized((4, 1, 16), 0), "s": random(4),
                   "g": np.zeros(31, "i4")}, 17, {"N": 4, "K": 32, "block_size": 32},
                  order=["x", "b", "s", "", "g"], **options)
    for group in (-1, 1):
        check_refused(f"expects groups from 0 to 0, but got {group}", "MatMulNBits",
                      {"x": random(2, 32)}, 17, {"N": 4, "K": 32, "block_size": 32},
                      {"b": quantized((4, 1, 16), 0), "s": random(4),
                       "g": np.full(32, group, "i4")}, order=["x", "b", "s", "", "g"], **options)
    packed = {"b": quantized((4, 1, 16), 0), "s": random(4)}
    sizes = {"N": 4, "K": 32, "block_size": 32}
    check_refused("expects data of float32, float16 or bfloat16, but got 'tensor<2x32xf64>'", "MatMulNBits",
                  {"x": random(2, 32).astype("f8")}, 17, sizes, packed, **options)
    check_refused("expects scales of the type of the data, 'f32', but got 'tensor<4xf16>'", "MatMulNBits",
                  {"x": random(2, 32)}, 17, sizes, {**packed, "s": random(4).astype("f2")}, **options)
    check_refused("expects data whose last axis has K = 32 elements, but got 'tensor<2x31xf32>'", "MatMulNBits",
                  {"x": random(2, 31)}, 17, sizes, packed, **options)
    for zeros, shown in ((np.zeros(4, "i1"), "i8"), (np.zeros(4, "f2"), "f16"), (np.zeros(4, "f8"), "f64")):
        check_refused("expects zero points of uint8, or of the type of the data, but got "
                      f"'tensor<4x{shown}>'", "MatMulNBits", {"x": random(2, 32)}, 17, sizes,
                      {**packed, "z": zeros}, **options)
    check_refused("but got N = 4, K = 0 and block_size = 32", "MatMulNBits", {"x": random(2, 32)}, 17,
                  {"N": 4, "block_size": 32}, packed, **options)
    check_refused("expects 4 rows of 1 blocks, of 16 bytes and a scale, but got a weight 'tensor<4x1x15xui8>'",
                  "MatMulNBits", {"x": random(2, 32)}, 17, sizes, {**packed, "b": quantized((4, 1, 15), 0)}, **options)
    check_refused("expects a mask of 2 or 4 numbers", "Attention",
                  {"x": x, "w": random(8, 24), "b": random(24), "m": np.array([1, 2, 3], "i4")},
                  17, {"num_heads": 2}, **options)
    check_refused("expects past_sequence_length for past_present_share_buffer = 1, and for no other",
                  "DecoderMaskedMultiHeadAttention",
                  {"q": random(1, 1, 8), "k": random(1, 1, 8), "v": random(1, 1, 8),
                   "pk": random(1, 2, 4, 4), "pv": random(1, 2, 4, 4)},
                  17, {"num_heads": 2, "past_present_share_buffer": 1},
                  order=["q", "k", "v", "", "", "pk", "pv"], **options)
    check_refused('of domain "com.microsoft"', "NoSuchOperator", {"x": x}, 17, {}, **options)


@pytest.mark.parametrize("size", [1, 2, 3])
@pytest.mark.parametrize("length", [1, 2, 7])
def test_repeated_tokens(size, length):
    """Those that would repeat a group of `size` tokens are never taken."""
    tokens = np.random.default_rng(1).integers(0, 3, (4, length))
    inputs = {"t": tokens, "s": random(4, 6)}
    check("NGramRepeatBlock", inputs, {"ngram_size": size})


def test_repeated_tokens_of_an_open_length():
    program = rm.compile(make("NGramRepeatBlock", {"t": np.zeros((2, 5), np.int64), "s": random(2, 6)}, 17,
                              {"ngram_size": 3}, dims={"t": ["b", "t"], "s": ["b", "v"]}, domain=DOMAIN))
    generator = np.random.default_rng(1)
    for batch, length, count in ((1, 1, 4), (3, 2, 5), (2, 3, 3), (3, 12, 4)):
        inputs = {"t": generator.integers(0, 3, (batch, length)), "s": random(batch, count)}
        compare([program.run(inputs)], runtime("NGramRepeatBlock", inputs, 17, {"ngram_size": 3}, domain=DOMAIN))
    for size in (0, 65):
        check_refused(f"expects ngram_size from 1 to 64, but got {size}", "NGramRepeatBlock",
                      {"t": np.zeros((2, 5), np.int64), "s": random(2, 6)}, 17, {"ngram_size": size}, domain=DOMAIN)
