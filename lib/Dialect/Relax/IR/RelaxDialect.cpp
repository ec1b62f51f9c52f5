//===- RelaxDialect.cpp - The relax dialect -------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Transforms/InliningUtils.h"
#include "relay-mlir/Dialect/Relax/IR/Relax.h"
#include "relay-mlir/Dialect/Relax/IR/Strings.h"

using namespace mlir;
using namespace mlir::relax;

#include "relay-mlir/Dialect/Relax/IR/RelaxDialect.cpp.inc"

void RelaxDialect::initialize() {
  registerAttributesAndTypes();
  addOperations<
#define GET_OP_LIST
#include "relay-mlir/Dialect/Relax/IR/RelaxOps.cpp.inc"
      >();
}

Operation *RelaxDialect::materializeConstant(OpBuilder &builder,
                                             Attribute value, Type type,
                                             Location loc) {
  auto elements = dyn_cast<ElementsAttr>(value);
  auto tensor = elements ? dyn_cast<RankedTensorType>(elements.getShapedType())
                         : RankedTensorType();
  auto symbolic = dyn_cast<SymbolicTensorType>(type);
  if (!tensor || !symbolic ||
      getSymbolicType(tensor).withDevice(symbolic.getDevice()) != type)
    return nullptr;
  return ConstantOp::create(builder, loc, elements, symbolic.getDevice());
}

static LogicalResult verifyValueAttr(Operation *op, NamedAttribute attr) {
  if (attr.getName() == kIsStringAttr && isa<UnitAttr>(attr.getValue()))
    return success();
  if (attr.getName() != kNameAttr)
    return op->emitOpError() << "expects no attribute " << attr.getName()
                             << " on a parameter or result";
  if (!isa<StringAttr>(attr.getValue()))
    return op->emitOpError() << "expects " << attr.getName()
                             << " to be a string, but got " << attr.getValue();
  return success();
}

LogicalResult RelaxDialect::verifyRegionArgAttribute(Operation *op, unsigned,
                                                     unsigned,
                                                     NamedAttribute attr) {
  return verifyValueAttr(op, attr);
}

LogicalResult RelaxDialect::verifyRegionResultAttribute(Operation *op, unsigned,
                                                        unsigned,
                                                        NamedAttribute attr) {
  return verifyValueAttr(op, attr);
}
