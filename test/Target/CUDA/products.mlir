// RUN: relay-compile %s --target="cuda -arch=sm_90a" --emit=asm -o - | FileCheck %s
// RUN: relay-compile %s --target=cuda --emit=asm -o - | FileCheck %s --check-prefix=AMPERE

// Products by warpgroups; the next ones begin before those of a step are there.
// CHECK:      launch fused_nn_dense 256 1 1 256 1 1 131072
// CHECK:      .target sm_90a
// CHECK:      .extern .shared .align 1024 .b8
// CHECK:      cp.async.cg.shared.global
// CHECK:      fence.proxy.async.shared::cta;
// CHECK:      wgmma.fence.sync.aligned;
// CHECK:      wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16
// CHECK:      wgmma.commit_group.sync.aligned;
// CHECK:      wgmma.wait_group.sync.aligned 0;

// AMPERE:     .target sm_80
// AMPERE-NOT: wgmma
// AMPERE:     mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32

func.func @main(%x: tensor<2048x1024xbf16>, %w: tensor<2048x1024xbf16>) -> tensor<2048x2048xbf16> {
  %0 = relay.nn.dense %x, %w : (tensor<2048x1024xbf16>, tensor<2048x1024xbf16>) -> tensor<2048x2048xbf16>
  return %0 : tensor<2048x2048xbf16>
}
