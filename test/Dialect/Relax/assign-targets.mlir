// RUN: relay-opt --load-dialect-plugin=%relay_lib/ScalarTarget%shlibext %s --split-input-file --relax-assign-targets --verify-relax-kernels | FileCheck %s

// A kernel for devices of a kind gets their target, one for the host and for two
// kinds becomes three.
module attributes {target.device_specs = {big = #scalar.core<memory = 512>,
                                          small = #scalar.core<memory = 64>},
                   target.spec = #target.cpu<"x86_64-unknown-linux-gnu", "znver3">} {
  // CHECK:      tir.prim_func @negate(
  // CHECK-SAME: target.spec = #scalar.core<memory = 64>
  tir.prim_func @negate(%x: memref<4xf32>, %y: memref<4xf32>)
      attributes {tir.num_outputs = 1 : i64} {
    tir.for %i = 0 to 4 {
      tir.block @negate(%v0 = spatial %i in 4)
          reads(%x[%v0] : memref<4xf32>) writes(%y[%v0] : memref<4xf32>) {
        %0 = affine.load %x[%v0] : memref<4xf32>
        %1 = arith.negf %0 : f32
        affine.store %1, %y[%v0] : memref<4xf32>
      }
    }
  }
  // CHECK:      tir.prim_func @double(
  // CHECK-NOT:  target.spec
  // CHECK:      tir.prim_func @[[BIG:double_.*]](
  // CHECK-SAME: target.spec = #scalar.core<memory = 512>
  // CHECK:      tir.prim_func @[[SMALL:double_.*]](
  // CHECK-SAME: target.spec = #scalar.core<memory = 64>
  tir.prim_func @double(%x: memref<4xf32>, %y: memref<4xf32>)
      attributes {tir.num_outputs = 1 : i64} {
    tir.for %i = 0 to 4 {
      tir.block @double(%v0 = spatial %i in 4)
          reads(%x[%v0] : memref<4xf32>) writes(%y[%v0] : memref<4xf32>) {
        %0 = affine.load %x[%v0] : memref<4xf32>
        %1 = arith.addf %0, %0 : f32
        affine.store %1, %y[%v0] : memref<4xf32>
      }
    }
  }
  // CHECK: relax.call_tir @double(
  // CHECK: relax.call_tir @[[SMALL]](
  // CHECK: relax.call_tir @negate(
  // CHECK: relax.call_tir @[[BIG]](
  // CHECK: relax.call_tir @double(
  relax.func @main(%x: !relax.tensor<[4], f32>) -> !relax.tensor<[4], f32> {
    %0 = relax.call_tir @double(%x) : (!relax.tensor<[4], f32>) -> !relax.tensor<[4], f32>
    %1 = relax.to_device %0 : !relax.tensor<[4], f32> to !relax.tensor<[4], f32, #target.device<"small", 1>>
    %2 = relax.call_tir @double(%1) : (!relax.tensor<[4], f32, #target.device<"small", 1>>) -> !relax.tensor<[4], f32, #target.device<"small", 1>>
    %3 = relax.call_tir @negate(%2) : (!relax.tensor<[4], f32, #target.device<"small", 1>>) -> !relax.tensor<[4], f32, #target.device<"small", 1>>
    %4 = relax.to_device %3 : !relax.tensor<[4], f32, #target.device<"small", 1>> to !relax.tensor<[4], f32, #target.device<"big", 0>>
    %5 = relax.call_tir @double(%4) : (!relax.tensor<[4], f32, #target.device<"big", 0>>) -> !relax.tensor<[4], f32, #target.device<"big", 0>>
    %6 = relax.to_device %5 : !relax.tensor<[4], f32, #target.device<"big", 0>> to !relax.tensor<[4], f32, #target.device<"cpu", 1>>
    %7 = relax.call_tir @double(%6) : (!relax.tensor<[4], f32, #target.device<"cpu", 1>>) -> !relax.tensor<[4], f32, #target.device<"cpu", 1>>
    %8 = relax.to_device %7 : !relax.tensor<[4], f32, #target.device<"cpu", 1>> to !relax.tensor<[4], f32>
    relax.return %8 : !relax.tensor<[4], f32>
  }
}
