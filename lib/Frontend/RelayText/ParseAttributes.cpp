//===- ParseAttributes.cpp - Attributes in Relay text ---------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Literals.h"
#include "Parser.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::text;

bool Parser::isAttribute() const {
  return (token.is(TokenKind::Identifier) || token.is(TokenKind::String)) &&
         peek().is(TokenKind::Equal);
}

LogicalResult Parser::addAttribute(NamedAttribute attr, const char *loc,
                                   Attrs &attrs) {
  if (!attrs.names.insert(attr.getName()).second)
    return error(loc, "expects each attribute once, but got '" +
                          attr.getName().getValue() + "' twice");
  attrs.push_back(attr);
  return success();
}

LogicalResult Parser::parseAttribute(Attrs &attrs) {
  const char *loc = token.begin;
  if (!token.is(TokenKind::Identifier) && !token.is(TokenKind::String))
    return errorExpected("the name of an attribute");
  StringRef name = getName(token.spelling);
  if (name.empty())
    return errorExpected("the name of an attribute");
  advance();
  if (failed(expect(TokenKind::Equal, "'='")))
    return failure();
  Attribute value = parseAttributeValue();
  if (!value)
    return failure();
  // The value is well-formed; parsing goes on.
  (void)addAttribute({builder.getStringAttr(name), value}, loc, attrs);
  return success();
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Attribute Parser::parseAttributeNumber() {
  const char *loc = token.begin;
  bool negative = false;
  while (consumeIf(TokenKind::Minus))
    negative = !negative;
  if (!token.is(TokenKind::Number) && !token.spelling.starts_with("inff"))
    return (void)errorExpected("a number after '-'"), nullptr;
  NumberText number(token.spelling);
  number.negative = negative;
  advance();
  return text::parseAttributeNumber(number, context, [&](const Twine &message) {
    (void)error(loc, message);
  });
}

Attribute Parser::parseAttributeWord() {
  StringRef word = token.spelling;
  Attribute value;
  if (word == "True" || word == "False")
    value = builder.getBoolAttr(word == "True");
  else if (word == "None" || word == "nullptr")
    value = builder.getUnitAttr();
  else if (word == "nanf")
    value = FloatAttr::get(builder.getF64Type(),
                           APFloat::getQNaN(APFloat::IEEEdouble()));
  else if (word == "inff")
    return parseAttributeNumber();
  else
    return (void)errorExpected("the value of an attribute"), nullptr;
  advance();
  return value;
}

Attribute Parser::parseAttributeList(TokenKind close) {
  advance();
  SmallVector<Attribute> elements;
  bool endsInComma = false;
  if (failed(parseList(close, "an element", [&] {
        Attribute element = parseAttributeValue();
        elements.push_back(element);
        endsInComma = token.is(TokenKind::Comma);
        return success(element != nullptr);
      })))
    return nullptr;
  // Parentheses around a value do not make a list of it.
  if (close == TokenKind::RParen && elements.size() == 1 && !endsInComma)
    return elements.front();
  return builder.getArrayAttr(elements);
}

Attribute Parser::parseAttributeDictionary() {
  advance();
  Attrs entries;
  if (failed(parseList(TokenKind::RBrace, "an attribute",
                       [&] { return parseAttribute(entries); })))
    return nullptr;
  return builder.getDictionaryAttr(entries);
}

Attribute Parser::parseAttributeValue() {
  Nesting nesting(*this);
  if (nesting.isTooDeep())
    return nullptr;
  switch (token.kind) {
  case TokenKind::Number:
  case TokenKind::Minus:
    return parseAttributeNumber();
  case TokenKind::Identifier:
    return parseAttributeWord();
  case TokenKind::String: {
    StringRef text = getName(token.spelling);
    advance();
    return builder.getStringAttr(text);
  }
  case TokenKind::Global: {
    StringRef name = getName(token.spelling);
    advance();
    return FlatSymbolRefAttr::get(context, name);
  }
  case TokenKind::MetaRef:
    return parseMetaRef();
  case TokenKind::LBracket:
    return parseAttributeList(TokenKind::RBracket);
  case TokenKind::LParen:
    return parseAttributeList(TokenKind::RParen);
  case TokenKind::LBrace:
    return parseAttributeDictionary();
  default:
    return (void)errorExpected("the value of an attribute"), nullptr;
  }
}

//===----------------------------------------------------------------------===//
// Metadata
//===----------------------------------------------------------------------===//

Attribute Parser::parseMetaRef() {
  const char *loc = token.begin;
  StringRef spelling = token.spelling;
  advance();
  // The lexer has checked meta[KEY][INDEX].
  auto [key, rest] = spelling.drop_front(5).split(']');
  StringRef digits = rest.drop_front().drop_back();
  auto it = metadata.find(key);
  if (it == metadata.end())
    return (void)error(loc, "expects metadata of the key '" + key +
                                "', but there is none"),
           nullptr;
  uint64_t index;
  if (digits.getAsInteger(10, index) || index >= it->second.size())
    return (void)error(loc, "expects an index below " +
                                Twine(it->second.size()) + ", but got " +
                                digits.take_front(40)),
           nullptr;
  Attribute entry = it->second[index];
  if (!entry)
    (void)error(loc, "expects an entry of the metadata that is well-formed");
  return entry;
}

LogicalResult Parser::appendMetaAttributes(Attribute entry, const char *loc,
                                           Attrs &attrs) {
  auto dictionary = dyn_cast<DictionaryAttr>(entry);
  if (!dictionary)
    return error(loc, "expects attributes in the metadata");
  for (NamedAttribute attr : dictionary)
    if (attr.getName() != kTypeKey && failed(addAttribute(attr, loc, attrs)))
      return failure();
  return success();
}
