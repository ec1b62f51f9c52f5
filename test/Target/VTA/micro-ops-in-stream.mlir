// Micro-ops may be loaded from where the stream is. They are its bytes, and not
// micro-ops that the program writes there.
// RUN: relay-translate --vta-to-binary %s -o %t.vtao
// RUN: relay-translate --binary-to-vta %t.vtao -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: relay-translate --vta-to-binary %t.mlir -o %t.again
// RUN: cmp %t.vtao %t.again

// CHECK: vta.load uop[0] from 1024 size 1 x 1{{$}}
vta.program @main on #vta.config<> dram 4096 size 4096 stream 4096 {
  vta.load uop[0] from 1024 size 1 x 1
  vta.gemm uops 0 to 1
  vta.finish
}
