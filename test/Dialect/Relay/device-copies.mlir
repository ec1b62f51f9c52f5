// Passes that look where operators are computed take copies between devices in
// modules that name no target.
// RUN: relay-opt %s --relay-widen-products | FileCheck %s
// RUN: relay-opt %s --relay-rows-to-integers | FileCheck %s
// RUN: relay-opt %s --relay-split-batch | FileCheck %s
// RUN: relay-opt %s --relay-fuse-ops | FileCheck %s

// CHECK-LABEL: func.func @copy
// CHECK:         relay.device_copy
func.func @copy(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = relay.device_copy %x {dst_virtual_device = {device_type = 2 : i64, virtual_device_id = 0 : i64}} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
