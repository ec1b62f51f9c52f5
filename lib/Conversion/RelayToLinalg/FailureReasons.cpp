//===- FailureReasons.cpp - Why patterns do not match ---------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FailureReasons.h"

#include "mlir/IR/Diagnostics.h"
#include "relay-mlir/Dialect/Relay/IR/PassInterfaces.h"
#include "relay-mlir/Dialect/Relay/IR/PolymorphicTypes.h"
#include "relay-mlir/Dialect/Relay/IR/RelayAnnotationOps.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ScopedPrinter.h"

using namespace mlir;
using namespace mlir::relay::detail;

/// An operation may be tried more than once.
void FailureReasons::addReason(Reasons &reasons, Diagnostic reason) {
  std::string text = reason.str();
  if (llvm::none_of(reasons, [&](const Diagnostic &other) {
        return other.str() == text;
      }))
    reasons.push_back(std::move(reason));
}

/// Stands between a pattern and the driver's listener.
class FailureReasons::Listener final : public RewriterBase::ForwardingListener {
public:
  Listener(OpBuilder::Listener *driver, Reasons &reasons)
      : ForwardingListener(driver), reasons(reasons) {}

  void
  notifyMatchFailure(Location loc,
                     function_ref<void(Diagnostic &)> reasonCallback) override {
    Diagnostic diagnostic(loc, DiagnosticSeverity::Note);
    reasonCallback(diagnostic);
    addReason(reasons, std::move(diagnostic));
    ForwardingListener::notifyMatchFailure(loc, reasonCallback);
  }

private:
  Reasons &reasons;
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
    Reasons reasons;
    LogicalResult result = failure();
    {
      OpBuilder::Listener *driver = rewriter.getListener();
      Listener listener(driver, reasons);
      rewriter.setListener(&listener);
      result = pattern->matchAndRewrite(op, rewriter);
      rewriter.setListener(driver);
    }
    if (failed(result))
      for (Diagnostic &reason : reasons)
        addReason(owner.reasons[op], std::move(reason));
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

/// Types stay types: who reads Relay has other words for them.
static void append(const Diagnostic &reason, Diagnostic &note) {
  using Kind = DiagnosticArgument::DiagnosticArgumentKind;
  for (const DiagnosticArgument &argument : reason.getArguments()) {
    if (argument.getKind() == Kind::Type)
      note << argument.getAsType();
    else if (argument.getKind() == Kind::Attribute)
      note << argument.getAsAttribute();
    else
      note << llvm::to_string(argument);
  }
}

void FailureReasons::attachNotes(InFlightDiagnostic &diagnostic,
                                 Operation *op) const {
  auto it = reasons.find(op);
  if (it != reasons.end()) {
    for (const Diagnostic &reason : it->second)
      append(reason, diagnostic.attachNote());
    return;
  }
  if (llvm::any_of(op->getOperandTypes(), isIncomplete) ||
      llvm::any_of(op->getResultTypes(), isIncomplete)) {
    diagnostic.attachNote() << "its types are not complete; run "
                               "--relay-infer-types first";
    return;
  }
  if (isa<ElementSizedOpInterface>(op)) {
    diagnostic.attachNote()
        << "its elements decide how large the result is; the executors aot and "
           "vm compile that, into a shared object";
    return;
  }
  if (isa<DebugOp>(op)) {
    diagnostic.attachNote() << "it calls a function of the program that runs; "
                               "the executors aot and vm compile that, into a "
                               "shared object";
    return;
  }
  if (!names.contains(op->getName()))
    diagnostic.attachNote() << "the interpreter runs this operator, but there "
                               "is no code for it yet";
}
