//===- Artifact.cpp - Write a compiled model ------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Target/AOT/Artifact.h"

#include "mlir/Support/Timing.h"
#include "relay-mlir/Target/AOT/HostModule.h"
#include "relay-mlir/Target/AOT/WeightsObject.h"
#include "relay-mlir/Target/Kernel/Linker.h"
#include "relay-mlir/Target/Kernel/ObjectEmitter.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace mlir::relay;

LogicalResult mlir::relay::writeArtifact(relax::FuncOp main,
                                         ArrayRef<ArtifactKernel> kernels,
                                         const TargetInfo &target,
                                         StringRef output,
                                         const ArtifactOptions &options) {
  HostModuleOptions hostOptions;
  hostOptions.targetTriple = target.getTriple().str();
  hostOptions.requiredFeatures = target.getRequiredFeatures();
  if (!options.extraFeatures.empty()) {
    if (!hostOptions.requiredFeatures.empty())
      hostOptions.requiredFeatures += ',';
    hostOptions.requiredFeatures += options.extraFeatures;
  }
  for (const ArtifactKernel &kernel : kernels)
    hostOptions.kernelSymbols[kernel.name] = kernel.symbol;

  TimingScope none;
  TimingScope &timing = options.timing ? *options.timing : none;
  TimingScope phase = timing.nest("Build program");
  ConstantPool pool(main.getContext());
  FailureOr<OwningOpRef<ModuleOp>> host =
      buildHostModule(main, hostOptions, pool);
  if (failed(host))
    return failure();
  phase = timing.nest("Compile program");
  SmallVector<char, 0> hostObject;
  if (failed(compileLLVMModule(**host, target, CodeKind::Object, hostObject,
                               CodeEffort::Program)))
    return failure();

  SmallVector<LinkInput> inputs = {
      LinkInput::fromMemory({hostObject.data(), hostObject.size()})};
  std::string weights;
  LinkFinishFn finish;
  if (pool.getSize() != 0) {
    weights = getWeightsObject(target, pool.getSize());
    inputs.push_back(LinkInput::fromMemory(weights));
    finish = [&](int file) {
      phase = timing.nest("Write constants");
      return insertWeights(file, pool);
    };
  }
  llvm::DenseSet<const char *> linked;
  for (const ArtifactKernel &kernel : kernels)
    if (linked.insert(kernel.object.data()).second)
      inputs.push_back(LinkInput::fromMemory(kernel.object));
  phase = timing.nest("Link");
  auto *link = options.relocatable ? linkRelocatableObject : linkSharedObject;
  return link(
      inputs, target, output, [&] { return emitError(main.getLoc()); }, finish);
}
