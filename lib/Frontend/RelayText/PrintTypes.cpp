//===- PrintTypes.cpp - Types as Relay text -------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DataTypes.h"
#include "Printer.h"

#include "relay-mlir/Dialect/Relay/IR/Relay.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::text;

static std::string formatTypes(TypeRange types, TextVersion version) {
  std::vector<std::string> parts;
  for (Type type : types)
    parts.push_back(formatType(type, version));
  return llvm::join(parts, ", ");
}

static std::string formatTuple(TypeRange types, TextVersion version) {
  return "(" + formatTypes(types, version) + (types.size() == 1 ? ",)" : ")");
}

static std::string formatTensor(RankedTensorType type, TextVersion version) {
  std::string dtype = getDataTypeName(type.getElementType());
  if (type.getRank() == 0)
    return dtype;
  std::string result = "Tensor[(";
  llvm::ListSeparator comma;
  for (int64_t size : type.getShape()) {
    result += StringRef(comma);
    result += ShapedType::isDynamic(size) ? "?" : std::to_string(size);
  }
  if (version == TextVersion::V0_0_1 && type.getRank() == 1)
    result += ",";
  return result + "), " + dtype + "]";
}

static std::string formatFunction(ArrayRef<StringAttr> params,
                                  FunctionType type, TextVersion version) {
  std::vector<std::string> names;
  for (StringAttr param : params)
    names.push_back(param.str());
  std::string result = "fn ";
  if (!names.empty())
    result += "[" + llvm::join(names, ", ") + "]";
  result += "(" + formatTypes(type.getInputs(), version) + ") -> ";
  // Functions of Relay have one result.
  return result + (type.getNumResults() == 1
                       ? formatType(type.getResult(0), version)
                       : formatTuple(type.getResults(), version));
}

std::string text::formatType(Type type, TextVersion version) {
  return llvm::TypeSwitch<Type, std::string>(type)
      .Case([&](RankedTensorType tensor) {
        return formatTensor(tensor, version);
      })
      .Case([&](TupleType tuple) {
        return formatTuple(tuple.getTypes(), version);
      })
      .Case([&](FunctionType function) {
        return formatFunction({}, function, version);
      })
      .Case([&](ForallType forall) {
        return formatFunction(forall.getParams(), forall.getBody(), version);
      })
      .Case([&](TypeVarType var) { return var.getName().str(); })
      .Case([&](RefType ref) {
        return "ref(" + formatType(ref.getContentType(), version) + ")";
      })
      .Case([&](ADTType adt) {
        return adt.getName().getValue().str() + "[" +
               formatTypes(adt.getArgs(), version) + "]";
      })
      // Each occurrence is an unknown of its own.
      .Default([](Type) { return std::string("_"); });
}
