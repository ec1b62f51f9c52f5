//===- LoadModel.h - Read a model of any format -----------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_PIPELINES_LOADMODEL_H
#define RELAY_MLIR_PIPELINES_LOADMODEL_H

#include "relay-mlir/Dialect/Relay/IR/FixedInputs.h"
#include "relay-mlir/Frontend/RelayText/Diagnostics.h"
#include "relay-mlir/Support/DiagnosticPrinter.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <optional>

namespace mlir::relay {

/// Whether loadModel takes a file for Relay text, whose messages are in the
/// words of Relay (RelayDiagnostics).
bool isRelayText(llvm::StringRef path);

/// Reads the model at `path` into the relay dialect: ONNX if the name ends in
/// `.onnx`, Relay text, whose types are inferred, if in `.relay`, otherwise
/// MLIR text or bytecode. Sizes and values of inputs become what `fixed` says.
/// Errors go to the context's diagnostics, and the result is null. The module
/// does not refer to the file.
OwningOpRef<ModuleOp> loadModel(llvm::StringRef path, MLIRContext *context,
                                const FixedInputs &fixed = {});

/// Gives a module what `fixed` says of its inputs, and makes attributes of
/// operands that are constants then.
LogicalResult specializeModule(ModuleOp module, const FixedInputs &fixed);

/// Checks that resources of a module have their data. Text that is printed for
/// people leaves large ones out, and reads as a module without them.
LogicalResult checkResources(ModuleOp module);

/// Prints the diagnostics of a context while it lives, as a tool does that
/// works on the model at `path`: with lines of the source, without operations,
/// and of Relay text in the words of Relay.
class ModelDiagnostics {
public:
  ModelDiagnostics(MLIRContext *context, llvm::StringRef path);

private:
  DiagnosticPrinter printer;
  std::optional<RelayDiagnostics> words;
};

} // namespace mlir::relay

#endif // RELAY_MLIR_PIPELINES_LOADMODEL_H
