//===- StreamStores.cpp - Stores that go past the caches ------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Conversion/KernelToLLVM/KernelToLLVM.h"

#include "PrefetchRows.h"
#include "RotateRows.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "relay-mlir/Dialect/TIR/Analysis/IndexSpace.h"
#include "relay-mlir/Dialect/Target/IR/Target.h"

#include <numeric>

namespace mlir::relay {
#define GEN_PASS_DEF_STREAMSTORESPASS
#include "relay-mlir/Conversion/Passes.h.inc"
} // namespace mlir::relay

using namespace mlir;
using tir::IndexSpace;

//===----------------------------------------------------------------------===//
// Alignment
//===----------------------------------------------------------------------===//

/// The loop whose variable `value` is, or null.
static scf::ForOp getLoop(Value value) {
  auto arg = dyn_cast<BlockArgument>(value);
  auto loop =
      arg ? dyn_cast<scf::ForOp>(arg.getOwner()->getParentOp()) : scf::ForOp();
  return loop && arg == loop.getInductionVar() ? loop : scf::ForOp();
}

/// A number that divides `value`, an index; 0 divides 0 only. `known` has those
/// of bounds of loops, which are in each other.
static int64_t getDivisor(Value value, DenseMap<Value, int64_t> &known) {
  if (auto it = known.find(value); it != known.end())
    return it->second;
  IndexSpace space(value.getContext(), /*readsArith=*/true);
  AffineExpr expr = space.getExpr(value);
  // A loop's variable is a multiple of what divides where it begins and its
  // step.
  SmallVector<AffineExpr> symbols;
  for (auto [i, symbol] : llvm::enumerate(space.getSymbols())) {
    symbols.push_back(getAffineSymbolExpr(i, value.getContext()));
    if (scf::ForOp loop = getLoop(symbol))
      symbols.back() =
          symbols.back() * std::gcd(getDivisor(loop.getLowerBound(), known),
                                    getDivisor(loop.getStep(), known));
  }
  return known[value] = expr.replaceSymbols(symbols).getLargestKnownDivisor();
}

/// Whether the store is at a multiple of its size from the start of its buffer.
static bool isAligned(vector::StoreOp store) {
  int64_t lanes = store.getVectorType().getNumElements();
  MemRefType type = store.getMemRefType();
  if (type.getRank() > 1 && type.getShape().back() % lanes != 0)
    return false;
  DenseMap<Value, int64_t> known;
  return !store.getIndices().empty() &&
         getDivisor(store.getIndices().back(), known) % lanes == 0;
}

//===----------------------------------------------------------------------===//
// The stores
//===----------------------------------------------------------------------===//

/// Collects the stores to `buffer` and views of it; false if it is used in any
/// other way.
static bool collectStores(Value buffer,
                          SmallVectorImpl<vector::StoreOp> &stores) {
  for (Operation *user : buffer.getUsers()) {
    if (isa<memref::DimOp>(user))
      continue;
    if (auto view = dyn_cast<ViewLikeOpInterface>(user)) {
      if (!isa<memref::CollapseShapeOp, memref::ExpandShapeOp>(user) ||
          !collectStores(view.getViewDest(), stores))
        return false;
      continue;
    }
    if (isa<memref::StoreOp, vector::MaskedStoreOp>(user))
      continue;
    auto store = dyn_cast<vector::StoreOp>(user);
    if (!store)
      return false;
    stores.push_back(store);
  }
  return true;
}

/// Whether vectors are carried through `loop`.
static bool carriesVectors(scf::ForOp loop) {
  return llvm::any_of(loop.getResultTypes(),
                      [](Type type) { return isa<VectorType>(type); });
}

/// Whether vectors are carried through a loop around `op`, or one beside it:
/// results of a product leave registers in short pieces, with a reduction
/// between them, which streaming would not put together.
static bool isInTile(Operation *op) {
  if (llvm::any_of(op->getBlock()->getOps<scf::ForOp>(), carriesVectors))
    return true;
  for (auto loop = op->getParentOfType<scf::ForOp>(); loop;
       loop = loop->getParentOfType<scf::ForOp>())
    if (carriesVectors(loop))
      return true;
  return false;
}

//===----------------------------------------------------------------------===//
// Lines
//===----------------------------------------------------------------------===//

/// Whether the line that a store writes to is full before many others are
/// written to: it, and those next to it in the same block, fill lines, or the
/// innermost loop goes on where they end, and writes to few lines in turn. What
/// is left of a line when the few that can wait are others goes to memory as a
/// part, which takes as long as tens of lines: with vectors of half a line,
/// Winograd's transform, which stores to 36 planes in turn, took 15 times as
/// long, and a transpose of eight rows at a time five times.
static bool fillsLines(vector::StoreOp store,
                       ArrayRef<vector::StoreOp> stores) {
  constexpr int64_t kLineBits = 512, kMaxLines = 4;
  int64_t lanes = store.getVectorType().getNumElements();
  int64_t bits = store.getVectorType().getElementTypeBitWidth();
  if (lanes * bits >= kLineBits)
    return true;
  IndexSpace space(store.getContext(), /*readsArith=*/true);
  AffineExpr own = space.getExpr(store.getIndices().back());
  auto getDistance = [&](AffineExpr other) {
    return dyn_cast<AffineConstantExpr>(simplifyAffineExpr(
        other - own, space.getDims().size(), space.getSymbols().size()));
  };
  SmallVector<int64_t> distances;
  int64_t numStores = 0;
  for (vector::StoreOp other : stores) {
    if (other->getBlock() != store->getBlock())
      continue;
    ++numStores;
    if (other.getBase() == store.getBase() &&
        other.getVectorType() == store.getVectorType() &&
        other.getIndices().drop_back() == store.getIndices().drop_back())
      if (auto distance = getDistance(space.getExpr(other.getIndices().back())))
        distances.push_back(distance.getValue());
  }
  int64_t begin = 0, end = lanes;
  while (llvm::is_contained(distances, begin - lanes))
    begin -= lanes;
  while (llvm::is_contained(distances, end))
    end += lanes;
  if ((end - begin) * bits % kLineBits == 0)
    return true;
  auto loop = dyn_cast<scf::ForOp>(store->getParentOp());
  std::optional<int64_t> step =
      loop ? getConstantIntValue(loop.getStep()) : std::nullopt;
  if (!step || numStores * lanes > kMaxLines * (end - begin))
    return false;
  AffineExpr variable = space.getExpr(loop.getInductionVar());
  auto moved = getDistance(own.replace(variable, variable + *step));
  return moved && moved.getValue() == end - begin;
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct StreamStoresPass : relay::impl::StreamStoresPassBase<StreamStoresPass> {
  using Base::Base;

  void runOnOperation() override {
    if (getOperation().isExternal())
      return;
    smallest = minBytes;
    if (smallest == 0 && failed(chooseSmallest()))
      return signalPassFailure();
    relay::detail::prefetchRows(getOperation(), smallest);
    relay::detail::rotateRows(getOperation());
    for (BlockArgument arg : getOperation().getArguments())
      if (isLarge(arg.getType()))
        streamTo(arg);
  }

private:
  LogicalResult chooseSmallest() {
    FailureOr<relay::TargetAttrInterface> target =
        relay::getTarget(getOperation());
    if (failed(target))
      return failure();
    relay::CacheSizes caches = target->getCacheSizes();
    // Of a last cache that many cores share, a few have no more than this:
    // copies of 64 MB that fit a far larger one were measured 1.4 times as fast
    // past it.
    constexpr int64_t kOwnLastCache = 32 << 20;
    smallest = std::max(std::min(caches.l3, kOwnLastCache) / 2, caches.l2 * 2);
    return success();
  }

  bool isLarge(Type type) const {
    auto memref = dyn_cast<MemRefType>(type);
    return memref && memref.hasStaticShape() &&
           memref.getElementType().isIntOrFloat() &&
           memref.getNumElements() * memref.getElementTypeBitWidth() / 8 >=
               smallest;
  }

  void streamTo(BlockArgument arg) {
    SmallVector<vector::StoreOp> stores;
    if (!collectStores(arg, stores))
      return;
    llvm::SetVector<Operation *> nests;
    llvm::DenseSet<Operation *> streamed;
    for (vector::StoreOp store : stores) {
      int64_t bits = store.getVectorType().getNumElements() *
                     store.getVectorType().getElementTypeBitWidth();
      Operation *nest =
          getOperation().getBody().front().findAncestorOpInBlock(*store);
      if (bits < 128 || !isa<scf::ForOp>(nest) || isInTile(store) ||
          !isAligned(store) || !fillsLines(store, stores))
        continue;
      nests.insert(nest);
      streamed.insert(store);
    }
    for (Operation *nest : nests)
      stream(arg, cast<scf::ForOp>(nest), streamed);
  }

  /// Where the buffer begins is known at run time only.
  void stream(Value buffer, scf::ForOp nest,
              const llvm::DenseSet<Operation *> &streamed) {
    if (nest.getNumResults() != 0)
      return;
    ImplicitLocOpBuilder b(nest.getLoc(), nest);
    Value address = memref::ExtractAlignedPointerAsIndexOp::create(b, buffer);
    constexpr int64_t kLineBytes = 64;
    Value offset = arith::AndIOp::create(
        b, address, arith::ConstantIndexOp::create(b, kLineBytes - 1));
    Value isAligned =
        arith::CmpIOp::create(b, arith::CmpIPredicate::eq, offset,
                              arith::ConstantIndexOp::create(b, 0));
    auto branch = scf::IfOp::create(b, isAligned, /*withElseRegion=*/true);
    b.setInsertionPoint(branch.thenYield());
    IRMapping mapping;
    b.clone(*nest, mapping);
    for (Operation *op : streamed) {
      Operation *clone = mapping.lookupOrNull(op);
      if (!clone)
        continue;
      auto store = cast<vector::StoreOp>(clone);
      VectorType type = store.getVectorType();
      store.setNontemporal(true);
      store.setAlignment(type.getNumElements() * type.getElementTypeBitWidth() /
                         8);
    }
    // Other threads see these stores only behind a fence.
    LLVM::FenceOp::create(b, LLVM::AtomicOrdering::seq_cst);
    nest->moveBefore(branch.elseYield());
  }

  /// `min-bytes`, or what the target has instead.
  int64_t smallest = 0;
};
} // namespace
