// RUN: relay-opt %s --tir-schedule-rules --tir-apply-schedules --tir-to-vta --split-input-file --verify-diagnostics

// expected-note @below {{a tile with fewer channels, or a smaller window, takes less; this one needs wgt_buffer = 16384 at least}}
tir.prim_func @window(%x: memref<1x14x14x16xi8>, %w: memref<1x1x7x7x16x16xi8>, %b: memref<1x16xi32>, %y: memref<1x8x8x16xi8>)
    attributes {tir.num_outputs = 1 : i64, target.spec = #vta.config<batch = 1, block = 16, wgt_buffer = 8192>} {
  %c6 = arith.constant 6 : i32
  %c3 = arith.constant 3 : i32
  %c0 = arith.constant 0 : i32
  %z = arith.constant 0 : i8
  %a = tir.alloc_buffer() : memref<1x8x8x16xi32>
  // expected-error @below {{expects buffers of at most 32 elements in wgt of 1x16_i8w8a32_15_15_13_17, but got 49 in kernel @window, of which the last is a tile of 'memref<1x1x7x7x16x16xi8, #target.memory<"wgt">>'}}
  tir.for %i0 = 0 to 1 {
    tir.for %i1 = 0 to 8 {
      tir.for %i2 = 0 to 8 {
        tir.for %i3 = 0 to 16 {
          tir.for %i4 = 0 to 1 {
            tir.for %i5 = 0 to 7 {
              tir.for %i6 = 0 to 7 {
                tir.for %i7 = 0 to 16 {
                  tir.block @conv2d(%o = spatial %i0 in 1, %h = spatial %i1 in 8, %v = spatial %i2 in 8, %oi = spatial %i3 in 16,
                      %ib = reduce %i4 in 1, %kh = reduce %i5 in 7, %kw = reduce %i6 in 7, %ii = reduce %i7 in 16)
                      reads(%x[%ib, %h + %kh, %v + %kw, %ii] : memref<1x14x14x16xi8>, %w[%o, %ib, %kh, %kw, %oi, %ii] : memref<1x1x7x7x16x16xi8>, %a[%o, %h, %v, %oi] : memref<1x8x8x16xi32>)
                      writes(%a[%o, %h, %v, %oi] : memref<1x8x8x16xi32>) {
                    tir.init {
                      affine.store %c0, %a[%o, %h, %v, %oi] : memref<1x8x8x16xi32>
                    }
                    %0 = affine.load %x[%ib, %h + %kh, %v + %kw, %ii] : memref<1x14x14x16xi8>
                    %1 = affine.load %w[%o, %ib, %kh, %kw, %oi, %ii] : memref<1x1x7x7x16x16xi8>
                    %2 = affine.load %a[%o, %h, %v, %oi] : memref<1x8x8x16xi32>
                    %3 = arith.extsi %0 : i8 to i32
                    %4 = arith.extsi %1 : i8 to i32
                    %5 = arith.muli %3, %4 : i32
                    %6 = arith.addi %2, %5 : i32
                    affine.store %6, %a[%o, %h, %v, %oi] : memref<1x8x8x16xi32>
                  }
                }
              }
            }
          }
        }
      }
    }
  }
  tir.for %i0 = 0 to 1 {
    tir.for %i1 = 0 to 8 {
      tir.for %i2 = 0 to 8 {
        tir.for %i3 = 0 to 16 {
          tir.block @cast(%v0 = spatial %i0 in 1, %v1 = spatial %i1 in 8, %v2 = spatial %i2 in 8, %v3 = spatial %i3 in 16)
              reads(%a[%v0, %v1, %v2, %v3] : memref<1x8x8x16xi32>, %b[%v0, %v3] : memref<1x16xi32>) writes(%y[%v0, %v1, %v2, %v3] : memref<1x8x8x16xi8>) {
            %5 = affine.load %a[%v0, %v1, %v2, %v3] : memref<1x8x8x16xi32>
            %6 = affine.load %b[%v0, %v3] : memref<1x16xi32>
            %7 = arith.addi %5, %6 : i32
          %8 = arith.shrsi %7, %c6 : i32
          %9 = arith.trunci %8 : i32 to i8
            affine.store %9, %y[%v0, %v1, %v2, %v3] : memref<1x8x8x16xi8>
          }
        }
      }
    }
  }
}

// -----

tir.prim_func @factor(%x: memref<2x14x14x16xi8>, %w: memref<2x2x1x1x16x16xi8>, %b: memref<2x16xi32>, %y: memref<2x14x14x16xi8>)
    attributes {tir.num_outputs = 1 : i64, target.spec = #vta.config<batch = 1, block = 16>} {
  %c6 = arith.constant 6 : i32
  %c3 = arith.constant -3 : i32
  %c0 = arith.constant 0 : i32
  %z = arith.constant 0 : i8
  %a = tir.alloc_buffer() : memref<2x14x14x16xi32>
  tir.for %i0 = 0 to 2 {
    tir.for %i1 = 0 to 14 {
      tir.for %i2 = 0 to 14 {
        tir.for %i3 = 0 to 16 {
          tir.for %i4 = 0 to 2 {
            tir.for %i5 = 0 to 1 {
              tir.for %i6 = 0 to 1 {
                tir.for %i7 = 0 to 16 {
                  tir.block @conv2d(%o = spatial %i0 in 2, %h = spatial %i1 in 14, %v = spatial %i2 in 14, %oi = spatial %i3 in 16,
                      %ib = reduce %i4 in 2, %kh = reduce %i5 in 1, %kw = reduce %i6 in 1, %ii = reduce %i7 in 16)
                      reads(%x[%ib, %h + %kh, %v + %kw, %ii] : memref<2x14x14x16xi8>, %w[%o, %ib, %kh, %kw, %oi, %ii] : memref<2x2x1x1x16x16xi8>, %a[%o, %h, %v, %oi] : memref<2x14x14x16xi32>)
                      writes(%a[%o, %h, %v, %oi] : memref<2x14x14x16xi32>) {
                    tir.init {
                      affine.store %c0, %a[%o, %h, %v, %oi] : memref<2x14x14x16xi32>
                    }
                    %0 = affine.load %x[%ib, %h + %kh, %v + %kw, %ii] : memref<2x14x14x16xi8>
                    %1 = affine.load %w[%o, %ib, %kh, %kw, %oi, %ii] : memref<2x2x1x1x16x16xi8>
                    %2 = affine.load %a[%o, %h, %v, %oi] : memref<2x14x14x16xi32>
                    %3 = arith.extsi %0 : i8 to i32
                    %4 = arith.extsi %1 : i8 to i32
                    %5 = arith.muli %3, %4 : i32
                    %6 = arith.addi %2, %5 : i32
                    affine.store %6, %a[%o, %h, %v, %oi] : memref<2x14x14x16xi32>
                  }
                }
              }
            }
          }
        }
      }
    }
  }
  tir.for %i0 = 0 to 2 {
    tir.for %i1 = 0 to 14 {
      tir.for %i2 = 0 to 14 {
        tir.for %i3 = 0 to 16 {
          tir.block @scale(%v0 = spatial %i0 in 2, %v1 = spatial %i1 in 14, %v2 = spatial %i2 in 14, %v3 = spatial %i3 in 16)
              reads(%a[%v0, %v1, %v2, %v3] : memref<2x14x14x16xi32>, %b[%v0, %v3] : memref<2x16xi32>) writes(%y[%v0, %v1, %v2, %v3] : memref<2x14x14x16xi8>) {
            %5 = affine.load %a[%v0, %v1, %v2, %v3] : memref<2x14x14x16xi32>
            %6 = affine.load %b[%v0, %v3] : memref<2x16xi32>
            %7 = arith.addi %5, %6 : i32
            // expected-error @below {{expects a factor that is positive in a kernel of VTA}}
            %8 = arith.muli %7, %c3 : i32
            %9 = arith.trunci %8 : i32 to i8
            affine.store %9, %y[%v0, %v1, %v2, %v3] : memref<2x14x14x16xi8>
          }
        }
      }
    }
  }
}

// -----

tir.prim_func @floats(%x: memref<16xf32>, %y: memref<16xf32>)
    attributes {tir.num_outputs = 1 : i64, target.spec = #vta.config<batch = 1, block = 16>} {
  tir.for %i = 0 to 16 {
    tir.block @double(%v0 = spatial %i in 16) reads(%x[%v0] : memref<16xf32>) writes(%y[%v0] : memref<16xf32>) {
      %0 = affine.load %x[%v0] : memref<16xf32>
      // expected-error @below {{expects integers in a kernel of VTA}}
      %1 = arith.addf %0, %0 : f32
      affine.store %1, %y[%v0] : memref<16xf32>
    }
  }
}

// -----

// expected-error @below {{expects sizes that are known when it is compiled in a kernel of VTA, but got 'memref<?x16xi8>'}}
tir.prim_func @sizes(%x: memref<?x16xi8>, %y: memref<?x16xi8>)
    attributes {tir.num_outputs = 1 : i64, target.spec = #vta.config<batch = 1, block = 16>} {
}
