// Options of MLIR's pass managers hold for the passes of all phases: a pass that
// fails leaves what reproduces the failure.
// RUN: not relay-compile %s --target=x86-64-v3 -o %t.so --mlir-pass-pipeline-crash-reproducer=%t.mlir 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: not relay-opt %t.mlir --run-reproducer 2>&1 | FileCheck %s --check-prefix=AGAIN
// RUN: relay-compile %s --target=x86-64-v3 --to=relay-fused -o %t.fused --mlir-print-ir-after-all 2>&1 | FileCheck %s --check-prefix=IR

// ERROR: expects a target for devices of kind cuda, but got none
// AGAIN: expects a target for devices of kind cuda, but got none
// IR: IR Dump After {{.*}}relay-plan-devices
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = relay.on_device %x {virtual_device = {device_type = 2 : i64}, constrain_result = true} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = relay.exp %0 : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
