//===- Machine.h - Runs translated functions --------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_INTERPRETER_MACHINE_H
#define RELAY_MLIR_LIB_INTERPRETER_MACHINE_H

#include "Cells.h"
#include "Code.h"

namespace mlir::relay {

/// One run. Keeps a stack of its own: recursion in the program must not exhaust
/// that of C++.
class Machine {
public:
  Machine(const InterpreterLimits &limits,
          const Interpreter::Observer &observer,
          const Interpreter::Interrupt &interrupt)
      : limits(limits), observer(observer), interrupt(interrupt) {}

  FailureOr<SmallVector<InterpreterValue>>
  run(const Code &code, ArrayRef<InterpreterValue> inputs);

  FailureOr<InterpreterValue> call(const InterpreterValue &function,
                                   ArrayRef<InterpreterValue> inputs,
                                   Location location);

private:
  /// Frames are small: a million calls may wait for their callee.
  struct Frame {
    const Code *code;
    /// None for a function of the module; or one that keeps its code alive.
    InterpreterValue closure;
    size_t firstSlot;
    uint32_t next;
  };

  FailureOr<SmallVector<InterpreterValue>> run();
  LogicalResult checkInterrupt(Operation *op);
  LogicalResult step(const Instruction &instruction);
  LogicalResult enter(const Code &code, InterpreterValue closure,
                      MutableArrayRef<InterpreterValue> inputs,
                      const Instruction *call);
  LogicalResult callIndirect(const Instruction &instruction);
  LogicalResult match(const Instruction &instruction);
  LogicalResult bind(const PatternCode &pattern, const InterpreterValue &value,
                     Operation *op);
  LogicalResult finishCall();

  InterpreterValue take(Operand operand);
  InterpreterValue takeFirst(const Instruction &instruction) {
    return take(frames.back().code->operands[instruction.firstOperand]);
  }
  void takeAll(const Instruction &instruction,
               SmallVectorImpl<InterpreterValue> &values);
  void set(uint32_t slot, InterpreterValue value) {
    if (slot != noSlot)
      slots[frames.back().firstSlot + slot] = std::move(value);
  }
  void setResult(const Instruction &instruction, InterpreterValue value) {
    set(frames.back().code->results[instruction.firstResult], std::move(value));
  }
  /// Sets the result after a check of its type, which the operand's type does
  /// not imply.
  LogicalResult setChecked(const Instruction &instruction,
                           InterpreterValue value);

  InterpreterLimits limits;
  const Interpreter::Observer &observer;
  const Interpreter::Interrupt &interrupt;
  /// Before everything that may hold cells.
  relay::detail::CellScope cells;
  std::vector<Frame> frames;
  /// Those of all frames.
  std::vector<InterpreterValue> slots;
  /// Operands of the instruction at hand; kept, to be allocated once.
  SmallVector<InterpreterValue> operands;
  SmallVector<InterpreterValue> results;
};

} // namespace mlir::relay

#endif // RELAY_MLIR_LIB_INTERPRETER_MACHINE_H
