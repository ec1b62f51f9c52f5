"""Random numbers: the words that Threefry makes, in Python's integers, and the
statistics of the distributions."""

import math

import numpy as np
import pytest
from relay_eval import Case, check, constant, run

MASK = 2**64 - 1
ROTATIONS = [(14, 16), (52, 57), (23, 40), (5, 37), (25, 33), (46, 12), (58, 22), (32, 32)]


def new_key(seed):
    words = np.frombuffer(seed.to_bytes(32, "little"), np.uint64)
    return np.concatenate([words, np.array([0, 0, 0, 0, 1 << 63, 0], np.uint64)])


def hash_words(key, words, final=False):
    """Threefry of 20 rounds; `final` adds the key after the last, as the paper
    does and Relay does not."""
    parity = 0x1BD11BDAA9FC1A22
    for word in key[:4]:
        parity ^= word
    schedule = [*key[:4], parity]
    x = list(words)

    def add_key(step):
        for i in range(4):
            x[i] = (x[i] + schedule[(step + i) % 5]) & MASK
        x[3] = (x[3] + step) & MASK

    for i in range(20):
        if i % 4 == 0:
            add_key(i // 4)
        for j in (0, 2):
            x[j] = (x[j] + x[j + 1]) & MASK
            r = ROTATIONS[i % 8][j // 2]
            x[j + 1] = x[j] ^ (((x[j + 1] << r) | (x[j + 1] >> (64 - r))) & MASK)
        x[1], x[3] = x[3], x[1]
    if final:
        add_key(5)
    return x


def test_the_hash_is_threefry():
    """Known answers of the authors' library, for threefry4x64 with 20 rounds."""
    zeros = hash_words([0] * 4, [0] * 4, final=True)
    assert zeros == [0x09218EBDE6C85537, 0x55941F5266D86105, 0x4BD25E16282434DC, 0xEE29EC846BD2E40B]
    ones = hash_words([MASK] * 4, [MASK] * 4, final=True)
    assert ones == [0x29C24097942BBA1B, 0x0371BBFB0F6F4E11, 0x3C231FFA33F83A1C, 0xCD29113FDE32D168]


def place_after(high, low):
    """The bit one to the right in 128."""
    bit = ((high << 64) | low) >> 1
    return bit >> 64, bit & MASK


def rehash(key, words):
    return [*hash_words(key, words), 0, 0, 0, 0, 1 << 63, 0]


def with_bit(key):
    return [*key[:4], key[4] | key[8], key[5] | key[9], *key[6:8], *place_after(key[8], key[9])]


def generate(key, count):
    key = [int(word) for word in key]
    if key[7] >= MASK - count:
        if key[8:] == [0, 0]:
            key = rehash(key, [MASK] * 4)
        else:
            key = with_bit(key)
            key[6] = key[7] = 0
    words = []
    for i in range(count // 4):
        words += hash_words(key, [(word + i) & MASK for word in key[4:8]])
    key[7] += count // 4 * 4
    if count % 4:
        words += hash_words(key, key[4:8])[: count % 4]
        key[7] += 4
    key[6] = 0
    return np.array(key, np.uint64), np.array(words, np.uint64)


def split(key):
    key = [int(word) for word in key]
    if key[8:] == [0, 0]:
        key = rehash(key, key[4:8])
    left = [*key[:8], *place_after(key[8], key[9])]
    return np.array(left, np.uint64), np.array(with_bit(key), np.uint64)


def keys():
    rng = np.random.default_rng(0)
    plain = [new_key(0), new_key(1), new_key(2**200 + 17)]
    # No room in the counter, in the path, in either, and the middle of a path.
    counted = [np.array([*key[:7], MASK - 5, *key[8:]], np.uint64) for key in plain]
    full = [np.array([*key[:4], *rng.integers(0, MASK, 2, np.uint64), 0, 8, 0, 0], np.uint64) for key in plain]
    both = [np.array([*key[:7], MASK, 0, 0], np.uint64) for key in plain]
    middle = [np.array([*key[:4], 5 << 60, 0, 0, 0, high, low], np.uint64) for key in plain
              for high, low in ((1 << 59, 0), (1, 0), (0, 1 << 63), (0, 1))]
    return plain + counted + full + both + middle


def test_generate_and_split():
    cases = []
    for key in keys():
        for shape in ((4,), (2, 6), (5,), (3, 1, 1), (0,)):
            next_key, words = generate(key, math.prod(shape))
            expected = (next_key, words.reshape(shape))
            cases.append(Case("random.threefry_generate", [key], expected, {"out_shape": shape}))
        cases.append(Case("random.threefry_split", [key], split(key)))
    check(cases)


def test_sequences_do_not_repeat():
    """One after the other, and both halves of a split (where the left one goes
    on with what the key itself would have made)."""
    key = new_key(7)
    first, a = generate(key, 8)
    _, b = generate(first, 8)
    left, right = split(key)
    np.testing.assert_array_equal(generate(left, 8)[1], a)
    words = np.concatenate([a, b, generate(right, 8)[1]])
    assert len(set(words.tolist())) == 24


def unit(words, dtype):
    if dtype == np.float32:
        return (words.astype(np.uint32) >> np.uint32(9)).astype(np.float64) / 2**23
    return (words >> np.uint64(12)).astype(np.float64) / 2**52


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_uniform_and_normal(dtype):
    name = {np.float32: "!f32", np.float64: "!f64"}[dtype]
    cases = []
    for seed, (first, second) in enumerate([(0, 1), (-3, 5.5), (2, 0.25)]):
        key, shape = new_key(seed), (3, 8)
        attrs = {"out_shape": shape, "out_dtype": name}
        inputs = [key, np.array(first, dtype), np.array(second, dtype)]
        next_key, words = generate(key, 24)
        scaled = unit(words, dtype).astype(dtype) * dtype(second - first) + dtype(first)
        cases.append(Case("random.uniform", inputs, (next_key, scaled.reshape(shape)), attrs))
        next_key, words = generate(key, 48)
        u, v = unit(words[:24], dtype), unit(words[24:], dtype)
        normal = np.sqrt(-2 * np.log(1 - u)) * np.sin(2 * np.pi * v) * second + first
        cases.append(
            Case("random.normal", inputs, (next_key, normal.astype(dtype).reshape(shape)), attrs, rtol=1e-6, atol=1e-7)
        )
    check(cases)


def draw(op, operands, attrs, result):
    types = ", ".join(constant(a).split(" : ")[-1] for a in operands)
    lines = "".join(f"  %a{i} = {constant(a)}\n" for i, a in enumerate(operands))
    names = ", ".join(f"%a{i}" for i in range(len(operands)))
    type_ = f"tuple<tensor<10xui64>, {result}>"
    text = (
        f"func.func @f() -> {type_} {{\n{lines}  %r = relay.random.{op} {names} {{{attrs}}} : ({types}) -> {type_}\n"
        f"  return %r : {type_}\n}}\n"
    )
    return run(text)["f"][1]


def test_statistics():
    one, half = np.array(1, np.float32), np.array(0.5, np.float32)
    values = draw(
        "uniform", [new_key(3), half, one], "out_shape = [100, 200], out_dtype = f32", "tensor<100x200xf32>"
    ).astype(float)
    assert values.min() >= 0.5 and values.max() < 1
    assert abs(values.mean() - 0.75) < 0.005 and abs(values.var() - 0.25 / 12) < 0.001
    values = draw("normal", [new_key(4), half, one], "out_shape = [20000], out_dtype = f32", "tensor<20000xf32>")
    values = values.astype(float)
    assert abs(values.mean() - 0.5) < 0.03 and abs(values.std() - 1) < 0.03
    assert 0.66 < (abs(values - 0.5) < 1).mean() < 0.7
    probs = np.array([[0.1, 0.2, 0, 0.7], [3, 0, 1, -4]], np.float32)
    values = draw("multinomial", [new_key(5), probs], "num_samples = 5000", "tensor<2x5000xi32>")
    for row, expected in zip(values, ([0.1, 0.2, 0, 0.7], [0.75, 0, 0.25, 0])):
        counts = np.bincount(row, minlength=4) / 5000
        np.testing.assert_allclose(counts, expected, atol=0.03)
        assert (counts[np.array(expected) == 0] == 0).all()


def test_multinomial():
    rng = np.random.default_rng(1)
    cases = []
    for seed, shape in enumerate([(5,), (2, 3), (2, 2, 7)]):
        key, probs = new_key(seed), rng.uniform(-0.2, 1, shape).astype(np.float32)
        samples = 6
        next_key, words = generate(key, math.prod(shape[:-1]) * samples)
        u = unit(words, np.float32).reshape(*shape[:-1], 1, samples)
        clipped = np.maximum(probs, 0)
        sums = (clipped / clipped.sum(-1, keepdims=True)).cumsum(-1)[..., None]
        expected = (sums > u).argmax(-2).astype(np.int32)
        cases.append(Case("random.multinomial", [key, probs], (next_key, expected), {"num_samples": samples}))
    check(cases)
