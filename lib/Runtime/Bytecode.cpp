//===- Bytecode.cpp - Check bytecode, and print it ------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bytecode.h"

#include "Error.h"

#include <algorithm>
#include <cstring>

using namespace relay_rt;

namespace {

/// What the arguments of a builtin are: a letter for each, and perhaps one for
/// all others: v a value, i a value or a number, n a number, c the number of a
/// constructor, f that of a function in bytecode, * any number of values.
struct BuiltinSignature {
  const char *name;
  Builtin builtin;
  const char *arguments;
};

} // namespace

static constexpr BuiltinSignature kBuiltins[] = {
    {"vm.builtin.make_tuple", Builtin::MakeTuple, "*"},
    {"vm.builtin.make_data", Builtin::MakeData, "c*"},
    {"vm.builtin.get_field", Builtin::GetField, "vn"},
    {"vm.builtin.has_constructor", Builtin::HasConstructor, "vc"},
    {"vm.builtin.make_closure", Builtin::MakeClosure, "f*"},
    {"vm.builtin.invoke_closure", Builtin::InvokeClosure, "v*"},
    {"vm.builtin.make_ref", Builtin::MakeReference, "v"},
    {"vm.builtin.read_ref", Builtin::ReadReference, "v"},
    {"vm.builtin.write_ref", Builtin::WriteReference, "vv"},
    {"vm.builtin.read_if_cond", Builtin::ReadCondition, "v"},
    {"vm.builtin.copy", Builtin::Copy, "i"},
    {"vm.builtin.kill", Builtin::Kill, "v"},
    {"vm.builtin.make_sized", Builtin::MakeSized, "v"},
    {"vm.builtin.fatal", Builtin::Fatal, "v"},
    {kDebugPrefix.data(), Builtin::Debug, "v"},
    {kPackedPrefix.data(), Builtin::CallPacked, "*"},
};

template <typename... Parts>
[[noreturn]] static void refuse(const Parts &...parts) {
  fail(RELAY_INVALID_ARTIFACT, "the bytecode is damaged: ", parts...);
}

//===----------------------------------------------------------------------===//
// Program
//===----------------------------------------------------------------------===//

Program::Program(const RelayArtifact &artifact)
    : artifact(artifact), program(*artifact.program) {
  checkTables();
  parseFieldTypes();
  for (int64_t i = 0; i < program.num_functions; ++i)
    if (program.functions[i].kind == RELAY_VM_BYTECODE)
      checkFunction(program.functions[i]);
  makeConstants();
}

const BytecodeFunction &Program::find(const std::string &name) const {
  std::string known;
  for (const BytecodeFunction &function : functions) {
    if (function.kind != RELAY_VM_BYTECODE || !function.description->is_public)
      continue;
    if (name == function.description->name)
      return function;
    known += (known.empty() ? "'" : ", '") +
             std::string(function.description->name) + "'";
  }
  fail(RELAY_INVALID_ARGUMENT, "expects one of the functions ", known,
       ", but got '", name, "'");
}

/// Fills the function table.
void Program::checkTables() {
  // What a call may allocate is bounded by these, not by what a file says.
  constexpr int32_t kMaxRegisters = 1 << 20;
  for (int64_t i = 0; i < program.num_functions; ++i) {
    const RelayVMFunction &function = program.functions[i];
    BytecodeFunction entry = {};
    entry.description = &function;
    entry.kind = static_cast<RelayVMFunctionKind>(function.kind);
    switch (function.kind) {
    case RELAY_VM_BUILTIN: {
      const BuiltinSignature *found = nullptr;
      std::string_view name = function.name;
      for (std::string_view prefix : {kDebugPrefix, kPackedPrefix})
        if (name.substr(0, prefix.size()) == prefix)
          name = prefix;
      for (const BuiltinSignature &builtin : kBuiltins)
        if (name == builtin.name)
          found = &builtin;
      if (!found)
        refuse("expects a builtin function, but got '", function.name, "'");
      entry.builtin = found->builtin;
      break;
    }
    case RELAY_VM_BYTECODE:
      if (function.num_registers < 0 ||
          function.num_registers > kMaxRegisters || function.num_params < 0 ||
          function.num_params > function.num_registers)
        refuse("expects at most ", kMaxRegisters, " registers of '",
               function.name, "', with ", function.num_params,
               " parameters among them, but got ", function.num_registers);
      if (function.first_word < 0 || function.num_words < 0 ||
          function.first_word > program.num_words ||
          function.num_words > program.num_words - function.first_word)
        refuse("expects the code of '", function.name, "' within ",
               program.num_words, " words, but got ", function.num_words,
               " from word ", function.first_word);
      entry.code = program.code + function.first_word;
      entry.types = parseTypes(program, function.types, function.num_type_words,
                               function.num_symbols, function.name);
      if (entry.types.size() > static_cast<size_t>(function.num_params))
        refuse("expects at most ", function.num_params, " types of '",
               function.name, "', but got ", entry.types.size());
      // Tools read them.
      if (size_t count = parseTypes(program, function.result_types,
                                    function.num_result_words,
                                    function.num_symbols, function.name)
                             .size();
          count != static_cast<size_t>(function.num_results))
        refuse("expects ", function.num_results, " types of results of '",
               function.name, "', but got ", count);
      break;
    case RELAY_VM_TENSORS:
      if (function.tensor_function < 0 ||
          function.tensor_function >= artifact.num_functions)
        refuse("expects one of ", artifact.num_functions,
               " functions of tensors, but got ", function.tensor_function);
      break;
    default:
      refuse("expects a kind of function, but got ", function.kind);
    }
    functions.push_back(std::move(entry));
  }
}

void Program::parseFieldTypes() {
  for (int64_t i = 0; i < program.num_constructors; ++i) {
    const RelayArtifactConstructor &constructor = program.constructors[i];
    fieldTypes.push_back(parseTypes(program, constructor.field_types,
                                    constructor.num_type_words,
                                    /*numSymbols=*/0, constructor.name));
    if (!fieldTypes.back().empty() &&
        fieldTypes.back().size() != static_cast<size_t>(constructor.num_fields))
      refuse("expects ", constructor.num_fields, " types of '",
             constructor.name, "', but got ", fieldTypes.back().size());
  }
}

void Program::makeConstants() {
  for (int64_t i = 0; i < program.num_constants; ++i) {
    const RelayVMConstant &constant = program.constants[i];
    const RelayArtifactTensor &tensor = constant.tensor;
    DLDataType type = {tensor.dtype.code, tensor.dtype.bits,
                       tensor.dtype.lanes};
    std::optional<size_t> bytes;
    bool isKnown = tensor.rank >= 0;
    for (int32_t d = 0; d < tensor.rank; ++d)
      isKnown &= tensor.dims[d] >= 0;
    if (isKnown)
      bytes = getNumBytes(type, tensor.dims, tensor.rank);
    if (!bytes || constant.offset > artifact.weights_size ||
        *bytes > artifact.weights_size - constant.offset)
      refuse("expects constant ", i, " within ", artifact.weights_size,
             " bytes of weights");
    char *data =
        const_cast<char *>(static_cast<const char *>(artifact.weights)) +
        constant.offset;
    constants.emplace_back(
        TensorObject::borrow(type, tensor.dims, tensor.rank, data));
  }
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

/// Where in the code something is wrong.
static std::string describePlace(const RelayVMFunction &function,
                                 int64_t position) {
  return " at word " + std::to_string(position) + " of '" + function.name + "'";
}

static void checkRegister(const RelayVMFunction &function, int64_t number,
                          const std::string &where) {
  if (number < 0 || number >= function.num_registers)
    refuse("expects a register below ", function.num_registers, ", but got ",
           number, where);
}

void Program::checkFunction(const RelayVMFunction &function) {
  const int64_t *code = program.code + function.first_word;
  int64_t size = function.num_words;
  // Jumps go to where an instruction begins.
  std::vector<bool> isStart(size + 1, false);
  std::vector<std::pair<int64_t, int64_t>> jumps;
  bool isEnded = false;
  for (int64_t position = 0; position < size;) {
    isStart[position] = true;
    std::string where = describePlace(function, position);
    const int64_t *word = code + position;
    int64_t rest = size - position;
    auto needWords = [&](int64_t count) {
      if (rest < count)
        refuse("expects ", count, " words of an instruction, but got ", rest,
               where);
    };
    auto checkJump = [&](int64_t offset) {
      if (offset <= 0 || offset >= rest)
        refuse("expects a jump forward of less than ", rest, " words, but got ",
               offset, where);
      jumps.emplace_back(position, position + offset);
    };
    isEnded = false;
    switch (word[0]) {
    case RELAY_VM_CALL: {
      needWords(4);
      if (word[3] < 0 || word[3] > rest - 4)
        refuse("expects fewer arguments than words, but got ", word[3], where);
      if (word[1] != RELAY_VM_VOID)
        checkRegister(function, word[1], where);
      if (word[2] < 0 || word[2] >= program.num_functions)
        refuse("expects a function below ", program.num_functions, ", but got ",
               word[2], where);
      checkCall(function, word, word[3], where);
      position += 4 + word[3];
      break;
    }
    case RELAY_VM_RET:
      needWords(2);
      checkRegister(function, word[1], where);
      isEnded = true;
      position += 2;
      break;
    case RELAY_VM_GOTO:
      needWords(2);
      checkJump(word[1]);
      isEnded = true;
      position += 2;
      break;
    case RELAY_VM_IF:
      needWords(3);
      checkRegister(function, word[1], where);
      checkJump(word[2]);
      position += 3;
      break;
    default:
      refuse("expects an instruction, but got ", word[0], where);
    }
  }
  if (!isEnded)
    refuse("expects '", function.name, "' to end with a return");
  for (auto [from, to] : jumps)
    if (!isStart[to])
      refuse("expects a jump to an instruction, but got word ", to,
             describePlace(function, from));
}

void Program::checkCall(const RelayVMFunction &function, const int64_t *word,
                        int64_t numArgs, const std::string &where) {
  const int64_t *args = word + 4;
  auto getKind = [](int64_t arg) {
    return static_cast<uint64_t>(arg) >> RELAY_VM_ARGUMENT_BITS;
  };
  auto checkValue = [&](int64_t arg) {
    int64_t number = RELAY_VM_ARGUMENT_VALUE(arg);
    switch (getKind(arg)) {
    case RELAY_VM_REGISTER:
    case RELAY_VM_LAST_USE:
      return checkRegister(function, number, where);
    case RELAY_VM_CONSTANT:
      if (number < 0 || number >= program.num_constants)
        refuse("expects a constant below ", program.num_constants, ", but got ",
               number, where);
      return;
    default:
      refuse("expects a value as argument", where);
    }
  };
  auto getNumber = [&](int64_t arg) {
    if (getKind(arg) != RELAY_VM_IMMEDIATE)
      refuse("expects a number as argument", where);
    return RELAY_VM_ARGUMENT_VALUE(arg);
  };
  auto checkCount = [&](int64_t expected) {
    if (numArgs != expected)
      refuse("expects ", expected, " arguments of '",
             program.functions[word[2]].name, "', but got ", numArgs, where);
  };

  const BytecodeFunction &callee = functions[word[2]];
  if (callee.kind != RELAY_VM_BUILTIN) {
    checkCount(callee.kind == RELAY_VM_BYTECODE
                   ? callee.description->num_params
                   : artifact.functions[callee.description->tensor_function]
                         .num_inputs);
    for (int64_t i = 0; i < numArgs; ++i)
      checkValue(args[i]);
    return;
  }
  const char *letter = nullptr;
  for (const BuiltinSignature &builtin : kBuiltins)
    if (builtin.builtin == callee.builtin)
      letter = builtin.arguments;
  int64_t next = 0, numFields = -1, maxValues = INT64_MAX;
  for (; *letter && *letter != '*'; ++letter, ++next) {
    if (next == numArgs)
      refuse("expects more arguments of '", callee.description->name,
             "', but got ", numArgs, where);
    int64_t arg = args[next];
    switch (*letter) {
    case 'v':
      checkValue(arg);
      break;
    case 'i':
      if (getKind(arg) != RELAY_VM_IMMEDIATE)
        checkValue(arg);
      break;
    case 'n':
      if (getNumber(arg) < 0)
        refuse("expects the number of a field, but got ", getNumber(arg),
               where);
      break;
    case 'c': {
      int64_t number = getNumber(arg);
      if (number < 0 || number >= program.num_constructors)
        refuse("expects a constructor below ", program.num_constructors,
               ", but got ", number, where);
      numFields = program.constructors[number].num_fields;
      break;
    }
    case 'f': {
      int64_t number = RELAY_VM_ARGUMENT_VALUE(arg);
      if (getKind(arg) != RELAY_VM_FUNCTION || number < 0 ||
          number >= program.num_functions ||
          functions[number].kind != RELAY_VM_BYTECODE)
        refuse("expects a function in bytecode as argument", where);
      maxValues = functions[number].description->num_params;
      break;
    }
    }
  }
  if (*letter != '*')
    return checkCount(next);
  int64_t numValues = numArgs - next;
  if (callee.builtin == Builtin::MakeData)
    checkCount(next + numFields);
  if (numValues > maxValues)
    refuse("expects at most ", maxValues, " captured values, but got ",
           numValues, where);
  for (; next < numArgs; ++next)
    checkValue(args[next]);
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

static std::string printArgument(const RelayVMProgram &program, int64_t arg) {
  std::string number = std::to_string(RELAY_VM_ARGUMENT_VALUE(arg));
  switch (static_cast<uint64_t>(arg) >> RELAY_VM_ARGUMENT_BITS) {
  case RELAY_VM_IMMEDIATE:
    return "i" + number;
  case RELAY_VM_CONSTANT:
    return "c[" + number + "]";
  case RELAY_VM_FUNCTION:
    return std::string("f[") +
           program.functions[RELAY_VM_ARGUMENT_VALUE(arg)].name + "]";
  case RELAY_VM_LAST_USE:
    return "%" + number + "!";
  default:
    return "%" + number;
  }
}

static std::string pad(std::string text, size_t width) {
  if (text.size() < width)
    text.resize(width, ' ');
  return text;
}

static std::string printFunction(const RelayVMProgram &program,
                                 const RelayVMFunction &function) {
  std::string text = std::string("@") + function.name + "(";
  for (int32_t i = 0; i < function.num_params; ++i)
    text += (i ? ", %" : "%") + std::to_string(i) +
            (*function.params[i] ? " " + std::string(function.params[i]) : "");
  text += ") registers: " + std::to_string(function.num_registers) +
          (function.native ? ", native code\n" : "\n");
  const int64_t *code = program.code + function.first_word;
  for (int64_t position = 0; position < function.num_words;) {
    const int64_t *word = code + position;
    std::string number = std::to_string(position);
    text += std::string(5 - std::min<size_t>(number.size(), 5), ' ') + number;
    switch (word[0]) {
    case RELAY_VM_CALL: {
      std::string args;
      for (int64_t i = 0; i < word[3]; ++i)
        args += (i ? ", " : "") + printArgument(program, word[4 + i]);
      text += "  call  " + pad(program.functions[word[2]].name, 16) +
              " in: " + pad(args, 12) + " dst: " +
              (word[1] == RELAY_VM_VOID ? std::string("%void")
                                        : "%" + std::to_string(word[1]));
      position += 4 + word[3];
      break;
    }
    case RELAY_VM_RET:
      text += "  ret   %" + std::to_string(word[1]);
      position += 2;
      break;
    case RELAY_VM_GOTO:
      text += "  goto  " + std::to_string(position + word[1]);
      position += 2;
      break;
    default:
      text += "  if    %" + std::to_string(word[1]) + " else " +
              std::to_string(position + word[2]);
      position += 3;
    }
    text += "\n";
  }
  return text + "\n";
}

std::string relay_rt::printProgram(const RelayVMProgram &program) {
  std::string text;
  for (int64_t i = 0; i < program.num_functions; ++i) {
    const RelayVMFunction &function = program.functions[i];
    if (function.kind == RELAY_VM_BYTECODE)
      text += printFunction(program, function);
    else
      text +=
          std::string("@") + function.name +
          (function.kind == RELAY_VM_BUILTIN ? " builtin\n\n" : " tensors\n\n");
  }
  return text;
}
