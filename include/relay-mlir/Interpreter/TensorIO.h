//===- TensorIO.h - Tensors in files ----------------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_INTERPRETER_TENSORIO_H
#define RELAY_MLIR_INTERPRETER_TENSORIO_H

#include "relay-mlir/Dialect/Relay/IR/Strings.h"
#include "relay-mlir/Interpreter/Tensor.h"
#include "relay-mlir/Support/Npy.h"

namespace mlir::relay {

/// Signed integers become signless ones. Bytes whose type the file does not
/// tell are of type `expected` if that is a small one, else ui8.
Tensor getTensor(const NpyArray &array, MLIRContext *context,
                 Type expected = {});

/// The array shares the tensor's memory, which the tensor must outlive.
NpyArray getNpyArray(const Tensor &tensor);

/// A tensor of int64, the numbers of `strings` in `table`, which gets those
/// that it does not have.
Tensor getTensor(const NpyStrings &strings, StringTable &table,
                 MLIRContext *context);

/// The inverse. Fails for numbers without a string.
llvm::Expected<NpyStrings> getNpyStrings(const Tensor &tensor,
                                         const StringTable &table);

} // namespace mlir::relay

#endif // RELAY_MLIR_INTERPRETER_TENSORIO_H
