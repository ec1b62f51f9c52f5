// RUN: relay-opt %s --pass-pipeline='builtin.module(func.func(relay-widen-products))' | FileCheck %s
// RUN: relay-opt %s --pass-pipeline='builtin.module(func.func(relay-widen-products,relay-fold-constant))' | FileCheck %s --check-prefix=FOLDED

// CHECK-LABEL: func @dense
//  CHECK-SAME:     %[[X:.*]]: tensor<64x256xf16>, %[[W:.*]]: tensor<128x256xf16>
//       CHECK:   %[[X32:.*]] = relay.cast %[[X]] {dtype = f32}
//       CHECK:   %[[W32:.*]] = relay.cast %[[W]] {dtype = f32}
//       CHECK:   %[[Y:.*]] = relay.nn.dense %[[X32]], %[[W32]] {out_dtype = f32} : (tensor<64x256xf32>, tensor<128x256xf32>) -> tensor<64x128xf32>
//       CHECK:   %[[R:.*]] = relay.cast %[[Y]] {dtype = f16}
//       CHECK:   return %[[R]]
func.func @dense(%x: tensor<64x256xf16>, %w: tensor<128x256xf16>) -> tensor<64x128xf16> {
  %0 = relay.nn.dense %x, %w {out_dtype = f16} : (tensor<64x256xf16>, tensor<128x256xf16>) -> tensor<64x128xf16>
  return %0 : tensor<64x128xf16>
}

// A weight of any size is converted once.
// FOLDED-LABEL: func @conv2d
//       FOLDED:   relay.constant {{.*}} : tensor<1024x1024x1x1xf32>
// CHECK-LABEL: func @conv2d
//       CHECK:   relay.nn.conv2d {{.*}} -> tensor<1x1024x14x14xf32>
func.func @conv2d(%x: tensor<1x1024x14x14xbf16>) -> tensor<1x1024x14x14xbf16> {
  %w = relay.constant dense<2.0> : tensor<1024x1024x1x1xbf16>
  %0 = relay.nn.conv2d %x, %w : (tensor<1x1024x14x14xbf16>, tensor<1024x1024x1x1xbf16>) -> tensor<1x1024x14x14xbf16>
  return %0 : tensor<1x1024x14x14xbf16>
}

// Few rows: reading the weight takes all the time.
// CHECK-LABEL: func @few_rows
//   CHECK-NOT:   relay.cast
func.func @few_rows(%x: tensor<1x256xf16>, %w: tensor<128x256xf16>) -> tensor<1x128xf16> {
  %0 = relay.nn.dense %x, %w : (tensor<1x256xf16>, tensor<128x256xf16>) -> tensor<1x128xf16>
  return %0 : tensor<1x128xf16>
}

// CHECK-LABEL: func @depthwise
//   CHECK-NOT:   relay.cast
func.func @depthwise(%x: tensor<1x64x14x14xf16>, %w: tensor<64x1x3x3xf16>) -> tensor<1x64x12x12xf16> {
  %0 = relay.nn.conv2d %x, %w {groups = 64} : (tensor<1x64x14x14xf16>, tensor<64x1x3x3xf16>) -> tensor<1x64x12x12xf16>
  return %0 : tensor<1x64x12x12xf16>
}

// CHECK-LABEL: func @single
//   CHECK-NOT:   relay.cast
func.func @single(%x: tensor<64x256xf32>, %w: tensor<128x256xf32>) -> tensor<64x128xf32> {
  %0 = relay.nn.dense %x, %w : (tensor<64x256xf32>, tensor<128x256xf32>) -> tensor<64x128xf32>
  return %0 : tensor<64x128xf32>
}

// Of a batch that is not known, each product uses its elements as often as in
// one that is.
// CHECK-LABEL: func @open_batch
//       CHECK:   relay.nn.batch_matmul {{.*}} -> tensor<?x128x128xf32>
func.func @open_batch(%x: tensor<?x128x64xf16>, %y: tensor<?x128x64xf16>) -> tensor<?x128x128xf16> {
  %0 = relay.nn.batch_matmul %x, %y {transpose_b = true, out_dtype = f16} : (tensor<?x128x64xf16>, tensor<?x128x64xf16>) -> tensor<?x128x128xf16>
  return %0 : tensor<?x128x128xf16>
}

// CHECK-LABEL: func @open_batch_of_rows
//   CHECK-NOT:   relay.cast
func.func @open_batch_of_rows(%x: tensor<?x1x64xf16>, %y: tensor<?x128x64xf16>) -> tensor<?x1x128xf16> {
  %0 = relay.nn.batch_matmul %x, %y {transpose_b = true, out_dtype = f16} : (tensor<?x1x64xf16>, tensor<?x128x64xf16>) -> tensor<?x1x128xf16>
  return %0 : tensor<?x1x128xf16>
}
