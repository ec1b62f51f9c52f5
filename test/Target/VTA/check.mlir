// What drives the accelerator adds 1 to an element of each result, and more to
// one behind it: --check finds the first kernel, and the first element, on both
// simulators.
// RUN: env RELAY_DEVICE_PATH=%relay_lib/faulty-vta RELAY_FAULTY_VTA=%relay_lib/librelay_device_vta%shlibext not relay-run %s --target=vta,cpu --device=vta:fsim --check=interpreter 2>&1 | FileCheck %s
// RUN: env RELAY_DEVICE_PATH=%relay_lib/faulty-vta RELAY_FAULTY_VTA=%relay_lib/librelay_device_vta%shlibext not relay-run %s --target=vta,cpu --device=vta:tsim --check=interpreter 2>&1 | FileCheck %s
// RUN: env RELAY_DEVICE_PATH=%relay_lib relay-run %s --target=vta,cpu --device=vta:tsim --check=interpreter 2>&1 | FileCheck %s --check-prefix=RIGHT

// --check=tir compares each kernel with its loops, finds the same, and knows
// which instruction stores it. Or an immediate of one kernel is another one.
// DEFINE: %{faulty} = env RELAY_DEVICE_PATH=%relay_lib/faulty-vta RELAY_FAULTY_VTA=%relay_lib/librelay_device_vta%shlibext
// RUN: %{faulty} not relay-run %s --target=vta,cpu --device=vta:fsim --check=tir 2>&1 | FileCheck %s --check-prefix=TIR
// RUN: %{faulty} not relay-run %s --target=vta,cpu --device=vta:tsim --check=tir 2>&1 | FileCheck %s --check-prefix=TIR
// RUN: %{faulty} RELAY_FAULTY_VTA_KERNEL=fused_nn_conv2d_clip_cast not relay-run %s --target=vta,cpu --device=vta:fsim --check=tir 2>&1 | FileCheck %s --check-prefix=CLIP
// RUN: %{faulty} RELAY_FAULTY_VTA_KERNEL=fused_nn_conv2d_clip_cast not relay-run %s --target=vta,cpu --device=vta:tsim --check=tir 2>&1 | FileCheck %s --check-prefix=CLIP
// RUN: env RELAY_DEVICE_PATH=%relay_lib relay-run %s --target=vta,cpu --device=vta:fsim --check=tir 2>&1 | FileCheck %s --check-prefix=EQUAL
// RUN: env RELAY_DEVICE_PATH=%relay_lib relay-run %s --target=vta,cpu --device=vta:tsim --executor=vm --check=tir 2>&1 | FileCheck %s --check-prefix=EQUAL
// RUN: env RELAY_DEVICE_PATH=%relay_lib not relay-run %s --check=tir 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not relay-run %s --target=vta,cpu --check=tir --rtol=1 2>&1 | FileCheck %s --check-prefix=RTOL
// RUN: not relay-run %s --check=tirs 2>&1 | FileCheck %s --check-prefix=WHAT

// CHECK:      output 'y': differs
// CHECK-NEXT: first kernel that differs: fused_nn_conv2d_right_shift_cast (call {{[0-9]+}}, result 0): expects {{-?[0-9]+}} at element 37, but got {{-?[0-9]+}}{{$}}
// TIR: first kernel that differs from its tir: fused_nn_conv2d_right_shift_cast (call {{[0-9]+}}, result 0): expects {{-?[0-9]+}} at [0, 0, 0, 2, 5], but got {{-?[0-9]+}}; instruction {{[0-9]+}} stores it: STORE out[0..17] to {{.*}}; 2 of 576 elements differ
// CLIP: first kernel that differs from its tir: fused_nn_conv2d_clip_cast (call {{[0-9]+}}, result 0): expects 127 at [18, 0], but got -128; instruction {{[0-9]+}} stores it: STORE out[18..35] to {{.*}}; 272 of 576 elements differ
// EQUAL: kernels of vta agree with their tir: 2 calls of 2
// NONE: error: expects a model with kernels for vta, which are compared with their tir, but ran none
// RTOL: error: expects no --rtol with --check=tir: it has no effect there
// WHAT: error: expects --check=interpreter or --check=tir, but got 'tirs'
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
