// RUN: relay-translate --vta-to-binary -split-input-file -verify-diagnostics %s

// expected-error @+1 {{expects one vta.program, but got 0}}
module {}

// -----

// expected-error @+1 {{expects one vta.program, but got 2}}
module {
  vta.program @a on #vta.config<> dram 4096 size 4096 {
    vta.finish
  }
  vta.program @b on #vta.config<> dram 4096 size 4096 {
    vta.finish
  }
}

// -----

// expected-error @+1 {{expects 1 instructions inside of the image, but got stream 8177}}
vta.program @a on #vta.config<> dram 4096 size 4096 stream 8177 {
  vta.finish
}
