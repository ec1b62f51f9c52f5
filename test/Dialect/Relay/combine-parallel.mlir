// RUN: relay-opt %s --pass-pipeline='builtin.module(func.func(relay-combine-parallel-dense,relay-combine-parallel-matmul,relay-combine-parallel-batch-matmul,relay-combine-parallel-conv2d))' --split-input-file | FileCheck %s
// RUN: relay-opt %s --pass-pipeline='builtin.module(func.func(relay-combine-parallel-dense{min-num-branches=2}))' --split-input-file | FileCheck %s --check-prefix=TWO
// RUN: relay-opt %s --pass-pipeline='builtin.module(func.func(relay-combine-parallel-dense{estimate=true}))' --split-input-file | FileCheck %s --check-prefix=PAYS

// Biases follow, whatever the order of their operands; then one branch has
// another operator.

// CHECK-LABEL: func.func @dense
// CHECK: %[[W:.*]] = relay.concatenate %{{.*}}, %{{.*}}, %{{.*}} : (tensor<4x3xf32>, tensor<4x3xf32>, tensor<5x3xf32>) -> tensor<13x3xf32>
// CHECK: %[[Y:.*]] = relay.nn.dense %{{.*}}, %[[W]] {units = 13} : (tensor<?x3xf32>, tensor<13x3xf32>) -> tensor<?x13xf32>
// CHECK: %[[B:.*]] = relay.concatenate {{.*}} -> tensor<13xf32>
// CHECK: %[[S:.*]] = relay.add %[[B]], %[[Y]]
// CHECK: %[[R0:.*]] = relay.strided_slice %[[S]] {axes = [1], begin = [0], end = [4], slice_mode = "size"} : (tensor<?x13xf32>) -> tensor<?x4xf32>
// CHECK: %[[R1:.*]] = relay.strided_slice %[[S]] {axes = [1], begin = [4], end = [4], slice_mode = "size"}
// CHECK: %[[R2:.*]] = relay.strided_slice %[[S]] {axes = [1], begin = [8], end = [5], slice_mode = "size"} : (tensor<?x13xf32>) -> tensor<?x5xf32>
// CHECK: relay.nn.relu %[[R0]]
// CHECK: relay.nn.relu %[[R1]]
// CHECK: relay.tanh %[[R2]]
// PAYS-LABEL: func.func @dense
// PAYS-NOT: concatenate
func.func @dense(%x: tensor<?x3xf32>, %w0: tensor<4x3xf32>, %w1: tensor<4x3xf32>, %w2: tensor<5x3xf32>, %b0: tensor<4xf32>, %b1: tensor<1x4xf32>, %b2: tensor<5xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x5xf32>) {
  %c = relay.constant dense<1.0> : tensor<4xf32>
  %0 = relay.nn.dense %x, %w0 {units = 4} : (tensor<?x3xf32>, tensor<4x3xf32>) -> tensor<?x4xf32>
  %1 = relay.add %b0, %0 : (tensor<4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  %2 = relay.nn.relu %1 : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %3 = relay.nn.dense %x, %w1 {units = 4} : (tensor<?x3xf32>, tensor<4x3xf32>) -> tensor<?x4xf32>
  %4 = relay.add %c, %3 : (tensor<4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  %5 = relay.nn.relu %4 : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %6 = relay.nn.dense %x, %w2 {units = 5} : (tensor<?x3xf32>, tensor<5x3xf32>) -> tensor<?x5xf32>
  %7 = relay.add %b2, %6 : (tensor<5xf32>, tensor<?x5xf32>) -> tensor<?x5xf32>
  %8 = relay.tanh %7 : (tensor<?x5xf32>) -> tensor<?x5xf32>
  return %2, %5, %8 : tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x5xf32>
}

// -----

// One scalar for all branches stays as it is, others are repeated; operands that
// come later end the levels, and a branch that others use in between ends there.

// CHECK-LABEL: func.func @levels
// CHECK: %[[Y:.*]] = relay.nn.dense {{.*}} -> tensor<2x12xf32>
// CHECK: %[[M:.*]] = relay.multiply %[[Y]], %arg2 : (tensor<2x12xf32>, tensor<f32>)
// CHECK-COUNT-3: relay.strided_slice %[[M]]
func.func @levels(%x: tensor<2x3xf32>, %w: tensor<4x3xf32>, %s: tensor<f32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>) {
  %0 = relay.nn.dense %x, %w : (tensor<2x3xf32>, tensor<4x3xf32>) -> tensor<2x4xf32>
  %1 = relay.nn.dense %x, %w : (tensor<2x3xf32>, tensor<4x3xf32>) -> tensor<2x4xf32>
  %2 = relay.nn.dense %x, %w : (tensor<2x3xf32>, tensor<4x3xf32>) -> tensor<2x4xf32>
  %3 = relay.multiply %0, %s : (tensor<2x4xf32>, tensor<f32>) -> tensor<2x4xf32>
  %4 = relay.multiply %1, %s : (tensor<2x4xf32>, tensor<f32>) -> tensor<2x4xf32>
  %5 = relay.multiply %2, %s : (tensor<2x4xf32>, tensor<f32>) -> tensor<2x4xf32>
  return %3, %4, %5 : tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>
}

// CHECK-LABEL: func.func @scalars
// CHECK: %[[Y:.*]] = relay.nn.dense {{.*}} -> tensor<2x11xf32>
// CHECK: %[[E:.*]] = relay.expand_dims %arg3 {axis = 0} : (tensor<f32>) -> tensor<1xf32>
// CHECK: %[[S:.*]] = relay.repeat %[[E]] {axis = 0, repeats = 4}
// CHECK: %[[T:.*]] = relay.repeat %{{.*}} {axis = 0, repeats = 3}
// CHECK: relay.concatenate %[[S]], %{{.*}}, %[[T]] : {{.*}} -> tensor<11xf32>
// CHECK: %[[A:.*]] = relay.add
// CHECK: %[[U:.*]] = relay.repeat %arg4 {axis = 1, repeats = 4} : (tensor<2x1xf32>) -> tensor<2x4xf32>
// CHECK: %[[B:.*]] = relay.concatenate %[[U]], %{{.*}}, %{{.*}} {axis = 1}
// CHECK: %[[M:.*]] = relay.multiply %[[A]], %[[B]]
// CHECK-COUNT-3: relay.strided_slice %[[M]]
func.func @scalars(%x: tensor<2x3xf32>, %w: tensor<4x3xf32>, %v: tensor<3x3xf32>, %s: tensor<f32>, %u: tensor<2x1xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x3xf32>) {
  %t = relay.constant dense<2.0> : tensor<f32>
  %r = relay.constant dense<3.0> : tensor<2x1xf32>
  %0 = relay.nn.dense %x, %w : (tensor<2x3xf32>, tensor<4x3xf32>) -> tensor<2x4xf32>
  %1 = relay.nn.dense %x, %w : (tensor<2x3xf32>, tensor<4x3xf32>) -> tensor<2x4xf32>
  %2 = relay.nn.dense %x, %v : (tensor<2x3xf32>, tensor<3x3xf32>) -> tensor<2x3xf32>
  %3 = relay.add %0, %s : (tensor<2x4xf32>, tensor<f32>) -> tensor<2x4xf32>
  %4 = relay.add %1, %t : (tensor<2x4xf32>, tensor<f32>) -> tensor<2x4xf32>
  %5 = relay.add %2, %t : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %6 = relay.multiply %3, %u : (tensor<2x4xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
  %7 = relay.multiply %4, %r : (tensor<2x4xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
  %8 = relay.multiply %5, %u : (tensor<2x3xf32>, tensor<2x1xf32>) -> tensor<2x3xf32>
  return %6, %7, %8 : tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x3xf32>
}

// CHECK-LABEL: func.func @each_other
// CHECK: %[[Y:.*]] = relay.nn.dense {{.*}} -> tensor<2x12xf32>
// CHECK: %[[A:.*]] = relay.strided_slice %[[Y]] {axes = [1], begin = [0]
// CHECK: %[[B:.*]] = relay.strided_slice %[[Y]] {axes = [1], begin = [4]
// CHECK: %[[C:.*]] = relay.strided_slice %[[Y]] {axes = [1], begin = [8]
// CHECK: %[[S:.*]] = relay.add %[[A]], %[[B]]
// CHECK: relay.add %[[S]], %[[C]]
func.func @each_other(%x: tensor<2x3xf32>, %w: tensor<4x3xf32>) -> tensor<2x4xf32> {
  %0 = relay.nn.dense %x, %w : (tensor<2x3xf32>, tensor<4x3xf32>) -> tensor<2x4xf32>
  %1 = relay.nn.dense %x, %w : (tensor<2x3xf32>, tensor<4x3xf32>) -> tensor<2x4xf32>
  %2 = relay.nn.dense %x, %w : (tensor<2x3xf32>, tensor<4x3xf32>) -> tensor<2x4xf32>
  %3 = relay.add %0, %1 : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %4 = relay.add %3, %2 : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  return %4 : tensor<2x4xf32>
}

// -----

// Two branches are too few, unless asked for; one is always. Another size of
// the reduction, another type, other data, an open number of outputs and
// weights that depend on a branch are no branches.

// CHECK-LABEL: func.func @two
// CHECK-COUNT-2: relay.nn.dense
// TWO-LABEL: func.func @two
// TWO: relay.nn.dense {{.*}} -> tensor<2x8xf32>
// TWO-NOT: relay.nn.dense
func.func @two(%x: tensor<2x3xf32>, %w: tensor<4x3xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>) {
  %0 = relay.nn.dense %x, %w : (tensor<2x3xf32>, tensor<4x3xf32>) -> tensor<2x4xf32>
  %1 = relay.nn.dense %x, %w : (tensor<2x3xf32>, tensor<4x3xf32>) -> tensor<2x4xf32>
  return %0, %1 : tensor<2x4xf32>, tensor<2x4xf32>
}

// TWO-LABEL: func.func @others
// TWO-NOT: concatenate
func.func @others(%x: tensor<4x4xf32>, %y: tensor<4x4xf32>, %w: tensor<4x4xf32>, %v: tensor<?x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf64>, tensor<4x?xf32>, tensor<4x4xf32>, tensor<4x4xf32>) {
  %0 = relay.nn.dense %x, %w : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = relay.nn.dense %x, %w {out_dtype = f64} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf64>
  %2 = relay.nn.dense %x, %v : (tensor<4x4xf32>, tensor<?x4xf32>) -> tensor<4x?xf32>
  %3 = relay.nn.dense %y, %w : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %4 = relay.nn.dense %x, %0 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0, %1, %2, %3, %4 : tensor<4x4xf32>, tensor<4x4xf64>, tensor<4x?xf32>, tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

// TWO-LABEL: func.func @pays
// CHECK-LABEL: func.func @pays
// PAYS-LABEL: func.func @pays
// PAYS: relay.nn.dense {{.*}} -> tensor<2x12xf32>
// PAYS-NOT: relay.nn.dense
func.func @pays(%x: tensor<2x3xf32>) -> (tensor<8xf32>, tensor<4x2xf32>, tensor<2x4xf32>) {
  %w = relay.constant dense<1.0> : tensor<4x3xf32>
  %0 = relay.nn.dense %x, %w : (tensor<2x3xf32>, tensor<4x3xf32>) -> tensor<2x4xf32>
  %1 = relay.nn.dense %x, %w : (tensor<2x3xf32>, tensor<4x3xf32>) -> tensor<2x4xf32>
  %2 = relay.nn.dense %x, %w : (tensor<2x3xf32>, tensor<4x3xf32>) -> tensor<2x4xf32>
  %3 = relay.reshape %0 {newshape = [8]} : (tensor<2x4xf32>) -> tensor<8xf32>
  %4 = relay.transpose %1 : (tensor<2x4xf32>) -> tensor<4x2xf32>
  %5 = relay.tanh %2 : (tensor<2x4xf32>) -> tensor<2x4xf32>
  return %3, %4, %5 : tensor<8xf32>, tensor<4x2xf32>, tensor<2x4xf32>
}

// A softmax would read a copy of its slice.

// PAYS-LABEL: func.func @costs
// PAYS-COUNT-3: relay.nn.dense
func.func @costs(%x: tensor<2x3xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>) {
  %w = relay.constant dense<1.0> : tensor<4x3xf32>
  %0 = relay.nn.dense %x, %w : (tensor<2x3xf32>, tensor<4x3xf32>) -> tensor<2x4xf32>
  %1 = relay.nn.dense %x, %w : (tensor<2x3xf32>, tensor<4x3xf32>) -> tensor<2x4xf32>
  %2 = relay.nn.dense %x, %w : (tensor<2x3xf32>, tensor<4x3xf32>) -> tensor<2x4xf32>
  %3 = relay.nn.softmax %0 : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %4 = relay.tanh %1 : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %5 = relay.tanh %2 : (tensor<2x4xf32>) -> tensor<2x4xf32>
  return %3, %4, %5 : tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>
}

// -----

// CHECK-LABEL: func.func @matmul
// CHECK: relay.concatenate %{{.*}}, %{{.*}}, %{{.*}} {axis = 1} : (tensor<3x4xf32>, tensor<3x5xf32>, tensor<3x4xf32>) -> tensor<3x13xf32>
// CHECK: relay.nn.matmul {{.*}} -> tensor<1x?x13xf32>
// CHECK: relay.nn.bias_add {{.*}} -> tensor<1x?x13xf32>
// CHECK: strided_slice {{.*}}axes = [2], begin = [4], end = [5]
func.func @matmul(%x: tensor<1x?x3xf32>, %w0: tensor<3x4xf32>, %w1: tensor<3x5xf32>, %b0: tensor<4xf32>, %b1: tensor<5xf32>) -> (tensor<1x?x4xf32>, tensor<1x?x5xf32>, tensor<1x?x4xf32>) {
  %0 = relay.nn.matmul %x, %w0 : (tensor<1x?x3xf32>, tensor<3x4xf32>) -> tensor<1x?x4xf32>
  %1 = relay.nn.bias_add %0, %b0 {axis = -1} : (tensor<1x?x4xf32>, tensor<4xf32>) -> tensor<1x?x4xf32>
  %2 = relay.nn.matmul %x, %w1 : (tensor<1x?x3xf32>, tensor<3x5xf32>) -> tensor<1x?x5xf32>
  %3 = relay.nn.bias_add %2, %b1 {axis = -1} : (tensor<1x?x5xf32>, tensor<5xf32>) -> tensor<1x?x5xf32>
  %4 = relay.nn.matmul %x, %w0 : (tensor<1x?x3xf32>, tensor<3x4xf32>) -> tensor<1x?x4xf32>
  %5 = relay.nn.bias_add %4, %b0 {axis = -1} : (tensor<1x?x4xf32>, tensor<4xf32>) -> tensor<1x?x4xf32>
  return %1, %3, %5 : tensor<1x?x4xf32>, tensor<1x?x5xf32>, tensor<1x?x4xf32>
}

// CHECK-LABEL: func.func @batch_matmul
// CHECK: relay.concatenate {{.*}} {axis = 1} {{.*}} -> tensor<2x15x3xf32>
// CHECK: relay.nn.batch_matmul {{.*}} {transpose_b = true} {{.*}} -> tensor<2x4x15xf32>
// CHECK-COUNT-3: strided_slice {{.*}}axes = [2]
func.func @batch_matmul(%x: tensor<2x4x3xf32>, %w: tensor<2x5x3xf32>) -> (tensor<2x4x5xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf32>) {
  %0 = relay.nn.batch_matmul %x, %w {transpose_b = true} : (tensor<2x4x3xf32>, tensor<2x5x3xf32>) -> tensor<2x4x5xf32>
  %1 = relay.nn.batch_matmul %x, %w {transpose_b = true} : (tensor<2x4x3xf32>, tensor<2x5x3xf32>) -> tensor<2x4x5xf32>
  %2 = relay.nn.batch_matmul %x, %w {transpose_b = true} : (tensor<2x4x3xf32>, tensor<2x5x3xf32>) -> tensor<2x4x5xf32>
  return %0, %1, %2 : tensor<2x4x5xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf32>
}

// Windows of another size are no branches of the others.

// CHECK-LABEL: func.func @conv2d
// CHECK: relay.concatenate {{.*}} -> tensor<12x3x1x1xf32>
// CHECK: relay.nn.conv2d {{.*}}channels = 12{{.*}} -> tensor<1x12x8x8xf32>
// CHECK: relay.concatenate {{.*}} -> tensor<12x1x1xf32>
// CHECK: relay.multiply {{.*}} -> tensor<1x12x8x8xf32>
// CHECK-COUNT-3: strided_slice {{.*}}axes = [1]
// CHECK: relay.nn.conv2d {{.*}} tensor<4x3x3x3xf32>
func.func @conv2d(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x1x1xf32>, %v: tensor<4x3x3x3xf32>, %s: tensor<4x1x1xf32>) -> (tensor<1x4x8x8xf32>, tensor<1x4x8x8xf32>, tensor<1x4x8x8xf32>, tensor<1x4x6x6xf32>) {
  %0 = relay.nn.conv2d %x, %w {channels = 4} : (tensor<1x3x8x8xf32>, tensor<4x3x1x1xf32>) -> tensor<1x4x8x8xf32>
  %1 = relay.nn.conv2d %x, %w {channels = 4} : (tensor<1x3x8x8xf32>, tensor<4x3x1x1xf32>) -> tensor<1x4x8x8xf32>
  %2 = relay.nn.conv2d %x, %w {channels = 4} : (tensor<1x3x8x8xf32>, tensor<4x3x1x1xf32>) -> tensor<1x4x8x8xf32>
  %3 = relay.nn.conv2d %x, %v {channels = 4} : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x6x6xf32>
  %4 = relay.multiply %0, %s : (tensor<1x4x8x8xf32>, tensor<4x1x1xf32>) -> tensor<1x4x8x8xf32>
  %5 = relay.multiply %1, %s : (tensor<1x4x8x8xf32>, tensor<4x1x1xf32>) -> tensor<1x4x8x8xf32>
  %6 = relay.multiply %2, %s : (tensor<1x4x8x8xf32>, tensor<4x1x1xf32>) -> tensor<1x4x8x8xf32>
  return %4, %5, %6, %3 : tensor<1x4x8x8xf32>, tensor<1x4x8x8xf32>, tensor<1x4x8x8xf32>, tensor<1x4x6x6xf32>
}
