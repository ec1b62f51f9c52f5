//===- ArtifactInfo.cpp - What an artefact says of itself -----------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ArtifactInfo.h"

#include "relay-mlir/Dialect/Relay/IR/DType.h"
#include "relay-mlir/Frontend/RelayText/RelayText.h"
#include "relay-mlir/Pipelines/CompiledTensors.h"
#include "relay-mlir/Pipelines/ProgramTypes.h"
#include "relay-mlir/Support/ForeignText.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

/// Prints a type with the names of its sizes, which it takes from `names`.
static void printType(Type type, ArrayRef<StringRef> &names) {
  if (auto tuple = dyn_cast<TupleType>(type)) {
    llvm::outs() << '(';
    llvm::interleaveComma(tuple.getTypes(), llvm::outs(),
                          [&](Type field) { printType(field, names); });
    llvm::outs() << (tuple.size() == 1 ? ",)" : ")");
    return;
  }
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || tensor.hasStaticShape()) {
    relay::printRelayType(llvm::outs(), type);
    if (tensor)
      names = names.drop_front(tensor.getRank());
    return;
  }
  llvm::outs() << "Tensor[(";
  llvm::interleaveComma(tensor.getShape(), llvm::outs(), [&](int64_t size) {
    StringRef name = names.consume_front();
    if (!ShapedType::isDynamic(size))
      llvm::outs() << size;
    else
      llvm::outs() << (name.empty() ? "?" : relay::formatForeignText(name));
  });
  llvm::outs() << "), " << relay::getDTypeName(tensor.getElementType()) << ']';
}

static void printValues(ArrayRef<relay::ProgramValueInfo> values) {
  llvm::interleaveComma(values, llvm::outs(),
                        [](const relay::ProgramValueInfo &value) {
                          llvm::outs() << relay::formatForeignText(value.name);
                          if (!value.type)
                            return;
                          llvm::outs() << (value.name.empty() ? "" : ": ");
                          ArrayRef<StringRef> names = value.sizeNames;
                          printType(value.type, names);
                          if (value.isString)
                            llvm::outs() << " of strings";
                        });
}

void relay_run::printInfo(RelayModule *compiled, MLIRContext &context) {
  const RelayArtifact &artifact = *relayModuleGetArtifact(compiled);
  llvm::outs() << "target: " << artifact.target_triple
               << "\nfeatures: " << artifact.required_features
               << "\nprecision: " << artifact.precision
               << "\ncompiler: " << artifact.compiler_version << '\n';
  auto printTensors = [&](StringRef what, const RelayArtifactTensor *tensors,
                          int32_t count) {
    for (const RelayArtifactTensor &tensor : ArrayRef(tensors, count)) {
      llvm::outs() << what << ": " << relay::formatForeignText(tensor.name)
                   << ' ';
      if (tensor.is_string)
        llvm::outs() << "string";
      else
        llvm::outs() << relay::getElementType(
            &context,
            {tensor.dtype.code, tensor.dtype.bits, tensor.dtype.lanes});
      llvm::outs() << " [";
      llvm::interleaveComma(llvm::seq<int32_t>(0, tensor.rank), llvm::outs(),
                            [&](int32_t dim) {
                              if (const char *name = tensor.dim_names[dim])
                                llvm::outs() << relay::formatForeignText(name);
                              else
                                llvm::outs() << tensor.dims[dim];
                            });
      llvm::outs() << "]\n";
    }
  };
  if (const RelayVMProgram *program = artifact.program) {
    for (const RelayVMFunction &function :
         ArrayRef(program->functions, program->num_functions)) {
      if (function.kind != RELAY_VM_BYTECODE || !function.is_public)
        continue;
      auto signature = relay::readSignature(*program, function.name, &context);
      llvm::outs() << "function: " << function.name << '(';
      printValues(signature->params);
      llvm::outs() << ") -> (";
      printValues(signature->results);
      llvm::outs() << ")\n";
    }
  } else {
    const RelayArtifactFunction &function = *artifact.functions;
    printTensors("input", function.inputs, function.num_inputs);
    printTensors("output", function.outputs, function.num_outputs);
    for (const RelayArtifactFunction &variant :
         ArrayRef(artifact.functions, artifact.num_functions).drop_front()) {
      StringRef name = variant.name;
      name.consume_front("main.");
      llvm::outs() << "variant: " << name << '\n';
    }
  }
  for (const RelayArtifactDevice &device :
       ArrayRef(artifact.devices, artifact.num_devices))
    llvm::outs() << "device: " << device.kind << ':' << device.index << '\n';
  for (const RelayArtifactModule &module :
       ArrayRef(artifact.modules, artifact.num_modules))
    if (StringRef(module.format) != RELAY_MODULE_FORMAT_HOST)
      llvm::outs() << "code for " << module.kind << ": " << module.size
                   << " bytes, format " << module.format << '\n';
}
