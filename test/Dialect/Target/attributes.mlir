// RUN: relay-opt %s | relay-opt | FileCheck %s

// CHECK: #[[CPU:.*]] = #target.cpu<"x86_64-unknown-linux-gnu", "x86-64-v4", features = "+avx512bf16,-avx512vl", l1 = 49152, l3 = 67108864>
// CHECK: module attributes {target.precision = #target.precision<medium>, target.spec = #[[CPU]]}
module attributes {
    target.precision = #target.precision<medium>,
    target.spec = #target.cpu<"x86_64-unknown-linux-gnu", "x86-64-v4",
                              features = "+avx512bf16,-avx512vl", l1 = 49152,
                              l3 = 67108864>} {
  // A kernel may differ from its module.
  // CHECK: tir.prim_func @k
  // CHECK-SAME: target.precision = #target.precision<highest>
  tir.prim_func @k(%x: memref<4xf32>)
      attributes {target.precision = #target.precision<highest>} {
  }
}
