// RUN: relay-compile %s --target=x86-64-v3 --emit=schedules -o - | FileCheck %s
// RUN: rm -rf %t && mkdir %t
// RUN: relay-compile %s --target=x86-64-v3 --save-schedules=%t --emit=asm -o %t.s
// RUN: relay-compile %s --target=x86-64-v3 --schedules=%t --emit=asm -o %t2.s
// RUN: cmp %t.s %t2.s

// Many of the 36 planes, of 49 tiles of 128 channels, would start in one set of
// the first cache. Rows grow, of the transformed data and of the products, and
// replayed schedules do the same.

// CHECK: %[[DATA:.*]] = transform.tir.get_block @transform_data in
// CHECK: transform.tir.storage_align %[[DATA]], 0, axis = 2, factor = 288, offset = 144
// CHECK: %[[PRODUCT:.*]] = transform.tir.get_block @contrib_conv2d
// CHECK: transform.tir.storage_align %[[PRODUCT]], 0, axis = 2, factor = 288, offset = 144
func.func @main(%x: tensor<1x28x28x128xf32>) -> tensor<1x28x28x128xf32> {
  %w = relay.constant dense<0.5> : tensor<128x128x3x3xf32>
  %0 = relay.nn.conv2d %x, %w {padding = array<i64: 1, 1, 1, 1>, data_layout = "NHWC"} : (tensor<1x28x28x128xf32>, tensor<128x128x3x3xf32>) -> tensor<1x28x28x128xf32>
  return %0 : tensor<1x28x28x128xf32>
}
