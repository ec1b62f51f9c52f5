// RUN: relay-opt %s --convert-linalg-to-tir --split-input-file | FileCheck %s

// A chain of elementwise ops: the intermediate is a buffer, the last op writes
// the output argument, sizes come from the input.
// CHECK-LABEL: tir.prim_func private @chain
// CHECK-SAME:    (%[[X:.*]]: memref<?x8xf32>, %[[Y:.*]]: memref<?x8xf32>)
// CHECK-SAME:    attributes {tir.num_outputs = 1 : i64}
// CHECK:         %[[N:.*]] = memref.dim %[[X]]
// CHECK:         %[[T:.*]] = tir.alloc_buffer(%[[N]]) : memref<?x8xf32>
// CHECK:         tir.for %[[I:.*]] = 0 to %[[N]] {
// CHECK:           tir.for %[[J:.*]] = 0 to 8 {
// CHECK:             tir.block @exp(%[[V0:.*]] = spatial %[[I]] in %[[N]], %[[V1:.*]] = spatial %[[J]] in 8)
// CHECK-NEXT:            reads(%[[X]][%[[V0]], %[[V1]]]
// CHECK-NEXT:            writes(%[[T]][%[[V0]], %[[V1]]]
// CHECK:               %[[A:.*]] = affine.load %[[X]][%[[V0]], %[[V1]]]
// CHECK:               %[[E:.*]] = math.exp %[[A]]
// CHECK:               affine.store %[[E]], %[[T]][%[[V0]], %[[V1]]]
// CHECK:             tir.block @negative
// CHECK-NEXT:            reads(%[[T]]
// CHECK-NEXT:            writes(%[[Y]]
#map = affine_map<(i, j) -> (i, j)>
func.func private @chain(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x8xf32>
  %e = tensor.empty(%n) : tensor<?x8xf32>
  %0 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x8xf32>) outs(%e : tensor<?x8xf32>) attrs = {tir.block_name = "exp"} {
  ^bb0(%a: f32, %b: f32):
    %2 = math.exp %a : f32
    linalg.yield %2 : f32
  } -> tensor<?x8xf32>
  %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<?x8xf32>) outs(%e : tensor<?x8xf32>) attrs = {tir.block_name = "negative"} {
  ^bb0(%a: f32, %b: f32):
    %2 = arith.negf %a : f32
    linalg.yield %2 : f32
  } -> tensor<?x8xf32>
  return %1 : tensor<?x8xf32>
}

// -----

// The fill before a reduction becomes its init; reduction loops are reduce
// variables.
// CHECK-LABEL: tir.prim_func @matmul
// CHECK-SAME:    (%[[A:.*]]: memref<4x8xf32>, %[[B:.*]]: memref<8x16xf32>, %[[C:.*]]: memref<4x16xf32>)
// CHECK-NOT:     tir.alloc_buffer
// CHECK:         tir.block @matmul(%[[M:.*]] = spatial %{{.*}} in 4, %[[N:.*]] = spatial %{{.*}} in 16, %[[K:.*]] = reduce %{{.*}} in 8)
// CHECK-NEXT:        reads(%[[A]][%[[M]], %[[K]]] : memref<4x8xf32>, %[[B]][%[[K]], %[[N]]] : memref<8x16xf32>, %[[C]][%[[M]], %[[N]]] : memref<4x16xf32>)
// CHECK-NEXT:        writes(%[[C]][%[[M]], %[[N]]] : memref<4x16xf32>) {
// CHECK-NEXT:      tir.init {
// CHECK-NEXT:        affine.store %{{.*}}, %[[C]][%[[M]], %[[N]]]
// CHECK-NEXT:      }
// CHECK:           arith.mulf
// CHECK-NEXT:      arith.addf
// CHECK-NEXT:      affine.store
func.func @matmul(%a: tensor<4x8xf32>, %b: tensor<8x16xf32>) -> tensor<4x16xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x16xf32>) -> tensor<4x16xf32>
  %0 = linalg.matmul {tir.block_name = "matmul"} ins(%a, %b : tensor<4x8xf32>, tensor<8x16xf32>)
      outs(%f : tensor<4x16xf32>) -> tensor<4x16xf32>
  return %0 : tensor<4x16xf32>
}

// -----

// A reduction onto another tensor starts from that tensor, whose memory stays.
// CHECK-LABEL: tir.prim_func @accumulate
// CHECK-SAME:    (%[[X:.*]]: memref<4x8xf32>, %[[S:.*]]: memref<4xf32>, %[[Y:.*]]: memref<4xf32>)
// CHECK:         tir.init {
// CHECK-NEXT:      %[[START:.*]] = affine.load %[[S]]
// CHECK-NEXT:      affine.store %[[START]], %[[Y]]
func.func @accumulate(%x: tensor<4x8xf32>, %s: tensor<4xf32>) -> tensor<4xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x8xf32>) outs(%s : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32):
    %2 = arith.addf %a, %b : f32
    linalg.yield %2 : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// Windows need no buffer for the tensor that only gives their size.
// CHECK-LABEL: tir.prim_func @pool
// CHECK-NOT:     tir.alloc_buffer
// CHECK:         tir.block @max_pool2d({{.*}}%[[V2:[a-z0-9]+]] = reduce %{{[a-z0-9]+}} in 3)
// CHECK-NEXT:        reads(%{{.*}}[%[[V0:.*]], %[[V1:.*]] * 2 + %[[V2]]]
func.func @pool(%x: tensor<2x9xf32>) -> tensor<2x4xf32> {
  %low = arith.constant 0xFF800000 : f32
  %w = tensor.empty() : tensor<3xf32>
  %e = tensor.empty() : tensor<2x4xf32>
  %f = linalg.fill ins(%low : f32) outs(%e : tensor<2x4xf32>) -> tensor<2x4xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(c, y, k) -> (c, y * 2 + k)>,
      affine_map<(c, y, k) -> (k)>, affine_map<(c, y, k) -> (c, y)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<2x9xf32>, tensor<3xf32>) outs(%f : tensor<2x4xf32>)
      attrs = {tir.block_name = "max_pool2d"} {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %2 = arith.maximumf %a, %c : f32
    linalg.yield %2 : f32
  } -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// -----

// A gather loads where the data says, and its region is the whole buffer; an
// extract at affine indices is an affine load.
// CHECK-LABEL: tir.prim_func @gather
// CHECK-SAME:    (%[[X:.*]]: memref<10x4xf32>, %[[I:.*]]: memref<3xi64>, %[[Y:.*]]: memref<3x4xf32>)
// CHECK:         tir.block @take
// CHECK-NEXT:        reads(%[[I]][%[[V0:.*]]] : memref<3xi64>, %[[X]] : memref<10x4xf32>, %[[X]][%[[V0]] + 1, %{{.*}}] : memref<10x4xf32>)
// CHECK:           %[[AT:.*]] = arith.index_cast
// CHECK:           memref.load %[[X]][%[[AT]], %{{.*}}]
// CHECK:           affine.load %[[X]][%[[V0]] + 1, %{{.*}}]
func.func @gather(%x: tensor<10x4xf32>, %i: tensor<3xi64>) -> tensor<3x4xf32> {
  %c1 = arith.constant 1 : index
  %e = tensor.empty() : tensor<3x4xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%i : tensor<3xi64>) outs(%e : tensor<3x4xf32>) attrs = {tir.block_name = "take"} {
  ^bb0(%a: i64, %b: f32):
    %row = arith.index_cast %a : i64 to index
    %col = linalg.index 1 : index
    %2 = tensor.extract %x[%row, %col] : tensor<10x4xf32>
    %v0 = linalg.index 0 : index
    %next = arith.addi %v0, %c1 : index
    %3 = tensor.extract %x[%next, %col] : tensor<10x4xf32>
    %4 = arith.addf %2, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}

// -----

// Two results of one op, and a scalar that is computed once.
// CHECK-LABEL: tir.prim_func @two_results
// CHECK-SAME:    (%[[X:.*]]: memref<4xf32>, %[[Y:.*]]: memref<4xf32>, %[[Z:.*]]: memref<4xf32>) attributes {tir.num_outputs = 2 : i64}
// CHECK:         arith.divf
// CHECK:         tir.block @compute
// CHECK:           affine.store %{{.*}}, %[[Y]]
// CHECK:           affine.store %{{.*}}, %[[Z]]
#id = affine_map<(i) -> (i)>
func.func @two_results(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %e = tensor.empty() : tensor<4xf32>
  %two = arith.constant 2.0 : f32
  %half = arith.divf %two, %two : f32
  %0:2 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf32>) outs(%e, %e : tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %1 = arith.mulf %a, %half : f32
    %2 = arith.negf %a : f32
    linalg.yield %1, %2 : f32, f32
  } -> (tensor<4xf32>, tensor<4xf32>)
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
}

// -----

// A result along the loop that another result reduces is a scan: a loop that
// keeps its order, after the start value is there.
// CHECK-LABEL: tir.prim_func @scan
// CHECK-SAME:    (%[[X:.*]]: memref<4x8xf32>, %[[Y:.*]]: memref<4x8xf32>)
// CHECK:         %[[SUM:.*]] = tir.alloc_buffer() : memref<4xf32>
// CHECK:         tir.block @scan_init
// CHECK:           affine.store %{{.*}}, %[[SUM]]
// CHECK:         tir.block @scan(%[[I:.*]] = spatial %{{.*}} in 4, %[[J:.*]] = opaque %{{.*}} in 8)
// CHECK-NOT:       tir.init
// CHECK-DAG:       %[[OLD:.*]] = affine.load %[[SUM]][%[[I]]]
// CHECK-DAG:       %[[V:.*]] = affine.load %[[X]][%[[I]], %[[J]]]
// CHECK:           %[[NEW:.*]] = arith.addf
// CHECK-DAG:       affine.store %[[NEW]], %[[SUM]][%[[I]]]
// CHECK-DAG:       affine.store %[[OLD]], %[[Y]][%[[I]], %[[J]]]
func.func @scan(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %start = linalg.fill ins(%zero : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %r = tensor.empty() : tensor<4x8xf32>
  %0:2 = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x8xf32>) outs(%start, %r : tensor<4xf32>, tensor<4x8xf32>)
      attrs = {tir.block_name = "scan"} {
  ^bb0(%v: f32, %sum: f32, %old: f32):
    %1 = arith.addf %sum, %v : f32
    linalg.yield %1, %sum : f32, f32
  } -> (tensor<4xf32>, tensor<4x8xf32>)
  return %0#1 : tensor<4x8xf32>
}
