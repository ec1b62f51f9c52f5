//===- RelayExprs.cpp - Nodes of Relay expressions ------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RelayBindings.h"

#include "relay-mlir/Dialect/Relay/IR/Relay.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/xxhash.h"

#include <pybind11/stl.h>

namespace py = pybind11;
using namespace relay_python;
using namespace mlir;
using namespace mlir::relay;

using Kind = ast::Expr::Kind;

const void *
py::polymorphic_type_hook<ast::Expr>::get(const ast::Expr *src,
                                          const std::type_info *&type) {
  if (!src)
    return nullptr;
  switch (src->getKind()) {
#define RELAY_NODE(Node)                                                       \
  case Kind::Node:                                                             \
    type = &typeid(ast::Node);                                                 \
    return static_cast<const ast::Node *>(src);
    RELAY_NODE(Constant)
    RELAY_NODE(Var)
    RELAY_NODE(GlobalVar)
    RELAY_NODE(Op)
    RELAY_NODE(Constructor)
    RELAY_NODE(Tuple)
    RELAY_NODE(TupleGetItem)
    RELAY_NODE(Call)
    RELAY_NODE(Let)
    RELAY_NODE(If)
    RELAY_NODE(Function)
    RELAY_NODE(Match)
    RELAY_NODE(RefCreate)
    RELAY_NODE(RefRead)
    RELAY_NODE(RefWrite)
#undef RELAY_NODE
  }
  return src;
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

[[noreturn]] static void raiseNotExpr(py::handle value) {
  std::string hint;
  if (PyNumber_Check(value.ptr()) || py::isinstance<py::array>(value))
    hint = "; relay.const makes one of a number or an array";
  throw py::type_error("expects an expression of Relay, but got " +
                       describeValue(value) + hint);
}

static std::vector<ast::ExprPtr> toExprs(py::handle values) {
  std::vector<ast::ExprPtr> exprs;
  for (py::handle value : toSequence(values, "expressions"))
    exprs.push_back(toExpr(value));
  return exprs;
}

ast::ExprPtr relay_python::toExpr(py::handle value) {
  if (py::isinstance<ast::Expr>(value))
    return value.cast<ast::ExprPtr>();
  if (py::isinstance<py::list>(value) || py::isinstance<py::tuple>(value)) {
    RecursionGuard guard;
    return std::make_shared<ast::Tuple>(toExprs(value));
  }
  // A TupleWrapper.
  if (py::hasattr(value, "tuple_value"))
    return toExpr(value.attr("tuple_value"));
  raiseNotExpr(value);
}

template <typename T>
static std::shared_ptr<T> toNode(py::handle value, const char *kind) {
  if (!py::isinstance<T>(value))
    throw py::type_error("expects a " + std::string(kind) + ", but got " +
                         describeValue(value));
  return value.cast<std::shared_ptr<T>>();
}

static std::vector<std::shared_ptr<ast::Var>> toVars(py::handle values) {
  std::vector<std::shared_ptr<ast::Var>> vars;
  for (py::handle value : toSequence(values, "variables"))
    vars.push_back(toNode<ast::Var>(value, "Var"));
  return vars;
}

/// (file, line, last line, column, last column).
static py::object toSpan(FileLineColRange location) {
  return py::make_tuple(location.getFilename().str(), location.getStartLine(),
                        location.getEndLine(), location.getStartColumn(),
                        location.getEndColumn());
}

/// A place, a list of them for a node that was made of several, or None.
static py::object getSpan(const ast::Expr &self) {
  LocationAttr attr = self.location;
  if (auto fused = dyn_cast_if_present<FusedLoc>(attr);
      fused && fused.getLocations().size() > 1 &&
      llvm::all_of(fused.getLocations(), llvm::IsaPred<FileLineColRange>)) {
    py::list spans;
    for (Location location : fused.getLocations())
      spans.append(toSpan(cast<FileLineColRange>(location)));
    return spans;
  }
  auto location = attr ? attr.findInstanceOf<FileLineColRange>() : nullptr;
  return location ? toSpan(location) : py::none();
}

static LocationAttr toLocation(py::handle span) {
  MLIRContext *context = getSessionContext();
  if (py::isinstance<py::list>(span)) {
    SmallVector<Location> locations;
    for (py::handle part : span)
      locations.push_back(Location(toLocation(part)));
    return FusedLoc::get(context, locations);
  }
  if (!py::isinstance<py::tuple>(span))
    return nullptr;
  using Place = std::tuple<std::string, unsigned, unsigned, unsigned, unsigned>;
  if (!py::detail::make_caster<Place>().load(span, /*convert=*/true))
    throw py::value_error("expects lines and columns that are numbers of 32 "
                          "bits in a span, but got " +
                          describeValue(span));
  auto [file, line, endLine, column, endColumn] = span.cast<Place>();
  return FileLineColRange::get(StringAttr::get(context, file), line, column,
                               endLine, endColumn);
}

static void setSpan(ast::Expr &self, py::handle span) {
  self.location = toLocation(span);
}

//===----------------------------------------------------------------------===//
// Constants and operators
//===----------------------------------------------------------------------===//

/// Constants above this size stay outside of the context's uniqued storage.
static constexpr int64_t maxInlineBytes = 256;

static std::shared_ptr<ast::Constant> makeConstant(py::array value) {
  Tensor tensor = toTensor(std::move(value));
  if (tensor.getSizeInBytes() <= maxInlineBytes)
    return std::make_shared<ast::Constant>(
        cast<ElementsAttr>(tensor.toDenseElements()));
  return std::make_shared<ast::Constant>(
      cast<ElementsAttr>(tensor.toDenseResource("constant")));
}

static py::array getData(const ast::Constant &self) {
  DiagnosticCollector diagnostics(getSessionContext(), Words::Relay);
  FailureOr<Tensor> tensor = Tensor::get(self.value, [] {
    return emitError(UnknownLoc::get(getSessionContext()));
  });
  if (failed(tensor))
    diagnostics.raise("cannot read the constant");
  return fromTensor(*tensor);
}

/// Operators of equal name are one node, so that `is` compares them.
static ast::ExprPtr getOp(const std::string &name) {
  static auto *ops = new llvm::StringMap<ast::ExprPtr>();
  ast::ExprPtr &op = (*ops)[name];
  if (!op)
    op = std::make_shared<ast::Op>(name);
  return op;
}

uint64_t relay_python::getConstructorTag(StringRef adt, unsigned index) {
  uint64_t name = llvm::xxh3_64bits(adt) & 0xffffffff;
  return (std::max<uint64_t>(name, 1) << 24) + index;
}

//===----------------------------------------------------------------------===//
// Traversal
//===----------------------------------------------------------------------===//

static py::list getPostOrder(py::handle root) {
  py::list nodes;
  ast::visitPostOrder(toExpr(root), [&](const ast::ExprPtr &node) {
    nodes.append(py::cast(node));
  });
  return nodes;
}

/// Length of the longest path from `root` down.
static int64_t getDepth(py::handle root) {
  llvm::DenseMap<const ast::Expr *, int64_t> depths;
  int64_t deepest = 0;
  ast::visitPostOrder(toExpr(root), [&](const ast::ExprPtr &node) {
    int64_t depth = 0;
    ast::forEachChild(*node, [&](const ast::ExprPtr &child) {
      depth = std::max(depth, depths.lookup(child.get()));
    });
    depths[node.get()] = depth + 1;
    deepest = std::max(deepest, depth + 1);
  });
  return deepest;
}

static py::list getChildren(py::handle self) {
  py::list children;
  ast::forEachChild(*toExpr(self), [&](const ast::ExprPtr &child) {
    children.append(py::cast(child));
  });
  return children;
}

static py::list getBoundVarsOf(py::handle self) {
  std::vector<std::shared_ptr<ast::Var>> vars;
  ast::getBoundVars(*toExpr(self), vars);
  return py::cast(vars);
}

//===----------------------------------------------------------------------===//
// Bindings
//===----------------------------------------------------------------------===//

template <typename T>
using NodeClass = Class<T, ast::Expr, std::shared_ptr<T>>;

/// Nodes that are the same by their name.
template <typename T>
static void bindNameEquality(NodeClass<T> &node) {
  node.def("__eq__",
           [](const T &self, py::handle other) {
             return py::isinstance<T>(other) &&
                    self.name == other.cast<T &>().name;
           })
      .def("__hash__", [](const T &self) {
        return static_cast<py::ssize_t>(llvm::hash_value(self.name) >> 1);
      });
}

static void bindLeaves(py::module_ &m) {
  NodeClass<ast::Constant>(m, "Constant")
      .def(py::init(&makeConstant), py::arg("data"))
      .def_property_readonly("_data", &getData)
      .def_property_readonly("_type", [](const ast::Constant &self) {
        return wrapType(self.value.getShapedType());
      });

  NodeClass<ast::Var>(m, "Var")
      .def(py::init([](const std::string &name, py::handle type) {
             return std::make_shared<ast::Var>(name, unwrapType(type));
           }),
           py::arg("name_hint"), py::arg("type_annotation") = py::none())
      .def_readonly("name_hint", &ast::Var::name)
      .def_property_readonly(
          "type_annotation",
          [](const ast::Var &self) { return wrapType(self.annotation); })
      .def_property(
          "_virtual_device",
          [](const ast::Var &self) {
            return fromAttribute(self.virtualDevice);
          },
          [](ast::Var &self, py::handle device) {
            self.virtualDevice =
                device.is_none() ? Attribute() : toAttribute(device);
          });

  NodeClass<ast::GlobalVar> globalVar(m, "GlobalVar");
  globalVar.def(py::init<std::string>(), py::arg("name_hint"))
      .def_readonly("name_hint", &ast::GlobalVar::name);
  bindNameEquality(globalVar);

  NodeClass<ast::Op> op(m, "Op");
  op.def_readonly("name", &ast::Op::name);
  bindNameEquality(op);
  m.def("get_op", &getOp);

  NodeClass<ast::Constructor> constructor(m, "Constructor");
  constructor
      .def(py::init([](const std::string &name, py::handle inputs,
                       const ty::GlobalTypeVar &adt) {
             return std::make_shared<ast::Constructor>(
                 cast<ADTType>(adt.type).getName().getValue().str(), name,
                 unwrapTypes(inputs), /*index=*/0);
           }),
           py::arg("name_hint"), py::arg("inputs"), py::arg("belong_to"))
      .def_readonly("name_hint", &ast::Constructor::name)
      .def_property_readonly("tag",
                             [](const ast::Constructor &self) {
                               return getConstructorTag(self.adt, self.index);
                             })
      .def_property_readonly(
          "inputs",
          [](const ast::Constructor &self) { return wrapTypes(self.fields); })
      .def_property_readonly("belong_to", [](const ast::Constructor &self) {
        return wrapGlobalTypeVar(self.adt);
      });
  bindNameEquality(constructor);
}

static void bindDataflow(py::module_ &m) {
  NodeClass<ast::Tuple>(m, "Tuple")
      .def(py::init([](py::handle fields) {
             return std::make_shared<ast::Tuple>(toExprs(fields));
           }),
           py::arg("fields"))
      .def_readonly("fields", &ast::Tuple::fields);

  NodeClass<ast::TupleGetItem>(m, "TupleGetItem")
      .def(py::init([](py::handle tuple, int64_t index) {
             return std::make_shared<ast::TupleGetItem>(toExpr(tuple), index);
           }),
           py::arg("tuple_value"), py::arg("index"))
      .def_readonly("tuple_value", &ast::TupleGetItem::tuple)
      .def_readonly("index", &ast::TupleGetItem::index);

  NodeClass<ast::Call>(m, "Call")
      .def(py::init([](py::handle op, py::handle args, py::handle attrs,
                       py::handle typeArgs) {
             return std::make_shared<ast::Call>(toExpr(op), toExprs(args),
                                                toAttributes(attrs),
                                                unwrapTypes(typeArgs));
           }),
           py::arg("op"), py::arg("args"), py::arg("attrs") = py::none(),
           py::arg("type_args") = py::none())
      .def_readonly("op", &ast::Call::callee)
      .def_readonly("args", &ast::Call::args)
      .def_property_readonly(
          "_attrs",
          [](const ast::Call &self) { return fromAttributes(self.attrs); })
      .def_property_readonly("type_args", [](const ast::Call &self) {
        return wrapTypes(self.typeArgs);
      });
}

static void bindControl(py::module_ &m) {
  NodeClass<ast::Let>(m, "Let")
      .def(py::init([](py::handle var, py::handle value, py::handle body) {
             return std::make_shared<ast::Let>(toNode<ast::Var>(var, "Var"),
                                               toExpr(value), toExpr(body));
           }),
           py::arg("variable"), py::arg("value"), py::arg("body"))
      .def_readonly("var", &ast::Let::var)
      .def_readonly("value", &ast::Let::value)
      .def_readonly("body", &ast::Let::body);

  NodeClass<ast::If>(m, "If")
      .def(py::init([](py::handle condition, py::handle trueBranch,
                       py::handle falseBranch) {
             return std::make_shared<ast::If>(
                 toExpr(condition), toExpr(trueBranch), toExpr(falseBranch));
           }),
           py::arg("cond"), py::arg("true_branch"), py::arg("false_branch"))
      .def_readonly("cond", &ast::If::condition)
      .def_readonly("true_branch", &ast::If::trueBranch)
      .def_readonly("false_branch", &ast::If::falseBranch);

  NodeClass<ast::Function>(m, "Function")
      .def(py::init([](py::handle params, py::handle body, py::handle type,
                       py::handle typeParams, py::handle attrs) {
             return std::make_shared<ast::Function>(
                 toVars(params), toExpr(body), unwrapType(type),
                 unwrapTypeParams(typeParams), toAttributes(attrs));
           }),
           py::arg("params"), py::arg("body"), py::arg("ret_type") = py::none(),
           py::arg("type_params") = py::none(), py::arg("attrs") = py::none())
      .def_readonly("params", &ast::Function::params)
      .def_readonly("body", &ast::Function::body)
      .def_property_readonly(
          "ret_type",
          [](const ast::Function &self) { return wrapType(self.returnType); })
      .def_property_readonly("type_params",
                             [](const ast::Function &self) {
                               return wrapTypeParams(self.typeParams);
                             })
      .def_property_readonly("_attrs", [](const ast::Function &self) {
        return fromAttributes(self.attrs);
      });

  Class<ast::Clause>(m, "Clause")
      .def(py::init([](py::handle pattern, py::handle body) {
             if (!py::isinstance<ast::Pattern>(pattern))
               throw py::type_error("expects a pattern, but got " +
                                    describeValue(pattern));
             return ast::Clause{pattern.cast<ast::PatternPtr>(), toExpr(body)};
           }),
           py::arg("lhs"), py::arg("rhs"))
      .def_readonly("lhs", &ast::Clause::pattern)
      .def_readonly("rhs", &ast::Clause::body);

  NodeClass<ast::Match>(m, "Match")
      .def(py::init([](py::handle data, std::vector<ast::Clause> clauses,
                       bool complete) {
             return std::make_shared<ast::Match>(toExpr(data),
                                                 std::move(clauses), complete);
           }),
           py::arg("data"), py::arg("clauses"), py::arg("complete") = true)
      .def_readonly("data", &ast::Match::data)
      .def_readonly("clauses", &ast::Match::clauses)
      .def_readonly("complete", &ast::Match::complete);
}

static void bindReferences(py::module_ &m) {
  NodeClass<ast::RefCreate>(m, "RefCreate")
      .def(py::init([](py::handle value) {
             return std::make_shared<ast::RefCreate>(toExpr(value));
           }),
           py::arg("value"))
      .def_readonly("value", &ast::RefCreate::value);
  NodeClass<ast::RefRead>(m, "RefRead")
      .def(py::init([](py::handle ref) {
             return std::make_shared<ast::RefRead>(toExpr(ref));
           }),
           py::arg("ref"))
      .def_readonly("ref", &ast::RefRead::ref);
  NodeClass<ast::RefWrite>(m, "RefWrite")
      .def(py::init([](py::handle ref, py::handle value) {
             return std::make_shared<ast::RefWrite>(toExpr(ref), toExpr(value));
           }),
           py::arg("ref"), py::arg("value"))
      .def_readonly("ref", &ast::RefWrite::ref)
      .def_readonly("value", &ast::RefWrite::value);
}

void relay_python::bindRelayExprs(py::module_ &m) {
  py::class_<ast::Expr, std::shared_ptr<ast::Expr>>(
      m, "Expr",
      "An expression of Relay: an immutable node. Nodes are compared by "
      "identity; see structural_equal.")
      .def_property(
          "_checked_type",
          [](const ast::Expr &self) { return wrapType(self.checkedType); },
          [](ast::Expr &self, py::handle type) {
            self.checkedType = unwrapType(type);
          })
      .def_property(
          "_local_type",
          [](const ast::Expr &self) { return wrapType(self.localType); },
          [](ast::Expr &self, py::handle type) {
            self.localType = unwrapType(type);
          })
      .def_property("_span", &getSpan, &setSpan)
      .def_property_readonly(
          "_identity",
          [](const ast::Expr &self) {
            return reinterpret_cast<uintptr_t>(&self);
          },
          "A number of the node while it lives; its objects come and go.");
  bindLeaves(m);
  bindDataflow(m);
  bindControl(m);
  bindReferences(m);
  m.def("to_expr", &toExpr);
  m.def("post_order", &getPostOrder);
  m.def("depth", &getDepth);
  m.def("children", &getChildren);
  m.def("bound_vars_of", &getBoundVarsOf);
}
