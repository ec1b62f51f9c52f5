//===- ExternalCode.h - Code generators of others ---------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A code generator makes code of the functions that have its name as their
// attribute `relay.compiler`. It may return functions of relay or linalg, which
// are compiled as everything else, source in C, or bytes that only a library of
// its own understands.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_RELAY_IR_EXTERNALCODE_H
#define RELAY_MLIR_DIALECT_RELAY_IR_EXTERNALCODE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace mlir::relay {

/// A module that defines all functions, with the types that they have, in relay
/// or in linalg on tensors.
struct ExternalModule {
  OwningOpRef<ModuleOp> module;
};

/// A translation unit of C that defines a function of type RelayKernel
/// (Runtime/KernelABI.h) for each function of its generator, with the name of
/// that. It may call functions of libc and libm that artefacts may call.
struct ExternalCSource {
  std::string source;
  /// More arguments for the compiler of C.
  std::vector<std::string> flags;
};

/// Bytes, and the name of their format. The functions run on device 0 of the
/// kind getExternalDeviceKind: what drives it (relay-mlir-c/Device.h) gets the
/// bytes when a model is loaded, and is asked for a kernel by the name of each
/// function.
struct ExternalBlob {
  std::string format, data;
};

using ExternalCode =
    std::variant<ExternalModule, ExternalCSource, ExternalBlob>;

class ExternalCodeGenerator {
public:
  virtual ~ExternalCodeGenerator() = default;

  /// Makes code of all functions of `functions`, a module that it may change.
  /// Parameters and results are tensors; patterns are closures with the
  /// attribute `relay.composite`. Fails, with a diagnostic or without.
  virtual FailureOr<ExternalCode> generate(ModuleOp functions) const = 0;
};

/// Adds a code generator for the whole process, in the place of one of the same
/// name. Any thread may call it.
void addExternalCodeGenerator(StringRef name,
                              std::shared_ptr<ExternalCodeGenerator> generator);

/// Null if there is none of that name.
std::shared_ptr<ExternalCodeGenerator>
lookupExternalCodeGenerator(StringRef name);

/// The names of all, sorted.
std::vector<std::string> getExternalCodeGenerators();

/// The kind of devices that bytes of a code generator are for: its name, in
/// which what is no letter and no digit is an underscore.
std::string getExternalDeviceKind(StringRef compiler);

/// Attribute of a module: code in C, each a dictionary with `compiler`,
/// `source` and `flags`.
inline constexpr StringLiteral kExternalCodeAttrName = "relay.external_code";

/// Marks a function whose code a generator has made, as C or as bytes: what is
/// left of it tells the sizes of results.
inline constexpr StringLiteral kGeneratedAttrName = "relay.generated";

/// Marks a function of one kernel that is in linalg on tensors already.
inline constexpr StringLiteral kLoweredAttrName = "relay.lowered";

} // namespace mlir::relay

#endif // RELAY_MLIR_DIALECT_RELAY_IR_EXTERNALCODE_H
