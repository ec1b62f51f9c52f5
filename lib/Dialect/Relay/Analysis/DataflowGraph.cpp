//===- DataflowGraph.cpp - A program as patterns see it -------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/Analysis/DataflowGraph.h"

#include "relay-mlir/Dialect/Relay/IR/OperatorSchema.h"

#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::dataflow;

Graph::~Graph() = default;

unsigned Graph::addNode(Node node) {
  unsigned number = nodes.size();
  for (unsigned operand : node.operands)
    nodes[operand].users.push_back(number);
  nodes.push_back(std::move(node));
  entered.clear();
  return number;
}

bool Graph::isCallOf(unsigned node, StringRef op) const {
  if (nodes[node].kind != Kind::Call)
    return false;
  const Node &callee = nodes[nodes[node].operands.front()];
  return callee.kind == Kind::Op && callee.name == op;
}

Attribute Graph::getAttribute(unsigned node, StringRef name) const {
  for (NamedAttribute attr : getAttributes(node))
    if (attr.getName() == name)
      return attr.getValue();
  if (nodes[node].kind != Kind::Call)
    return nullptr;
  const Node &callee = nodes[nodes[node].operands.front()];
  const OperatorSchema *schema =
      callee.kind == Kind::Op ? getOperatorSchema(callee.name) : nullptr;
  const AttributeSchema *attribute =
      schema ? schema->lookupAttribute(name) : nullptr;
  return attribute && attribute->presence != AttrPresence::Required
             ? attribute->getDefault(getContext())
             : nullptr;
}

//===----------------------------------------------------------------------===//
// Post-dominators
//===----------------------------------------------------------------------===//

void Graph::computePostDominators() const {
  // Users have higher numbers, so that one pass from the root down will do. One
  // more node is above all that nothing uses.
  unsigned top = size();
  parents.assign(size() + 1, top);
  SmallVector<unsigned> depth(size() + 1, 0);
  std::vector<SmallVector<unsigned, 2>> children(size() + 1);
  for (unsigned node = size(); node-- > 0;) {
    // Names that all calls share are never asked for.
    bool isName = nodes[node].kind == Kind::Op;
    unsigned common = top;
    if (!isName && !nodes[node].users.empty()) {
      common = nodes[node].users.front();
      for (unsigned other : nodes[node].users) {
        while (common != other) {
          unsigned &deeper = depth[common] >= depth[other] ? common : other;
          deeper = parents[deeper];
        }
        if (common == top)
          break;
      }
    }
    parents[node] = common;
    depth[node] = depth[common] + 1;
    children[common].push_back(node);
  }
  entered.assign(size() + 1, 0);
  last.assign(size() + 1, 0);
  unsigned number = 1;
  SmallVector<std::pair<unsigned, unsigned>> stack = {{top, 0}};
  while (!stack.empty()) {
    auto [node, next] = stack.back();
    if (next == children[node].size()) {
      last[node] = number - 1;
      stack.pop_back();
      continue;
    }
    ++stack.back().second;
    unsigned child = children[node][next];
    entered[child] = number++;
    stack.emplace_back(child, 0);
  }
}

bool Graph::postDominates(unsigned node, unsigned other) const {
  if (entered.empty())
    computePostDominators();
  return node != other && entered[node] <= entered[other] &&
         entered[other] <= last[node];
}

std::optional<unsigned> Graph::getPostDominator(unsigned node) const {
  if (entered.empty())
    computePostDominators();
  unsigned parent = parents[node];
  return parent == size() ? std::nullopt : std::optional(parent);
}

//===----------------------------------------------------------------------===//
// Equality
//===----------------------------------------------------------------------===//

bool mlir::relay::dataflow::areEqualAttributes(Attribute lhs, Attribute rhs) {
  if (lhs == rhs)
    return true;
  if (!lhs || !rhs)
    return false;
  auto getNumber = [](Attribute attr) -> std::optional<double> {
    if (auto value = dyn_cast<FloatAttr>(attr))
      return value.getValueAsDouble();
    if (auto value = dyn_cast<IntegerAttr>(attr))
      return value.getType().isInteger(1)
                 ? static_cast<double>(value.getValue().getBoolValue())
                 : value.getValue().signedRoundToDouble();
    return std::nullopt;
  };
  auto lhsInt = dyn_cast<IntegerAttr>(lhs), rhsInt = dyn_cast<IntegerAttr>(rhs);
  auto isWide = [](IntegerAttr attr) { return !attr.getType().isInteger(1); };
  if (lhsInt && rhsInt && isWide(lhsInt) && isWide(rhsInt)) {
    unsigned width = std::max(lhsInt.getValue().getBitWidth(),
                              rhsInt.getValue().getBitWidth());
    return lhsInt.getValue().sext(width) == rhsInt.getValue().sext(width);
  }
  std::optional<double> lhsNumber = getNumber(lhs), rhsNumber = getNumber(rhs);
  if (lhsNumber || rhsNumber)
    return lhsNumber && rhsNumber && *lhsNumber == *rhsNumber;
  auto lhsList = dyn_cast<ArrayAttr>(lhs), rhsList = dyn_cast<ArrayAttr>(rhs);
  return lhsList && rhsList && lhsList.size() == rhsList.size() &&
         llvm::all_of(llvm::zip_equal(lhsList, rhsList), [](auto pair) {
           return areEqualAttributes(std::get<0>(pair), std::get<1>(pair));
         });
}

/// The bytes of a constant, if they lie in memory one after the other.
static std::optional<ArrayRef<char>> getBytes(ElementsAttr value) {
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(value)) {
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    return blob ? std::optional(blob->getData()) : std::nullopt;
  }
  auto dense = dyn_cast<DenseElementsAttr>(value);
  if (!dense || (dense.isSplat() && dense.getNumElements() != 1))
    return std::nullopt;
  return dense.getRawData();
}

static bool areEqualConstants(ElementsAttr lhs, ElementsAttr rhs) {
  if (lhs == rhs)
    return true;
  if (lhs.getShapedType() != rhs.getShapedType())
    return false;
  std::optional<ArrayRef<char>> lhsBytes = getBytes(lhs),
                                rhsBytes = getBytes(rhs);
  if (lhsBytes && rhsBytes)
    return *lhsBytes == *rhsBytes;
  // One value for all elements, and a list of all.
  auto splat = dyn_cast<DenseElementsAttr>(lhsBytes ? rhs : lhs);
  std::optional<ArrayRef<char>> bytes = lhsBytes ? lhsBytes : rhsBytes;
  if (!splat || !splat.isSplat() || !bytes)
    return false;
  ArrayRef<char> element = splat.getRawData();
  if (element.empty() || bytes->size() % element.size())
    return false;
  for (size_t i = 0; i < bytes->size(); i += element.size())
    if (bytes->slice(i, element.size()) != element)
      return false;
  return true;
}

static bool haveEqualAttributes(const Graph &lhs, unsigned lhsNode,
                                const Graph &rhs, unsigned rhsNode) {
  // What one side writes may be the default on the other.
  auto hasAllOf = [](const Graph &graph, unsigned node, const Graph &other,
                     unsigned otherNode) {
    return llvm::all_of(
        other.getAttributes(otherNode), [&](NamedAttribute attr) {
          return areEqualAttributes(attr.getValue(),
                                    graph.getAttribute(node, attr.getName()));
        });
  };
  return hasAllOf(lhs, lhsNode, rhs, rhsNode) &&
         hasAllOf(rhs, rhsNode, lhs, lhsNode);
}

bool mlir::relay::dataflow::areEqual(const Graph &lhs, unsigned lhsRoot,
                                     const Graph &rhs, unsigned rhsRoot) {
  using Kind = Graph::Kind;
  // Nodes that correspond, in both directions: a node that is used twice is not
  // equal to two nodes.
  DenseMap<unsigned, unsigned> toRhs, toLhs;
  SmallVector<std::pair<unsigned, unsigned>> stack = {{lhsRoot, rhsRoot}};
  while (!stack.empty()) {
    auto [l, r] = stack.pop_back_val();
    const Graph::Node &left = lhs[l], &right = rhs[r];
    if (left.kind != right.kind || left.index != right.index ||
        left.operands.size() != right.operands.size())
      return false;
    bool isShared = left.kind != Kind::Op && left.kind != Kind::GlobalVar &&
                    left.kind != Kind::Constructor &&
                    left.kind != Kind::Constant;
    if (isShared) {
      auto [it, isNew] = toRhs.try_emplace(l, r);
      auto [back, isNewBack] = toLhs.try_emplace(r, l);
      if (it->second != r || back->second != l)
        return false;
      if (!isNew)
        continue;
    }
    switch (left.kind) {
    case Kind::Op:
    case Kind::GlobalVar:
    case Kind::Constructor:
      if (left.name != right.name)
        return false;
      break;
    case Kind::Constant:
      if (!areEqualConstants(left.value, right.value))
        return false;
      break;
    case Kind::Var: {
      if (left.identity == right.identity)
        break;
      // Bound on both sides, or else two different variables.
      auto isBoundIn = [](const Graph &graph, unsigned var, unsigned root) {
        return llvm::any_of(graph[var].users, [&](unsigned user) {
          const Graph::Node &node = graph[user];
          if (user > root)
            return false;
          ArrayRef<unsigned> operands = node.operands;
          if (node.kind == Kind::Let)
            return operands.front() == var;
          if (node.kind == Kind::Function)
            return llvm::is_contained(operands.drop_back(), var);
          return node.kind == Kind::Match &&
                 llvm::is_contained(operands.drop_front(), var);
        });
      };
      if (left.annotation != right.annotation || !isBoundIn(lhs, l, lhsRoot) ||
          !isBoundIn(rhs, r, rhsRoot))
        return false;
      break;
    }
    case Kind::Call:
    case Kind::Function:
      if (!haveEqualAttributes(lhs, l, rhs, r))
        return false;
      break;
    default:
      break;
    }
    for (auto [a, b] :
         llvm::reverse(llvm::zip_equal(left.operands, right.operands)))
      stack.emplace_back(a, b);
  }
  return true;
}
