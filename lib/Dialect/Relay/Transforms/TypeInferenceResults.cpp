//===- TypeInferenceResults.cpp - Completion of types ---------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What happens when all constraints are solved: types are written into the
// program, operators take the place of `relay.apply`, and their verifiers run.
// Types that are still unknown are reported one value after the other, so that
// what follows from a reported one is no error of its own.
//
//===----------------------------------------------------------------------===//

#include "TypeInference.h"

#include "relay-mlir/Dialect/Relay/Analysis/TypeRefinement.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;

/// Says what a value is for a person who looks for it.
static std::string describe(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument)
    return "the result";
  Operation *parent = argument.getOwner()->getParentOp();
  unsigned index = argument.getArgNumber();
  StringAttr name;
  std::string what = "parameter ", of;
  if (auto function = dyn_cast<func::FuncOp>(parent)) {
    name = function.getArgAttrOfType<StringAttr>(index, kNameAttrName);
    of = (" of @" + function.getSymName()).str();
  } else if (auto fn = dyn_cast<FnOp>(parent)) {
    if (fn.getRecursive() && index == 0)
      return "the closure";
    index -= fn.getRecursive();
    name = fn.getParamName(index);
    of = " of the closure";
  } else {
    what = "pattern variable ";
  }
  std::string text = name ? "\"" + name.str() + "\"" : std::to_string(index);
  return what + text + of;
}

void TypeInference::reportUnknown(Value value, TypeTerm term) {
  // One value after the other: when the first is reported, what follows from
  // it is no error of its own.
  while (std::optional<TypeTerm> unknown = solver.findMissing(term)) {
    if (solver.isInvalid(*unknown)) {
      hasErrors = true;
      return;
    }
    hasErrors = true;
    Operation *op = value.getDefiningOp();
    InFlightDiagnostic diag =
        op ? op->emitOpError() : mlir::emitError(value.getLoc());
    diag << "expects a type annotation, cannot infer the type of "
         << describe(value);
    if (!solver.isUnknown(term))
      diag << ", only " << solver.toType(term);
    diag.report();
    solver.invalidate(term);
    solver.propagate();
  }
}

void TypeInference::reportUnknown() {
  // More values may come while errors make constraints run.
  for (size_t i = 0; i != open.size(); ++i)
    reportUnknown(open[i], terms[open[i]]);
  for (auto function : module.getOps<func::FuncOp>()) {
    Signature &signature = signatures[function];
    if (!signature.incomplete)
      continue;
    SmallVector<TypeTerm> parts(signature.results);
    if (function.isExternal())
      llvm::append_range(parts, signature.inputs);
    for (TypeTerm term : parts) {
      std::optional<TypeTerm> unknown = solver.findMissing(term);
      if (!unknown)
        continue;
      if (solver.isUnknown(*unknown))
        function.emitOpError("expects a type annotation, cannot infer its "
                             "type, only ")
            << solver.toType(signature.type);
      hasErrors = true;
      solver.invalidate(term);
      solver.propagate();
    }
  }
}

void TypeInference::verifyScopes() {
  // What follows from the first is no error of its own.
  DenseSet<TypeTerm> reported;
  for (Value value : open)
    solver.forEachVariable(terms[value], [&](TypeTerm variable) {
      Operation *owner = owners.lookup(variable);
      // The parameters of a function are in its scope, a closure is not in its
      // own.
      if (owner && owner->isAncestor(value.getParentBlock()->getParentOp()))
        return;
      hasErrors = true;
      if (!reported.insert(variable).second)
        return;
      mlir::emitError(value.getLoc())
          << "expects a type parameter in scope, but got "
          << solver.toType(variable) << " in the type of " << describe(value);
    });
}

void TypeInference::setTypes() {
  for (Value value : open)
    value.setType(solver.toType(terms[value]));
  // Names of type parameters may have changed.
  module.walk([&](FnOp fn) {
    ArrayRef<StringAttr> params = relay::getTypeParams(fn.getType());
    if (!params.empty())
      fn.setTypeParamsAttr(ArrayAttr::get(
          fn.getContext(), llvm::to_vector_of<Attribute>(params)));
  });
  for (auto function : module.getOps<func::FuncOp>()) {
    Signature &signature = signatures[function];
    if (!signature.incomplete)
      continue;
    auto toTypes = [&](ArrayRef<TypeTerm> parts) {
      return llvm::map_to_vector(
          parts, [&](TypeTerm term) { return solver.toType(term); });
    };
    function.setType(FunctionType::get(function.getContext(),
                                       toTypes(signature.inputs),
                                       toTypes(signature.results)));
  }
}

/// `value` with what `known` knows of it, which is found out at run time.
static AscribeOp ascribeKnown(OpBuilder &builder, Operation *call, Value value,
                              Type known) {
  Type refined = refineType(value.getType(), known);
  if (refined == value.getType())
    return nullptr;
  return AscribeOp::create(builder, call->getLoc(), refined, value);
}

void TypeInference::ascribeCalls() {
  SmallVector<std::pair<Operation *, FunctionType>> calls;
  module.walk([&](Operation *op) {
    if (auto call = dyn_cast<CallOp>(op)) {
      auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
      if (!callee->hasAttr(kTypeParamsAttrName))
        calls.emplace_back(call, callee.getFunctionType());
    } else if (auto call = dyn_cast<CallIndirectOp>(op)) {
      if (auto type = dyn_cast<FunctionType>(call.getCallee().getType()))
        calls.emplace_back(call, type);
    }
  });
  for (auto [op, type] : calls) {
    OpBuilder builder(op);
    MutableOperandRange args = isa<CallOp>(op)
                                   ? cast<CallOp>(op).getOperandsMutable()
                                   : cast<CallIndirectOp>(op).getArgsMutable();
    for (auto [arg, input] : llvm::zip_equal(args, type.getInputs()))
      if (AscribeOp ascribe = ascribeKnown(builder, op, arg.get(), input)) {
        arg.set(ascribe);
        ascriptions.push_back(ascribe);
      }
    builder.setInsertionPointAfter(op);
    for (auto [result, inferred] :
         llvm::zip_equal(op->getResults(), type.getResults())) {
      Type declared = result.getType();
      if (refineType(inferred, declared) == inferred)
        continue;
      result.setType(inferred);
      AscribeOp ascribe = ascribeKnown(builder, op, result, declared);
      result.replaceAllUsesExcept(ascribe, ascribe);
      ascriptions.push_back(ascribe);
    }
  }
}

void TypeInference::removeAscriptions() {
  for (AscribeOp ascribe : ascriptions) {
    if (ascribe.getType() != ascribe.getValue().getType())
      continue;
    ascribe.getResult().replaceAllUsesWith(ascribe.getValue());
    ascribe.erase();
  }
}

void TypeInference::verifyOperators() {
  // The verifier of the module would stop at the first.
  for (Operation *op : operators)
    if (mlir::failed(op->getName().verifyInvariants(op)))
      hasErrors = true;
}
