//===- MemoryOps.cpp - Explicit memory, and the virtual machine -----------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/IR/RelayMemoryOps.h"

#include "OperatorFormat.h"
#include "VirtualDevice.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;

static ADTType getStorageType(MLIRContext *context) {
  return ADTType::get(FlatSymbolRefAttr::get(context, "Storage"));
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

LogicalResult
MemoryAllocStorageOp::inferReturnTypes(MLIRContext *context,
                                       std::optional<Location>, Adaptor,
                                       SmallVectorImpl<Type> &types) {
  types.push_back(getStorageType(context));
  return success();
}

LogicalResult MemoryAllocStorageOp::verify() {
  return verifyVirtualDevice(*this, "virtual_device", getVirtualDevice());
}

/// Returns sizes, where a negative one is not known.
static SmallVector<int64_t> getSizes(ArrayRef<int64_t> list) {
  SmallVector<int64_t> sizes;
  for (int64_t size : list)
    sizes.push_back(size < 0 ? ShapedType::kDynamic : size);
  return sizes;
}

LogicalResult MemoryAllocTensorOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  Type storage = adaptor.getStorage().getType();
  if (storage != getStorageType(context))
    return emitOptionalError(location, "expects storage of type ",
                             getStorageType(context), ", but got ", storage);
  SmallVector<int64_t> shape;
  if (std::optional<ElementsAttr> constant = adaptor.getConstShape()) {
    if (constant->getShapedType().getRank() > 1 ||
        !isa<IntegerType>(constant->getElementType()))
      return emitOptionalError(location,
                               "expects const_shape to be a vector of "
                               "integers, but got ",
                               constant->getType());
    for (const APInt &size : constant->getValues<APInt>())
      shape.push_back(size.getSExtValue());
    if (llvm::any_of(shape, [](int64_t size) { return size < 0; }))
      return emitOptionalError(location,
                               "expects const_shape of sizes that are not "
                               "negative, but got [",
                               shape, "]");
  } else if (adaptor.getAssertShape()) {
    shape = getSizes(*adaptor.getAssertShape());
  } else {
    return emitOptionalError(
        location, "expects const_shape or assert_shape, but got neither");
  }
  auto operand = cast<RankedTensorType>(adaptor.getShape().getType());
  auto rank = static_cast<int64_t>(shape.size());
  bool fits = operand.getRank() == 0
                  ? rank == 0
                  : operand.getRank() == 1 && (operand.isDynamicDim(0) ||
                                               operand.getDimSize(0) == rank);
  if (!fits)
    return emitOptionalError(location, "expects a shape of ", rank,
                             " sizes, but got ", operand);
  types.push_back(RankedTensorType::get(shape, adaptor.getDtype().getValue()));
  return success();
}

LogicalResult MemoryKillOp::inferReturnTypes(MLIRContext *context,
                                             std::optional<Location>, Adaptor,
                                             SmallVectorImpl<Type> &types) {
  types.push_back(TupleType::get(context));
  return success();
}

//===----------------------------------------------------------------------===//
// The virtual machine
//===----------------------------------------------------------------------===//

LogicalResult VmShapeOfOp::inferReturnTypes(MLIRContext *context,
                                            std::optional<Location>,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  auto type = cast<RankedTensorType>(adaptor.getTensor().getType());
  Type dtype = adaptor.getDtype().value_or(IntegerType::get(context, 64));
  types.push_back(RankedTensorType::get({type.getRank()}, dtype));
  return success();
}

LogicalResult VmReshapeTensorOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  auto data = cast<RankedTensorType>(adaptor.getData().getType());
  auto result = data.clone(getSizes(adaptor.getNewshape()));
  if (data.hasStaticShape() && result.hasStaticShape() &&
      data.getNumElements() != result.getNumElements())
    return emitOptionalError(location, "expects newshape of ",
                             data.getNumElements(), " elements as of ", data,
                             ", but got ", formatShape(result.getShape()));
  types.push_back(result);
  return success();
}

LogicalResult VmInvokeTvmOp::inferReturnTypes(MLIRContext *context,
                                              std::optional<Location> location,
                                              Adaptor adaptor,
                                              SmallVectorImpl<Type> &types) {
  auto function = cast<FunctionType>(adaptor.getOp().getType());
  auto ins = cast<TupleType>(adaptor.getIns().getType());
  auto outs = cast<TupleType>(adaptor.getOuts().getType());
  if (!areTypesCompatible(function.getInputs(), ins.getTypes()))
    return emitOptionalError(location, "expects inputs for ", function,
                             ", but got ", ins);
  // The tensors of the result in order, out of all tuples.
  SmallVector<Type> results(function.getResults());
  for (size_t i = 0; i < results.size();) {
    auto tuple = dyn_cast<TupleType>(results[i]);
    if (!tuple) {
      ++i;
      continue;
    }
    results.erase(results.begin() + i);
    results.insert(results.begin() + i, tuple.begin(), tuple.end());
  }
  if (!areTypesCompatible(results, outs.getTypes()))
    return emitOptionalError(location, "expects outputs for ", function,
                             ", but got ", outs);
  types.push_back(TupleType::get(context));
  return success();
}

//===----------------------------------------------------------------------===//
// Registration
//===----------------------------------------------------------------------===//

#define GET_OP_CLASSES
#include "relay-mlir/Dialect/Relay/IR/RelayMemoryOps.cpp.inc"

void RelayDialect::registerMemoryOps() {
  addOperations<
#define GET_OP_LIST
#include "relay-mlir/Dialect/Relay/IR/RelayMemoryOps.cpp.inc"
      >();
}
