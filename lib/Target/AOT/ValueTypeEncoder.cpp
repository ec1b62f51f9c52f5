//===- ValueTypeEncoder.cpp - Types of values as words --------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ValueTypeEncoder.h"

#include "HostData.h"

#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Runtime/ArtifactFormat.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;

ValueTypeEncoder::ValueTypeEncoder(
    ArrayRef<relax::ConstructorAttr> constructors) {
  for (auto [number, constructor] : llvm::enumerate(constructors))
    dataTypes.try_emplace(constructor.getType().getValue(), number);
}

/// Appends what comes before the sizes of a tensor; false if values of its
/// elements are none that the artefact describes, and may be anything.
static bool beginTensor(Type elementType, int64_t rank,
                        SmallVectorImpl<int64_t> &words) {
  auto dtype = HostData::getDType(elementType);
  if (!dtype) {
    words.push_back(RELAY_VM_TYPE_ANY);
    return false;
  }
  words.append({RELAY_VM_TYPE_TENSOR, dtype->first, dtype->second, rank});
  return true;
}

void ValueTypeEncoder::encode(Type type, ArrayRef<StringAttr> params,
                              llvm::SetVector<StringAttr> &symbols,
                              SmallVectorImpl<int64_t> &words) const {
  auto encodeAll = [&](TypeRange types) {
    words.push_back(types.size());
    for (Type part : types)
      encode(part, params, symbols, words);
  };
  llvm::TypeSwitch<Type>(type)
      .Case([&](RankedTensorType tensor) {
        if (beginTensor(tensor.getElementType(), tensor.getRank(), words))
          for (int64_t size : tensor.getShape())
            words.push_back(ShapedType::isDynamic(size) ? -1 : size);
      })
      .Case([&](relax::SymbolicTensorType tensor) {
        relax::ShapeAttr shape = tensor.getShape();
        if (!beginTensor(tensor.getElementType(), shape.size(), words))
          return;
        for (size_t i = 0, e = shape.size(); i != e; ++i) {
          if (std::optional<int64_t> size = shape.getConstant(i)) {
            words.push_back(*size);
            continue;
          }
          StringAttr symbol = shape.getBareSymbol(i);
          if (symbol)
            symbols.insert(symbol);
          words.push_back(
              symbol ? -2 - (llvm::find(symbols, symbol) - symbols.begin())
                     : -1);
        }
      })
      .Case([&](TupleType tuple) {
        words.push_back(RELAY_VM_TYPE_TUPLE);
        encodeAll(tuple.getTypes());
      })
      .Case([&](ADTType data) {
        // Of a type without constructors there are no values.
        auto known = dataTypes.find(data.getName().getValue());
        if (known == dataTypes.end()) {
          words.push_back(RELAY_VM_TYPE_ANY);
          return;
        }
        words.append({RELAY_VM_TYPE_DATA, known->second});
        encodeAll(data.getArgs());
      })
      .Case([&](TypeVarType variable) {
        const auto *param = llvm::find_if(params, [&](StringAttr name) {
          return name.getValue() == variable.getName();
        });
        if (param == params.end())
          words.push_back(RELAY_VM_TYPE_ANY);
        else
          words.append({RELAY_VM_TYPE_ARGUMENT, param - params.begin()});
      })
      .Case([&](FunctionType function) {
        words.append({RELAY_VM_TYPE_FUNCTION, function.getNumInputs()});
      })
      .Case([&](ForallType forall) {
        words.append({RELAY_VM_TYPE_FUNCTION, forall.getBody().getNumInputs()});
      })
      .Case([&](RefType reference) {
        words.push_back(RELAY_VM_TYPE_REFERENCE);
        encode(reference.getContentType(), params, symbols, words);
      })
      .Default([&](Type) { words.push_back(RELAY_VM_TYPE_ANY); });
}
