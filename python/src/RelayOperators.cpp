//===- RelayOperators.cpp - The schema of the operators -------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Callback.h"
#include "HeldValues.h"
#include "RelayBindings.h"
#include "TensorArguments.h"

#include "relay-mlir-c/Runtime.h"

#include "relay-mlir/Dialect/Relay/IR/AddedOperators.h"
#include "relay-mlir/Dialect/Relay/IR/PassInterfaces.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Interpreter/AddedOperators.h"

#include "mlir/AsmParser/AsmParser.h"

#include <pybind11/stl.h>

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

/// The dtypes that a scalar may have as this operand.
static py::list getScalarDTypes(const OperandSchema &operand) {
  py::list result;
  for (const char *name :
       {"float32", "int32", "int64", "float64", "float16", "bfloat16", "bool",
        "int8", "uint8", "int16", "uint16", "uint32", "uint64"})
    if (operand.accepts(RankedTensorType::get({}, parseDType(name))))
      result.append(name);
  return result;
}

/// (name, summary, description, [(operand, kind, dtypes of scalars)],
///  [(attribute, kind, presence, default)]) of each operator.
static py::list getSchemas() {
  py::list result;
  for (const OperatorSchema *schema : getOperatorSchemas()) {
    py::list operands, attributes;
    for (const OperandSchema &operand : schema->operands)
      operands.append(py::make_tuple(operand.name.str(),
                                     getKindName(operand.kind),
                                     getScalarDTypes(operand)));
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

/// How fusion sees an operator: the number of its OpPatternKind.
static int getPattern(const std::string &name) {
  if (!getOperatorSchema(name))
    throw py::value_error("there is no operator '" + name + "'");
  OperationState state(UnknownLoc::get(getSessionContext()), "relay." + name);
  Operation *op = Operation::create(state);
  auto fusable = dyn_cast<FusionPatternOpInterface>(op);
  OpPatternKind kind =
      fusable ? fusable.getFusionPattern() : OpPatternKind::Opaque;
  op->destroy();
  return static_cast<int>(kind);
}

static bool hasGradient(const std::string &name) {
  OperationName op("relay." + name, getSessionContext());
  return op.hasInterface<GradientOpInterface>();
}

/// Whether equal calls may differ, or do something else than to return a value.
static bool isStateful(const std::string &name) {
  OperationName op("relay." + name, getSessionContext());
  return !op.hasTrait<OpTrait::AlwaysSpeculatableImplTrait>();
}

//===----------------------------------------------------------------------===//
// Operators of Python
//===----------------------------------------------------------------------===//

static void registerOperator(const std::string &name,
                             const std::string &summary,
                             std::optional<std::vector<std::string>> operands,
                             py::object inferType) {
  AddedOperator op{name, summary, std::move(operands), nullptr};
  op.inferType = [name, callback = Callback(std::move(inferType))](
                     Location loc, TypeRange operandTypes,
                     DictionaryAttr attrs) -> FailureOr<Type> {
    return callback.call<Type>(
        [&]() { return emitError(loc) << "'relay." << name << "' op "; },
        [&]() {
          return py::make_tuple(wrapTypes(llvm::to_vector(operandTypes)),
                                fromAttributes(attrs.getValue()));
        },
        [](py::handle type) { return unwrapType(type); });
  };
  if (failed(addOperator(std::move(op))))
    throw py::value_error("there is an operator '" + name + "' already");
}

static py::object wrapValue(const InterpreterValue &value) {
  if (value.isTensor())
    return fromTensor(value.getTensor());
  py::list fields;
  for (const InterpreterValue &field : value.getFields())
    fields.append(wrapValue(field));
  return py::tuple(fields);
}

static InterpreterValue unwrapValue(py::handle value) {
  if (!py::isinstance<py::tuple>(value))
    return toTensor(py::reinterpret_borrow<py::array>(value));
  std::vector<InterpreterValue> fields;
  for (py::handle field : value)
    fields.push_back(unwrapValue(field));
  return InterpreterValue(fields);
}

static bool isOfTensors(const InterpreterValue &value) {
  return value.isTensor() ||
         (value.isTuple() && llvm::all_of(value.getFields(), isOfTensors));
}

static void registerEvaluator(const std::string &name, py::object evaluate) {
  addEvaluator(
      name,
      [callback = Callback(std::move(evaluate))](
          Operation *op,
          ArrayRef<InterpreterValue> operands) -> FailureOr<InterpreterValue> {
        auto apply = cast<ApplyOp>(op);
        auto emitFailure = [&]() {
          return emitError(op->getLoc())
                 << "'relay." << apply.getName() << "' op ";
        };
        if (!llvm::all_of(operands, isOfTensors))
          return emitFailure() << "expects tensors and tuples of them";
        return callback.call<InterpreterValue>(
            emitFailure,
            [&]() {
              py::list values;
              for (const InterpreterValue &operand : operands)
                values.append(wrapValue(operand));
              return py::make_tuple(values,
                                    fromAttributes(apply.getAttrs().getValue()),
                                    wrapType(apply.getType()));
            },
            unwrapValue);
      });
}

/// Attributes and type of a call of an added operator, as programs tell it to
/// its function (kOperatorFunctionPrefix).
static py::tuple readCall(const std::string &text) {
  auto parts =
      dyn_cast_or_null<ArrayAttr>(parseAttribute(text, getSessionContext()));
  if (!parts || parts.size() != 2 || !isa<DictionaryAttr>(parts[0]) ||
      !isa<TypeAttr>(parts[1]))
    throw py::value_error("expects attributes and type of a call, but got '" +
                          text + "'");
  return py::make_tuple(
      fromAttributes(cast<DictionaryAttr>(parts[0]).getValue()),
      wrapType(cast<TypeAttr>(parts[1]).getValue()));
}

/// Shows a value of a compiled program to a function of Python. What that
/// raises ends the program, whose caller finds it.
static int32_t showValue(void *function, RelayValue *value) {
  py::gil_scoped_acquire acquire;
  try {
    py::handle(static_cast<PyObject *>(function))(showProgramValue(value));
    return 0;
  } catch (py::error_already_set &error) {
    error.restore();
  } catch (std::exception &error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  }
  return 1;
}

/// `function` is called by compiled programs; `guarded` is the same for the
/// interpreter, and does not raise.
static void registerDebugFunction(const std::string &name, py::object guarded,
                                  py::object function) {
  checkStatus(relaySetDebugFunction(name.c_str(), &showValue,
                                    function.release().ptr()));
  addDebugFunction(
      name,
      [callback = Callback(std::move(guarded))](
          Operation *op,
          ArrayRef<InterpreterValue> operands) -> FailureOr<InterpreterValue> {
        const InterpreterValue &value = operands.front();
        return callback.call<InterpreterValue>(
            [&]() { return emitError(op->getLoc()) << "'relay.debug' op "; },
            [&]() -> py::tuple {
              if (isOfTensors(value))
                return py::make_tuple(wrapValue(value));
              std::string text;
              llvm::raw_string_ostream os(text);
              value.print(os, /*maxDepth=*/100);
              return py::make_tuple(text);
            },
            [&](py::handle) { return value; });
      });
}

void relay_python::bindRelayOperators(py::module_ &m) {
  m.def("operator_schemas", &getSchemas);
  m.def("operator_pattern", &getPattern);
  m.def("operator_has_gradient", &hasGradient);
  m.def("operator_is_stateful", &isStateful);
  m.def("register_operator", &registerOperator);
  m.def("register_evaluator", &registerEvaluator);
  m.def("read_call", &readCall);
  m.def("register_debug_function", &registerDebugFunction);
}
