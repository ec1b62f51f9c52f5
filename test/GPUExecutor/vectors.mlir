// RUN: relay-gpu-run %s --entry=moves --arg=48xf32 --print=0 | FileCheck %s --check-prefix=MOVES
// RUN: relay-gpu-run %s --entry=transfers --arg=4x4xf32=iota --arg=20xf32 --print=1 | FileCheck %s --check-prefix=TRANSFERS
// RUN: relay-gpu-run %s --entry=sums --arg=16xf32 --arg=4xi32 --print=0 --print=1 | FileCheck %s --check-prefix=SUMS
// RUN: relay-gpu-run %s --entry=bits --arg=8xi32 --print=0 | FileCheck %s --check-prefix=BITS

module attributes {gpu.container_module} {
  gpu.module @kernels {
    // MOVES: [1, 2, 3, 4, 5, 6, 1, 4, 2, 5, 3, 6, 5, 6, 2, 3, 5, 6, 9, 9, 3, 9, 9, 6, 1, 1, 2, 2, 3, 3, 4, 4, 1, 4, 2, 5, 4, 5, 6, 1, 2, 3, 1, 7, 3, 4, 5, 6]
    gpu.func @moves(%out: memref<48xf32>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c6 = arith.constant 6 : index
      %c12 = arith.constant 12 : index
      %c14 = arith.constant 14 : index
      %c18 = arith.constant 18 : index
      %c24 = arith.constant 24 : index
      %c32 = arith.constant 32 : index
      %c36 = arith.constant 36 : index
      %c42 = arith.constant 42 : index
      %v = arith.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : vector<2x3xf32>
      %flat = vector.shape_cast %v : vector<2x3xf32> to vector<6xf32>
      vector.store %flat, %out[%c0] : memref<48xf32>, vector<6xf32>
      %t = vector.transpose %v, [1, 0] : vector<2x3xf32> to vector<3x2xf32>
      %tf = vector.shape_cast %t : vector<3x2xf32> to vector<6xf32>
      vector.store %tf, %out[%c6] : memref<48xf32>, vector<6xf32>
      %sh = vector.shuffle %flat, %flat [4, 11] : vector<6xf32>, vector<6xf32>
      vector.store %sh, %out[%c12] : memref<48xf32>, vector<2xf32>
      %sl = vector.extract_strided_slice %v {offsets = [0, 1], sizes = [2, 2], strides = [1, 1]} : vector<2x3xf32> to vector<2x2xf32>
      %slf = vector.shape_cast %sl : vector<2x2xf32> to vector<4xf32>
      vector.store %slf, %out[%c14] : memref<48xf32>, vector<4xf32>
      %nine = arith.constant 9.0 : f32
      %nines = vector.broadcast %nine : f32 to vector<2x2xf32>
      %in = vector.insert_strided_slice %nines, %v {offsets = [0, 0], strides = [1, 1]} : vector<2x2xf32> into vector<2x3xf32>
      %inf = vector.shape_cast %in : vector<2x3xf32> to vector<6xf32>
      vector.store %inf, %out[%c18] : memref<48xf32>, vector<6xf32>
      %column = arith.constant dense<[[1.0], [2.0], [3.0], [4.0]]> : vector<4x1xf32>
      %wide = vector.broadcast %column : vector<4x1xf32> to vector<4x2xf32>
      %widef = vector.shape_cast %wide : vector<4x2xf32> to vector<8xf32>
      vector.store %widef, %out[%c24] : memref<48xf32>, vector<8xf32>
      %row0 = vector.extract %v[0] : vector<3xf32> from vector<2x3xf32>
      %row1 = vector.extract %v[%c1] : vector<3xf32> from vector<2x3xf32>
      %both = vector.interleave %row0, %row1 : vector<3xf32> -> vector<6xf32>
      %both4 = vector.extract_strided_slice %both {offsets = [0], sizes = [4], strides = [1]} : vector<6xf32> to vector<4xf32>
      vector.store %both4, %out[%c32] : memref<48xf32>, vector<4xf32>
      %swap0 = vector.insert %row1, %v[0] : vector<3xf32> into vector<2x3xf32>
      %swap1 = vector.insert %row0, %swap0[%c1] : vector<3xf32> into vector<2x3xf32>
      %swapf = vector.shape_cast %swap1 : vector<2x3xf32> to vector<6xf32>
      vector.store %swapf, %out[%c36] : memref<48xf32>, vector<6xf32>
      %seven = arith.constant 7.0 : f32
      %one = vector.insert %seven, %v[0, %c1] : f32 into vector<2x3xf32>
      %onef = vector.shape_cast %one : vector<2x3xf32> to vector<6xf32>
      vector.store %onef, %out[%c42] : memref<48xf32>, vector<6xf32>
      gpu.return
    }

    // Beyond the end, transposed, under a mask, and one row in each row.
    // TRANSFERS: [14, 15, -1, -1, 2, 6, 10, 14, 4, 5, -1, -1, 8, 8, 9, 9, 7, 5, 0, 0]
    gpu.func @transfers(%in: memref<4x4xf32>, %out: memref<20xf32>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c3 = arith.constant 3 : index
      %c4 = arith.constant 4 : index
      %c8 = arith.constant 8 : index
      %c12 = arith.constant 12 : index
      %c16 = arith.constant 16 : index
      %pad = arith.constant -1.0 : f32
      %a = vector.transfer_read %in[%c3, %c2], %pad : memref<4x4xf32>, vector<4xf32>
      vector.transfer_write %a, %out[%c0] {in_bounds = [true]} : vector<4xf32>, memref<20xf32>
      %b = vector.transfer_read %in[%c0, %c2], %pad {in_bounds = [true], permutation_map = affine_map<(d0, d1) -> (d0)>} : memref<4x4xf32>, vector<4xf32>
      vector.transfer_write %b, %out[%c4] : vector<4xf32>, memref<20xf32>
      %mask = vector.create_mask %c2 : vector<4xi1>
      %c = vector.transfer_read %in[%c1, %c0], %pad, %mask {in_bounds = [true]} : memref<4x4xf32>, vector<4xf32>
      vector.store %c, %out[%c8] : memref<20xf32>, vector<4xf32>
      %d = vector.transfer_read %in[%c2, %c0], %pad {in_bounds = [true, true], permutation_map = affine_map<(d0, d1) -> (d1, 0)>} : memref<4x4xf32>, vector<2x2xf32>
      %df = vector.shape_cast %d : vector<2x2xf32> to vector<4xf32>
      vector.store %df, %out[%c12] : memref<20xf32>, vector<4xf32>
      %seven = arith.constant dense<[7.0, 5.0, 3.0, 2.0]> : vector<4xf32>
      vector.maskedstore %out[%c16], %mask, %seven : memref<20xf32>, vector<4xi1>, vector<4xf32>
      gpu.return
    }

    // SUMS: [10, 12, 4, 6, 30, 24, 20, 3, 4, 6, 8, 19, 22, 43, 50, 0]
    // SUMS: [-5, -15, 0, 0]
    gpu.func @sums(%out: memref<16xf32>, %ints: memref<4xi32>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c4 = arith.constant 4 : index
      %c5 = arith.constant 5 : index
      %c6 = arith.constant 6 : index
      %c7 = arith.constant 7 : index
      %c11 = arith.constant 11 : index
      %v = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : vector<4xf32>
      %two = arith.constant 2.0 : f32
      %s = vector.reduction <add>, %v : vector<4xf32> into f32
      %s2 = vector.reduction <add>, %v, %two : vector<4xf32> into f32
      memref.store %s, %out[%c0] : memref<16xf32>
      memref.store %s2, %out[%c1] : memref<16xf32>
      %m = vector.shape_cast %v : vector<4xf32> to vector<2x2xf32>
      %zeros = arith.constant dense<0.0> : vector<2xf32>
      %columns = vector.multi_reduction <add>, %m, %zeros [0] : vector<2x2xf32> to vector<2xf32>
      vector.store %columns, %out[%c2] : memref<16xf32>, vector<2xf32>
      %zero = arith.constant 0.0 : f32
      %dot = vector.contract {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]} %v, %v, %zero : vector<4xf32>, vector<4xf32> into f32
      memref.store %dot, %out[%c4] : memref<16xf32>
      %p = vector.reduction <mul>, %v : vector<4xf32> into f32
      memref.store %p, %out[%c5] : memref<16xf32>
      %half = arith.constant dense<[4.0, 2.0]> : vector<2xf16>
      %wide = vector.contract {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]} %half, %half, %zero : vector<2xf16>, vector<2xf16> into f32
      memref.store %wide, %out[%c6] : memref<16xf32>
      %x = arith.constant dense<[1.0, 2.0]> : vector<2xf32>
      %y = arith.constant dense<[3.0, 4.0]> : vector<2xf32>
      %outer = vector.outerproduct %x, %y : vector<2xf32>, vector<2xf32>
      %outerf = vector.shape_cast %outer : vector<2x2xf32> to vector<4xf32>
      vector.store %outerf, %out[%c7] : memref<16xf32>, vector<4xf32>
      %n = arith.constant dense<[[5.0, 6.0], [7.0, 8.0]]> : vector<2x2xf32>
      %none = arith.constant dense<0.0> : vector<2x2xf32>
      %product = vector.contract {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]} %m, %n, %none : vector<2x2xf32>, vector<2x2xf32> into vector<2x2xf32>
      %productf = vector.shape_cast %product : vector<2x2xf32> to vector<4xf32>
      vector.store %productf, %out[%c11] : memref<16xf32>, vector<4xf32>
      %bytes = arith.constant dense<[-1, 2]> : vector<2xi8>
      %other = arith.constant dense<[5, 0]> : vector<2xi8>
      %start = arith.constant 0 : i32
      %dp = vector.contract {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]} %bytes, %other, %start : vector<2xi8>, vector<2xi8> into i32
      memref.store %dp, %ints[%c0] : memref<4xi32>
      %three = arith.constant 3 : i32
      %dp3 = arith.muli %dp, %three : i32
      memref.store %dp3, %ints[%c1] : memref<4xi32>
      gpu.return
    }

    // 1.0 and -2.0 as f16 are 0x3c00 and 0xc000; 0x04030201; 1.5 as bf16 of f32;
    // -1 as i8 and as u8; 300 as i8; the bits above.
    // BITS: [-1073726464, 67305985, 1069547520, -1, 255, 44, 5, -16777216]
    gpu.func @bits(%out: memref<8xi32>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c3 = arith.constant 3 : index
      %c4 = arith.constant 4 : index
      %c5 = arith.constant 5 : index
      %c6 = arith.constant 6 : index
      %c7 = arith.constant 7 : index
      %h = arith.constant dense<[1.0, -2.0]> : vector<2xf16>
      %hb = vector.bitcast %h : vector<2xf16> to vector<1xi32>
      vector.store %hb, %out[%c0] : memref<8xi32>, vector<1xi32>
      %b = arith.constant dense<[1, 2, 3, 4]> : vector<4xi8>
      %bb = vector.bitcast %b : vector<4xi8> to vector<1xi32>
      vector.store %bb, %out[%c1] : memref<8xi32>, vector<1xi32>
      %f = arith.constant 1.501 : f32
      %bf = arith.truncf %f : f32 to bf16
      %back = arith.extf %bf : bf16 to f32
      %fb = arith.bitcast %back : f32 to i32
      memref.store %fb, %out[%c2] : memref<8xi32>
      %minus = arith.constant -1 : i8
      %s = arith.extsi %minus : i8 to i32
      %u = arith.extui %minus : i8 to i32
      memref.store %s, %out[%c3] : memref<8xi32>
      memref.store %u, %out[%c4] : memref<8xi32>
      %n = arith.constant 300 : i32
      %t = arith.trunci %n : i32 to i8
      %te = arith.extsi %t : i8 to i32
      memref.store %te, %out[%c5] : memref<8xi32>
      %q = arith.constant 11.9 : f32
      %k = arith.constant 2 : i32
      %i = arith.fptosi %q : f32 to i32
      %half = arith.divsi %i, %k : i32
      memref.store %half, %out[%c6] : memref<8xi32>
      %c24 = arith.constant 24 : i32
      %shifted = arith.shli %s, %c24 : i32
      memref.store %shifted, %out[%c7] : memref<8xi32>
      gpu.return
    }
  }
}
