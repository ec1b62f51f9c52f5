# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs of Relay as modules of Relax, printed, compiled and run."""

import numpy as np
import pytest

import relay_mlir as rm
import relay_mlir.compat as tvm
from relay_mlir import relax, relay
from relay_mlir.relax.testing import relay_translator


def mlp(batch):
    return relay.testing.mlp.get_workload(batch_size=batch)


def test_open_batch():
    """Sizes have names, and one artefact serves all of them. Tolerance: both sum in
    float32, in another order."""
    mod, params = mlp(relay.Any())
    translated = relay_translator.from_relay(mod["main"], "llvm")
    machine = relax.VirtualMachine(relax.vm.build(translated, "llvm"), tvm.cpu())
    reference = relay.create_executor("debug", mod=mod).evaluate()
    for batch in (1, 2, 5, 0):
        data = np.random.default_rng(batch).random((batch, 1, 28, 28), "float32")
        result = machine["main"](data, *params.values())
        assert not isinstance(result, tuple) and result.numpy().shape == (batch, 10)
        np.testing.assert_allclose(result, reference(data, **params), rtol=1e-5)
    np.testing.assert_array_equal(machine["main"](data=data, **params),
                                  machine["main"](data, *params.values()))


def test_parameters_are_constants():
    mod, params = mlp(3)
    translated = relay_translator.from_relay(mod, "llvm", params)
    text = translated["main"].script()
    assert text.startswith('@relax.function\ndef main(data: Tensor((3, 1, 28, 28), "float32")) -> ')
    assert text.count("relax.const(") == 6
    machine = relax.VirtualMachine(relax.build(translated))
    data = np.random.default_rng(1).random((3, 1, 28, 28), "float32")
    np.testing.assert_allclose(
        machine["main"](data), relay.create_executor("debug", mod=mod).evaluate()(data, **params),
        rtol=1e-5)


def test_modules():
    translated = relay_translator.from_relay(mlp(2)[0], "llvm")
    names = ["main", "dense", "add", "relu", "dense1", "add1", "relu1", "dense2", "add2", "softmax"]
    assert translated.names() == list(translated) == list(translated.functions) == names
    assert isinstance(translated["main"], relax.Function) and "dense" in translated
    assert isinstance(translated["dense"], relax.PrimFunc)
    assert str(translated["relu"]).startswith("tir.prim_func private @relu(")
    assert str(translated).count("relax.call_tir(") == 9
    with pytest.raises(KeyError, match="expects one of main, dense, .*, but got 'conv'"):
        translated["conv"]  # pylint: disable=pointless-statement
    again = relax.IRModule.parse(translated.as_mlir())
    assert str(again) == str(translated)
    with pytest.raises(rm.CompileError, match="custom op"):
        relax.IRModule.parse("%0 = nothing")
    with pytest.raises(ValueError, match="expects a module with a relax.func, but got none"):
        relax.IRModule.parse("func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
                             "  return %x : tensor<2xf32>\n}")


def test_executables(tmp_path):
    mod, params = mlp(2)
    executable = relax.vm.build(relay_translator.from_relay(mod, "llvm"), "llvm")
    assert executable.stats() == (
        "Relax VM executable statistics:\n  Globals (# 1): [main]\n  Kernels (# 9): [dense, "
        "add, relu, dense1, add1, relu1, dense2, add2, softmax]\n")
    text = executable.as_text()
    for line in ("relax.alloc_storage(", "relax.call_kernel(softmax, (", "relax.kill(",
                 "relax.result_buffer("):
        assert line in text
    executable.export_library(tmp_path / "mlp.so")
    data = np.random.default_rng(1).random((2, 1, 28, 28), "float32")
    np.testing.assert_array_equal(rm.load(tmp_path / "mlp.so")(data, *params.values()),
                                  relax.VirtualMachine(executable)["main"](data, *params.values()))


def test_levels_and_disabled_passes():
    x = relay.var("x", shape=(2, 3))
    func = relay.Function([x], relay.nn.bias_add(x, relay.const(np.ones(3, "float32"))))
    assert "add" in relay_translator.from_relay(func)
    assert "bias_add" in relay_translator.from_relay(func, disabled_pass=["CanonicalizeOps"])
    assert "bias_add" in relay_translator.from_relay(func, opt_level=2)


def test_several_results():
    x = relay.var("x", shape=(4, relay.Any()))
    func = relay.Function([x], relay.Tuple([relay.tanh(x), relay.sum(x, axis=1)]))
    machine = relax.VirtualMachine(relax.vm.build(relay_translator.from_relay(func)))
    data = np.random.default_rng(2).random((4, 7), "float32")
    results = machine["main"](data)
    assert isinstance(results, tuple)
    np.testing.assert_allclose(results[0], np.tanh(data), rtol=1e-6)
    np.testing.assert_allclose(results[1], data.sum(axis=1), rtol=1e-6)


def test_sizes_of_parameters_that_follow_from_others():
    """What a parameter's size is besides its name is checked when it is called."""
    module = relax.IRModule.parse("""
        tir.prim_func private @negate(%x: memref<?xf32>, %y: memref<?xf32>)
            attributes {tir.num_outputs = 1 : i64} {
          %c0 = arith.constant 0 : index
          %size = memref.dim %x, %c0 : memref<?xf32>
          tir.for %i = 0 to %size {
            tir.block @negate(%v = spatial %i in %size)
                reads(%x[%v] : memref<?xf32>) writes(%y[%v] : memref<?xf32>) {
              %0 = affine.load %x[%v] : memref<?xf32>
              %1 = arith.negf %0 : f32
              affine.store %1, %y[%v] : memref<?xf32>
            }
          }
        }
        relax.func @main(%x: !relax.tensor<[2 * n + 1], f32> {relax.name = "x"},
                         %y: !relax.tensor<[n], f32> {relax.name = "y"})
            -> (!relax.tensor<[2 * n + 1], f32>, !relax.tensor<[2 * n + 1], f32>) {
          %0 = relax.call_tir @negate(%x)
            : (!relax.tensor<[2 * n + 1], f32>) -> !relax.tensor<[2 * n + 1], f32>
          relax.return %0, %x : !relax.tensor<[2 * n + 1], f32>, !relax.tensor<[2 * n + 1], f32>
        }""")
    main = relax.VirtualMachine(relax.vm.build(module))["main"]
    for n in (0, 1, 7):
        x = np.arange(2 * n + 1, dtype="float32")
        negated, same = main(x, np.zeros(n, "float32"))
        np.testing.assert_array_equal(negated, -x)
        np.testing.assert_array_equal(same, x)
    with pytest.raises(ValueError, match=r"expects d0 to equal 2 \* n \+ 1, but got 6 and 7; d0 = 6 is "
                       "dimension 0 of input 'x', n = 3 is dimension 0 of input 'y'"):
        main(np.zeros(6, "float32"), np.zeros(3, "float32"))


def test_errors():
    translated = relay_translator.from_relay(mlp(2)[0])
    executable = relax.vm.build(translated)
    with pytest.raises(ValueError, match="expects exec_mode 'bytecode' or 'compiled'"):
        relax.vm.build(translated, exec_mode="interpreted")
    with pytest.raises(NotImplementedError, match="takes them as relay_params"):
        relax.vm.build(translated, params={"w": np.ones(2)})
    with pytest.raises(TypeError, match="expects mod to be a module of relax"):
        relax.vm.build(mlp(2)[0])  # type: ignore[arg-type]
    with pytest.raises(NotImplementedError, match="no execution on cuda"):
        relax.VirtualMachine(executable, tvm.cuda(0))
    with pytest.raises(KeyError, match="expects the function 'main', but got 'other'"):
        relax.VirtualMachine(executable)["other"]  # pylint: disable=expression-not-assigned
    x = relay.var("x", shape=(2,))
    closure = relay.Function([x], relay.Function([], x))
    with pytest.raises(relay.DiagnosticError):
        relay_translator.from_relay(closure)
