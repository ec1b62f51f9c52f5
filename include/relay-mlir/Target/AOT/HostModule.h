//===- HostModule.h - The program of an artefact ----------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_TARGET_AOT_HOSTMODULE_H
#define RELAY_MLIR_TARGET_AOT_HOSTMODULE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "relay-mlir/Dialect/Relax/IR/Relax.h"
#include "relay-mlir/Target/AOT/ConstantPool.h"
#include "relay-mlir/Target/Kernel/DeviceModules.h"
#include "relay-mlir/Target/Kernel/ObjectEmitter.h"
#include "llvm/ADT/StringMap.h"

#include <string>

namespace mlir::relay {

struct HostModuleOptions {
  std::string targetTriple;
  /// CPU features that the kernels need, comma separated.
  std::string requiredFeatures;
  /// Whether the weights are linked with the code, as kWeightsSymbol.
  bool linkWeights = false;
  /// How exact the kernels are, as the compiler was told.
  std::string precision;
  /// Code for devices that are no processor of the host.
  ArrayRef<DeviceModule> deviceModules = {};
  /// The exported function of each kernel whose symbol is not its name.
  llvm::StringMap<std::string> kernelSymbols;
  /// The module whose functions of objects become bytecode, which calls the
  /// functions of tensors by their names; null for a model that is one function
  /// of tensors.
  ModuleOp glue = {};
  /// Whether they become native code, too, which runs in its place.
  bool nativeGlue = false;
};

/// Modules in the LLVM dialect.
struct HostModules {
  struct Part {
    OwningOpRef<ModuleOp> module;
    CodeEffort effort;
  };
  /// The program, and then the native code of functions of objects, if there is
  /// some.
  SmallVector<Part, 3> parts;
};

/// Translates functions of tensors, in the form relax-executable: for each,
/// what runs it and what computes its shapes, and the RelayArtifact that
/// describes all (Runtime/ArtifactFormat.h), with the bytecode that calls them.
/// Constants go to `pool`. Errors are reported at the operations.
FailureOr<HostModules> buildHostModule(ArrayRef<relax::FuncOp> functions,
                                       const HostModuleOptions &options,
                                       ConstantPool &pool);

/// Registers `relay-translate --relax-to-host`.
void registerRelaxToHostTranslation();

} // namespace mlir::relay

#endif // RELAY_MLIR_TARGET_AOT_HOSTMODULE_H
