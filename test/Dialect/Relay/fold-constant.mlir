// RUN: relay-opt %s --relay-fold-constant --split-input-file --verify-diagnostics | FileCheck %s
// RUN: relay-opt %s --relay-fold-constant='max-growth=0' --split-input-file | FileCheck %s --check-prefix=GROWTH

// A chain becomes one constant, and the constants it read are gone.
// CHECK-LABEL: func.func @chain
// CHECK-NEXT: %[[C:.*]] = relay.constant dense<{{\[\[}}-1.000000e+00, -3.000000e+00], [-2.000000e+00, -4.000000e+00]]> : tensor<2x2xf32>
// CHECK-NEXT: %[[SUM:.*]] = relay.add %{{.*}}, %[[C]]
// CHECK-NEXT: return %[[SUM]]
func.func @chain(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %w = relay.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %0 = relay.transpose %w {axes = [1, 0]} : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %1 = relay.negative %0 : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %2 = relay.add %x, %1 : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return %2 : tensor<2x2xf32>
}

// -----

// A value that is needed in the middle of a chain is one constant, shared.
// CHECK-LABEL: func.func @middle
// CHECK-NEXT: %[[C:.*]] = relay.constant dense<[2.000000e+00, 3.000000e+00]> : tensor<2xf32>
// CHECK-NEXT: %[[SUM:.*]] = relay.add %{{.*}}, %[[C]]
// CHECK-NEXT: %[[D:.*]] = relay.constant dense<[4.000000e+00, 9.000000e+00]> : tensor<2xf32>
// CHECK-NEXT: return %[[SUM]], %[[D]], %[[C]]
func.func @middle(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %w = relay.constant dense<[-2.0, -3.0]> : tensor<2xf32>
  %0 = relay.abs %w : (tensor<2xf32>) -> tensor<2xf32>
  %1 = relay.add %x, %0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %2 = relay.multiply %0, %0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %1, %2, %0 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}

// -----

// Tuples are looked through, and made again where they are needed.
// CHECK-LABEL: func.func @tuples
// CHECK-NEXT: %[[B:.*]] = relay.constant dense<[3, 4]> : tensor<2xi32>
// CHECK-NEXT: %[[X:.*]] = relay.constant dense<[5, 6]> : tensor<2xi32>
// CHECK-NEXT: %[[Y:.*]] = relay.constant dense<[7, 8]> : tensor<2xi32>
// CHECK-NEXT: %[[T:.*]] = relay.tuple %[[X]], %[[Y]]
// CHECK-NEXT: return %[[B]], %[[T]]
func.func @tuples() -> (tensor<2xi32>, tuple<tensor<2xi32>, tensor<2xi32>>) {
  %a = relay.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %b = relay.constant dense<[5, 6, 7, 8]> : tensor<4xi32>
  %0 = relay.split %a {indices_or_sections = 2} : (tensor<4xi32>) -> tuple<tensor<2xi32>, tensor<2xi32>>
  %1 = relay.tuple_get_item %0[1] : tuple<tensor<2xi32>, tensor<2xi32>>
  %2 = relay.split %b {indices_or_sections = 2} : (tensor<4xi32>) -> tuple<tensor<2xi32>, tensor<2xi32>>
  return %1, %2 : tensor<2xi32>, tuple<tensor<2xi32>, tensor<2xi32>>
}

// -----

// Static shapes are known even where values are not.
// CHECK-LABEL: func.func @shapes
// CHECK-DAG: %[[SHAPE:.*]] = relay.constant dense<[2, 3]> : tensor<2xi64>
// CHECK-DAG: %[[SIZE:.*]] = relay.constant dense<6> : tensor<i32>
// CHECK: %[[DYNAMIC:.*]] = relay.shape_of %{{.*}} : (tensor<?x3xf32>)
// CHECK: return %[[SHAPE]], %[[SIZE]], %[[DYNAMIC]]
func.func @shapes(%x: tensor<2x3xf32>, %y: tensor<?x3xf32>) -> (tensor<2xi64>, tensor<i32>, tensor<2xi32>) {
  %0 = relay.shape_of %x {dtype = i64} : (tensor<2x3xf32>) -> tensor<2xi64>
  %1 = relay.ndarray_size %x : (tensor<2x3xf32>) -> tensor<i32>
  %2 = relay.shape_of %y : (tensor<?x3xf32>) -> tensor<2xi32>
  return %0, %1, %2 : tensor<2xi64>, tensor<i32>, tensor<2xi32>
}

// -----

// A result of unknown size becomes a static constant for operators, but not for
// a return, which wants the type as it is.
// CHECK-LABEL: func.func @dynamic
// CHECK: %[[START:.*]] = relay.constant dense<0>
// CHECK: %[[RANGE:.*]] = relay.constant dense<[0, 1, 2]> : tensor<3xi32>
// CHECK: relay.take %{{.*}}, %[[RANGE]]
// CHECK: relay.arange %[[START]]
func.func @dynamic(%x: tensor<8xf32>) -> (tensor<?xf32>, tensor<?xi32>) {
  %start = relay.constant dense<0> : tensor<i32>
  %stop = relay.constant dense<3> : tensor<i32>
  %step = relay.constant dense<1> : tensor<i32>
  %0 = relay.arange %start, %stop, %step {dtype = i32} : (tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<?xi32>
  %1 = relay.take %x, %0 {axis = 0} : (tensor<8xf32>, tensor<?xi32>) -> tensor<?xf32>
  %2 = relay.arange %start, %stop, %step {dtype = i32} : (tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<?xi32>
  return %1, %2 : tensor<?xf32>, tensor<?xi32>
}

// -----

// Large results are resources; uniform ones stay readable, however large.
// CHECK-LABEL: func.func @large
// CHECK-DAG: %[[CAT:.*]] = relay.constant dense_resource<folded.concatenate> : tensor<66xf32>
// CHECK-DAG: %[[SPLAT:.*]] = relay.constant dense<3.000000e+00> : tensor<1000xf32>
// CHECK: return %[[CAT]], %[[SPLAT]]
// CHECK: folded.concatenate: "0x04000000
func.func @large() -> (tensor<66xf32>, tensor<1000xf32>) {
  %a = relay.constant dense<1.0> : tensor<33xf32>
  %b = relay.constant dense<2.0> : tensor<33xf32>
  %c = relay.constant dense<3.0> : tensor<1000xf32>
  %0 = relay.concatenate %a, %b : (tensor<33xf32>, tensor<33xf32>) -> tensor<66xf32>
  %1 = relay.abs %c : (tensor<1000xf32>) -> tensor<1000xf32>
  return %0, %1 : tensor<66xf32>, tensor<1000xf32>
}

// -----

// Results that are much larger than what makes them are not stored.
// CHECK-LABEL: func.func @growth
// CHECK: relay.full
// CHECK: %[[SMALL:.*]] = relay.constant dense<1.000000e+00> : tensor<10xf32>
// CHECK-NOT: relay.full
// CHECK: return %{{.*}}, %[[SMALL]]
// GROWTH-LABEL: func.func @growth
// GROWTH: relay.full {{.*}} -> tensor<1000000xf32>
// GROWTH: relay.full {{.*}} -> tensor<10xf32>
func.func @growth() -> (tensor<1000000xf32>, tensor<10xf32>) {
  %one = relay.constant dense<1.0> : tensor<f32>
  %0 = relay.full %one {shape = [1000000]} : (tensor<f32>) -> tensor<1000000xf32>
  %1 = relay.full %one {shape = [10]} : (tensor<f32>) -> tensor<10xf32>
  return %0, %1 : tensor<1000000xf32>, tensor<10xf32>
}

// -----

// No operands: nothing is gained.
// CHECK-LABEL: func.func @no_operands
// CHECK: relay.zeros
func.func @no_operands() -> tensor<4xf32> {
  %0 = relay.zeros {shape = [4], dtype = f32} : () -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// What fails stays, without a diagnostic: it may never run.
// CHECK-LABEL: func.func @fails
// CHECK: %[[X:.*]] = relay.constant dense<[1, 2]>
// CHECK: %[[INDICES:.*]] = relay.constant dense<9>
// CHECK: relay.gather %[[X]], %[[INDICES]]
func.func @fails() -> tensor<2xi32> {
  %x = relay.constant dense<[-1, -2]> : tensor<2xi32>
  %0 = relay.abs %x : (tensor<2xi32>) -> tensor<2xi32>
  %indices = relay.constant dense<9> : tensor<2xi64>
  %1 = relay.gather %0, %indices {axis = 0} : (tensor<2xi32>, tensor<2xi64>) -> tensor<2xi32>
  return %1 : tensor<2xi32>
}

// -----

// A resource without data cannot be read.
// CHECK-LABEL: func.func @elided
// CHECK: relay.negative
func.func @elided() -> tensor<4xf32> {
  %w = relay.constant dense_resource<__elided__> : tensor<4xf32>
  %0 = relay.negative %w : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// Primitive functions are left alone, and calls of them stay.
// CHECK-LABEL: func.func private @primitive
// CHECK: relay.constant
// CHECK: relay.negative
// CHECK-LABEL: func.func @caller
// CHECK: relay.call @primitive
func.func private @primitive() -> tensor<f32> attributes {relay.primitive} {
  %c = relay.constant dense<1.0> : tensor<f32>
  %0 = relay.negative %c : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
func.func @caller() -> tensor<f32> {
  %0 = relay.call @primitive() : () -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

// Dead operators are dropped, not evaluated.
// CHECK-LABEL: func.func @dead
// CHECK-NEXT: return
func.func @dead(%x: tensor<2xf32>) {
  %w = relay.constant dense<1.0> : tensor<2xf32>
  %0 = relay.negative %w : (tensor<2xf32>) -> tensor<2xf32>
  %1 = relay.add %x, %0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

// Inside of closures and branches, with what they capture; a dead closure goes
// as a whole. What is called stays.
// CHECK-LABEL: func.func @language
func.func @language(%c: tensor<i1>, %x: tensor<2xf32>) -> tensor<2xf32> {
  %one = relay.constant dense<1.0> : tensor<2xf32>
  %two = relay.add %one, %one : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  // CHECK-NOT: relay.fn (%{{.*}}: tensor<i1>)
  %dead = relay.fn (%y: tensor<i1>) -> tensor<2xf32> {
    %three = relay.constant dense<3.0> : tensor<2xf32>
    %0 = relay.add %three, %two : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    relay.yield %0 : tensor<2xf32>
  }
  // CHECK: %[[TWO:.*]] = relay.constant dense<2.000000e+00>
  // CHECK: relay.fn
  %f = relay.fn (%y: tensor<2xf32>) -> tensor<2xf32> {
    // CHECK-NEXT: %[[THREE:.*]] = relay.constant dense<3.000000e+00>
    // CHECK-NEXT: relay.multiply %{{.*}}, %[[THREE]]
    %three = relay.add %two, %one : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %0 = relay.multiply %y, %three : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    relay.yield %0 : tensor<2xf32>
  }
  // CHECK: relay.if
  %0 = relay.if %c : tensor<i1> -> tensor<2xf32> {
    // CHECK-NEXT: relay.call_indirect
    %1 = relay.call_indirect %f(%x) : (tensor<2xf32>) -> tensor<2xf32>
    relay.yield %1 : tensor<2xf32>
  } else {
    // CHECK: relay.yield %[[TWO]]
    relay.yield %two : tensor<2xf32>
  }
  return %0 : tensor<2xf32>
}

// -----

// A variable is the constant that it is bound to, and a branch that a constant
// chooses is folded with what stands around it.
// CHECK-LABEL: func.func @language
// CHECK-NEXT: %[[C:.*]] = relay.constant dense<[4.000000e+00, 8.000000e+00]> : tensor<2xf32>
// CHECK-NEXT: %[[SUM:.*]] = relay.add %{{.*}}, %[[C]]
// CHECK-NEXT: return %[[SUM]]
func.func @language(%x: tensor<2xf32>) -> tensor<2xf32> {
  %one = relay.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %c = relay.let "c" %one : tensor<2xf32>
  %0 = relay.add %c, %c : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %two = relay.let "two" %0 : tensor<2xf32>
  %false = relay.constant dense<false> : tensor<i1>
  %true = relay.logical_not %false : (tensor<i1>) -> tensor<i1>
  %1 = relay.if %true : tensor<i1> -> tensor<2xf32> {
    %2 = relay.if %false : tensor<i1> -> tensor<2xf32> {
      relay.yield %x : tensor<2xf32>
    } else {
      %3 = relay.add %two, %two : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
      relay.yield %3 : tensor<2xf32>
    }
    %4 = relay.add %x, %2 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    relay.yield %4 : tensor<2xf32>
  } else {
    %5 = relay.multiply %two, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    relay.yield %5 : tensor<2xf32>
  }
  return %1 : tensor<2xf32>
}

// -----

// CHECK-LABEL: func.func @dropout
// CHECK: relay.nn.dropout
func.func @dropout() -> tuple<tensor<2xf32>, tensor<2xf32>> {
  %c = relay.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %0 = relay.nn.dropout %c : (tensor<2xf32>) -> tuple<tensor<2xf32>, tensor<2xf32>>
  return %0 : tuple<tensor<2xf32>, tensor<2xf32>>
}

// What is only summed may be larger than its operand: sums of weights of bytes.
// CHECK-LABEL: func @sums_of_weight
//   CHECK-NOT:   relay.cast
//       CHECK:   relay.constant dense<6144> : tensor<1024xi32>
func.func @sums_of_weight() -> tensor<1024xi32> {
  %w = relay.constant dense<3> : tensor<1024x2048xi8>
  %0 = relay.cast %w {dtype = i32} : (tensor<1024x2048xi8>) -> tensor<1024x2048xi32>
  %1 = relay.sum %0 {axis = [1]} : (tensor<1024x2048xi32>) -> tensor<1024xi32>
  return %1 : tensor<1024xi32>
}

// -----

// The branch that is left may know more sizes than the `if` does.
// CHECK-LABEL: func.func @branch_of_known_sizes
// CHECK:         %[[V:.*]] = relay.tanh %arg0 : (tensor<2x3xf32>) -> tensor<2x3xf32>
// CHECK-NEXT:    %[[A:.*]] = relay.ascribe %[[V]] : tensor<2x3xf32> as tensor<?x3xf32>
// CHECK-NEXT:    %[[L:.*]] = relay.let "x" %[[A]] : tensor<?x3xf32>
// CHECK-NEXT:    relay.exp %[[L]] : (tensor<?x3xf32>) -> tensor<?x3xf32>
func.func @branch_of_known_sizes(%x: tensor<2x3xf32>, %y: tensor<?x3xf32>) -> tensor<?x3xf32> {
  %c = relay.constant dense<true> : tensor<i1>
  %0 = relay.if %c : tensor<i1> -> tensor<?x3xf32> {
    %1 = relay.tanh %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
    relay.yield %1 : tensor<2x3xf32>
  } else {
    relay.yield %y : tensor<?x3xf32>
  }
  %2 = relay.let "x" %0 : tensor<?x3xf32>
  %3 = relay.exp %2 : (tensor<?x3xf32>) -> tensor<?x3xf32>
  return %3 : tensor<?x3xf32>
}

// -----

// A field of a tuple is at hand, also of a variable and beside what is none.
// CHECK-LABEL: func.func @fields
// CHECK-DAG:     %[[SIX:.*]] = relay.constant dense<6.000000e+00>
// CHECK-DAG:     %[[S:.*]] = relay.add %arg0, %[[SIX]]
// CHECK-DAG:     %[[T:.*]] = relay.tuple %arg0, %arg0
// CHECK:         return %[[S]], %[[T]]
func.func @fields(%x: tensor<f32>) -> (tensor<f32>, tuple<tensor<f32>, tensor<f32>>) {
  %one = relay.constant dense<1.0> : tensor<f32>
  %two = relay.constant dense<2.0> : tensor<f32>
  %three = relay.constant dense<3.0> : tensor<f32>
  %0 = relay.tuple %one, %three : tensor<f32>, tensor<f32>
  %1 = relay.let "y" %0 : tuple<tensor<f32>, tensor<f32>>
  %2 = relay.tuple_get_item %1[1] : tuple<tensor<f32>, tensor<f32>>
  %3 = relay.tuple %x, %two : tensor<f32>, tensor<f32>
  %4 = relay.tuple_get_item %3[1] : tuple<tensor<f32>, tensor<f32>>
  %5 = relay.multiply %2, %4 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %6 = relay.tuple_get_item %3[0] : tuple<tensor<f32>, tensor<f32>>
  %7 = relay.add %6, %5 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %8 = relay.tuple %x, %6 : tensor<f32>, tensor<f32>
  return %7, %8 : tensor<f32>, tuple<tensor<f32>, tensor<f32>>
}
