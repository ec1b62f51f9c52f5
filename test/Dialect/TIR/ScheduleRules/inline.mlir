// RUN: relay-opt %s --split-input-file --tir-schedule-rules | FileCheck %s
// RUN: relay-opt %s --split-input-file --tir-schedule-rules --tir-apply-schedules | FileCheck %s --check-prefix=APPLIED

// Elementwise producers become part of their consumers.
// CHECK-LABEL: transform.named_sequence @chain.schedule
// CHECK-NEXT: %[[MULTIPLY:.*]] = transform.tir.get_block @multiply in %{{.*}}
// CHECK-NEXT: transform.tir.compute_inline %[[MULTIPLY]]
// CHECK-NEXT: %[[RELU:.*]] = transform.tir.get_block @relu in %{{.*}}
// CHECK-NEXT: %[[LOOPS:.*]]:2 = transform.tir.get_loops %[[RELU]]
// CHECK-NEXT: transform.tir.vectorize %[[LOOPS]]#1
// CHECK-NEXT: transform.tir.compact_buffers %{{.*}} {max_local_bytes = 65536 : i64}
// CHECK-NEXT: transform.tir.simplify %{{.*}}
// CHECK-NEXT: transform.yield
// APPLIED-LABEL: tir.prim_func {{.*}}@chain
// APPLIED-NOT: tir.alloc_buffer
// APPLIED: tir.block @relu
// APPLIED-NOT: tir.block
module attributes {target.spec = #target.cpu<"x86_64-unknown-linux-gnu", "x86-64-v3">} {
  tir.prim_func @chain(%x: memref<8x512xf32>, %y: memref<512xf32>, %out: memref<8x512xf32>) attributes {tir.num_outputs = 1 : i64} {
    %0 = tir.alloc_buffer() : memref<8x512xf32>
    tir.for %i0 = 0 to 8 {
      tir.for %i1 = 0 to 512 {
        tir.block @multiply(%v0 = spatial %i0 in 8, %v1 = spatial %i1 in 512)
            reads(%x[%v0, %v1] : memref<8x512xf32>, %y[%v1] : memref<512xf32>)
            writes(%0[%v0, %v1] : memref<8x512xf32>) {
          %1 = affine.load %x[%v0, %v1] : memref<8x512xf32>
          %2 = affine.load %y[%v1] : memref<512xf32>
          %3 = arith.mulf %1, %2 : f32
          affine.store %3, %0[%v0, %v1] : memref<8x512xf32>
        }
      }
    }
    tir.for %i0 = 0 to 8 {
      tir.for %i1 = 0 to 512 {
        tir.block @relu(%v0 = spatial %i0 in 8, %v1 = spatial %i1 in 512)
            reads(%0[%v0, %v1] : memref<8x512xf32>)
            writes(%out[%v0, %v1] : memref<8x512xf32>) {
          %1 = affine.load %0[%v0, %v1] : memref<8x512xf32>
          %cst = arith.constant 0.000000e+00 : f32
          %2 = arith.cmpf olt, %1, %cst : f32
          %3 = arith.select %2, %cst, %1 : f32
          affine.store %3, %out[%v0, %v1] : memref<8x512xf32>
        }
      }
    }
  }
}

// -----

// What is used twice is computed once, in one loop.
// APPLIED-LABEL: tir.prim_func {{.*}}@gates
// APPLIED-NOT:   tir.alloc_buffer
// APPLIED:       tir.block
// APPLIED-COUNT-3: math.exp
// APPLIED-NOT:   math.exp
// APPLIED-NOT:   tir.block
module attributes {target.spec = #target.cpu<"x86_64-unknown-linux-gnu", "x86-64-v3">} {
  tir.prim_func @gates(%x: memref<64xf32>, %out: memref<64xf32>) attributes {tir.num_outputs = 1 : i64} {
    %0 = tir.alloc_buffer() : memref<64xf32>
    tir.for %i0 = 0 to 64 {
      tir.block @sigmoid(%v0 = spatial %i0 in 64)
          reads(%x[%v0] : memref<64xf32>)
          writes(%0[%v0] : memref<64xf32>) {
        %5 = affine.load %x[%v0] : memref<64xf32>
        %6 = arith.negf %5 : f32
        %7 = math.exp %6 fastmath<afn> : f32
        %cst = arith.constant 1.000000e+00 : f32
        %8 = arith.addf %cst, %7 : f32
        %9 = arith.divf %cst, %8 : f32
        affine.store %9, %0[%v0] : memref<64xf32>
      }
    }
    %1 = tir.alloc_buffer() : memref<64xf32>
    tir.for %i0 = 0 to 64 {
      tir.block @multiply(%v0 = spatial %i0 in 64)
          reads(%x[%v0] : memref<64xf32>, %0[%v0] : memref<64xf32>)
          writes(%1[%v0] : memref<64xf32>) {
        %5 = affine.load %x[%v0] : memref<64xf32>
        %6 = affine.load %0[%v0] : memref<64xf32>
        %7 = arith.mulf %5, %6 : f32
        affine.store %7, %1[%v0] : memref<64xf32>
      }
    }
    %2 = tir.alloc_buffer() : memref<64xf32>
    tir.for %i0 = 0 to 64 {
      tir.block @sigmoid_1(%v0 = spatial %i0 in 64)
          reads(%1[%v0] : memref<64xf32>)
          writes(%2[%v0] : memref<64xf32>) {
        %5 = affine.load %1[%v0] : memref<64xf32>
        %6 = arith.negf %5 : f32
        %7 = math.exp %6 fastmath<afn> : f32
        %cst = arith.constant 1.000000e+00 : f32
        %8 = arith.addf %cst, %7 : f32
        %9 = arith.divf %cst, %8 : f32
        affine.store %9, %2[%v0] : memref<64xf32>
      }
    }
    %3 = tir.alloc_buffer() : memref<64xf32>
    tir.for %i0 = 0 to 64 {
      tir.block @multiply_1(%v0 = spatial %i0 in 64)
          reads(%1[%v0] : memref<64xf32>, %2[%v0] : memref<64xf32>)
          writes(%3[%v0] : memref<64xf32>) {
        %5 = affine.load %1[%v0] : memref<64xf32>
        %6 = affine.load %2[%v0] : memref<64xf32>
        %7 = arith.mulf %5, %6 : f32
        affine.store %7, %3[%v0] : memref<64xf32>
      }
    }
    %4 = tir.alloc_buffer() : memref<64xf32>
    tir.for %i0 = 0 to 64 {
      tir.block @sigmoid_2(%v0 = spatial %i0 in 64)
          reads(%3[%v0] : memref<64xf32>)
          writes(%4[%v0] : memref<64xf32>) {
        %5 = affine.load %3[%v0] : memref<64xf32>
        %6 = arith.negf %5 : f32
        %7 = math.exp %6 fastmath<afn> : f32
        %cst = arith.constant 1.000000e+00 : f32
        %8 = arith.addf %cst, %7 : f32
        %9 = arith.divf %cst, %8 : f32
        affine.store %9, %4[%v0] : memref<64xf32>
      }
    }
    tir.for %i0 = 0 to 64 {
      tir.block @multiply_2(%v0 = spatial %i0 in 64)
          reads(%3[%v0] : memref<64xf32>, %4[%v0] : memref<64xf32>)
          writes(%out[%v0] : memref<64xf32>) {
        %5 = affine.load %3[%v0] : memref<64xf32>
        %6 = affine.load %4[%v0] : memref<64xf32>
        %7 = arith.mulf %5, %6 : f32
        affine.store %7, %out[%v0] : memref<64xf32>
      }
    }
  }
}

// -----

// Two elements of a costly value that fits in the cache are loaded.
// APPLIED-LABEL: tir.prim_func {{.*}}@two_places
// APPLIED:       tir.block @tanh
// APPLIED:         math.tanh
// APPLIED:       tir.block @add
// APPLIED-NOT:     math.tanh
module attributes {target.spec = #target.cpu<"x86_64-unknown-linux-gnu", "x86-64-v3">} {
  tir.prim_func @two_places(%x: memref<64x64xf32>, %out: memref<64x64xf32>) attributes {tir.num_outputs = 1 : i64} {
    %0 = tir.alloc_buffer() : memref<64x64xf32>
    tir.for %i0 = 0 to 64 {
      tir.for %i1 = 0 to 64 {
        tir.block @tanh(%v0 = spatial %i0 in 64, %v1 = spatial %i1 in 64)
            reads(%x[%v0, %v1] : memref<64x64xf32>)
            writes(%0[%v0, %v1] : memref<64x64xf32>) {
          %2 = affine.load %x[%v0, %v1] : memref<64x64xf32>
          %3 = math.tanh %2 : f32
          affine.store %3, %0[%v0, %v1] : memref<64x64xf32>
        }
      }
    }
    %1 = tir.alloc_buffer() : memref<64x64xf32>
    tir.for %i0 = 0 to 64 {
      tir.for %i1 = 0 to 64 {
        tir.block @transpose(%v0 = spatial %i0 in 64, %v1 = spatial %i1 in 64)
            reads(%0[%v1, %v0] : memref<64x64xf32>)
            writes(%1[%v0, %v1] : memref<64x64xf32>) {
          %2 = affine.load %0[%v1, %v0] : memref<64x64xf32>
          affine.store %2, %1[%v0, %v1] : memref<64x64xf32>
        }
      }
    }
    tir.for %i0 = 0 to 64 {
      tir.for %i1 = 0 to 64 {
        tir.block @add(%v0 = spatial %i0 in 64, %v1 = spatial %i1 in 64)
            reads(%0[%v0, %v1] : memref<64x64xf32>, %1[%v0, %v1] : memref<64x64xf32>)
            writes(%out[%v0, %v1] : memref<64x64xf32>) {
          %2 = affine.load %0[%v0, %v1] : memref<64x64xf32>
          %3 = affine.load %1[%v0, %v1] : memref<64x64xf32>
          %4 = arith.addf %2, %3 : f32
          affine.store %4, %out[%v0, %v1] : memref<64x64xf32>
        }
      }
    }
  }
}

// -----

// If it does not fit, computing it twice takes less.
// APPLIED-LABEL: tir.prim_func {{.*}}@two_places_of_many
// APPLIED-NOT:   tir.alloc_buffer
// APPLIED-COUNT-2: math.tanh
module attributes {target.spec = #target.cpu<"x86_64-unknown-linux-gnu", "x86-64-v3">} {
  tir.prim_func @two_places_of_many(%x: memref<4096x4096xf32>, %out: memref<4096x4096xf32>) attributes {tir.num_outputs = 1 : i64} {
    %0 = tir.alloc_buffer() : memref<4096x4096xf32>
    tir.for %i0 = 0 to 4096 {
      tir.for %i1 = 0 to 4096 {
        tir.block @tanh(%v0 = spatial %i0 in 4096, %v1 = spatial %i1 in 4096)
            reads(%x[%v0, %v1] : memref<4096x4096xf32>)
            writes(%0[%v0, %v1] : memref<4096x4096xf32>) {
          %2 = affine.load %x[%v0, %v1] : memref<4096x4096xf32>
          %3 = math.tanh %2 : f32
          affine.store %3, %0[%v0, %v1] : memref<4096x4096xf32>
        }
      }
    }
    %1 = tir.alloc_buffer() : memref<4096x4096xf32>
    tir.for %i0 = 0 to 4096 {
      tir.for %i1 = 0 to 4096 {
        tir.block @transpose(%v0 = spatial %i0 in 4096, %v1 = spatial %i1 in 4096)
            reads(%0[%v1, %v0] : memref<4096x4096xf32>)
            writes(%1[%v0, %v1] : memref<4096x4096xf32>) {
          %2 = affine.load %0[%v1, %v0] : memref<4096x4096xf32>
          affine.store %2, %1[%v0, %v1] : memref<4096x4096xf32>
        }
      }
    }
    tir.for %i0 = 0 to 4096 {
      tir.for %i1 = 0 to 4096 {
        tir.block @add(%v0 = spatial %i0 in 4096, %v1 = spatial %i1 in 4096)
            reads(%0[%v0, %v1] : memref<4096x4096xf32>, %1[%v0, %v1] : memref<4096x4096xf32>)
            writes(%out[%v0, %v1] : memref<4096x4096xf32>) {
          %2 = affine.load %0[%v0, %v1] : memref<4096x4096xf32>
          %3 = affine.load %1[%v0, %v1] : memref<4096x4096xf32>
          %4 = arith.addf %2, %3 : f32
          affine.store %4, %out[%v0, %v1] : memref<4096x4096xf32>
        }
      }
    }
  }
}

// -----

// The parts of what is split are read at a place each: nothing is computed
// twice, nothing stored.
// APPLIED-LABEL: tir.prim_func {{.*}}@parts
// APPLIED-NOT:   tir.alloc_buffer
// APPLIED:       tir.block @multiply
// APPLIED-COUNT-2: math.tanh
module attributes {target.spec = #target.cpu<"x86_64-unknown-linux-gnu", "x86-64-v3">} {
  tir.prim_func @parts(%x: memref<4x64xf32>, %out: memref<4x32xf32>) attributes {tir.num_outputs = 1 : i64} {
    %0 = tir.alloc_buffer() : memref<4x64xf32>
    tir.for %i0 = 0 to 4 {
      tir.for %i1 = 0 to 64 {
        tir.block @tanh(%v0 = spatial %i0 in 4, %v1 = spatial %i1 in 64)
            reads(%x[%v0, %v1] : memref<4x64xf32>)
            writes(%0[%v0, %v1] : memref<4x64xf32>) {
          %3 = affine.load %x[%v0, %v1] : memref<4x64xf32>
          %4 = math.tanh %3 : f32
          affine.store %4, %0[%v0, %v1] : memref<4x64xf32>
        }
      }
    }
    %1 = tir.alloc_buffer() : memref<4x32xf32>
    tir.for %i0 = 0 to 4 {
      tir.for %i1 = 0 to 32 {
        tir.block @strided_slice(%v0 = spatial %i0 in 4, %v1 = spatial %i1 in 32)
            reads(%0[%v0, %v1] : memref<4x64xf32>)
            writes(%1[%v0, %v1] : memref<4x32xf32>) {
          %3 = affine.load %0[%v0, %v1] : memref<4x64xf32>
          affine.store %3, %1[%v0, %v1] : memref<4x32xf32>
        }
      }
    }
    %2 = tir.alloc_buffer() : memref<4x32xf32>
    tir.for %i0 = 0 to 4 {
      tir.for %i1 = 0 to 32 {
        tir.block @strided_slice_1(%v0 = spatial %i0 in 4, %v1 = spatial %i1 in 32)
            reads(%0[%v0, %v1 + 32] : memref<4x64xf32>)
            writes(%2[%v0, %v1] : memref<4x32xf32>) {
          %3 = affine.load %0[%v0, %v1 + 32] : memref<4x64xf32>
          affine.store %3, %2[%v0, %v1] : memref<4x32xf32>
        }
      }
    }
    tir.for %i0 = 0 to 4 {
      tir.for %i1 = 0 to 32 {
        tir.block @multiply(%v0 = spatial %i0 in 4, %v1 = spatial %i1 in 32)
            reads(%1[%v0, %v1] : memref<4x32xf32>, %2[%v0, %v1] : memref<4x32xf32>)
            writes(%out[%v0, %v1] : memref<4x32xf32>) {
          %3 = affine.load %1[%v0, %v1] : memref<4x32xf32>
          %4 = affine.load %2[%v0, %v1] : memref<4x32xf32>
          %5 = arith.mulf %3, %4 : f32
          affine.store %5, %out[%v0, %v1] : memref<4x32xf32>
        }
      }
    }
  }
}

// -----

// A value that depends on data is computed where it is needed, once for each
// index.
// APPLIED-LABEL: tir.prim_func {{.*}}@gathered
// APPLIED-COUNT-1: math.exp
// APPLIED-NOT:   math.exp
module attributes {target.spec = #target.cpu<"x86_64-unknown-linux-gnu", "x86-64-v3">} {
  tir.prim_func @gathered(%x: memref<8xf32>, %i: memref<4xi32>, %out: memref<4xf32>) attributes {tir.num_outputs = 1 : i64} {
    %0 = tir.alloc_buffer() : memref<8xf32>
    tir.for %i0 = 0 to 8 {
      tir.block @exp(%v0 = spatial %i0 in 8)
          reads(%x[%v0] : memref<8xf32>)
          writes(%0[%v0] : memref<8xf32>) {
        %2 = affine.load %x[%v0] : memref<8xf32>
        %3 = math.exp %2 : f32
        affine.store %3, %0[%v0] : memref<8xf32>
      }
    }
    %1 = tir.alloc_buffer() : memref<4xf32>
    tir.for %i0 = 0 to 4 {
      tir.block @take(%v0 = spatial %i0 in 4)
          reads(%i[%v0] : memref<4xi32>, %0 : memref<8xf32>)
          writes(%1[%v0] : memref<4xf32>) {
        %2 = affine.load %i[%v0] : memref<4xi32>
        %3 = arith.index_cast %2 : i32 to index
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %c8 = arith.constant 8 : index
        %4 = arith.subi %c8, %c1 : index
        %5 = arith.minsi %3, %4 : index
        %6 = arith.maxsi %5, %c0 : index
        %7 = memref.load %0[%6] : memref<8xf32>
        affine.store %7, %1[%v0] : memref<4xf32>
      }
    }
    tir.for %i0 = 0 to 4 {
      tir.block @multiply(%v0 = spatial %i0 in 4)
          reads(%1[%v0] : memref<4xf32>)
          writes(%out[%v0] : memref<4xf32>) {
        %2 = affine.load %1[%v0] : memref<4xf32>
        %3 = affine.load %1[%v0] : memref<4xf32>
        %4 = arith.mulf %2, %3 : f32
        affine.store %4, %out[%v0] : memref<4xf32>
      }
    }
  }
}

// -----

// Quotients and remainders of quotients and remainders end in a copy, before
// they are more work than that.
// APPLIED-LABEL: tir.prim_func {{.*}}@shuffles
// APPLIED:       tir.alloc_buffer
module attributes {target.spec = #target.cpu<"x86_64-unknown-linux-gnu", "x86-64-v3">} {
  tir.prim_func @shuffles(%x: memref<6x35xf32>, %out: memref<15x14xf32>) attributes {tir.num_outputs = 1 : i64} {
    %0 = tir.alloc_buffer() : memref<21x10xf32>
    tir.for %i0 = 0 to 21 {
      tir.for %i1 = 0 to 10 {
        tir.block @transpose(%v0 = spatial %i0 in 21, %v1 = spatial %i1 in 10)
            reads(%x[(%v0 + %v1 * 21) floordiv 35, (%v0 + %v1 * 21) mod 35] : memref<6x35xf32>)
            writes(%0[%v0, %v1] : memref<21x10xf32>) {
          %11 = affine.load %x[(%v1 * 21 + %v0) floordiv 35, (%v1 * 21 + %v0) mod 35] : memref<6x35xf32>
          affine.store %11, %0[%v0, %v1] : memref<21x10xf32>
        }
      }
    }
    %1 = tir.alloc_buffer() : memref<15x14xf32>
    tir.for %i0 = 0 to 15 {
      tir.for %i1 = 0 to 14 {
        tir.block @transpose_1(%v0 = spatial %i0 in 15, %v1 = spatial %i1 in 14)
            reads(%0[(%v0 + %v1 * 15) floordiv 10, (%v0 + %v1 * 15) mod 10] : memref<21x10xf32>)
            writes(%1[%v0, %v1] : memref<15x14xf32>) {
          %11 = affine.load %0[(%v1 * 15 + %v0) floordiv 10, (%v1 * 15 + %v0) mod 10] : memref<21x10xf32>
          affine.store %11, %1[%v0, %v1] : memref<15x14xf32>
        }
      }
    }
    %2 = tir.alloc_buffer() : memref<42x5xf32>
    tir.for %i0 = 0 to 42 {
      tir.for %i1 = 0 to 5 {
        tir.block @transpose_2(%v0 = spatial %i0 in 42, %v1 = spatial %i1 in 5)
            reads(%1[%v1 * 3 + %v0 floordiv 14, %v0 mod 14] : memref<15x14xf32>)
            writes(%2[%v0, %v1] : memref<42x5xf32>) {
          %11 = affine.load %1[%v1 * 3 + %v0 floordiv 14, %v0 mod 14] : memref<15x14xf32>
          affine.store %11, %2[%v0, %v1] : memref<42x5xf32>
        }
      }
    }
    %3 = tir.alloc_buffer() : memref<30x7xf32>
    tir.for %i0 = 0 to 30 {
      tir.for %i1 = 0 to 7 {
        tir.block @transpose_3(%v0 = spatial %i0 in 30, %v1 = spatial %i1 in 7)
            reads(%2[%v1 * 6 + %v0 floordiv 5, %v0 mod 5] : memref<42x5xf32>)
            writes(%3[%v0, %v1] : memref<30x7xf32>) {
          %11 = affine.load %2[%v1 * 6 + %v0 floordiv 5, %v0 mod 5] : memref<42x5xf32>
          affine.store %11, %3[%v0, %v1] : memref<30x7xf32>
        }
      }
    }
    %4 = tir.alloc_buffer() : memref<35x6xf32>
    tir.for %i0 = 0 to 35 {
      tir.for %i1 = 0 to 6 {
        tir.block @transpose_4(%v0 = spatial %i0 in 35, %v1 = spatial %i1 in 6)
            reads(%3[%v1 * 5 + %v0 floordiv 7, %v0 mod 7] : memref<30x7xf32>)
            writes(%4[%v0, %v1] : memref<35x6xf32>) {
          %11 = affine.load %3[%v1 * 5 + %v0 floordiv 7, %v0 mod 7] : memref<30x7xf32>
          affine.store %11, %4[%v0, %v1] : memref<35x6xf32>
        }
      }
    }
    %5 = tir.alloc_buffer() : memref<21x10xf32>
    tir.for %i0 = 0 to 21 {
      tir.for %i1 = 0 to 10 {
        tir.block @transpose_5(%v0 = spatial %i0 in 21, %v1 = spatial %i1 in 10)
            reads(%4[(%v0 + %v1 * 21) floordiv 6, (%v0 + %v1 * 21) mod 6] : memref<35x6xf32>)
            writes(%5[%v0, %v1] : memref<21x10xf32>) {
          %11 = affine.load %4[(%v1 * 21 + %v0) floordiv 6, (%v1 * 21 + %v0) mod 6] : memref<35x6xf32>
          affine.store %11, %5[%v0, %v1] : memref<21x10xf32>
        }
      }
    }
    %6 = tir.alloc_buffer() : memref<15x14xf32>
    tir.for %i0 = 0 to 15 {
      tir.for %i1 = 0 to 14 {
        tir.block @transpose_6(%v0 = spatial %i0 in 15, %v1 = spatial %i1 in 14)
            reads(%5[(%v0 + %v1 * 15) floordiv 10, (%v0 + %v1 * 15) mod 10] : memref<21x10xf32>)
            writes(%6[%v0, %v1] : memref<15x14xf32>) {
          %11 = affine.load %5[(%v1 * 15 + %v0) floordiv 10, (%v1 * 15 + %v0) mod 10] : memref<21x10xf32>
          affine.store %11, %6[%v0, %v1] : memref<15x14xf32>
        }
      }
    }
    %7 = tir.alloc_buffer() : memref<42x5xf32>
    tir.for %i0 = 0 to 42 {
      tir.for %i1 = 0 to 5 {
        tir.block @transpose_7(%v0 = spatial %i0 in 42, %v1 = spatial %i1 in 5)
            reads(%6[%v1 * 3 + %v0 floordiv 14, %v0 mod 14] : memref<15x14xf32>)
            writes(%7[%v0, %v1] : memref<42x5xf32>) {
          %11 = affine.load %6[%v1 * 3 + %v0 floordiv 14, %v0 mod 14] : memref<15x14xf32>
          affine.store %11, %7[%v0, %v1] : memref<42x5xf32>
        }
      }
    }
    %8 = tir.alloc_buffer() : memref<30x7xf32>
    tir.for %i0 = 0 to 30 {
      tir.for %i1 = 0 to 7 {
        tir.block @transpose_8(%v0 = spatial %i0 in 30, %v1 = spatial %i1 in 7)
            reads(%7[%v1 * 6 + %v0 floordiv 5, %v0 mod 5] : memref<42x5xf32>)
            writes(%8[%v0, %v1] : memref<30x7xf32>) {
          %11 = affine.load %7[%v1 * 6 + %v0 floordiv 5, %v0 mod 5] : memref<42x5xf32>
          affine.store %11, %8[%v0, %v1] : memref<30x7xf32>
        }
      }
    }
    %9 = tir.alloc_buffer() : memref<35x6xf32>
    tir.for %i0 = 0 to 35 {
      tir.for %i1 = 0 to 6 {
        tir.block @transpose_9(%v0 = spatial %i0 in 35, %v1 = spatial %i1 in 6)
            reads(%8[%v1 * 5 + %v0 floordiv 7, %v0 mod 7] : memref<30x7xf32>)
            writes(%9[%v0, %v1] : memref<35x6xf32>) {
          %11 = affine.load %8[%v1 * 5 + %v0 floordiv 7, %v0 mod 7] : memref<30x7xf32>
          affine.store %11, %9[%v0, %v1] : memref<35x6xf32>
        }
      }
    }
    %10 = tir.alloc_buffer() : memref<21x10xf32>
    tir.for %i0 = 0 to 21 {
      tir.for %i1 = 0 to 10 {
        tir.block @transpose_10(%v0 = spatial %i0 in 21, %v1 = spatial %i1 in 10)
            reads(%9[(%v0 + %v1 * 21) floordiv 6, (%v0 + %v1 * 21) mod 6] : memref<35x6xf32>)
            writes(%10[%v0, %v1] : memref<21x10xf32>) {
          %11 = affine.load %9[(%v1 * 21 + %v0) floordiv 6, (%v1 * 21 + %v0) mod 6] : memref<35x6xf32>
          affine.store %11, %10[%v0, %v1] : memref<21x10xf32>
        }
      }
    }
    tir.for %i0 = 0 to 15 {
      tir.for %i1 = 0 to 14 {
        tir.block @transpose_11(%v0 = spatial %i0 in 15, %v1 = spatial %i1 in 14)
            reads(%10[(%v0 + %v1 * 15) floordiv 10, (%v0 + %v1 * 15) mod 10] : memref<21x10xf32>)
            writes(%out[%v0, %v1] : memref<15x14xf32>) {
          %11 = affine.load %10[(%v1 * 15 + %v0) floordiv 10, (%v1 * 15 + %v0) mod 10] : memref<21x10xf32>
          affine.store %11, %out[%v0, %v1] : memref<15x14xf32>
        }
      }
    }
  }
}

// -----

// An opaque computation may ask for the sizes of a buffer whose producer it
// computes itself.
// APPLIED-LABEL: tir.prim_func {{.*}}@checked_take
// APPLIED-NOT:   tir.alloc_buffer
// APPLIED:       tir.block @check()
// APPLIED:         cf.assert
// APPLIED:       tir.block @add(
// APPLIED:         memref.load
// APPLIED-NOT:   tir.block
module attributes {target.spec = #target.cpu<"x86_64-unknown-linux-gnu", "x86-64-v3">} {
  tir.prim_func @checked_take(%data: memref<30x8xf32>, %ids: memref<?xi64>, %bias: memref<8xf32>, %out: memref<?x8xf32>) attributes {tir.num_outputs = 1 : i64} {
    %c0 = arith.constant 0 : index
    %dim = memref.dim %ids, %c0 : memref<?xi64>
    %0 = tir.alloc_buffer(%dim) : memref<?xi64>
    tir.for %i0 = 0 to %dim {
      tir.block @check_init(%v0 = spatial %i0 in %dim)
          reads(%ids[%v0] : memref<?xi64>)
          writes(%0[%v0] : memref<?xi64>) {
        %2 = affine.load %ids[%v0] : memref<?xi64>
        affine.store %2, %0[%v0] : memref<?xi64>
      }
    }
    tir.block @check()
        reads(%0 : memref<?xi64>) attributes {tir.independent} {
      %c0_0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c30 = arith.constant 30 : index
      %true = arith.constant true
      %dim_1 = memref.dim %0, %c0_0 : memref<?xi64>
      %2 = scf.for %arg4 = %c0_0 to %dim_1 step %c1 iter_args(%arg5 = %true) -> (i1) {
        %3 = memref.load %0[%arg4] : memref<?xi64>
        %4 = arith.index_cast %3 : i64 to index
        %5 = arith.cmpi ult, %4, %c30 : index
        %6 = arith.andi %arg5, %5 : i1
        scf.yield %6 : i1
      }
      cf.assert %2, "expects indices within the data"
    }
    %1 = tir.alloc_buffer(%dim) : memref<?x8xf32>
    tir.for %i0 = 0 to %dim {
      tir.for %i1 = 0 to 8 {
        tir.block @take(%v0 = spatial %i0 in %dim, %v1 = spatial %i1 in 8)
            reads(%0[%v0] : memref<?xi64>, %data : memref<30x8xf32>)
            writes(%1[%v0, %v1] : memref<?x8xf32>) {
          %2 = affine.load %0[%v0] : memref<?xi64>
          %3 = arith.index_cast %2 : i64 to index
          %4 = memref.load %data[%3, %v1] : memref<30x8xf32>
          affine.store %4, %1[%v0, %v1] : memref<?x8xf32>
        }
      }
    }
    tir.for %i0 = 0 to %dim {
      tir.for %i1 = 0 to 8 {
        tir.block @add(%v0 = spatial %i0 in %dim, %v1 = spatial %i1 in 8)
            reads(%1[%v0, %v1] : memref<?x8xf32>, %bias[%v1] : memref<8xf32>)
            writes(%out[%v0, %v1] : memref<?x8xf32>) {
          %2 = affine.load %1[%v0, %v1] : memref<?x8xf32>
          %3 = affine.load %bias[%v1] : memref<8xf32>
          %4 = arith.addf %2, %3 : f32
          affine.store %4, %out[%v0, %v1] : memref<?x8xf32>
        }
      }
    }
  }
}

// -----

// What loops of a body read again and again is not computed in them.
// CHECK-LABEL: transform.named_sequence @read_in_loops.schedule
// CHECK-NOT: compute_inline
// CHECK: transform.yield
// APPLIED-LABEL: tir.prim_func {{.*}}@read_in_loops
// APPLIED: tir.block @transposed
// APPLIED: tir.block @row
module attributes {target.spec = #target.cpu<"x86_64-unknown-linux-gnu", "x86-64-v3">} {
  tir.prim_func @read_in_loops(%x: memref<64x32xf32>, %rows: memref<4xi64>, %out: memref<4x64xf32>) attributes {tir.num_outputs = 1 : i64} {
    %0 = tir.alloc_buffer() : memref<32x64xf32>
    tir.for %i0 = 0 to 32 {
      tir.for %i1 = 0 to 64 {
        tir.block @transposed(%v0 = spatial %i0 in 32, %v1 = spatial %i1 in 64)
            reads(%x[%v1, %v0] : memref<64x32xf32>)
            writes(%0[%v0, %v1] : memref<32x64xf32>) {
          %1 = affine.load %x[%v1, %v0] : memref<64x32xf32>
          affine.store %1, %0[%v0, %v1] : memref<32x64xf32>
        }
      }
    }
    tir.for %i0 = 0 to 4 {
      tir.block @row(%v0 = spatial %i0 in 4)
          reads(%rows[%v0] : memref<4xi64>, %0 : memref<32x64xf32>)
          writes(%out : memref<4x64xf32>) attributes {tir.independent} {
        %1 = memref.load %rows[%v0] : memref<4xi64>
        %2 = arith.index_cast %1 : i64 to index
        tir.for %i1 = 0 to 64 kind(vectorized) {
          %3 = memref.load %0[%2, %i1] : memref<32x64xf32>
          memref.store %3, %out[%v0, %i1] : memref<4x64xf32>
        }
      }
    }
  }
}
