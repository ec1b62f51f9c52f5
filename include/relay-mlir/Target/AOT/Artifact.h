//===- Artifact.h - Write a compiled model ----------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_TARGET_AOT_ARTIFACT_H
#define RELAY_MLIR_TARGET_AOT_ARTIFACT_H

#include "relay-mlir/Dialect/Relax/IR/Relax.h"
#include "relay-mlir/Dialect/Target/IR/CPUInfo.h"
#include "relay-mlir/Target/Kernel/DeviceModules.h"

#include <string>

namespace mlir {
class TimingScope;
} // namespace mlir

namespace mlir::relay {

/// A compiled kernel: any code generator can make one.
struct ArtifactKernel {
  /// Its name in the module.
  StringRef name;
  /// The function in `object` that it is, of type RelayKernel.
  StringRef symbol;
  /// A relocatable object; several kernels may share one.
  StringRef object;
};

struct ArtifactOptions {
  /// CPU features that kernels need beyond those of the target, comma
  /// separated.
  std::string extraFeatures;

  /// How exact the kernels are, for the description of the artefact.
  std::string precision;

  /// Code for devices that are no processor of the host; has the kernels that
  /// are not among those of the artefact.
  ArrayRef<DeviceModule> deviceModules = {};

  /// Write a relocatable object, which a linker can put into a program, in
  /// place of the shared object.
  bool relocatable = false;

  /// The module whose functions of objects become bytecode; null for a model
  /// that is one function of tensors.
  ModuleOp glue = {};
  /// Whether they become native code, too, which runs in its place.
  bool nativeGlue = false;

  /// Counts the time of the parts, if there is one.
  TimingScope *timing = nullptr;
};

/// Writes functions of tensors, in the form relax-executable, as a shared
/// object that the run time can load. Their callees have the signatures that
/// `kernels` were compiled with. Nothing is left at `output` on failure but
/// what was there before; errors are reported at the functions or their
/// operations, or at `location`.
LogicalResult writeArtifact(ArrayRef<relax::FuncOp> functions,
                            Location location, ArrayRef<ArtifactKernel> kernels,
                            const CPUInfo &target, StringRef output,
                            const ArtifactOptions &options = {});

} // namespace mlir::relay

#endif // RELAY_MLIR_TARGET_AOT_ARTIFACT_H
