//===- Defunctionalize.cpp - Closures as data -----------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each type of functions becomes a data type, with a constructor for each
// closure of that type: its fields are the values that the closure uses from
// outside. A function of the module for each of these data types matches on the
// constructor and does what the closure does; indirect calls become calls of
// it.
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/Transforms/Passes.h"

#include "relay-mlir/Dialect/Relay/Analysis/Expressions.h"
#include "relay-mlir/Support/PassOptions.h"

#include "Functional.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSet.h"

namespace mlir::relay {
#define GEN_PASS_DEF_DEFUNCTIONALIZEPASS
#include "relay-mlir/Dialect/Relay/Transforms/Passes.h.inc"
} // namespace mlir::relay

using namespace mlir;
using namespace mlir::relay;

/// The type without sizes. Functions whose types differ in sizes only may be
/// called at the same place.
static Type eraseSizes(Type type) {
  AttrTypeReplacer replacer;
  replacer.addReplacement([](RankedTensorType tensor) {
    SmallVector<int64_t> shape(tensor.getRank(), ShapedType::kDynamic);
    return RankedTensorType::get(shape, tensor.getElementType());
  });
  return replacer.replace(type);
}

namespace {

/// What stands for the functions of one type.
struct FunctionData {
  /// The type of all, or without sizes if they have several.
  FunctionType type;
  ADTOp adt;
  func::FuncOp apply;
  /// What `apply` does for each constructor.
  SmallVector<Attribute> patterns;
  std::vector<std::unique_ptr<Region>> cases;
};

class Defunctionalization {
public:
  explicit Defunctionalization(ModuleOp module)
      : module(module), symbols(module), context(module.getContext()) {
    replacer.addReplacement(
        [this](FunctionType type) -> Type { return getType(type); });
  }

  LogicalResult run(ArrayRef<func::FuncOp> entries);

private:
  LogicalResult check(ArrayRef<func::FuncOp> entries);
  LogicalResult checkType(Operation *op, Type type);
  void wrapKernels();
  void findTypes();
  void declare(FunctionData &data, unsigned number);
  void convertClosure(FnOp fn);
  void convertCall(CallIndirectOp call);
  void convertTypes();
  void finish(FunctionData &data);

  FunctionData &getData(FunctionType type) {
    return *known.find(eraseSizes(type))->second;
  }
  Type getType(FunctionType type) {
    ADTOp adt = getData(type).adt;
    return adt.getType();
  }

  ModuleOp module;
  SymbolTable symbols;
  MLIRContext *context;
  AttrTypeReplacer replacer;
  llvm::MapVector<Type, std::unique_ptr<FunctionData>> known;
  llvm::StringSet<> constructorNames;
  unsigned numConstructors = 0;
};

} // namespace

/// Whether a call is of a kernel that is known, which is no closure.
static bool isKernelCall(CallIndirectOp call) {
  auto fn = call.getCallee().getDefiningOp<FnOp>();
  return fn && isClosedUnit(fn);
}

//===----------------------------------------------------------------------===//
// What there is
//===----------------------------------------------------------------------===//

static LogicalResult emitSeveralTypes(Operation *op, Type type) {
  return op->emitError("expects functions as values of one type each, but got "
                       "one of type ")
         << type;
}

LogicalResult Defunctionalization::checkType(Operation *op, Type type) {
  if (isUndetermined(type))
    return emitIncompleteType(op, "defunctionalization", type);
  WalkResult walk = type.walk([&](Type part) {
    if (isa<ForallType>(part))
      return WalkResult::interrupt();
    if (isa<FunctionType>(part) && !getFreeTypeVars(part).empty())
      return WalkResult::interrupt();
    return WalkResult::advance();
  });
  if (!walk.wasInterrupted())
    return success();
  return emitSeveralTypes(op, type);
}

LogicalResult Defunctionalization::check(ArrayRef<func::FuncOp> entries) {
  for (func::FuncOp entry : entries) {
    auto isHigherOrder = [](Type type) {
      return type
          .walk([](Type part) {
            return isa<FunctionType, ForallType>(part) ? WalkResult::interrupt()
                                                       : WalkResult::advance();
          })
          .wasInterrupted();
    };
    FunctionType type = entry.getFunctionType();
    if (llvm::any_of(type.getInputs(), isHigherOrder) ||
        llvm::any_of(type.getResults(), isHigherOrder))
      return entry.emitError("expects a function without functions for "
                             "parameters or results, but got '@")
             << entry.getSymName() << "' of type " << type;
  }
  WalkResult walk = module.walk([&](Operation *op) {
    if (auto constructor = dyn_cast<ConstructorOp>(op)) {
      for (auto field : constructor.getFields().getAsRange<TypeAttr>())
        if (failed(checkType(op, field.getValue())))
          return WalkResult::interrupt();
      return WalkResult::advance();
    }
    for (Type type : op->getResultTypes())
      if (failed(checkType(op, type)))
        return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}

/// Kernels as values become closures that call them.
void Defunctionalization::wrapKernels() {
  SmallVector<FnOp> kernels;
  module.walk([&](FnOp fn) {
    if (isClosedUnit(fn) && llvm::any_of(fn->getUses(), [](OpOperand &use) {
          return !isa<CallIndirectOp>(use.getOwner()) ||
                 use.getOperandNumber() != 0;
        }))
      kernels.push_back(fn);
  });
  for (FnOp kernel : kernels) {
    OpBuilder builder(kernel);
    builder.setInsertionPointAfter(kernel);
    auto fn = FnOp::create(builder, kernel.getLoc(), kernel.getFunctionType());
    kernel.getResult().replaceUsesWithIf(fn.getResult(), [](OpOperand &use) {
      return !isa<CallIndirectOp>(use.getOwner()) ||
             use.getOperandNumber() != 0;
    });
    OpBuilder inner = OpBuilder::atBlockEnd(&fn.getBody().front());
    auto copy = cast<FnOp>(inner.clone(*kernel.getOperation()));
    auto call = CallIndirectOp::create(
        inner, kernel.getLoc(), kernel.getFunctionType().getResult(0),
        copy.getResult(), ValueRange(fn.getBody().getArguments()),
        /*arg_attrs=*/ArrayAttr(), /*res_attrs=*/ArrayAttr());
    YieldOp::create(inner, kernel.getLoc(), call.getResult());
  }
}

void Defunctionalization::findTypes() {
  auto add = [&](Type type) {
    type.walk([&](FunctionType part) {
      std::unique_ptr<FunctionData> &data = known[eraseSizes(part)];
      if (!data) {
        data = std::make_unique<FunctionData>();
        data->type = part;
      } else if (data->type != part) {
        data->type = cast<FunctionType>(eraseSizes(part));
      }
    });
  };
  module.walk([&](Operation *op) {
    if (auto constructor = dyn_cast<ConstructorOp>(op))
      for (auto field : constructor.getFields().getAsRange<TypeAttr>())
        add(field.getValue());
    // A kernel that is only called is no value, nor is a function of the
    // module.
    auto fn = dyn_cast<FnOp>(op);
    if (fn && isClosedUnit(fn))
      return;
    for (Type type : op->getResultTypes())
      add(type);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Type type : block.getArgumentTypes())
          add(type);
  });
}

//===----------------------------------------------------------------------===//
// What becomes of it
//===----------------------------------------------------------------------===//

void Defunctionalization::declare(FunctionData &data, unsigned number) {
  OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
  Location loc = module.getLoc();
  data.adt = ADTOp::create(builder, loc, ("Function" + Twine(number)).str());
  symbols.insert(data.adt, module.getBody()->begin());
  Type type = data.adt.getType();
  SmallVector<Type> inputs{type};
  llvm::append_range(inputs, data.type.getInputs());
  data.apply = func::FuncOp::create(
      loc, ("apply_function" + Twine(number)).str(),
      builder.getFunctionType(inputs, data.type.getResults()));
  data.apply.setPrivate();
  symbols.insert(data.apply, module.getBody()->end());
  data.apply.addEntryBlock();
}

void Defunctionalization::convertClosure(FnOp fn) {
  FunctionData &data = getData(fn.getFunctionType());
  llvm::SetVector<Value> found;
  getUsedValuesDefinedAbove(fn.getBodyRegion(), found);
  SmallVector<Value> captured = found.takeVector();
  SmallVector<Type> fields = llvm::map_to_vector(
      captured, [](Value value) { return value.getType(); });
  OpBuilder builder = OpBuilder::atBlockEnd(&data.adt.getBody().front());
  std::string name;
  do
    name = ("Closure" + Twine(numConstructors++)).str();
  while (constructorNames.contains(name));
  auto constructor =
      ConstructorOp::create(builder, fn.getLoc(), builder.getStringAttr(name),
                            builder.getTypeArrayAttr(fields));
  auto symbol = SymbolRefAttr::get(data.adt.getSymNameAttr(),
                                   FlatSymbolRefAttr::get(constructor));
  builder.setInsertionPoint(fn);
  auto made = ConstructOp::create(builder, fn.getLoc(), data.adt.getType(),
                                  symbol, captured);

  // The case: what was used from outside is now a field.
  SmallVector<Attribute> variables(
      fields.size(),
      VarPatternAttr::get(context, builder.getStringAttr("captured")));
  data.patterns.push_back(
      ConstructorPatternAttr::get(context, symbol, variables));
  Region &region = *data.cases.emplace_back(std::make_unique<Region>());
  region.takeBody(fn.getBodyRegion());
  Block &body = region.front();
  builder.setInsertionPointToStart(&body);
  Block &entry = data.apply.getBody().front();
  if (fn.getRecursive())
    body.getArgument(0).replaceAllUsesWith(entry.getArgument(0));
  MutableArrayRef<BlockArgument> params =
      body.getArguments().drop_front(fn.getRecursive() ? 1 : 0);
  for (auto [param, argument] :
       llvm::zip_equal(params, entry.getArguments().drop_front()))
    param.replaceAllUsesWith(ascribe(builder, argument, param.getType()));
  body.eraseArguments(0, body.getNumArguments());
  // Of several sizes, the type of the first case would be that of the others.
  Operation *yield = body.getTerminator();
  builder.setInsertionPoint(yield);
  yield->setOperand(
      0, ascribe(builder, yield->getOperand(0), data.type.getResult(0)));
  for (Value value : captured)
    replaceAllUsesInRegionWith(
        value, body.addArgument(value.getType(), value.getLoc()), region);
  fn.getResult().replaceAllUsesWith(made.getResult());
  fn.erase();
}

void Defunctionalization::convertCall(CallIndirectOp call) {
  FunctionData &data = getData(getFunctionBody(call.getCallee().getType()));
  OpBuilder builder(call);
  SmallVector<Value> args{call.getCallee()};
  for (auto [arg, type] :
       llvm::zip_equal(call.getArgs(), data.type.getInputs()))
    args.push_back(ascribe(builder, arg, type));
  auto result = CallOp::create(builder, call.getLoc(), data.type.getResults(),
                               FlatSymbolRefAttr::get(data.apply), args,
                               /*arg_attrs=*/ArrayAttr(),
                               /*res_attrs=*/ArrayAttr());
  call.getResult().replaceAllUsesWith(
      ascribe(builder, result.getResult(0), call.getResult().getType()));
  call.erase();
}

void Defunctionalization::convertTypes() {
  module.walk([&](Operation *op) {
    if (auto function = dyn_cast<func::FuncOp>(op)) {
      FunctionType type = function.getFunctionType();
      auto convert = [&](Type each) { return replacer.replace(each); };
      function.setFunctionType(FunctionType::get(
          context, llvm::map_to_vector(type.getInputs(), convert),
          llvm::map_to_vector(type.getResults(), convert)));
    } else if (isa<ConstructorOp>(op)) {
      replacer.replaceElementsIn(op, /*replaceAttrs=*/true);
    }
    // What is left of closures are kernels.
    if (!isa<FnOp>(op))
      for (OpResult result : op->getResults())
        result.setType(replacer.replace(result.getType()));
    op->removeAttr(kTypeArgsAttrName);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (BlockArgument argument : block.getArguments())
          argument.setType(replacer.replace(argument.getType()));
  });
  module.walk([](AscribeOp ascribe) {
    if (ascribe.getType() == ascribe.getValue().getType()) {
      ascribe.getResult().replaceAllUsesWith(ascribe.getValue());
      ascribe.erase();
    }
  });
}

void Defunctionalization::finish(FunctionData &data) {
  Block &entry = data.apply.getBody().front();
  OpBuilder builder = OpBuilder::atBlockEnd(&entry);
  Location loc = data.apply.getLoc();
  Value result;
  if (data.cases.empty()) {
    // A function of which there is none is never called; that it calls itself
    // is as good as anything else.
    result = CallOp::create(builder, loc, data.type.getResults(),
                            FlatSymbolRefAttr::get(data.apply),
                            ValueRange(entry.getArguments()),
                            /*arg_attrs=*/ArrayAttr(),
                            /*res_attrs=*/ArrayAttr())
                 .getResult(0);
  } else {
    auto match = MatchOp::create(builder, loc, data.type.getResult(0),
                                 entry.getArgument(0),
                                 builder.getArrayAttr(data.patterns),
                                 /*partial=*/false, data.cases.size());
    for (auto [from, to] : llvm::zip_equal(data.cases, match.getCases()))
      to.takeBody(*from);
    result = match.getResult();
  }
  func::ReturnOp::create(builder, loc, result);
}

LogicalResult Defunctionalization::run(ArrayRef<func::FuncOp> entries) {
  if (failed(check(entries)))
    return failure();
  module.walk([&](ConstructorOp constructor) {
    constructorNames.insert(constructor.getSymName());
  });
  wrapKernels();
  findTypes();
  unsigned number = 0;
  for (auto &[type, data] : known)
    declare(*data, number++);
  // Those inside of others first.
  SmallVector<FnOp> closures;
  SmallVector<CallIndirectOp> calls;
  module.walk([&](Operation *op) {
    if (auto fn = dyn_cast<FnOp>(op); fn && !isClosedUnit(fn))
      closures.push_back(fn);
    else if (auto call = dyn_cast<CallIndirectOp>(op);
             call && !isKernelCall(call))
      calls.push_back(call);
  });
  for (CallIndirectOp call : calls)
    convertCall(call);
  for (FnOp fn : closures)
    convertClosure(fn);
  for (auto &[type, data] : known)
    finish(*data);
  convertTypes();
  return success();
}

namespace {

struct DefunctionalizePass
    : relay::impl::DefunctionalizePassBase<DefunctionalizePass> {
  using DefunctionalizePassBase::DefunctionalizePassBase;

  LogicalResult initialize(MLIRContext *context) override {
    return relay::checkRange<int64_t>(context, maxInstances, 0);
  }

  void runOnOperation() override {
    RemoveUnusedFunctionsPassOptions unused;
    unused.entries.assign(entries.begin(), entries.end());
    OpPassManager expand(ModuleOp::getOperationName());
    expand.addPass(createEtaExpandPass({true, true}));
    expand.addPass(createRemoveUnusedFunctionsPass(unused));
    if (failed(runPipeline(expand, getOperation())) ||
        failed(specializeClosures(getOperation(), maxInstances)))
      return signalPassFailure();
    WalkResult walk = getOperation().walk([](FnOp fn) {
      if (!fn.getTypeParamsAttr() || isClosedUnit(fn))
        return WalkResult::advance();
      return WalkResult(emitSeveralTypes(fn, fn.getResult().getType()));
    });
    if (walk.wasInterrupted())
      return signalPassFailure();
    // Then all functions as values are closures of one type, and all that is
    // there is used.
    OpPassManager prepare(ModuleOp::getOperationName());
    prepare.addPass(createInstantiatePass({maxInstances}));
    prepare.addPass(createRemoveUnusedFunctionsPass(unused));
    if (failed(runPipeline(prepare, getOperation())))
      return signalPassFailure();
    SmallVector<func::FuncOp> functions;
    for (const std::string &name : entries)
      functions.push_back(getOperation().lookupSymbol<func::FuncOp>(name));
    if (entries.empty())
      functions.push_back(getOperation().lookupSymbol<func::FuncOp>("main"));
    if (failed(Defunctionalization(getOperation()).run(functions)))
      return signalPassFailure();
  }
};

} // namespace
