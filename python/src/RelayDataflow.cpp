//===- RelayDataflow.cpp - Patterns of Relay programs ---------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// dataflow_pattern.py has the classes of patterns; each makes one of these.
//
//===----------------------------------------------------------------------===//

#include "Callback.h"
#include "RelayBindings.h"

#include "relay-mlir/Frontend/RelayText/ExprGraph.h"

#include "llvm/ADT/ScopeExit.h"

#include <pybind11/stl.h>

namespace py = pybind11;
using namespace relay_python;
using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::dataflow;

static PatternList toDataflowPatterns(const py::list &values) {
  PatternList patterns;
  for (py::handle value : values)
    patterns.push_back(castArgument<PatternPtr>(value, "expects a pattern"));
  return patterns;
}

namespace {
struct KindInfo {
  DFPattern::Kind kind;
  size_t leastParts = 0, mostParts = 0;
};
} // namespace

static KindInfo parseKind(const std::string &name) {
  using Kind = DFPattern::Kind;
  constexpr size_t any = ~size_t(0);
  static const llvm::StringMap<KindInfo> kinds = {
      {"wildcard", {Kind::Wildcard}},
      {"expr", {Kind::Expr}},
      {"op", {Kind::Op}},
      {"var", {Kind::Var}},
      {"constant", {Kind::Constant}},
      {"call", {Kind::Call, 1, any}},
      {"function", {Kind::Function, 1, any}},
      {"if", {Kind::If, 3, 3}},
      {"let", {Kind::Let, 3, 3}},
      {"tuple", {Kind::Tuple, 0, any}},
      {"tuple_get_item", {Kind::TupleGetItem, 1, 1}},
      {"alternative", {Kind::Alternative, 2, 2}},
      {"type", {Kind::Type, 1, 1}},
      {"shape", {Kind::Shape, 1, 1}},
      {"dtype", {Kind::DType, 1, 1}},
      {"attributes", {Kind::Attributes, 1, 1}},
      {"dominator", {Kind::Dominator, 3, 3}},
  };
  auto it = kinds.find(name);
  if (it == kinds.end())
    throw py::value_error("expects a kind of patterns, but got '" + name + "'");
  return it->second;
}

static PatternPtr makePattern(const std::string &kind, const py::list &parts,
                              bool anyParts, const std::string &name,
                              int64_t index, py::handle type, py::handle attrs,
                              py::handle expr) {
  KindInfo info = parseKind(kind);
  auto pattern = std::make_shared<DFPattern>(info.kind);
  pattern->parts = toDataflowPatterns(parts);
  if (pattern->parts.size() < info.leastParts ||
      pattern->parts.size() > info.mostParts)
    throw py::value_error("expects as many patterns as a pattern '" + kind +
                          "' has, but got " +
                          std::to_string(pattern->parts.size()));
  pattern->anyParts = anyParts;
  pattern->name = name;
  pattern->index = index;
  pattern->type = unwrapType(type);
  pattern->attributes = llvm::to_vector(toAttributes(attrs));
  bool isOfTensors = info.kind == DFPattern::Kind::Shape ||
                     info.kind == DFPattern::Kind::DType;
  if (isOfTensors && !isa_and_present<RankedTensorType>(pattern->type))
    throw py::type_error("expects the type of a tensor, but got " +
                         describeValue(type));
  if (info.kind == DFPattern::Kind::DType)
    pattern->type = cast<RankedTensorType>(pattern->type).getElementType();
  if (info.kind == DFPattern::Kind::Expr) {
    pattern->graph =
        std::make_shared<ast::ExprGraph>(toExpr(expr), getSessionContext());
    pattern->node = pattern->graph->size() - 1;
  }
  return pattern;
}

/// What is known of operators besides the attributes of their calls.
static OperatorAttributeFn makeOperatorAttributes(Calls &calls) {
  return [&calls](StringRef op, StringRef name) -> Attribute {
    auto get = [&]() {
      py::object value = py::module_::import("relay_mlir.relay.op")
                             .attr("get")(op.str())
                             .attr("get_attr")(name.str());
      // Functions and the like are equal to no attribute.
      bool isPlain =
          py::isinstance<py::int_>(value) ||
          py::isinstance<py::float_>(value) || py::isinstance<py::str>(value) ||
          py::isinstance<py::list>(value) || py::isinstance<py::tuple>(value);
      return isPlain ? toAttribute(value) : Attribute();
    };
    return calls.call<Attribute>(get).value_or(nullptr);
  };
}

namespace {
/// The types of the expressions below one that no inference has run on. They
/// are inferred when one is asked for first, all at once: each by itself would
/// take the square of the time.
class InferredTypes {
public:
  /// `inferType` returns the type of a single expression.
  InferredTypes(ast::ExprPtr root, py::object inferType)
      : root(std::move(root)), inferType(std::move(inferType)) {}

  py::object get(const ast::ExprPtr &expr) {
    if (!isInferred) {
      isInferred = true;
      inferAll();
    }
    auto it = types.find(expr.get());
    return it != types.end() ? wrapType(it->second) : inferType(py::cast(expr));
  }

private:
  void inferAll();

  ast::ExprPtr root;
  py::object inferType;
  llvm::DenseMap<const ast::Expr *, Type> types;
  bool isInferred = false;
};
} // namespace

void InferredTypes::inferAll() {
  // Inference makes new nodes; their locations tell what they were made of.
  MLIRContext *context = getSessionContext();
  StringAttr mark = StringAttr::get(context, "expression of a pattern");
  std::vector<std::pair<ast::ExprPtr, LocationAttr>> marked;
  ast::visitBindersAndUses(root, [&](const ast::ExprPtr &expr) {
    marked.emplace_back(expr, expr->location);
    expr->location = FileLineColLoc::get(mark, marked.size(), 0);
  });
  llvm::scope_exit restore([&]() {
    for (auto &[expr, location] : marked)
      expr->location = location;
  });
  try {
    py::module_ transform = py::module_::import("relay_mlir.relay.transform");
    py::object typed = transform.attr("infer_expr")(py::cast(root));
    ast::visitBindersAndUses(toExpr(typed), [&](const ast::ExprPtr &expr) {
      auto location = expr->location
                          ? expr->location.findInstanceOf<FileLineColLoc>()
                          : FileLineColLoc();
      if (location && location.getFilename() == mark && expr->checkedType)
        types[marked[location.getLine() - 1].first.get()] = expr->checkedType;
    });
  } catch (py::error_already_set &) {
    // Something else has no type; each is inferred alone.
  }
}

/// Types of what is below `root`; see InferredTypes.
static ast::ExprTypeFn makeInferType(Calls &calls, const ast::ExprPtr &root,
                                     const py::object &inferType) {
  auto types = std::make_shared<InferredTypes>(root, inferType);
  return [&calls, types](const ast::ExprPtr &expr) -> Type {
    return calls.call<Type>([&]() { return unwrapType(types->get(expr)); })
        .value_or(nullptr);
  };
}

/// [(pattern, node)], in the order in which they were matched.
static py::list
fromBindings(const Match &match,
             function_ref<const ast::ExprPtr &(unsigned node)> getExpr) {
  py::list result;
  for (auto [pattern, node] : match.bindings)
    result.append(py::make_tuple(
        py::cast(const_cast<DFPattern *>(pattern)->shared_from_this()),
        getExpr(node)));
  return result;
}

static py::object matchExpr(const PatternPtr &pattern, py::handle value,
                            const py::object &inferType) {
  Calls calls;
  ast::ExprPtr root = toExpr(value);
  ast::ExprGraph graph(root, getSessionContext(),
                       makeInferType(calls, root, inferType));
  Matcher matcher(graph, pattern, makeOperatorAttributes(calls));
  std::optional<Match> match = matcher.match(graph.size() - 1);
  calls.raise();
  if (!match)
    return py::none();
  return fromBindings(*match, [&](unsigned node) -> const ast::ExprPtr & {
    return graph.getExpr(node);
  });
}

static std::vector<Group> findGroupsOf(const ast::ExprGraph &graph,
                                       const PatternPtr &pattern,
                                       Calls &calls) {
  std::vector<Group> groups =
      findGroups(graph, pattern, makeOperatorAttributes(calls));
  calls.raise();
  return groups;
}

static ast::ExprPtr partitionPattern(const PatternPtr &pattern,
                                     py::handle value, py::handle attrs,
                                     const py::object &check,
                                     const py::object &inferType) {
  Calls calls;
  ast::ExprPtr root = toExpr(value);
  ast::ExprGraph graph(root, getSessionContext(),
                       makeInferType(calls, root, inferType));
  std::vector<Group> groups = findGroupsOf(graph, pattern, calls);
  ast::ExprPtr result = ast::partitionExpr(
      graph, groups, toAttributes(attrs), [&](const ast::ExprPtr &root) {
        return calls.call<bool>([&]() {
          // Whatever is true or not for Python.
          return py::bool_(check(py::cast(root))).cast<bool>();
        });
      });
  calls.raise();
  return result;
}

/// One round over all matches, from the leaves up. `callback` takes the match,
/// what it has become, and the bindings, and returns what replaces it.
static ast::ExprPtr rewritePattern(const PatternPtr &pattern, py::handle value,
                                   const py::object &callback,
                                   const py::object &inferType) {
  Calls calls;
  ast::ExprPtr root = toExpr(value);
  ast::ExprGraph graph(root, getSessionContext(),
                       makeInferType(calls, root, inferType));
  std::vector<Group> groups = findGroupsOf(graph, pattern, calls);
  if (groups.empty())
    return graph.getExpr(graph.size() - 1);
  llvm::DenseMap<unsigned, const Group *> groupOf;
  for (const Group &group : groups)
    groupOf[group.match.root] = &group;
  std::vector<ast::ExprPtr> results;
  ast::ExprPtr result = ast::replaceExprs(
      graph, results, [&](unsigned node, const ast::ExprPtr &expr) {
        const Group *group = groupOf.lookup(node);
        if (!group)
          return expr;
        // Patterns that match the root itself see what it has become.
        results[node] = expr;
        auto run = [&]() {
          py::list bindings = fromBindings(
              group->match, [&](unsigned part) -> const ast::ExprPtr & {
                return results[part];
              });
          return toExpr(callback(py::cast(graph.getExpr(node)), py::cast(expr),
                                 bindings));
        };
        return calls.call<ast::ExprPtr>(run).value_or(nullptr);
      });
  calls.raise();
  return result;
}

/// Rows of (expression, post-dominator) of all that an expression consists of,
/// parts first: the number of the row of what all ways lead through, or -1.
static py::list postDominators(py::handle value) {
  ast::ExprGraph graph(toExpr(value), getSessionContext());
  py::list rows;
  for (unsigned node = 0; node != graph.size(); ++node) {
    std::optional<unsigned> dominator = graph.getPostDominator(node);
    rows.append(py::make_tuple(graph.getExpr(node),
                               dominator ? static_cast<int64_t>(*dominator)
                                         : int64_t(-1)));
  }
  return rows;
}

void relay_python::bindRelayDataflow(py::module_ &m) {
  py::class_<DFPattern, PatternPtr>(m, "DFPattern")
      .def(py::init(&makePattern), py::arg("kind"), py::arg("parts"),
           py::arg("any_parts"), py::arg("name"), py::arg("index"),
           py::arg("type"), py::arg("attrs"), py::arg("expr"))
      .def("_redirect_to", &DFPattern::redirectTo)
      .def("_text", [](const DFPattern &self) { return toString(self); });
  m.def("post_dominators", &postDominators);
  m.def("match_pattern", &matchExpr);
  m.def("partition_pattern", &partitionPattern);
  m.def("rewrite_pattern", &rewritePattern);
}
