// RUN: relay-translate --vta-to-binary %s -o %t.vtao
// RUN: od -A d -t x4 -N 80 %t.vtao | FileCheck --check-prefix=HEADER %s
// RUN: od -A d -t x8 -j 80 -N 32 %t.vtao | FileCheck --check-prefix=IMAGE %s
// RUN: od -A d -t x8 -j 4176 %t.vtao | FileCheck --check-prefix=CODE %s
// RUN: relay-translate --binary-to-vta %t.vtao | FileCheck %s
// RUN: relay-translate --binary-to-vta %t.vtao | relay-translate --vta-to-binary -o %t.again.vtao
// RUN: cmp %t.vtao %t.again.vtao

// 'VTAO', version 1, the logarithms, addresses and sizes.
// HEADER: 0000000 4f415456 00000001 00000003 00000003
// HEADER-NEXT: 0000016 00000005 00000000 00000004 0000000f
// HEADER-NEXT: 0000032 0000000f 00000012 00000011 00000006
// HEADER-NEXT: 0000048 00002000 00000000 00001000 00000000
// HEADER-NEXT: 0000064 00000000 00000000 00000009 00000000

// The micro-op is in memory: dst 1, src 2 from bit 11, wgt 3 from bit 22.
// IMAGE: 0000080 0000000000c01001 0000000000000000

// CHECK: // VTA 1x16_i8w8a32_15_15_18_17, 9 instructions, 4096 bytes of memory
// CHECK: vta.program @main on #vta.config<batch = 1, block = 16> dram 8192 size 4096
vta.program @all on #vta.config<batch = 1, block = 16> dram 8192 size 4096 {
  // CHECK: // 0: offset 4176, compute stage: LOAD uop[5..5] from 0x2000, 4 bytes
  // CHECK-NEXT: vta.load uop[5] from 2048 size 1 x 1 micro_ops {
  // CHECK-NEXT: vta.uop dst 1 src 2 wgt 3
  // CODE: 0004176 0000002000001400 0000000100010001
  vta.load uop[5] from 2048 size 1 x 1 micro_ops {
    vta.uop dst 1 src 2 wgt 3
  }
  // CHECK: // 1: offset 4192, compute stage: tokens of the compute stage
  // CHECK-NEXT: vta.sync compute signal
  // push_prev is bit 5.
  // CODE-NEXT: 0004192 0000000000000020 0000000000000000
  %0 = vta.sync compute signal !vta.token<compute, load>
  // CHECK: // 2: offset 4208, load stage: LOAD inp[2..16] from 0x2000, 32 bytes
  // CHECK-NEXT: vta.load inp[2] from 512 size 1 x 2 stride 9 row_pad [1, 1] column_pad [1, 2] wait
  // Opcode 0, pop_next, push_next, memory 2, sram 2, dram 512; pads in the last bytes.
  // CODE-NEXT: 0004208 0000000800000950 2111000900020001
  %1 = vta.load inp[2] from 512 size 1 x 2 stride 9 row_pad [1, 1] column_pad [1, 2]
      wait(%0 : !vta.token<compute, load>) signal !vta.token<load, compute>
  // CHECK: // 3: offset 4224, compute stage: GEMM reset, 3 x 1 x 1 micro-ops
  // CHECK-NEXT: vta.gemm reset uops 5 to 6 for 3 dst 1
  // CODE-NEXT: 0004224 0002001800c00582 0000000000000001
  vta.gemm reset uops 5 to 6 for 3 dst 1
  // CHECK: // 4: offset 4240, compute stage: GEMM, 1 x 2 x 1 micro-ops
  // CHECK-NEXT: vta.gemm uops 5 to 6 for 1, for 2 dst 7 src 8 wgt 9 wait
  // CODE-NEXT: 0004240 0004000800c0050a 0240001000003800
  vta.gemm uops 5 to 6 for 1, for 2 dst 7 src 8 wgt 9 wait(%1 : !vta.token<load, compute>)
  // CHECK: // 5: offset 4256, compute stage: ALU shr -3, 2 x 1 x 1 micro-ops
  // CHECK-NEXT: vta.alu shr imm -3 uops 5 to 6 for 2 dst 1 src 1
  // CODE-NEXT: 0004256 0002001000c00504 fffdb00000400001
  vta.alu shr imm -3 uops 5 to 6 for 2 dst 1 src 1
  // CHECK: // 6: offset 4272, compute stage: ALU add, 1 x 1 x 1 micro-ops
  // CHECK-NEXT: vta.alu add uops 5 to 6 signal {{.*}} {ignored_imm = -1 : i32, ignored_reset}
  // CODE-NEXT: 0004272 0002000800c005c4 ffff200000000000
  %2 = vta.alu add uops 5 to 6 signal !vta.token<compute, store>
      {ignored_imm = -1 : i32, ignored_reset}
  // CHECK: // 7: offset 4288, store stage: STORE out[1..2] to 0x2100, 32 bytes
  // CHECK-NEXT: vta.store out[1] to 528 size 2 x 1 stride 3 wait
  // CODE-NEXT: 0004288 0000000840000629 0000000300010002
  %3 = vta.store out[1] to 528 size 2 x 1 stride 3 wait(%2 : !vta.token<compute, store>)
      signal !vta.token<store, compute>
  // CHECK: // 8: offset 4304, compute stage: FINISH
  // CHECK-NEXT: vta.finish wait
  // CODE-NEXT: 0004304 0000000000000013 0000000000000000
  vta.finish wait(%3 : !vta.token<store, compute>)
}
