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
             MLIRContext *context)
      : program(program), context(context), next(function.types),
        end(function.types + function.num_type_words) {}

  std::vector<Type> readAll() {
    std::vector<Type> types;
    while (next != end)
      types.push_back(read());
    return types;
  }

private:
  Type read() {
    switch (*next++) {
    case RELAY_VM_TYPE_TENSOR: {
      DLDataType dtype = {static_cast<uint8_t>(next[0]),
                          static_cast<uint8_t>(next[1]), 1};
      ArrayRef<int64_t> sizes(next + 3, next[2]);
      next = sizes.end();
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
      return ADTType::get(FlatSymbolRefAttr::get(context, name), readParts());
    }
    case RELAY_VM_TYPE_ARGUMENT:
    case RELAY_VM_TYPE_FUNCTION:
      ++next;
      break;
    case RELAY_VM_TYPE_REFERENCE:
      read();
      break;
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
  MLIRContext *context;
  const int64_t *next, *end;
};
} // namespace

std::vector<Type> relay::readParamTypes(const RelayVMProgram &program,
                                        StringRef name, MLIRContext *context) {
  context->loadDialect<RelayDialect>();
  for (const RelayVMFunction &function :
       ArrayRef(program.functions, program.num_functions)) {
    if (function.kind != RELAY_VM_BYTECODE || name != function.name)
      continue;
    std::vector<Type> types = TypeReader(program, function, context).readAll();
    // Those of the last parameters.
    if (static_cast<int32_t>(types.size()) < function.num_params)
      types.insert(types.begin(), function.num_params - types.size(), Type());
    return types;
  }
  return {};
}
