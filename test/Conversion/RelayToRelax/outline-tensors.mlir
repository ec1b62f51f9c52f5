// Operators that are connected become a function of tensors, as far as nothing
// else stands between them.
//
// RUN: relay-opt %s --split-input-file --relay-outline-tensors | FileCheck %s

// A closure in between makes two functions; constants and names go along.
//
// CHECK-LABEL: func.func @closure(
// CHECK-SAME:    %[[F:.*]]: (tensor<4xf32>) -> tensor<4xf32>, %[[X:.*]]: tensor<4xf32>
// CHECK-NEXT:    %[[A:.*]] = relay.call @closure.0(%[[X]])
// CHECK-NEXT:    %[[B:.*]] = relay.call_indirect %[[F]](%[[A]])
// CHECK-NEXT:    %[[C:.*]] = relay.call @closure.1(%[[B]], %[[A]])
// CHECK-NEXT:    return %[[C]]
// CHECK:       func.func @closure.0(%[[X:.*]]: tensor<4xf32> {relay.name = "x"})
// CHECK-SAME:    attributes {relay.tensor_function}
// CHECK-NEXT:    %[[ABS:.*]] = relay.abs %[[X]]
// CHECK-NEXT:    %[[ONE:.*]] = relay.constant dense<1.0
// CHECK-NEXT:    relay.add %[[ABS]], %[[ONE]]
// CHECK:       func.func @closure.1(
// CHECK-NEXT:    relay.add
func.func @closure(%f: (tensor<4xf32>) -> tensor<4xf32>,
                   %x: tensor<4xf32> {relay.name = "x"}) -> tensor<4xf32> {
  %c = relay.constant dense<1.0> : tensor<f32>
  %0 = relay.abs %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = relay.add %0, %c : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %2 = relay.call_indirect %f(%1) : (tensor<4xf32>) -> tensor<4xf32>
  %3 = relay.add %2, %1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %3 : tensor<4xf32>
}

// -----

// What is not connected is two functions, what runs in a branch stays there, and
// what nothing needs goes.
//
// CHECK-LABEL: func.func @branch(
// CHECK-NEXT:    %[[C:.*]] = relay.call @branch.0(
// CHECK-NEXT:    %[[A:.*]] = relay.call @branch.1(
// CHECK-NEXT:    relay.if %[[C]]
// CHECK-NEXT:      %[[B:.*]] = relay.call @branch.2(%[[A]])
// CHECK-NEXT:      relay.yield %[[B]]
// CHECK-NEXT:    } else {
// CHECK-NEXT:      relay.yield %[[A]]
// CHECK:       func.func @branch.0({{.*}}) -> tensor<i1>
// CHECK:       func.func @branch.1({{.*}}) -> tensor<f32>
// CHECK:       func.func @branch.2({{.*}}) -> tensor<f32>
// CHECK-NOT:   relay.sqrt
func.func @branch(%i: tensor<i32>, %x: tensor<f32>) -> tensor<f32> {
  %zero = relay.constant dense<0> : tensor<i32>
  %c = relay.less %i, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %0 = relay.abs %x : (tensor<f32>) -> tensor<f32>
  %1 = relay.if %c : tensor<i1> -> tensor<f32> {
    %2 = relay.exp %0 : (tensor<f32>) -> tensor<f32>
    relay.yield %2 : tensor<f32>
  } else {
    %3 = relay.sqrt %0 : (tensor<f32>) -> tensor<f32>
    relay.yield %0 : tensor<f32>
  }
  return %1 : tensor<f32>
}

// -----

// Effects stay in order: the second operator waits for the second call, though
// the first one could be with it.
//
// CHECK-LABEL: func.func @effects(
// CHECK-NEXT:    %[[A:.*]] = relay.call @effects.0(
// CHECK-NEXT:    relay.ref_write %{{.*}}, %[[A]]
// CHECK-NEXT:    %[[B:.*]] = relay.ref_read
// CHECK-NEXT:    %[[C:.*]] = relay.call @effects.1(%[[A]], %[[B]])
// CHECK-NEXT:    return %[[C]]
func.func @effects(%r: !relay.ref<tensor<f32>>, %x: tensor<f32>)
    -> tensor<f32> {
  %0 = relay.abs %x : (tensor<f32>) -> tensor<f32>
  %1 = relay.ref_write %r, %0 : (!relay.ref<tensor<f32>>, tensor<f32>) -> tuple<>
  %2 = relay.ref_read %r : (!relay.ref<tensor<f32>>) -> tensor<f32>
  %3 = relay.add %0, %2 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %3 : tensor<f32>
}

// -----

// Tuples are taken apart at the border of a function.
//
// CHECK-LABEL: func.func @tuples(
// CHECK-NEXT:    %[[S:.*]]:2 = relay.call @tuples.0(
// CHECK-NEXT:    %[[T:.*]] = relay.tuple %[[S]]#0, %[[S]]#1
// CHECK-NEXT:    return %[[T]]
// CHECK:       func.func @tuples.0({{.*}}) -> (tensor<2xf32>, tensor<2xf32>)
// CHECK:         %[[SPLIT:.*]] = relay.split
// CHECK-NEXT:    %[[A:.*]] = relay.tuple_get_item %[[SPLIT]][0]
// CHECK-NEXT:    %[[B:.*]] = relay.tuple_get_item %[[SPLIT]][1]
// CHECK-NEXT:    return %[[A]], %[[B]]
func.func @tuples(%x: tensor<4xf32>) -> tuple<tensor<2xf32>, tensor<2xf32>> {
  %0 = relay.split %x {indices_or_sections = 2 : i64, axis = 0 : i64}
    : (tensor<4xf32>) -> tuple<tensor<2xf32>, tensor<2xf32>>
  return %0 : tuple<tensor<2xf32>, tensor<2xf32>>
}

// -----

// As many rows as there could be, and how many there are, come from a function;
// the machine makes a size of the number, and another function takes that part.
//
// CHECK-LABEL: func.func @positions(
// CHECK-NEXT:    %[[ALL:.*]]:2 = relay.call @positions.0(%{{.*}}) {{.*}} -> (tensor<5x1xi32>, tensor<1xi64>)
// CHECK-NEXT:    %[[SIZED:.*]] = relay.call @vm.builtin.make_sized.1.1.i64(%[[ALL]]#1)
// CHECK-NEXT:    %[[ROWS:.*]] = relay.call @positions.1(%[[SIZED]], %[[ALL]]#0)
// CHECK-NEXT:    return %[[ROWS]]
// CHECK:       func.func @positions.1(
// CHECK:         %[[SHAPE:.*]] = relay.shape_of
// CHECK:         %[[SLICE:.*]] = relay.dyn.strided_slice
// CHECK:         relay.negative %[[SLICE]]
func.func @positions(%x: tensor<5xf32>) -> tensor<?x1xi32> {
  %0 = relay.argwhere %x : (tensor<5xf32>) -> tensor<?x1xi32>
  %1 = relay.negative %0 : (tensor<?x1xi32>) -> tensor<?x1xi32>
  return %1 : tensor<?x1xi32>
}

// -----

// The code of others is called where an operator would be, between operators.
//
// CHECK-LABEL: func.func @external_code(
// CHECK-NEXT:    %[[Y:.*]] = relay.call @external_code.0(%{{.*}})
// CHECK-NEXT:    return %[[Y]]
// CHECK:       func.func @external_code.0(
// CHECK-NEXT:    relay.exp
// CHECK-NEXT:    relay.call @theirs(
// CHECK-NEXT:    relay.negative
func.func private @theirs(%x: tensor<4xf32>) -> tensor<4xf32>
    attributes {relay.compiler = "acme", relay.generated, relay.primitive} {
  %0 = relay.tanh %x : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @external_code(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = relay.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = relay.call @theirs(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = relay.negative %1 : (tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}
