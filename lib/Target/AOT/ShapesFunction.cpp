//===- ShapesFunction.cpp - Sizes of a run, and their conditions ----------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ShapesFunction.h"

#include "relay-mlir/Runtime/ArtifactFormat.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;

using Checked = CodeBuilder::Checked;

FlatSymbolRefAttr ShapesFunction::getText(AffineExpr expr) {
  std::string text;
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr)) {
    text = scope.getNames()[symbol.getPosition()].getValue();
  } else {
    llvm::raw_string_ostream os(text);
    scope.makeShape(expr).printExpr(0, os);
  }
  return data.getString(text);
}

void ShapesFunction::add(CodeBuilder &code, int32_t kind,
                         ArrayRef<AffineExpr> exprs, StringRef subject,
                         Value violation) {
  SmallVector<FlatSymbolRefAttr> texts;
  SmallVector<Value> values;
  llvm::SmallSetVector<int64_t, 4> used;
  for (AffineExpr expr : exprs) {
    texts.push_back(getText(expr));
    Checked value = code.evaluateChecked(expr);
    if (value.overflow)
      value.value =
          LLVM::SelectOp::create(code.builder, code.loc, value.overflow,
                                 code.constant(RELAY_OVERFLOW), value.value);
    values.push_back(value.value);
    code.walkParameters(expr, [&](StringAttr name) {
      used.insert(llvm::find(symbols, name) - symbols.begin());
    });
  }
  using Member = HostData::Member;
  checks.push_back(
      {Member::integer(32, kind), Member::integer(32, exprs.size()),
       Member::pointer(data.getPointers(texts)),
       Member::integer(64, used.size()),
       Member::pointer(data.getIntegers(used.getArrayRef())),
       Member::pointer(subject.empty() ? FlatSymbolRefAttr()
                                       : data.getString(subject))});
  maxValues = std::max<int32_t>(maxValues, exprs.size());
  code.returnIf(violation, checks.size(), values, code.getArgument(3));
}

/// The dividend and the divisor if two sizes are equal just where a remainder
/// is zero, as n and n floordiv 3 * 3 are.
static std::optional<std::pair<AffineExpr, AffineExpr>>
getMultiple(AffineExpr lhs, AffineExpr rhs) {
  for (AffineExpr difference : {lhs - rhs, rhs - lhs}) {
    AffineExpr rest = relax::canonicalizeSymbolicExpr(difference);
    if (rest.getKind() != AffineExprKind::Mod)
      continue;
    auto remainder = cast<AffineBinaryOpExpr>(rest);
    if (isa<AffineConstantExpr>(remainder.getRHS()))
      return std::pair(remainder.getLHS(), remainder.getRHS());
  }
  return std::nullopt;
}

void ShapesFunction::checkPair(CodeBuilder &code, int32_t kind, AffineExpr lhs,
                               AffineExpr rhs) {
  lhs = relax::canonicalizeSymbolicExpr(lhs);
  rhs = relax::canonicalizeSymbolicExpr(rhs);
  if (lhs == rhs)
    return;
  Checked left = code.evaluateChecked(lhs), right = code.evaluateChecked(rhs);
  Value violation =
      code.compare(kind == RELAY_CHECK_AT_LEAST ? LLVM::ICmpPredicate::slt
                                                : LLVM::ICmpPredicate::ne,
                   left.value, right.value);
  if (kind == RELAY_CHECK_BROADCAST) {
    Value isNotOne =
        code.compare(LLVM::ICmpPredicate::ne, left.value, code.constant(1));
    violation =
        LLVM::AndOp::create(code.builder, code.loc, violation, isNotOne);
  }
  violation =
      code.either(violation, code.either(left.overflow, right.overflow));
  if (kind == RELAY_CHECK_EQUAL)
    if (auto multiple = getMultiple(lhs, rhs)) {
      kind = RELAY_CHECK_MULTIPLE;
      std::tie(lhs, rhs) = *multiple;
    }
  add(code, kind, {lhs, rhs}, /*subject=*/"", violation);
}

std::string ShapesFunction::getSubject(Value tensor) {
  auto getName = [](StringAttr name, StringRef kind, unsigned index) {
    return (kind + " '" +
            (name && !name.empty() ? name.str() : (kind + Twine(index)).str()) +
            "'")
        .str();
  };
  if (auto result = tensor.getDefiningOp<relax::ResultBufferOp>())
    return getName(main.getResultAttrOfType<StringAttr>(result.getIndex(),
                                                        relax::kNameAttr),
                   "output", result.getIndex());
  for (OpOperand &use : tensor.getUses())
    if (auto call = dyn_cast<relax::CallKernelOp>(use.getOwner()))
      return ("a tensor of kernel '" + call.getCallee() + "'").str();
  return "an intermediate tensor";
}

LogicalResult ShapesFunction::checkTensor(CodeBuilder &code, Value tensor) {
  auto type = dyn_cast<relax::SymbolicTensorType>(tensor.getType());
  if (!type || !checkedTypes.insert(type).second)
    return success();
  SmallVector<AffineExpr> dims =
      llvm::map_to_vector(scope.import(type.getShape()), [](AffineExpr dim) {
        return relax::canonicalizeSymbolicExpr(dim);
      });
  // Static sizes are known to be right or wrong now, and a zero among them
  // means that there are no bytes.
  int64_t known = type.getElementBytes();
  SmallVector<AffineExpr> unknown;
  bool isEmpty = false, isTooLarge = false;
  for (AffineExpr dim : dims) {
    auto constant = dyn_cast<AffineConstantExpr>(dim);
    if (!constant)
      unknown.push_back(dim);
    else if (constant.getValue() == 0)
      isEmpty = true;
    else
      isTooLarge |= llvm::MulOverflow(known, constant.getValue(), known);
  }
  if (isTooLarge && !isEmpty)
    return emitError(tensor.getLoc())
           << "expects tensors of fewer than 2^63 bytes, but got " << type;
  if (unknown.empty())
    return success();

  Checked bytes{code.constant(known), Value()};
  Value isNegative;
  for (AffineExpr dim : unknown) {
    Checked size = code.evaluateChecked(dim);
    isNegative =
        code.either(isNegative, code.compare(LLVM::ICmpPredicate::slt,
                                             size.value, code.constant(0)));
    // A size that is no number is wrong in an empty tensor, too.
    isNegative = code.either(isNegative, size.overflow);
    bytes = code.multiplyChecked(bytes, {size.value, Value()});
  }
  add(code, RELAY_CHECK_TENSOR, dims, getSubject(tensor),
      isEmpty ? isNegative : code.either(isNegative, bytes.overflow));
  return success();
}

LogicalResult ShapesFunction::build(LLVM::LLVMFuncOp function) {
  CodeBuilder code(function, scope);
  code.loadSymbols(/*index=*/0, main);
  auto checkAll = [&](int32_t kind, relax::ShapeAttr lhs,
                      relax::ShapeAttr rhs) {
    for (auto [left, right] :
         llvm::zip_equal(scope.import(lhs), scope.import(rhs)))
      checkPair(code, kind, left, right);
  };
  Block &body = main.getBody().front();
  for (Operation &op : body)
    if (auto equal = dyn_cast<relax::AssertEqualOp>(op))
      checkAll(RELAY_CHECK_EQUAL, equal.getLhs(), equal.getRhs());
    else if (auto atLeast = dyn_cast<relax::AssertAtLeastOp>(op))
      checkAll(RELAY_CHECK_AT_LEAST, atLeast.getLhs(), atLeast.getRhs());
    else if (auto broadcast = dyn_cast<relax::AssertBroadcastOp>(op))
      checkAll(RELAY_CHECK_BROADCAST, broadcast.getLhs(), broadcast.getRhs());
  // The caller has looked at inputs.
  for (BlockArgument argument : body.getArguments())
    checkedTypes.insert(argument.getType());
  for (Operation &op : body)
    for (Value result : op.getResults())
      if (failed(checkTensor(code, result)))
        return failure();
  for (auto reshape : body.getOps<relax::ReshapeOp>())
    checkPair(code, RELAY_CHECK_EQUAL,
              relax::getNumElements(reshape.getSource().getType(), scope),
              relax::getNumElements(reshape.getType(), scope));

  int64_t position = 0;
  for (Type type : main.getResultTypes())
    for (AffineExpr dim :
         scope.import(cast<relax::SymbolicTensorType>(type).getShape()))
      code.store(code.evaluate(dim),
                 code.element(code.getArgument(1), position++,
                              code.builder.getI64Type()));
  // All of a device, and of all devices for the check.
  SmallVector<Checked> totals(devices.size(),
                              Checked{code.constant(0), Value()});
  Value overflow;
  for (auto storage : body.getOps<relax::AllocStorageOp>()) {
    Checked bytes =
        code.evaluateStorageChecked(scope.import(storage.getSize()));
    Value isNegative =
        code.compare(LLVM::ICmpPredicate::slt, bytes.value, code.constant(0));
    bytes.overflow = code.either(bytes.overflow, isNegative);
    Checked &total = totals[llvm::find(devices, storage.getType().getDevice()) -
                            devices.begin()];
    total = code.addChecked(total, bytes);
  }
  for (const Checked &total : totals)
    overflow = code.either(overflow, total.overflow);
  if (overflow)
    add(code, RELAY_CHECK_ARENA, {}, "all intermediate tensors together",
        overflow);
  for (auto [device, total] : llvm::enumerate(totals))
    code.store(total.value, code.element(code.getArgument(2), device,
                                         code.builder.getI64Type()));
  code.returnZero();
  return success();
}
