//===- Exporter.h - From the relay dialect to expressions -------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to this folder.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_FRONTEND_RELAYTEXT_EXPORTER_H
#define RELAY_MLIR_LIB_FRONTEND_RELAYTEXT_EXPORTER_H

#include "EvaluationOrder.h"

#include "relay-mlir/Dialect/Relay/IR/OperatorSchema.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Frontend/RelayText/AST.h"
#include "relay-mlir/Frontend/RelayText/RelayText.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::relay::ast {

/// What all functions of a module share.
class ModuleExporter {
public:
  explicit ModuleExporter(ModuleOp op, ExportedNodes *nodes = nullptr)
      : nodes(nodes), op(op) {}

  /// Where to keep what operations become, or null.
  ExportedNodes *const nodes;

  FailureOr<Module> run();

  ExprPtr getOp(StringRef name);
  /// A function of the module, or null.
  ExprPtr getGlobalVar(StringRef name);
  std::shared_ptr<Constructor> getConstructor(SymbolRefAttr symbol);

private:
  void exportType(ADTOp adt);

  ModuleOp op;
  Module module;
  llvm::StringMap<ExprPtr> ops, globals;
  DenseMap<Attribute, std::shared_ptr<Constructor>> constructors;
};

/// Makes the expression of one function.
class FunctionExporter {
public:
  FunctionExporter(ModuleExporter &module, func::FuncOp op)
      : module(module), op(op), order(op) {}

  /// Returns null after an error.
  std::shared_ptr<Function> run();

private:
  struct Statement {
    std::shared_ptr<Var> var;
    ExprPtr value;
  };
  /// A block whose operations are being turned into expressions.
  struct Frame {
    Block *block;
    Block::iterator next;
    std::vector<Statement> statements;
    /// The operation that waits for its regions, and their expressions.
    Operation *op = nullptr;
    std::vector<ExprPtr> regions;
  };

  /// The expression of a block; null after an error.
  ExprPtr exportBody(Block &block);
  LogicalResult exportOperation(Operation *op, Frame &frame);
  /// Makes the node for an operation whose regions are done.
  ExprPtr makeNode(Operation *op, ArrayRef<ExprPtr> regions);
  ExprPtr makeFunction(FnOp fn, const ExprPtr &body);
  ExprPtr makeCall(ExprPtr callee, Type calleeType, Operation *op,
                   OperandRange args);
  ExprPtr makeMatch(MatchOp match, ArrayRef<ExprPtr> bodies);
  ExprPtr makeOperator(Operation *op, const OperatorSchema &schema,
                       DictionaryAttr attrs);
  ExprPtr makeTuple(Operation *user, OperandRange fields);
  ExprPtr closeBlock(Frame &frame);
  PatternPtr exportPattern(Attribute pattern, Block &block, unsigned &next);
  void bindParams(Region &region);

  std::shared_ptr<Var> makeVar(StringRef name, Type type, Location loc);
  ExprPtr getExpr(Value value) { return exprs.lookup(value); }
  std::vector<ExprPtr> getExprs(ValueRange values);
  /// Sets the type and location of a new node.
  template <typename NodeTy>
  std::shared_ptr<NodeTy> finish(std::shared_ptr<NodeTy> node, Type type,
                                 Location loc);

  ModuleExporter &module;
  func::FuncOp op;
  EvaluationOrder order;
  DenseMap<Value, ExprPtr> exprs;
  /// The variables of closures that call themselves.
  DenseMap<Operation *, std::shared_ptr<Var>> selves;
  /// The patterns of cases, whose variables are made before their bodies.
  DenseMap<Region *, PatternPtr> patterns;
  /// Tuples of each block by a hash of their fields, so that operators share
  /// them again.
  DenseMap<std::pair<Block *, size_t>,
           SmallVector<std::pair<SmallVector<Value>, ExprPtr>, 1>>
      tuples;
};

/// Null for a location that is not known.
LocationAttr exportLocation(Location loc);

} // namespace mlir::relay::ast

#endif // RELAY_MLIR_LIB_FRONTEND_RELAYTEXT_EXPORTER_H
