//===- Parser.h - Parser of Relay text --------------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_FRONTEND_RELAYTEXT_PARSER_H
#define RELAY_MLIR_LIB_FRONTEND_RELAYTEXT_PARSER_H

#include "Lexer.h"
#include "Metadata.h"

#include "relay-mlir/Dialect/Relay/IR/Relay.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/ScopedHashTable.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/StringSaver.h"

namespace mlir::relay::text {

/// A recursive-descent parser. What a method cannot parse it has reported, and
/// it returns null or failure; statements and definitions that follow are
/// parsed all the same.
///
/// Only nesting recurses, and is limited. Sequences of statements, chains of
/// calls and of infix operators are loops.
class Parser {
public:
  Parser(llvm::SourceMgr &source, MLIRContext *context,
         const ParseOptions &options);

  FailureOr<ast::Module> parseModule();
  FailureOr<ast::ExprPtr> parseExprFile();

private:
  using VarPtr = std::shared_ptr<ast::Var>;
  using VarTable = llvm::ScopedHashTable<StringRef, VarPtr>;
  using VarScope = VarTable::ScopeTy;
  using TypeParamTable = llvm::ScopedHashTable<StringRef, bool>;
  /// Attributes as they are written, and their names to find duplicates.
  struct Attrs : std::vector<NamedAttribute> {
    llvm::DenseSet<StringAttr> names;
  };

  /// What a `%0 = ...` binds.
  struct GraphBinding {
    ast::ExprPtr value;
    /// The block in which it was bound; only there a second one is an error.
    unsigned block = 0;
    const char *loc = nullptr;
  };

  /// Counts levels of nesting for the time that it exists.
  class Nesting {
  public:
    explicit Nesting(Parser &parser) : parser(parser) { ++parser.depth; }
    ~Nesting() { --parser.depth; }
    /// Reports levels that are too deep.
    bool isTooDeep() const;

  private:
    Parser &parser;
  };

  //===--------------------------------------------------------------------===//
  // Tokens and errors
  //===--------------------------------------------------------------------===//

  void advance() {
    lastEnd = token.end;
    token = lexer.lex(token.end);
  }
  Token peek() const { return lexer.lex(token.end); }
  bool consumeIf(TokenKind kind);
  bool consumeKeyword(StringRef keyword);
  /// Reports a token of another kind as `expects WHAT, but got ...`.
  LogicalResult expect(TokenKind kind, const Twine &what);
  LogicalResult errorExpected(const Twine &what);
  /// `note` is a place that the message's note refers to, or null.
  LogicalResult error(const char *loc, const Twine &message,
                      const char *note = nullptr, const Twine &noteText = "");
  LocationAttr getLocation(const char *loc);
  /// From `begin` to `end`, or else to the end of what was parsed last.
  LocationAttr getRange(const char *begin, const char *end = nullptr);
  bool isLegacy() const { return version != TextVersion::V0_0_5; }
  bool isDefinitionStart() const;

  /// Skips to the end of the statement. Returns whether it ends in ';', which
  /// is skipped too, and not in the end of the block.
  bool skipStatement();
  void skipDefinition();

  /// `'['` is the caller's; parses items up to `close` with commas between
  /// them, and one after the last if there is one.
  LogicalResult parseList(TokenKind close, StringRef what,
                          function_ref<LogicalResult()> parseItem);

  //===--------------------------------------------------------------------===//
  // Modules
  //===--------------------------------------------------------------------===//

  /// Reads the version line, reports malformed tokens, reads the metadata and
  /// the types, which functions before them may use.
  void scanFile();
  void scanVersion();
  void parseVersion();
  void readMetadataSection(const Token &section);
  void addInitialModule();
  LogicalResult parseDefinition();
  LogicalResult parseFunctionDefinition();
  LogicalResult parseTypeDefinition();
  LogicalResult parseConstructors(ast::TypeData &data);
  LogicalResult parseConstructor(ast::TypeData &data);
  LogicalResult parseMainExpr();

  //===--------------------------------------------------------------------===//
  // Types
  //===--------------------------------------------------------------------===//

  Type parseType();
  /// A type after ':' or '->', and its place.
  Type parseWrittenType(LocationAttr &location);
  Type parseParenthesizedType();
  Type parseTensorType();
  Type parseNamedType();
  Type parseFunctionType();
  FailureOr<SmallVector<Type>> parseTypes(TokenKind open, TokenKind close,
                                          StringRef what);
  LogicalResult parseDimensions(SmallVectorImpl<int64_t> &shape);
  LogicalResult parseDimension(SmallVectorImpl<int64_t> &shape);
  LogicalResult parseTypeParams(std::vector<std::string> &names);

  //===--------------------------------------------------------------------===//
  // Expressions
  //===--------------------------------------------------------------------===//

  struct Statement;

  /// A sequence of statements, with a scope of its own. In a block, those after
  /// an error are parsed too; elsewhere a ';' may belong to the block around.
  ast::ExprPtr parseExpr(bool isBlock = false);
  ast::ExprPtr parseStatements(std::vector<Statement> &statements,
                               bool isBlock);
  /// Whether the statement is a binding; `succeeded` says whether it parsed.
  bool parseBinding(std::vector<Statement> &statements, bool &succeeded);
  LogicalResult parseLet(std::vector<Statement> &statements);
  LogicalResult parseGraphBinding();
  LogicalResult parseFreeVar();
  LogicalResult parseStatementEnd();

  ast::ExprPtr parseItem();
  ast::ExprPtr parseBlock();
  ast::ExprPtr parseBinary();
  ast::ExprPtr parseUnary();
  ast::ExprPtr parseNegated();
  ast::ExprPtr parseCall();
  ast::ExprPtr parsePostfix(ast::ExprPtr expr, const char *begin);
  ast::ExprPtr parseCallArgs(ast::ExprPtr callee, const char *loc);
  ast::ExprPtr parseProjection(ast::ExprPtr tuple, const char *loc);
  ast::ExprPtr parseAtom();
  ast::ExprPtr parseWord();
  ast::ExprPtr parseNumberConstant(bool negative, const char *loc);
  ast::ExprPtr parseLocal();
  ast::ExprPtr parseGraphVar();
  ast::ExprPtr parseGlobal();
  ast::ExprPtr parseMetaConstant();
  ast::ExprPtr parseParenthesized();
  ast::ExprPtr parseIf();
  ast::ExprPtr parseMatch();
  ast::ExprPtr parseReference();
  ast::ExprPtr parseName();
  std::shared_ptr<ast::Function> parseFunction();
  LogicalResult parseParam(std::vector<VarPtr> &params, Attrs &attrs);
  ast::PatternPtr parsePattern();
  ast::PatternPtr parseConstructorPattern();
  FailureOr<std::vector<ast::PatternPtr>> parsePatterns();

  /// The name that a token holds, which may be quoted.
  StringRef getName(StringRef spelling);
  VarPtr declare(StringRef name, LocationAttr location);
  VarPtr lookup(StringRef name);
  ast::ExprPtr getOp(StringRef name);
  ast::ExprPtr makeCall(StringRef op, std::vector<ast::ExprPtr> args,
                        const char *loc);
  /// What stands for an expression that did not parse.
  ast::ExprPtr makePlaceholder();
  template <typename NodeT, typename... Args>
  std::shared_ptr<NodeT> make(const char *loc, Args &&...args) {
    auto node = std::make_shared<NodeT>(std::forward<Args>(args)...);
    node->location = getRange(loc);
    return node;
  }

  //===--------------------------------------------------------------------===//
  // Attributes
  //===--------------------------------------------------------------------===//

  bool isAttribute() const;
  LogicalResult parseAttribute(Attrs &attrs);
  LogicalResult addAttribute(NamedAttribute attr, const char *loc,
                             Attrs &attrs);
  Attribute parseAttributeValue();
  Attribute parseAttributeNumber();
  Attribute parseAttributeWord();
  Attribute parseAttributeList(TokenKind close);
  Attribute parseAttributeDictionary();
  /// The entry that the current token refers to; null if there is none.
  Attribute parseMetaRef();
  LogicalResult appendMetaAttributes(Attribute entry, const char *loc,
                                     Attrs &attrs);

  MLIRContext *context;
  Builder builder;
  StringRef buffer;
  StringAttr filename;
  /// Where each line begins.
  std::vector<const char *> lines;
  const ParseOptions &options;
  TextVersion version = TextVersion::V0_0_5;
  Lexer lexer;
  Token token;
  /// Where the token before ends.
  const char *lastEnd = nullptr;
  /// The place of what the statements that were parsed last end with.
  LocationAttr resultLocation;
  unsigned depth = 0;
  unsigned numErrors = 0;
  const char *lastError = nullptr;

  MetadataTable metadata;
  /// One node for each entry.
  llvm::DenseMap<Attribute, ast::ExprPtr> metaConstants;
  bool hasMetadata = false;

  ast::Module module;
  llvm::StringMap<std::shared_ptr<ast::Constructor>> constructors;
  /// Where names of functions, types and constructors were defined; null in
  /// the initial module.
  llvm::StringMap<const char *> functionLocs, typeLocs;
  /// Positions in `module.functions`.
  llvm::StringMap<size_t> functionIndices;
  /// Where definitions of types begin and, parsed ahead, end.
  llvm::DenseMap<const char *, const char *> parsedTypes;

  llvm::BumpPtrAllocator allocator;
  llvm::StringSaver names{allocator};
  VarTable vars;
  llvm::StringMap<VarPtr> freeVars;
  std::vector<VarPtr> freeVarOrder;
  TypeParamTable typeParams;
  llvm::DenseMap<uint64_t, GraphBinding> graphVars;
  llvm::StringMap<ast::ExprPtr> ops;
  unsigned numBlocks = 0, block = 0;
};

} // namespace mlir::relay::text

#endif // RELAY_MLIR_LIB_FRONTEND_RELAYTEXT_PARSER_H
