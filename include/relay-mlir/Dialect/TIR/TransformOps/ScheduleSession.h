//===- ScheduleSession.h - Schedules step by step ---------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A schedule that is written while it is applied: each step is a transform op
// that is appended to a script and run at once, so that one sees the kernel,
// and learns of a refusal, before the next step. The script does the same to a
// fresh kernel. Rules, people and files all schedule through this.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_TIR_TRANSFORMOPS_SCHEDULESESSION_H
#define RELAY_MLIR_DIALECT_TIR_TRANSFORMOPS_SCHEDULESESSION_H

#include "mlir/Dialect/Transform/IR/TransformOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "relay-mlir/Dialect/TIR/IR/TIR.h"

#include <memory>

namespace mlir::tir {

/// Loads the dialects that schedules and scheduled kernels consist of, which a
/// session needs. What has several threads schedule could not load them later.
void loadScheduleDialects(MLIRContext *context);

/// `@k.schedule` is the schedule of the kernel `@k`.
inline constexpr llvm::StringLiteral kScheduleSuffix = ".schedule";

class ScheduleSession {
public:
  /// Schedules `kernel` in place.
  explicit ScheduleSession(PrimFuncOp kernel);
  ~ScheduleSession();
  ScheduleSession(const ScheduleSession &) = delete;
  ScheduleSession &operator=(const ScheduleSession &) = delete;

  /// The handle of the kernel.
  Value getKernel();

  /// Creates steps where `tryStep` expects them.
  OpBuilder getBuilder();

  /// Runs `step`, the last op of the script. A step that is refused is not part
  /// of the script, and leaves the kernel as it was.
  DiagnosedSilenceableFailure tryStep(transform::TransformOpInterface step);

  /// Appends and runs the transform op called `name`. A refusal is reported as
  /// an error, and leaves kernel and script as they were.
  FailureOr<SmallVector<Value>> apply(StringRef name, ValueRange operands,
                                      ArrayRef<NamedAttribute> attributes,
                                      unsigned numResults);

  /// The same for an op with as many results as there are ops to find.
  FailureOr<SmallVector<Value>> query(StringRef name, Value operand,
                                      ArrayRef<NamedAttribute> attributes = {});

  /// Copies an intrinsic's description or implementation to the module of the
  /// script, unless it is there.
  void addIntrinsic(PrimFuncOp function);

  /// Appends and runs the steps of `script`, a sequence on one kernel. What was
  /// done before a step that is refused stays.
  LogicalResult replay(transform::NamedSequenceOp script);

  /// The ops behind a handle.
  SmallVector<Operation *> getPayload(Value handle) const;

  /// The number behind a handle to a sample; nullopt for another handle.
  std::optional<int64_t> getNumber(Value handle) const;

  /// `transform.named_sequence @<kernel>.schedule`, which is in a module of its
  /// own.
  transform::NamedSequenceOp getScript();

  /// Ends the session. Its script, without queries whose results no step uses.
  OwningOpRef<ModuleOp> takeScript();

private:
  LogicalResult addSymbols(ModuleOp around);
  LogicalResult run(Operation *step, unsigned number);
  void refuse(Operation *step);

  PrimFuncOp kernel;
  OwningOpRef<ModuleOp> module;
  transform::NamedSequenceOp script;
  /// Steps that were refused: the state may still know their results.
  SmallVector<Operation *> refused;
  unsigned numSteps = 0;
  std::unique_ptr<transform::TransformState> state;
};

/// Applies `script` to `kernel`. An error says which step could not be applied
/// to which kernel, and why.
LogicalResult applyScheduleScript(PrimFuncOp kernel,
                                  transform::NamedSequenceOp script);

} // namespace mlir::tir

#endif // RELAY_MLIR_DIALECT_TIR_TRANSFORMOPS_SCHEDULESESSION_H
