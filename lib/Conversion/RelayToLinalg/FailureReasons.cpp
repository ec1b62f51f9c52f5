//===- FailureReasons.cpp - Why patterns do not match ---------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FailureReasons.h"

#include "mlir/IR/Diagnostics.h"
#include "relay-mlir/Dialect/Relay/IR/PassInterfaces.h"
#include "relay-mlir/Dialect/Relay/IR/RelayAnnotationOps.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::relay::detail;

/// Stands between a pattern and the driver's listener.
class FailureReasons::Listener final : public RewriterBase::ForwardingListener {
public:
  Listener(OpBuilder::Listener *driver, SmallVectorImpl<std::string> &reasons)
      : ForwardingListener(driver), reasons(reasons) {}

  void
  notifyMatchFailure(Location loc,
                     function_ref<void(Diagnostic &)> reasonCallback) override {
    Diagnostic diagnostic(loc, DiagnosticSeverity::Note);
    reasonCallback(diagnostic);
    std::string reason = diagnostic.str();
    // An operation may be tried more than once.
    if (!llvm::is_contained(reasons, reason))
      reasons.push_back(std::move(reason));
    ForwardingListener::notifyMatchFailure(loc, reasonCallback);
  }

private:
  SmallVectorImpl<std::string> &reasons;
};

/// Runs another pattern for a named operation.
class FailureReasons::ObservedPattern final : public RewritePattern {
public:
  ObservedPattern(std::unique_ptr<RewritePattern> pattern,
                  FailureReasons &owner)
      : RewritePattern(pattern->getRootKind()->getStringRef(),
                       pattern->getBenefit(), pattern->getContext()),
        pattern(std::move(pattern)), owner(owner) {
    setDebugName(this->pattern->getDebugName());
    setHasBoundedRewriteRecursion(this->pattern->hasBoundedRewriteRecursion());
  }

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    SmallVector<std::string, 1> reasons;
    LogicalResult result = failure();
    {
      OpBuilder::Listener *driver = rewriter.getListener();
      Listener listener(driver, reasons);
      rewriter.setListener(&listener);
      result = pattern->matchAndRewrite(op, rewriter);
      rewriter.setListener(driver);
    }
    if (failed(result))
      for (std::string &reason : reasons)
        if (!llvm::is_contained(owner.reasons[op], reason))
          owner.reasons[op].push_back(std::move(reason));
    return result;
  }

private:
  std::unique_ptr<RewritePattern> pattern;
  FailureReasons &owner;
};

void FailureReasons::observe(RewritePatternSet &patterns) {
  for (std::unique_ptr<RewritePattern> &pattern :
       patterns.getNativePatterns()) {
    // Patterns for an interface are not of this project.
    if (!pattern->getRootKind())
      continue;
    names.insert(*pattern->getRootKind());
    pattern = std::make_unique<ObservedPattern>(std::move(pattern), *this);
  }
}

void FailureReasons::attachNotes(InFlightDiagnostic &diagnostic,
                                 Operation *op) const {
  auto it = reasons.find(op);
  if (it != reasons.end()) {
    for (const std::string &reason : it->second)
      diagnostic.attachNote() << reason;
    return;
  }
  if (isa<ElementSizedOpInterface>(op)) {
    diagnostic.attachNote()
        << "its elements decide how large the result is; the executor vm "
           "compiles that";
    return;
  }
  if (isa<DebugOp>(op)) {
    diagnostic.attachNote() << "it calls a function of the program that runs; "
                               "the executor vm compiles that";
    return;
  }
  if (!names.contains(op->getName()))
    diagnostic.attachNote() << "the interpreter runs this operator, but there "
                               "is no code for it yet";
}
