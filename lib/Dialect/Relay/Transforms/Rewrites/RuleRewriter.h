//===- RuleRewriter.h - What rules do to a program --------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_DIALECT_RELAY_TRANSFORMS_REWRITES_RULEREWRITER_H
#define RELAY_MLIR_LIB_DIALECT_RELAY_TRANSFORMS_REWRITES_RULEREWRITER_H

#include "relay-mlir/Interpreter/Interpreter.h"

#include "mlir/IR/PatternMatch.h"

namespace mlir::relay::detail {

/// Collects what a rule does instead of doing it, so that nothing has happened
/// when it fails. What it creates is there already, but nothing uses it.
class RuleRewriter final : public PatternRewriter {
public:
  struct Replacement {
    Operation *op;
    SmallVector<Value> values;
  };

  explicit RuleRewriter(MLIRContext *context) : PatternRewriter(context) {
    setListener(&listener);
  }

  bool canRecoverFromRewriteFailure() const override { return true; }
  void replaceOp(Operation *op, ValueRange values) override {
    replacements.push_back({op, llvm::to_vector(values)});
  }
  void replaceOp(Operation *op, Operation *with) override {
    replaceOp(op, with->getResults());
  }
  void eraseOp(Operation *op) override { erased.push_back(op); }

  /// Forgets what was done. What is created from now on is at `matched`.
  void begin(Operation *matched);

  /// Creates an operation with the types that follow from its operands, if
  /// `types` is not given. Fails if they do not fit; `getError()` says why.
  FailureOr<Operation *> createOperation(StringRef name, ValueRange operands,
                                         ArrayRef<NamedAttribute> attributes,
                                         std::optional<TypeRange> types);

  /// For rules that evaluate constants.
  const Interpreter &getInterpreter() {
    if (!interpreter)
      interpreter = std::make_unique<Interpreter>(getContext());
    return *interpreter;
  }

  /// Whether what was created verifies; `getError()` says why not.
  bool verifyCreated();

  StringRef getError() const { return error; }
  ArrayRef<Operation *> getCreated() const { return created; }
  ArrayRef<Replacement> getReplacements() const { return replacements; }
  ArrayRef<Operation *> getErased() const { return erased; }

  /// Removes what was created.
  void rollBack();

private:
  struct CreationListener final : RewriterBase::Listener {
    explicit CreationListener(SmallVectorImpl<Operation *> &created)
        : created(created) {}
    void notifyOperationInserted(Operation *op,
                                 OpBuilder::InsertPoint) override {
      created.push_back(op);
    }
    SmallVectorImpl<Operation *> &created;
  };

  /// Calls `function`, and keeps what it reports as the error if it fails.
  LogicalResult capture(StringRef name, function_ref<LogicalResult()> function);
  FailureOr<Operation *> tryCreate(StringRef name, ValueRange operands,
                                   ArrayRef<NamedAttribute> attributes,
                                   std::optional<TypeRange> types);

  Operation *root = nullptr;
  std::string error;
  SmallVector<Operation *> created, erased;
  SmallVector<Replacement> replacements;
  CreationListener listener{created};
  std::unique_ptr<Interpreter> interpreter;
};

} // namespace mlir::relay::detail

#endif // RELAY_MLIR_LIB_DIALECT_RELAY_TRANSFORMS_REWRITES_RULEREWRITER_H
