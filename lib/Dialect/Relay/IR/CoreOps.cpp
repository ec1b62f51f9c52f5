//===- CoreOps.cpp - Constants, calls and tuples --------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OperatorFormat.h"

#include "relay-mlir/Dialect/Relay/IR/PolymorphicTypes.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace mlir::relay;

//===----------------------------------------------------------------------===//
// ConstantOp
//===----------------------------------------------------------------------===//

LogicalResult ConstantOp::inferReturnTypes(MLIRContext *,
                                           std::optional<Location> location,
                                           Adaptor adaptor,
                                           SmallVectorImpl<Type> &types) {
  ShapedType type = adaptor.getValue().getShapedType();
  if (!isa<RankedTensorType>(type) || !type.hasStaticShape())
    return emitOptionalError(
        location, "expects a tensor value of known sizes, but got ", type);
  types.push_back(type);
  return success();
}

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

//===----------------------------------------------------------------------===//
// CallOp
//===----------------------------------------------------------------------===//

LogicalResult CallOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto callee = symbols.lookupNearestSymbolFrom<FunctionOpInterface>(
      *this, getCalleeAttr());
  if (!callee)
    return emitOpError("expects the name of a function, but got '")
           << getCallee() << "'";
  TypeSubstitution substitution;
  if (auto params = callee->getAttrOfType<ArrayAttr>(kTypeParamsAttrName))
    for (auto param : params.getAsRange<StringAttr>())
      substitution[param.getValue()] = nullptr;
  auto check = [&](StringRef what, ArrayRef<Type> expected,
                   TypeRange actual) -> LogicalResult {
    if (expected.size() == actual.size() &&
        llvm::all_of_zip(expected, actual, [&](Type general, Type type) {
          return matchInstance(general, type, substitution);
        }))
      return success();
    InFlightDiagnostic diag = emitOpError("expects ") << what << " of types (";
    llvm::interleaveComma(expected, diag);
    diag << "), but got (";
    llvm::interleaveComma(actual, diag);
    diag << ")";
    diag.attachNote(callee.getLoc()) << "the function is defined here";
    return diag;
  };
  if (failed(check("arguments", callee.getArgumentTypes(),
                   getOperands().getTypes())))
    return failure();
  return check("results", callee.getResultTypes(), getResultTypes());
}

//===----------------------------------------------------------------------===//
// Tuples
//===----------------------------------------------------------------------===//

/// Without parentheses, the operands of an empty tuple would be looked for on
/// the next line. There may be none if what follows is no operand.
static ParseResult
parseTupleFields(OpAsmParser &parser,
                 SmallVectorImpl<OpAsmParser::UnresolvedOperand> &fields,
                 SmallVectorImpl<Type> &types) {
  if (succeeded(parser.parseOptionalLParen()))
    return parser.parseRParen();
  if (parser.parseOperandList(fields))
    return failure();
  return fields.empty() ? success() : parser.parseColonTypeList(types);
}

static void printTupleFields(OpAsmPrinter &printer, TupleOp op,
                             OperandRange fields, TypeRange types) {
  if (fields.empty())
    printer << "()";
  else
    printer << fields << " : " << types;
}

LogicalResult TupleOp::inferReturnTypes(MLIRContext *context,
                                        std::optional<Location> location,
                                        Adaptor adaptor,
                                        SmallVectorImpl<Type> &types) {
  auto type =
      TupleType::get(context, llvm::to_vector(adaptor.getFields().getTypes()));
  TypeDepths depths;
  if (!depths.isTooDeep(type) && depths.isTooLong(type))
    return emitOptionalError(location, "expects a type of at most ",
                             TypeDepths::kMaxParts,
                             " parts, but got a longer one");
  types.push_back(type);
  return success();
}

LogicalResult TupleGetItemOp::inferReturnTypes(MLIRContext *,
                                               std::optional<Location> location,
                                               Adaptor adaptor,
                                               SmallVectorImpl<Type> &types) {
  auto tuple = dyn_cast<TupleType>(adaptor.getTuple().getType());
  if (!tuple) {
    types.push_back(adaptor.getTuple().getType());
    return success();
  }
  int64_t index = adaptor.getIndex();
  if (index < 0 || index >= static_cast<int64_t>(tuple.size()))
    return emitOptionalError(location, "expects index in the range [0, ",
                             tuple.size(), "), but got ", index);
  types.push_back(tuple.getType(index));
  return success();
}

OpFoldResult TupleGetItemOp::fold(FoldAdaptor) {
  if (auto tuple = getTuple().getDefiningOp<TupleOp>()) {
    Value field = tuple.getFields()[getIndex()];
    if (field.getType() == getType())
      return field;
  }
  return {};
}

#define GET_OP_CLASSES
#include "relay-mlir/Dialect/Relay/IR/RelayCoreOps.cpp.inc"
