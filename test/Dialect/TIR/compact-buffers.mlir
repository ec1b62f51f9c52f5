// RUN: relay-opt %s --split-input-file --pass-pipeline='builtin.module(tir.prim_func(tir-compact-buffers))' | FileCheck %s
// RUN: relay-opt %s --split-input-file --pass-pipeline='builtin.module(tir.prim_func(tir-compact-buffers{max-local-bytes=16}))' | FileCheck %s --check-prefix=SMALL

// One row is enough, and each thread has its own. A row of a dynamic number of
// rows needs no dynamic buffer.
// CHECK-LABEL: tir.prim_func @row
// CHECK:       tir.for %[[I:.*]] = 0 to %{{.*}} kind(parallel) {
// CHECK-NEXT:    %[[T:.*]] = tir.alloc_buffer() : memref<1x8xf32, #target.memory<"local">>
// CHECK:         tir.block @exp(%[[V0:.*]] = spatial %[[I]] in %{{.*}}, %[[V1:.*]] = spatial %{{.*}} in 8, %[[V2:.*]] = opaque %[[I]] in %{{.*}})
// CHECK:           affine.store %{{.*}}, %[[T]][%[[V0]] - %[[V2]], %[[V1]]]
// CHECK:         tir.block @sum(
// CHECK:           affine.load %[[T]]
// SMALL-LABEL: tir.prim_func @row
// SMALL:       tir.alloc_buffer(%{{.*}}) : memref<?x8xf32>
// SMALL:       tir.for
tir.prim_func @row(%x: memref<?x8xf32>, %y: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = memref.dim %x, %c0 : memref<?x8xf32>
  %t = tir.alloc_buffer(%n) : memref<?x8xf32>
  tir.for %i = 0 to %n kind(parallel) {
    tir.for %j = 0 to 8 {
      tir.block @exp(%v0 = spatial %i in %n, %v1 = spatial %j in 8)
          reads(%x[%v0, %v1] : memref<?x8xf32>) writes(%t[%v0, %v1] : memref<?x8xf32>) {
        %0 = affine.load %x[%v0, %v1] : memref<?x8xf32>
        %1 = math.exp %0 : f32
        affine.store %1, %t[%v0, %v1] : memref<?x8xf32>
      }
    }
    tir.for %j = 0 to 8 {
      tir.block @sum(%v0 = spatial %i in %n, %v1 = reduce %j in 8)
          reads(%y[%v0] : memref<?xf32>, %t[%v0, %v1] : memref<?x8xf32>) writes(%y[%v0] : memref<?xf32>) {
        tir.init {
          affine.store %zero, %y[%v0] : memref<?xf32>
        }
        %0 = affine.load %y[%v0] : memref<?xf32>
        %1 = affine.load %t[%v0, %v1] : memref<?x8xf32>
        %2 = arith.addf %0, %1 : f32
        affine.store %2, %y[%v0] : memref<?xf32>
      }
    }
  }
}

// -----

// The next iteration reads what this one has written: the buffer stays.
// CHECK-LABEL: tir.prim_func @carried
// CHECK:       tir.alloc_buffer() : memref<9xf32>
// CHECK:       tir.for
tir.prim_func @carried(%x: memref<8xf32>, %y: memref<8xf32>) {
  %t = tir.alloc_buffer() : memref<9xf32>
  tir.for %i = 0 to 8 {
    tir.block @a(%v0 = spatial %i in 8) reads(%x[%v0] : memref<8xf32>) writes(%t[%v0 + 1] : memref<9xf32>) {
      %0 = affine.load %x[%v0] : memref<8xf32>
      affine.store %0, %t[%v0 + 1] : memref<9xf32>
    }
    tir.block @b(%v0 = spatial %i in 8) reads(%t[%v0] : memref<9xf32>) writes(%y[%v0] : memref<8xf32>) {
      %0 = affine.load %t[%v0] : memref<9xf32>
      affine.store %0, %y[%v0] : memref<8xf32>
    }
  }
}

// -----

// A sum that runs over the outer loop lives through all of it; the buffer would
// only be local to a loop inside.
// CHECK-LABEL: tir.prim_func @accumulated
// CHECK:       tir.alloc_buffer() : memref<8xf32>
// CHECK:       tir.for
tir.prim_func @accumulated(%x: memref<4x8xf32>, %y: memref<8xf32>) {
  %zero = arith.constant 0.0 : f32
  %t = tir.alloc_buffer() : memref<8xf32>
  tir.for %k = 0 to 4 {
    tir.for %i = 0 to 8 {
      tir.block @sum(%v0 = spatial %i in 8, %v1 = reduce %k in 4)
          reads(%t[%v0] : memref<8xf32>, %x[%v1, %v0] : memref<4x8xf32>) writes(%t[%v0] : memref<8xf32>) {
        tir.init {
          affine.store %zero, %t[%v0] : memref<8xf32>
        }
        %0 = affine.load %t[%v0] : memref<8xf32>
        %1 = affine.load %x[%v1, %v0] : memref<4x8xf32>
        %2 = arith.addf %0, %1 : f32
        affine.store %2, %t[%v0] : memref<8xf32>
      }
    }
  }
  tir.for %i = 0 to 8 {
    tir.block @copy(%v0 = spatial %i in 8) reads(%t[%v0] : memref<8xf32>) writes(%y[%v0] : memref<8xf32>) {
      %0 = affine.load %t[%v0] : memref<8xf32>
      affine.store %0, %y[%v0] : memref<8xf32>
    }
  }
}
