// f32 on AArch64: rows are lanes of vectors that fmla picks, and no register of
// the inner loop is spilled.
// RUN: relay-compile %s --emit=asm -o - --target=aarch64 | FileCheck %s
// RUN: relay-compile %s --emit=asm -o - --target=aarch64-neoverse-v1 | FileCheck %s

// CHECK-LABEL: fused_nn_dense{{.*}}par
// CHECK:       fmla v{{[0-9]+}}.4s, v{{[0-9]+}}.4s, v{{[0-9]+}}.s[0]
// CHECK-NOT:   [sp
// CHECK:       b.{{ne|lt|lo|eq}}

func.func @main(%x: tensor<64x256xf32>) -> tensor<64x256xf32> {
  %w = relay.constant dense<0.25> : tensor<256x256xf32>
  %0 = relay.nn.dense %x, %w : (tensor<64x256xf32>, tensor<256x256xf32>) -> tensor<64x256xf32>
  return %0 : tensor<64x256xf32>
}
