// RUN: relay-opt %s --relay-inline-compiler-functions="functions=one" | FileCheck %s --check-prefix=ONE
// RUN: relay-opt %s --relay-inline-compiler-functions="compilers=t,* dissolve-patterns" | FileCheck %s --check-prefix=ALL
// RUN: relay-opt %s --relay-mark-compiler-functions-as-extern="compiler-filter=u" | FileCheck %s --check-prefix=EXTERN
// RUN: relay-opt %s --relay-outline-compiler-functions | FileCheck %s --check-prefix=OUTLINE
// RUN: not relay-opt %s --relay-inline-compiler-functions="functions=none" 2>&1 | FileCheck %s --check-prefix=NONE

// NONE: expects the name of a function of the module, but got "none"

// ONE-NOT: @one
// ONE: func.func private @two
// ONE: func.func @main
// ONE-NEXT: relay.exp
// ONE-NEXT: relay.call @two
// ALL-NOT: func.func private
// ALL: func.func @main
// ALL-NEXT: relay.exp
// ALL-NEXT: relay.tanh
// ALL-NEXT: return
// EXTERN: @one({{.*}}relay.compiler = "t"
// EXTERN: @two(%{{.*}}: tensor<4xf32>) -> tensor<4xf32> attributes {relay.attrs = {Extern = 1 : i32}} {
func.func private @one(%x: tensor<4xf32>) -> tensor<4xf32> attributes {relay.compiler = "t", relay.global_symbol = "one", relay.inline, relay.primitive} {
  %0 = relay.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @two(%x: tensor<4xf32>) -> tensor<4xf32> attributes {relay.compiler = "u", relay.global_symbol = "two", relay.primitive} {
  %f = relay.fn (%y: tensor<4xf32>) -> tensor<4xf32> attributes {relay.composite = "u.tanh"} {
    %0 = relay.tanh %y : (tensor<4xf32>) -> tensor<4xf32>
    relay.yield %0 : tensor<4xf32>
  }
  %1 = relay.call_indirect %f(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = relay.call @one(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = relay.call @two(%0) : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// Closures that are called, or bound and called, become functions; a constant
// from outside goes along.
// OUTLINE-LABEL: func.func @closures
// OUTLINE-NOT: relay.fn
// OUTLINE: relay.call @three
// OUTLINE: relay.call @three
// OUTLINE: relay.call @four
// OUTLINE: return
// OUTLINE: func.func private @three(%{{.*}}: tensor<4xf32> {relay.name = "y"}) -> tensor<4xf32> attributes {relay.compiler = "t", relay.global_symbol = "three"}
// OUTLINE-NEXT: relay.constant
// OUTLINE-NEXT: relay.add
// OUTLINE: func.func private @four
func.func @closures(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %c = relay.constant dense<2.0> : tensor<4xf32>
  %f = relay.fn (%y: tensor<4xf32> {relay.name = "y"}) -> tensor<4xf32> attributes {relay.compiler = "t", relay.global_symbol = "three"} {
    %0 = relay.add %y, %c : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    relay.yield %0 : tensor<4xf32>
  }
  %g = relay.fn (%y: tensor<4xf32>) -> tensor<4xf32> attributes {relay.compiler = "t", relay.global_symbol = "four"} {
    relay.yield %y : tensor<4xf32>
  }
  %h = relay.let "h" %g : (tensor<4xf32>) -> tensor<4xf32>
  %1 = relay.call_indirect %f(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = relay.call_indirect %f(%1) : (tensor<4xf32>) -> tensor<4xf32>
  %3 = relay.call_indirect %h(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %1, %2, %3 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
