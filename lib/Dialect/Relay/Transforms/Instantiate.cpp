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
  LogicalResult visit(CallOp call);
  FailureOr<func::FuncOp> getInstance(CallOp call, func::FuncOp generic,
                                      ArrayRef<Type> types);
  LogicalResult emitTooMany(CallOp call, func::FuncOp generic);

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

/// Reports that `call`, of `generic`, needs an instance too many, or one of a
/// type too large.
LogicalResult Instantiation::emitTooMany(CallOp call, func::FuncOp generic) {
  // The function that calls itself, if any: all that it calls has as many
  // instances, and may be what meets the limit.
  llvm::SmallPtrSet<Operation *, 8> seen;
  func::FuncOp recursive;
  for (auto caller = call->getParentOfType<func::FuncOp>();
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
  diag.attachNote(call.getLoc()) << "this call asks for the first too many";
  return diag;
}

FailureOr<func::FuncOp> Instantiation::getInstance(CallOp call,
                                                   func::FuncOp generic,
                                                   ArrayRef<Type> types) {
  auto key = TupleType::get(module.getContext(), types);
  // Also what is printed then would have no end.
  if (depths.isTooDeep(key) || depths.isTooLong(key) ||
      (!instances.contains({generic, key}) &&
       static_cast<int64_t>(instances.size()) == maxInstances))
    return emitTooMany(call, generic);
  func::FuncOp &instance = instances[{generic, key}];
  if (instance)
    return instance;
  instance = generic.clone();
  instance->removeAttr(kTypeParamsAttrName);
  instance.setPrivate();
  TypeSubstitution substitution;
  for (auto [param, type] : llvm::zip_equal(
           getTypeParamsOf(generic).getAsRange<StringAttr>(), types))
    substitution[param.getValue()] = type;
  substituteTypesIn(instance, substitution);
  origins[instance] = {generic, call->getParentOfType<func::FuncOp>()};
  symbols.insert(instance, std::next(generic->getIterator()));
  worklist.push_back(instance);
  return instance;
}

LogicalResult Instantiation::visit(CallOp call) {
  auto generic = symbols.lookup<func::FuncOp>(call.getCallee());
  ArrayAttr params = generic ? getTypeParamsOf(generic) : ArrayAttr();
  if (!params || generic.isExternal())
    return success();
  TypeSubstitution substitution;
  for (auto param : params.getAsRange<StringAttr>())
    substitution[param.getValue()] = nullptr;
  auto match = [&](TypeRange general, TypeRange actual) {
    return llvm::all_of_zip(general, actual, [&](Type a, Type b) {
      return matchInstance(a, b, substitution);
    });
  };
  if (!match(generic.getArgumentTypes(), call.getOperandTypes()) ||
      !match(generic.getResultTypes(), call.getResultTypes()))
    return call.emitOpError("expects complete types; run --relay-infer-types");
  SmallVector<Type> types;
  for (auto param : params.getAsRange<StringAttr>()) {
    Type type = substitution[param.getValue()];
    // A type that no value has may be any.
    types.push_back(type ? type : TupleType::get(module.getContext()));
  }
  FailureOr<func::FuncOp> instance = getInstance(call, generic, types);
  if (failed(instance))
    return failure();
  call.setCallee(instance->getSymName());
  call->removeAttr(kTypeArgsAttrName);
  return success();
}

LogicalResult Instantiation::run() {
  for (auto function : module.getOps<func::FuncOp>())
    if (!getTypeParamsOf(function))
      worklist.push_back(function);
  while (!worklist.empty()) {
    func::FuncOp function = worklist.back();
    worklist.pop_back();
    WalkResult walk =
        function.walk([&](CallOp call) { return WalkResult(visit(call)); });
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
