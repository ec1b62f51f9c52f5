// RUN: relay-opt %s --relay-to-cps --verify-diagnostics -split-input-file
// RUN: not relay-opt %S/Inputs/continuations.mlir --relay-to-cps=entries=nobody 2>&1 | FileCheck %s --check-prefix=NOBODY
// RUN: not relay-opt %S/Inputs/continuations.mlir --relay-un-cps=entries=direct 2>&1 | FileCheck %s --check-prefix=DIRECT
// RUN: not relay-opt %S/Inputs/continuations.mlir --relay-un-cps=entries=used 2>&1 | FileCheck %s --check-prefix=USED
// RUN: not relay-opt %S/Inputs/continuations.mlir --relay-un-cps=entries=higher 2>&1 | FileCheck %s --check-prefix=HIGHER

// NOBODY: error: expects the name of a function of the module, but got '@nobody'
// DIRECT: error: expects a function in continuation passing style, whose last parameter is a function of its result, but got one of type '(tensor<i32>) -> tensor<i32>'
// USED:   error: expects a function that nothing calls with a continuation, but got '@used'
// USED:   note: it is used here
// HIGHER: error: expects a function that returns no functions, but got one whose continuation is of type

relay.adt @Box {
  // expected-error @+1 {{expects data types without functions for continuation passing style, but got a field of type '(tensor<i32>) -> tensor<i32>'}}
  relay.constructor @Full((tensor<i32>) -> tensor<i32>)
}

// -----

// expected-error @+1 {{expects a function of one result, but got 2}}
func.func @two(%x: tensor<i32>) -> (tensor<i32>, tensor<i32>) {
  return %x, %x : tensor<i32>, tensor<i32>
}

// -----

func.func @twice(%x: tensor<i32>) -> tensor<i32> {
  return %x : tensor<i32>
}
func.func @untyped(%x: tensor<i32>) -> tensor<i32> {
  // expected-error @+2 {{expects complete types for continuation passing style, but got '!relay.incomplete'}}
  // expected-note @+1 {{run --relay-infer-types to make types complete}}
  %0 = relay.global @twice : !relay.incomplete
  return %x : tensor<i32>
}
