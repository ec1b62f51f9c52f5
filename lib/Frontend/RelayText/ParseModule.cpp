//===- ParseModule.cpp - Definitions in Relay text ------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Parser.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::text;

void Parser::addInitialModule() {
  if (!options.initial)
    return;
  module = *options.initial;
  for (const ast::TypeData &type : module.types) {
    typeLocs.try_emplace(type.name, nullptr);
    for (const auto &constructor : type.constructors)
      constructors[constructor->name] = constructor;
  }
  for (auto [i, definition] : llvm::enumerate(module.functions))
    functionIndices[definition.name] = i;
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

LogicalResult Parser::parseConstructor(ast::TypeData &data) {
  const char *loc = token.begin;
  std::string name = token.spelling.str();
  if (failed(expect(TokenKind::Identifier, "the name of a constructor")))
    return failure();
  std::vector<Type> fields;
  if (token.is(TokenKind::LParen)) {
    FailureOr<SmallVector<Type>> types =
        parseTypes(TokenKind::LParen, TokenKind::RParen, "a field");
    if (failed(types))
      return failure();
    fields.assign(types->begin(), types->end());
  }
  auto constructor =
      make<ast::Constructor>(loc, data.name, name, std::move(fields),
                             unsigned(data.constructors.size()));
  auto [it, isNew] = constructors.try_emplace(name, constructor);
  if (!isNew) {
    // The definition goes on; only the name is taken.
    auto other = typeLocs.find(it->second->adt);
    (void)error(loc, "expects a new constructor, but got '" + name + "' again",
                other == typeLocs.end() ? nullptr : other->second,
                "the type '" + it->second->adt + "' has one of that name");
    return success();
  }
  data.constructors.push_back(constructor);
  return success();
}

LogicalResult Parser::parseConstructors(ast::TypeData &data) {
  const char *loc = token.begin;
  if (!consumeIf(TokenKind::LBrace))
    return success();
  if (data.isExtern && !token.is(TokenKind::RBrace))
    (void)error(loc, "expects no constructors of an extern type");
  return parseList(TokenKind::RBrace, "a constructor",
                   [&] { return parseConstructor(data); });
}

LogicalResult Parser::parseTypeDefinition() {
  ast::TypeData data;
  data.isExtern = consumeKeyword("extern");
  advance();
  const char *loc = token.begin;
  data.name = token.spelling.str();
  data.location = getRange(loc, token.end);
  if (failed(expect(TokenKind::Identifier, "the name of a type")))
    return failure();
  auto [it, isNew] = typeLocs.try_emplace(data.name, loc);
  if (!isNew)
    (void)error(loc, "expects a new type, but got '" + data.name + "' again",
                it->second, "the first is here");
  TypeParamTable::ScopeTy scope(typeParams);
  if (failed(parseTypeParams(data.typeParams)) ||
      failed(parseConstructors(data)))
    return failure();
  if (isNew)
    module.types.push_back(std::move(data));
  return success();
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

LogicalResult Parser::parseFunctionDefinition() {
  advance();
  const char *loc = token.begin;
  if (!token.is(TokenKind::Global))
    return errorExpected("the name of a function, such as '@main'");
  std::string name = getName(token.spelling).str();
  LocationAttr location = getRange(loc, token.end);
  advance();
  auto [it, isNew] = functionLocs.try_emplace(name, loc);
  if (!isNew)
    (void)error(loc, "expects a new function, but got '@" + name + "' again",
                it->second, "the first is here");
  std::shared_ptr<ast::Function> function = parseFunction();
  if (!function)
    return failure();
  function->location = location;
  ast::Module::Definition definition{name, function, function->location};
  auto [index, isAdded] =
      functionIndices.try_emplace(name, module.functions.size());
  if (isAdded)
    module.functions.push_back(std::move(definition));
  else
    module.functions[index->second] = std::move(definition);
  return success();
}

/// A file that holds only an expression is a module that computes it. Its free
/// variables are the parameters.
LogicalResult Parser::parseMainExpr() {
  const char *loc = token.begin;
  ast::ExprPtr expr = parseExpr(/*isBlock=*/true);
  if (!expr)
    return failure();
  if (!token.is(TokenKind::End) && !token.is(TokenKind::Metadata))
    return errorExpected("the end of the file");
  std::shared_ptr<ast::Function> function;
  if (isa<ast::Function>(*expr) && freeVarOrder.empty())
    function = std::static_pointer_cast<ast::Function>(expr);
  else
    function = make<ast::Function>(loc, freeVarOrder, std::move(expr), Type(),
                                   std::vector<std::string>(), Attrs());
  ast::Module::Definition definition{"main", function, function->location};
  auto [index, isAdded] =
      functionIndices.try_emplace("main", module.functions.size());
  if (isAdded)
    module.functions.push_back(std::move(definition));
  else
    module.functions[index->second] = std::move(definition);
  return success();
}

LogicalResult Parser::parseDefinition() {
  if (token.isKeyword("def"))
    return parseFunctionDefinition();
  if (isDefinitionStart())
    return parseTypeDefinition();
  if (functionLocs.empty())
    return parseMainExpr();
  return errorExpected("a definition");
}

FailureOr<ast::Module> Parser::parseModule() {
  addInitialModule();
  VarScope scope(vars);
  TypeParamTable::ScopeTy typeScope(typeParams);
  scanFile();
  if (!token.is(TokenKind::Version) && !isLegacy())
    (void)errorExpected("'#[version = \"0.0.5\"]'");
  parseVersion();
  while (!token.is(TokenKind::End) && !token.is(TokenKind::Metadata)) {
    auto type = parsedTypes.find(token.begin);
    if (type != parsedTypes.end())
      token = lexer.lex(type->second);
    else if (failed(parseDefinition()))
      skipDefinition();
  }
  if (numErrors)
    return failure();
  return std::move(module);
}
