// Constants, tuples and calls: assembly and the types that follow.
// RUN: relay-opt %s --split-input-file | FileCheck %s
// RUN: relay-opt %s --split-input-file --mlir-print-op-generic | relay-opt --split-input-file | FileCheck %s
// RUN: relay-opt %s --split-input-file --relay-infer-types --verify-relay-typed | FileCheck %s

// CHECK-LABEL: func.func @constants
func.func @constants() -> (tensor<f32>, tensor<2x2xi64>, tensor<4xf32>, tensor<0xf32>) {
  // CHECK-NEXT: relay.constant dense<1.000000e+00> : tensor<f32>
  %0 = relay.constant dense<1.0> : tensor<f32>
  // CHECK-NEXT: relay.constant dense<{{\[\[}}1, 2], [3, 4]]> : tensor<2x2xi64>
  %1 = relay.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi64>
  // CHECK-NEXT: relay.constant dense_resource<weights> : tensor<4xf32>
  %2 = relay.constant dense_resource<weights> : tensor<4xf32>
  // CHECK-NEXT: relay.constant dense<> : tensor<0xf32>
  %3 = relay.constant dense<> : tensor<0xf32>
  return %0, %1, %2, %3 : tensor<f32>, tensor<2x2xi64>, tensor<4xf32>, tensor<0xf32>
}

{-#
  dialect_resources: {
    builtin: {
      weights: "0x040000000000803F000000400000404000008040"
    }
  }
#-}

// -----

// Tuples hold tensors and tuples, or nothing.
// CHECK-LABEL: func.func @tuples
// CHECK-SAME:    (%[[A:.*]]: tensor<2xf32>, %[[B:.*]]: tensor<3xi32>)
func.func @tuples(%a: tensor<2xf32>, %b: tensor<3xi32>) -> (tensor<3xi32>, tuple<>) {
  // CHECK-NEXT: %[[T:.*]] = relay.tuple %[[A]], %[[B]] : tensor<2xf32>, tensor<3xi32>
  %0 = relay.tuple %a, %b : tensor<2xf32>, tensor<3xi32>
  // CHECK-NEXT: %[[N:.*]] = relay.tuple %[[T]], %[[A]] : tuple<tensor<2xf32>, tensor<3xi32>>, tensor<2xf32>
  %1 = relay.tuple %0, %a : tuple<tensor<2xf32>, tensor<3xi32>>, tensor<2xf32>
  // CHECK-NEXT: %[[I:.*]] = relay.tuple_get_item %[[N]][0] : tuple<tuple<tensor<2xf32>, tensor<3xi32>>, tensor<2xf32>>
  %2 = relay.tuple_get_item %1[0] : tuple<tuple<tensor<2xf32>, tensor<3xi32>>, tensor<2xf32>>
  // CHECK-NEXT: %[[J:.*]] = relay.tuple_get_item %[[I]][1] : tuple<tensor<2xf32>, tensor<3xi32>>
  %3 = relay.tuple_get_item %2[1] : tuple<tensor<2xf32>, tensor<3xi32>>
  // CHECK-NEXT: relay.tuple (){{$}}
  %4 = relay.tuple ()
  // CHECK-NEXT: relay.tuple ()
  %5 = relay.tuple
  return %3, %4 : tensor<3xi32>, tuple<>
}

// -----

// Calls have any number of results.
// CHECK-LABEL: func.func @calls
func.func private @two(%a: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  return %a, %a : tensor<2xf32>, tensor<2xf32>
}
func.func private @none() {
  return
}
func.func @calls(%a: tensor<2xf32>) -> tensor<2xf32> {
  // CHECK: relay.call @two(%{{.*}}) : (tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  %0:2 = relay.call @two(%a) : (tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  // CHECK: relay.call @none() : () -> ()
  relay.call @none() : () -> ()
  return %0#1 : tensor<2xf32>
}
