//===- RelayPatterns.cpp - Patterns and data types of Relay ---------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RelayBindings.h"

#include "relay-mlir/Dialect/Relay/IR/Relay.h"

#include <pybind11/stl.h>

namespace py = pybind11;
using namespace relay_python;
using namespace mlir;
using namespace mlir::relay;

using Kind = ast::Pattern::Kind;

const void *
py::polymorphic_type_hook<ast::Pattern>::get(const ast::Pattern *src,
                                             const std::type_info *&type) {
  if (!src)
    return nullptr;
  switch (src->getKind()) {
  case Kind::Wildcard:
    type = &typeid(ast::PatternWildcard);
    return static_cast<const ast::PatternWildcard *>(src);
  case Kind::Var:
    type = &typeid(ast::PatternVar);
    return static_cast<const ast::PatternVar *>(src);
  case Kind::Constructor:
    type = &typeid(ast::PatternConstructor);
    return static_cast<const ast::PatternConstructor *>(src);
  case Kind::Tuple:
    type = &typeid(ast::PatternTuple);
    return static_cast<const ast::PatternTuple *>(src);
  }
  return src;
}

static std::vector<ast::PatternPtr> toPatterns(py::handle values) {
  std::vector<ast::PatternPtr> patterns;
  if (values.is_none())
    return patterns;
  for (py::handle value : toSequence(values, "patterns")) {
    if (!py::isinstance<ast::Pattern>(value))
      throw py::type_error("expects a pattern, but got " +
                           describeValue(value));
    patterns.push_back(value.cast<ast::PatternPtr>());
  }
  return patterns;
}

static std::shared_ptr<ast::TypeData>
makeTypeData(const ty::GlobalTypeVar &header, py::handle typeVars,
             const py::list &constructors) {
  auto data = std::make_shared<ast::TypeData>();
  data->name = cast<ADTType>(header.type).getName().getValue().str();
  data->typeParams = unwrapTypeParams(typeVars);
  for (py::handle value : constructors) {
    auto constructor = castArgument<std::shared_ptr<ast::Constructor>>(
        value, "TypeData: expects each entry of 'constructors'");
    if (constructor->adt != data->name)
      throw py::value_error("expects a constructor of " + data->name +
                            ", but got " + constructor->name + " of " +
                            constructor->adt);
    constructor->index = data->constructors.size();
    data->constructors.push_back(std::move(constructor));
  }
  return data;
}

void relay_python::bindRelayPatterns(py::module_ &m) {
  py::class_<ast::Pattern, std::shared_ptr<ast::Pattern>>(m, "Pattern");
  Class<ast::PatternWildcard, ast::Pattern,
        std::shared_ptr<ast::PatternWildcard>>(m, "PatternWildcard")
      .def(py::init<>());
  Class<ast::PatternVar, ast::Pattern, std::shared_ptr<ast::PatternVar>>(
      m, "PatternVar")
      .def(py::init<std::shared_ptr<ast::Var>>(), py::arg("var").none(false))
      .def_readonly("var", &ast::PatternVar::var);
  Class<ast::PatternConstructor, ast::Pattern,
        std::shared_ptr<ast::PatternConstructor>>(m, "PatternConstructor")
      .def(py::init([](std::shared_ptr<ast::Constructor> constructor,
                       py::handle patterns) {
             return std::make_shared<ast::PatternConstructor>(
                 std::move(constructor), toPatterns(patterns));
           }),
           py::arg("constructor").none(false), py::arg("patterns") = py::none())
      .def_readonly("constructor", &ast::PatternConstructor::constructor)
      .def_readonly("patterns", &ast::PatternConstructor::fields);
  Class<ast::PatternTuple, ast::Pattern, std::shared_ptr<ast::PatternTuple>>(
      m, "PatternTuple")
      .def(py::init([](py::handle patterns) {
             return std::make_shared<ast::PatternTuple>(toPatterns(patterns));
           }),
           py::arg("patterns") = py::none())
      .def_readonly("patterns", &ast::PatternTuple::fields);

  Class<ast::TypeData, std::shared_ptr<ast::TypeData>>(m, "TypeData")
      .def(py::init(&makeTypeData), py::arg("header"), py::arg("type_vars"),
           py::arg("constructors"))
      .def_property_readonly("header",
                             [](const ast::TypeData &self) {
                               return wrapGlobalTypeVar(self.name);
                             })
      .def_property_readonly("type_vars",
                             [](const ast::TypeData &self) {
                               return wrapTypeParams(self.typeParams);
                             })
      .def_readonly("constructors", &ast::TypeData::constructors)
      .def_readwrite("is_extern", &ast::TypeData::isExtern);
}
