//===- ImportONNX.h - ONNX models to the relay dialect ----------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_FRONTEND_ONNX_IMPORTONNX_H
#define RELAY_MLIR_FRONTEND_ONNX_IMPORTONNX_H

#include "relay-mlir/Dialect/Relay/IR/FixedInputs.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/MemoryBufferRef.h"

#include <string>
#include <vector>

namespace mlir::relay {

struct OnnxImportOptions {
  /// What of the graph's inputs is known.
  FixedInputs inputs;
};

/// Reads the ONNX model at `path` into a module with one public function,
/// `@main`. Weights become resources that own their bytes. Null, after one
/// diagnostic, if the model cannot be imported.
OwningOpRef<ModuleOp> importOnnxFile(StringRef path, MLIRContext *context,
                                     const OnnxImportOptions &options = {});

/// The same for a model in memory. External data is looked for beside
/// `buffer`'s identifier. The module does not refer to `buffer`.
OwningOpRef<ModuleOp> importOnnxBuffer(llvm::MemoryBufferRef buffer,
                                       MLIRContext *context,
                                       const OnnxImportOptions &options = {});

/// An operator of ONNX that the importer converts.
struct OnnxOperator {
  /// Empty for the default one.
  std::string domain;
  std::string name;
  /// The opsets in which it does.
  int64_t since, until;
};

/// All of them, by domain and name.
std::vector<OnnxOperator> getOnnxOperators();

/// An operator of which a model has nodes.
struct OnnxOperatorUse {
  /// Empty for the default one.
  std::string domain;
  std::string name;
  int64_t opset;
  int64_t count = 0;
  /// What messages call the first of them.
  std::string first;
  /// Why it is not imported; empty if it is.
  std::string missing;
};

/// What a model needs, as far as its text says it.
struct OnnxCoverage {
  /// Version by domain.
  std::vector<std::pair<std::string, int64_t>> opsets;
  /// In the order of the first nodes, those in graphs of nodes and in functions
  /// of the model included.
  std::vector<OnnxOperatorUse> operators;
  struct TypeUse {
    std::string name;
    int64_t count = 0;
    bool isSupported;
  };
  /// Element types of inputs, outputs and weights.
  std::vector<TypeUse> types;
};

/// Looks at a model without importing it. Fails for what is no model.
FailureOr<OnnxCoverage> getOnnxCoverage(llvm::MemoryBufferRef buffer,
                                        MLIRContext *context);

/// Adds `--import-onnx` and `--import-onnx-bytecode` to the translations of the
/// process.
void registerImportOnnxTranslation();

} // namespace mlir::relay

#endif // RELAY_MLIR_FRONTEND_ONNX_IMPORTONNX_H
