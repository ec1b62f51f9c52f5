//===- CollagePartition.h - Share a program by cost -------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which parts of a program several code generators take, and which are ours, so
// that the whole costs least. `--relay-collage-partition` does it with a table
// of costs; whoever can measure brings an estimator of his own.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_RELAY_TRANSFORMS_COLLAGEPARTITION_H
#define RELAY_MLIR_DIALECT_RELAY_TRANSFORMS_COLLAGEPARTITION_H

#include "relay-mlir/Dialect/Relay/Transforms/CompositePatterns.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace mlir::relay {

/// Tells what parts of programs cost.
class CostEstimator {
public:
  virtual ~CostEstimator();

  /// What a program takes, in whatever unit: infinity if it cannot be compiled.
  /// Its `main` computes the part; in that of a code generator it calls one
  /// function, whose attribute names the generator. `target` is that name, or
  /// "default" for ours. Fails with a diagnostic.
  virtual FailureOr<double> estimate(ModuleOp part, StringRef target) = 0;
};

/// Costs of operators by target, as tables have them: the first operator of a
/// part costs what the table says, each further one, which shares its kernel,
/// nine tenths of that.
class TableCostEstimator : public CostEstimator {
public:
  /// An entry is `target=cost` or `target:operator=cost`. Fails with a
  /// diagnostic for what is none.
  static FailureOr<TableCostEstimator> create(ArrayRef<std::string> entries,
                                              MLIRContext *context);

  FailureOr<double> estimate(ModuleOp part, StringRef target) override;

private:
  /// By `target` or `target:operator`.
  llvm::StringMap<double> costs;
};

/// How parts that a code generator takes become one.
enum class FusionStyle {
  /// Not at all: each operator or pattern alone.
  None,
  /// As kernels of ours are made: elementwise operators behind a convolution,
  /// and so on.
  Kernels,
  /// Whatever is connected.
  Any,
};

struct CollageTarget {
  /// Of the code generator.
  std::string name;
  FusionStyle style = FusionStyle::Any;
  /// Patterns that it takes as one; larger ones first.
  PatternTable patterns = {};
  /// Operators that it takes besides those that it registers
  /// (`addOffloadProvider`).
  llvm::StringSet<> operators = {};
};

struct CollageOptions {
  /// In the order of preference, where costs are equal; ours comes before all.
  std::vector<CollageTarget> targets;
  /// How many operators may follow each other in a kernel of ours, and in a
  /// part of a code generator.
  unsigned maxDepth = 4, maxExternalDepth = 8;
  /// A part of the names of functions.
  std::string modName = "collage";
};

/// Moves the parts of code generators into functions with the attribute
/// `relay.compiler`, so that the sum of the costs of all parts is least.
/// Returns how many there are. Fails with a diagnostic, the module unchanged.
FailureOr<unsigned> collagePartition(ModuleOp module,
                                     const CollageOptions &options,
                                     CostEstimator &estimator);

} // namespace mlir::relay

#endif // RELAY_MLIR_DIALECT_RELAY_TRANSFORMS_COLLAGEPARTITION_H
