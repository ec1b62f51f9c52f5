// Results that are rounded to the next number of their type agree.
// RUN: relay-run %s --check=interpreter | FileCheck %s

// CHECK: output 'output0': agrees
func.func @main(%x: tensor<256x256xbf16>, %w: tensor<256x256xbf16>) -> tensor<256x256xbf16> {
  %0 = relay.nn.dense %x, %w : (tensor<256x256xbf16>, tensor<256x256xbf16>) -> tensor<256x256xbf16>
  return %0 : tensor<256x256xbf16>
}
