// RUN: relay-opt %s --split-input-file --convert-relay-to-relax | FileCheck %s

// Symbols are named by relay.dims; equal names are one symbol. Result shapes
// come from the kernels.

#id = affine_map<(d0, d1) -> (d0, d1)>
func.func private @relu(%x: tensor<?x4xf32>) -> tensor<?x4xf32>
    attributes {relay.primitive} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %init = tensor.empty(%n) : tensor<?x4xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x4xf32>) outs(%init : tensor<?x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1 = arith.maximumf %in, %zero : f32
      linalg.yield %1 : f32
  } -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}
func.func private @concat(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>)
    -> tensor<?x4xf32> attributes {relay.primitive} {
  %0 = tensor.concat dim(0) %x, %y
    : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// CHECK-LABEL: relax.func @main(
//  CHECK-SAME:   %[[X:[a-z0-9]+]]: !relax.tensor<[n, 4], f32> {relax.name = "x"},
//  CHECK-SAME:   %[[Y:[a-z0-9]+]]: !relax.tensor<[n, 4], f32> {relax.name = "y"},
//  CHECK-SAME:   %[[Z:[a-z0-9]+]]: !relax.tensor<[d0, 4], f32>)
//  CHECK-SAME:   -> (!relax.tensor<[d0 + 2 * n, 4], f32> {relax.name = "out"})
func.func @main(%x: tensor<?x4xf32> {relay.name = "x", relay.dims = ["n", ""]},
                %y: tensor<?x4xf32> {relay.name = "y", relay.dims = ["n", ""]},
                %z: tensor<?x4xf32>)
    -> (tensor<?x4xf32> {relay.name = "out"}) {
  // CHECK: %[[OUT:.*]] = relax.dataflow {
  // CHECK: %[[R:.*]] = relax.call_tir @relu(%[[X]]) : {{.*}} -> !relax.tensor<[n, 4], f32>
  %0 = relay.call @relu(%x) : (tensor<?x4xf32>) -> tensor<?x4xf32>
  // CHECK: %[[A:.*]] = relax.call_tir @concat(%[[R]], %[[Y]]) : {{.*}} -> !relax.tensor<[2 * n, 4], f32>
  %1 = relay.call @concat(%0, %y)
    : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  // CHECK: %[[B:.*]] = relax.call_tir @concat(%[[A]], %[[Z]]) : {{.*}} -> !relax.tensor<[d0 + 2 * n, 4], f32>
  %2 = relay.call @concat(%1, %z)
    : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  // CHECK: relax.output %[[B]]
  // CHECK: relax.return %[[OUT]]
  return %2 : tensor<?x4xf32>
}

// -----

// Index arithmetic of a strided, padded pooling window; a dimension that is
// static in the caller is so in the result.

func.func private @pool(%x: tensor<?x?xf32>) -> tensor<?x?xf32>
    attributes {relay.primitive} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %pad = tensor.pad %x low[0, 1] high[0, 1] {
    ^bb0(%i: index, %j: index):
      tensor.yield %zero : f32
  } : tensor<?x?xf32> to tensor<?x?xf32>
  %n = tensor.dim %pad, %c0 : tensor<?x?xf32>
  %h = tensor.dim %pad, %c1 : tensor<?x?xf32>
  %out = affine.apply affine_map<()[s0] -> ((s0 - 3) floordiv 2 + 1)>()[%h]
  %0 = tensor.empty(%n, %out) : tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// CHECK-LABEL: relax.func @pooling(
//  CHECK-SAME:   !relax.tensor<[n, (h + 1) floordiv 2], f32>, !relax.tensor<[3, 5], f32>)
func.func @pooling(%x: tensor<?x?xf32> {relay.dims = ["n", "h"]},
                   %y: tensor<3x10xf32>)
    -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  %0 = relay.call @pool(%x) : (tensor<?x?xf32>) -> tensor<?x?xf32>
  // CHECK: relax.call_tir @pool(%{{.*}}) : (!relax.tensor<[3, 10], f32>) -> !relax.tensor<[3, 5], f32>
  %1 = relay.call @pool(%y) : (tensor<3x10xf32>) -> tensor<?x?xf32>
  return %0, %1 : tensor<?x?xf32>, tensor<?x?xf32>
}

// -----

// Choices that the shapes of the call decide: the larger of two sizes of which
// one is never smaller, a broadcast of equal sizes.

func.func private @choose(%x: tensor<?xf32>, %y: tensor<?xf32>)
    -> (tensor<?xf32>, tensor<?xf32>) attributes {relay.primitive} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %m = tensor.dim %y, %c0 : tensor<?xf32>
  %max = arith.maxsi %n, %m : index
  %0 = tensor.empty(%max) : tensor<?xf32>
  %less = arith.cmpi slt, %n, %m : index
  %twice = arith.muli %n, %c2 : index
  %size = arith.select %less, %m, %twice : index
  %half = arith.divsi %size, %c2 : index
  %1 = tensor.empty(%half) : tensor<?xf32>
  return %0, %1 : tensor<?xf32>, tensor<?xf32>
}

// CHECK-LABEL: relax.func @choices
func.func @choices(%x: tensor<?xf32> {relay.dims = ["n"]}, %y: tensor<4xf32>)
    -> (tensor<?xf32>, tensor<?xf32>) {
  // CHECK: %[[A:.*]]:2 = relax.call_tir @choose{{.*}} -> (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>)
  %0:2 = relay.call @choose(%x, %x)
    : (tensor<?xf32>, tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>)
  // CHECK: relax.call_tir @choose{{.*}} -> (!relax.tensor<[4], f32>, !relax.tensor<[4], f32>)
  %1:2 = relay.call @choose(%y, %y)
    : (tensor<4xf32>, tensor<4xf32>) -> (tensor<?xf32>, tensor<?xf32>)
  return %0#1, %1#0 : tensor<?xf32>, tensor<?xf32>
}

// -----

// A kernel that only changes the shape does not become a kernel; a constant is
// reshaped at once.

// CHECK-NOT: func.func private @flatten
func.func private @flatten(%x: tensor<?x2x3xf32>) -> tensor<?x6xf32>
    attributes {relay.primitive} {
  %0 = tensor.collapse_shape %x [[0], [1, 2]]
    : tensor<?x2x3xf32> into tensor<?x6xf32>
  return %0 : tensor<?x6xf32>
}
func.func private @flatten_constant(%x: tensor<1x2x3xf32>) -> tensor<6xf32>
    attributes {relay.primitive} {
  %0 = tensor.collapse_shape %x [[0, 1, 2]]
    : tensor<1x2x3xf32> into tensor<6xf32>
  return %0 : tensor<6xf32>
}

// CHECK-LABEL: relax.func @reshapes(
//  CHECK-SAME:   %[[X:[a-z0-9]+]]:
func.func @reshapes(%x: tensor<?x2x3xf32> {relay.dims = ["n", "", ""]})
    -> (tensor<?x6xf32>, tensor<6xf32>) {
  // CHECK: %[[C:.*]] = relax.constant dense_resource<w> : tensor<6xf32>
  %c = relay.constant dense_resource<w> : tensor<1x2x3xf32>
  // CHECK: %[[F:.*]] = relax.dataflow {
  // CHECK: relax.reshape %[[X]] : !relax.tensor<[n, 2, 3], f32> to !relax.tensor<[n, 6], f32>
  %0 = relay.call @flatten(%x) : (tensor<?x2x3xf32>) -> tensor<?x6xf32>
  %1 = relay.call @flatten_constant(%c) : (tensor<1x2x3xf32>) -> tensor<6xf32>
  // CHECK: relax.return %[[F]], %[[C]]
  return %0, %1 : tensor<?x6xf32>, tensor<6xf32>
}

// -----

// Arguments that are constants in every call are free in their layout.

// CHECK: func.func private @always(
// CHECK-SAME: attributes {relay.primitive, tir.layout_free = [1]}
func.func private @always(%x: tensor<4xf32>, %w: tensor<4xf32>)
    -> tensor<4xf32> attributes {relay.primitive} {
  %0 = linalg.add ins(%x, %w : tensor<4xf32>, tensor<4xf32>)
                  outs(%x : tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// CHECK: func.func private @sometimes(
// CHECK-SAME: attributes {relay.primitive} {
func.func private @sometimes(%x: tensor<4xf32>, %w: tensor<4xf32>)
    -> tensor<4xf32> attributes {relay.primitive} {
  %0 = linalg.mul ins(%x, %w : tensor<4xf32>, tensor<4xf32>)
                  outs(%x : tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: relax.func @layouts
func.func @layouts(%x: tensor<4xf32>) -> tensor<4xf32> {
  %w = relay.constant dense<1.0> : tensor<4xf32>
  %0 = relay.call @always(%x, %w)
    : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = relay.call @always(%0, %w)
    : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = relay.call @sometimes(%1, %w)
    : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %3 = relay.call @sometimes(%2, %2)
    : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %3 : tensor<4xf32>
}

// -----

// Tuples exist at compile time only; a returned tuple is several results.

func.func private @f(%x: tensor<4xf32>) -> tensor<4xf32>
    attributes {relay.primitive} {
  %0 = linalg.exp ins(%x : tensor<4xf32>) outs(%x : tensor<4xf32>)
    -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: relax.func @tuples(
//  CHECK-SAME:   %[[X:[a-z0-9]+]]: !relax.tensor<[4], f32>, %[[Y:[a-z0-9]+]]:
//  CHECK-SAME:   -> (!relax.tensor<[4], f32>, !relax.tensor<[4], f32>)
func.func @tuples(%x: tensor<4xf32>, %y: tensor<4xf32>)
    -> tuple<tensor<4xf32>, tensor<4xf32>> {
  %inner = relay.tuple %x, %y : tensor<4xf32>, tensor<4xf32>
  %outer = relay.tuple %inner, %y
    : tuple<tensor<4xf32>, tensor<4xf32>>, tensor<4xf32>
  %0 = relay.tuple_get_item %outer[0]
    : tuple<tuple<tensor<4xf32>, tensor<4xf32>>, tensor<4xf32>>
  %1 = relay.tuple_get_item %0[1] : tuple<tensor<4xf32>, tensor<4xf32>>
  // CHECK: relax.call_tir @f(%[[Y]])
  %2 = relay.call @f(%1) : (tensor<4xf32>) -> tensor<4xf32>
  %3 = relay.tuple %2, %x : tensor<4xf32>, tensor<4xf32>
  // CHECK: relax.return %{{.*}}, %[[X]]
  return %3 : tuple<tensor<4xf32>, tensor<4xf32>>
}

// -----

// Sizes that a kernel takes as equal, under different names, are checked before
// a run.

func.func private @add(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32>
    attributes {relay.primitive} {
  %0 = linalg.add ins(%x, %y : tensor<?xf32>, tensor<?xf32>)
                  outs(%x : tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
func.func private @concat(%x: tensor<?x?xf32>, %y: tensor<?x3xf32>)
    -> tensor<?x?xf32> attributes {relay.primitive} {
  %0 = tensor.concat dim(1) %x, %y
    : (tensor<?x?xf32>, tensor<?x3xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
func.func private @cast(%x: tensor<?xf32>) -> tensor<4xf32>
    attributes {relay.primitive} {
  %0 = tensor.cast %x : tensor<?xf32> to tensor<4xf32>
  %1 = linalg.exp ins(%0 : tensor<4xf32>) outs(%0 : tensor<4xf32>)
    -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

func.func private @split(%x: tensor<?xf32>) -> tensor<?x4xf32>
    attributes {relay.primitive} {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %q = affine.apply affine_map<()[s0] -> (s0 floordiv 4)>()[%n]
  %0 = tensor.expand_shape %x [[0, 1]] output_shape [%q, 4]
    : tensor<?xf32> into tensor<?x4xf32>
  %1 = linalg.exp ins(%0 : tensor<?x4xf32>) outs(%0 : tensor<?x4xf32>)
    -> tensor<?x4xf32>
  return %1 : tensor<?x4xf32>
}

// CHECK-LABEL: relax.func @assumptions
func.func @assumptions(%a: tensor<?xf32> {relay.dims = ["n"]},
                       %b: tensor<?xf32> {relay.dims = ["m"]},
                       %c: tensor<?x?xf32> {relay.dims = ["n", "k"]},
                       %d: tensor<?x3xf32> {relay.dims = ["l", ""]})
    -> (tensor<?xf32>, tensor<?xf32>, tensor<?x?xf32>, tensor<4xf32>,
        tensor<?x4xf32>) {
  // CHECK: relax.assert_equal [n, n, k, m], [m, l, 4, 4 * (m floordiv 4)]
  %0 = relay.call @add(%a, %b)
    : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %1 = relay.call @add(%b, %a)
    : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %2 = relay.call @concat(%c, %d)
    : (tensor<?x?xf32>, tensor<?x3xf32>) -> tensor<?x?xf32>
  %3 = relay.call @row(%c) : (tensor<?x?xf32>) -> tensor<?xf32>
  %4 = relay.call @cast(%3) : (tensor<?xf32>) -> tensor<4xf32>
  %5 = relay.call @split(%b) : (tensor<?xf32>) -> tensor<?x4xf32>
  return %0, %1, %2, %4, %5 : tensor<?xf32>, tensor<?xf32>, tensor<?x?xf32>,
    tensor<4xf32>, tensor<?x4xf32>
}
func.func private @row(%x: tensor<?x?xf32>) -> tensor<?xf32>
    attributes {relay.primitive} {
  %c1 = arith.constant 1 : index
  %k = tensor.dim %x, %c1 : tensor<?x?xf32>
  %0 = tensor.empty(%k) : tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// Kernels have signless elements, the model keeps its own.

func.func private @copy(%x: tensor<4xi8>) -> tensor<4xi8>
    attributes {relay.primitive} {
  %0 = linalg.copy ins(%x : tensor<4xi8>) outs(%x : tensor<4xi8>)
    -> tensor<4xi8>
  return %0 : tensor<4xi8>
}

// CHECK-LABEL: relax.func @unsigned
func.func @unsigned(%x: tensor<4xui8>) -> tensor<4xui8> {
  %0 = tensor.bitcast %x : tensor<4xui8> to tensor<4xi8>
  // CHECK: relax.call_tir @copy(%{{.*}}) : (!relax.tensor<[4], ui8>) -> !relax.tensor<[4], ui8>
  %1 = relay.call @copy(%0) : (tensor<4xi8>) -> tensor<4xi8>
  %2 = tensor.bitcast %1 : tensor<4xi8> to tensor<4xui8>
  return %2 : tensor<4xui8>
}

// Of one sum, with and without a sign, one is a copy.

func.func private @forward(%x: tensor<4xi8>) -> tensor<4xi8>
    attributes {relay.primitive} {
  return %x : tensor<4xi8>
}

// CHECK-LABEL: relax.func @both_signs
// CHECK:         %[[SIGNED:.*]] = relax.call_tir @copy({{.*}}) : {{.*}} -> !relax.tensor<[4], i8>
// CHECK:         %[[UNSIGNED:.*]] = relax.call_tir @forward(%[[SIGNED]]) : {{.*}} -> !relax.tensor<[4], ui8>
// CHECK:         relax.output %[[SIGNED]], %[[UNSIGNED]]
func.func @both_signs(%x: tensor<4xi8>) -> (tensor<4xi8>, tensor<4xui8>) {
  %0 = relay.call @copy(%x) : (tensor<4xi8>) -> tensor<4xi8>
  %1 = relay.call @forward(%0) : (tensor<4xi8>) -> tensor<4xi8>
  %2 = tensor.bitcast %1 : tensor<4xi8> to tensor<4xui8>
  return %0, %2 : tensor<4xi8>, tensor<4xui8>
}

{-#
  dialect_resources: {
    builtin: {
      w: "0x040000000000803F000000400000404000008040000080400000A040"
    }
  }
#-}
