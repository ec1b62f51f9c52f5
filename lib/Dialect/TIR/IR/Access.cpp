//===- Access.cpp - What a block reads and writes ---------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/TIR/IR/Access.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "relay-mlir/Dialect/TIR/IR/IndexReader.h"
#include "relay-mlir/Dialect/TIR/IR/TIR.h"

#include <map>

using namespace mlir;
using namespace mlir::tir;

Value mlir::tir::getBaseBuffer(Value buffer) {
  while (auto view = buffer.getDefiningOp<ViewLikeOpInterface>()) {
    // A workspace of bytes is a buffer once it has a type.
    if (isa<memref::ViewOp>(view))
      break;
    buffer = view.getViewSource();
  }
  return buffer;
}

namespace {

/// Turns index operands into a map over the iteration variables of one block
/// and further symbols.
class IndexMapBuilder {
public:
  explicit IndexMapBuilder(BlockOp block) : block(block) {}

  /// The map of an access `map(operands)`; nullopt if an operand is computed
  /// inside the block from data.
  std::optional<AffineMap> get(AffineMap map, ValueRange operands,
                               SmallVectorImpl<Value> &symbols) {
    reader.clear();
    SmallVector<AffineExpr> dims, syms;
    for (auto [index, operand] : llvm::enumerate(operands)) {
      AffineExpr expr = getExpr(operand, symbols);
      if (!expr)
        return std::nullopt;
      (index < map.getNumDims() ? dims : syms).push_back(expr);
    }
    unsigned numIters = block.getNumIters(), numSymbols = symbols.size();
    map = map.replaceDimsAndSymbols(dims, syms, numIters, numSymbols);
    // MLIR makes other numbers of some semi-affine expressions, as of
    // ((i floordiv s) mod 4) * 4 + (i mod s) mod 4, of which it takes the
    // quotient twice and leaves the remainder out.
    SmallVector<AffineExpr> results;
    for (AffineExpr result : map.getResults())
      results.push_back(result.isPureAffine()
                            ? simplifyAffineExpr(result, numIters, numSymbols)
                            : result);
    return AffineMap::get(numIters, numSymbols, results, map.getContext());
  }

private:
  AffineExpr getExpr(Value value, SmallVectorImpl<Value> &symbols) {
    return reader.read(value,
                       [&](Value leaf) { return computeExpr(leaf, symbols); });
  }

  AffineExpr computeExpr(Value value, SmallVectorImpl<Value> &symbols) {
    MLIRContext *context = block.getContext();
    if (auto arg = dyn_cast<BlockArgument>(value);
        arg && arg.getOwner() == block.getBody())
      return getAffineDimExpr(arg.getArgNumber(), context);
    if (auto add = value.getDefiningOp<arith::AddIOp>())
      return combine(add, symbols,
                     [](AffineExpr a, AffineExpr b) { return a + b; });
    if (auto sub = value.getDefiningOp<arith::SubIOp>())
      return combine(sub, symbols,
                     [](AffineExpr a, AffineExpr b) { return a - b; });
    if (auto mul = value.getDefiningOp<arith::MulIOp>())
      return combine(mul, symbols, [](AffineExpr a, AffineExpr b) {
        bool isAffine = a.isSymbolicOrConstant() || b.isSymbolicOrConstant();
        return isAffine ? a * b : AffineExpr();
      });
    // Whatever is computed inside the block is data; what comes from outside
    // is the same for all instances.
    if (block.getRegion().isAncestor(value.getParentRegion()))
      return {};
    auto *it = llvm::find(symbols, value);
    unsigned position = it - symbols.begin();
    if (it == symbols.end())
      symbols.push_back(value);
    return getAffineSymbolExpr(position, context);
  }

  template <typename OpTy, typename CombineFn>
  AffineExpr combine(OpTy op, SmallVectorImpl<Value> &symbols,
                     CombineFn combineExprs) {
    AffineExpr lhs = getExpr(op.getLhs(), symbols);
    AffineExpr rhs = getExpr(op.getRhs(), symbols);
    return lhs && rhs ? combineExprs(lhs, rhs) : AffineExpr();
  }

  BlockOp block;
  /// Of one access, whose symbols are its own.
  IndexReader reader;
};

} // namespace

/// The access of `op` if it touches one element, with its index operands.
static bool matchElementAccess(Operation *op, Value &buffer, bool &isWrite,
                               AffineMap &map, SmallVector<Value> &operands) {
  if (auto read = dyn_cast<affine::AffineReadOpInterface>(op)) {
    buffer = read.getMemRef();
    isWrite = false;
    map = read.getAffineMap();
    operands = read.getMapOperands();
    return isa<affine::AffineLoadOp>(op);
  }
  if (auto write = dyn_cast<affine::AffineWriteOpInterface>(op)) {
    buffer = write.getMemRef();
    isWrite = true;
    map = write.getAffineMap();
    operands = write.getMapOperands();
    return isa<affine::AffineStoreOp>(op);
  }
  auto identity = [&](ValueRange indices) {
    operands = llvm::to_vector(indices);
    map = AffineMap::getMultiDimIdentityMap(indices.size(), op->getContext());
    return true;
  };
  if (auto load = dyn_cast<memref::LoadOp>(op)) {
    buffer = load.getMemRef();
    isWrite = false;
    return identity(load.getIndices());
  }
  if (auto store = dyn_cast<memref::StoreOp>(op)) {
    buffer = store.getMemRef();
    isWrite = true;
    return identity(store.getIndices());
  }
  return false;
}

SmallVector<BufferAccess> mlir::tir::collectAccesses(BlockOp block) {
  SmallVector<BufferAccess> accesses;
  IndexMapBuilder indices(block);
  auto add = [&](Operation *op, Value buffer, bool isWrite) -> BufferAccess * {
    Value base = getBaseBuffer(buffer);
    if (block.getRegion().isAncestor(base.getParentRegion()))
      return nullptr;
    accesses.push_back({op, base, isWrite, std::nullopt, {}});
    return &accesses.back();
  };
  block.getRegion().walk([&](Operation *op) {
    Value buffer;
    bool isWrite;
    AffineMap map;
    SmallVector<Value> operands;
    if (matchElementAccess(op, buffer, isWrite, map, operands)) {
      BufferAccess *access = add(op, buffer, isWrite);
      if (access && access->buffer == buffer)
        access->map = indices.get(map, operands, access->symbols);
      return;
    }
    // Nothing changes by it, and nothing depends on it.
    if (isa<memref::PrefetchOp>(op))
      return;
    // Other ops count by their declared effects on their operands.
    auto effects = dyn_cast<MemoryEffectOpInterface>(op);
    if (!effects || op->hasTrait<OpTrait::HasRecursiveMemoryEffects>())
      return;
    for (Value operand : op->getOperands()) {
      if (!isa<MemRefType>(operand.getType()))
        continue;
      if (effects.getEffectOnValue<MemoryEffects::Read>(operand))
        add(op, operand, /*isWrite=*/false);
      if (effects.getEffectOnValue<MemoryEffects::Write>(operand))
        add(op, operand, /*isWrite=*/true);
    }
  });
  return accesses;
}

SmallVector<ElementLoads> mlir::tir::groupLoads(ArrayRef<BufferAccess> accesses,
                                                Value buffer) {
  SmallVector<ElementLoads> groups;
  // Where groups of an element are. What depends on data is the same element
  // if the indices are the same function of the same values.
  using Element = std::pair<const void *, SmallVector<const void *, 4>>;
  std::map<Element, SmallVector<unsigned, 1>> known;
  for (const BufferAccess &access : accesses) {
    if (access.buffer != buffer || access.isWrite)
      continue;
    Element element;
    ValueRange operands = access.symbols;
    if (access.map) {
      element.first = access.map->getAsOpaquePointer();
    } else {
      operands = access.op->getOperands();
      if (auto read = dyn_cast<affine::AffineReadOpInterface>(access.op))
        element.first = read.getAffineMap().getAsOpaquePointer();
    }
    for (Value operand : operands)
      element.second.push_back(operand.getAsOpaquePointer());
    SmallVector<unsigned, 1> &places = known[element];
    const auto *place = llvm::find_if(places, [&](unsigned group) {
      return groups[group].front()->getBlock()->findAncestorOpInBlock(
          *access.op);
    });
    if (place != places.end()) {
      groups[*place].push_back(access.op);
      continue;
    }
    places.push_back(groups.size());
    groups.push_back({access.op});
  }
  return groups;
}

void mlir::tir::computeReadsAndWrites(BlockOp block,
                                      SmallVectorImpl<AccessRegion> &reads,
                                      SmallVectorImpl<AccessRegion> &writes) {
  AffineMap whole = AffineMap::get(block.getContext());
  for (const BufferAccess &access : collectAccesses(block)) {
    SmallVectorImpl<AccessRegion> &regions = access.isWrite ? writes : reads;
    bool isElement = access.map && access.symbols.empty();
    AffineMap map = isElement ? *access.map : whole;
    bool known = llvm::any_of(regions, [&](const AccessRegion &region) {
      return region.buffer == access.buffer && region.map == map;
    });
    if (!known)
      regions.push_back({access.buffer, map});
  }
}

/// Adds the blocks that list `buffer`, or a view of it, in the operands that
/// `select` picks.
template <typename SelectFn>
static void collectAccessors(Value buffer, SelectFn select,
                             SmallVectorImpl<BlockOp> &blocks) {
  for (Operation *user : buffer.getUsers()) {
    if (auto block = dyn_cast<BlockOp>(user)) {
      if (llvm::is_contained(select(block), buffer))
        blocks.push_back(block);
    } else if (auto view = dyn_cast<ViewLikeOpInterface>(user)) {
      if (view.getViewSource() == buffer)
        collectAccessors(view.getViewDest(), select, blocks);
    }
  }
}

/// Whether `a` comes before `b`, a different block, or is around it.
static bool isEarlier(BlockOp a, BlockOp b) {
  Region *region = a->getParentRegion();
  while (!region->findAncestorOpInRegion(*b))
    region = region->getParentRegion();
  Operation *left = region->findAncestorOpInRegion(*a);
  Operation *right = region->findAncestorOpInRegion(*b);
  return left == right ? left == a : left->isBeforeInBlock(right);
}

/// The blocks that list `buffer`, or a view of it, in the operands that
/// `select` picks, in program order.
template <typename SelectFn>
static SmallVector<BlockOp> getAccessors(Value buffer, SelectFn select) {
  SmallVector<BlockOp> blocks;
  collectAccessors(getBaseBuffer(buffer), select, blocks);
  llvm::sort(blocks,
             [](BlockOp a, BlockOp b) { return a != b && isEarlier(a, b); });
  blocks.erase(llvm::unique(blocks), blocks.end());
  return blocks;
}

SmallVector<BlockOp> mlir::tir::getWriters(Value buffer) {
  return getAccessors(buffer, [](BlockOp block) { return block.getWrites(); });
}

SmallVector<BlockOp> mlir::tir::getReaders(Value buffer) {
  return getAccessors(buffer, [](BlockOp block) { return block.getReads(); });
}

BlockOp mlir::tir::getOnlyReader(Value buffer) {
  BlockOp only;
  SmallVector<BlockOp> writers = getWriters(buffer);
  for (BlockOp reader : getReaders(buffer)) {
    if (llvm::is_contained(writers, reader))
      continue;
    if (only)
      return {};
    only = reader;
  }
  return only;
}

void mlir::tir::dropUnusedOperands(AffineMap &map,
                                   SmallVectorImpl<Value> &operands) {
  MLIRContext *context = map.getContext();
  unsigned numDims = map.getNumDims();
  SmallVector<AffineExpr> dims(numDims), symbols(map.getNumSymbols());
  SmallVector<Value> used;
  unsigned newDims = 0, newSymbols = 0;
  for (unsigned i = 0; i != numDims; ++i)
    if (map.isFunctionOfDim(i)) {
      dims[i] = getAffineDimExpr(newDims++, context);
      used.push_back(operands[i]);
    }
  for (unsigned i = 0, e = symbols.size(); i != e; ++i)
    if (map.isFunctionOfSymbol(i)) {
      symbols[i] = getAffineSymbolExpr(newSymbols++, context);
      used.push_back(operands[numDims + i]);
    }
  map = map.replaceDimsAndSymbols(dims, symbols, newDims, newSymbols);
  operands.assign(used.begin(), used.end());
}

Value mlir::tir::createLoad(OpBuilder &builder, Location loc, Value buffer,
                            AffineMap map, ValueRange dims,
                            ValueRange symbols) {
  SmallVector<Value> operands = llvm::to_vector(dims);
  llvm::append_range(operands, symbols);
  dropUnusedOperands(map, operands);
  return affine::AffineLoadOp::create(builder, loc, buffer, map, operands);
}

void mlir::tir::createStore(OpBuilder &builder, Location loc, Value value,
                            Value buffer, AffineMap map, ValueRange dims,
                            ValueRange symbols) {
  SmallVector<Value> operands = llvm::to_vector(dims);
  llvm::append_range(operands, symbols);
  dropUnusedOperands(map, operands);
  affine::AffineStoreOp::create(builder, loc, value, buffer, map, operands);
}
