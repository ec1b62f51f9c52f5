// RUN: relay-opt --load-dialect-plugin=%relay_lib/ScalarTarget%shlibext %s --split-input-file --verify-diagnostics --verify-relax-kernels
// RUN: relay-opt --load-dialect-plugin=%relay_lib/ScalarTarget%shlibext %s --split-input-file --verify-diagnostics --relax-plan-memory --verify-relax-executable

// A kernel for one target cannot run on data of another.
module attributes {target.device_specs = {scalar = #scalar.core<memory = 64>}} {
  // expected-note @+1 {{kernel @double is here}}
  tir.prim_func private @double(%x: memref<4xf32>, %y: memref<4xf32>)
      attributes {tir.num_outputs = 1 : i64, tir.workspaces = 0 : i64} {
  }
  relax.func @main(%x: !relax.tensor<[4], f32>) -> !relax.tensor<[4], f32> {
    %0 = relax.to_device %x : !relax.tensor<[4], f32> to !relax.tensor<[4], f32, #target.device<"scalar", 1>>
    // expected-error @+1 {{expects a kernel for the target of scalar:1, scalar (scalar core with 64 bytes), but got one for none}}
    %1 = relax.call_tir @double(%0) : (!relax.tensor<[4], f32, #target.device<"scalar", 1>>) -> !relax.tensor<[4], f32, #target.device<"scalar", 1>>
    %2 = relax.to_device %1 : !relax.tensor<[4], f32, #target.device<"scalar", 1>> to !relax.tensor<[4], f32>
    relax.return %2 : !relax.tensor<[4], f32>
  }
}

// -----

module attributes {target.device_specs = {scalar = #scalar.core<memory = 64>},
                   target.spec = #target.cpu<"x86_64-unknown-linux-gnu", "znver3">} {
  // expected-note @+1 {{kernel @double is here}}
  tir.prim_func private @double(%x: memref<4xf32>, %y: memref<4xf32>)
      attributes {tir.num_outputs = 1 : i64, tir.workspaces = 0 : i64,
                  target.spec = #scalar.core<memory = 64>} {
  }
  relax.func @main(%x: !relax.tensor<[4], f32>) -> !relax.tensor<[4], f32> {
    // expected-error @+1 {{expects a kernel for the target of cpu:0, cpu (x86_64-unknown-linux-gnu znver3), but got one for scalar (scalar core with 64 bytes)}}
    %0 = relax.call_tir @double(%x) : (!relax.tensor<[4], f32>) -> !relax.tensor<[4], f32>
    relax.return %0 : !relax.tensor<[4], f32>
  }
}

// -----

module {
  tir.prim_func private @double(%x: memref<4xf32>, %y: memref<4xf32>)
      attributes {tir.num_outputs = 1 : i64, tir.workspaces = 0 : i64} {
  }
  relax.func @main(%x: !relax.tensor<[4], f32>) -> !relax.tensor<[4], f32> {
    %0 = relax.to_device %x : !relax.tensor<[4], f32> to !relax.tensor<[4], f32, #target.device<"scalar", 0>>
    // expected-error @+2 {{expects a target for devices of kind scalar, but got none}}
    // expected-note @+1 {{--device-targets="scalar = ..." gives the module one}}
    %1 = relax.call_tir @double(%0) : (!relax.tensor<[4], f32, #target.device<"scalar", 0>>) -> !relax.tensor<[4], f32, #target.device<"scalar", 0>>
    %2 = relax.to_device %1 : !relax.tensor<[4], f32, #target.device<"scalar", 0>> to !relax.tensor<[4], f32>
    relax.return %2 : !relax.tensor<[4], f32>
  }
}
