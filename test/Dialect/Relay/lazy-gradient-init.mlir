// RUN: relay-opt %s --relay-lazy-gradient-init | FileCheck %s
// RUN: relay-opt %s --relay-lazy-gradient-init --relay-partial-evaluate --relay-dead-code \
// RUN:   | FileCheck %s --check-prefix=EVALUATED
// RUN: echo "module {}" | not relay-opt --relay-lazy-gradient-init 2>&1 \
// RUN:   | FileCheck %s --check-prefix=MISSING

// MISSING: expects the definitions of gradient.rly for lazy gradients, but @GradCell is not there
// MISSING: relay.transform.LazyGradientInit of Python imports them

relay.adt @GradCell["T"] {
  relay.constructor @Raw(!relay.typevar<"T">)
  relay.constructor @One(() -> !relay.typevar<"T">)
  relay.constructor @Zero(() -> !relay.typevar<"T">)
}
func.func private @FromGradCell(%cell: !relay.adt<@GradCell, [!relay.typevar<"T">]>)
    -> !relay.typevar<"T"> attributes {relay.type_params = ["T"]} {
  %0 = relay.match %cell : !relay.adt<@GradCell, [!relay.typevar<"T">]>
      -> !relay.typevar<"T"> {
  case @GradCell::@Raw("v" %v: !relay.typevar<"T">) {
    relay.yield %v : !relay.typevar<"T">
  }
  case @GradCell::@One("f" %f: () -> !relay.typevar<"T">) {
    %1 = relay.call_indirect %f() : () -> !relay.typevar<"T">
    relay.yield %1 : !relay.typevar<"T">
  }
  case @GradCell::@Zero("f" %f: () -> !relay.typevar<"T">) {
    %1 = relay.call_indirect %f() : () -> !relay.typevar<"T">
    relay.yield %1 : !relay.typevar<"T">
  }
  }
  return %0 : !relay.typevar<"T">
}
func.func private @AddGradCell(
    %add: (!relay.typevar<"T">, !relay.typevar<"T">) -> !relay.typevar<"T">,
    %x: !relay.adt<@GradCell, [!relay.typevar<"T">]>,
    %y: !relay.adt<@GradCell, [!relay.typevar<"T">]>)
    -> !relay.adt<@GradCell, [!relay.typevar<"T">]>
    attributes {relay.type_params = ["T"]} {
  %0 = relay.match %y : !relay.adt<@GradCell, [!relay.typevar<"T">]>
      -> !relay.adt<@GradCell, [!relay.typevar<"T">]> {
  case @GradCell::@Zero(_) {
    relay.yield %x : !relay.adt<@GradCell, [!relay.typevar<"T">]>
  }
  case _ {
    relay.yield %y : !relay.adt<@GradCell, [!relay.typevar<"T">]>
  }
  }
  return %0 : !relay.adt<@GradCell, [!relay.typevar<"T">]>
}
func.func private @MultiplyGradCell(
    %multiply: (!relay.typevar<"T">, !relay.typevar<"T">) -> !relay.typevar<"T">,
    %x: !relay.adt<@GradCell, [!relay.typevar<"T">]>,
    %y: !relay.adt<@GradCell, [!relay.typevar<"T">]>)
    -> !relay.adt<@GradCell, [!relay.typevar<"T">]>
    attributes {relay.type_params = ["T"]} {
  return %x : !relay.adt<@GradCell, [!relay.typevar<"T">]>
}

// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>) -> tensor<4xf32>
// CHECK: %[[CELL:.*]] = relay.construct @GradCell::@Raw(%[[X]])
// CHECK: %[[MAKE:.*]] = relay.fn () -> tensor<4xf32>
// CHECK:   relay.zeros
// CHECK: %[[ZERO:.*]] = relay.construct @GradCell::@Zero(%[[MAKE]])
// CHECK: %[[ADD:.*]] = relay.fn
// CHECK:   relay.add
// CHECK: %[[SUM:.*]] = relay.call @AddGradCell(%[[ADD]], %[[CELL]], %[[ZERO]])
// CHECK: relay.call @FromGradCell(%[[SUM]])
// EVALUATED-LABEL: func.func @main(
// EVALUATED-SAME: %[[X:.*]]: tensor<4xf32>)
// EVALUATED-NEXT: return %[[X]]
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = relay.zeros {shape = [4], dtype = f32} : () -> tensor<4xf32>
  %1 = relay.add %x, %0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// Zeros of another shape, and other operators, are computed.
// CHECK-LABEL: func.func @others(
// CHECK: %[[ONE:.*]] = relay.construct @GradCell::@One(
// CHECK: %[[READ:.*]] = relay.call @FromGradCell(%[[ONE]]) : (!relay.adt<@GradCell, [tensor<1xf32>]>) -> tensor<1xf32>
// CHECK: relay.multiply %{{.*}}, %[[READ]]
// CHECK: relay.exp
// CHECK: %[[C:.*]] = relay.call @FromGradCell({{.*}} -> tensor<i1>
// CHECK: relay.if %[[C]] : tensor<i1> -> !relay.adt<@GradCell, [tensor<4xf32>]>
func.func @others(%c: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = relay.ones {shape = [1], dtype = f32} : () -> tensor<1xf32>
  %1 = relay.multiply %x, %0 : (tensor<4xf32>, tensor<1xf32>) -> tensor<4xf32>
  %2 = relay.exp %1 : (tensor<4xf32>) -> tensor<4xf32>
  %3 = relay.if %c : tensor<i1> -> tensor<4xf32> {
    relay.yield %x : tensor<4xf32>
  } else {
    relay.yield %2 : tensor<4xf32>
  }
  return %3 : tensor<4xf32>
}
