//===- DataflowPattern.cpp - Patterns of programs -------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/Analysis/DataflowPattern.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::relay::dataflow;

using Kind = DFPattern::Kind;

//===----------------------------------------------------------------------===//
// Making patterns
//===----------------------------------------------------------------------===//

DFPattern::~DFPattern() {
  // Patterns may be as deep as programs: their destruction does not recurse.
  thread_local PatternList pending;
  thread_local bool draining = false;
  for (PatternPtr &part : parts)
    if (part && part.use_count() == 1)
      pending.push_back(std::move(part));
  if (draining)
    return;
  draining = true;
  while (!pending.empty()) {
    PatternPtr next = std::move(pending.back());
    pending.pop_back();
    next.reset();
  }
  draining = false;
}

static PatternPtr make(Kind kind, PatternList parts) {
  auto pattern = std::make_shared<DFPattern>(kind);
  pattern->parts = std::move(parts);
  return pattern;
}

PatternPtr DFPattern::call(PatternList args) {
  args.insert(args.begin(), shared_from_this());
  return make(Kind::Call, std::move(args));
}

PatternPtr DFPattern::callWithAny() {
  PatternPtr pattern = call({});
  pattern->anyParts = true;
  return pattern;
}

PatternPtr DFPattern::optional(function_ref<PatternPtr(PatternPtr)> make) {
  return shared_from_this() | make(shared_from_this());
}

PatternPtr DFPattern::hasAttributes(ArrayRef<NamedAttribute> attributes) {
  PatternPtr pattern = make(Kind::Attributes, {shared_from_this()});
  llvm::append_range(pattern->attributes, attributes);
  return pattern;
}

PatternPtr DFPattern::hasType(mlir::Type type) {
  PatternPtr pattern = make(Kind::Type, {shared_from_this()});
  pattern->type = type;
  return pattern;
}

PatternPtr DFPattern::hasShape(ArrayRef<int64_t> shape, MLIRContext *context) {
  PatternPtr pattern = make(Kind::Shape, {shared_from_this()});
  // Only the shape counts.
  pattern->type = RankedTensorType::get(shape, Float32Type::get(context));
  return pattern;
}

PatternPtr DFPattern::hasDType(mlir::Type elementType) {
  PatternPtr pattern = make(Kind::DType, {shared_from_this()});
  pattern->type = elementType;
  return pattern;
}

PatternPtr DFPattern::dominates(PatternPtr parent, PatternPtr path) {
  if (!path)
    path = wildcard();
  return make(Kind::Dominator,
              {std::move(parent), std::move(path), shared_from_this()});
}

void DFPattern::redirectTo(PatternPtr pattern) {
  assert(kind == Kind::Wildcard && "only wildcards are redirected");
  parts = {std::move(pattern)};
}

PatternPtr mlir::relay::dataflow::wildcard() {
  return make(Kind::Wildcard, {});
}

PatternPtr mlir::relay::dataflow::isVar(StringRef name) {
  PatternPtr pattern = make(Kind::Var, {});
  pattern->name = name.str();
  return pattern;
}

PatternPtr mlir::relay::dataflow::isConstant() {
  return make(Kind::Constant, {});
}

PatternPtr mlir::relay::dataflow::isOp(StringRef name) {
  PatternPtr pattern = make(Kind::Op, {});
  pattern->name = name.str();
  return pattern;
}

PatternPtr mlir::relay::dataflow::isExpr(std::shared_ptr<const Graph> graph) {
  PatternPtr pattern = make(Kind::Expr, {});
  pattern->node = graph->size() - 1;
  pattern->graph = std::move(graph);
  return pattern;
}

PatternPtr mlir::relay::dataflow::isTuple(PatternList fields) {
  return make(Kind::Tuple, std::move(fields));
}

PatternPtr mlir::relay::dataflow::isAnyTuple() {
  PatternPtr pattern = make(Kind::Tuple, {});
  pattern->anyParts = true;
  return pattern;
}

PatternPtr mlir::relay::dataflow::isTupleGetItem(PatternPtr tuple,
                                                 int64_t index) {
  PatternPtr pattern = make(Kind::TupleGetItem, {std::move(tuple)});
  pattern->index = index;
  return pattern;
}

PatternPtr mlir::relay::dataflow::isIf(PatternPtr condition,
                                       PatternPtr trueBranch,
                                       PatternPtr falseBranch) {
  return make(Kind::If, {std::move(condition), std::move(trueBranch),
                         std::move(falseBranch)});
}

PatternPtr mlir::relay::dataflow::isLet(PatternPtr var, PatternPtr value,
                                        PatternPtr body) {
  return make(Kind::Let, {std::move(var), std::move(value), std::move(body)});
}

PatternPtr mlir::relay::dataflow::isFunction(PatternList params,
                                             PatternPtr body) {
  params.push_back(std::move(body));
  return make(Kind::Function, std::move(params));
}

PatternPtr mlir::relay::dataflow::isFunctionOf(PatternPtr body) {
  PatternPtr pattern = isFunction({}, std::move(body));
  pattern->anyParts = true;
  return pattern;
}

PatternPtr mlir::relay::dataflow::operator|(PatternPtr lhs, PatternPtr rhs) {
  return make(Kind::Alternative, {std::move(lhs), std::move(rhs)});
}

PatternPtr mlir::relay::dataflow::operator+(PatternPtr lhs, PatternPtr rhs) {
  return isOp("add")->call({std::move(lhs), std::move(rhs)});
}

PatternPtr mlir::relay::dataflow::operator-(PatternPtr lhs, PatternPtr rhs) {
  return isOp("subtract")->call({std::move(lhs), std::move(rhs)});
}

PatternPtr mlir::relay::dataflow::operator*(PatternPtr lhs, PatternPtr rhs) {
  return isOp("multiply")->call({std::move(lhs), std::move(rhs)});
}

PatternPtr mlir::relay::dataflow::operator/(PatternPtr lhs, PatternPtr rhs) {
  return isOp("divide")->call({std::move(lhs), std::move(rhs)});
}

//===----------------------------------------------------------------------===//
// Traversal
//===----------------------------------------------------------------------===//

void mlir::relay::dataflow::visitPostOrder(
    const PatternPtr &root, function_ref<void(const PatternPtr &)> fn) {
  DenseSet<const DFPattern *> visited = {root.get()};
  std::vector<std::pair<PatternPtr, size_t>> stack = {{root, 0}};
  while (!stack.empty()) {
    auto &[pattern, next] = stack.back();
    if (next < pattern->parts.size()) {
      PatternPtr part = pattern->parts[next++];
      if (visited.insert(part.get()).second)
        stack.emplace_back(std::move(part), 0);
      continue;
    }
    PatternPtr done = std::move(pattern);
    stack.pop_back();
    fn(done);
  }
}

bool mlir::relay::dataflow::needsTypes(const PatternPtr &root) {
  bool needed = false;
  visitPostOrder(root, [&](const PatternPtr &pattern) {
    Kind kind = pattern->getKind();
    needed |= kind == Kind::Type || kind == Kind::Shape || kind == Kind::DType;
  });
  return needed;
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

/// What a pattern is without its parts.
static std::string describe(const DFPattern &pattern) {
  std::string text;
  llvm::raw_string_ostream os(text);
  switch (pattern.getKind()) {
  case Kind::Wildcard:
    os << (pattern.parts.empty() ? "*" : "*=");
    break;
  case Kind::Expr:
    os << "expr";
    if (const Graph::Node &node = (*pattern.graph)[pattern.node];
        !node.name.empty())
      os << "[" << node.name << "]";
    break;
  case Kind::Op:
    os << pattern.name;
    break;
  case Kind::Var:
    os << "var";
    if (!pattern.name.empty())
      os << "[" << pattern.name << "]";
    break;
  case Kind::Constant:
    os << "constant";
    break;
  case Kind::Call:
    os << "call";
    break;
  case Kind::Function:
    os << "function";
    break;
  case Kind::If:
    os << "if";
    break;
  case Kind::Let:
    os << "let";
    break;
  case Kind::Tuple:
    os << "tuple";
    break;
  case Kind::TupleGetItem:
    os << "tuple_get_item[";
    if (pattern.index >= 0)
      os << pattern.index;
    os << "]";
    break;
  case Kind::Alternative:
    os << "either";
    break;
  case Kind::Type:
    os << "has_type[" << pattern.type << "]";
    break;
  case Kind::Shape:
    os << "has_shape[";
    llvm::interleave(
        cast<RankedTensorType>(pattern.type).getShape(), os,
        [&](int64_t size) {
          if (ShapedType::isDynamic(size))
            os << "?";
          else
            os << size;
        },
        ", ");
    os << "]";
    break;
  case Kind::DType:
    os << "has_dtype[" << pattern.type << "]";
    break;
  case Kind::Attributes:
    os << "has_attr[";
    llvm::interleaveComma(pattern.attributes, os, [&](NamedAttribute attr) {
      os << attr.getName().getValue() << " = " << attr.getValue();
    });
    os << "]";
    break;
  case Kind::Dominator:
    os << "dominator";
    break;
  }
  return text;
}

std::string mlir::relay::dataflow::toString(const DFPattern &root) {
  // Patterns that are used more than once get a number where they are written.
  DenseMap<const DFPattern *, unsigned> uses, numbers;
  std::vector<const DFPattern *> work = {&root};
  while (!work.empty()) {
    const DFPattern *pattern = work.back();
    work.pop_back();
    if (uses[pattern]++ == 0)
      for (const PatternPtr &part : pattern->parts)
        work.push_back(part.get());
  }
  std::string text;
  llvm::raw_string_ostream os(text);
  std::vector<std::pair<const DFPattern *, size_t>> stack;
  auto enter = [&](const DFPattern *pattern) {
    bool isShort = pattern->getKind() == Kind::Op;
    if (uses.lookup(pattern) > 1 && !isShort) {
      auto [it, isNew] = numbers.try_emplace(pattern, numbers.size());
      os << "#" << it->second;
      if (!isNew)
        return;
      os << ":";
    }
    os << describe(*pattern);
    if (pattern->parts.empty() && !pattern->anyParts)
      return;
    os << "(";
    stack.emplace_back(pattern, 0);
  };
  enter(&root);
  while (!stack.empty()) {
    auto [pattern, next] = stack.back();
    bool isLast = next == pattern->parts.size();
    if (isLast && pattern->anyParts && pattern->getKind() != Kind::Function)
      os << (next ? ", ..." : "...");
    if (isLast) {
      os << ")";
      stack.pop_back();
      continue;
    }
    if (next == 0 && pattern->anyParts && pattern->getKind() == Kind::Function)
      os << "..., ";
    if (next)
      os << ", ";
    ++stack.back().second;
    enter(pattern->parts[next].get());
  }
  return text;
}
