// RUN: relay-compile %s -o %t.so
// RUN: relay-run %t.so --dim=n=3 --dim=m=3 | FileCheck %s
// RUN: not relay-run %t.so --dim=n=3 --dim=m=2 2>&1 | FileCheck %s --check-prefix=DIFFER
// RUN: relay-run %t.so --dim=n=1 --dim=m=1 | FileCheck %s --check-prefix=SHORT
// RUN: relay-run %t.so --dim=n=0 --dim=m=0 | FileCheck %s --check-prefix=EMPTY

// The kernels take n and m as equal, and the slice ends where the tensor does.

// CHECK: sum: tensor<3xf32>
// CHECK: head: tensor<2xf32>
// DIFFER: error: {{.*}}expects n to equal m, but got 3 and 2; n = 3 is dimension 0 of input 'x', m = 2 is dimension 0 of input 'y'
// SHORT: sum: tensor<1xf32>
// SHORT: head: tensor<1xf32>
// EMPTY: sum: tensor<0xf32>
// EMPTY: head: tensor<0xf32>
func.func @main(%x: tensor<?xf32> {relay.name = "x", relay.dims = ["n"]},
                %y: tensor<?xf32> {relay.name = "y", relay.dims = ["m"]})
    -> (tensor<?xf32> {relay.name = "sum"},
        tensor<?xf32> {relay.name = "head"}) {
  %0 = relay.add %x, %y : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %1 = relay.strided_slice %x {begin = [0], end = [2], strides = [1], axes = [0]}
    : (tensor<?xf32>) -> tensor<?xf32>
  return %0, %1 : tensor<?xf32>, tensor<?xf32>
}
