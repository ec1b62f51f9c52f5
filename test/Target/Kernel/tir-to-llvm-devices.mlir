// What is for another device is not lowered as if the program could call it.
// RUN: relay-opt --load-dialect-plugin=%relay_lib/ScalarTarget%shlibext %s --split-input-file --tir-to-llvm --verify-diagnostics

module attributes {target.spec = #target.cpu<"x86_64-unknown-linux-gnu", "znver3">} {
  // expected-error @+1 {{expects a target of kind cpu, but got scalar}}
  tir.prim_func @double(%x: memref<8xf32>, %y: memref<8xf32>)
      attributes {tir.num_outputs = 1 : i64, target.spec = #scalar.core<memory = 64>} {
    tir.for %i = 0 to 8 {
      tir.block @double(%v0 = spatial %i in 8)
          reads(%x[%v0] : memref<8xf32>) writes(%y[%v0] : memref<8xf32>) {
        %0 = affine.load %x[%v0] : memref<8xf32>
        %1 = arith.addf %0, %0 : f32
        affine.store %1, %y[%v0] : memref<8xf32>
      }
    }
  }
}

// -----

// Calls with their memory stay as they are when kernels are lowered.
module attributes {target.spec = #target.cpu<"x86_64-unknown-linux-gnu", "znver3">} {
  tir.prim_func @copy(%x: memref<8xf32>, %y: memref<8xf32>, %w: memref<8xf32> {tir.workspace = affine_map<() -> ()>})
      attributes {tir.num_outputs = 1 : i64, tir.workspaces = 1 : i64} {
    tir.for %i = 0 to 8 {
      tir.block @copy(%v0 = spatial %i in 8)
          reads(%x[%v0] : memref<8xf32>) writes(%y[%v0] : memref<8xf32>) {
        %0 = affine.load %x[%v0] : memref<8xf32>
        affine.store %0, %y[%v0] : memref<8xf32>
      }
    }
  }
  relax.func @main(%x: !relax.tensor<[8], f32>) -> !relax.tensor<[8], f32> {
    %s = relax.alloc_storage size [32] align 64 : !relax.storage
    %w = relax.alloc_tensor %s[0] : !relax.tensor<[8], f32>
    %y = relax.result_buffer 0 : !relax.tensor<[8], f32>
    relax.call_kernel @copy ins(%x : !relax.tensor<[8], f32>) outs(%y : !relax.tensor<[8], f32>) workspaces(%w : !relax.tensor<[8], f32>)
    relax.kill %s : !relax.storage
    relax.return %y : !relax.tensor<[8], f32>
  }
}
