// A model that runs in part on a kind of devices that the project knows nothing
// of: test/lib/ScalarTarget has its target, rules, instruction, code generator, and
// what drives it.
// DEFINE: %{plugin} = --load-dialect-plugin=%relay_lib/ScalarTarget%shlibext
// DEFINE: %{targets} = --device-targets="scalar = #scalar.core<memory = 256>"
// RUN: relay-compile %{plugin} %{targets} %s -o %t.so
// RUN: env RELAY_DEVICE_PATH=%relay_lib relay-run %{plugin} %{targets} %s --dim=d0=5 --check=interpreter | FileCheck %s --check-prefix=VALUES
// RUN: env RELAY_DEVICE_PATH=%relay_lib relay-run %t.so --profile | FileCheck %s --check-prefix=PROFILE
// RUN: relay-compile %{plugin} %{targets} %s -o - --emit=tir | FileCheck %s --check-prefix=TIR
// The code for the device is data of the program.
// RUN: relay-compile %{plugin} %{targets} %s -o - --emit=llvm | FileCheck %s --check-prefix=LLVM
// By phases: the same.
// RUN: relay-opt %{plugin} %s --relay-optimize="device-targets={scalar=#scalar.core<memory=256>}" --relay-to-kernels --tir-schedule -o %t.mlir
// RUN: relay-compile %{plugin} %t.mlir --from=tir-scheduled -o %t.phases.so
// RUN: cmp %t.so %t.phases.so

// VALUES: output 'y': agrees

// PROFILE: fused_nn_dense_add
// PROFILE: cpu:0 to scalar:0
// PROFILE: scalar:0 to cpu:0

// TIR: target.device_specs = {scalar = #scalar.core<memory = 256>}
// TIR: tir.prim_func private @fused_nn_dense_add_tanh{{.*}}target.spec = #scalar.core<memory = 256>
// TIR: scalar.fetch
// TIR: tir.prim_func private @fused_nn_softmax

// LLVM: c"scalar-text\00"
// LLVM: c"kernel fused_nn_dense_add_tanh 6 4\0A

// Whatever is missing or wrong is said.
// RUN: not relay-compile %{plugin} %s -o %t.so 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not relay-compile %{targets} %s -o %t.so 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not relay-compile --device-targets="scalar = #target.cpu<\"x86_64-unknown-linux-gnu\", \"znver3\">" %s -o %t.so 2>&1 | FileCheck %s --check-prefix=GENERATOR
// RUN: not relay-compile --device-targets="} {" %s -o %t.so 2>&1 | FileCheck %s --check-prefix=TEXT
// RUN: not relay-compile %{plugin} --device-targets="scalar = #scalar.core<memory = 128>" %t.mlir --from=tir-scheduled -o %t.so 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: relay-compile %{plugin} %{targets} %s -o %t.so
// RUN: not relay-run %t.so 2>&1 | FileCheck %s --check-prefix=LIBRARY

// NONE: error: expects a target for devices of kind scalar, but got none
// NONE: note: --device-targets="scalar = ..." gives the module one
// UNKNOWN: error: expects targets of devices, such as "kind = #dialect.target", but got 'scalar = #scalar.core<memory = 256>': its dialect is not known
// UNKNOWN: note: --load-dialect-plugin loads the plugin that has it
// GENERATOR: error: expects a target with a code generator for devices of kind scalar, but got #target.cpu<"x86_64-unknown-linux-gnu", "znver3">
// TEXT: error: expects targets of devices, such as "kind = #dialect.target", but got '} {': found trailing characters
// OTHER: error: expects the target.device_specs that the module has
// LIBRARY: error: {{.*}}librelay_device_scalar.so

#scalar = {device_type = 12 : i64, virtual_device_id = 0 : i64, target = "scalar"}
func.func @main(%x: tensor<?x8xf32> {relay.name = "x"}, %b: tensor<4xf32> {relay.name = "b"}) -> (tensor<?x4xf32> {relay.name = "y"}) {
  %w = relay.constant dense<[[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0],
                             [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0],
                             [1.0, -1.0, 1.0, -1.0, 1.0, -1.0, 1.0, -1.0],
                             [0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5]]> : tensor<4x8xf32>
  %0 = relay.nn.dense %x, %w : (tensor<?x8xf32>, tensor<4x8xf32>) -> tensor<?x4xf32>
  %1 = relay.add %0, %b : (tensor<?x4xf32>, tensor<4xf32>) -> tensor<?x4xf32>
  %2 = relay.tanh %1 : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %3 = relay.on_device %2 {virtual_device = #scalar} : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %4 = relay.nn.softmax %3 : (tensor<?x4xf32>) -> tensor<?x4xf32>
  return %4 : tensor<?x4xf32>
}
