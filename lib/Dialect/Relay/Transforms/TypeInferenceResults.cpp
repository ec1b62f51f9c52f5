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
