//===- ParseStatements.cpp - Statements in Relay text ---------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Literals.h"
#include "Parser.h"

#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::text;

/// A let, or an expression before a ';', which is a let of a variable that
/// nothing uses.
struct Parser::Statement {
  VarPtr var;
  ast::ExprPtr value;
  LocationAttr location;
};

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

StringRef Parser::getName(StringRef spelling) {
  if (!spelling.starts_with("\""))
    return spelling;
  return names.save(unescape(spelling));
}

Parser::VarPtr Parser::declare(StringRef name, LocationAttr location) {
  auto var = std::make_shared<ast::Var>(name.str(), Type());
  var->location = location;
  vars.insert(name, var);
  return var;
}

Parser::VarPtr Parser::lookup(StringRef name) {
  if (VarPtr var = vars.lookup(name))
    return var;
  return freeVars.lookup(name);
}

ast::ExprPtr Parser::makePlaceholder() {
  return std::make_shared<ast::Tuple>(std::vector<ast::ExprPtr>());
}

//===----------------------------------------------------------------------===//
// Bindings
//===----------------------------------------------------------------------===//

/// In the oldest version the end of a line is enough after a binding.
LogicalResult Parser::parseStatementEnd() {
  if (!consumeIf(TokenKind::Semicolon)) {
    if (version == TextVersion::V0_0_1 && token.startsLine)
      return success();
    return errorExpected("';'");
  }
  if (isLegacy())
    consumeIf(TokenKind::Semicolon);
  return success();
}

LogicalResult Parser::parseLet(std::vector<Statement> &statements) {
  const char *loc = token.begin;
  advance();
  if (version == TextVersion::V0_0_1)
    consumeKeyword("mut");
  const char *nameLoc = token.begin;
  if (!token.is(TokenKind::Local))
    return errorExpected("a local variable such as '%x'");
  StringRef name = getName(token.spelling);
  advance();
  auto var = std::make_shared<ast::Var>(name.str(), Type());
  var->location = getRange(nameLoc);
  if ((consumeIf(TokenKind::Colon) &&
       !(var->annotation = parseWrittenType(var->annotationLocation))) ||
      failed(expect(TokenKind::Equal, "'='"))) {
    vars.insert(name, var);
    return failure();
  }
  // Only a function may use what it is bound to.
  bool isRecursive = token.isKeyword("fn");
  if (isRecursive)
    vars.insert(name, var);
  ast::ExprPtr value = parseItem();
  if (!isRecursive)
    vars.insert(name, var);
  if (!value)
    return failure();
  statements.push_back({var, std::move(value), getRange(loc)});
  return parseStatementEnd();
}

LogicalResult Parser::parseGraphBinding() {
  const char *loc = token.begin;
  uint64_t number;
  if (token.spelling.getAsInteger(10, number) || number >> 62)
    return errorExpected("a smaller number");
  advance();
  advance();
  ast::ExprPtr value = parseItem();
  GraphBinding &binding = graphVars[number];
  if (binding.value && binding.block == block)
    (void)error(loc,
                "expects a new graph variable, but got '%" + Twine(number) +
                    "' again",
                binding.loc, "the first is here");
  bool parsed = value != nullptr;
  binding = {parsed ? std::move(value) : makePlaceholder(), block, loc};
  return parsed ? parseStatementEnd() : failure();
}

LogicalResult Parser::parseFreeVar() {
  advance();
  const char *loc = token.begin;
  if (!token.is(TokenKind::Local))
    return errorExpected("a local variable such as '%x'");
  StringRef name = getName(token.spelling);
  advance();
  auto var = make<ast::Var>(loc, name.str(), Type());
  if (freeVars.try_emplace(name, var).second)
    freeVarOrder.push_back(var);
  else
    (void)error(loc, "expects a new variable, but got '%" + name + "' again");
  if (consumeIf(TokenKind::Colon) &&
      !(var->annotation = parseWrittenType(var->annotationLocation)))
    return failure();
  if (isLegacy()) {
    consumeIf(TokenKind::Semicolon);
    return success();
  }
  return parseStatementEnd();
}

bool Parser::parseBinding(std::vector<Statement> &statements, bool &succeeded) {
  if (token.isKeyword("let"))
    succeeded = llvm::succeeded(parseLet(statements));
  else if (token.isKeyword("free_var"))
    succeeded = llvm::succeeded(parseFreeVar());
  else if (token.is(TokenKind::GraphVar) && peek().is(TokenKind::Equal))
    succeeded = llvm::succeeded(parseGraphBinding());
  else
    return false;
  return true;
}

//===----------------------------------------------------------------------===//
// Sequences
//===----------------------------------------------------------------------===//

ast::ExprPtr Parser::parseStatements(std::vector<Statement> &statements,
                                     bool isBlock) {
  while (true) {
    bool succeeded;
    const char *loc = token.begin;
    if (parseBinding(statements, succeeded)) {
      if (succeeded || (isBlock && skipStatement()))
        continue;
      return isBlock && token.is(TokenKind::RBrace) ? makePlaceholder()
                                                    : nullptr;
    }
    ast::ExprPtr value = parseItem();
    if (!value) {
      if (isBlock && skipStatement())
        continue;
      return isBlock && token.is(TokenKind::RBrace) ? makePlaceholder()
                                                    : nullptr;
    }
    if (!token.is(TokenKind::Semicolon))
      resultLocation = getRange(loc);
    if (!consumeIf(TokenKind::Semicolon))
      return value;
    if (isLegacy())
      consumeIf(TokenKind::Semicolon);
    statements.push_back({make<ast::Var>(loc, std::string(), Type()),
                          std::move(value), getRange(loc)});
  }
}

ast::ExprPtr Parser::parseExpr(bool isBlock) {
  Nesting nesting(*this);
  if (nesting.isTooDeep())
    return nullptr;
  VarScope scope(vars);
  llvm::SaveAndRestore<unsigned> outer(block, ++numBlocks);
  std::vector<Statement> statements;
  ast::ExprPtr result = parseStatements(statements, isBlock);
  if (!result)
    return nullptr;
  for (Statement &statement : llvm::reverse(statements)) {
    result = std::make_shared<ast::Let>(std::move(statement.var),
                                        std::move(statement.value),
                                        std::move(result));
    result->location = statement.location;
  }
  return result;
}

ast::ExprPtr Parser::parseBlock() {
  if (failed(expect(TokenKind::LBrace, "'{'")))
    return nullptr;
  ast::ExprPtr expr = parseExpr(/*isBlock=*/true);
  if (!expr || failed(expect(TokenKind::RBrace, "'}' or ';'")))
    return nullptr;
  return expr;
}

ast::ExprPtr Parser::parseItem() {
  if (token.is(TokenKind::LBrace))
    return parseBlock();
  return parseBinary();
}

//===----------------------------------------------------------------------===//
// Infix operators
//===----------------------------------------------------------------------===//

namespace {
struct InfixOperator {
  StringRef name;
  int precedence;
};
} // namespace

/// Precedence 0 means that the token is no operator.
static InfixOperator getInfixOperator(TokenKind kind) {
  switch (kind) {
  case TokenKind::Star:
    return {"multiply", 12};
  case TokenKind::Slash:
    return {"divide", 12};
  case TokenKind::Plus:
    return {"add", 10};
  case TokenKind::Minus:
    return {"subtract", 10};
  case TokenKind::Less:
    return {"less", 8};
  case TokenKind::LessEqual:
    return {"less_equal", 8};
  case TokenKind::Greater:
    return {"greater", 8};
  case TokenKind::GreaterEqual:
    return {"greater_equal", 8};
  case TokenKind::EqualEqual:
    return {"equal", 7};
  case TokenKind::NotEqual:
    return {"not_equal", 7};
  default:
    return {"", 0};
  }
}

ast::ExprPtr Parser::getOp(StringRef name) {
  ast::ExprPtr &op = ops[name];
  if (!op)
    op = make<ast::Op>(token.begin, name.str());
  return op;
}

ast::ExprPtr Parser::makeCall(StringRef op, std::vector<ast::ExprPtr> args,
                              const char *loc) {
  return make<ast::Call>(loc, getOp(op), std::move(args));
}

ast::ExprPtr Parser::parseBinary() {
  // Operators that wait for their right operand, by rising precedence.
  struct Pending {
    ast::ExprPtr left;
    InfixOperator op;
    const char *loc;
  };
  std::vector<Pending> pending;
  while (true) {
    ast::ExprPtr operand = parseUnary();
    if (!operand)
      return nullptr;
    InfixOperator op = getInfixOperator(token.kind);
    if (version == TextVersion::V0_0_1 && token.startsLine)
      op.precedence = 0;
    while (!pending.empty() && pending.back().op.precedence >= op.precedence) {
      Pending top = std::move(pending.back());
      pending.pop_back();
      operand = makeCall(top.op.name, {std::move(top.left), std::move(operand)},
                         top.loc);
    }
    if (op.precedence == 0)
      return operand;
    pending.push_back({std::move(operand), op, token.begin});
    advance();
  }
}

ast::ExprPtr Parser::parseUnary() {
  if (token.is(TokenKind::Minus))
    return parseNegated();
  return parseCall();
}

/// Signs belong to the number that they stand before. The older versions have
/// them before anything.
ast::ExprPtr Parser::parseNegated() {
  const char *loc = token.begin;
  bool negative = false;
  while (consumeIf(TokenKind::Minus))
    negative = !negative;
  if (token.is(TokenKind::Number) || token.spelling.starts_with("inff"))
    return parseNumberConstant(negative, loc);
  if (!isLegacy())
    return (void)errorExpected("a number after '-'; other values are negated "
                               "by 'negative'"),
           nullptr;
  ast::ExprPtr operand = parseCall();
  if (!operand || !negative)
    return operand;
  return makeCall("negative", {std::move(operand)}, loc);
}
