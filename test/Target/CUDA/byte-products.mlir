// RUN: relay-compile %s --target="cuda -arch=sm_90a" --emit=asm -o - | FileCheck %s
// RUN: relay-compile %s --target=cuda --emit=asm -o - | FileCheck %s --check-prefix=AMPERE

// Products of bytes by warpgroups, with sums that wrap around as integers of relay do. Where
// only one operand has a sign, `wgmma` would need a newer driver.
// CHECK:      launch fused_nn_dense 256 1 1 256 1 1 131072{{.*}}launch fused_nn_dense_1 256 1 1 256 1 1 81920
// CHECK-DAG:  wgmma.mma_async.sync.aligned.m64n128k32.s32.s8.s8
// CHECK-DAG:  cp.async.cg.shared.global
// CHECK-DAG:  mma.sync.aligned.m16n8k32.row.col.s32.u8.s8.s32
// CHECK-NOT:  satfinite

// AMPERE-NOT: wgmma
// AMPERE-DAG: mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32
// AMPERE-DAG: mma.sync.aligned.m16n8k32.row.col.s32.u8.s8.s32
// AMPERE-NOT: satfinite

func.func @main(%x: tensor<2048x1024xi8>, %y: tensor<2048x1024xui8>, %w: tensor<2048x1024xi8>) -> (tensor<2048x2048xi32>, tensor<2048x2048xi32>) {
  %0 = relay.nn.dense %x, %w {out_dtype = i32} : (tensor<2048x1024xi8>, tensor<2048x1024xi8>) -> tensor<2048x2048xi32>
  %1 = relay.nn.dense %y, %w {out_dtype = i32} : (tensor<2048x1024xui8>, tensor<2048x1024xi8>) -> tensor<2048x2048xi32>
  return %0, %1 : tensor<2048x2048xi32>, tensor<2048x2048xi32>
}
