//===- CompositePatterns.cpp - Patterns from PDL --------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/Transforms/CompositePatterns.h"

#include "relay-mlir/Dialect/Relay/IR/OperatorSchema.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"

#include "mlir/Dialect/PDL/IR/PDL.h"
#include "mlir/Dialect/PDL/IR/PDLOps.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/TypeSwitch.h"

#include <map>

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::dataflow;

namespace {
/// Makes a pattern of one `pdl.pattern`. Its operations are in an order in
/// which each comes after its operands, so one walk will do.
class Converter {
public:
  explicit Converter(pdl::PatternOp pattern) : pattern(pattern) {}

  FailureOr<CompositePattern> run();

private:
  LogicalResult convert(Operation *op);
  LogicalResult convertOperation(pdl::OperationOp op);
  LogicalResult collectConstraint(pdl::ApplyNativeConstraintOp op);
  FailureOr<PatternPtr> makeOperation(pdl::OperationOp op);
  FailureOr<PatternPtr> makeOperator(pdl::OperationOp op);
  LogicalResult addAttributes(pdl::OperationOp op, PatternPtr &result);
  /// The operands, or none for `pdl.operands`, which are any.
  std::optional<PatternList> getOperands(pdl::OperationOp op);

  pdl::PatternOp pattern;
  DenseMap<Value, PatternPtr> patterns;
  /// Values that must be constants.
  DenseSet<Value> constants;
};
} // namespace

static bool isOfRelay(StringRef name) {
  return name.split('.').first == RelayDialect::getDialectNamespace();
}

/// The operator of relay that an operation is, or null.
static const OperatorSchema *getSchema(StringRef name) {
  return isOfRelay(name) ? getOperatorSchema(name.split('.').second) : nullptr;
}

/// Lists as Relay text has them.
static Attribute toRawAttr(Attribute attr) {
  auto makeList = [&](auto list, auto makeElement) {
    Builder builder(attr.getContext());
    SmallVector<Attribute> elements;
    for (auto element : list.asArrayRef())
      elements.push_back(makeElement(builder, element));
    return builder.getArrayAttr(elements);
  };
  auto makeInt = [](Builder &builder, int64_t value) -> Attribute {
    return builder.getI64IntegerAttr(value);
  };
  auto makeFloat = [](Builder &builder, double value) -> Attribute {
    return builder.getF64FloatAttr(value);
  };
  return llvm::TypeSwitch<Attribute, Attribute>(attr)
      .Case<DenseI64ArrayAttr, DenseI32ArrayAttr, DenseBoolArrayAttr>(
          [&](auto list) { return makeList(list, makeInt); })
      .Case<DenseF64ArrayAttr, DenseF32ArrayAttr>(
          [&](auto list) { return makeList(list, makeFloat); })
      .Default([](Attribute attr) { return attr; });
}

LogicalResult Converter::collectConstraint(pdl::ApplyNativeConstraintOp op) {
  if (op.getName() != "is_constant")
    return op.emitError("expects the constraint 'is_constant', but got '")
           << op.getName() << "'";
  if (op.getIsNegated() || op.getArgs().size() != 1 ||
      !isa_and_present<pdl::OperandOp>(op.getArgs()[0].getDefiningOp()))
    return op.emitError("expects 'is_constant' of one operand");
  constants.insert(op.getArgs().front());
  return success();
}

std::optional<PatternList> Converter::getOperands(pdl::OperationOp op) {
  PatternList operands;
  for (Value operand : op.getOperandValues()) {
    if (isa<pdl::OperandsOp>(operand.getDefiningOp()))
      return std::nullopt;
    operands.push_back(patterns.lookup(operand));
  }
  return operands;
}

LogicalResult Converter::addAttributes(pdl::OperationOp op,
                                       PatternPtr &result) {
  SmallVector<NamedAttribute> attrs;
  const OperatorSchema *schema = getSchema(*op.getOpName());
  for (auto [name, value] :
       llvm::zip_equal(op.getAttributeValueNames().getAsRange<StringAttr>(),
                       op.getAttributeValues())) {
    if (schema && !schema->takesAnyAttribute &&
        !schema->lookupAttribute(name.getValue()))
      return op.emitError("expects an attribute of '")
             << *op.getOpName() << "', but got '" << name.getValue() << "'";
    auto attr = value.getDefiningOp<pdl::AttributeOp>();
    if (attr && attr.getValue())
      attrs.emplace_back(name, toRawAttr(*attr.getValue()));
  }
  if (!attrs.empty())
    result = result->hasAttributes(attrs);
  return success();
}

FailureOr<PatternPtr> Converter::makeOperator(pdl::OperationOp op) {
  StringRef name = *op.getOpName();
  const OperatorSchema *schema = getSchema(name);
  if (!schema && isOfRelay(name))
    return op.emitError("expects the name of an operator, but got '")
           << name << "'";
  std::optional<PatternList> operands = getOperands(op);
  PatternPtr callee = isOp(schema ? schema->name : name);
  if (schema && schema->operands.size() == 1 &&
      schema->operands.front().kind == OperandKind::Tuple)
    return callee->call({operands ? isTuple(*operands) : isAnyTuple()});
  if (!operands)
    return callee->callWithAny();
  unsigned least = schema ? schema->getMinArguments() : 0;
  unsigned most = operands->size();
  if (schema)
    most = schema->getMaxArguments().value_or(std::max(most, least));
  if (operands->size() < least || operands->size() > most) {
    InFlightDiagnostic diag = op.emitError("expects ") << least;
    if (most != least)
      diag << " to " << most;
    return diag << " operands of '" << name << "', but got "
                << operands->size();
  }
  return callee->call(std::move(*operands));
}

FailureOr<PatternPtr> Converter::makeOperation(pdl::OperationOp op) {
  if (!op.getOpName())
    return op.emitError("expects the name of an operation");
  StringRef name = *op.getOpName();
  if (name == ConstantOp::getOperationName())
    return isConstant();
  if (name == TupleOp::getOperationName()) {
    std::optional<PatternList> operands = getOperands(op);
    return operands ? isTuple(*operands) : isAnyTuple();
  }
  if (name == TupleGetItemOp::getOperationName()) {
    std::optional<PatternList> operands = getOperands(op);
    if (!operands || operands->size() != 1)
      return op.emitError("expects one operand of '") << name << "'";
    int64_t index = -1;
    for (Value value : op.getAttributeValues())
      if (auto attr = value.getDefiningOp<pdl::AttributeOp>())
        if (auto number = dyn_cast_if_present<IntegerAttr>(
                attr.getValue().value_or(Attribute())))
          index = number.getInt();
    return isTupleGetItem(operands->front(), index);
  }
  FailureOr<PatternPtr> result = makeOperator(op);
  if (failed(result) || failed(addAttributes(op, *result)))
    return failure();
  return result;
}

LogicalResult Converter::convertOperation(pdl::OperationOp op) {
  FailureOr<PatternPtr> result = makeOperation(op);
  if (failed(result))
    return failure();
  for (Value value : op.getTypeValues())
    if (auto type = value.getDefiningOp<pdl::TypeOp>();
        type && type.getConstantType())
      *result = (*result)->hasType(*type.getConstantType());
  patterns[op] = *result;
  return success();
}

LogicalResult Converter::convert(Operation *op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](pdl::OperandOp operand) {
        PatternPtr result =
            constants.contains(operand) ? isConstant() : wildcard();
        if (Value value = operand.getValueType())
          if (auto type = value.getDefiningOp<pdl::TypeOp>();
              type && type.getConstantType())
            result = result->hasType(*type.getConstantType());
        patterns[operand] = result;
        return success();
      })
      .Case([&](pdl::OperationOp operation) {
        return convertOperation(operation);
      })
      .Case([&](pdl::ResultOp result) -> LogicalResult {
        if (result.getIndex() != 0)
          return result.emitError(
              "expects the only result of an operation, but got a second one");
        patterns[result] = patterns.lookup(result.getParent());
        return success();
      })
      .Case([&](pdl::ResultsOp results) {
        patterns[results] = patterns.lookup(results.getParent());
        return success();
      })
      .Case<pdl::TypeOp, pdl::TypesOp, pdl::AttributeOp, pdl::OperandsOp,
            pdl::ApplyNativeConstraintOp, pdl::RewriteOp>(
          [](auto) { return success(); })
      .Default([](Operation *op) {
        return op->emitError("cannot be a part of a pattern of operators");
      });
}

FailureOr<CompositePattern> Converter::run() {
  Block &body = pattern.getBodyRegion().front();
  for (auto constraint : body.getOps<pdl::ApplyNativeConstraintOp>())
    if (failed(collectConstraint(constraint)))
      return failure();
  for (Operation &op : body)
    if (failed(convert(&op)))
      return failure();
  pdl::RewriteOp rewrite = pattern.getRewriter();
  pdl::ApplyNativeRewriteOp composite;
  if (!rewrite.getBodyRegion().empty())
    for (Operation &op : rewrite.getBodyRegion().front())
      if (!isa<pdl::AttributeOp>(op)) {
        auto native = dyn_cast<pdl::ApplyNativeRewriteOp>(op);
        if (!native || native.getName() != "composite" || composite)
          return op.emitError("expects only the rewrite 'composite', with the "
                              "root and a name");
        composite = native;
      }
  if (!composite)
    return rewrite.emitError("expects the rewrite 'composite', with the root "
                             "and a name");
  StringAttr name;
  PatternPtr root;
  if (composite.getArgs().size() == 2) {
    root = patterns.lookup(composite.getArgs()[0]);
    if (auto attr = composite.getArgs()[1].getDefiningOp<pdl::AttributeOp>())
      name = dyn_cast_if_present<StringAttr>(
          attr.getValue().value_or(Attribute()));
  }
  if (!name || !root ||
      !isa<pdl::OperationOp>(composite.getArgs()[0].getDefiningOp()))
    return composite.emitError(
        "expects the root, an operation of the pattern, and a name, a string");
  return CompositePattern{name.str(), root, nullptr};
}

FailureOr<PatternTable> mlir::relay::convertCompositePatterns(ModuleOp module) {
  // Those of a higher benefit first, and else in the order of the file.
  std::multimap<int, pdl::PatternOp> patterns;
  for (Operation &op : *module.getBody()) {
    auto pattern = dyn_cast<pdl::PatternOp>(op);
    if (!pattern)
      return op.emitError("expects a pattern of PDL, but got '")
             << op.getName() << "'";
    patterns.emplace(-static_cast<int>(pattern.getBenefit()), pattern);
  }
  PatternTable table;
  for (auto [benefit, pattern] : patterns) {
    FailureOr<CompositePattern> entry = Converter(pattern).run();
    if (failed(entry))
      return failure();
    table.push_back(std::move(*entry));
  }
  return table;
}
