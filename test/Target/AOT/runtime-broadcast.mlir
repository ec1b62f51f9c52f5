// RUN: relay-compile %s -o %t.so
// RUN: relay-run %t.so --dim=n=3 | FileCheck %s
// RUN: relay-run %t.so --dim=n=1 | FileCheck %s
// RUN: not relay-run %t.so --dim=n=2 2>&1 | FileCheck %s --check-prefix=DIFFER
// RUN: not relay-run %t.so --dim=n=0 2>&1 | FileCheck %s --check-prefix=EMPTY

// CHECK: sum: tensor<3x2xf32>
// DIFFER: error: {{.*}}expects n to be 1 or 3, but got 2; n = 2 is dimension 0 of input 'x'
// EMPTY: error: {{.*}}expects n to be 1 or 3, but got 0; n = 0 is dimension 0 of input 'x'
func.func @main(%x: tensor<?x2xf32> {relay.name = "x", relay.dims = ["n", ""]},
                %w: tensor<3x2xf32> {relay.name = "w"})
    -> (tensor<3x2xf32> {relay.name = "sum"}) {
  %0 = relay.add %x, %w : (tensor<?x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}
