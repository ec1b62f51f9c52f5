//===- MatrixProduct.cpp - What there is to know of a product -------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/TIR/Schedule/MatrixTiles.h"

#include "../ScheduleSupport.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "relay-mlir/Dialect/TIR/Analysis/IndexBounds.h"
#include "relay-mlir/Dialect/TIR/IR/KernelAttributes.h"
#include "relay-mlir/Dialect/TIR/Schedule/Schedule.h"

using namespace mlir;
using namespace mlir::tir;

bool MatrixProduct::isConstant(const BufferAccess &operand) const {
  return hasFreeLayout(operand.buffer) &&
         !PrimFuncOp(kernel).getArgAttr(
             cast<BlockArgument>(operand.buffer).getArgNumber(),
             PrimFuncOp::kLayout);
}

/// Buffers that are filled from one another, at most.
static constexpr unsigned kMaxDepth = 8;

namespace {
/// The least and the greatest that bytes with a sign may be.
struct ByteBounds {
  int64_t low, high;

  bool has(int64_t number) const { return number >= low && number <= high; }
};
} // namespace

/// Of data, and of weights, for sums of products in 16 bits.
static constexpr ByteBounds kPositive{0, 127}, kSmall{-64, 64};
/// What fits in half a byte.
static constexpr ByteBounds kNibble{0, 15};

static bool hasBytesWithin(ByteBounds bounds, PrimFuncOp kernel, Value buffer,
                           unsigned depth = 0);

/// Whether a byte that is stored is within bounds, which 0 is within: a
/// constant, or moved from where all are.
static bool isByteWithin(ByteBounds bounds, PrimFuncOp kernel, Value value,
                         unsigned depth) {
  APInt number;
  if (matchPattern(value, m_ConstantInt(&number)))
    return bounds.has(number.getSExtValue());
  Operation *op = value.getDefiningOp();
  auto isWithin = [&](Value other) {
    return isByteWithin(bounds, kernel, other, depth);
  };
  if (auto load = dyn_cast_or_null<affine::AffineLoadOp>(op))
    return hasBytesWithin(bounds, kernel, load.getMemRef(), depth + 1);
  if (auto load = dyn_cast_or_null<memref::LoadOp>(op))
    return hasBytesWithin(bounds, kernel, load.getMemRef(), depth + 1);
  if (auto select = dyn_cast_or_null<arith::SelectOp>(op))
    return isWithin(select.getTrueValue()) && isWithin(select.getFalseValue());
  if (auto least = dyn_cast_or_null<arith::MinSIOp>(op))
    return isWithin(least.getLhs()) && isWithin(least.getRhs());
  // Nothing is above the highest byte.
  if (auto largest = dyn_cast_or_null<arith::MaxSIOp>(op)) {
    bool isLeft = isWithin(largest.getLhs()),
         isRight = isWithin(largest.getRhs());
    return bounds.high == 127 ? isLeft || isRight : isLeft && isRight;
  }
  if (!isa_and_nonnull<affine::AffineIfOp, scf::IfOp>(op))
    return false;
  unsigned result = cast<OpResult>(value).getResultNumber();
  return llvm::all_of(op->getRegions(), [&](Region &branch) {
    return isWithin(branch.front().getTerminator()->getOperand(result));
  });
}

/// Whether all that there is to read of a buffer of bytes is within bounds.
static bool hasBytesWithin(ByteBounds bounds, PrimFuncOp kernel, Value buffer,
                           unsigned depth) {
  buffer = getBaseBuffer(buffer);
  auto type = dyn_cast<MemRefType>(buffer.getType());
  if (depth > kMaxDepth || !type || !type.getElementType().isInteger(8))
    return false;
  if (auto argument = dyn_cast<BlockArgument>(buffer)) {
    auto listed = kernel->getAttrOfType<ArrayAttr>(kByteBoundsAttr);
    return listed && argument.getOwner() == kernel.getBody() &&
           llvm::any_of(listed, [&](Attribute attr) {
             auto entry = dyn_cast<DenseI64ArrayAttr>(attr);
             return entry && entry.size() == 3 &&
                    entry[0] == argument.getArgNumber() &&
                    bounds.has(entry[1]) && bounds.has(entry[2]);
           });
  }
  SmallVector<BlockOp> writers = getWriters(buffer);
  return buffer.getDefiningOp<AllocBufferOp>() && !writers.empty() &&
         llvm::all_of(writers, [&](BlockOp writer) {
           return llvm::all_of(
               collectAccesses(writer), [&](const BufferAccess &access) {
                 if (!access.isWrite || access.buffer != buffer)
                   return true;
                 if (auto store = dyn_cast<affine::AffineStoreOp>(access.op))
                   return isByteWithin(bounds, kernel, store.getValueToStore(),
                                       depth);
                 auto store = dyn_cast<memref::StoreOp>(access.op);
                 return store && isByteWithin(bounds, kernel,
                                              store.getValueToStore(), depth);
               });
         });
}

LogicalResult MatrixProduct::matchTypes() {
  sum = matchSumOfProducts(nest);
  if (!sum)
    return failure();
  auto getElement = [](const BufferAccess &access) {
    return cast<MemRefType>(access.buffer.getType()).getElementType();
  };
  plan.isInteger = getElement(sum->out).isInteger(32);
  plan.isWide = plan.isInteger && getElement(sum->left).isInteger(16);
  for (const BufferAccess *access : {&sum->left, &sum->right, &sum->out}) {
    auto type = cast<MemRefType>(access->buffer.getType());
    bool isOut = access == &sum->out;
    Type element = type.getElementType();
    unsigned bits = isOut ? 32 : plan.isWide ? 16 : 8;
    bool isRight =
        plan.isInteger ? element.isSignlessInteger(bits) : element.isF32();
    if (!isRight || llvm::is_contained(type.getShape(), 0) ||
        !type.getLayout().isIdentity() || !access->symbols.empty())
      return failure();
  }
  for (unsigned var = 0; var != nest.getNumVars(); ++var) {
    std::optional<int64_t> extent = nest.getExtent(var);
    if (extent == 0 || (!extent && nest.isReduce(var)))
      return failure();
  }
  // Tiles start from zero.
  for (Operation &op : BlockOp(nest.block).getInit().getRegion().front())
    if (auto store = dyn_cast<affine::AffineStoreOp>(op);
        store && !matchPattern(store.getValueToStore(), m_AnyZeroFloat()) &&
        !matchPattern(store.getValueToStore(), m_Zero()))
      return failure();
  return success(sum->left.buffer != sum->right.buffer);
}

/// Takes an operand for the weights: the constant one, or either.
LogicalResult MatrixProduct::chooseWeights(bool isRight) {
  plan.data = isRight ? sum->left : sum->right;
  plan.weights = isRight ? sum->right : sum->left;
  plan.out = sum->out;
  plan.packsWeights = !isConstant(plan.weights);
  if (isConstant(plan.data))
    return failure();
  if (plan.packsWeights &&
      !cast<MemRefType>(plan.weights.buffer.getType()).hasStaticShape())
    return failure();
  for (unsigned var : nest.getVars(/*isReduce=*/false)) {
    if (nest.getExtent(var) == 1 || !dependsOn(plan.data, var) ||
        !dependsOn(plan.weights, var))
      continue;
    if (!nest.getExtent(var))
      return failure();
    plan.batchVars.push_back(var);
    plan.batchExtents.push_back(*nest.getExtent(var));
  }
  plan.isDataUnsigned = isUnsigned(plan.data);
  plan.isWeightsUnsigned = isUnsigned(plan.weights);
  if (plan.isWide && (plan.isDataUnsigned || plan.isWeightsUnsigned))
    return failure();
  if (!plan.isInteger || plan.isWide)
    return success();
  plan.isDataPositive = hasBytesWithin(kPositive, kernel, plan.data.buffer);
  plan.areWeightsSmall = hasBytesWithin(kSmall, kernel, plan.weights.buffer);
  plan.areWeightsNibbles = hasFreeLayout(plan.weights.buffer) &&
                           hasBytesWithin(kNibble, kernel, plan.weights.buffer);
  return success();
}

/// The variable that `index` is, if it is no more than that.
static std::optional<unsigned> getBareVar(AffineExpr index) {
  if (auto dim = dyn_cast<AffineDimExpr>(index))
    return dim.getPosition();
  return std::nullopt;
}

static bool isZero(AffineExpr index) {
  auto constant = dyn_cast<AffineConstantExpr>(index);
  return constant && constant.getValue() == 0;
}

/// Each index of the weights is a variable of its own: one column variable,
/// reduction variables, batches, nothing else. One of the others may have a
/// batch in the same index.
LogicalResult MatrixProduct::matchWeightIndices() {
  llvm::SmallDenseSet<unsigned> seen;
  std::optional<unsigned> column;
  for (AffineExpr index : plan.weights.map->getResults()) {
    if (isZero(index))
      continue;
    LinearSum sum = LinearSum::get(index);
    std::optional<unsigned> own;
    int64_t batchDistance = 0;
    for (auto [term, coefficient] : sum.terms) {
      std::optional<unsigned> var = getBareVar(term);
      if (!var || !seen.insert(*var).second)
        return failure();
      if (isBatch(*var) && !batchDistance)
        batchDistance = coefficient;
      else if (!own && !isBatch(*var) && coefficient == 1)
        own = *var;
      else
        return failure();
    }
    if (sum.constant != 0 ||
        (batchDistance &&
         batchDistance != (own ? nest.getExtent(*own).value_or(0) : 1)))
      return failure();
    if (!own || nest.isReduce(*own) || nest.getExtent(*own) == 1)
      continue;
    if (column || !nest.getExtent(*own) || dependsOn(plan.data, *own))
      return failure();
    column = *own;
  }
  for (unsigned var : nest.getVars(/*isReduce=*/true))
    if (nest.getExtent(var) != 1 && !seen.contains(var))
      return failure();
  if (!column)
    return failure();
  plan.columnVar = *column;
  plan.numColumns = *nest.getExtent(*column);
  for (unsigned var : plan.batchVars)
    if (!seen.contains(var))
      return failure();
  return success();
}

/// Whether packing can load by vectors.
bool MatrixProduct::canPackWeights() const {
  AffineExpr last = plan.weights.map->getResults().back();
  std::optional<unsigned> var = getBareVar(last);
  return var &&
         (var == plan.columnVar || (var == plan.channelVar && !plan.isDot()));
}

LogicalResult MatrixProduct::matchIndex(AffineExpr index, bool isLast,
                                        bool isMerged, MatrixDim &dim) {
  LinearSum sum = LinearSum::get(index);
  dim.offset = sum.constant;
  dim.kind = MatrixDim::Row;
  unsigned numBatches = llvm::count_if(sum.terms, [&](const auto &term) {
    std::optional<unsigned> var = getBareVar(term.first);
    return var && isBatch(*var);
  });
  for (auto [term, coefficient] : sum.terms) {
    std::optional<unsigned> var = getBareVar(term);
    if (!var || coefficient <= 0)
      return failure();
    if (nest.getExtent(*var) == 1)
      continue;
    if (isBatch(*var)) {
      dim.batches.push_back({*var, coefficient});
    } else if (!nest.isReduce(*var)) {
      if (dim.var)
        return failure();
      dim.var = *var;
      dim.stride = coefficient;
      dim.extent = nest.getExtent(*var).value_or(1);
      dim.isDynamic = !nest.getExtent(*var);
    } else if (isLast && sum.terms.size() == 1 + numBatches &&
               coefficient == 1 && sum.constant == 0) {
      dim.kind = MatrixDim::Channel;
      plan.channelVar = *var;
      plan.numChannels = *nest.getExtent(*var);
    } else {
      dim.taps.push_back({*var, coefficient});
    }
  }
  if (dim.kind == MatrixDim::Channel)
    return success();
  if (!dim.batches.empty() && (dim.var || !dim.taps.empty()))
    return failure();
  // Channels are side by side.
  if (!isMerged && (isLast || (dim.isDynamic && !dim.taps.empty())))
    return failure();
  if (!dim.var && dim.taps.empty())
    dim.kind = MatrixDim::Constant;
  return success();
}

LogicalResult MatrixProduct::matchDataIndices(bool isMerged) {
  llvm::SmallDenseSet<unsigned> seen;
  ArrayRef<AffineExpr> indices = plan.data.map->getResults();
  for (auto [position, index] : llvm::enumerate(indices)) {
    MatrixDim dim;
    bool isLast = position + 1 == indices.size();
    if (failed(matchIndex(index, isLast, isMerged, dim)) ||
        (dim.var && !seen.insert(*dim.var).second))
      return failure();
    for (auto [var, distance] : dim.taps)
      if (!seen.insert(var).second)
        return failure();
    bool isFirst = llvm::none_of(plan.dims, [](const MatrixDim &other) {
      return other.kind == MatrixDim::Row;
    });
    if (dim.isDynamic && !isFirst)
      return failure();
    plan.dims.push_back(std::move(dim));
  }
  if (plan.dims.empty() ||
      failed(isMerged ? mergeWindow()
                      : success(plan.dims.back().kind == MatrixDim::Channel)))
    return failure();
  for (unsigned var : nest.getVars(/*isReduce=*/true)) {
    if (nest.getExtent(var) == 1 || var == plan.channelVar ||
        var == plan.mergedVar)
      continue;
    if (!seen.contains(var))
      return failure();
    plan.taps.push_back(var);
    plan.tapExtents.push_back(*nest.getExtent(var));
  }
  return success();
}

/// Merges the window over the innermost pixels with the channels, which are
/// beside each other in the data, or, if there are very few, each an image.
LogicalResult MatrixProduct::mergeWindow() {
  constexpr int64_t kMaxPlanes = 4;
  if (!cast<MemRefType>(plan.data.buffer.getType()).hasStaticShape() ||
      llvm::any_of(plan.dims,
                   [](const MatrixDim &dim) { return dim.isDynamic; }))
    return failure();
  size_t pixels = plan.dims.size() - 1;
  bool isLastOne =
      cast<MemRefType>(plan.data.buffer.getType()).getShape().back() == 1;
  if (plan.channelVar || isLastOne) {
    if (pixels-- == 0)
      return failure();
  } else {
    // A dimension with nothing but a reduction variable.
    for (MatrixDim &dim : plan.dims) {
      if (dim.kind != MatrixDim::Row || dim.var || dim.taps.size() != 1 ||
          dim.offset != 0 || dim.taps.front().second != 1 ||
          &dim == &plan.dims.back() ||
          *nest.getExtent(dim.taps.front().first) > kMaxPlanes)
        continue;
      plan.channelVar = dim.taps.front().first;
      plan.numChannels = *nest.getExtent(*plan.channelVar);
      plan.isPlanar = true;
      dim = MatrixDim();
      dim.kind = MatrixDim::Channel;
      break;
    }
  }
  MatrixDim &dim = plan.dims[pixels];
  if (dim.kind != MatrixDim::Row || !dim.var || dim.taps.size() != 1 ||
      dim.taps.front().second != 1)
    return failure();
  plan.mergedVar = dim.taps.front().first;
  plan.numMerged = *nest.getExtent(*plan.mergedVar);
  dim.mergedPixels = plan.numMerged;
  dim.taps.clear();
  return success();
}

/// The result is indexed by rows, columns and batches, columns side by side.
LogicalResult MatrixProduct::matchResult() {
  llvm::SmallDenseSet<unsigned> seen;
  for (AffineExpr index : plan.out.map->getResults()) {
    if (isZero(index))
      continue;
    std::optional<unsigned> var = getBareVar(index);
    if (!var || !seen.insert(*var).second)
      return failure();
    bool isRow = llvm::any_of(plan.dims, [&](const MatrixDim &dim) {
      return dim.kind == MatrixDim::Row && dim.var == var;
    });
    if (!isRow && !isBatch(*var) && *var != plan.columnVar &&
        nest.getExtent(*var) != 1)
      return failure();
  }
  for (unsigned var : plan.batchVars)
    if (!seen.contains(var))
      return failure();
  if (!seen.contains(plan.columnVar) ||
      getStride(plan.out, plan.columnVar) != 1)
    return failure();
  for (const MatrixDim &dim : plan.dims)
    if (dim.var && !seen.contains(*dim.var))
      return failure();
  return success();
}

LogicalResult MatrixProduct::matchWeights(bool isRight) {
  return success(succeeded(chooseWeights(isRight)) &&
                 succeeded(matchWeightIndices()));
}

LogicalResult MatrixProduct::matchData(bool isMerged) {
  if ((isMerged && plan.getNumBatches() > 1) ||
      failed(matchDataIndices(isMerged)) || failed(matchResult()) ||
      (plan.packsWeights && !canPackWeights()))
    return failure();
  planRows();
  return success();
}

//===----------------------------------------------------------------------===//
// Sums over batches
//===----------------------------------------------------------------------===//

/// The index that is the bare variable.
static std::optional<unsigned> findIndex(AffineMap map, unsigned var) {
  for (auto [position, index] : llvm::enumerate(map.getResults()))
    if (getBareVar(index) == var)
      return position;
  return std::nullopt;
}

/// Whether the indices of an access are variables, each once, that go through
/// all of the buffer. (An index of one value may be 0.)
static bool coversBuffer(const BlockNest &nest, const BufferAccess &access) {
  FailureOr<SmallVector<int>> iters = matchBareIndices(access);
  if (failed(iters))
    return false;
  auto type = cast<MemRefType>(access.buffer.getType());
  return llvm::all_of(
      llvm::zip_equal(*iters, type.getShape()), [&](const auto &index) {
        auto [iter, size] = index;
        return iter < 0 ? size == 1 : nest.getExtent(iter) == size;
      });
}

/// Whether each instance of the nest loads an element of its own, of all.
static bool loadsEachOnce(const BlockNest &nest, const BufferAccess &load) {
  if (!coversBuffer(nest, load))
    return false;
  for (unsigned var = 0; var != nest.getNumVars(); ++var)
    if (nest.getExtent(var) != 1 && !dependsOn(load, var))
      return false;
  return true;
}

/// Whether the block adds up, over `var` alone, what follows from each element
/// that it loads.
static bool addsUp(const BlockNest &nest, unsigned var) {
  const BufferAccess &store = *nest.getStore();
  auto stored = dyn_cast<affine::AffineStoreOp>(store.op);
  if (!BlockOp(nest.block).getInit() || !stored || dependsOn(store, var))
    return false;
  for (unsigned other = 0; other != nest.getNumVars(); ++other)
    if (other != var && nest.getExtent(other) != 1 &&
        (nest.isReduce(other) || !dependsOn(store, other)))
      return false;
  auto sum = stored.getValueToStore().getDefiningOp<arith::AddFOp>();
  return sum && llvm::any_of(sum->getOperands(), [&](Value operand) {
           auto before = operand.getDefiningOp<affine::AffineLoadOp>();
           return before && before.getMemRef() == store.buffer;
         });
}

/// Whether something between the nests writes what the first one reads.
static bool isOverwritten(const BlockNest &first, const BlockNest &last) {
  for (const BufferAccess &access : first.accesses)
    if (!access.isWrite)
      for (BlockOp writer : getWriters(access.buffer))
        if (writer != first.block && isBefore(first.block, writer) &&
            isBefore(writer, last.block))
          return true;
  return false;
}

BlockOp MatrixProduct::findBatchSum() const {
  if (plan.batchVars.size() != 1 || !coversBuffer(nest, plan.out))
    return {};
  Value buffer = plan.out.buffer;
  std::optional<unsigned> position =
      findIndex(*plan.out.map, plan.batchVars.front());
  // What becomes part of the tiles, which are where the sum is.
  std::vector<BlockNest> moved = {nest};
  while (position && buffer.getDefiningOp<AllocBufferOp>()) {
    BlockOp reader = getOnlyReader(buffer);
    FailureOr<BlockNest> next = failure();
    if (reader && getWriters(buffer).size() == 1)
      next = BlockNest::get(reader);
    if (failed(next) || !next->getStore() ||
        !coversBuffer(*next, *next->getStore()))
      return {};
    const BufferAccess *load = nullptr;
    for (const BufferAccess &access : next->accesses) {
      if (access.buffer != buffer)
        continue;
      if (load || !loadsEachOnce(*next, access))
        return {};
      load = &access;
    }
    std::optional<unsigned> var = getBareVar(load->map->getResult(*position));
    if (!var)
      return {};
    if (next->isReduction()) {
      bool isInTheWay = llvm::any_of(moved, [&](const BlockNest &other) {
        return isOverwritten(other, *next);
      });
      return addsUp(*next, *var) && !isInTheWay ? reader : BlockOp();
    }
    position = findIndex(*next->getStore()->map, *var);
    buffer = next->getStore()->buffer;
    moved.push_back(*next);
  }
  return {};
}
