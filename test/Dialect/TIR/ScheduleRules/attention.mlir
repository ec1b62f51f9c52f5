// RUN: relay-opt %s --split-input-file --convert-relay-to-linalg --convert-linalg-to-tir --relay-attach-target=target=x86-64-v3 --tir-schedule-rules --tir-apply-schedules | FileCheck %s

// Keys are packed; then scores, softmax and the second product follow each
// other for each block of 48 rows, whose scores are on the stack. Batches that
// products merge and the mask does not are apart in both.

// CHECK-LABEL: tir.prim_func {{.*}}@attention
// CHECK: %[[KEYS:.*]] = tir.alloc_buffer() : memref<2x4x8x16x16xf32>
// CHECK-NOT: tir.alloc_buffer() : memref
// CHECK: tir.block @transpose_1
// CHECK: vector.shuffle
// CHECK: tir.for {{.*}} kind(parallel) {
// CHECK: tir.alloc_buffer() scope("local") : memref<1x1x48x128xf32>
// CHECK: tir.alloc_buffer() scope("local") : memref<1x1x48x128xf32>
// CHECK-NOT: kind(parallel)
// CHECK: vector.reduction
// CHECK: math.exp
// CHECK: vector.reduction <add>
// CHECK-NOT: kind(parallel)
// CHECK: tir.block @transpose_3
func.func @attention(%q: tensor<2x128x4x16xf32>, %k: tensor<2x128x4x16xf32>, %v: tensor<2x128x4x16xf32>, %m: tensor<2x1x1x128xf32>) -> tensor<2x128x4x16xf32>
    attributes {relay.primitive} {
  %q1 = relay.transpose %q {axes = [0, 2, 1, 3]} : (tensor<2x128x4x16xf32>) -> tensor<2x4x128x16xf32>
  %q2 = relay.reshape %q1 {newshape = [8, 128, 16]} : (tensor<2x4x128x16xf32>) -> tensor<8x128x16xf32>
  %k1 = relay.transpose %k {axes = [0, 2, 3, 1]} : (tensor<2x128x4x16xf32>) -> tensor<2x4x16x128xf32>
  %k2 = relay.reshape %k1 {newshape = [8, 16, 128]} : (tensor<2x4x16x128xf32>) -> tensor<8x16x128xf32>
  %v1 = relay.transpose %v {axes = [0, 2, 1, 3]} : (tensor<2x128x4x16xf32>) -> tensor<2x4x128x16xf32>
  %v2 = relay.reshape %v1 {newshape = [8, 128, 16]} : (tensor<2x4x128x16xf32>) -> tensor<8x128x16xf32>
  %s = relay.nn.batch_matmul %q2, %k2 : (tensor<8x128x16xf32>, tensor<8x16x128xf32>) -> tensor<8x128x128xf32>
  %s1 = relay.reshape %s {newshape = [2, 4, 128, 128]} : (tensor<8x128x128xf32>) -> tensor<2x4x128x128xf32>
  %s2 = relay.add %s1, %m : (tensor<2x4x128x128xf32>, tensor<2x1x1x128xf32>) -> tensor<2x4x128x128xf32>
  %p = relay.nn.softmax %s2 : (tensor<2x4x128x128xf32>) -> tensor<2x4x128x128xf32>
  %p1 = relay.reshape %p {newshape = [8, 128, 128]} : (tensor<2x4x128x128xf32>) -> tensor<8x128x128xf32>
  %o = relay.nn.batch_matmul %p1, %v2 : (tensor<8x128x128xf32>, tensor<8x128x16xf32>) -> tensor<8x128x16xf32>
  %o1 = relay.reshape %o {newshape = [2, 4, 128, 16]} : (tensor<8x128x16xf32>) -> tensor<2x4x128x16xf32>
  %o2 = relay.transpose %o1 {axes = [0, 2, 1, 3]} : (tensor<2x4x128x16xf32>) -> tensor<2x128x4x16xf32>
  return %o2 : tensor<2x128x4x16xf32>
}

// -----

// Rows that are too long for the stack are in a workspace that has a block of
// rows for each batch: no buffer holds the scores of all rows. There are many
// rows in it, because keys and values do not stay in the second cache.

// CHECK-LABEL: tir.prim_func {{.*}}@long
// CHECK-NOT: 4096x4096xf32
// CHECK: memref<8x96x4096xf32>
// CHECK-NOT: 4096x4096xf32
func.func @long(%q: tensor<8x4096x64xf32>, %k: tensor<8x4096x64xf32>, %v: tensor<8x4096x64xf32>) -> tensor<8x4096x64xf32>
    attributes {relay.primitive} {
  %s = relay.nn.batch_matmul %q, %k {transpose_b = true} : (tensor<8x4096x64xf32>, tensor<8x4096x64xf32>) -> tensor<8x4096x4096xf32>
  %p = relay.nn.softmax %s : (tensor<8x4096x4096xf32>) -> tensor<8x4096x4096xf32>
  %o = relay.nn.batch_matmul %p, %v : (tensor<8x4096x4096xf32>, tensor<8x4096x64xf32>) -> tensor<8x4096x64xf32>
  return %o : tensor<8x4096x64xf32>
}

// -----

// The same if sizes are open.

// CHECK-LABEL: tir.prim_func {{.*}}@open
// CHECK-NOT: memref<?x?x?xf32>{{$}}
// CHECK: tir.alloc_buffer(%{{.*}}, %{{.*}}) : memref<?x48x?xf32>
// CHECK: tir.alloc_buffer(%{{.*}}, %{{.*}}) : memref<?x48x?xf32>
// CHECK-NOT: memref<?x?x?xf32>{{$}}
func.func @open(%q: tensor<?x?x64xf32>, %k: tensor<?x?x64xf32>, %v: tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
    attributes {relay.primitive} {
  %s = relay.nn.batch_matmul %q, %k {transpose_b = true} : (tensor<?x?x64xf32>, tensor<?x?x64xf32>) -> tensor<?x?x?xf32>
  %p = relay.nn.softmax %s : (tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %o = relay.nn.batch_matmul %p, %v : (tensor<?x?x?xf32>, tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  return %o : tensor<?x?x64xf32>
}
