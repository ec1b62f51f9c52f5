//===- Vocabulary.h - Functions that rules may call -------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_DIALECT_RELAY_TRANSFORMS_REWRITES_VOCABULARY_H
#define RELAY_MLIR_LIB_DIALECT_RELAY_TRANSFORMS_REWRITES_VOCABULARY_H

#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::relay::detail {

/// A function that rules may call: a constraint, which may give results when it
/// holds, or a rewrite.
struct RuleFunction {
  PDLConstraintFunction call;
  SmallVector<PDLValue::Kind> arguments, results;
};

/// All of them, by name. They are what Vocabulary.pdll declares.
const llvm::StringMap<RuleFunction> &getRuleConstraints();
const llvm::StringMap<RuleFunction> &getRuleRewrites();

} // namespace mlir::relay::detail

#endif // RELAY_MLIR_LIB_DIALECT_RELAY_TRANSFORMS_REWRITES_VOCABULARY_H
