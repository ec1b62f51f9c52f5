// A program is checked, timed and profiled as a model is.

// RUN: relay-run %s --executor=vm --check=interpreter | FileCheck %s --check-prefix=AGREES
// RUN: relay-run %s --executor=vm --benchmark --repeat=3 --threads=1 | FileCheck %s --check-prefix=BENCHMARK
// RUN: relay-run %s --executor=vm --profile=%t.json --peak=10,10 --repeat=3 | FileCheck %s --check-prefix=PROFILE
// RUN: FileCheck %s --check-prefix=TRACE --input-file=%t.json

// Without room for roundings, the first kernel that rounds is one that differs.
// It is written as a model of its own, which shows the same.

// RUN: rm -rf %t.kernel
// RUN: not relay-run %s --executor=vm --check=interpreter --rtol=0 --atol=0 --check-dump=%t.kernel | FileCheck %s --check-prefix=DIFFERS
// RUN: FileCheck %s --check-prefix=KERNEL --input-file=%t.kernel/kernel.mlir
// RUN: relay-run %t.kernel/kernel.mlir --input=%t.kernel/input0.npy --check=interpreter | FileCheck %s --check-prefix=AGAIN
// RUN: not relay-run %t.kernel/kernel.mlir --input=%t.kernel/input0.npy --check=interpreter --rtol=0 --atol=0 | FileCheck %s --check-prefix=SAME

// A compiled program can be timed, too; what it was made of is not there.

// RUN: relay-compile %s --executor=vm -o %t.so
// RUN: relay-run %t.so --input=%t.kernel/input0.npy --benchmark --repeat=3 | FileCheck %s --check-prefix=BENCHMARK
// RUN: relay-run %t.so --info | FileCheck %s --check-prefix=INFO
// RUN: relay-run %t.so --seed=1 --output=output0.0=%t.0.npy
// RUN: relay-run %s --executor=vm --seed=1 --output=output0.0=%t.3.npy
// RUN: cmp %t.0.npy %t.3.npy

// A file for what is no output is refused before the run.
// RUN: not relay-run %t.so --output=y=%t.4.npy 2>&1 | FileCheck %s --check-prefix=NOPART --implicit-check-not=tensor
// RUN: not relay-run %s --interpret --output=output01=%t.4.npy 2>&1 | FileCheck %s --check-prefix=NOPART --implicit-check-not=tensor
// RUN: not relay-run %t.kernel/kernel.mlir --output=y=%t.4.npy 2>&1 | FileCheck %s --check-prefix=NOOUTPUT --implicit-check-not=tensor
// RUN: not relay-run %t.kernel/kernel.mlir --output=%t.4.npy --output=%t.5.npy 2>&1 | FileCheck %s --check-prefix=TOOMANY --implicit-check-not=tensor
// NOPART: error: expects the name of an output, or of a part of 'output0', but got '
// NOOUTPUT: error: expects one of the outputs 'output0', but got 'y'
// TOOMANY: error: expects 1 file(s) of outputs, but got more with '
// INFO: function: main(x: Tensor[(1000), float32]) -> (output0: (Tensor[(1000), float32], List[]))
// RUN: not relay-run %t.so --input=%t.kernel/input0.npy --check=interpreter 2>&1 | FileCheck %s --check-prefix=SOURCE

// AGREES: output0.0: agrees, max difference
// AGREES-NEXT: output0.1.0: agrees, max difference 0, scale
// AGREES-NEXT: output0.1.1.0: agrees, max difference 0, scale

// BENCHMARK: latency: p50

// PROFILE: {{^kernel +calls}}
// PROFILE-DAG: {{^fused_negative +1 }}
// PROFILE-DAG: {{^fused_erf +2 }}
// PROFILE-DAG: {{^\(program\) +3 }}
// PROFILE: {{^all +6 }}
// PROFILE-NEXT: median of 3 runs
// TRACE: "name":"fused_erf"

// DIFFERS: output0.0: differs
// DIFFERS: first kernel that differs: fused_erf (call
// DIFFERS-NEXT: to reproduce it: relay-run {{.*}}kernel.mlir --input={{.*}}input0.npy --check=interpreter
// KERNEL: func.func @main(%{{.*}}: tensor<1000xf32>) -> tensor<1000xf32>
// KERNEL-NEXT: relay.erf
// AGAIN: agrees
// SAME: first kernel that differs: fused_erf
// SOURCE: expects the file that the model was compiled from for --interpret and --check

relay.adt @List {
  relay.constructor @Cons(tensor<1000xf32>, !relay.adt<@List>)
  relay.constructor @Nil
}

func.func @fold(%list: !relay.adt<@List>, %sum: tensor<1000xf32>)
    -> tensor<1000xf32> {
  %0 = relay.match %list : !relay.adt<@List> -> tensor<1000xf32> {
  case @List::@Cons("x" %x: tensor<1000xf32>, "rest" %rest: !relay.adt<@List>) {
    %1 = relay.erf %sum : (tensor<1000xf32>) -> tensor<1000xf32>
    %2 = relay.call @fold(%rest, %1)
      : (!relay.adt<@List>, tensor<1000xf32>) -> tensor<1000xf32>
    relay.yield %2 : tensor<1000xf32>
  }
  case @List::@Nil {
    relay.yield %sum : tensor<1000xf32>
  }
  }
  return %0 : tensor<1000xf32>
}

func.func @main(%x: tensor<1000xf32> {relay.name = "x"})
    -> tuple<tensor<1000xf32>, !relay.adt<@List>> {
  %nil = relay.construct @List::@Nil() : () -> !relay.adt<@List>
  %y = relay.negative %x : (tensor<1000xf32>) -> tensor<1000xf32>
  %one = relay.construct @List::@Cons(%y, %nil)
    : (tensor<1000xf32>, !relay.adt<@List>) -> !relay.adt<@List>
  %two = relay.construct @List::@Cons(%x, %one)
    : (tensor<1000xf32>, !relay.adt<@List>) -> !relay.adt<@List>
  %sum = relay.call @fold(%two, %x)
    : (!relay.adt<@List>, tensor<1000xf32>) -> tensor<1000xf32>
  %0 = relay.tuple %sum, %two : tensor<1000xf32>, !relay.adt<@List>
  return %0 : tuple<tensor<1000xf32>, !relay.adt<@List>>
}
