//===- ShapeReifier.cpp - Result shapes of kernels ------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Follows the index arithmetic in a kernel of linalg from the sizes of its
// results back to those of its arguments, and writes it as expressions of
// relax. Sizes that a kernel only assumes to be equal, large enough or 1 come
// out as assumptions, which main checks before a run. Arithmetic that has no
// expression ends in an error that names the operation.
//
//===----------------------------------------------------------------------===//

#include "ShapeReifier.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "relay-mlir/Dialect/Relax/IR/SymbolicExpr.h"
#include "relay-mlir/Dialect/TIR/IR/TIR.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::relay::detail;

ShapeReifier::ShapeReifier(func::FuncOp kernel, DefineExtremum defineExtremum)
    : kernel(kernel.clone()), defineExtremum(std::move(defineExtremum)) {}

AffineExpr ShapeReifier::getConstant(int64_t value) {
  return getAffineConstantExpr(value, kernel.get()->getContext());
}

FailureOr<AffineExpr> ShapeReifier::giveUp(Operation *op) {
  // The first operation is the cause; its users fail because of it.
  if (!unknown)
    unknown = op;
  return failure();
}

FailureOr<SmallVector<Dims>>
ShapeReifier::getResultShapes(Operation *call, ArrayRef<Dims> argumentShapes) {
  arguments = argumentShapes;
  dims.clear();
  indices.clear();
  unknown = nullptr;

  auto returnOp =
      cast<func::ReturnOp>(kernel.get().getBody().front().getTerminator());
  SmallVector<Dims> shapes;
  for (auto [index, result] : llvm::enumerate(returnOp.getOperands())) {
    Dims &shape = shapes.emplace_back();
    auto type = cast<RankedTensorType>(result.getType());
    for (int64_t dim = 0, e = type.getRank(); dim != e; ++dim) {
      FailureOr<AffineExpr> size = getDim(result, dim);
      if (succeeded(size)) {
        shape.push_back(*size);
        continue;
      }
      InFlightDiagnostic diag =
          call->emitOpError()
          << "expects dimension " << dim << " of result " << index << " of @"
          << kernel.get().getSymName()
          << " to be an expression over the shapes of its arguments";
      if (unknown)
        diag.attachNote(unknown->getLoc())
            << "the size depends on '" << unknown->getName()
            << "', which is not understood";
      return diag;
    }
  }
  return shapes;
}

std::optional<SmallVector<unsigned>> ShapeReifier::getForwardedArguments() {
  // What no result needs is a check, which has to run.
  if (!kernel.get().getBody().getOps<tir::OpaqueOp>().empty())
    return std::nullopt;
  auto returnOp =
      cast<func::ReturnOp>(kernel.get().getBody().front().getTerminator());
  SmallVector<unsigned> numbers;
  for (Value value : returnOp.getOperands()) {
    while (Operation *op = value.getDefiningOp()) {
      if (!isa<tensor::CastOp, tensor::CollapseShapeOp, tensor::ExpandShapeOp,
               tensor::ReshapeOp>(op))
        return std::nullopt;
      value = op->getOperand(0);
    }
    numbers.push_back(cast<BlockArgument>(value).getArgNumber());
  }
  return numbers;
}

//===----------------------------------------------------------------------===//
// Assumptions
//===----------------------------------------------------------------------===//

void ShapeReifier::walkEqualSizes(
    Operation *op, function_ref<void(AffineExpr, AffineExpr)> callback) {
  auto compare = [&](Value lhs, int64_t lhsDim, Value rhs, int64_t rhsDim) {
    FailureOr<AffineExpr> lhsSize = getDim(lhs, lhsDim);
    FailureOr<AffineExpr> rhsSize = getDim(rhs, rhsDim);
    if (succeeded(lhsSize) && succeeded(rhsSize))
      callback(*lhsSize, *rhsSize);
  };
  // Dimensions that are indexed by the same loop alone have its extent.
  auto compareByMaps = [&](ValueRange tensors, ArrayRef<AffineMap> maps) {
    DenseMap<AffineExpr, std::pair<Value, int64_t>> extents;
    for (auto [tensor, map] : llvm::zip_equal(tensors, maps))
      for (auto [position, expr] : llvm::enumerate(map.getResults())) {
        if (!isa<AffineDimExpr>(expr))
          continue;
        auto [it, isNew] = extents.try_emplace(expr, tensor, position);
        if (!isNew)
          compare(it->second.first, it->second.second, tensor, position);
      }
  };
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op)) {
    compareByMaps(op->getOperands(), linalgOp.getIndexingMapsArray());
  } else if (auto opaque = dyn_cast<tir::OpaqueOp>(op)) {
    if (std::optional<ArrayAttr> sizes = opaque.getSizes())
      compareByMaps(op->getOperands(),
                    llvm::to_vector(sizes->getAsValueRange<AffineMapAttr>()));
  } else if (auto cast = dyn_cast<tensor::CastOp>(op)) {
    auto type = dyn_cast<RankedTensorType>(cast.getType());
    for (int64_t dim = 0, e = type ? type.getRank() : 0; dim != e; ++dim)
      compare(cast.getSource(), dim, cast.getDest(), dim);
  } else if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op)) {
    for (auto [dim, group] :
         llvm::enumerate(expand.getReassociationIndices())) {
      FailureOr<AffineExpr> whole = getDim(expand.getSrc(), dim);
      SmallVector<AffineExpr> parts;
      for (int64_t part : group)
        if (FailureOr<AffineExpr> size = getDim(expand.getResult(), part);
            succeeded(size))
          parts.push_back(*size);
      if (succeeded(whole) && parts.size() == group.size())
        callback(*whole,
                 relax::canonicalizeSymbolicExpr(
                     relax::getSymbolicProduct(parts, op->getContext())));
    }
  } else if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op)) {
    // The dimensions of other results are groups of those of the source.
    int64_t rank = collapse.getSrcType().getRank();
    for (int64_t dim = 0;
         dim != rank && collapse.getResultType().getRank() == 0; ++dim)
      if (FailureOr<AffineExpr> size = getDim(collapse.getSrc(), dim);
          succeeded(size))
        callback(*size, getConstant(1));
  } else if (auto assertion = dyn_cast<cf::AssertOp>(op)) {
    auto compare = assertion.getArg().getDefiningOp<arith::CmpIOp>();
    if (!compare || compare.getPredicate() != arith::CmpIPredicate::eq)
      return;
    FailureOr<AffineExpr> lhs = getIndex(OpFoldResult(compare.getLhs()));
    FailureOr<AffineExpr> rhs = getIndex(OpFoldResult(compare.getRhs()));
    if (succeeded(lhs) && succeeded(rhs))
      callback(*lhs, *rhs);
  } else if (auto concat = dyn_cast<tensor::ConcatOp>(op)) {
    Value first = concat.getInputs().front();
    for (Value input : concat.getInputs().drop_front())
      for (int64_t dim = 0, e = concat.getRank(); dim != e; ++dim)
        if (dim != static_cast<int64_t>(concat.getDim()))
          compare(first, dim, input, dim);
  }
}

/// A slice from the start of a tensor lies inside of it.
void ShapeReifier::addSliceBounds(tensor::ExtractSliceOp slice,
                                  Pairs &atLeast) {
  SmallVector<OpFoldResult> sizes = slice.getMixedSizes();
  for (auto [dim, size] : llvm::enumerate(sizes)) {
    if (!isZeroInteger(slice.getMixedOffsets()[dim]) ||
        !isOneInteger(slice.getMixedStrides()[dim]))
      continue;
    FailureOr<AffineExpr> whole = getDim(slice.getSource(), dim);
    FailureOr<AffineExpr> part = getIndex(size);
    if (succeeded(whole) && succeeded(part) &&
        !relax::isProvablyGreaterEqual(*whole, *part))
      atLeast.push_back({*whole, *part});
  }
}

/// A size that is asserted to be at least, or at most, another one.
void ShapeReifier::addAssertedBound(cf::AssertOp assertion, Pairs &atLeast) {
  auto compare = assertion.getArg().getDefiningOp<arith::CmpIOp>();
  if (!compare)
    return;
  Value larger = compare.getLhs(), smaller = compare.getRhs();
  if (compare.getPredicate() == arith::CmpIPredicate::sle)
    std::swap(larger, smaller);
  else if (compare.getPredicate() != arith::CmpIPredicate::sge)
    return;
  FailureOr<AffineExpr> size = getIndex(OpFoldResult(larger));
  FailureOr<AffineExpr> bound = getIndex(OpFoldResult(smaller));
  if (succeeded(size) && succeeded(bound) &&
      !relax::isProvablyGreaterEqual(*size, *bound))
    atLeast.push_back({*size, *bound});
}

/// A size that is repeated if it is 1: the kernel asserts that it is 1 or the
/// other.
void ShapeReifier::addBroadcasts(cf::AssertOp assertion, Pairs &broadcast) {
  auto either = assertion.getArg().getDefiningOp<arith::OrIOp>();
  if (!either)
    return;
  auto isOne = either.getLhs().getDefiningOp<arith::CmpIOp>();
  auto isEqual = either.getRhs().getDefiningOp<arith::CmpIOp>();
  if (!isOne || !isEqual || isOne.getLhs() != isEqual.getLhs() ||
      !isOneInteger(isOne.getRhs()))
    return;
  FailureOr<AffineExpr> size = getIndex(OpFoldResult(isEqual.getLhs()));
  FailureOr<AffineExpr> target = getIndex(OpFoldResult(isEqual.getRhs()));
  if (succeeded(size) && succeeded(target) && *size != *target &&
      *size != getConstant(1))
    broadcast.push_back({*size, *target});
}

LogicalResult ShapeReifier::getAssumptions(Operation *call,
                                           Assumptions &assumptions) {
  LogicalResult result = success();
  for (Operation &op : kernel.get().getBody().front()) {
    if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
      addSliceBounds(slice, assumptions.atLeast);
    if (auto assertion = dyn_cast<cf::AssertOp>(op)) {
      addAssertedBound(assertion, assumptions.atLeast);
      addBroadcasts(assertion, assumptions.broadcast);
    }
    walkEqualSizes(&op, [&](AffineExpr lhs, AffineExpr rhs) {
      if (lhs == rhs || failed(result))
        return;
      auto difference = dyn_cast<AffineConstantExpr>(
          relax::canonicalizeSymbolicExpr(lhs - rhs));
      if (!difference) {
        assumptions.equal.push_back({lhs, rhs});
        return;
      }
      if (difference.getValue() == 0)
        return;
      InFlightDiagnostic diag = call->emitOpError()
                                << "expects sizes that fit together, but two "
                                   "always differ by "
                                << std::abs(difference.getValue());
      diag.attachNote(op.getLoc()) << "sizes of this '" << op.getName() << "'";
      result = failure();
    });
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Dimensions
//===----------------------------------------------------------------------===//

FailureOr<AffineExpr> ShapeReifier::getDim(Value tensor, int64_t dim) {
  auto type = dyn_cast<RankedTensorType>(tensor.getType());
  if (!type || dim < 0 || dim >= type.getRank())
    return failure();
  if (!type.isDynamicDim(dim))
    return getConstant(type.getDimSize(dim));
  auto it = dims.find({tensor, dim});
  if (it != dims.end())
    return it->second;
  FailureOr<AffineExpr> size = computeDim(tensor, dim);
  if (succeeded(size))
    size = bind(*size, /*isNonNegative=*/true);
  dims.insert({{tensor, dim}, size});
  return size;
}

FailureOr<AffineExpr> ShapeReifier::computeDim(Value tensor, int64_t dim) {
  if (auto argument = dyn_cast<BlockArgument>(tensor)) {
    if (argument.getOwner() != &kernel.get().getBody().front())
      return giveUp(argument.getOwner()->getParentOp());
    return arguments[argument.getArgNumber()][dim];
  }
  auto result = cast<OpResult>(tensor);
  Operation *op = result.getOwner();
  // Shorter than what reification emits for these.
  if (isa<tensor::CastOp, tensor::BitcastOp, UnrealizedConversionCastOp>(op))
    return getDim(op->getOperand(0), dim);
  if (auto destinationStyle = dyn_cast<DestinationStyleOpInterface>(op))
    return getDim(destinationStyle.getTiedOpOperand(result)->get(), dim);

  auto [it, inserted] = reified.try_emplace(op);
  if (inserted) {
    OpBuilder builder(op);
    if (failed(reifyResultShapes(builder, op, it->second)))
      it->second.clear();
  }
  ArrayRef<SmallVector<OpFoldResult>> shapes = it->second;
  if (shapes.size() <= result.getResultNumber())
    return giveUp(op);
  return getIndex(shapes[result.getResultNumber()][dim]);
}

//===----------------------------------------------------------------------===//
// Index arithmetic
//===----------------------------------------------------------------------===//

FailureOr<AffineExpr> ShapeReifier::getIndex(OpFoldResult index) {
  if (std::optional<int64_t> constant = getConstantIntValue(index)) {
    auto value = dyn_cast<Value>(index);
    // As a number with a sign, true is -1.
    bool isCondition = value && value.getType().isInteger(1);
    return getConstant(isCondition ? *constant != 0 : *constant);
  }
  auto value = cast<Value>(index);
  auto result = dyn_cast<OpResult>(value);
  if (!result)
    return giveUp(value.getParentBlock()->getParentOp());
  auto it = indices.find(value);
  if (it != indices.end())
    return it->second;
  FailureOr<AffineExpr> expr = computeIndex(result.getOwner(), result);
  if (succeeded(expr))
    expr = bind(*expr, relax::isProvablyGreaterEqual(*expr, getConstant(0)));
  indices.insert({value, expr});
  return expr;
}

FailureOr<SmallVector<AffineExpr>> ShapeReifier::getIndices(ValueRange values) {
  SmallVector<AffineExpr> exprs;
  for (Value value : values) {
    FailureOr<AffineExpr> expr = getIndex(OpFoldResult(value));
    if (failed(expr))
      return failure();
    exprs.push_back(*expr);
  }
  return exprs;
}

/// The candidate that is provably the largest (or smallest) one, else a symbol
/// for it.
AffineExpr ShapeReifier::getExtremum(ArrayRef<AffineExpr> candidates,
                                     bool max) {
  for (AffineExpr candidate : candidates)
    if (llvm::all_of(candidates, [&](AffineExpr other) {
          return max ? relax::isProvablyGreaterEqual(candidate, other)
                     : relax::isProvablyGreaterEqual(other, candidate);
        }))
      return candidate;
  AffineExpr zero = getConstant(0);
  auto isNonNegative = [&](AffineExpr candidate) {
    return relax::isProvablyGreaterEqual(candidate, zero);
  };
  if (max ? llvm::any_of(candidates, isNonNegative)
          : llvm::all_of(candidates, isNonNegative))
    return defineExtremum(candidates, max);
  // Symbols stand for what is not negative: the first one and by how much
  // others are larger, or it is larger than them.
  AffineExpr extremum = candidates.front();
  for (AffineExpr other : candidates.drop_front()) {
    AffineExpr difference = relax::canonicalizeSymbolicExpr(
        max ? other - extremum : extremum - other);
    AffineExpr excess = getExtremum({difference, zero}, /*max=*/true);
    extremum = relax::canonicalizeSymbolicExpr(max ? extremum + excess
                                                   : extremum - excess);
  }
  return extremum;
}

/// Whether `expr`, as a tree, has more nodes than `budget`, which it takes
/// from.
static bool isLonger(AffineExpr expr, int64_t &budget) {
  if (--budget < 0)
    return true;
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  return binary && (isLonger(binary.getLHS(), budget) ||
                    isLonger(binary.getRHS(), budget));
}

AffineExpr ShapeReifier::bind(AffineExpr expr, bool isNonNegative) {
  expr = relax::canonicalizeSymbolicExpr(expr);
  // Sizes after some strided layers are shorter than that. Longer ones double
  // with each layer that uses a size twice.
  int64_t budget = 48;
  if (!isLonger(expr, budget))
    return expr;
  AffineExpr zero = getConstant(0);
  AffineExpr positive = defineExtremum({expr, zero}, /*isMax=*/true);
  if (isNonNegative)
    return positive;
  return positive -
         defineExtremum({relax::canonicalizeSymbolicExpr(-expr), zero},
                        /*isMax=*/true);
}

AffineExpr ShapeReifier::isAtLeast(AffineExpr lhs, AffineExpr rhs) {
  if (relax::isProvablyGreaterEqual(lhs, rhs))
    return getConstant(1);
  if (relax::isProvablyGreaterEqual(rhs, lhs + 1))
    return getConstant(0);
  // The difference plus 1, cut to what is between 0 and 1.
  AffineExpr above = relax::canonicalizeSymbolicExpr(lhs - rhs + 1);
  AffineExpr positive = getExtremum({above, getConstant(0)}, /*max=*/true);
  return getExtremum({positive, getConstant(1)}, /*max=*/false);
}

AffineExpr ShapeReifier::divideToZero(AffineExpr lhs, AffineExpr rhs,
                                      bool wantsRemainder) {
  // floordiv and mod of magnitudes.
  AffineExpr zero = getConstant(0);
  auto getSign = [&](AffineExpr expr) { return isAtLeast(expr, zero) * 2 - 1; };
  AffineExpr lhsSign = getSign(lhs), rhsSign = getSign(rhs);
  lhs = bind(lhs * lhsSign, /*isNonNegative=*/true);
  rhs = bind(rhs * rhsSign, /*isNonNegative=*/true);
  // A remainder has the sign of what is divided.
  AffineExpr result = wantsRemainder ? lhs % rhs : lhs.floorDiv(rhs);
  AffineExpr sign = wantsRemainder ? lhsSign : lhsSign * rhsSign;
  if (isa<AffineConstantExpr>(sign))
    return result * sign;
  return bind(result * sign, /*isNonNegative=*/false);
}

FailureOr<AffineExpr> ShapeReifier::compare(arith::CmpIOp op) {
  FailureOr<AffineExpr> lhs = getIndex(OpFoldResult(op.getLhs()));
  FailureOr<AffineExpr> rhs = getIndex(OpFoldResult(op.getRhs()));
  if (failed(lhs) || failed(rhs))
    return failure();
  using Predicate = arith::CmpIPredicate;
  AffineExpr one = getConstant(1), zero = getConstant(0);
  bool isUnsigned = llvm::is_contained(
      {Predicate::ult, Predicate::ule, Predicate::ugt, Predicate::uge},
      op.getPredicate());
  if (isUnsigned && (!relax::isProvablyGreaterEqual(*lhs, zero) ||
                     !relax::isProvablyGreaterEqual(*rhs, zero)))
    return failure();
  switch (op.getPredicate()) {
  case Predicate::eq:
    return isAtLeast(*lhs, *rhs) * isAtLeast(*rhs, *lhs);
  case Predicate::ne:
    return one - isAtLeast(*lhs, *rhs) * isAtLeast(*rhs, *lhs);
  case Predicate::slt:
  case Predicate::ult:
    return one - isAtLeast(*lhs, *rhs);
  case Predicate::sle:
  case Predicate::ule:
    return isAtLeast(*rhs, *lhs);
  case Predicate::sgt:
  case Predicate::ugt:
    return one - isAtLeast(*rhs, *lhs);
  case Predicate::sge:
  case Predicate::uge:
    return isAtLeast(*lhs, *rhs);
  }
  return failure();
}

FailureOr<AffineExpr> ShapeReifier::getCondition(Value condition) {
  FailureOr<AffineExpr> expr = getIndex(OpFoldResult(condition));
  if (failed(expr))
    return failure();
  return relax::canonicalizeSymbolicExpr(*expr);
}

FailureOr<AffineExpr> ShapeReifier::computeIndex(Operation *op,
                                                 OpResult result) {
  if (auto dim = dyn_cast<tensor::DimOp>(op)) {
    std::optional<int64_t> index = dim.getConstantIndex();
    return index ? getDim(dim.getSource(), *index) : giveUp(op);
  }
  if (auto select = dyn_cast<arith::SelectOp>(op)) {
    FailureOr<AffineExpr> condition = getCondition(select.getCondition());
    if (failed(condition))
      return giveUp(op);
    // What is not taken may have no expression.
    if (auto known = dyn_cast<AffineConstantExpr>(*condition))
      return getIndex(OpFoldResult(known.getValue() ? select.getTrueValue()
                                                    : select.getFalseValue()));
    FailureOr<AffineExpr> yes = getIndex(OpFoldResult(select.getTrueValue()));
    FailureOr<AffineExpr> no = getIndex(OpFoldResult(select.getFalseValue()));
    if (failed(yes) || failed(no))
      return giveUp(op);
    AffineExpr zero = getConstant(0);
    return bind(*no + (*yes - *no) * *condition,
                relax::isProvablyGreaterEqual(*yes, zero) &&
                    relax::isProvablyGreaterEqual(*no, zero));
  }
  if (auto comparison = dyn_cast<arith::CmpIOp>(op)) {
    FailureOr<AffineExpr> expr = compare(comparison);
    return succeeded(expr) ? expr : giveUp(op);
  }
  if (!isa<affine::AffineApplyOp, affine::AffineMinOp, affine::AffineMaxOp>(
          op) &&
      op->getDialect() !=
          op->getContext()->getLoadedDialect<arith::ArithDialect>())
    return giveUp(op);

  FailureOr<SmallVector<AffineExpr>> operands = getIndices(op->getOperands());
  if (failed(operands))
    return giveUp(op);
  auto applyMap = [&](AffineMap map) {
    ArrayRef<AffineExpr> all = *operands;
    return llvm::map_to_vector(map.getResults(), [&](AffineExpr expr) {
      return expr.replaceDimsAndSymbols(all.take_front(map.getNumDims()),
                                        all.drop_front(map.getNumDims()));
    });
  };
  // Nothing is divided by a constant 0.
  bool divides =
      isa<arith::CeilDivSIOp, arith::CeilDivUIOp, arith::FloorDivSIOp,
          arith::DivUIOp, arith::DivSIOp, arith::RemUIOp, arith::RemSIOp>(op);
  if (divides && operands->back() == getConstant(0))
    return giveUp(op);
  FailureOr<AffineExpr> expr =
      llvm::TypeSwitch<Operation *, FailureOr<AffineExpr>>(op)
          .Case<affine::AffineApplyOp>(
              [&](auto apply) { return applyMap(apply.getAffineMap())[0]; })
          .Case<affine::AffineMinOp>([&](auto min) {
            return getExtremum(applyMap(min.getMap()), /*max=*/false);
          })
          .Case<affine::AffineMaxOp>([&](auto max) {
            return getExtremum(applyMap(max.getMap()), /*max=*/true);
          })
          .Case<arith::MinSIOp, arith::MinUIOp>(
              [&](auto) { return getExtremum(*operands, /*max=*/false); })
          .Case<arith::MaxSIOp, arith::MaxUIOp>(
              [&](auto) { return getExtremum(*operands, /*max=*/true); })
          .Case<arith::AddIOp>(
              [&](auto) { return (*operands)[0] + (*operands)[1]; })
          .Case<arith::SubIOp>(
              [&](auto) { return (*operands)[0] - (*operands)[1]; })
          .Case<arith::MulIOp>(
              [&](auto) { return (*operands)[0] * (*operands)[1]; })
          .Case<arith::CeilDivSIOp, arith::CeilDivUIOp>(
              [&](auto) { return (*operands)[0].ceilDiv((*operands)[1]); })
          .Case<arith::FloorDivSIOp, arith::DivUIOp>(
              [&](auto) { return (*operands)[0].floorDiv((*operands)[1]); })
          .Case<arith::RemUIOp>(
              [&](auto) { return (*operands)[0] % (*operands)[1]; })
          .Case<arith::DivSIOp, arith::RemSIOp>([&](auto) {
            return divideToZero((*operands)[0], (*operands)[1],
                                /*wantsRemainder=*/isa<arith::RemSIOp>(op));
          })
          .Case<arith::AndIOp, arith::OrIOp, arith::XOrIOp>(
              [&](auto) -> FailureOr<AffineExpr> {
                // Of conditions only, which are 0 or 1.
                AffineExpr lhs = (*operands)[0], rhs = (*operands)[1];
                if (!result.getType().isInteger(1))
                  return failure();
                if (isa<arith::AndIOp>(op))
                  return lhs * rhs;
                return lhs + rhs - lhs * rhs * (isa<arith::OrIOp>(op) ? 1 : 2);
              })
          .Case<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtUIOp>(
              [&](auto) { return (*operands)[0]; })
          .Case<arith::ExtSIOp>([&](auto) {
            // A condition that holds is -1.
            return op->getOperand(0).getType().isInteger(1) ? -(*operands)[0]
                                                            : (*operands)[0];
          })
          .Case<arith::TruncIOp>([&](auto) -> FailureOr<AffineExpr> {
            // Sizes are taken to fit into 32 bits.
            if (result.getType().getIntOrFloatBitWidth() < 32)
              return failure();
            return (*operands)[0];
          })
          .Default([](Operation *) { return failure(); });
  if (failed(expr))
    return giveUp(op);
  return expr;
}
