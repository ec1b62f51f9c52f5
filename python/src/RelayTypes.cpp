//===- RelayTypes.cpp - Types of Relay ------------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RelayBindings.h"

#include "relay-mlir/Dialect/Relay/IR/DType.h"
#include "relay-mlir/Dialect/Relay/IR/PolymorphicTypes.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Dialect/Relay/IR/TensorLimits.h"

#include "mlir/IR/AttrTypeSubElements.h"

#include <pybind11/stl.h>

namespace py = pybind11;
using namespace relay_python;
using namespace mlir;

//===----------------------------------------------------------------------===//
// Element types
//===----------------------------------------------------------------------===//

Type relay_python::parseDType(const std::string &name) {
  if (Type type = relay::getDType(name, getSessionContext()))
    return type;
  throw py::type_error("expects a data type such as 'float32', but got '" +
                       name + "'");
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

py::object relay_python::wrapType(Type type) {
  if (!type)
    return py::none();
  if (isa<RankedTensorType>(type))
    return py::cast(ty::TensorType{{type}});
  if (isa<mlir::TupleType>(type))
    return py::cast(ty::TupleType{{type}});
  if (isa<FunctionType, relay::ForallType>(type))
    return py::cast(ty::FuncType{{type}});
  if (isa<relay::TypeVarType>(type))
    return py::cast(ty::TypeVar{{type}});
  if (isa<relay::ADTType>(type))
    return py::cast(ty::TypeCall{{type}});
  if (isa<relay::RefType>(type))
    return py::cast(ty::RefType{{type}});
  if (isa<relay::IncompleteType>(type))
    return py::cast(ty::IncompleteType{{type}});
  return py::cast(RelayType{type});
}

Type relay_python::unwrapType(py::handle value) {
  if (value.is_none())
    return nullptr;
  if (!py::isinstance<RelayType>(value))
    throw py::type_error("expects a type of Relay, but got " +
                         describeValue(value));
  Type type = value.cast<const RelayType &>().type;
  if (!type)
    throw py::type_error("expects a type of values, but got a constraint");
  // What goes over types recurses.
  static relay::TypeDepths depths;
  if (depths.isTooDeep(type))
    throw py::value_error("expects a type of at most " +
                          std::to_string(relay::TypeDepths::kMaxDepth) +
                          " levels, but got a deeper one");
  return type;
}

ty::GlobalTypeVar relay_python::wrapGlobalTypeVar(StringRef name) {
  return {
      {relay::ADTType::get(FlatSymbolRefAttr::get(getSessionContext(), name)),
       {},
       ty::kindAdtHandle}};
}

py::list relay_python::wrapTypes(ArrayRef<Type> types) {
  py::list result;
  for (Type type : types)
    result.append(wrapType(type));
  return result;
}

std::vector<Type> relay_python::unwrapTypes(py::handle values) {
  std::vector<Type> types;
  if (values.is_none())
    return types;
  for (py::handle value : toSequence(values, "types")) {
    types.push_back(unwrapType(value));
    if (!types.back())
      throw py::type_error("expects a type of Relay, but got None");
  }
  return types;
}

std::vector<std::string> relay_python::unwrapTypeParams(py::handle values) {
  std::vector<std::string> names;
  if (values.is_none())
    return names;
  for (py::handle value : toSequence(values, "type variables")) {
    auto var = dyn_cast_if_present<relay::TypeVarType>(unwrapType(value));
    if (!var)
      throw py::type_error("expects a TypeVar, but got " +
                           describeValue(value));
    names.push_back(var.getName().str());
  }
  return names;
}

py::list relay_python::wrapTypeParams(ArrayRef<std::string> names) {
  py::list result;
  for (const std::string &name : names)
    result.append(wrapType(relay::TypeVarType::get(getSessionContext(), name)));
  return result;
}

/// Sizes that are symbols are unknown to the program; the type keeps them for
/// whoever reads its shape.
static ty::TensorType makeTensorType(const py::sequence &shape,
                                     const std::string &dtype) {
  SmallVector<int64_t> sizes;
  bool hasSymbols = false;
  // A list holds its elements, an array makes new ones.
  for (py::handle size : py::list(shape)) {
    bool isSymbol = py::hasattr(size, "_is_symbolic_size");
    hasSymbols |= isSymbol;
    if (isSymbol || py::isinstance<ty::AnyDim>(size)) {
      sizes.push_back(ShapedType::kDynamic);
      continue;
    }
    auto value = castArgument<int64_t>(size, "TensorType: expects a size");
    if (value < 0)
      throw py::value_error("expects sizes that are not negative, but got " +
                            std::to_string(value));
    sizes.push_back(value);
  }
  auto type = RankedTensorType::get(sizes, parseDType(dtype));
  if (type.getRank() > relay::kMaxTensorRank)
    throw py::value_error(
        "expects tensors of at most " + std::to_string(relay::kMaxTensorRank) +
        " dimensions, but got " + std::to_string(type.getRank()));
  if (!relay::isWithinTensorLimits(type))
    throw py::value_error("expects tensors of at most " +
                          std::to_string(relay::kMaxTensorBytes) +
                          " bytes, but got the shape " + describeValue(shape));
  ty::TensorType result{{type}};
  if (hasSymbols)
    result.parts = py::tuple(shape);
  return result;
}

/// Returns the part of a type that Python made, or of any other type what
/// `derive` returns.
template <typename Fn>
static py::object getPart(const RelayType &self, size_t index, Fn derive) {
  if (!self.parts)
    return derive();
  py::object part = py::tuple(self.parts)[index];
  // The lists of Python can be changed.
  return py::isinstance<py::list>(part) ? py::list(py::tuple(part))
                                        : std::move(part);
}

static py::list toList(py::handle values) {
  return values.is_none() ? py::list() : py::list(toSequence(values, "types"));
}

static uint64_t makeIdentity() {
  static uint64_t last = 0; // Under the interpreter's lock.
  return ++last;
}

static int getKind(py::handle kind, int missing) {
  return kind.is_none() ? missing : castArgument<int>(kind, "expects 'kind'");
}

static ty::FuncType makeFuncType(py::object args, py::handle result,
                                 py::handle params) {
  args = toList(args);
  Type resultType = unwrapType(result);
  if (!resultType)
    resultType = relay::IncompleteType::get(getSessionContext());
  auto body =
      FunctionType::get(getSessionContext(), unwrapTypes(args), {resultType});
  py::list paramList = toList(params);
  std::vector<std::string> names = unwrapTypeParams(paramList);
  py::object resultObject = result.is_none()
                                ? wrapType(resultType)
                                : py::reinterpret_borrow<py::object>(result);
  py::tuple parts = py::make_tuple(args, resultObject, paramList);
  if (names.empty())
    return {{body, parts}};
  SmallVector<StringAttr> attrs;
  for (const std::string &name : names)
    attrs.push_back(StringAttr::get(getSessionContext(), name));
  return {{relay::ForallType::get(attrs, body), parts}};
}

static FunctionType getBody(const ty::FuncType &self) {
  if (auto forall = dyn_cast<relay::ForallType>(self.type))
    return forall.getBody();
  return cast<FunctionType>(self.type);
}

static py::object getShape(const ty::TensorType &self) {
  if (self.parts)
    return self.parts;
  auto type = cast<RankedTensorType>(self.type);
  py::tuple shape(type.getRank());
  for (auto [i, size] : llvm::enumerate(type.getShape()))
    shape[i] = ShapedType::isDynamic(size) ? py::cast(ty::AnyDim())
                                           : py::object(py::int_(size));
  return shape;
}

static py::tuple getConcreteShape(const ty::TensorType &self) {
  auto type = cast<RankedTensorType>(self.type);
  if (!type.hasStaticShape())
    throw py::type_error("expects a tensor type of known sizes, but got one "
                         "with `?`");
  return getShape(self);
}

static ty::TypeCall makeTypeCall(py::handle callee, py::handle args) {
  if (!py::isinstance<ty::GlobalTypeVar>(callee))
    throw py::type_error("expects a GlobalTypeVar, but got " +
                         describeValue(callee));
  auto adt = cast<relay::ADTType>(callee.cast<ty::GlobalTypeVar &>().type);
  py::list argList = toList(args);
  return {{relay::ADTType::get(adt.getName(), unwrapTypes(argList)),
           py::make_tuple(callee, argList)}};
}

static ty::GlobalTypeVar makeGlobalTypeVar(const std::string &name,
                                           py::handle kind) {
  ty::GlobalTypeVar var = wrapGlobalTypeVar(name);
  var.kind = getKind(kind, ty::kindAdtHandle);
  return var;
}

/// Whether two types are the same; variables that FuncType binds by name.
static bool isSameType(py::handle self, py::handle other) {
  if (!py::type::of(self).is(py::type::of(other)))
    return false;
  const auto &lhs = self.cast<RelayType &>();
  const auto &rhs = other.cast<RelayType &>();
  if (!lhs.type)
    return self.is(other);
  if (lhs.type != rhs.type || lhs.kind != rhs.kind)
    return false;
  return !py::isinstance<ty::IncompleteType>(self) ||
         lhs.identity == rhs.identity;
}

/// A hash in which variables do not count, since types are equal up to
/// renaming: the walk comes to each type once, in the same order.
static py::ssize_t hashType(const RelayType &self) {
  Type root = self.type;
  if (!root)
    return 0;
  llvm::hash_code hash = llvm::hash_combine(self.kind, root.getTypeID());
  root.walk<WalkOrder::PreOrder>(
      [&](RankedTensorType type) { hash = llvm::hash_combine(hash, type); });
  return static_cast<py::ssize_t>(static_cast<size_t>(hash));
}

/// Whether a type has variables or unknowns, of which the type of MLIR does not
/// tell all. So may those have that classes of Python define.
static bool hasVariables(const RelayType &self) {
  Type root = self.type;
  return !root || root.walk([](Type type) {
                        bool isVariable =
                            isa<relay::ForallType, relay::TypeVarType,
                                relay::IncompleteType>(type);
                        return isVariable ? WalkResult::interrupt()
                                          : WalkResult::advance();
                      })
                      .wasInterrupted();
}

void relay_python::bindRelayTypes(py::module_ &m) {
  Class<ty::AnyDim>(m, "Any", "A size that is known only at run time.")
      .def(py::init<>())
      .def("__repr__", [](const ty::AnyDim &) { return "?"; })
      .def("__eq__",
           [](const ty::AnyDim &, py::handle other) {
             return py::isinstance<ty::AnyDim>(other);
           })
      .def("__hash__", [](const ty::AnyDim &) { return 0x3f; });

  Class<RelayType>(m, "Type", "A type of Relay.")
      // Constraints, which no value is of, are classes of Python.
      .def(py::init<>())
      .def("__eq__", &isSameType)
      .def("_is_same", &isSameType)
      .def("__hash__", &hashType)
      .def_property_readonly("_has_variables", &hasVariables)
      .def_readonly("_identity", &RelayType::identity);

  Class<ty::TensorType, RelayType>(m, "TensorType")
      .def(py::init(&makeTensorType), py::arg("shape"),
           py::arg("dtype") = "float32")
      .def_property_readonly("shape", &getShape)
      .def_property_readonly("concrete_shape", &getConcreteShape)
      .def_property_readonly("dtype", [](const ty::TensorType &self) {
        return relay::getDTypeName(
            cast<RankedTensorType>(self.type).getElementType());
      });

  Class<ty::TupleType, RelayType>(m, "TupleType")
      .def(py::init([](py::handle fields) {
             py::list list = toList(fields);
             return ty::TupleType{
                 {mlir::TupleType::get(getSessionContext(), unwrapTypes(list)),
                  py::make_tuple(list)}};
           }),
           py::arg("fields"))
      .def_property_readonly("fields", [](const ty::TupleType &self) {
        return getPart(self, 0, [&] {
          return wrapTypes(cast<mlir::TupleType>(self.type).getTypes());
        });
      });

  Class<ty::FuncType, RelayType>(m, "FuncType", py::dynamic_attr())
      .def(py::init(&makeFuncType), py::arg("arg_types"), py::arg("ret_type"),
           py::arg("type_params") = py::none())
      .def_property_readonly("arg_types",
                             [](const ty::FuncType &self) {
                               return getPart(self, 0, [&] {
                                 return wrapTypes(getBody(self).getInputs());
                               });
                             })
      .def_property_readonly("ret_type",
                             [](const ty::FuncType &self) {
                               return getPart(self, 1, [&] {
                                 return wrapType(getBody(self).getResult(0));
                               });
                             })
      .def_property_readonly("type_params", [](const ty::FuncType &self) {
        return getPart(self, 2, [&] {
          py::list params;
          if (auto forall = dyn_cast<relay::ForallType>(self.type))
            for (StringAttr name : forall.getParams())
              params.append(wrapType(relay::TypeVarType::get(
                  getSessionContext(), name.getValue())));
          return params;
        });
      });

  Class<ty::TypeVar, RelayType>(m, "TypeVar")
      .def(py::init([](const std::string &name, py::handle kind) {
             return ty::TypeVar{
                 {relay::TypeVarType::get(getSessionContext(), name),
                  {},
                  getKind(kind, ty::kindType),
                  makeIdentity()}};
           }),
           py::arg("name"), py::arg("kind") = py::none())
      .def_readonly("kind", &RelayType::kind)
      .def_property_readonly("name_hint", [](const ty::TypeVar &self) {
        return cast<relay::TypeVarType>(self.type).getName().str();
      });

  Class<ty::GlobalTypeVar, RelayType>(m, "GlobalTypeVar")
      .def(py::init(&makeGlobalTypeVar), py::arg("name"),
           py::arg("kind") = py::none())
      .def_readonly("kind", &RelayType::kind)
      .def_property_readonly(
          "name_hint",
          [](const ty::GlobalTypeVar &self) {
            return cast<relay::ADTType>(self.type).getName().getValue().str();
          })
      .def("__call__", [](py::handle self, const py::args &args) {
        return makeTypeCall(self, args);
      });

  Class<ty::TypeCall, RelayType>(m, "TypeCall")
      .def(py::init(&makeTypeCall), py::arg("func"), py::arg("args"))
      .def_property_readonly(
          "func",
          [](const ty::TypeCall &self) {
            return getPart(self, 0, [&] {
              auto adt = cast<relay::ADTType>(self.type);
              return py::cast(wrapGlobalTypeVar(adt.getName().getValue()));
            });
          })
      .def_property_readonly("args", [](const ty::TypeCall &self) {
        return getPart(self, 1, [&] {
          return wrapTypes(cast<relay::ADTType>(self.type).getArgs());
        });
      });

  Class<ty::RefType, RelayType>(m, "RefType")
      .def(py::init([](py::handle content) {
             Type type = unwrapType(content);
             if (!type)
               throw py::type_error("expects a type of Relay, but got None");
             return ty::RefType{
                 {relay::RefType::get(type), py::make_tuple(content)}};
           }),
           py::arg("value"))
      .def_property_readonly("value", [](const ty::RefType &self) {
        return getPart(self, 0, [&] {
          return wrapType(cast<relay::RefType>(self.type).getContentType());
        });
      });

  Class<ty::IncompleteType, RelayType>(m, "IncompleteType")
      .def(py::init([](py::handle kind) {
             return ty::IncompleteType{
                 {relay::IncompleteType::get(getSessionContext()),
                  {},
                  getKind(kind, ty::kindType),
                  makeIdentity()}};
           }),
           py::arg("kind") = py::none())
      .def_readonly("kind", &RelayType::kind);
}
