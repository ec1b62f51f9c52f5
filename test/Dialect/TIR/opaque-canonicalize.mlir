// RUN: relay-opt %s --canonicalize | FileCheck %s

// A cast to a type that knows less goes, and the body sees what is known.

// CHECK-LABEL: func @refined
// CHECK-SAME: (%[[X:.*]]: tensor<7xf32>)
// CHECK: %[[INIT:.*]] = tensor.empty() : tensor<7xf32>
// CHECK: %[[RESULT:.*]] = tir.opaque ins(%[[X]] : tensor<7xf32>) outs(%[[INIT]] : tensor<7xf32>) -> tensor<7xf32>
// CHECK-NEXT: ^bb0(%[[FROM:.*]]: memref<7xf32>, %[[TO:.*]]: memref<7xf32>):
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %c7
// CHECK-NEXT: memref.load %[[FROM]][%[[I]]] : memref<7xf32>
// CHECK-NEXT: memref.store %{{.*}}, %[[TO]][%[[I]]] : memref<7xf32>
// CHECK: %[[OPEN:.*]] = tensor.cast %[[RESULT]] : tensor<7xf32> to tensor<?xf32>
// CHECK-NEXT: return %[[OPEN]]
func.func @refined(%x: tensor<7xf32>) -> tensor<?xf32> {
  %open = tensor.cast %x : tensor<7xf32> to tensor<?xf32>
  %init = tensor.empty() : tensor<7xf32>
  %out = tensor.cast %init : tensor<7xf32> to tensor<?xf32>
  %result = tir.opaque ins(%open : tensor<?xf32>) outs(%out : tensor<?xf32>)
      -> tensor<?xf32> {
  ^bb0(%from: memref<?xf32>, %to: memref<?xf32>):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %size = memref.dim %from, %c0 : memref<?xf32>
    scf.for %i = %c0 to %size step %c1 {
      %element = memref.load %from[%i] : memref<?xf32>
      memref.store %element, %to[%i] : memref<?xf32>
    }
  }
  return %result : tensor<?xf32>
}
