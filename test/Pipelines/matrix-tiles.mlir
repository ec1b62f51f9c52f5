// Products on matrix units: AMX where the target has it, by precision.
// RUN: relay-compile %s --emit=tir -o - --target=sapphirerapids --precision=high --remarks=%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARKS < %t.remarks
// RUN: relay-compile %s --emit=tir -o - --target=sapphirerapids --precision=highest | FileCheck %s --check-prefix=HIGHEST
// RUN: relay-compile %s --emit=tir -o - --target=sapphirerapids --precision=medium | FileCheck %s --check-prefix=MEDIUM
// Eight loads and twelve products for 32 channels, no tile is spilled, and the
// tiles are configured once.
// RUN: relay-compile %s --emit=asm -o - --target=sapphirerapids --precision=high | FileCheck %s --check-prefix=ASM
// RUN: relay-compile %s --emit=asm -o - --target=x86-64-v3,+amx-tile,+amx-bf16 --precision=high | FileCheck %s --check-prefix=ASM
// Without the feature there is nothing of it.
// RUN: relay-compile %s --emit=asm -o - --target=x86-64-v4 --precision=medium | FileCheck %s --check-prefix=NONE
// RUN: relay-compile %s --emit=asm -o - --target=sapphirerapids,-amx-tile --precision=medium | FileCheck %s --check-prefix=NONE
// The schedule says so.
// RUN: relay-compile %s --emit=schedules -o - --target=sapphirerapids | FileCheck %s --check-prefix=SCHEDULES

// CHECK:       module attributes {target.precision = #target.precision<high>
// CHECK-LABEL: tir.prim_func private @fused_nn_conv2d_add_nn_relu
// The weights: columns, channels, taps, pieces, and tiles with pairs of
// channels.
// CHECK-SAME:    memref<1x2x3x3x2x2x16x32xi16> {tir.layout = affine_map<(d0, d1, d2, d3, d4) -> (d0 floordiv 32, d1 floordiv 32, d2, d3, d4, (d0 mod 32) floordiv 16, (d1 mod 32) floordiv 2, (d0 mod 16) * 2 + d1 mod 2)>, tir.original_type = memref<32x64x3x3xf32>, tir.pieces = 2 : i64}
// Both pieces of the data: channels, rows, 32 channels. The padding happens
// where it is split.
// CHECK:         tir.block @conv2d_split
// CHECK:           affine.if
// CHECK-COUNT-2:   affine.store {{.*}} : memref<2x1x{{[0-9]+}}x32xi16>
// CHECK:         tir.block @conv2d(
// CHECK-COUNT-4:   amx.tile_zero
// CHECK-COUNT-12:  amx.tile_mulf
// CHECK-NOT:       amx.tile_mulf
// CHECK-COUNT-4:   amx.tile_store
// The bias and the activation read the tile.
// CHECK:         tir.block @relu
// CHECK:           arith.addf
// CHECK:           arith.select

// HIGHEST-COUNT-24: amx.tile_mulf
// HIGHEST-NOT:      amx.tile_mulf
// MEDIUM-COUNT-4:   amx.tile_mulf
// MEDIUM-NOT:       amx.tile_mulf

// REMARKS: tile: @conv2d: 32 x 32 results of f32 in AMX tiles (tdpbf16ps), terms of bf16: 3; data is split in panels: 1 of 448 rows
// REMARKS: parallel: @conv2d: 14 tiles

// ASM-LABEL:     fused_nn_conv2d_add_nn_relu{{.*}}par
// ASM:           ldtilecfg
// ASM-NOT:       ldtilecfg
// ASM-NOT:       tilestored
// ASM-COUNT-4:   tileloadd
// ASM-COUNT-4:   tdpbf16ps
// ASM-COUNT-2:   tileloadd
// ASM-COUNT-4:   tdpbf16ps
// ASM-COUNT-2:   tileloadd
// ASM-COUNT-4:   tdpbf16ps
// ASM:           tilestored
// ASM:           tilerelease

// NONE-NOT: tileload
// NONE-NOT: tdp

// SCHEDULES:      [[CONV:%.*]] = transform.tir.get_block @conv2d
// SCHEDULES-NEXT: transform.tir.matrix_tiles [[CONV]], "amx", tile = [32, 32], panel_rows = {{[0-9]+}} {parallel, pieces = 2 : i64}

func.func @main(%x: tensor<1x20x20x64xf32>) -> tensor<1x20x20x32xf32> {
  %w = relay.constant dense<0.25> : tensor<32x64x3x3xf32>
  %b = relay.constant dense<0.5> : tensor<32xf32>
  %0 = relay.nn.conv2d %x, %w {padding = array<i64: 1, 1, 1, 1>, data_layout = "NHWC"}
      : (tensor<1x20x20x64xf32>, tensor<32x64x3x3xf32>) -> tensor<1x20x20x32xf32>
  %1 = relay.add %0, %b
      : (tensor<1x20x20x32xf32>, tensor<32xf32>) -> tensor<1x20x20x32xf32>
  %2 = relay.nn.relu %1 : (tensor<1x20x20x32xf32>) -> tensor<1x20x20x32xf32>
  return %2 : tensor<1x20x20x32xf32>
}
