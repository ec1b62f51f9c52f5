//===- KernelChecker.h - Which kernel differs first -------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to this folder. Each kernel of a run is compared with what the
// interpreter gives for its function, and the first that differs is named.
//
// Quantizers need care: a number in the middle between two steps may be rounded
// either way. So functions with quantizers get copies whose quantizers are one
// step higher and lower, which tell what else would be right.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_PIPELINES_KERNELCHECKER_H
#define RELAY_MLIR_LIB_PIPELINES_KERNELCHECKER_H

#include "relay-mlir/Pipelines/CheckModel.h"

#include "mlir/IR/OwningOpRef.h"

namespace mlir::relay {

/// Appends the tensors of a value: compiled functions return those of a tuple
/// one by one.
void appendTensors(const InterpreterValue &value,
                   SmallVectorImpl<Tensor> &tensors);

/// What the interpreter computes for `module` where its last quantizers are
/// one step above, and where they are one step below.
FailureOr<SmallVector<SmallVector<Tensor>>>
interpretShifted(ModuleOp module, ArrayRef<InterpreterValue> inputs);

/// What the interpreter computed for one call of a primitive function.
struct ExpectedCall {
  std::string function;
  SmallVector<InterpreterValue> inputs;
  SmallVector<Tensor> results;
  /// The same with quantizers one step above, and one step below.
  SmallVector<SmallVector<Tensor>> shifted;
};

/// Compares the kernels of a run, one after the other, with expected calls.
/// What agrees is made equal, so that each kernel has the inputs that its
/// function has in the interpreter.
class KernelChecker {
public:
  /// Interprets `fused`, whose kernels were compiled for `artifact`; its
  /// quantizers get copies.
  static FailureOr<KernelChecker> create(OwningOpRef<ModuleOp> fused,
                                         const RelayArtifact *artifact,
                                         ArrayRef<InterpreterValue> inputs,
                                         Tolerance tolerance, raw_ostream &os);

  /// Runs `run`, which runs `compiled` on the same inputs, and watches it.
  /// Names the first kernel that differs.
  LogicalResult watch(RelayModule *compiled, function_ref<LogicalResult()> run);

  /// Writes the function of the kernel that differs, as a model, and its inputs
  /// into a folder, and says how to run it.
  LogicalResult dump(StringRef folder);

  bool foundDifference() const { return different != nullptr; }
  bool hasQuantizers() const {
    return llvm::any_of(expectedCalls, [](const ExpectedCall &call) {
      return !call.shifted.empty();
    });
  }
  int64_t getNumSteps() const { return numSteps; }
  /// What the interpreter computes after graph passes.
  ArrayRef<InterpreterValue> getResults() const { return results; }

private:
  KernelChecker(OwningOpRef<ModuleOp> module, const RelayArtifact *artifact,
                Tolerance tolerance, raw_ostream &os)
      : module(std::move(module)), artifact(artifact), tolerance(tolerance),
        os(&os) {}

  LogicalResult interpret(ArrayRef<InterpreterValue> inputs);
  void observe(int64_t callIndex, void *const *args, const int64_t *dims);
  const ExpectedCall *takeExpected(StringRef function);

  OwningOpRef<ModuleOp> module;
  const RelayArtifact *artifact;
  Tolerance tolerance;
  raw_ostream *os;
  std::vector<ExpectedCall> expectedCalls;
  SmallVector<InterpreterValue> results;
  size_t next = 0;
  const ExpectedCall *different = nullptr;
  int64_t numSteps = 0;
};

} // namespace mlir::relay

#endif // RELAY_MLIR_LIB_PIPELINES_KERNELCHECKER_H
