// RUN: relay-opt %s | relay-opt | FileCheck %s
// RUN: relay-opt -mlir-print-op-generic %s | relay-opt | FileCheck %s

// What tokens are of has a name of its own.
// CHECK-DAG: !compute_to_load = !vta.token<compute, load>
// CHECK-DAG: !load_to_compute = !vta.token<load, compute>

// Values are named after the stage that they are for.
// CHECK-LABEL: vta.program @all on #vta.config<batch = 1, block = 16> dram 4096 size 8192 {
vta.program @all on #vta.config<batch = 1, block = 16> dram 4096 size 8192 {
  // CHECK: vta.load uop[3] from 2000 size 1 x 2 micro_ops {
  // CHECK-NEXT: vta.uop dst 0 src 1 wgt 2
  // CHECK-NEXT: vta.uop dst 5 src 6 wgt 0
  // CHECK-NEXT: }
  vta.load uop[3] from 2000 size 1 x 2 micro_ops {
    vta.uop dst 0 src 1 wgt 2
    vta.uop dst 5 src 6 wgt 0
  }
  // CHECK: %[[FREE:to_load]] = vta.sync compute signal !compute_to_load
  %0 = vta.sync compute signal !vta.token<compute, load>
  // CHECK: vta.load inp[0] from 256 size 3 x 8 stride 16 row_pad [1, 2] column_pad [0, 15] wait(%[[FREE]] : !compute_to_load)
  vta.load inp[0] from 256 size 3 x 8 stride 16 row_pad [1, 2]
      column_pad [0, 15] wait(%0 : !vta.token<compute, load>)
  // Rows that follow each other have no stride.
  // CHECK: %[[LOADED:to_compute]] = vta.load wgt[1] from 17 size 1 x 4 signal !load_to_compute
  %1 = vta.load wgt[1] from 17 size 1 x 4 signal !vta.token<load, compute>
  // CHECK: vta.load acc[0] from 64 size 2 x 2 stride 0
  vta.load acc[0] from 64 size 2 x 2 stride 0
  // CHECK: vta.load acc8[4] from 256 size 1 x 2
  vta.load acc8[4] from 256 size 1 x 2
  // CHECK: vta.gemm reset uops 3 to 5{{$}}
  vta.gemm reset uops 3 to 5
  // CHECK: vta.gemm reset uops 3 to 5 for 4 dst 1{{$}}
  vta.gemm reset uops 3 to 5 for 4 dst 1
  // CHECK: vta.gemm uops 3 to 4 for 1, for 7 src 2 wgt 1 wait(%[[LOADED]] : !load_to_compute)
  vta.gemm uops 3 to 4 for 1, for 7 src 2 wgt 1 wait(%1 : !vta.token<load, compute>)
  // CHECK: vta.alu max imm -128 uops 3 to 5 for 2 dst 1 src 1
  vta.alu max imm -128 uops 3 to 5 for 2 dst 1 src 1
  // CHECK: %[[TO_STORE:to_store]] = vta.alu add uops 3 to 5 signal !compute_to_store
  %2 = vta.alu add uops 3 to 5 signal !vta.token<compute, store>
  // Fields that the hardware ignores are kept.
  // CHECK: vta.alu mul uops 3 to 5 {ignored_imm = 7 : i32, ignored_reset}
  vta.alu mul uops 3 to 5 {ignored_imm = 7 : i32, ignored_reset}
  // CHECK: %[[STORED:.*]] = vta.store out[0] to 512 size 2 x 3 stride 8 wait(%[[TO_STORE]] : !compute_to_store) signal !store_to_compute
  %3 = vta.store out[0] to 512 size 2 x 3 stride 8
      wait(%2 : !vta.token<compute, store>) signal !vta.token<store, compute>
  // CHECK: vta.finish wait(%[[STORED]] : !store_to_compute)
  vta.finish wait(%3 : !vta.token<store, compute>)
}

// A stage may wait for a token that is given further down.
// CHECK-LABEL: vta.program @later
vta.program @later on #vta.config<batch = 1, block = 16> dram 4096 size 4096 {
  // CHECK: vta.sync load wait(%[[GIVEN:.*]] : !compute_to_load)
  vta.sync load wait(%0 : !vta.token<compute, load>)
  // CHECK: %[[GIVEN]] = vta.sync compute
  %0 = vta.sync compute signal !vta.token<compute, load>
  vta.finish
}

// CHECK-LABEL: vta.program @image
// CHECK-SAME: dram 8192 size 4096 image dense<7> : tensor<4096xi8> stream 8192 {
vta.program @image on #vta.config<batch = 1, block = 16> dram 8192 size 4096
    image dense<7> : tensor<4096xi8> stream 8192 {
  vta.finish
}

// Defaults are not printed, but for the shape of elements.
// CHECK: #vta.config<batch = 1, block = 16>
// CHECK: #vta.config<batch = 4, block = 8, inp = 16, wgt = 4, acc = 16, uop_buffer = 4096, inp_buffer = 16384, wgt_buffer = 8192, acc_buffer = 8192, bus = 128>
module attributes {
  test.default = #vta.config<>,
  test.other = #vta.config<block = 8, batch = 4, bus = 128, inp = 16, wgt = 4, acc = 16,
    uop_buffer = 4096, inp_buffer = 16384, wgt_buffer = 8192, acc_buffer = 8192>
} {}
