// A scratchpad of 2^26 micro-ops, of which none is known: what is checked does
// not depend on how many there may be.

// RUN: %python -c "print(open(r'%s').read().replace('// HE' 'RE', '  vta.gemm uops 1 to 67108864 for 4 dst 1\n  vta.alu add uops 1 to 67108864\n' * 500))" | relay-opt | FileCheck %s
// RUN: %python -c "print(open(r'%s').read().replace('// HE' 'RE', '  vta.gemm uops 1 to 67108864 for 17 dst 1'))" | not relay-opt 2>&1 | FileCheck %s --check-prefix=INDEX

// CHECK-COUNT-500: vta.gemm uops 1 to 67108864 for 4 dst 1
// CHECK: vta.finish
// INDEX: error: 'vta.gemm' op micro-op 1: expects indices of acc below 16, but got 16 (dst 0 + 16 * 1 + 0 * 0)
vta.program @large on #vta.config<batch = 1, block = 2, uop_buffer = 268435456, inp_buffer = 32,
    wgt_buffer = 64, acc_buffer = 128> dram 4096 size 8192 {
  vta.load uop[0] from 2000 size 1 x 1 micro_ops {
    vta.uop dst 3 src 0 wgt 0
  }
  // HERE
  vta.finish
}
