//===- FaultyVTADevice.cpp - An accelerator that is wrong -----------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Passes everything on to the library of which RELAY_FAULTY_VTA has the path.
// Tests see that what is wrong is found: 1 is added to element 37 of what a
// kernel has computed, and more to 41. Or else, with RELAY_FAULTY_VTA_KERNEL,
// the last immediate of the ALU in the program of that kernel is one more.
//
//===----------------------------------------------------------------------===//

#include "relay-mlir-c/Device.h"
#include "relay-mlir/Runtime/VTA/KernelFile.h"

#include <cstdlib>
#include <dlfcn.h>

using namespace relay_vta;

using GetDeviceAPIFn = const RelayDeviceAPI *(*)();

static const RelayDeviceAPI *getOther() {
  const char *path = getenv("RELAY_FAULTY_VTA");
  void *library = path ? dlopen(path, RTLD_NOW) : nullptr;
  void *symbol = library ? dlsym(library, "relayGetDeviceAPI") : nullptr;
  return symbol ? reinterpret_cast<GetDeviceAPIFn>(symbol)() : nullptr;
}

static const RelayDeviceAPI *other = getOther();

static const char *wrongKernel = getenv("RELAY_FAULTY_VTA_KERNEL");

/// Adds 1 to the last immediate of a program.
static void changeImmediate(Program &program) {
  for (size_t i = program.instructions.size(); i-- > 0;) {
    InstructionWords &words = program.instructions[i];
    Instruction instruction = decode(program.config, words);
    if (!instruction.is(Opcode::Alu) || !instruction.useImm)
      continue;
    ++instruction.imm;
    (void)encode(program.config, instruction, words);
    return;
  }
}

static RelayStatus loadModuleFor(void *user, int32_t device, const char *driver,
                                 const char *format, const void *data,
                                 uint64_t size, void **module) {
  std::vector<Kernel> kernels;
  if (!wrongKernel ||
      !readKernels(static_cast<const uint8_t *>(data), size, kernels).empty())
    return other->load_module_for(user, device, driver, format, data, size,
                                  module);
  for (Kernel &kernel : kernels)
    if (kernel.name == wrongKernel)
      changeImmediate(kernel.program);
  std::vector<uint8_t> bytes = writeKernels(kernels);
  return other->load_module_for(user, device, driver, format, bytes.data(),
                                bytes.size(), module);
}

static RelayStatus launch(void *user, int32_t device, void *stream,
                          void *kernel, void *const *args, int32_t numArgs,
                          const int64_t *dims,
                          const RelayKernelContext *context) {
  RelayStatus status =
      other->launch(user, device, stream, kernel, args, numArgs, dims, context);
  if (status == RELAY_OK && !wrongKernel) {
    auto *result = static_cast<int8_t *>(args[numArgs - 1]);
    ++result[37];
    result[41] = static_cast<int8_t>(result[41] ^ 64);
  }
  return status;
}

extern "C" __attribute__((visibility("default"))) const RelayDeviceAPI *
relayGetDeviceAPI(void) {
  if (!other)
    return nullptr;
  static RelayDeviceAPI api = *other;
  api.launch = launch;
  api.load_module_for = loadModuleFor;
  return &api;
}
