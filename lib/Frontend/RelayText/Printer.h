//===- Printer.h - Printer of Relay text ------------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_FRONTEND_RELAYTEXT_PRINTER_H
#define RELAY_MLIR_LIB_FRONTEND_RELAYTEXT_PRINTER_H

#include "Metadata.h"

#include "relay-mlir/Frontend/RelayText/RelayText.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringSet.h"

namespace mlir::relay::text {

/// What a type is in text.
std::string formatType(Type type, TextVersion version);

/// Prints expressions as graphs: all that is not a leaf gets a number and a
/// line of its own, except for the last of a scope.
///
/// Expressions are deep, so the work is a stack of tasks. The number of a node
/// is only known after all within it are printed; a slot at the beginning of
/// its line is filled then.
class Printer {
public:
  explicit Printer(const PrintOptions &options) : options(options) {}

  void printModule(const ast::Module &module);
  void printExpr(const ast::ExprPtr &expr);
  void finish(raw_ostream &os);

private:
  struct Task {
    enum class Kind {
      /// Visit what `expr` refers to, before it is its turn.
      Prepare,
      /// Print `expr` unless it was, as a line of the scope that assigns to
      /// what `references` holds then.
      Visit,
      BeginStatement,
      EndStatement,
      /// Print the last expression of a scope, or the value of a let: on a line
      /// between `text` and `suffix`.
      Root,
      RootReference,
      BeginRoot,
      EndRoot,
      /// Continue the line with `expr`, the parts of which have been visited.
      Body,
      LetChain,
      LetBody,
      /// The lines within braces or parentheses.
      Scope,
      EndScope,
      Clause,
      EndMatch,
      Text,
    };
    Kind kind;
    const ast::Expr *expr = nullptr;
    std::string text = {}, suffix = {};
    size_t slot = 0;
  };

  //===--------------------------------------------------------------------===//
  // Tasks
  //===--------------------------------------------------------------------===//

  void run();
  void execute(Task task);
  void push(Task task) { tasks.push_back(std::move(task)); }
  void pushText(std::string text) {
    push({Task::Kind::Text, nullptr, std::move(text)});
  }
  void pushOperands(const ast::Expr &expr);
  void prepare(const ast::Expr &expr);
  void visit(const ast::Expr &expr);
  void beginRoot(Task task);
  void printBody(const ast::Expr &expr);
  void printLetChain(const ast::Let &let);
  void printClause(const ast::Match &match, size_t index);
  void countUses(const ast::ExprPtr &root);
  bool isShared(const ast::Expr &expr) const { return uses.lookup(&expr) > 1; }
  void startLine() { text.append(indent, ' '); }

  //===--------------------------------------------------------------------===//
  // Parts of a line
  //===--------------------------------------------------------------------===//

  const std::string &getReference(const ast::Expr &expr);
  std::string getLeaf(const ast::Expr &expr);
  std::string formatConstant(const ast::Constant &constant);
  std::string formatCall(const ast::Call &call);
  std::string formatTuple(const ast::Tuple &tuple);
  std::string formatProjection(const ast::TupleGetItem &item);
  std::string formatSignature(const ast::Function &function);
  std::string formatPattern(const ast::Pattern &pattern);
  std::string formatTypeDefinition(const ast::TypeData &type);
  const std::string &getTypeText(Type type);
  /// The comment or annotation after an expression.
  std::string getInfo(const ast::Expr &expr);
  bool hasTypeComment(const ast::Expr &expr) const;
  std::string formatSpan(LocationAttr location) const;

  std::string formatCallAttributes(const ast::Call &call);
  MLIRContext *getContext(const ast::Call &call);
  std::string formatAttribute(Attribute value);
  std::string formatAttributes(ArrayRef<NamedAttribute> attrs);
  std::string formatMeta(Attribute value);

  /// Names a variable and returns the text that binds it.
  std::string bind(const ast::Var &var);
  std::string makeUnique(StringRef hint);
  bool isTaken(StringRef name) const;

  const PrintOptions &options;
  std::string text;
  /// Where text is inserted in the end, in order of position.
  std::vector<std::pair<size_t, std::string>> slots;
  std::vector<Task> tasks;
  unsigned indent = 0;
  unsigned numGraphVars = 0;

  llvm::DenseMap<const ast::Expr *, unsigned> uses;
  llvm::DenseMap<const ast::Expr *, std::string> references;
  llvm::DenseSet<const ast::Expr *> prepared;
  /// Of operators and globals, which are compared by name.
  llvm::StringMap<std::string> namedReferences;
  llvm::DenseSet<const ast::Expr *> hasInfo;
  llvm::DenseMap<Type, std::string> typeTexts;

  /// How often each name was asked for again.
  llvm::StringMap<unsigned> names;
  /// What the names that end like projections begin with.
  llvm::StringSet<> projected;
  MetadataWriter metadata;
  /// What calls without attributes print, by operator.
  llvm::StringMap<std::string> bareAttributes;
  /// For programs that hold nothing of a context.
  std::unique_ptr<MLIRContext> ownContext;
};

} // namespace mlir::relay::text

#endif // RELAY_MLIR_LIB_FRONTEND_RELAYTEXT_PRINTER_H
