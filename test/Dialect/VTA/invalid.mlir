// RUN: relay-opt -split-input-file -verify-diagnostics %s

// expected-error @+1 {{expects a power of 2 for block, but got 12}}
#a = #vta.config<batch = 1, block = 12>

// -----

// expected-error @+1 {{expects a power of 2 for batch, but got -1}}
#a = #vta.config<batch = -1, block = 16>

// -----

// expected-error @+1 {{expects one of batch, block, inp, wgt, acc, uop_buffer, inp_buffer, wgt_buffer, acc_buffer and bus, but got blok}}
#a = #vta.config<blok = 16>

// -----

// expected-error @+1 {{expects block once}}
#a = #vta.config<block = 16, block = 8>

// -----

// expected-error @+1 {{expects LOG_ACC_WIDTH from 3 to 5, but got 6}}
#a = #vta.config<acc = 64>

// -----

// expected-error @+1 {{expects scratchpads for which the fields of GEMM take 128 bits, but got 132}}
#a = #vta.config<wgt_buffer = 1048576>

// -----

// expected-error @+1 {{expects a token between compute and load or store, but got load to store}}
func.func private @f(!vta.token<load, store>)

// -----

// expected-error @+1 {{expects dram_base, a multiple of 4096 from 4096 on, but got 0}}
vta.program @p on #vta.config<> dram 0 size 4096 {
  vta.finish
}

// -----

// expected-error @+1 {{expects at most 268435456 bytes of memory, but got 4611686018427387904}}
vta.program @p on #vta.config<> dram 4096 size 4611686018427387904 {
  vta.finish
}

// -----

// expected-error @+1 {{expects dram_base, a multiple of 4096 from 4096 on, but got -1}}
vta.program @p on #vta.config<> dram -1 size 4096 {
  vta.finish
}

// -----

// expected-error @+1 {{expects dram_size, a multiple of 4096, but got -4096}}
vta.program @p on #vta.config<> dram 4096 size -4096 {
  vta.finish
}

// -----

// expected-error @+1 {{expects 4096 bytes of an image, but they are not there}}
vta.program @p on #vta.config<> dram 4096 size 4096 image dense_resource<none> : tensor<4096xi8> {
  vta.finish
}

// -----

// expected-error @+1 {{expects an image of type tensor<4096xi8>, but got 'tensor<4095xi8>'}}
vta.program @p on #vta.config<> dram 4096 size 4096 image dense<0> : tensor<4095xi8> {
  vta.finish
}

// -----

// expected-error @+1 {{expects a vta.finish at its end}}
vta.program @p on #vta.config<> dram 4096 size 4096 {
  vta.sync load
}

// -----

vta.program @p on #vta.config<> dram 4096 size 4096 {
  // expected-note @+1 {{which is here}}
  vta.finish
  // expected-error @+1 {{expects no instruction after FINISH}}
  vta.sync load
}

// -----

vta.program @p on #vta.config<> dram 4096 size 4096 {
  // expected-error @+1 {{expects an instruction in a program of VTA}}
  %0 = arith.constant 1 : i32
  vta.finish
}

// -----

//===----------------------------------------------------------------------===//
// Fields and bounds
//===----------------------------------------------------------------------===//

vta.program @p on #vta.config<> dram 4096 size 4096 {
  // expected-error @+1 {{attribute 'sram' failed to satisfy constraint}}
  vta.load inp[65536] from 256 size 1 x 1
  vta.finish
}

// -----

vta.program @p on #vta.config<> dram 4096 size 4096 {
  // expected-error @+1 {{expects row_pad from 0 to 15, but got 16}}
  vta.load inp[0] from 256 size 1 x 1 row_pad [16, 0]
  vta.finish
}

// -----

vta.program @p on #vta.config<> dram 4096 size 4096 {
  // expected-error @+1 {{expects elements of inp to end at 2048, but got 2040 + 9}}
  vta.load inp[2040] from 256 size 1 x 8 column_pad [1, 0]
  vta.finish
}

// -----

// The same in a larger scratchpad.
vta.program @p on #vta.config<inp_buffer = 65536, acc_buffer = 65536> dram 4096 size 4096 {
  vta.load inp[2040] from 256 size 1 x 8 column_pad [1, 0]
  vta.finish
}

// -----

vta.program @p on #vta.config<> dram 4096 size 4096 {
  // expected-error @+1 {{expects bytes of DRAM from 0x1000 to 0x2000, but got 0x1ff0 to 0x2010}}
  vta.store out[0] to 511 size 1 x 2
  vta.finish
}

// -----

vta.program @p on #vta.config<inp = 16> dram 4096 size 4096 {
  // expected-error @+1 {{expects inputs of 8 bits and accumulators of 32 bits for memory 5 (acc8), but got 16 and 32 bits}}
  vta.load acc8[0] from 256 size 1 x 1
  vta.finish
}

// -----

vta.program @p on #vta.config<> dram 4096 size 4096 {
  // expected-error @+1 {{expects wgt_factor_in of at most 1023 (10 bits), but got 1024}}
  vta.gemm uops 0 to 1 for 1, for 2 wgt 1024
  vta.finish
}

// -----

vta.program @p on #vta.config<> dram 4096 size 4096 {
  // expected-error @+1 {{attribute 'iter_out' failed to satisfy constraint}}
  vta.gemm uops 0 to 1 for 16384
  vta.finish
}

// -----

vta.program @p on #vta.config<> dram 4096 size 4096 {
  // expected-error @+1 {{expects micro-ops below 8192, but got 8192}}
  vta.gemm uops 0 to 8193
  vta.finish
}

// -----

vta.program @p on #vta.config<> dram 4096 size 4096 {
  // expected-error @+1 {{attribute 'imm' failed to satisfy constraint}}
  vta.alu add imm 32768 uops 0 to 1
  vta.finish
}

// -----

vta.program @p on #vta.config<> dram 4096 size 4096 {
  // expected-error @+1 {{expects no ignored_imm beside imm}}
  vta.alu add imm 3 uops 0 to 1 {ignored_imm = 2 : i32}
  vta.finish
}

// -----

//===----------------------------------------------------------------------===//
// Micro-ops
//===----------------------------------------------------------------------===//

vta.program @p on #vta.config<> dram 4096 size 4096 {
  vta.load uop[7] from 1024 size 1 x 1 micro_ops {
    vta.uop dst 2000 src 0 wgt 0
  }
  vta.gemm reset uops 7 to 8 for 48 dst 1
  // expected-error @+1 {{micro-op 7: expects indices of acc below 2048, but got 2048 (dst 2000 + 48 * 1 + 0 * 0)}}
  vta.gemm reset uops 7 to 8 for 49 dst 1
  vta.finish
}

// -----

// src is an index of acc for an ALU, of inp for a GEMM.
vta.program @p on #vta.config<inp_buffer = 16384> dram 4096 size 4096 {
  vta.load uop[0] from 1024 size 1 x 1 micro_ops {
    vta.uop dst 0 src 1024 wgt 0
  }
  vta.alu add uops 0 to 1
  // expected-error @+1 {{micro-op 0: expects indices of inp below 1024, but got 1024}}
  vta.gemm uops 0 to 1
  vta.finish
}

// -----

// What a later load overwrites does not count.
vta.program @p on #vta.config<> dram 4096 size 4096 {
  vta.load uop[0] from 1024 size 1 x 1 micro_ops {
    vta.uop dst 2047 src 0 wgt 0
  }
  vta.load uop[0] from 1025 size 1 x 1
  vta.gemm reset uops 0 to 1 for 4 dst 1
  vta.finish
}

// -----

vta.program @p on #vta.config<> dram 4096 size 4096 {
  // expected-error @+1 {{expects 2 micro-ops (size 1 x 2), but got 1}}
  vta.load uop[0] from 1024 size 1 x 2 micro_ops {
    vta.uop dst 0 src 0 wgt 0
  }
  vta.finish
}

// -----

vta.program @p on #vta.config<> dram 4096 size 4096 {
  // expected-error @+1 {{expects micro-ops in a load of uop, but got one of inp}}
  vta.load inp[0] from 256 size 1 x 1 micro_ops {
    vta.uop dst 0 src 0 wgt 0
  }
  vta.finish
}

// -----

vta.program @p on #vta.config<> dram 4096 size 4096 {
  vta.load uop[0] from 1024 size 1 x 1 micro_ops {
    // expected-error @+1 {{expects wgt of at most 1023 (10 bits), but got 1024}}
    vta.uop dst 0 src 0 wgt 1024
  }
  vta.finish
}

// -----

vta.program @p on #vta.config<> dram 4096 size 4096 {
  vta.load uop[0] from 1024 size 1 x 1 micro_ops {
    // expected-note @+1 {{which is here}}
    vta.uop dst 0 src 0 wgt 0
  }
  vta.load uop[1] from 1024 size 1 x 1 micro_ops {
    // expected-error @+1 {{expects one micro-op at address 4096 of memory, but got another one}}
    vta.uop dst 1 src 0 wgt 0
  }
  vta.finish
}

// -----

vta.program @p on #vta.config<> dram 4096 size 4096 {
  vta.load uop[0] from 1027 size 1 x 1 micro_ops {
    // expected-note @+1 {{the micro-op is here}}
    vta.uop dst 0 src 0 wgt 0
  }
  // expected-error @+1 {{expects no store to micro-ops, but got one to address 4108}}
  vta.store out[0] to 256 size 1 x 1
  vta.finish
}

// -----

// expected-error @+1 {{expects no micro-ops where its stream is, but got one at address 4112}}
vta.program @p on #vta.config<> dram 4096 size 4096 stream 4096 {
  vta.load uop[0] from 1028 size 1 x 1 micro_ops {
    // expected-note @+1 {{which is here}}
    vta.uop dst 5 src 3 wgt 1
  }
  vta.finish
}

// -----

// Behind the stream there may be some.
vta.program @p on #vta.config<> dram 4096 size 4096 stream 4096 {
  vta.load uop[0] from 1032 size 1 x 1 micro_ops {
    vta.uop dst 5 src 3 wgt 1
  }
  vta.finish
}

// -----

//===----------------------------------------------------------------------===//
// Tokens
//===----------------------------------------------------------------------===//

vta.program @p on #vta.config<> dram 4096 size 4096 {
  // expected-error @+1 {{expects tokens from the stage load, which it runs in, but got '!vta.token<compute, store>'}}
  %0 = vta.load inp[0] from 256 size 1 x 1 signal !vta.token<compute, store>
  vta.sync store wait(%0 : !vta.token<compute, store>)
  vta.finish
}

// -----

vta.program @p on #vta.config<> dram 4096 size 4096 {
  %0 = vta.sync load signal !vta.token<load, compute>
  // expected-error @+1 {{expects tokens to the stage store, which it runs in, but got '!vta.token<load, compute>'}}
  vta.store out[0] to 256 size 1 x 1 wait(%0 : !vta.token<load, compute>)
  vta.finish
}

// -----

vta.program @p on #vta.config<> dram 4096 size 4096 {
  %0 = vta.sync load signal !vta.token<load, compute>
  %1 = vta.sync load signal !vta.token<load, compute>
  // expected-error @+1 {{expects one token of each queue, but got two '!vta.token<load, compute>'}}
  vta.finish wait(%0, %1 : !vta.token<load, compute>, !vta.token<load, compute>)
}

// -----

vta.program @p on #vta.config<> dram 4096 size 4096 {
  // expected-error @+1 {{expects one operation that waits for each of its tokens, but got 0 for '!vta.token<load, compute>'}}
  %0 = vta.sync load signal !vta.token<load, compute>
  vta.finish
}

// -----

vta.program @p on #vta.config<> dram 4096 size 4096 {
  // expected-error @+1 {{expects one operation that waits for each of its tokens, but got 2}}
  %0 = vta.sync load signal !vta.token<load, compute>
  // expected-note @+1 {{waits for it}}
  vta.sync compute wait(%0 : !vta.token<load, compute>)
  // expected-note @+1 {{waits for it}}
  vta.finish wait(%0 : !vta.token<load, compute>)
}

// -----

vta.program @p on #vta.config<> dram 4096 size 4096 {
  // expected-note @+1 {{gives the next one}}
  %0 = vta.sync load signal !vta.token<load, compute>
  %1 = vta.sync load signal !vta.token<load, compute>
  // expected-error @+1 {{expects to wait for tokens in the order in which they are given}}
  vta.sync compute wait(%1 : !vta.token<load, compute>)
  vta.finish wait(%0 : !vta.token<load, compute>)
}

// -----

vta.program @p on #vta.config<> dram 4096 size 4096 {
  // expected-error @+1 {{expects tokens that come, but the stages wait for each other}}
  %0 = vta.load inp[0] from 256 size 1 x 1 wait(%1 : !vta.token<compute, load>)
      signal !vta.token<load, compute>
  // expected-note @+1 {{the stage compute waits here}}
  %1 = vta.sync compute wait(%0 : !vta.token<load, compute>)
      signal !vta.token<compute, load>
  vta.finish
}

// -----

vta.program @no_uops on #vta.config<> dram 4096 size 8192 {
  // expected-error @+1 {{expects 1 micro-ops (size 1 x 1), but got 0}}
  vta.load uop[0] from 2000 size 1 x 1 micro_ops {
  }
  vta.finish
}

// -----

// Whatever the micro-op is.
vta.program @unknown on #vta.config<> dram 4096 size 8192 {
  vta.load uop[0] from 2000 size 1 x 1
  vta.gemm uops 0 to 1 for 2048 dst 1
  // expected-error @+1 {{micro-op 0: expects indices of acc below 2048, but got 2048 (dst 0 + 2048 * 1 + 0 * 0)}}
  vta.gemm uops 0 to 1 for 2049 dst 1
  vta.finish
}
