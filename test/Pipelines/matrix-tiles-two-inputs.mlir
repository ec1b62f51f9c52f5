// Matrices of a batch whose right operand is no constant: the kernel packs it.
// (Forced, short sums have 3 terms.)
// RUN: relay-compile %s --emit=tir -o - --target=sapphirerapids --force-matrix-tiles --remarks=%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARKS < %t.remarks
// RUN: relay-compile %s --emit=asm -o - --target=sapphirerapids --force-matrix-tiles | FileCheck %s --check-prefix=ASM

// Channels beside each other: pairs of them are transposed.
// CHECK-LABEL: tir.prim_func private @fused_nn_batch_matmul(
// CHECK:         tir.block @batch_matmul_pack
// CHECK:           vector.bitcast {{.*}} : vector<32xi16> to vector<16xi32>
// CHECK:           vector.shuffle {{.*}} : vector<16xi32>, vector<16xi32>
// CHECK:           vector.store {{.*}} : memref<12x4x2x2x2x16x32xi16>, vector<32xi16>
// A panel of each matrix is split once for all columns.
// CHECK:         tir.for %{{.*}} = 0 to 12 kind(parallel)
// CHECK:           tir.block @batch_matmul_split
// CHECK:           tir.block @batch_matmul(
// CHECK-COUNT-12:    amx.tile_mulf

// Columns beside each other: two rows take turns.
// CHECK-LABEL: tir.prim_func private @fused_nn_batch_matmul_1(
// CHECK:         tir.block @batch_matmul_pack
// CHECK:           vector.shuffle {{.*}} : vector<16xi16>, vector<16xi16>
// CHECK:           vector.store {{.*}} : memref<12x2x4x2x2x16x32xi16>, vector<16xi16>

// Groups of channels are computed one after the other.
// CHECK-LABEL: tir.prim_func private @fused_nn_conv2d(
// CHECK-SAME:    memref<4x2x2x3x3x2x2x16x32xi16> {tir.layout = affine_map<(d0, d1, d2, d3, d4) -> (d0 floordiv 64, (d0 mod 64) floordiv 32,
// CHECK:         tir.for %{{.*}} = 0 to 4 kind(parallel)

// REMARKS: parallel: @batch_matmul: 12 panels
// REMARKS: parallel: @conv2d: 4 panels

// ASM-LABEL: fused_nn_batch_matmul.par
// ASM:       vpunpckldq
// ASM-LABEL: fused_nn_batch_matmul_1.par
// ASM:       tdpbf16ps

func.func @main(%q: tensor<12x128x64xf32>, %k: tensor<12x128x64xf32>,
                %v: tensor<12x128x64xf32>, %x: tensor<1x28x28x256xf32>)
    -> (tensor<12x128x64xf32>, tensor<1x28x28x256xf32>) {
  %w = relay.constant dense<0.25> : tensor<256x64x3x3xf32>
  %0 = relay.nn.batch_matmul %q, %k {transpose_b = true}
      : (tensor<12x128x64xf32>, tensor<12x128x64xf32>) -> tensor<12x128x128xf32>
  %1 = relay.nn.batch_matmul %0, %v {transpose_b = false}
      : (tensor<12x128x128xf32>, tensor<12x128x64xf32>) -> tensor<12x128x64xf32>
  %2 = relay.nn.conv2d %x, %w {padding = array<i64: 1, 1, 1, 1>, groups = 4, data_layout = "NHWC"}
      : (tensor<1x28x28x256xf32>, tensor<256x64x3x3xf32>) -> tensor<1x28x28x256xf32>
  return %1, %2 : tensor<12x128x64xf32>, tensor<1x28x28x256xf32>
}
