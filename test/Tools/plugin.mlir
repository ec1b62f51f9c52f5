// The stock mlir-opt reads the project's dialects through the plugin.
// RUN: mlir-opt --load-dialect-plugin=%relay_lib/RelayMLIRPlugin%shlibext %s | FileCheck %s

// CHECK-LABEL: func.func @identity
func.func @identity(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}
