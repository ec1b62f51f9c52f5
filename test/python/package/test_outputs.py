"""Memory of outputs: nobody sees a later run in what he holds, and what nobody
holds is used again."""

import threading

import numpy as np
import pytest

import relay_mlir as rm

NEGATE = """
func.func @main(%x: tensor<?xf32> {relay.name = "x", relay.dims = ["n"]})
    -> (tensor<?xf32> {relay.name = "y"}) {
  %0 = relay.negative %x : (tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
"""

# Beyond what the C library would hand out again by itself.
LARGE = 3 << 20


def address(array):
    return array.__array_interface__["data"][0]


@pytest.fixture(scope="module")
def negate():
    return rm.compile(rm.parse(NEGATE))


def ramp(start, size=LARGE):
    return np.arange(start, start + size, dtype=np.float32)


@pytest.mark.parametrize("size", [0, 1, 1000, 1 << 16, LARGE])
def test_results_stay_as_they_are(negate, size):
    held = [negate(ramp(i, size)) for i in range(4)]
    assert len({address(y) for y in held if size}) == (4 if size else 0)
    for i, y in enumerate(held):
        np.testing.assert_array_equal(y, -ramp(i, size))


def test_released_memory_is_used_again(negate):
    x = ramp(0)
    y = negate(x)
    first = address(y)
    del y
    y = negate(x)
    assert address(y) == first
    # The caller lets go of a result when it has the next one.
    seen = set()
    for i in range(8):
        y = negate(x)
        seen.add(address(y))
    assert len(seen) == 2
    np.testing.assert_array_equal(y, -x)


def test_views_keep_the_memory(negate):
    y = negate(ramp(0))
    view = y[5:50:3]
    reshaped = y.reshape(-1, 1024)[::2].T
    expected = view.copy(), reshaped.copy()
    held = address(y)
    del y
    later = [negate(ramp(7 * i)) for i in range(3)]
    assert all(address(z) != held for z in later)
    np.testing.assert_array_equal(view, expected[0])
    del view
    later.append(negate(ramp(99)))
    assert address(later[-1]) != held
    np.testing.assert_array_equal(reshaped, expected[1])


def test_dlpack_consumers_keep_the_memory(negate):
    y = negate(ramp(0))
    held = address(y)
    other = np.from_dlpack(y)
    capsule = y.__dlpack__()
    del y
    assert address(negate(ramp(1))) != held
    np.testing.assert_array_equal(other, -ramp(0))
    del other
    assert address(negate(ramp(1))) != held
    del capsule
    z = negate(ramp(2))
    np.testing.assert_array_equal(z, -ramp(2))


def test_an_output_as_the_next_input(negate):
    x = ramp(1)
    for i in range(5):
        x = negate(x)
    np.testing.assert_array_equal(x, -ramp(1))


def test_sizes_that_change(negate):
    for size in (LARGE, LARGE // 2, 100, LARGE + 1, 3 * LARGE, 1 << 15, LARGE):
        y = negate(ramp(0, size))
        assert y.shape == (size,)
        np.testing.assert_array_equal(y, -ramp(0, size))


def test_outputs_released_after_the_module():
    model = rm.compile(rm.parse(NEGATE))
    held = [model(ramp(i)) for i in range(3)]
    del held[1]
    del model
    for i, y in zip((0, 2), held):
        np.testing.assert_array_equal(y, -ramp(i))


def test_threads_share_released_memory(negate):
    errors = []

    def work(seed):
        for i in range(6):
            x = ramp(seed + i)
            y = negate(x)
            z = negate(y)
            if not (np.array_equal(y, -x) and np.array_equal(z, x)):
                errors.append((seed, i))

    threads = [threading.Thread(target=work, args=(100 * i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
