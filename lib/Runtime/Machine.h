//===- Machine.h - Runs bytecode --------------------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_RUNTIME_MACHINE_H
#define RELAY_MLIR_LIB_RUNTIME_MACHINE_H

#include "Bytecode.h"
#include "Module.h"

#include <exception>

namespace relay_rt {

/// One call of a function in bytecode from outside. Uses the stack of the
/// thread for none of the calls in it.
class Machine {
public:
  explicit Machine(RelayModule &module);

  /// Throws an Error if the program ends with one.
  Value run(const BytecodeFunction &function, std::vector<Value> args);

private:
  struct Frame {
    const BytecodeFunction *function;
    /// The instruction that runs now.
    const int64_t *word;
    size_t firstRegister;
  };

  Value run();
  void runNative(Frame &frame);
  void execute(const int64_t *word);
  static Machine &getMachine(const RelayGlueContext *context);
  template <typename Action>
  int32_t attempt(Action action) noexcept;
  void enter(const BytecodeFunction &function, bool isTail);
  bool isTailCall(const int64_t *word) const;
  void leave();
  void callBuiltin(Builtin builtin, const int64_t *word);
  void callTensors(const BytecodeFunction &function, const int64_t *word);
  void invokeClosure(const int64_t *word);
  Value makeSized(const Value &value) const;
  [[noreturn]] void failFatal(const Value &value) const;
  void checkInterrupt();

  Value &getRegister(int64_t number) {
    return registers[frames.back().firstRegister + number];
  }
  Value read(int64_t arg);
  const Value &look(int64_t arg, bool &isLast);
  void set(int64_t number, Value value) {
    if (number != RELAY_VM_VOID)
      getRegister(number) = std::move(value);
  }
  /// The object of some kind that an argument is.
  template <typename T>
  T *expect(const Value &value, RelayValueKind kind, const char *what) const;

  RelayModule &module;
  const Program &program;
  ModuleRun tensors;
  std::vector<Value> registers;
  std::vector<Frame> frames;
  /// Arguments on their way to a function.
  std::vector<Value> arguments;
  /// Those of the call of a function of tensors, and its results.
  std::vector<const DLTensor *> inputs;
  std::vector<Value> outputs;
  /// A number that an argument is.
  Value looked;
  uint32_t numCalls = 0;
  /// What native code is given, and how an instruction has failed that it has
  /// left to `execute`.
  RelayGlueContext context;
  std::exception_ptr failure;
};

} // namespace relay_rt

#endif // RELAY_MLIR_LIB_RUNTIME_MACHINE_H
