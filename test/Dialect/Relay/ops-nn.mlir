// Neural-network operators: assembly, and types where all result sizes are left
// open.
// RUN: relay-opt %s --relay-infer-types | FileCheck %s
// RUN: relay-opt %s --mlir-print-op-generic | relay-opt --relay-infer-types | FileCheck %s
// RUN: relay-opt %s --relay-infer-types | relay-opt --verify-relay-typed | FileCheck %s
// RUN: relay-opt %s --relay-infer-types --emit-bytecode | relay-opt | FileCheck %s

// Convolutions. A spatial size is (in + pads - ((k - 1) * dilation + 1)) / stride + 1;
// padding is for all sides, per dimension, or all before and then all after.
// CHECK-LABEL: func.func @conv
func.func @conv(%a0: tensor<1x4x8x10xf32>, %a1: tensor<6x4x3x3xf32>, %a2: tensor<6x2x3x3xf32>, %a3: tensor<8x1x3x3xf32>, %a4: tensor<1x4x8x8xi8>, %a5: tensor<6x4x3x3xi8>, %a6: tensor<2x4x9xf32>, %a7: tensor<6x4x3xf32>, %a8: tensor<2x4x5x6x7xf32>, %a9: tensor<6x4x1x3x3xf32>, %a10: tensor<?x4x8x?xf32>) {
  // CHECK: relay.nn.conv2d %{{.*}}, %{{.*}} : (tensor<1x4x8x10xf32>, tensor<6x4x3x3xf32>) -> tensor<1x6x6x8xf32>
  %0 = relay.nn.conv2d %a0, %a1 {strides = [1, 1], padding = [0, 0], groups = 1} : (tensor<1x4x8x10xf32>, tensor<6x4x3x3xf32>) -> tensor<?x?x?x?xf32>
  // CHECK: relay.nn.conv2d %{{.*}}, %{{.*}} {padding = [1, 1, 1, 1]} : (tensor<1x4x8x10xf32>, tensor<6x4x3x3xf32>) -> tensor<1x6x8x10xf32>
  %1 = relay.nn.conv2d %a0, %a1 {padding = [1, 1, 1, 1]} : (tensor<1x4x8x10xf32>, tensor<6x4x3x3xf32>) -> tensor<?x?x?x?xf32>
  // CHECK: relay.nn.conv2d %{{.*}}, %{{.*}} {padding = [1]} : (tensor<1x4x8x10xf32>, tensor<6x4x3x3xf32>) -> tensor<1x6x8x10xf32>
  %2 = relay.nn.conv2d %a0, %a1 {padding = [1]} : (tensor<1x4x8x10xf32>, tensor<6x4x3x3xf32>) -> tensor<?x?x?x?xf32>
  // CHECK: relay.nn.conv2d %{{.*}}, %{{.*}} {padding = [0, 1]} : (tensor<1x4x8x10xf32>, tensor<6x4x3x3xf32>) -> tensor<1x6x6x10xf32>
  %3 = relay.nn.conv2d %a0, %a1 {padding = [0, 1]} : (tensor<1x4x8x10xf32>, tensor<6x4x3x3xf32>) -> tensor<?x?x?x?xf32>
  // CHECK: relay.nn.conv2d %{{.*}}, %{{.*}} {padding = [0, 1, 2, 3]} : (tensor<1x4x8x10xf32>, tensor<6x4x3x3xf32>) -> tensor<1x6x8x12xf32>
  %4 = relay.nn.conv2d %a0, %a1 {padding = [0, 1, 2, 3]} : (tensor<1x4x8x10xf32>, tensor<6x4x3x3xf32>) -> tensor<?x?x?x?xf32>
  // CHECK: relay.nn.conv2d %{{.*}}, %{{.*}} {padding = [1, 1, 1, 1], strides = [2, 3]} : (tensor<1x4x8x10xf32>, tensor<6x4x3x3xf32>) -> tensor<1x6x4x4xf32>
  %5 = relay.nn.conv2d %a0, %a1 {padding = [1, 1, 1, 1], strides = [2, 3]} : (tensor<1x4x8x10xf32>, tensor<6x4x3x3xf32>) -> tensor<?x?x?x?xf32>
  // CHECK: relay.nn.conv2d %{{.*}}, %{{.*}} {dilation = [2, 3]} : (tensor<1x4x8x10xf32>, tensor<6x4x3x3xf32>) -> tensor<1x6x4x4xf32>
  %6 = relay.nn.conv2d %a0, %a1 {dilation = [2, 3]} : (tensor<1x4x8x10xf32>, tensor<6x4x3x3xf32>) -> tensor<?x?x?x?xf32>
  // CHECK: relay.nn.conv2d %{{.*}}, %{{.*}} {channels = 6, kernel_size = [3, 3]} : (tensor<1x4x8x10xf32>, tensor<6x4x3x3xf32>) -> tensor<1x6x6x8xf32>
  %7 = relay.nn.conv2d %a0, %a1 {channels = 6, kernel_size = [3, 3]} : (tensor<1x4x8x10xf32>, tensor<6x4x3x3xf32>) -> tensor<?x?x?x?xf32>
  // CHECK: relay.nn.conv2d %{{.*}}, %{{.*}} {groups = 2} : (tensor<1x4x8x10xf32>, tensor<6x2x3x3xf32>) -> tensor<1x6x6x8xf32>
  %8 = relay.nn.conv2d %a0, %a2 {groups = 2} : (tensor<1x4x8x10xf32>, tensor<6x2x3x3xf32>) -> tensor<?x?x?x?xf32>
  // CHECK: relay.nn.conv2d %{{.*}}, %{{.*}} {groups = 4} : (tensor<1x4x8x10xf32>, tensor<8x1x3x3xf32>) -> tensor<1x8x6x8xf32>
  %9 = relay.nn.conv2d %a0, %a3 {groups = 4} : (tensor<1x4x8x10xf32>, tensor<8x1x3x3xf32>) -> tensor<?x?x?x?xf32>
  // CHECK: relay.nn.conv2d %{{.*}}, %{{.*}} {out_dtype = i32} : (tensor<1x4x8x8xi8>, tensor<6x4x3x3xi8>) -> tensor<1x6x6x6xi32>
  %10 = relay.nn.conv2d %a4, %a5 {out_dtype = i32} : (tensor<1x4x8x8xi8>, tensor<6x4x3x3xi8>) -> tensor<?x?x?x?xi32>
  // CHECK: relay.nn.conv1d %{{.*}}, %{{.*}} {strides = [2]} : (tensor<2x4x9xf32>, tensor<6x4x3xf32>) -> tensor<2x6x4xf32>
  %11 = relay.nn.conv1d %a6, %a7 {strides = [2]} : (tensor<2x4x9xf32>, tensor<6x4x3xf32>) -> tensor<?x?x?xf32>
  // CHECK: relay.nn.conv3d %{{.*}}, %{{.*}} {padding = [0, 1, 1, 0, 1, 1]} : (tensor<2x4x5x6x7xf32>, tensor<6x4x1x3x3xf32>) -> tensor<2x6x5x6x7xf32>
  %12 = relay.nn.conv3d %a8, %a9 {padding = [0, 1, 1, 0, 1, 1]} : (tensor<2x4x5x6x7xf32>, tensor<6x4x1x3x3xf32>) -> tensor<?x?x?x?x?xf32>
  // CHECK: relay.nn.conv2d %{{.*}}, %{{.*}} : (tensor<?x4x8x?xf32>, tensor<6x4x3x3xf32>) -> tensor<?x6x6x?xf32>
  %13 = relay.nn.conv2d %a10, %a1 : (tensor<?x4x8x?xf32>, tensor<6x4x3x3xf32>) -> tensor<?x?x?x?xf32>
  return
}

// Transposed convolutions: strides * (in - 1) + (k - 1) * dilation + 1 - pads +
// output_padding.
// CHECK-LABEL: func.func @conv_transpose
func.func @conv_transpose(%a0: tensor<1x4x8x10xf32>, %a1: tensor<4x6x3x3xf32>, %a2: tensor<4x3x3x3xf32>, %a3: tensor<2x4x9xf32>, %a4: tensor<4x6x3xf32>, %a5: tensor<2x4x5x6x7xf32>, %a6: tensor<4x6x1x3x3xf32>) {
  // CHECK: relay.nn.conv2d_transpose %{{.*}}, %{{.*}} : (tensor<1x4x8x10xf32>, tensor<4x6x3x3xf32>) -> tensor<1x6x10x12xf32>
  %0 = relay.nn.conv2d_transpose %a0, %a1 : (tensor<1x4x8x10xf32>, tensor<4x6x3x3xf32>) -> tensor<?x?x?x?xf32>
  // CHECK: relay.nn.conv2d_transpose %{{.*}}, %{{.*}} {output_padding = [1, 0], padding = [1, 1, 1, 1], strides = [2, 2]} : (tensor<1x4x8x10xf32>, tensor<4x6x3x3xf32>) -> tensor<1x6x16x19xf32>
  %1 = relay.nn.conv2d_transpose %a0, %a1 {output_padding = [1, 0], padding = [1, 1, 1, 1], strides = [2, 2]} : (tensor<1x4x8x10xf32>, tensor<4x6x3x3xf32>) -> tensor<?x?x?x?xf32>
  // CHECK: relay.nn.conv2d_transpose %{{.*}}, %{{.*}} {groups = 2} : (tensor<1x4x8x10xf32>, tensor<4x3x3x3xf32>) -> tensor<1x6x10x12xf32>
  %2 = relay.nn.conv2d_transpose %a0, %a2 {groups = 2} : (tensor<1x4x8x10xf32>, tensor<4x3x3x3xf32>) -> tensor<?x?x?x?xf32>
  // CHECK: relay.nn.conv1d_transpose %{{.*}}, %{{.*}} {dilation = [2], strides = [3]} : (tensor<2x4x9xf32>, tensor<4x6x3xf32>) -> tensor<2x6x29xf32>
  %3 = relay.nn.conv1d_transpose %a3, %a4 {dilation = [2], strides = [3]} : (tensor<2x4x9xf32>, tensor<4x6x3xf32>) -> tensor<?x?x?xf32>
  // CHECK: relay.nn.conv3d_transpose %{{.*}}, %{{.*}} : (tensor<2x4x5x6x7xf32>, tensor<4x6x1x3x3xf32>) -> tensor<2x6x5x8x9xf32>
  %4 = relay.nn.conv3d_transpose %a5, %a6 : (tensor<2x4x5x6x7xf32>, tensor<4x6x1x3x3xf32>) -> tensor<?x?x?x?x?xf32>
  return
}

// Matrix products.
// CHECK-LABEL: func.func @products
func.func @products(%a0: tensor<2x8xf32>, %a1: tensor<4x8xf32>, %a2: tensor<?x8xf32>, %a3: tensor<2x3x8xf32>, %a4: tensor<2x8xi8>, %a5: tensor<4x8xi8>, %a6: tensor<8x4xf32>, %a7: tensor<8x2xf32>, %a8: tensor<5x2x8xf32>, %a9: tensor<5x8x4xf32>, %a10: tensor<1x4x8xf32>, %a11: tensor<1x8x2xf32>, %a12: tensor<?x2x8xf32>, %a13: tensor<?x8x?xf32>) {
  // CHECK: relay.nn.dense %{{.*}}, %{{.*}} : (tensor<2x8xf32>, tensor<4x8xf32>) -> tensor<2x4xf32>
  %0 = relay.nn.dense %a0, %a1 : (tensor<2x8xf32>, tensor<4x8xf32>) -> tensor<?x?xf32>
  // CHECK: relay.nn.dense %{{.*}}, %{{.*}} {units = 4} : (tensor<?x8xf32>, tensor<4x8xf32>) -> tensor<?x4xf32>
  %1 = relay.nn.dense %a2, %a1 {units = 4} : (tensor<?x8xf32>, tensor<4x8xf32>) -> tensor<?x?xf32>
  // CHECK: relay.nn.dense %{{.*}}, %{{.*}} : (tensor<2x3x8xf32>, tensor<4x8xf32>) -> tensor<2x3x4xf32>
  %2 = relay.nn.dense %a3, %a1 : (tensor<2x3x8xf32>, tensor<4x8xf32>) -> tensor<?x?x?xf32>
  // CHECK: relay.nn.dense %{{.*}}, %{{.*}} {out_dtype = i32} : (tensor<2x8xi8>, tensor<4x8xi8>) -> tensor<2x4xi32>
  %3 = relay.nn.dense %a4, %a5 {out_dtype = i32} : (tensor<2x8xi8>, tensor<4x8xi8>) -> tensor<?x?xi32>
  // CHECK: relay.nn.matmul %{{.*}}, %{{.*}} : (tensor<2x8xf32>, tensor<8x4xf32>) -> tensor<2x4xf32>
  %4 = relay.nn.matmul %a0, %a6 : (tensor<2x8xf32>, tensor<8x4xf32>) -> tensor<?x?xf32>
  // CHECK: relay.nn.matmul %{{.*}}, %{{.*}} {transpose_a = true, transpose_b = true} : (tensor<8x2xf32>, tensor<4x8xf32>) -> tensor<2x4xf32>
  %5 = relay.nn.matmul %a7, %a1 {transpose_a = true, transpose_b = true} : (tensor<8x2xf32>, tensor<4x8xf32>) -> tensor<?x?xf32>
  // CHECK: relay.nn.matmul %{{.*}}, %{{.*}} : (tensor<5x2x8xf32>, tensor<8x4xf32>) -> tensor<5x2x4xf32>
  %6 = relay.nn.matmul %a8, %a6 : (tensor<5x2x8xf32>, tensor<8x4xf32>) -> tensor<?x?x?xf32>
  // CHECK: relay.nn.batch_matmul %{{.*}}, %{{.*}} : (tensor<5x2x8xf32>, tensor<5x8x4xf32>) -> tensor<5x2x4xf32>
  %7 = relay.nn.batch_matmul %a8, %a9 : (tensor<5x2x8xf32>, tensor<5x8x4xf32>) -> tensor<?x?x?xf32>
  // CHECK: relay.nn.batch_matmul %{{.*}}, %{{.*}} {transpose_b = true} : (tensor<5x2x8xf32>, tensor<1x4x8xf32>) -> tensor<5x2x4xf32>
  %8 = relay.nn.batch_matmul %a8, %a10 {transpose_b = true} : (tensor<5x2x8xf32>, tensor<1x4x8xf32>) -> tensor<?x?x?xf32>
  // CHECK: relay.nn.batch_matmul %{{.*}}, %{{.*}} {transpose_a = true} : (tensor<1x8x2xf32>, tensor<5x8x4xf32>) -> tensor<5x2x4xf32>
  %9 = relay.nn.batch_matmul %a11, %a9 {transpose_a = true} : (tensor<1x8x2xf32>, tensor<5x8x4xf32>) -> tensor<?x?x?xf32>
  // CHECK: relay.nn.batch_matmul %{{.*}}, %{{.*}} : (tensor<?x2x8xf32>, tensor<?x8x?xf32>) -> tensor<?x2x?xf32>
  %10 = relay.nn.batch_matmul %a12, %a13 : (tensor<?x2x8xf32>, tensor<?x8x?xf32>) -> tensor<?x?x?xf32>
  return
}

// Normalisations keep the type; batch_norm and dropout return tuples.
// CHECK-LABEL: func.func @normalisations
func.func @normalisations(%a0: tensor<2x8xf32>, %a1: tensor<8xf32>, %a2: tensor<8xf32>, %a3: tensor<1x4x8x10xf32>, %a4: tensor<4xf32>, %a5: tensor<4xf32>, %a6: tensor<4xf32>, %a7: tensor<4xf32>, %a8: tensor<?x2x4xf32>) {
  // CHECK: relay.nn.softmax %{{.*}} : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %0 = relay.nn.softmax %a0 {axis = -1} : (tensor<2x8xf32>) -> tensor<?x?xf32>
  // CHECK: relay.nn.log_softmax %{{.*}} {axis = 1} : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %1 = relay.nn.log_softmax %a0 {axis = 1} : (tensor<2x8xf32>) -> tensor<?x?xf32>
  // CHECK: relay.nn.layer_norm %{{.*}}, %{{.*}}, %{{.*}} : (tensor<2x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x8xf32>
  %2 = relay.nn.layer_norm %a0, %a1, %a2 {epsilon = 1.0e-5, axis = -1} : (tensor<2x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<?x?xf32>
  // CHECK: relay.nn.layer_norm %{{.*}}, %{{.*}}, %{{.*}} {center = false, scale = false} : (tensor<2x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x8xf32>
  %3 = relay.nn.layer_norm %a0, %a1, %a2 {center = false, scale = false} : (tensor<2x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<?x?xf32>
  // CHECK: relay.nn.instance_norm %{{.*}}, %{{.*}}, %{{.*}} : (tensor<1x4x8x10xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<1x4x8x10xf32>
  %4 = relay.nn.instance_norm %a3, %a4, %a5 : (tensor<1x4x8x10xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<?x?x?x?xf32>
  // CHECK: relay.nn.group_norm %{{.*}}, %{{.*}}, %{{.*}} {num_groups = 2} : (tensor<1x4x8x10xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<1x4x8x10xf32>
  %5 = relay.nn.group_norm %a3, %a4, %a5 {num_groups = 2} : (tensor<1x4x8x10xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<?x?x?x?xf32>
  // CHECK: relay.nn.l2_normalize %{{.*}} {axis = [1], eps = 5.000000e-01} : (tensor<1x4x8x10xf32>) -> tensor<1x4x8x10xf32>
  %6 = relay.nn.l2_normalize %a3 {axis = [1], eps = 0.5} : (tensor<1x4x8x10xf32>) -> tensor<?x?x?x?xf32>
  // CHECK: relay.nn.lrn %{{.*}} {size = 3} : (tensor<1x4x8x10xf32>) -> tensor<1x4x8x10xf32>
  %7 = relay.nn.lrn %a3 {size = 3} : (tensor<1x4x8x10xf32>) -> tensor<?x?x?x?xf32>
  // CHECK: relay.nn.batch_norm %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : (tensor<1x4x8x10xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tuple<tensor<1x4x8x10xf32>, tensor<4xf32>, tensor<4xf32>>
  %8 = relay.nn.batch_norm %a3, %a4, %a5, %a6, %a7 : (tensor<1x4x8x10xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tuple<tensor<?x?x?x?xf32>, tensor<?xf32>, tensor<?xf32>>
  // CHECK: relay.nn.batch_norm %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} {axis = -1, epsilon = 5.000000e-01} : (tensor<?x2x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tuple<tensor<?x2x4xf32>, tensor<4xf32>, tensor<4xf32>>
  %9 = relay.nn.batch_norm %a8, %a4, %a5, %a6, %a7 {axis = -1, epsilon = 0.5} : (tensor<?x2x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tuple<tensor<?x?x?xf32>, tensor<?xf32>, tensor<?xf32>>
  // CHECK: relay.nn.dropout %{{.*}} : (tensor<2x8xf32>) -> tuple<tensor<2x8xf32>, tensor<2x8xf32>>
  %10 = relay.nn.dropout %a0 {rate = 0.5} : (tensor<2x8xf32>) -> tuple<tensor<?x?xf32>, tensor<?x?xf32>>
  return
}

// Pools: sizes as of convolutions; ceil_mode rounds up.
// CHECK-LABEL: func.func @pools
func.func @pools(%a0: tensor<1x4x8x10xf32>, %a1: tensor<1x8x10x4xf32>, %a2: tensor<1x4x8x10xui8>, %a3: tensor<2x4x9xf32>, %a4: tensor<2x4x5x6x7xf32>, %a5: tensor<?x4x?x10xf32>, %a6: tensor<?x4x?x?xf32>) {
  // CHECK: relay.nn.max_pool2d %{{.*}} {pool_size = [2, 2]} : (tensor<1x4x8x10xf32>) -> tensor<1x4x7x9xf32>
  %0 = relay.nn.max_pool2d %a0 {pool_size = [2, 2]} : (tensor<1x4x8x10xf32>) -> tensor<?x?x?x?xf32>
  // CHECK: relay.nn.max_pool2d %{{.*}} {pool_size = [3, 3], strides = [2, 2]} : (tensor<1x4x8x10xf32>) -> tensor<1x4x3x4xf32>
  %1 = relay.nn.max_pool2d %a0 {pool_size = [3, 3], strides = [2, 2]} : (tensor<1x4x8x10xf32>) -> tensor<?x?x?x?xf32>
  // CHECK: relay.nn.max_pool2d %{{.*}} {ceil_mode = true, pool_size = [3, 3], strides = [2, 2]} : (tensor<1x4x8x10xf32>) -> tensor<1x4x4x5xf32>
  %2 = relay.nn.max_pool2d %a0 {ceil_mode = true, pool_size = [3, 3], strides = [2, 2]} : (tensor<1x4x8x10xf32>) -> tensor<?x?x?x?xf32>
  // CHECK: relay.nn.max_pool2d %{{.*}} {dilation = [2, 2], padding = [1, 1, 1, 1], pool_size = [3, 3]} : (tensor<1x4x8x10xf32>) -> tensor<1x4x6x8xf32>
  %3 = relay.nn.max_pool2d %a0 {dilation = [2, 2], padding = [1, 1, 1, 1], pool_size = [3, 3]} : (tensor<1x4x8x10xf32>) -> tensor<?x?x?x?xf32>
  // CHECK: relay.nn.max_pool2d %{{.*}} {layout = "NHWC", pool_size = [2, 2], strides = [2, 2]} : (tensor<1x8x10x4xf32>) -> tensor<1x4x5x4xf32>
  %4 = relay.nn.max_pool2d %a1 {layout = "NHWC", pool_size = [2, 2], strides = [2, 2]} : (tensor<1x8x10x4xf32>) -> tensor<?x?x?x?xf32>
  // CHECK: relay.nn.max_pool2d %{{.*}} {pool_size = [2, 2], strides = [2, 2]} : (tensor<1x4x8x10xui8>) -> tensor<1x4x4x5xui8>
  %5 = relay.nn.max_pool2d %a2 {pool_size = [2, 2], strides = [2, 2]} : (tensor<1x4x8x10xui8>) -> tensor<?x?x?x?xui8>
  // CHECK: relay.nn.avg_pool2d %{{.*}} {count_include_pad = true, padding = [1, 0, 1, 0], pool_size = [2, 2]} : (tensor<1x4x8x10xf32>) -> tensor<1x4x9x9xf32>
  %6 = relay.nn.avg_pool2d %a0 {count_include_pad = true, padding = [1, 0, 1, 0], pool_size = [2, 2]} : (tensor<1x4x8x10xf32>) -> tensor<?x?x?x?xf32>
  // CHECK: relay.nn.max_pool1d %{{.*}} {pool_size = [3], strides = [3]} : (tensor<2x4x9xf32>) -> tensor<2x4x3xf32>
  %7 = relay.nn.max_pool1d %a3 {pool_size = [3], strides = [3]} : (tensor<2x4x9xf32>) -> tensor<?x?x?xf32>
  // CHECK: relay.nn.avg_pool1d %{{.*}} {pool_size = [3]} : (tensor<2x4x9xf32>) -> tensor<2x4x7xf32>
  %8 = relay.nn.avg_pool1d %a3 {pool_size = [3]} : (tensor<2x4x9xf32>) -> tensor<?x?x?xf32>
  // CHECK: relay.nn.max_pool3d %{{.*}} {pool_size = [1, 2, 3]} : (tensor<2x4x5x6x7xf32>) -> tensor<2x4x5x5x5xf32>
  %9 = relay.nn.max_pool3d %a4 {pool_size = [1, 2, 3]} : (tensor<2x4x5x6x7xf32>) -> tensor<?x?x?x?x?xf32>
  // CHECK: relay.nn.avg_pool3d %{{.*}} {padding = [0, 1, 1, 0, 1, 1], pool_size = [1, 3, 3]} : (tensor<2x4x5x6x7xf32>) -> tensor<2x4x5x6x7xf32>
  %10 = relay.nn.avg_pool3d %a4 {padding = [0, 1, 1, 0, 1, 1], pool_size = [1, 3, 3]} : (tensor<2x4x5x6x7xf32>) -> tensor<?x?x?x?x?xf32>
  // CHECK: relay.nn.max_pool2d %{{.*}} {pool_size = [2, 2], strides = [2, 2]} : (tensor<?x4x?x10xf32>) -> tensor<?x4x?x5xf32>
  %11 = relay.nn.max_pool2d %a5 {pool_size = [2, 2], strides = [2, 2]} : (tensor<?x4x?x10xf32>) -> tensor<?x?x?x?xf32>
  // CHECK: relay.nn.global_max_pool2d %{{.*}} : (tensor<1x4x8x10xf32>) -> tensor<1x4x1x1xf32>
  %12 = relay.nn.global_max_pool2d %a0 : (tensor<1x4x8x10xf32>) -> tensor<?x?x?x?xf32>
  // CHECK: relay.nn.global_avg_pool2d %{{.*}} : (tensor<?x4x?x?xf32>) -> tensor<?x4x1x1xf32>
  %13 = relay.nn.global_avg_pool2d %a6 : (tensor<?x4x?x?xf32>) -> tensor<?x?x?x?xf32>
  // CHECK: relay.nn.global_avg_pool2d %{{.*}} {layout = "NHWC"} : (tensor<1x8x10x4xf32>) -> tensor<1x1x1x4xf32>
  %14 = relay.nn.global_avg_pool2d %a1 {layout = "NHWC"} : (tensor<1x8x10x4xf32>) -> tensor<?x?x?x?xf32>
  // CHECK: relay.nn.adaptive_avg_pool2d %{{.*}} {output_size = [3, 2]} : (tensor<1x4x8x10xf32>) -> tensor<1x4x3x2xf32>
  %15 = relay.nn.adaptive_avg_pool2d %a0 {output_size = [3, 2]} : (tensor<1x4x8x10xf32>) -> tensor<?x?x?x?xf32>
  // CHECK: relay.nn.adaptive_max_pool2d %{{.*}} {output_size = [2]} : (tensor<1x4x8x10xf32>) -> tensor<1x4x2x2xf32>
  %16 = relay.nn.adaptive_max_pool2d %a0 {output_size = [2]} : (tensor<1x4x8x10xf32>) -> tensor<?x?x?x?xf32>
  // CHECK: relay.nn.adaptive_avg_pool2d %{{.*}} : (tensor<1x4x8x10xf32>) -> tensor<1x4x8x10xf32>
  %17 = relay.nn.adaptive_avg_pool2d %a0 : (tensor<1x4x8x10xf32>) -> tensor<?x?x?x?xf32>
  return
}

// Images.
// CHECK-LABEL: func.func @images
func.func @images(%a0: tensor<1x4x8x10xf32>, %a1: tensor<1x8x10x4xf32>, %a2: tensor<?x8x10x4xf32>) {
  // CHECK: relay.nn.upsampling %{{.*}} {scale_h = 2.000000e+00, scale_w = 1.500000e+00} : (tensor<1x4x8x10xf32>) -> tensor<1x4x16x15xf32>
  %0 = relay.nn.upsampling %a0 {scale_h = 2.0, scale_w = 1.5} : (tensor<1x4x8x10xf32>) -> tensor<?x?x?x?xf32>
  // CHECK: relay.nn.depth_to_space %{{.*}} {block_size = 2} : (tensor<1x4x8x10xf32>) -> tensor<1x1x16x20xf32>
  %1 = relay.nn.depth_to_space %a0 {block_size = 2} : (tensor<1x4x8x10xf32>) -> tensor<?x?x?x?xf32>
  // CHECK: relay.nn.depth_to_space %{{.*}} {block_size = 2, layout = "NHWC", mode = "CDR"} : (tensor<1x8x10x4xf32>) -> tensor<1x16x20x1xf32>
  %2 = relay.nn.depth_to_space %a1 {block_size = 2, layout = "NHWC", mode = "CDR"} : (tensor<1x8x10x4xf32>) -> tensor<?x?x?x?xf32>
  // CHECK: relay.nn.space_to_depth %{{.*}} {block_size = 2} : (tensor<1x4x8x10xf32>) -> tensor<1x16x4x5xf32>
  %3 = relay.nn.space_to_depth %a0 {block_size = 2} : (tensor<1x4x8x10xf32>) -> tensor<?x?x?x?xf32>
  // CHECK: relay.image.resize2d %{{.*}} {size = [16, 5]} : (tensor<1x4x8x10xf32>) -> tensor<1x4x16x5xf32>
  %4 = relay.image.resize2d %a0 {size = [16, 5]} : (tensor<1x4x8x10xf32>) -> tensor<?x?x?x?xf32>
  // CHECK: relay.image.resize2d %{{.*}} {layout = "NHWC", method = "nearest_neighbor", roi = [0.000000e+00, 0.000000e+00, 1.000000e+00, 1.000000e+00], size = [16, 5]} : (tensor<?x8x10x4xf32>) -> tensor<?x16x5x4xf32>
  %5 = relay.image.resize2d %a2 {layout = "NHWC", method = "nearest_neighbor", roi = [0.0, 0.0, 1.0, 1.0], size = [16, 5]} : (tensor<?x8x10x4xf32>) -> tensor<?x?x?x?xf32>
  return
}
