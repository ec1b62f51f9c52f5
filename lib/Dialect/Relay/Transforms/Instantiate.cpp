//===- Instantiate.cpp - Generic functions for the types at hand ----------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/Transforms/Passes.h"
#include "relay-mlir/Support/PassOptions.h"

#include "Functional.h"

#include "mlir/Pass/PassManager.h"

namespace mlir::relay {
#define GEN_PASS_DEF_INSTANTIATEPASS
#include "relay-mlir/Dialect/Relay/Transforms/Passes.h.inc"
} // namespace mlir::relay

using namespace mlir;
using namespace mlir::relay;

static ArrayAttr getTypeParamsOf(Operation *function) {
  return function->getAttrOfType<ArrayAttr>(kTypeParamsAttrName);
}

namespace {

class Instantiation {
public:
  Instantiation(ModuleOp module, int64_t maxInstances)
      : module(module), symbols(module), maxInstances(maxInstances) {}

  LogicalResult run();
  bool hasInstances() const { return !instances.empty(); }

private:
  LogicalResult visit(Operation *op);
  LogicalResult visit(CallOp call);
  LogicalResult visitArguments(Operation *call, OperandRange args,
                               TypeRange params);
  /// Makes an instance of a generic function that is an operand, if it is used
  /// as one of type `wanted`.
  LogicalResult visitValue(OpOperand &use, Type wanted);
  FailureOr<func::FuncOp> getInstance(Operation *user, func::FuncOp generic,
                                      const TypeSubstitution &substitution);
  LogicalResult emitTooMany(Operation *user, func::FuncOp generic);

  ModuleOp module;
  SymbolTable symbols;
  int64_t maxInstances;
  TypeDepths depths;
  /// By function and tuple of types of its parameters.
  DenseMap<std::pair<Operation *, Type>, func::FuncOp> instances;
  /// Of each instance, the function that it is one of, and the first caller.
  struct Origin {
    func::FuncOp generic, caller;
  };
  DenseMap<Operation *, Origin> origins;
  std::vector<func::FuncOp> worklist;
};

} // namespace

/// Reports that `user`, of `generic`, needs an instance too many, or one of a
/// type too large.
LogicalResult Instantiation::emitTooMany(Operation *user,
                                         func::FuncOp generic) {
  // The function that calls itself, if any: all that it calls has as many
  // instances, and may be what meets the limit.
  llvm::SmallPtrSet<Operation *, 8> seen;
  func::FuncOp recursive;
  for (auto caller = user->getParentOfType<func::FuncOp>();
       caller && origins.contains(caller) && !recursive;
       caller = origins.lookup(caller).caller)
    if (func::FuncOp each = origins.lookup(caller).generic;
        !seen.insert(each).second)
      recursive = each;
  InFlightDiagnostic diag =
      emitError((recursive ? recursive : generic).getLoc())
      << "expects at most " << maxInstances << " instances of generic "
      << "functions, of types that can be written, but ";
  if (recursive)
    diag << "@" << recursive.getSymName() << " asks for more: it calls itself "
         << "with another type each time (polymorphic recursion)";
  else
    diag << "got more with @" << generic.getSymName();
  diag.attachNote(user->getLoc()) << "this call asks for the first too many";
  return diag;
}

FailureOr<func::FuncOp>
Instantiation::getInstance(Operation *user, func::FuncOp generic,
                           const TypeSubstitution &substitution) {
  SmallVector<Type> types;
  for (auto param : getTypeParamsOf(generic).getAsRange<StringAttr>())
    types.push_back(substitution.lookup(param.getValue()));
  auto key = TupleType::get(module.getContext(), types);
  // Also what is printed then would have no end.
  if (depths.isTooDeep(key) || depths.isTooLong(key) ||
      (!instances.contains({generic, key}) &&
       static_cast<int64_t>(instances.size()) == maxInstances))
    return emitTooMany(user, generic);
  func::FuncOp &instance = instances[{generic, key}];
  if (instance)
    return instance;
  instance = generic.clone();
  instance->removeAttr(kTypeParamsAttrName);
  instance.setPrivate();
  substituteTypesIn(instance, substitution);
  origins[instance] = {generic, user->getParentOfType<func::FuncOp>()};
  symbols.insert(instance, std::next(generic->getIterator()));
  worklist.push_back(instance);
  return instance;
}

LogicalResult Instantiation::visitValue(OpOperand &use, Type wanted) {
  Value value = use.get();
  while (auto ascribe = value.getDefiningOp<AscribeOp>())
    value = ascribe.getValue();
  auto global = value.getDefiningOp<GlobalOp>();
  auto type = dyn_cast<FunctionType>(wanted);
  if (!global || !type || !isa<ForallType>(global.getType()))
    return success();
  auto generic =
      symbols.lookup<func::FuncOp>(global.getSymbol().getRootReference());
  TypeSubstitution substitution;
  if (!generic || !getTypeParamsOf(generic) || generic.isExternal() ||
      !findInstance(generic, type.getInputs(), type.getResults(), substitution))
    return success();
  Operation *user = use.getOwner();
  FailureOr<func::FuncOp> instance = getInstance(user, generic, substitution);
  if (failed(instance))
    return failure();
  OpBuilder builder(user);
  Value name =
      GlobalOp::create(builder, global.getLoc(), instance->getFunctionType(),
                       FlatSymbolRefAttr::get(*instance));
  use.set(ascribe(builder, name, wanted));
  return success();
}

LogicalResult Instantiation::visitArguments(Operation *call, OperandRange args,
                                            TypeRange params) {
  if (args.empty() || args.size() != params.size())
    return success();
  unsigned first = args.getBeginOperandIndex();
  for (auto [index, type] : llvm::enumerate(params))
    if (failed(visitValue(call->getOpOperand(first + index), type)))
      return failure();
  return success();
}

LogicalResult Instantiation::visit(CallOp call) {
  auto generic = symbols.lookup<func::FuncOp>(call.getCallee());
  if (!generic)
    return success();
  if (!getTypeParamsOf(generic) || generic.isExternal())
    return visitArguments(call, call.getOperands(), generic.getArgumentTypes());
  TypeSubstitution substitution;
  if (!findInstance(generic, call.getOperandTypes(), call.getResultTypes(),
                    substitution))
    return call.emitOpError("expects complete types; run --relay-infer-types");
  FailureOr<func::FuncOp> instance = getInstance(call, generic, substitution);
  if (failed(instance))
    return failure();
  call.setCallee(instance->getSymName());
  call->removeAttr(kTypeArgsAttrName);
  return visitArguments(call, call.getOperands(), instance->getArgumentTypes());
}

LogicalResult Instantiation::visit(Operation *op) {
  if (auto call = dyn_cast<CallOp>(op))
    return visit(call);
  if (auto ascribe = dyn_cast<AscribeOp>(op))
    return visitValue(ascribe->getOpOperand(0), ascribe.getType());
  auto call = dyn_cast<CallIndirectOp>(op);
  if (!call)
    return success();
  if (failed(visitValue(call->getOpOperand(0),
                        FunctionType::get(op->getContext(),
                                          call.getArgs().getTypes(),
                                          call->getResultTypes()))))
    return failure();
  auto type = dyn_cast<FunctionType>(call.getCallee().getType());
  return type ? visitArguments(call, call.getArgs(), type.getInputs())
              : success();
}

LogicalResult Instantiation::run() {
  for (auto function : module.getOps<func::FuncOp>())
    if (!getTypeParamsOf(function))
      worklist.push_back(function);
  while (!worklist.empty()) {
    func::FuncOp function = worklist.back();
    worklist.pop_back();
    WalkResult walk =
        function.walk([&](Operation *op) { return WalkResult(visit(op)); });
    if (walk.wasInterrupted())
      return failure();
  }
  return success();
}

namespace {

struct InstantiatePass : relay::impl::InstantiatePassBase<InstantiatePass> {
  using Base::Base;

  LogicalResult initialize(MLIRContext *context) override {
    return relay::checkRange<int64_t>(context, maxInstances, 0);
  }

  void runOnOperation() override {
    Instantiation instantiation(getOperation(), maxInstances);
    if (failed(instantiation.run()))
      return signalPassFailure();
    if (!instantiation.hasInstances()) {
      markAllAnalysesPreserved();
      return;
    }
    OpPassManager inference(ModuleOp::getOperationName());
    inference.addPass(createInferTypesPass());
    if (failed(runPipeline(inference, getOperation())))
      signalPassFailure();
  }
};

} // namespace
