//===- Match.cpp - Match --------------------------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/IR/Patterns.h"
#include "relay-mlir/Dialect/Relay/IR/PolymorphicTypes.h"

using namespace mlir;
using namespace mlir::relay;

ArrayRef<Attribute> relay::getPatternFields(Attribute pattern) {
  if (auto constructor = dyn_cast<ConstructorPatternAttr>(pattern))
    return constructor.getFields();
  if (auto tuple = dyn_cast<TuplePatternAttr>(pattern))
    return tuple.getFields();
  return {};
}

//===----------------------------------------------------------------------===//
// Assembly
//===----------------------------------------------------------------------===//

/// Reads a pattern; variables become arguments of the case.
static ParseResult
parsePattern(OpAsmParser &parser, Attribute &pattern,
             SmallVectorImpl<OpAsmParser::Argument> &arguments) {
  MLIRContext *context = parser.getContext();
  SmallVector<Attribute> fields;
  auto parseField = [&]() {
    return parsePattern(parser, fields.emplace_back(), arguments);
  };
  if (succeeded(parser.parseOptionalKeyword("_"))) {
    pattern = WildcardPatternAttr::get(context);
    return success();
  }
  std::string name;
  if (succeeded(parser.parseOptionalString(&name))) {
    OpAsmParser::Argument &argument = arguments.emplace_back();
    SMLoc location = parser.getCurrentLocation();
    if (parser.parseArgument(argument, /*allowType=*/true))
      return failure();
    if (!argument.type)
      return parser.emitError(location, "expects a type of the variable");
    pattern = VarPatternAttr::get(context, StringAttr::get(context, name));
    return success();
  }
  if (succeeded(parser.parseOptionalLParen())) {
    if (failed(parser.parseOptionalRParen()) &&
        (parser.parseCommaSeparatedList(parseField) || parser.parseRParen()))
      return failure();
    pattern = TuplePatternAttr::get(context, fields);
    return success();
  }
  SymbolRefAttr constructor;
  if (parser.parseAttribute(constructor) ||
      parser.parseCommaSeparatedList(OpAsmParser::Delimiter::OptionalParen,
                                     parseField))
    return failure();
  pattern = ConstructorPatternAttr::get(context, constructor, fields);
  return success();
}

static void printPattern(OpAsmPrinter &printer, Attribute pattern,
                         Block::BlockArgListType arguments, unsigned &next) {
  auto printFields = [&](ArrayRef<Attribute> fields) {
    printer << '(';
    llvm::interleaveComma(fields, printer, [&](Attribute field) {
      printPattern(printer, field, arguments, next);
    });
    printer << ')';
  };
  if (auto var = dyn_cast<VarPatternAttr>(pattern)) {
    printer << var.getName() << ' ';
    printer.printRegionArgument(arguments[next++]);
  } else if (auto constructor = dyn_cast<ConstructorPatternAttr>(pattern)) {
    printer << constructor.getConstructor();
    if (!constructor.getFields().empty())
      printFields(constructor.getFields());
  } else if (auto tuple = dyn_cast<TuplePatternAttr>(pattern)) {
    printFields(tuple.getFields());
  } else {
    printer << '_';
  }
}

ParseResult MatchOp::parse(OpAsmParser &parser, OperationState &result) {
  auto &properties = result.getOrAddProperties<Properties>();
  if (succeeded(parser.parseOptionalKeyword("partial")))
    properties.partial = parser.getBuilder().getUnitAttr();
  OpAsmParser::UnresolvedOperand value;
  Type type, resultType;
  if (parser.parseOperand(value) || parser.parseColonType(type) ||
      parser.resolveOperand(value, type, result.operands) ||
      parser.parseArrow() || parser.parseType(resultType) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes) ||
      parser.parseLBrace())
    return failure();
  SmallVector<Attribute> patterns;
  while (succeeded(parser.parseOptionalKeyword("case"))) {
    SmallVector<OpAsmParser::Argument> arguments;
    if (parsePattern(parser, patterns.emplace_back(), arguments) ||
        parser.parseRegion(*result.addRegion(), arguments))
      return failure();
  }
  properties.patterns = parser.getBuilder().getArrayAttr(patterns);
  result.addTypes(resultType);
  return parser.parseRBrace();
}

void MatchOp::print(OpAsmPrinter &printer) {
  if (getPartial())
    printer << " partial";
  printer << ' ' << getValue() << " : " << getValue().getType() << " -> "
          << getResult().getType();
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs(),
                                           {"patterns", "partial"});
  printer << " {";
  for (auto [pattern, region] : llvm::zip_equal(getPatterns(), getCases())) {
    printer.printNewline();
    printer << "case ";
    unsigned next = 0;
    printPattern(printer, pattern, region.getArguments(), next);
    printer << ' ';
    printer.printRegion(region, /*printEntryBlockArgs=*/false);
  }
  printer.printNewline();
  printer << '}';
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

/// Counts the variables of a pattern; nothing if it is not one.
static std::optional<unsigned> countVariables(Attribute pattern) {
  if (isa<WildcardPatternAttr>(pattern))
    return 0;
  if (isa<VarPatternAttr>(pattern))
    return 1;
  if (!isa<ConstructorPatternAttr, TuplePatternAttr>(pattern))
    return std::nullopt;
  unsigned count = 0;
  for (Attribute field : getPatternFields(pattern)) {
    std::optional<unsigned> inner = countVariables(field);
    if (!inner)
      return std::nullopt;
    count += *inner;
  }
  return count;
}

LogicalResult MatchOp::verify() {
  if (getPatterns().size() != getCases().size())
    return emitOpError("expects a pattern for each of ")
           << getCases().size() << " cases, but got " << getPatterns().size();
  for (auto [pattern, region] : llvm::zip_equal(getPatterns(), getCases())) {
    std::optional<unsigned> variables = countVariables(pattern);
    if (!variables)
      return emitOpError("expects patterns, but got ") << pattern;
    if (*variables != region.getNumArguments())
      return emitOpError("expects an argument for each of ")
             << *variables << " variables of " << pattern << ", but got "
             << region.getNumArguments();
  }
  return success();
}

/// Checks that `pattern` can match values of `type`, and that its variables
/// have the types of what they match.
static LogicalResult verifyPattern(MatchOp op, Attribute pattern, Type type,
                                   Block::BlockArgListType arguments,
                                   unsigned &next,
                                   SymbolTableCollection &symbols) {
  if (isa<WildcardPatternAttr>(pattern))
    return success();
  if (isa<VarPatternAttr>(pattern)) {
    Type actual = arguments[next++].getType();
    if (areCompatible(type, actual))
      return success();
    return op.emitOpError("expects pattern variable ")
           << cast<VarPatternAttr>(pattern).getName() << " of type " << type
           << ", but got " << actual;
  }
  // The fields of what is not known are not known either.
  auto unknown = IncompleteType::get(op.getContext());
  ArrayRef<Attribute> fields;
  SmallVector<Type> types;
  if (auto tuple = dyn_cast<TuplePatternAttr>(pattern)) {
    fields = tuple.getFields();
    if (isa<IncompleteType>(type)) {
      types.assign(fields.size(), unknown);
    } else {
      auto tupleType = dyn_cast<TupleType>(type);
      if (!tupleType || tupleType.size() != fields.size())
        return op.emitOpError("expects a pattern for ")
               << type << ", but got a tuple of " << fields.size()
               << " patterns";
      llvm::append_range(types, tupleType.getTypes());
    }
  } else {
    auto constructorPattern = cast<ConstructorPatternAttr>(pattern);
    fields = constructorPattern.getFields();
    auto constructor = symbols.lookupNearestSymbolFrom<ConstructorOp>(
        op, constructorPattern.getConstructor());
    if (!constructor)
      return op.emitOpError("expects the name of a constructor, but got ")
             << constructorPattern.getConstructor();
    if (constructor.getFields().size() != fields.size()) {
      InFlightDiagnostic diag = op.emitOpError("expects ")
                                << constructor.getFields().size()
                                << " patterns for the fields of "
                                << constructorPattern.getConstructor()
                                << ", but got " << fields.size();
      diag.attachNote(constructor.getLoc())
          << "the constructor is defined here";
      return diag;
    }
    Type valueType = constructor.getValueType();
    TypeSubstitution substitution;
    for (StringAttr param : relay::getTypeParams(valueType))
      substitution[param.getValue()] =
          isa<IncompleteType>(type) ? Type(unknown) : Type();
    FunctionType function = getFunctionBody(valueType);
    if (!matchInstance(function.getResult(0), type, substitution))
      return op.emitOpError("expects a pattern for ")
             << type << ", but got constructor "
             << constructorPattern.getConstructor();
    for (Type field : function.getInputs())
      types.push_back(substituteTypes(field, substitution));
  }
  for (auto [field, fieldType] : llvm::zip_equal(fields, types))
    if (failed(verifyPattern(op, field, fieldType, arguments, next, symbols)))
      return failure();
  return success();
}

LogicalResult MatchOp::verifySymbolUses(SymbolTableCollection &symbols) {
  for (auto [pattern, region] : llvm::zip_equal(getPatterns(), getCases())) {
    unsigned next = 0;
    if (failed(verifyPattern(*this, pattern, getValue().getType(),
                             region.getArguments(), next, symbols)))
      return failure();
  }
  return success();
}

void MatchOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  // One that may find no case need not return, so it must stay.
  if (getPartial())
    effects.emplace_back(MemoryEffects::Write::get());
}
