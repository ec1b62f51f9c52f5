// Weights of -64 to 64: sums of 16 bits hold two products of them and of any
// bytes without a sign, such as bytes with one of which each has 128 more.
// RUN: relay-compile %s --emit=asm -o - --target=x86-64-v3 --remarks=%t.remarks | FileCheck %s --check-prefix=AVX2
// RUN: FileCheck %s --check-prefix=REMARKS < %t.remarks
// RUN: relay-compile %s --emit=asm -o - --target=x86-64-v4 | FileCheck %s --check-prefix=AVX512
// Instructions for four products need no bounds.
// RUN: relay-compile %s --emit=asm -o - --target=x86-64-v3,+avxvnni | FileCheck %s --check-prefix=VNNI
// RUN: relay-compile %s --emit=asm -o - --target=x86-64-v2 | FileCheck %s --check-prefix=NONE

// As many rows as of data that needs no sums of weights.
// REMARKS: tile: @dense: 6 x 16 results of i32 in vectors, sums of products of 4 bytes

// In the tiles weights are read as bytes, of six rows of the data.
// AVX2-LABEL:     fused_nn_dense.par2
// AVX2-NOT:       vpmovsxbw
// AVX2:           vpbroadcastd {{.*}}, %ymm
// AVX2-COUNT-12:  vpmaddubsw {{.*}}, %ymm
// AVX2-NOT:       vpmaddubsw
// AVX2-NOT:       vpmovsxbw
// What they add up to is taken 128 times before that.
// AVX2-LABEL:     fused_nn_dense.par1
// AVX2:           vpmaddubsw {{.*}}, %ymm
// AVX2:           vpslld $7, {{.*}}, %ymm

// AVX512:         vpmaddubsw {{.*}}, %zmm
// AVX512:         vpmaddwd {{.*}}, %zmm

// VNNI-NOT: vpmaddubsw
// VNNI:     vpdpbusd
// VNNI-NOT: vpmaddubsw

// NONE-NOT: pmaddubsw

func.func @main(%x: tensor<128x768xi8>) -> tensor<128x768xi32> {
  %w = relay.constant dense<-64> : tensor<768x768xi8>
  %0 = relay.nn.dense %x, %w {out_dtype = i32}
      : (tensor<128x768xi8>, tensor<768x768xi8>) -> tensor<128x768xi32>
  return %0 : tensor<128x768xi32>
}
