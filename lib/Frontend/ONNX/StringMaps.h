//===- StringMaps.h - Functions of strings in converters --------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_FRONTEND_ONNX_STRINGMAPS_H
#define RELAY_MLIR_LIB_FRONTEND_ONNX_STRINGMAPS_H

#include "NodeContext.h"

namespace mlir::relay::onnx {

/// relay.string_map of operands of one shape: strings, or integers of 64 bits,
/// as its result is.
Value createStringMap(NodeContext &node, StringRef function,
                      ArrayRef<Value> operands, ArrayRef<int64_t> params = {});

/// The strings that integers of 64 bits are the numbers of.
Value createStringsOf(NodeContext &node, Value numbers);

/// Repeats both operands to the shape that they broadcast to.
void broadcastTogether(NodeContext &node, Value &lhs, Value &rhs);

/// How many strings of a vector come before each of them, by their bytes: each
/// pair is compared.
Value createStringRanks(NodeContext &node, Value strings);

/// Text that is not an input, by its number. Reports an error if `text`, which
/// attribute `name` has, is no text.
int64_t getStringNumber(NodeContext &node, StringRef name,
                        const std::string &text);

} // namespace mlir::relay::onnx

#endif // RELAY_MLIR_LIB_FRONTEND_ONNX_STRINGMAPS_H
