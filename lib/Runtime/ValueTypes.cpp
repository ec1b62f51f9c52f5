//===- ValueTypes.cpp - What values may be --------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Values are looked through without recursion: lists are as deep as they are
// long. What several values share is looked at once, so that references may
// form cycles.
//
//===----------------------------------------------------------------------===//

#include "ValueTypes.h"

#include "Bytecode.h"
#include "Error.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <set>
#include <tuple>

using namespace relay_rt;

//===----------------------------------------------------------------------===//
// From words
//===----------------------------------------------------------------------===//

namespace {

class TypeParser {
public:
  TypeParser(const RelayVMProgram &program, const int64_t *words, int64_t count,
             int32_t numSymbols, const std::string &owner)
      : program(program), next(words), end(words + count),
        numSymbols(numSymbols), owner(owner) {}

  std::vector<ValueType> parse() {
    std::vector<ValueType> types;
    while (next != end)
      types.push_back(parseType(/*depth=*/0));
    return types;
  }

private:
  template <typename... Parts>
  [[noreturn]] void refuse(const Parts &...parts) const {
    fail(RELAY_INVALID_ARTIFACT, "the types of '", owner,
         "' are damaged: ", parts...);
  }

  /// A word from 0 to before `limit`.
  int64_t read(int64_t limit, const char *what) {
    if (next == end)
      refuse("expects ", what, ", but there are no more words");
    int64_t word = *next++;
    if (word < 0 || word >= limit)
      refuse("expects ", what, " below ", limit, ", but got ", word);
    return word;
  }

  /// A number of things that take a word each, or more.
  int64_t readCount(const char *what) {
    // The word itself is one of those that are left.
    return read(end - next, what);
  }

  ValueType parseType(int depth) {
    constexpr int kMaxDepth = 1000;
    if (depth > kMaxDepth)
      refuse("expects types in each other up to a depth of ", kMaxDepth);
    ValueType type;
    type.kind = static_cast<RelayVMType>(
        read(RELAY_VM_TYPE_REFERENCE + 1, "a kind of types"));
    int64_t numParts = 0;
    switch (type.kind) {
    case RELAY_VM_TYPE_ANY:
      break;
    case RELAY_VM_TYPE_TENSOR: {
      type.dtype.code = static_cast<uint8_t>(read(256, "an element type"));
      type.dtype.bits = static_cast<uint8_t>(read(256, "bits of elements"));
      type.dtype.lanes = 1;
      int64_t rank = readCount("a rank");
      for (int64_t i = 0; i < rank; ++i) {
        if (*next < -1 - int64_t(numSymbols))
          refuse("expects a size from ", -1 - int64_t(numSymbols), ", but got ",
                 *next);
        type.dims.push_back(*next++);
      }
      break;
    }
    case RELAY_VM_TYPE_TUPLE:
      numParts = readCount("a number of fields");
      break;
    case RELAY_VM_TYPE_DATA:
      type.number = read(program.num_constructors, "a constructor");
      numParts = readCount("a number of arguments");
      break;
    case RELAY_VM_TYPE_ARGUMENT:
      type.number = read(INT64_MAX, "an argument");
      break;
    case RELAY_VM_TYPE_FUNCTION:
      type.number = read(INT64_MAX, "a number of parameters");
      break;
    case RELAY_VM_TYPE_REFERENCE:
      numParts = 1;
      break;
    }
    for (int64_t i = 0; i < numParts; ++i)
      type.parts.push_back(parseType(depth + 1));
    return type;
  }

  const RelayVMProgram &program;
  const int64_t *next, *end;
  int32_t numSymbols;
  const std::string &owner;
};

} // namespace

std::vector<ValueType> relay_rt::parseTypes(const RelayVMProgram &program,
                                            const int64_t *words, int64_t count,
                                            int32_t numSymbols,
                                            const std::string &owner) {
  if (count < 0 || (count > 0 && !words))
    fail(RELAY_INVALID_ARTIFACT, "the types of '", owner,
         "' are damaged: expects words, but got ", count);
  return TypeParser(program, words, count, numSymbols, owner).parse();
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

namespace {

class ArgumentChecker {
public:
  ArgumentChecker(const Program &program, const BytecodeFunction &function)
      : program(program), function(function),
        sizes(static_cast<size_t>(function.description->num_symbols), -1) {}

  void check(int64_t number, const Value &value, const ValueType &type);

private:
  struct Bindings;
  /// A type, and what its arguments stand for.
  struct Expected {
    const ValueType *type;
    const Bindings *bindings;

    bool operator==(const Expected &other) const {
      return type == other.type && bindings == other.bindings;
    }
  };
  struct Bindings {
    std::vector<Expected> arguments;
  };
  /// A value whose parts are being looked at, and their types: as many as there
  /// are parts.
  struct Entry {
    Value value;
    const std::vector<ValueType> *types;
    const Bindings *bindings;
    uint32_t next = 0;
  };

  Expected resolve(Expected expected) const;
  const Bindings *bind(const ValueType &type, const Bindings *outer);
  void enter(const Value &value, Expected expected);
  void enterData(const Value &value, Expected expected);
  void checkTensor(const TensorObject &tensor, const ValueType &type);
  [[noreturn]] void refuse(const std::string &expects,
                           const std::string &got) const;
  [[noreturn]] void refuseKind(const char *expects, const Value &value) const;

  const Program &program;
  const BytecodeFunction &function;
  /// What sizes with names have turned out to be, -1 before that.
  std::vector<int64_t> sizes;
  int64_t number = 0;
  std::vector<Entry> stack;
  std::deque<Bindings> allBindings;
  std::set<std::tuple<Object *, const ValueType *, const Bindings *>> seen;
};

} // namespace

/// Where the value is that is something else.
void ArgumentChecker::refuse(const std::string &expects,
                             const std::string &got) const {
  std::string text = "argument " + std::to_string(number) + " of '" +
                     function.description->name + "'";
  const char *name = function.description->params[number];
  if (*name)
    text += " ('" + std::string(name) + "')";
  // Of what is deep, how the path begins and how it ends.
  constexpr size_t kShown = 4;
  for (size_t i = 0; i < stack.size(); ++i) {
    if (stack.size() > 2 * kShown && i == kShown) {
      text += ", ...";
      i = stack.size() - kShown;
    }
    const Entry &entry = stack[i];
    Object *object = entry.value.getObject();
    if (object->kind == RELAY_VALUE_REFERENCE) {
      text += ", contents of a reference";
      continue;
    }
    auto *data = static_cast<DataObject *>(object);
    text += ", field " + std::to_string(entry.next - 1) + " of " +
            (data->constructor ? data->constructor->name : "a tuple");
  }
  fail(RELAY_INVALID_ARGUMENT, text, ": expects ", expects, ", but got ", got);
}

void ArgumentChecker::refuseKind(const char *expects,
                                 const Value &value) const {
  refuse(expects, describeKind(value));
}

void ArgumentChecker::checkTensor(const TensorObject &tensor,
                                  const ValueType &type) {
  const DLTensor &given = tensor.tensor;
  if (!isSameDType(given.dtype, type.dtype))
    refuse("a tensor of " + describeDType(type.dtype),
           describeDType(given.dtype));
  auto rank = static_cast<int32_t>(type.dims.size());
  bool fits = given.ndim == rank;
  std::string reason;
  for (int32_t i = 0; fits && i < rank; ++i) {
    int64_t size = type.dims[i];
    if (size >= 0) {
      fits = size == given.shape[i];
    } else if (size < -1) {
      // The same name is the same size.
      int64_t &known = sizes[-2 - size];
      if (known < 0)
        known = given.shape[i];
      fits = known == given.shape[i];
      if (!fits)
        reason = std::string(" with ") +
                 function.description->symbols[-2 - size] + " = " +
                 std::to_string(known) + " as in an earlier dimension";
    }
  }
  if (fits)
    return;
  std::string expected;
  for (int64_t size : type.dims)
    expected += (expected.empty() ? "" : ", ") +
                (size < -1  ? function.description->symbols[-2 - size]
                 : size < 0 ? std::string("?")
                            : std::to_string(size));
  refuse("a tensor of shape [" + expected + "]" + reason,
         describeDims(given.shape, given.ndim));
}

ArgumentChecker::Expected ArgumentChecker::resolve(Expected expected) const {
  static const ValueType any;
  if (expected.type->kind != RELAY_VM_TYPE_ARGUMENT)
    return expected;
  auto index = static_cast<size_t>(expected.type->number);
  if (!expected.bindings || index >= expected.bindings->arguments.size())
    return {&any, nullptr};
  return expected.bindings->arguments[index];
}

/// The arguments of a data type. The rest of a list has those of the list,
/// which are not made again.
const ArgumentChecker::Bindings *ArgumentChecker::bind(const ValueType &type,
                                                       const Bindings *outer) {
  auto areArguments = [&](const Bindings &known) {
    return std::equal(type.parts.begin(), type.parts.end(),
                      known.arguments.begin(), known.arguments.end(),
                      [&](const ValueType &part, const Expected &argument) {
                        return resolve({&part, outer}) == argument;
                      });
  };
  if (outer && areArguments(*outer))
    return outer;
  for (const Bindings &known : allBindings)
    if (areArguments(known))
      return &known;
  Bindings &made = allBindings.emplace_back();
  for (const ValueType &part : type.parts)
    made.arguments.push_back(resolve({&part, outer}));
  return &made;
}

void ArgumentChecker::enterData(const Value &value, Expected expected) {
  const RelayArtifactConstructor *constructors =
      program.getDescription().constructors;
  const RelayArtifactConstructor &known = constructors[expected.type->number];
  std::string what = std::string("a value of '") + known.type + "'";
  Object *object = value.getObject();
  if (!object || object->kind != RELAY_VALUE_DATA)
    refuseKind(what.c_str(), value);
  auto *data = static_cast<DataObject *>(object);
  int64_t index = data->constructor - constructors;
  if (!program.contains(data->constructor))
    refuse(what, std::string("one of constructor '") + data->constructor->name +
                     "' of another program");
  if (std::strcmp(known.type, data->constructor->type) != 0)
    refuse(what, std::string("one of '") + data->constructor->type + "'");
  const std::vector<ValueType> &types = program.getFieldTypes(index);
  stack.push_back({value, &types, bind(*expected.type, expected.bindings)});
}

void ArgumentChecker::enter(const Value &value, Expected expected) {
  expected = resolve(expected);
  const ValueType &type = *expected.type;
  Object *object = value.getObject();
  if (type.kind == RELAY_VM_TYPE_ANY)
    return;
  if (type.kind == RELAY_VM_TYPE_TENSOR) {
    if (!object || object->kind != RELAY_VALUE_TENSOR)
      refuseKind("a tensor", value);
    return checkTensor(*static_cast<TensorObject *>(object), type);
  }
  if (object && !object->isUnique() &&
      !seen.emplace(object, &type, expected.bindings).second)
    return;
  switch (type.kind) {
  case RELAY_VM_TYPE_TUPLE: {
    if (!object || object->kind != RELAY_VALUE_TUPLE)
      refuseKind("a tuple", value);
    uint32_t count = static_cast<DataObject *>(object)->numFields;
    if (count != type.parts.size())
      refuse("a tuple of " + std::to_string(type.parts.size()) + " fields",
             std::to_string(count));
    stack.push_back({value, &type.parts, expected.bindings});
    return;
  }
  case RELAY_VM_TYPE_DATA:
    return enterData(value, expected);
  case RELAY_VM_TYPE_FUNCTION: {
    if (!object || object->kind != RELAY_VALUE_CLOSURE)
      refuseKind("a function", value);
    auto *closure = static_cast<ClosureObject *>(object);
    if (!program.contains(closure->function))
      refuse("a function of this program", "one of another");
    int64_t count = closure->function.description->num_params -
                    int64_t(closure->numCaptured);
    if (count != type.number)
      refuse("a function of " + std::to_string(type.number) + " parameters",
             "one of " + std::to_string(count));
    return;
  }
  default:
    if (!object || object->kind != RELAY_VALUE_REFERENCE)
      refuseKind("a reference", value);
    stack.push_back({value, &type.parts, expected.bindings});
  }
}

void ArgumentChecker::check(int64_t argument, const Value &value,
                            const ValueType &type) {
  number = argument;
  enter(value, {&type, nullptr});
  while (!stack.empty()) {
    Entry &entry = stack.back();
    if (entry.next == entry.types->size()) {
      stack.pop_back();
      continue;
    }
    Expected expected{&(*entry.types)[entry.next], entry.bindings};
    uint32_t index = entry.next++;
    Object *object = entry.value.getObject();
    if (object->kind == RELAY_VALUE_REFERENCE)
      enter(static_cast<ReferenceObject *>(object)->read(), expected);
    else
      enter(static_cast<DataObject *>(object)->getFields()[index], expected);
  }
}

void relay_rt::checkArguments(const Program &program,
                              const BytecodeFunction &function,
                              const Value *args, size_t count) {
  // The last ones; there may be types of fewer, or none.
  const std::vector<ValueType> &types = function.types;
  size_t typed = std::min(types.size(), count);
  ArgumentChecker checker(program, function);
  auto numParams = static_cast<size_t>(function.description->num_params);
  for (size_t i = 0; i < typed; ++i)
    checker.check(static_cast<int64_t>(numParams - typed + i),
                  args[count - typed + i], types[types.size() - typed + i]);
}

//===----------------------------------------------------------------------===//
// Contents of references
//===----------------------------------------------------------------------===//

[[noreturn]] static void refuseContents(const std::string &expects,
                                        const std::string &got) {
  fail(RELAY_INVALID_ARGUMENT, "expects ", expects,
       ", as the reference has, but got ", got);
}

void relay_rt::checkContents(const Value &old, const Value &value) {
  // Callers make tuples and references, and no deep ones.
  Object *known = old.getObject(), *object = value.getObject();
  if (!known || !object || known->kind != object->kind)
    refuseContents(describeKind(old), describeKind(value));
  switch (known->kind) {
  case RELAY_VALUE_TENSOR: {
    const DLTensor &expected = static_cast<TensorObject *>(known)->tensor;
    const DLTensor &given = static_cast<TensorObject *>(object)->tensor;
    if (!isSameDType(expected.dtype, given.dtype) ||
        expected.ndim != given.ndim)
      refuseContents("a tensor of " + describeDType(expected.dtype) +
                         " with rank " + std::to_string(expected.ndim),
                     "one of " + describeDType(given.dtype) + " with rank " +
                         std::to_string(given.ndim));
    return;
  }
  case RELAY_VALUE_TUPLE: {
    auto *expected = static_cast<DataObject *>(known);
    auto *given = static_cast<DataObject *>(object);
    if (expected->numFields != given->numFields)
      refuseContents("a tuple of " + std::to_string(expected->numFields) +
                         " fields",
                     "one of " + std::to_string(given->numFields));
    for (uint32_t i = 0; i < given->numFields; ++i)
      checkContents(expected->getFields()[i], given->getFields()[i]);
    return;
  }
  case RELAY_VALUE_DATA: {
    const char *expected = static_cast<DataObject *>(known)->constructor->type;
    const char *given = static_cast<DataObject *>(object)->constructor->type;
    if (std::strcmp(expected, given) != 0)
      refuseContents(std::string("a value of '") + expected + "'",
                     std::string("one of '") + given + "'");
    return;
  }
  case RELAY_VALUE_CLOSURE: {
    auto count = [](Object *closure) {
      auto *known = static_cast<ClosureObject *>(closure);
      return known->function.description->num_params -
             int64_t(known->numCaptured);
    };
    if (count(known) != count(object))
      refuseContents("a function of " + std::to_string(count(known)) +
                         " parameters",
                     "one of " + std::to_string(count(object)));
    return;
  }
  case RELAY_VALUE_REFERENCE:
    return checkContents(static_cast<ReferenceObject *>(known)->read(),
                         static_cast<ReferenceObject *>(object)->read());
  }
}
