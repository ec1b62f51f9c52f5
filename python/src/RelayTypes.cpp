//===- RelayTypes.cpp - Types of Relay ------------------------------------===//
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

//===----------------------------------------------------------------------===//
// Element types
//===----------------------------------------------------------------------===//

std::string relay_python::getDTypeName(Type type) {
  if (type.isBF16())
    return "bfloat16";
  if (auto floatType = dyn_cast<FloatType>(type))
    return "float" + std::to_string(floatType.getWidth());
  if (type.isInteger(1))
    return "bool";
  return (type.isUnsignedInteger() ? "uint" : "int") +
         std::to_string(type.getIntOrFloatBitWidth());
}

Type relay_python::parseDType(const std::string &name) {
  MLIRContext *context = getSessionContext();
  if (name == "bool" || name == "uint1")
    return IntegerType::get(context, 1);
  if (name == "bfloat16")
    return BFloat16Type::get(context);
  unsigned width = 0;
  StringRef rest(name);
  if (rest.consume_front("float") && !rest.getAsInteger(10, width)) {
    if (width == 16)
      return Float16Type::get(context);
    if (width == 32)
      return Float32Type::get(context);
    if (width == 64)
      return Float64Type::get(context);
  }
  rest = name;
  bool isUnsigned = rest.consume_front("uint");
  if ((isUnsigned || rest.consume_front("int")) &&
      !rest.getAsInteger(10, width) && width >= 1 && width <= 64)
    return IntegerType::get(context, width,
                            isUnsigned ? IntegerType::Unsigned
                                       : IntegerType::Signless);
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
                         py::repr(value).cast<std::string>());
  return value.cast<const RelayType &>().type;
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
  for (py::handle value : values) {
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
  for (py::handle value : values) {
    auto var = dyn_cast_if_present<relay::TypeVarType>(unwrapType(value));
    if (!var)
      throw py::type_error("expects a TypeVar, but got " +
                           py::repr(value).cast<std::string>());
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

static ty::TensorType makeTensorType(const py::sequence &shape,
                                     const std::string &dtype) {
  SmallVector<int64_t> sizes;
  for (py::handle size : shape) {
    if (py::isinstance<ty::AnyDim>(size)) {
      sizes.push_back(ShapedType::kDynamic);
      continue;
    }
    PyObject *index = PyNumber_Index(size.ptr());
    if (!index)
      throw py::error_already_set();
    auto value = py::reinterpret_steal<py::int_>(index).cast<int64_t>();
    if (value < 0)
      throw py::value_error("expects sizes that are not negative, but got " +
                            std::to_string(value));
    sizes.push_back(value);
  }
  return {{RankedTensorType::get(sizes, parseDType(dtype))}};
}

static ty::FuncType makeFuncType(py::handle args, py::handle result,
                                 py::handle params) {
  Type resultType = unwrapType(result);
  if (!resultType)
    resultType = relay::IncompleteType::get(getSessionContext());
  auto body =
      FunctionType::get(getSessionContext(), unwrapTypes(args), {resultType});
  std::vector<std::string> names = unwrapTypeParams(params);
  if (names.empty())
    return {{body}};
  SmallVector<StringAttr> attrs;
  for (const std::string &name : names)
    attrs.push_back(StringAttr::get(getSessionContext(), name));
  return {{relay::ForallType::get(attrs, body)}};
}

static FunctionType getBody(const ty::FuncType &self) {
  if (auto forall = dyn_cast<relay::ForallType>(self.type))
    return forall.getBody();
  return cast<FunctionType>(self.type);
}

static py::object getShape(const ty::TensorType &self) {
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
                         py::repr(callee).cast<std::string>());
  auto adt = cast<relay::ADTType>(callee.cast<ty::GlobalTypeVar &>().type);
  return {{relay::ADTType::get(adt.getName(), unwrapTypes(args))}};
}

static ty::GlobalTypeVar makeGlobalTypeVar(const std::string &name,
                                           py::handle) {
  return {
      {relay::ADTType::get(FlatSymbolRefAttr::get(getSessionContext(), name))}};
}

void relay_python::bindRelayTypes(py::module_ &m) {
  py::class_<ty::AnyDim>(m, "Any", "A size that is known only at run time.")
      .def(py::init<>())
      .def("__repr__", [](const ty::AnyDim &) { return "?"; })
      .def("__eq__",
           [](const ty::AnyDim &, py::handle other) {
             return py::isinstance<ty::AnyDim>(other);
           })
      .def("__hash__", [](const ty::AnyDim &) { return 0x3f; });

  py::class_<RelayType>(m, "Type", "A type of Relay.")
      .def("__eq__",
           [](py::handle self, py::handle other) {
             return py::type::of(self).is(py::type::of(other)) &&
                    self.cast<RelayType &>().type ==
                        other.cast<RelayType &>().type;
           })
      .def("__hash__", [](const RelayType &self) {
        return static_cast<py::ssize_t>(hash_value(self.type));
      });

  py::class_<ty::TensorType, RelayType>(m, "TensorType")
      .def(py::init(&makeTensorType), py::arg("shape"),
           py::arg("dtype") = "float32")
      .def_property_readonly("shape", &getShape)
      .def_property_readonly("concrete_shape", &getConcreteShape)
      .def_property_readonly("dtype", [](const ty::TensorType &self) {
        return getDTypeName(cast<RankedTensorType>(self.type).getElementType());
      });

  py::class_<ty::TupleType, RelayType>(m, "TupleType")
      .def(py::init([](py::handle fields) {
             return ty::TupleType{{mlir::TupleType::get(getSessionContext(),
                                                        unwrapTypes(fields))}};
           }),
           py::arg("fields"))
      .def_property_readonly("fields", [](const ty::TupleType &self) {
        return wrapTypes(cast<mlir::TupleType>(self.type).getTypes());
      });

  py::class_<ty::FuncType, RelayType>(m, "FuncType")
      .def(py::init(&makeFuncType), py::arg("arg_types"), py::arg("ret_type"),
           py::arg("type_params") = py::none())
      .def_property_readonly("arg_types",
                             [](const ty::FuncType &self) {
                               return wrapTypes(getBody(self).getInputs());
                             })
      .def_property_readonly("ret_type",
                             [](const ty::FuncType &self) {
                               return wrapType(getBody(self).getResult(0));
                             })
      .def_property_readonly("type_params", [](const ty::FuncType &self) {
        py::list params;
        if (auto forall = dyn_cast<relay::ForallType>(self.type))
          for (StringAttr name : forall.getParams())
            params.append(wrapType(
                relay::TypeVarType::get(getSessionContext(), name.getValue())));
        return params;
      });

  py::class_<ty::TypeVar, RelayType>(m, "TypeVar")
      .def(py::init([](const std::string &name, py::handle) {
             return ty::TypeVar{
                 {relay::TypeVarType::get(getSessionContext(), name)}};
           }),
           py::arg("name"), py::arg("kind") = py::none())
      .def_property_readonly("name_hint", [](const ty::TypeVar &self) {
        return cast<relay::TypeVarType>(self.type).getName().str();
      });

  py::class_<ty::GlobalTypeVar, RelayType>(m, "GlobalTypeVar")
      .def(py::init(&makeGlobalTypeVar), py::arg("name"),
           py::arg("kind") = py::none())
      .def_property_readonly(
          "name_hint",
          [](const ty::GlobalTypeVar &self) {
            return cast<relay::ADTType>(self.type).getName().getValue().str();
          })
      .def("__call__", [](py::handle self, const py::args &args) {
        return makeTypeCall(self, args);
      });

  py::class_<ty::TypeCall, RelayType>(m, "TypeCall")
      .def(py::init(&makeTypeCall), py::arg("func"), py::arg("args"))
      .def_property_readonly("func",
                             [](const ty::TypeCall &self) {
                               return ty::GlobalTypeVar{{relay::ADTType::get(
                                   cast<relay::ADTType>(self.type).getName())}};
                             })
      .def_property_readonly("args", [](const ty::TypeCall &self) {
        return wrapTypes(cast<relay::ADTType>(self.type).getArgs());
      });

  py::class_<ty::RefType, RelayType>(m, "RefType")
      .def(py::init([](py::handle content) {
             Type type = unwrapType(content);
             if (!type)
               throw py::type_error("expects a type of Relay, but got None");
             return ty::RefType{{relay::RefType::get(type)}};
           }),
           py::arg("value"))
      .def_property_readonly("value", [](const ty::RefType &self) {
        return wrapType(cast<relay::RefType>(self.type).getContentType());
      });

  py::class_<ty::IncompleteType, RelayType>(m, "IncompleteType")
      .def(py::init([](py::handle) {
             return ty::IncompleteType{
                 {relay::IncompleteType::get(getSessionContext())}};
           }),
           py::arg("kind") = py::none());
}
