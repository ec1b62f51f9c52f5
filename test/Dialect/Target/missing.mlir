// Passes that depend on the target do not guess one.
// RUN: relay-opt %s --tir-schedule-rules --verify-diagnostics
// RUN: relay-opt %s --convert-tir-to-scf --verify-diagnostics
// RUN: relay-opt %s --relay-attach-target=target=x86-64-v3 --tir-schedule-rules -o /dev/null

// expected-error @+2 {{expects a target, but got none}}
// expected-note @+1 {{--relay-attach-target gives the module one}}
tir.prim_func @k(%x: memref<4xf32>, %y: memref<4xf32>)
    attributes {tir.num_outputs = 1 : i64} {
  tir.for %i = 0 to 4 {
    tir.block @copy(%v = spatial %i in 4)
        reads(%x[%v] : memref<4xf32>) writes(%y[%v] : memref<4xf32>) {
      %0 = affine.load %x[%v] : memref<4xf32>
      affine.store %0, %y[%v] : memref<4xf32>
    }
  }
}
