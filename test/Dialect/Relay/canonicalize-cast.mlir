// RUN: relay-opt %s --pass-pipeline='builtin.module(func.func(relay-canonicalize-cast))' | FileCheck %s

// The first elementwise reader keeps the cast, and what is not elementwise; an
// operator that reads it twice needs one copy.

// CHECK-LABEL: func.func @widening
// CHECK: %[[C0:.*]] = relay.cast %arg0
// CHECK: %[[A:.*]] = relay.add %[[C0]], %arg1
// CHECK: %[[C1:.*]] = relay.cast %arg0 {dtype = i32} : (tensor<2x8xi8>) -> tensor<2x8xi32>
// CHECK: %[[M:.*]] = relay.multiply %[[C1]], %[[C1]]
// CHECK: %[[S:.*]] = relay.sum %[[C0]]
// CHECK: %[[C2:.*]] = relay.cast %arg0
// CHECK: %[[N:.*]] = relay.negative %[[C2]]
func.func @widening(%x: tensor<2x8xi8>, %y: tensor<8xi32>) -> (tensor<2x8xi32>, tensor<2x8xi32>, tensor<i32>, tensor<2x8xi32>) {
  %0 = relay.cast %x {dtype = i32} : (tensor<2x8xi8>) -> tensor<2x8xi32>
  %1 = relay.add %0, %y : (tensor<2x8xi32>, tensor<8xi32>) -> tensor<2x8xi32>
  %2 = relay.multiply %0, %0 : (tensor<2x8xi32>, tensor<2x8xi32>) -> tensor<2x8xi32>
  %3 = relay.sum %0 : (tensor<2x8xi32>) -> tensor<i32>
  %4 = relay.negative %0 : (tensor<2x8xi32>) -> tensor<2x8xi32>
  return %1, %2, %3, %4 : tensor<2x8xi32>, tensor<2x8xi32>, tensor<i32>, tensor<2x8xi32>
}

// Casts to types of as many bits, or fewer, stay one; so do those of one reader,
// and those in primitive functions.

// CHECK-LABEL: func.func @others
// CHECK-COUNT-3: relay.cast
// CHECK-NOT: relay.cast
// CHECK-LABEL: func.func private @primitive
// CHECK-COUNT-1: relay.cast
// CHECK-NOT: relay.cast
func.func @others(%x: tensor<8xf32>) -> (tensor<8xi32>, tensor<8xi32>, tensor<8xi8>, tensor<8xi8>, tensor<8xf64>) {
  %0 = relay.cast %x {dtype = i32} : (tensor<8xf32>) -> tensor<8xi32>
  %1 = relay.negative %0 : (tensor<8xi32>) -> tensor<8xi32>
  %2 = relay.abs %0 : (tensor<8xi32>) -> tensor<8xi32>
  %3 = relay.cast %x {dtype = i8} : (tensor<8xf32>) -> tensor<8xi8>
  %4 = relay.negative %3 : (tensor<8xi8>) -> tensor<8xi8>
  %5 = relay.abs %3 : (tensor<8xi8>) -> tensor<8xi8>
  %6 = relay.cast %x {dtype = f64} : (tensor<8xf32>) -> tensor<8xf64>
  %7 = relay.negative %6 : (tensor<8xf64>) -> tensor<8xf64>
  return %1, %2, %4, %5, %7 : tensor<8xi32>, tensor<8xi32>, tensor<8xi8>, tensor<8xi8>, tensor<8xf64>
}
func.func private @primitive(%x: tensor<8xf32>) -> (tensor<8xf64>, tensor<8xf64>) attributes {relay.primitive} {
  %0 = relay.cast %x {dtype = f64} : (tensor<8xf32>) -> tensor<8xf64>
  %1 = relay.negative %0 : (tensor<8xf64>) -> tensor<8xf64>
  %2 = relay.abs %0 : (tensor<8xf64>) -> tensor<8xf64>
  return %1, %2 : tensor<8xf64>, tensor<8xf64>
}
