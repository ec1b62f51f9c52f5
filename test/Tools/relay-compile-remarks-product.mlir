// Why sums of products are left to other rules.
// RUN: relay-compile %s -o %t.so --target=x86-64-v3 --no-cache --remarks=%t.avx2
// RUN: FileCheck %s < %t.avx2
// RUN: relay-compile %s -o %t.so --target=x86-64-v2 --no-cache --remarks=%t.sse
// RUN: FileCheck %s --check-prefix=SSE < %t.sse

// CHECK-LABEL: kernel fused_nn_matmul{{$}}
// CHECK: not rule: @{{.*}}: no tile of products, 3 columns are less than half of the 8 lanes of a vector
// CHECK-LABEL: kernel fused_nn_dense{{$}}
// CHECK: not rule: @{{.*}}: no tile of products, no row but one would read a copy of the columns
// CHECK-LABEL: kernel fused_nn_matmul_1{{$}}
// CHECK-NOT: no tile
// CHECK: rule: @{{.*}}: sum of products

// SSE-LABEL: kernel fused_nn_matmul_1{{$}}
// SSE: not rule: @{{.*}}: no tile of products, a vector holds only 2 results
func.func @main(%x: tensor<1x64xf32>, %few: tensor<64x3xf32>, %unknown: tensor<?x64xf32>, %left: tensor<32x64xf64>, %right: tensor<64x32xf64>) -> (tensor<1x3xf32>, tensor<1x?xf32>, tensor<32x32xf64>) {
  %0 = relay.nn.matmul %x, %few : (tensor<1x64xf32>, tensor<64x3xf32>) -> tensor<1x3xf32>
  %1 = relay.nn.dense %x, %unknown : (tensor<1x64xf32>, tensor<?x64xf32>) -> tensor<1x?xf32>
  %2 = relay.nn.matmul %left, %right : (tensor<32x64xf64>, tensor<64x32xf64>) -> tensor<32x32xf64>
  return %0, %1, %2 : tensor<1x3xf32>, tensor<1x?xf32>, tensor<32x32xf64>
}
