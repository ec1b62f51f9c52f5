//===- CheckModel.h - Compare with the interpreter --------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_PIPELINES_CHECKMODEL_H
#define RELAY_MLIR_PIPELINES_CHECKMODEL_H

#include "relay-mlir-c/Runtime.h"
#include "relay-mlir/Interpreter/InterpreterValue.h"
#include "relay-mlir/Pipelines/Options.h"

#include "mlir/IR/BuiltinOps.h"

namespace mlir::relay {

/// How far two floating-point results may be apart: `relative` times the
/// expected value, plus `absolute` times the largest expected magnitude of the
/// tensor; more for types with fewer bits than float16, such as 8 times that
/// for bfloat16. Integers and bools must be equal.
struct Tolerance {
  double relative = 1e-3;
  double absolute = 1e-5;
};

struct CheckOptions {
  Tolerance tolerance;
  /// Where the first kernel that differs is written, with its inputs; empty for
  /// nowhere.
  std::string dumpFolder;
};

/// How two tensors differ.
struct TensorDifference {
  bool withinTolerance = true;
  /// Largest difference, and the largest expected magnitude.
  double maxDifference = 0;
  double scale = 0;
  /// Row-major position of the largest difference of floats, or of the first
  /// one of other numbers, with both values there.
  int64_t position = 0;
  double expected = 0, actual = 0;
  /// Elements that agree only but for a step of a quantizer.
  int64_t numSteps = 0;
};

/// Compares tensors of equal types. NaN agrees with NaN, infinities with
/// themselves.
///
/// Each tensor of `shifted` is what to expect if quantizers round one step
/// further up, or down: where a number lies in the middle between two steps,
/// the last bit decides. One in a hundred elements, or one, may be that far
/// off.
TensorDifference compareTensors(const Tensor &expected, const Tensor &actual,
                                Tolerance tolerance,
                                ArrayRef<Tensor> shifted = {});

/// Runs `compiled` and the interpreter on `module`, which it was compiled from
/// with `options`, and writes a line for each output to `os`. If one is out of
/// tolerance, also names the first kernel whose results differ from what the
/// interpreter computes for its function.
///
/// Models with quantizers agree also if each kernel does, on the inputs that it
/// has in the interpreter, but for single steps of quantizers (see
/// `compareTensors`), and the interpreter's results are the same before and
/// after the graph passes, but for single steps of the last quantizers.
///
/// Returns whether all agree; fails if one of the two cannot run.
FailureOr<bool> checkModel(ModuleOp module, RelayModule *compiled,
                           ArrayRef<InterpreterValue> inputs,
                           const CompileOptions &options,
                           const CheckOptions &check, raw_ostream &os);

/// The same of a program of several functions: its result, whose functions and
/// references are not compared, and then its kernels.
FailureOr<bool> checkProgram(ModuleOp module, RelayModule *compiled,
                             ArrayRef<InterpreterValue> inputs,
                             const CompileOptions &options,
                             const CheckOptions &check, raw_ostream &os);

/// Runs `run`, which runs `compiled` once, and compares the results of each
/// kernel of VTA with what the processor computes for its tir on the same
/// inputs. `kernels` has got these when the model was compiled with `options`
/// (CompileOptions::deviceKernels). Writes to `os` how many agree, or the first
/// integer that differs and the instruction that stores it.
///
/// Returns whether all agree; fails if something cannot run, or if there is no
/// such kernel.
FailureOr<bool> checkVTAKernels(RelayModule *compiled, ModuleOp kernels,
                                const CompileOptions &options, raw_ostream &os,
                                function_ref<LogicalResult()> run);

} // namespace mlir::relay

#endif // RELAY_MLIR_PIPELINES_CHECKMODEL_H
