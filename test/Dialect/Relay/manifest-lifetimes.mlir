// RUN: relay-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(relay-manifest-lifetimes))" | FileCheck %s
// RUN: relay-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(relay-manifest-lifetimes,relay-manifest-lifetimes))" | FileCheck %s

// Each variable ends behind the last binding that needs it; the result does not.
// CHECK-LABEL: func.func @chain(
// CHECK-SAME: %[[X:.*]]: tensor<i32>)
// CHECK: %[[Y:.*]] = relay.let "y"
// CHECK-NEXT: %[[K:.*]] = relay.memory.kill %[[X]] : (tensor<i32>) -> tuple<>
// CHECK-NEXT: relay.let "_" %[[K]] : tuple<>
// CHECK: %[[Z:.*]] = relay.let "z"
// CHECK-NEXT: relay.memory.kill %[[Y]]
// CHECK: %[[W:.*]] = relay.let "w"
// CHECK-NEXT: relay.memory.kill %[[Z]]
// CHECK-NOT: relay.memory.kill
// CHECK: return %[[W]]
func.func @chain(%x: tensor<i32>) -> tensor<i32> {
  %0 = relay.add %x, %x : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %y = relay.let "y" %0 : tensor<i32>
  %1 = relay.add %y, %y : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %z = relay.let "z" %1 : tensor<i32>
  %2 = relay.add %z, %z : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %w = relay.let "w" %2 : tensor<i32>
  return %w : tensor<i32>
}

// -----

// Several end behind one binding, in the order of the program. A variable that
// nobody uses does not end.
// CHECK-LABEL: func.func @together(
// CHECK-SAME: %[[X:.*]]: tensor<i32>, %[[Y:.*]]: tensor<i32>, %{{.*}}: tensor<i32>)
// CHECK: relay.let "r"
// CHECK-NEXT: relay.memory.kill %[[X]]
// CHECK-NEXT: relay.let "_"
// CHECK-NEXT: relay.memory.kill %[[Y]]
// CHECK-NEXT: relay.let "_"
// CHECK-NEXT: return
func.func @together(%x: tensor<i32>, %y: tensor<i32>, %unused: tensor<i32>) -> tensor<i32> {
  %0 = relay.add %x, %y : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %r = relay.let "r" %0 : tensor<i32>
  return %r : tensor<i32>
}

// -----

// A variable for a variable is none.
// CHECK-LABEL: func.func @alias(
// CHECK-SAME: %[[X:.*]]: tensor<i32>)
// CHECK-NEXT: %[[N:.*]] = relay.negative %[[X]]
// CHECK-NEXT: %[[R:.*]] = relay.let "r" %[[N]]
// CHECK-NEXT: relay.memory.kill %[[X]]
// CHECK-NEXT: relay.let "_"
// CHECK-NEXT: return %[[R]]
func.func @alias(%x: tensor<i32>) -> tensor<i32> {
  %a = relay.let "a" %x : tensor<i32>
  %0 = relay.on_device %a {virtual_device = {device_type = 1 : i64}} : (tensor<i32>) -> tensor<i32>
  %b = relay.let "b" %0 : tensor<i32>
  %1 = relay.negative %b : (tensor<i32>) -> tensor<i32>
  %r = relay.let "r" %1 : tensor<i32>
  return %r : tensor<i32>
}

// -----

// The condition ends behind the whole, what one branch uses in that branch. As
// the result of a branch %y does not end.
// CHECK-LABEL: func.func @branches(
// CHECK-SAME: %[[C:.*]]: tensor<i1>, %[[X:.*]]: tensor<i32>, %[[Y:.*]]: tensor<i32>)
// CHECK: relay.if %[[C]]
// CHECK: relay.let "t"
// CHECK-NEXT: relay.memory.kill %[[X]]
// CHECK: relay.yield
// CHECK: else
// CHECK-NEXT: relay.yield %[[Y]]
// CHECK: %[[R:.*]] = relay.let "r"
// CHECK-NEXT: relay.memory.kill %[[C]]
// CHECK-NEXT: relay.let "_"
// CHECK-NEXT: return %[[R]]
func.func @branches(%c: tensor<i1>, %x: tensor<i32>, %y: tensor<i32>) -> tensor<i32> {
  %0 = relay.if %c : tensor<i1> -> tensor<i32> {
    %1 = relay.negative %x : (tensor<i32>) -> tensor<i32>
    %t = relay.let "t" %1 : tensor<i32>
    relay.yield %t : tensor<i32>
  } else {
    relay.yield %y : tensor<i32>
  }
  %r = relay.let "r" %0 : tensor<i32>
  return %r : tensor<i32>
}

// -----

// What a closure uses ends for whoever makes it; its own parameters end inside.
// CHECK-LABEL: func.func @closure(
// CHECK-SAME: %[[X:.*]]: tensor<i32>)
// CHECK: relay.fn (%[[P:.*]]: tensor<i32>)
// CHECK: relay.let "s"
// CHECK-NEXT: relay.memory.kill %[[P]]
// CHECK-NEXT: relay.let "_"
// CHECK-NEXT: relay.yield
// CHECK: %[[F:.*]] = relay.let "f"
// CHECK-NEXT: relay.memory.kill %[[X]]
// CHECK: relay.let "r"
// CHECK-NEXT: relay.memory.kill %[[F]]
func.func @closure(%x: tensor<i32>) -> tensor<i32> {
  %0 = relay.fn (%p: tensor<i32>) -> tensor<i32> {
    %1 = relay.add %p, %x : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %s = relay.let "s" %1 : tensor<i32>
    relay.yield %s : tensor<i32>
  }
  %f = relay.let "f" %0 : (tensor<i32>) -> tensor<i32>
  %k = relay.constant dense<1> : tensor<i32>
  %2 = relay.call_indirect %f(%k) : (tensor<i32>) -> tensor<i32>
  %r = relay.let "r" %2 : tensor<i32>
  return %r : tensor<i32>
}
