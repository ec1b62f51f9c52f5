// What became of each kernel, with and without the cache, in the order of the
// program.
// RUN: relay-compile %s -o %t.so --target=x86-64-v3 --no-cache --remarks=%t.first
// RUN: FileCheck %s < %t.first
// RUN: relay-compile %s -o %t.so --target=x86-64-v3 --cache-dir=%t.cache --remarks 2> %t.second
// RUN: relay-compile %s -o %t.so --target=x86-64-v3 --cache-dir=%t.cache --remarks 2> %t.third
// RUN: diff %t.first %t.second
// RUN: diff %t.first %t.third
// RUN: relay-compile %s -o %t.so --target=x86-64-v4 --remarks=%t.wide
// RUN: FileCheck %s --check-prefix=WIDE < %t.wide
// RUN: relay-compile %s --emit=obj -o %t.o --target=aarch64 --remarks=%t.arm
// RUN: FileCheck %s --check-prefix=ARM < %t.arm
// RUN: relay-compile %s --emit=tir -o %t.mlir --target=x86-64-v3 --remarks 2>&1 | FileCheck %s --check-prefix=TEXT
// RUN: not relay-compile %s -o %t.so --remarks=%t.missing/file 2>&1 | FileCheck %s --check-prefix=ERROR

// CHECK-LABEL: kernel fused_nn_dense_nn_relu
// CHECK-DAG:     fused: nn.dense, nn.relu
// 2 * 64 * 96 * 128 for the product, 64 * 96 for relu.
// CHECK-DAG:     work: 1.579 MFLOP, 106.5 kB; calls: 1
// CHECK-DAG:     packed: constant argument 1, 96x128xf32, is stored as
// CHECK-DAG:     rule: @{{.*}}: sum of products
// CHECK-DAG:     tile: @{{.*}}: {{[0-9]+}} x {{[0-9]+}} results of f32 in vectors of 256 bits, {{[0-9]+}} registers
// CHECK-DAG:     parallel: @{{.*}} iterations
// CHECK-DAG:     instructions: {{.*}}fma ymm

// WIDE:          tile: @{{.*}} in vectors of 512 bits
// WIDE:          instructions: {{.*}}fma zmm

// ARM:           tile: @{{.*}} in vectors of 128 bits
// ARM:           instructions: {{.*}}fmla 4s

// A few rows of a table are not worth two threads.
// CHECK-LABEL: kernel fused_take
// CHECK-DAG:     fused: take
// CHECK-DAG:     not parallel: about {{[0-9]+}} vector operations are fewer than the {{[0-9]+}} that pay for threads
// CHECK-DAG:     threads: the kernel runs on the calling thread
// CHECK-DAG:     instructions: no arithmetic, comparisons or conversions in vector registers
// CHECK-NOT:   kernel

// TEXT:          tile:
// TEXT-NOT:      instructions:

// ERROR: error: cannot write '{{.*}}': No such file or directory
func.func @main(%x: tensor<64x128xf32>, %i: tensor<3xi64>) -> tensor<3x96xf32> {
  %w = relay.constant dense<0.5> : tensor<96x128xf32>
  %0 = relay.nn.dense %x, %w : (tensor<64x128xf32>, tensor<96x128xf32>) -> tensor<64x96xf32>
  %1 = relay.nn.relu %0 : (tensor<64x96xf32>) -> tensor<64x96xf32>
  %2 = relay.take %1, %i {axis = 0 : i64, mode = "clip"} : (tensor<64x96xf32>, tensor<3xi64>) -> tensor<3x96xf32>
  return %2 : tensor<3x96xf32>
}
