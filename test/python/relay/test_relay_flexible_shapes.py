"""Functions for several sizes of inputs, and spans of printed text."""

import numpy as np
import pytest

from relay_mlir import relay
from relay_mlir.relay import transform


def network(size):
    x = relay.var("x", shape=(size, 3))
    w = relay.var("w", shape=(2, 3))
    y = relay.nn.dense(x, w)
    return relay.Function([x, w], relay.Tuple([relay.nn.softmax(y), relay.reverse(x, axis=1)]))


def run(mod, *values):
    result = relay.create_executor("debug", mod).evaluate()(*values)
    return [np.asarray(one) for one in (result if isinstance(result, tuple) else (result,))]


@pytest.mark.parametrize("auto_pad", [True, False])
def test_batches(auto_pad):
    dispatch = transform.FlexibleShapeDispatch([4, 2, 4], auto_pad=auto_pad, input_indices=[0])
    assert dispatch.info.name == "FlexibleShapeDispatch"
    mod = dispatch(relay.IRModule.from_expr(network(1)))
    assert {var.name_hint for var in mod.functions} == {"main", "main_2", "main_4"}
    assert mod["main_4"].params[0].checked_type == relay.TensorType((4, 3))
    assert mod["main"].params[0].checked_type == relay.TensorType((relay.Any(), 3))
    rng = np.random.default_rng(0)
    w = rng.standard_normal((2, 3)).astype("float32")
    for size in (1, 2, 3, 4, 5, 9):
        x = rng.standard_normal((size, 3)).astype("float32")
        expected = run(relay.IRModule.from_expr(network(size)), x, w)
        for one, other in zip(run(mod, x, w), expected, strict=True):
            np.testing.assert_array_equal(one, other)


def test_sequences_that_do_not_change_the_result():
    x = relay.var("x", shape=(2, 5, 3))
    mod = relay.IRModule.from_expr(relay.Function([x], relay.max(x, axis=1)))
    mod = transform.FlexibleShapeDispatch([4], axis=-2, pad_value=-1e9,
                                          affects_output=False)(mod)
    for size in (1, 3, 4, 6):
        value = np.random.default_rng(size).standard_normal((2, size, 3)).astype("float32")
        np.testing.assert_array_equal(run(mod, value)[0], value.max(axis=1))


def test_wrong_dispatch():
    mod = relay.IRModule.from_expr(network(1))
    for arguments, error, message in [
            (dict(buckets=[]), ValueError, "expects buckets to have a size, but got none"),
            (dict(buckets=[0]), ValueError, "each of buckets to be 1 or more"),
            (dict(buckets=[2], axis="q"), TypeError, "axis to be an integer"),
            (dict(buckets=[2], pad_value="q"), TypeError, "pad_value to be a number"),
            (dict(buckets=[2], auto_pad=1), TypeError, "auto_pad to be a bool"),
            (dict(buckets=[2], axis=3), ValueError, "a tensor with axis 3, but it is of type"),
            (dict(buckets=[2], input_indices=[2]), ValueError, "of 2 parameters, but got"),
            (dict(buckets=[2], input_indices=[]), ValueError, "of 2 parameters, but got")]:
        with pytest.raises(error, match=message):
            transform.FlexibleShapeDispatch(**arguments)(mod)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="expects no function @main_2, but there is one"):
        dispatch = transform.FlexibleShapeDispatch([2], input_indices=[0])
        dispatch(dispatch(mod))


def test_annotate_spans():
    x = relay.var("x", shape=(2,))
    constant = relay.const(np.arange(2, dtype="float32"))
    mod = relay.IRModule.from_expr(relay.Function([x], relay.exp(x) + constant))
    assert mod["main"].body.span is None
    after = transform.AnnotateSpans()(mod)
    span = after["main"].body.span
    assert span.source_name == relay.SourceName("GeneratedSource")
    line = mod.astext(show_meta_data=True).splitlines()[span.line - 1]
    assert line[span.column - 1:span.end_column - 1].startswith("add(")
    assert relay.structural_equal(transform.InferType()(mod), after)
    np.testing.assert_array_equal(run(after, np.zeros(2, "float32"))[0], [1, 2])
    # A test of TVM: what is fused can be taken apart after that.
    passes = transform.Sequential([transform.FuseOps(), transform.AnnotateSpans(),
                                   transform.DefuseOps()])
    with transform.PassContext(opt_level=3):
        assert relay.structural_equal(passes(mod), transform.InferType()(mod))
