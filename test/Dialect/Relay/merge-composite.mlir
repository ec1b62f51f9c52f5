// RUN: mlir-pdll -x=mlir %S/Inputs/composite.pdll -o %t.mlir
// RUN: relay-opt %s --relay-merge-composite=patterns=%t.mlir | FileCheck %s
// RUN: relay-opt %s --relay-merge-composite=patterns=%S/Inputs/composite.pdll | FileCheck %s
// RUN: relay-opt %s --relay-merge-composite=patterns=%t.mlir --relay-merge-composite=patterns=%t.mlir | FileCheck %s
// RUN: relay-opt %s --relay-merge-composite | FileCheck %s --check-prefix=NONE

// NONE-NOT: relay.fn

// The larger pattern comes first, by its benefit. What the pattern asks to be a
// constant is inside.

// CHECK-LABEL: func.func @conv
// CHECK-SAME:      %[[X:.*]]: tensor<1x3x8x8xf32>, %[[W:.*]]: tensor<4x3x3x3xf32>
func.func @conv(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x3x3xf32>) -> tensor<1x4x6x6xf32> {
  // CHECK:       %[[F:.*]] = relay.fn (%[[A:.*]]: tensor<1x3x8x8xf32> {relay.name = "FunctionVar_0_0"}, %[[B:.*]]: tensor<4x3x3x3xf32> {relay.name = "FunctionVar_0_1"}) -> tensor<1x4x6x6xf32>
  // CHECK-SAME:    relay.composite = "t.conv2d_bias_relu"
  // CHECK-SAME:    relay.partitioned_from_pattern = "nn.conv2d_nn.bias_add_nn.relu_"
  // CHECK-DAG:     %[[BIAS:.*]] = relay.constant dense<1.000000e+00> : tensor<4xf32>
  // CHECK-DAG:     %[[C:.*]] = relay.nn.conv2d %[[A]], %[[B]]
  // CHECK:         %[[S:.*]] = relay.nn.bias_add %[[C]], %[[BIAS]]
  // CHECK-NEXT:    %[[R:.*]] = relay.nn.relu %[[S]]
  // CHECK-NEXT:    relay.yield %[[R]]
  // CHECK-NEXT:  }
  // CHECK-NEXT:  %[[CALL:.*]] = relay.call_indirect %[[F]](%[[X]], %[[W]])
  // CHECK-NEXT:  return %[[CALL]]
  %bias = relay.constant dense<1.0> : tensor<4xf32>
  %0 = relay.nn.conv2d %x, %w : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x6x6xf32>
  %1 = relay.nn.bias_add %0, %bias : (tensor<1x4x6x6xf32>, tensor<4xf32>) -> tensor<1x4x6x6xf32>
  %2 = relay.nn.relu %1 : (tensor<1x4x6x6xf32>) -> tensor<1x4x6x6xf32>
  return %2 : tensor<1x4x6x6xf32>
}

// A bias that is no constant, a group, and a use on the side.

// CHECK-LABEL: func.func @no_match
// CHECK-NOT:     relay.fn
// CHECK:         return
func.func @no_match(%x: tensor<1x4x8x8xf32>, %w: tensor<4x4x3x3xf32>, %v: tensor<4x2x3x3xf32>, %b: tensor<4xf32>) -> tuple<tensor<1x4x6x6xf32>, tensor<1x4x6x6xf32>, tensor<1x4x6x6xf32>, tensor<1x4x6x6xf32>> {
  %bias = relay.constant dense<1.0> : tensor<4xf32>
  %0 = relay.nn.conv2d %x, %w : (tensor<1x4x8x8xf32>, tensor<4x4x3x3xf32>) -> tensor<1x4x6x6xf32>
  %1 = relay.nn.bias_add %0, %b : (tensor<1x4x6x6xf32>, tensor<4xf32>) -> tensor<1x4x6x6xf32>
  %2 = relay.nn.relu %1 : (tensor<1x4x6x6xf32>) -> tensor<1x4x6x6xf32>
  %3 = relay.nn.conv2d %x, %v {groups = 2 : i64} : (tensor<1x4x8x8xf32>, tensor<4x2x3x3xf32>) -> tensor<1x4x6x6xf32>
  %4 = relay.nn.bias_add %3, %bias : (tensor<1x4x6x6xf32>, tensor<4xf32>) -> tensor<1x4x6x6xf32>
  %5 = relay.nn.relu %4 : (tensor<1x4x6x6xf32>) -> tensor<1x4x6x6xf32>
  %6 = relay.nn.conv2d %x, %w : (tensor<1x4x8x8xf32>, tensor<4x4x3x3xf32>) -> tensor<1x4x6x6xf32>
  %7 = relay.nn.relu %6 : (tensor<1x4x6x6xf32>) -> tensor<1x4x6x6xf32>
  %8 = relay.tuple %2, %5, %6, %7 : tensor<1x4x6x6xf32>, tensor<1x4x6x6xf32>, tensor<1x4x6x6xf32>, tensor<1x4x6x6xf32>
  return %8 : tuple<tensor<1x4x6x6xf32>, tensor<1x4x6x6xf32>, tensor<1x4x6x6xf32>, tensor<1x4x6x6xf32>>
}

// Sums match in either order, the outer one first.

// CHECK-LABEL: func.func @sums
// CHECK-SAME:      %[[X:.*]]: tensor<?xf32> {{.*}}, %[[Y:.*]]: tensor<?xf32>
func.func @sums(%x: tensor<?xf32> {relay.name = "x"}, %y: tensor<?xf32>) -> tensor<?xf32> {
  // CHECK:       %[[P:.*]] = relay.multiply %[[X]], %[[Y]]
  // CHECK:       %[[F1:.*]] = relay.fn (%{{.*}}: tensor<?xf32> {relay.name = "FunctionVar_1_0"}
  // CHECK:       %[[C1:.*]] = relay.call_indirect %[[F1]](%[[P]], %[[X]])
  %0 = relay.multiply %x, %y : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %1 = relay.multiply %0, %x : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %2 = relay.add %x, %1 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %3 = relay.multiply %2, %y : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  // CHECK:       %[[F0:.*]] = relay.fn (%{{.*}}: tensor<?xf32> {relay.name = "FunctionVar_0_0"}
  // CHECK:       %[[C0:.*]] = relay.call_indirect %[[F0]](%[[C1]], %[[Y]], %[[X]])
  // CHECK-NEXT:  return %[[C0]]
  %4 = relay.add %3, %x : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %4 : tensor<?xf32>
}

// A product that is used twice is in no closure.

// CHECK-LABEL: func.func @shared
// CHECK-NOT:     relay.fn
// CHECK:         return
func.func @shared(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = relay.multiply %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = relay.add %0, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = relay.subtract %0, %1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// The operands of an operator that takes a tuple are one.

// CHECK-LABEL: func.func @joined
func.func @joined(%x: tensor<2x3xf32>, %y: tensor<2x4xf32>) -> tensor<2x7xf32> {
  // CHECK:       relay.fn (%[[A:.*]]: tensor<2x3xf32> {relay.name = "FunctionVar_0_0"}, %[[B:.*]]: tensor<2x4xf32> {relay.name = "FunctionVar_0_1"})
  // CHECK-SAME:    relay.partitioned_from_pattern = "Tuple_concatenate_nn.relu_"
  // CHECK-NEXT:    relay.concatenate %[[A]], %[[B]]
  %0 = relay.concatenate %x, %y {axis = 1 : i64} : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<2x7xf32>
  %1 = relay.nn.relu %0 : (tensor<2x7xf32>) -> tensor<2x7xf32>
  return %1 : tensor<2x7xf32>
}

// CHECK-LABEL: func.func @half
// CHECK:         relay.composite = "t.half"
// CHECK-NOT:     relay.composite
// CHECK:         return
func.func @half(%x: tensor<8xf32>, %y: tensor<4xf32>) -> tuple<tensor<8xf16>, tensor<4xf16>> {
  %0 = relay.cast %x {dtype = f16} : (tensor<8xf32>) -> tensor<8xf16>
  %1 = relay.cast %y {dtype = f16} : (tensor<4xf32>) -> tensor<4xf16>
  %2 = relay.tuple %0, %1 : tensor<8xf16>, tensor<4xf16>
  return %2 : tuple<tensor<8xf16>, tensor<4xf16>>
}

// Branches and closures are looked into. What a branch alone needs may be taken
// into it.

// CHECK-LABEL: func.func @regions
func.func @regions(%c: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NOT:   relay.multiply
  // CHECK:       relay.if
  // CHECK-NEXT:    %[[F:.*]] = relay.fn
  // CHECK-NEXT:      relay.multiply
  // CHECK-NEXT:      relay.add
  // CHECK:         %[[R:.*]] = relay.call_indirect %[[F]]
  // CHECK-NEXT:    relay.yield %[[R]]
  // CHECK-NEXT:  } else {
  // CHECK-NEXT:    relay.yield %{{.*}} : tensor<4xf32>
  %0 = relay.multiply %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = relay.if %c : tensor<i1> -> tensor<4xf32> {
    %2 = relay.add %x, %0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    relay.yield %2 : tensor<4xf32>
  } else {
    relay.yield %x : tensor<4xf32>
  }
  return %1 : tensor<4xf32>
}

// CHECK-LABEL: func.func private @declared
func.func private @declared(tensor<4xf32>) -> tensor<4xf32>
