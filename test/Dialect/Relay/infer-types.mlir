// Types follow from those of the arguments.
// RUN: relay-opt %s --relay-infer-types --verify-relay-typed --split-input-file | FileCheck %s

// Sizes that the importer left open become known, up to the function's results.
// CHECK-LABEL: func.func @main
// CHECK-SAME:  -> (tensor<2x4x6x6xf32>, tensor<2x144xf32>)
// CHECK:         relay.nn.conv2d {{.*}} -> tensor<2x4x6x6xf32>
// CHECK:         relay.nn.batch_flatten {{.*}} : (tensor<2x4x6x6xf32>) -> tensor<2x144xf32>
func.func @main(%x: tensor<2x3x8x8xf32>, %w: tensor<4x3x3x3xf32>) -> (tensor<?x4x?x?xf32>, tensor<?x?xf32>) {
  %0 = relay.nn.conv2d %x, %w : (tensor<2x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<?x4x?x?xf32>
  %1 = relay.nn.batch_flatten %0 : (tensor<?x4x?x?xf32>) -> tensor<?x?xf32>
  return %0, %1 : tensor<?x4x?x?xf32>, tensor<?x?xf32>
}

// -----

// What a type says beyond inference stays.
// CHECK-LABEL: func.func @main
// CHECK-SAME:  -> tensor<3x5xf32>
// CHECK:         relay.arange {{.*}} -> tensor<5xf32>
// CHECK:         relay.add {{.*}} -> tensor<3x5xf32>
func.func @main(%n: tensor<f32>, %x: tensor<3x1xf32>) -> tensor<3x?xf32> {
  %zero = relay.constant dense<0.0> : tensor<f32>
  %one = relay.constant dense<1.0> : tensor<f32>
  %0 = relay.arange %zero, %n, %one {dtype = f32} : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<5xf32>
  %1 = relay.add %x, %0 : (tensor<3x1xf32>, tensor<5xf32>) -> tensor<3x?xf32>
  return %1 : tensor<3x?xf32>
}

// -----

// Tuples are refined field by field.
// CHECK-LABEL: func.func @main
// CHECK-SAME:  -> tensor<2xf32>
// CHECK:         relay.split {{.*}} -> tuple<tensor<2xf32>, tensor<2xf32>>
// CHECK:         relay.tuple_get_item %{{.*}}[1] : tuple<tensor<2xf32>, tensor<2xf32>>
func.func @main(%x: tensor<4xf32>) -> tensor<?xf32> {
  %0 = relay.split %x {indices_or_sections = 2} : (tensor<4xf32>) -> tuple<tensor<2xf32>, tensor<?xf32>>
  %1 = relay.tuple_get_item %0[1] : tuple<tensor<2xf32>, tensor<?xf32>>
  return %1 : tensor<?xf32>
}

// -----

// A private function takes the types of its only call and returns what follows.
// CHECK-LABEL: func.func private @callee(%{{.*}}: tensor<4xf32>) -> tensor<4xf32>
// CHECK-LABEL: func.func @main
// CHECK-SAME:  -> tensor<4xf32>
func.func private @callee(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = relay.exp %x : (tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
func.func @main(%x: tensor<4xf32>) -> tensor<?xf32> {
  %0 = relay.call @callee(%x) : (tensor<4xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// Sizes on which the calls of a function differ are dynamic, also for the call
// that came first.
// CHECK-LABEL: func.func private @callee(%{{.*}}: tensor<?x3xf32>) -> tensor<?x3xf32>
// CHECK-LABEL: func.func @main
// CHECK-SAME:  -> (tensor<?x3xf32>, tensor<?x3xf32>)
// CHECK:         relay.exp {{.*}} : (tensor<?x3xf32>) -> tensor<?x3xf32>
func.func private @callee(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = relay.exp %x : (tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
func.func @main(%x: tensor<4x3xf32>, %y: tensor<5x3xf32>) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  %0 = relay.call @callee(%x) : (tensor<4x3xf32>) -> tensor<?x?xf32>
  %1 = relay.exp %0 : (tensor<?x?xf32>) -> tensor<?x?xf32>
  %2 = relay.call @callee(%y) : (tensor<5x3xf32>) -> tensor<?x?xf32>
  return %1, %2 : tensor<?x?xf32>, tensor<?x?xf32>
}
