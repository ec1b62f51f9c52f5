// The tool knows its own version and MLIR's passes.
// RUN: relay-opt --version | FileCheck %s --check-prefix=VERSION
// RUN: relay-opt %s --canonicalize | FileCheck %s
// VERSION: relay-mlir {{[0-9]+\.[0-9]+\.[0-9]+}}

// CHECK-LABEL: func.func @identity
func.func @identity(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}
