//===- ProgramTypes.cpp - Types that a program in bytecode has ------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Pipelines/ProgramTypes.h"

#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Pipelines/CompiledTensors.h"

using namespace mlir;
using namespace mlir::relay;

namespace {
/// Reads the types that the artefact has as words (RelayVMType), which the run
/// time has checked.
class TypeReader {
public:
  TypeReader(const RelayVMProgram &program, const RelayVMFunction &function,
             ArrayRef<int64_t> words, MLIRContext *context)
      : program(program), function(function), context(context),
        next(words.begin()), end(words.end()) {}

  std::vector<ProgramValueInfo> readAll() {
    std::vector<ProgramValueInfo> values;
    while (next != end) {
      sizeNames.clear();
      Type type = read();
      values.push_back({StringRef(), type, sizeNames, /*isString=*/false});
    }
    return values;
  }

private:
  Type read() {
    switch (*next++) {
    case RELAY_VM_TYPE_TENSOR: {
      DLDataType dtype = {static_cast<uint8_t>(next[0]),
                          static_cast<uint8_t>(next[1]), 1};
      ArrayRef<int64_t> sizes(next + 3, next[2]);
      next = sizes.end();
      for (int64_t size : sizes)
        sizeNames.push_back(size < -1 ? function.symbols[-2 - size] : "");
      return RankedTensorType::get(
          llvm::map_to_vector(sizes,
                              [](int64_t size) {
                                return size < 0 ? ShapedType::kDynamic : size;
                              }),
          getElementType(context, dtype));
    }
    case RELAY_VM_TYPE_TUPLE:
      return TupleType::get(context, readParts());
    case RELAY_VM_TYPE_DATA: {
      const char *name = program.constructors[*next++].type;
      // Sizes of what is in a data type have no names.
      size_t numNames = sizeNames.size();
      SmallVector<Type> parts = readParts();
      sizeNames.truncate(numNames);
      return ADTType::get(FlatSymbolRefAttr::get(context, name), parts);
    }
    case RELAY_VM_TYPE_ARGUMENT:
    case RELAY_VM_TYPE_FUNCTION:
      ++next;
      break;
    case RELAY_VM_TYPE_REFERENCE: {
      size_t numNames = sizeNames.size();
      read();
      sizeNames.truncate(numNames);
      break;
    }
    default:
      break;
    }
    return relay::IncompleteType::get(context);
  }

  SmallVector<Type> readParts() {
    SmallVector<Type> parts;
    for (int64_t count = *next++; count > 0; --count)
      parts.push_back(read());
    return parts;
  }

  const RelayVMProgram &program;
  const RelayVMFunction &function;
  SmallVector<StringRef> sizeNames;
  MLIRContext *context;
  const int64_t *next, *end;
};
} // namespace

std::optional<ProgramSignature>
relay::readSignature(const RelayVMProgram &program, StringRef name,
                     MLIRContext *context) {
  context->loadDialect<RelayDialect>();
  for (const RelayVMFunction &function :
       ArrayRef(program.functions, program.num_functions)) {
    if (function.kind != RELAY_VM_BYTECODE || name != function.name)
      continue;
    auto read = [&](const int64_t *words, int64_t count) {
      return TypeReader(program, function, ArrayRef(words, count), context)
          .readAll();
    };
    ProgramSignature signature;
    signature.params = read(function.types, function.num_type_words);
    // Those of the last parameters.
    signature.params.insert(signature.params.begin(),
                            function.num_params - signature.params.size(),
                            ProgramValueInfo());
    signature.results = read(function.result_types, function.num_result_words);
    for (auto [number, param] : llvm::enumerate(signature.params))
      param.name = function.params[number];
    for (auto [number, result] : llvm::enumerate(signature.results))
      result.name = function.results[number];
    for (int64_t number :
         ArrayRef(function.string_params, function.num_string_params))
      signature.params[number].isString = true;
    for (int64_t number :
         ArrayRef(function.string_results, function.num_string_results))
      signature.results[number].isString = true;
    return signature;
  }
  return std::nullopt;
}
