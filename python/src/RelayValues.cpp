//===- RelayValues.cpp - Attributes and tensors of Relay ------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RelayBindings.h"
#include "TensorArguments.h"

#include "relay-mlir/Dialect/Relay/IR/DType.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"

#include <pybind11/stl.h>

namespace py = pybind11;
using namespace relay_python;
using namespace mlir;
using namespace mlir::relay;

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

/// Objects of Python that are attributes, such as expressions, by the attribute
/// that stands for each. Like attributes they live as long as the context.
static llvm::DenseMap<Attribute, py::object> &getObjects() {
  static auto *objects = new llvm::DenseMap<Attribute, py::object>();
  return *objects;
}

/// What text has for an object: variables by name.
static std::string describe(py::handle object) {
  if (py::isinstance<ast::Var>(object))
    return "%" + object.cast<ast::Var &>().name;
  if (!py::isinstance<py::dict>(object))
    return castArgument<std::string>(py::str(object), "expects an attribute");
  RecursionGuard guard;
  std::string text;
  for (auto [key, value] : py::reinterpret_borrow<py::dict>(object))
    text += (text.empty() ? "" : ", ") + describe(key) + ": " + describe(value);
  return "{" + text + "}";
}

static Attribute makeObjectAttribute(py::object object) {
  Attribute attribute = DistinctAttr::create(
      StringAttr::get(getSessionContext(), describe(object)));
  getObjects()[attribute] = std::move(object);
  return attribute;
}

static bool hasStringKeys(const py::dict &dict) {
  return llvm::all_of(
      dict, [](auto item) { return py::isinstance<py::str>(item.first); });
}

Attribute relay_python::toAttribute(py::handle value) {
  Builder builder(getSessionContext());
  if (value.is_none())
    return builder.getUnitAttr();
  if (PyBool_Check(value.ptr()))
    return builder.getBoolAttr(value.cast<bool>());
  if (PyLong_Check(value.ptr())) {
    auto number = castArgument<int64_t>(value, "expects an attribute");
    return llvm::isInt<32>(number) ? builder.getI32IntegerAttr(number)
                                   : builder.getI64IntegerAttr(number);
  }
  if (PyFloat_Check(value.ptr()))
    return builder.getF64FloatAttr(value.cast<double>());
  if (py::isinstance<py::str>(value))
    return builder.getStringAttr(
        castArgument<std::string>(value, "expects an attribute"));
  if (py::isinstance<OpaqueAttribute>(value))
    return value.cast<OpaqueAttribute &>().attribute;
  if (py::isinstance<RelayType>(value))
    return TypeAttr::get(unwrapType(value));
  if (py::isinstance<ast::GlobalVar>(value))
    return FlatSymbolRefAttr::get(builder.getContext(),
                                  value.cast<ast::GlobalVar &>().name);
  if (py::isinstance<ast::Expr>(value))
    return makeObjectAttribute(py::reinterpret_borrow<py::object>(value));
  RecursionGuard guard;
  if (py::isinstance<py::dict>(value)) {
    auto dict = py::reinterpret_borrow<py::dict>(value);
    // A copy, since attributes do not change.
    if (!hasStringKeys(dict))
      return makeObjectAttribute(py::object(dict.attr("copy")()));
    return builder.getDictionaryAttr(toAttributes(value));
  }
  if (py::isinstance<py::list>(value) || py::isinstance<py::tuple>(value)) {
    SmallVector<Attribute> elements;
    for (py::handle element : value)
      elements.push_back(toAttribute(element));
    return builder.getArrayAttr(elements);
  }
  if (py::isinstance<py::dtype>(value))
    return builder.getStringAttr(
        py::str(value.attr("name")).cast<std::string>());
  // Numbers and arrays of NumPy.
  if (py::hasattr(value, "tolist"))
    return toAttribute(value.attr("tolist")());
  if (PyIndex_Check(value.ptr()))
    return toAttribute(
        py::reinterpret_steal<py::object>(PyNumber_Index(value.ptr())));
  if (PyType_Check(value.ptr()))
    return toAttribute(py::module_::import("numpy").attr("dtype")(value));
  throw py::type_error("expects an attribute (a number, a string, or a list), "
                       "but got " +
                       describeValue(value));
}

py::object relay_python::fromAttribute(Attribute attribute) {
  if (!attribute || isa<UnitAttr>(attribute))
    return py::none();
  if (auto value = dyn_cast<BoolAttr>(attribute))
    return py::bool_(value.getValue());
  if (auto value = dyn_cast<IntegerAttr>(attribute))
    return py::int_(value.getValue().getSExtValue());
  if (auto value = dyn_cast<FloatAttr>(attribute))
    return py::float_(value.getValueAsDouble());
  if (auto value = dyn_cast<StringAttr>(attribute))
    return py::str(value.getValue().str());
  if (auto value = dyn_cast<TypeAttr>(attribute))
    return wrapType(value.getValue());
  if (auto value = dyn_cast<DictionaryAttr>(attribute)) {
    py::dict result;
    for (NamedAttribute entry : value)
      result[py::str(entry.getName().str())] = fromAttribute(entry.getValue());
    return result;
  }
  if (auto value = dyn_cast<ArrayAttr>(attribute)) {
    py::list result;
    for (Attribute element : value)
      result.append(fromAttribute(element));
    return result;
  }
  if (auto symbol = dyn_cast<FlatSymbolRefAttr>(attribute))
    return py::cast(std::make_shared<ast::GlobalVar>(symbol.getValue().str()));
  if (py::object object = getObjects().lookup(attribute)) {
    bool isDict = py::isinstance<py::dict>(object);
    return isDict ? py::object(object.attr("copy")()) : object;
  }
  return py::cast(OpaqueAttribute{attribute});
}

std::vector<NamedAttribute> relay_python::toAttributes(py::handle mapping) {
  std::vector<NamedAttribute> attributes;
  if (mapping.is_none())
    return attributes;
  if (!py::isinstance<py::dict>(mapping))
    throw py::type_error("expects a dict of attributes, but got " +
                         describeValue(mapping));
  for (py::handle item : mapping.attr("items")()) {
    auto [key, value] = item.cast<std::pair<py::object, py::object>>();
    auto name =
        castArgument<std::string>(key, "expects the name of an attribute");
    attributes.emplace_back(StringAttr::get(getSessionContext(), name),
                            toAttribute(value));
  }
  return attributes;
}

py::list relay_python::fromAttributes(ArrayRef<NamedAttribute> attributes) {
  py::list result;
  for (NamedAttribute attribute : attributes)
    result.append(py::make_tuple(attribute.getName().str(),
                                 fromAttribute(attribute.getValue())));
  return result;
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

relay::Tensor relay_python::toTensor(py::array array) {
  py::module_ numpy = py::module_::import("numpy");
  if (array.dtype().byteorder() == '>' || !(array.flags() & py::array::c_style))
    array = numpy.attr("ascontiguousarray")(
        array, array.dtype().attr("newbyteorder")("="));
  else if (array.writeable())
    array = array.attr("copy")();
  Type element =
      parseDType(py::str(array.dtype().attr("name")).cast<std::string>());
  if (!relay::Tensor::supports(element))
    throw py::type_error(
        "expects an array of numbers or bools, but got dtype " +
        py::str(array.dtype()).cast<std::string>());
  SmallVector<int64_t> shape(array.shape(), array.shape() + array.ndim());
  const void *data = array.data();
  std::shared_ptr<const void> owner(
      data, [object = array.release().ptr()](const void *) {
        // At exit of the process the interpreter may be gone.
        if (!Py_IsInitialized())
          return;
        py::gil_scoped_acquire acquire;
        Py_DECREF(object);
      });
  return relay::Tensor::view(RankedTensorType::get(shape, element), data,
                             std::move(owner));
}

py::array relay_python::fromTensor(relay::Tensor tensor) {
  std::string name = getDTypeName(tensor.getElementType());
  Type element = tensor.getElementType();
  py::dtype dtype = element.isBF16() || isSmallElement(element)
                        ? getMlDtype(name)
                        : py::dtype(name);
  std::vector<py::ssize_t> shape(tensor.getShape().begin(),
                                 tensor.getShape().end());
  auto *owned = new relay::Tensor(std::move(tensor));
  py::capsule owner(owned, [](void *pointer) {
    delete static_cast<relay::Tensor *>(pointer);
  });
  py::array array(dtype, shape, owned->getRawData(), owner);
  array.attr("flags").attr("writeable") = false;
  return array;
}

void relay_python::bindRelayValues(py::module_ &m) {
  py::class_<OpaqueAttribute>(m, "OpaqueAttribute")
      .def("__eq__",
           [](const OpaqueAttribute &self, py::handle other) {
             return py::isinstance<OpaqueAttribute>(other) &&
                    self.attribute == other.cast<OpaqueAttribute &>().attribute;
           })
      .def("__hash__",
           [](const OpaqueAttribute &self) {
             return static_cast<py::ssize_t>(hash_value(self.attribute));
           })
      .def("__repr__", [](const OpaqueAttribute &self) {
        std::string text;
        llvm::raw_string_ostream(text) << self.attribute;
        return text;
      });
  m.def("normalize_attribute",
        [](py::handle value) { return fromAttribute(toAttribute(value)); });
}
