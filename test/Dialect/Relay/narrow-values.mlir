// RUN: split-file %s %t
// RUN: relay-opt %t/units.mlir --relay-narrow-values | FileCheck %t/units.mlir
// RUN: relay-opt %t/high.mlir --relay-narrow-values | FileCheck %t/high.mlir
// RUN: relay-opt %t/vectors.mlir --relay-narrow-values | FileCheck %t/vectors.mlir

//--- units.mlir

// Each call has the kernel of its types. Nobody calls @dense of f32 any more.
module attributes {target.precision = #target.precision<medium>, target.spec = #target.cpu<"x86_64-unknown-linux-gnu", "sapphirerapids">} {
  // CHECK-NOT:   @dense(
  // CHECK:       func.func private @dense_bf16(%[[X:.*]]: tensor<64x64xf32>, %{{.*}}: tensor<64x64xf32>) -> tensor<64x64xbf16>
  // CHECK-NEXT:    %[[Y:.*]] = relay.nn.dense %[[X]],
  // CHECK-NEXT:    %[[NARROW:.*]] = relay.cast %[[Y]] {dtype = bf16}
  // CHECK-NEXT:    return %[[NARROW]]
  // CHECK:       func.func private @dense_bf16_0(%[[X:.*]]: tensor<64x64xbf16>, %{{.*}}: tensor<64x64xf32>) -> tensor<64x64xf32>
  // CHECK-NEXT:    %[[WIDE:.*]] = relay.cast %[[X]] {dtype = f32}
  // CHECK-NEXT:    relay.nn.dense %[[WIDE]],
  func.func private @dense(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> tensor<64x64xf32> attributes {relay.primitive} {
    %0 = relay.nn.dense %x, %w : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    return %0 : tensor<64x64xf32>
  }
  func.func private @add(%x: tensor<64x64xf32>, %y: tensor<64x64xf32>) -> tensor<64x64xf32> attributes {relay.primitive} {
    %0 = relay.add %x, %y : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    return %0 : tensor<64x64xf32>
  }
  // A product of few rows is left to vectors, and so is what it reads.
  func.func private @row(%x: tensor<64x64xf32>, %w: tensor<64x4096xf32>) -> tensor<64x64xf32> attributes {relay.primitive} {
    %0 = relay.reshape %x {newshape = [1, 4096]} : (tensor<64x64xf32>) -> tensor<1x4096xf32>
    %1 = relay.nn.dense %0, %w : (tensor<1x4096xf32>, tensor<64x4096xf32>) -> tensor<1x64xf32>
    %2 = relay.add %x, %1 : (tensor<64x64xf32>, tensor<1x64xf32>) -> tensor<64x64xf32>
    return %2 : tensor<64x64xf32>
  }

  // The residual sum gets what the product gets.
  // CHECK-LABEL: func.func @chain
  // CHECK:         %[[A:.*]] = relay.call @dense_bf16(%arg0, %arg1) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xbf16>
  // CHECK:         %[[B:.*]] = relay.call @dense_bf16_0(%[[A]], %arg1) : (tensor<64x64xbf16>, tensor<64x64xf32>) -> tensor<64x64xf32>
  // CHECK:         relay.call @add_bf16(%[[A]], %[[B]]) : (tensor<64x64xbf16>, tensor<64x64xf32>) -> tensor<64x64xf32>
  func.func @chain(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> tensor<64x64xf32> {
    %0 = relay.call @dense(%x, %w) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %1 = relay.call @dense(%0, %w) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %2 = relay.call @add(%0, %1) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    return %2 : tensor<64x64xf32>
  }

  // What is only moved into such a value is rounded before that.
  // CHECK-LABEL: func.func private @join_bf16
  // CHECK-SAME:    (%[[A:.*]]: tensor<64x64xbf16>, %[[B:.*]]: tensor<64x64xf32>) -> tensor<128x64xbf16>
  // CHECK-NEXT:    %[[NARROW:.*]] = relay.cast %[[B]] {dtype = bf16}
  // CHECK-NEXT:    %[[JOINED:.*]] = relay.concatenate %[[A]], %[[NARROW]] : (tensor<64x64xbf16>, tensor<64x64xbf16>) -> tensor<128x64xbf16>
  // CHECK-NEXT:    return %[[JOINED]]
  func.func private @join(%x: tensor<64x64xf32>, %y: tensor<64x64xf32>) -> tensor<128x64xf32> attributes {relay.primitive} {
    %0 = relay.concatenate %x, %y {axis = 0} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<128x64xf32>
    return %0 : tensor<128x64xf32>
  }
  func.func private @long_dense(%x: tensor<128x64xf32>, %w: tensor<64x64xf32>) -> tensor<128x64xf32> attributes {relay.primitive} {
    %0 = relay.nn.dense %x, %w : (tensor<128x64xf32>, tensor<64x64xf32>) -> tensor<128x64xf32>
    return %0 : tensor<128x64xf32>
  }
  // CHECK-LABEL: func.func @joined
  // CHECK:         relay.call @dense_bf16(%arg0, %arg1)
  // CHECK:         relay.call @join_bf16(%{{.*}}, %arg0) : (tensor<64x64xbf16>, tensor<64x64xf32>) -> tensor<128x64xbf16>
  func.func @joined(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> tensor<128x64xf32> {
    %0 = relay.call @dense(%x, %w) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %1 = relay.call @join(%0, %x) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<128x64xf32>
    %2 = relay.call @long_dense(%1, %w) : (tensor<128x64xf32>, tensor<64x64xf32>) -> tensor<128x64xf32>
    return %2 : tensor<128x64xf32>
  }

  // What the program returns, the second operand, and what a product of few rows
  // reads stay as they are.
  // CHECK-LABEL: func.func @kept
  // CHECK-NOT:     bf16{{[>(]}}
  // CHECK:         return
  func.func @kept(%x: tensor<64x64xf32>, %w: tensor<64x4096xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>) {
    %0 = relay.call @add(%x, %x) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %1 = relay.call @add(%0, %x) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %2 = relay.call @dense1(%0, %x) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %3 = relay.call @dense1(%x, %1) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %4 = relay.call @add(%x, %2) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %5 = relay.call @row(%4, %w) : (tensor<64x64xf32>, tensor<64x4096xf32>) -> tensor<64x64xf32>
    return %0, %3, %5 : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>
  }
  func.func private @dense1(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> tensor<64x64xf32> attributes {relay.primitive} {
    %0 = relay.nn.dense %x, %w : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    return %0 : tensor<64x64xf32>
  }
}

//--- high.mlir

// More than one piece of a float is multiplied.
module attributes {target.precision = #target.precision<high>, target.spec = #target.cpu<"x86_64-unknown-linux-gnu", "sapphirerapids">} {
  func.func private @dense(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> tensor<64x64xf32> attributes {relay.primitive} {
    %0 = relay.nn.dense %x, %w : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    return %0 : tensor<64x64xf32>
  }
  // CHECK-NOT: bf16
  // CHECK: return
  func.func @chain(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> tensor<64x64xf32> {
    %0 = relay.call @dense(%x, %w) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %1 = relay.call @dense(%0, %w) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    return %1 : tensor<64x64xf32>
  }
}

//--- vectors.mlir

// Vectors multiply floats as they are.
module attributes {target.precision = #target.precision<medium>, target.spec = #target.cpu<"x86_64-unknown-linux-gnu", "x86-64-v4">} {
  func.func private @dense(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> tensor<64x64xf32> attributes {relay.primitive} {
    %0 = relay.nn.dense %x, %w : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    return %0 : tensor<64x64xf32>
  }
  // CHECK-NOT: bf16
  // CHECK: return
  func.func @chain(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> tensor<64x64xf32> {
    %0 = relay.call @dense(%x, %w) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %1 = relay.call @dense(%0, %w) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    return %1 : tensor<64x64xf32>
  }
}
