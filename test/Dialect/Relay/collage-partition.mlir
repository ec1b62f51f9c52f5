// RUN: relay-opt %s --split-input-file --relay-collage-partition="targets=a,b costs=default=2,a=1,b=1 operators=a:add,a:nn.relu,b:nn.relu,b:exp" | FileCheck %s
// RUN: relay-opt %s --split-input-file --relay-collage-partition="targets=a,b costs=default=2,a=2,b=2 operators=a:add,a:nn.relu,b:nn.relu,b:exp" | FileCheck %s --check-prefix=EQUAL
// RUN: relay-opt %s --split-input-file --relay-collage-partition="targets=a,b costs=default=2,a=1,b=1 operators=a:add,a:nn.relu,b:nn.relu,b:exp styles=a=none,b=none mod-name=m" | FileCheck %s --check-prefix=ALONE

// The first target wins where costs are equal. What it shares a function for
// costs less, so that `a` has both.
// CHECK: func.func private @tvmgen_collage_a_both_0
// CHECK-SAME: relay.compiler = "a"
// CHECK-NEXT: %[[S:.*]] = relay.add
// CHECK-NEXT: relay.nn.relu %[[S]]
// CHECK-LABEL: func.func @both
// CHECK: %[[A:.*]] = relay.call @tvmgen_collage_a_both_0(%{{.*}}, %{{.*}})
// CHECK-NEXT: return %[[A]]

// Ours, where nothing is gained.
// EQUAL-LABEL: func.func @both
// EQUAL-NEXT: relay.add
// EQUAL-NEXT: relay.nn.relu
// EQUAL-NEXT: return

// Without combinations each operator is a function.
// ALONE-LABEL: func.func @both
// ALONE: %[[A:.*]] = relay.call @tvmgen_m_a_both_0(
// ALONE-NEXT: relay.call @tvmgen_m_a_both_2(%[[A]])
func.func @both(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = relay.add %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = relay.nn.relu %0 : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// The relu goes where its neighbour is.
// CHECK: func.func private @tvmgen_collage_b_neighbour_0
// CHECK-NEXT: %[[R:.*]] = relay.nn.relu
// CHECK-NEXT: relay.exp %[[R]]
// CHECK-LABEL: func.func @neighbour
// CHECK: %[[T:.*]] = relay.tanh
// CHECK-NEXT: relay.call @tvmgen_collage_b_neighbour_0(%[[T]])
func.func @neighbour(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = relay.tanh %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = relay.nn.relu %0 : (tensor<4xf32>) -> tensor<4xf32>
  %2 = relay.exp %1 : (tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// -----

// The sum and the relu cannot be one function of `a`: the exp between them is
// not a's, and needs the one for the other.
// CHECK-LABEL: func.func @between
// CHECK: %[[A:.*]] = relay.call @tvmgen_collage_a_between_0(
// CHECK-NEXT: %[[B:.*]] = relay.call @tvmgen_collage_b_between_{{[0-9]+}}(%[[A]])
// CHECK-NEXT: %[[C:.*]] = relay.call @tvmgen_collage_a_between_{{[0-9]+}}(%[[A]], %[[B]])
// CHECK-NEXT: return %[[C]]
func.func @between(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = relay.add %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = relay.exp %0 : (tensor<4xf32>) -> tensor<4xf32>
  %2 = relay.add %0, %1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// -----

// In branches as well; constants are inside of functions.
// CHECK: func.func private @tvmgen_collage_a_branches
// CHECK-NEXT: relay.constant
// CHECK-NEXT: relay.add
// CHECK-LABEL: func.func @branches
// CHECK: relay.if
// CHECK-NEXT: %[[A:.*]] = relay.call @tvmgen_collage_a_branches_{{[0-9]+}}(%{{[a-z0-9_]+}})
// CHECK-NEXT: relay.yield %[[A]]
// CHECK: else
// CHECK-NEXT: relay.tanh
func.func @branches(%c: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %k = relay.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %0 = relay.if %c : tensor<i1> -> tensor<4xf32> {
    %1 = relay.add %x, %k : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    relay.yield %1 : tensor<4xf32>
  } else {
    %1 = relay.tanh %x : (tensor<4xf32>) -> tensor<4xf32>
    relay.yield %1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

// A pattern that is there already belongs to whom it names, or is dissolved.
// CHECK: func.func private @tvmgen_collage_a_composite_0
// CHECK: relay.composite = "a.tanh"
// CHECK-LABEL: func.func @composite
// CHECK-NEXT: %[[A:.*]] = relay.call @tvmgen_collage_a_composite_0(%{{.*}})
// CHECK-NEXT: relay.tanh %[[A]]
// EQUAL-LABEL: func.func @composite
// EQUAL-NEXT: %[[A:.*]] = relay.tanh
// EQUAL-NEXT: relay.tanh %[[A]]
func.func @composite(%x: tensor<4xf32>) -> tensor<4xf32> {
  %f = relay.fn (%p: tensor<4xf32>) -> tensor<4xf32> attributes {relay.composite = "a.tanh"} {
    %1 = relay.tanh %p : (tensor<4xf32>) -> tensor<4xf32>
    relay.yield %1 : tensor<4xf32>
  }
  %g = relay.fn (%p: tensor<4xf32>) -> tensor<4xf32> attributes {relay.composite = "c.tanh"} {
    %1 = relay.tanh %p : (tensor<4xf32>) -> tensor<4xf32>
    relay.yield %1 : tensor<4xf32>
  }
  %0 = relay.call_indirect %f(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = relay.call_indirect %g(%0) : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
