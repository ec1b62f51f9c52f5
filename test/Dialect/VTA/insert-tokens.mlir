// RUN: relay-opt %s --pass-pipeline="builtin.module(vta.program(vta-insert-tokens))" --split-input-file --verify-diagnostics | FileCheck %s

// Two tiles in two places: the third load waits until the first tile has been
// used. What a stage knows already needs no token.
// CHECK-LABEL: vta.program @tiles
// CHECK:         vta.load inp[0]{{.*}} size 1 x 4{{$}}
// CHECK:         %[[A:.*]] = vta.load wgt[0]{{.*}} signal !load_to_compute
// CHECK:         %[[B:.*]] = vta.load inp[4]{{.*}} signal !load_to_compute
// CHECK:         vta.gemm reset uops 0 to 1 for 4 dst 1{{$}}
// CHECK:         %[[FREE:.*]] = vta.gemm uops 0 to 1 for 4 dst 1 src 1 wait(%[[A]] : !load_to_compute) signal !compute_to_load
// CHECK:         vta.gemm uops 1 to 2 for 4 dst 1 src 1 wait(%[[B]] : !load_to_compute)
// CHECK:         %[[C:.*]] = vta.load inp[0]{{.*}} wait(%[[FREE]] : !compute_to_load) signal !load_to_compute
// CHECK:         %[[DONE:.*]] = vta.gemm uops 0 to 1 for 4 dst 1 src 1 wait(%[[C]] : !load_to_compute) signal !compute_to_store
// CHECK:         vta.store out[0]{{.*}} size 1 x 2 wait(%[[DONE]] : !compute_to_store)
// CHECK:         %[[STORED:.*]] = vta.store out[2]{{.*}} size 1 x 2 signal !store_to_compute
// CHECK:         vta.finish wait(%[[STORED]] : !store_to_compute)
vta.program @tiles on #vta.config<batch = 1, block = 16> dram 4096 size 12288 {
  vta.load uop[0] from 4000 size 1 x 2 micro_ops {
    vta.uop dst 0 src 0 wgt 0
    vta.uop dst 0 src 4 wgt 0
  }
  vta.load inp[0] from 256 size 1 x 4
  vta.load wgt[0] from 20 size 1 x 1
  vta.load inp[4] from 260 size 1 x 4
  vta.gemm reset uops 0 to 1 for 4 dst 1
  vta.gemm uops 0 to 1 for 4 dst 1 src 1
  vta.gemm uops 1 to 2 for 4 dst 1 src 1
  vta.load inp[0] from 264 size 1 x 4
  vta.gemm uops 0 to 1 for 4 dst 1 src 1
  vta.store out[0] to 512 size 1 x 2
  vta.store out[2] to 514 size 1 x 2
  vta.finish
}

// -----

// Accumulators are written again only when they have been stored.
// CHECK-LABEL: vta.program @stored
// CHECK:         %[[DONE:.*]] = vta.alu add imm 1 {{.*}} signal !compute_to_store
// CHECK:         %[[FREE:.*]] = vta.store {{.*}} wait(%[[DONE]] : !compute_to_store) signal !store_to_compute
// CHECK:         vta.alu max imm 0 uops 0 to 1 for 4 dst 1 src 1 wait(%[[FREE]] : !store_to_compute)
// CHECK:         vta.finish{{$}}
vta.program @stored on #vta.config<batch = 1, block = 16> dram 4096 size 12288 {
  vta.load uop[0] from 4000 size 1 x 1 micro_ops {
    vta.uop dst 0 src 0 wgt 0
  }
  vta.load acc[0] from 64 size 1 x 4
  vta.alu add imm 1 uops 0 to 1 for 4 dst 1 src 1
  vta.store out[0] to 512 size 1 x 4
  vta.alu max imm 0 uops 0 to 1 for 4 dst 1 src 1
  vta.finish
}

// -----

// Elements between those that a GEMM reads are nobody's; those that it reads in
// the iterations of two loops are.
// CHECK-LABEL: vta.program @steps
// CHECK:         %[[DONE:.*]] = vta.gemm uops 0 to 2 for 2 dst 2 src 16, for 2 dst 1 src 4 signal !compute_to_load
// CHECK-NEXT:    vta.load inp[1] from 512 size 1 x 1{{$}}
// CHECK-NEXT:    vta.load inp[7] from 512 size 1 x 9{{$}}
// CHECK-NEXT:    vta.load inp[19] from 512 size 1 x 1{{$}}
// CHECK-NEXT:    vta.load inp[22] from 512 size 1 x 1 wait(%[[DONE]] :
vta.program @steps on #vta.config<batch = 1, block = 16> dram 4096 size 12288 {
  vta.load uop[0] from 2048 size 1 x 2 micro_ops {
    vta.uop dst 0 src 0 wgt 0
    vta.uop dst 8 src 2 wgt 0
  }
  vta.gemm uops 0 to 2 for 2 dst 2 src 16, for 2 dst 1 src 4
  vta.load inp[1] from 512 size 1 x 1
  vta.load inp[7] from 512 size 1 x 9
  vta.load inp[19] from 512 size 1 x 1
  vta.load inp[22] from 512 size 1 x 1
  vta.finish
}

// -----

vta.program @tokens on #vta.config<batch = 1, block = 16> dram 4096 size 4096 {
  // expected-error @below {{expects a program without tokens, but got one here}}
  %0 = vta.sync load signal !vta.token<load, compute>
  vta.finish wait(%0 : !vta.token<load, compute>)
}

// -----

vta.program @memory on #vta.config<batch = 1, block = 16> dram 4096 size 8192 {
  // expected-note @below {{which are stored here}}
  vta.store out[0] to 300 size 1 x 4
  // expected-error @below {{expects to load what the program does not store, but got bytes that it does}}
  vta.load inp[0] from 303 size 1 x 4
  vta.finish
}
