// Pipelines are of modules. Elsewhere they are refused, and the tool goes on to
// say so.
// RUN: not relay-opt --pass-pipeline='func.func(relay-optimize)' %s 2>&1 | FileCheck %s -DNAME=relay-optimize
// RUN: not relay-opt --pass-pipeline='func.func(relay-to-kernels)' %s 2>&1 | FileCheck %s -DNAME=relay-to-kernels
// RUN: not relay-opt --pass-pipeline='func.func(tir-to-llvm)' %s 2>&1 | FileCheck %s -DNAME=tir-to-llvm
// RUN: relay-opt --pass-pipeline='builtin.module(relay-optimize)' %s

// CHECK-NOT: LLVM ERROR
// CHECK: error: pipeline '[[NAME]]' expects to run on 'builtin.module', but got 'func.func'
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}
