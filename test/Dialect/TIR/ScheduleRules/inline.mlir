// RUN: relay-opt %s --split-input-file --convert-relay-to-linalg --convert-linalg-to-tir --relay-attach-target=target=x86-64-v3 --tir-schedule-rules --tir-apply-schedules | FileCheck %s

// What is used twice is computed once, in one loop.
// CHECK-LABEL: tir.prim_func {{.*}}@gates
// CHECK-NOT:   tir.alloc_buffer
// CHECK:       tir.block
// CHECK-COUNT-3: math.exp
// CHECK-NOT:   math.exp
// CHECK-NOT:   tir.block
func.func @gates(%x: tensor<64xf32>) -> tensor<64xf32> attributes {relay.primitive} {
  %0 = relay.sigmoid %x : (tensor<64xf32>) -> tensor<64xf32>
  %1 = relay.multiply %x, %0 : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  %2 = relay.sigmoid %1 : (tensor<64xf32>) -> tensor<64xf32>
  %3 = relay.multiply %1, %2 : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  %4 = relay.sigmoid %3 : (tensor<64xf32>) -> tensor<64xf32>
  %5 = relay.multiply %3, %4 : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  return %5 : tensor<64xf32>
}

// -----

// Two elements of a costly value that fits in the cache are loaded.
// CHECK-LABEL: tir.prim_func {{.*}}@two_places
// CHECK:       tir.block @tanh
// CHECK:         math.tanh
// CHECK:       tir.block @add
// CHECK-NOT:     math.tanh
func.func @two_places(%x: tensor<64x64xf32>) -> tensor<64x64xf32> attributes {relay.primitive} {
  %0 = relay.tanh %x : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = relay.transpose %0 {axes = [1, 0]} : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %2 = relay.add %0, %1 : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %2 : tensor<64x64xf32>
}

// -----

// If it does not fit, computing it twice takes less.
// CHECK-LABEL: tir.prim_func {{.*}}@two_places_of_many
// CHECK-NOT:   tir.alloc_buffer
// CHECK-COUNT-2: math.tanh
func.func @two_places_of_many(%x: tensor<4096x4096xf32>) -> tensor<4096x4096xf32> attributes {relay.primitive} {
  %0 = relay.tanh %x : (tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  %1 = relay.transpose %0 {axes = [1, 0]} : (tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  %2 = relay.add %0, %1 : (tensor<4096x4096xf32>, tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  return %2 : tensor<4096x4096xf32>
}

// -----

// The parts of what is split are read at a place each: nothing is computed
// twice, nothing stored.
// CHECK-LABEL: tir.prim_func {{.*}}@parts
// CHECK-NOT:   tir.alloc_buffer
// CHECK:       tir.block @multiply
// CHECK-COUNT-2: math.tanh
func.func @parts(%x: tensor<4x64xf32>) -> tensor<4x32xf32> attributes {relay.primitive} {
  %0 = relay.tanh %x : (tensor<4x64xf32>) -> tensor<4x64xf32>
  %1 = relay.strided_slice %0 {axes = [1], begin = [0], end = [32]} : (tensor<4x64xf32>) -> tensor<4x32xf32>
  %2 = relay.strided_slice %0 {axes = [1], begin = [32], end = [64]} : (tensor<4x64xf32>) -> tensor<4x32xf32>
  %3 = relay.multiply %1, %2 : (tensor<4x32xf32>, tensor<4x32xf32>) -> tensor<4x32xf32>
  return %3 : tensor<4x32xf32>
}

// -----

// A value that depends on data is computed where it is needed, once for each
// index.
// CHECK-LABEL: tir.prim_func {{.*}}@gathered
// CHECK-COUNT-1: math.exp
// CHECK-NOT:   math.exp
func.func @gathered(%x: tensor<8xf32>, %i: tensor<4xi32>) -> tensor<4xf32> attributes {relay.primitive} {
  %0 = relay.exp %x : (tensor<8xf32>) -> tensor<8xf32>
  %1 = relay.take %0, %i : (tensor<8xf32>, tensor<4xi32>) -> tensor<4xf32>
  %2 = relay.multiply %1, %1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// -----

// Quotients and remainders of quotients and remainders end in a copy, before
// they are more work than that.
// CHECK-LABEL: tir.prim_func {{.*}}@shuffles
// CHECK:       tir.alloc_buffer
func.func @shuffles(%x: tensor<6x35xf32>) -> tensor<15x14xf32> attributes {relay.primitive} {
  %0 = relay.reshape %x {newshape = [10, 21]} : (tensor<6x35xf32>) -> tensor<10x21xf32>
  %1 = relay.transpose %0 {axes = [1, 0]} : (tensor<10x21xf32>) -> tensor<21x10xf32>
  %2 = relay.reshape %1 {newshape = [14, 15]} : (tensor<21x10xf32>) -> tensor<14x15xf32>
  %3 = relay.transpose %2 {axes = [1, 0]} : (tensor<14x15xf32>) -> tensor<15x14xf32>
  %4 = relay.reshape %3 {newshape = [5, 42]} : (tensor<15x14xf32>) -> tensor<5x42xf32>
  %5 = relay.transpose %4 {axes = [1, 0]} : (tensor<5x42xf32>) -> tensor<42x5xf32>
  %6 = relay.reshape %5 {newshape = [7, 30]} : (tensor<42x5xf32>) -> tensor<7x30xf32>
  %7 = relay.transpose %6 {axes = [1, 0]} : (tensor<7x30xf32>) -> tensor<30x7xf32>
  %8 = relay.reshape %7 {newshape = [6, 35]} : (tensor<30x7xf32>) -> tensor<6x35xf32>
  %9 = relay.transpose %8 {axes = [1, 0]} : (tensor<6x35xf32>) -> tensor<35x6xf32>
  %10 = relay.reshape %9 {newshape = [10, 21]} : (tensor<35x6xf32>) -> tensor<10x21xf32>
  %11 = relay.transpose %10 {axes = [1, 0]} : (tensor<10x21xf32>) -> tensor<21x10xf32>
  %12 = relay.reshape %11 {newshape = [14, 15]} : (tensor<21x10xf32>) -> tensor<14x15xf32>
  %13 = relay.transpose %12 {axes = [1, 0]} : (tensor<14x15xf32>) -> tensor<15x14xf32>
  %14 = relay.reshape %13 {newshape = [5, 42]} : (tensor<15x14xf32>) -> tensor<5x42xf32>
  %15 = relay.transpose %14 {axes = [1, 0]} : (tensor<5x42xf32>) -> tensor<42x5xf32>
  %16 = relay.reshape %15 {newshape = [7, 30]} : (tensor<42x5xf32>) -> tensor<7x30xf32>
  %17 = relay.transpose %16 {axes = [1, 0]} : (tensor<7x30xf32>) -> tensor<30x7xf32>
  %18 = relay.reshape %17 {newshape = [6, 35]} : (tensor<30x7xf32>) -> tensor<6x35xf32>
  %19 = relay.transpose %18 {axes = [1, 0]} : (tensor<6x35xf32>) -> tensor<35x6xf32>
  %20 = relay.reshape %19 {newshape = [10, 21]} : (tensor<35x6xf32>) -> tensor<10x21xf32>
  %21 = relay.transpose %20 {axes = [1, 0]} : (tensor<10x21xf32>) -> tensor<21x10xf32>
  %22 = relay.reshape %21 {newshape = [14, 15]} : (tensor<21x10xf32>) -> tensor<14x15xf32>
  %23 = relay.transpose %22 {axes = [1, 0]} : (tensor<14x15xf32>) -> tensor<15x14xf32>
  return %23 : tensor<15x14xf32>
}

// -----

// An opaque computation may ask for the sizes of a buffer whose producer it
// computes itself.
// CHECK-LABEL: tir.prim_func {{.*}}@checked_take
// CHECK-NOT:   tir.alloc_buffer
// CHECK:       tir.block @check()
// CHECK:         cf.assert
// CHECK:       tir.block @add(
// CHECK:         memref.load
// CHECK-NOT:   tir.block
func.func @checked_take(%data: tensor<30x8xf32>, %ids: tensor<?xi64>, %bias: tensor<8xf32>) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %ids, %c0 : tensor<?xi64>
  %checked = tir.opaque outs(%ids : tensor<?xi64>)
      attributes {tir.block_name = "check"} -> tensor<?xi64> {
  ^bb0(%to: memref<?xi64>):
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %c30 = arith.constant 30 : index
    %true = arith.constant true
    %size = memref.dim %to, %zero : memref<?xi64>
    %all = scf.for %i = %zero to %size step %one iter_args(%before = %true) -> i1 {
      %element = memref.load %to[%i] : memref<?xi64>
      %index = arith.index_cast %element : i64 to index
      %is = arith.cmpi ult, %index, %c30 : index
      %next = arith.andi %before, %is : i1
      scf.yield %next : i1
    }
    cf.assert %all, "expects indices within the data"
  }
  %init = tensor.empty(%n) : tensor<?x8xf32>
  %taken = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%checked : tensor<?xi64>) outs(%init : tensor<?x8xf32>) attrs = {tir.block_name = "take"} {
  ^bb0(%id: i64, %out: f32):
    %index = arith.index_cast %id : i64 to index
    %column = linalg.index 1 : index
    %element = tensor.extract %data[%index, %column] : tensor<30x8xf32>
    linalg.yield %element : f32
  } -> tensor<?x8xf32>
  %sum = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%taken, %bias : tensor<?x8xf32>, tensor<8xf32>) outs(%init : tensor<?x8xf32>) attrs = {tir.block_name = "add"} {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<?x8xf32>
  return %sum : tensor<?x8xf32>
}
