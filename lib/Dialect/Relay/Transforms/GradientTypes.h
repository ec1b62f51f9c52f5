//===- GradientTypes.h - Types of values with gradients ---------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to this folder. A tensor of floats with a gradient is a pair of it
// and a reference to the gradient; other tensors are as they are. A function
// has one more parameter, the reference to what goes back. What is made of
// these, is made of what they become; a data type that has such types for
// fields becomes another one.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_DIALECT_RELAY_TRANSFORMS_GRADIENTTYPES_H
#define RELAY_MLIR_LIB_DIALECT_RELAY_TRANSFORMS_GRADIENTTYPES_H

#include "relay-mlir/Dialect/Relay/IR/PolymorphicTypes.h"

#include "mlir/IR/BuiltinOps.h"

namespace mlir::relay {

class GradientTypes {
public:
  explicit GradientTypes(ModuleOp module);

  Type convert(Type type);
  FunctionType convertFunction(FunctionType type);
  /// The type of the reference to what goes back.
  RefType getBackType();
  /// The type of what goes back: a function of nothing.
  FunctionType getBackFunction();

  /// The constructor that makes what `constructor` made, with gradients.
  SymbolRefAttr convert(SymbolRefAttr constructor);
  /// A pattern of a match.
  Attribute convertPattern(Attribute pattern);

  /// Removes the data types that nothing has needed.
  void removeUnused();

private:
  /// The data type that takes the place of another one, which may be that one.
  FlatSymbolRefAttr convertData(FlatSymbolRefAttr name);
  bool hasOtherFields(ADTOp data);
  void findData();

  ModuleOp module;
  SymbolTable symbols;
  DenseMap<Type, Type> converted;
  /// By name; those that stay as they are are not there.
  llvm::MapVector<StringAttr, StringAttr> data;
};

} // namespace mlir::relay

#endif // RELAY_MLIR_LIB_DIALECT_RELAY_TRANSFORMS_GRADIENTTYPES_H
