// With the executor aot, functions of objects are native code: jumps and what
// only reads objects is code, a call of itself at the end is a jump, and what
// allocates is left to the run time. What else calls a function returns to the
// run time, which enters the code again behind the call.
//
// RUN: relay-compile %s --emit=llvm -o - | FileCheck %s
// RUN: relay-compile %s -o %t.so && relay-run %t.so --seed=1 | FileCheck %s --check-prefix=RESULT
// RUN: relay-run %s --check=interpreter | FileCheck %s --check-prefix=AGREES
// RUN: relay-compile %s --executor=vm --emit=llvm -o - | FileCheck %s --check-prefix=VM

// RESULT: output0: tensor<i32> [{{-?[0-9]+}}]
// AGREES: output0: agrees
// VM-NOT: relay_glue

relay.adt @List {
  relay.constructor @Cons(tensor<i32>, !relay.adt<@List>)
  relay.constructor @Nil
}

// CHECK: @relay_artifact =
// CHECK-LABEL: define hidden {{.*}}i64 @relay_glue_0(ptr {{.*}}%0, ptr {{.*}}%1, i64 {{.*}}%2)
// What it calls: `execute`, and `begin` of the loop. A test of the constructor,
// and a field that has one holder more.
// CHECK-DAG: %[[EXECUTE:.*]] = load ptr, ptr %0, align 8
// CHECK-DAG: call i32 %[[EXECUTE]](ptr {{.*}}%0, ptr
// CHECK-DAG: %[[BEGINS:.*]] = getelementptr i8, ptr %0, i64 8
// CHECK-DAG: %[[BEGIN:.*]] = load ptr, ptr %[[BEGINS]], align 8
// CHECK-DAG: call i32 %[[BEGIN]](ptr {{.*}}%0)
// CHECK-DAG: icmp eq i32 %{{.*}}, 2
// CHECK-DAG: atomicrmw add ptr %{{.*}}, i32 1 monotonic
func.func private @last(%list: !relay.adt<@List>, %found: tensor<i32>) -> tensor<i32> {
  %0 = relay.match %list : !relay.adt<@List> -> tensor<i32> {
  case @List::@Cons("x" %x: tensor<i32>, "rest" %rest: !relay.adt<@List>) {
    %1 = relay.call @last(%rest, %x) : (!relay.adt<@List>, tensor<i32>) -> tensor<i32>
    relay.yield %1 : tensor<i32>
  }
  case @List::@Nil {
    relay.yield %found : tensor<i32>
  }
  }
  return %0 : tensor<i32>
}

// The call of another function returns where it is, and the code goes on from
// behind it.
// CHECK-LABEL: define hidden {{.*}}i64 @relay_glue_1(
// CHECK: icmp eq i64 %2,
// CHECK: ret i64
func.func @main(%x: tensor<i32>) -> tensor<i32> {
  %nil = relay.construct @List::@Nil() : () -> !relay.adt<@List>
  %1 = relay.construct @List::@Cons(%x, %nil) : (tensor<i32>, !relay.adt<@List>) -> !relay.adt<@List>
  %2 = relay.call @last(%1, %x) : (!relay.adt<@List>, tensor<i32>) -> tensor<i32>
  %3 = relay.add %2, %x : (tensor<i32>, tensor<i32>) -> tensor<i32>
  return %3 : tensor<i32>
}
