// RUN: relay-opt %s --relay-dead-code=inline-once --split-input-file \
// RUN:   | FileCheck %s --check-prefixes=CHECK,ONCE
// RUN: relay-opt %s --relay-dead-code=ignore-impurity --split-input-file \
// RUN:   | FileCheck %s --check-prefixes=CHECK,IMPURE

// What an inner function needs is evaluated once, outside of it.
// CHECK-LABEL: func.func @uses
// CHECK:         %[[X:.*]] = relay.let "x"
// ONCE-NOT:      relay.let "once"
// IMPURE:        relay.let "once"
// CHECK:         relay.let "twice"
// CHECK:         relay.fn
// CHECK:           relay.add %[[X]]
func.func @uses(%a: tensor<f32>) -> tensor<f32> {
  %0 = relay.exp %a : (tensor<f32>) -> tensor<f32>
  %x = relay.let "x" %0 : tensor<f32>
  %1 = relay.tanh %a : (tensor<f32>) -> tensor<f32>
  %once = relay.let "once" %1 : tensor<f32>
  %2 = relay.sqrt %once : (tensor<f32>) -> tensor<f32>
  %twice = relay.let "twice" %2 : tensor<f32>
  %f = relay.fn (%y: tensor<f32>) -> tensor<f32> {
    %3 = relay.add %x, %y : (tensor<f32>, tensor<f32>) -> tensor<f32>
    relay.yield %3 : tensor<f32>
  }
  %4 = relay.call_indirect %f(%twice) : (tensor<f32>) -> tensor<f32>
  %5 = relay.call_indirect %f(%4) : (tensor<f32>) -> tensor<f32>
  %6 = relay.add %5, %twice : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %6 : tensor<f32>
}

// -----

// A write is gone only if asked; a read has its place.
// CHECK-LABEL: func.func @references
// CHECK:         relay.let "old"
// ONCE:          relay.ref_write
// IMPURE-NOT:    relay.ref_write
// CHECK:         return
func.func @references(%x: tensor<f32>) -> tensor<f32> {
  %r = relay.ref_create %x : (tensor<f32>) -> !relay.ref<tensor<f32>>
  %0 = relay.ref_read %r : (!relay.ref<tensor<f32>>) -> tensor<f32>
  %old = relay.let "old" %0 : tensor<f32>
  %1 = relay.ref_write %r, %x : (!relay.ref<tensor<f32>>, tensor<f32>) -> tuple<>
  return %old : tensor<f32>
}

// -----

// Only its variable names a function that calls itself.
// CHECK-LABEL: func.func @recursive
// CHECK:         relay.let "loop"
func.func @recursive(%x: tensor<f32>) -> tensor<f32> {
  %f = relay.fn rec %self (%y: tensor<f32>) -> tensor<f32> {
    %0 = relay.call_indirect %self(%y) : (tensor<f32>) -> tensor<f32>
    relay.yield %0 : tensor<f32>
  }
  %loop = relay.let "loop" %f : (tensor<f32>) -> tensor<f32>
  %1 = relay.call_indirect %loop(%x) : (tensor<f32>) -> tensor<f32>
  return %1 : tensor<f32>
}
