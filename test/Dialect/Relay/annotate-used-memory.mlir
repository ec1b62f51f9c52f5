// RUN: relay-opt %s --split-input-file --relay-annotate-used-memory | FileCheck %s

// The input and the result of each call, 16 and 16 bytes, then 16 and 4.
// CHECK-LABEL: func.func @main
// CHECK-SAME: relay.attrs = {io_used_memory = 20 : i32}
// CHECK: relay.fn
// CHECK-SAME: relay.attrs = {used_memory = [32 : i32]}
// CHECK: relay.fn
// CHECK-SAME: relay.attrs = {used_memory = [20 : i32]}
func.func @main(%x: tensor<4xf32>) -> tensor<4xi8> {
  %0 = relay.fn (%p: tensor<4xf32>) -> tensor<4xf32> attributes {relay.primitive} {
    %1 = relay.exp %p : (tensor<4xf32>) -> tensor<4xf32>
    relay.yield %1 : tensor<4xf32>
  }
  %f = relay.let "f" %0 : (tensor<4xf32>) -> tensor<4xf32>
  %2 = relay.call_indirect %f(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %a = relay.let "a" %2 : tensor<4xf32>
  %3 = relay.fn (%p: tensor<4xf32>) -> tensor<4xi8> attributes {relay.primitive} {
    %4 = relay.cast %p {dtype = i8} : (tensor<4xf32>) -> tensor<4xi8>
    relay.yield %4 : tensor<4xi8>
  }
  %g = relay.let "g" %3 : (tensor<4xf32>) -> tensor<4xi8>
  %5 = relay.call_indirect %g(%a) : (tensor<4xf32>) -> tensor<4xi8>
  %b = relay.let "b" %5 : tensor<4xi8>
  return %b : tensor<4xi8>
}

// -----

// Two calls of one function, of the module. %x is in use until the second, and
// the tuple is what it consists of.
// CHECK-LABEL: func.func private @kernel
// CHECK-SAME: relay.attrs = {used_memory = [32 : i32, 48 : i32]}
// CHECK-LABEL: func.func @main
// CHECK-SAME: relay.attrs = {io_used_memory = 48 : i32}
func.func private @kernel(%p: tensor<4xf32>) -> tensor<4xf32> attributes {relay.primitive} {
  %0 = relay.exp %p : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32>) -> tuple<tensor<4xf32>, tensor<4xf32>> {
  %0 = relay.call @kernel(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %a = relay.let "a" %0 : tensor<4xf32>
  %1 = relay.call @kernel(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %b = relay.let "b" %1 : tensor<4xf32>
  %2 = relay.tuple %a, %b : tensor<4xf32>, tensor<4xf32>
  %t = relay.let "t" %2 : tuple<tensor<4xf32>, tensor<4xf32>>
  return %t : tuple<tensor<4xf32>, tensor<4xf32>>
}

// -----

// What one branch uses has ended in the other one: x, y and the result there,
// y and the result here.
// CHECK-LABEL: func.func private @kernel
// CHECK-SAME: relay.attrs = {used_memory = [48 : i32, 32 : i32]}
func.func private @kernel(%p: tensor<4xf32>) -> tensor<4xf32> attributes {relay.primitive} {
  %0 = relay.exp %p : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @branches(%c: tensor<i1>, %x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = relay.if %c : tensor<i1> -> tensor<4xf32> {
    %1 = relay.call @kernel(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %a = relay.let "a" %1 : tensor<4xf32>
    %2 = relay.add %a, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %b = relay.let "b" %2 : tensor<4xf32>
    relay.yield %b : tensor<4xf32>
  } else {
    %1 = relay.call @kernel(%y) : (tensor<4xf32>) -> tensor<4xf32>
    %a = relay.let "a" %1 : tensor<4xf32>
    relay.yield %a : tensor<4xf32>
  }
  %r = relay.let "r" %0 : tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

// A tuple without fields takes no memory, nor does what it is a field of.
// CHECK-LABEL: func.func @main
// CHECK-SAME: relay.attrs = {io_used_memory = 8 : i32}
func.func @main(%x: tensor<f32>, %u: tuple<>) -> tuple<tuple<>, tuple<tuple<>>, tensor<f32>, tuple<>> {
  %0 = relay.add %x, %x : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %1 = relay.tuple ()
  %2 = relay.tuple ()
  %3 = relay.tuple %2 : tuple<>
  %4 = relay.tuple %1, %3, %0, %u : tuple<>, tuple<tuple<>>, tensor<f32>, tuple<>
  return %4 : tuple<tuple<>, tuple<tuple<>>, tensor<f32>, tuple<>>
}
