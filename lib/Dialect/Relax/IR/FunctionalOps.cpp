//===- FunctionalOps.cpp - Objects, closures and control ------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relax/IR/Relax.h"

using namespace mlir;
using namespace mlir::relax;

bool relax::isObjectFunction(FuncOp function) {
  return llvm::all_of(llvm::concat<const Type>(function.getArgumentTypes(),
                                               function.getResultTypes()),
                      llvm::IsaPred<ObjectType>) &&
         function.getNumResults() == 1;
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

LogicalResult CallOp::verifySymbolUses(SymbolTableCollection &symbolTable) {
  // The function may be of relay, on its way here, or of another module, while
  // functions of tensors are compiled apart.
  auto function = symbolTable.lookupNearestSymbolFrom<FunctionOpInterface>(
      *this, getCalleeAttr());
  if (function &&
      llvm::any_of(function.getArgumentTypes(), llvm::IsaPred<MemRefType>)) {
    InFlightDiagnostic diag = emitOpError()
                              << "expects a function of tensors or of objects, "
                                 "but "
                              << getCalleeAttr() << " is a kernel";
    diag.attachNote(function.getLoc())
        << "the kernel is here; relax.call_tir calls it in a function of "
           "tensors";
    return diag;
  }
  if (function && function.getNumArguments() != getArgs().size()) {
    InFlightDiagnostic diag = emitOpError()
                              << "expects " << function.getNumArguments()
                              << " arguments for " << getCalleeAttr()
                              << ", but got " << getArgs().size();
    diag.attachNote(function.getLoc()) << "the function is here";
    return diag;
  }
  return success();
}

LogicalResult
MakeClosureOp::verifySymbolUses(SymbolTableCollection &symbolTable) {
  auto function =
      symbolTable.lookupNearestSymbolFrom<FuncOp>(*this, getCalleeAttr());
  if (!function || !isObjectFunction(function))
    return emitOpError() << "expects a function of objects, but "
                         << getCalleeAttr() << " is none";
  if (function.getNumArguments() < getCaptured().size())
    return emitOpError() << "expects at most " << function.getNumArguments()
                         << " values for parameters of " << getCalleeAttr()
                         << ", but got " << getCaptured().size();
  return success();
}

LogicalResult relax::verifyPackedName(Operation *op, StringRef name) {
  if (name.empty())
    return op->emitOpError("expects the name of a function, but got none");
  if (name.contains('\0'))
    return op->emitOpError("expects the name of a function without zeros, but "
                           "got ")
           << StringAttr::get(op->getContext(), name);
  return success();
}

LogicalResult CallPackedOp::verify() {
  return verifyPackedName(*this, getFunction());
}

//===----------------------------------------------------------------------===//
// Control and data
//===----------------------------------------------------------------------===//

LogicalResult relax::YieldOp::verify() {
  Type expected = cast<IfOp>((*this)->getParentOp()).getType();
  if (getValue().getType() != expected)
    return emitOpError() << "expects a value of type " << expected
                         << ", but got " << getValue().getType();
  return success();
}

/// How many fields tuples and values of data types have at most.
static constexpr int64_t kMaxFields = (1 << 24) - 1;

LogicalResult
ConstructorAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                        StringAttr type, StringAttr name, int64_t index,
                        int64_t numFields) {
  auto check = [&](StringRef what, int64_t number) -> LogicalResult {
    if (number >= 0 && number <= kMaxFields)
      return success();
    return emitError() << "expects " << what << " from 0 to " << kMaxFields
                       << ", but got " << number;
  };
  if (failed(check("the place of a constructor", index)))
    return failure();
  return check("a number of fields", numFields);
}

LogicalResult GetFieldOp::verify() {
  int64_t index = static_cast<int64_t>(getIndex());
  if (index < 0 || index >= kMaxFields)
    return emitOpError() << "expects the number of a field, from 0 to "
                         << kMaxFields - 1 << ", but got " << index;
  return success();
}

LogicalResult LoadConstantOp::verify() {
  auto type = dyn_cast<RankedTensorType>(getValue().getShapedType());
  if (!type || !type.getElementType().isIntOrFloat())
    return emitOpError() << "expects a tensor of integers or floats, but got "
                         << getValue().getShapedType();
  return success();
}

LogicalResult MakeDataOp::verify() {
  if (static_cast<int64_t>(getFields().size()) !=
      getConstructor().getNumFields())
    return emitOpError() << "expects " << getConstructor().getNumFields()
                         << " fields of " << getConstructor().getName()
                         << ", but got " << getFields().size();
  return success();
}
