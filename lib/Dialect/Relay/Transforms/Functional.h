//===- Functional.h - Functions, closures and scopes ------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to this folder. What the passes share that change functions, closures
// and bindings.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_DIALECT_RELAY_TRANSFORMS_FUNCTIONAL_H
#define RELAY_MLIR_LIB_DIALECT_RELAY_TRANSFORMS_FUNCTIONAL_H

#include "relay-mlir/Dialect/Relay/IR/PolymorphicTypes.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::relay {

/// Whether a function, or closure, is one unit for whoever compiles it, so that
/// passes leave what it consists of as it is.
bool isClosedUnit(Operation *function);

/// The function of the module has a body of one block that passes may change.
bool isOptimizable(func::FuncOp function);

/// Whether a closure stands for an operator as a value.
bool isOperatorValue(Operation *op);

/// Whether Relay writes a value as a name that needs no variable: of a
/// function, a constructor or an operator.
bool isNamedValue(Operation *op);

/// Erases what says where variables end, with the bindings of it that nobody
/// uses.
void eraseKills(Operation *op);

/// Finds types for the type parameters of `generic`, which may have none, of
/// which what takes `inputs` and gives `results` is an instance. Returns
/// whether it is one.
bool findInstance(func::FuncOp generic, TypeRange inputs, TypeRange results,
                  TypeSubstitution &substitution);

/// Replaces type variables in `op` and all that it contains.
void substituteTypesIn(Operation *op, const TypeSubstitution &substitution);

/// A type of which each part, such as a field of a tuple, is what `convert`
/// makes of it.
Type convertParts(Type type, function_ref<Type(Type)> convert);

/// Names of the type variables that occur in `op`, and that nothing inside of
/// it declares, in the order in which they occur.
llvm::SetVector<StringAttr> getFreeTypeVars(Operation *op);
llvm::SetVector<StringAttr> getFreeTypeVars(Type type);

/// Attributes of the parameters of a function with the names of `params`.
ArrayAttr getParamNames(MLIRContext *context, ArrayRef<StringRef> names);

/// The function type of a module's function, quantified if it is polymorphic.
Type getValueType(func::FuncOp function);

/// Moves attributes that Relay text gives to functions, those that say how a
/// function is compiled included.
void copyFunctionAttrs(Operation *from, Operation *to);

/// Whether calls of a closure, where it is made, are only a way to write what
/// it computes; `fn` may be null.
bool isLiteral(FnOp fn);

/// Replaces a call by copies, which are returned, of what is in the block of
/// the function that it calls.
SmallVector<Operation *> inlineBlock(Operation *call, ValueRange args,
                                     Block &body);

/// Makes a copy of each polymorphic closure for each type that it has where it
/// is used. Where nothing tells that, it stays. Reports more than `maxCopies`.
LogicalResult specializeClosures(ModuleOp module, int64_t maxCopies);

/// Reports that a pass would have to know a type that is not inferred yet.
InFlightDiagnostic emitIncompleteType(Operation *op, StringRef purpose,
                                      Type type);

/// The value with a type that is declared for it.
Value ascribe(OpBuilder &builder, Value value, Type type);

/// Numbers names that a pass gives: `x1`, `x2`, ...
class NameCounter {
public:
  explicit NameCounter(MLIRContext *context, StringRef prefix = "x")
      : context(context), prefix(prefix) {}
  StringAttr next() {
    return StringAttr::get(context, prefix + Twine(++count));
  }

private:
  MLIRContext *context;
  StringRef prefix;
  unsigned count = 0;
};

} // namespace mlir::relay

#endif // RELAY_MLIR_LIB_DIALECT_RELAY_TRANSFORMS_FUNCTIONAL_H
