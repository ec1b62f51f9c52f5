// A kind of targets that a plugin adds (test/lib/ScalarTarget), with rules of its
// own; kernels for processors keep theirs.
// RUN: relay-opt --load-dialect-plugin=%relay_lib/ScalarTarget%shlibext %s --tir-schedule-rules | FileCheck %s
// RUN: relay-opt --load-dialect-plugin=%relay_lib/ScalarTarget%shlibext %s --tir-schedule | FileCheck %s --check-prefix=APPLIED
// RUN: relay-opt --load-dialect-plugin=%relay_lib/ScalarTarget%shlibext %s --tir-schedule --convert-tir-to-scf | FileCheck %s --check-prefix=SCF
// What is for processors says so.
// RUN: not relay-opt --load-dialect-plugin=%relay_lib/ScalarTarget%shlibext %s --tir-to-llvm 2>&1 | FileCheck %s --check-prefix=KIND
// RUN: not relay-opt %s --tir-schedule-rules 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// KIND: error: expects a target of kind cpu, but got scalar
// UNKNOWN: error: {{.*}}scalar

module attributes {target.spec = #scalar.core<memory = 256>} {
  // CHECK-LABEL:   named_sequence @double.schedule
  // CHECK:         [[BLOCK:%.*]] = transform.tir.get_block @double in
  // CHECK:         [[LOOPS:%.*]]:2 = transform.tir.get_loops [[BLOCK]]
  // CHECK:         transform.tir.fuse [[LOOPS]]#0, [[LOOPS]]#1
  // CHECK-NOT:     vectorize
  // CHECK:         transform.yield
  // APPLIED-LABEL: tir.prim_func @double
  // APPLIED:       tir.for %{{.*}} = 0 to 64 {
  // APPLIED-NOT:   tir.for
  // APPLIED:       tir.block @double
  tir.prim_func @double(%x: memref<8x8xf32>, %y: memref<8x8xf32>)
      attributes {tir.num_outputs = 1 : i64} {
    tir.for %i = 0 to 8 {
      tir.for %j = 0 to 8 {
        tir.block @double(%v0 = spatial %i in 8, %v1 = spatial %j in 8)
            reads(%x[%v0, %v1] : memref<8x8xf32>)
            writes(%y[%v0, %v1] : memref<8x8xf32>) {
          %0 = affine.load %x[%v0, %v1] : memref<8x8xf32>
          %1 = arith.addf %0, %0 : f32
          affine.store %1, %y[%v0, %v1] : memref<8x8xf32>
        }
      }
    }
  }

  // The input that fits is fetched, the other one is not.
  // CHECK-LABEL: named_sequence @product.schedule
  // CHECK:       transform.tir.cache_read {{.*}} "local"
  // CHECK-NOT:   cache_read
  // CHECK:       transform.tir.decompose_reduction
  // CHECK:       transform.tir.tensorize_with {{.*}} @dot_64_near_far, @dot_64_near_far.scalar
  // CHECK:       transform.tir.tensorize_with {{.*}} @fetch_64_f32, @fetch_64_f32.scalar
  // CHECK:       transform.yield
  // APPLIED-LABEL: tir.prim_func @product
  // APPLIED:       tir.alloc_buffer() : memref<64xf32, #target.memory<"local">>
  // APPLIED-NOT:   tir.for
  // APPLIED:       scalar.fetch %{{.*}} to %{{.*}} :
  // APPLIED:       tir.for
  // APPLIED:       tir.block @product_init
  // APPLIED:       scalar.dot %{{.*}}, %{{.*}} into %{{.*}} : {{.*}}#target.memory<"local">>, memref<64xf32, {{.*}} into
  // SCF-LABEL:   func.func @product
  // SCF:         %[[NEAR:.*]] = memref.alloca()
  // SCF:         scalar.fetch %{{.*}}#target.memory<"local">>
  // SCF:         scf.for
  // SCF-NOT:     vector
  // SCF-LABEL:   func.func @half
  // SCF:         vector
  tir.prim_func @product(%x: memref<64xf32>, %w: memref<64x64xf32>, %y: memref<64xf32>)
      attributes {tir.num_outputs = 1 : i64} {
    tir.for %i = 0 to 64 {
      tir.for %k = 0 to 64 {
        tir.block @product(%v0 = spatial %i in 64, %v1 = reduce %k in 64)
            reads(%x[%v1] : memref<64xf32>, %w[%v0, %v1] : memref<64x64xf32>, %y[%v0] : memref<64xf32>)
            writes(%y[%v0] : memref<64xf32>) {
          tir.init {
            %zero = arith.constant 0.0 : f32
            affine.store %zero, %y[%v0] : memref<64xf32>
          }
          %0 = affine.load %x[%v1] : memref<64xf32>
          %1 = affine.load %w[%v0, %v1] : memref<64x64xf32>
          %2 = arith.mulf %0, %1 : f32
          %3 = affine.load %y[%v0] : memref<64xf32>
          %4 = arith.addf %3, %2 : f32
          affine.store %4, %y[%v0] : memref<64xf32>
        }
      }
    }
  }

  // CHECK-LABEL: named_sequence @half.schedule
  // CHECK:       transform.tir.vectorize
  tir.prim_func @half(%x: memref<64xf32>, %y: memref<64xf32>)
      attributes {tir.num_outputs = 1 : i64,
                  target.spec = #target.cpu<"x86_64-unknown-linux-gnu", "znver3">} {
    tir.for %i = 0 to 64 {
      tir.block @half(%v0 = spatial %i in 64)
          reads(%x[%v0] : memref<64xf32>) writes(%y[%v0] : memref<64xf32>) {
        %half = arith.constant 0.5 : f32
        %0 = affine.load %x[%v0] : memref<64xf32>
        %1 = arith.mulf %0, %half : f32
        affine.store %1, %y[%v0] : memref<64xf32>
      }
    }
  }
}
