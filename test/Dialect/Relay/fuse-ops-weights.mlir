// The kernel of a product makes its weight from constants of few bits, or adds up
// the results of its blocks.
// RUN: split-file %s %t
// RUN: relay-opt %t/vectors.mlir --relay-fuse-ops --verify-relay-fused --split-input-file | FileCheck %t/vectors.mlir
// RUN: relay-opt %t/units.mlir --relay-fuse-ops --verify-relay-fused | FileCheck %t/units.mlir
// RUN: relay-opt %t/devices.mlir --relay-plan-devices --relay-fuse-ops | FileCheck %t/devices.mlir

//--- vectors.mlir

#cpu = #target.cpu<"x86_64-unknown-linux-gnu", "x86-64-v4">
module attributes {target.spec = #cpu} {
  // CHECK-LABEL: func.func @rows
  // CHECK:         relay.call @fused_cast_multiply_nn_dense_add(%{{.*}}, %{{.*}}, %arg0, %{{.*}})
  // CHECK-NEXT:    return
  func.func @rows(%x: tensor<?x64xf32>) -> tensor<?x32xf32> {
    %q = relay.constant dense_resource<q> : tensor<32x64xi8>
    %s = relay.constant dense_resource<s> : tensor<32x1xf32>
    %b = relay.constant dense_resource<b> : tensor<32xf32>
    %0 = relay.cast %q {dtype = f32} : (tensor<32x64xi8>) -> tensor<32x64xf32>
    %1 = relay.multiply %0, %s : (tensor<32x64xf32>, tensor<32x1xf32>) -> tensor<32x64xf32>
    %2 = relay.nn.dense %x, %1 : (tensor<?x64xf32>, tensor<32x64xf32>) -> tensor<?x32xf32>
    %3 = relay.add %2, %b : (tensor<?x32xf32>, tensor<32xf32>) -> tensor<?x32xf32>
    return %3 : tensor<?x32xf32>
  }

  // For so many rows it takes little time to make the whole weight first.
  // CHECK-LABEL: func.func @many_rows
  // CHECK:         relay.call @fused_cast_multiply(
  // CHECK-NEXT:    relay.call @fused_nn_dense(
  func.func @many_rows(%x: tensor<257x64xf32>) -> tensor<257x32xf32> {
    %q = relay.constant dense_resource<q> : tensor<32x64xi8>
    %s = relay.constant dense_resource<s> : tensor<32x1xf32>
    %0 = relay.cast %q {dtype = f32} : (tensor<32x64xi8>) -> tensor<32x64xf32>
    %1 = relay.multiply %0, %s : (tensor<32x64xf32>, tensor<32x1xf32>) -> tensor<32x64xf32>
    %2 = relay.nn.dense %x, %1 : (tensor<257x64xf32>, tensor<32x64xf32>) -> tensor<257x32xf32>
    return %2 : tensor<257x32xf32>
  }

  // The results of blocks are added up as they come.
  // CHECK-LABEL: func.func @blocks
  // CHECK:         relay.call @fused_nn_batch_matmul_cast_multiply_sum(
  // CHECK-NEXT:    return
  func.func @blocks(%x: tensor<4x3x64xi8>, %u: tensor<4x3x1xf32>) -> tensor<3x32xf32> {
    %q = relay.constant dense_resource<q> : tensor<4x32x64xui8>
    %0 = relay.nn.batch_matmul %x, %q {out_dtype = i32, transpose_a = false, transpose_b = true} : (tensor<4x3x64xi8>, tensor<4x32x64xui8>) -> tensor<4x3x32xi32>
    %1 = relay.cast %0 {dtype = f32} : (tensor<4x3x32xi32>) -> tensor<4x3x32xf32>
    %2 = relay.multiply %1, %u : (tensor<4x3x32xf32>, tensor<4x3x1xf32>) -> tensor<4x3x32xf32>
    %3 = relay.sum %2 {axis = [0]} : (tensor<4x3x32xf32>) -> tensor<3x32xf32>
    return %3 : tensor<3x32xf32>
  }

  // Not over rows, nor what somebody else reads.
  // CHECK-LABEL: func.func @other_sums
  // CHECK:         relay.call @fused_nn_batch_matmul(
  // CHECK:         relay.call @fused_sum(
  // CHECK:         relay.call @fused_sum_
  func.func @other_sums(%x: tensor<4x3x64xi8>) -> (tensor<4x32xi32>, tensor<3x32xi32>) {
    %q = relay.constant dense_resource<q> : tensor<4x32x64xui8>
    %0 = relay.nn.batch_matmul %x, %q {out_dtype = i32, transpose_a = false, transpose_b = true} : (tensor<4x3x64xi8>, tensor<4x32x64xui8>) -> tensor<4x3x32xi32>
    %1 = relay.sum %0 {axis = [1]} : (tensor<4x3x32xi32>) -> tensor<4x32xi32>
    %2 = relay.sum %0 {axis = [0]} : (tensor<4x3x32xi32>) -> tensor<3x32xi32>
    return %1, %2 : tensor<4x32xi32>, tensor<3x32xi32>
  }

  // Two products would make it twice.
  // CHECK-LABEL: func.func @shared
  // CHECK:         %[[W:.*]] = relay.call @fused_cast_multiply(
  // CHECK-NEXT:    relay.call @fused_nn_dense{{.*}}(%arg0, %[[W]])
  // CHECK-NEXT:    relay.call @fused_nn_dense{{.*}}(%arg1, %[[W]])
  func.func @shared(%x: tensor<4x64xf32>, %y: tensor<4x64xf32>) -> (tensor<4x32xf32>, tensor<4x32xf32>) {
    %q = relay.constant dense_resource<q> : tensor<32x64xi8>
    %s = relay.constant dense_resource<s> : tensor<32x1xf32>
    %0 = relay.cast %q {dtype = f32} : (tensor<32x64xi8>) -> tensor<32x64xf32>
    %1 = relay.multiply %0, %s : (tensor<32x64xf32>, tensor<32x1xf32>) -> tensor<32x64xf32>
    %2 = relay.nn.dense %x, %1 : (tensor<4x64xf32>, tensor<32x64xf32>) -> tensor<4x32xf32>
    %3 = relay.nn.dense %y, %1 : (tensor<4x64xf32>, tensor<32x64xf32>) -> tensor<4x32xf32>
    return %2, %3 : tensor<4x32xf32>, tensor<4x32xf32>
  }

  // Scales that are computed from data are no constants; floats are no fewer
  // bits.
  // CHECK-LABEL: func.func @data
  // CHECK:         relay.call @fused_cast_multiply(
  // CHECK-NEXT:    relay.call @fused_nn_dense
  func.func @data(%x: tensor<4x64xf32>, %s: tensor<32x1xf32>) -> tensor<4x32xf32> {
    %q = relay.constant dense_resource<q> : tensor<32x64xi8>
    %0 = relay.cast %q {dtype = f32} : (tensor<32x64xi8>) -> tensor<32x64xf32>
    %1 = relay.multiply %0, %s : (tensor<32x64xf32>, tensor<32x1xf32>) -> tensor<32x64xf32>
    %2 = relay.nn.dense %x, %1 : (tensor<4x64xf32>, tensor<32x64xf32>) -> tensor<4x32xf32>
    return %2 : tensor<4x32xf32>
  }
  // CHECK-LABEL: func.func @floats
  // CHECK:         relay.call @fused_multiply(
  // CHECK-NEXT:    relay.call @fused_nn_dense
  func.func @floats(%x: tensor<4x64xf32>) -> tensor<4x32xf32> {
    %w = relay.constant dense_resource<w> : tensor<32x64xf32>
    %s = relay.constant dense_resource<s> : tensor<32x1xf32>
    %0 = relay.multiply %w, %s : (tensor<32x64xf32>, tensor<32x1xf32>) -> tensor<32x64xf32>
    %1 = relay.nn.dense %x, %0 : (tensor<4x64xf32>, tensor<32x64xf32>) -> tensor<4x32xf32>
    return %1 : tensor<4x32xf32>
  }
}

// -----

// Without a target nothing is known of vectors and caches.
// CHECK-LABEL: func.func @no_target
// CHECK:         relay.call @fused_cast(
// CHECK-NEXT:    relay.call @fused_nn_dense
func.func @no_target(%x: tensor<4x64xf32>) -> tensor<4x32xf32> {
  %q = relay.constant dense_resource<q> : tensor<32x64xi8>
  %0 = relay.cast %q {dtype = f32} : (tensor<32x64xi8>) -> tensor<32x64xf32>
  %1 = relay.nn.dense %x, %0 : (tensor<4x64xf32>, tensor<32x64xf32>) -> tensor<4x32xf32>
  return %1 : tensor<4x32xf32>
}

//--- units.mlir

// Matrix units are fed with whole weights, but for few rows.
#amx = #target.cpu<"x86_64-unknown-linux-gnu", "sapphirerapids">
module attributes {target.spec = #amx} {
  // Vectors add up blocks.
  // CHECK-LABEL: func.func @blocks
  // CHECK:         relay.call @fused_nn_batch_matmul_cast_sum(
  func.func @blocks(%x: tensor<4x3x64xi8>) -> tensor<3x32xf32> {
    %q = relay.constant dense_resource<q> : tensor<4x32x64xui8>
    %0 = relay.nn.batch_matmul %x, %q {out_dtype = i32, transpose_a = false, transpose_b = true} : (tensor<4x3x64xi8>, tensor<4x32x64xui8>) -> tensor<4x3x32xi32>
    %1 = relay.cast %0 {dtype = f32} : (tensor<4x3x32xi32>) -> tensor<4x3x32xf32>
    %2 = relay.sum %1 {axis = [0]} : (tensor<4x3x32xf32>) -> tensor<3x32xf32>
    return %2 : tensor<3x32xf32>
  }

  // CHECK-LABEL: func.func @few
  // CHECK:         relay.call @fused_cast_nn_dense(
  func.func @few(%x: tensor<4x64xf32>) -> tensor<4x32xf32> {
    %q = relay.constant dense_resource<q> : tensor<32x64xi8>
    %0 = relay.cast %q {dtype = f32} : (tensor<32x64xi8>) -> tensor<32x64xf32>
    %1 = relay.nn.dense %x, %0 : (tensor<4x64xf32>, tensor<32x64xf32>) -> tensor<4x32xf32>
    return %1 : tensor<4x32xf32>
  }
  // CHECK-LABEL: func.func @unknown
  // CHECK:         relay.call @fused_cast(
  // CHECK-NEXT:    relay.call @fused_nn_dense
  func.func @unknown(%x: tensor<?x64xf32>) -> tensor<?x32xf32> {
    %q = relay.constant dense_resource<q> : tensor<32x64xi8>
    %0 = relay.cast %q {dtype = f32} : (tensor<32x64xi8>) -> tensor<32x64xf32>
    %1 = relay.nn.dense %x, %0 : (tensor<?x64xf32>, tensor<32x64xf32>) -> tensor<?x32xf32>
    return %1 : tensor<?x32xf32>
  }
}

//--- devices.mlir

// On a GPU a block of threads would make what others make as well.
#spec = #target.cpu<"x86_64-unknown-linux-gnu", "x86-64-v4">
module attributes {target.spec = #spec, target.device_specs = {cuda = #cuda.gpu<"sm_80">}} {
  // CHECK-LABEL: func.func @devices
  // CHECK:         relay.call @fused_cast_nn_dense(
  // CHECK:         relay.call @fused_cast(
  // CHECK:         relay.call @fused_nn_dense(
  func.func @devices(%x: tensor<4x64xf32>) -> tensor<4x64xf32> {
    %q = relay.constant dense_resource<q> : tensor<64x64xi8>
    %0 = relay.cast %q {dtype = f32} : (tensor<64x64xi8>) -> tensor<64x64xf32>
    %1 = relay.nn.dense %x, %0 : (tensor<4x64xf32>, tensor<64x64xf32>) -> tensor<4x64xf32>
    %2 = relay.device_copy %1 {dst_virtual_device = {device_type = 2 : i64, virtual_device_id = 0 : i64}} : (tensor<4x64xf32>) -> tensor<4x64xf32>
    %3 = relay.cast %q {dtype = f32} : (tensor<64x64xi8>) -> tensor<64x64xf32>
    %4 = relay.nn.dense %2, %3 : (tensor<4x64xf32>, tensor<64x64xf32>) -> tensor<4x64xf32>
    return %4 : tensor<4x64xf32>
  }
}
