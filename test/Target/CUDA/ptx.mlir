// RUN: relay-compile %s --target=cuda --emit=asm -o - | FileCheck %s
// RUN: relay-compile %s --target="cuda -arch=sm_90a,x86-64-v3" --emit=asm -o - | FileCheck %s --check-prefix=HOPPER
// RUN: relay-compile %s --target=cuda -o %t.so && relay-compile %s --target=cuda --no-cache -o %t.again.so && cmp %t.so %t.again.so

// CHECK:      {{^}}relay-cuda 1
// CHECK-NEXT: image ptx sm_80 {{[0-9]+}}
// CHECK-NEXT: kernel fused_add_exp 3 3
// CHECK-NEXT: launch fused_add_exp d0,256,ceildiv,0,max 1 1 256 1 1 0
// CHECK-NEXT: end
// CHECK:      .target sm_80
// CHECK:      .visible .entry fused_add_exp(
// CHECK:      .maxntid 256
// CHECK:      ld.global
// CHECK:      st.global
// HOPPER:     image ptx sm_90a
// HOPPER:     .target sm_90a

func.func @main(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %0 = relay.add %x, %y : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %1 = relay.exp %0 : (tensor<?xf32>) -> tensor<?xf32>
  return %1 : tensor<?xf32>
}
