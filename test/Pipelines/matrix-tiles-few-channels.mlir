// The first convolution of an image network: the channels of the pixels under a
// row of the window fill the depth of a tile, 21 of 32.
// (Forced, short sums have 3 terms.)
// RUN: relay-compile %s --emit=tir -o - --target=sapphirerapids --force-matrix-tiles --remarks=%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARKS < %t.remarks
// RUN: relay-compile %s --emit=asm -o - --target=sapphirerapids --force-matrix-tiles | FileCheck %s --check-prefix=ASM

// The weights: columns, blocks of merged channels, rows of the window, pieces,
// and the tiles.
// CHECK-LABEL: tir.prim_func private @fused_nn_conv2d_nn_relu
// CHECK-SAME:    memref<2x1x7x2x2x16x32xi16> {tir.layout = affine_map<(d0, d1, d2, d3, d4) -> (d0 floordiv 32, (d3 * 3 + d1) floordiv 32, d2, d4, (d0 mod 32) floordiv 16, ((d3 * 3 + d1) mod 32) floordiv 2, (d0 mod 16) * 2 + (d3 * 3 + d1) mod 2)>
// The channels of 16 pixels become neighbours.
// CHECK:         tir.block @conv2d_split
// CHECK-COUNT-3:   vector.load
// CHECK:           vector.shuffle
// CHECK-COUNT-6:   vector.store
// The rows of a tile begin two pixels after each other.
// CHECK:         tir.block @conv2d(
// CHECK:           %[[PITCH:.*]] = arith.constant 6 : index
// CHECK:           amx.tile_load %{{.*}}[%{{.*}}, %{{.*}}], %[[PITCH]] : memref<2x{{[0-9]+}}xi16>
// CHECK-COUNT-12:  amx.tile_mulf
// CHECK-NOT:       amx.tile_mulf

// REMARKS: channels of 7 pixels are neighbours in a tile

// ASM-LABEL: fused_nn_conv2d_nn_relu.par1
// 12 bytes.
// ASM:       movl $12, %[[PITCH:r[0-9]+]]d
// ASM-NOT:   tilestored
// ASM:       tileloadd (%{{.*}},%[[PITCH]])
// ASM:       tdpbf16ps
// ASM:       tilestored

func.func @main(%x: tensor<1x3x64x64xf32>) -> tensor<1x32x32x64xf32> {
  %w = relay.constant dense<0.25> : tensor<64x3x7x7xf32>
  %0 = relay.nn.conv2d %x, %w {strides = array<i64: 2, 2>, padding = array<i64: 3, 3, 3, 3>,
      out_layout = "NHWC"}
      : (tensor<1x3x64x64xf32>, tensor<64x3x7x7xf32>) -> tensor<1x32x32x64xf32>
  %1 = relay.nn.relu %0 : (tensor<1x32x32x64xf32>) -> tensor<1x32x32x64xf32>
  return %1 : tensor<1x32x32x64xf32>
}
