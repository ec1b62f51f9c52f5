//===- SizeNames.cpp - Names of open sizes of parameters ------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SizeNames.h"

#include "relay-mlir/Dialect/Relay/IR/FixedInputs.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Support/SizeNames.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::relay;

SizeNamer::SizeNamer(func::FuncOp function) : function(function) {
  for (unsigned i = 0, e = function.getNumArguments(); i != e; ++i)
    if (auto names = function.getArgAttrOfType<ArrayAttr>(i, kDimsAttrName))
      for (auto name : names.getAsRange<StringAttr>())
        taken.insert(name.getValue());
}

Type SizeNamer::getType(unsigned index) {
  return nameSizes(function.getArgumentTypes()[index],
                   function.getArgAttrOfType<ArrayAttr>(index, kDimsAttrName));
}

Type SizeNamer::nameSizes(Type type, ArrayAttr names) {
  if (auto tuple = dyn_cast<TupleType>(type))
    return TupleType::get(
        type.getContext(),
        llvm::map_to_vector(tuple.getTypes(), [&](Type field) {
          return nameSizes(field, /*names=*/nullptr);
        }));
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || tensor.hasStaticShape())
    return type;
  MLIRContext *context = type.getContext();
  llvm::SetVector<StringAttr> symbols;
  SmallVector<AffineExpr> sizes;
  for (auto [dim, size] : llvm::enumerate(tensor.getShape())) {
    if (!ShapedType::isDynamic(size)) {
      sizes.push_back(getAffineConstantExpr(size, context));
      continue;
    }
    auto name = names && dim < names.size() ? dyn_cast<StringAttr>(names[dim])
                                            : StringAttr();
    // The context's own copy, so that equal names are one symbol.
    auto symbol = StringAttr::get(
        context, name && !name.empty()
                     ? name.str()
                     : makeSizeName(numMade, [&](StringRef made) {
                         return taken.contains(made);
                       }));
    symbols.insert(symbol);
    sizes.push_back(getAffineSymbolExpr(
        llvm::find(symbols, symbol) - symbols.begin(), context));
  }
  return relax::SymbolicTensorType::get(
      relax::ShapeAttr::get(context, symbols.getArrayRef(), sizes),
      tensor.getElementType());
}

SmallVector<Type> relay::getTypesWithSizeNames(func::FuncOp function) {
  SizeNamer namer(function);
  SmallVector<Type> types;
  for (unsigned i = 0, e = function.getNumArguments(); i != e; ++i)
    types.push_back(namer.getType(i));
  return types;
}
