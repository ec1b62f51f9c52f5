//===- RewritePasses.cpp - Passes that apply rules ------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/IR/FunctionAttributes.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Dialect/Relay/Transforms/Passes.h"
#include "relay-mlir/Dialect/Relay/Transforms/Rewrites.h"
#include "relay-mlir/Support/PassOptions.h"

#include "mlir/Dialect/PDL/IR/PDL.h"
#include "mlir/Dialect/PDLInterp/IR/PDLInterp.h"
#include "mlir/Pass/PassManager.h"

namespace mlir::relay {
#define GEN_PASS_DEF_CANONICALIZEOPSPASS
#define GEN_PASS_DEF_DIVTOMULPASS
#define GEN_PASS_DEF_FASTMATHPASS
#define GEN_PASS_DEF_SIMPLIFYEXPRPASS
#define GEN_PASS_DEF_SIMPLIFYEXPRPOSTALTEROPPASS
#define GEN_PASS_DEF_REWRITEPASS
#include "relay-mlir/Dialect/Relay/Transforms/Passes.h.inc"
} // namespace mlir::relay

using namespace mlir;
using namespace mlir::relay;

/// Whether the body is for somebody else, or has been decided upon.
static bool isClosed(func::FuncOp function) {
  return function.isExternal() || isCompiledAsItIs(function);
}

/// Rewrites a copy of a function, which takes the place of the body if all goes
/// well.
static LogicalResult rewrite(func::FuncOp function, const RuleSet &rules,
                             int64_t maxRounds, int64_t &numApplied,
                             OwningOpRef<func::FuncOp> &result) {
  result = function.clone();
  return applyRules(*result, rules, maxRounds, numApplied);
}

LogicalResult relay::rewriteFunction(func::FuncOp function,
                                     const RuleSet &rules, int64_t maxRounds,
                                     int64_t &numApplied) {
  if (isClosed(function))
    return success();
  int64_t applied = 0;
  OwningOpRef<func::FuncOp> result;
  if (failed(rewrite(function, rules, maxRounds, applied, result)))
    return failure();
  numApplied += applied;
  if (applied)
    function.getBody().takeBody(result->getBody());
  return success();
}

namespace {

/// A pass that applies the rules of its tables.
template <typename Base>
struct TablePass : Base {
  using Base::Base;

  LogicalResult initialize(MLIRContext *context) override {
    if (failed(relay::checkRange<int64_t>(context, this->maxRounds, 1)))
      return failure();
    FailureOr<RuleSet> compiled =
        RuleSet::compile(getCompiledRules(context, this->getArgument()));
    if (failed(compiled))
      return failure();
    rules = std::move(*compiled);
    return success();
  }

  void runOnOperation() override {
    int64_t applied = 0;
    if (failed(rewriteFunction(this->getOperation(), rules, this->maxRounds,
                               applied)))
      return this->signalPassFailure();
    this->numApplied += applied;
  }

private:
  RuleSet rules;
};

struct CanonicalizeOpsPass final
    : TablePass<relay::impl::CanonicalizeOpsPassBase<CanonicalizeOpsPass>> {
  using TablePass::TablePass;
};

struct DivToMulPass final
    : TablePass<relay::impl::DivToMulPassBase<DivToMulPass>> {
  using TablePass::TablePass;
};

struct FastMathPass final
    : TablePass<relay::impl::FastMathPassBase<FastMathPass>> {
  using TablePass::TablePass;
};

struct SimplifyExprPass final
    : TablePass<relay::impl::SimplifyExprPassBase<SimplifyExprPass>> {
  using TablePass::TablePass;
};

struct SimplifyExprPostAlterOpPass final
    : TablePass<relay::impl::SimplifyExprPostAlterOpPassBase<
          SimplifyExprPostAlterOpPass>> {
  using TablePass::TablePass;
};

struct RewritePass final : relay::impl::RewritePassBase<RewritePass> {
  using RewritePassBase::RewritePassBase;

  LogicalResult initializeOptions(
      StringRef options,
      function_ref<LogicalResult(const Twine &)> errorHandler) override {
    // `--relay-rewrite=rules.pdll`
    std::string text = options.str();
    if (!options.empty() && !options.contains('='))
      text = "files=" + text;
    return RewritePassBase::initializeOptions(text, errorHandler);
  }

  LogicalResult initialize(MLIRContext *context) override {
    if (failed(relay::checkRange<int64_t>(context, maxRounds, 1)))
      return failure();
    OwningOpRef<ModuleOp> module;
    if (files.empty()) {
      module = getCompiledRules(context, "");
    } else {
      module = ModuleOp::create(UnknownLoc::get(context));
      if (failed(loadRules(*module, files, includeDirs)))
        return failure();
    }
    FailureOr<RuleSet> compiled =
        RuleSet::compile(std::move(module), ruleNames);
    if (failed(compiled))
      return failure();
    rules = std::move(*compiled);
    return success();
  }

  void runOnOperation() override {
    SmallVector<std::pair<func::FuncOp, OwningOpRef<func::FuncOp>>> results;
    int64_t applied = 0;
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (isClosed(function))
        continue;
      auto &[original, result] = results.emplace_back();
      original = function;
      if (failed(rewrite(function, rules, maxRounds, applied, result)))
        return signalPassFailure();
    }
    numApplied += applied;
    for (auto &[function, result] : results)
      function.getBody().takeBody(result->getBody());
  }

private:
  RuleSet rules;
};

} // namespace
