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
#include "llvm/Support/raw_ostream.h"

#ifdef __linux__
#include <sys/mman.h>
#include <unistd.h>
#endif

using namespace mlir;
using namespace mlir::relay;

namespace {

/// A file for the linker to read, which vanishes with this object. It is kept
/// in memory where the system can do that, because a disk may take seconds for
/// what the linker copies once.
class TransientFile {
public:
  TransientFile() = default;
  TransientFile(const TransientFile &) = delete;
  TransientFile &operator=(const TransientFile &) = delete;
  ~TransientFile();

  /// Creates the file, on disk beside `output`.
  std::error_code create(StringRef output);

  int getDescriptor() const { return descriptor; }
  StringRef getPath() const { return path; }

private:
  int descriptor = -1;
  bool onDisk = false;
  SmallString<128> path;
};

} // namespace

std::error_code TransientFile::create(StringRef output) {
#ifdef __linux__
  descriptor = memfd_create("relay-weights", MFD_CLOEXEC);
  if (descriptor >= 0) {
    path = ("/proc/self/fd/" + Twine(descriptor)).str();
    if (llvm::sys::fs::exists(path))
      return {};
    ::close(descriptor);
  }
#endif
  onDisk = true;
  return llvm::sys::fs::createUniqueFile(output + ".weights-%%%%%%.o",
                                         descriptor, path);
}

TransientFile::~TransientFile() {
  if (descriptor < 0)
    return;
  llvm::sys::fs::file_t handle =
      llvm::sys::fs::convertFDToNativeFile(descriptor);
  llvm::sys::fs::closeFile(handle);
  if (onDisk)
    llvm::sys::fs::remove(path);
}

static LogicalResult writeWeights(relax::FuncOp main, const ConstantPool &pool,
                                  const TargetInfo &target, StringRef output,
                                  TransientFile &file) {
  if (std::error_code error = file.create(output))
    return emitError(main.getLoc())
           << "cannot write " << output << ": " << error.message();
  llvm::raw_fd_ostream os(file.getDescriptor(), /*shouldClose=*/false);
  pool.writeObject(target, os);
  os.flush();
  if (!os.has_error())
    return success();
  std::error_code error = os.error();
  os.clear_error();
  return emitError(main.getLoc()) << "cannot write the constants of " << output
                                  << ": " << error.message();
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

  SmallVector<LinkInput> inputs = {
      LinkInput::fromMemory({hostObject.data(), hostObject.size()})};
  TransientFile weights;
  if (pool.getSize() != 0) {
    if (failed(writeWeights(main, pool, target, output, weights)))
      return failure();
    inputs.push_back(LinkInput::fromFile(weights.getPath()));
  }
  llvm::DenseSet<const char *> linked;
  for (const ArtifactKernel &kernel : kernels)
    if (linked.insert(kernel.object.data()).second)
      inputs.push_back(LinkInput::fromMemory(kernel.object));
  auto *link = options.relocatable ? linkRelocatableObject : linkSharedObject;
  return link(inputs, target, output, [&] { return emitError(main.getLoc()); });
}
