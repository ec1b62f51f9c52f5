// RUN: not relay-opt %s --relay-annotate-target="targets=a operators=a:relay.unknown" 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: relay-opt %s --relay-annotate-target="targets=a,b operators=a:add,b:add,b:exp" | FileCheck %s
// RUN: relay-opt %s --relay-annotate-target="targets=a,b operators=a:add,b:exp include-non-call-ops=false" | FileCheck %s --check-prefix=CALLS
// RUN: relay-opt %s --relay-annotate-target="targets=a operators=a:add" --relay-annotate-target="targets=b operators=b:add,b:exp" | FileCheck %s --check-prefix=TWICE
// RUN: not relay-opt %s --relay-annotate-target="targets=a.b" 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not relay-opt %s --relay-annotate-target="targets=default" 2>&1 | FileCheck %s --check-prefix=NAME

// UNKNOWN: expects operators as target:name of an operator, but got "a:relay.unknown"
// NAME: expects the name of a target, without a dot and other than "default", but got "{{a.b|default}}"

// The first target that takes an operator has it. Constants and parameters come
// in by a begin for each use.
// CHECK-LABEL: func.func @chain
// TWICE-LABEL: func.func @chain
func.func @chain(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: %[[C:.*]] = relay.constant
  %c = relay.constant dense<2.0> : tensor<4xf32>
  // CHECK: %[[X:.*]] = relay.annotation.compiler_begin %arg0 {compiler = "a"}
  // CHECK: %[[D:.*]] = relay.annotation.compiler_begin %[[C]] {compiler = "a"}
  // CHECK: %[[A:.*]] = relay.add %[[X]], %[[D]]
  %0 = relay.add %x, %c : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %[[E:.*]] = relay.annotation.compiler_end %[[A]] {compiler = "a"}
  // CHECK: %[[F:.*]] = relay.annotation.compiler_begin %[[E]] {compiler = "b"}
  // CHECK: %[[G:.*]] = relay.exp %[[F]]
  %1 = relay.exp %0 : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %[[H:.*]] = relay.annotation.compiler_end %[[G]] {compiler = "b"}
  // CHECK: %[[I:.*]] = relay.annotation.compiler_begin %[[H]] {compiler = "default"}
  // CHECK: %[[J:.*]] = relay.tanh %[[I]]
  %2 = relay.tanh %1 : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %[[K:.*]] = relay.annotation.compiler_end %[[J]] {compiler = "default"}
  // CHECK: return %[[K]]
  // What another run has annotated stays, but for the default.
  // TWICE-COUNT-2: compiler_begin {{.*}} {compiler = "a"}
  // TWICE-NEXT: relay.add
  // TWICE-NEXT: compiler_end {{.*}} {compiler = "a"}
  // TWICE-NEXT: compiler_begin {{.*}} {compiler = "b"}
  // TWICE-NEXT: relay.exp
  // TWICE-NEXT: compiler_end {{.*}} {compiler = "b"}
  // TWICE-NEXT: compiler_begin {{.*}} {compiler = "default"}
  // TWICE-NEXT: relay.tanh
  // TWICE-NEXT: compiler_end {{.*}} {compiler = "default"}
  // TWICE-NEXT: return
  return %2 : tensor<4xf32>
}

// Tuples and their fields run where their operands do, if all agree.
// CHECK-LABEL: func.func @tuples
// CALLS-LABEL: func.func @tuples
func.func @tuples(%x: tensor<4xf32>) -> (tuple<tensor<4xf32>, tensor<4xf32>>, tensor<4xf32>) {
  %0 = relay.add %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = relay.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: relay.annotation.compiler_end {{.*}} {compiler = "a"}
  // CHECK: %[[A:.*]] = relay.annotation.compiler_begin {{.*}} {compiler = "a"}
  // CHECK: relay.annotation.compiler_end {{.*}} {compiler = "a"}
  // CHECK: %[[B:.*]] = relay.annotation.compiler_begin {{.*}} {compiler = "a"}
  // CHECK: %[[T:.*]] = relay.tuple %[[A]], %[[B]]
  // CHECK: relay.annotation.compiler_end %[[T]] {compiler = "a"}
  // CALLS: %[[A:.*]] = relay.annotation.compiler_end {{.*}} {compiler = "a"}
  // CALLS: %[[B:.*]] = relay.annotation.compiler_end {{.*}} {compiler = "a"}
  // CALLS: %[[T:.*]] = relay.tuple %[[A]], %[[B]]
  // CALLS-NEXT: relay.tuple_get_item %[[T]][0]
  %2 = relay.tuple %0, %0 : tensor<4xf32>, tensor<4xf32>
  %3 = relay.tuple_get_item %2[0] : tuple<tensor<4xf32>, tensor<4xf32>>
  // CHECK: %[[C:.*]] = relay.annotation.compiler_begin {{.*}} {compiler = "default"}
  // CHECK: relay.annotation.compiler_end {{.*}} {compiler = "b"}
  // CHECK: %[[D:.*]] = relay.annotation.compiler_begin {{.*}} {compiler = "default"}
  // CHECK: relay.tuple %[[C]], %[[D]]
  %4 = relay.tuple %3, %1 : tensor<4xf32>, tensor<4xf32>
  return %4, %3 : tuple<tensor<4xf32>, tensor<4xf32>>, tensor<4xf32>
}

// A pattern goes to the target in its name, as a whole, unless it uses what is
// around it.
// CHECK-LABEL: func.func @patterns
func.func @patterns(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  // CHECK: %[[F:.*]] = relay.fn
  // CHECK-NEXT: relay.add
  // CHECK-NEXT: relay.exp
  // CHECK-NEXT: relay.yield
  %f = relay.fn (%y: tensor<4xf32>) -> tensor<4xf32> attributes {relay.composite = "b.pair"} {
    %0 = relay.add %y, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %1 = relay.exp %0 : (tensor<4xf32>) -> tensor<4xf32>
    relay.yield %1 : tensor<4xf32>
  }
  // CHECK: %[[X:.*]] = relay.annotation.compiler_begin %arg0 {compiler = "b"}
  // CHECK: relay.call_indirect %[[F]](%[[X]])
  %2 = relay.call_indirect %f(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %g = relay.fn (%y: tensor<4xf32>) -> tensor<4xf32> attributes {relay.composite = "c.pair"} {
    relay.yield %y : tensor<4xf32>
  }
  // CHECK: relay.annotation.compiler_begin %arg0 {compiler = "default"}
  %3 = relay.call_indirect %g(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %h = relay.fn (%y: tensor<4xf32>) -> tensor<4xf32> attributes {relay.composite = "b.open"} {
    %0 = relay.add %y, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    relay.yield %0 : tensor<4xf32>
  }
  // CHECK: relay.annotation.compiler_begin %arg0 {compiler = "default"}
  %4 = relay.call_indirect %h(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %2, %3, %4 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// Values leave their regions before branches, variables and calls of closures.
// CHECK-LABEL: func.func @control
// CALLS-LABEL: func.func @control
func.func @control(%c: tensor<i1>, %x: tensor<4xf32>, %f: (tensor<4xf32>) -> tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: relay.logical_not
  // CHECK: %[[C:.*]] = relay.annotation.compiler_end {{.*}} {compiler = "default"}
  %0 = relay.logical_not %c : (tensor<i1>) -> tensor<i1>
  // CHECK: relay.if %[[C]]
  %1 = relay.if %0 : tensor<i1> -> tensor<4xf32> {
    %2 = relay.exp %x : (tensor<4xf32>) -> tensor<4xf32>
    // CHECK: %[[A:.*]] = relay.exp
    // CHECK: %[[B:.*]] = relay.annotation.compiler_end %[[A]] {compiler = "b"}
    // CHECK: relay.yield %[[B]]
    relay.yield %2 : tensor<4xf32>
  } else {
    relay.yield %x : tensor<4xf32>
  }
  %3 = relay.exp %1 : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %[[E:.*]] = relay.annotation.compiler_end {{.*}} {compiler = "b"}
  // CHECK: relay.let "v" %[[E]]
  %v = relay.let "v" %3 : tensor<4xf32>
  %4 = relay.exp %v : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: relay.annotation.compiler_begin {{.*}} {compiler = "default"}
  // CHECK: relay.call_indirect
  // CHECK: relay.annotation.compiler_end {{.*}} {compiler = "default"}
  // CALLS: relay.let
  // CALLS: %[[D:.*]] = relay.annotation.compiler_end {{.*}} {compiler = "b"}
  // CALLS-NEXT: %[[F:.*]] = relay.call_indirect %{{.*}}(%[[D]])
  // CALLS-NEXT: return %[[F]]
  %5 = relay.call_indirect %f(%4) : (tensor<4xf32>) -> tensor<4xf32>
  return %5 : tensor<4xf32>
}

// What is somebody's already stays, and so does what has no operands.
// CHECK-LABEL: func.func private @done
// CHECK-NEXT: relay.add
func.func private @done(%x: tensor<4xf32>) -> tensor<4xf32> attributes {relay.compiler = "c"} {
  %0 = relay.add %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// Operations of other dialects are no operators.
// CHECK-LABEL: func.func @foreign
// CHECK-NEXT:    %[[SUM:.*]] = arith.addf %{{.*}}, %{{.*}} : f32
// CHECK-NEXT:    %[[X:.*]] = tensor.from_elements %[[SUM]] : tensor<1xf32>
// CHECK-NEXT:    relay.annotation.compiler_begin %[[X]]
func.func @foreign(%a: f32) -> tensor<1xf32> {
  %0 = arith.addf %a, %a : f32
  %1 = tensor.from_elements %0 : tensor<1xf32>
  %2 = relay.exp %1 : (tensor<1xf32>) -> tensor<1xf32>
  return %2 : tensor<1xf32>
}

// Nothing would begin the region of a call without arguments.
// CHECK-LABEL: func.func @no_arguments
// CHECK:         %[[F:.*]] = relay.fn () -> tensor<4xf32>
// CHECK:         %[[V:.*]] = relay.call_indirect %[[F]]()
// CHECK-NEXT:    relay.annotation.compiler_begin %[[V]] {compiler = "b"}
// CHECK-NEXT:    relay.exp
func.func @no_arguments(%x: tensor<4xf32>) -> tensor<4xf32> {
  %f = relay.fn () -> tensor<4xf32> {
    relay.yield %x : tensor<4xf32>
  }
  %0 = relay.call_indirect %f() : () -> tensor<4xf32>
  %1 = relay.exp %0 : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// A pattern that is bound to a variable, as in A-normal form, is one as well.
// CHECK-LABEL: func.func @bound_pattern
// CHECK:         %[[F:.*]] = relay.fn
// CHECK-NOT:     relay.let "f"
// CHECK:         %[[B:.*]] = relay.annotation.compiler_begin %{{.*}} {compiler = "a"}
// CHECK-NEXT:    %[[V:.*]] = relay.call_indirect %[[F]](%[[B]])
// CHECK-NEXT:    %[[E:.*]] = relay.annotation.compiler_end %[[V]] {compiler = "a"}
// CHECK-NEXT:    relay.let "v" %[[E]]
func.func @bound_pattern(%x: tensor<4xf32>) -> tensor<4xf32> {
  %fn = relay.fn (%a: tensor<4xf32>) -> tensor<4xf32>
      attributes {relay.composite = "a.twice", relay.partitioned_from_pattern = "tanh_"} {
    %0 = relay.tanh %a : (tensor<4xf32>) -> tensor<4xf32>
    relay.yield %0 : tensor<4xf32>
  }
  %f = relay.let "f" %fn : (tensor<4xf32>) -> tensor<4xf32>
  %0 = relay.call_indirect %f(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %v = relay.let "v" %0 : tensor<4xf32>
  return %v : tensor<4xf32>
}
