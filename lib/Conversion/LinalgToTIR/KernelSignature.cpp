//===- KernelSignature.cpp - Shapes that kernels are called with ----------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Changes the shapes that a kernel is called with, together with all of its
// calls. The elements and their order stay, so that a call only has to reshape
// what it passes and gets back. Two users: CollapseKernels.cpp, and kernels
// that begin or end with a reshape, which becomes the caller's here.
//
//===----------------------------------------------------------------------===//

#include "KernelSignature.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "relay-mlir/Dialect/Relax/IR/SymbolicExpr.h"

using namespace mlir;
using namespace mlir::tir;

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// `value` under the shape of `type`.
static Value reshape(OpBuilder &builder, Value value,
                     relax::SymbolicTensorType type) {
  if (value.getType() == type)
    return value;
  Value root = relax::getReshapeRoot(value);
  if (root.getType() == type)
    return root;
  OpBuilder::InsertionGuard guard(builder);
  // A constant stays one, beside the old one.
  auto constant = root.getDefiningOp<relax::ConstantOp>();
  if (constant)
    builder.setInsertionPointAfter(constant);
  return builder.createOrFold<relax::ReshapeOp>(value.getLoc(), type, root);
}

void mlir::tir::reshapeCall(relax::CallTIROp call, CallTypeFn getType) {
  OpBuilder builder(call);
  unsigned index = 0;
  for (OpOperand &operand : call->getOpOperands()) {
    auto type = cast<relax::SymbolicTensorType>(operand.get().getType());
    Value old = operand.get();
    operand.set(reshape(builder, old, getType(index++, type)));
    Operation *producer = old.getDefiningOp();
    if (isa_and_nonnull<relax::ConstantOp, relax::ReshapeOp>(producer) &&
        producer->use_empty())
      producer->erase();
  }
  builder.setInsertionPointAfter(call);
  for (OpResult result : call->getResults()) {
    auto type = cast<relax::SymbolicTensorType>(result.getType());
    relax::SymbolicTensorType newType = getType(index++, type);
    if (type == newType)
      continue;
    result.setType(newType);
    auto restored =
        relax::ReshapeOp::create(builder, call.getLoc(), type, result);
    result.replaceAllUsesExcept(restored, restored);
  }
}

//===----------------------------------------------------------------------===//
// Reshapes at the boundary
//===----------------------------------------------------------------------===//

namespace {

/// A dimension of one tensor for some of the other, or the other way round.
struct Regrouping {
  RankedTensorType type;
  SmallVector<ReassociationIndices> groups;
  /// Whether the new type has the groups, and the old one single dimensions.
  bool splits = false;

  /// Whether sizes that are not known pass through.
  bool isSupported(RankedTensorType old) const {
    RankedTensorType fine = splits ? type : old;
    // The sizes of the one are not among those of the other, a scalar.
    if (groups.empty())
      return type.hasStaticShape() && old.hasStaticShape();
    return llvm::all_of(groups, [&](const ReassociationIndices &group) {
      return group.size() == 1 || llvm::all_of(group, [&](int64_t dim) {
               return !fine.isDynamicDim(dim);
             });
    });
  }

  relax::SymbolicTensorType apply(relax::SymbolicTensorType old) const {
    relax::SymbolScope scope(old.getContext());
    SmallVector<AffineExpr> sizes = scope.import(old.getShape()), newSizes;
    auto constant = [&](int64_t dim) {
      return getAffineConstantExpr(type.getDimSize(dim), old.getContext());
    };
    // A scalar has no dimension to group the ones of the other tensor by.
    if (groups.empty())
      for (int64_t dim = 0; dim != type.getRank(); ++dim)
        newSizes.push_back(constant(dim));
    for (auto [position, group] : llvm::enumerate(groups)) {
      if (group.size() == 1)
        newSizes.push_back(sizes[splits ? position : group.front()]);
      else if (splits)
        llvm::append_range(newSizes, llvm::map_range(group, constant));
      else
        newSizes.push_back(constant(position));
    }
    return relax::SymbolicTensorType::get(
        scope.makeShape(newSizes), old.getElementType(), old.getDevice());
  }
};

} // namespace

/// What `op` makes of its operand; nothing if it is no regrouping.
static std::optional<Regrouping> getRegrouping(Operation *op) {
  if (!isa_and_nonnull<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op))
    return std::nullopt;
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
    return Regrouping{type, expand.getReassociationIndices(), true};
  auto collapse = cast<tensor::CollapseShapeOp>(op);
  return Regrouping{type, collapse.getReassociationIndices(), false};
}

/// The regrouping that is the only use of an argument.
static std::optional<Regrouping> getOnlyUse(BlockArgument argument) {
  if (argument.use_empty())
    return std::nullopt;
  std::optional<Regrouping> first = getRegrouping(*argument.getUsers().begin());
  if (!first || !first->isSupported(cast<RankedTensorType>(argument.getType())))
    return std::nullopt;
  for (Operation *user : argument.getUsers()) {
    std::optional<Regrouping> other = getRegrouping(user);
    if (!other || other->type != first->type || other->groups != first->groups)
      return std::nullopt;
  }
  return first;
}

/// What undoes the regrouping that a returned value comes from. A kernel that
/// computes nothing else stays as it is.
static std::optional<Regrouping> getInverse(Value returned) {
  Operation *op = returned.getDefiningOp();
  std::optional<Regrouping> regrouping = getRegrouping(op);
  if (!regrouping || !op->getOperand(0).getDefiningOp())
    return std::nullopt;
  auto type = cast<RankedTensorType>(op->getOperand(0).getType());
  Regrouping inverse{type, regrouping->groups, !regrouping->splits};
  if (!inverse.isSupported(cast<RankedTensorType>(returned.getType())))
    return std::nullopt;
  return inverse;
}

/// An empty tensor needs no change of shape.
static void foldEmptyReshapes(func::FuncOp kernel) {
  SmallVector<Operation *> reshapes;
  for (Operation &op : kernel.getBody().front())
    if (getRegrouping(&op) && op.getOperand(0).getDefiningOp<tensor::EmptyOp>())
      reshapes.push_back(&op);
  for (Operation *op : reshapes) {
    auto empty = op->getOperand(0).getDefiningOp<tensor::EmptyOp>();
    std::optional<Regrouping> regrouping = getRegrouping(op);
    if (!regrouping->isSupported(empty.getType()))
      continue;
    OpBuilder builder(op);
    op->getResult(0).replaceAllUsesWith(tensor::EmptyOp::create(
        builder, op->getLoc(), regrouping->type, empty.getDynamicSizes()));
    op->erase();
    if (empty->use_empty())
      empty->erase();
  }
}

void mlir::tir::dropBoundaryReshapes(func::FuncOp kernel,
                                     ArrayRef<relax::CallTIROp> calls) {
  foldEmptyReshapes(kernel);
  Block &body = kernel.getBody().front();
  Operation *terminator = body.getTerminator();
  unsigned numArguments = body.getNumArguments();
  llvm::SmallDenseMap<unsigned, Regrouping> changes;
  for (BlockArgument argument : body.getArguments()) {
    std::optional<Regrouping> change = getOnlyUse(argument);
    if (!change)
      continue;
    SmallVector<Operation *> users(argument.getUsers());
    argument.setType(change->type);
    for (Operation *user : users) {
      user->getResult(0).replaceAllUsesWith(argument);
      user->erase();
    }
    changes.try_emplace(argument.getArgNumber(), *change);
  }
  for (OpOperand &returned : terminator->getOpOperands()) {
    std::optional<Regrouping> change = getInverse(returned.get());
    if (!change)
      continue;
    Operation *op = returned.get().getDefiningOp();
    returned.set(op->getOperand(0));
    if (op->use_empty())
      op->erase();
    changes.try_emplace(numArguments + returned.getOperandNumber(), *change);
  }
  if (changes.empty())
    return;
  kernel.setFunctionType(FunctionType::get(kernel.getContext(),
                                           body.getArgumentTypes(),
                                           terminator->getOperandTypes()));
  for (relax::CallTIROp call : calls)
    reshapeCall(call, [&](unsigned index, relax::SymbolicTensorType type) {
      auto change = changes.find(index);
      return change == changes.end() ? type : change->second.apply(type);
    });
}
