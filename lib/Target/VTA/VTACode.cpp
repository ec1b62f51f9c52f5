//===- VTACode.cpp - Code of kernels for VTA ------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From scheduled kernels to what drives the devices: programs, and where their
// buffers are (docs/VTA.md).
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Target/VTA/VTACode.h"

#include "relay-mlir/Conversion/Passes.h"
#include "relay-mlir/Dialect/TIR/IR/TIR.h"
#include "relay-mlir/Dialect/VTA/Transforms/Passes.h"
#include "relay-mlir/Runtime/VTA/KernelFile.h"
#include "relay-mlir/Target/VTA/VTABinary.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;
using namespace mlir::vta;

void mlir::vta::buildTIRToVTAPipeline(OpPassManager &manager) {
  manager.addPass(relay::createConvertTIRToVTAPass());
  manager.addNestedPass<ProgramOp>(createInsertTokensPass());
  manager.addNestedPass<ProgramOp>(createVerifyPortablePass());
}

void mlir::vta::registerTIRToVTAPipeline() {
  PassPipelineRegistration<>(
      "tir-to-vta", "Lower scheduled tir kernels of VTA to its programs",
      buildTIRToVTAPipeline);
}

/// A program as what drives the devices knows it.
static relay_vta::Kernel makeKernel(ProgramOp program) {
  relay_vta::Kernel kernel;
  kernel.name = program.getSymName().str();
  kernel.program = encodeProgram(program);
  ArrayRef<int64_t> numbers =
      program->getAttrOfType<DenseI64ArrayAttr>(kBuffersAttrName).asArrayRef();
  for (; !numbers.empty(); numbers = numbers.drop_front(3)) {
    relay_vta::Kernel::Buffer buffer;
    buffer.address = numbers[0];
    buffer.bytes = numbers[1];
    buffer.isInput = numbers[2] & 1;
    buffer.isOutput = numbers[2] & 2;
    kernel.buffers.push_back(buffer);
  }
  return kernel;
}

namespace {

struct VTACodeGenerator
    : relay::CodeGeneratorAttrInterface::ExternalModel<VTACodeGenerator,
                                                       ConfigAttr> {
  FailureOr<relay::DeviceCode> generateCode(Attribute, ModuleOp kernels) const {
    kernels.getContext()->loadDialect<VTADialect>();
    PassManager manager(kernels.getContext());
    buildTIRToVTAPipeline(manager);
    if (failed(manager.run(kernels)))
      return failure();
    std::vector<relay_vta::Kernel> list;
    for (auto program : kernels.getOps<ProgramOp>())
      list.push_back(makeKernel(program));
    std::vector<uint8_t> bytes = relay_vta::writeKernels(list);
    return relay::DeviceCode{relay_vta::kKernelFormat,
                             std::string(bytes.begin(), bytes.end())};
  }
};

} // namespace

void mlir::vta::registerCodeGenerator(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, VTADialect *) {
    ConfigAttr::attachInterface<VTACodeGenerator>(*context);
  });
}
