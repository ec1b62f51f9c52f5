//===- StringNumbers.h - Strings in and out of tensors ----------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Who runs a model has strings; the model has their numbers
// (Relay/IR/Strings.h).
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_INTERPRETER_STRINGNUMBERS_H
#define RELAY_MLIR_INTERPRETER_STRINGNUMBERS_H

#include "relay-mlir/Interpreter/Tensor.h"
#include "relay-mlir/Support/Npy.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::relay {

class StringNumbers {
public:
  StringNumbers() = default;
  /// The table of a model, which may have none.
  explicit StringNumbers(ModuleOp module);

  /// How many strings there are. Those of other inputs come behind them.
  int64_t size() const { return static_cast<int64_t>(texts.size()); }
  int64_t getNumber(StringRef text);
  /// The string of a number; nothing if it has none.
  std::optional<StringRef> getText(int64_t number) const;

  /// A tensor of int64.
  Tensor encode(const NpyStrings &strings, MLIRContext *context);
  /// The inverse. Fails for numbers without a string.
  llvm::Expected<NpyStrings> decode(const Tensor &tensor) const;

private:
  llvm::StringMap<int64_t> numbers;
  std::vector<StringRef> texts;
};

} // namespace mlir::relay

#endif // RELAY_MLIR_INTERPRETER_STRINGNUMBERS_H
