// Parts of outputs are printed in their order, be they tensors or not; files take
// the tensors.

// RUN: relay-run %s --interpret | FileCheck %s
// RUN: relay-run %s --executor=vm | FileCheck %s
// RUN: relay-run %s --executor=vm --output=%t.0.npy --output=output0.3=%t.3.npy
// RUN: not relay-run %s --executor=vm --output=output0.1=%t.0.npy 2>&1 | FileCheck %s --check-prefix=NOTENSOR

// CHECK: output0.0: tensor<2xf32>
// CHECK-NEXT: output0.1: Some(2)
// CHECK-NEXT: output0.2.0: tensor<i32> [2]
// CHECK-NEXT: output0.2.1: ()
// CHECK-NEXT: output0.3: tensor<2xf32>
// NOTENSOR: error: expects one of the outputs 'output0.0', 'output0.2.0', 'output0.3', but got 'output0.1'

relay.adt @Option {
  relay.constructor @Some(tensor<i32>)
  relay.constructor @None
}

func.func @main(%x: tensor<2xf32>)
    -> tuple<tensor<2xf32>, !relay.adt<@Option>, tuple<tensor<i32>, tuple<>>, tensor<2xf32>> {
  %two = relay.constant dense<2> : tensor<i32>
  %some = relay.construct @Option::@Some(%two) : (tensor<i32>) -> !relay.adt<@Option>
  %unit = relay.tuple ()
  %part = relay.tuple %two, %unit : tensor<i32>, tuple<>
  %y = relay.negative %x : (tensor<2xf32>) -> tensor<2xf32>
  %0 = relay.tuple %x, %some, %part, %y
    : tensor<2xf32>, !relay.adt<@Option>, tuple<tensor<i32>, tuple<>>, tensor<2xf32>
  return %0 : tuple<tensor<2xf32>, !relay.adt<@Option>, tuple<tensor<i32>, tuple<>>, tensor<2xf32>>
}
