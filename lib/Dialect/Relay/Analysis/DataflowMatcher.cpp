//===- DataflowMatcher.cpp - Matches one pattern --------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A goal is a pattern and a node. A frame on the matcher's own stack goes over
// the ways in which a goal can be reached (the sides of an alternative, the
// orders of operands), each of which is a list of goals. What has been matched
// is bound, and unbound again if it leads nowhere.
//
// The result of a goal depends on what is bound already, but only on patterns
// below that of the goal, and only on those that are used in several places.
// With those as a part of the key, results are remembered. Without that,
// alternatives of alternatives would take exponential time.
//
//===----------------------------------------------------------------------===//

#include "DataflowItems.h"

#include "relay-mlir/Dialect/Relay/Analysis/DataflowMatcher.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

#include <map>

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::dataflow;

using Kind = DFPattern::Kind;
using NodeKind = Graph::Kind;

namespace {
/// How far a dominator has been followed from its child to its parent.
struct PathWalk {
  struct Level {
    unsigned node;
    /// The operand that is looked at, and how many lead to the parent.
    unsigned next = 0, reached = 0;
    /// Whether that this is not the parent, nor are the operands so far,
    /// depends on nothing that is bound.
    bool isAbsolute = true;
  };
  enum { Child, Parent, Path } awaited = Child;
  std::vector<Level> levels;
  DenseSet<unsigned> visited;
  unsigned parent = kNone;
};
} // namespace

//===----------------------------------------------------------------------===//
// Matcher
//===----------------------------------------------------------------------===//

class Matcher::Impl {
public:
  Impl(const Graph &graph, const PatternPtr &pattern,
       OperatorAttributeFn operatorAttributes)
      : graph(graph), items(pattern),
        operatorAttributes(std::move(operatorAttributes)),
        bound(items.items.size(), kNone), boundShared(items.shared.size()),
        hopeless(items.items.size()) {}

  std::optional<Match> match(unsigned node);

  const Graph &graph;
  const Items items;

private:
  struct Goal {
    unsigned item, node;
  };
  struct Frame {
    Goal goal;
    /// Whether patterns that are bound must match the same again.
    bool isBinding;
    /// What had been bound before.
    unsigned mark;
    /// The goals of the way that is being tried, and how many are reached.
    unsigned way = 0;
    SmallVector<Goal, 4> goals = {};
    unsigned reached = 0;
    /// What of the bound patterns the result depends on.
    unsigned context = 0;
    std::unique_ptr<PathWalk> walk = nullptr;
  };
  /// Something that has been bound, after `previous`.
  struct Binding {
    unsigned item, node, before, previous;
    bool isBinding;
  };
  /// What a goal that was reached has bound: from `mark` to `end`.
  struct Result {
    unsigned mark, end;
  };
  /// Item, node, and what else the result depends on.
  using Key = std::tuple<unsigned, unsigned, unsigned>;

  const Item &get(unsigned item) const { return items.items[item]; }
  const DFPattern &getPattern(unsigned item) const {
    return *get(item).pattern;
  }

  /// Reaches a goal, or pushes a frame for it.
  std::optional<bool> enter(Goal goal, bool isBinding);
  /// Goes on after the last goal of a frame. Returns its result, or nothing if
  /// `next` is to be entered.
  std::optional<bool> resume(Frame &frame, std::optional<bool> result,
                             Goal &next, bool &isBinding);
  std::optional<bool> resumeDominator(Frame &frame, std::optional<bool> result,
                                      Goal &next, bool &isBinding);
  std::optional<bool> walkPaths(Frame &frame, Goal &next, bool &isBinding);
  void markHopeless(const Frame &frame);
  bool enterPath(Frame &frame, unsigned input, Goal &next);
  bool openWay(Frame &frame);
  bool openCall(Frame &frame);
  /// What of a goal can be said at once: whether it may be reached at all.
  bool mayMatch(const DFPattern &pattern, unsigned node);
  /// What can be said after the parts have matched.
  bool checkType(const DFPattern &pattern, unsigned node);
  bool checkAttributes(const DFPattern &pattern, unsigned node);

  void bind(unsigned item, unsigned node, bool isBinding);
  void unbindTo(unsigned mark);
  void replay(const Result &result);
  unsigned getContext(unsigned item);

  OperatorAttributeFn operatorAttributes;
  llvm::StringMap<Attribute> knownOperatorAttributes;

  std::vector<Frame> frames;
  /// All that has been bound in this match; `top` is the last that is bound.
  std::vector<Binding> bindings;
  unsigned top = kNone;
  /// The node that each item is bound to.
  std::vector<unsigned> bound;
  llvm::BitVector boundShared;
  /// Frames below this one depend on a goal that waits for itself.
  unsigned cut = kNone;
  /// Goals on the stack, if patterns contain themselves.
  DenseMap<Key, unsigned> open;
  /// Goals that were reached in this match, and those that cannot be.
  DenseMap<Key, Result> reached;
  DenseSet<Key> failed;
  std::map<std::vector<unsigned>, unsigned> contexts;
  /// By items that are dominators: nodes above which no parent is.
  std::vector<llvm::BitVector> hopeless;
};

/// So many failures are remembered from one match to the next.
static constexpr unsigned kMaxFailures = 1 << 20;

Matcher::Matcher(const Graph &graph, PatternPtr pattern,
                 OperatorAttributeFn operatorAttributes)
    : impl(std::make_unique<Impl>(graph, pattern,
                                  std::move(operatorAttributes))) {}

Matcher::~Matcher() = default;

std::optional<Match> Matcher::match(unsigned node) { return impl->match(node); }

const std::vector<PatternPtr> &Matcher::getPatterns() const {
  return impl->items.patterns;
}

std::optional<Match> Matcher::Impl::match(unsigned node) {
  unbindTo(kNone);
  bindings.clear();
  reached.clear();
  if (failed.size() > kMaxFailures)
    failed.clear();
  Goal goal = {static_cast<unsigned>(items.patterns.size() - 1), node};
  std::optional<bool> result = enter(goal, /*isBinding=*/true);
  while (!frames.empty()) {
    Goal next;
    bool isBinding = true;
    std::optional<bool> done = resume(frames.back(), result, next, isBinding);
    if (!done) {
      result = enter(next, isBinding);
      continue;
    }
    result = done;
    Frame frame = std::move(frames.back());
    frames.pop_back();
    if (*done)
      bind(frame.goal.item, frame.goal.node, frame.isBinding);
    else
      unbindTo(frame.mark);
    if (items.hasCycle)
      open.erase(Key(frame.goal.item, frame.goal.node, frame.isBinding));
    if (cut != kNone && cut < frames.size())
      continue;
    cut = kNone;
    if (!items.hasChoice)
      continue;
    Key key = {frame.goal.item, frame.goal.node, frame.context};
    if (*done)
      reached[key] = {frame.mark, top};
    else
      failed.insert(key);
  }
  if (!*result)
    return std::nullopt;
  Match match = {node, {}};
  for (unsigned i = top; i != kNone; i = bindings[i].previous)
    if (!get(bindings[i].item).isSynthetic)
      match.bindings.emplace_back(&getPattern(bindings[i].item),
                                  bindings[i].node);
  std::reverse(match.bindings.begin(), match.bindings.end());
  return match;
}

//===----------------------------------------------------------------------===//
// Bindings
//===----------------------------------------------------------------------===//

void Matcher::Impl::bind(unsigned item, unsigned node, bool isBinding) {
  bindings.push_back({item, node, bound[item], top, isBinding});
  top = bindings.size() - 1;
  if (!isBinding)
    return;
  bound[item] = node;
  if (get(item).shared != kNone)
    boundShared.set(get(item).shared);
}

void Matcher::Impl::unbindTo(unsigned mark) {
  for (; top != mark; top = bindings[top].previous) {
    const Binding &binding = bindings[top];
    bound[binding.item] = binding.before;
    if (binding.before == kNone && get(binding.item).shared != kNone)
      boundShared.reset(get(binding.item).shared);
  }
}

void Matcher::Impl::replay(const Result &result) {
  SmallVector<Binding> missing;
  for (unsigned i = result.end; i != result.mark; i = bindings[i].previous)
    missing.push_back(bindings[i]);
  for (const Binding &binding : llvm::reverse(missing))
    bind(binding.item, binding.node, binding.isBinding);
}

/// A number for what of the bound patterns the result of an item depends on.
unsigned Matcher::Impl::getContext(unsigned item) {
  if (boundShared.none())
    return 1;
  llvm::BitVector relevant = get(item).sharedBelow;
  relevant &= boundShared;
  std::vector<unsigned> context;
  for (unsigned shared : relevant.set_bits()) {
    context.push_back(shared);
    context.push_back(bound[items.shared[shared]]);
  }
  if (context.empty())
    return 1;
  return contexts.try_emplace(std::move(context), contexts.size() + 2)
      .first->second;
}

//===----------------------------------------------------------------------===//
// Goals
//===----------------------------------------------------------------------===//

bool Matcher::Impl::mayMatch(const DFPattern &pattern, unsigned number) {
  const Graph::Node &node = graph[number];
  size_t parts = pattern.parts.size();
  switch (pattern.getKind()) {
  case Kind::Expr:
    return areEqual(*pattern.graph, pattern.node, graph, number);
  case Kind::Op:
    return node.kind == NodeKind::Op && node.name == pattern.name;
  case Kind::Var:
    return node.kind == NodeKind::Var &&
           (pattern.name.empty() || node.name == pattern.name);
  case Kind::Constant:
    return node.kind == NodeKind::Constant;
  case Kind::Call:
    return node.kind == NodeKind::Call &&
           (pattern.anyParts || node.operands.size() == parts);
  case Kind::Function:
    return node.kind == NodeKind::Function &&
           (pattern.anyParts || node.operands.size() == parts);
  case Kind::If:
    return node.kind == NodeKind::If;
  case Kind::Let:
    return node.kind == NodeKind::Let;
  case Kind::Tuple:
    return node.kind == NodeKind::Tuple &&
           (pattern.anyParts || node.operands.size() == parts);
  case Kind::TupleGetItem:
    return node.kind == NodeKind::TupleGetItem &&
           (pattern.index == -1 || node.index == pattern.index);
  case Kind::Attributes:
    return checkAttributes(pattern, number);
  case Kind::Wildcard:
  case Kind::Alternative:
  case Kind::Type:
  case Kind::Shape:
  case Kind::DType:
  case Kind::Dominator:
    return true;
  }
  return false;
}

bool Matcher::Impl::checkAttributes(const DFPattern &pattern, unsigned number) {
  const Graph::Node &node = graph[number];
  return llvm::all_of(pattern.attributes, [&](NamedAttribute attr) {
    Attribute value;
    if (node.kind == NodeKind::Op) {
      std::string key = (node.name + "/" + attr.getName().getValue()).str();
      auto [it, isNew] = knownOperatorAttributes.try_emplace(key);
      if (isNew)
        it->second = operatorAttributes(node.name, attr.getName());
      value = it->second;
    } else if (node.kind == NodeKind::Call || node.kind == NodeKind::Function) {
      value = graph.getAttribute(number, attr.getName());
    }
    return areEqualAttributes(attr.getValue(), value);
  });
}

bool Matcher::Impl::checkType(const DFPattern &pattern, unsigned number) {
  Type type = graph.getType(number);
  if (pattern.getKind() == Kind::Type)
    return type == pattern.type;
  auto tensor = dyn_cast_if_present<RankedTensorType>(type);
  if (pattern.getKind() == Kind::DType)
    return tensor && tensor.getElementType() == pattern.type;
  return tensor &&
         tensor.getShape() == cast<RankedTensorType>(pattern.type).getShape();
}

std::optional<bool> Matcher::Impl::enter(Goal goal, bool isBinding) {
  const Item &item = get(goal.item);
  if (isBinding && bound[goal.item] != kNone)
    return bound[goal.item] == goal.node;
  if (!mayMatch(*item.pattern, goal.node))
    return false;
  bool isLeaf = item.parts.empty() && item.pattern->getKind() != Kind::Type;
  if (isLeaf) {
    bind(goal.item, goal.node, isBinding);
    return true;
  }
  Frame frame = {goal, isBinding, top};
  if (items.hasChoice) {
    // Where nothing binds, the result depends on nothing.
    frame.context = isBinding ? getContext(goal.item) : 0;
    Key key = {goal.item, goal.node, frame.context};
    if (failed.contains(key))
      return false;
    auto it = reached.find(key);
    if (it != reached.end()) {
      replay(it->second);
      return true;
    }
  }
  if (items.hasCycle) {
    auto [it, isNew] =
        open.try_emplace(Key(goal.item, goal.node, isBinding), frames.size());
    if (!isNew) {
      // A pattern that begins with itself matches nothing by that.
      cut = std::min(cut, it->second);
      return false;
    }
  }
  frames.push_back(std::move(frame));
  return std::nullopt;
}

bool Matcher::Impl::openCall(Frame &frame) {
  const Item &item = get(frame.goal.item);
  const Graph::Node &node = graph[frame.goal.node];
  unsigned way = frame.way;
  if (way == 0 || (way == 1 && item.isCommutative)) {
    if (way == 1) {
      frame.goals.push_back({item.parts.front(), node.operands.front()});
      for (unsigned i = 1, e = item.parts.size(); i < e; ++i)
        frame.goals.push_back({item.parts[e - i], node.operands[i]});
      return true;
    }
    for (auto [part, operand] : llvm::zip(item.parts, node.operands))
      frame.goals.push_back({part, operand});
    return true;
  }
  // Other forms are for other operators than that of the pattern.
  unsigned form = way - 1 - item.isCommutative;
  if (form >= item.otherForms.size() ||
      graph.isCallOf(frame.goal.node, item.pattern->parts.front()->name))
    return false;
  frame.goals.push_back({item.otherForms[form], frame.goal.node});
  return true;
}

bool Matcher::Impl::openWay(Frame &frame) {
  const Item &item = get(frame.goal.item);
  unsigned number = frame.goal.node;
  const Graph::Node &node = graph[number];
  frame.goals.clear();
  frame.reached = 0;
  unsigned way = frame.way;
  bool hasWay = way == 0;
  switch (item.pattern->getKind()) {
  case Kind::Call:
    hasWay = openCall(frame);
    break;
  case Kind::Alternative:
    hasWay = way < 2;
    if (hasWay)
      frame.goals.push_back({item.parts[way], number});
    break;
  case Kind::Wildcard:
  case Kind::Type:
  case Kind::Shape:
  case Kind::DType:
  case Kind::Attributes:
    frame.goals.push_back({item.parts.front(), number});
    break;
  case Kind::Function:
    // With any parameters, the body alone.
    if (item.pattern->anyParts) {
      frame.goals.push_back({item.parts.back(), node.operands.back()});
      break;
    }
    [[fallthrough]];
  default:
    for (auto [part, operand] : llvm::zip(item.parts, node.operands))
      frame.goals.push_back({part, operand});
    break;
  }
  ++frame.way;
  return hasWay;
}

std::optional<bool> Matcher::Impl::resume(Frame &frame,
                                          std::optional<bool> result,
                                          Goal &next, bool &isBinding) {
  const DFPattern &pattern = getPattern(frame.goal.item);
  if (pattern.getKind() == Kind::Dominator)
    return resumeDominator(frame, result, next, isBinding);
  isBinding = frame.isBinding;
  if (frame.way > 0 && *result) {
    ++frame.reached;
  } else {
    unbindTo(frame.mark);
    if (!openWay(frame))
      return false;
  }
  if (frame.reached < frame.goals.size()) {
    next = frame.goals[frame.reached];
    return std::nullopt;
  }
  Kind kind = pattern.getKind();
  return (kind != Kind::Type && kind != Kind::Shape && kind != Kind::DType) ||
         checkType(pattern, frame.goal.node);
}

//===----------------------------------------------------------------------===//
// Dominators
//===----------------------------------------------------------------------===//

/// The operands through which a path may go.
static ArrayRef<unsigned> getInputs(const Graph &graph, unsigned node) {
  ArrayRef<unsigned> operands = graph[node].operands;
  return graph[node].kind == NodeKind::Call ? operands.drop_front() : operands;
}

static bool endsPath(const Graph &graph, unsigned node) {
  NodeKind kind = graph[node].kind;
  return kind == NodeKind::Var || kind == NodeKind::Constant;
}

/// Remembers that no parent is above the nodes of a path that failed.
void Matcher::Impl::markHopeless(const Frame &frame) {
  llvm::BitVector &nodes = hopeless[frame.goal.item];
  nodes.resize(graph.size());
  // The child itself may be a parent of others.
  ArrayRef<PathWalk::Level> levels(frame.walk->levels);
  for (const PathWalk::Level &level : llvm::reverse(levels.drop_front())) {
    if (!level.isAbsolute)
      return;
    nodes.set(level.node);
  }
}

/// Goes on along a path with an input that is not the parent: `next` is what
/// must match there. Returns false where paths end.
bool Matcher::Impl::enterPath(Frame &frame, unsigned input, Goal &next) {
  PathWalk &walk = *frame.walk;
  if (endsPath(graph, input)) {
    ++walk.levels.back().next;
    return false;
  }
  walk.awaited = PathWalk::Path;
  next = {get(frame.goal.item).parts[1], input};
  return true;
}

std::optional<bool> Matcher::Impl::walkPaths(Frame &frame, Goal &next,
                                             bool &isBinding) {
  PathWalk &walk = *frame.walk;
  const Item &item = get(frame.goal.item);
  const llvm::BitVector &nodes = hopeless[frame.goal.item];
  while (!walk.levels.empty()) {
    PathWalk::Level &level = walk.levels.back();
    ArrayRef<unsigned> inputs = getInputs(graph, level.node);
    if (level.next == inputs.size()) {
      if (level.reached == 0) {
        markHopeless(frame);
        return false;
      }
      walk.levels.pop_back();
      if (!walk.levels.empty()) {
        ++walk.levels.back().next;
        ++walk.levels.back().reached;
      }
      continue;
    }
    unsigned input = inputs[level.next];
    if (input < nodes.size() && nodes.test(input)) {
      markHopeless(frame);
      return false;
    }
    if (walk.parent == kNone) {
      level.isAbsolute &= !frame.isBinding || (bound[item.parts[0]] == kNone &&
                                               getContext(item.parts[0]) == 1);
      walk.awaited = PathWalk::Parent;
      isBinding = frame.isBinding;
      next = {item.parts[0], input};
      return std::nullopt;
    }
    level.isAbsolute = false;
    if (input == walk.parent || walk.visited.contains(input)) {
      ++level.next;
      ++level.reached;
    } else if (enterPath(frame, input, next)) {
      isBinding = false;
      return std::nullopt;
    }
  }
  return graph.postDominates(frame.goal.node, walk.parent);
}

std::optional<bool> Matcher::Impl::resumeDominator(Frame &frame,
                                                   std::optional<bool> result,
                                                   Goal &next,
                                                   bool &isBinding) {
  const Item &item = get(frame.goal.item);
  if (!frame.walk) {
    frame.walk = std::make_unique<PathWalk>();
    isBinding = frame.isBinding;
    next = {item.parts[2], frame.goal.node};
    return std::nullopt;
  }
  PathWalk &walk = *frame.walk;
  if (walk.awaited == PathWalk::Child) {
    if (!*result)
      return false;
    walk.levels.push_back({frame.goal.node});
    return walkPaths(frame, next, isBinding);
  }
  PathWalk::Level &level = walk.levels.back();
  unsigned input = getInputs(graph, level.node)[level.next];
  if (walk.awaited == PathWalk::Parent) {
    if (*result) {
      walk.parent = input;
      ++level.next;
      ++level.reached;
    } else if (enterPath(frame, input, next)) {
      isBinding = false;
      return std::nullopt;
    }
    return walkPaths(frame, next, isBinding);
  }
  if (!*result) {
    markHopeless(frame);
    return false;
  }
  walk.visited.insert(input);
  bool isAbsolute = walk.parent == kNone && level.isAbsolute;
  walk.levels.push_back({input, 0, 0, isAbsolute});
  return walkPaths(frame, next, isBinding);
}
