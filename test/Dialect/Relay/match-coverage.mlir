// RUN: relay-opt %s --relay-infer-types --split-input-file --verify-diagnostics

relay.adt @List["A"] {
  relay.constructor @Cons(!relay.typevar<"A">, !relay.adt<@List, [!relay.typevar<"A">]>)
  relay.constructor @Nil
}
func.func @complete(%l: !relay.adt<@List, [tensor<f32>]>, %x: tensor<f32>) -> tensor<f32> {
  %0 = relay.match %l : !relay.adt<@List, [tensor<f32>]> -> tensor<f32> {
  case @List::@Nil {
    relay.yield %x : tensor<f32>
  }
  case @List::@Cons("a" %a: tensor<f32>, @List::@Nil) {
    relay.yield %a : tensor<f32>
  }
  case @List::@Cons(_, @List::@Cons("b" %b: tensor<f32>, _)) {
    relay.yield %b : tensor<f32>
  }
  }
  return %0 : tensor<f32>
}
func.func @missing_constructor(%l: !relay.adt<@List, [tensor<f32>]>, %x: tensor<f32>) -> tensor<f32> {
  // expected-error @+2 {{'relay.match' op expects cases for all values, but misses Nil}}
  // expected-note @+1 {{a match that need not cover all values is 'partial'}}
  %0 = relay.match %l : !relay.adt<@List, [tensor<f32>]> -> tensor<f32> {
  case @List::@Cons("a" %a: tensor<f32>, _) {
    relay.yield %a : tensor<f32>
  }
  }
  return %0 : tensor<f32>
}
// The middle is missing, and more than one pattern.
func.func @missing_middle(%l: !relay.adt<@List, [tensor<f32>]>, %x: tensor<f32>) -> tensor<f32> {
  // expected-error @+2 {{but misses Cons(_, Cons(_, Nil))}}
  // expected-note @+1 {{partial}}
  %0 = relay.match %l : !relay.adt<@List, [tensor<f32>]> -> tensor<f32> {
  case @List::@Nil {
    relay.yield %x : tensor<f32>
  }
  case @List::@Cons(_, @List::@Nil) {
    relay.yield %x : tensor<f32>
  }
  case @List::@Cons(_, @List::@Cons(_, @List::@Cons(_, _))) {
    relay.yield %x : tensor<f32>
  }
  }
  // expected-error @+2 {{but misses Cons(_, Cons(_, _)), Nil}}
  // expected-note @+1 {{partial}}
  %1 = relay.match %l : !relay.adt<@List, [tensor<f32>]> -> tensor<f32> {
  case @List::@Cons(_, @List::@Nil) {
    relay.yield %x : tensor<f32>
  }
  }
  // expected-error @+2 {{but misses _}}
  // expected-note @+1 {{partial}}
  %2 = relay.match %l : !relay.adt<@List, [tensor<f32>]> -> tensor<f32> {
  }
  return %0 : tensor<f32>
}
// A partial match need not be complete.
func.func @partial(%l: !relay.adt<@List, [tensor<f32>]>) -> tensor<f32> {
  %0 = relay.match partial %l : !relay.adt<@List, [tensor<f32>]> -> tensor<f32> {
  case @List::@Cons("a" %a: tensor<f32>, _) {
    relay.yield %a : tensor<f32>
  }
  }
  return %0 : tensor<f32>
}
// Tuples: of lists, and empty ones.
func.func @tuples(%l: !relay.adt<@List, [tensor<f32>]>, %x: tensor<f32>) -> tensor<f32> {
  %t = relay.tuple %l, %l : !relay.adt<@List, [tensor<f32>]>, !relay.adt<@List, [tensor<f32>]>
  // expected-error @+2 {{but misses (Cons(_, _), Cons(_, _)), (Nil, Nil)}}
  // expected-note @+1 {{partial}}
  %0 = relay.match %t : tuple<!relay.adt<@List, [tensor<f32>]>, !relay.adt<@List, [tensor<f32>]>> -> tensor<f32> {
  case (@List::@Nil, @List::@Cons(_, _)) {
    relay.yield %x : tensor<f32>
  }
  case (@List::@Cons(_, _), @List::@Nil) {
    relay.yield %x : tensor<f32>
  }
  }
  %e = relay.tuple ()
  %1 = relay.match %e : tuple<> -> tensor<f32> {
  case () {
    relay.yield %x : tensor<f32>
  }
  }
  // expected-error @+2 {{but misses (Nil, _)}}
  // expected-note @+1 {{partial}}
  %2 = relay.match %t : tuple<!relay.adt<@List, [tensor<f32>]>, !relay.adt<@List, [tensor<f32>]>> -> tensor<f32> {
  case (@List::@Cons(_, _), _) {
    relay.yield %x : tensor<f32>
  }
  }
  return %0 : tensor<f32>
}

// -----

// Patterns that look closer in turns come to an end.
relay.adt @Arith {
  relay.constructor @Zero
  relay.constructor @Const(tensor<i32>)
  relay.constructor @Plus(!relay.adt<@Arith>, !relay.adt<@Arith>)
}
func.func @nested(%a: !relay.adt<@Arith>, %x: tensor<f32>) -> tensor<f32> {
  // expected-error @+2 {{but misses Plus(Zero, Zero), Plus(Zero, Const(_)), Plus(Zero, Plus(_, _)), Plus(Const(_), Const(_)), Plus(Const(_), Plus(_, _))}}
  // expected-note @+1 {{partial}}
  %0 = relay.match %a : !relay.adt<@Arith> -> tensor<f32> {
  case @Arith::@Zero {
    relay.yield %x : tensor<f32>
  }
  case @Arith::@Const(_) {
    relay.yield %x : tensor<f32>
  }
  case @Arith::@Plus(@Arith::@Const(_), @Arith::@Zero) {
    relay.yield %x : tensor<f32>
  }
  case @Arith::@Plus(@Arith::@Plus(_, _), _) {
    relay.yield %x : tensor<f32>
  }
  }
  return %0 : tensor<f32>
}
