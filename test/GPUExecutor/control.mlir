// RUN: relay-gpu-run %s --entry=loops --arg=8xi64 --arg=10 --print=0 | FileCheck %s --check-prefix=LOOPS
// RUN: relay-gpu-run %s --entry=branches --block=5 --arg=5xi64 --arg=5xi64 --print=0 --print=1 | FileCheck %s --check-prefix=BRANCHES
// RUN: relay-gpu-run %s --entry=calls --arg=3xi64 --print=0 | FileCheck %s --check-prefix=CALLS
// RUN: relay-gpu-run %s --entry=numbers --arg=8xf32=2,-2.5,nan,0.5,-0,3,7,100 --arg=16xi32 --arg=8xf32 --print=1 --print=2 | FileCheck %s --check-prefix=NUMBERS

module attributes {gpu.container_module} {
  gpu.module @kernels {
    // Fibonacci's numbers, whose two values change places; a sum with a step;
    // from signed and unsigned ends; a loop of bytes; one that does not run.
    // LOOPS: [89, 55, 18, 3, 0, 6, 7, 0]
    gpu.func @loops(%out: memref<8xi64>, %n: i64) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c3 = arith.constant 3 : index
      %c4 = arith.constant 4 : index
      %c5 = arith.constant 5 : index
      %c6 = arith.constant 6 : index
      %n0 = arith.constant 0 : i64
      %n1 = arith.constant 1 : i64
      %n3 = arith.constant 3 : i64
      %minus = arith.constant -2 : i64
      %a, %b = scf.for %i = %n0 to %n step %n1 iter_args(%x = %n1, %y = %n0) -> (i64, i64) : i64 {
        %z = arith.addi %x, %y : i64
        scf.yield %z, %x : i64, i64
      }
      memref.store %a, %out[%c0] : memref<8xi64>
      memref.store %b, %out[%c1] : memref<8xi64>
      %s = scf.for %i = %n0 to %n step %n3 iter_args(%x = %n0) -> i64 : i64 {
        %y = arith.addi %x, %i : i64
        scf.yield %y : i64
      }
      memref.store %s, %out[%c2] : memref<8xi64>
      %signed = scf.for %i = %minus to %n1 step %n1 iter_args(%x = %n0) -> i64 : i64 {
        %y = arith.addi %x, %n1 : i64
        scf.yield %y : i64
      }
      memref.store %signed, %out[%c3] : memref<8xi64>
      %unsigned = scf.for unsigned %i = %minus to %n1 step %n1 iter_args(%x = %n0) -> i64 : i64 {
        %y = arith.addi %x, %n1 : i64
        scf.yield %y : i64
      }
      memref.store %unsigned, %out[%c4] : memref<8xi64>
      %b0 = arith.constant 0 : i8
      %b3 = arith.constant 3 : i8
      %b1 = arith.constant 1 : i8
      %bm = arith.constant -3 : i8
      %bytes = scf.for %i = %bm to %b3 step %b1 iter_args(%x = %n0) -> i64 : i8 {
        %y = arith.addi %x, %n1 : i64
        scf.yield %y : i64
      }
      memref.store %bytes, %out[%c5] : memref<8xi64>
      %seven = arith.constant 7 : i64
      %none = scf.for %i = %n to %n0 step %n1 iter_args(%x = %seven) -> i64 : i64 {
        scf.yield %n0 : i64
      }
      memref.store %none, %out[%c6] : memref<8xi64>
      gpu.return
    }

    // BRANCHES: [10, 20, 30, 30, 30]
    // BRANCHES: [0, 1, 3, 6, 10]
    gpu.func @branches(%out: memref<5xi64>, %sums: memref<5xi64>) kernel {
      %i = gpu.thread_id x
      %n = arith.index_cast %i : index to i32
      %n0 = arith.constant 0 : i64
      %n1 = arith.constant 1 : i64
      %n10 = arith.constant 10 : i64
      %n20 = arith.constant 20 : i64
      %n30 = arith.constant 30 : i64
      cf.switch %n : i32, [default: ^all(%n30 : i64), 0: ^all(%n10 : i64), 1: ^all(%n20 : i64)]
    ^all(%v: i64):
      memref.store %v, %out[%i] : memref<5xi64>
      %end = arith.index_cast %i : index to i64
      cf.br ^head(%n0, %n0 : i64, i64)
    ^head(%k: i64, %sum: i64):
      %more = arith.cmpi sle, %k, %end : i64
      cf.cond_br %more, ^body, ^done(%sum : i64)
    ^body:
      %next = arith.addi %sum, %k : i64
      %k1 = arith.addi %k, %n1 : i64
      cf.br ^head(%k1, %next : i64, i64)
    ^done(%total: i64):
      memref.store %total, %sums[%i] : memref<5xi64>
      gpu.return
    }

    // A call with two ends, twice; a region; a switch.
    // CALLS: [4, 9, 105]
    func.func @absolute(%x: i64) -> i64 {
      %zero = arith.constant 0 : i64
      %negative = arith.cmpi slt, %x, %zero : i64
      cf.cond_br %negative, ^turn, ^keep
    ^turn:
      %y = arith.subi %zero, %x : i64
      return %y : i64
    ^keep:
      return %x : i64
    }
    gpu.func @calls(%out: memref<3xi64>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %x = arith.constant -4 : i64
      %y = arith.constant 9 : i64
      %a = func.call @absolute(%x) : (i64) -> i64
      %b = func.call @absolute(%y) : (i64) -> i64
      memref.store %a, %out[%c0] : memref<3xi64>
      memref.store %b, %out[%c1] : memref<3xi64>
      %r = scf.execute_region -> i64 {
        %five = arith.constant 5 : i64
        cf.br ^end(%five : i64)
      ^end(%v: i64):
        scf.yield %v : i64
      }
      %s = scf.index_switch %c1 -> i64
      case 0 {
        scf.yield %x : i64
      }
      case 1 {
        %hundred = arith.constant 100 : i64
        scf.yield %hundred : i64
      }
      default {
        scf.yield %y : i64
      }
      %t = arith.addi %r, %s : i64
      memref.store %t, %out[%c2] : memref<3xi64>
      gpu.return
    }

    // Of a float: as an integer; whether it is below 1, and below or no number; the
    // larger of it and 1, by both rules; 100 rounded to 8 bits.
    // NUMBERS: [2, -2, 0, 0, 0, 3, 7, 100, 1, 1, 1, 0, 2, 3, -4, 2]
    // NUMBERS: [2, 1, NaN, 1, 1, 1.41421354, 0.5, 96]
    gpu.func @numbers(%in: memref<8xf32>, %ints: memref<16xi32>, %out: memref<8xf32>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c3 = arith.constant 3 : index
      %c4 = arith.constant 4 : index
      %c5 = arith.constant 5 : index
      %c6 = arith.constant 6 : index
      %c7 = arith.constant 7 : index
      %c8 = arith.constant 8 : index
      %c9 = arith.constant 9 : index
      %c10 = arith.constant 10 : index
      %c11 = arith.constant 11 : index
      %c12 = arith.constant 12 : index
      %c13 = arith.constant 13 : index
      %c14 = arith.constant 14 : index
      %c15 = arith.constant 15 : index
      %one = arith.constant 1.0 : f32
      scf.for %i = %c0 to %c8 step %c1 {
        %v = memref.load %in[%i] : memref<8xf32>
        %n = arith.fptosi %v : f32 to i32
        memref.store %n, %ints[%i] : memref<16xi32>
      }
      %nan = memref.load %in[%c2] : memref<8xf32>
      %half = memref.load %in[%c3] : memref<8xf32>
      %two = memref.load %in[%c0] : memref<8xf32>
      %hundred = memref.load %in[%c7] : memref<8xf32>
      %minus = memref.load %in[%c1] : memref<8xf32>
      %p = arith.cmpf olt, %half, %one : f32
      %q = arith.cmpf ult, %nan, %one : f32
      %r = arith.cmpf une, %nan, %nan : f32
      %s = arith.cmpf olt, %nan, %one : f32
      %pi = arith.extui %p : i1 to i32
      %qi = arith.extui %q : i1 to i32
      %ri = arith.extui %r : i1 to i32
      %si = arith.extui %s : i1 to i32
      memref.store %pi, %ints[%c8] : memref<16xi32>
      memref.store %qi, %ints[%c9] : memref<16xi32>
      memref.store %ri, %ints[%c10] : memref<16xi32>
      memref.store %si, %ints[%c11] : memref<16xi32>
      %i7 = arith.constant -7 : i32
      %i3 = arith.constant 3 : i32
      %i5 = arith.constant 5 : i32
      %mod = arith.remsi %i5, %i3 : i32
      %ceil = arith.ceildivui %c5, %c2 : index
      %ceili = arith.index_cast %ceil : index to i32
      %i2 = arith.constant 2 : i32
      %floor = arith.floordivsi %i7, %i2 : i32
      %min = arith.minui %i7, %i2 : i32
      memref.store %mod, %ints[%c12] : memref<16xi32>
      memref.store %ceili, %ints[%c13] : memref<16xi32>
      memref.store %floor, %ints[%c14] : memref<16xi32>
      memref.store %min, %ints[%c15] : memref<16xi32>
      %m0 = arith.maximumf %two, %one : f32
      %m1 = arith.maximumf %minus, %one : f32
      %m2 = arith.maximumf %nan, %one : f32
      %m3 = arith.maxnumf %nan, %one : f32
      %m4 = arith.maxnumf %half, %one : f32
      %root = math.sqrt %two : f32
      %inverse = arith.divf %one, %two : f32
      %fma = math.fma %two, %two, %one : f32
      %half8 = arith.truncf %hundred : f32 to f8E4M3FN
      %back = arith.extf %half8 : f8E4M3FN to f32
      %scaled = arith.mulf %back, %fma : f32
      %five = arith.constant 5.0 : f32
      %rounded = arith.divf %scaled, %five : f32
      memref.store %m0, %out[%c0] : memref<8xf32>
      memref.store %m1, %out[%c1] : memref<8xf32>
      memref.store %m2, %out[%c2] : memref<8xf32>
      memref.store %m3, %out[%c3] : memref<8xf32>
      memref.store %m4, %out[%c4] : memref<8xf32>
      memref.store %root, %out[%c5] : memref<8xf32>
      memref.store %inverse, %out[%c6] : memref<8xf32>
      memref.store %rounded, %out[%c7] : memref<8xf32>
      gpu.return
    }
  }
}
