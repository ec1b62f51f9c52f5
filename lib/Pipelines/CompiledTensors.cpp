//===- CompiledTensors.cpp - Tensors to and from compiled models ----------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Pipelines/CompiledTensors.h"

#include "relay-mlir/Dialect/Relay/IR/DType.h"

using namespace mlir;
using namespace mlir::relay;

/// Returns the DLPack type of an element type.
static DLDataType getDLDataType(Type type) {
  auto bits = static_cast<uint8_t>(type.getIntOrFloatBitWidth());
  if (type.isInteger(1))
    return {6, 8, 1};
  if (type.isBF16())
    return {kDLBfloat, 16, 1};
  if (const SmallFloat *format = SmallFloat::get(type))
    return {format->dlpackCode, format->width, 1};
  if (isa<FloatType>(type))
    return {kDLFloat, bits, 1};
  return {static_cast<uint8_t>(type.isUnsignedInteger() ? kDLUInt : kDLInt),
          bits, 1};
}

Type relay::getElementType(MLIRContext *context, DLDataType type) {
  for (const SmallFloat &format : SmallFloat::getAll())
    if (format.dlpackCode == type.code)
      return format.getType(context);
  switch (type.code) {
  case kDLFloat:
    return type.bits == 64   ? Type(Float64Type::get(context))
           : type.bits == 32 ? Type(Float32Type::get(context))
                             : Type(Float16Type::get(context));
  case kDLBfloat:
    return BFloat16Type::get(context);
  case kDLInt:
    return IntegerType::get(context, type.bits);
  case kDLUInt:
    return IntegerType::get(context, type.bits, IntegerType::Unsigned);
  default:
    return IntegerType::get(context, 1);
  }
}

relay::DLTensorViews::DLTensorViews(ArrayRef<InterpreterValue> values) {
  for (const InterpreterValue &value : values) {
    const Tensor &tensor = value.getTensor();
    shapes.push_back(llvm::to_vector(tensor.getShape()));
    tensors.push_back({const_cast<char *>(tensor.getRawData()),
                       {kDLCPU, 0},
                       static_cast<int>(tensor.getRank()),
                       getDLDataType(tensor.getElementType()),
                       nullptr,
                       nullptr,
                       0});
  }
  for (auto [tensor, shape] : llvm::zip_equal(tensors, shapes)) {
    tensor.shape = shape.data();
    pointers.push_back(&tensor);
  }
}

FailureOr<SmallVector<Tensor>>
relay::runCompiled(RelayModule *compiled, ArrayRef<InterpreterValue> inputs,
                   Location location) {
  DLTensorViews tensors(inputs);
  ArrayRef<const DLTensor *> pointers = tensors.get();
  SmallVector<DLManagedTensor *> outputs(relayModuleGetNumOutputs(compiled),
                                         nullptr);
  if (relayModuleRun(compiled, pointers.data(), pointers.size(), outputs.data(),
                     outputs.size()) != RELAY_OK)
    return emitError(location) << relayGetLastError();

  SmallVector<Tensor> results;
  for (DLManagedTensor *output : outputs) {
    std::shared_ptr<const void> owner(output, [](const void *pointer) {
      auto *tensor =
          static_cast<DLManagedTensor *>(const_cast<void *>(pointer));
      tensor->deleter(tensor);
    });
    const DLTensor &tensor = output->dl_tensor;
    auto type = RankedTensorType::get(
        ArrayRef(tensor.shape, tensor.ndim),
        getElementType(location.getContext(), tensor.dtype));
    results.push_back(Tensor::view(type, tensor.data, std::move(owner)));
  }
  return results;
}
