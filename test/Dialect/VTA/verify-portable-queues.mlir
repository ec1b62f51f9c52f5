// The first of 512 loads waits for what comes after them, which hardware
// fetches. It does not after 513.
// RUN: %python -c "print(open(r'%s').read().replace('// HE' 'RE', '  vta.load inp[0] from 256 size 1 x 1\n' * 511))" | relay-opt --pass-pipeline="builtin.module(vta.program(verify-vta-portable))" -o /dev/null
// RUN: %python -c "print(open(r'%s').read().replace('// HE' 'RE', '  vta.load inp[0] from 256 size 1 x 1\n' * 512))" | not relay-opt --pass-pipeline="builtin.module(vta.program(verify-vta-portable))" -o /dev/null 2>&1 | FileCheck %s

// CHECK: error: 'vta.load' op expects at most 512 instructions in the queue of the load stage, but got one more: instruction 0 waits for a token from compute to load of an instruction behind them, which hardware never fetches
vta.program @waits on #vta.config<> dram 4096 size 8192 {
  vta.load inp[0] from 256 size 1 x 1 wait(%free : !vta.token<compute, load>)
// HERE
  %free = vta.sync compute signal !vta.token<compute, load>
  %last = vta.load inp[0] from 256 size 1 x 1 signal !vta.token<load, compute>
  vta.finish wait(%last : !vta.token<load, compute>)
}
