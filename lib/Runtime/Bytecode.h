//===- Bytecode.h - The bytecode of an artefact -----------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks a program once, when it is loaded: whatever bytes a file has, what
// runs afterwards reads and writes only what is there. Then nothing is checked
// but the kinds of values, which nobody knows before.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_RUNTIME_BYTECODE_H
#define RELAY_MLIR_LIB_RUNTIME_BYTECODE_H

#include "Objects.h"
#include "ValueTypes.h"

#include <string>
#include <string_view>
#include <vector>

namespace relay_rt {

/// The functions that bytecode calls and that are not in the artefact.
enum class Builtin {
  MakeTuple,
  MakeData,
  GetField,
  HasConstructor,
  MakeClosure,
  InvokeClosure,
  MakeReference,
  ReadReference,
  WriteReference,
  ReadCondition,
  Copy,
  Kill,
  MakeSized,
  Fatal,
  Debug,
  CallPacked,
};

/// What names of builtins begin with that call a function of the process, whose
/// name follows: one to show a value to, and a packed one.
constexpr std::string_view kDebugPrefix = "vm.builtin.debug:";
constexpr std::string_view kPackedPrefix = "vm.builtin.call_packed:";

/// A member of the function table, as the machine wants it.
struct BytecodeFunction {
  const RelayVMFunction *description;
  RelayVMFunctionKind kind;
  Builtin builtin;
  const int64_t *code;
  /// Of what callers pass: of the last parameters.
  std::vector<ValueType> types;
};

/// A program that has been checked.
class Program {
public:
  /// Throws an Error with RELAY_INVALID_ARTIFACT.
  explicit Program(const RelayArtifact &artifact);

  const RelayVMProgram &getDescription() const { return program; }
  const std::vector<BytecodeFunction> &getFunctions() const {
    return functions;
  }
  const std::vector<Value> &getConstants() const { return constants; }
  bool contains(const BytecodeFunction &function) const {
    return &function >= functions.data() &&
           &function < functions.data() + functions.size();
  }
  bool contains(const RelayArtifactConstructor *constructor) const {
    return constructor >= program.constructors &&
           constructor < program.constructors + program.num_constructors;
  }
  /// The types of the fields of a constructor; none if they may be anything.
  const std::vector<ValueType> &getFieldTypes(int64_t constructor) const {
    return fieldTypes[constructor];
  }
  /// A function by its name, for a caller; throws if there is none.
  const BytecodeFunction &find(const std::string &name) const;

private:
  void checkTables();
  void checkFunction(const RelayVMFunction &function);
  void checkCall(const RelayVMFunction &function, const int64_t *word,
                 int64_t numArgs, const std::string &where);
  void parseFieldTypes();
  void makeConstants();

  const RelayArtifact &artifact;
  const RelayVMProgram &program;
  std::vector<BytecodeFunction> functions;
  std::vector<Value> constants;
  std::vector<std::vector<ValueType>> fieldTypes;
};

/// The program as text, one instruction a line.
std::string printProgram(const RelayVMProgram &program);

} // namespace relay_rt

#endif // RELAY_MLIR_LIB_RUNTIME_BYTECODE_H
