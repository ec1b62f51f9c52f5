//===- Lexer.cpp - Tokens of Relay text -----------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lexer.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::text;

static bool isWordStart(char c) { return llvm::isAlpha(c) || c == '_'; }
static bool isWord(char c) { return llvm::isAlnum(c) || c == '_'; }

/// What may join the parts of a name after `%` and `@`.
static bool isJoint(char c) { return c == '.' || c == '-' || c == '/'; }

Token Lexer::finish(Token token, TokenKind kind, const char *tokenEnd) const {
  token.kind = kind;
  token.end = tokenEnd;
  if (!token.spelling.data())
    token.spelling = StringRef(token.begin, tokenEnd - token.begin);
  return token;
}

Token Lexer::error(Token token, const char *tokenEnd,
                   const Twine &message) const {
  if (onError)
    onError(token.begin, message);
  token.spelling = StringRef(token.begin, tokenEnd - token.begin);
  return finish(token, TokenKind::Error, tokenEnd);
}

//===----------------------------------------------------------------------===//
// Blanks and comments
//===----------------------------------------------------------------------===//

const char *Lexer::skipBlockComment(const char *from, bool &newline) const {
  const char *p = from + 2;
  size_t depth = 1;
  for (; p < end; ++p) {
    if (startsWith(p, "*/")) {
      ++p;
      if (--depth == 0)
        return p + 1;
    } else if (startsWith(p, "/*")) {
      ++p;
      ++depth;
    } else if (*p == '\n') {
      newline = true;
    }
  }
  if (onError)
    onError(from, "expects '*/' at the end of this comment");
  return end;
}

const char *Lexer::skipTrivia(const char *p, bool &newline) const {
  while (end && p < end) {
    if (*p == '\n') {
      newline = true;
      ++p;
    } else if (*p == ' ' || *p == '\t') {
      ++p;
    } else if (*p == '\r') {
      if (at(p + 1) != '\n' && onError)
        onError(p, "expects a line feed after this carriage return");
      ++p;
    } else if (startsWith(p, "//") ||
               (version == TextVersion::V0_0_1 && *p == '#' &&
                !StringRef(p + 1, end - p - 1)
                     .ltrim(' ')
                     .starts_with("meta data"))) {
      while (p < end && *p != '\n')
        ++p;
    } else if (startsWith(p, "/*")) {
      p = skipBlockComment(p, newline);
    } else {
      break;
    }
  }
  return p;
}

//===----------------------------------------------------------------------===//
// Parts of tokens
//===----------------------------------------------------------------------===//

const char *Lexer::scanDigits(const char *p) const {
  while (llvm::isDigit(at(p)))
    ++p;
  return p;
}

/// The end of a string that begins at `p`, null if the line ends before.
const char *Lexer::scanQuoted(const char *p) const {
  for (++p; p < end && *p != '\n'; ++p) {
    if (*p == '"')
      return p + 1;
    if (*p == '\\' && p + 1 < end && p[1] != '\n')
      ++p;
  }
  return nullptr;
}

/// The end of a name after a sigil. Joints count if the name goes on after
/// them; the parser cuts what was meant as projection, difference or quotient.
const char *Lexer::scanName(const char *p) const {
  while (isWord(at(p)) || (isJoint(at(p)) && isWord(at(p + 1))))
    ++p;
  return p;
}

bool text::isPlainName(StringRef name) {
  if (name.empty() || !isWordStart(name.front()) || !isWord(name.back()))
    return false;
  size_t numJoints = 0;
  for (size_t i = 1; i < name.size(); ++i) {
    if (isWord(name[i]))
      continue;
    if (!isJoint(name[i]) || !isWord(name[i - 1]))
      return false;
    ++numJoints;
  }
  return numJoints <= kMaxJoints;
}

//===----------------------------------------------------------------------===//
// Tokens
//===----------------------------------------------------------------------===//

Token Lexer::lexAttributeLine(Token token) const {
  const char *p = token.begin;
  if (version == TextVersion::V0_0_1) {
    // `# meta data`; other comments have been skipped.
    while (p < end && *p != '\n')
      ++p;
    token.spelling = StringRef(p, end - p);
    return finish(token, TokenKind::Metadata, end);
  }
  if (!startsWith(p, "#["))
    return error(token, p + 1, "expects '[' after '#'");
  const char *close = p;
  while (close < end && *close != ']' && *close != '\n')
    ++close;
  if (at(close) != ']')
    return error(token, close, "expects ']' at the end of this attribute");
  StringRef text = StringRef(p + 2, close - p - 2).trim();
  if (text == "metadata") {
    token.spelling = StringRef(close + 1, end - close - 1);
    return finish(token, TokenKind::Metadata, end);
  }
  auto [key, value] = text.split('=');
  value = value.trim();
  if (key.trim() != "version" || value.size() < 2 || !value.starts_with("\"") ||
      !value.ends_with("\""))
    return error(token, close + 1,
                 "expects '#[version = \"0.0.5\"]' or '#[metadata]', but got "
                 "'#[" +
                     text.take_front(40) + "]'");
  token.spelling = value.drop_front().drop_back();
  return finish(token, TokenKind::Version, close + 1);
}

Token Lexer::lexNumber(Token token) const {
  const char *p = scanDigits(token.begin);
  if (at(p) == '.' && !isWordStart(at(p + 1)))
    p = scanDigits(p + 1);
  else if (at(p) == '.' &&
           (at(p + 1) == 'f' || at(p + 1) == 'e' || at(p + 1) == 'E'))
    ++p;
  if (at(p) == 'e' || at(p) == 'E') {
    const char *exponent = p + 1;
    if (at(exponent) == '+' || at(exponent) == '-')
      ++exponent;
    if (llvm::isDigit(at(exponent)))
      p = scanDigits(exponent);
  }
  if (at(p) == 'f' || at(p) == 'i')
    p = scanDigits(p + 1);
  if (!isWord(at(p)))
    return finish(token, TokenKind::Number, p);
  while (isWord(at(p)))
    ++p;
  StringRef text(token.begin, p - token.begin);
  return error(token, p,
               "expects a number, but got '" + text.take_front(40) + "'");
}

Token Lexer::lexMetaRef(Token token) const {
  const char *p = token.begin + 5;
  while (isWord(at(p)) || at(p) == '.')
    ++p;
  if (startsWith(p, "][")) {
    const char *close = scanDigits(p + 2);
    if (close > p + 2 && at(close) == ']')
      return finish(token, TokenKind::MetaRef, close + 1);
  }
  return error(token, p, "expects meta[KEY][INDEX]");
}

Token Lexer::lexIdentifier(Token token) const {
  if (startsWith(token.begin, "meta["))
    return lexMetaRef(token);
  const char *p = token.begin;
  while (isWord(at(p)) || (at(p) == '.' && isWordStart(at(p + 1))))
    ++p;
  StringRef text(token.begin, p - token.begin);
  if (text == "match" && at(p) == '?')
    return finish(token, TokenKind::Identifier, p + 1);
  if (version == TextVersion::V0_0_4 && text == "METADATA" && at(p) == ':') {
    token.spelling = StringRef(p + 1, end - p - 1);
    return finish(token, TokenKind::Metadata, end);
  }
  return finish(token, TokenKind::Identifier, p);
}

/// A name after `%` or `@`. One that other characters occur in is quoted.
Token Lexer::lexSigil(Token token) const {
  const char *name = token.begin + 1;
  bool isLocal = *token.begin == '%';
  if (isLocal && llvm::isDigit(at(name))) {
    const char *nameEnd = scanDigits(name);
    token.spelling = StringRef(name, nameEnd - name);
    return finish(token, TokenKind::GraphVar, nameEnd);
  }
  const char *nameEnd = nullptr;
  if (at(name) == '"')
    nameEnd = scanQuoted(name);
  else if (isWordStart(at(name)) || (at(name) == '/' && isWord(at(name + 1))))
    nameEnd = scanName(name);
  if (!nameEnd)
    return error(token, name,
                 "expects a name after '" + Twine(*token.begin) + "'");
  token.spelling = StringRef(name, nameEnd - name);
  return finish(token, isLocal ? TokenKind::Local : TokenKind::Global, nameEnd);
}

Token Lexer::lexPunctuation(Token token) const {
  static constexpr std::pair<StringLiteral, TokenKind> kPunctuation[] = {
      {"->", TokenKind::Arrow},      {"=>", TokenKind::FatArrow},
      {"==", TokenKind::EqualEqual}, {"!=", TokenKind::NotEqual},
      {"<=", TokenKind::LessEqual},  {">=", TokenKind::GreaterEqual},
      {"(", TokenKind::LParen},      {")", TokenKind::RParen},
      {"[", TokenKind::LBracket},    {"]", TokenKind::RBracket},
      {"{", TokenKind::LBrace},      {"}", TokenKind::RBrace},
      {",", TokenKind::Comma},       {".", TokenKind::Dot},
      {";", TokenKind::Semicolon},   {":", TokenKind::Colon},
      {"?", TokenKind::Question},    {"=", TokenKind::Equal},
      {"+", TokenKind::Plus},        {"-", TokenKind::Minus},
      {"*", TokenKind::Star},        {"/", TokenKind::Slash},
      {"<", TokenKind::Less},        {">", TokenKind::Greater},
  };
  for (const auto &[text, kind] : kPunctuation)
    if (startsWith(token.begin, text))
      return finish(token, kind, token.begin + text.size());
  // A character may be several bytes long.
  const char *p = token.begin + 1;
  while (p < end && (*p & 0xC0) == 0x80 && p - token.begin < 4)
    ++p;
  StringRef text(token.begin, p - token.begin);
  return error(token, p,
               llvm::all_of(text, llvm::isPrint)
                   ? "unexpected character '" + text + "'"
                   : Twine("unexpected character"));
}

Token Lexer::lex(const char *from) const {
  Token token;
  token.begin = skipTrivia(from, token.startsLine);
  char c = at(token.begin);
  if (!end || token.begin >= end)
    return finish(token, TokenKind::End, token.begin);
  if (isWordStart(c))
    return lexIdentifier(token);
  if (llvm::isDigit(c))
    return lexNumber(token);
  switch (c) {
  case '#':
    return lexAttributeLine(token);
  case '%':
  case '@':
    return lexSigil(token);
  case '"': {
    if (const char *stringEnd = scanQuoted(token.begin))
      return finish(token, TokenKind::String, stringEnd);
    const char *lineEnd = token.begin;
    while (lineEnd < end && *lineEnd != '\n')
      ++lineEnd;
    return error(token, lineEnd, "expects '\"' at the end of this string");
  }
  default:
    break;
  }
  return lexPunctuation(token);
}
