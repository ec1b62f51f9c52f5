// RUN: relay-opt %s | relay-opt | FileCheck %s
// RUN: relay-opt %s --mlir-print-op-generic | relay-opt | FileCheck %s
// RUN: relay-opt %s --emit-bytecode | relay-opt | FileCheck %s

// Every part of the custom assembly survives a round trip.
// CHECK-LABEL: tir.prim_func @row_sum
// CHECK-SAME:    (%[[X:.*]]: memref<?x64xf32>, %[[Y:.*]]: memref<?xf32>)
// CHECK-SAME:    attributes {tir.num_outputs = 1 : i64}
tir.prim_func @row_sum(%x: memref<?x64xf32>, %y: memref<?xf32>)
    attributes {tir.num_outputs = 1 : i64} {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  // CHECK: %[[N:.*]] = memref.dim
  %n = memref.dim %x, %c0 : memref<?x64xf32>
  // CHECK: %[[T:.*]] = tir.alloc_buffer(%[[N]]) : memref<?xf32>
  %t = tir.alloc_buffer(%n) : memref<?xf32>
  // CHECK: tir.for %[[I:.*]] = 0 to %[[N]] kind(parallel) {
  tir.for %i = 0 to %n kind(parallel) {
    // CHECK: tir.for %[[K:.*]] = 0 to 64 {
    tir.for %k = 0 to 64 {
      // CHECK: tir.block @sum(%[[V0:.*]] = spatial %[[I]] in %[[N]], %[[V1:.*]] = reduce %[[K]] in 64)
      // CHECK-NEXT: where #{{.*}}(%[[I]])[%[[N]]]
      // CHECK-NEXT: reads(%[[X]][%[[V0]], %[[V1]]] : memref<?x64xf32>, %[[T]][%[[V0]]] : memref<?xf32>)
      // CHECK-NEXT: writes(%[[T]][%[[V0]]] : memref<?xf32>)
      // CHECK-SAME: attributes {tir.note = "kept"} {
      tir.block @sum(%v0 = spatial %i in %n, %v1 = reduce %k in 64)
          where affine_set<(d0)[s0] : (s0 - d0 - 1 >= 0)>(%i)[%n]
          reads(%x[%v0, %v1] : memref<?x64xf32>, %t[%v0] : memref<?xf32>)
          writes(%t[%v0] : memref<?xf32>)
          attributes {tir.note = "kept"} {
        // CHECK-NEXT: tir.init {
        // CHECK-NEXT:   affine.store
        // CHECK-NEXT: }
        tir.init {
          affine.store %zero, %t[%v0] : memref<?xf32>
        }
        %0 = affine.load %x[%v0, %v1] : memref<?x64xf32>
        %1 = affine.load %t[%v0] : memref<?xf32>
        %2 = arith.addf %1, %0 : f32
        affine.store %2, %t[%v0] : memref<?xf32>
      }
    }
  }
  // Index expressions of dynamic sizes and whole-buffer regions.
  // CHECK: tir.for %{{.*}} = 0 to %[[N]] {
  tir.for %i = 0 to %n {
    // CHECK: tir.block @reverse
    // CHECK-NEXT: reads(%[[T]] : memref<?xf32>)
    tir.block @reverse(%v0 = spatial %i in %n)
        reads(%t : memref<?xf32>) writes(%y[%v0] : memref<?xf32>) {
      %0 = affine.load %t[symbol(%n) - %v0 - 1] : memref<?xf32>
      affine.store %0, %y[%v0] : memref<?xf32>
    }
  }
}

// CHECK-LABEL: tir.prim_func private @kinds
tir.prim_func private @kinds(%x: memref<f32>) {
  // CHECK: tir.for %{{.*}} = 0 to 4 kind(vectorized)
  tir.for %i = 0 to 4 kind(vectorized) {
  }
  // CHECK: tir.for %{{.*}} = 2 to 4 kind(unrolled) attributes {tir.pragma = 1 : i64}
  tir.for %i = 2 to 4 kind(unrolled) attributes {tir.pragma = 1 : i64} {
  }
  // CHECK: tir.for %{{.*}} = 0 to 32 kind(thread_binding "threadIdx.x")
  tir.for %i = 0 to 32 kind(thread_binding "threadIdx.x") {
    // CHECK: tir.alloc_buffer() : memref<8xf32, #target.memory<"local">>
    %t = tir.alloc_buffer() : memref<8xf32, #target.memory<"local">>
    %c = arith.constant 1.0 : f32
    // CHECK: tir.block @point()
    // CHECK-NEXT: writes(%{{.*}} : memref<f32>) {
    tir.block @point() writes(%x : memref<f32>) {
      affine.store %c, %x[] : memref<f32>
    }
  }
}
