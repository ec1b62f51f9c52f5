//===- CompositePatterns.h - Functions that stand for patterns --*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whoever takes parts of programs, such as a code generator, has a table of the
// patterns that it takes. `--relay-merge-composite` makes functions of what
// matches.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_RELAY_TRANSFORMS_COMPOSITEPATTERNS_H
#define RELAY_MLIR_DIALECT_RELAY_TRANSFORMS_COMPOSITEPATTERNS_H

#include "relay-mlir/Dialect/Relay/Analysis/DataflowPattern.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectInterface.h"

#include <functional>

namespace mlir::relay {

struct CompositePattern {
  /// `dnnl.conv2d_relu`: who takes it, and what it is.
  std::string name;
  dataflow::PatternPtr pattern;
  /// Whether a match counts, by its last operation; null if each does.
  std::function<bool(Operation *root)> check;
};

/// What comes first is looked for first, so that larger patterns belong before
/// smaller ones.
using PatternTable = std::vector<CompositePattern>;

/// How a dialect brings tables of patterns.
class PatternTableInterface
    : public DialectInterface::Base<PatternTableInterface> {
public:
  PatternTableInterface(Dialect *dialect) : Base(dialect) {}
  /// Adds the patterns of `compiler`, if the dialect has some.
  virtual void addPatterns(StringRef compiler, PatternTable &table) const = 0;
};

/// The patterns that the loaded dialects have for a compiler.
PatternTable getPatternTable(MLIRContext *context, StringRef compiler);

/// Reads patterns from a module of PDL: each `pdl.pattern` whose rewrite is
/// `pdl.apply_native_rewrite "composite"` of its root and a name. Reports what
/// has no meaning here.
FailureOr<PatternTable> convertCompositePatterns(ModuleOp module);

/// Reads the patterns of files. Reports what is none.
FailureOr<PatternTable> readCompositePatterns(ArrayRef<std::string> paths,
                                              MLIRContext *context);

/// What a closure may be made of.
struct CompositeMatch {
  /// Those of the pattern, and of the operators that it has matched.
  std::string name, operators;
  /// Which match it is of those of the pattern.
  unsigned number;
  /// What the operations use from outside.
  SmallVector<Value> inputs;
  /// In the order of the program; the last one computes the result.
  SmallVector<Operation *> operations;

  Value getResult() const { return operations.back()->getResult(0); }
};

/// Finds what matches a pattern, and counts, from the root of the program down.
/// With `overlapping`, matches may have operations in common.
std::vector<CompositeMatch> findComposites(func::FuncOp function,
                                           const CompositePattern &entry,
                                           bool overlapping = false);

/// Makes a closure of a match, and a call of it, and removes the operations
/// that nobody else uses. Of several, the later ones of the program come first.
CallIndirectOp makeComposite(const CompositeMatch &match);

/// Makes closures of what matches, and calls of them. Returns how many.
unsigned mergeComposite(func::FuncOp function, const PatternTable &table);

} // namespace mlir::relay

#endif // RELAY_MLIR_DIALECT_RELAY_TRANSFORMS_COMPOSITEPATTERNS_H
