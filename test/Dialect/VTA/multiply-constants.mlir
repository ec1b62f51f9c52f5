// RUN: relay-opt %s --vta-multiply-constants --split-input-file | FileCheck %s

// With blocks of 2 channels, a constant has a digit of 1 and one of 127. A part
// that is called with other constants has others.
// CHECK-LABEL: func.func private @part(
// CHECK-SAME:    %[[X:.*]]: tensor<1x1x4x4x2xi8>, %[[W:.*]]: tensor<2x1x1x1x2x2xi8>, %[[D:.*]]: tensor<2x1x1x1x2x2xi8>, %[[B:.*]]: tensor<1x1x1x1x2xi8>)
// CHECK:         %[[C:.*]] = relay.nn.conv2d %[[B]], %[[D]] {data_layout = "NCHW2c", kernel_layout = "OIHW2o2i", out_dtype = i32} {{.*}} -> tensor<1x2x1x1x2xi32>
// CHECK:         %[[P:.*]] = relay.nn.conv2d %[[X]], %[[W]]
// CHECK:         relay.add %[[P]], %[[C]] : (tensor<1x2x4x4x2xi32>, tensor<1x2x1x1x2xi32>)
// CHECK-LABEL: func.func @main
// CHECK-DAG:     %[[ONES:.*]] = relay.constant dense<{{.*}}1, 127{{.*}}> : tensor<1x1x1x1x2xi8>
// CHECK-DAG:     %[[FIRST:.*]] = relay.constant dense<{{\[\[\[\[\[}}[46, 2], [63, 0]]]]], {{\[\[\[\[}}[63, 127], [-63, -128]]]]]]> : tensor<2x1x1x1x2x2xi8>
// CHECK:         relay.call @part(%{{.*}}, %{{.*}}, %[[FIRST]], %{{.*}})
// CHECK:         %[[SECOND:.*]] = relay.constant dense<{{.*}}[-63, 1], [1, 0]{{.*}}[0, 0], [0, 0]{{.*}}> : tensor<2x1x1x1x2x2xi8>
// CHECK:         relay.call @part(%{{.*}}, %{{.*}}, %[[SECOND]], %{{.*}})
module attributes {target.device_specs = {vta = #vta.config<batch = 1, block = 2, inp_buffer = 2048, wgt_buffer = 2048, acc_buffer = 4096>}} {
  func.func private @part(%x: tensor<1x1x4x4x2xi8>, %w: tensor<2x1x1x1x2x2xi8>, %b: tensor<1x2x1x1x2xi32>) -> tensor<1x2x4x4x2xi8> attributes {relay.primitive} {
    %0 = relay.nn.conv2d %x, %w {data_layout = "NCHW2c", kernel_layout = "OIHW2o2i", out_dtype = i32} : (tensor<1x1x4x4x2xi8>, tensor<2x1x1x1x2x2xi8>) -> tensor<1x2x4x4x2xi32>
    %1 = relay.add %0, %b : (tensor<1x2x4x4x2xi32>, tensor<1x2x1x1x2xi32>) -> tensor<1x2x4x4x2xi32>
    %2 = relay.cast %1 {dtype = i8} : (tensor<1x2x4x4x2xi32>) -> tensor<1x2x4x4x2xi8>
    return %2 : tensor<1x2x4x4x2xi8>
  }
  func.func @main(%x: tensor<1x1x4x4x2xi8>) -> (tensor<1x2x4x4x2xi8>, tensor<1x2x4x4x2xi8>) {
    %w = relay.constant dense<3> : tensor<2x1x1x1x2x2xi8>
    %b = relay.constant dense<[[[[[300, 63]]], [[[16192, -16319]]]]]> : tensor<1x2x1x1x2xi32>
    %c = relay.constant dense<[[[[[64, 1]]], [[[0, 0]]]]]> : tensor<1x2x1x1x2xi32>
    %0 = relay.call @part(%x, %w, %b) : (tensor<1x1x4x4x2xi8>, tensor<2x1x1x1x2x2xi8>, tensor<1x2x1x1x2xi32>) -> tensor<1x2x4x4x2xi8>
    %1 = relay.call @part(%x, %w, %c) : (tensor<1x1x4x4x2xi8>, tensor<2x1x1x1x2x2xi8>, tensor<1x2x1x1x2xi32>) -> tensor<1x2x4x4x2xi8>
    return %0, %1 : tensor<1x2x4x4x2xi8>, tensor<1x2x4x4x2xi8>
  }
}

// -----

// A constant too large for its digits, one that is none, a layer of one pixel,
// and a window that leaves no room for more weights.
// CHECK-LABEL: func.func private @large
// CHECK-NOT:     tensor<1x1x1x1x2xi8>
// CHECK-LABEL: func.func private @unknown
// CHECK-NOT:     tensor<1x1x1x1x2xi8>
// CHECK-LABEL: func.func private @pixel
// CHECK-COUNT-1: relay.nn.conv2d
// CHECK-NOT:     relay.nn.conv2d
// CHECK-LABEL: func.func private @window
// CHECK-NOT:     tensor<1x1x1x1x2xi8>
// CHECK-LABEL: func.func @main
module attributes {target.device_specs = {vta = #vta.config<batch = 1, block = 2, inp_buffer = 2048, wgt_buffer = 64, acc_buffer = 4096>}} {
  func.func private @large(%x: tensor<1x1x4x4x2xi8>, %w: tensor<1x1x1x1x2x2xi8>, %b: tensor<1x1x1x1x2xi32>) -> tensor<1x1x4x4x2xi32> attributes {relay.primitive} {
    %0 = relay.nn.conv2d %x, %w {data_layout = "NCHW2c", kernel_layout = "OIHW2o2i", out_dtype = i32} : (tensor<1x1x4x4x2xi8>, tensor<1x1x1x1x2x2xi8>) -> tensor<1x1x4x4x2xi32>
    %1 = relay.add %0, %b : (tensor<1x1x4x4x2xi32>, tensor<1x1x1x1x2xi32>) -> tensor<1x1x4x4x2xi32>
    return %1 : tensor<1x1x4x4x2xi32>
  }
  func.func private @unknown(%x: tensor<1x1x4x4x2xi8>, %w: tensor<1x1x1x1x2x2xi8>, %b: tensor<1x1x1x1x2xi32>) -> tensor<1x1x4x4x2xi32> attributes {relay.primitive} {
    %0 = relay.nn.conv2d %x, %w {data_layout = "NCHW2c", kernel_layout = "OIHW2o2i", out_dtype = i32} : (tensor<1x1x4x4x2xi8>, tensor<1x1x1x1x2x2xi8>) -> tensor<1x1x4x4x2xi32>
    %1 = relay.add %0, %b : (tensor<1x1x4x4x2xi32>, tensor<1x1x1x1x2xi32>) -> tensor<1x1x4x4x2xi32>
    return %1 : tensor<1x1x4x4x2xi32>
  }
  func.func private @pixel(%x: tensor<1x1x1x1x2xi8>, %w: tensor<1x1x1x1x2x2xi8>, %b: tensor<1x1x1x1x2xi32>) -> tensor<1x1x1x1x2xi32> attributes {relay.primitive} {
    %0 = relay.nn.conv2d %x, %w {data_layout = "NCHW2c", kernel_layout = "OIHW2o2i", out_dtype = i32} : (tensor<1x1x1x1x2xi8>, tensor<1x1x1x1x2x2xi8>) -> tensor<1x1x1x1x2xi32>
    %1 = relay.add %0, %b : (tensor<1x1x1x1x2xi32>, tensor<1x1x1x1x2xi32>) -> tensor<1x1x1x1x2xi32>
    return %1 : tensor<1x1x1x1x2xi32>
  }
  func.func private @window(%x: tensor<1x1x6x6x2xi8>, %w: tensor<1x1x3x3x2x2xi8>, %b: tensor<1x1x1x1x2xi32>) -> tensor<1x1x4x4x2xi32> attributes {relay.primitive} {
    %0 = relay.nn.conv2d %x, %w {data_layout = "NCHW2c", kernel_layout = "OIHW2o2i", out_dtype = i32} : (tensor<1x1x6x6x2xi8>, tensor<1x1x3x3x2x2xi8>) -> tensor<1x1x4x4x2xi32>
    %1 = relay.add %0, %b : (tensor<1x1x4x4x2xi32>, tensor<1x1x1x1x2xi32>) -> tensor<1x1x4x4x2xi32>
    return %1 : tensor<1x1x4x4x2xi32>
  }
  func.func @main(%x: tensor<1x1x4x4x2xi8>, %p: tensor<1x1x1x1x2xi8>, %q: tensor<1x1x6x6x2xi8>, %b: tensor<1x1x1x1x2xi32>) -> (tensor<1x1x4x4x2xi32>, tensor<1x1x4x4x2xi32>, tensor<1x1x1x1x2xi32>, tensor<1x1x4x4x2xi32>) {
    %w = relay.constant dense<3> : tensor<1x1x1x1x2x2xi8>
    %v = relay.constant dense<3> : tensor<1x1x3x3x2x2xi8>
    %c = relay.constant dense<[[[[[16193, 0]]]]]> : tensor<1x1x1x1x2xi32>
    %d = relay.constant dense<5> : tensor<1x1x1x1x2xi32>
    %0 = relay.call @large(%x, %w, %c) : (tensor<1x1x4x4x2xi8>, tensor<1x1x1x1x2x2xi8>, tensor<1x1x1x1x2xi32>) -> tensor<1x1x4x4x2xi32>
    %1 = relay.call @unknown(%x, %w, %b) : (tensor<1x1x4x4x2xi8>, tensor<1x1x1x1x2x2xi8>, tensor<1x1x1x1x2xi32>) -> tensor<1x1x4x4x2xi32>
    %2 = relay.call @pixel(%p, %w, %d) : (tensor<1x1x1x1x2xi8>, tensor<1x1x1x1x2x2xi8>, tensor<1x1x1x1x2xi32>) -> tensor<1x1x1x1x2xi32>
    %3 = relay.call @window(%q, %v, %d) : (tensor<1x1x6x6x2xi8>, tensor<1x1x3x3x2x2xi8>, tensor<1x1x1x1x2xi32>) -> tensor<1x1x4x4x2xi32>
    return %0, %1, %2, %3 : tensor<1x1x4x4x2xi32>, tensor<1x1x4x4x2xi32>, tensor<1x1x1x1x2xi32>, tensor<1x1x4x4x2xi32>
  }
}
