//===- ProgramValues.h - Values of programs in bytecode ---------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_PIPELINES_PROGRAMVALUES_H
#define RELAY_MLIR_PIPELINES_PROGRAMVALUES_H

#include "relay-mlir-c/Runtime.h"
#include "relay-mlir/Interpreter/InterpreterValue.h"
#include "llvm/Support/Error.h"

#include <utility>

namespace mlir::relay {

/// A reference to a value of the run time.
class ProgramValue {
public:
  ProgramValue() = default;
  /// Takes over a reference.
  explicit ProgramValue(RelayValue *value) : value(value) {}
  ProgramValue(const ProgramValue &other) : value(other.value) {
    relayValueRetain(value);
  }
  ProgramValue(ProgramValue &&other) noexcept
      : value(std::exchange(other.value, nullptr)) {}
  ProgramValue &operator=(ProgramValue other) noexcept {
    std::swap(value, other.value);
    return *this;
  }
  ~ProgramValue() { relayValueRelease(value); }

  RelayValue *get() const { return value; }

private:
  RelayValue *value = nullptr;
};

/// Makes a value for `module` of one of the interpreter, with copies of its
/// tensors. Fails for closures and references.
llvm::Expected<ProgramValue> toProgramValue(const RelayModule *module,
                                            const InterpreterValue &value);

/// The same of several. Errors are reported at `location`.
FailureOr<std::vector<ProgramValue>>
toProgramValues(const RelayModule *module, ArrayRef<InterpreterValue> values,
                Location location);

/// Calls @main of a program. Errors are reported at `location`.
FailureOr<ProgramValue> runProgram(RelayModule *module,
                                   ArrayRef<ProgramValue> arguments,
                                   Location location);

/// The tensor that a value is, which must be one.
Tensor getProgramTensor(RelayValue *value, MLIRContext *context);

/// Prints as InterpreterValue::print does. What is nested deeper than
/// `maxDepth` becomes `...`.
void printProgramValue(raw_ostream &os, RelayValue *value, MLIRContext *context,
                       unsigned maxDepth);

} // namespace mlir::relay

#endif // RELAY_MLIR_PIPELINES_PROGRAMVALUES_H
