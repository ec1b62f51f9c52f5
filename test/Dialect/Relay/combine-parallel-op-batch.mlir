// RUN: relay-opt %s --pass-pipeline='builtin.module(func.func(relay-combine-parallel-op-batch{op=nn.dense batch-op=nn.batch_matmul attributes={transpose_b=true} min-num-branches=2}))' --split-input-file | FileCheck %s
// RUN: relay-opt %s --pass-pipeline='builtin.module(func.func(relay-combine-parallel-op-batch{op=add batch-op=add}))' --split-input-file | FileCheck %s --check-prefix=ADD
// RUN: not relay-opt %s --pass-pipeline='builtin.module(func.func(relay-combine-parallel-op-batch{op=nn.dens}))' --split-input-file 2>&1 | FileCheck %s --check-prefix=OP
// RUN: not relay-opt %s --pass-pipeline='builtin.module(func.func(relay-combine-parallel-op-batch{batch-op=bmm}))' --split-input-file 2>&1 | FileCheck %s --check-prefix=BATCH
// RUN: not relay-opt %s --pass-pipeline='builtin.module(func.func(relay-combine-parallel-op-batch{attributes={transposed=true}}))' --split-input-file 2>&1 | FileCheck %s --check-prefix=ATTR
// RUN: not relay-opt %s --pass-pipeline='builtin.module(func.func(relay-combine-parallel-op-batch{attributes=3}))' --split-input-file 2>&1 | FileCheck %s --check-prefix=DICT
// RUN: not relay-opt %s --pass-pipeline='builtin.module(func.func(relay-combine-parallel-op-batch{op=nn.dense batch-op=nn.relu min-num-branches=2}))' --split-input-file 2>&1 | FileCheck %s --check-prefix=FIT

// OP: error: expects op to be an operator, but got 'nn.dens'
// BATCH: error: expects batch-op to be an operator, but got 'bmm'
// ATTR: error: expects attributes of 'nn.batch_matmul', but got "transposed"
// DICT: error: expects attributes to be a list of name=value, but got '3'
// FIT: error: cannot make a batch of 'nn.dense' by 'nn.relu'

// Biases follow with leading dimensions of size 1; then one branch has another
// operator. The third weight has another shape.

// CHECK-LABEL: func.func @dense
// CHECK: %[[X:.*]] = relay.stack %{{.*}}, %{{.*}} : (tensor<?x3xf32>, tensor<?x3xf32>) -> tensor<2x?x3xf32>
// CHECK: %[[W:.*]] = relay.stack %{{.*}}, %{{.*}} : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<2x4x3xf32>
// CHECK: %[[Y:.*]] = relay.nn.batch_matmul %[[X]], %[[W]] {out_dtype = f32, transpose_b = true} : (tensor<2x?x3xf32>, tensor<2x4x3xf32>) -> tensor<2x?x4xf32>
// CHECK: %[[B0:.*]] = relay.expand_dims %{{.*}} {axis = 0} : (tensor<4xf32>) -> tensor<1x4xf32>
// CHECK: %[[B1:.*]] = relay.expand_dims
// CHECK: %[[B:.*]] = relay.stack %[[B0]], %[[B1]]
// CHECK: %[[A:.*]] = relay.add %[[Y]], %[[B]] : (tensor<2x?x4xf32>, tensor<2x1x4xf32>) -> tensor<2x?x4xf32>
// CHECK: %[[R:.*]] = relay.nn.relu %[[A]]
// CHECK: %[[S:.*]] = relay.split %[[R]] {indices_or_sections = 2}
// CHECK: %[[S0:.*]] = relay.tuple_get_item %[[S]][0]
// CHECK: %[[Q0:.*]] = relay.squeeze %[[S0]] {axis = [0]} : (tensor<1x?x4xf32>) -> tensor<?x4xf32>
// CHECK: %[[S1:.*]] = relay.tuple_get_item %[[S]][1]
// CHECK: %[[Q1:.*]] = relay.squeeze %[[S1]] {axis = [0]}
// CHECK: relay.exp %[[Q0]]
// CHECK: relay.tanh %[[Q1]]
// CHECK: relay.nn.dense {{.*}} -> tensor<?x5xf32>
func.func @dense(%x: tensor<?x3xf32>, %w0: tensor<4x3xf32>, %w1: tensor<4x3xf32>, %w2: tensor<5x3xf32>, %b0: tensor<4xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x5xf32>) {
  %0 = relay.nn.dense %x, %w0 {units = 4, out_dtype = f32} : (tensor<?x3xf32>, tensor<4x3xf32>) -> tensor<?x4xf32>
  %1 = relay.add %0, %b0 : (tensor<?x4xf32>, tensor<4xf32>) -> tensor<?x4xf32>
  %2 = relay.nn.relu %1 : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %3 = relay.exp %2 : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %4 = relay.nn.dense %x, %w1 {units = 4, out_dtype = f32} : (tensor<?x3xf32>, tensor<4x3xf32>) -> tensor<?x4xf32>
  %c = relay.constant dense<1.0> : tensor<4xf32>
  %5 = relay.add %4, %c : (tensor<?x4xf32>, tensor<4xf32>) -> tensor<?x4xf32>
  %6 = relay.nn.relu %5 : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %7 = relay.tanh %6 : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %8 = relay.nn.dense %x, %w2 {units = 5, out_dtype = f32} : (tensor<?x3xf32>, tensor<5x3xf32>) -> tensor<?x5xf32>
  return %3, %7, %8 : tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x5xf32>
}

// -----

// A bias of its own axis ends the levels; a weight that depends on a branch is no
// branch, nor one whose size is not known.

// CHECK-LABEL: func.func @ends
// CHECK: %[[Y:.*]] = relay.nn.batch_matmul {{.*}} -> tensor<2x2x3xf32>
// CHECK: %[[S:.*]] = relay.split %[[Y]]
// CHECK-COUNT-2: relay.nn.bias_add
// CHECK: relay.nn.dense %{{.*}}, %{{.*}} : (tensor<2x3xf32>, tensor<3x3xf32>)
// CHECK: relay.nn.dense %{{.*}}, %{{.*}} : (tensor<2x3xf32>, tensor<?x3xf32>)
func.func @ends(%x: tensor<2x3xf32>, %w: tensor<3x3xf32>, %b: tensor<3xf32>, %u: tensor<?x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x?xf32>, tensor<2x?xf32>) {
  %0 = relay.nn.dense %x, %w : (tensor<2x3xf32>, tensor<3x3xf32>) -> tensor<2x3xf32>
  %1 = relay.nn.bias_add %0, %b : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %2 = relay.nn.dense %x, %w : (tensor<2x3xf32>, tensor<3x3xf32>) -> tensor<2x3xf32>
  %3 = relay.nn.bias_add %2, %b : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %b0 = relay.constant dense<1.0> : tensor<1x3xf32>
  %4 = relay.concatenate %3, %b0 {axis = 0} : (tensor<2x3xf32>, tensor<1x3xf32>) -> tensor<3x3xf32>
  %5 = relay.nn.dense %x, %4 : (tensor<2x3xf32>, tensor<3x3xf32>) -> tensor<2x3xf32>
  %6 = relay.nn.dense %x, %u : (tensor<2x3xf32>, tensor<?x3xf32>) -> tensor<2x?xf32>
  %7 = relay.nn.dense %x, %u : (tensor<2x3xf32>, tensor<?x3xf32>) -> tensor<2x?xf32>
  return %1, %3, %5, %6, %7 : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x?xf32>, tensor<2x?xf32>
}

// -----

// Any operator that takes one more dimension.

// ADD-LABEL: func.func @add
// ADD: %[[X:.*]] = relay.stack %{{.*}}, %{{.*}}, %{{.*}} : {{.*}} -> tensor<3x2x3xf32>
// ADD: %[[Y:.*]] = relay.stack
// ADD: relay.add %[[X]], %[[Y]] : (tensor<3x2x3xf32>, tensor<3x2x3xf32>) -> tensor<3x2x3xf32>
func.func @add(%x: tensor<2x3xf32>, %a: tensor<2x3xf32>, %b: tensor<2x3xf32>, %c: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) {
  %0 = relay.add %x, %a : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = relay.add %x, %b : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %2 = relay.add %x, %c : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0, %1, %2 : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>
}
