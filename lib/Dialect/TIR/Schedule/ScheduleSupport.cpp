//===- ScheduleSupport.cpp - Shared by schedule primitives ------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScheduleSupport.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::tir;

std::string mlir::tir::getText(ArrayRef<int64_t> numbers) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << '[';
  llvm::interleaveComma(numbers, os);
  os << ']';
  return text;
}

bool mlir::tir::isDefinedOutside(Value value, Operation *op) {
  return !op->isAncestor(value.getParentBlock()->getParentOp());
}

AllocBufferOp mlir::tir::getAllocation(Value buffer) {
  return buffer.getDefiningOp<AllocBufferOp>();
}

DiagnosedSilenceableFailure mlir::tir::findMemory(Operation *op,
                                                  StringRef scope,
                                                  bool hasStaticShape,
                                                  relay::MemoryAttr &memory) {
  memory = nullptr;
  if (scope == relay::MemoryAttr::kGlobal)
    return DiagnosedSilenceableFailure::success();
  relay::TargetAttrInterface target = relay::lookupTarget(op);
  if (target && !relay::lookupMemory(target, scope))
    return refuse(op) << "expects a memory of " << target.getDescription()
                      << " (" << relay::getMemoryNames(target) << "), but got "
                      << scope;
  if (scope.empty())
    return refuse(op) << "expects the name of a memory, but got none";
  if (!hasStaticShape)
    return refuse(op) << "expects a static size for a " << scope << " buffer";
  memory = relay::MemoryAttr::get(op->getContext(), scope);
  return DiagnosedSilenceableFailure::success();
}

relay::MemoryAttr mlir::tir::getLocalMemory(MLIRContext *context) {
  return relay::MemoryAttr::get(context, relay::MemoryAttr::kLocal);
}

MemRefType mlir::tir::getBufferType(ArrayRef<int64_t> shape, Type elementType,
                                    relay::MemoryAttr memory) {
  return MemRefType::get(shape, elementType, MemRefLayoutAttrInterface(),
                         memory);
}

Operation *mlir::tir::findForeignUser(AllocBufferOp buffer) {
  for (Operation *user : buffer->getUsers()) {
    auto dim = dyn_cast<memref::DimOp>(user);
    bool isSize = dim && dim.getConstantIndex();
    if (!isSize && !isa<BlockOp, affine::AffineLoadOp, affine::AffineStoreOp,
                        memref::LoadOp, memref::StoreOp>(user))
      return user;
  }
  return nullptr;
}

DiagnosedSilenceableFailure mlir::tir::checkErasable(BlockOp block,
                                                     AllocBufferOp buffer) {
  Operation *user = findForeignUser(buffer);
  if (!user)
    return DiagnosedSilenceableFailure::success();
  DiagnosedSilenceableFailure failure =
      refuse(block) << "expects the buffer between block @" << block.getName()
                    << " and its readers to be accessed by element";
  failure.attachNote(user->getLoc()) << "used here";
  return failure;
}

DiagnosedSilenceableFailure
mlir::tir::checkAccessedByElement(AllocBufferOp buffer) {
  Operation *user = findForeignUser(buffer);
  if (!user)
    return DiagnosedSilenceableFailure::success();
  DiagnosedSilenceableFailure failure =
      refuse(buffer) << "expects the buffer to be accessed by element";
  failure.attachNote(user->getLoc()) << "used here";
  return failure;
}

void mlir::tir::eraseAllocation(RewriterBase &rewriter, AllocBufferOp buffer) {
  OpBuilder::InsertionGuard insertion(rewriter);
  SmallVector<OpFoldResult> sizes = buffer.getMixedSizes();
  for (Operation *user : llvm::make_early_inc_range(buffer->getUsers())) {
    auto dim = cast<memref::DimOp>(user);
    rewriter.setInsertionPoint(dim);
    rewriter.replaceOp(
        dim, getValueOrCreateConstantIndexOp(rewriter, dim.getLoc(),
                                             sizes[*dim.getConstantIndex()]));
  }
  rewriter.eraseOp(buffer);
}

bool mlir::tir::isBefore(Operation *a, Operation *b) {
  Region *region = a->getParentRegion();
  while (!region->findAncestorOpInRegion(*b))
    region = region->getParentRegion();
  Operation *left = region->findAncestorOpInRegion(*a);
  Operation *right = region->findAncestorOpInRegion(*b);
  return left != right && left->isBeforeInBlock(right);
}

/// The blocks of `function`, in program order, that `select` picks.
template <typename SelectFn>
static SmallVector<BlockOp, 6> selectBlocks(PrimFuncOp function,
                                            SelectFn select) {
  SmallVector<BlockOp, 6> selected;
  for (BlockOp block : function.getBlocks())
    if (select(block))
      selected.push_back(block);
  return selected;
}

static bool overlap(ValueRange a, ValueRange b) {
  return llvm::any_of(a, [&](Value value) {
    return llvm::any_of(b, [&](Value other) {
      return getBaseBuffer(value) == getBaseBuffer(other);
    });
  });
}

SmallVector<BlockOp, 6> mlir::tir::getProducers(BlockOp block) {
  return selectBlocks(block.getFunction(), [&](BlockOp other) {
    return other != block && overlap(other.getWrites(), block.getReads());
  });
}

SmallVector<BlockOp, 6> mlir::tir::getConsumers(BlockOp block) {
  return selectBlocks(block.getFunction(), [&](BlockOp other) {
    return other != block && overlap(other.getReads(), block.getWrites());
  });
}

SmallVector<BlockOp, 6> mlir::tir::getOutputBlocks(PrimFuncOp function) {
  return selectBlocks(function, [&](BlockOp block) {
    return llvm::any_of(block.getWrites(), [&](Value buffer) {
      return function.isOutput(getBaseBuffer(buffer));
    });
  });
}

FailureOr<SmallVector<int>> mlir::tir::matchBareIndices(AffineMap map) {
  SmallVector<int> iters;
  for (AffineExpr expr : map.getResults()) {
    if (auto constant = dyn_cast<AffineConstantExpr>(expr);
        constant && constant.getValue() == 0) {
      iters.push_back(-1);
      continue;
    }
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim || llvm::is_contained(iters, static_cast<int>(dim.getPosition())))
      return failure();
    iters.push_back(dim.getPosition());
  }
  return iters;
}

FailureOr<SmallVector<int>>
mlir::tir::matchBareIndices(const BufferAccess &access) {
  if (!access.map || !access.symbols.empty())
    return failure();
  return matchBareIndices(*access.map);
}

void mlir::tir::eraseEmptyLoops(RewriterBase &rewriter, Operation *loop) {
  while (isa_and_nonnull<ForOp>(loop)) {
    eraseDeadIndexOps(rewriter, loop);
    if (!llvm::hasSingleElement(*cast<ForOp>(loop).getBody()))
      return;
    Operation *parent = loop->getParentOp();
    rewriter.eraseOp(loop);
    loop = parent;
  }
}

void mlir::tir::eraseDeadIndexOps(RewriterBase &rewriter, Operation *root) {
  SmallVector<Operation *> ops;
  root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<BlockOp>(op))
      return WalkResult::skip();
    if (isa<affine::AffineApplyOp, arith::ConstantOp>(op))
      ops.push_back(op);
    return WalkResult::advance();
  });
  for (Operation *op : llvm::reverse(ops))
    if (op->use_empty())
      rewriter.eraseOp(op);
}

void mlir::tir::hoistDefinitions(RewriterBase &rewriter, PrimFuncOp function) {
  Operation *firstNest = nullptr;
  for (Operation &op : llvm::make_early_inc_range(*function.getBody())) {
    if (isa<ForOp, BlockOp>(op)) {
      if (!firstNest)
        firstNest = &op;
      continue;
    }
    bool isDefinition = isa<AllocBufferOp>(op) || isPure(&op);
    if (firstNest && isDefinition && !op.hasTrait<OpTrait::IsTerminator>())
      rewriter.moveOpBefore(&op, firstNest);
  }
}

BlockArgument mlir::tir::addOpaqueIter(BlockOp block, Value binding,
                                       OpFoldResult extent) {
  Builder builder(block.getContext());
  SmallVector<Attribute> kinds(block.getIterKinds().getValue());
  kinds.push_back(IterKindAttr::get(builder.getContext(), IterKind::Opaque));
  SmallVector<OpFoldResult> extents = block.getExtents();
  extents.push_back(extent);
  block.setIterKindsAttr(builder.getArrayAttr(kinds));
  block.setExtents(extents);
  block.getBindingsMutable().append(binding);
  return block.getBody()->addArgument(builder.getIndexType(), block.getLoc());
}

//===----------------------------------------------------------------------===//
// Guards and bindings
//===----------------------------------------------------------------------===//

/// The conditions `expr >= 0` of `set` at `operands`.
static SmallVector<AffineExpr>
getConstraints(IntegerSet set, ValueRange operands, IndexSpace &space) {
  SmallVector<AffineExpr> constraints;
  for (unsigned i = 0, e = set.getNumConstraints(); i != e; ++i) {
    AffineExpr expr =
        space.getExpr(set.getConstraint(i), set.getNumDims(), operands);
    constraints.push_back(expr);
    if (set.isEq(i))
      constraints.push_back(-expr);
  }
  return constraints;
}

static SmallVector<AffineExpr> getGuard(BlockOp block, IndexSpace &space) {
  std::optional<IntegerSet> set = block.getPredicate();
  if (!set)
    return {};
  return getConstraints(*set, block.getPredicateOperands(), space);
}

/// Those of `constraints` that the bounds of the inputs do not imply.
static SmallVector<AffineExpr>
getNeededConstraints(ArrayRef<AffineExpr> constraints, IndexSpace &space) {
  IndexBounds bounds = space.getBounds();
  SmallVector<AffineExpr> needed;
  for (AffineExpr expr : constraints) {
    expr = bounds.simplify(expr);
    if (!bounds.isNonNegative(expr) && !llvm::is_contained(needed, expr))
      needed.push_back(expr);
  }
  return needed;
}

static void setGuard(BlockOp block, IndexSpace &space,
                     ArrayRef<AffineExpr> constraints) {
  SmallVector<AffineExpr> needed = getNeededConstraints(constraints, space);
  if (needed.empty()) {
    block.setGuard(IntegerSet(), {});
    return;
  }
  SmallVector<Value> operands;
  IntegerSet set = space.getSet(needed, operands);
  block.setGuard(set, operands);
}

void mlir::tir::addGuard(BlockOp block, IndexSpace &space,
                         ArrayRef<AffineExpr> constraints) {
  SmallVector<AffineExpr> all = getGuard(block, space);
  llvm::append_range(all, constraints);
  setGuard(block, space, all);
}

SmallVector<AffineExpr> mlir::tir::getDomainConstraints(BlockOp block,
                                                        IndexSpace &space) {
  SmallVector<AffineExpr> constraints;
  for (auto [binding, extent] :
       llvm::zip(block.getBindings(), block.getExtents())) {
    AffineExpr expr = space.getExpr(binding);
    constraints.push_back(expr);
    constraints.push_back(space.getExpr(extent) - 1 - expr);
  }
  return constraints;
}

void mlir::tir::simplifyBindings(RewriterBase &rewriter, Operation *root) {
  OpBuilder::InsertionGuard insertion(rewriter);
  root->walk([&](BlockOp block) {
    IndexSpace space(block.getContext());
    SmallVector<AffineExpr> exprs;
    for (Value binding : block.getBindings())
      exprs.push_back(space.getExpr(binding));
    SmallVector<AffineExpr> guard = getGuard(block, space);
    IndexBounds bounds = space.getBounds();

    rewriter.setInsertionPoint(block);
    SmallVector<Value> bindings;
    for (AffineExpr expr : exprs)
      bindings.push_back(space.materializeValue(rewriter, block.getLoc(),
                                                bounds.simplify(expr)));
    rewriter.modifyOpInPlace(block, [&] {
      block.getBindingsMutable().assign(bindings);
      setGuard(block, space, guard);
    });
  });
  eraseDeadIndexOps(rewriter, root);
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

/// Rebuilds the condition of an affine.if over the inputs of its operands, and
/// takes the branch if the condition always holds.
static void normalizeCondition(RewriterBase &rewriter, affine::AffineIfOp op) {
  IndexSpace space(op.getContext());
  SmallVector<AffineExpr> needed = getNeededConstraints(
      getConstraints(op.getIntegerSet(), op.getOperands(), space), space);
  if (needed.empty()) {
    Block *taken = op.getThenBlock();
    SmallVector<Value> yielded(taken->getTerminator()->getOperands());
    rewriter.eraseOp(taken->getTerminator());
    rewriter.inlineBlockBefore(taken, op);
    rewriter.replaceOp(op, yielded);
    return;
  }
  SmallVector<Value> operands;
  IntegerSet set = space.getSet(needed, operands);
  rewriter.modifyOpInPlace(op, [&] { op.setConditional(set, operands); });
}

/// An index that depends on data does not fit an affine.load.
static void convertToIndexedLoad(RewriterBase &rewriter,
                                 affine::AffineLoadOp load) {
  AffineMap map = load.getAffineMap();
  SmallVector<Value> indices;
  for (AffineExpr expr : map.getResults())
    indices.push_back(affine::AffineApplyOp::create(
        rewriter, load.getLoc(),
        AffineMap::get(map.getNumDims(), map.getNumSymbols(), expr),
        load.getMapOperands()));
  rewriter.replaceOpWithNewOp<memref::LoadOp>(load, load.getMemRef(), indices);
}

/// Rebuilds one access of a single element with a simplified map.
static void normalizeAccess(RewriterBase &rewriter, BlockOp block,
                            const BufferAccess &access) {
  Operation *op = access.op;
  bool isLoad = isa<affine::AffineLoadOp, memref::LoadOp>(op) &&
                op->getOperand(0) == access.buffer;
  bool isStore = isa<affine::AffineStoreOp, memref::StoreOp>(op) &&
                 op->getOperand(1) == access.buffer;
  if (!isLoad && !isStore)
    return;

  IndexSpace space(block.getContext());
  SmallVector<AffineExpr> inputs, symbols;
  for (Value iterVar : block.getIterVars())
    inputs.push_back(space.getExpr(iterVar));
  for (Value symbol : access.symbols)
    symbols.push_back(space.getExpr(symbol));
  IndexBounds bounds = space.getBounds();
  SmallVector<AffineExpr> results;
  for (AffineExpr expr : access.map->getResults())
    results.push_back(
        bounds.simplify(expr.replaceDimsAndSymbols(inputs, symbols)));
  AffineMap map =
      AffineMap::get(space.getDims().size(), space.getSymbols().size(), results,
                     block.getContext());
  if (isLoad) {
    rewriter.replaceOp(op,
                       createLoad(rewriter, op->getLoc(), access.buffer, map,
                                  space.getDims(), space.getSymbols()));
  } else {
    createStore(rewriter, op->getLoc(), op->getOperand(0), access.buffer, map,
                space.getDims(), space.getSymbols());
    rewriter.eraseOp(op);
  }
}

void mlir::tir::normalizeAccesses(RewriterBase &rewriter, BlockOp block) {
  OpBuilder::InsertionGuard insertion(rewriter);
  SmallVector<affine::AffineIfOp> conditions;
  block.walk([&](affine::AffineIfOp op) { conditions.push_back(op); });
  for (affine::AffineIfOp op : conditions)
    normalizeCondition(rewriter, op);

  for (const BufferAccess &access : collectAccesses(block)) {
    rewriter.setInsertionPoint(access.op);
    auto load = dyn_cast<affine::AffineLoadOp>(access.op);
    if (access.map)
      normalizeAccess(rewriter, block, access);
    else if (load && load.getMemRef() == access.buffer)
      convertToIndexedLoad(rewriter, load);
  }

  SmallVector<Operation *> ops;
  block.getRegion().walk([&](Operation *op) { ops.push_back(op); });
  for (Operation *op : llvm::reverse(ops))
    if (isOpTriviallyDead(op))
      rewriter.eraseOp(op);
  rewriter.modifyOpInPlace(block, [&] { block.updateAccessRegions(); });
}

void mlir::tir::setArgumentType(PrimFuncOp function, BlockArgument argument,
                                Type type) {
  argument.setType(type);
  SmallVector<Type> types(function.getArgumentTypes());
  types[argument.getArgNumber()] = type;
  function.setFunctionType(FunctionType::get(function.getContext(), types, {}));
}
