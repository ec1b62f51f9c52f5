//===- OperationGraph.cpp - Patterns of operations ------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/Analysis/OperationGraph.h"

#include "relay-mlir/Dialect/Relay/Analysis/Expressions.h"
#include "relay-mlir/Dialect/Relay/IR/FunctionAttributes.h"
#include "relay-mlir/Dialect/Relay/IR/OperatorSchema.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::relay;

OperationGraph::OperationGraph(Operation *function)
    : Graph(function->getContext()) {
  Block &body = function->getRegion(0).front();
  SmallVector<unsigned, 4> operands;
  for (BlockArgument param : body.getArguments()) {
    Node node = {Kind::Var, {}, {}};
    node.annotation = param.getType();
    operands.push_back(addValueNode(std::move(node), param));
  }
  addBlock(body);
  Operation *terminator = body.getTerminator();
  operands.push_back(terminator->getNumOperands() == 1
                         ? numbers.lookup(terminator->getOperand(0))
                         : addTuple(terminator->getOperands()));
  Node node = {Kind::Function, std::move(operands), {}};
  node.identity = function;
  addValueNode(std::move(node), Value());
}

unsigned OperationGraph::addValueNode(Node node, Value value) {
  if (value)
    node.identity = value.getAsOpaquePointer();
  unsigned number = addNode(std::move(node));
  values.push_back(value);
  if (value)
    numbers[value] = number;
  return number;
}

unsigned OperationGraph::addName(Kind kind, StringRef name) {
  std::string key = (Twine(static_cast<int>(kind)) + " " + name).str();
  auto [it, isNew] = names.try_emplace(key, size());
  // The key stays where it is.
  if (isNew)
    addValueNode({kind, {}, it->first().split(' ').second}, Value());
  return it->second;
}

SmallVector<unsigned, 4> OperationGraph::lookup(ValueRange values) const {
  SmallVector<unsigned, 4> result;
  for (Value value : values)
    result.push_back(numbers.lookup(value));
  return result;
}

unsigned OperationGraph::addTuple(ValueRange fields) {
  if (Value tuple = getWholeTuple(fields))
    return numbers.lookup(tuple);
  return addValueNode({Kind::Tuple, lookup(fields), {}}, Value());
}

unsigned OperationGraph::addOperator(Operation *op) {
  const OperatorSchema *schema = nullptr;
  StringRef name = op->getName().getStringRef();
  auto apply = dyn_cast<ApplyOp>(op);
  if (apply)
    schema = getOperatorSchema(apply.getName());
  else
    schema = getOperatorSchema(op);
  if (schema)
    name = schema->name;
  SmallVector<unsigned, 4> operands = {addName(Kind::Op, name)};
  if (schema && schema->operands.size() == 1 &&
      schema->operands.front().kind == OperandKind::Tuple)
    operands.push_back(addTuple(op->getOperands()));
  else
    llvm::append_range(operands, lookup(op->getOperands()));
  Value result = op->getNumResults() == 1 ? Value(op->getResult(0)) : Value();
  Node node = {Kind::Call, std::move(operands), {}};
  node.identity = op;
  return addValueNode(std::move(node), result);
}

void OperationGraph::addOperation(Operation *op) {
  Value result = op->getNumResults() == 1 ? Value(op->getResult(0)) : Value();
  auto yielded = [&](Region &region) {
    return numbers.lookup(region.front().getTerminator()->getOperand(0));
  };
  auto call = [&](unsigned callee, ValueRange args) {
    SmallVector<unsigned, 4> operands = {callee};
    llvm::append_range(operands, lookup(args));
    return Node{Kind::Call, std::move(operands), {}};
  };
  auto make = [&](Kind kind, StringRef name = {}) {
    return Node{kind, lookup(op->getOperands()), name};
  };
  std::optional<Node> node =
      llvm::TypeSwitch<Operation *, std::optional<Node>>(op)
          .Case([&](ConstantOp constant) {
            Node node = make(Kind::Constant);
            node.value = constant.getValue();
            return node;
          })
          .Case([&](TupleOp) { return make(Kind::Tuple); })
          .Case([&](TupleGetItemOp item) {
            Node node = make(Kind::TupleGetItem);
            node.index = item.getIndex();
            return node;
          })
          .Case([&](LetOp let) {
            Node node = make(Kind::Var, let.getName());
            node.annotation = let.getType();
            return node;
          })
          .Case([&](GlobalOp global) {
            bool isFunction = isa<FlatSymbolRefAttr>(global.getSymbol());
            return Node{isFunction ? Kind::GlobalVar : Kind::Constructor,
                        {},
                        global.getSymbol().getLeafReference().getValue()};
          })
          .Case([&](CallOp op) {
            return call(addName(Kind::GlobalVar, op.getCallee()),
                        op.getOperands());
          })
          .Case([&](ConstructOp op) {
            StringRef name = op.getConstructor().getLeafReference().getValue();
            return call(addName(Kind::Constructor, name), op.getFields());
          })
          .Case([&](CallIndirectOp op) {
            return call(numbers.lookup(op.getCallee()), op.getArgs());
          })
          .Case([&](RefCreateOp) { return make(Kind::RefCreate); })
          .Case([&](RefReadOp) { return make(Kind::RefRead); })
          .Case([&](RefWriteOp) { return make(Kind::RefWrite); })
          .Case([&](IfOp op) {
            Node node = make(Kind::If);
            node.operands.push_back(yielded(op.getThenRegion()));
            node.operands.push_back(yielded(op.getElseRegion()));
            return node;
          })
          .Case([&](FnOp fn) {
            Node node = {Kind::Function, {}, {}};
            for (BlockArgument param : fn.getParams())
              node.operands.push_back(numbers.lookup(param));
            node.operands.push_back(yielded(fn.getBody()));
            return node;
          })
          .Case([&](MatchOp match) {
            Node node = make(Kind::Match);
            for (Region &region : match.getCases()) {
              for (BlockArgument var : region.getArguments())
                node.operands.push_back(numbers.lookup(var));
              node.index += region.getNumArguments();
              node.operands.push_back(yielded(region));
            }
            return node;
          })
          .Default([](Operation *) { return std::nullopt; });
  unsigned number = 0;
  if (node) {
    node->identity = op;
    number = addValueNode(std::move(*node), result);
  } else {
    number = addOperator(op);
  }
  if (op->getNumResults() < 2)
    return;
  for (OpResult item : op->getResults()) {
    Node node = {Kind::TupleGetItem, {number}, {}};
    node.index = item.getResultNumber();
    addValueNode(std::move(node), item);
  }
}

void OperationGraph::addBlock(Block &body) {
  // The operation that is next, of the blocks that are open.
  SmallVector<std::pair<Operation *, unsigned>> stack;
  auto enter = [&](Block &block) {
    if (&block != &body) {
      Operation *parent = block.getParentOp();
      auto fn = dyn_cast<FnOp>(parent);
      for (BlockArgument argument : block.getArguments()) {
        Node node = {Kind::Var, {}, {}};
        if (fn && argument != fn.getSelf())
          if (StringAttr name = fn.getParamName(argument.getArgNumber() -
                                                (fn.getSelf() ? 1 : 0)))
            node.name = name.getValue();
        node.annotation = argument.getType();
        addValueNode(std::move(node), argument);
      }
    }
    stack.emplace_back(&block.front(), 0);
  };
  enter(body);
  while (!stack.empty()) {
    auto &[op, region] = stack.back();
    if (op->hasTrait<OpTrait::IsTerminator>()) {
      stack.pop_back();
      continue;
    }
    if (region < op->getNumRegions()) {
      enter(op->getRegion(region++).front());
      continue;
    }
    addOperation(op);
    op = op->getNextNode();
    region = 0;
  }
}

Type OperationGraph::getType(unsigned node) const {
  if (values[node])
    return values[node].getType();
  if ((*this)[node].kind != Kind::Tuple)
    return nullptr;
  SmallVector<Type> types;
  for (unsigned field : (*this)[node].operands) {
    types.push_back(getType(field));
    if (!types.back())
      return nullptr;
  }
  return TupleType::get(getContext(), types);
}

SmallVector<NamedAttribute> OperationGraph::getAttributes(unsigned node) const {
  Value value = values[node];
  Operation *op = value ? value.getDefiningOp() : nullptr;
  if (!op)
    return {};
  if (isa<FnOp>(op))
    return llvm::to_vector(getFunctionTextAttrs(op));
  if ((*this)[node].kind != Kind::Call)
    return {};
  if (auto apply = dyn_cast<ApplyOp>(op))
    if (const OperatorSchema *schema = getOperatorSchema(apply.getName()))
      return toRawAttrs(*schema, apply.getAttrs());
  if (getOperatorSchema(op))
    return toRawAttrs(op);
  if (auto attrs = op->getAttrOfType<DictionaryAttr>(kTextAttrsAttrName))
    return llvm::to_vector(attrs.getValue());
  return isa<CallOp, CallIndirectOp, ConstructOp>(op)
             ? SmallVector<NamedAttribute>()
             : llvm::to_vector(op->getAttrDictionary().getValue());
}
