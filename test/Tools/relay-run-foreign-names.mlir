// Names of a model do not control the terminal.
//
// RUN: relay-compile %s -o %t.so
// RUN: relay-run %t.so --info | FileCheck %s --check-prefix=INFO
// RUN: relay-run %t.so | FileCheck %s --check-prefix=SHOWN
// RUN: not relay-run %t.so --input=c=%t.npy 2>&1 | FileCheck %s --check-prefix=ERROR

// INFO: input: a\1B[31m f32 [2]
// INFO: output: b\0A f32 [2]
// SHOWN: b\0A: tensor<2xf32>
// ERROR: error: {{.*}}a\1B[31m
func.func @main(%x: tensor<2xf32> {relay.name = "a\1B[31m"}) -> (tensor<2xf32> {relay.name = "b\0A"}) {
  return %x : tensor<2xf32>
}
