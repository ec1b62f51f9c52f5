// A pass that fails without a word is named, also if it ran on a function among
// others; one that says why is not.
// RUN: not relay-opt %s --pass-pipeline='builtin.module(func.func(canonicalize{max-iterations=1 test-convergence=true}))' 2>&1 | FileCheck %s --check-prefix=SILENT
// RUN: not relay-opt %s --pass-pipeline='builtin.module(func.func(canonicalize{max-iterations=1 test-convergence=true}))' --mlir-disable-threading 2>&1 | FileCheck %s --check-prefix=SILENT
// RUN: not relay-opt %s --relay-attach-target=target=nothing 2>&1 | FileCheck %s --check-prefix=LOUD
// SILENT: pass-failures.mlir:{{.*}}: error: pass canonicalize failed, and does not say why
// LOUD: error: expects a target
// LOUD-NOT: does not say why

func.func @one(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = relay.reshape %x {newshape = [4]} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @other(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
