//===- ContinuationPassing.cpp - Calls that do not return -----------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Continuation passing style; DirectStyle.cpp has the way back. A function of
// this style has one more parameter, the continuation: a function of its
// result. Whatever comes after a call becomes the continuation of the call;
// branches get what comes after them as a variable. Operators, constructors and
// kernels are called as before. So all calls are last, and no value waits for
// another function to return.
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/Transforms/Passes.h"

#include "Functional.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/StringSet.h"

namespace mlir::relay {
#define GEN_PASS_DEF_TOCPSPASS
#include "relay-mlir/Dialect/Relay/Transforms/Passes.h.inc"
} // namespace mlir::relay

using namespace mlir;
using namespace mlir::relay;

/// Continuations are nested as regions, which MLIR goes over by recursion.
static constexpr unsigned kMaxDepth = 1000;

/// Whether a closure is called as it is, like an operator: a kernel, or what
/// stands for a pattern of operators, which it would not with a continuation.
static bool isKernel(FnOp fn) {
  return isClosedUnit(fn) || fn->hasAttr(kCompositeAttrName);
}

namespace {

/// The types of values where functions have continuations that return `answer`.
class ContinuationTypes {
public:
  explicit ContinuationTypes(Type answer) : answer(answer) {}

  Type getAnswer() const { return answer; }

  FunctionType getContinuation(Type value) {
    return FunctionType::get(answer.getContext(), {value}, {answer});
  }

  Type convert(Type type) {
    if (auto known = converted.lookup(type))
      return known;
    Type result = make(type);
    converted[type] = result;
    return result;
  }

  FunctionType convertFunction(FunctionType type) {
    SmallVector<Type> inputs = llvm::map_to_vector(
        type.getInputs(), [&](Type input) { return convert(input); });
    inputs.push_back(getContinuation(convert(type.getResult(0))));
    return FunctionType::get(type.getContext(), inputs, {answer});
  }

private:
  Type make(Type type) {
    if (auto function = dyn_cast<FunctionType>(type))
      return convertFunction(function);
    if (auto forall = dyn_cast<ForallType>(type))
      return ForallType::get(forall.getParams(),
                             convertFunction(forall.getBody()));
    return convertParts(type, [&](Type part) { return convert(part); });
  }

  Type answer;
  DenseMap<Type, Type> converted;
};

/// What all functions of a module share.
class Conversion {
public:
  explicit Conversion(ModuleOp module);

  LogicalResult run(ArrayRef<std::string> entries);

  /// The function that stands for another where that is called; null if that is
  /// called as it is.
  func::FuncOp getCallee(StringAttr name);
  bool isDirect(Operation *call);

private:
  LogicalResult checkTypes();
  LogicalResult convert(func::FuncOp function, func::FuncOp result);
  func::FuncOp declare(func::FuncOp function, StringRef name);

  ModuleOp module;
  SymbolTable symbols;
  /// The name of the type that continuations return.
  StringAttr answer;
  llvm::MapVector<Operation *, func::FuncOp> callees;
};

/// Converts one function.
class FunctionConversion {
public:
  FunctionConversion(Conversion &module, StringAttr answer)
      : module(module), types(TypeVarType::get(answer.getContext(), answer)) {}

  LogicalResult run(func::FuncOp function, func::FuncOp result);
  ContinuationTypes &getTypes() { return types; }

private:
  Value convertRest(Block::iterator it, Block *block, OpBuilder &builder,
                    Value k);
  /// Converts the operations of a block that calls nothing, which ends as it
  /// did.
  void convertDirect(Block &from, Block &to);
  void convertOperation(Operation *op, OpBuilder &builder);
  void convertClosure(FnOp fn, OpBuilder &builder);
  void convertKernel(FnOp fn, OpBuilder &builder);
  void convertName(GlobalOp global, OpBuilder &builder);
  Value convertCall(Operation *call, OpBuilder &builder, Value k);
  Value convertBranches(Operation *op, OpBuilder &builder, Value k);
  /// What comes after an operation, as a function of its value.
  Value makeContinuation(Operation *op, Value k, OpBuilder &builder);
  void findCalls(func::FuncOp function);
  void mapArguments(Block &from, Block &to);

  Conversion &module;
  ContinuationTypes types;
  IRMapping mapping;
  /// Of kernels, which as values are closures that call them.
  DenseMap<Operation *, Value> kernels;
  /// Operations with branches in which something is called.
  DenseSet<Operation *> withCalls;
  unsigned depth = 0;
  Operation *tooDeep = nullptr;
};

} // namespace

static bool isCall(Operation *op) { return isa<CallOp, CallIndirectOp>(op); }

static CallIndirectOp callContinuation(OpBuilder &builder, Location loc,
                                       Type answer, Value k, ValueRange args) {
  return CallIndirectOp::create(builder, loc, answer, k, args,
                                /*arg_attrs=*/ArrayAttr(),
                                /*res_attrs=*/ArrayAttr());
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

void FunctionConversion::findCalls(func::FuncOp function) {
  // Regions come before their operations.
  function.walk([&](Operation *op) {
    Operation *parent = op->getParentOp();
    bool calls = (isCall(op) && !module.isDirect(op)) || withCalls.contains(op);
    if (calls && isa<IfOp, MatchOp>(parent))
      withCalls.insert(parent);
  });
}

void FunctionConversion::mapArguments(Block &from, Block &to) {
  for (BlockArgument argument : from.getArguments())
    mapping.map(argument, to.addArgument(types.convert(argument.getType()),
                                         argument.getLoc()));
}

LogicalResult FunctionConversion::run(func::FuncOp function,
                                      func::FuncOp result) {
  findCalls(function);
  Block &from = function.getBody().front();
  Block *to = new Block;
  result.getBody().push_back(to);
  mapArguments(from, *to);
  Value k = to->addArgument(result.getArgumentTypes().back(), result.getLoc());
  OpBuilder builder = OpBuilder::atBlockEnd(to);
  Value answer = convertRest(from.begin(), &from, builder, k);
  func::ReturnOp::create(builder, from.getTerminator()->getLoc(), answer);
  if (!tooDeep)
    return success();
  return tooDeep->emitError("expects at most ")
         << kMaxDepth << " calls and branches one after the other in "
         << "continuation passing style, but got more";
}

Value FunctionConversion::convertRest(Block::iterator it, Block *block,
                                      OpBuilder &builder, Value k) {
  for (auto end = block->end(); it != end; ++it) {
    Operation *op = &*it;
    if (op->hasTrait<OpTrait::IsTerminator>())
      return callContinuation(builder, op->getLoc(), types.getAnswer(), k,
                              mapping.lookup(op->getOperand(0)))
          .getResult();
    if (isCall(op) && !module.isDirect(op))
      return convertCall(op, builder, makeContinuation(op, k, builder));
    if (withCalls.contains(op))
      return convertBranches(op, builder, makeContinuation(op, k, builder));
    convertOperation(op, builder);
  }
  llvm_unreachable("a block ends with a terminator");
}

Value FunctionConversion::makeContinuation(Operation *op, Value k,
                                           OpBuilder &builder) {
  // Nothing comes after a last call, so that loops do not grow.
  Operation *next = op->getNextNode();
  if (next->hasTrait<OpTrait::IsTerminator>() &&
      next->getOperands() == op->getResults())
    return k;
  Type value = types.convert(op->getResult(0).getType());
  auto fn = FnOp::create(builder, op->getLoc(), types.getContinuation(value));
  Block &body = fn.getBody().front();
  mapping.map(op->getResult(0), body.getArgument(0));
  OpBuilder inner = OpBuilder::atBlockEnd(&body);
  Value answer;
  if (++depth > kMaxDepth) {
    // An answer that nobody will see.
    tooDeep = op;
    answer = callContinuation(inner, op->getLoc(), types.getAnswer(),
                              fn.getResult(), body.getArguments());
  } else {
    answer =
        convertRest(std::next(op->getIterator()), op->getBlock(), inner, k);
  }
  --depth;
  YieldOp::create(inner, op->getLoc(), answer);
  if (isCall(op))
    return fn.getResult();
  // Each branch calls it.
  return LetOp::create(builder, op->getLoc(), fn.getResult().getType(),
                       builder.getStringAttr("f"), fn.getResult());
}

//===----------------------------------------------------------------------===//
// Calls and branches
//===----------------------------------------------------------------------===//

Value FunctionConversion::convertCall(Operation *op, OpBuilder &builder,
                                      Value k) {
  Location loc = op->getLoc();
  SmallVector<Value> operands = llvm::map_to_vector(
      op->getOperands(), [&](Value value) { return mapping.lookup(value); });
  operands.push_back(k);
  if (auto call = dyn_cast<CallOp>(op))
    return CallOp::create(builder, loc, types.getAnswer(),
                          FlatSymbolRefAttr::get(
                              module.getCallee(call.getCalleeAttr().getAttr())),
                          operands, /*arg_attrs=*/ArrayAttr(),
                          /*res_attrs=*/ArrayAttr())
        .getResult(0);
  return callContinuation(builder, loc, types.getAnswer(), operands.front(),
                          ArrayRef(operands).drop_front())
      .getResult();
}

Value FunctionConversion::convertBranches(Operation *op, OpBuilder &builder,
                                          Value k) {
  Operation *result = builder.cloneWithoutRegions(*op, mapping);
  result->getResult(0).setType(types.getAnswer());
  ++depth;
  for (auto [from, to] :
       llvm::zip_equal(op->getRegions(), result->getRegions())) {
    to.emplaceBlock();
    mapArguments(from.front(), to.front());
    OpBuilder inner = OpBuilder::atBlockEnd(&to.front());
    Value answer = convertRest(from.front().begin(), &from.front(), inner, k);
    YieldOp::create(inner, from.front().getTerminator()->getLoc(), answer);
  }
  --depth;
  return result->getResult(0);
}

//===----------------------------------------------------------------------===//
// What calls nothing
//===----------------------------------------------------------------------===//

void FunctionConversion::convertDirect(Block &from, Block &to) {
  mapArguments(from, to);
  OpBuilder builder = OpBuilder::atBlockEnd(&to);
  for (Operation &op : from)
    convertOperation(&op, builder);
}

void FunctionConversion::convertOperation(Operation *op, OpBuilder &builder) {
  if (auto fn = dyn_cast<FnOp>(op); fn && !isKernel(fn))
    return convertClosure(fn, builder);
  if (auto global = dyn_cast<GlobalOp>(op))
    return convertName(global, builder);
  if (auto fn = dyn_cast<FnOp>(op))
    return convertKernel(fn, builder);
  Operation *copy = builder.cloneWithoutRegions(*op, mapping);
  if (auto call = dyn_cast<CallIndirectOp>(op))
    copy->setOperand(0, kernels.lookup(call.getCallee().getDefiningOp()));
  for (OpResult result : copy->getResults())
    result.setType(types.convert(result.getType()));
  copy->removeAttr(kTypeArgsAttrName);
  for (auto [from, to] :
       llvm::zip_equal(op->getRegions(), copy->getRegions())) {
    to.emplaceBlock();
    convertDirect(from.front(), to.front());
  }
}

void FunctionConversion::convertClosure(FnOp fn, OpBuilder &builder) {
  Type type = fn.getResult().getType();
  auto result = FnOp::create(builder, fn.getLoc(),
                             types.convertFunction(fn.getFunctionType()),
                             fn.getRecursive(), relay::getTypeParams(type));
  copyFunctionAttrs(fn, result);
  Block &to = result.getBody().front();
  for (auto [from, argument] :
       llvm::zip_first(fn.getBody().getArguments(), to.getArguments()))
    mapping.map(from, argument);
  if (ArrayAttr attrs = fn.getArgAttrsAttr()) {
    SmallVector<Attribute> names(attrs.begin(), attrs.end());
    llvm::append_range(names, getParamNames(fn.getContext(), {"k"}));
    result.setArgAttrsAttr(builder.getArrayAttr(names));
  }
  mapping.map(fn.getResult(), result.getResult());
  OpBuilder inner = OpBuilder::atBlockEnd(&to);
  Block &from = fn.getBody().front();
  unsigned around = std::exchange(depth, depth + 1);
  Value answer =
      convertRest(from.begin(), &from, inner, result.getParams().back());
  depth = around;
  YieldOp::create(inner, from.getTerminator()->getLoc(), answer);
}

void FunctionConversion::convertKernel(FnOp fn, OpBuilder &builder) {
  Value kernel = builder.clone(*fn.getOperation(), mapping)->getResult(0);
  kernels[fn] = kernel;
  if (llvm::all_of(fn->getUses(), [](OpOperand &use) {
        return isa<CallIndirectOp>(use.getOwner()) &&
               use.getOperandNumber() == 0;
      }))
    return;
  Location loc = fn.getLoc();
  FunctionType type = fn.getFunctionType();
  auto closure = FnOp::create(builder, loc, types.convertFunction(type));
  mapping.map(fn.getResult(), closure.getResult());
  OpBuilder inner = OpBuilder::atBlockEnd(&closure.getBody().front());
  SmallVector<Value> args(closure.getBody().getArguments());
  Value k = args.pop_back_val();
  auto call = CallIndirectOp::create(inner, loc, type.getResult(0), kernel,
                                     args, /*arg_attrs=*/ArrayAttr(),
                                     /*res_attrs=*/ArrayAttr());
  Value answer =
      callContinuation(inner, loc, types.getAnswer(), k, call.getResult());
  YieldOp::create(inner, loc, answer);
}

void FunctionConversion::convertName(GlobalOp global, OpBuilder &builder) {
  Location loc = global.getLoc();
  func::FuncOp callee =
      isa<FlatSymbolRefAttr>(global.getSymbol())
          ? module.getCallee(global.getSymbol().getRootReference())
          : func::FuncOp();
  Type type = global.getResult().getType();
  // A function that is no longer polymorphic but in its answer has this type.
  if (callee && !isa<ForallType>(type)) {
    auto result = GlobalOp::create(builder, loc, types.convert(type),
                                   FlatSymbolRefAttr::get(callee));
    mapping.map(global.getResult(), result.getResult());
    return;
  }
  FunctionType body = getFunctionBody(type);
  auto fn = FnOp::create(builder, loc, types.convertFunction(body),
                         /*recursive=*/false, relay::getTypeParams(type));
  OpBuilder inner = OpBuilder::atBlockEnd(&fn.getBody().front());
  SmallVector<Value> args(fn.getBody().getArguments());
  Value answer;
  if (callee) {
    answer =
        CallOp::create(inner, loc, types.getAnswer(),
                       FlatSymbolRefAttr::get(callee), args,
                       /*arg_attrs=*/ArrayAttr(), /*res_attrs=*/ArrayAttr())
            .getResult(0);
  } else {
    Value k = args.pop_back_val();
    Type result = types.convert(body.getResult(0));
    Value value;
    if (auto name = dyn_cast<FlatSymbolRefAttr>(global.getSymbol()))
      value = CallOp::create(inner, loc, result, name, args,
                             /*arg_attrs=*/ArrayAttr(),
                             /*res_attrs=*/ArrayAttr())
                  .getResult(0);
    else
      value =
          ConstructOp::create(inner, loc, result, global.getSymbolAttr(), args);
    answer = callContinuation(inner, loc, types.getAnswer(), k, value);
  }
  YieldOp::create(inner, loc, answer);
  mapping.map(global.getResult(), fn.getResult());
}

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

/// The name of a type variable that a module has nowhere: inside of a closure
/// with a parameter of that name, it would be another type.
static StringAttr makeTypeVarName(ModuleOp module, StringRef name) {
  llvm::StringSet<> used;
  AttrTypeWalker types;
  types.addWalk([&](TypeVarType type) { used.insert(type.getName()); });
  types.addWalk([&](ForallType type) {
    for (StringAttr param : type.getParams())
      used.insert(param.getValue());
  });
  module.walk([&](Operation *op) {
    types.walk(op->getAttrDictionary());
    for (Type type : op->getResultTypes())
      types.walk(type);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Type type : block.getArgumentTypes())
          types.walk(type);
    if (auto params = op->getAttrOfType<ArrayAttr>(kTypeParamsAttrName))
      for (StringAttr param : params.getAsRange<StringAttr>())
        used.insert(param.getValue());
  });
  std::string result = name.str();
  for (unsigned i = 1; used.contains(result); ++i)
    result = (name + Twine(i)).str();
  return StringAttr::get(module.getContext(), result);
}

Conversion::Conversion(ModuleOp module)
    : module(module), symbols(module),
      answer(makeTypeVarName(module, "answer")) {}

bool Conversion::isDirect(Operation *op) {
  if (auto call = dyn_cast<CallOp>(op)) {
    auto callee = symbols.lookup<func::FuncOp>(call.getCalleeAttr().getAttr());
    return !callee || !isOptimizable(callee);
  }
  auto fn = cast<CallIndirectOp>(op).getCallee().getDefiningOp<FnOp>();
  return fn && isKernel(fn);
}

func::FuncOp Conversion::declare(func::FuncOp function, StringRef name) {
  MLIRContext *context = module.getContext();
  Builder builder(context);
  SmallVector<Attribute> params;
  if (auto attr = function->getAttrOfType<ArrayAttr>(kTypeParamsAttrName))
    llvm::append_range(params, attr);
  params.push_back(answer);
  ContinuationTypes types(TypeVarType::get(context, answer));
  auto result =
      func::FuncOp::create(function.getLoc(), name,
                           types.convertFunction(function.getFunctionType()));
  for (NamedAttribute attr : function->getDiscardableAttrs())
    result->setAttr(attr.getName(), attr.getValue());
  result->setAttr(kTypeParamsAttrName, builder.getArrayAttr(params));
  for (unsigned i = 0, end = function.getNumArguments(); i != end; ++i)
    result.setArgAttrs(i, function.getArgAttrDict(i));
  result.setArgAttr(function.getNumArguments(), kNameAttrName,
                    builder.getStringAttr("k"));
  return result;
}

func::FuncOp Conversion::getCallee(StringAttr name) {
  auto function = symbols.lookup<func::FuncOp>(name);
  if (!function || !isOptimizable(function))
    return nullptr;
  func::FuncOp &result = callees[function];
  if (!result) {
    result = declare(function, (name.getValue() + "_cps").str());
    result.setPrivate();
    symbols.insert(result, module.getBody()->end());
  }
  return result;
}

LogicalResult Conversion::checkTypes() {
  WalkResult walk = module.walk([](ConstructorOp constructor) {
    for (auto field : constructor.getFields().getAsRange<TypeAttr>()) {
      WalkResult inner = field.getValue().walk([](Type type) {
        return isa<FunctionType, ForallType>(type) ? WalkResult::interrupt()
                                                   : WalkResult::advance();
      });
      if (inner.wasInterrupted()) {
        constructor.emitError("expects data types without functions for "
                              "continuation passing style, but got a field of "
                              "type ")
            << field.getValue();
        return WalkResult::interrupt();
      }
    }
    return WalkResult::advance();
  });
  if (walk.wasInterrupted())
    return failure();
  walk = module.walk([](Operation *op) {
    for (Value result : op->getResults())
      if (isIncomplete(result.getType())) {
        emitIncompleteType(op, "continuation passing style", result.getType());
        return WalkResult::interrupt();
      }
    return WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}

LogicalResult Conversion::convert(func::FuncOp function, func::FuncOp result) {
  return FunctionConversion(*this, answer).run(function, result);
}

LogicalResult Conversion::run(ArrayRef<std::string> entries) {
  if (failed(checkTypes()))
    return failure();
  SmallVector<func::FuncOp> functions;
  for (const std::string &name : entries) {
    auto function = symbols.lookup<func::FuncOp>(name);
    if (!function)
      return emitError(module.getLoc())
             << "expects the name of a function of the module, but got '@"
             << name << "'";
    functions.push_back(function);
  }
  if (entries.empty())
    llvm::append_range(functions, module.getOps<func::FuncOp>());
  SmallVector<std::pair<func::FuncOp, func::FuncOp>> replaced;
  for (func::FuncOp function : functions) {
    if (!isOptimizable(function))
      continue;
    if (function.getNumResults() != 1)
      return function.emitError("expects a function of one result, but got ")
             << function.getNumResults();
    func::FuncOp result = declare(function, function.getSymName());
    result.setVisibility(function.getVisibility());
    replaced.emplace_back(function, result);
    if (failed(convert(function, result))) {
      result.erase();
      return failure();
    }
  }
  // Those that are called, which may call others.
  for (size_t i = 0; i != callees.size(); ++i) {
    auto [function, result] = *std::next(callees.begin(), i);
    if (failed(convert(cast<func::FuncOp>(function), result)))
      return failure();
  }
  for (auto [function, result] : replaced) {
    module.getBody()->getOperations().insert(function->getIterator(),
                                             result.getOperation());
    function.erase();
  }
  return success();
}

namespace {

struct ToCPSPass : relay::impl::ToCPSPassBase<ToCPSPass> {
  using ToCPSPassBase::ToCPSPassBase;

  void runOnOperation() override {
    SmallVector<std::string> names(entries.begin(), entries.end());
    if (failed(Conversion(getOperation()).run(names)))
      signalPassFailure();
  }
};

} // namespace
