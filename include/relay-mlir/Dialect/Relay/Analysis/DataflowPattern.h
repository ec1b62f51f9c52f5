//===- DataflowPattern.h - Patterns of programs -----------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Patterns as data, for code generators, passes and plugins:
//
//   using namespace mlir::relay::dataflow;
//   PatternPtr conv = isOp("nn.conv2d")->call({wildcard(), wildcard()});
//   PatternPtr biased = isOp("nn.bias_add")->call({conv, wildcard()});
//   PatternPtr relu = isOp("nn.relu")->call({conv | biased});
//
// A pattern that is used twice must match the same node in both places. Of an
// alternative the left side is tried first; what it has matched stays. A sum or
// product matches with its operands in either order; a pattern (a * b) / c
// matches a * (b / c) and (a / c) * b as well, and (a / b) * c matches
// (a * c) / b.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_RELAY_ANALYSIS_DATAFLOWPATTERN_H
#define RELAY_MLIR_DIALECT_RELAY_ANALYSIS_DATAFLOWPATTERN_H

#include "relay-mlir/Dialect/Relay/Analysis/DataflowGraph.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <memory>
#include <string>

namespace mlir::relay::dataflow {

class DFPattern;
using PatternPtr = std::shared_ptr<DFPattern>;
using PatternList = std::vector<PatternPtr>;

class DFPattern : public std::enable_shared_from_this<DFPattern> {
public:
  enum class Kind {
    /// Anything; or what the pattern `parts[0]` matches, if there is one.
    Wildcard,
    /// An expression that is equal to a node of another graph.
    Expr,
    /// The operator `name`.
    Op,
    /// A variable of the name `name`, any if that is empty.
    Var,
    Constant,
    /// parts: the callee, then the arguments.
    Call,
    /// parts: the parameters, then the body.
    Function,
    /// parts: condition, true branch, false branch.
    If,
    /// parts: variable, value, body.
    Let,
    /// parts: the fields.
    Tuple,
    /// parts: the tuple. Any field if `index` is -1.
    TupleGetItem,
    /// parts: what is tried first, and second.
    Alternative,
    /// parts: a pattern, of whose match the type is `type`,
    Type,
    /// ... or a tensor of the shape of `type`,
    Shape,
    /// ... or a tensor of elements `type`,
    DType,
    /// ... or the attributes are, among others, `attributes`: those of a call,
    /// of a function, or of an operator itself.
    Attributes,
    /// parts: parent, path, child. The child, of which all inputs are the
    /// parent, or matches of the path whose inputs are such again; variables
    /// and constants may be inputs besides. The child is on all ways from the
    /// parent to the result.
    Dominator,
  };

  explicit DFPattern(Kind kind) : kind(kind) {}
  DFPattern(const DFPattern &) = delete;
  DFPattern &operator=(const DFPattern &) = delete;
  ~DFPattern();

  Kind getKind() const { return kind; }

  /// A call of what this pattern matches.
  PatternPtr call(PatternList args);
  /// A call with any arguments.
  PatternPtr callWithAny();
  /// This pattern, or `make` of it.
  PatternPtr optional(function_ref<PatternPtr(PatternPtr)> make);
  PatternPtr hasAttributes(ArrayRef<NamedAttribute> attributes);
  PatternPtr hasType(mlir::Type type);
  PatternPtr hasShape(ArrayRef<int64_t> shape, MLIRContext *context);
  PatternPtr hasDType(mlir::Type elementType);
  /// This pattern as the child of a dominator pattern.
  PatternPtr dominates(PatternPtr parent, PatternPtr path = nullptr);
  /// Lets a wildcard match `pattern` only, which may contain the wildcard. Such
  /// a cycle is never freed.
  void redirectTo(PatternPtr pattern);

  PatternList parts;
  /// Of calls, functions and tuples: arguments, parameters or fields are left
  /// out, and may be anything.
  bool anyParts = false;
  std::string name;
  int64_t index = -1;
  mlir::Type type;
  SmallVector<NamedAttribute> attributes;
  std::shared_ptr<const Graph> graph;
  /// The node of `graph`.
  unsigned node = 0;

private:
  const Kind kind;
};

PatternPtr wildcard();
PatternPtr isVar(StringRef name = "");
PatternPtr isConstant();
PatternPtr isOp(StringRef name);
/// Matches what is equal to the root of `graph`.
PatternPtr isExpr(std::shared_ptr<const Graph> graph);
PatternPtr isTuple(PatternList fields);
PatternPtr isAnyTuple();
PatternPtr isTupleGetItem(PatternPtr tuple, int64_t index = -1);
PatternPtr isIf(PatternPtr condition, PatternPtr trueBranch,
                PatternPtr falseBranch);
PatternPtr isLet(PatternPtr var, PatternPtr value, PatternPtr body);
PatternPtr isFunction(PatternList params, PatternPtr body);
/// A function of any parameters.
PatternPtr isFunctionOf(PatternPtr body);
PatternPtr operator|(PatternPtr lhs, PatternPtr rhs);
PatternPtr operator+(PatternPtr lhs, PatternPtr rhs);
PatternPtr operator-(PatternPtr lhs, PatternPtr rhs);
PatternPtr operator*(PatternPtr lhs, PatternPtr rhs);
PatternPtr operator/(PatternPtr lhs, PatternPtr rhs);

/// The pattern as text, for errors and logs. A pattern that is used again is
/// written once, and is a number after that.
std::string toString(const DFPattern &pattern);

/// Calls `fn` once for each pattern below and at `root`, parts first, as far as
/// there are no cycles.
void visitPostOrder(const PatternPtr &root,
                    function_ref<void(const PatternPtr &)> fn);

/// Whether the pattern looks at types.
bool needsTypes(const PatternPtr &root);

} // namespace mlir::relay::dataflow

#endif // RELAY_MLIR_DIALECT_RELAY_ANALYSIS_DATAFLOWPATTERN_H
