// An instruction is for operands in the memories of its description. What has the
// addresses of the default memory, as the stack of a processor, counts as that.
// RUN: relay-opt --load-dialect-plugin=%relay_lib/ScalarTarget%shlibext %s --tir-apply-schedules --split-input-file --verify-diagnostics | FileCheck %s

module attributes {
    transform.with_named_sequence,
    target.spec = #target.cpu<"x86_64-unknown-linux-gnu", "x86-64-v3">} {
  tir.prim_func private @copy(%x: memref<8xf32>, %y: memref<8xf32>) attributes {tir.intrinsic} {
    tir.for %i = 0 to 8 {
      tir.block @copy(%v0 = spatial %i in 8)
          reads(%x[%v0] : memref<8xf32>) writes(%y[%v0] : memref<8xf32>) {
        %0 = affine.load %x[%v0] : memref<8xf32>
        affine.store %0, %y[%v0] : memref<8xf32>
      }
    }
  }
  tir.prim_func private @copy.vector(%x: memref<8xf32>, %y: memref<8xf32>) attributes {tir.intrinsic} {
    %c0 = arith.constant 0 : index
    %0 = vector.load %x[%c0] : memref<8xf32>, vector<8xf32>
    vector.store %0, %y[%c0] : memref<8xf32>, vector<8xf32>
  }
  // CHECK-LABEL: tir.prim_func @flat
  // CHECK:         vector.store %{{.*}} : memref<8xf32, {{.*}}#target.memory<"local">>, vector<8xf32>
  tir.prim_func @flat(%x: memref<8xf32>, %y: memref<8xf32>) {
    tir.for %i = 0 to 8 {
      tir.block @twice(%v0 = spatial %i in 8)
          reads(%x[%v0] : memref<8xf32>) writes(%y[%v0] : memref<8xf32>) {
        %0 = affine.load %x[%v0] : memref<8xf32>
        %1 = arith.addf %0, %0 : f32
        affine.store %1, %y[%v0] : memref<8xf32>
      }
    }
  }
  transform.named_sequence @flat.schedule(%f: !transform.any_op {transform.readonly}) {
    %twice = transform.tir.get_block @twice in %f
    %copy = transform.tir.cache_read %twice, 0, "local"
    %i = transform.tir.get_loops %copy
    %done = transform.tir.tensorize_with %i, @copy, @copy.vector
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence, target.spec = #scalar.core<memory = 256>} {
  // expected-note @below {{description}}
  tir.prim_func private @copy(%x: memref<8xf32>, %y: memref<8xf32>) attributes {tir.intrinsic} {
    tir.for %i = 0 to 8 {
      tir.block @copy(%v0 = spatial %i in 8)
          reads(%x[%v0] : memref<8xf32>) writes(%y[%v0] : memref<8xf32>) {
        %0 = affine.load %x[%v0] : memref<8xf32>
        affine.store %0, %y[%v0] : memref<8xf32>
      }
    }
  }
  tir.prim_func private @copy.fetch(%x: memref<8xf32>, %y: memref<8xf32>) attributes {tir.intrinsic} {
    scalar.fetch %x to %y : memref<8xf32> to memref<8xf32>
  }
  tir.prim_func @other_memory(%x: memref<8xf32>, %y: memref<8xf32>) {
    tir.for %i = 0 to 8 {
      // expected-note @below {{this is in the way}}
      tir.block @twice(%v0 = spatial %i in 8)
          reads(%x[%v0] : memref<8xf32>) writes(%y[%v0] : memref<8xf32>) {
        %0 = affine.load %x[%v0] : memref<8xf32>
        %1 = arith.addf %0, %0 : f32
        affine.store %1, %y[%v0] : memref<8xf32>
      }
    }
  }
  transform.named_sequence @other_memory.schedule(%f: !transform.any_op {transform.readonly}) {
    %twice = transform.tir.get_block @twice in %f
    %copy = transform.tir.cache_read %twice, 0, "local"
    %i = transform.tir.get_loops %copy
    // expected-error @below {{expects a nest that does what @copy describes, but an access is to memory local, not global}}
    %done = transform.tir.tensorize_with %i, @copy, @copy.fetch
    transform.yield
  }
}
