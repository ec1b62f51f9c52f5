//===- RelayDialect.cpp - The relay dialect -------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OperatorFormat.h"

#include "relay-mlir/Dialect/Relay/IR/FunctionAttributes.h"

#include "relay-mlir/Dialect/Relay/IR/PassInterfaces.h"
#include "relay-mlir/Dialect/Relay/IR/QuantizeOpInterface.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Transforms/InliningUtils.h"

using namespace mlir;
using namespace mlir::relay;

#include "relay-mlir/Dialect/Relay/IR/RelayDialect.cpp.inc"

#include "relay-mlir/Dialect/Relay/IR/RelayEnums.cpp.inc"

#include "relay-mlir/Dialect/Relay/IR/RelayInterfaces.cpp.inc"

namespace {

/// Any function can be inlined but those that are to be compiled as they are.
struct RelayInlinerInterface : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;

  bool isLegalToInline(Operation *call, Operation *callable,
                       bool wouldBeCloned) const final {
    return !isCompiledAsItIs(callable);
  }
  bool isLegalToInline(Operation *op, Region *dest, bool wouldBeCloned,
                       IRMapping &mapping) const final {
    return true;
  }
  /// Call and function may know different sizes.
  Operation *materializeCallConversion(OpBuilder &builder, Value input,
                                       Type resultType,
                                       Location loc) const final {
    return AscribeOp::create(builder, loc, resultType, input);
  }
};

} // namespace

void RelayDialect::initialize() {
  registerTypes();
  registerAnnotationOps();
  registerDynOps();
  registerEthosuOps();
  registerGeometryOps();
  registerLanguageOps();
  registerMemoryOps();
  registerNNContribOps();
  registerNNLossOps();
  registerNNSpatialOps();
  registerQnnOps();
  registerRandomOps();
  registerSparseOps();
  registerTransformOps();
  registerVisionOps();
  addInterfaces<RelayInlinerInterface>();
  addOperations<
#define GET_OP_LIST
#include "relay-mlir/Dialect/Relay/IR/RelayCoreOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "relay-mlir/Dialect/Relay/IR/RelayElementwiseOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "relay-mlir/Dialect/Relay/IR/RelayImageOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "relay-mlir/Dialect/Relay/IR/RelayNNOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "relay-mlir/Dialect/Relay/IR/RelayReduceOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "relay-mlir/Dialect/Relay/IR/RelayTensorOps.cpp.inc"
      >();
  detail::registerOperandTypes(getContext());
  detail::registerPassInterfaces(getContext());
  detail::registerQuantizeRoles(getContext());
}

Operation *RelayDialect::materializeConstant(OpBuilder &builder,
                                             Attribute value, Type type,
                                             Location loc) {
  auto elements = dyn_cast<ElementsAttr>(value);
  if (!elements || elements.getType() != type || !isa<RankedTensorType>(type))
    return nullptr;
  return ConstantOp::create(builder, loc, elements);
}

LogicalResult RelayDialect::verifyOperationAttribute(Operation *op,
                                                     NamedAttribute attribute) {
  if (attribute.getName() == kPrimitiveAttrName) {
    if (!isa<FunctionOpInterface, FnOp>(op))
      return op->emitOpError("expects '")
             << kPrimitiveAttrName << "' on a function only";
    if (!isa<UnitAttr>(attribute.getValue()))
      return op->emitOpError("expects '")
             << kPrimitiveAttrName << "' to be a unit attribute, but got "
             << attribute.getValue();
  }
  if (attribute.getName() == kTypeArgsAttrName) {
    auto types = dyn_cast<ArrayAttr>(attribute.getValue());
    if (!isa<CallOp, CallIndirectOp, ConstructOp>(op))
      return op->emitOpError("expects '")
             << kTypeArgsAttrName << "' on a call only";
    if (!types || !llvm::all_of(types, llvm::IsaPred<TypeAttr>))
      return op->emitOpError("expects '")
             << kTypeArgsAttrName << "' to be an array of types, but got "
             << attribute.getValue();
  }
  if (attribute.getName() == kOperatorAttrName &&
      (!isa<FnOp>(op) || !isa<StringAttr>(attribute.getValue())))
    return op->emitOpError("expects '")
           << kOperatorAttrName << "' to be a string on a closure";
  return success();
}
