// RUN: relay-opt %s --pass-pipeline='builtin.module(tir.prim_func(tir-lift-workspaces))' --split-input-file --verify-diagnostics | FileCheck %s

// Sizes are functions of the dynamic sizes of inputs and outputs, in order.
// CHECK-LABEL: tir.prim_func @sizes
// CHECK-SAME:    (%{{[^,]*}}: memref<?x?xf32>, %{{[^,]*}}: memref<?xf32>,
// CHECK-SAME:    %[[A:[^:]*]]: memref<?x8xf32> {tir.workspace = affine_map<()[s0, s1, s2] -> (s1)>},
// CHECK-SAME:    %[[B:[^:]*]]: memref<?xf32> {tir.workspace = affine_map<()[s0, s1, s2] -> (s1 * 2 + 1)>},
// CHECK-SAME:    %[[C:[^:]*]]: memref<4xf32> {tir.workspace = affine_map<()[s0, s1, s2] -> ()>})
// CHECK-SAME:    tir.workspaces = 3 : i64
// CHECK:         memref.dim %[[A]]
// CHECK:         alloc_buffer() : memref<{{.*}}, #target.memory<"local">>
tir.prim_func @sizes(%x: memref<?x?xf32>, %y: memref<?xf32>)
    attributes {tir.num_outputs = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c1 : memref<?x?xf32>
  %a = tir.alloc_buffer(%n) : memref<?x8xf32>
  %m = memref.dim %a, %c0 : memref<?x8xf32>
  %size = affine.apply affine_map<()[s0] -> (s0 * 2 + 1)>()[%m]
  %b = tir.alloc_buffer(%size) : memref<?xf32>
  %c = tir.alloc_buffer() : memref<4xf32>
  %d = tir.alloc_buffer() : memref<4xf32, #target.memory<"local">>
}

// -----

tir.prim_func @data(%x: memref<1xindex>) {
  %c0 = arith.constant 0 : index
  // expected-note @+1 {{this size does not}}
  %n = memref.load %x[%c0] : memref<1xindex>
  // expected-error @+1 {{expects the sizes of a workspace to follow from the sizes of inputs and outputs}}
  %a = tir.alloc_buffer(%n) : memref<?xf32>
}

// -----

// Of extremes only bounds have expressions: the workspace is so many bytes, with a
// view of the sizes that it has. Parts that may be negative count as none.
// CHECK-LABEL: tir.prim_func @bounds
// CHECK-SAME:    %[[BYTES:[^:]*]]: memref<?xi8> {tir.workspace = affine_map<()[s0, s1, s2] -> (s0 * 32)>},
// CHECK-SAME:    %[[OTHER:[^:]*]]: memref<?xi8> {tir.workspace = affine_map<()[s0, s1, s2] -> ((s0 + s1) * 4)>})
// CHECK:         %[[LESS:.*]] = arith.minsi
// CHECK:         memref.view %[[BYTES]][%{{.*}}][%[[LESS]]] : memref<?xi8> to memref<?x8xf32>
// CHECK:         %[[MORE:.*]] = arith.maxsi
// CHECK:         memref.view %[[OTHER]][%{{.*}}][%[[MORE]]] : memref<?xi8> to memref<?xf32>
tir.prim_func @bounds(%x: memref<?x?xf32>, %y: memref<?xf32>)
    attributes {tir.num_outputs = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %n = memref.dim %x, %c0 : memref<?x?xf32>
  %m = memref.dim %x, %c1 : memref<?x?xf32>
  %less = arith.minsi %n, %m : index
  %a = tir.alloc_buffer(%less) : memref<?x8xf32>
  %shorter = arith.subi %n, %c5 : index
  %more = arith.maxsi %shorter, %m : index
  %b = tir.alloc_buffer(%more) : memref<?xf32>
}

// -----

// Bounds are divided as sizes are: what grows and is halved again stays as large
// as it was.
// CHECK-LABEL: tir.prim_func @quotients
// CHECK-SAME:    memref<?xi8> {tir.workspace = affine_map<()[s0] -> (s0 * 4)>},
// CHECK-SAME:    memref<?xi8> {tir.workspace = affine_map<()[s0] -> ((s0 floordiv 3) * 4)>},
// CHECK-SAME:    memref<?xi8> {tir.workspace = affine_map<()[s0] -> ((s0 ceildiv 3) * 4)>})
tir.prim_func @quotients(%x: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %shorter = arith.subi %n, %c1 : index
  %more = arith.maxsi %shorter, %c0 : index
  %size = affine.apply affine_map<()[s0, s1] -> ((s0 + s1 + 1) floordiv 2)>()[%more, %n]
  %a = tir.alloc_buffer(%size) : memref<?xf32>
  %third = arith.floordivsi %more, %c3 : index
  %b = tir.alloc_buffer(%third) : memref<?xf32>
  %up = arith.ceildivsi %more, %c3 : index
  %c = tir.alloc_buffer(%up) : memref<?xf32>
}

// -----

// 1 + (n - 1) / 4, as exporters write it, rounds towards 0, and is not negative.
// CHECK-LABEL: tir.prim_func @towards_zero
// CHECK-SAME:    memref<?xi8> {tir.workspace = affine_map<()[s0, s1] -> ((s0 floordiv 4 + 1) * 4)>},
// CHECK-SAME:    memref<?xi8> {tir.workspace = affine_map<()[s0, s1] -> (((s0 floordiv 4 + 1) * (s1 floordiv 4 + 1)) * 4)>})
tir.prim_func @towards_zero(%x: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %n = memref.dim %x, %c0 : memref<?x?xf32>
  %m = memref.dim %x, %c1 : memref<?x?xf32>
  %less_n = arith.subi %n, %c1 : index
  %less_m = arith.subi %m, %c1 : index
  %part_n = arith.divsi %less_n, %c4 : index
  %part_m = arith.divsi %less_m, %c4 : index
  %rows = arith.addi %part_n, %c1 : index
  %columns = arith.addi %part_m, %c1 : index
  %a = tir.alloc_buffer(%rows) : memref<?xf32>
  %all = arith.muli %rows, %columns : index
  %b = tir.alloc_buffer(%all) : memref<?xf32>
}

// -----

// What is added to make a multiple of 4 is a remainder that is not negative.
// CHECK-LABEL: tir.prim_func @multiple
// CHECK-SAME:    memref<?xf32> {tir.workspace = affine_map<()[s0] -> (s0 + (-(s0 mod 4)) mod 4)>},
// CHECK-SAME:    memref<?xi8> {tir.workspace = affine_map<()[s0] -> ((s0 + (-(s0 mod 4)) mod 4) * 4)>})
tir.prim_func @multiple(%x: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %rest = arith.remsi %n, %c4 : index
  %missing = arith.subi %c4, %rest : index
  %rem = arith.remsi %missing, %c4 : index
  %isOff = arith.cmpi ne, %rem, %c0 : index
  %isNegative = arith.cmpi slt, %rem, %c0 : index
  %both = arith.andi %isOff, %isNegative : i1
  %up = arith.addi %rem, %c4 : index
  %pad = arith.select %both, %up, %rem : index
  %size = arith.addi %n, %pad : index
  %a = tir.alloc_buffer(%size) : memref<?xf32>
  %head = arith.minsi %size, %c2 : index
  %tail = arith.subi %size, %head : index
  %more = arith.maxsi %tail, %c0 : index
  %b = tir.alloc_buffer(%more) : memref<?xf32>
}
