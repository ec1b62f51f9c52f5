//===- FixInputs.cpp - Make sizes and inputs of a model constants ---------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/Transforms/FixInputs.h"

#include "TypeInference.h"

#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Dialect/Relay/IR/TensorLimits.h"
#include "relay-mlir/Dialect/Relay/Transforms/Passes.h"

namespace mlir::relay {
#define GEN_PASS_DEF_FIXINPUTSPASS
#include "relay-mlir/Dialect/Relay/Transforms/Passes.h.inc"
} // namespace mlir::relay

using namespace mlir;
using namespace mlir::relay;

static ModelInput describe(func::FuncOp function, unsigned index) {
  ModelInput input;
  if (auto name = function.getArgAttrOfType<StringAttr>(index, kNameAttrName))
    input.name = name;
  else
    // As the artefact calls it.
    input.name = StringAttr::get(function.getContext(), "input" + Twine(index));
  auto type = dyn_cast<RankedTensorType>(function.getArgument(index).getType());
  if (!type)
    return input;
  input.elementType = type.getElementType();
  input.shape.emplace(type.getShape());
  if (auto names = function.getArgAttrOfType<ArrayAttr>(index, kDimsAttrName))
    for (StringRef name : names.getAsValueRange<StringAttr>())
      input.dimNames.push_back(name);
  return input;
}

/// Names of sizes that are known now are names of nothing.
static void updateDimNames(func::FuncOp function, unsigned index) {
  auto names = function.getArgAttrOfType<ArrayAttr>(index, kDimsAttrName);
  auto type = dyn_cast<RankedTensorType>(function.getArgument(index).getType());
  if (!names || !type)
    return;
  if (type.hasStaticShape()) {
    function.removeArgAttr(index, kDimsAttrName);
    return;
  }
  SmallVector<StringRef> left(names.getAsValueRange<StringAttr>());
  for (auto [name, size] : llvm::zip(left, type.getShape()))
    if (!ShapedType::isDynamic(size))
      name = "";
  function.setArgAttr(index, kDimsAttrName,
                      Builder(function.getContext()).getStrArrayAttr(left));
}

/// Puts constants in the place of arguments, which have their types already.
static void bindConstants(func::FuncOp function, ArrayRef<FixedInput> inputs) {
  OpBuilder builder(function.getContext());
  builder.setInsertionPointToStart(&function.front());
  llvm::BitVector bound(inputs.size());
  for (auto [index, input] : llvm::enumerate(inputs)) {
    if (!input.value)
      continue;
    BlockArgument argument = function.getArgument(index);
    argument.replaceAllUsesWith(
        ConstantOp::create(builder, argument.getLoc(), input.value));
    bound.set(index);
  }
  (void)function.eraseArguments(bound);
}

LogicalResult mlir::relay::fixInputs(ModuleOp module,
                                     const FixedInputs &fixed) {
  auto function = module.lookupSymbol<func::FuncOp>("main");
  if (!function || function.isExternal())
    return module.emitError("expects a function named 'main', whose inputs can "
                            "be fixed");
  return fixInputs(function, fixed);
}

LogicalResult mlir::relay::fixInputs(func::FuncOp function,
                                     const FixedInputs &fixed) {
  auto module = function->getParentOfType<ModuleOp>();
  // Calls of it have as many arguments as before.
  if (!fixed.values.empty() &&
      !SymbolTable::symbolKnownUseEmpty(function, module))
    return function.emitOpError(
        "expects that nothing calls it if inputs become "
        "constants");
  SmallVector<ModelInput> inputs;
  for (unsigned index = 0; index < function.getNumArguments(); ++index)
    inputs.push_back(describe(function, index));
  FailureOr<SmallVector<FixedInput>> found =
      fixInputs(fixed, inputs, [&] { return function.emitError(); });
  if (failed(found))
    return failure();

  SmallVector<Type> types(function.getArgumentTypes());
  for (auto [type, input] : llvm::zip_equal(types, *found))
    if (input.type)
      type = input.type;
  SymbolTable symbols(module);
  relay::detail::TypePropagation propagation(module, symbols);
  propagation.setArgTypes(function, types);
  if (failed(propagation.run()))
    return failure();
  for (unsigned index = 0; index < function.getNumArguments(); ++index)
    updateDimNames(function, index);
  bindConstants(function, *found);
  return checkTensorLimits(module);
}

namespace {

struct FixInputsPass : relay::impl::FixInputsPassBase<FixInputsPass> {
  using FixInputsPassBase::FixInputsPassBase;

  LogicalResult initialize(MLIRContext *context) override {
    auto addAll = [&](ArrayRef<std::string> texts, auto add) {
      for (StringRef text : texts)
        if (llvm::Error error = (fixed.*add)(text))
          return LogicalResult(emitError(UnknownLoc::get(context))
                               << llvm::toString(std::move(error)));
      return success();
    };
    // Of "sizes=1,3,scale=2", the option makes a list of three.
    SmallVector<std::string> wholeValues;
    for (StringRef text : values)
      if (text.contains('=') || wholeValues.empty())
        wholeValues.push_back(text.str());
      else
        wholeValues.back() += ("," + text).str();
    for (StringRef text : wholeValues)
      if (text.ends_with(".npy"))
        return emitError(UnknownLoc::get(context))
               << "expects elements of an input, such as scale=0.5, but got '"
               << text << "'; files are for relay-compile --input";
    fixed = {};
    return success(succeeded(addAll(dims, &FixedInputs::addDim)) &&
                   succeeded(addAll(shapes, &FixedInputs::addShape)) &&
                   succeeded(addAll(wholeValues, &FixedInputs::addValue)));
  }

  void runOnOperation() override {
    if (failed(relay::fixInputs(getOperation(), fixed)))
      signalPassFailure();
  }

private:
  FixedInputs fixed;
};

} // namespace
