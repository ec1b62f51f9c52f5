//===- LanguageOps.cpp - Bindings, references and data types --------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/IR/PolymorphicTypes.h"

using namespace mlir;
using namespace mlir::relay;

void RelayDialect::registerLanguageOps() {
  addOperations<
#define GET_OP_LIST
#include "relay-mlir/Dialect/Relay/IR/RelayLanguageOps.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Bindings and branches
//===----------------------------------------------------------------------===//

OpFoldResult LetOp::fold(FoldAdaptor) { return getValue(); }

OpFoldResult AscribeOp::fold(FoldAdaptor) {
  return getValue().getType() == getType() ? getValue() : Value();
}

OpPatternKind AscribeOp::getFusionPattern() { return OpPatternKind::ElemWise; }

void AscribeOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  // As cf.assert has it: a check is no less needed for having no user.
  if (isChecked())
    effects.emplace_back(MemoryEffects::Write::get());
}

Speculation::Speculatability AscribeOp::getSpeculatability() {
  return isChecked() ? Speculation::NotSpeculatable : Speculation::Speculatable;
}

LogicalResult AscribeOp::verify() {
  if (areCompatible(getType(), getValue().getType()))
    return success();
  InFlightDiagnostic diag = emitOpError("expects a value of type ")
                            << getType() << ", but got "
                            << getValue().getType();
  if (getValue().getLoc() != getLoc())
    diag.attachNote(getValue().getLoc()) << "the value comes from here";
  return diag;
}

bool AscribeOp::isChecked() {
  return !knowsAsMuch(getValue().getType(), getType());
}

LogicalResult IfOp::verify() {
  for (Region *region : {&getThenRegion(), &getElseRegion()})
    if (region->getNumArguments())
      return emitOpError("expects branches without arguments, but got ")
             << region->getNumArguments();
  return success();
}

//===----------------------------------------------------------------------===//
// References
//===----------------------------------------------------------------------===//

/// Checks that `content` is what a cell of type `ref` holds.
static LogicalResult verifyContent(Operation *op, Type ref, Type content) {
  auto type = dyn_cast<RefType>(ref);
  if (!type || areCompatible(type.getContentType(), content))
    return success();
  return op->emitOpError("expects contents of type ")
         << type.getContentType() << ", but got " << content;
}

LogicalResult RefCreateOp::verify() {
  return verifyContent(*this, getResult().getType(), getValue().getType());
}

LogicalResult RefReadOp::verify() {
  return verifyContent(*this, getRef().getType(), getResult().getType());
}

LogicalResult RefWriteOp::verify() {
  if (!areCompatible(TupleType::get(getContext()), getResult().getType()))
    return emitOpError("expects a result of type ")
           << TupleType::get(getContext()) << ", but got "
           << getResult().getType();
  return verifyContent(*this, getRef().getType(), getValue().getType());
}

//===----------------------------------------------------------------------===//
// ADTOp
//===----------------------------------------------------------------------===//

void ADTOp::build(OpBuilder &builder, OperationState &state, StringRef name,
                  ArrayRef<StringAttr> typeParams, bool isExtern) {
  auto &properties = state.getOrAddProperties<Properties>();
  properties.sym_name = builder.getStringAttr(name);
  if (!typeParams.empty())
    properties.type_params =
        builder.getArrayAttr(llvm::to_vector_of<Attribute>(typeParams));
  if (isExtern)
    properties.isExtern = builder.getUnitAttr();
  state.addRegion()->emplaceBlock();
}

std::vector<ConstructorOp> ADTOp::getConstructors() {
  auto constructors = getBody().front().getOps<ConstructorOp>();
  return {constructors.begin(), constructors.end()};
}

ADTType ADTOp::getType() {
  SmallVector<Type> args;
  if (ArrayAttr params = getTypeParamsAttr())
    for (auto param : params.getAsRange<StringAttr>())
      args.push_back(TypeVarType::get(getContext(), param.getValue()));
  return ADTType::get(FlatSymbolRefAttr::get(getSymNameAttr()), args);
}

ParseResult ADTOp::parse(OpAsmParser &parser, OperationState &result) {
  auto &properties = result.getOrAddProperties<Properties>();
  if (succeeded(parser.parseOptionalKeyword("extern")))
    properties.isExtern = parser.getBuilder().getUnitAttr();
  if (parser.parseSymbolName(properties.sym_name))
    return failure();
  if (succeeded(parser.parseOptionalLSquare())) {
    SmallVector<Attribute> params;
    if (parser.parseCommaSeparatedList([&]() {
          StringAttr name;
          if (parser.parseAttribute(name))
            return failure();
          params.push_back(name);
          return success();
        }) ||
        parser.parseRSquare())
      return failure();
    properties.type_params = parser.getBuilder().getArrayAttr(params);
  }
  Region *body = result.addRegion();
  if (parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();
  OptionalParseResult hasBody = parser.parseOptionalRegion(*body, {});
  if (hasBody.has_value() && failed(*hasBody))
    return failure();
  if (body->empty())
    body->emplaceBlock();
  return success();
}

void ADTOp::print(OpAsmPrinter &printer) {
  if (getIsExtern())
    printer << " extern";
  printer << ' ';
  printer.printSymbolName(getSymName());
  if (ArrayAttr params = getTypeParamsAttr())
    printer << params;
  printer.printOptionalAttrDictWithKeyword(
      (*this)->getAttrs(), {"sym_name", "type_params", "isExtern"});
  if (!getBody().front().empty()) {
    printer << ' ';
    printer.printRegion(getBody());
  }
}

LogicalResult ADTOp::verify() {
  SmallVector<Attribute> params;
  if (ArrayAttr attr = getTypeParamsAttr())
    llvm::append_range(params, attr.getValue());
  for (auto [index, param] : llvm::enumerate(params))
    if (llvm::is_contained(ArrayRef(params).take_front(index), param))
      return emitOpError("expects distinct type parameters, but got ")
             << param << " twice";
  if (getIsExtern() && !getBody().front().empty())
    return emitOpError("expects an extern type to have no constructors");
  for (Operation &op : getBody().front()) {
    auto constructor = dyn_cast<ConstructorOp>(op);
    if (!constructor)
      return op.emitOpError("expects constructors only in a data type");
    for (Attribute field : constructor.getFields()) {
      WalkResult walk =
          cast<TypeAttr>(field).getValue().walk([&](TypeVarType var) {
            return llvm::is_contained(
                       params, StringAttr::get(getContext(), var.getName()))
                       ? WalkResult::advance()
                       : WalkResult::interrupt();
          });
      if (walk.wasInterrupted())
        return constructor.emitOpError("expects fields over the type "
                                       "parameters of @")
               << getSymName() << ", but got "
               << cast<TypeAttr>(field).getValue();
    }
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Constructors
//===----------------------------------------------------------------------===//

ADTOp ConstructorOp::getADT() { return cast<ADTOp>((*this)->getParentOp()); }

unsigned ConstructorOp::getIndex() {
  unsigned index = 0;
  for (Operation *op = (*this)->getPrevNode(); op; op = op->getPrevNode())
    ++index;
  return index;
}

Type ConstructorOp::getValueType() {
  SmallVector<Type> fields;
  for (Attribute field : getFields())
    fields.push_back(cast<TypeAttr>(field).getValue());
  ADTOp adt = getADT();
  SmallVector<StringAttr> params;
  if (ArrayAttr attr = adt.getTypeParamsAttr())
    llvm::append_range(params, attr.getAsRange<StringAttr>());
  return relay::getFunctionType(
      params, FunctionType::get(getContext(), fields, {Type(adt.getType())}));
}

ParseResult ConstructorOp::parse(OpAsmParser &parser, OperationState &result) {
  auto &properties = result.getOrAddProperties<Properties>();
  if (parser.parseSymbolName(properties.sym_name))
    return failure();
  SmallVector<Attribute> fields;
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::OptionalParen,
                                     [&]() {
                                       Type type;
                                       if (parser.parseType(type))
                                         return failure();
                                       fields.push_back(TypeAttr::get(type));
                                       return success();
                                     }))
    return failure();
  properties.fields = parser.getBuilder().getArrayAttr(fields);
  return parser.parseOptionalAttrDict(result.attributes);
}

void ConstructorOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  printer.printSymbolName(getSymName());
  if (!getFields().empty()) {
    printer << '(';
    llvm::interleaveComma(getFields(), printer, [&](Attribute field) {
      printer << cast<TypeAttr>(field).getValue();
    });
    printer << ')';
  }
  printer.printOptionalAttrDict((*this)->getAttrs(), {"sym_name", "fields"});
}

LogicalResult ConstructOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto constructor = symbols.lookupNearestSymbolFrom<ConstructorOp>(
      *this, getConstructorAttr());
  if (!constructor)
    return emitOpError("expects the name of a constructor, but got ")
           << getConstructorAttr();
  auto fail = [&](const Twine &what, Type expected,
                  Type actual) -> LogicalResult {
    InFlightDiagnostic diag = emitOpError("expects ")
                              << what << " of type " << expected << ", but got "
                              << actual;
    diag.attachNote(constructor.getLoc()) << "the constructor is defined here";
    return diag;
  };
  if (constructor.getFields().size() != getFields().size()) {
    InFlightDiagnostic diag = emitOpError("expects ")
                              << constructor.getFields().size()
                              << " fields, but got " << getFields().size();
    diag.attachNote(constructor.getLoc()) << "the constructor is defined here";
    return diag;
  }
  Type type = constructor.getValueType();
  TypeSubstitution substitution;
  for (StringAttr param : relay::getTypeParams(type))
    substitution[param.getValue()] = nullptr;
  FunctionType function = getFunctionBody(type);
  // The result first: it names every parameter.
  if (!matchInstance(function.getResult(0), getResult().getType(),
                     substitution))
    return fail("a result", function.getResult(0), getResult().getType());
  for (auto [index, pair] : llvm::enumerate(
           llvm::zip_equal(function.getInputs(), getFields().getTypes()))) {
    auto [expected, actual] = pair;
    if (!matchInstance(expected, actual, substitution))
      return fail("field " + Twine(index),
                  substituteTypes(expected, substitution), actual);
  }
  return success();
}

#define GET_OP_CLASSES
#include "relay-mlir/Dialect/Relay/IR/RelayLanguageOps.cpp.inc"
