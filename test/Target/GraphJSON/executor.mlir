// The executor graph is native code, and its graph of kernels beside it.
//
// RUN: rm -f %t.json
// RUN: relay-compile --executor=graph %s -o %t.so
// RUN: FileCheck %s --input-file=%t.json
// RUN: relay-run --info %t.so | FileCheck %s --check-prefix=CODE
// RUN: relay-compile --executor=aot %s -o %t.aot.so && cmp %t.so %t.aot.so
// RUN: not relay-compile --executor=graph --emit=obj %s -o %t.o 2>&1 | FileCheck %s --check-prefix=OBJ
// RUN: not relay-compile --executor=graph %s -o %t.json 2>&1 | FileCheck %s --check-prefix=SAME
// RUN: not relay-compile --executor=graph --emit=relay %s -o - 2>&1 | FileCheck %s --check-prefix=OBJ
// RUN: not relay-compile --executor=graph %S/Inputs/closure.relay -o %t.no.so 2>&1 | FileCheck %s --check-prefix=CLOSURE
// RUN: not relay-compile --executor=graph %S/Inputs/open.relay -o %t.no.so 2>&1 | FileCheck %s --check-prefix=OPEN

// CHECK: "nodes"
// CHECK: "name": "x"
// CHECK: "func_name": "{{.*}}dense{{.*}}"
// CODE: input: x f32 [2, 3]
// OBJ: error: expects a shared object, of a program whose kernels are calls of a graph, for the executor graph
// SAME: error: expects an output that ends in .so for the executor graph, whose graph goes into a .json beside it, but got '{{.*}}.json'
// CLOSURE: error:
// OPEN: error:

func.func @main(%x: tensor<2x3xf32> {relay.name = "x"}) -> tensor<2x4xf32> {
  %w = relay.constant dense<0.5> : tensor<4x3xf32>
  %0 = relay.nn.dense %x, %w : (tensor<2x3xf32>, tensor<4x3xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}
