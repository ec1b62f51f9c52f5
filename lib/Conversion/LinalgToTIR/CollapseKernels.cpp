//===- CollapseKernels.cpp - Fewer dimensions in kernels ------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Dimensions that lie next to each other in every tensor that has them, and
// that every operation runs through alike, are one dimension to a kernel; those
// of size 1 are none. Which are is found by elimination: at first all
// neighbours are taken to be joined, until no operation contradicts.
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Conversion/LinalgToTIR/LinalgToTIR.h"

#include "KernelSignature.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"
#include "relay-mlir/Dialect/Relax/IR/Relax.h"
#include "relay-mlir/Dialect/Relax/IR/SymbolicExpr.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"

namespace mlir::relay {
#define GEN_PASS_DEF_COLLAPSEKERNELSPASS
#include "relay-mlir/Conversion/Passes.h.inc"
} // namespace mlir::relay

using namespace mlir;

namespace {

/// How the dimensions of a tensor are grouped: each group becomes one.
using Groups = SmallVector<SmallVector<int64_t, 2>>;

/// Collapses one function of linalg on tensors.
class KernelCollapser {
public:
  explicit KernelCollapser(func::FuncOp function) : function(function) {}

  /// Decides; returns whether two dimensions of a size above 1 become one.
  bool analyze();

  /// Replaces the function by one on collapsed tensors.
  void rewrite();

  /// The groups of the dimensions of argument or result `index` (results after
  /// the arguments).
  const Groups &getSignatureGroups(unsigned index) const {
    return signature[index];
  }

private:
  struct Shape {
    /// The dimensions that stay: of a size other than 1, or all.
    SmallVector<int64_t> dims;
    /// Whether `dims[i]` and `dims[i + 1]` become one.
    SmallVector<bool> joined;
    bool isFrozen = false;
  };

  /// An operand or result of a structured op with its map.
  struct Access {
    Value tensor;
    AffineMap map;
  };

  Shape &getShape(Value tensor);
  Groups getGroups(Value tensor);
  Type getNewType(Value tensor);
  void freeze(Value tensor);
  SmallVector<Access> getAccesses(linalg::LinalgOp op);
  /// Clears joins that an op contradicts; whether there were any.
  bool restrict(linalg::LinalgOp op);
  bool restrict(tensor::ConcatOp op);
  bool mayJoin(linalg::LinalgOp op, ArrayRef<Access> accesses, unsigned first,
               unsigned second);
  SmallVector<bool> getDroppedLoops(linalg::LinalgOp op);
  bool freezeTied(linalg::LinalgOp op);

  void rebuild(Operation &op);
  void rebuild(linalg::GenericOp op);
  AffineMap rebuildMap(Value tensor, AffineMap map, ArrayRef<AffineExpr> loops,
                       unsigned numLoops);

  func::FuncOp function;
  DenseMap<Value, Shape> shapes;
  SmallVector<Groups> signature;
  IRMapping mapping;
  OpBuilder builder{function.getContext()};
};

} // namespace

//===----------------------------------------------------------------------===//
// Analysis
//===----------------------------------------------------------------------===//

KernelCollapser::Shape &KernelCollapser::getShape(Value tensor) {
  auto [it, isNew] = shapes.try_emplace(tensor);
  Shape &shape = it->second;
  if (!isNew)
    return shape;
  auto type = cast<RankedTensorType>(tensor.getType());
  for (auto [dim, size] : llvm::enumerate(type.getShape()))
    if (size != 1)
      shape.dims.push_back(dim);
  if (shape.dims.empty() && type.getRank() != 0) {
    freeze(tensor);
    return shape;
  }
  for (size_t i = 0; i + 1 < shape.dims.size(); ++i)
    shape.joined.push_back(type.getDimSize(shape.dims[i]) > 1 &&
                           type.getDimSize(shape.dims[i + 1]) > 1);
  return shape;
}

void KernelCollapser::freeze(Value tensor) {
  auto type = dyn_cast<RankedTensorType>(tensor.getType());
  if (!type)
    return;
  Shape &shape = shapes[tensor];
  shape.isFrozen = true;
  shape.dims = llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()));
  shape.joined.assign(std::max<int64_t>(type.getRank() - 1, 0), false);
}

Groups KernelCollapser::getGroups(Value tensor) {
  const Shape &shape = getShape(tensor);
  Groups groups;
  for (auto [index, dim] : llvm::enumerate(shape.dims)) {
    if (index == 0 || !shape.joined[index - 1])
      groups.emplace_back();
    groups.back().push_back(dim);
  }
  return groups;
}

SmallVector<KernelCollapser::Access>
KernelCollapser::getAccesses(linalg::LinalgOp op) {
  SmallVector<Access> accesses;
  for (OpOperand &operand : op->getOpOperands())
    if (isa<RankedTensorType>(operand.get().getType()))
      accesses.push_back({operand.get(), op.getMatchingIndexingMap(&operand)});
  for (OpResult result : op->getResults())
    accesses.push_back({result, op.getIndexingMapMatchingResult(result)});
  return accesses;
}

/// Whether every reduction loop, of which there is one, makes one step.
static bool reducesSingleElements(linalg::LinalgOp op) {
  bool reduces = false;
  for (auto [range, kind] :
       llvm::zip_equal(op.getStaticLoopRanges(), op.getIteratorTypesArray())) {
    if (kind != utils::IteratorType::reduction)
      continue;
    if (range != 1)
      return false;
    reduces = true;
  }
  return reduces;
}

/// The loop that indexes a dimension alone; none if there is not one.
static std::optional<unsigned> getLoop(AffineExpr expr) {
  auto dim = dyn_cast<AffineDimExpr>(expr);
  return dim ? std::optional(dim.getPosition()) : std::nullopt;
}

/// `map` with 0 for the loops that are dropped.
static AffineMap dropLoops(AffineMap map, ArrayRef<bool> dropped) {
  MLIRContext *context = map.getContext();
  SmallVector<AffineExpr> dims;
  for (auto [loop, isDropped] : llvm::enumerate(dropped))
    dims.push_back(isDropped ? getAffineConstantExpr(0, context)
                             : getAffineDimExpr(loop, context));
  return simplifyAffineMap(
      map.replaceDimsAndSymbols(dims, {}, dropped.size(), 0));
}

/// Whether some index would be just one loop without those that are dropped,
/// but that loop leaves out a part of the dimension: with one pixel of output,
/// a convolution reads a part of an image that is larger than its kernel.
static bool hasPartialIndex(linalg::LinalgOp op, ArrayRef<bool> dropped) {
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  for (OpOperand &operand : op->getOpOperands()) {
    auto type = dyn_cast<RankedTensorType>(operand.get().getType());
    if (!type)
      continue;
    AffineMap map = op.getMatchingIndexingMap(&operand);
    AffineMap rest = dropLoops(map, dropped);
    for (unsigned dim = 0, e = map.getNumResults(); dim != e; ++dim) {
      std::optional<unsigned> loop = getLoop(rest.getResult(dim));
      if (!loop || getLoop(map.getResult(dim)))
        continue;
      if (type.isDynamicDim(dim) || type.getDimSize(dim) != ranges[*loop])
        return true;
    }
  }
  return false;
}

/// Loops of one iteration need not be. A reduction keeps one loop of its kind.
SmallVector<bool> KernelCollapser::getDroppedLoops(linalg::LinalgOp op) {
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
  bool keepsReductions = reducesSingleElements(op);
  SmallVector<bool> dropped;
  for (auto [range, kind] : llvm::zip_equal(ranges, kinds))
    dropped.push_back(range == 1 && !(keepsReductions &&
                                      kind == utils::IteratorType::reduction));
  return hasPartialIndex(op, dropped) ? SmallVector<bool>(ranges.size(), false)
                                      : dropped;
}

/// What an op writes into has the form of its result.
bool KernelCollapser::freezeTied(linalg::LinalgOp op) {
  bool changed = false;
  for (auto [init, result] :
       llvm::zip_equal(op.getDpsInits(), op->getResults())) {
    bool isInitFrozen = getShape(init).isFrozen;
    if (isInitFrozen == getShape(result).isFrozen)
      continue;
    freeze(isInitFrozen ? Value(result) : init);
    changed = true;
  }
  return changed;
}

/// Whether two loops may become one, `second` inside of `first`.
bool KernelCollapser::mayJoin(linalg::LinalgOp op, ArrayRef<Access> accesses,
                              unsigned first, unsigned second) {
  SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
  if (kinds[first] != kinds[second])
    return false;
  bool isIndexed =
      op.getBlock()
          ->walk([&](linalg::IndexOp index) {
            bool isOne = index.getDim() == first || index.getDim() == second;
            return isOne ? WalkResult::interrupt() : WalkResult::advance();
          })
          .wasInterrupted();
  if (isIndexed)
    return false;
  for (const Access &access : accesses) {
    const Shape &shape = getShape(access.tensor);
    int64_t uses = 0;
    for (AffineExpr expr : access.map.getResults())
      uses += expr.isFunctionOfDim(first) + expr.isFunctionOfDim(second);
    if (uses == 0)
      continue;
    bool isTogether = false;
    for (size_t i = 0; i + 1 < shape.dims.size(); ++i)
      isTogether |= shape.joined[i] &&
                    getLoop(access.map.getResult(shape.dims[i])) == first &&
                    getLoop(access.map.getResult(shape.dims[i + 1])) == second;
    if (uses != 2 || !isTogether)
      return false;
  }
  return true;
}

bool KernelCollapser::restrict(linalg::LinalgOp op) {
  SmallVector<Access> accesses = getAccesses(op);
  SmallVector<bool> dropped = getDroppedLoops(op);
  for (Access &access : accesses)
    access.map = dropLoops(access.map, dropped);
  bool changed = false;
  for (const Access &access : accesses) {
    Shape &shape = getShape(access.tensor);
    for (size_t i = 0; i + 1 < shape.dims.size(); ++i) {
      if (!shape.joined[i])
        continue;
      auto first = getLoop(access.map.getResult(shape.dims[i]));
      auto second = getLoop(access.map.getResult(shape.dims[i + 1]));
      if (first && second && mayJoin(op, accesses, *first, *second))
        continue;
      shape.joined[i] = false;
      changed = true;
    }
  }
  return changed;
}

/// All dimensions but the one that grows are joined in all tensors alike.
bool KernelCollapser::restrict(tensor::ConcatOp op) {
  SmallVector<Value> tensors(op.getInputs());
  tensors.push_back(op.getResult());
  int64_t axis = op.getDim();
  bool isIrregular = llvm::any_of(tensors, [&](Value tensor) {
    const Shape &shape = getShape(tensor);
    return shape.isFrozen || shape.dims != getShape(op.getResult()).dims ||
           !llvm::is_contained(shape.dims, axis);
  });
  bool changed = false;
  if (isIrregular) {
    for (Value tensor : tensors)
      if (!getShape(tensor).isFrozen) {
        freeze(tensor);
        changed = true;
      }
    return changed;
  }
  for (size_t i = 0; i + 1 < getShape(tensors.front()).dims.size(); ++i) {
    ArrayRef<int64_t> dims = getShape(tensors.front()).dims;
    bool isJoined = dims[i] != axis && dims[i + 1] != axis &&
                    llvm::all_of(tensors, [&](Value tensor) {
                      return getShape(tensor).joined[i];
                    });
    if (!isJoined)
      for (Value tensor : tensors) {
        changed |= getShape(tensor).joined[i];
        getShape(tensor).joined[i] = false;
      }
  }
  return changed;
}

bool KernelCollapser::analyze() {
  Block &body = function.getBody().front();
  // All shapes exist before references to them are held.
  auto add = [&](Value value) {
    if (isa<RankedTensorType>(value.getType()))
      getShape(value);
  };
  llvm::for_each(body.getArguments(), add);
  for (Operation &op : body)
    llvm::for_each(op.getResults(), add);
  // What is not understood keeps its tensors as they are.
  for (Operation &op : body) {
    bool isKnown = isa<linalg::GenericOp, linalg::FillOp, tensor::EmptyOp,
                       tensor::ConcatOp, func::ReturnOp>(op);
    if (auto dim = dyn_cast<tensor::DimOp>(op)) {
      std::optional<int64_t> index = dim.getConstantIndex();
      auto type = dyn_cast<RankedTensorType>(dim.getSource().getType());
      isKnown = index && type && type.isDynamicDim(*index);
    }
    // Only the dimensions of one element, which collapsed tensors lack, tell
    // how long the loop of such a reduction is. Where all loops stay, all
    // dimensions do.
    if (auto generic = dyn_cast<linalg::GenericOp>(op))
      isKnown = !reducesSingleElements(generic) &&
                (llvm::is_contained(getDroppedLoops(generic), true) ||
                 !llvm::is_contained(generic.getStaticLoopRanges(), 1));
    if (!isKnown) {
      llvm::for_each(op.getOperands(), [&](Value v) { freeze(v); });
      llvm::for_each(op.getResults(), [&](Value v) { freeze(v); });
    }
    for (Region &region : op.getRegions())
      region.walk([&](Operation *nested) {
        llvm::for_each(nested->getOperands(), [&](Value v) { freeze(v); });
      });
  }

  bool changed = true;
  auto visit = [&](Operation &op) {
    if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op)) {
      if (!isa<linalg::GenericOp, linalg::FillOp>(op))
        return;
      changed |= freezeTied(linalgOp);
      changed |= restrict(linalgOp);
    } else if (auto concat = dyn_cast<tensor::ConcatOp>(op)) {
      changed |= restrict(concat);
    }
  };
  // In both directions, because what one op restricts goes on to those before
  // it and to those after it.
  while (changed) {
    changed = false;
    llvm::for_each(body, visit);
    llvm::for_each(llvm::reverse(body), visit);
  }
  return llvm::any_of(shapes, [](auto &entry) {
    return llvm::is_contained(entry.second.joined, true);
  });
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

Type KernelCollapser::getNewType(Value tensor) {
  auto type = dyn_cast<RankedTensorType>(tensor.getType());
  if (!type)
    return tensor.getType();
  SmallVector<int64_t> sizes;
  for (ArrayRef<int64_t> group : getGroups(tensor)) {
    int64_t size = type.getDimSize(group.front());
    for (int64_t dim : group.drop_front())
      size *= type.getDimSize(dim);
    sizes.push_back(size);
  }
  return type.clone(sizes);
}

AffineMap KernelCollapser::rebuildMap(Value tensor, AffineMap map,
                                      ArrayRef<AffineExpr> loops,
                                      unsigned numLoops) {
  SmallVector<AffineExpr> results;
  // The first loop of a group stands for all of it.
  for (ArrayRef<int64_t> group : getGroups(tensor))
    results.push_back(map.getResult(group.front()));
  AffineMap collapsed =
      AffineMap::get(map.getNumDims(), 0, results, map.getContext());
  return simplifyAffineMap(
      collapsed.replaceDimsAndSymbols(loops, {}, numLoops, 0));
}

void KernelCollapser::rebuild(linalg::GenericOp op) {
  MLIRContext *context = op.getContext();
  SmallVector<bool> dropped = getDroppedLoops(op);
  SmallVector<bool> isInner(dropped.size(), false);
  for (const Access &access : getAccesses(op)) {
    AffineMap map = dropLoops(access.map, dropped);
    for (ArrayRef<int64_t> group : getGroups(access.tensor))
      for (int64_t dim : group.drop_front())
        isInner[*getLoop(map.getResult(dim))] = true;
  }
  SmallVector<utils::IteratorType> kinds;
  SmallVector<AffineExpr> loops;
  SmallVector<int64_t> newLoops;
  for (auto [loop, kind] : llvm::enumerate(op.getIteratorTypesArray())) {
    bool isKept = !dropped[loop] && !isInner[loop];
    newLoops.push_back(isKept ? kinds.size() : -1);
    loops.push_back(isKept ? getAffineDimExpr(kinds.size(), context)
                           : getAffineConstantExpr(0, context));
    if (isKept)
      kinds.push_back(kind);
  }

  SmallVector<AffineMap> maps;
  SmallVector<Value> inputs, inits;
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    bool isTensor = isa<RankedTensorType>(operand.get().getType());
    maps.push_back(isTensor
                       ? rebuildMap(operand.get(), map, loops, kinds.size())
                       : AffineMap::get(kinds.size(), 0, context));
    (op.isDpsInit(&operand) ? inits : inputs)
        .push_back(mapping.lookupOrDefault(operand.get()));
  }
  auto generic = linalg::GenericOp::create(builder, op.getLoc(),
                                           ValueRange(inits).getTypes(), inputs,
                                           inits, maps, kinds);
  generic->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  op.getRegion().cloneInto(&generic.getRegion(), mapping);
  SmallVector<linalg::IndexOp> indices;
  generic.getRegion().walk(
      [&](linalg::IndexOp index) { indices.push_back(index); });
  for (linalg::IndexOp index : indices) {
    int64_t loop = newLoops[index.getDim()];
    if (loop >= 0) {
      index.setDim(loop);
      continue;
    }
    OpBuilder inner(index);
    index.replaceAllUsesWith(
        arith::ConstantIndexOp::create(inner, index.getLoc(), 0).getResult());
    index.erase();
  }
  mapping.map(op->getResults(), generic->getResults());
}

void KernelCollapser::rebuild(Operation &op) {
  Location loc = op.getLoc();
  auto findGroup = [&](Value tensor, int64_t dim) {
    Groups groups = getGroups(tensor);
    return llvm::find_if(groups,
                         [&](ArrayRef<int64_t> group) {
                           return llvm::is_contained(group, dim);
                         }) -
           groups.begin();
  };
  if (auto generic = dyn_cast<linalg::GenericOp>(op))
    return rebuild(generic);
  if (auto empty = dyn_cast<tensor::EmptyOp>(op)) {
    SmallVector<Value> sizes;
    for (Value size : empty.getDynamicSizes())
      sizes.push_back(mapping.lookupOrDefault(size));
    mapping.map(empty.getResult(),
                tensor::EmptyOp::create(builder, loc,
                                        getNewType(empty.getResult()), sizes)
                    .getResult());
    return;
  }
  if (auto dim = dyn_cast<tensor::DimOp>(op)) {
    mapping.map(dim.getResult(),
                builder.createOrFold<tensor::DimOp>(
                    loc, mapping.lookupOrDefault(dim.getSource()),
                    findGroup(dim.getSource(), *dim.getConstantIndex())));
    return;
  }
  // The types of the operands say what those of the results are.
  Operation *copy = builder.clone(op, mapping);
  if (auto concat = dyn_cast<tensor::ConcatOp>(copy))
    concat.setDim(findGroup(op.getResult(0), concat.getDim()));
  for (auto [result, original] :
       llvm::zip_equal(copy->getResults(), op.getResults()))
    result.setType(getNewType(original));
}

void KernelCollapser::rewrite() {
  Block &body = function.getBody().front();
  Operation *terminator = body.getTerminator();
  for (ValueRange values :
       {ValueRange(body.getArguments()), ValueRange(terminator->getOperands())})
    for (Value value : values)
      signature.push_back(getGroups(value));

  SmallVector<Type> arguments, results;
  for (BlockArgument argument : body.getArguments())
    arguments.push_back(getNewType(argument));
  for (Value result : terminator->getOperands())
    results.push_back(getNewType(result));
  Block *collapsed = new Block;
  for (auto [argument, type] : llvm::zip_equal(body.getArguments(), arguments))
    mapping.map(argument, collapsed->addArgument(type, argument.getLoc()));
  builder.setInsertionPointToEnd(collapsed);
  for (Operation &op : body)
    rebuild(op);
  body.dropAllReferences();
  function.getBody().getBlocks().clear();
  function.getBody().push_back(collapsed);
  function.setFunctionType(builder.getFunctionType(arguments, results));
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// The relax type of a tensor whose dimensions are grouped.
static relax::SymbolicTensorType collapseType(relax::SymbolicTensorType type,
                                              const Groups &groups) {
  relax::SymbolScope scope(type.getContext());
  SmallVector<AffineExpr> sizes = scope.import(type.getShape());
  SmallVector<AffineExpr> newSizes;
  for (ArrayRef<int64_t> group : groups) {
    AffineExpr size = sizes[group.front()];
    for (int64_t dim : group.drop_front())
      size = size * sizes[dim];
    newSizes.push_back(size);
  }
  return relax::SymbolicTensorType::get(
      scope.makeShape(newSizes), type.getElementType(), type.getDevice());
}

namespace {

struct CollapseKernelsPass final
    : relay::impl::CollapseKernelsPassBase<CollapseKernelsPass> {
  void runOnOperation() override {
    SymbolTableCollection symbols;
    DenseMap<Operation *, SmallVector<relax::CallTIROp>> calls;
    getOperation().walk([&](relax::CallTIROp call) {
      calls[symbols.lookupNearestSymbolFrom(call, call.getCalleeAttr())]
          .push_back(call);
    });
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      // Only private kernels have no callers but these; code of others is for
      // the shapes that it was made for.
      if (function->hasAttr(relay::kCompilerAttrName) ||
          !function->hasAttr(relay::kPrimitiveAttrName) ||
          !function.isPrivate() || !function.getBody().hasOneBlock())
        continue;
      tir::dropBoundaryReshapes(function, calls.lookup(function));
      KernelCollapser collapser(function);
      if (!collapser.analyze())
        continue;
      collapser.rewrite();
      auto getType = [&](unsigned index, relax::SymbolicTensorType type) {
        return collapseType(type, collapser.getSignatureGroups(index));
      };
      for (relax::CallTIROp call : calls.lookup(function))
        tir::reshapeCall(call, getType);
    }
  }
};

} // namespace
