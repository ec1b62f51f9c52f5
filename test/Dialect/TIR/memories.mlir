// What a target says of its memories (test/lib/ScalarTarget has three), and where
// a schedule goes against it.
// RUN: relay-opt --load-dialect-plugin=%relay_lib/ScalarTarget%shlibext %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(tir.prim_func(verify-tir-scheduled))' | FileCheck %s
// Memories with addresses of their own stay in types on the way to scf.
// RUN: relay-opt --load-dialect-plugin=%relay_lib/ScalarTarget%shlibext %s --split-input-file --convert-tir-to-scf 2>/dev/null | FileCheck %s --check-prefix=SCF

module attributes {target.spec = #scalar.core<memory = 256>} {
  // CHECK-LABEL: tir.prim_func @fits
  // CHECK:         tir.alloc_buffer() : memref<64xf32, #target.memory<"local">>
  // SCF-LABEL:   func.func @fits
  // SCF:           memref.alloca() {{.*}} : memref<64xf32, #target.memory<"local">>
  // SCF:           memref.alloca() {{.*}} : memref<64xf32, #target.memory<"line">>
  tir.prim_func @fits(%x: memref<64xf32>) {
    %a = tir.alloc_buffer() : memref<64xf32, #target.memory<"local">>
    %b = tir.alloc_buffer() : memref<64xf32, #target.memory<"line">>
    tir.for %i = 0 to 1 {
      tir.block @first(%v0 = spatial %i in 1)
          reads(%x[0] : memref<64xf32>)
          writes(%b[0] : memref<64xf32, #target.memory<"line">>) {
        scalar.fetch %x to %b : memref<64xf32> to memref<64xf32, #target.memory<"line">>
      }
      tir.block @second(%v0 = spatial %i in 1)
          reads(%b[0] : memref<64xf32, #target.memory<"line">>)
          writes(%a[0] : memref<64xf32, #target.memory<"local">>) {
        scalar.fetch %b to %a : memref<64xf32, #target.memory<"line">> to memref<64xf32, #target.memory<"local">>
      }
    }
  }
}

// -----

module attributes {target.spec = #scalar.core<memory = 255>} {
  tir.prim_func @too_large() {
    // expected-error @below {{verify-tir-scheduled: expects buffers of at most 255 bytes in memory local, but got 256}}
    %a = tir.alloc_buffer() : memref<64xf32, #target.memory<"local">>
  }
}

// -----

module attributes {target.spec = #scalar.core<memory = 256>} {
  tir.prim_func @no_loads(%x: memref<64xf32>) {
    %a = tir.alloc_buffer() : memref<64xf32, #target.memory<"line">>
    tir.for %i = 0 to 64 {
      tir.block @copy(%v0 = spatial %i in 64)
          reads(%x[%v0] : memref<64xf32>)
          writes(%a[%v0] : memref<64xf32, #target.memory<"line">>) {
        %0 = affine.load %x[%v0] : memref<64xf32>
        // expected-error @below {{verify-tir-scheduled: expects instructions of scalar core with 256 bytes to access what is in memory line, but got affine.store}}
        affine.store %0, %a[%v0] : memref<64xf32, #target.memory<"line">>
      }
    }
  }
}

// -----

module attributes {target.spec = #scalar.core<memory = 256>} {
  tir.prim_func @no_threads(%x: memref<64xf32>) {
    // expected-error @below {{verify-tir-scheduled: expects a kind of loop that scalar core with 256 bytes has, but got parallel}}
    // expected-note @below {{this schedule was written for another target}}
    tir.for %i = 0 to 64 kind(parallel) {
    }
  }
}

// -----

module attributes {target.spec = #scalar.core<memory = 256>} {
  tir.prim_func @not_shared(%x: memref<4xf32>, %y: memref<4xf32>) {
    // expected-error @below {{verify-tir-scheduled: expects uses in one loop alone of a buffer of which each thread has its own}}
    %a = tir.alloc_buffer() : memref<4xf32, #target.memory<"register">>
    tir.for %i = 0 to 4 {
      tir.block @fill(%v0 = spatial %i in 4)
          reads(%x[%v0] : memref<4xf32>)
          writes(%a[%v0] : memref<4xf32, #target.memory<"register">>) {
        %0 = affine.load %x[%v0] : memref<4xf32>
        affine.store %0, %a[%v0] : memref<4xf32, #target.memory<"register">>
      }
    }
    // expected-note @below {{threads run this loop}}
    tir.for %i = 0 to 4 kind(parallel) {
      tir.block @use(%v0 = spatial %i in 4)
          reads(%a[%v0] : memref<4xf32, #target.memory<"register">>)
          writes(%y[%v0] : memref<4xf32>) {
        %0 = affine.load %a[%v0] : memref<4xf32, #target.memory<"register">>
        affine.store %0, %y[%v0] : memref<4xf32>
      }
    }
  }
}
