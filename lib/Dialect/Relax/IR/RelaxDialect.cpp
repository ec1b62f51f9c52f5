//===- RelaxDialect.cpp - The relax dialect -------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Transforms/InliningUtils.h"
#include "relay-mlir/Dialect/Relax/IR/Relax.h"
#include "relay-mlir/Dialect/Relax/IR/Strings.h"

using namespace mlir;
using namespace mlir::relax;

#include "relay-mlir/Dialect/Relax/IR/RelaxDialect.cpp.inc"

void RelaxDialect::initialize() {
  registerAttributesAndTypes();
  addOperations<
#define GET_OP_LIST
#include "relay-mlir/Dialect/Relax/IR/RelaxOps.cpp.inc"
      >();
}

Operation *RelaxDialect::materializeConstant(OpBuilder &builder,
                                             Attribute value, Type type,
                                             Location loc) {
  auto elements = dyn_cast<ElementsAttr>(value);
  auto tensor = elements ? dyn_cast<RankedTensorType>(elements.getShapedType())
                         : RankedTensorType();
  auto symbolic = dyn_cast<SymbolicTensorType>(type);
  if (!tensor || !symbolic ||
      getSymbolicType(tensor).withDevice(symbolic.getDevice()) != type)
    return nullptr;
  return ConstantOp::create(builder, loc, elements, symbolic.getDevice());
}

static LogicalResult verifyValueAttr(Operation *op, NamedAttribute attr) {
  if (attr.getName() == kIsStringAttr && isa<UnitAttr>(attr.getValue()))
    return success();
  if (attr.getName() != kNameAttr)
    return op->emitOpError() << "expects no attribute " << attr.getName()
                             << " on a parameter or result";
  if (!isa<StringAttr>(attr.getValue()))
    return op->emitOpError() << "expects " << attr.getName()
                             << " to be a string, but got " << attr.getValue();
  return success();
}

LogicalResult RelaxDialect::verifyRegionArgAttribute(Operation *op, unsigned,
                                                     unsigned,
                                                     NamedAttribute attr) {
  return verifyValueAttr(op, attr);
}

LogicalResult RelaxDialect::verifyRegionResultAttribute(Operation *op, unsigned,
                                                        unsigned,
                                                        NamedAttribute attr) {
  return verifyValueAttr(op, attr);
}

//===----------------------------------------------------------------------===//
// Attributes of functions of objects, and of modules with them
//===----------------------------------------------------------------------===//

/// The elements of a list that has `T` only; an error otherwise.
template <typename T>
static FailureOr<SmallVector<T>> getList(Operation *op, NamedAttribute attr,
                                         StringRef what) {
  auto array = dyn_cast<ArrayAttr>(attr.getValue());
  if (!array || !llvm::all_of(array, llvm::IsaPred<T>))
    return op->emitOpError()
           << "expects " << attr.getName() << " to be a list "
           << "of " << what << ", but got " << attr.getValue();
  return llvm::map_to_vector(
      array, [](Attribute element) { return cast<T>(element); });
}

/// How many elements another list of `op` has.
static size_t getLength(Operation *op, StringRef name) {
  auto array = op->getAttrOfType<ArrayAttr>(name);
  return array ? array.size() : 0;
}

static LogicalResult verifyLength(Operation *op, NamedAttribute attr,
                                  size_t length, StringRef other) {
  size_t expected = getLength(op, other);
  if (length == expected)
    return success();
  return op->emitOpError() << "expects " << attr.getName() << " to be as long "
                           << "as " << other << ", " << expected << ", but got "
                           << length;
}

static LogicalResult verifyConstructors(Operation *op, NamedAttribute attr) {
  auto constructors =
      getList<ConstructorAttr>(op, attr, "constructors (#relax.constructor)");
  if (failed(constructors))
    return failure();
  llvm::SmallDenseSet<std::pair<StringAttr, StringAttr>> names;
  llvm::SmallDenseSet<std::pair<StringAttr, int64_t>> places;
  for (ConstructorAttr constructor : *constructors)
    if (!names.insert({constructor.getType(), constructor.getName()}).second ||
        !places.insert({constructor.getType(), constructor.getIndex()}).second)
      return op->emitOpError()
             << "expects constructors of a type of names and places of their "
                "own, but got "
             << constructor << " beside another one";
  return success();
}

/// Attributes that say what callers pass and get.
static LogicalResult verifySignatureAttr(Operation *op, NamedAttribute attr) {
  StringRef name = attr.getName();
  if (name == kResultNamesAttr) {
    auto names = getList<StringAttr>(op, attr, "strings");
    return failed(names)
               ? failure()
               : verifyLength(op, attr, names->size(), kResultTypesAttr);
  }
  if (name == kStringResultsAttr) {
    auto flags = dyn_cast<DenseBoolArrayAttr>(attr.getValue());
    if (!flags)
      return op->emitOpError() << "expects " << name << " to be an array of "
                               << "i1, but got " << attr.getValue();
    return verifyLength(op, attr, flags.size(), kResultTypesAttr);
  }
  auto types = getList<TypeAttr>(op, attr, "types");
  if (failed(types))
    return failure();
  if (name == kResultTypesAttr)
    return verifyLength(op, attr, types->size(), kResultNamesAttr);
  auto function = dyn_cast<FuncOp>(op);
  if (function && types->size() > function.getNumArguments())
    return op->emitOpError()
           << "expects " << name << " of at most " << function.getNumArguments()
           << " parameters, but got " << types->size();
  return success();
}

LogicalResult RelaxDialect::verifyOperationAttribute(Operation *op,
                                                     NamedAttribute attr) {
  StringRef name = attr.getName();
  if (name == kConstructorsAttr)
    return verifyConstructors(op, attr);
  if (name == kConstructorTypesAttr) {
    auto types = getList<TypeAttr>(op, attr, "types");
    return failed(types)
               ? failure()
               : verifyLength(op, attr, types->size(), kConstructorsAttr);
  }
  if (name == kParamTypesAttr || name == kResultTypesAttr ||
      name == kResultNamesAttr || name == kStringResultsAttr)
    return verifySignatureAttr(op, attr);
  if (name == kPackedFunctionAttr) {
    auto function = dyn_cast<FunctionOpInterface>(op);
    auto packed = dyn_cast<StringAttr>(attr.getValue());
    if (!function || !function.isExternal() || !packed)
      return op->emitOpError()
             << "expects " << name << " to be a string, of a "
             << "declaration of a kernel, but got " << attr.getValue();
    return verifyPackedName(op, packed.getValue());
  }
  return success();
}
