// RUN: relay-compile %s --target=cuda --emit=asm -o - | FileCheck %s

// A launch has the buffers that it has to do with: of many, else, there would be as many
// parameters as their square.
// CHECK:      kernel fused_concatenate 4 0
// CHECK-SAME: launch fused_concatenate 1 1 1 28 1 1 0 buffers=0,3
// CHECK-SAME: launch fused_concatenate$1 1 1 1 35 1 1 0 buffers=1,3
// CHECK-SAME: launch fused_concatenate$2 1 1 1 42 1 1 0 buffers=2,3
func.func @main(%x: tensor<4x7xf32>, %y: tensor<5x7xf32>, %z: tensor<6x7xf32>) -> tensor<15x7xf32> {
  %0 = relay.concatenate %x, %y, %z {axis = 0} : (tensor<4x7xf32>, tensor<5x7xf32>, tensor<6x7xf32>) -> tensor<15x7xf32>
  return %0 : tensor<15x7xf32>
}
