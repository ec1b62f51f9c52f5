// What a machine's first device gets: code that only it has, or that of the newest
// architecture that it runs.
// RUN: env RELAY_CUDA_LIBRARY=%relay_lib/FakeCUDA.so FAKE_CUDA_ARCH=90 relay-compile %s --target="cuda -arch=native" --emit=asm -o - | FileCheck %s --check-prefix=SM90
// RUN: env RELAY_CUDA_LIBRARY=%relay_lib/FakeCUDA.so FAKE_CUDA_ARCH=89 relay-compile %s --target="cuda -arch=native" --emit=asm -o - | FileCheck %s --check-prefix=SM89
// RUN: env RELAY_CUDA_LIBRARY=%relay_lib/FakeCUDA.so FAKE_CUDA_ARCH=121 relay-compile %s --target="cuda -arch=native,x86-64-v3" --emit=asm -o - | FileCheck %s --check-prefix=SM121
// RUN: env RELAY_CUDA_LIBRARY=%relay_lib/FakeCUDA.so FAKE_CUDA_ARCH=75 not relay-compile %s --target="cuda -arch=native" --emit=asm -o - 2>&1 | FileCheck %s --check-prefix=OLD
// RUN: env RELAY_CUDA_LIBRARY=%relay_lib/FakeCUDA.so FAKE_CUDA_DEVICES=0 not relay-compile %s --target="cuda -arch=native" --emit=asm -o - 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: env RELAY_CUDA_LIBRARY=/nowhere/libcuda.so not relay-compile %s --target="cuda -arch=native" --emit=asm -o - 2>&1 | FileCheck %s --check-prefix=DRIVER

// SM90:   image ptx sm_90a
// SM89:   image ptx sm_89
// SM121:  image ptx sm_120 {{[0-9]}}
// OLD:    error: expects a device of one of sm_80, {{.*}}, or newer, but got sm_75
// NONE:   error: expects an NVIDIA device for -arch=native, but the driver '{{.*}}FakeCUDA.so' finds none
// DRIVER: error: expects NVIDIA's driver for -arch=native, but cannot load '/nowhere/libcuda.so':

func.func @main(%x: tensor<64xf32>) -> tensor<64xf32> {
  %0 = relay.exp %x : (tensor<64xf32>) -> tensor<64xf32>
  return %0 : tensor<64xf32>
}
