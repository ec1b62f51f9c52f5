//===- RelayOperators.cpp - The schema of the operators -------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RelayBindings.h"

#include "relay-mlir/Dialect/Relay/IR/OperatorSchema.h"

namespace py = pybind11;
using namespace relay_python;
using namespace mlir;
using namespace mlir::relay;

static const char *getKindName(OperandKind kind) {
  switch (kind) {
  case OperandKind::Single:
    return "single";
  case OperandKind::Optional:
    return "optional";
  case OperandKind::Tuple:
    return "tuple";
  case OperandKind::Variadic:
    return "variadic";
  }
  return "";
}

static const char *getKindName(AttrKind kind) {
  switch (kind) {
  case AttrKind::Bool:
    return "bool";
  case AttrKind::Int:
    return "int";
  case AttrKind::Float:
    return "float";
  case AttrKind::String:
    return "string";
  case AttrKind::DType:
    return "dtype";
  case AttrKind::Ints:
    return "ints";
  case AttrKind::Floats:
    return "floats";
  case AttrKind::Pairs:
    return "pairs";
  case AttrKind::IntOrInts:
    return "int_or_ints";
  case AttrKind::Other:
    return "other";
  }
  return "";
}

static const char *getPresenceName(AttrPresence presence) {
  switch (presence) {
  case AttrPresence::Required:
    return "required";
  case AttrPresence::Nullable:
    return "nullable";
  case AttrPresence::Optional:
    return "optional";
  case AttrPresence::Default:
    return "default";
  }
  return "";
}

/// (name, summary, description, [(operand, kind)],
///  [(attribute, kind, presence, default)]) of each operator.
static py::list getSchemas() {
  py::list result;
  for (const OperatorSchema *schema : getOperatorSchemas()) {
    py::list operands, attributes;
    for (const OperandSchema &operand : schema->operands)
      operands.append(
          py::make_tuple(operand.name.str(), getKindName(operand.kind)));
    for (const AttributeSchema &attribute : schema->attributes) {
      py::object value = py::none();
      if (attribute.presence != AttrPresence::Required)
        value = fromAttribute(attribute.getDefault(getSessionContext()));
      attributes.append(py::make_tuple(
          attribute.name.str(), getKindName(attribute.kind),
          getPresenceName(attribute.presence), std::move(value)));
    }
    result.append(py::make_tuple(schema->name.str(), schema->summary.str(),
                                 schema->description.str(), operands,
                                 attributes));
  }
  return result;
}

void relay_python::bindRelayOperators(py::module_ &m) {
  m.def("operator_schemas", &getSchemas);
}
