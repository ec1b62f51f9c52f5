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

/// The tensors of some types in order, out of all tuples.
static SmallVector<Type> flatten(TypeRange types) {
  SmallVector<Type> result(types);
  for (size_t i = 0; i < result.size();) {
    auto tuple = dyn_cast<TupleType>(result[i]);
    if (!tuple) {
      ++i;
      continue;
    }
    result.erase(result.begin() + i);
    result.insert(result.begin() + i, tuple.begin(), tuple.end());
  }
  return result;
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
  if (!areTypesCompatible(flatten(function.getResults()), outs.getTypes()))
    return emitOptionalError(location, "expects outputs for ", function,
                             ", but got ", outs);
  types.push_back(TupleType::get(context));
  return success();
}

/// The tensor that holds the sizes of one of a type.
static Type getShapeType(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return type;
  SmallVector<int64_t, 1> sizes;
  if (tensor.getRank())
    sizes.push_back(tensor.getRank());
  return RankedTensorType::get(sizes, IntegerType::get(type.getContext(), 64));
}

LogicalResult VmShapeFuncOp::inferReturnTypes(MLIRContext *context,
                                              std::optional<Location> location,
                                              Adaptor adaptor,
                                              SmallVectorImpl<Type> &types) {
  auto function = cast<FunctionType>(adaptor.getFunc().getType());
  auto inputs = cast<TupleType>(adaptor.getInputs().getType());
  auto outputs = cast<TupleType>(adaptor.getOutputs().getType());
  SmallVector<Type> expected = flatten(function.getInputs());
  ArrayRef<int64_t> isInput = adaptor.getIsInput();
  if (isInput.size() != expected.size())
    return emitOptionalError(location, "expects 'is_input' for ",
                             expected.size(), " tensors of ", function,
                             ", but got ", isInput.size(), " elements");
  for (auto [type, isData] : llvm::zip_equal(expected, isInput))
    type = isData ? type : getShapeType(type);
  if (!areTypesCompatible(expected, inputs.getTypes()))
    return emitOptionalError(location, "expects inputs of types (",
                             TypeRange(expected), "), but got ", inputs);
  SmallVector<Type> shapes =
      llvm::map_to_vector(flatten(function.getResults()), getShapeType);
  if (!areTypesCompatible(shapes, outputs.getTypes()))
    return emitOptionalError(location, "expects outputs of types (",
                             TypeRange(shapes), "), but got ", outputs);
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
