// RUN: relay-opt %s | relay-opt | FileCheck %s
// RUN: not relay-opt %s --relay-attach-target="device-targets={cuda = #cuda.gpu<\"sm_20\">}" 2>&1 | FileCheck %s --check-prefix=ARCH
// RUN: not relay-opt %s --relay-attach-target="device-targets={cuda = #cuda.gpu<\"sm_80\", code = \"sass\">}" 2>&1 | FileCheck %s --check-prefix=CODE
// RUN: not relay-compile %s --target="cuda -arch=sm_1" -o %t.so 2>&1 | FileCheck %s --check-prefix=OPTION
// RUN: not relay-compile %s --target="cuda -march=sm_80" -o %t.so 2>&1 | FileCheck %s --check-prefix=WORD

// CHECK-DAG: target.device_specs = {cuda = #cuda.gpu<"sm_90a", code = "cubin">}
// CHECK-DAG: cuda.product = #cuda.product<batch = [], rows = [0], columns = [1], reduction = [2], tile = [64, 64, 32], warps = [2, 2], pieces = 2, epilogue = "relu">

// ARCH: expects targets of devices
// ARCH-SAME: expects an architecture of sm_80, {{.*}}, but got 'sm_20'
// CODE: expects code in the form ptx, cubin or mlir, but got 'sass'
// OPTION: error: expects native or an architecture of sm_80, {{.*}}, but got 'sm_1'
// WORD: error: expects -arch=<architecture> or -code=<ptx, cubin or mlir> after cuda, but got '-march=sm_80'

module attributes {
  target.device_specs = {cuda = #cuda.gpu<"sm_90a", code = "cubin">},
  cuda.product = #cuda.product<batch = [], rows = [0], columns = [1], reduction = [2], tile = [64, 64, 32], warps = [2, 2], pieces = 2, epilogue = "relu">
} {
  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    return %x : tensor<4xf32>
  }
}
