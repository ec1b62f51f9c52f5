// RUN: relay-opt %s --relay-annotate-target="targets=a operators=a:add,a:exp,a:negative" --relay-merge-compiler-regions --relay-partition-graph --mlir-print-local-scope | FileCheck %s

// A diamond all of one target is one region.
// CHECK-LABEL: func.func private @tvmgen_default_a_diamond_0
// CHECK-NEXT: relay.exp
// CHECK-NEXT: relay.negative
// CHECK-NEXT: relay.add
// CHECK-NEXT: return
// CHECK-LABEL: func.func @diamond
// CHECK-NEXT: relay.call @tvmgen_default_a_diamond_0(%{{.*}})
// CHECK-NEXT: return
func.func @diamond(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = relay.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = relay.negative %0 : (tensor<4xf32>) -> tensor<4xf32>
  %2 = relay.add %0, %1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// One with something else on one side is two: merged, it would need its own
// result.
// CHECK-LABEL: func.func private @tvmgen_default_a_around_0
// CHECK-NEXT: relay.exp
// CHECK-NEXT: return
// CHECK-LABEL: func.func private @tvmgen_default_a_around_
// CHECK-NEXT: relay.add
// CHECK-NEXT: return
// CHECK-LABEL: func.func @around
// CHECK-NEXT: relay.call @tvmgen_default_a_around_0
// CHECK-NEXT: relay.tanh
// CHECK-NEXT: relay.call @tvmgen_default_a_around_
// CHECK-NEXT: return
func.func @around(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = relay.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = relay.tanh %0 : (tensor<4xf32>) -> tensor<4xf32>
  %2 = relay.add %0, %1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// The other way may be through the branch of an if.
// CHECK-LABEL: func.func @branch
// CHECK-NEXT: %[[A:.*]] = relay.call @tvmgen_default_a_branch_0
// CHECK-NEXT: %[[I:.*]] = relay.if
// CHECK-NEXT: relay.tanh %[[A]]
// CHECK: relay.call @tvmgen_default_a_branch_{{[1-9]}}(%[[A]], %[[I]])
func.func @branch(%c: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = relay.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = relay.if %c : tensor<i1> -> tensor<4xf32> {
    %3 = relay.tanh %0 : (tensor<4xf32>) -> tensor<4xf32>
    relay.yield %3 : tensor<4xf32>
  } else {
    relay.yield %x : tensor<4xf32>
  }
  %2 = relay.add %0, %1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// Two regions that would each need the other: one of them stays apart.
// CHECK-LABEL: func.func @crossed
// CHECK: relay.call
// CHECK: relay.tanh
// CHECK: relay.call
func.func @crossed(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = relay.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = relay.exp %y : (tensor<4xf32>) -> tensor<4xf32>
  %2 = relay.tanh %0 : (tensor<4xf32>) -> tensor<4xf32>
  %3 = relay.tanh %1 : (tensor<4xf32>) -> tensor<4xf32>
  %4 = relay.add %0, %3 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %5 = relay.add %1, %2 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %6 = relay.tanh %4 : (tensor<4xf32>) -> tensor<4xf32>
  %7 = relay.add %6, %5 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %7 : tensor<4xf32>
}

// Two operators of a target are one region, although those of ours between which
// they lie could be one as well, and then each region would need the other.
// CHECK: func.func private @tvmgen_default_a_ours_between_0
// CHECK-NEXT: %[[E:.*]] = relay.exp
// CHECK-NEXT: relay.add %[[E]],
// CHECK: func.func @ours_between
func.func @ours_between(%x: tensor<4xf32>) -> tuple<tensor<4xf32>, tensor<4xf32>> {
  %0 = relay.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = relay.tanh %0 : (tensor<4xf32>) -> tensor<4xf32>
  %2 = relay.sigmoid %x : (tensor<4xf32>) -> tensor<4xf32>
  %3 = relay.tuple %2, %1 : tensor<4xf32>, tensor<4xf32>
  %4 = relay.add %0, %2 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %5 = relay.tuple_get_item %3[1] : tuple<tensor<4xf32>, tensor<4xf32>>
  %6 = relay.tuple %5, %4 : tensor<4xf32>, tensor<4xf32>
  return %6 : tuple<tensor<4xf32>, tensor<4xf32>>
}
