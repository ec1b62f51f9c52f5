//===- AnnotationOps.cpp - Annotations and markers ------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/IR/RelayAnnotationOps.h"

#include "OperatorFormat.h"
#include "VirtualDevice.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;

//===----------------------------------------------------------------------===//
// Annotations and devices
//===----------------------------------------------------------------------===//

LogicalResult RelayOpAnnotationSimulatedQuantizeOp::verify() {
  if (getKind() < 0 || getKind() > 3)
    return emitOpError("expects kind to be 0 (identity), 1 (input), 2 (weight) "
                       "or 3 (activation), but got ")
           << getKind();
  return checkMode(getLoc(), "rounding", getRounding(), {"round"});
}

LogicalResult
relay::detail::verifyVirtualDevice(Operation *op, StringRef name,
                                   std::optional<DictionaryAttr> device) {
  if (!device)
    return success();
  for (NamedAttribute field : *device) {
    StringRef key = field.getName();
    bool isNumber = key == "device_type" || key == "virtual_device_id";
    if (!isNumber && key != "target" && key != "memory_scope")
      return op->emitOpError("expects ")
             << name
             << " to have device_type, virtual_device_id, target and "
                "memory_scope only, but got "
             << key;
    if (isNumber ? !isa<IntegerAttr>(field.getValue())
                 : !isa<StringAttr>(field.getValue()))
      return op->emitOpError("expects ")
             << key << " of " << name << " to be "
             << (isNumber ? "an integer" : "a string") << ", but got "
             << field.getValue();
  }
  return success();
}

LogicalResult OnDeviceOp::verify() {
  return verifyVirtualDevice(*this, "virtual_device", getVirtualDevice());
}

LogicalResult DeviceCopyOp::verify() {
  return success(succeeded(verifyVirtualDevice(*this, "src_virtual_device",
                                               getSrcVirtualDevice())) &&
                 succeeded(verifyVirtualDevice(*this, "dst_virtual_device",
                                               getDstVirtualDevice())));
}

//===----------------------------------------------------------------------===//
// Calls of other systems
//===----------------------------------------------------------------------===//

LogicalResult CallLoweredOp::inferReturnTypes(MLIRContext *,
                                              std::optional<Location> location,
                                              Adaptor adaptor,
                                              SmallVectorImpl<Type> &types) {
  auto function = cast<FunctionType>(adaptor.getFunc().getType());
  auto args = cast<TupleType>(adaptor.getCallArgs().getType()).getTypes();
  if (function.getNumResults() != 1)
    return emitOptionalError(
        location, "expects a function with one result, but got ", function);
  if (!areTypesCompatible(function.getInputs(), args))
    return emitOptionalError(location, "expects arguments for ", function,
                             ", but got ", adaptor.getCallArgs().getType());
  types.push_back(function.getResult(0));
  return success();
}

LogicalResult ParserMetaRefOp::inferReturnTypes(MLIRContext *context,
                                                std::optional<Location>,
                                                Adaptor,
                                                SmallVectorImpl<Type> &types) {
  types.push_back(IncompleteType::get(context));
  return success();
}

ParseResult TorchOp::parse(OpAsmParser &parser, OperationState &result) {
  return parseOperator(parser, result);
}

void TorchOp::print(OpAsmPrinter &printer) {
  printOperator(printer, *this, getDefaultAttrs(*this));
}

OpPatternKind TorchOp::getFusionPattern() { return OpPatternKind::Opaque; }

LogicalResult TorchOp::verify() {
  auto size = static_cast<int64_t>(getSerializedFunction().size());
  if (getLen() == -1 || getLen() == size)
    return success();
  return emitOpError("expects len to be -1 or the ")
         << size << " bytes of serialized_function, but got " << getLen();
}

//===----------------------------------------------------------------------===//
// Registration
//===----------------------------------------------------------------------===//

#define GET_OP_CLASSES
#include "relay-mlir/Dialect/Relay/IR/RelayAnnotationOps.cpp.inc"

void RelayDialect::registerAnnotationOps() {
  addOperations<
#define GET_OP_LIST
#include "relay-mlir/Dialect/Relay/IR/RelayAnnotationOps.cpp.inc"
      >();
}
