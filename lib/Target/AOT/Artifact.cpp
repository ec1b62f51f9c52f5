//===- Artifact.cpp - Write a compiled model ------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Target/AOT/Artifact.h"

#include "relay-mlir/Target/AOT/HostModule.h"
#include "relay-mlir/Target/Kernel/Linker.h"
#include "relay-mlir/Target/Kernel/ObjectEmitter.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::relay;

/// Writes the constants to a new file beside `output`, where there is room for
/// them if there is room for the artefact. Returns an empty path if there are
/// none.
static FailureOr<std::string> writeWeights(relax::FuncOp main,
                                           const ConstantPool &pool,
                                           const TargetInfo &target,
                                           StringRef output) {
  if (pool.getSize() == 0)
    return std::string();
  int descriptor;
  SmallString<128> path;
  std::error_code error = llvm::sys::fs::createUniqueFile(
      output + ".weights-%%%%%%.o", descriptor, path);
  if (error)
    return main.emitOpError()
           << "cannot write \"" << output << "\": " << error.message();
  llvm::raw_fd_ostream os(descriptor, /*shouldClose=*/true);
  pool.writeObject(target, os);
  os.close();
  if (os.has_error()) {
    main.emitOpError() << "cannot write \"" << path
                       << "\": " << os.error().message();
    os.clear_error();
    llvm::sys::fs::remove(path);
    return failure();
  }
  return std::string(path);
}

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

  ConstantPool pool(main.getContext());
  FailureOr<OwningOpRef<ModuleOp>> host =
      buildHostModule(main, hostOptions, pool);
  if (failed(host))
    return failure();
  SmallVector<char, 0> hostObject;
  if (failed(compileLLVMModule(**host, target, CodeKind::Object, hostObject)))
    return failure();

  FailureOr<std::string> weights = writeWeights(main, pool, target, output);
  if (failed(weights))
    return failure();
  llvm::FileRemover weightsRemover;
  SmallVector<LinkInput> inputs = {
      LinkInput::fromMemory({hostObject.data(), hostObject.size()})};
  if (!weights->empty()) {
    weightsRemover.setFile(*weights);
    inputs.push_back(LinkInput::fromFile(*weights));
  }
  llvm::DenseSet<const char *> linked;
  for (const ArtifactKernel &kernel : kernels)
    if (linked.insert(kernel.object.data()).second)
      inputs.push_back(LinkInput::fromMemory(kernel.object));
  auto *link = options.relocatable ? linkRelocatableObject : linkSharedObject;
  return link(inputs, target, output, [&] { return main.emitOpError(); });
}
