// RUN: relay-compile %s -o %t.so
// RUN: relay-run %t.so | FileCheck %s

// A program need not be named main, nor compute anything.
// CHECK: output0: tensor<2xi32> [1, 2]
func.func @f() -> tensor<2xi32> {
  %0 = relay.constant dense<[1, 2]> : tensor<2xi32>
  return %0 : tensor<2xi32>
}
