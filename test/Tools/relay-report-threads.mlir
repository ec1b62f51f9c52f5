// Passes of functions run in threads, whose errors come when all are done: they
// are those of the pass that failed.
// RUN: not relay-compile %s --executor=graph -o %t.so --no-cache --report=%t.html 2>&1 | FileCheck %s
// RUN: FileCheck %s --check-prefix=PAGE < %t.html
// CHECK: error: {{.*}}has no lowering
// PAGE: "errors":["{{[^]]*}}has no lowering{{[^]]*}}"],"failed":true
func.func @main(%x: tensor<4x8xf32>) -> tensor<?x2xi32> {
  %0 = relay.nn.relu %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = relay.argwhere %0 : (tensor<4x8xf32>) -> tensor<?x2xi32>
  return %1 : tensor<?x2xi32>
}
