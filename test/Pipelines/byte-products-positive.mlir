// Products of bytes that are known to be 0 to 127: sums of 16 bits hold two of
// them.
// RUN: relay-compile %s --emit=asm -o - --target=x86-64-v3 --remarks=%t.remarks | FileCheck %s --check-prefix=AVX2
// RUN: FileCheck %s --check-prefix=REMARKS < %t.remarks
// RUN: relay-compile %s --emit=asm -o - --target=x86-64-v4 | FileCheck %s --check-prefix=AVX512
// Instructions for four products need no bounds.
// RUN: relay-compile %s --emit=asm -o - --target=x86-64-v3,+avxvnni | FileCheck %s --check-prefix=VNNI
// RUN: relay-compile %s --emit=asm -o - --target=x86-64-v2 | FileCheck %s --check-prefix=NONE

// REMARKS: tile: @dense: 6 x 16 results of i32 in vectors, sums of products of 4 bytes

// Weights are read as bytes, and so is the data.
// AVX2-LABEL:   fused_nn_dense.par1
// AVX2:         .p2align 4
// AVX2-NOT:     vpmovsxbw
// AVX2:         vpbroadcastd {{.*}}, %ymm
// AVX2:         vpmaddubsw {{.*}}, %ymm
// AVX2-NOT:     vpmovsxbw
// AVX2:         vpmaddwd {{.*}}, %ymm
// AVX2:         j{{n?}}e

// AVX512-LABEL: fused_nn_dense.par1
// AVX512:       vpmaddubsw {{.*}}, %zmm
// AVX512:       vpmaddwd {{.*}}, %zmm

// VNNI-NOT: vpmaddubsw
// VNNI:     vpdpbusd
// VNNI-NOT: vpmaddubsw

// NONE-NOT: pmaddubsw

func.func @main(%x: tensor<128x768xi8>) -> tensor<128x768xi32> {
  %p = relay.nn.relu %x : (tensor<128x768xi8>) -> tensor<128x768xi8>
  %w = relay.constant dense<100> : tensor<768x768xi8>
  %0 = relay.nn.dense %p, %w {out_dtype = i32}
      : (tensor<128x768xi8>, tensor<768x768xi8>) -> tensor<128x768xi32>
  return %0 : tensor<128x768xi32>
}
