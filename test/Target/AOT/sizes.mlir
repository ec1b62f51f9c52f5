// RUN: relay-compile %s -o %t.so
// RUN: relay-run %t.so --dim=n=3 --dim=m=0 | FileCheck %s --check-prefix=EMPTY
// RUN: not relay-run %t.so --dim=n=1048576 --dim=m=1 2>&1 | FileCheck %s --check-prefix=OUTPUT
// RUN: not relay-run %t.so --dim=n=3 --dim=m=1 2>&1 | FileCheck %s --check-prefix=MEMORY
// RUN: not relay-run %t.so --dim=n=4611686018427387904 --dim=m=1 2>&1 | FileCheck %s --check-prefix=INPUT

// Sizes that follow from those of inputs are computed with 64 bits; what does
// not fit is an error that names the tensor and the inputs, as is memory that
// is not to be had.

// EMPTY: y: tensor<13194139533312x0xf32>
// OUTPUT: error: {{.*}}expects output 'y' to have fewer than 2^63 bytes, but got shape [4398046511104 * n = 4611686018427387904, m = 1]; n = 1048576 is dimension 0 of input 'x', m = 1 is dimension 1 of input 'x'
// MEMORY: error: {{.*}}out of memory: cannot allocate 52776558133248 bytes for output 'y' of shape [13194139533312, 1]
// INPUT: error: out of memory: cannot allocate input 'x' of type tensor<4611686018427387904x1xf32>
func.func @main(%x: tensor<?x?xf32> {relay.name = "x", relay.dims = ["n", "m"]})
    -> (tensor<?x?xf32> {relay.name = "y"}) {
  %0 = relay.tile %x {reps = [4398046511104, 1]} : (tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
