//===- Gradient.cpp - How gradients of operators are written --------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Gradient.h"

#include "relay-mlir/Dialect/Relay/IR/RelayTransformOps.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::gradients;

SmallVector<int64_t> gradients::getOthers(int64_t axis, int64_t rank) {
  SmallVector<int64_t> result;
  for (int64_t i = 0; i < rank; ++i)
    if (i != axis)
      result.push_back(i);
  return result;
}

bool gradients::isDifferentiable(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && isa<FloatType>(tensor.getElementType());
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

bool Gradient::needs(unsigned operand) const {
  return isDifferentiable(op->getOperand(operand).getType());
}

void Gradient::set(unsigned operand, Term value) {
  if (!needs(operand))
    return;
  Value like = op->getOperand(operand);
  value = castTo(value, getElementTypeOrSelf(like));
  results[operand] = reshapeLike(value, like);
}

void Gradient::setSum(unsigned operand, Term value) {
  if (!needs(operand))
    return;
  Value like = op->getOperand(operand);
  results[operand] =
      collapseLike(castTo(value, getElementTypeOrSelf(like)), like);
}

InFlightDiagnostic Gradient::refuse() {
  InFlightDiagnostic diag = op->emitOpError("expects ");
  diag.attachNote() << "its gradient is not known otherwise; one can be given "
                       "by a function with the attribute FPrimalGradient";
  return diag;
}

//===----------------------------------------------------------------------===//
// Formulas
//===----------------------------------------------------------------------===//

Operation *Gradient::getLastOperation(const OpBuilder &builder) {
  Block *block = builder.getInsertionBlock();
  Block::iterator point = builder.getInsertionPoint();
  return point == block->begin() ? nullptr : &*std::prev(point);
}

LogicalResult Gradient::setByFormula(Term formula) {
  // What is computed from an operand.
  SmallVector<Operation *> made;
  Operation *last = getLastOperation(*this);
  SetVector<Value> active;
  for (Value operand : op->getOperands())
    if (isDifferentiable(operand.getType()))
      active.insert(operand);
  Operation *each = before ? before->getNextNode()
                    : last ? &last->getBlock()->front()
                           : nullptr;
  for (; each && last && each != last->getNextNode();
       each = each->getNextNode()) {
    if (!isDifferentiable(each->getResult(0).getType()) ||
        llvm::none_of(each->getOperands(),
                      [&](Value operand) { return active.contains(operand); }))
      continue;
    made.push_back(each);
    active.insert(each->getResult(0));
  }
  DenseMap<Value, Value> sums;
  sums[formula] = get();
  for (Operation *each : llvm::reverse(made)) {
    Value sum = sums.lookup(each->getResult(0));
    if (!sum)
      continue;
    auto interface = dyn_cast<GradientOpInterface>(each);
    SmallVector<Value> parts(each->getNumOperands());
    if (!interface)
      return op->emitOpError("expects a formula of operators with gradients, "
                             "but got ")
             << each->getName();
    if (failed(interface.buildGradients(*this, sum, parts)))
      return failure();
    for (auto [operand, part] : llvm::zip_equal(each->getOperands(), parts)) {
      if (!part || !active.contains(operand))
        continue;
      Value &known = sums[operand];
      known = known ? (term(known) + term(part)).get() : part;
    }
  }
  for (auto [i, operand] : llvm::enumerate(op->getOperands()))
    if (Value sum = sums.lookup(operand))
      set(i, term(sum));
  return success();
}

//===----------------------------------------------------------------------===//
// Operators that move elements
//===----------------------------------------------------------------------===//

Term Gradient::getPositions(unsigned index) {
  Type i64 = getI64Type();
  SmallVector<Value> operands(op->getOperands());
  for (auto [i, operand] : llvm::enumerate(operands)) {
    Term x = term(operand);
    if (!isDifferentiable(operand.getType()))
      continue;
    Term size = make<NdarraySizeOp>(operand, TypeAttr::get(i64));
    if (x.getType().hasStaticShape())
      size = number(double(x.getType().getNumElements()), i64);
    Term one = number(1, i64);
    Term integers = castTo(zerosLike(x), i64);
    if (i == index) {
      Term numbers =
          make<ArangeOp>(one.get(), (size + one).get(), one.get(), i64);
      integers = reshapeLike(numbers, operand);
    }
    operand = integers;
  }
  OperationState state(getLoc(), op->getName());
  state.addOperands(operands);
  state.addAttributes(op->getAttrs());
  state.addTypes(cast<RankedTensorType>(op->getResult(0).getType()).clone(i64));
  return term(create(state)->getResult(0));
}

void Gradient::setMoved(unsigned operand) {
  if (!needs(operand))
    return;
  Term x = term(op->getOperand(operand)), g = get();
  Term positions = reshape(getPositions(operand), {1, -1});
  // Element 0 takes what is of no use.
  Term flat = reshape(zerosLike(x), {-1});
  Term one = reshape(number(0, flat), {1});
  Term places =
      make<ConcatenateOp>(ValueRange{one.get(), flat.get()}, int64_t(0));
  Term sums = make<ScatterNdOp>(places.get(), positions.get(),
                                reshape(g, {-1}).get(), "add");
  set(operand, make<StridedSliceOp>(
                   sums.get(), ArrayRef<int64_t>{1},
                   ArrayRef<int64_t>{std::numeric_limits<int64_t>::max()},
                   getDenseI64ArrayAttr({1}), "end", DenseI64ArrayAttr()));
}
