// What drives the accelerator adds 1 to an element of each result, and more to
// one behind it: --check finds the first kernel, and the first element, on both
// simulators.
// RUN: env RELAY_DEVICE_PATH=%relay_lib/faulty-vta RELAY_FAULTY_VTA=%relay_lib/librelay_device_vta%shlibext not relay-run %s --target=vta,cpu --device=vta:fsim --check=interpreter 2>&1 | FileCheck %s
// RUN: env RELAY_DEVICE_PATH=%relay_lib/faulty-vta RELAY_FAULTY_VTA=%relay_lib/librelay_device_vta%shlibext not relay-run %s --target=vta,cpu --device=vta:tsim --check=interpreter 2>&1 | FileCheck %s
// RUN: env RELAY_DEVICE_PATH=%relay_lib relay-run %s --target=vta,cpu --device=vta:tsim --check=interpreter 2>&1 | FileCheck %s --check-prefix=RIGHT

// CHECK:      output 'y': differs
// CHECK-NEXT: first kernel that differs: fused_nn_conv2d_right_shift_cast (call {{[0-9]+}}, result 0): expects {{-?[0-9]+}} at element 37, but got {{-?[0-9]+}}{{$}}
// RIGHT: output 'y': agrees, max difference 0,
func.func @main(%x: tensor<1x16x6x6xi8> {relay.name = "x"}) -> (tensor<1x16x6x6xi8> {relay.name = "y"}) {
  %w = relay.constant dense<3> : tensor<16x16x3x3xi8>
  %s = relay.constant dense<4> : tensor<i32>
  %0 = relay.nn.conv2d %x, %w {padding = [1, 1, 1, 1], out_dtype = i32} : (tensor<1x16x6x6xi8>, tensor<16x16x3x3xi8>) -> tensor<1x16x6x6xi32>
  %1 = relay.right_shift %0, %s : (tensor<1x16x6x6xi32>, tensor<i32>) -> tensor<1x16x6x6xi32>
  %2 = relay.cast %1 {dtype = i8} : (tensor<1x16x6x6xi32>) -> tensor<1x16x6x6xi8>
  %v = relay.constant dense<5> : tensor<16x16x1x1xi8>
  %3 = relay.nn.conv2d %2, %v {out_dtype = i32} : (tensor<1x16x6x6xi8>, tensor<16x16x1x1xi8>) -> tensor<1x16x6x6xi32>
  %4 = relay.clip %3 {a_min = -128.0, a_max = 127.0} : (tensor<1x16x6x6xi32>) -> tensor<1x16x6x6xi32>
  %5 = relay.cast %4 {dtype = i8} : (tensor<1x16x6x6xi32>) -> tensor<1x16x6x6xi8>
  return %5 : tensor<1x16x6x6xi8>
}
