// RUN: relay-opt %s --split-input-file --pass-pipeline='builtin.module(tir.prim_func(tir-simplify))' | FileCheck %s

// Divisions resolve with the bounds of the loops, a guard that always holds goes,
// and so does a loop that runs once.
// CHECK-LABEL: tir.prim_func @bounds
// CHECK:       tir.for %[[I:.*]] = 0 to 4 {
// CHECK-NEXT:    tir.for %[[J:.*]] = 0 to 16 {
// CHECK-NEXT:      tir.block @b(%[[V0:.*]] = spatial %[[I]] in 4, %[[V1:.*]] = spatial %[[J]] in 16, %{{.*}} = spatial %{{.*}} in 1)
// CHECK-NEXT:          writes(%{{.*}}[%[[V0]], %[[V1]]] : memref<4x16xf32>)
tir.prim_func @bounds(%x: memref<4x16xf32>) {
  %c = arith.constant 1.0 : f32
  tir.for %i = 0 to 4 {
    tir.for %j = 0 to 16 {
      tir.for %k = 0 to 1 {
        %0 = affine.apply affine_map<(d0, d1) -> ((d0 * 16 + d1) floordiv 16)>(%i, %j)
        %1 = affine.apply affine_map<(d0, d1) -> ((d0 * 16 + d1) mod 16)>(%i, %j)
        tir.block @b(%v0 = spatial %0 in 4, %v1 = spatial %1 in 16, %v2 = spatial %k in 1)
            where affine_set<(d0, d1) : (63 - d0 * 16 - d1 >= 0)>(%i, %j)
            writes(%x[(%v0 * 16 + %v1) floordiv 16, %v1 mod 16] : memref<4x16xf32>) {
          affine.store %c, %x[(%v0 * 16 + %v1) floordiv 16, %v1 mod 16] : memref<4x16xf32>
        }
      }
    }
  }
}

// -----

// A dynamic size: the fused outer index is below it, the split one is not known to be.
// CHECK-DAG: #[[$IN:.*]] = affine_set<(d0)[s0] : (-d0 + s0 - 1 >= 0)>
// CHECK-LABEL: tir.prim_func @dynamic
// CHECK:       tir.block @fused(
// CHECK-NEXT:      writes
// CHECK:       tir.block @split(
// CHECK-NEXT:      where #[[$IN]]
tir.prim_func @dynamic(%x: memref<?x16xf32>) {
  %c0 = arith.constant 0 : index
  %c = arith.constant 1.0 : f32
  %n = memref.dim %x, %c0 : memref<?x16xf32>
  %m = affine.apply affine_map<()[s0] -> (s0 * 16)>()[%n]
  tir.for %i = 0 to %m {
    %0 = affine.apply affine_map<(d0) -> (d0 floordiv 16)>(%i)
    %1 = affine.apply affine_map<(d0) -> (d0 mod 16)>(%i)
    tir.block @fused(%v0 = spatial %0 in %n, %v1 = spatial %1 in 16)
        where affine_set<(d0)[s0] : (s0 - 1 - d0 floordiv 16 >= 0)>(%i)[%n]
        writes(%x[%v0, %v1] : memref<?x16xf32>) {
      affine.store %c, %x[%v0, %v1] : memref<?x16xf32>
    }
  }
  tir.for %i = 0 to %m {
    tir.block @split(%v0 = spatial %i in %n)
        where affine_set<(d0)[s0] : (s0 - 1 - d0 >= 0)>(%i)[%n]
        writes(%x[%v0, 0] : memref<?x16xf32>) {
      affine.store %c, %x[%v0, 0] : memref<?x16xf32>
    }
  }
}

// -----

// A nest that never runs goes, and the buffer that only it uses; not so the init of a
// reduction over nothing.
// CHECK-LABEL: tir.prim_func @never
// CHECK-NOT:     alloc_buffer
// CHECK-NOT:     @copy
// CHECK:         tir.block @sum
tir.prim_func @never(%x: memref<?x0xf32>, %y: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %n = memref.dim %x, %c0 : memref<?x0xf32>
  %m = arith.minsi %n, %c1 : index
  %b = tir.alloc_buffer(%m) : memref<?x0xf32>
  tir.for %i = 0 to %m {
    tir.for %j = 0 to 0 {
      tir.block @copy(%v0 = spatial %i in %m, %v1 = spatial %j in 0)
          reads(%x[%v0, %v1] : memref<?x0xf32>)
          writes(%b[%v0, %v1] : memref<?x0xf32>) {
        %0 = affine.load %x[%v0, %v1] : memref<?x0xf32>
        affine.store %0, %b[%v0, %v1] : memref<?x0xf32>
      }
    }
  }
  tir.for %i = 0 to %n {
    tir.for %k = 0 to 0 {
      tir.block @sum(%v0 = spatial %i in %n, %v1 = reduce %k in 0)
          reads(%y[%v0] : memref<?xf32>, %x[%v0, %v1] : memref<?x0xf32>)
          writes(%y[%v0] : memref<?xf32>) {
        tir.init {
          affine.store %zero, %y[%v0] : memref<?xf32>
        }
        %0 = affine.load %y[%v0] : memref<?xf32>
        %1 = affine.load %x[%v0, %v1] : memref<?x0xf32>
        %2 = arith.addf %0, %1 : f32
        affine.store %2, %y[%v0] : memref<?xf32>
      }
    }
  }
}
