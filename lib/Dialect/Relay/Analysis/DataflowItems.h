//===- DataflowItems.h - A pattern as the matcher has it --------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_DIALECT_RELAY_ANALYSIS_DATAFLOWITEMS_H
#define RELAY_MLIR_LIB_DIALECT_RELAY_ANALYSIS_DATAFLOWITEMS_H

#include "relay-mlir/Dialect/Relay/Analysis/DataflowPattern.h"

#include "llvm/ADT/BitVector.h"

namespace mlir::relay::dataflow {

inline constexpr unsigned kNone = ~0u;

/// A pattern as the matcher has it.
struct Item {
  PatternPtr pattern;
  SmallVector<unsigned, 4> parts;
  /// Other forms of a product or quotient, which are no patterns of the user.
  SmallVector<unsigned, 2> otherForms;
  bool isSynthetic = false;
  /// Whether a product or sum matches with its operands reversed.
  bool isCommutative = false;
  /// Among the patterns that are used in several places, or kNone.
  unsigned shared = kNone;
  /// Those of them that are below.
  llvm::BitVector sharedBelow;
};

/// All patterns below one, parts first.
struct Items {
  explicit Items(const PatternPtr &root);

  std::vector<Item> items;
  std::vector<PatternPtr> patterns;
  /// By `Item::shared`.
  std::vector<unsigned> shared;
  /// Whether goals may be reached in several ways.
  bool hasChoice = false;
  bool hasDominator = false;
  /// Whether a wildcard is redirected to what contains it.
  bool hasCycle = false;

private:
  void addOtherForms(unsigned number);
  unsigned addCall(unsigned op, unsigned lhs, unsigned rhs);
  /// The operator of a call that a pattern names, empty if it names none.
  StringRef getOp(unsigned number) const;
  void findShared();
};

} // namespace mlir::relay::dataflow

#endif // RELAY_MLIR_LIB_DIALECT_RELAY_ANALYSIS_DATAFLOWITEMS_H
