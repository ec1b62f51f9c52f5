// What is annotated for us may have lost its counterpart to other passes: it stays
// ours, and regions of others stay what they are.
// RUN: relay-opt %s --split-input-file --relay-merge-compiler-regions | FileCheck %s
// RUN: relay-opt %s --split-input-file --relay-merge-compiler-regions --relay-partition-graph | FileCheck %s --check-prefix=PARTS

// The annotated body of a function in place of its annotated call.
// CHECK-LABEL: func.func @inlined
// CHECK-SAME:    %[[X:.*]]: tensor<4xf32>
// CHECK:         %[[B:.*]] = relay.annotation.compiler_begin %{{.*}} {compiler = "t"}
// CHECK-NEXT:    %[[E:.*]] = relay.exp %[[B]]
// CHECK-NEXT:    %[[R:.*]] = relay.annotation.compiler_end %[[E]] {compiler = "t"}
// CHECK-NEXT:    return %[[R]]
// PARTS-LABEL: func.func private @tvmgen_default_t_inlined_
// PARTS-NEXT:    relay.exp
// PARTS:       func.func @inlined(%[[X:.*]]: tensor<4xf32>)
// PARTS-NEXT:    %[[R:.*]] = relay.call @tvmgen_default_t_inlined_{{[0-9]+}}(%[[X]])
// PARTS-NEXT:    return %[[R]]
func.func @inlined(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = relay.annotation.compiler_begin %x {compiler = "default"} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = relay.annotation.compiler_begin %0 {compiler = "t"} : (tensor<4xf32>) -> tensor<4xf32>
  %2 = relay.exp %1 : (tensor<4xf32>) -> tensor<4xf32>
  %3 = relay.annotation.compiler_end %2 {compiler = "t"} : (tensor<4xf32>) -> tensor<4xf32>
  %4 = relay.annotation.compiler_end %3 {compiler = "default"} : (tensor<4xf32>) -> tensor<4xf32>
  return %4 : tensor<4xf32>
}

// -----

// An operand that has not been annotated, and a result that has not left. Both
// operations are ours, on either side of one that is not.
// PARTS-LABEL: func.func private @tvmgen_default_t_half_open_
// PARTS-NEXT:    relay.tanh
// PARTS:       func.func @half_open(%[[X:.*]]: tensor<4xf32>)
// PARTS-NEXT:    %[[E:.*]] = relay.exp %[[X]]
// PARTS-NEXT:    %[[T:.*]] = relay.call @tvmgen_default_t_half_open_{{[0-9]+}}(%[[E]])
// PARTS-NEXT:    %[[S:.*]] = relay.add %[[E]], %[[T]]
// PARTS-NEXT:    return %[[S]]
func.func @half_open(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = relay.annotation.compiler_begin %x {compiler = "default"} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = relay.exp %0 : (tensor<4xf32>) -> tensor<4xf32>
  %2 = relay.annotation.compiler_begin %1 {compiler = "t"} : (tensor<4xf32>) -> tensor<4xf32>
  %3 = relay.tanh %2 : (tensor<4xf32>) -> tensor<4xf32>
  %4 = relay.annotation.compiler_end %3 {compiler = "t"} : (tensor<4xf32>) -> tensor<4xf32>
  %5 = relay.add %1, %4 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %5 : tensor<4xf32>
}

// -----

// One operand of ours, the other of somebody else's.
// PARTS-LABEL: func.func private @tvmgen_default_t_mixed_
// PARTS-NEXT:    relay.add
// PARTS:       func.func @mixed(%[[X:.*]]: tensor<4xf32>)
// PARTS-NEXT:    %[[E:.*]] = relay.exp %[[X]]
// PARTS-NEXT:    relay.call @tvmgen_default_t_mixed_{{[0-9]+}}(%{{.*}}, %{{.*}})
func.func @mixed(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = relay.annotation.compiler_begin %x {compiler = "default"} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = relay.exp %0 : (tensor<4xf32>) -> tensor<4xf32>
  %2 = relay.annotation.compiler_begin %x {compiler = "t"} : (tensor<4xf32>) -> tensor<4xf32>
  %3 = relay.add %1, %2 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %4 = relay.annotation.compiler_end %3 {compiler = "t"} : (tensor<4xf32>) -> tensor<4xf32>
  return %4 : tensor<4xf32>
}

// -----

// A value of another block, and one in no region.
// CHECK-LABEL: func.func @blocks
// CHECK-NOT:     compiler_end %arg1
// PARTS-LABEL: func.func @blocks
// PARTS-NOT:     annotation
// PARTS:         relay.exp
// PARTS-NOT:     annotation
func.func @blocks(%c: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = relay.annotation.compiler_end %x {compiler = "default"} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = relay.annotation.compiler_begin %0 {compiler = "default"} : (tensor<4xf32>) -> tensor<4xf32>
  %2 = relay.if %c : tensor<i1> -> tensor<4xf32> {
    %3 = relay.exp %1 : (tensor<4xf32>) -> tensor<4xf32>
    relay.yield %3 : tensor<4xf32>
  } else {
    relay.yield %1 : tensor<4xf32>
  }
  return %2 : tensor<4xf32>
}
