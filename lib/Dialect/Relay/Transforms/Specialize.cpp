//===- Specialize.cpp - Variants of a model for sizes that are known ------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A variant is a copy of @main with inputs of some sizes that @main leaves
// open. It goes through the compiler beside @main; which of them runs is chosen
// by the sizes of inputs.
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Dialect/Relay/IR/TensorFunctions.h"
#include "relay-mlir/Dialect/Relay/Transforms/FixInputs.h"
#include "relay-mlir/Dialect/Relay/Transforms/Passes.h"

namespace mlir::relay {
#define GEN_PASS_DEF_SPECIALIZEPASS
#include "relay-mlir/Dialect/Relay/Transforms/Passes.h.inc"
} // namespace mlir::relay

using namespace mlir;
using namespace mlir::relay;

namespace {

struct SpecializePass : relay::impl::SpecializePassBase<SpecializePass> {
  using SpecializePassBase::SpecializePassBase;

  LogicalResult initialize(MLIRContext *context) override {
    parsed.clear();
    for (StringRef text : variants) {
      FixedInputs fixed;
      for (StringRef dim : llvm::split(text, ','))
        if (llvm::Error error = fixed.addDim(dim))
          return emitError(UnknownLoc::get(context))
                 << llvm::toString(std::move(error));
      if (llvm::any_of(parsed, [&](const FixedInputs &other) {
            return other.dims == fixed.dims;
          }))
        return emitError(UnknownLoc::get(context))
               << "expects variants that differ, but got " << text << " twice";
      parsed.push_back(std::move(fixed));
    }
    return success();
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto main = module.lookupSymbol<func::FuncOp>("main");
    if (!main || main.isExternal()) {
      module.emitError(
          "expects a function named 'main' that can have variants");
      return signalPassFailure();
    }
    // Sizes are not carried over to what other functions return.
    WalkResult calls = main.walk([](CallOp call) {
      InFlightDiagnostic diag = call.emitOpError(
          "expects operators alone in what has variants, but got a call of @");
      diag << call.getCallee();
      diag.attachNote() << "functions that are neither recursive nor the code "
                           "of other generators are inlined before";
      return WalkResult::interrupt();
    });
    if (calls.wasInterrupted())
      return signalPassFailure();
    SymbolTable symbols(module);
    Operation *last = main;
    for (auto [text, fixed] : llvm::zip_equal(variants, parsed)) {
      func::FuncOp variant = main.clone();
      variant.setSymName("main." + text);
      variant.setPublic();
      variant->setAttr(kVariantOfAttrName, FlatSymbolRefAttr::get(main));
      symbols.insert(variant, std::next(last->getIterator()));
      last = variant;
      if (failed(fixInputs(variant, fixed)))
        return signalPassFailure();
    }
  }

private:
  SmallVector<FixedInputs> parsed;
};

} // namespace
