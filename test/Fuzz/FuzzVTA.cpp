//===- FuzzVTA.cpp - Programs of VTA --------------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fuzzing.h"

#include "relay-mlir/Runtime/VTA/KernelFile.h"
#include "relay-mlir/Runtime/VTA/Simulator.h"
#include "relay-mlir/Target/VTA/VTABinary.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"

using namespace mlir;
using namespace mlir::relay;
using namespace relay_vta;

namespace {

/// A run, and memory after it.
struct Result {
  RunStatus status;
  std::vector<uint8_t> image;
};

} // namespace

static Result run(const Program &program, bool isStrict, bool withCycles) {
  RunOptions options;
  options.strict = isStrict;
  options.maxWork = 1000000;
  options.trace = withCycles;
  Simulator simulator(program.config);
  Result result{{}, program.image};
  Timing timing;
  result.status =
      withCycles ? simulator.runCycles(program.instructions, program.dramBase,
                                       result.image, timing, options)
                 : simulator.run(program.instructions, program.dramBase,
                                 result.image, options);
  fuzz::expect(result.status.isOk() == result.status.message.empty(),
               "an error has a message");
  return result;
}

/// What can be written as operations comes back.
static void checkRoundTrip(const Program &program) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.loadDialect<vta::VTADialect>();
  bool hasError = false;
  ScopedDiagnosticHandler handler(&context,
                                  [&](Diagnostic &) { hasError = true; });
  OwningOpRef<ModuleOp> module =
      vta::decodeProgram(program, "input.vtao", &context);
  fuzz::expect(hasError != bool(module), "a failure has a message");
  if (!module)
    return;
  auto op = *module->getOps<vta::ProgramOp>().begin();
  fuzz::expect(writeProgram(vta::encodeProgram(op)) == writeProgram(program),
               "what is read is written the same");
}

/// Kernels as artefacts have them: their buffers are inside of their memory.
static void checkKernels(const std::vector<uint8_t> &bytes) {
  std::vector<Kernel> kernels;
  if (!readKernels(bytes.data(), bytes.size(), kernels).empty())
    return;
  fuzz::expect(writeKernels(kernels) == bytes, "kernels come back");
  for (const Kernel &kernel : kernels)
    for (const Kernel::Buffer &buffer : kernel.buffers) {
      AddressRange dram = kernel.program.getDram();
      fuzz::expect(buffer.address >= dram.base && buffer.bytes <= dram.size &&
                       buffer.address - dram.base <= dram.size - buffer.bytes,
                   "buffers are in memory");
    }
}

// libFuzzer calls it.
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  // A copy of its own size: what is read beyond it is seen.
  std::vector<uint8_t> copy(data, data + size);
  checkKernels(copy);
  Program program;
  std::string message = readProgram(copy.data(), copy.size(), program);
  if (!message.empty())
    return 0;
  fuzz::expect(writeProgram(program) == copy, "a file comes back");
  const Config &config = program.config;
  // Large scratchpads take long to look at.
  if (std::max({config.inpBuffer, config.wgtBuffer, config.accBuffer}) > 18)
    return 0;
  (void)run(program, /*isStrict=*/false, /*withCycles=*/false);
  (void)run(program, /*isStrict=*/false, /*withCycles=*/true);
  Result functional = run(program, /*isStrict=*/true, /*withCycles=*/false);
  Result cycles = run(program, /*isStrict=*/true, /*withCycles=*/true);
  fuzz::expect(!functional.status.isOk() || !cycles.status.isOk() ||
                   functional.image == cycles.image,
               "without races, any order of stages gives the same");
  checkRoundTrip(program);
  return 0;
}
