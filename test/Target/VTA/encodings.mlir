// What binary.mlir does not have: other memories, operations of the ALU, tokens
// alone; and streams that are malformed. The bits were packed by hand.
// RUN: relay-translate --vta-to-binary %s -o %t.vtao
// RUN: od -A d -t x8 -j 4176 %t.vtao | FileCheck --check-prefix=CODE %s
// RUN: relay-translate --binary-to-vta %t.vtao | FileCheck %s
// RUN: relay-translate --binary-to-vta %t.vtao | relay-translate --vta-to-binary -o %t.again.vtao
// RUN: cmp %t.vtao %t.again.vtao

// CHECK: vta.program @main
vta.program @kinds on #vta.config<batch = 1, block = 16> dram 8192 size 4096 {
  // CODE: 0004176
  vta.load uop[0] from 2048 size 1 x 1 micro_ops {
    vta.uop dst 1 src 2 wgt 3
  }
  // A LOAD of no element of inp, and push_next.
  // CHECK: vta.sync load signal !load_to_compute
  // CODE-NEXT: 0004192 0000000000000140 0000000000000000
  %0 = vta.sync load signal !vta.token<load, compute>
  // CHECK: vta.load wgt[3] from 32 size 2 x 1 stride 4 signal !load_to_compute
  // CODE-NEXT: 0004208 0000000080000cc0 0000000400010002
  %1 = vta.load wgt[3] from 32 size 2 x 1 stride 4 signal !vta.token<load, compute>
  // CHECK: vta.load acc[1] from 128 size 1 x 2 row_pad [1, 2] column_pad [3, 0] wait
  // CODE-NEXT: 0004224 0000000200000588 0321000200020001
  vta.load acc[1] from 128 size 1 x 2 row_pad [1, 2] column_pad [3, 0]
      wait(%0 : !vta.token<load, compute>)
  // CHECK: vta.load acc8[9] from 512 size 1 x 4 wait
  // CODE-NEXT: 0004240 0000000800002688 0000000400040001
  vta.load acc8[9] from 512 size 1 x 4 wait(%1 : !vta.token<load, compute>)
  // CHECK: vta.alu min imm 7 uops 0 to 1 for 3 dst 2 src 2
  // CODE-NEXT: 0004256 0002001800200004 0007800000800002
  vta.alu min imm 7 uops 0 to 1 for 3 dst 2 src 2
  // CHECK: vta.alu max uops 0 to 1 for 2 dst 4 src 8, for 2 dst 1 src 2
  // CODE-NEXT: 0004272 0004001000200004 0000100402000804
  vta.alu max uops 0 to 1 for 2 dst 4 src 8, for 2 dst 1 src 2
  // CHECK: vta.alu mul imm -2 uops 0 to 1 signal !compute_to_store
  // CODE-NEXT: 0004288 0002000800200044 fffec00000000000
  %2 = vta.alu mul imm -2 uops 0 to 1 signal !vta.token<compute, store>
  // A STORE of no element, pop_prev and push_prev.
  // CHECK: vta.sync store wait({{.*}}) signal !store_to_compute
  // CODE-NEXT: 0004304 0000000000000029 0000000000000000
  %3 = vta.sync store wait(%2 : !vta.token<compute, store>) signal !vta.token<store, compute>
  // CODE-NEXT: 0004320 0000000000000013 0000000000000000
  vta.finish wait(%3 : !vta.token<store, compute>)
}

// RUN: head -c 4200 %t.vtao > %t.short.vtao
// RUN: not relay-translate --binary-to-vta %t.short.vtao 2>&1 | FileCheck %s --check-prefix=SHORT
// SHORT: error: offset 4176: expects 160 bytes of instructions behind the image, but got 24
// RUN: %python -c "import sys; d = bytearray(open(sys.argv[1], 'rb').read()); d[4256] |= 7; open(sys.argv[2], 'wb').write(d)" %t.vtao %t.opcode.vtao
// RUN: not relay-translate --binary-to-vta %t.opcode.vtao 2>&1 | FileCheck %s --check-prefix=OPCODE
// OPCODE: error: offset 4256, instruction 5: opcode: expects opcode 0 (LOAD), {{.*}}, but got 7
// RUN: %python -c "import sys; d = bytearray(open(sys.argv[1], 'rb').read()); d[4208 + 2] = 0xff; open(sys.argv[2], 'wb').write(d)" %t.vtao %t.sram.vtao
// RUN: not relay-translate --binary-to-vta %t.sram.vtao 2>&1 | FileCheck %s --check-prefix=SRAM
// SRAM: error: offset 4208, instruction 2: {{.*}}wgt
