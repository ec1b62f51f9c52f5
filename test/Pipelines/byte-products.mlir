// Products of bytes, by the instruction that the target has. Operands without a
// sign are for another test.
// RUN: relay-compile %s --emit=asm -o - --target=x86-64-v3 --remarks=%t.remarks | FileCheck %s --check-prefix=AVX2
// RUN: FileCheck %s --check-prefix=REMARKS < %t.remarks
// RUN: relay-compile %s --emit=asm -o - --target=x86-64-v3,+avxvnni | FileCheck %s --check-prefix=AVXVNNI
// RUN: relay-compile %s --emit=asm -o - --target=x86-64-v4 | FileCheck %s --check-prefix=AVX512
// RUN: relay-compile %s --emit=asm -o - --target=x86-64-v4,+avx512vnni | FileCheck %s --check-prefix=VNNI
// RUN: relay-compile %s --emit=asm -o - --target=aarch64-neoverse-n1 | FileCheck %s --check-prefix=NEON
// Without the instructions there is nothing of them.
// RUN: relay-compile %s --emit=asm -o - --target=aarch64-cortex-a57 | FileCheck %s --check-prefix=NONE
// RUN: relay-compile %s --emit=asm -o - --target=x86-64-v2 | FileCheck %s --check-prefix=NONE

// REMARKS: tile: @dense: 6 x 16 results of i32 in vectors, sums of products of 2 bytes

// Products of 16 bits do not overflow, unlike those of pmaddubsw.
// AVX2-LABEL:   fused_nn_dense.par1
// AVX2-NOT:     pmaddubsw
// AVX2:         .p2align 4
// AVX2:         vpmovsxbw {{.*}}, %ymm
// AVX2-NEXT:    vpmovsxbw {{.*}}, %ymm
// AVX2-NOT:     (%rsp)
// AVX2-COUNT-6: vpbroadcastd {{.*}}, %ymm
// AVX2:         vpmaddwd
// AVX2-NOT:     (%rsp)
// AVX2:         j{{n?}}e

// One operand has no sign: the data has 128 more. Tiles of 6 x 2 vectors start
// from what takes that back, so many times the sum of the weights.
// AVXVNNI-LABEL:    fused_nn_dense.par2.body
// AVXVNNI-NOT:      vpslld
// AVXVNNI-COUNT-12: vpdpbusd {{.*}}, %ymm
// AVXVNNI-NOT:      vpdpbusd
// AVXVNNI-LABEL:    fused_nn_dense.par0.body
// AVXVNNI:          vpdpbusd {{.*}}, %ymm
// AVXVNNI:          vpslld $7
// AVXVNNI:          vpsubd

// AVX512-LABEL: fused_nn_dense.par1
// AVX512:       vpmovsxbw {{.*}}, %zmm
// AVX512:       vpmaddwd {{.*}}, %zmm
// AVX512-NOT:   (%rsp)
// AVX512:       j{{n?}}e

// VNNI-LABEL:    fused_nn_dense.par1
// VNNI:          vmovdqu64 {{.*}}, %zmm
// VNNI-COUNT-13: vpbroadcastd {{.*}}, %zmm
// VNNI:          vpdpbusd
// VNNI-NOT:      (%rsp)
// VNNI:          j{{n?}}e

// Four groups of a row are one load, of which each instruction takes one.
// NEON-LABEL:    fused_nn_dense.par{{[0-9]}}
// NEON:          sdot v{{[0-9]+}}.4s, v{{[0-9]+}}.16b, v{{[0-9]+}}.4b[0]
// NEON-NOT:      [sp
// NEON:          sdot v{{[0-9]+}}.4s, v{{[0-9]+}}.16b, v{{[0-9]+}}.4b[3]
// NEON-NOT:      [sp
// NEON:          b.{{ne|lt|lo|eq}}

// NONE-NOT: sdot
// NONE-NOT: vpmaddwd

func.func @main(%x: tensor<128x768xi8>) -> tensor<128x768xi32> {
  %w = relay.constant dense<100> : tensor<768x768xi8>
  %0 = relay.nn.dense %x, %w {out_dtype = i32}
      : (tensor<128x768xi8>, tensor<768x768xi8>) -> tensor<128x768xi32>
  return %0 : tensor<128x768xi32>
}
