//===- Lexer.h - Tokens of Relay text ---------------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_FRONTEND_RELAYTEXT_LEXER_H
#define RELAY_MLIR_LIB_FRONTEND_RELAYTEXT_LEXER_H

#include "relay-mlir/Frontend/RelayText/RelayText.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"

#include <functional>

namespace mlir::relay::text {

enum class TokenKind {
  End,
  /// Malformed text, which the first pass over the file has reported.
  Error,
  /// `#[version = "..."]`.
  Version,
  /// The mark of the metadata section; the spelling is all that follows.
  Metadata,
  /// Digits with fraction, exponent and suffix.
  Number,
  /// With its quotes.
  String,
  /// `nn.conv2d`, keywords, `_`, `match?`.
  Identifier,
  /// `%x`; the spelling lacks the `%` and may contain dots and the like.
  Local,
  /// `%0`; the spelling is the digits.
  GraphVar,
  /// `@main`; the spelling lacks the `@`.
  Global,
  /// `meta[relay.Constant][0]`.
  MetaRef,
  LParen,
  RParen,
  LBracket,
  RBracket,
  LBrace,
  RBrace,
  Comma,
  Dot,
  Semicolon,
  Colon,
  Question,
  Equal,
  Arrow,
  FatArrow,
  Plus,
  Minus,
  Star,
  Slash,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  EqualEqual,
  NotEqual,
};

struct Token {
  TokenKind kind = TokenKind::End;
  StringRef spelling;
  /// Where the token begins, sigil included, and what follows it.
  const char *begin = nullptr;
  const char *end = nullptr;
  /// Whether a line ends between the previous token and this.
  bool startsLine = false;

  bool is(TokenKind other) const { return kind == other; }
  bool isKeyword(StringRef keyword) const {
    return kind == TokenKind::Identifier && spelling == keyword;
  }
};

/// Makes tokens of text, from any place in it.
class Lexer {
public:
  using ErrorFn = std::function<void(const char *, const Twine &)>;

  /// Errors are only reported if there is an `onError`.
  Lexer(StringRef buffer, TextVersion version, ErrorFn onError = {})
      : end(buffer.end()), version(version), onError(std::move(onError)) {}

  /// The first token at or after `from`.
  Token lex(const char *from) const;

  /// What follows blanks and comments; sets `newline` if there is a line end
  /// among them.
  const char *skipTrivia(const char *from, bool &newline) const;

private:
  bool startsWith(const char *from, StringRef text) const {
    return StringRef(from, end - from).starts_with(text);
  }
  /// The character at `from`, or 0 at the end.
  char at(const char *from) const { return from < end ? *from : 0; }
  Token error(Token token, const char *tokenEnd, const Twine &message) const;
  Token finish(Token token, TokenKind kind, const char *tokenEnd) const;

  const char *skipBlockComment(const char *from, bool &newline) const;
  const char *scanDigits(const char *from) const;
  const char *scanQuoted(const char *from) const;
  const char *scanName(const char *from) const;
  Token lexAttributeLine(Token token) const;
  Token lexNumber(Token token) const;
  Token lexIdentifier(Token token) const;
  Token lexSigil(Token token) const;
  Token lexMetaRef(Token token) const;
  Token lexPunctuation(Token token) const;

  const char *end;
  TextVersion version;
  ErrorFn onError;
};

/// More parts of a name are not told apart from arithmetic.
inline constexpr size_t kMaxJoints = 64;

/// Whether `%name` and `@name` are read back as a whole. Otherwise the name is
/// printed in quotes.
bool isPlainName(StringRef name);

} // namespace mlir::relay::text

#endif // RELAY_MLIR_LIB_FRONTEND_RELAYTEXT_LEXER_H
