//===- Artifact.cpp - Write a compiled model ------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Target/AOT/Artifact.h"

#include "mlir/Support/Timing.h"
#include "relay-mlir/Support/OutputFile.h"
#include "relay-mlir/Target/AOT/ArtifactFile.h"
#include "relay-mlir/Target/AOT/HostModule.h"
#include "relay-mlir/Target/Kernel/Linker.h"
#include "relay-mlir/Target/Kernel/ObjectEmitter.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace mlir::relay;

LogicalResult mlir::relay::writeArtifact(ArrayRef<relax::FuncOp> functions,
                                         Location location,
                                         ArrayRef<ArtifactKernel> kernels,
                                         const CPUInfo &target,
                                         StringRef output,
                                         const ArtifactOptions &options) {
  HostModuleOptions hostOptions;
  hostOptions.targetTriple = target.getTriple().str();
  hostOptions.requiredFeatures = target.getRequiredFeatures();
  hostOptions.linkWeights = options.relocatable;
  hostOptions.precision = options.precision;
  hostOptions.deviceModules = options.deviceModules;
  hostOptions.glue = options.glue;
  hostOptions.nativeGlue = options.nativeGlue;
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
  ConstantPool pool(location.getContext());
  FailureOr<HostModules> host = buildHostModule(functions, hostOptions, pool);
  if (failed(host))
    return failure();
  phase = timing.nest("Compile program");
  std::vector<SmallVector<char, 0>> hostObjects;
  for (HostModules::Part &part : host->parts)
    if (failed(compileLLVMModule(*part.module, target, CodeKind::Object,
                                 hostObjects.emplace_back(), part.effort)))
      return failure();

  std::string note = getArtifactObject(target, pool.getSize(),
                                       /*isShared=*/!options.relocatable);
  SmallVector<StringRef> objects = {note};
  for (const SmallVector<char, 0> &object : hostObjects)
    objects.push_back({object.data(), object.size()});
  llvm::DenseSet<const char *> linked;
  for (const ArtifactKernel &kernel : kernels)
    if (linked.insert(kernel.object.data()).second)
      objects.push_back(kernel.object);
  phase = timing.nest("Link");
  auto *link = options.relocatable ? linkRelocatableObject : linkSharedObject;
  auto reportError = [&] { return emitError(location); };
  FailureOr<std::vector<char>> bytes = link(objects, target, reportError);
  if (failed(bytes))
    return failure();
  phase = timing.nest("Write");
  // The permissions are those that linkers give.
  std::error_code error =
      writeOutputFile(output, options.relocatable ? 0666 : 0777, [&](int file) {
        return writeArtifactFile(file, std::move(*bytes), pool);
      });
  if (error) {
    // A file in memory has a path, but no name that tells anybody anything.
    bool isNamed = !output.starts_with("/proc/self/fd/");
    std::string name = isNamed ? ("'" + output + "'").str() : "the artefact";
    return emitError(UnknownLoc::get(location.getContext()), "cannot write ")
           << name << ": " << error.message();
  }
  return success();
}
