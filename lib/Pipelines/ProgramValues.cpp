//===- ProgramValues.cpp - Values of programs in bytecode -----------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Pipelines/ProgramValues.h"

#include "relay-mlir/Pipelines/CompiledTensors.h"

#include <cstring>

using namespace mlir;
using namespace mlir::relay;

static llvm::Error checkStatus(RelayStatus status) {
  if (status == RELAY_OK)
    return llvm::Error::success();
  return llvm::createStringError(relayGetLastError());
}

/// Makes a value of a tensor, or of fields that are made already.
static llvm::Expected<ProgramValue> make(const RelayModule *module,
                                         const InterpreterValue &value,
                                         ArrayRef<ProgramValue> fields) {
  RelayValue *made = nullptr;
  SmallVector<RelayValue *> values;
  for (const ProgramValue &field : fields)
    values.push_back(field.get());
  auto count = static_cast<int32_t>(values.size());
  RelayStatus status;
  if (value.isTensor()) {
    DLTensorViews views(value);
    status = relayValueFromTensor(views.get().front(), &made);
  } else if (value.isTuple()) {
    status = relayValueMakeTuple(values.data(), count, &made);
  } else {
    SymbolRefAttr name = value.getConstructor();
    status = relayModuleMakeData(module, name.getRootReference().str().c_str(),
                                 name.getLeafReference().str().c_str(),
                                 values.data(), count, &made);
  }
  if (llvm::Error error = checkStatus(status))
    return std::move(error);
  return ProgramValue(made);
}

llvm::Expected<ProgramValue>
relay::toProgramValue(const RelayModule *module, const InterpreterValue &root) {
  // Lists are as deep as they are long.
  struct Entry {
    InterpreterValue value;
    std::vector<ProgramValue> fields = {};
  };
  std::vector<Entry> stack = {{root}};
  while (true) {
    Entry &entry = stack.back();
    bool hasFields = entry.value.isTuple() || entry.value.isData();
    if (!hasFields && !entry.value.isTensor())
      return llvm::createStringError(
          "expects closures and references of this program, but got one of the "
          "interpreter");
    if (hasFields && entry.fields.size() != entry.value.getFields().size()) {
      InterpreterValue next = entry.value.getFields()[entry.fields.size()];
      stack.push_back({next});
      continue;
    }
    llvm::Expected<ProgramValue> made = make(module, entry.value, entry.fields);
    if (!made)
      return made;
    stack.pop_back();
    if (stack.empty())
      return made;
    stack.back().fields.push_back(std::move(*made));
  }
}

FailureOr<std::vector<ProgramValue>>
relay::toProgramValues(const RelayModule *module,
                       ArrayRef<InterpreterValue> values, Location location) {
  std::vector<ProgramValue> results;
  for (const InterpreterValue &value : values) {
    llvm::Expected<ProgramValue> made = toProgramValue(module, value);
    if (!made)
      return emitError(location) << llvm::toString(made.takeError());
    results.push_back(std::move(*made));
  }
  return results;
}

FailureOr<ProgramValue> relay::runProgram(RelayModule *module,
                                          ArrayRef<ProgramValue> arguments,
                                          Location location) {
  SmallVector<RelayValue *> values = llvm::map_to_vector(
      arguments, [](const ProgramValue &value) { return value.get(); });
  RelayValue *result = nullptr;
  if (relayModuleInvoke(module, "main", values.data(),
                        static_cast<int32_t>(values.size()),
                        &result) != RELAY_OK)
    return emitError(location) << relayGetLastError();
  return ProgramValue(result);
}

Tensor relay::getProgramTensor(RelayValue *value, MLIRContext *context) {
  DLTensor tensor;
  [[maybe_unused]] RelayStatus status = relayValueGetTensor(value, &tensor);
  assert(status == RELAY_OK && "expects a tensor");
  Tensor result = Tensor::allocate(ArrayRef(tensor.shape, tensor.ndim),
                                   getElementType(context, tensor.dtype));
  // Both are row-major without gaps.
  if (size_t bytes = result.getSizeInBytes())
    std::memcpy(result.getMutableRawData(), tensor.data, bytes);
  return result;
}

namespace {

/// Prints without recursion: lists are as deep as they are long.
class ProgramValuePrinter {
public:
  ProgramValuePrinter(raw_ostream &os, MLIRContext *context, unsigned maxDepth)
      : os(os), context(context), maxDepth(maxDepth) {}

  void print(RelayValue *root) {
    relayValueRetain(root);
    begin(ProgramValue(root));
    while (!stack.empty()) {
      Entry &entry = stack.back();
      if (entry.next == entry.count) {
        bool isTuple =
            relayValueGetKind(entry.value.get()) == RELAY_VALUE_TUPLE;
        os << (isTuple && entry.count == 1 ? ",)" : ")");
        stack.pop_back();
        continue;
      }
      if (entry.next)
        os << ", ";
      RelayValue *part = nullptr;
      int32_t number = entry.next++;
      RelayStatus status =
          relayValueGetKind(entry.value.get()) == RELAY_VALUE_REFERENCE
              ? relayValueReadReference(entry.value.get(), &part)
              : relayValueGetField(entry.value.get(), number, &part);
      if (status == RELAY_OK)
        begin(ProgramValue(part));
      else
        os << "<nothing>";
    }
  }

private:
  struct Entry {
    ProgramValue value;
    int32_t count;
    int32_t next = 0;
  };

  /// Prints all of a simple value, or how one with fields begins.
  void begin(ProgramValue value) {
    int32_t count = 0;
    switch (relayValueGetKind(value.get())) {
    case RELAY_VALUE_TENSOR:
      InterpreterValue(getProgramTensor(value.get(), context)).print(os);
      return;
    case RELAY_VALUE_CLOSURE:
      os << "<closure>";
      return;
    case RELAY_VALUE_TUPLE:
      (void)relayValueGetNumFields(value.get(), &count);
      break;
    case RELAY_VALUE_DATA: {
      const RelayArtifactConstructor *constructor = nullptr;
      (void)relayValueGetConstructor(value.get(), &constructor);
      os << constructor->name;
      count = constructor->num_fields;
      if (count == 0)
        return;
      break;
    }
    case RELAY_VALUE_REFERENCE:
      os << "ref";
      count = 1;
      // It may hold itself.
      for (const Entry &entry : stack)
        if (entry.value.get() == value.get()) {
          os << "(...)";
          return;
        }
      break;
    }
    if (stack.size() >= maxDepth) {
      os << "(...)";
      return;
    }
    os << '(';
    stack.push_back({std::move(value), count});
  }

  raw_ostream &os;
  MLIRContext *context;
  unsigned maxDepth;
  std::vector<Entry> stack;
};

} // namespace

void relay::printProgramValue(raw_ostream &os, RelayValue *value,
                              MLIRContext *context, unsigned maxDepth) {
  ProgramValuePrinter(os, context, maxDepth).print(value);
}
