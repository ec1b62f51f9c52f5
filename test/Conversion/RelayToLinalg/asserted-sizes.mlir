// RUN: relay-opt %s --pass-pipeline='builtin.module(func.func(convert-relay-to-linalg))' --split-input-file | FileCheck %s

// What operators expect of open sizes stays with their kernels.

// CHECK-LABEL: func.func @window
// CHECK: %[[PADDED:.+]] = affine.apply {{.*}}
// CHECK: %[[FITS:.+]] = arith.cmpi sge, %[[PADDED]], %c3
// CHECK: cf.assert %[[FITS]], "expects padded data as large as the window"
func.func @window(%x: tensor<1x2x?xf32>, %w: tensor<3x2x3xf32>)
    -> tensor<1x3x?xf32> attributes {relay.primitive} {
  %0 = relay.nn.conv1d %x, %w {padding = array<i64: 1, 1>, kernel_size = array<i64: 3>}
      : (tensor<1x2x?xf32>, tensor<3x2x3xf32>) -> tensor<1x3x?xf32>
  return %0 : tensor<1x3x?xf32>
}

// -----

// CHECK-LABEL: func.func @static_window
// CHECK-NOT: cf.assert
func.func @static_window(%x: tensor<1x2x8xf32>, %w: tensor<3x2x3xf32>)
    -> tensor<1x3x8xf32> attributes {relay.primitive} {
  %0 = relay.nn.conv1d %x, %w {padding = array<i64: 1, 1>, kernel_size = array<i64: 3>}
      : (tensor<1x2x8xf32>, tensor<3x2x3xf32>) -> tensor<1x3x8xf32>
  return %0 : tensor<1x3x8xf32>
}

// -----

// CHECK-LABEL: func.func @mirrored
// CHECK: cf.assert %{{.+}}, "expects elements for pad_mode reflect"
func.func @mirrored(%x: tensor<?xf32>, %value: tensor<f32>) -> tensor<?xf32>
    attributes {relay.primitive} {
  %0 = relay.nn.pad %x, %value {pad_width = array<i64: 2, 0>, pad_mode = "reflect"}
      : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// Indices are data: the kernel looks at them before it stores anything.
// CHECK-LABEL: func.func @scatter
// CHECK: tir.opaque
// CHECK: scf.for
// CHECK: arith.cmpi ult
// CHECK: cf.assert %{{.+}}, "expects indices within the data"
// CHECK: scf.for
// CHECK: memref.store
func.func @scatter(%x: tensor<8xf32>, %i: tensor<3xi64>, %u: tensor<3xf32>)
    -> tensor<8xf32> attributes {relay.primitive} {
  %0 = relay.scatter_elements %x, %i, %u {axis = 0, reduction = "update"}
      : (tensor<8xf32>, tensor<3xi64>, tensor<3xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// A condition is looked at in the kernel; the data is not touched.
// CHECK-LABEL: func.func @assertion(
// CHECK-SAME:      %[[X:.+]]: tensor<?x3xf32>, %[[C:.+]]: tensor<2x?xi1>)
// CHECK: tir.opaque ins(%[[C]] : tensor<2x?xi1>)
// CHECK:   cf.assert %{{.+}}, "expects all of it"
// CHECK: return %[[X]]
func.func @assertion(%x: tensor<?x3xf32>, %c: tensor<2x?xi1>) -> tensor<?x3xf32>
    attributes {relay.primitive} {
  %0 = relay.assert_op %x, %c {message = "expects all of it"}
      : (tensor<?x3xf32>, tensor<2x?xi1>) -> tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}
