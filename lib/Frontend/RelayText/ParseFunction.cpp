//===- ParseFunction.cpp - Functions and matches in Relay text ------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Parser.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::text;

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

LogicalResult Parser::parseParam(std::vector<VarPtr> &params, Attrs &attrs) {
  if (isAttribute())
    return parseAttribute(attrs);
  const char *loc = token.begin;
  if (!token.is(TokenKind::Local))
    return errorExpected("a parameter such as '%x'");
  StringRef name = getName(token.spelling);
  LocationAttr location = getRange(loc, token.end);
  advance();
  Attrs annotations;
  if (consumeIf(TokenKind::LBrace) &&
      failed(parseList(TokenKind::RBrace, "an attribute",
                       [&] { return parseAttribute(annotations); })))
    return failure();
  auto var = std::make_shared<ast::Var>(name.str(), Type());
  var->location = location;
  if (consumeIf(TokenKind::Colon) &&
      !(var->annotation = parseWrittenType(var->annotationLocation)))
    return failure();
  vars.insert(name, var);
  for (NamedAttribute annotation : annotations) {
    if (annotation.getName() != "virtual_device")
      return error(loc, "expects 'virtual_device' for a parameter, but got '" +
                            annotation.getName().getValue() + "'");
    var->virtualDevice = annotation.getValue();
  }
  params.push_back(var);
  return success();
}

std::shared_ptr<ast::Function> Parser::parseFunction() {
  TypeParamTable::ScopeTy typeScope(typeParams);
  VarScope scope(vars);
  std::vector<std::string> typeParamNames;
  std::vector<VarPtr> params;
  Attrs attrs;
  if (failed(parseTypeParams(typeParamNames)) ||
      failed(expect(TokenKind::LParen, "'(' before the parameters")) ||
      failed(parseList(TokenKind::RParen, "a parameter",
                       [&] { return parseParam(params, attrs); })))
    return nullptr;
  Type returnType;
  LocationAttr returnLocation;
  if (consumeIf(TokenKind::Arrow) &&
      !(returnType = parseWrittenType(returnLocation)))
    return nullptr;
  ast::ExprPtr body = parseBlock();
  if (!body)
    return nullptr;
  auto function = std::make_shared<ast::Function>(
      std::move(params), std::move(body), returnType, std::move(typeParamNames),
      std::move(attrs));
  function->returnLocation = returnLocation;
  function->resultLocation = resultLocation;
  return function;
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

FailureOr<std::vector<ast::PatternPtr>> Parser::parsePatterns() {
  advance();
  std::vector<ast::PatternPtr> patterns;
  if (failed(parseList(TokenKind::RParen, "a pattern", [&] {
        patterns.push_back(parsePattern());
        return success(patterns.back() != nullptr);
      })))
    return failure();
  return patterns;
}

ast::PatternPtr Parser::parseConstructorPattern() {
  const char *loc = token.begin;
  auto it = constructors.find(token.spelling);
  if (it == constructors.end())
    return (void)errorExpected("a constructor"), nullptr;
  std::shared_ptr<ast::Constructor> constructor = it->second;
  advance();
  std::vector<ast::PatternPtr> fields;
  if (token.is(TokenKind::LParen)) {
    FailureOr<std::vector<ast::PatternPtr>> patterns = parsePatterns();
    if (failed(patterns))
      return nullptr;
    fields = std::move(*patterns);
  }
  return make<ast::PatternConstructor>(loc, constructor, std::move(fields));
}

ast::PatternPtr Parser::parsePattern() {
  Nesting nesting(*this);
  if (nesting.isTooDeep())
    return nullptr;
  const char *loc = token.begin;
  if (consumeKeyword("_"))
    return make<ast::PatternWildcard>(loc);
  if (token.is(TokenKind::Local)) {
    StringRef name = getName(token.spelling);
    advance();
    VarPtr var = declare(name, getRange(loc));
    if (consumeIf(TokenKind::Colon) &&
        !(var->annotation = parseWrittenType(var->annotationLocation)))
      return nullptr;
    return make<ast::PatternVar>(loc, var);
  }
  if (token.is(TokenKind::LParen)) {
    FailureOr<std::vector<ast::PatternPtr>> fields = parsePatterns();
    if (failed(fields))
      return nullptr;
    return make<ast::PatternTuple>(loc, std::move(*fields));
  }
  if (token.is(TokenKind::Identifier))
    return parseConstructorPattern();
  return (void)errorExpected("a pattern"), nullptr;
}

ast::ExprPtr Parser::parseMatch() {
  const char *loc = token.begin;
  bool complete = token.spelling == "match";
  advance();
  ast::ExprPtr data = parseCall();
  if (!data || failed(expect(TokenKind::LBrace, "'{' before the cases")))
    return nullptr;
  std::vector<ast::Clause> clauses;
  if (failed(parseList(TokenKind::RBrace, "a case", [&] {
        VarScope scope(vars);
        ast::PatternPtr pattern = parsePattern();
        if (!pattern || failed(expect(TokenKind::FatArrow, "'=>'")))
          return failure();
        ast::ExprPtr body = parseExpr();
        clauses.push_back({pattern, body, resultLocation});
        return success(body != nullptr);
      })))
    return nullptr;
  return make<ast::Match>(loc, std::move(data), std::move(clauses), complete);
}
