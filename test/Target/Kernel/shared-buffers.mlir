// RUN: relay-opt %s --tir-to-llvm=target=x86-64-v3 | FileCheck %s

// A loop on threads gets %t and %y from the array of arguments. To the code
// around it, which uses them as well, they are not the only names of their
// memory: otherwise the last loop would read what the first one wrote.
// CHECK-LABEL: llvm.func internal @between.body(
// CHECK-SAME:    %{{.*}}: !llvm.ptr {llvm.noalias, llvm.noundef}, %{{.*}}: !llvm.ptr {llvm.noundef}, %{{.*}}: !llvm.ptr {llvm.align = 64 : i64, llvm.noundef}
// CHECK-LABEL: llvm.func internal @between.par0.body(
// CHECK-SAME:    %{{.*}}: !llvm.ptr {llvm.noalias, llvm.noundef}, %{{.*}}: !llvm.ptr {llvm.noalias, llvm.noundef}, %{{.*}}: !llvm.ptr {llvm.align = 64 : i64, llvm.noalias, llvm.noundef}
tir.prim_func @between(%x: memref<64xf32>, %y: memref<64xf32>, %t: memref<64xf32> {tir.workspace})
    attributes {tir.num_outputs = 1 : i64, tir.workspaces = 1 : i64} {
  tir.for %i = 0 to 64 {
    tir.block @first(%v0 = spatial %i in 64) reads(%x[%v0] : memref<64xf32>)
        writes(%y[%v0] : memref<64xf32>, %t[%v0] : memref<64xf32>) {
      %0 = affine.load %x[%v0] : memref<64xf32>
      affine.store %0, %y[%v0] : memref<64xf32>
      affine.store %0, %t[%v0] : memref<64xf32>
    }
  }
  tir.for %i = 0 to 64 kind(parallel) {
    tir.block @second(%v0 = spatial %i in 64) reads(%x[%v0] : memref<64xf32>, %y[%v0] : memref<64xf32>)
        writes(%t[%v0] : memref<64xf32>) {
      %0 = affine.load %x[%v0] : memref<64xf32>
      %1 = affine.load %y[%v0] : memref<64xf32>
      %2 = arith.addf %0, %1 : f32
      affine.store %2, %t[%v0] : memref<64xf32>
    }
  }
  tir.for %i = 0 to 64 {
    tir.block @third(%v0 = spatial %i in 64) reads(%t[%v0] : memref<64xf32>) writes(%y[%v0] : memref<64xf32>) {
      %0 = affine.load %t[%v0] : memref<64xf32>
      affine.store %0, %y[%v0] : memref<64xf32>
    }
  }
}
