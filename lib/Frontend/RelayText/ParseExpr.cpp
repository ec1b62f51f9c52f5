//===- ParseExpr.cpp - Expressions in Relay text --------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Literals.h"
#include "Parser.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::text;

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

ast::ExprPtr Parser::parseCall() {
  const char *begin = token.begin;
  ast::ExprPtr expr = parseAtom();
  return expr ? parsePostfix(std::move(expr), begin) : nullptr;
}

ast::ExprPtr Parser::parsePostfix(ast::ExprPtr expr, const char *begin) {
  while (expr) {
    if (token.is(TokenKind::LParen) &&
        !(version == TextVersion::V0_0_1 && token.startsLine))
      expr = parseCallArgs(std::move(expr), begin);
    else if (token.is(TokenKind::Dot))
      expr = parseProjection(std::move(expr), begin);
    else
      break;
  }
  return expr;
}

ast::ExprPtr Parser::parseProjection(ast::ExprPtr tuple, const char *loc) {
  // Not a token: after `.0.1` the lexer would see a fraction.
  const char *begin = token.end;
  StringRef digits(begin, buffer.end() - begin);
  digits = digits.take_while(llvm::isDigit);
  int64_t index;
  if (digits.empty() || digits.getAsInteger(10, index)) {
    advance();
    return (void)errorExpected("the index of a field after '.'"), nullptr;
  }
  token.end = digits.end();
  advance();
  return make<ast::TupleGetItem>(loc, std::move(tuple), index);
}

ast::ExprPtr Parser::parseCallArgs(ast::ExprPtr callee, const char *loc) {
  advance();
  std::vector<ast::ExprPtr> args;
  Attrs attrs;
  auto parseArg = [&]() -> LogicalResult {
    if (isAttribute())
      return parseAttribute(attrs);
    if (token.is(TokenKind::MetaRef) &&
        token.spelling.starts_with("meta[relay.attrs.")) {
      const char *metaLoc = token.begin;
      Attribute entry = parseMetaRef();
      return entry ? appendMetaAttributes(entry, metaLoc, attrs) : failure();
    }
    if (!attrs.empty())
      return errorExpected("an attribute after attributes");
    ast::ExprPtr arg = parseExpr();
    args.push_back(arg);
    return success(arg != nullptr);
  };
  if (failed(parseList(TokenKind::RParen, "an argument", parseArg)))
    return nullptr;
  // Only says how other readers find the class of the attributes.
  if (isa<ast::Op>(*callee))
    llvm::erase_if(attrs, [](NamedAttribute attr) {
      return attr.getName() == "attrs_type_key";
    });
  return make<ast::Call>(loc, std::move(callee), std::move(args),
                         std::move(attrs));
}

//===----------------------------------------------------------------------===//
// Atoms
//===----------------------------------------------------------------------===//

ast::ExprPtr Parser::parseNumberConstant(bool negative, const char *loc) {
  NumberText number(token.spelling);
  number.negative = negative;
  bool bareFloats = version == TextVersion::V0_0_1;
  TypedAttr value =
      parseNumber(number, bareFloats, context,
                  [&](const Twine &message) { (void)error(loc, message); });
  advance();
  // What is wrong is only the value; parsing goes on.
  if (!value)
    return makePlaceholder();
  auto type = RankedTensorType::get({}, value.getType());
  return make<ast::Constant>(loc, DenseElementsAttr::get(type, value));
}

/// The names after `%` may contain dots, dashes and slashes. Which of them are
/// projections, differences and quotients tells what is declared: the longest
/// variable counts.
ast::ExprPtr Parser::parseLocal() {
  const char *loc = token.begin;
  StringRef spelling = token.spelling;
  VarPtr var = lookup(getName(spelling));
  SmallVector<size_t> joints;
  if (!spelling.starts_with("\""))
    for (size_t i = 0; i < spelling.size() && joints.size() < kMaxJoints; ++i)
      if (StringRef(".-/").contains(spelling[i]))
        joints.push_back(i);
  size_t size = spelling.size();
  while (!var && !joints.empty()) {
    size = joints.pop_back_val();
    var = lookup(spelling.take_front(size));
  }
  if (!var) {
    // Projections are not part of the name.
    StringRef name = spelling;
    while (true) {
      auto [front, back] = name.rsplit('.');
      if (back.empty() || !llvm::all_of(back, llvm::isDigit))
        break;
      name = front;
    }
    (void)error(loc,
                "expects a variable that is declared, but got '%" + name + "'");
    name = getName(name);
    var = std::make_shared<ast::Var>(name.str(), Type());
    var->location = getRange(loc, token.end);
    freeVars.try_emplace(name, var);
    size = spelling.size();
  }
  token.end = spelling.data() + size;
  advance();
  return var;
}

ast::ExprPtr Parser::parseGraphVar() {
  uint64_t number;
  ast::ExprPtr value;
  if (!token.spelling.getAsInteger(10, number) && !(number >> 62)) {
    auto it = graphVars.find(number);
    if (it != graphVars.end())
      value = it->second.value;
  }
  if (!value) {
    (void)errorExpected("a graph variable that is bound");
    value = makePlaceholder();
  }
  advance();
  return value;
}

ast::ExprPtr Parser::parseGlobal() {
  const char *loc = token.begin;
  StringRef name = getName(token.spelling);
  advance();
  return make<ast::GlobalVar>(loc, name.str());
}

ast::ExprPtr Parser::parseMetaConstant() {
  const char *loc = token.begin;
  Attribute entry = parseMetaRef();
  // Reported, here or where the metadata was read.
  if (!entry)
    return makePlaceholder();
  auto value = dyn_cast<ElementsAttr>(entry);
  if (!value) {
    (void)error(loc, "expects a constant, but got another object");
    return makePlaceholder();
  }
  ast::ExprPtr &constant = metaConstants[entry];
  if (!constant)
    constant = make<ast::Constant>(loc, value);
  return constant;
}

ast::ExprPtr Parser::parseParenthesized() {
  const char *loc = token.begin;
  advance();
  std::vector<ast::ExprPtr> fields;
  bool isTuple = token.is(TokenKind::RParen);
  while (!token.is(TokenKind::RParen)) {
    ast::ExprPtr field = parseExpr();
    if (!field)
      return nullptr;
    fields.push_back(std::move(field));
    if (consumeIf(TokenKind::Comma))
      isTuple = true;
    else if (!token.is(TokenKind::RParen))
      return (void)errorExpected("',' or ')'"), nullptr;
  }
  advance();
  if (!isTuple)
    return fields.front();
  return make<ast::Tuple>(loc, std::move(fields));
}

ast::ExprPtr Parser::parseIf() {
  const char *loc = token.begin;
  advance();
  if (failed(expect(TokenKind::LParen, "'(' after 'if'")))
    return nullptr;
  ast::ExprPtr condition = parseExpr();
  if (!condition || failed(expect(TokenKind::RParen, "')'")))
    return nullptr;
  ast::ExprPtr trueBranch = parseBlock();
  if (!trueBranch)
    return nullptr;
  LocationAttr trueLocation = resultLocation;
  if (!consumeKeyword("else"))
    return (void)errorExpected("'else'"), nullptr;
  ast::ExprPtr falseBranch = parseBlock();
  if (!falseBranch)
    return nullptr;
  LocationAttr falseLocation = resultLocation;
  auto node = make<ast::If>(loc, std::move(condition), std::move(trueBranch),
                            std::move(falseBranch));
  node->trueLocation = trueLocation;
  node->falseLocation = falseLocation;
  return node;
}

ast::ExprPtr Parser::parseReference() {
  const char *loc = token.begin;
  StringRef keyword = token.spelling;
  advance();
  if (failed(expect(TokenKind::LParen, "'(' after '" + keyword + "'")))
    return nullptr;
  ast::ExprPtr operand = parseExpr();
  ast::ExprPtr value;
  if (operand && keyword == "ref_write") {
    if (failed(expect(TokenKind::Comma, "','")))
      return nullptr;
    value = parseExpr();
    if (!value)
      return nullptr;
  }
  if (!operand || failed(expect(TokenKind::RParen, "')'")))
    return nullptr;
  if (keyword == "ref")
    return make<ast::RefCreate>(loc, std::move(operand));
  if (keyword == "ref_read")
    return make<ast::RefRead>(loc, std::move(operand));
  return make<ast::RefWrite>(loc, std::move(operand), std::move(value));
}

/// A constructor, or else an operator.
ast::ExprPtr Parser::parseName() {
  const char *loc = token.begin;
  StringRef name = token.spelling;
  auto it = constructors.find(name);
  if (it == constructors.end()) {
    ast::ExprPtr op = getOp(name);
    advance();
    if (!token.is(TokenKind::LParen))
      return op;
    ast::ExprPtr call = parseCallArgs(std::move(op), loc);
    return call;
  }
  advance();
  std::shared_ptr<ast::Constructor> constructor = it->second;
  if (token.is(TokenKind::LParen))
    return parseCallArgs(constructor, loc);
  if (constructor->fields.empty())
    return make<ast::Call>(loc, constructor, std::vector<ast::ExprPtr>());
  return constructor;
}

ast::ExprPtr Parser::parseWord() {
  const char *loc = token.begin;
  StringRef word = token.spelling;
  if (word == "fn") {
    advance();
    std::shared_ptr<ast::Function> function = parseFunction();
    if (function)
      function->location = getRange(loc);
    return function;
  }
  if (word == "if")
    return parseIf();
  if (word == "match" || word == "match?")
    return parseMatch();
  if (word == "ref" || word == "ref_read" || word == "ref_write")
    return parseReference();
  if (word == "True" || word == "False") {
    advance();
    auto type = RankedTensorType::get({}, builder.getI1Type());
    return make<ast::Constant>(loc,
                               DenseElementsAttr::get(type, word == "True"));
  }
  if (word == "inff" || word == "inff16" || word == "inff32" ||
      word == "inff64")
    return parseNumberConstant(/*negative=*/false, loc);
  static constexpr StringLiteral kKeywords[] = {
      "_", "let", "else", "def", "type", "extern", "free_var"};
  if (llvm::is_contained(kKeywords, word))
    return (void)errorExpected("an expression"), nullptr;
  return parseName();
}

ast::ExprPtr Parser::parseAtom() {
  switch (token.kind) {
  case TokenKind::Number:
    return parseNumberConstant(/*negative=*/false, token.begin);
  case TokenKind::Local:
    return parseLocal();
  case TokenKind::GraphVar:
    return parseGraphVar();
  case TokenKind::Global:
    return parseGlobal();
  case TokenKind::MetaRef:
    return parseMetaConstant();
  case TokenKind::LParen:
    return parseParenthesized();
  case TokenKind::Identifier:
    return parseWord();
  default:
    return (void)errorExpected("an expression"), nullptr;
  }
}
