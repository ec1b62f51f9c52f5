//===- FunctionsToObjects.cpp - Lower glue of programs to relax -----------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A closure becomes a function whose first parameters are what it captures. One
// that calls itself makes itself anew where it does, so that no value refers to
// itself. A match becomes tests of its cases, one after the other; the last one
// needs none, since types say that it holds, unless the match is partial.
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Conversion/RelayToRelax/RelayToRelax.h"

#include "AddedOperatorCalls.h"
#include "CarrySizes.h"
#include "SignatureAttrs.h"
#include "SizeNames.h"

#include "relay-mlir/Dialect/Relax/IR/Builtins.h"
#include "relay-mlir/Dialect/Relax/IR/Relax.h"
#include "relay-mlir/Dialect/Relax/IR/Strings.h"
#include "relay-mlir/Dialect/Relay/IR/Patterns.h"
#include "relay-mlir/Dialect/Relay/IR/RelayAnnotationOps.h"
#include "relay-mlir/Dialect/Relay/IR/RelayMemoryOps.h"
#include "relay-mlir/Dialect/Relay/IR/Strings.h"
#include "relay-mlir/Dialect/Relay/IR/TensorFunctions.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mlir::relay {
#define GEN_PASS_DEF_CONVERTRELAYTOOBJECTSPASS
#include "relay-mlir/Conversion/Passes.h.inc"
} // namespace mlir::relay

using namespace mlir;
using namespace mlir::relay;

namespace {

class ObjectConverter {
public:
  explicit ObjectConverter(ModuleOp module)
      : module(module), symbols(module), context(module.getContext()),
        object(relax::ObjectType::get(context)),
        truth(IntegerType::get(context, 1)) {}

  LogicalResult run();

private:
  LogicalResult convertBody(func::FuncOp source, relax::FuncOp target);
  /// Converts the operations of `block`; its last one stays for the caller.
  LogicalResult convertBlock(OpBuilder &builder, Block &block);
  LogicalResult convertBranch(Location loc, Region &from, Region &to);
  LogicalResult convertOp(OpBuilder &builder, Operation *op);
  LogicalResult convertCall(OpBuilder &builder, CallOp op);
  LogicalResult convertClosure(OpBuilder &builder, FnOp op);
  LogicalResult convertGlobal(OpBuilder &builder, GlobalOp op);
  LogicalResult convertMatch(OpBuilder &builder, MatchOp op);
  FailureOr<Value> convertCases(OpBuilder &builder, MatchOp op, Value value,
                                unsigned number);

  /// Whether `value` matches, as far as patterns are constructors; null if it
  /// surely does.
  FailureOr<Value> testPattern(OpBuilder &builder, Operation *op,
                               Attribute pattern, Value value);
  /// Binds the variables of a pattern; returns whether one of them is used.
  bool bindPattern(OpBuilder &builder, Location loc, Attribute pattern,
                   Value value, Block::BlockArgListType arguments,
                   unsigned &next);
  FailureOr<relax::ConstructorAttr> getConstructor(Operation *op,
                                                   SymbolRefAttr name);
  relax::FuncOp createFunction(Location loc, const Twine &name,
                               unsigned numParams, bool isPublic);
  /// The function that a constructor is, as a value.
  FailureOr<relax::FuncOp> getConstructorFunction(GlobalOp op);

  Value lookup(Value value) { return values.lookup(value); }

  ModuleOp module;
  SymbolTable symbols;
  MLIRContext *context;
  Type object, truth;
  IRMapping values;
  DenseMap<Attribute, relax::FuncOp> constructorFunctions;
  /// The function at hand, and how many closures in it have names.
  func::FuncOp source;
  unsigned numClosures = 0;
};

} // namespace

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

relax::FuncOp ObjectConverter::createFunction(Location loc, const Twine &name,
                                              unsigned numParams,
                                              bool isPublic) {
  // It is in no module yet.
  OpBuilder builder(context);
  SmallVector<Type> types(numParams, object);
  auto function = relax::FuncOp::create(
      builder, loc, name.str(), FunctionType::get(context, types, object));
  if (!isPublic)
    function.setPrivate();
  Block *body = new Block;
  function.getBody().push_back(body);
  body->addArguments(types, SmallVector<Location>(numParams, loc));
  return function;
}

/// A function that is declared only has nothing to run.
static LogicalResult checkBody(Operation *op, Region &body) {
  if (body.hasOneBlock())
    return success();
  return op->emitOpError("expects a body of one block, but got ")
         << body.getBlocks().size();
}

LogicalResult ObjectConverter::convertBody(func::FuncOp from,
                                           relax::FuncOp target) {
  source = from;
  numClosures = 0;
  Block &body = target.getBody().front();
  for (auto [parameter, argument] :
       llvm::zip_equal(from.getArguments(), body.getArguments()))
    values.map(parameter, argument);
  OpBuilder builder = OpBuilder::atBlockEnd(&body);
  Block &block = from.getBody().front();
  if (failed(convertBlock(builder, block)))
    return failure();
  Operation *end = block.getTerminator();
  SmallVector<Value> results = llvm::map_to_vector(
      end->getOperands(), [&](Value value) { return lookup(value); });
  Value result =
      results.size() == 1
          ? results.front()
          : relax::MakeTupleOp::create(builder, end->getLoc(), object, results)
                .getResult();
  relax::ReturnOp::create(builder, end->getLoc(), result);
  return success();
}

static relax::ConstructorAttr toRelax(ConstructorOp op) {
  return relax::ConstructorAttr::get(
      op.getContext(), op.getADT().getSymNameAttr(), op.getSymNameAttr(),
      op.getIndex(), op.getFields().size());
}

LogicalResult ObjectConverter::run() {
  SmallVector<Attribute> constructors, constructorTypes;
  for (auto adt : module.getOps<ADTOp>())
    for (ConstructorOp constructor : adt.getConstructors()) {
      constructors.push_back(toRelax(constructor));
      constructorTypes.push_back(TypeAttr::get(constructor.getValueType()));
    }

  SmallVector<std::pair<func::FuncOp, relax::FuncOp>> functions;
  for (auto function : llvm::to_vector(module.getOps<func::FuncOp>())) {
    if (function->hasAttr(kTensorFunctionAttrName) ||
        function->hasAttr(kPrimitiveAttrName))
      continue;
    if (function.isExternal())
      return function.emitOpError(
          "expects a body, but got a declaration, which nothing can call");
    if (failed(checkBody(function, function.getBody())))
      return failure();
    relax::FuncOp target =
        createFunction(function.getLoc(), function.getSymName(),
                       function.getNumArguments(), function.isPublic());
    copyParameterAttrs(function, target);
    if (function.isPublic()) {
      setParamTypes(target, getTypesWithSizeNames(function));
      setResults(target, function);
    } else {
      setParamTypes(target, function.getArgumentTypes());
    }
    functions.emplace_back(function, target);
  }
  // Closures in them get their names while all names are taken.
  for (auto [function, target] : functions) {
    if (failed(convertBody(function, target))) {
      for (auto [other, unused] : functions)
        if (!unused->getParentOp())
          unused->erase();
      return failure();
    }
  }
  for (auto [function, target] : functions) {
    module.getBody()->getOperations().insert(function->getIterator(),
                                             target.getOperation());
    function.erase();
  }
  convertModuleAttrs(module);
  // What the machine has is called by its name.
  for (auto function :
       llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
    if (function.getSymName().starts_with(relax::kBuiltinPrefix))
      function.erase();
  if (!constructors.empty()) {
    module->setAttr(relax::kConstructorsAttr,
                    ArrayAttr::get(context, constructors));
    module->setAttr(relax::kConstructorTypesAttr,
                    ArrayAttr::get(context, constructorTypes));
  }
  for (auto adt : llvm::make_early_inc_range(module.getOps<ADTOp>()))
    adt.erase();
  return success();
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

LogicalResult ObjectConverter::convertBlock(OpBuilder &builder, Block &block) {
  for (Operation &op : block.without_terminator())
    if (failed(convertOp(builder, &op)))
      return failure();
  return success();
}

/// Fills a region of an `if` with a block of relay.
LogicalResult ObjectConverter::convertBranch(Location loc, Region &from,
                                             Region &to) {
  OpBuilder builder(context);
  builder.createBlock(&to);
  if (failed(convertBlock(builder, from.front())))
    return failure();
  relax::YieldOp::create(builder, loc,
                         lookup(from.front().getTerminator()->getOperand(0)));
  return success();
}

LogicalResult ObjectConverter::convertOp(OpBuilder &builder, Operation *op) {
  Location loc = op->getLoc();
  SmallVector<Value> operands = llvm::map_to_vector(
      op->getOperands(), [&](Value value) { return lookup(value); });
  auto set = [&](Value value) {
    values.map(op->getResult(0), value);
    return success();
  };
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](ConstantOp constant) {
        return set(relax::LoadConstantOp::create(builder, loc, object,
                                                 constant.getValue()));
      })
      .Case<LetOp, AscribeOp>([&](Operation *) { return set(operands[0]); })
      // Marks on closures and data, which no pass after this one looks for.
      .Case<AnnotationBitpackEndOp, AnnotationBitpackStartOp,
            AnnotationCastHintOp, AnnotationCheckpointOp,
            AnnotationStopFusionOp, AnnotationWithFuncidOp>(
          [&](Operation *) { return set(operands[0]); })
      .Case([&](DebugOp debug) {
        relax::DebugOp::create(builder, loc, debug.getDebugFunc(), operands[0]);
        return set(operands[0]);
      })
      // Objects end with their last use, closures and references among them.
      .Case([&](MemoryKillOp) {
        return set(
            relax::MakeTupleOp::create(builder, loc, object, ValueRange()));
      })
      .Case([&](TupleOp) {
        return set(relax::MakeTupleOp::create(builder, loc, object, operands));
      })
      .Case([&](TupleGetItemOp item) {
        return set(relax::GetFieldOp::create(builder, loc, object, operands[0],
                                             item.getIndex()));
      })
      .Case([&](CallOp call) { return convertCall(builder, call); })
      .Case([&](CallIndirectOp) {
        return set(
            relax::InvokeClosureOp::create(builder, loc, object, operands[0],
                                           ArrayRef(operands).drop_front()));
      })
      .Case([&](FnOp fn) { return convertClosure(builder, fn); })
      .Case([&](ApplyOp apply) -> LogicalResult {
        FailureOr<Value> result =
            relay::detail::callAddedOperator(builder, apply, operands);
        return failed(result) ? failure() : set(*result);
      })
      .Case([&](GlobalOp global) { return convertGlobal(builder, global); })
      .Case([&](ConstructOp construct) -> LogicalResult {
        FailureOr<relax::ConstructorAttr> constructor =
            getConstructor(op, construct.getConstructorAttr());
        if (failed(constructor))
          return failure();
        return set(relax::MakeDataOp::create(builder, loc, object, *constructor,
                                             operands));
      })
      .Case([&](IfOp ifOp) -> LogicalResult {
        Value condition =
            relax::ReadConditionOp::create(builder, loc, truth, operands[0]);
        auto result = relax::IfOp::create(builder, loc, object, condition);
        if (failed(convertBranch(loc, ifOp.getThenRegion(),
                                 result.getThenRegion())) ||
            failed(convertBranch(loc, ifOp.getElseRegion(),
                                 result.getElseRegion())))
          return failure();
        return set(result);
      })
      .Case([&](MatchOp match) { return convertMatch(builder, match); })
      .Case([&](RefCreateOp) {
        return set(relax::MakeRefOp::create(builder, loc, object, operands[0]));
      })
      .Case([&](RefReadOp) {
        return set(relax::ReadRefOp::create(builder, loc, object, operands[0]));
      })
      .Case([&](RefWriteOp) {
        relax::WriteRefOp::create(builder, loc, operands[0], operands[1]);
        return set(
            relax::MakeTupleOp::create(builder, loc, object, ValueRange()));
      })
      .Default([](Operation *op) -> LogicalResult {
        InFlightDiagnostic diag =
            op->emitOpError("expects an operation of the language, or an "
                            "operator on tensors whose types are known");
        diag.attachNote() << "run --relay-outline-tensors before this pass";
        return diag;
      });
}

LogicalResult ObjectConverter::convertCall(OpBuilder &builder, CallOp op) {
  Location loc = op.getLoc();
  SmallVector<Value> operands = llvm::map_to_vector(
      op->getOperands(), [&](Value value) { return lookup(value); });
  Value result =
      relax::CallOp::create(builder, loc, object, op.getCallee(), operands);
  if (op->getNumResults() == 1) {
    values.map(op->getResult(0), result);
    return success();
  }
  // Several results are a tuple.
  for (OpResult value : op->getResults())
    values.map(value, relax::GetFieldOp::create(builder, loc, object, result,
                                                value.getResultNumber())
                          .getResult());
  return success();
}

LogicalResult ObjectConverter::convertClosure(OpBuilder &builder, FnOp op) {
  Location loc = op.getLoc();
  llvm::SetVector<Value> found;
  getUsedValuesDefinedAbove(op.getBodyRegion(), found);
  ArrayRef<Value> captured = found.getArrayRef();
  relax::FuncOp function = createFunction(
      loc, source.getSymName() + ".fn" + Twine(numClosures++),
      captured.size() + op.getParams().size(), /*isPublic=*/false);
  symbols.insert(function);
  for (auto [index, param] : llvm::enumerate(op.getParams()))
    if (StringAttr name = op.getParamName(index))
      function.setArgAttr(captured.size() + index, relax::kNameAttr, name);
  setParamTypes(function, ValueRange(op.getParams()).getTypes());

  // In it, captured values have other names; afterwards they have theirs.
  SmallVector<Value> outside =
      llvm::map_to_vector(captured, [&](Value value) { return lookup(value); });
  Block &body = function.getBody().front();
  OpBuilder inner = OpBuilder::atBlockEnd(&body);
  auto arguments = body.getArguments();
  for (auto [value, argument] :
       llvm::zip(captured, arguments.take_front(captured.size())))
    values.map(value, argument);
  for (auto [param, argument] :
       llvm::zip_equal(op.getParams(), arguments.drop_front(captured.size())))
    values.map(param, argument);
  if (Value self = op.getSelf(); self && !self.use_empty())
    values.map(self,
               relax::MakeClosureOp::create(
                   inner, loc, object, function.getSymName(),
                   SmallVector<Value>(arguments.take_front(captured.size())))
                   .getResult());
  if (failed(convertBlock(inner, op.getBody().front())))
    return failure();
  relax::ReturnOp::create(
      inner, loc, lookup(op.getBody().front().getTerminator()->getOperand(0)));
  for (auto [value, known] : llvm::zip_equal(captured, outside))
    values.map(value, known);

  values.map(op.getResult(),
             relax::MakeClosureOp::create(builder, loc, object,
                                          function.getSymName(), outside)
                 .getResult());
  return success();
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

FailureOr<relax::ConstructorAttr>
ObjectConverter::getConstructor(Operation *op, SymbolRefAttr name) {
  auto constructor = dyn_cast_or_null<ConstructorOp>(
      SymbolTable::lookupSymbolIn(module, name));
  if (!constructor)
    return op->emitOpError("expects the name of a constructor, but got ")
           << name;
  return toRelax(constructor);
}

FailureOr<relax::FuncOp> ObjectConverter::getConstructorFunction(GlobalOp op) {
  FailureOr<relax::ConstructorAttr> constructor =
      getConstructor(op, op.getSymbolAttr());
  if (failed(constructor))
    return failure();
  relax::FuncOp &function = constructorFunctions[op.getSymbolAttr()];
  if (function)
    return function;
  Location loc = op.getLoc();
  function = createFunction(loc, constructor->getName().getValue(),
                            constructor->getNumFields(), /*isPublic=*/false);
  symbols.insert(function);
  Block &body = function.getBody().front();
  OpBuilder builder = OpBuilder::atBlockEnd(&body);
  relax::ReturnOp::create(
      builder, loc,
      relax::MakeDataOp::create(builder, loc, object, *constructor,
                                SmallVector<Value>(body.getArguments()))
          .getResult());
  return function;
}

LogicalResult ObjectConverter::convertGlobal(OpBuilder &builder, GlobalOp op) {
  StringRef name = op.getSymbol().getLeafReference();
  if (!isa<FlatSymbolRefAttr>(op.getSymbolAttr())) {
    FailureOr<relax::FuncOp> function = getConstructorFunction(op);
    if (failed(function))
      return failure();
    name = function->getSymName();
  }
  values.map(op.getResult(),
             relax::MakeClosureOp::create(builder, op.getLoc(), object, name,
                                          ValueRange())
                 .getResult());
  return success();
}

//===----------------------------------------------------------------------===//
// Match
//===----------------------------------------------------------------------===//

/// Whether a constructor occurs in a pattern.
static bool needsTest(Attribute pattern) {
  return isa<ConstructorPatternAttr>(pattern) ||
         llvm::any_of(getPatternFields(pattern), needsTest);
}

FailureOr<Value> ObjectConverter::testPattern(OpBuilder &builder, Operation *op,
                                              Attribute pattern, Value value) {
  Location loc = op->getLoc();
  Value result;
  if (auto name = dyn_cast<ConstructorPatternAttr>(pattern)) {
    FailureOr<relax::ConstructorAttr> constructor =
        getConstructor(op, name.getConstructor());
    if (failed(constructor))
      return failure();
    result = relax::HasConstructorOp::create(builder, loc, truth, value,
                                             *constructor);
  }
  // Fields are looked at if all that is before them matches.
  OpBuilder inner = builder;
  SmallVector<relax::IfOp> open;
  Value outermost;
  auto enter = [&](Value condition) {
    auto ifOp = relax::IfOp::create(inner, loc, truth, condition);
    OpBuilder other(context);
    other.createBlock(&ifOp.getElseRegion());
    relax::YieldOp::create(
        other, loc,
        relax::TruthOp::create(other, loc, truth, false).getResult());
    if (!open.empty())
      relax::YieldOp::create(inner, loc, ifOp.getResult());
    else
      outermost = ifOp.getResult();
    open.push_back(ifOp);
    inner.createBlock(&ifOp.getThenRegion());
  };
  for (auto [index, field] : llvm::enumerate(getPatternFields(pattern))) {
    if (!needsTest(field))
      continue;
    if (result)
      enter(result);
    Value part = relax::GetFieldOp::create(inner, loc, object, value, index);
    FailureOr<Value> test = testPattern(inner, op, field, part);
    if (failed(test))
      return failure();
    result = *test;
  }
  if (open.empty())
    return result;
  relax::YieldOp::create(inner, loc, result);
  return outermost;
}

bool ObjectConverter::bindPattern(OpBuilder &builder, Location loc,
                                  Attribute pattern, Value value,
                                  Block::BlockArgListType arguments,
                                  unsigned &next) {
  if (isa<VarPatternAttr>(pattern)) {
    BlockArgument argument = arguments[next++];
    values.map(argument, value);
    return !argument.use_empty();
  }
  bool isUsed = false;
  for (auto [index, field] : llvm::enumerate(getPatternFields(pattern))) {
    auto part = relax::GetFieldOp::create(builder, loc, object, value, index);
    if (bindPattern(builder, loc, field, part, arguments, next))
      isUsed = true;
    else
      part.erase();
  }
  return isUsed;
}

/// The value of the cases from `number` on.
FailureOr<Value> ObjectConverter::convertCases(OpBuilder &builder, MatchOp op,
                                               Value value, unsigned number) {
  Location loc = op.getLoc();
  if (number == op.getCases().size())
    return relax::FatalOp::create(builder, loc, object, value).getResult();
  Attribute pattern = op.getPatterns()[number];
  Region &region = op.getCases()[number];
  auto convertCase = [&](OpBuilder &builder) -> FailureOr<Value> {
    unsigned next = 0;
    Block &block = region.front();
    bindPattern(builder, loc, pattern, value, block.getArguments(), next);
    if (failed(convertBlock(builder, block)))
      return failure();
    return lookup(block.getTerminator()->getOperand(0));
  };
  // The first test also tells values of other types.
  bool isLast =
      number + 1 == op.getCases().size() && !op.getPartial() && number != 0;
  if (isLast || !needsTest(pattern))
    return convertCase(builder);
  FailureOr<Value> test = testPattern(builder, op, pattern, value);
  if (failed(test))
    return failure();
  auto ifOp = relax::IfOp::create(builder, loc, object, *test);
  OpBuilder inner(context);
  inner.createBlock(&ifOp.getThenRegion());
  FailureOr<Value> result = convertCase(inner);
  if (failed(result))
    return failure();
  relax::YieldOp::create(inner, loc, *result);
  inner.createBlock(&ifOp.getElseRegion());
  result = convertCases(inner, op, value, number + 1);
  if (failed(result))
    return failure();
  relax::YieldOp::create(inner, loc, *result);
  return ifOp.getResult();
}

LogicalResult ObjectConverter::convertMatch(OpBuilder &builder, MatchOp op) {
  FailureOr<Value> result = convertCases(builder, op, lookup(op.getValue()), 0);
  if (failed(result))
    return failure();
  values.map(op.getResult(), *result);
  return success();
}

namespace {

struct ConvertRelayToObjectsPass final
    : relay::impl::ConvertRelayToObjectsPassBase<ConvertRelayToObjectsPass> {
  void runOnOperation() override {
    if (failed(ObjectConverter(getOperation()).run()))
      signalPassFailure();
  }
};

} // namespace
