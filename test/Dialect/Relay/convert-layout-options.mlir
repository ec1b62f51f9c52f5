// RUN: relay-opt %s --pass-pipeline='builtin.module(func.func(relay-convert-layout{desired-layouts=nn.conv2d=NHWC:HWIO}))' | FileCheck %s --check-prefix=KERNEL
// RUN: relay-opt %s --pass-pipeline='builtin.module(func.func(relay-convert-layout{desired-layouts=nn.conv2d=NHWC:default}))' | FileCheck %s --check-prefix=KERNEL
// RUN: relay-opt %s --pass-pipeline='builtin.module(func.func(relay-convert-layout{desired-layouts=nn.conv2d=default}))' | FileCheck %s --check-prefix=SAME
// RUN: relay-opt %s --pass-pipeline='builtin.module(func.func(relay-convert-layout{desired-layouts=NCHW}))' | FileCheck %s --check-prefix=SAME
// RUN: relay-opt %s --pass-pipeline='builtin.module(func.func(relay-convert-layout{desired-layouts=nn.conv2d=NHWC skip-layers=0}))' | FileCheck %s --check-prefixes=SAME,SKIP
// RUN: relay-opt %s --pass-pipeline='builtin.module(func.func(relay-convert-layout{estimate=true}))' | FileCheck %s --check-prefix=ESTIMATE
// RUN: not relay-opt %s --pass-pipeline='builtin.module(func.func(relay-convert-layout{desired-layouts=nn.dense=NC}))' 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not relay-opt %s --pass-pipeline='builtin.module(func.func(relay-convert-layout{desired-layouts=nn.conv2d=NHWD}))' 2>&1 | FileCheck %s --check-prefix=LETTERS
// RUN: not relay-opt %s --pass-pipeline='builtin.module(func.func(relay-convert-layout{desired-layouts=nn.conv2d=NHWC:OIH}))' 2>&1 | FileCheck %s --check-prefix=KERNELLETTERS
// RUN: not relay-opt %s --pass-pipeline='builtin.module(func.func(relay-convert-layout{desired-layouts=nn.max_pool2d=NHWC:OIHW}))' 2>&1 | FileCheck %s --check-prefix=NOKERNEL
// RUN: relay-opt %s --pass-pipeline='builtin.module(func.func(relay-convert-layout{desired-layouts=nn.max_pool2d=NHWC}))' | FileCheck %s --check-prefix=POOL
// RUN: not relay-compile %s --desired-layout=NHWX -o %t 2>&1 | FileCheck %s --check-prefix=TOOL
// RUN: not relay-opt %s --pass-pipeline='builtin.module(func.func(relay-convert-layout{desired-layouts=nn.conv2d=}))' 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: not relay-opt %s --pass-pipeline='builtin.module(func.func(relay-convert-layout{desired-layouts=nn.conv2d=NHWC:HWIO:HWIO}))' 2>&1 | FileCheck %s --check-prefix=THREE
// RUN: not relay-opt %s --pass-pipeline='builtin.module(func.func(relay-convert-layout{desired-layouts=GARBAGE}))' 2>&1 | FileCheck %s --check-prefix=ALL

// UNKNOWN: expects a desired layout of an operator that may have one, such as nn.conv2d or nn.max_pool2d, but got "nn.dense"
// LETTERS: expects a desired layout of the letters NCHW, or default, for nn.conv2d, but got "NHWD"
// KERNELLETTERS: expects a desired layout of the letters OIHW, or default, for the kernel of nn.conv2d, but got "OIH"
// NOKERNEL: expects no desired layout of a kernel for nn.max_pool2d, but got "OIHW"
// TOOL: error: expects a desired layout of the letters NCHW, NCW or NCDHW, or default, with the name of an operator before it and '=', or without, but got "NHWX"
// EMPTY: expects a desired layout of the letters NCHW, or default, for nn.conv2d, but got ""
// THREE: expects a desired layout of the letters OIHW, or default, for the kernel of nn.conv2d, but got "HWIO:HWIO"
// ALL: expects a desired layout of the letters NCHW, NCW or NCDHW, or default, with the name of an operator before it and '=', or without, but got "GARBAGE"

// A 1x1 convolution alone is worth less than moving its data twice.

// KERNEL-LABEL: func.func @main
// KERNEL: relay.layout_transform %{{.*}} {dst_layout = "HWIO", src_layout = "OIHW"} : (tensor<4x8x1x1xf32>) -> tensor<1x1x8x4xf32>
// KERNEL: relay.nn.conv2d {{.*}} {data_layout = "NHWC", kernel_layout = "HWIO"}
// SAME-LABEL: func.func @main
// SAME-NOT: layout_transform
// SAME: relay.nn.conv2d %arg0, %arg1 :
// SAME-NEXT: return
// ESTIMATE-LABEL: func.func @main
// ESTIMATE-NEXT: relay.nn.conv2d %arg0, %arg1 :
// ESTIMATE-NEXT: return
func.func @main(%x: tensor<1x8x9x9xf32>, %w: tensor<4x8x1x1xf32>) -> tensor<1x4x9x9xf32> {
  %0 = relay.nn.conv2d %x, %w : (tensor<1x8x9x9xf32>, tensor<4x8x1x1xf32>) -> tensor<1x4x9x9xf32>
  return %0 : tensor<1x4x9x9xf32>
}

// Of an image the convolution takes the order it comes in, if it may choose.

// SKIP-LABEL: func.func @image
// SKIP: relay.nn.conv2d %arg0, %arg1 {padding = [1, 1, 1, 1]}
// SKIP: relay.nn.conv2d %{{.*}}, %arg2 {data_layout = "NHWC", padding = [1, 1, 1, 1]}
// ESTIMATE-LABEL: func.func @image
// ESTIMATE-NEXT: %[[C:.*]] = relay.nn.conv2d %arg0, %arg1 {out_layout = "NHWC", padding = [1, 1, 1, 1]} : (tensor<1x3x64x64xf32>, tensor<32x3x3x3xf32>) -> tensor<1x64x64x32xf32>
// ESTIMATE-NEXT: relay.nn.conv2d %[[C]], %arg2 {data_layout = "NHWC", padding = [1, 1, 1, 1]}
func.func @image(%x: tensor<1x3x64x64xf32>, %w: tensor<32x3x3x3xf32>, %v: tensor<32x32x3x3xf32>) -> tensor<1x32xf32> {
  %0 = relay.nn.conv2d %x, %w {padding = [1, 1, 1, 1]} : (tensor<1x3x64x64xf32>, tensor<32x3x3x3xf32>) -> tensor<1x32x64x64xf32>
  %1 = relay.nn.conv2d %0, %v {padding = [1, 1, 1, 1]} : (tensor<1x32x64x64xf32>, tensor<32x32x3x3xf32>) -> tensor<1x32x64x64xf32>
  %2 = relay.max %1 {axis = [2, 3]} : (tensor<1x32x64x64xf32>) -> tensor<1x32xf32>
  return %2 : tensor<1x32xf32>
}

// Operators that could follow the convolution's input for nothing, but gain
// nothing by it either, are excluded once.

// ESTIMATE-LABEL: func.func @no_gain
// ESTIMATE: relay.nn.conv2d {{.*}} {data_layout = "NHWC", padding = [2, 3, 2, 2]}
// ESTIMATE: %[[S:.*]] = relay.sigmoid %arg0
// ESTIMATE-NEXT: relay.asin %[[S]]
func.func @no_gain(%x: tensor<?x24x?x?xf16>, %w: tensor<32x24x3x3xf16>) -> (tensor<?x24x?x?xf16>, tensor<?x32x?x?xf16>) {
  %0 = relay.nn.conv2d %x, %w {padding = [2, 3, 2, 2]} : (tensor<?x24x?x?xf16>, tensor<32x24x3x3xf16>) -> tensor<?x32x?x?xf16>
  %1 = relay.abs %0 : (tensor<?x32x?x?xf16>) -> tensor<?x32x?x?xf16>
  %2 = relay.constant dense<5.000000e-01> : tensor<f16>
  %3 = relay.add %1, %2 : (tensor<?x32x?x?xf16>, tensor<f16>) -> tensor<?x32x?x?xf16>
  %4 = relay.sigmoid %x : (tensor<?x24x?x?xf16>) -> tensor<?x24x?x?xf16>
  %5 = relay.asin %4 : (tensor<?x24x?x?xf16>) -> tensor<?x24x?x?xf16>
  return %5, %3 : tensor<?x24x?x?xf16>, tensor<?x32x?x?xf16>
}

// POOL-LABEL: func.func @pool
// POOL: %[[E:.*]] = relay.layout_transform %{{.*}} {dst_layout = "NHWC", src_layout = "NCHW"}
// POOL-NEXT: %[[P:.*]] = relay.nn.max_pool2d %[[E]] {layout = "NHWC", {{.*}}} : (tensor<1x8x8x4xf32>) -> tensor<1x4x4x4xf32>
// POOL-NEXT: %[[R:.*]] = relay.nn.relu %[[P]]
// POOL-NEXT: relay.layout_transform %[[R]]
func.func @pool(%x: tensor<1x4x8x8xf32>) -> tensor<1x4x4x4xf32> {
  %0 = relay.exp %x : (tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  %1 = relay.nn.max_pool2d %0 {pool_size = [2, 2], strides = [2, 2]} : (tensor<1x4x8x8xf32>) -> tensor<1x4x4x4xf32>
  %2 = relay.nn.relu %1 : (tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32>
  return %2 : tensor<1x4x4x4xf32>
}
