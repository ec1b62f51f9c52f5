//===- HoistAccumulators.cpp - Accumulators in loop-carried values --------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM keeps an element that a loop updates in a register only if it can prove
// a lot, and a register tile of vectors never. Here indices are affine and
// buffers do not overlap: what a loop loads and stores at an unchanging address
// becomes a loop-carried value, innermost loops first, so that a whole
// reduction nest carries it.
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Conversion/TIRToSCF/TIRToSCF.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "relay-mlir/Dialect/TIR/IR/IndexReader.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mlir::relay {
#define GEN_PASS_DEF_HOISTACCUMULATORSPASS
#include "relay-mlir/Conversion/Passes.h.inc"
} // namespace mlir::relay

using namespace mlir;
using namespace mlir::relay;

namespace {

/// A load or a store of a scalar or of a contiguous vector.
struct Access {
  Operation *op;
  Value buffer;
  SmallVector<Value> indices;
  /// Null unless only some lanes are accessed.
  Value mask;
  Type type;
  bool isStore;

  int64_t getNumElements() const {
    // A buffer of vectors is accessed vector by vector.
    auto vector = dyn_cast<VectorType>(type);
    return vector && !isa<VectorType>(
                         cast<MemRefType>(buffer.getType()).getElementType())
               ? vector.getNumElements()
               : 1;
  }
  Value getStored() const {
    return llvm::TypeSwitch<Operation *, Value>(op)
        .Case<memref::StoreOp, vector::StoreOp, vector::MaskedStoreOp>(
            [](auto store) { return store.getValueToStore(); });
  }
};

std::optional<Access> getAccess(Operation *op) {
  using Result = std::optional<Access>;
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case([](memref::LoadOp load) -> Result {
        return Access{load,    load.getMemRef(), load.getIndices(),
                      Value(), load.getType(),   false};
      })
      .Case([](memref::StoreOp store) -> Result {
        return Access{store,
                      store.getMemRef(),
                      store.getIndices(),
                      Value(),
                      store.getValueToStore().getType(),
                      true};
      })
      .Case([](vector::LoadOp load) -> Result {
        return Access{load,    load.getBase(), load.getIndices(),
                      Value(), load.getType(), false};
      })
      .Case([](vector::StoreOp store) -> Result {
        return Access{store,   store.getBase(),       store.getIndices(),
                      Value(), store.getVectorType(), true};
      })
      .Case([](vector::MaskedLoadOp load) -> Result {
        return Access{load,           load.getBase(), load.getIndices(),
                      load.getMask(), load.getType(), false};
      })
      .Case([](vector::MaskedStoreOp store) -> Result {
        return Access{
            store,           store.getBase(),       store.getIndices(),
            store.getMask(), store.getVectorType(), true};
      })
      .Default([](Operation *) { return std::nullopt; });
}

/// An index as an expression over the values it is computed from.
class IndexExprs {
public:
  explicit IndexExprs(MLIRContext *context) : context(context) {}

  AffineExpr get(Value value) {
    return reader.read(value, [&](Value leaf) {
      auto it = leaves.try_emplace(leaf, leaves.size()).first;
      return getAffineDimExpr(it->second, context);
    });
  }

  /// The distance between two indices if it is constant.
  std::optional<int64_t> getDistance(Value a, Value b) {
    if (a == b)
      return 0;
    AffineExpr difference = get(b) - get(a);
    difference = simplifyAffineExpr(difference, leaves.size(), 0);
    if (auto constant = dyn_cast<AffineConstantExpr>(difference))
      return constant.getValue();
    return std::nullopt;
  }

private:
  MLIRContext *context;
  llvm::DenseMap<Value, unsigned> leaves;
  tir::IndexReader reader;
};

enum class Relation { Same, Disjoint, Unknown };

Relation relate(const Access &a, const Access &b, IndexExprs &exprs) {
  if (a.indices.size() != b.indices.size())
    return Relation::Unknown;
  bool isSame = a.type == b.type && a.mask == b.mask;
  for (size_t dim = 0, rank = a.indices.size(); dim < rank; ++dim) {
    std::optional<int64_t> distance =
        exprs.getDistance(a.indices[dim], b.indices[dim]);
    if (!distance) {
      isSame = false;
      continue;
    }
    if (*distance == 0)
      continue;
    isSame = false;
    // A vector extends along the innermost dimension, and stays in its row.
    bool isInnermost = dim + 1 == rank;
    int64_t extent = !isInnermost    ? 1
                     : *distance > 0 ? a.getNumElements()
                                     : b.getNumElements();
    if (std::abs(*distance) >= extent)
      return Relation::Disjoint;
  }
  return isSame ? Relation::Same : Relation::Unknown;
}

/// Whether two buffers are known not to share memory: arguments of kernels and
/// stack buffers never do.
bool isOwnBuffer(Value buffer) {
  if (auto arg = dyn_cast<BlockArgument>(buffer))
    return isa<func::FuncOp>(arg.getOwner()->getParentOp());
  return buffer.getDefiningOp<memref::AllocaOp>() != nullptr;
}

class LoopHoister {
public:
  LoopHoister(scf::ForOp loop, RewriterBase &rewriter)
      : loop(loop), rewriter(rewriter), exprs(loop.getContext()) {}

  void run() {
    if (!collect())
      return;
    // One loop-carried value for each address.
    SmallVector<SmallVector<Access *>> groups;
    for (auto &[buffer, accesses] : accessesOf)
      group(accesses, groups);
    if (!groups.empty())
      hoist(groups);
  }

private:
  bool isInvariant(Value value) { return loop.isDefinedOutsideOfLoop(value); }

  /// Sorts the accesses by buffer; false if something else touches memory.
  bool collect() {
    WalkResult result = loop.getBody()->walk([&](Operation *op) {
      if (std::optional<Access> access = getAccess(op)) {
        if (!isOwnBuffer(access->buffer))
          return WalkResult::interrupt();
        accessesOf[access->buffer].push_back(std::move(*access));
        return WalkResult::advance();
      }
      // Gathers read, scatters write, somewhere in their buffer.
      if (isa<vector::GatherOp, vector::ScatterOp>(op)) {
        Value buffer = op->getOperand(0);
        if (!isOwnBuffer(buffer))
          return WalkResult::interrupt();
        opaqueBuffers.insert(buffer);
        return WalkResult::advance();
      }
      if (op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() ||
          isMemoryEffectFree(op) || isa<memref::PrefetchOp>(op))
        return WalkResult::advance();
      return WalkResult::interrupt();
    });
    return !result.wasInterrupted();
  }

  void group(SmallVectorImpl<Access> &accesses,
             SmallVectorImpl<SmallVector<Access *>> &groups) {
    if (opaqueBuffers.contains(accesses.front().buffer) ||
        llvm::none_of(accesses, [](const Access &a) { return a.isStore; }))
      return;
    SmallVector<SmallVector<Access *>> candidates;
    for (Access &access : accesses) {
      auto *group = llvm::find_if(candidates, [&](auto &candidate) {
        return relate(*candidate.front(), access, exprs) == Relation::Same;
      });
      if (group != candidates.end())
        group->push_back(&access);
      else
        candidates.push_back({&access});
    }
    for (auto &candidate : candidates) {
      Access &first = *candidate.front();
      bool isFixed = (!first.mask || isInvariant(first.mask)) &&
                     llvm::all_of(first.indices, [&](Value index) {
                       return isInvariantIndex(index);
                     });
      bool isDirect = llvm::all_of(candidate, [&](Access *access) {
        return access->op->getBlock() == loop.getBody();
      });
      bool stores = llvm::any_of(
          candidate, [](Access *access) { return access->isStore; });
      bool isAlone = llvm::all_of(candidates, [&](auto &other) {
        return &other == &candidate || llvm::all_of(other, [&](Access *access) {
          return relate(first, *access, exprs) == Relation::Disjoint;
        });
      });
      if (isFixed && isDirect && stores && isAlone)
        groups.push_back(candidate);
    }
  }

  /// Invariant, or computed by an affine.apply that can move out.
  bool isInvariantIndex(Value index) {
    if (isInvariant(index))
      return true;
    Operation *op = index.getDefiningOp();
    if (!op || !isa<affine::AffineApplyOp, arith::ConstantOp>(op) ||
        !llvm::all_of(op->getOperands(),
                      [&](Value v) { return isInvariantIndex(v); }))
      return false;
    rewriter.moveOpBefore(op, loop);
    return true;
  }

  void hoist(ArrayRef<SmallVector<Access *>> groups) {
    rewriter.setInsertionPoint(loop);
    SmallVector<Value> starts;
    for (const auto &group : groups)
      starts.push_back(createLoad(*group.front()));
    auto newLoop = cast<scf::ForOp>(*loop.replaceWithAdditionalYields(
        rewriter, starts, /*replaceInitOperandUsesInLoop=*/false,
        [&](OpBuilder &, Location, ArrayRef<BlockArgument> args) {
          SmallVector<Value> yielded;
          for (auto [group, arg] : llvm::zip(groups, args))
            yielded.push_back(forward(group, arg));
          return yielded;
        }));
    rewriter.setInsertionPointAfter(newLoop);
    for (auto [group, result] :
         llvm::zip(groups, newLoop.getResults().take_back(groups.size())))
      createStore(*group.front(), result);
    for (const auto &group : groups)
      for (Access *access : group)
        rewriter.eraseOp(access->op);
  }

  /// Lets the value run through the accesses in program order; returns the last
  /// one. Lanes that a mask leaves out hold anything: nobody looks at them.
  Value forward(ArrayRef<Access *> group, Value current) {
    for (Access *access : group) {
      if (access->isStore)
        current = access->getStored();
      else
        rewriter.replaceAllUsesWith(access->op->getResult(0), current);
    }
    return current;
  }

  Value createLoad(const Access &access) {
    Location loc = access.op->getLoc();
    if (access.mask) {
      auto type = cast<VectorType>(access.type);
      Value zero =
          arith::ConstantOp::create(rewriter, loc, rewriter.getZeroAttr(type));
      return vector::MaskedLoadOp::create(rewriter, loc, type, access.buffer,
                                          access.indices, access.mask, zero);
    }
    if (isa<memref::LoadOp, memref::StoreOp>(access.op))
      return memref::LoadOp::create(rewriter, loc, access.buffer,
                                    access.indices);
    return vector::LoadOp::create(rewriter, loc, cast<VectorType>(access.type),
                                  access.buffer, access.indices);
  }

  void createStore(const Access &access, Value value) {
    Location loc = access.op->getLoc();
    if (access.mask)
      vector::MaskedStoreOp::create(rewriter, loc, access.buffer,
                                    access.indices, access.mask, value);
    else if (isa<memref::LoadOp, memref::StoreOp>(access.op))
      memref::StoreOp::create(rewriter, loc, value, access.buffer,
                              access.indices);
    else
      vector::StoreOp::create(rewriter, loc, value, access.buffer,
                              access.indices);
  }

  scf::ForOp loop;
  RewriterBase &rewriter;
  IndexExprs exprs;
  llvm::MapVector<Value, SmallVector<Access>> accessesOf;
  llvm::SmallPtrSet<Value, 4> opaqueBuffers;
};

struct HoistAccumulatorsPass
    : relay::impl::HoistAccumulatorsPassBase<HoistAccumulatorsPass> {
  void runOnOperation() override { hoistAccumulators(getOperation()); }
};
} // namespace

void mlir::relay::hoistAccumulators(func::FuncOp function) {
  IRRewriter rewriter(function.getContext());
  SmallVector<scf::ForOp> loops;
  function.walk<WalkOrder::PostOrder>(
      [&](scf::ForOp loop) { loops.push_back(loop); });
  // Replacing a loop keeps its inner loops, and the outer ones come later.
  for (scf::ForOp loop : loops)
    LoopHoister(loop, rewriter).run();
}
