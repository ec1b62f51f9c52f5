// RUN: relay-opt %s --split-input-file --tir-schedule-rules | FileCheck %s
// RUN: relay-opt %s --split-input-file --tir-schedule-rules --tir-apply-schedules | FileCheck %s --check-prefix=APPLIED

// All steps of a softmax for one row, before the next row.
// CHECK-LABEL: transform.named_sequence @softmax.schedule
// CHECK-NEXT: %[[SOFTMAX_SCALE:.*]] = transform.tir.get_block @softmax_scale in %{{.*}}
// CHECK-NEXT: transform.tir.compute_inline %[[SOFTMAX_SCALE]]
// CHECK-NEXT: %[[SOFTMAX_SUM:.*]] = transform.tir.get_block @softmax_sum in %{{.*}}
// CHECK-NEXT: %[[SOFTMAX:.*]] = transform.tir.get_block @softmax in %{{.*}}
// CHECK-NEXT: %[[LOOPS:.*]]:2 = transform.tir.get_loops %[[SOFTMAX]]
// CHECK-NEXT: transform.tir.compute_at %[[SOFTMAX_SUM]], %[[LOOPS]]#0
// CHECK-NEXT: %[[SOFTMAX_EXP:.*]] = transform.tir.get_block @softmax_exp in %{{.*}}
// CHECK-NEXT: %[[LOOPS_1:.*]]:2 = transform.tir.get_loops %[[SOFTMAX_SUM]]
// CHECK-NEXT: transform.tir.compute_at %[[SOFTMAX_EXP]], %[[LOOPS_1]]#0
// CHECK-NEXT: %[[SOFTMAX_MAX:.*]] = transform.tir.get_block @softmax_max in %{{.*}}
// CHECK-NEXT: %[[LOOPS_2:.*]]:2 = transform.tir.get_loops %[[SOFTMAX_EXP]]
// CHECK-NEXT: transform.tir.compute_at %[[SOFTMAX_MAX]], %[[LOOPS_2]]#0
// CHECK-NEXT: %[[LOOPS_3:.*]]:2 = transform.tir.get_loops %[[SOFTMAX_EXP]]
// CHECK-NEXT: transform.tir.vectorize %[[LOOPS_3]]#1
// CHECK-NEXT: %[[LOOPS_4:.*]]:2 = transform.tir.get_loops %[[SOFTMAX]]
// CHECK-NEXT: transform.tir.vectorize %[[LOOPS_4]]#1
// CHECK-NEXT: %[[LOOPS_5:.*]]:2 = transform.tir.get_loops %[[SOFTMAX_MAX]]
// CHECK-NEXT: transform.tir.parallel %[[LOOPS_5]]#0
// CHECK-NEXT: transform.tir.compact_buffers %{{.*}} {max_local_bytes = 65536 : i64}
// CHECK-NEXT: %[[TILE:.*]] = transform.tir.tensorize %[[LOOPS_5]]#1, "row_reduction" {vector_bits = 256 : i64}
// CHECK-NEXT: %[[LOOPS_6:.*]]:2 = transform.tir.get_loops %[[SOFTMAX_SUM]]
// CHECK-NEXT: %[[TILE_1:.*]] = transform.tir.tensorize %[[LOOPS_6]]#1, "row_reduction" {vector_bits = 256 : i64}
// CHECK-NEXT: transform.tir.simplify %{{.*}}
// CHECK-NEXT: transform.yield
// APPLIED-LABEL: tir.prim_func {{.*}}@softmax
// APPLIED: tir.for %{{.*}} kind(parallel) {
// APPLIED: tir.alloc_buffer() : memref<{{.*}}, #target.memory<"local">>
// APPLIED: vector.reduction
// APPLIED: math.exp
// APPLIED: vector.reduction <add>
// APPLIED: kind(vectorized)
// APPLIED-NOT: kind(parallel)
module attributes {target.spec = #target.cpu<"x86_64-unknown-linux-gnu", "x86-64-v3">} {
  tir.prim_func @softmax(%x: memref<1536x128xf32>, %out: memref<1536x128xf32>) attributes {tir.num_outputs = 1 : i64} {
    %cst = arith.constant 0xFF800000 : f32
    %0 = tir.alloc_buffer() : memref<1536x1xf32>
    tir.for %i0 = 0 to 1536 {
      tir.for %i1 = 0 to 128 {
        tir.block @softmax_max(%v0 = spatial %i0 in 1536, %v1 = reduce %i1 in 128)
            reads(%x[%v0, %v1] : memref<1536x128xf32>, %0[%v0, 0] : memref<1536x1xf32>)
            writes(%0[%v0, 0] : memref<1536x1xf32>) {
          tir.init {
            affine.store %cst, %0[%v0, 0] : memref<1536x1xf32>
          }
          %4 = affine.load %x[%v0, %v1] : memref<1536x128xf32>
          %5 = affine.load %0[%v0, 0] : memref<1536x1xf32>
          %6 = arith.maxnumf %5, %4 : f32
          affine.store %6, %0[%v0, 0] : memref<1536x1xf32>
        }
      }
    }
    %1 = tir.alloc_buffer() : memref<1536x128xf32>
    tir.for %i0 = 0 to 1536 {
      tir.for %i1 = 0 to 128 {
        tir.block @softmax_exp(%v0 = spatial %i0 in 1536, %v1 = spatial %i1 in 128)
            reads(%x[%v0, %v1] : memref<1536x128xf32>, %0[%v0, 0] : memref<1536x1xf32>)
            writes(%1[%v0, %v1] : memref<1536x128xf32>) {
          %4 = affine.load %x[%v0, %v1] : memref<1536x128xf32>
          %5 = affine.load %0[%v0, 0] : memref<1536x1xf32>
          %6 = arith.subf %4, %5 : f32
          %7 = math.exp %6 fastmath<afn> : f32
          affine.store %7, %1[%v0, %v1] : memref<1536x128xf32>
        }
      }
    }
    %cst_0 = arith.constant 0.000000e+00 : f32
    %2 = tir.alloc_buffer() : memref<1536x1xf32>
    tir.for %i0 = 0 to 1536 {
      tir.for %i1 = 0 to 128 {
        tir.block @softmax_sum(%v0 = spatial %i0 in 1536, %v1 = reduce %i1 in 128)
            reads(%1[%v0, %v1] : memref<1536x128xf32>, %2[%v0, 0] : memref<1536x1xf32>)
            writes(%2[%v0, 0] : memref<1536x1xf32>) {
          tir.init {
            affine.store %cst_0, %2[%v0, 0] : memref<1536x1xf32>
          }
          %4 = affine.load %1[%v0, %v1] : memref<1536x128xf32>
          %5 = affine.load %2[%v0, 0] : memref<1536x1xf32>
          %6 = arith.addf %5, %4 : f32
          affine.store %6, %2[%v0, 0] : memref<1536x1xf32>
        }
      }
    }
    %3 = tir.alloc_buffer() : memref<1536x1xf32>
    tir.for %i0 = 0 to 1536 {
      tir.for %i1 = 0 to 1 {
        tir.block @softmax_scale(%v0 = spatial %i0 in 1536, %v1 = spatial %i1 in 1)
            reads(%2[%v0, 0] : memref<1536x1xf32>)
            writes(%3[%v0, 0] : memref<1536x1xf32>) {
          %4 = affine.load %2[%v0, 0] : memref<1536x1xf32>
          %cst_1 = arith.constant 1.000000e+00 : f32
          %5 = arith.divf %cst_1, %4 : f32
          affine.store %5, %3[%v0, 0] : memref<1536x1xf32>
        }
      }
    }
    tir.for %i0 = 0 to 1536 {
      tir.for %i1 = 0 to 128 {
        tir.block @softmax(%v0 = spatial %i0 in 1536, %v1 = spatial %i1 in 128)
            reads(%1[%v0, %v1] : memref<1536x128xf32>, %3[%v0, 0] : memref<1536x1xf32>)
            writes(%out[%v0, %v1] : memref<1536x128xf32>) {
          %4 = affine.load %1[%v0, %v1] : memref<1536x128xf32>
          %5 = affine.load %3[%v0, 0] : memref<1536x1xf32>
          %6 = arith.mulf %4, %5 : f32
          affine.store %6, %out[%v0, %v1] : memref<1536x128xf32>
        }
      }
    }
  }
}

// -----

// A look at the indices comes first, and is no step of the rows.
// APPLIED-LABEL: tir.prim_func {{.*}}@softmax_of_taken
// APPLIED: tir.block @take_check()
// APPLIED: cf.assert
// APPLIED: tir.for %{{.*}} kind(parallel) {
// APPLIED: tir.alloc_buffer() : memref<{{.*}}, #target.memory<"local">>
// APPLIED: memref.load
// APPLIED: vector.reduction
// APPLIED: math.exp
// APPLIED: vector.reduction <add>
// APPLIED-NOT: kind(parallel)
module attributes {target.spec = #target.cpu<"x86_64-unknown-linux-gnu", "x86-64-v3">} {
  tir.prim_func @softmax_of_taken(%table: memref<512x128xf32>, %i: memref<1536xi64>, %out: memref<1536x128xf32>) attributes {tir.num_outputs = 1 : i64} {
    tir.block @take_check()
        reads(%i : memref<1536xi64>) attributes {tir.independent} {
      %c512 = arith.constant 512 : index
      %c1536 = arith.constant 1536 : index
      %true = arith.constant true
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %5 = scf.for %arg3 = %c0 to %c1536 step %c1 iter_args(%arg4 = %true) -> (i1) {
        %6 = memref.load %i[%arg3] : memref<1536xi64>
        %7 = arith.index_cast %6 : i64 to index
        %8 = arith.addi %7, %c512 : index
        %9 = arith.addi %c512, %c512 : index
        %10 = arith.cmpi ult, %8, %9 : index
        %11 = arith.andi %arg4, %10 : i1
        scf.yield %11 : i1
      }
      cf.assert %5, "expects indices within the data"
    }
    %0 = tir.alloc_buffer() : memref<1536x128xf32>
    tir.for %i0 = 0 to 1536 {
      tir.for %i1 = 0 to 128 {
        tir.block @take(%v0 = spatial %i0 in 1536, %v1 = spatial %i1 in 128)
            reads(%i[%v0] : memref<1536xi64>, %table : memref<512x128xf32>)
            writes(%0[%v0, %v1] : memref<1536x128xf32>) {
          %5 = affine.load %i[%v0] : memref<1536xi64>
          %6 = arith.index_cast %5 : i64 to index
          %c0 = arith.constant 0 : index
          %7 = arith.cmpi slt, %6, %c0 : index
          %c512 = arith.constant 512 : index
          %8 = arith.addi %6, %c512 : index
          %9 = arith.select %7, %8, %6 : index
          %c1 = arith.constant 1 : index
          %10 = arith.subi %c512, %c1 : index
          %11 = arith.minsi %9, %10 : index
          %12 = arith.maxsi %11, %c0 : index
          %13 = memref.load %table[%12, %v1] : memref<512x128xf32>
          affine.store %13, %0[%v0, %v1] : memref<1536x128xf32>
        }
      }
    }
    %cst = arith.constant 0xFF800000 : f32
    %1 = tir.alloc_buffer() : memref<1536x1xf32>
    tir.for %i0 = 0 to 1536 {
      tir.for %i1 = 0 to 128 {
        tir.block @softmax_max(%v0 = spatial %i0 in 1536, %v1 = reduce %i1 in 128)
            reads(%0[%v0, %v1] : memref<1536x128xf32>, %1[%v0, 0] : memref<1536x1xf32>)
            writes(%1[%v0, 0] : memref<1536x1xf32>) {
          tir.init {
            affine.store %cst, %1[%v0, 0] : memref<1536x1xf32>
          }
          %5 = affine.load %0[%v0, %v1] : memref<1536x128xf32>
          %6 = affine.load %1[%v0, 0] : memref<1536x1xf32>
          %7 = arith.maxnumf %6, %5 : f32
          affine.store %7, %1[%v0, 0] : memref<1536x1xf32>
        }
      }
    }
    %2 = tir.alloc_buffer() : memref<1536x128xf32>
    tir.for %i0 = 0 to 1536 {
      tir.for %i1 = 0 to 128 {
        tir.block @softmax_exp(%v0 = spatial %i0 in 1536, %v1 = spatial %i1 in 128)
            reads(%0[%v0, %v1] : memref<1536x128xf32>, %1[%v0, 0] : memref<1536x1xf32>)
            writes(%2[%v0, %v1] : memref<1536x128xf32>) {
          %5 = affine.load %0[%v0, %v1] : memref<1536x128xf32>
          %6 = affine.load %1[%v0, 0] : memref<1536x1xf32>
          %7 = arith.subf %5, %6 : f32
          %8 = math.exp %7 fastmath<afn> : f32
          affine.store %8, %2[%v0, %v1] : memref<1536x128xf32>
        }
      }
    }
    %cst_0 = arith.constant 0.000000e+00 : f32
    %3 = tir.alloc_buffer() : memref<1536x1xf32>
    tir.for %i0 = 0 to 1536 {
      tir.for %i1 = 0 to 128 {
        tir.block @softmax_sum(%v0 = spatial %i0 in 1536, %v1 = reduce %i1 in 128)
            reads(%2[%v0, %v1] : memref<1536x128xf32>, %3[%v0, 0] : memref<1536x1xf32>)
            writes(%3[%v0, 0] : memref<1536x1xf32>) {
          tir.init {
            affine.store %cst_0, %3[%v0, 0] : memref<1536x1xf32>
          }
          %5 = affine.load %2[%v0, %v1] : memref<1536x128xf32>
          %6 = affine.load %3[%v0, 0] : memref<1536x1xf32>
          %7 = arith.addf %6, %5 : f32
          affine.store %7, %3[%v0, 0] : memref<1536x1xf32>
        }
      }
    }
    %4 = tir.alloc_buffer() : memref<1536x1xf32>
    tir.for %i0 = 0 to 1536 {
      tir.for %i1 = 0 to 1 {
        tir.block @softmax_scale(%v0 = spatial %i0 in 1536, %v1 = spatial %i1 in 1)
            reads(%3[%v0, 0] : memref<1536x1xf32>)
            writes(%4[%v0, 0] : memref<1536x1xf32>) {
          %5 = affine.load %3[%v0, 0] : memref<1536x1xf32>
          %cst_1 = arith.constant 1.000000e+00 : f32
          %6 = arith.divf %cst_1, %5 : f32
          affine.store %6, %4[%v0, 0] : memref<1536x1xf32>
        }
      }
    }
    tir.for %i0 = 0 to 1536 {
      tir.for %i1 = 0 to 128 {
        tir.block @softmax(%v0 = spatial %i0 in 1536, %v1 = spatial %i1 in 128)
            reads(%2[%v0, %v1] : memref<1536x128xf32>, %4[%v0, 0] : memref<1536x1xf32>)
            writes(%out[%v0, %v1] : memref<1536x128xf32>) {
          %5 = affine.load %2[%v0, %v1] : memref<1536x128xf32>
          %6 = affine.load %4[%v0, 0] : memref<1536x1xf32>
          %7 = arith.mulf %5, %6 : f32
          affine.store %7, %out[%v0, %v1] : memref<1536x128xf32>
        }
      }
    }
  }
}
