// RUN: not relay-opt %s --relay-to-mixed-precision='missing=error' 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: relay-opt %s --relay-to-mixed-precision 2>&1 | FileCheck %s --check-prefix=WARN
// RUN: relay-opt %s --relay-to-mixed-precision='missing=ignore' 2>&1 | FileCheck %s --check-prefix=IGNORE
// RUN: relay-opt %s --relay-to-mixed-precision='follow=sliding_window missing=error' | FileCheck %s --check-prefix=IGNORE

// ERROR: error: expects an operator of which it is known whether it may lose precision, but got 'sliding_window'
// ERROR-NOT: error
// WARN: warning: it is not known whether 'sliding_window' may lose precision; it follows its operands
// WARN-NOT: warning
// IGNORE-NOT: warning
// IGNORE: relay.sliding_window {{.*}} -> tensor<7x2xf16>
// IGNORE: relay.sliding_window {{.*}} -> tensor<7x1x2xf16>
func.func @main(%x: tensor<8xf32>) -> tensor<7x1x2xf32> {
  %0 = relay.sliding_window %x {axis = 0, window_shape = [2], strides = [1]} : (tensor<8xf32>) -> tensor<7x2xf32>
  %1 = relay.sliding_window %0 {axis = 1, window_shape = [2], strides = [1]} : (tensor<7x2xf32>) -> tensor<7x1x2xf32>
  return %1 : tensor<7x1x2xf32>
}
