//===- BlockLayout.cpp - Change the variables of a block ------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IndexDigits.h"
#include "ScheduleSupport.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "relay-mlir/Dialect/TIR/IR/LoopNest.h"

using namespace mlir;
using namespace mlir::tir;

/// The kind of each new variable: that of the old ones it is computed from.
static DiagnosedSilenceableFailure
getNewKinds(BlockOp block, AffineMap layout, SmallVectorImpl<IterKind> &kinds) {
  for (auto [index, result] : llvm::enumerate(layout.getResults())) {
    std::optional<IterKind> kind;
    for (unsigned iter = 0, e = block.getNumIters(); iter != e; ++iter) {
      if (!result.isFunctionOfDim(iter))
        continue;
      if (kind && *kind != block.getIterKind(iter))
        return refuse(block)
               << "expects variables of one kind in result " << index
               << " of the layout, but got " << stringifyIterKind(*kind)
               << " and " << stringifyIterKind(block.getIterKind(iter))
               << " ones of block @" << block.getName();
      kind = block.getIterKind(iter);
    }
    kinds.push_back(kind.value_or(IterKind::Spatial));
  }
  return DiagnosedSilenceableFailure::success();
}

/// Lets the init of `block` and the rest of its body compute the old variables
/// from the new ones.
static void replaceVariables(RewriterBase &rewriter, BlockOp block,
                             AffineMap inverse, ValueRange variables) {
  InitOp init = block.getInit();
  auto isInInit = [&](OpOperand &use) {
    return init && init->isAncestor(use.getOwner());
  };
  for (auto [index, expr] : llvm::enumerate(inverse.getResults())) {
    AffineMap map =
        AffineMap::get(inverse.getNumDims(), 0, expr, block.getContext());
    SmallVector<Value> used(variables);
    dropUnusedOperands(map, used);
    Value old = block.getBody()->getArgument(index);
    auto replace = [&](bool inInit) {
      if (llvm::none_of(old.getUses(), [&](OpOperand &use) {
            return isInInit(use) == inInit;
          }))
        return;
      Value value =
          affine::AffineApplyOp::create(rewriter, block.getLoc(), map, used);
      rewriter.replaceUsesWithIf(
          old, value, [&](OpOperand &use) { return isInInit(use) == inInit; });
    };
    rewriter.setInsertionPointToStart(block.getBody());
    if (init) {
      rewriter.setInsertionPointToStart(init.getBody());
      replace(/*inInit=*/true);
      rewriter.setInsertionPointAfter(init);
    }
    replace(/*inInit=*/false);
  }
}

DiagnosedSilenceableFailure
mlir::tir::transformBlockLayout(RewriterBase &rewriter, BlockOp block,
                                AffineMap layout) {
  if (layout.getNumDims() != block.getNumIters() || layout.getNumSymbols() != 0)
    return refuse(block) << "expects a layout of the " << block.getNumIters()
                         << " variables of block @" << block.getName()
                         << ", but got " << AffineMapAttr::get(layout);
  for (IterKind kind : block.getKinds())
    if (kind == IterKind::Opaque)
      return refuse(block) << "expects block @" << block.getName()
                           << " to have no opaque variables";
  SmallVector<ForOp> oldLoops;
  DiagnosedSilenceableFailure trivial = matchTrivialNest(block, oldLoops);
  if (!trivial.succeeded())
    return trivial;
  SmallVector<int64_t> newShape;
  AffineMap inverse;
  std::string error;
  if (failed(invertIndexMap(layout, block.getStaticExtents(), newShape, inverse,
                            error)))
    return refuse(block) << "expects a layout that is one to one on the domain "
                            "of block @"
                         << block.getName() << ", but " << error;
  SmallVector<IterKind> kinds;
  DiagnosedSilenceableFailure kept = getNewKinds(block, layout, kinds);
  if (!kept.succeeded())
    return kept;

  if (block.getInit() && !llvm::is_contained(kinds, IterKind::Reduce))
    return refuse(block) << "expects a reduce variable for the init of block @"
                         << block.getName();

  // A size that is not constant belongs to a variable that is kept as it is.
  SmallVector<OpFoldResult> oldExtents = block.getExtents(), extents;
  for (auto [size, result] : llvm::zip(newShape, layout.getResults()))
    extents.push_back(
        ShapedType::isDynamic(size)
            ? oldExtents[cast<AffineDimExpr>(result).getPosition()]
            : OpFoldResult(rewriter.getIndexAttr(size)));

  OpBuilder::InsertionGuard insertion(rewriter);
  Location loc = block.getLoc();
  Operation *nest = getNest(block);
  rewriter.setInsertionPoint(nest);
  SmallVector<Value> bindings;
  for (ForOp loop : buildLoops(rewriter, loc, extents))
    bindings.push_back(loop.getInductionVar());
  rewriter.moveOpBefore(block, rewriter.getInsertionBlock(),
                        rewriter.getInsertionPoint());
  if (nest != block)
    rewriter.eraseOp(nest);

  unsigned numOld = block.getNumIters();
  rewriter.modifyOpInPlace(block, [&] {
    Block *body = block.getBody();
    SmallVector<Value> variables;
    for (size_t i = 0; i != extents.size(); ++i)
      variables.push_back(body->addArgument(rewriter.getIndexType(), loc));
    replaceVariables(rewriter, block, inverse, variables);
    body->eraseArguments(0, numOld);
    SmallVector<Attribute> attrs;
    for (IterKind kind : kinds)
      attrs.push_back(IterKindAttr::get(block.getContext(), kind));
    block.setIterKindsAttr(rewriter.getArrayAttr(attrs));
    block.getBindingsMutable().assign(bindings);
    block.setExtents(extents);
  });
  normalizeAccesses(rewriter, block);
  return DiagnosedSilenceableFailure::success();
}
