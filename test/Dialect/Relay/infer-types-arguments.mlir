// The entry's arguments can be given other sizes.
// RUN: relay-opt %s --relay-infer-types='arg-types=tensor<7x3x16x16xf32>,tensor<4x3x3x3xf32>' --verify-relay-typed | FileCheck %s
// RUN: relay-opt %s --relay-infer-types='arg-types=tensor<?x3x8x8xf32>,tensor<4x3x3x3xf32>' --verify-relay-typed | FileCheck %s --check-prefix=DYNAMIC
// RUN: relay-opt %s --relay-infer-types='entry=kernel arg-types=tensor<7x4x6x6xf32>' | FileCheck %s --check-prefix=ENTRY
// RUN: not relay-opt %s --relay-infer-types='arg-types=tensor<?x3x8x8xf32>' 2>&1 | FileCheck %s --check-prefix=COUNT
// RUN: not relay-opt %s --relay-infer-types='arg-types=tensor<3x8x8xf32>,tensor<4x3x3x3xf32>' 2>&1 | FileCheck %s --check-prefix=RANK
// RUN: not relay-opt %s --relay-infer-types='arg-types=tensor<1x5x8x8xf32>,tensor<4x3x3x3xf32>' 2>&1 | FileCheck %s --check-prefix=SHAPE
// RUN: not relay-opt %s --relay-infer-types='entry=other arg-types=f32' 2>&1 | FileCheck %s --check-prefix=NAME

// COUNT: error: 'func.func' op expects 2 arg-types, but got 1
// RANK:  error: 'func.func' op expects arg-types that differ in sizes only from 'tensor<1x3x8x8xf32>', but got 'tensor<3x8x8xf32>'
// SHAPE: error: expects 3 input channels (weight is {{.*}}, groups is 1), but got 5
// NAME:  error: expects a function named 'other'

// A size that was static is dynamic again; no type that came from it is kept.
// CHECK-LABEL:   func.func private @kernel(%{{.*}}: tensor<7x4x14x14xf32>) -> tensor<7x784xf32>
// DYNAMIC-LABEL: func.func private @kernel(%{{.*}}: tensor<?x4x6x6xf32>) -> tensor<?x144xf32>
// ENTRY-LABEL:   func.func private @kernel(%{{.*}}: tensor<1x4x6x6xf32>)
func.func private @kernel(%x: tensor<1x4x6x6xf32>) -> tensor<1x144xf32> {
  // CHECK:   relay.nn.relu {{.*}} -> tensor<7x4x14x14xf32>
  // DYNAMIC: relay.nn.relu {{.*}} -> tensor<?x4x6x6xf32>
  %0 = relay.nn.relu %x : (tensor<1x4x6x6xf32>) -> tensor<1x4x6x6xf32>
  %1 = relay.nn.batch_flatten %0 : (tensor<1x4x6x6xf32>) -> tensor<1x144xf32>
  return %1 : tensor<1x144xf32>
}
// CHECK-LABEL:   func.func @main(%{{.*}}: tensor<7x3x16x16xf32> {relay.name = "x"}, %{{.*}}: tensor<4x3x3x3xf32>)
// CHECK-SAME:      -> (tensor<7x784xf32> {relay.name = "y"})
// DYNAMIC-LABEL: func.func @main
// DYNAMIC-SAME:    -> (tensor<?x144xf32> {relay.name = "y"})
func.func @main(%x: tensor<1x3x8x8xf32> {relay.name = "x"}, %w: tensor<4x3x3x3xf32>) -> (tensor<1x144xf32> {relay.name = "y"}) {
  // CHECK:   relay.nn.conv2d {{.*}} -> tensor<7x4x14x14xf32>
  // DYNAMIC: relay.nn.conv2d {{.*}} -> tensor<?x4x6x6xf32>
  %0 = relay.nn.conv2d %x, %w : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x6x6xf32>
  %1 = relay.call @kernel(%0) : (tensor<1x4x6x6xf32>) -> tensor<1x144xf32>
  return %1 : tensor<1x144xf32>
}
