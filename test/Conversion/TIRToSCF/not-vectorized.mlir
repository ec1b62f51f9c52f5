// RUN: relay-opt %s --relay-attach-target=target=x86-64-v4 --convert-tir-to-scf --remarks-filter="tir-lowering" 2>&1 | FileCheck %s

// A vectorized loop whose iterations cannot run side by side says so.
// CHECK: vectorize{{.*}}vectorized loop runs serially: its iterations store to the same element
// CHECK-LABEL: func.func @last_value
// CHECK:         scf.for
// CHECK:           memref.store
tir.prim_func @last_value(%x: memref<8xf32>, %y: memref<1xf32>)
    attributes {tir.num_outputs = 1 : i64} {
  tir.for %i = 0 to 8 kind(vectorized) {
    tir.block @last(%v0 = opaque %i in 8)
        reads(%x[%v0] : memref<8xf32>) writes(%y[0] : memref<1xf32>) {
      %0 = affine.load %x[%v0] : memref<8xf32>
      affine.store %0, %y[0] : memref<1xf32>
    }
  }
}
