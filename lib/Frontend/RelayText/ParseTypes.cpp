//===- ParseTypes.cpp - Types in Relay text -------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DataTypes.h"
#include "Literals.h"
#include "Parser.h"

#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Dialect/Relay/IR/TensorLimits.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::text;

/// The names after a function or a type, if there are any. They are in scope
/// from here to the end of the caller's scope.
LogicalResult Parser::parseTypeParams(std::vector<std::string> &params) {
  if (!consumeIf(TokenKind::LBracket))
    return success();
  llvm::StringSet<> seen;
  return parseList(TokenKind::RBracket, "a type parameter", [&] {
    StringRef name = token.spelling;
    const char *loc = token.begin;
    if (failed(expect(TokenKind::Identifier, "the name of a type parameter")))
      return failure();
    if (!seen.insert(name).second)
      return error(loc, "expects distinct type parameters, but got '" + name +
                            "' twice");
    params.push_back(name.str());
    typeParams.insert(name, true);
    return success();
  });
}

FailureOr<SmallVector<Type>> Parser::parseTypes(TokenKind open, TokenKind close,
                                                StringRef what) {
  SmallVector<Type> types;
  if (failed(expect(open, open == TokenKind::LParen ? "'('" : "'['")) ||
      failed(parseList(close, what, [&] {
        Type type = parseType();
        if (type)
          types.push_back(type);
        return success(type != nullptr);
      })))
    return failure();
  return types;
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

LogicalResult Parser::parseDimension(SmallVectorImpl<int64_t> &shape) {
  // Symbolic sizes are unknown here.
  if (token.is(TokenKind::Question) || token.is(TokenKind::MetaRef)) {
    advance();
    shape.push_back(ShapedType::kDynamic);
    return success();
  }
  if (!token.is(TokenKind::Number))
    return errorExpected("a size or '?'");
  TypedAttr value = parseNumber(
      NumberText(token.spelling), /*bareFloats=*/true, context,
      [&](const Twine &message) { (void)error(token.begin, message); });
  if (!value)
    return failure();
  auto size = dyn_cast<IntegerAttr>(value);
  if (!size)
    return errorExpected("a size or '?'");
  shape.push_back(size.getInt());
  advance();
  return success();
}

LogicalResult Parser::parseDimensions(SmallVectorImpl<int64_t> &shape) {
  // A shape of one dimension may lack parentheses in old files.
  if (!consumeIf(TokenKind::LParen))
    return parseDimension(shape);
  return parseList(TokenKind::RParen, "a size",
                   [&] { return parseDimension(shape); });
}

Type Parser::parseTensorType() {
  const char *loc = token.begin;
  advance();
  SmallVector<int64_t> shape;
  if (failed(expect(TokenKind::LBracket, "'[' after 'Tensor'")) ||
      failed(parseDimensions(shape)) ||
      failed(expect(TokenKind::Comma, "',' and a data type after the shape")))
    return {};
  Type elementType;
  if (token.is(TokenKind::Identifier))
    elementType = parseDataType(token.spelling, context);
  if (!elementType)
    return (void)errorExpected("a data type such as 'float32'"), Type();
  advance();
  if (failed(expect(TokenKind::RBracket, "']' after the data type")))
    return {};
  auto type = RankedTensorType::get(shape, elementType);
  if (failed(checkTensorLimits(
          [&] {
            ++numErrors;
            return emitError(Location(getLocation(loc)));
          },
          type)))
    return {};
  return type;
}

//===----------------------------------------------------------------------===//
// Other types
//===----------------------------------------------------------------------===//

Type Parser::parseFunctionType() {
  advance();
  TypeParamTable::ScopeTy scope(typeParams);
  std::vector<std::string> params;
  if (failed(parseTypeParams(params)))
    return {};
  FailureOr<SmallVector<Type>> inputs =
      parseTypes(TokenKind::LParen, TokenKind::RParen, "a parameter type");
  if (failed(inputs) || failed(expect(TokenKind::Arrow, "'->'")))
    return {};
  Type result = parseType();
  if (!result)
    return {};
  auto body = FunctionType::get(context, *inputs, result);
  if (params.empty())
    return body;
  SmallVector<StringAttr> paramNames;
  for (const std::string &param : params)
    paramNames.push_back(builder.getStringAttr(param));
  return ForallType::get(paramNames, body);
}

/// Whether somebody who writes `name` means a data type.
static bool looksLikeDataType(StringRef name) {
  for (StringRef prefix : {"int", "uint", "float", "bfloat"})
    if (name.starts_with(prefix))
      return name.size() > prefix.size() && llvm::isDigit(name[prefix.size()]);
  return false;
}

Type Parser::parseNamedType() {
  StringRef name = token.spelling;
  if (name == "_")
    return advance(), IncompleteType::get(context);
  if (name == "fn")
    return parseFunctionType();
  if (typeParams.count(name))
    return advance(), TypeVarType::get(context, name);
  Token next = peek();
  // Without brackets it would be taken for a data type of that name.
  if (name == "Tensor" &&
      (next.is(TokenKind::LBracket) || !typeLocs.contains(name)))
    return parseTensorType();
  if (name == "ref" && next.is(TokenKind::LParen)) {
    advance();
    advance();
    Type content = parseType();
    if (!content || failed(expect(TokenKind::RParen, "')'")))
      return {};
    return RefType::get(content);
  }
  bool mayBeData = typeLocs.contains(name) && !llvm::isDigit(name.back());
  if (Type dataType = mayBeData ? Type() : parseDataType(name, context))
    return advance(), RankedTensorType::get({}, dataType);
  if (looksLikeDataType(name) && !typeLocs.contains(name))
    return (void)errorExpected("a data type"), Type();
  advance();
  auto symbol = FlatSymbolRefAttr::get(context, name);
  if (!token.is(TokenKind::LBracket))
    return ADTType::get(symbol);
  FailureOr<SmallVector<Type>> args =
      parseTypes(TokenKind::LBracket, TokenKind::RBracket, "a type argument");
  return failed(args) ? Type() : ADTType::get(symbol, *args);
}

Type Parser::parseWrittenType(LocationAttr &location) {
  const char *loc = token.begin;
  Type type = parseType();
  location = getRange(loc);
  return type;
}

/// `(T)` is `T`, as it is for expressions; `(T,)` is a tuple.
Type Parser::parseParenthesizedType() {
  advance();
  SmallVector<Type> fields;
  bool isTuple = token.is(TokenKind::RParen);
  while (!token.is(TokenKind::RParen)) {
    Type field = parseType();
    if (!field)
      return {};
    fields.push_back(field);
    if (consumeIf(TokenKind::Comma))
      isTuple = true;
    else if (!token.is(TokenKind::RParen))
      return (void)errorExpected("',' or ')' after a field type"), Type();
  }
  advance();
  return isTuple ? TupleType::get(context, fields) : fields.front();
}

Type Parser::parseType() {
  Nesting nesting(*this);
  if (nesting.isTooDeep())
    return {};
  if (token.is(TokenKind::LParen))
    return parseParenthesizedType();
  if (token.is(TokenKind::MetaRef) &&
      token.spelling.starts_with("meta[IncompleteType]"))
    return advance(), IncompleteType::get(context);
  if (token.is(TokenKind::Identifier))
    return parseNamedType();
  return (void)errorExpected("a type"), Type();
}
