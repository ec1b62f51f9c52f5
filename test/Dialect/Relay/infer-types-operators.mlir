// Operators tell types in both directions.
// RUN: relay-opt %s --relay-infer-types --verify-relay-typed --split-input-file | FileCheck %s

// Weights follow from data and attributes.
// CHECK-LABEL: func.func @cnn
// CHECK-SAME:    (%arg0: tensor<1x3x32x32xf32>, %arg1: tensor<16x3x3x3xf32>, %arg2: tensor<16xf32>, %arg3: tensor<16xf32>, %arg4: tensor<16xf32>, %arg5: tensor<16xf32>, %arg6: tensor<16xf32>, %arg7: tensor<10x16384xf32>) -> tensor<1x10xf32>
// CHECK:         relay.nn.conv2d %{{.*}} {channels = 16, kernel_size = [3, 3], padding = [1, 1]} : (tensor<1x3x32x32xf32>, tensor<16x3x3x3xf32>) -> tensor<1x16x32x32xf32>
// CHECK:         relay.nn.dense %{{.*}} {units = 10} : (tensor<1x16384xf32>, tensor<10x16384xf32>) -> tensor<1x10xf32>
func.func @cnn(%x: tensor<1x3x32x32xf32>, %w: !relay.incomplete, %b: !relay.incomplete, %gamma: !relay.incomplete, %beta: !relay.incomplete, %mean: !relay.incomplete, %var: !relay.incomplete, %fc: !relay.incomplete) -> !relay.incomplete {
  %0 = relay.apply "nn.conv2d"(%x, %w){channels = 16 : i64, kernel_size = [3, 3], padding = [1, 1]} : (tensor<1x3x32x32xf32>, !relay.incomplete) -> !relay.incomplete
  %1 = relay.apply "nn.bias_add"(%0, %b) : (!relay.incomplete, !relay.incomplete) -> !relay.incomplete
  %2 = relay.apply "nn.batch_norm"(%1, %gamma, %beta, %mean, %var) : (!relay.incomplete, !relay.incomplete, !relay.incomplete, !relay.incomplete, !relay.incomplete) -> !relay.incomplete
  %3 = relay.tuple_get_item %2[0] : !relay.incomplete
  %4 = relay.apply "nn.batch_flatten"(%3) : (!relay.incomplete) -> !relay.incomplete
  %5 = relay.apply "nn.dense"(%4, %fc){units = 10 : i64} : (!relay.incomplete, !relay.incomplete) -> !relay.incomplete
  return %5 : !relay.incomplete
}

// -----

// Groups divide the input channels; transposed, the output channels.
// CHECK-LABEL: func.func @groups
// CHECK-SAME:    %{{.*}}: tensor<1x8x9xf32>, %{{.*}}: tensor<6x4x3xf32>, %{{.*}}: tensor<6x5x1xf32>) -> tensor<1x10x7xf32>
func.func @groups(%x: tensor<1x8x9xf32>, %w: !relay.incomplete, %v: !relay.incomplete) -> !relay.incomplete {
  %0 = relay.apply "nn.conv1d"(%x, %w){channels = 6 : i64, kernel_size = [3], groups = 2 : i64} : (tensor<1x8x9xf32>, !relay.incomplete) -> !relay.incomplete
  %1 = relay.apply "nn.conv1d_transpose"(%0, %v){channels = 10 : i64, kernel_size = [1], groups = 2 : i64} : (!relay.incomplete, !relay.incomplete) -> !relay.incomplete
  return %1 : !relay.incomplete
}

// -----

// CHECK-LABEL: func.func @conv3d
// CHECK-SAME:    %{{.*}}: tensor<4x2x1x2x3xf32>) -> tensor<1x4x5x4x3xf32>
func.func @conv3d(%x: tensor<1x2x5x5x5xf32>, %w: !relay.incomplete) -> !relay.incomplete {
  %0 = relay.apply "nn.conv3d"(%x, %w){channels = 4 : i64, kernel_size = [1, 2, 3]} : (tensor<1x2x5x5x5xf32>, !relay.incomplete) -> !relay.incomplete
  return %0 : !relay.incomplete
}

// -----

// CHECK-LABEL: func.func @products
// CHECK-SAME:    %{{.*}}: tensor<2x3xf32>, %{{.*}}: tensor<3x4xf32>, %{{.*}}: tensor<5x4xf32>, %{{.*}}: tensor<6x2xf32>) -> tensor<5x6xf32>
func.func @products(%x: tensor<2x3xf32>, %a: !relay.incomplete, %b: !relay.incomplete, %c: !relay.incomplete) -> !relay.incomplete {
  %0 = relay.apply "nn.matmul"(%x, %a){units = 4 : i64} : (tensor<2x3xf32>, !relay.incomplete) -> !relay.incomplete
  %1 = relay.apply "nn.matmul"(%0, %b){units = 5 : i64, transpose_b = true} : (!relay.incomplete, !relay.incomplete) -> !relay.incomplete
  %2 = relay.apply "nn.matmul"(%1, %c){units = 6 : i64, transpose_a = true, transpose_b = true} : (!relay.incomplete, !relay.incomplete) -> !relay.incomplete
  return %2 : !relay.incomplete
}

// -----

// CHECK-LABEL: func.func @norms
// CHECK-SAME:    %{{.*}}: tensor<2x4x?xf32>, %{{.*}}: tensor<?xf32>, %{{.*}}: tensor<?xf32>, %{{.*}}: tensor<4xf32>, %{{.*}}: tensor<4xf32>, %{{.*}}: tensor<4xf32>)
func.func @norms(%x: tensor<2x4x?xf32>, %a: !relay.incomplete, %b: !relay.incomplete, %c: !relay.incomplete, %d: !relay.incomplete, %alpha: !relay.incomplete) -> !relay.incomplete {
  %0 = relay.apply "nn.layer_norm"(%x, %a, %b) : (tensor<2x4x?xf32>, !relay.incomplete, !relay.incomplete) -> !relay.incomplete
  %1 = relay.apply "nn.group_norm"(%0, %c, %d){num_groups = 2 : i64} : (!relay.incomplete, !relay.incomplete, !relay.incomplete) -> !relay.incomplete
  %2 = relay.apply "nn.instance_norm"(%1, %c, %d) : (!relay.incomplete, !relay.incomplete, !relay.incomplete) -> !relay.incomplete
  %3 = relay.apply "nn.prelu"(%2, %alpha) : (!relay.incomplete, !relay.incomplete) -> !relay.incomplete
  return %3 : !relay.incomplete
}

// -----

// What comes from elsewhere counts more than what an operator would guess: the
// weight keeps the size that its value has.
// CHECK-LABEL: func.func @forward_first
// CHECK:         relay.nn.dense %{{.*}} : (tensor<1x8xf32>, tensor<4x8xf32>) -> tensor<1x4xf32>
func.func @forward_first(%x: tensor<1x8xf32>, %w: tensor<8x4xf32>) -> !relay.incomplete {
  %f = relay.fn (%a: !relay.incomplete, %b: !relay.incomplete) -> !relay.incomplete {
    %0 = relay.apply "nn.dense"(%a, %b) : (!relay.incomplete, !relay.incomplete) -> !relay.incomplete
    relay.yield %0 : !relay.incomplete
  }
  %1 = relay.apply "transpose"(%w){axes = [1, 0]} : (tensor<8x4xf32>) -> !relay.incomplete
  %2 = relay.call_indirect %f(%x, %1) : (!relay.incomplete, !relay.incomplete) -> !relay.incomplete as (tensor<1x8xf32>, !relay.incomplete) -> !relay.incomplete
  return %2 : !relay.incomplete
}

// -----

// A tuple whose fields become known one after the other.
// CHECK-LABEL: func.func @concatenate
// CHECK-SAME:    -> tensor<2x7xf32>
// CHECK:         relay.concatenate %{{.*}}, %{{.*}} {axis = 1} : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<2x7xf32>
func.func @concatenate(%x: tensor<2x3xf32>, %y: tensor<2x4xf32>) -> !relay.incomplete {
  %f = relay.fn (%a: !relay.incomplete, %b: !relay.incomplete) -> !relay.incomplete {
    %t = relay.tuple %a, %b : !relay.incomplete, !relay.incomplete
    %0 = relay.apply "concatenate"(%t){axis = 1 : i64} : (tuple<!relay.incomplete, !relay.incomplete>) -> !relay.incomplete
    relay.yield %0 : !relay.incomplete
  }
  %1 = relay.call_indirect %f(%x, %y) : (!relay.incomplete, !relay.incomplete) -> !relay.incomplete as (tensor<2x3xf32>, tensor<2x4xf32>) -> !relay.incomplete
  return %1 : !relay.incomplete
}

// -----

// The dialect's operator takes the fields of a tuple that comes from elsewhere.
// CHECK-LABEL: func.func @fields
// CHECK:         %[[T:.*]] = relay.split
// CHECK:         %[[A:.*]] = relay.tuple_get_item %[[T]][0]
// CHECK:         %[[B:.*]] = relay.tuple_get_item %[[T]][1]
// CHECK:         relay.concatenate %[[A]], %[[B]] : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
func.func @fields(%x: tensor<4xf32>) -> !relay.incomplete {
  %0 = relay.apply "split"(%x){indices_or_sections = 2 : i64} : (tensor<4xf32>) -> !relay.incomplete
  %1 = relay.apply "concatenate"(%0) : (!relay.incomplete) -> !relay.incomplete
  return %1 : !relay.incomplete
}

// -----

// CHECK-LABEL: func.func @deformable
// CHECK-SAME:    %{{.*}}: tensor<1x4x9x8xf32>, %{{.*}}: tensor<1x36x5x8xf32>, %{{.*}}: tensor<6x4x3x3xf32>) -> tensor<1x6x5x8xf32>
func.func @deformable(%x: tensor<1x4x9x8xf32>, %offset: !relay.incomplete, %w: !relay.incomplete) -> !relay.incomplete {
  %0 = relay.apply "nn.deformable_conv2d"(%x, %offset, %w){channels = 6 : i64, kernel_size = [3, 3], strides = [2, 1], padding = [1, 1], deformable_groups = 2 : i64} : (tensor<1x4x9x8xf32>, !relay.incomplete, !relay.incomplete) -> !relay.incomplete
  return %0 : !relay.incomplete
}

// -----

// CHECK-LABEL: func.func @simulated_quantize
// CHECK-SAME:    %{{.*}}: tensor<4xf32>, %{{.*}}: tensor<f32>, %{{.*}}: tensor<f32>, %{{.*}}: tensor<f32>) -> tensor<4xf32>
func.func @simulated_quantize(%x: tensor<4xf32>, %scale: !relay.incomplete, %min: !relay.incomplete, %max: !relay.incomplete) -> !relay.incomplete {
  %0 = relay.apply "relay.op.annotation.simulated_quantize"(%x, %scale, %min, %max){kind = 1 : i64} : (tensor<4xf32>, !relay.incomplete, !relay.incomplete, !relay.incomplete) -> !relay.incomplete
  return %0 : !relay.incomplete
}
