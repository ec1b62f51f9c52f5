//===- ToMixedPrecision.cpp - Floats of another size ----------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operators of f32 compute in half precision where it is safe, or those of all
// floats in f32. They are rewritten in the order of the program, in place. A
// value that was of one of these types then may be of the new one; `originals`
// has the type that it had. Whoever needs it in another type than it is gets a
// cast right after the value, which is there for all that need it.
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/Transforms/Passes.h"

#include "Functional.h"
#include "VariableUses.h"

#include "relay-mlir/Dialect/Relay/IR/FunctionAttributes.h"
#include "relay-mlir/Dialect/Relay/IR/OperatorSchema.h"
#include "relay-mlir/Dialect/Relay/IR/PassInterfaces.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Dialect/Relay/IR/ValueNumbers.h"
#include "relay-mlir/Support/SilentDiagnostics.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

#include <cmath>

namespace mlir::relay {
#define GEN_PASS_DEF_TOMIXEDPRECISIONPASS
#define GEN_PASS_DEF_TOSINGLEPRECISIONPASS
#include "relay-mlir/Dialect/Relay/Transforms/Passes.h.inc"
} // namespace mlir::relay

using namespace mlir;
using namespace mlir::relay;

namespace {

enum class Colour { Always, Follow, Never };

/// What is done with operators, by name where programs say so.
struct Rules {
  /// What floats become.
  FloatType type;
  /// Whether f32 is what becomes smaller; otherwise all become f32 that are
  /// not.
  bool isSmaller = true;
  llvm::StringMap<Colour> colours;
  llvm::StringMap<FloatType> sums;
  /// Those that stay as they are.
  DenseSet<Operation *> skipped;

  bool isSource(Type element) const {
    return isSmaller ? element.isF32()
                     : isa<Float16Type, BFloat16Type, Float64Type>(element);
  }
  Type convert(Type type) const;
  Colour getColour(Operation *op) const;
  bool isKnown(Operation *op) const;
};

class Converter {
public:
  Converter(const Rules &rules, bool keepOutputTypes)
      : rules(rules), keepOutputTypes(keepOutputTypes) {}

  void run(func::FuncOp function);

  int64_t numConverted = 0, numCasts = 0;

private:
  void convertBlock(Block &block);
  void convert(Operation &op);
  bool convertOperator(Operation *op);
  void restoreOperands(Operation *op);
  bool canFollow(Operation *op);
  Value castTo(Value value, Type type);
  void setType(Value value, Type type);
  Type getOriginal(Value value) const {
    auto original = originals.find(value);
    return original == originals.end() ? value.getType() : original->second;
  }

  const Rules &rules;
  bool keepOutputTypes;
  DenseMap<Value, Type> originals;
  DenseMap<std::pair<Value, Type>, Value> casts;
};

} // namespace

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// Calls `visit` for the element type of each tensor in a type.
static void visitElements(Type type, llvm::function_ref<void(Type)> visit) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    visit(tensor.getElementType());
  else if (auto tuple = dyn_cast<TupleType>(type))
    for (Type field : tuple.getTypes())
      visitElements(field, visit);
}

/// The type with the floats that those of it become.
Type Rules::convert(Type from) const {
  if (auto tensor = dyn_cast<RankedTensorType>(from))
    return isSource(tensor.getElementType()) ? tensor.clone(type) : from;
  if (auto tuple = dyn_cast<TupleType>(from))
    return TupleType::get(
        from.getContext(),
        llvm::map_to_vector(tuple.getTypes(),
                            [&](Type field) { return convert(field); }));
  return from;
}

/// The type with the element types of another one of the same form.
static Type withElementsOf(Type type, Type other) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  auto otherTensor = dyn_cast<RankedTensorType>(other);
  if (tensor && otherTensor)
    return tensor.clone(otherTensor.getElementType());
  auto tuple = dyn_cast<TupleType>(type);
  auto otherTuple = dyn_cast<TupleType>(other);
  if (!tuple || !otherTuple || tuple.size() != otherTuple.size())
    return type;
  SmallVector<Type> fields;
  for (auto [field, otherField] :
       llvm::zip_equal(tuple.getTypes(), otherTuple.getTypes()))
    fields.push_back(withElementsOf(field, otherField));
  return TupleType::get(type.getContext(), fields);
}

static bool hasF32(Type type) {
  bool found = false;
  visitElements(type, [&](Type element) { found |= element.isF32(); });
  return found;
}

//===----------------------------------------------------------------------===//
// Colours
//===----------------------------------------------------------------------===//

static StringRef getOperatorName(Operation *op) {
  bool isOfRelay = isa_and_present<RelayDialect>(op->getDialect());
  return isOfRelay ? op->getName().stripDialect()
                   : op->getName().getStringRef();
}

/// Whether it is an operator, whose result types follow from its operands.
static bool isOperator(Operation *op) {
  return isa<FusionPatternOpInterface>(op) && isa<InferTypeOpInterface>(op);
}

Colour Rules::getColour(Operation *op) const {
  if (skipped.contains(op))
    return Colour::Never;
  if (!isSmaller)
    return Colour::Always;
  auto colour = colours.find(getOperatorName(op));
  if (colour != colours.end())
    return colour->second;
  if (auto precision = dyn_cast<PrecisionOpInterface>(op))
    if (precision.needsFullPrecision())
      return Colour::Never;
  return isa<ContractionOpInterface>(op) ? Colour::Always : Colour::Follow;
}

bool Rules::isKnown(Operation *op) const {
  return colours.contains(getOperatorName(op)) ||
         isa<ContractionOpInterface, LayoutOpInterface, PrecisionOpInterface>(
             op) ||
         cast<FusionPatternOpInterface>(op).getFusionPattern() <=
             OpPatternKind::Injective;
}

/// Whether each number among the attributes is one of the type, too.
static bool hasNumbersOf(Operation *op, FloatType type) {
  double largest =
      APFloat::getLargest(type.getFloatSemantics()).convertToDouble();
  return llvm::all_of(op->getAttrs(), [&](NamedAttribute attribute) {
    auto number = dyn_cast<FloatAttr>(attribute.getValue());
    double value = number ? std::abs(number.getValueAsDouble()) : 0;
    return value <= largest || std::isinf(value);
  });
}

/// Whether all its floats are such as become others, at least one of them, or
/// are what these become.
static bool isOfSources(ArrayRef<Type> types, const Rules &rules) {
  bool hasSource = false, hasOther = false;
  for (Type type : types)
    visitElements(type, [&](Type element) {
      hasSource |= rules.isSource(element);
      hasOther |= isa<FloatType>(element) && !rules.isSource(element) &&
                  element != Type(rules.type);
    });
  return hasSource && !hasOther;
}

/// Whether the values that it reads are there in the new type, or may as well
/// be.
bool Converter::canFollow(Operation *op) {
  return llvm::all_of(op->getOperands(), [&](Value value) {
    Type wanted = rules.convert(value.getType());
    if (wanted == value.getType() || casts.contains({value, wanted}))
      return true;
    value = getBound(value);
    return isa<BlockArgument>(value) || value.getDefiningOp<ConstantOp>();
  });
}

//===----------------------------------------------------------------------===//
// Casts
//===----------------------------------------------------------------------===//

/// Another type for the result of an operation that is what its operands are.
void Converter::setType(Value value, Type type) {
  if (value.getType() == type)
    return;
  originals.try_emplace(value, value.getType());
  value.setType(type);
}

Value Converter::castTo(Value value, Type type) {
  if (value.getType() == type)
    return value;
  if (Value known = casts.lookup({value, type}))
    return known;
  OpBuilder builder(value.getContext());
  builder.setInsertionPointAfterValue(value);
  Location loc = value.getLoc();
  Value result;
  if (auto tuple = dyn_cast<TupleType>(type)) {
    SmallVector<Value> fields;
    for (auto [index, type] : llvm::enumerate(tuple.getTypes())) {
      Value item = TupleGetItemOp::create(builder, loc, value, index);
      builder.setInsertionPointAfterValue(item);
      Value field = castTo(item, type);
      if (field != item)
        builder.setInsertionPointAfterValue(field);
      fields.push_back(field);
    }
    result = TupleOp::create(builder, loc, fields);
  } else {
    result = CastOp::create(builder, loc, value, getElementTypeOrSelf(type));
    ++numCasts;
    // The way back.
    casts[{result, value.getType()}] = value;
  }
  casts[{value, type}] = result;
  return result;
}

void Converter::restoreOperands(Operation *op) {
  for (OpOperand &operand : op->getOpOperands())
    operand.set(castTo(operand.get(), getOriginal(operand.get())));
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

/// Changes the types that attributes name, to `sums` where it is a result's.
/// Returns whether the operator has one.
static bool setNamedTypes(Operation *op, FloatType sums, const Rules &rules) {
  bool hasType = false;
  for (StringRef name : {"out_dtype", "dtype"}) {
    auto type = op->getAttrOfType<TypeAttr>(name);
    if (!type || !rules.isSource(type.getValue()))
      continue;
    op->setAttr(name, TypeAttr::get(sums));
    hasType = true;
  }
  const OperatorSchema *schema = getOperatorSchema(op);
  if (!hasType && schema && schema->lookupAttribute("out_dtype") &&
      !op->getAttr("out_dtype")) {
    op->setAttr("out_dtype", TypeAttr::get(sums));
    hasType = true;
  }
  return hasType;
}

/// Computes it in the new type; false, and no change, if it cannot.
bool Converter::convertOperator(Operation *op) {
  SmallVector<Type> types(op->getResultTypes());
  for (Value operand : op->getOperands())
    types.push_back(getOriginal(operand));
  if (!isOfSources(types, rules) || !hasNumbersOf(op, rules.type))
    return false;
  Colour colour = rules.getColour(op);
  if (colour == Colour::Never || (colour == Colour::Follow && !canFollow(op)))
    return false;

  auto named = rules.sums.find(getOperatorName(op));
  FloatType sums = named == rules.sums.end() ? rules.type : named->second;
  SmallVector<Value> operands;
  // What is inferred first has no casts that would be left if it fails.
  OpBuilder builder(op);
  Operation *copy = op->clone();
  SmallVector<Operation *> stand;
  for (Value operand : op->getOperands()) {
    Type wanted = rules.convert(getOriginal(operand));
    auto *value = UnrealizedConversionCastOp::create(builder, op->getLoc(),
                                                     wanted, operand)
                      .getOperation();
    stand.push_back(value);
    operands.push_back(operand.getType() == wanted ? operand
                                                   : value->getResult(0));
  }
  copy->setOperands(operands);
  bool hasSums = setNamedTypes(copy, sums, rules) || sums == rules.type;
  SmallVector<Type> inferred;
  bool isValid =
      hasSums && succeeded(cast<InferTypeOpInterface>(copy).inferReturnTypes(
                     op->getContext(), std::nullopt, copy->getOperands(),
                     copy->getAttrDictionary(), copy->getPropertiesStorage(),
                     copy->getRegions(), inferred));
  if (isValid) {
    for (auto [result, type] : llvm::zip_equal(copy->getResults(), inferred))
      result.setType(withElementsOf(result.getType(), type));
    // Not each operator takes the new type.
    SilentDiagnostics silence(op->getContext());
    isValid = succeeded(copy->getName().verifyInvariants(copy));
  }
  if (isValid) {
    op->setAttrs(copy->getAttrDictionary());
    for (OpOperand &operand : op->getOpOperands())
      operand.set(
          castTo(operand.get(), rules.convert(getOriginal(operand.get()))));
  }
  copy->destroy();
  for (Operation *value : stand)
    value->erase();
  if (!isValid)
    return false;

  for (auto [result, type] : llvm::zip_equal(op->getResults(), inferred)) {
    Type original = result.getType();
    result.setType(withElementsOf(original, type));
    Type wanted = rules.convert(original);
    if (result.getType() == wanted) {
      if (original != wanted)
        originals[result] = original;
      continue;
    }
    // Of a result that is summed in another type.
    Value narrow = castTo(result, wanted);
    originals[narrow] = original;
    result.replaceAllUsesExcept(narrow, narrow.getDefiningOp());
  }
  ++numConverted;
  return true;
}

void Converter::convert(Operation &op) {
  if (auto tuple = dyn_cast<TupleOp>(op)) {
    setType(tuple, TupleType::get(op.getContext(),
                                  llvm::to_vector(op.getOperandTypes())));
  } else if (auto item = dyn_cast<TupleGetItemOp>(op)) {
    setType(
        item,
        cast<TupleType>(item.getTuple().getType()).getType(item.getIndex()));
  } else if (auto let = dyn_cast<LetOp>(op)) {
    setType(let, let.getValue().getType());
  } else if ((!isa<func::ReturnOp>(op) || keepOutputTypes) &&
             !(isOperator(&op) && convertOperator(&op))) {
    restoreOperands(&op);
  }
  for (Region &region : op.getRegions())
    for (Block &block : region)
      convertBlock(block);
}

/// Casts are inserted after what is visited, and are not visited themselves.
void Converter::convertBlock(Block &block) {
  SmallVector<Operation *> ops =
      llvm::map_to_vector(block, [](Operation &op) { return &op; });
  for (Operation *op : ops)
    convert(*op);
}

void Converter::run(func::FuncOp function) {
  if (function.isExternal())
    return;
  for (Block &block : function.getBody())
    convertBlock(block);
  if (keepOutputTypes)
    return;
  Operation *last = function.getBody().back().getTerminator();
  function.setType(FunctionType::get(function.getContext(),
                                     function.getArgumentTypes(),
                                     last->getOperandTypes()));
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {

struct ToMixedPrecisionPass final
    : relay::impl::ToMixedPrecisionPassBase<ToMixedPrecisionPass> {
  using Base::Base;

  LogicalResult initialize(MLIRContext *context) override;
  void runOnOperation() override;

private:
  FloatType parseFloat(StringRef text, MLIRContext *context) {
    return llvm::StringSwitch<FloatType>(text)
        .Case("f16", Float16Type::get(context))
        .Case("bf16", BFloat16Type::get(context))
        .Case("f32", Float32Type::get(context))
        .Default(FloatType());
  }
  LogicalResult checkOperators();

  Rules rules;
};

} // namespace

LogicalResult ToMixedPrecisionPass::initialize(MLIRContext *context) {
  auto reject = [&](const Twine &message) {
    return emitError(UnknownLoc::get(context)) << message;
  };
  rules.type = parseFloat(type, context);
  if (!rules.type || rules.type.isF32())
    return reject("expects type to be f16 or bf16, but got '" + type + "'");
  if (missing != "error" && missing != "warning" && missing != "ignore")
    return reject("expects missing to be error, warning or ignore, but got '" +
                  missing + "'");
  rules.colours.clear();
  rules.sums.clear();
  auto addAll = [&](ArrayRef<std::string> names, Colour colour) {
    for (const std::string &name : names)
      rules.colours[name] = colour;
  };
  addAll(always, Colour::Always);
  addAll(follow, Colour::Follow);
  addAll(never, Colour::Never);
  for (StringRef entry : accumulate) {
    auto [name, text] = entry.split('=');
    FloatType sums = parseFloat(text, context);
    if (!sums)
      return reject("expects accumulate to have entries such as "
                    "nn.conv2d=f32, but got '" +
                    entry + "'");
    rules.sums[name] = sums;
  }
  return success();
}

/// Looks for operators that say nothing of themselves.
LogicalResult ToMixedPrecisionPass::checkOperators() {
  if (missing == "ignore")
    return success();
  llvm::StringSet<> reported;
  LogicalResult result = success();
  getOperation().walk([&](Operation *op) {
    if (!isOperator(op) || rules.isKnown(op) ||
        isa<TupleOp, TupleGetItemOp, ConstantOp>(op) ||
        llvm::none_of(op->getOperandTypes(), hasF32) ||
        !reported.insert(getOperatorName(op)).second)
      return;
    if (missing == "error") {
      op->emitError("expects an operator of which it is known whether it may "
                    "lose precision, but got '")
          << getOperatorName(op) << "'";
      result = failure();
    } else {
      op->emitWarning("it is not known whether '")
          << getOperatorName(op)
          << "' may lose precision; it follows its operands";
    }
  });
  return result;
}

/// Types of fields follow those of their tuples, which have to be known.
static LogicalResult checkTuples(ModuleOp module) {
  WalkResult walk = module.walk([](TupleGetItemOp item) -> WalkResult {
    Type type = item.getTuple().getType();
    if (isa<TupleType>(type))
      return WalkResult::advance();
    return emitIncompleteType(item, "mixed precision", type);
  });
  return failure(walk.wasInterrupted());
}

void ToMixedPrecisionPass::runOnOperation() {
  if (failed(checkTuples(getOperation())) || failed(checkOperators()))
    return signalPassFailure();
  rules.skipped.clear();
  if (auto main = getOperation().lookupSymbol<func::FuncOp>("main")) {
    DenseSet<int64_t> numbers(skipValues.begin(), skipValues.end());
    visitValues(main, [&](Value value, int64_t number) {
      if (numbers.contains(number) && value.getDefiningOp())
        rules.skipped.insert(value.getDefiningOp());
    });
  }
  llvm::StringSet<> called;
  if (auto uses = SymbolTable::getSymbolUses(&getOperation().getBodyRegion()))
    for (SymbolTable::SymbolUse use : *uses)
      called.insert(use.getSymbolRef().getRootReference().getValue());
  for (auto function : getOperation().getOps<func::FuncOp>()) {
    if (isCompiledAsItIs(function))
      continue;
    Converter converter(rules, keepOutputTypes ||
                                   called.contains(function.getSymName()));
    converter.run(function);
    numConverted += converter.numConverted;
    numCasts += converter.numCasts;
  }
}

namespace {

struct ToSinglePrecisionPass final
    : relay::impl::ToSinglePrecisionPassBase<ToSinglePrecisionPass> {
  using Base::Base;

  void runOnOperation() override {
    if (failed(checkTuples(getOperation())))
      return signalPassFailure();
    Rules rules;
    rules.type = Float32Type::get(&getContext());
    rules.isSmaller = false;
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (isCompiledAsItIs(function))
        continue;
      Converter converter(rules, /*keepOutputTypes=*/true);
      converter.run(function);
      numConverted += converter.numConverted;
      numCasts += converter.numCasts;
    }
  }
};

} // namespace
