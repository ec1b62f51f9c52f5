// RUN: relay-opt %s --split-input-file --convert-relay-to-linalg --convert-linalg-to-tir --relay-attach-target=target=x86-64-v3 --tir-schedule-rules --tir-apply-schedules | FileCheck %s

// All steps of a softmax for one row, before the next row.
// CHECK-LABEL: tir.prim_func {{.*}}@softmax
// CHECK: tir.for %{{.*}} kind(parallel) {
// CHECK: tir.alloc_buffer() scope("local")
// CHECK: vector.reduction
// CHECK: math.exp
// CHECK: vector.reduction <add>
// CHECK: kind(vectorized)
// CHECK-NOT: kind(parallel)
func.func @softmax(%x: tensor<1536x128xf32>) -> tensor<1536x128xf32>
    attributes {relay.primitive} {
  %0 = relay.nn.softmax %x {axis = -1} : (tensor<1536x128xf32>) -> tensor<1536x128xf32>
  return %0 : tensor<1536x128xf32>
}

// -----

// The rows of a window are combined before every second element is picked out.
// CHECK-LABEL: tir.prim_func {{.*}}@pool
// CHECK: vector.load
// CHECK: vector.shuffle
func.func @pool(%x: tensor<1x8x33x33xf32>) -> tensor<1x8x16x16xf32>
    attributes {relay.primitive} {
  %0 = relay.nn.max_pool2d %x {pool_size = [3, 3], strides = [2, 2], padding = [0, 0, 0, 0]} : (tensor<1x8x33x33xf32>) -> tensor<1x8x16x16xf32>
  return %0 : tensor<1x8x16x16xf32>
}

// -----

// A transpose goes through squares of registers.
// CHECK-LABEL: tir.prim_func {{.*}}@transpose
// CHECK: vector.load
// CHECK: vector.shuffle
// CHECK: vector.store
func.func @transpose(%x: tensor<64x64xf32>) -> tensor<64x64xf32>
    attributes {relay.primitive} {
  %0 = relay.transpose %x {axes = [1, 0]} : (tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// -----

// Elementwise producers become part of their consumers.
// CHECK-LABEL: tir.prim_func {{.*}}@chain
// CHECK-NOT: tir.alloc_buffer
// CHECK: tir.block @relu
// CHECK-NOT: tir.block
func.func @chain(%x: tensor<8x512xf32>, %y: tensor<512xf32>) -> tensor<8x512xf32>
    attributes {relay.primitive} {
  %0 = relay.multiply %x, %y : (tensor<8x512xf32>, tensor<512xf32>) -> tensor<8x512xf32>
  %1 = relay.nn.relu %0 : (tensor<8x512xf32>) -> tensor<8x512xf32>
  return %1 : tensor<8x512xf32>
}

// -----

// Rows longer than a tile are read as they lie in memory: of a chunk of the
// results, several rows at a time.
// CHECK-LABEL: tir.prim_func {{.*}}@columns
// CHECK: tir.for %{{.*}} = 0 to 2 kind(parallel) {
// CHECK:   tir.for %{{.*}} = 0 to 256 {
// CHECK:     tir.for %{{.*}} = 0 to 16 {
// CHECK:       tir.block @sum(
// CHECK:         scf.for %{{.*}} = %{{.*}} to %c16
// CHECK:         vector.store
func.func @columns(%x: tensor<4096x1024xf32>) -> tensor<1024xf32>
    attributes {relay.primitive} {
  %0 = relay.sum %x {axis = [0]} : (tensor<4096x1024xf32>) -> tensor<1024xf32>
  return %0 : tensor<1024xf32>
}

// -----

// The position of a maximum is a minimum of positions, by lanes.
// CHECK-LABEL: tir.prim_func {{.*}}@argmax
// CHECK: vector.reduction <maximumf>
// CHECK: arith.constant dense<[0, 1, 2, 3, 4, 5, 6, 7]> : vector<8xi32>
// CHECK: arith.minsi %{{.*}} : vector<8xi32>
// CHECK: vector.reduction <minsi>
func.func @argmax(%x: tensor<64x1024xf32>) -> tensor<64xi32>
    attributes {relay.primitive} {
  %0 = relay.argmax %x {axis = [1]} : (tensor<64x1024xf32>) -> tensor<64xi32>
  return %0 : tensor<64xi32>
}

// -----

// A look at the indices comes first, and is no step of the rows.
// CHECK-LABEL: tir.prim_func {{.*}}@softmax_of_taken
// CHECK: tir.block @take_check()
// CHECK: cf.assert
// CHECK: tir.for %{{.*}} kind(parallel) {
// CHECK: tir.alloc_buffer() scope("local")
// CHECK: memref.load
// CHECK: vector.reduction
// CHECK: math.exp
// CHECK: vector.reduction <add>
// CHECK-NOT: kind(parallel)
func.func @softmax_of_taken(%table: tensor<512x128xf32>, %i: tensor<1536xi64>) -> tensor<1536x128xf32>
    attributes {relay.primitive} {
  %0 = relay.take %table, %i {axis = 0, mode = "fast"} : (tensor<512x128xf32>, tensor<1536xi64>) -> tensor<1536x128xf32>
  %1 = relay.nn.softmax %0 : (tensor<1536x128xf32>) -> tensor<1536x128xf32>
  return %1 : tensor<1536x128xf32>
}
