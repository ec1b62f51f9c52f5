// RUN: relay-translate --relax-to-script %s | FileCheck %s --match-full-lines --strict-whitespace

func.func private @split(tensor<?x4xf32>) -> (tensor<?x2xf32>, tensor<?x2xf32>)
func.func private @"fused-add"(tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<?x2xf32>

//      CHECK:@relax.function
// CHECK-NEXT:def main(x_1: Tensor((n, 4), "float32"), lv1: Tensor((2 * n,), "int64")) -> Tuple(Tensor((n, 2), "float32"), Tensor((n, 2), "float32")):
// CHECK-NEXT:    with relax.dataflow():
// CHECK-NEXT:        gv1, lv = relax.call_tir(split, (x_1,), [Tensor((n, 2), "float32"), Tensor((n, 2), "float32")])
// CHECK-NEXT:        gv = relax.call_tir(fused_add, (gv1, lv), (n, 2), dtype="float32")
// CHECK-NEXT:        relax.output(gv, gv1, x_1)
// CHECK-NEXT:    return gv, gv1
//  CHECK-NOT:never
relax.func @main(%x: !relax.tensor<[n, 4], f32> {relax.name = "x.1"}, %y: !relax.tensor<[2 * n], i64> {relax.name = "lv1"})
    -> (!relax.tensor<[n, 2], f32>, !relax.tensor<[n, 2], f32>) {
  %0:3 = relax.dataflow {
    %1:2 = relax.call_tir @split(%x) : (!relax.tensor<[n, 4], f32>) -> (!relax.tensor<[n, 2], f32>, !relax.tensor<[n, 2], f32>)
    %2 = relax.call_tir @"fused-add"(%1#0, %1#1) : (!relax.tensor<[n, 2], f32>, !relax.tensor<[n, 2], f32>) -> !relax.tensor<[n, 2], f32>
    relax.output %2, %1#0, %x : !relax.tensor<[n, 2], f32>, !relax.tensor<[n, 2], f32>, !relax.tensor<[n, 4], f32>
  } : !relax.tensor<[n, 2], f32>, !relax.tensor<[n, 2], f32>, !relax.tensor<[n, 4], f32>
  relax.return %0#0, %0#1 : !relax.tensor<[n, 2], f32>, !relax.tensor<[n, 2], f32>
}

// Sizes as Python writes them, and what is not a graph.
//      CHECK:@relax.function
// CHECK-NEXT:def sizes(x: Tensor((n,), "float32"), y: Tensor((n // 2, n % 3), "bool"), t: Tuple(Tensor((1,), "int8"), Tensor((), "bfloat16"))) -> Tensor((1,), "int8"):
// CHECK-NEXT:    relax.assert_equal(lhs=(n,), rhs=(4,))
// CHECK-NEXT:    gv = relax.const(2.000000e+00, Tensor((), "float64"))
// CHECK-NEXT:    gv1 = t[0]
// CHECK-NEXT:    return gv1
relax.func @sizes(%x: !relax.tensor<[n], f32> {relax.name = "x"}, %y: !relax.tensor<[n floordiv 2, n mod 3], i1> {relax.name = "y"}, %t: tuple<!relax.tensor<[1], i8>, !relax.tensor<[], bf16>> {relax.name = "t"}) -> !relax.tensor<[1], i8> {
  relax.assert_equal [n], [4]
  %c = relax.constant dense<2.0> : tensor<f64>
  %0 = relax.tuple_get_item %t[0] : tuple<!relax.tensor<[1], i8>, !relax.tensor<[], bf16>>
  relax.return %0 : !relax.tensor<[1], i8>
}
