// How operations are written as expressions. Functions are written in the order
// of their names, and variables of one name are numbered.
//
// RUN: relay-translate --export-relay-without-types %s | FileCheck %s

relay.adt @List["A"] {
  relay.constructor @Cons(!relay.typevar<"A">, !relay.adt<@List, [!relay.typevar<"A">]>)
  relay.constructor @Nil
}

// Attributes that equal the default are left out; those without one are not.
// CHECK-LABEL: def @attributes(%x: Tensor[(2, 8), float32], %w: Tensor[(4, 8), float32]) -> Tensor[(2, 4), float32] {
// CHECK-NEXT:    %[[D:[0-9]+]] = nn.dense(%x, %w, units=None);
// CHECK-NEXT:    nn.softmax(%[[D]])
// CHECK-NEXT:  }
func.func @attributes(%x: tensor<2x8xf32> {relay.name = "x"}, %w: tensor<4x8xf32> {relay.name = "w"}) -> tensor<2x4xf32> {
  %0 = relay.nn.dense %x, %w : (tensor<2x8xf32>, tensor<4x8xf32>) -> tensor<2x4xf32>
  %1 = relay.nn.softmax %0 {axis = -1} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  return %1 : tensor<2x4xf32>
}

// CHECK-LABEL: def @concatenate(
// CHECK-NEXT:    %[[T:[0-9]+]] = (%{{x[0-9]*}}, %{{x[0-9]*}});
// CHECK-NEXT:    %[[A:[0-9]+]] = concatenate(%[[T]], axis=1);
// CHECK-NEXT:    %[[B:[0-9]+]] = stack(%[[T]]);
// CHECK-NEXT:    (%[[A]], %[[B]])
func.func @concatenate(%x: tensor<2x2xf32> {relay.name = "x"}) -> tuple<tensor<2x4xf32>, tensor<2x2x2xf32>> {
  %0 = relay.concatenate %x, %x {axis = 1} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x4xf32>
  %1 = relay.stack %x, %x : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2x2xf32>
  %2 = relay.tuple %0, %1 : tensor<2x4xf32>, tensor<2x2x2xf32>
  return %2 : tuple<tensor<2x4xf32>, tensor<2x2x2xf32>>
}

// All fields of a tuple are the tuple.
// CHECK-LABEL: def @fields(
// CHECK-NEXT:    %[[S:[0-9]+]] = split(%{{x[0-9]*}}, indices_or_sections=2);
// CHECK-NEXT:    concatenate(%[[S]])
func.func @fields(%x: tensor<4xf32> {relay.name = "x"}) -> tensor<4xf32> {
  %0 = relay.split %x {indices_or_sections = 2} : (tensor<4xf32>) -> tuple<tensor<2xf32>, tensor<2xf32>>
  %1 = relay.tuple_get_item %0[0] : tuple<tensor<2xf32>, tensor<2xf32>>
  %2 = relay.tuple_get_item %0[1] : tuple<tensor<2xf32>, tensor<2xf32>>
  %3 = relay.concatenate %1, %2 : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
  return %3 : tensor<4xf32>
}

// Several results are a tuple.
// CHECK-LABEL: def @several(%{{x[0-9]*}}: float32) -> (float32, float32) {
// CHECK-NEXT:    %[[A:[0-9]+]] = abs(%{{x[0-9]*}});
// CHECK-NEXT:    (%[[A]], %{{x[0-9]*}})
// CHECK-LABEL: def @several_used(
// CHECK-NEXT:    %[[C:[0-9]+]] = @several(%{{x[0-9]*}});
// CHECK-NEXT:    %[[A:[0-9]+]] = %[[C]].0;
// CHECK-NEXT:    %[[B:[0-9]+]] = %[[C]].1;
// CHECK-NEXT:    add(%[[A]], %[[B]])
func.func @several(%x: tensor<f32> {relay.name = "x"}) -> (tensor<f32>, tensor<f32>) {
  %0 = relay.abs %x : (tensor<f32>) -> tensor<f32>
  return %0, %x : tensor<f32>, tensor<f32>
}
func.func @several_used(%x: tensor<f32> {relay.name = "x"}) -> tensor<f32> {
  %0:2 = relay.call @several(%x) : (tensor<f32>) -> (tensor<f32>, tensor<f32>)
  %1 = relay.add %0#0, %0#1 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %1 : tensor<f32>
}

// A closure that calls itself has the name of its let, or one is made.
// CHECK-LABEL: def @tail_recursive(
// CHECK-NEXT:    let %loop: fn (int32) -> int32 = fn (%i: int32) -> int32 {
// CHECK-NEXT:      %loop(%i)
// CHECK-NEXT:    };
// CHECK-NEXT:    let %f: fn (int32) -> int32 = fn (%j: int32) -> int32 {
// CHECK-NEXT:      %f(%j)
// CHECK-NEXT:    };
// CHECK-NEXT:    %[[T:[0-9]+]] = %f(%{{x[0-9]*}});
// CHECK-NEXT:    %loop(%[[T]])
func.func @tail_recursive(%x: tensor<i32> {relay.name = "x"}) -> tensor<i32> {
  %0 = relay.fn rec %self (%i: tensor<i32> {relay.name = "i"}) -> tensor<i32> {
    %2 = relay.call_indirect %self(%i) : (tensor<i32>) -> tensor<i32>
    relay.yield %2 : tensor<i32>
  }
  %loop = relay.let "loop" %0 : (tensor<i32>) -> tensor<i32>
  %1 = relay.fn rec %self (%j: tensor<i32> {relay.name = "j"}) -> tensor<i32> {
    %2 = relay.call_indirect %self(%j) : (tensor<i32>) -> tensor<i32>
    relay.yield %2 : tensor<i32>
  }
  %3 = relay.call_indirect %1(%x) : (tensor<i32>) -> tensor<i32>
  %4 = relay.call_indirect %loop(%3) : (tensor<i32>) -> tensor<i32>
  return %4 : tensor<i32>
}

// CHECK-LABEL: def @with_match[A](%l: List[A], %d: A, Inline=1) -> A {
// CHECK-NEXT:    match (%l) {
// CHECK-NEXT:      Cons(%h: A, _) => {
// CHECK-NEXT:        %h
// CHECK-NEXT:      },
// CHECK-NEXT:      Nil => {
// CHECK-NEXT:        %d
// CHECK-NEXT:      },
// CHECK-NEXT:    }
// CHECK-NEXT:  }
func.func @with_match(%l: !relay.adt<@List, [!relay.typevar<"A">]> {relay.name = "l"}, %d: !relay.typevar<"A"> {relay.name = "d"}) -> !relay.typevar<"A">
    attributes {relay.type_params = ["A"], relay.inline} {
  %0 = relay.match %l : !relay.adt<@List, [!relay.typevar<"A">]> -> !relay.typevar<"A"> {
  case @List::@Cons("h" %h: !relay.typevar<"A">, _) {
    relay.yield %h : !relay.typevar<"A">
  }
  case @List::@Nil {
    relay.yield %d : !relay.typevar<"A">
  }
  }
  return %0 : !relay.typevar<"A">
}
