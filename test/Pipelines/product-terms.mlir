// Which products on matrix units have 3 terms and which 6, at precision "high".
// RUN: split-file %s %t
// RUN: relay-compile %t/short.mlir --emit=tir -o /dev/null --target=sapphirerapids --remarks=- | FileCheck %s --check-prefix=SHORT
// RUN: relay-compile %t/alone.mlir --emit=tir -o /dev/null --target=sapphirerapids --remarks=- | FileCheck %s --check-prefix=ALONE
// RUN: relay-compile %t/two.mlir --emit=tir -o /dev/null --target=sapphirerapids --remarks=- | FileCheck %s --check-prefix=TWO
// RUN: relay-compile %t/deep.mlir --emit=tir -o /dev/null --target=sapphirerapids --remarks=- | FileCheck %s --check-prefix=DEEP
// RUN: relay-compile %t/mixed.mlir --emit=tir -o /dev/null --target=sapphirerapids --remarks=- | FileCheck %s --check-prefix=MIXED
// RUN: relay-compile %t/deep.mlir --emit=tir -o /dev/null --target=sapphirerapids --precision=highest --remarks=- | FileCheck %s --check-prefix=HIGHEST
// RUN: relay-compile %t/short.mlir --emit=tir -o /dev/null --target=sapphirerapids --precision=medium --remarks=- | FileCheck %s --check-prefix=MEDIUM
// The terms that tests force onto matrix units are those of the precision.
// RUN: relay-compile %t/short.mlir --emit=tir -o /dev/null --target=sapphirerapids --force-matrix-tiles --remarks=- | FileCheck %s --check-prefix=ALONE

// A short sum errs with 3 terms as much as a long one, in plain f32 much less.
// SHORT: terms of bf16: 6
// ALONE: terms of bf16: 3
// Of products that follow each other, all errors count.
// TWO-COUNT-2: terms of bf16: 6
// DEEP-COUNT-2: terms of bf16: 3
// HIGHEST-COUNT-2: terms of bf16: 6
// MEDIUM: terms of bf16: 1
// The cheaper one of two has more terms, and that is enough.
// MIXED: terms of bf16: 3
// MIXED: terms of bf16: 6

//--- short.mlir
func.func @main(%x: tensor<512x128xf32>) -> tensor<512x128xf32> {
  %w = relay.constant dense<0.5> : tensor<128x128xf32>
  %0 = relay.nn.dense %x, %w : (tensor<512x128xf32>, tensor<128x128xf32>) -> tensor<512x128xf32>
  return %0 : tensor<512x128xf32>
}

//--- alone.mlir
func.func @main(%x: tensor<512x256xf32>) -> tensor<512x256xf32> {
  %w = relay.constant dense<0.5> : tensor<256x256xf32>
  %0 = relay.nn.dense %x, %w : (tensor<512x256xf32>, tensor<256x256xf32>) -> tensor<512x256xf32>
  return %0 : tensor<512x256xf32>
}

//--- two.mlir
func.func @main(%x: tensor<512x256xf32>) -> tensor<512x256xf32> {
  %v = relay.constant dense<0.25> : tensor<256x256xf32>
  %w = relay.constant dense<0.5> : tensor<256x256xf32>
  %0 = relay.nn.dense %x, %v : (tensor<512x256xf32>, tensor<256x256xf32>) -> tensor<512x256xf32>
  %1 = relay.nn.relu %0 : (tensor<512x256xf32>) -> tensor<512x256xf32>
  %2 = relay.nn.dense %1, %w : (tensor<512x256xf32>, tensor<256x256xf32>) -> tensor<512x256xf32>
  return %2 : tensor<512x256xf32>
}

//--- deep.mlir
func.func @main(%x: tensor<512x3072xf32>) -> tensor<512x3072xf32> {
  %v = relay.constant dense<0.25> : tensor<3072x3072xf32>
  %w = relay.constant dense<0.5> : tensor<3072x3072xf32>
  %0 = relay.nn.dense %x, %v : (tensor<512x3072xf32>, tensor<3072x3072xf32>) -> tensor<512x3072xf32>
  %1 = relay.nn.relu %0 : (tensor<512x3072xf32>) -> tensor<512x3072xf32>
  %2 = relay.nn.dense %1, %w : (tensor<512x3072xf32>, tensor<3072x3072xf32>) -> tensor<512x3072xf32>
  return %2 : tensor<512x3072xf32>
}

//--- mixed.mlir
func.func @main(%x: tensor<512x2048xf32>) -> tensor<512x64xf32> {
  %v = relay.constant dense<0.25> : tensor<512x2048xf32>
  %w = relay.constant dense<0.5> : tensor<64x512xf32>
  %0 = relay.nn.dense %x, %v : (tensor<512x2048xf32>, tensor<512x2048xf32>) -> tensor<512x512xf32>
  %1 = relay.nn.relu %0 : (tensor<512x512xf32>) -> tensor<512x512xf32>
  %2 = relay.nn.dense %1, %w : (tensor<512x512xf32>, tensor<64x512xf32>) -> tensor<512x64xf32>
  return %2 : tensor<512x64xf32>
}
