// RUN: relay-opt %s --split-input-file --relay-partition-graph | FileCheck %s
// RUN: relay-opt %s --split-input-file --relay-partition-graph="mod-name=my.mod bind-constants=false" | FileCheck %s --check-prefix=OPEN
// RUN: relay-opt %s --split-input-file --relay-partition-graph="min-operators=3" | FileCheck %s --check-prefix=SMALL
// RUN: relay-opt %s --split-input-file --relay-partition-graph="min-cost=100" | FileCheck %s --check-prefix=CHEAP

// Outputs are results, once each; constants are inside; inputs have the names
// that TVM gives them.
// CHECK: func.func private @tvmgen_default_my_t_main_0(%[[X:.*]]: tensor<4xf32> {relay.name = "my-t_0_i0"})
// CHECK-SAME: -> (tensor<4xf32>, tensor<4xf32>)
// CHECK-SAME: attributes {relay.compiler = "my-t", relay.global_symbol = "tvmgen_default_my_t_main_0", relay.inline, relay.primitive}
// CHECK-NEXT: %[[C:.*]] = relay.constant
// CHECK-NEXT: %[[A:.*]] = relay.add %[[X]], %[[C]]
// CHECK-NEXT: %[[B:.*]] = relay.exp %[[A]]
// CHECK-NEXT: return %[[A]], %[[B]]
// CHECK: func.func @main
// CHECK: %[[R:.*]]:2 = relay.call @tvmgen_default_my_t_main_0(%{{.*}})
// CHECK-NEXT: relay.tanh %[[R]]#0
// CHECK-NEXT: relay.tuple %{{.*}}, %[[R]]#1, %[[R]]#0
// OPEN: func.func private @tvmgen_my_mod_my_t_main_0(%{{.*}}: tensor<4xf32> {relay.name = "my-t_0_i0"}, %{{.*}}: tensor<4xf32> {relay.name = "my-t_0_i1"})
// OPEN: relay.call @tvmgen_my_mod_my_t_main_0(%{{.*}}, %{{.*}})
// SMALL-LABEL: func.func @main
// SMALL-NEXT: relay.constant
// SMALL-NEXT: relay.add
// SMALL-NEXT: relay.tanh
// SMALL-NEXT: relay.exp
// CHEAP-LABEL: func.func @main
// CHEAP-NEXT: relay.constant
// CHEAP-NEXT: relay.add
func.func @main(%x: tensor<4xf32>) -> tuple<tensor<4xf32>, tensor<4xf32>, tensor<4xf32>> {
  %c = relay.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %0 = relay.annotation.compiler_begin %x {compiler = "my-t"} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = relay.annotation.compiler_begin %c {compiler = "my-t"} : (tensor<4xf32>) -> tensor<4xf32>
  %2 = relay.add %0, %1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %3 = relay.exp %2 : (tensor<4xf32>) -> tensor<4xf32>
  %4 = relay.annotation.compiler_end %2 {compiler = "my-t"} : (tensor<4xf32>) -> tensor<4xf32>
  %5 = relay.annotation.compiler_end %3 {compiler = "my-t"} : (tensor<4xf32>) -> tensor<4xf32>
  %6 = relay.annotation.compiler_end %2 {compiler = "my-t"} : (tensor<4xf32>) -> tensor<4xf32>
  %7 = relay.annotation.compiler_begin %4 {compiler = "default"} : (tensor<4xf32>) -> tensor<4xf32>
  %8 = relay.tanh %7 : (tensor<4xf32>) -> tensor<4xf32>
  %9 = relay.annotation.compiler_end %8 {compiler = "default"} : (tensor<4xf32>) -> tensor<4xf32>
  %10 = relay.tuple %9, %5, %6 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  return %10 : tuple<tensor<4xf32>, tensor<4xf32>, tensor<4xf32>>
}

// -----

// A tuple that leaves a region is taken apart, one inside of another as well; a
// value that comes in and leaves at once stays outside.
// SMALL-LABEL: func.func @main
// CHECK-LABEL: func.func private @tvmgen_default_t_main_
// CHECK-NEXT: %[[E:.*]] = relay.exp
// CHECK-NEXT: return %[[E]] : tensor<4xf32>
// CHECK-LABEL: func.func @main
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>)
// CHECK-NEXT: %[[R:.*]] = relay.call
// CHECK-NEXT: %[[I:.*]] = relay.tuple %[[X]], %[[R]]
// CHECK-NEXT: relay.tuple %[[I]], %[[R]]
func.func @main(%x: tensor<4xf32>) -> tuple<tuple<tensor<4xf32>, tensor<4xf32>>, tensor<4xf32>> {
  %0 = relay.annotation.compiler_begin %x {compiler = "t"} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = relay.exp %0 : (tensor<4xf32>) -> tensor<4xf32>
  %2 = relay.annotation.compiler_begin %x {compiler = "t"} : (tensor<4xf32>) -> tensor<4xf32>
  %3 = relay.tuple %2, %1 : tensor<4xf32>, tensor<4xf32>
  %4 = relay.tuple %3, %1 : tuple<tensor<4xf32>, tensor<4xf32>>, tensor<4xf32>
  %5 = relay.annotation.compiler_end %4 {compiler = "t"} : (tuple<tuple<tensor<4xf32>, tensor<4xf32>>, tensor<4xf32>>) -> tuple<tuple<tensor<4xf32>, tensor<4xf32>>, tensor<4xf32>>
  return %5 : tuple<tuple<tensor<4xf32>, tensor<4xf32>>, tensor<4xf32>>
}

// -----

// Patterns go along, with the constants that they use from outside. The cost of
// a product counts what it sums.
// CHECK-LABEL: func.func private @tvmgen_default_t_main_0
// CHECK-NEXT: %[[W:.*]] = relay.constant
// CHECK-NEXT: %[[F:.*]] = relay.fn
// CHECK-NEXT: relay.nn.dense %{{.*}}, %[[W]]
// CHECK: relay.call_indirect %[[F]]
// CHECK: return
// CHEAP: func.func private @tvmgen_default_t_main_0
// Left where it is, the pattern is its operators.
// SMALL-LABEL: func.func @main
// SMALL-NEXT: relay.constant
// SMALL-NEXT: relay.nn.dense
// SMALL-NEXT: relay.nn.relu
// SMALL-NEXT: return
func.func @main(%x: tensor<1x64xf32>) -> tensor<1x2xf32> {
  %w = relay.constant dense<0.5> : tensor<2x64xf32>
  %f = relay.fn (%y: tensor<1x64xf32>) -> tensor<1x2xf32> attributes {relay.composite = "t.dense_relu"} {
    %0 = relay.nn.dense %y, %w : (tensor<1x64xf32>, tensor<2x64xf32>) -> tensor<1x2xf32>
    %1 = relay.nn.relu %0 : (tensor<1x2xf32>) -> tensor<1x2xf32>
    relay.yield %1 : tensor<1x2xf32>
  }
  %2 = relay.annotation.compiler_begin %x {compiler = "t"} : (tensor<1x64xf32>) -> tensor<1x64xf32>
  %3 = relay.call_indirect %f(%2) : (tensor<1x64xf32>) -> tensor<1x2xf32>
  %4 = relay.annotation.compiler_end %3 {compiler = "t"} : (tensor<1x2xf32>) -> tensor<1x2xf32>
  return %4 : tensor<1x2xf32>
}

// -----

// References are read and written in the order of the program.
// CHECK-LABEL: func.func @main
// CHECK: relay.ref_create
// CHECK: relay.call @tvmgen_default_t_main_0
// CHECK: relay.ref_write
// CHECK: relay.call @tvmgen_default_t_main_1
func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %r = relay.ref_create %x : (tensor<4xf32>) -> !relay.ref<tensor<4xf32>>
  %0 = relay.annotation.compiler_begin %r {compiler = "t"} : (!relay.ref<tensor<4xf32>>) -> !relay.ref<tensor<4xf32>>
  %1 = relay.ref_read %0 : (!relay.ref<tensor<4xf32>>) -> tensor<4xf32>
  %2 = relay.annotation.compiler_end %1 {compiler = "t"} : (tensor<4xf32>) -> tensor<4xf32>
  %3 = relay.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  %4 = relay.ref_write %r, %3 : (!relay.ref<tensor<4xf32>>, tensor<4xf32>) -> tuple<>
  %5 = relay.annotation.compiler_begin %r {compiler = "t"} : (!relay.ref<tensor<4xf32>>) -> !relay.ref<tensor<4xf32>>
  %6 = relay.ref_read %5 : (!relay.ref<tensor<4xf32>>) -> tensor<4xf32>
  %7 = relay.annotation.compiler_end %6 {compiler = "t"} : (tensor<4xf32>) -> tensor<4xf32>
  return %2, %7 : tensor<4xf32>, tensor<4xf32>
}

// -----

// No function of the module knows the types of a polymorphic closure.
// CHECK-NOT: tvmgen
// CHECK-LABEL: func.func @polymorphic
// CHECK:         %[[T:.*]] = relay.tuple
// CHECK-NEXT:    relay.tuple_get_item %[[T]]
func.func @polymorphic(%x: tensor<4xf32>) -> tensor<4xf32> {
  %f = relay.fn ["A"] (%a: !relay.typevar<"A">) -> !relay.typevar<"A"> {
    %1 = relay.annotation.compiler_begin %a {compiler = "t"} : (!relay.typevar<"A">) -> !relay.typevar<"A">
    %2 = relay.tuple %1 : !relay.typevar<"A">
    %3 = relay.tuple_get_item %2[0] : tuple<!relay.typevar<"A">>
    %4 = relay.annotation.compiler_end %3 {compiler = "t"} : (!relay.typevar<"A">) -> !relay.typevar<"A">
    relay.yield %4 : !relay.typevar<"A">
  }
  %0 = relay.call_indirect %f(%x) : !relay.forall<["A"], (!relay.typevar<"A">) -> !relay.typevar<"A">> as (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// Calls of closures that have names are in no order for that: `%g` of a result
// of the region comes before `%g` of what the region needs in the program, but
// not in what is computed.
// CHECK-LABEL: func.func private @tvmgen_default_t_named_0
// CHECK:         relay.exp
// CHECK:         relay.add
// CHECK-LABEL: func.func @named
// CHECK:         %[[R:.*]]:2 = relay.call @tvmgen_default_t_named_0
func.func @named(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %f = relay.fn (%p: tensor<4xf32>) -> tensor<4xf32> {
    %t = relay.tanh %p : (tensor<4xf32>) -> tensor<4xf32>
    relay.yield %t : tensor<4xf32>
  }
  %g = relay.let "g" %f : (tensor<4xf32>) -> tensor<4xf32>
  %0 = relay.annotation.compiler_begin %x {compiler = "t"} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = relay.exp %0 : (tensor<4xf32>) -> tensor<4xf32>
  %2 = relay.annotation.compiler_end %1 {compiler = "t"} : (tensor<4xf32>) -> tensor<4xf32>
  %3 = relay.call_indirect %g(%2) : (tensor<4xf32>) -> tensor<4xf32>
  %4 = relay.call_indirect %g(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %5 = relay.annotation.compiler_begin %4 {compiler = "t"} : (tensor<4xf32>) -> tensor<4xf32>
  %6 = relay.add %1, %5 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %7 = relay.annotation.compiler_end %6 {compiler = "t"} : (tensor<4xf32>) -> tensor<4xf32>
  return %3, %7 : tensor<4xf32>, tensor<4xf32>
}
