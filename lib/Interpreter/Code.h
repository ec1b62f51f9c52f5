//===- Code.h - Functions as the interpreter runs them ----------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// A function or closure is translated once per run: its values, also those of
// branches and cases, get numbered slots of one frame, which are reused after a
// value's last use, and its regions become one sequence of instructions.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_INTERPRETER_CODE_H
#define RELAY_MLIR_LIB_INTERPRETER_CODE_H

#include "relay-mlir/Interpreter/Interpreter.h"

#include <memory>

namespace mlir::relay {

/// Where an instruction finds a value.
struct Operand {
  enum Place : uint32_t { Slot, Capture, Constant, Self };
  uint32_t place : 2;
  /// The slot is not read again: its value is moved.
  uint32_t isLastUse : 1;
  uint32_t index : 29;
};

enum class Opcode : uint8_t {
  Evaluate, // By the evaluator of an operator.
  MakeTuple,
  GetField,
  MakeClosure, // The operands are captured.
  GetFunction, // The function of the module `code`, as a value.
  Call,        // The function of the module `code`.
  CallIndirect,
  Construct,
  Move,   // Checks that the operand is of the result's type.
  Drop,   // The operands are not needed on this path.
  Jump,   // To `target`.
  Branch, // To `target` if the operand is false.
  Match,  // Table `target`.
  CreateCell,
  ReadCell,
  WriteCell,
  Return,
};

inline constexpr uint32_t noSlot = ~0u;

struct Code;
class Program;

struct Instruction {
  Opcode opcode;
  /// The caller's frame is not needed after this call.
  bool isTail = false;
  uint32_t target = 0;
  uint32_t firstOperand = 0, numOperands = 0;
  uint32_t firstResult = 0, numResults = 0;
  Operation *op = nullptr;
  const Code *code = nullptr;
  const Evaluator *evaluator = nullptr;
};

/// A pattern of a match; variables know their slot.
struct PatternCode {
  enum Kind { Wildcard, Variable, Constructor, Tuple };
  Kind kind = Wildcard;
  uint32_t slot = noSlot;
  /// Of the variable.
  Type type;
  SymbolRefAttr constructor;
  std::vector<PatternCode> fields;
};

struct MatchCase {
  PatternCode pattern;
  uint32_t target;
};

/// One function.
struct Code {
  /// A func.func or a relay.fn.
  Operation *op = nullptr;
  const Program *program = nullptr;
  Type type;
  SmallVector<Type> paramTypes;
  /// noSlot for one that is not used.
  SmallVector<uint32_t> paramSlots;
  uint32_t numSlots = 0;
  bool isDeclaration = false;

  std::vector<Instruction> instructions;
  std::vector<Operand> operands;
  /// Slots of results.
  std::vector<uint32_t> results;
  std::vector<InterpreterValue> constants;
  std::vector<std::vector<MatchCase>> matches;
};

/// The functions that a run can reach. Does not change once it is made, so that
/// closures, which keep it, may run in any thread.
class Program : public std::enable_shared_from_this<Program> {
public:
  /// Translates `function` and all that it reaches. `evaluators` stay alive as
  /// long as the program.
  static FailureOr<std::shared_ptr<const Program>>
  create(func::FuncOp function,
         std::shared_ptr<const EvaluatorTable> evaluators);

  const Code &getEntry() const { return *codes.front(); }

private:
  friend class CodeBuilder;

  std::vector<std::unique_ptr<Code>> codes;
  std::shared_ptr<const EvaluatorTable> evaluators;
};

/// Evaluates an operator and checks what it returns.
LogicalResult evaluateOperator(const Evaluator &evaluator, Operation *op,
                               ArrayRef<InterpreterValue> operands,
                               InterpreterValue &result);

} // namespace mlir::relay

#endif // RELAY_MLIR_LIB_INTERPRETER_CODE_H
