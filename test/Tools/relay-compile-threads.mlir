// The output does not depend on how many threads compile.
// RUN: relay-compile %s --no-cache --compile-threads=1 -o %t.1.so
// RUN: relay-compile %s --no-cache --compile-threads=5 -o %t.5.so
// RUN: cmp %t.1.so %t.5.so
// RUN: not relay-compile %s --compile-threads=2000 -o %t.so 2>&1 | FileCheck %s
// CHECK: error: expects --compile-threads of at most 1024, but got 2000

func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = relay.nn.softmax %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = relay.nn.relu %0 : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %2 = relay.nn.softmax %1 : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %2 : tensor<4x8xf32>
}
