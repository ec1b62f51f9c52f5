//===- TypeRefinement.cpp - More and less precise types -------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/Analysis/TypeRefinement.h"

#include "relay-mlir/Dialect/Relay/IR/AddedOperators.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"

using namespace mlir;
using namespace mlir::relay;

/// Combines two types size by size, and tuples field by field. Null if the two
/// differ in anything but sizes.
static Type combineTypes(Type a, Type b,
                         function_ref<int64_t(int64_t, int64_t)> combine) {
  if (a == b)
    return a;
  if (auto tupleA = dyn_cast<TupleType>(a)) {
    auto tupleB = dyn_cast<TupleType>(b);
    if (!tupleB || tupleA.size() != tupleB.size())
      return nullptr;
    SmallVector<Type> fields;
    for (auto [fieldA, fieldB] :
         llvm::zip_equal(tupleA.getTypes(), tupleB.getTypes())) {
      fields.push_back(combineTypes(fieldA, fieldB, combine));
      if (!fields.back())
        return nullptr;
    }
    return TupleType::get(a.getContext(), fields);
  }
  auto tensorA = dyn_cast<RankedTensorType>(a);
  auto tensorB = dyn_cast<RankedTensorType>(b);
  if (!tensorA || !tensorB || tensorA.getRank() != tensorB.getRank() ||
      tensorA.getElementType() != tensorB.getElementType() ||
      tensorA.getEncoding() != tensorB.getEncoding())
    return nullptr;
  SmallVector<int64_t> shape;
  for (auto [sizeA, sizeB] :
       llvm::zip_equal(tensorA.getShape(), tensorB.getShape()))
    shape.push_back(combine(sizeA, sizeB));
  return tensorA.clone(shape);
}

Type relay::refineType(Type type, Type known) {
  Type refined = combineTypes(type, known, [](int64_t size, int64_t other) {
    return ShapedType::isDynamic(size) ? other : size;
  });
  return refined ? refined : type;
}

Type relay::joinTypes(Type a, Type b) {
  return combineTypes(a, b, [](int64_t sizeA, int64_t sizeB) {
    return sizeA == sizeB ? sizeA : ShapedType::kDynamic;
  });
}

bool relay::losesKnowledge(Type from, Type to) {
  bool loses = false;
  Type combined = combineTypes(from, to, [&](int64_t before, int64_t after) {
    loses |= ShapedType::isStatic(before) && before != after;
    return after;
  });
  return loses || !combined;
}

FailureOr<SmallVector<Type>> relay::inferResultTypes(Operation *op) {
  SmallVector<Type> types;
  if (auto apply = dyn_cast<ApplyOp>(op))
    if (const AddedOperator *added = lookupAddedOperator(apply.getName())) {
      FailureOr<Type> type = added->inferType(
          op->getLoc(), op->getOperandTypes(), apply.getAttrs());
      if (failed(type))
        return failure();
      types.push_back(*type);
      return types;
    }
  auto inferable = dyn_cast<InferTypeOpInterface>(op);
  if (!inferable) {
    llvm::append_range(types, op->getResultTypes());
    return types;
  }
  if (failed(inferable.inferReturnTypes(
          op->getContext(), op->getLoc(), op->getOperands(),
          op->getDiscardableAttrDictionary(), op->getPropertiesStorage(),
          op->getRegions(), types)))
    return failure();
  return types;
}
