// Why a layer is computed by the processor.
// RUN: relay-compile %s --target=vta,cpu -o %t.so --remarks 2>&1 | FileCheck %s

// CHECK-DAG: computed by the processor: expects data of i8, but got tensor<1x16x9x9xf32>
// CHECK-DAG: computed by the processor: its result is of i32, and not bytes
// CHECK-DAG: computed by the processor: VTA does not compute 'relay.abs', as it is here, of i32
// CHECK-DAG: computed by the processor: a factor for each channel needs products of two accumulators, which only one published implementation has
func.func @main(%f: tensor<1x16x9x9xf32>, %x: tensor<1x16x9x9xi8>) -> (tensor<1x16x9x9xf32>, tensor<1x16x9x9xi32>, tensor<1x16x9x9xi8>, tensor<1x2x9x9xi8>) {
  %v = relay.constant dense<2.0> : tensor<16x16x1x1xf32>
  %w = relay.constant dense<2> : tensor<16x16x1x1xi8>
  %u = relay.constant dense<3> : tensor<16x16x1x1xi8>
  %0 = relay.nn.conv2d %f, %v : (tensor<1x16x9x9xf32>, tensor<16x16x1x1xf32>) -> tensor<1x16x9x9xf32>
  %1 = relay.nn.conv2d %x, %w {out_dtype = i32} : (tensor<1x16x9x9xi8>, tensor<16x16x1x1xi8>) -> tensor<1x16x9x9xi32>
  %2 = relay.nn.conv2d %x, %u {out_dtype = i32} : (tensor<1x16x9x9xi8>, tensor<16x16x1x1xi8>) -> tensor<1x16x9x9xi32>
  %3 = relay.abs %2 : (tensor<1x16x9x9xi32>) -> tensor<1x16x9x9xi32>
  %4 = relay.cast %3 {dtype = i8} : (tensor<1x16x9x9xi32>) -> tensor<1x16x9x9xi8>
  %t = relay.constant dense<2> : tensor<2x16x1x1xi8>
  %c = relay.constant dense<[[[3]], [[5]]]> : tensor<2x1x1xi32>
  %5 = relay.nn.conv2d %x, %t {out_dtype = i32} : (tensor<1x16x9x9xi8>, tensor<2x16x1x1xi8>) -> tensor<1x2x9x9xi32>
  %6 = relay.multiply %5, %c : (tensor<1x2x9x9xi32>, tensor<2x1x1xi32>) -> tensor<1x2x9x9xi32>
  %7 = relay.cast %6 {dtype = i8} : (tensor<1x2x9x9xi32>) -> tensor<1x2x9x9xi8>
  return %0, %1, %4, %7 : tensor<1x16x9x9xf32>, tensor<1x16x9x9xi32>, tensor<1x16x9x9xi8>, tensor<1x2x9x9xi8>
}
