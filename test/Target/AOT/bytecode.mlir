// Registers are free after the last use on each path; what only another path
// uses is dropped where a path begins. A call at the end is the end.
//
// RUN: relay-compile --executor=vm --emit=bytecode %s -o - | FileCheck %s
// RUN: relay-compile --emit=bytecode %s -o - | FileCheck %s
// RUN: not relay-compile --executor=graph --emit=bytecode %s -o - 2>&1 | FileCheck %s --check-prefix=GRAPH
// RUN: not relay-compile --executor=vm --emit=obj %s -o %t.o 2>&1 | FileCheck %s --check-prefix=OBJ
// RUN: not relay-compile --executor=jit %s -o %t.so 2>&1 | FileCheck %s --check-prefix=KIND

// GRAPH: error: expects a shared object, of a program whose kernels are calls of a graph, for the executor graph
// OBJ: error: expects a shared object for a program with functions of objects, but got a relocatable one
// KIND: error: expects --executor=aot, vm or graph, but got 'jit'

relay.adt @List {
  relay.constructor @Cons(tensor<i32>, !relay.adt<@List>)
  relay.constructor @Nil
}

// CHECK-LABEL: @reverse(%0 list, %1 done) registers: 3
// CHECK-NEXT:     0  call  vm.builtin.has_constructor in: %0, i0       dst: %2
// CHECK-NEXT:     6  if    %2 else 36
// CHECK-NEXT:     9  call  vm.builtin.get_field in: %0, i0       dst: %2
// CHECK-NEXT:    15  call  vm.builtin.get_field in: %0!, i1      dst: %0
// CHECK-NEXT:    21  call  vm.builtin.make_data in: i0, %2!, %1! dst: %2
// CHECK-NEXT:    28  call  reverse          in: %0!, %2!     dst: %0
// CHECK-NEXT:    34  ret   %0
// CHECK-NEXT:    36  call  vm.builtin.kill  in: %0!          dst: %void
// CHECK-NEXT:    41  ret   %1
func.func @reverse(%list: !relay.adt<@List> {relay.name = "list"},
                   %done: !relay.adt<@List> {relay.name = "done"})
    -> !relay.adt<@List> {
  %0 = relay.match %list : !relay.adt<@List> -> !relay.adt<@List> {
  case @List::@Cons("x" %x: tensor<i32>, "rest" %rest: !relay.adt<@List>) {
    %1 = relay.construct @List::@Cons(%x, %done)
      : (tensor<i32>, !relay.adt<@List>) -> !relay.adt<@List>
    %2 = relay.call @reverse(%rest, %1)
      : (!relay.adt<@List>, !relay.adt<@List>) -> !relay.adt<@List>
    relay.yield %2 : !relay.adt<@List>
  }
  case @List::@Nil {
    relay.yield %done : !relay.adt<@List>
  }
  }
  return %0 : !relay.adt<@List>
}

// Equal values are moved by the last one that reads them.
//
// CHECK-LABEL: @double(%0) registers: 1
// CHECK-NEXT:     0  call  double.0         in: %0!          dst: %0
// CHECK-NEXT:     5  call  vm.builtin.make_tuple in: %0, %0!, c[0] dst: %0
// CHECK-NEXT:    12  ret   %0
// CHECK:       @double.0 tensors
func.func @double(%x: tensor<i32>)
    -> tuple<tensor<i32>, tensor<i32>, tensor<i32>> {
  %c = relay.constant dense<7> : tensor<i32>
  %0 = relay.add %x, %x : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %1 = relay.tuple %0, %0, %c : tensor<i32>, tensor<i32>, tensor<i32>
  return %1 : tuple<tensor<i32>, tensor<i32>, tensor<i32>>
}
