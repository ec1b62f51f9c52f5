//===- Functions.cpp - Closures and calls of them -------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/IR/FunctionAttributes.h"
#include "relay-mlir/Dialect/Relay/IR/PolymorphicTypes.h"

#include "mlir/Interfaces/FunctionImplementation.h"

using namespace mlir;
using namespace mlir::relay;

bool relay::isCompiledAsItIs(Operation *function) {
  return function->hasAttr(kPrimitiveAttrName) ||
         function->hasAttr(kCompilerAttrName);
}

//===----------------------------------------------------------------------===//
// FnOp
//===----------------------------------------------------------------------===//

void FnOp::build(OpBuilder &builder, OperationState &state, FunctionType type,
                 bool recursive, ArrayRef<StringAttr> typeParams) {
  OpBuilder::InsertionGuard guard(builder);
  Type resultType = relay::getFunctionType(typeParams, type);
  Region *body = state.addRegion();
  Block *block = builder.createBlock(body);
  if (recursive) {
    state.getOrAddProperties<Properties>().recursive = builder.getUnitAttr();
    block->addArgument(resultType, state.location);
  }
  for (Type input : type.getInputs())
    block->addArgument(input, state.location);
  if (!typeParams.empty())
    state.getOrAddProperties<Properties>().type_params =
        builder.getArrayAttr(ArrayRef<Attribute>(
            reinterpret_cast<const Attribute *>(typeParams.data()),
            typeParams.size()));
  state.addTypes(resultType);
}

FunctionType FnOp::getFunctionType() {
  return getFunctionBody(getResult().getType());
}

Value FnOp::getSelf() {
  return getRecursive() ? getBody().getArgument(0) : Value();
}

MutableArrayRef<BlockArgument> FnOp::getParams() {
  return getBody().getArguments().drop_front(getRecursive() ? 1 : 0);
}

StringAttr FnOp::getParamName(unsigned index) {
  ArrayAttr attrs = getArgAttrsAttr();
  if (!attrs || index >= attrs.size())
    return nullptr;
  return cast<DictionaryAttr>(attrs[index]).getAs<StringAttr>(kNameAttrName);
}

void FnOp::getAsmBlockArgumentNames(Region &region,
                                    OpAsmSetValueNameFn setName) {
  if (Value self = getSelf())
    setName(self, "self");
  for (auto [index, param] : llvm::enumerate(getParams()))
    if (StringAttr name = getParamName(index))
      setName(param, name.getValue());
}

ParseResult FnOp::parse(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::Argument self;
  auto &properties = result.getOrAddProperties<Properties>();
  bool recursive = succeeded(parser.parseOptionalKeyword("rec"));
  if (recursive) {
    properties.recursive = parser.getBuilder().getUnitAttr();
    if (parser.parseArgument(self))
      return failure();
  }
  SmallVector<StringAttr> typeParams;
  if (succeeded(parser.parseOptionalLSquare())) {
    if (parser.parseCommaSeparatedList([&]() {
          return parser.parseAttribute(typeParams.emplace_back());
        }) ||
        parser.parseRSquare())
      return failure();
    properties.type_params = parser.getBuilder().getArrayAttr(
        llvm::to_vector_of<Attribute>(typeParams));
  }
  SmallVector<OpAsmParser::Argument> params;
  SMLoc location = parser.getCurrentLocation();
  Type returnType;
  if (parser.parseArgumentList(params, OpAsmParser::Delimiter::Paren,
                               /*allowType=*/true, /*allowAttrs=*/true) ||
      parser.parseArrow() || parser.parseType(returnType) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();
  bool hasAttrs = false;
  SmallVector<Attribute> attrs;
  SmallVector<Type> inputs;
  for (OpAsmParser::Argument &param : params) {
    if (!param.type)
      return parser.emitError(location, "expects a type for each parameter");
    inputs.push_back(param.type);
    attrs.push_back(param.attrs ? param.attrs
                                : parser.getBuilder().getDictionaryAttr({}));
    hasAttrs |= param.attrs && !param.attrs.empty();
  }
  if (hasAttrs)
    properties.arg_attrs = parser.getBuilder().getArrayAttr(attrs);
  auto functionType =
      FunctionType::get(parser.getContext(), inputs, returnType);
  if (!typeParams.empty()) {
    // Through the verifier, for equal names.
    Type forall = parser.getChecked<ForallType>(
        location, ArrayRef<StringAttr>(typeParams), functionType);
    if (!forall)
      return failure();
    result.addTypes(forall);
  } else {
    result.addTypes(functionType);
  }
  if (recursive) {
    self.type = result.types.front();
    params.insert(params.begin(), self);
  }
  return parser.parseRegion(*result.addRegion(), params);
}

void FnOp::print(OpAsmPrinter &printer) {
  if (Value self = getSelf())
    printer << " rec " << self;
  if (ArrayAttr typeParams = getTypeParamsAttr())
    printer << ' ' << typeParams;
  printer << " (";
  ArrayAttr attrs = getArgAttrsAttr();
  llvm::interleaveComma(llvm::enumerate(getParams()), printer, [&](auto item) {
    printer.printRegionArgument(
        item.value(), attrs
                          ? cast<DictionaryAttr>(attrs[item.index()]).getValue()
                          : ArrayRef<NamedAttribute>());
  });
  printer << ") -> " << getFunctionType().getResult(0);
  printer.printOptionalAttrDictWithKeyword(
      (*this)->getAttrs(), {"type_params", "recursive", "arg_attrs"});
  printer << ' ';
  printer.printRegion(getBodyRegion(), /*printEntryBlockArgs=*/false,
                      /*printBlockTerminators=*/true);
}

LogicalResult FnOp::verify() {
  FunctionType type = getFunctionType();
  if (!type || type.getNumResults() != 1)
    return emitOpError("expects a function type with one result, but got ")
           << getResult().getType();
  ArrayRef<StringAttr> params = relay::getTypeParams(getResult().getType());
  SmallVector<Attribute> names = llvm::to_vector_of<Attribute>(params);
  ArrayRef<Attribute> declared;
  if (ArrayAttr attr = getTypeParamsAttr())
    declared = attr.getValue();
  if (declared != ArrayRef<Attribute>(names))
    return emitOpError("expects the type parameters of ")
           << getResult().getType() << ", but got "
           << (getTypeParamsAttr()
                   ? Attribute(getTypeParamsAttr())
                   : Attribute(ArrayAttr::get(getContext(), {})));
  unsigned first = getRecursive() ? 1 : 0;
  if (getBody().getNumArguments() != first + type.getNumInputs())
    return emitOpError("expects ")
           << first + type.getNumInputs() << " block arguments, but got "
           << getBody().getNumArguments();
  if (ArrayAttr attrs = getArgAttrsAttr();
      attrs && attrs.size() != type.getNumInputs())
    return emitOpError("expects attributes for ")
           << type.getNumInputs() << " parameters, but got " << attrs.size();
  if (Value self = getSelf(); self && self.getType() != getResult().getType())
    return emitOpError("expects the closure itself to be of type ")
           << getResult().getType() << ", but got " << self.getType();
  for (auto [index, param] : llvm::enumerate(getParams()))
    if (param.getType() != type.getInput(index))
      return emitOpError("expects parameter ")
             << index << " of type " << type.getInput(index) << ", but got "
             << param.getType();
  return success();
}

//===----------------------------------------------------------------------===//
// YieldOp
//===----------------------------------------------------------------------===//

LogicalResult YieldOp::verify() {
  if (getNumOperands() != 1)
    return emitOpError("expects one value, but got ") << getNumOperands();
  Type expected;
  StringRef what;
  Operation *parent = (*this)->getParentOp();
  if (auto fn = dyn_cast<FnOp>(parent)) {
    // A malformed closure is reported by its own verifier.
    FunctionType type = fn.getFunctionType();
    if (!type || type.getNumResults() != 1)
      return success();
    expected = type.getResult(0);
    what = "the closure's return type ";
  } else {
    expected = parent->getResult(0).getType();
    what = isa<IfOp>(parent) ? "the type of the if " : "the type of the match ";
  }
  if (areCompatible(expected, getValue().getType()))
    return success();
  InFlightDiagnostic diag = emitOpError("expects a value of ")
                            << what << expected << ", but got "
                            << getValue().getType();
  diag.attachNote(parent->getLoc()) << "which begins here";
  return diag;
}

//===----------------------------------------------------------------------===//
// CallIndirectOp
//===----------------------------------------------------------------------===//

CallInterfaceCallable CallIndirectOp::getCallableForCallee() {
  return getCallee();
}

void CallIndirectOp::setCalleeFromCallable(CallInterfaceCallable callee) {
  getCalleeMutable().assign(cast<Value>(callee));
}

Operation::operand_range CallIndirectOp::getArgOperands() { return getArgs(); }

MutableOperandRange CallIndirectOp::getArgOperandsMutable() {
  return getArgsMutable();
}

ParseResult CallIndirectOp::parse(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::UnresolvedOperand callee;
  SmallVector<OpAsmParser::UnresolvedOperand> args;
  if (parser.parseOperand(callee))
    return failure();
  SMLoc location = parser.getCurrentLocation();
  Type calleeType;
  FunctionType type;
  if (parser.parseOperandList(args, OpAsmParser::Delimiter::Paren) ||
      parser.parseOptionalAttrDict(result.attributes) || parser.parseColon())
    return failure();
  SMLoc typeLocation = parser.getCurrentLocation();
  if (parser.parseType(calleeType))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("as"))) {
    if (parser.parseType(type))
      return failure();
  } else {
    type = dyn_cast<FunctionType>(calleeType);
    if (!type)
      return parser.emitError(typeLocation)
             << "expects a function type, or 'as' and the type of the call, "
                "after "
             << calleeType;
  }
  if (parser.resolveOperand(callee, calleeType, result.operands) ||
      parser.resolveOperands(args, type.getInputs(), location, result.operands))
    return failure();
  result.addTypes(type.getResults());
  return success();
}

void CallIndirectOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getCallee() << '(' << getArgs() << ')';
  printer.printOptionalAttrDict((*this)->getAttrs());
  auto type = FunctionType::get(getContext(), getArgs().getTypes(),
                                getResult().getType());
  printer << " : " << getCallee().getType();
  if (getCallee().getType() != type)
    printer << " as " << type;
}

LogicalResult CallIndirectOp::verify() {
  Type calleeType = getCallee().getType();
  if (isa<IncompleteType>(calleeType))
    return success();
  FunctionType type = getFunctionBody(calleeType);
  if (type.getNumInputs() != getArgs().size())
    return emitOpError("expects ")
           << type.getNumInputs() << " arguments, but got " << getArgs().size();
  TypeSubstitution substitution;
  for (StringAttr param : relay::getTypeParams(calleeType))
    substitution[param.getValue()] = nullptr;
  for (auto [index, pair] : llvm::enumerate(
           llvm::zip_equal(type.getInputs(), getArgs().getTypes()))) {
    auto [expected, actual] = pair;
    if (!matchInstance(expected, actual, substitution))
      return emitOpError("expects argument ")
             << index << " of type " << expected << ", but got " << actual;
  }
  if (type.getNumResults() != 1 ||
      !matchInstance(type.getResult(0), getResult().getType(), substitution))
    return emitOpError("expects a result of type ")
           << substituteTypes(type.getResult(0), substitution) << ", but got "
           << getResult().getType();
  return success();
}

//===----------------------------------------------------------------------===//
// GlobalOp
//===----------------------------------------------------------------------===//

/// Returns the type of a function or constructor; null for other symbols.
static Type getSymbolType(Operation *symbol) {
  if (auto constructor = dyn_cast<ConstructorOp>(symbol))
    return constructor.getValueType();
  auto function = dyn_cast<FunctionOpInterface>(symbol);
  if (!function)
    return nullptr;
  auto type = dyn_cast<FunctionType>(function.getFunctionType());
  if (!type)
    return nullptr;
  SmallVector<StringAttr> params;
  if (auto attr = symbol->getAttrOfType<ArrayAttr>(kTypeParamsAttrName))
    for (auto param : attr.getAsRange<StringAttr>())
      params.push_back(param);
  return relay::getFunctionType(params, type);
}

LogicalResult GlobalOp::verifySymbolUses(SymbolTableCollection &symbols) {
  Operation *symbol = symbols.lookupNearestSymbolFrom(*this, getSymbolAttr());
  Type type = symbol ? getSymbolType(symbol) : nullptr;
  if (!type)
    return emitOpError("expects the name of a function or constructor, but "
                       "got ")
           << getSymbolAttr();
  Type actual = getResult().getType();
  if (areCompatible(type, actual))
    return success();
  TypeSubstitution substitution;
  for (StringAttr param : relay::getTypeParams(type))
    substitution[param.getValue()] = nullptr;
  if (matchInstance(getFunctionBody(type), actual, substitution))
    return success();
  InFlightDiagnostic diag = emitOpError("expects a value of type ")
                            << type << " or an instance of it, but got "
                            << actual;
  diag.attachNote(symbol->getLoc()) << "the symbol is defined here";
  return diag;
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

std::vector<NamedAttribute> relay::getFunctionTextAttrs(Operation *op) {
  Builder builder(op->getContext());
  std::vector<NamedAttribute> attrs;
  for (const FunctionAttribute &known : kFunctionAttributes) {
    Attribute value = op->getAttr(known.dialect);
    if (!value)
      continue;
    if (known.isFlag)
      value = builder.getI32IntegerAttr(1);
    attrs.push_back(builder.getNamedAttr(known.text, value));
  }
  if (auto others = op->getAttrOfType<DictionaryAttr>(kTextAttrsAttrName))
    llvm::append_range(attrs, others);
  if (Attribute device = op->getAttr(kVirtualDeviceAttrName))
    attrs.push_back(builder.getNamedAttr("virtual_device", device));
  return attrs;
}
