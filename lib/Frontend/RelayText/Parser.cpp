//===- Parser.cpp - Parser of Relay text ----------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Parser.h"

#include "llvm/Support/ProgramStack.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::text;

/// Each level takes a few hundred bytes of stack in each of several functions.
static constexpr unsigned kMaxNesting = 2000;

Parser::Parser(llvm::SourceMgr &source, MLIRContext *context,
               const ParseOptions &options)
    : context(context), builder(context),
      buffer(source.getMemoryBuffer(source.getMainFileID())->getBuffer()),
      filename(
          builder.getStringAttr(source.getMemoryBuffer(source.getMainFileID())
                                    ->getBufferIdentifier())),
      options(options), lexer(buffer, version) {
  context->getOrLoadDialect<RelayDialect>();
  lines.push_back(buffer.begin());
  for (const char &c : buffer)
    if (c == '\n')
      lines.push_back(&c + 1);
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

LocationAttr Parser::getLocation(const char *loc) {
  auto line = std::prev(llvm::upper_bound(lines, loc));
  return FileLineColLoc::get(filename, line - lines.begin() + 1,
                             loc - *line + 1);
}

LocationAttr Parser::getRange(const char *begin, const char *end) {
  if (!end)
    end = lastEnd;
  // Nothing was parsed, or the range is empty.
  if (end <= begin)
    return getLocation(begin);
  auto getPlace = [&](const char *loc) {
    auto line = std::prev(llvm::upper_bound(lines, loc));
    return std::make_pair<unsigned, unsigned>(line - lines.begin() + 1,
                                              loc - *line + 1);
  };
  auto [line, column] = getPlace(begin);
  auto [endLine, endColumn] = getPlace(end);
  return FileLineColRange::get(filename, line, column, endLine, endColumn);
}

LogicalResult Parser::error(const char *loc, const Twine &message,
                            const char *note, const Twine &noteText) {
  // What fails on the way out of nested constructs fails at the same place.
  if (loc == lastError)
    return failure();
  lastError = loc;
  InFlightDiagnostic diagnostic = emitError(Location(getLocation(loc)))
                                  << message;
  if (note)
    diagnostic.attachNote(Location(getLocation(note))) << noteText;
  ++numErrors;
  return failure();
}

LogicalResult Parser::errorExpected(const Twine &what) {
  // Malformed tokens have been reported.
  if (token.is(TokenKind::Error))
    return failure();
  if (token.is(TokenKind::End) || token.is(TokenKind::Metadata))
    return error(token.begin, "expects " + what + ", but got the end of the " +
                                  (token.is(TokenKind::End) ? "file" : "code"));
  constexpr size_t kMaxShown = 40;
  StringRef text(token.begin, token.end - token.begin);
  StringRef rest = text.size() > kMaxShown ? "..." : "";
  return error(token.begin, "expects " + what + ", but got '" +
                                text.take_front(kMaxShown) + rest + "'");
}

bool Parser::Nesting::isTooDeep() const {
  if (parser.depth <= kMaxNesting)
    return false;
  (void)parser.error(parser.token.begin, "expects at most " +
                                             Twine(kMaxNesting) +
                                             " levels of nesting");
  return true;
}

//===----------------------------------------------------------------------===//
// Tokens
//===----------------------------------------------------------------------===//

bool Parser::consumeIf(TokenKind kind) {
  if (!token.is(kind))
    return false;
  advance();
  return true;
}

bool Parser::consumeKeyword(StringRef keyword) {
  if (!token.isKeyword(keyword))
    return false;
  advance();
  return true;
}

LogicalResult Parser::expect(TokenKind kind, const Twine &what) {
  return consumeIf(kind) ? success() : errorExpected(what);
}

LogicalResult Parser::parseList(TokenKind close, StringRef what,
                                function_ref<LogicalResult()> parseItem) {
  StringRef closing = close == TokenKind::RParen     ? "')'"
                      : close == TokenKind::RBracket ? "']'"
                                                     : "'}'";
  while (!token.is(close)) {
    if (failed(parseItem()))
      return failure();
    if (!consumeIf(TokenKind::Comma) && !token.is(close))
      return errorExpected("',' or " + closing + " after " + what);
  }
  advance();
  return success();
}

bool Parser::isDefinitionStart() const {
  if (token.isKeyword("def"))
    return true;
  if (token.isKeyword("type"))
    return peek().is(TokenKind::Identifier);
  return token.isKeyword("extern") && peek().isKeyword("type");
}

static int getBracketChange(TokenKind kind) {
  switch (kind) {
  case TokenKind::LParen:
  case TokenKind::LBracket:
  case TokenKind::LBrace:
    return 1;
  case TokenKind::RParen:
  case TokenKind::RBracket:
  case TokenKind::RBrace:
    return -1;
  default:
    return 0;
  }
}

bool Parser::skipStatement() {
  // Parentheses may be what is wrong; braces tell where the block ends.
  size_t open = 0;
  while (!token.is(TokenKind::End) && !token.is(TokenKind::Metadata) &&
         !isDefinitionStart()) {
    if (token.is(TokenKind::LBrace))
      ++open;
    if (token.is(TokenKind::RBrace) && open-- == 0)
      return false;
    bool isEnd = open == 0 && token.is(TokenKind::Semicolon);
    advance();
    if (isEnd)
      return true;
  }
  return false;
}

void Parser::skipDefinition() {
  while (!token.is(TokenKind::End) && !token.is(TokenKind::Metadata) &&
         !isDefinitionStart())
    advance();
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

void Parser::scanVersion() {
  bool newline;
  const char *begin = lexer.skipTrivia(buffer.begin(), newline);
  StringRef rest(begin, buffer.end() - begin);
  StringRef word = rest.take_until([](char c) { return isspace(c); });
  const char *wordEnd = word.end();
  // Files of all ages have the version in either form, with and without a v.
  if (rest.consume_front("#[")) {
    StringRef line = rest.take_until([](char c) { return c == ']'; });
    auto [key, value] = line.split('=');
    if (key.trim() == "version") {
      word = value.trim();
      word.consume_front("\"");
      word.consume_back("\"");
      wordEnd = line.end() == buffer.end() ? line.end() : line.end() + 1;
    }
  }
  word.consume_front("v");
  if (word == "0.0.1")
    version = TextVersion::V0_0_1;
  else if (word == "0.0.4")
    version = TextVersion::V0_0_4;
  if (!isLegacy()) {
    token.end = buffer.begin();
    return;
  }
  lexer = Lexer(buffer, version);
  token.end = wordEnd;
}

void Parser::readMetadataSection(const Token &section) {
  metadata = readMetadata(section.spelling, context, [&](const Twine &message) {
    lastError = nullptr;
    (void)error(section.begin, message);
  });
}

void Parser::scanFile() {
  scanVersion();
  const char *begin = token.end;
  Lexer scanner(buffer, version, [&](const char *loc, const Twine &message) {
    (void)error(loc, message);
  });
  size_t open = 0;
  const char *typeEnd = begin;
  for (Token next = scanner.lex(begin); !next.is(TokenKind::End);
       next = scanner.lex(next.end)) {
    int change = getBracketChange(next.kind);
    open = change < 0 && open == 0 ? 0 : open + change;
    if (next.isKeyword("def"))
      open = 0;
    if (next.is(TokenKind::Metadata)) {
      readMetadataSection(next);
      break;
    }
    if (open != 0 || next.begin < typeEnd ||
        !(next.isKeyword("type") || next.isKeyword("extern")))
      continue;
    token = next;
    if (!isDefinitionStart())
      continue;
    if (failed(parseTypeDefinition()))
      skipDefinition();
    typeEnd = token.begin;
    parsedTypes[next.begin] = typeEnd;
  }
  for (const auto &entry : options.metadata)
    llvm::append_range(metadata[entry.getKey()], entry.getValue());
  token = lexer.lex(begin);
}

void Parser::parseVersion() {
  if (!token.is(TokenKind::Version))
    return;
  if (isLegacy())
    (void)error(token.begin, "expects one version only");
  else if (token.spelling != "0.0.5" && token.spelling != "v0.0.5")
    (void)error(token.begin, "expects version 0.0.5, 0.0.4 or 0.0.1, but "
                             "got \"" +
                                 token.spelling.take_front(40) + "\"");
  advance();
}

FailureOr<ast::ExprPtr> Parser::parseExprFile() {
  addInitialModule();
  VarScope scope(vars);
  TypeParamTable::ScopeTy typeScope(typeParams);
  scanFile();
  parseVersion();
  ast::ExprPtr expr = parseExpr(/*isBlock=*/true);
  if (!numErrors && !token.is(TokenKind::End) && !token.is(TokenKind::Metadata))
    (void)errorExpected("the end of the file");
  if (numErrors)
    return failure();
  return expr;
}

//===----------------------------------------------------------------------===//
// Entry points
//===----------------------------------------------------------------------===//

/// Nesting takes more stack than some threads have.
template <typename T>
static FailureOr<T> runOnOwnStack(function_ref<FailureOr<T>()> parse) {
  constexpr unsigned kStackSize = 64 << 20;
  FailureOr<T> result = failure();
  llvm::runOnNewStack(kStackSize, [&] { result = parse(); });
  return result;
}

FailureOr<ast::Module> relay::parseRelayModule(llvm::SourceMgr &source,
                                               MLIRContext *context,
                                               const ParseOptions &options) {
  return runOnOwnStack<ast::Module>(
      [&] { return Parser(source, context, options).parseModule(); });
}

FailureOr<ast::ExprPtr> relay::parseRelayExpr(llvm::SourceMgr &source,
                                              MLIRContext *context,
                                              const ParseOptions &options) {
  return runOnOwnStack<ast::ExprPtr>(
      [&] { return Parser(source, context, options).parseExprFile(); });
}
