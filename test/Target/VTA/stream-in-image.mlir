// A stream may be a part of memory; an image has what is elsewhere.
// RUN: relay-translate --vta-to-binary %s -o %t.vtao
// RUN: od -A d -t x8 -j 64 -N 16 %t.vtao | FileCheck --check-prefix=HEADER %s
// RUN: od -A d -t x8 -j 4144 %t.vtao | FileCheck --check-prefix=CODE %s
// RUN: relay-translate --binary-to-vta %t.vtao | FileCheck %s

// HEADER: 0000064 0000000000001ff0 0000000000000001
// CODE: 0004144 0505050505050505 0505050505050505
// CODE-NEXT: 0004160 0000000000000003 0000000000000000
// CODE-NEXT: 0004176
// CHECK: vta.program @main {{.*}} image dense_resource<image> : tensor<4096xi8> stream 8176 {
// CHECK-NEXT: // 0: offset 4160, compute stage: FINISH
// CHECK: image: "0x{{0*[1248]0*}}05050505
vta.program @stream on #vta.config<> dram 4096 size 4096
    image dense<5> : tensor<4096xi8> stream 8176 {
  vta.finish
}
