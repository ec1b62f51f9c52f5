// A model calls functions of a shared object that relay-run loads.
//
// RUN: relay-compile --from=relax-kernels %s -o %t.so
// RUN: %python -c "import numpy; numpy.save(r'%t.npy', numpy.arange(5, dtype='float32'))"
// RUN: relay-run --load-library=%relay_lib/SampleFunctions%shlibext %t.so --input=x=%t.npy --output=%t.out.npy | FileCheck %s
// RUN: %python -c "import numpy; print(numpy.load(r'%t.out.npy').tolist())" | FileCheck %s --check-prefix=OUT
// RUN: not relay-run %t.so --input=x=%t.npy 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: not relay-run --load-library=%t.npy %t.so --input=x=%t.npy 2>&1 | FileCheck %s --check-prefix=BAD
// RUN: not relay-run --load-library=/no/such/library.so %t.so --input=x=%t.npy 2>&1 | FileCheck %s --check-prefix=NONE

// CHECK: a tensor of rank 1
// OUT: [4.0, 3.0, 2.0, 1.0, 0.0]
// MISSING: error: expects a function that is registered as 'sample.reverse', but there is none
// BAD: error: cannot load '{{.*}}.npy':
// NONE: error: cannot load '/no/such/library.so':

relax.func private @reverse(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  %0 = relax.call_dps_packed "sample.reverse"(%x)
    : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  relax.return %0 : !relax.tensor<[n], f32>
}

relax.func @main(%x: !relax.object {relax.name = "x"}) -> !relax.object
    attributes {relax.param_types = [tensor<?xf32>], relax.result_types = [tensor<?xf32>],
                relax.result_names = ["y"]} {
  %0 = relax.call @reverse(%x)
  %1 = relax.call_packed "sample.show"(%0)
  relax.return %1 : !relax.object
}
