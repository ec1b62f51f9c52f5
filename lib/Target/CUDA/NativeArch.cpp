//===- NativeArch.cpp - The GPU of this machine ---------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The compiler asks the driver that the run time would use. It is no part of
// the library that drives devices, which needs no compiler, nor the other way
// around.
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Target/CUDA/NativeArch.h"

#include "relay-mlir/Dialect/CUDA/IR/CUDA.h"
#include "llvm/Support/Compiler.h"
#include "llvm/Support/DynamicLibrary.h"
#include "llvm/Support/Process.h"

using namespace mlir;

/// Of the driver's interface: the numbers of the attributes of a device.
static constexpr int kMajor = 75;
static constexpr int kMinor = 76;

// The driver's own names of the types are not known here.
LLVM_NO_SANITIZE("function")
std::string cuda::findNativeArch(std::string &error) {
  std::string path =
      llvm::sys::Process::GetEnv("RELAY_CUDA_LIBRARY").value_or("");
  if (path.empty())
    path = "libcuda.so.1";
  std::string reason;
  llvm::sys::DynamicLibrary library =
      llvm::sys::DynamicLibrary::getPermanentLibrary(path.c_str(), &reason);
  if (!library.isValid()) {
    error = "expects NVIDIA's driver for -arch=native, but cannot load '" +
            path + "': " + reason;
    return {};
  }
  auto init =
      reinterpret_cast<int (*)(unsigned)>(library.getAddressOfSymbol("cuInit"));
  auto getDevice = reinterpret_cast<int (*)(int *, int)>(
      library.getAddressOfSymbol("cuDeviceGet"));
  auto getAttribute = reinterpret_cast<int (*)(int *, int, int)>(
      library.getAddressOfSymbol("cuDeviceGetAttribute"));
  int device = 0, major = 0, minor = 0;
  if (!init || !getDevice || !getAttribute || init(0) != 0 ||
      getDevice(&device, 0) != 0 || getAttribute(&major, kMajor, device) != 0 ||
      getAttribute(&minor, kMinor, device) != 0) {
    error = "expects an NVIDIA device for -arch=native, but the driver '" +
            path + "' finds none";
    return {};
  }
  int capability = 10 * major + minor;
  if (const ArchInfo *arch = lookupArchOfDevice(capability))
    return arch->name.str();
  error = "expects a device of one of " + getArchNames() +
          ", or newer, but got sm_" + std::to_string(capability);
  return {};
}
