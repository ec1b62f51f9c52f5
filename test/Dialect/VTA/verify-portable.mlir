// RUN: relay-opt --pass-pipeline="builtin.module(vta.program(verify-vta-portable))" -split-input-file -verify-diagnostics %s

vta.program @fine on #vta.config<> dram 4096 size 8192 {
  vta.load uop[0] from 2000 size 1 x 2 micro_ops {
    vta.uop dst 0 src 2 wgt 0
    vta.uop dst 1 src 3 wgt 0
  }
  vta.load acc[0] from 64 size 1 x 4
  vta.gemm uops 0 to 2
  vta.alu add uops 0 to 2
  vta.finish
}

// -----

vta.program @hazard on #vta.config<> dram 4096 size 8192 {
  vta.load uop[0] from 2000 size 1 x 2 micro_ops {
    vta.uop dst 0 src 1 wgt 0
    vta.uop dst 0 src 2 wgt 0
  }
  // Sums of products go on from what is written.
  vta.gemm uops 0 to 2
  // expected-error @+1 {{expects no element of acc in two micro-ops of an ALU one after the other, but got dst 0}}
  vta.alu add uops 0 to 2
  vta.finish
}

// -----

// From the last micro-op of an iteration to the first of the next one.
vta.program @hazard on #vta.config<> dram 4096 size 8192 {
  vta.load uop[0] from 2000 size 1 x 2 micro_ops {
    vta.uop dst 0 src 8 wgt 0
    vta.uop dst 1 src 9 wgt 0
  }
  vta.alu add uops 0 to 2 for 3 dst 2 src 2
  // expected-error @+1 {{but got dst 1, which the one before writes}}
  vta.alu add uops 0 to 2 for 3 dst 1 src 1
  vta.finish
}

// -----

vta.program @immediate on #vta.config<> dram 4096 size 8192 {
  vta.load uop[0] from 2000 size 1 x 1 micro_ops {
    vta.uop dst 0 src 1 wgt 0
  }
  // expected-error @+1 {{expects src 0 with an immediate, as dst, but got 1: Chisel computes on src}}
  vta.alu add imm 3 uops 0 to 1
  vta.finish
}

// -----

vta.program @shift on #vta.config<> dram 4096 size 8192 {
  // expected-error @+1 {{expects a shift from -16 to 15, but got 16, of which HLS keeps 5 bits}}
  vta.alu shr imm 16 uops 0 to 1
  vta.finish
}

// -----

vta.program @mul on #vta.config<> dram 4096 size 8192 {
  // expected-error @+1 {{expects no mul, which fsim alone has}}
  vta.alu mul uops 0 to 1
  vta.finish
}

// -----

vta.program @acc8 on #vta.config<> dram 4096 size 8192 {
  // expected-error @+1 {{expects no memory 5 (acc8), which fsim alone has}}
  vta.load acc8[0] from 256 size 1 x 1
  vta.finish
}

// -----

vta.program @shallow on #vta.config<inp_buffer = 16384> dram 4096 size 8192 {
  // expected-error @+1 {{expects a configuration with as many elements of inp as of acc, or more}}
  vta.finish
}

// -----

// src goes up to what the micro-op before writes, and meets it at last.
vta.program @long on #vta.config<> dram 4096 size 8192 {
  vta.load uop[0] from 2000 size 1 x 2 micro_ops {
    vta.uop dst 2000 src 1 wgt 0
    vta.uop dst 2001 src 1 wgt 0
  }
  vta.alu add uops 0 to 2 for 16383, for 1999 src 1
  // expected-error @+1 {{but got src 2000, which the one before writes}}
  vta.alu add uops 0 to 2 for 16383, for 2000 src 1
  vta.finish
}
