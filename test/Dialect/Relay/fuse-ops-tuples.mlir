// Kernels return several results, never tuples.
// RUN: relay-opt %s --relay-fuse-ops --verify-relay-fused --split-input-file | FileCheck %s

// The parts of a split that kernels read are results of its kernel.
// CHECK:       func.func private @fused_split(%[[X:.*]]: tensor<6xf32>) -> (tensor<2xf32>, tensor<2xf32>) attributes {relay.primitive}
// CHECK-NEXT:    %[[S:.*]] = relay.split %[[X]] {indices_or_sections = 3}
// CHECK-NEXT:    %[[A:.*]] = relay.tuple_get_item %[[S]][0]
// CHECK-NEXT:    %[[B:.*]] = relay.tuple_get_item %[[S]][2]
// CHECK-NEXT:    return %[[A]], %[[B]]
// CHECK-LABEL: func.func @used_parts
// CHECK-NEXT:    %[[R:.*]]:2 = relay.call @fused_split(%arg0)
// CHECK-NEXT:    relay.call @fused_cumsum(%[[R]]#1)
// CHECK-NEXT:    relay.call @fused_cumsum(%[[R]]#0)
func.func @used_parts(%x: tensor<6xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %0 = relay.split %x {indices_or_sections = 3} : (tensor<6xf32>) -> tuple<tensor<2xf32>, tensor<2xf32>, tensor<2xf32>>
  %2 = relay.tuple_get_item %0[2] : tuple<tensor<2xf32>, tensor<2xf32>, tensor<2xf32>>
  %1 = relay.tuple_get_item %0[0] : tuple<tensor<2xf32>, tensor<2xf32>, tensor<2xf32>>
  %3 = relay.cumsum %2 {axis = 0} : (tensor<2xf32>) -> tensor<2xf32>
  %4 = relay.cumsum %1 {axis = 0} : (tensor<2xf32>) -> tensor<2xf32>
  return %4, %3 : tensor<2xf32>, tensor<2xf32>
}

// -----

// Parts that meet again are never materialised.
// CHECK:       func.func private @fused_split_concatenate(%{{.*}}: tensor<6xf32>) -> tensor<6xf32>
// CHECK-NEXT:    relay.split
// CHECK-NEXT:    relay.tuple_get_item
// CHECK-NEXT:    relay.tuple_get_item
// CHECK-NEXT:    relay.concatenate
// CHECK-LABEL: func.func @parts_meet
// CHECK-NEXT:    relay.call @fused_split_concatenate(%arg0)
// CHECK-NEXT:    return
func.func @parts_meet(%x: tensor<6xf32>) -> tensor<6xf32> {
  %0 = relay.split %x {indices_or_sections = 2} : (tensor<6xf32>) -> tuple<tensor<3xf32>, tensor<3xf32>>
  %1 = relay.tuple_get_item %0[0] : tuple<tensor<3xf32>, tensor<3xf32>>
  %2 = relay.tuple_get_item %0[1] : tuple<tensor<3xf32>, tensor<3xf32>>
  %3 = relay.concatenate %2, %1 : (tensor<3xf32>, tensor<3xf32>) -> tensor<6xf32>
  return %3 : tensor<6xf32>
}

// -----

// A projection of a tuple from another kernel is not part of its consumer.
// CHECK:       func.func private @fused_topk(%{{.*}}: tensor<8xf32>) -> tensor<3xf32>
// CHECK:       func.func private @fused_exp(%{{.*}}: tensor<3xf32>) -> tensor<3xf32>
// CHECK-LABEL: func.func @projection
// CHECK-NEXT:    %[[V:.*]] = relay.call @fused_topk(%arg0)
// CHECK-NEXT:    relay.call @fused_exp(%[[V]])
// CHECK-NEXT:    return
func.func @projection(%x: tensor<8xf32>) -> tensor<3xf32> {
  %0 = relay.topk %x {k = 3, dtype = i32} : (tensor<8xf32>) -> tuple<tensor<3xf32>, tensor<3xi32>>
  %1 = relay.tuple_get_item %0[0] : tuple<tensor<3xf32>, tensor<3xi32>>
  %2 = relay.exp %1 : (tensor<3xf32>) -> tensor<3xf32>
  return %2 : tensor<3xf32>
}

// -----

// A tuple that leaves the function is made of the kernel's results.
// CHECK-LABEL: func.func @returned_tuple
// CHECK-NEXT:    %[[R:.*]]:2 = relay.call @fused_topk(%arg0)
// CHECK-NEXT:    %[[T:.*]] = relay.tuple %[[R]]#0, %[[R]]#1
// CHECK-NEXT:    return %[[T]]
func.func @returned_tuple(%x: tensor<8xf32>) -> tuple<tensor<3xf32>, tensor<3xi32>> {
  %0 = relay.topk %x {k = 3, dtype = i32} : (tensor<8xf32>) -> tuple<tensor<3xf32>, tensor<3xi32>>
  return %0 : tuple<tensor<3xf32>, tensor<3xi32>>
}

// -----

// What feeds a tuple that is a result is not fused into it.
// CHECK-LABEL: func.func @fields_of_a_result
// CHECK-NEXT:    %[[A:.*]] = relay.call @fused_exp(%arg0)
// CHECK-NEXT:    %[[B:.*]] = relay.call @fused_tanh(%arg0)
// CHECK-NEXT:    %[[T:.*]] = relay.tuple %[[A]], %[[B]]
// CHECK-NEXT:    return %[[T]]
func.func @fields_of_a_result(%x: tensor<8xf32>) -> tuple<tensor<8xf32>, tensor<8xf32>> {
  %0 = relay.exp %x : (tensor<8xf32>) -> tensor<8xf32>
  %1 = relay.tanh %x : (tensor<8xf32>) -> tensor<8xf32>
  %2 = relay.tuple %0, %1 : tensor<8xf32>, tensor<8xf32>
  return %2 : tuple<tensor<8xf32>, tensor<8xf32>>
}

// -----

// Projections of arguments, and of tuples that are at hand, cost nothing.
// CHECK-LABEL: func.func @projected_arguments
// CHECK-NEXT:    %[[A:.*]] = relay.tuple_get_item %arg0[1]
// CHECK-NEXT:    %[[B:.*]] = relay.call @fused_exp(%[[A]])
// CHECK-NEXT:    return %[[B]], %[[A]]
func.func @projected_arguments(%t: tuple<tensor<2xf32>, tensor<2xf32>>) -> (tensor<2xf32>, tensor<2xf32>) {
  %0 = relay.tuple_get_item %t[1] : tuple<tensor<2xf32>, tensor<2xf32>>
  %1 = relay.exp %0 : (tensor<2xf32>) -> tensor<2xf32>
  %2 = relay.tuple %1, %0 : tensor<2xf32>, tensor<2xf32>
  %3 = relay.tuple_get_item %2[0] : tuple<tensor<2xf32>, tensor<2xf32>>
  return %3, %0 : tensor<2xf32>, tensor<2xf32>
}
