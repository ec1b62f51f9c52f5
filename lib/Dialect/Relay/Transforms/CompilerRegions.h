//===- CompilerRegions.h - Parts for other compilers ------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A region is what lies between annotation.compiler_begin and
// annotation.compiler_end, in one block: operations that are connected without
// an annotation between them. The annotations stand on uses of values, so that
// there is one for each.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_DIALECT_RELAY_TRANSFORMS_COMPILERREGIONS_H
#define RELAY_MLIR_LIB_DIALECT_RELAY_TRANSFORMS_COMPILERREGIONS_H

#include "relay-mlir/Dialect/Relay/IR/RelayAnnotationOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace mlir::relay::detail {

using BeginOp = AnnotationCompilerBeginOp;
using EndOp = AnnotationCompilerEndOp;

/// What we compile ourselves.
inline constexpr StringLiteral kDefaultTarget = "default";

/// The closure that a call names itself if it stands for a pattern of
/// operators, or null.
FnOp getComposite(CallIndirectOp call);

/// Lets calls name closures that stand for patterns themselves, where these are
/// bound to variables, as in A-normal form.
void nameComposites(func::FuncOp function);

/// Puts the operators of a pattern in the place of a call of it, and those of
/// patterns inside of it. Does nothing to other calls.
void inlineComposite(CallIndirectOp call);

/// Whether a function is somebody else's already, or a kernel of ours.
bool isClosed(func::FuncOp function);

/// The value behind annotations.
Value getSource(Value value);

/// Whether a value is a constant, or a tuple of such.
bool isConstant(Value value);

/// Fails with a diagnostic at `loc` for what is no name of a target.
LogicalResult checkTargetName(StringRef name, Location loc);

/// Reads entries `target:operator`, and returns the operators by target. Fails
/// with a diagnostic at `loc`.
FailureOr<llvm::StringMap<llvm::StringSet<>>>
parseTargetOperators(ArrayRef<std::string> entries, Location loc);

/// Clones an operation, and the constants and closures that it uses, as far as
/// the mapping has none.
Operation *cloneWithConstants(Operation *op, OpBuilder &builder,
                              IRMapping &mapping);

/// Constants and closures need no annotation: each region has its own.
bool needsNoRegion(Value value);

/// Completes the annotations for what we compile ourselves: what is computed
/// from values in and outside of a region, or in another block, or used beyond
/// it without an end.
void settleDefaults(func::FuncOp function);

/// Removes the annotations for what we compile ourselves.
void removeDefaultAnnotations(func::FuncOp function);

struct CompilerRegion {
  /// Counts the begins of a function, as TVM does.
  unsigned id;
  StringRef target;
  Block *block = nullptr;
  /// Where values come from elsewhere, in the order of the program, each with
  /// the number that TVM gives it: those of an operation's first operand come
  /// first.
  SmallVector<std::pair<BeginOp, unsigned>> inputs;
  /// In TVM's order.
  SmallVector<EndOp> ends;
  /// In the order of the block, without annotations.
  SmallVector<Operation *> ops;
};

class CompilerRegions {
public:
  /// Finds the regions of a function. Fails with a diagnostic where annotations
  /// make none.
  static FailureOr<CompilerRegions> create(func::FuncOp function);

  /// In the order of their first operation.
  ArrayRef<CompilerRegion *> getRegions() const { return regions; }
  /// Those of a block that has any.
  const llvm::MapVector<Block *, SmallVector<CompilerRegion *>> &
  getBlocks() const {
    return blocks;
  }
  /// The region of an operation or annotation, or null.
  CompilerRegion *lookup(Operation *op) const { return regionOf.lookup(op); }
  /// Makes the operations of a region those of the block again.
  void forget(const CompilerRegion &region);

private:
  CompilerRegions() = default;
  friend class RegionBuilder;

  std::vector<std::unique_ptr<CompilerRegion>> storage;
  SmallVector<CompilerRegion *> regions;
  llvm::MapVector<Block *, SmallVector<CompilerRegion *>> blocks;
  DenseMap<Operation *, CompilerRegion *> regionOf;
};

/// Which operations of a block need which. A node is an operation, or a region.
class RegionGraph {
public:
  RegionGraph(Block &block, const CompilerRegions &regions,
              SymbolTable &symbols);

  struct Node {
    /// One of them is null.
    CompilerRegion *region = nullptr;
    Operation *op = nullptr;
    /// What is needed first, in the order in which Relay evaluates it.
    SmallVector<unsigned, 2> needs;
  };
  ArrayRef<Node> getNodes() const { return nodes; }
  unsigned lookup(CompilerRegion *region) const {
    return regionNodes.lookup(region);
  }

  /// The nodes in an order in which they can be computed: that of Relay's
  /// expressions. Fails with a diagnostic if a region needs its own result.
  FailureOr<std::vector<unsigned>> sort() const;

private:
  unsigned getNode(Operation *op, const CompilerRegions &regions);
  void addNeeds(unsigned node, Operation *op);
  /// Whether an operation must stay in order with others such.
  bool isOrdered(Operation *op) const;

  Block &block;
  SymbolTable &symbols;
  std::vector<Node> nodes;
  DenseMap<Operation *, unsigned> opNodes;
  DenseMap<CompilerRegion *, unsigned> regionNodes;
  SmallVector<unsigned> ordered, results;
};

struct PartitionOptions {
  StringRef modName = "default";
  bool bindConstants = true;
  int64_t minOperators = 0;
  double minCost = 0;
};

struct PartitionCounts {
  /// Functions that were made, and regions that stayed where they are.
  unsigned functions, dissolved;
};

/// Moves the regions of a function into functions of their own, and removes
/// all annotations. Fails with a diagnostic where annotations make no regions.
FailureOr<PartitionCounts> partitionGraph(func::FuncOp function,
                                          SymbolTable &symbols,
                                          const PartitionOptions &options);

} // namespace mlir::relay::detail

#endif // RELAY_MLIR_LIB_DIALECT_RELAY_TRANSFORMS_COMPILERREGIONS_H
