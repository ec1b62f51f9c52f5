"""Products, einsum and Fourier transforms against NumPy."""

from typing import Any

import numpy as np
import pytest
from relay_eval import RTOL, TYPES, Case, check, random


@pytest.mark.parametrize("dtype", ["f64", "f32", "f16", "i8", "i64", "ui32"])
def test_cumprod(dtype):
    x = random(np.random.default_rng(0), (2, 3, 4), dtype)
    cases = []
    wide = np.float64 if x.dtype.kind == "f" else x.dtype
    for axis in (None, 0, 1, -1):
        attrs = {} if axis is None else {"axis": axis}
        product = np.cumprod(x, axis, wide)
        cases.append(Case("cumprod", [x], product.astype(x.dtype), attrs))
        flat = x.reshape(-1) if axis is None else x
        ones = np.ones_like(np.take(flat, [0], axis or 0))
        shifted = np.concatenate([ones, np.delete(flat, -1, axis or 0)], axis or 0)
        exclusive = np.cumprod(shifted, axis or 0, wide).astype(x.dtype)
        cases.append(Case("cumprod", [x], exclusive, {**attrs, "exclusive": True}))
    expected = np.cumprod(x, 1, np.float64)
    cases.append(Case("cumprod", [x], expected, {"axis": 1, "dtype": "!f64"}))
    check(cases)


EQUATIONS: list[tuple[str, list[Any]]] = [
    ("ij,jk", [(2, 3), (3, 4)]),
    ("ij,jk->ki", [(2, 3), (3, 4)]),
    ("i,j->ij", [(2,), (3,)]),
    ("ii", [(4, 4)]),
    ("ii->i", [(4, 4)]),
    ("ij->ji", [(2, 3)]),
    ("ij->", [(2, 3)]),
    ("zij, ij -> z", [(5, 2, 3), (2, 3)]),
    ("bij,bjk,bkl->bil", [(2, 3, 4), (2, 4, 5), (2, 5, 2)]),
    ("...ij,...jk->...ik", [(5, 1, 2, 3), (4, 3, 2)]),
    ("...ij,jk", [(5, 2, 3), (3, 2)]),
    ("i...->...", [(3, 2, 4)]),
    ("a...b,b->a...", [(2, 5, 6, 3), (3,)]),
    ("bA,Ab", [(2, 3), (3, 2)]),
    (",ij->ij", [(), (2, 3)]),
    ("ij,ij->ij", [(2, 3), (1, 3)]),
    ("ij,jk->ik", [(2, 0), (0, 4)]),
]


@pytest.mark.parametrize("dtype", ["f64", "f32", "i32", "i8"])
def test_einsum(dtype):
    rng = np.random.default_rng(1)
    cases = []
    for equation, shapes in EQUATIONS:
        operands = [random(rng, shape, dtype) for shape in shapes]
        wide = np.float64 if operands[0].dtype.kind == "f" else np.int64
        expected = np.einsum(equation, *[o.astype(wide) for o in operands])
        expected = np.asarray(expected).astype(operands[0].dtype)
        attrs = {"equation": equation}
        cases.append(Case("einsum", operands, expected, attrs, atol=RTOL.get(dtype, 0)))
    check(cases)


def test_fixed_point_multiply_per_axis():
    rng = np.random.default_rng(2)
    x = rng.integers(-(2**20), 2**20, (2, 3, 4)).astype(np.int32)
    cases = []
    for axes in ([1], [-1], [0, 2], [2, 0], []):
        shape = tuple(x.shape[a] for a in axes)
        multiplier = rng.integers(2**30, 2**31 - 1, shape).astype(np.int32)
        left = rng.integers(0, 4, shape).astype(np.int32)
        right = rng.integers(0, 12, shape).astype(np.int32)

        def align(param):
            order: Any = np.argsort([a % 3 for a in axes]) if axes else []
            full = [x.shape[d] if d in [a % 3 for a in axes] else 1 for d in range(3)]
            return param.transpose(order).reshape(full).astype(object)

        for uses_left in (False, True):
            for uses_right in (False, True):
                value = x.astype(object) * 2 ** (align(left) * uses_left) * align(multiplier)
                total = 31 + align(right) * uses_right
                expected = (value + 2 ** (total - 1)) // 2**total
                expected = np.broadcast_to(expected, x.shape).astype(np.int64)
                attrs = {
                    "is_lshift_required": uses_left,
                    "is_rshift_required": uses_right,
                    "axes": axes,
                }
                if not axes:
                    del attrs["axes"]
                operands = [x, multiplier, left, right]
                cases.append(
                    Case("fixed_point_multiply_per_axis", operands, expected.astype(np.int32), attrs)
                )
    check(cases)


@pytest.mark.parametrize("dtype", ["f64", "f32"])
def test_dft(dtype):
    rng = np.random.default_rng(3)
    cases = []
    for shape in ((8,), (3, 7), (2, 2, 12), (1,), (0, 4)):
        re, im = random(rng, shape, dtype), random(rng, shape, dtype)
        z = re.astype(np.float64) + 1j * im.astype(np.float64)
        for inverse in (False, True):
            y = np.fft.ifft(z) if inverse else np.fft.fft(z)
            expected = (y.real.astype(re.dtype), y.imag.astype(re.dtype))
            cases.append(
                Case("dft", [re, im], expected, {"inverse": inverse}, atol=2 * RTOL[dtype])
            )
    check(cases)


def stft(x, window, n_fft, hop, win, normalized, onesided):
    """Frame by frame, with NumPy's transform."""
    before = (n_fft - win) // 2
    weights = np.pad(window.astype(np.float64), (before, n_fft - win - before))
    starts = range(0, x.shape[-1] - n_fft + 1, hop)
    frames = np.stack([x[..., s : s + n_fft] * weights for s in starts], -2)
    spectra = np.fft.fft(frames.astype(np.float64))
    spectra = np.swapaxes(spectra, -1, -2)
    if onesided:
        spectra = spectra[..., : n_fft // 2 + 1, :]
    if normalized:
        spectra = spectra / np.sqrt(n_fft)
    return np.stack([spectra.real, spectra.imag], -1)


@pytest.mark.parametrize("dtype", ["f64", "f32"])
def test_stft(dtype):
    rng = np.random.default_rng(4)
    cases = []
    for shape, n_fft, hop, win in [
        ((20,), 8, 3, 8),
        ((2, 33), 16, 5, 10),
        ((3, 7), 7, 1, 4),
        ((1, 12), 4, -1, -1),
    ]:
        x = random(rng, shape, dtype)
        length = n_fft if win == -1 else win
        for window in (np.hanning(length).astype(x.dtype), np.ones(length, np.int32)):
            for normalized in (False, True):
                for onesided in (False, True):
                    attrs = {
                        "n_fft": n_fft,
                        "hop_length": hop,
                        "win_length": win,
                        "normalized": normalized,
                        "onesided": onesided,
                    }
                    step = n_fft // 4 if hop == -1 else hop
                    expected = stft(x, window, n_fft, step, length, normalized, onesided)
                    cases.append(
                        Case("stft", [x, window], expected.astype(x.dtype), attrs, atol=4 * RTOL[dtype])
                    )
    assert TYPES[dtype] == x.dtype
    check(cases)
