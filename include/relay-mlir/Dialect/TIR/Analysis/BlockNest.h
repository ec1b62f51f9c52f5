//===- BlockNest.h - What there is to ask of a fresh block ------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_TIR_ANALYSIS_BLOCKNEST_H
#define RELAY_MLIR_DIALECT_TIR_ANALYSIS_BLOCKNEST_H

#include "relay-mlir/Dialect/TIR/IR/Access.h"
#include "relay-mlir/Dialect/TIR/IR/TIR.h"

namespace mlir::tir {

/// What unknown sizes are taken to be where a guess is needed.
inline constexpr int64_t kGuessedExtent = 16;

/// The value of `size` if all unknown sizes that it is computed from are
/// `guess`.
int64_t guessSize(OpFoldResult size, int64_t guess = kGuessedExtent);

/// Scalar work of one instance of `block`, in operations.
int64_t getBodyWork(BlockOp block);

/// Whether a block only looks at data, to end the kernel if there is something
/// wrong with it: no step of what the kernel computes.
inline bool isCheck(BlockOp block) { return block.getWrites().empty(); }

/// A block in its own nest at the top of the kernel, with one loop for each
/// iteration variable, in order: the form in which kernels arrive. What is not
/// a handle stays true, whatever becomes of the loops: extents are those before
/// anything was split.
class BlockNest {
public:
  static FailureOr<BlockNest> get(BlockOp block);
  /// The same for a block in any nest, without its loops.
  static BlockNest getWithoutLoops(BlockOp block);

  BlockOp block;
  SmallVector<ForOp> loops;
  SmallVector<std::optional<int64_t>> extents;
  /// What they may be where they are unknown, with the same guess for each
  /// size that they follow from.
  SmallVector<int64_t> guesses;
  SmallVector<IterKind> kinds;
  SmallVector<BufferAccess> accesses;

  unsigned getNumVars() const { return extents.size(); }
  std::optional<int64_t> getExtent(unsigned var) const { return extents[var]; }
  int64_t guessExtent(unsigned var) const {
    return getExtent(var).value_or(guesses[var]);
  }
  bool isReduce(unsigned var) const { return kinds[var] == IterKind::Reduce; }
  bool isReduction() const {
    return llvm::is_contained(kinds, IterKind::Reduce);
  }
  SmallVector<unsigned> getVars(bool isReduce) const;

  /// The access of an op in the body, or null.
  const BufferAccess *getAccess(Operation *op) const;
  /// The store, if the body has exactly one.
  const BufferAccess *getStore() const;

  /// Whether all accesses see `outer` and `inner` as one variable.
  bool areJointlyContiguous(unsigned outer, unsigned inner) const;

  /// How many instances the block has, roughly.
  double getNumInstances() const;
  /// Scalar work of all instances, in operations.
  double getWork() const;

private:
  BlockNest() = default;
};

/// The number of elements between the accesses of consecutive iterations of
/// `var`; 0 if it does not take part, nullopt if that is not one number.
std::optional<int64_t> getStride(const BufferAccess &access, unsigned var);

/// Whether some index of the access depends on `var`.
bool dependsOn(const BufferAccess &access, unsigned var);

/// Whether `var` steps through consecutive elements.
inline bool isContiguous(const BufferAccess &access, unsigned var) {
  return getStride(access, var) == 1;
}

/// out += left * right.
struct SumOfProducts {
  BufferAccess left, right, out;
};

/// Whether integers that are loaded have no sign, as what widens them says.
bool isUnsigned(const BufferAccess &access);

/// The accesses of a block that adds up products from an init on.
std::optional<SumOfProducts> matchSumOfProducts(const BlockNest &nest);

/// Whether the block makes a factor of a single sum of products, element by
/// element, from constants alone (`tir.layout_free` arguments): a weight that
/// the product's schedule may have made part by part.
bool isWeightMaker(const BlockNest &nest);

} // namespace mlir::tir

#endif // RELAY_MLIR_DIALECT_TIR_ANALYSIS_BLOCKNEST_H
