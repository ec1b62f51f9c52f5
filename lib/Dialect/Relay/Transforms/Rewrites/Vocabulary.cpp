//===- Vocabulary.cpp - Functions that rules may call -------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Vocabulary.h"

#include "VocabularyBuilder.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;

const llvm::StringMap<RuleFunction> &relay::detail::getRuleConstraints() {
  static const llvm::StringMap<RuleFunction> functions = [] {
    VocabularyBuilder builder;
    addTypeConstraints(builder);
    addConstantConstraints(builder);
    addOperatorConstraints(builder);
    addBinomialConstraints(builder);
    return builder.take();
  }();
  return functions;
}

const llvm::StringMap<RuleFunction> &relay::detail::getRuleRewrites() {
  static const llvm::StringMap<RuleFunction> functions = [] {
    VocabularyBuilder builder;
    addConstantRewrites(builder);
    addOperatorRewrites(builder);
    return builder.take();
  }();
  return functions;
}
