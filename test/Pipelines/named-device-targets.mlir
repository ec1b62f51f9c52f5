// A target of devices may be a name with options, as that of --target, beside attributes.
// RUN: relay-compile %s --device-targets='cuda = cuda -arch=sm_90a -code=mlir, npu = #cuda.gpu<"sm_80", code = "cubin">' --emit=relay -o - | FileCheck %s
// RUN: relay-compile %s --device-targets="cuda=cuda" --emit=relay -o - | FileCheck %s --check-prefix=DEFAULT
// RUN: not relay-compile %s --device-targets="cuda = cuda -arch=sm_1" --emit=relay -o - 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: not relay-compile %s --device-targets="cuda = gpu" --emit=relay -o - 2>&1 | FileCheck %s --check-prefix=OTHER

// CHECK:   target.device_specs = {cuda = #cuda.gpu<"sm_90a", code = "mlir">, npu = #cuda.gpu<"sm_80", code = "cubin">}
// DEFAULT: target.device_specs = {cuda = #cuda.gpu<"sm_80">}
// WRONG:   error: expects native or an architecture of sm_80, {{.*}}, but got 'sm_1'
// OTHER:   error: expects targets of devices, {{.*}} but got 'cuda = gpu'

#gpu = {device_type = 2 : i64, virtual_device_id = 0 : i64, target = "cuda"}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = relay.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = relay.on_device %0 {virtual_device = #gpu} : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
