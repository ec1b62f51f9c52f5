// RUN: not relay-compile %s -o %t.so 2>&1 | FileCheck %s
// RUN: not relay-compile %s --executor=vm -o %t.so 2>&1 | FileCheck %s
// RUN: not relay-run %s 2>&1 | FileCheck %s

// Text as it is printed for people, whose constants nobody knows.
func.func @main(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
  // CHECK: [[@LINE+2]]:8: error: expects resource '__elided__' to have data, but got none
  // CHECK: [[@LINE+1]]:8: note: text for people leaves large constants out; write the module with them
  %0 = relay.constant dense_resource<__elided__> : tensor<2x3xf32>
  %1 = relay.add %arg0, %0 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %1 : tensor<2x3xf32>
}
