//===- AST.h - Relay expressions --------------------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Relay programs as expressions: what the text format spells, and what the
// Python package builds. An expression is an immutable node with an identity.
// Nodes are shared: one that is used twice is computed once, and is printed as
// a graph binding (`%0 = ...`).
//
// Types are those of the relay dialect; names of type parameters and data types
// stand in them as strings. Attributes of calls are kept as they are written:
//
//   bool          BoolAttr
//   integer       IntegerAttr, i32 unless the value or a suffix asks for i64
//   float         FloatAttr, f64
//   string, dtype StringAttr
//   list, tuple   ArrayAttr
//   None          UnitAttr
//
// Programs are deep: chains of 100,000 nodes are usual. Functions on them keep
// a stack of their own; see visitPostOrder.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_FRONTEND_RELAYTEXT_AST_H
#define RELAY_MLIR_FRONTEND_RELAYTEXT_AST_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Location.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringMap.h"

#include <memory>
#include <string>
#include <vector>

namespace mlir::relay::ast {

class Expr;
class Pattern;
using ExprPtr = std::shared_ptr<Expr>;
using PatternPtr = std::shared_ptr<Pattern>;

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

class Expr : public std::enable_shared_from_this<Expr> {
public:
  enum class Kind {
    Constant,
    Var,
    GlobalVar,
    Op,
    Constructor,
    Tuple,
    TupleGetItem,
    Call,
    Let,
    If,
    Function,
    Match,
    RefCreate,
    RefRead,
    RefWrite,
  };

  Expr(const Expr &) = delete;
  Expr &operator=(const Expr &) = delete;
  virtual ~Expr() = default;

  Kind getKind() const { return kind; }

  /// The inferred type; null before type inference.
  Type checkedType;
  /// The type that the expression has by itself, if whoever built an expression
  /// of it had to know: no part of the program, and not printed.
  Type localType;
  /// Where the node stands in the source; null if it has none.
  LocationAttr location;

protected:
  explicit Expr(Kind kind) : kind(kind) {}

  /// Gives up a child. Destructors do it, so that the destruction of a deep
  /// expression does not recurse.
  static void release(ExprPtr &&child);
  static void release(std::vector<ExprPtr> &&children);

private:
  const Kind kind;
};

/// Defines a node class below Expr.
template <Expr::Kind nodeKind>
class ExprNode : public Expr {
public:
  static bool classof(const Expr *expr) { return expr->getKind() == nodeKind; }

protected:
  ExprNode() : Expr(nodeKind) {}
};

class Constant final : public ExprNode<Expr::Kind::Constant> {
public:
  explicit Constant(ElementsAttr value) : value(value) {}
  ElementsAttr value;
};

/// A local variable. Its identity is that of the node; the name is a hint.
class Var final : public ExprNode<Expr::Kind::Var> {
public:
  Var(std::string name, Type annotation)
      : name(std::move(name)), annotation(annotation) {}
  std::string name;
  /// Null, or a type that may contain incomplete ones.
  Type annotation;
  /// Where the annotation stands in the source, or null.
  LocationAttr annotationLocation;
  /// The attribute `virtual_device=` of the binding, or null.
  Attribute virtualDevice;
};

/// A function of the module, by name.
class GlobalVar final : public ExprNode<Expr::Kind::GlobalVar> {
public:
  explicit GlobalVar(std::string name) : name(std::move(name)) {}
  std::string name;
};

/// An operator, by name; the callee of most calls.
class Op final : public ExprNode<Expr::Kind::Op> {
public:
  explicit Op(std::string name) : name(std::move(name)) {}
  std::string name;
};

/// A constructor of a data type. Compared by name, which is unique in a module.
class Constructor final : public ExprNode<Expr::Kind::Constructor> {
public:
  Constructor(std::string adt, std::string name, std::vector<Type> fields,
              unsigned index)
      : adt(std::move(adt)), name(std::move(name)), fields(std::move(fields)),
        index(index) {}
  std::string adt, name;
  std::vector<Type> fields;
  /// Its place among the constructors of the type.
  unsigned index;
};

class Tuple final : public ExprNode<Expr::Kind::Tuple> {
public:
  explicit Tuple(std::vector<ExprPtr> fields) : fields(std::move(fields)) {}
  ~Tuple() override { release(std::move(fields)); }
  std::vector<ExprPtr> fields;
};

class TupleGetItem final : public ExprNode<Expr::Kind::TupleGetItem> {
public:
  TupleGetItem(ExprPtr tuple, int64_t index)
      : tuple(std::move(tuple)), index(index) {}
  ~TupleGetItem() override { release(std::move(tuple)); }
  ExprPtr tuple;
  int64_t index;
};

class Call final : public ExprNode<Expr::Kind::Call> {
public:
  Call(ExprPtr callee, std::vector<ExprPtr> args,
       std::vector<NamedAttribute> attrs = {}, std::vector<Type> typeArgs = {})
      : callee(std::move(callee)), args(std::move(args)),
        attrs(std::move(attrs)), typeArgs(std::move(typeArgs)) {}
  ~Call() override {
    release(std::move(callee));
    release(std::move(args));
  }
  ExprPtr callee;
  std::vector<ExprPtr> args;
  /// In the order in which they are printed.
  std::vector<NamedAttribute> attrs;
  /// For calls of polymorphic functions; a prefix may be given before type
  /// inference.
  std::vector<Type> typeArgs;
};

/// `let var = value; body`. A function may use `var` in its own body.
class Let final : public ExprNode<Expr::Kind::Let> {
public:
  Let(std::shared_ptr<Var> var, ExprPtr value, ExprPtr body)
      : var(std::move(var)), value(std::move(value)), body(std::move(body)) {}
  ~Let() override {
    release(std::move(value));
    release(std::move(body));
  }
  std::shared_ptr<Var> var;
  ExprPtr value, body;
};

class If final : public ExprNode<Expr::Kind::If> {
public:
  If(ExprPtr condition, ExprPtr trueBranch, ExprPtr falseBranch)
      : condition(std::move(condition)), trueBranch(std::move(trueBranch)),
        falseBranch(std::move(falseBranch)) {}
  ~If() override {
    release(std::move(condition));
    release(std::move(trueBranch));
    release(std::move(falseBranch));
  }
  ExprPtr condition, trueBranch, falseBranch;
  /// Where the branches end in the source: variables have no place of their
  /// own.
  LocationAttr trueLocation, falseLocation;
};

class Function final : public ExprNode<Expr::Kind::Function> {
public:
  Function(std::vector<std::shared_ptr<Var>> params, ExprPtr body,
           Type returnType, std::vector<std::string> typeParams,
           std::vector<NamedAttribute> attrs)
      : params(std::move(params)), body(std::move(body)),
        returnType(returnType), typeParams(std::move(typeParams)),
        attrs(std::move(attrs)) {}
  ~Function() override { release(std::move(body)); }
  std::vector<std::shared_ptr<Var>> params;
  ExprPtr body;
  /// Null if it is not written.
  Type returnType;
  /// Where that, and the expression that the body ends with, stand in the
  /// source, or null.
  LocationAttr returnLocation, resultLocation;
  std::vector<std::string> typeParams;
  std::vector<NamedAttribute> attrs;
};

struct Clause {
  PatternPtr pattern;
  ExprPtr body;
  /// Where the body ends in the source, or null.
  LocationAttr resultLocation = nullptr;
};

class Match final : public ExprNode<Expr::Kind::Match> {
public:
  Match(ExprPtr data, std::vector<Clause> clauses, bool complete)
      : data(std::move(data)), clauses(std::move(clauses)), complete(complete) {
  }
  ~Match() override {
    release(std::move(data));
    for (Clause &clause : clauses)
      release(std::move(clause.body));
  }
  ExprPtr data;
  std::vector<Clause> clauses;
  /// `match`, which must cover all values, or `match?`.
  bool complete;
};

class RefCreate final : public ExprNode<Expr::Kind::RefCreate> {
public:
  explicit RefCreate(ExprPtr value) : value(std::move(value)) {}
  ~RefCreate() override { release(std::move(value)); }
  ExprPtr value;
};

class RefRead final : public ExprNode<Expr::Kind::RefRead> {
public:
  explicit RefRead(ExprPtr ref) : ref(std::move(ref)) {}
  ~RefRead() override { release(std::move(ref)); }
  ExprPtr ref;
};

class RefWrite final : public ExprNode<Expr::Kind::RefWrite> {
public:
  RefWrite(ExprPtr ref, ExprPtr value)
      : ref(std::move(ref)), value(std::move(value)) {}
  ~RefWrite() override {
    release(std::move(ref));
    release(std::move(value));
  }
  ExprPtr ref, value;
};

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

class Pattern {
public:
  enum class Kind { Wildcard, Var, Constructor, Tuple };
  Pattern(const Pattern &) = delete;
  Pattern &operator=(const Pattern &) = delete;
  virtual ~Pattern() = default;
  Kind getKind() const { return kind; }
  LocationAttr location;

protected:
  explicit Pattern(Kind kind) : kind(kind) {}

private:
  const Kind kind;
};

template <Pattern::Kind nodeKind>
class PatternNode : public Pattern {
public:
  static bool classof(const Pattern *pattern) {
    return pattern->getKind() == nodeKind;
  }

protected:
  PatternNode() : Pattern(nodeKind) {}
};

class PatternWildcard final : public PatternNode<Pattern::Kind::Wildcard> {};

class PatternVar final : public PatternNode<Pattern::Kind::Var> {
public:
  explicit PatternVar(std::shared_ptr<Var> var) : var(std::move(var)) {}
  std::shared_ptr<Var> var;
};

class PatternConstructor final
    : public PatternNode<Pattern::Kind::Constructor> {
public:
  PatternConstructor(std::shared_ptr<Constructor> constructor,
                     std::vector<PatternPtr> fields)
      : constructor(std::move(constructor)), fields(std::move(fields)) {}
  std::shared_ptr<Constructor> constructor;
  std::vector<PatternPtr> fields;
};

class PatternTuple final : public PatternNode<Pattern::Kind::Tuple> {
public:
  explicit PatternTuple(std::vector<PatternPtr> fields)
      : fields(std::move(fields)) {}
  std::vector<PatternPtr> fields;
};

/// Appends the variables that a pattern binds, from left to right.
void getBoundVars(const Pattern &pattern,
                  std::vector<std::shared_ptr<Var>> &vars);

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

/// The definition of an algebraic data type.
struct TypeData {
  std::string name;
  std::vector<std::string> typeParams;
  std::vector<std::shared_ptr<Constructor>> constructors;
  bool isExtern = false;
  LocationAttr location;
};

/// Functions and data types by name, in the order of their definition.
class Module {
public:
  struct Definition {
    std::string name;
    std::shared_ptr<Function> function;
    LocationAttr location;
  };

  std::vector<Definition> functions;
  std::vector<TypeData> types;

  const Definition *lookupFunction(StringRef name) const;
  const TypeData *lookupType(StringRef name) const;
  std::shared_ptr<Constructor> lookupConstructor(StringRef name) const;
};

//===----------------------------------------------------------------------===//
// Traversal
//===----------------------------------------------------------------------===//

/// Calls `fn` for each expression that `expr` consists of, in the order in
/// which they are evaluated: for a call the arguments, then the callee. Bound
/// variables and patterns are not among them.
void forEachChild(const Expr &expr, function_ref<void(const ExprPtr &)> fn);

/// Calls `fn` once for every node below and at `root`, children first, with
/// constant use of the C++ stack.
void visitPostOrder(const ExprPtr &root,
                    function_ref<void(const ExprPtr &)> fn);

/// The bound variables of a node itself: of a let, parameters, or patterns.
void getBoundVars(const Expr &expr, std::vector<std::shared_ptr<Var>> &vars);

} // namespace mlir::relay::ast

#endif // RELAY_MLIR_FRONTEND_RELAYTEXT_AST_H
