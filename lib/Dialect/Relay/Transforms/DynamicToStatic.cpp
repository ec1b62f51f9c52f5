//===- DynamicToStatic.cpp - Attributes of constant operands --------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/Transforms/Passes.h"

#include "Functional.h"

#include "relay-mlir/Dialect/Relay/IR/CreateOperator.h"
#include "relay-mlir/Dialect/Relay/IR/OperatorSchema.h"
#include "relay-mlir/Dialect/Relay/IR/StaticFormInterface.h"
#include "relay-mlir/Dialect/Relay/Transforms/InferTypes.h"
#include "relay-mlir/Interpreter/Tensor.h"
#include "relay-mlir/Support/SilentDiagnostics.h"

#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Pass/PassManager.h"

namespace mlir::relay {
#define GEN_PASS_DEF_DYNAMICTOSTATICPASS
#include "relay-mlir/Dialect/Relay/Transforms/Passes.h.inc"
} // namespace mlir::relay

using namespace mlir;
using namespace mlir::relay;

/// A value with variables, and declared types that say no more than it, looked
/// through.
static Value lookThrough(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    auto ascribe = dyn_cast<AscribeOp>(op);
    if (!isa<LetOp>(op) && (!ascribe || ascribe.isChecked()))
      break;
    value = op->getOperand(0);
  }
  return value;
}

/// The raw form of an attribute of a kind, of numbers; null if they do not fit.
static Attribute makeAttribute(Builder &builder, AttrKind kind,
                               const Tensor &tensor) {
  int64_t count = tensor.getNumElements();
  SmallVector<double> numbers(count);
  tensor.load<double>(0, 1, count, numbers.data());
  SmallVector<Attribute> list;
  for (double number : numbers) {
    if (kind == AttrKind::Float || kind == AttrKind::Floats) {
      list.push_back(builder.getF64FloatAttr(number));
      continue;
    }
    // Whole numbers, which may be written as floats.
    if (number != static_cast<double>(static_cast<int64_t>(number)))
      return nullptr;
    list.push_back(builder.getI64IntegerAttr(static_cast<int64_t>(number)));
  }
  switch (kind) {
  case AttrKind::Int:
  case AttrKind::Float:
    return count == 1 ? list.front() : Attribute();
  case AttrKind::Pairs: {
    if (tensor.getRank() != 2 || tensor.getDimSize(1) != 2)
      return nullptr;
    SmallVector<Attribute> pairs;
    for (int64_t i = 0; i != count; i += 2)
      pairs.push_back(builder.getArrayAttr({list[i], list[i + 1]}));
    return builder.getArrayAttr(pairs);
  }
  case AttrKind::Ints:
  case AttrKind::Floats:
  case AttrKind::IntOrInts:
    return builder.getArrayAttr(list);
  default:
    return nullptr;
  }
}

/// The contents of a constant operand; none if it is not constant.
static std::optional<Tensor> getConstant(Value operand) {
  auto constant = lookThrough(operand).getDefiningOp<ConstantOp>();
  if (!constant)
    return std::nullopt;
  FailureOr<Tensor> tensor =
      Tensor::get(constant.getValue(), [&]() { return constant.emitError(); });
  return succeeded(tensor) ? std::optional<Tensor>(*tensor) : std::nullopt;
}

/// Makes the operator with attributes for constant operands before `op`.
/// Returns null if an operand is not constant, or it would not fit.
static Operation *makeStatic(StaticFormOpInterface op) {
  StringRef name = op.getStaticName();
  const OperatorSchema *schema = getOperatorSchema(name);
  if (!schema)
    return nullptr;
  OpBuilder builder(op);
  SmallVector<Value> operands;
  NamedAttrList raw;
  for (NamedAttribute attr : toRawAttrs(op))
    if (schema->lookupAttribute(attr.getName()))
      raw.append(attr);
  ArrayRef<AttributeOperand> attributes = op.getAttributeOperands();
  for (auto [number, operand] : llvm::enumerate(op->getOperands())) {
    auto *attribute = llvm::find_if(
        attributes, [n = number](auto &each) { return each.operand == n; });
    if (attribute == attributes.end()) {
      operands.push_back(operand);
      continue;
    }
    std::optional<Tensor> tensor = getConstant(operand);
    const AttributeSchema *kind = schema->lookupAttribute(attribute->attribute);
    Attribute value = tensor && kind
                          ? makeAttribute(builder, kind->kind, *tensor)
                          : Attribute();
    if (!value)
      return nullptr;
    raw.set(attribute->attribute, value);
  }
  FailureOr<NamedAttrList> attrs =
      convertRawAttrs(*schema, raw.getAttrs(), op->getContext());
  if (failed(attrs))
    return nullptr;
  Type type = op->getResult(0).getType();
  auto apply =
      ApplyOp::create(builder, op->getLoc(), type, builder.getStringAttr(name),
                      operands, attrs->getDictionary(op->getContext()));
  FailureOr<Operation *> result = createOperator(builder, apply);
  apply.erase();
  if (failed(result))
    return nullptr;
  Operation *made = *result;
  auto inference = dyn_cast<InferTypeOpInterface>(made);
  SmallVector<Type> types;
  if (inference &&
      succeeded(inference.inferReturnTypes(
          op->getContext(), std::nullopt, made->getOperands(),
          made->getDiscardableAttrDictionary(), made->getPropertiesStorage(),
          made->getRegions(), types)) &&
      types.size() == 1 && areCompatible(type, types[0])) {
    made->getResult(0).setType(types[0]);
    if (succeeded(made->getName().verifyInvariants(made)))
      return made;
  }
  made->erase();
  return nullptr;
}

namespace {

struct DynamicToStaticPass
    : relay::impl::DynamicToStaticPassBase<DynamicToStaticPass> {
  void runOnOperation() override {
    OpPassManager folding(ModuleOp::getOperationName());
    folding.addNestedPass<func::FuncOp>(createFoldConstantPass());
    do {
      if (failed(runPipeline(folding, getOperation())))
        return signalPassFailure();
    } while (replaceAll());
  }

private:
  /// Returns whether there may be more constants now.
  bool replaceAll() {
    SmallVector<StaticFormOpInterface> operators;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (isOptimizable(function))
        function.walk(
            [&](StaticFormOpInterface op) { operators.push_back(op); });
    bool changed = false;
    {
      // What does not fit is an error when the operator runs.
      SilentDiagnostics silence(&getContext());
      for (StaticFormOpInterface op : operators) {
        Operation *made = makeStatic(op);
        if (!made)
          continue;
        op->replaceAllUsesWith(made);
        op->erase();
        ++numReplaced;
        changed = true;
      }
    }
    if (changed && failed(propagateTypes(getOperation()))) {
      signalPassFailure();
      return false;
    }
    return changed;
  }
};

} // namespace
