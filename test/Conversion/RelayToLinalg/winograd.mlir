// RUN: relay-opt %s --split-input-file --convert-relay-to-linalg | FileCheck %s

// Tiles of 2 x 2 results in one dimension: 2 x 3 of them for 3 x 5 results.
// CHECK-DAG: #[[ELEMENT:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d1 floordiv 6, ((d1 floordiv 3) mod 2) * 2 + d4, (d1 mod 3) * 2 + d2, d3)>
// CHECK-DAG: #[[PLACE:.*]] = affine_map<(d0, d1, d2, d3) -> ((d0 * 2 + d1 floordiv 2) * 3 + d2 floordiv 2, d1 mod 2, d2 mod 2, d3)>
// CHECK-LABEL: @winograd
// CHECK: tensor.pad %arg0 low[0, 1, 1, 0] high[0, 2, 2, 0]
// CHECK: linalg.generic {indexing_maps = [#{{.*}}, #[[ELEMENT]], #{{.*}}]
// CHECK-SAME: outs(%{{.*}} : tensor<4x6x4x16xf32>)
// CHECK: outs(%{{.*}} : tensor<4x4x6x16xf32>)
// CHECK: outs(%{{.*}} : tensor<4x4x6x8xf32>)
// CHECK: outs(%{{.*}} : tensor<2x4x6x8xf32>)
// CHECK: outs(%{{.*}} : tensor<6x2x2x8xf32>)
// CHECK: linalg.generic {indexing_maps = [#[[PLACE]], #{{.*}}]
// CHECK-SAME: outs(%{{.*}} : tensor<1x3x5x8xf32>)
func.func @winograd(%x: tensor<1x3x5x16xf32>, %w: tensor<4x4x8x16xf32>) -> tensor<1x3x5x8xf32>
    attributes {relay.primitive, tir.layout_free = [1]} {
  %0 = relay.nn.contrib_conv2d_winograd_without_weight_transform %x, %w {tile_size = 2, padding = array<i64: 1, 1>, channels = 8, kernel_size = array<i64: 3, 3>, data_layout = "NHWC"} : (tensor<1x3x5x16xf32>, tensor<4x4x8x16xf32>) -> tensor<1x3x5x8xf32>
  return %0 : tensor<1x3x5x8xf32>
}
