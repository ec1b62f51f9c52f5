//===- RelayExecutor.cpp - Evaluation of Relay programs -------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HeldValues.h"

#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Interpreter/Interpreter.h"
#include "relay-mlir/Pipelines/Compiler.h"
#include "relay-mlir/Report/Report.h"

#include <pybind11/stl.h>

#include <chrono>

namespace py = pybind11;
using namespace relay_python;
using namespace mlir;
using namespace mlir::relay;

using ValueKind = InterpreterValue::Kind;

/// A program in the interpreter. Values that it returned keep it alive: their
/// closures refer to its operations.
class relay_python::Program : public std::enable_shared_from_this<Program> {
public:
  Program(py::handle functions, py::handle types)
      : module(importModule(functions, types)),
        interpreter(getSessionContext()) {}

  /// Runs a function of the module.
  py::object run(const std::string &name, const py::list &args);
  /// Calls a closure or a constructor.
  py::object call(const InterpreterValue &function, const py::list &args);
  /// Names and types of a function's parameters.
  py::list getParams(const std::string &name);

  py::object wrap(const InterpreterValue &value);
  /// The node of a constructor that the program defines.
  py::object getConstructor(SymbolRefAttr name);
  InterpreterValue unwrap(py::handle value, Type type);
  /// What Python writes to a reference, which has the type of what is there.
  /// Raises an exception if it has another.
  py::object convertContents(const InterpreterValue &reference,
                             py::handle value);

private:
  func::FuncOp lookup(const std::string &name);
  /// What `run` returns, which is called with the interpreter and without the
  /// lock of Python. Raises an exception if it fails, or a signal's handler
  /// did.
  template <typename Fn>
  auto evaluate(Fn run);

  OwningOpRef<ModuleOp> module;
  Interpreter interpreter;
  /// Those whose values were passed to this one.
  std::vector<std::shared_ptr<Program>> others;
};

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

py::object Program::wrap(const InterpreterValue &value) {
  switch (value.getKind()) {
  case ValueKind::Tensor:
    return fromTensor(value.getTensor());
  case ValueKind::Tuple: {
    ArrayRef<InterpreterValue> fields = value.getFields();
    py::tuple result(fields.size());
    for (auto [i, field] : llvm::enumerate(fields))
      result[i] = wrap(field);
    return result;
  }
  case ValueKind::Data:
    return py::cast(DataValue{{value, shared_from_this()}});
  case ValueKind::Reference:
    return py::cast(RefValue{{value, shared_from_this()}});
  case ValueKind::Closure:
  case ValueKind::Constructor:
    return py::cast(ClosureValue{{value, shared_from_this()}});
  }
  return py::none();
}

py::object Program::getConstructor(SymbolRefAttr name) {
  auto op = SymbolTable::lookupNearestSymbolFrom<ConstructorOp>(*module, name);
  if (!op)
    return py::none();
  std::vector<Type> fields;
  for (Attribute field : op.getFields())
    fields.push_back(cast<TypeAttr>(field).getValue());
  ADTOp adt = op.getADT();
  auto constructors = adt.getConstructors();
  unsigned index =
      std::distance(constructors.begin(), llvm::find(constructors, op));
  return py::cast(std::make_shared<ast::Constructor>(
      adt.getSymName().str(), op.getSymName().str(), std::move(fields), index));
}

py::array relay_python::toTypedArray(py::handle value, Type type) {
  py::module_ numpy = py::module_::import("numpy");
  auto tensorType = dyn_cast_if_present<RankedTensorType>(type);
  if (py::isinstance<py::array>(value))
    return py::reinterpret_borrow<py::array>(value);
  if (py::hasattr(value, "__dlpack__"))
    return numpy.attr("from_dlpack")(value);
  if (py::hasattr(value, "_data"))
    return value.attr("_data");
  // Lists and numbers have no dtype of their own: they take the parameter's.
  if (tensorType)
    return toNumbers(
        value,
        fromTensor(Tensor::allocate({0}, tensorType.getElementType())).dtype());
  py::array array = numpy.attr("asarray")(value);
  if (array.dtype().kind() == 'f')
    return array.attr("astype")("float32");
  if (array.dtype().kind() == 'i')
    return array.attr("astype")("int32");
  return array;
}

void relay_python::raiseWrongKind(Type type, py::handle value) {
  std::string expected = "a function";
  if (isa<mlir::TupleType>(type))
    expected = "a tuple";
  else if (isa<RefType>(type))
    expected = "a reference";
  else if (auto data = dyn_cast<ADTType>(type))
    expected =
        data.getName().getValue() == "List"
            ? "a list"
            : ("a value of the data type '" + data.getName().getValue() + "'")
                  .str();
  throw py::type_error("expects " + expected + ", but got " +
                       describeValue(value));
}

static SymbolRefAttr getSymbol(const ast::Constructor &constructor) {
  MLIRContext *context = getSessionContext();
  return SymbolRefAttr::get(StringAttr::get(context, constructor.adt),
                            FlatSymbolRefAttr::get(context, constructor.name));
}

/// The type of what may be in the place of a value of type `type`: tensors have
/// other sizes.
static Type withOpenSizes(Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return RankedTensorType::get(
        SmallVector<int64_t>(tensor.getRank(), ShapedType::kDynamic),
        tensor.getElementType());
  if (auto tuple = dyn_cast<TupleType>(type))
    return TupleType::get(type.getContext(),
                          llvm::map_to_vector(tuple.getTypes(), withOpenSizes));
  return type;
}

/// The value that is held, which must be one of the interpreter.
static const InterpreterValue &getValue(const HeldValue &held) {
  if (!held.value)
    throw py::type_error("expects a value of the interpreter, but got one of a "
                         "virtual machine");
  return held.value;
}

InterpreterValue Program::unwrap(py::handle value, Type type) {
  if (py::isinstance<HeldValue>(value)) {
    const auto &wrapped = value.cast<const HeldValue &>();
    if (wrapped.program && wrapped.program.get() != this &&
        !llvm::is_contained(others, wrapped.program))
      others.push_back(wrapped.program);
    return getValue(wrapped);
  }
  auto tupleType = dyn_cast_if_present<mlir::TupleType>(type);
  if (py::isinstance<py::tuple>(value) ||
      (py::isinstance<py::list>(value) && tupleType)) {
    std::vector<InterpreterValue> fields;
    for (py::handle field : value)
      fields.push_back(
          unwrap(field, tupleType && fields.size() < tupleType.size()
                            ? tupleType.getType(fields.size())
                            : Type()));
    return InterpreterValue(fields);
  }
  if (type && !isa<RankedTensorType, TypeVarType>(type))
    raiseWrongKind(type, value);
  return toTensor(toTypedArray(value, type));
}

py::object Program::convertContents(const InterpreterValue &reference,
                                    py::handle value) {
  MLIRContext *context = getSessionContext();
  Type type = withOpenSizes(reference.getContents().getType(context));
  InterpreterValue contents =
      unwrap(value, isa<RankedTensorType, TupleType>(type) ? type : Type());
  if (isInstance(contents, type))
    return py::isinstance<HeldValue>(value)
               ? py::reinterpret_borrow<py::object>(value)
               : wrap(contents);
  DiagnosticCollector diagnostics(context, Words::Relay);
  emitError(UnknownLoc::get(context))
      << "expects contents of type " << type << ", as the reference has, but "
      << "got " << contents.getType(context);
  diagnostics.raise("the reference has another type");
}

/// A node for the constructor of a value, of its definition in the program.
static py::object getConstructor(const DataValue &self) {
  if (self.constructor)
    return self.constructor;
  return self.program->getConstructor(self.value.getConstructor());
}

static py::list getFields(const DataValue &self) {
  // The lists of Python can be changed.
  if (self.fields)
    return py::list(py::tuple(self.fields));
  py::list fields;
  for (const InterpreterValue &field : self.value.getFields())
    fields.append(self.program->wrap(field));
  return fields;
}

/// A value of a field. Sets `program` if it belongs to one.
static InterpreterValue toValue(py::handle field, Type type,
                                std::shared_ptr<Program> &program) {
  if (py::isinstance<HeldValue>(field)) {
    const auto &wrapped = field.cast<const HeldValue &>();
    program = wrapped.program ? wrapped.program : program;
    return getValue(wrapped);
  }
  if (!py::isinstance<py::tuple>(field))
    return toTensor(toTypedArray(field, type));
  std::vector<InterpreterValue> values;
  for (py::handle part : field)
    values.push_back(toValue(part, nullptr, program));
  return InterpreterValue(values);
}

static DataValue makeData(const std::shared_ptr<ast::Constructor> &constructor,
                          const py::list &fields) {
  if (fields.size() != constructor->fields.size())
    throw py::value_error("expects " +
                          std::to_string(constructor->fields.size()) +
                          " fields of " + constructor->name + ", but got " +
                          std::to_string(fields.size()));
  SmallVector<InterpreterValue> values;
  std::shared_ptr<Program> program;
  for (auto [field, type] : llvm::zip_equal(fields, constructor->fields))
    values.push_back(toValue(field, type, program));
  return {{InterpreterValue::getData(getSymbol(*constructor),
                                     constructor->index, values),
           program},
          py::cast(constructor),
          fields};
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

func::FuncOp Program::lookup(const std::string &name) {
  auto function = module->lookupSymbol<func::FuncOp>(name);
  if (!function)
    throw py::value_error("there is no function '" + name + "' in the module");
  return function;
}

py::list Program::getParams(const std::string &name) {
  func::FuncOp function = lookup(name);
  py::list params;
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes())) {
    auto param = function.getArgAttrOfType<StringAttr>(i, relay::kNameAttrName);
    params.append(py::make_tuple(param ? param.str() : "", wrapType(type)));
  }
  return params;
}

bool relay_python::isInterrupted(
    std::chrono::steady_clock::time_point &lastLook) {
  auto now = std::chrono::steady_clock::now();
  if (now - lastLook < std::chrono::milliseconds(50))
    return false;
  lastLook = now;
  py::gil_scoped_acquire acquire;
  return PyErr_CheckSignals() != 0;
}

template <typename Fn>
auto Program::evaluate(Fn run) {
  DiagnosticCollector diagnostics(getSessionContext(), Words::Relay);
  // A copy: several threads may run the program at a time.
  Interpreter copy = interpreter;
  copy.setInterrupt([lastLook = std::chrono::steady_clock::now()]() mutable {
    return isInterrupted(lastLook);
  });
  auto result = [&] {
    py::gil_scoped_release release;
    return run(copy);
  }();
  if (PyErr_Occurred())
    throw py::error_already_set();
  if (failed(result))
    diagnostics.raise("the evaluation failed");
  return result;
}

py::object Program::run(const std::string &name, const py::list &args) {
  func::FuncOp function = lookup(name);
  ArrayRef<Type> types = function.getArgumentTypes();
  if (types.size() != args.size())
    throw py::type_error("expects " + std::to_string(types.size()) +
                         " arguments, but got " + std::to_string(args.size()));
  SmallVector<InterpreterValue> inputs;
  for (auto [arg, type] : llvm::zip_equal(args, types))
    inputs.push_back(unwrap(arg, type));
  auto results = evaluate(
      [&](Interpreter &runner) { return runner.run(function, inputs); });
  if (results->size() == 1)
    return wrap(results->front());
  return wrap(InterpreterValue(ArrayRef<InterpreterValue>(*results)));
}

py::object Program::call(const InterpreterValue &function,
                         const py::list &args) {
  SmallVector<InterpreterValue> inputs;
  for (py::handle arg : args)
    inputs.push_back(unwrap(arg, nullptr));
  auto result = evaluate(
      [&](Interpreter &runner) { return runner.call(function, inputs); });
  return wrap(*result);
}

/// Writes the compiled program; `isWhole` is for one of which any function may
/// be called, not only @main. Returns whether it is no function of tensors.
static bool compile(py::handle functions, py::handle types,
                    const std::string &path, const std::string &emit,
                    const std::string &target, const std::string &deviceTargets,
                    int optLevel, bool externalFallback, Report *report,
                    const std::string &executor, bool isWhole) {
  checkOptLevel(optLevel);
  OwningOpRef<ModuleOp> module = importModule(functions, types);
  std::optional<EmitKind> kind = parseEmitKind(emit);
  if (!kind)
    throw py::value_error("cannot write '" + emit + "'");
  CompileOptions options;
  options.target = target;
  options.deviceTargets = deviceTargets;
  options.optLevel = optLevel;
  options.externalFallback = externalFallback;
  options.report = report;
  std::optional<ExecutorKind> executorKind = parseExecutorKind(executor);
  if (!executorKind)
    throw py::value_error("expects executor 'aot', 'vm' or 'graph', but got '" +
                          executor + "'");
  options.executor = *executorKind;
  options.hasGlue = isWhole;
  bool isProgram = false;
  options.isProgram = &isProgram;
  DiagnosticCollector diagnostics(getSessionContext(), Words::Relay);
  LogicalResult result = failure();
  {
    py::gil_scoped_release release;
    result = compileModule(*module, options, *kind, path);
  }
  if (failed(result))
    diagnostics.raise("cannot compile the program");
  diagnostics.warn();
  return isProgram;
}

//===----------------------------------------------------------------------===//
// Bindings
//===----------------------------------------------------------------------===//

static std::string printValue(const HeldValue &self) {
  std::string text;
  llvm::raw_string_ostream os(text);
  self.value.print(os, /*maxDepth=*/100);
  return text;
}

void relay_python::bindRelayExecutor(py::module_ &m) {
  py::class_<Program, std::shared_ptr<Program>>(m, "Program")
      .def(py::init([](py::handle functions, py::handle types) {
        return std::make_shared<Program>(functions, types);
      }))
      .def("run", &Program::run)
      .def("params", &Program::getParams);

  py::class_<HeldValue>(m, "Value", "A value of the interpreter.")
      .def("__str__", &printValue)
      .def("__repr__", &printValue);
  py::class_<DataValue, HeldValue>(m, "ConstructorValue")
      .def(py::init(&makeData), py::arg("constructor"), py::arg("fields"))
      .def_property_readonly("constructor", &getConstructor)
      .def_property_readonly(
          "tag",
          [](const DataValue &self) {
            return getConstructorTag(
                self.value.getConstructor().getRootReference().getValue(),
                self.value.getConstructorIndex());
          })
      .def_property_readonly("name_hint",
                             [](const DataValue &self) {
                               return self.value.getConstructorName().str();
                             })
      .def_property_readonly("_fields", &getFields);
  py::class_<ClosureValue, HeldValue>(m, "Closure")
      .def("_call", [](const ClosureValue &self, const py::list &args) {
        return self.program->call(self.value, args);
      });
  py::class_<RefValue, HeldValue>(m, "RefValue")
      .def(py::init([](const RefValue &made) { return made; }), py::arg("made"))
      .def_property_readonly("_value",
                             [](const RefValue &self) {
                               return self.program->wrap(
                                   self.value.getContents());
                             })
      .def("_convert", [](const RefValue &self, py::handle value) {
        return self.program->convertContents(self.value, value);
      });
  m.def("compile", &compile, py::arg("functions"), py::arg("types"),
        py::arg("path"), py::arg("emit"), py::arg("target"),
        py::arg("device_targets"), py::arg("opt_level"),
        py::arg("external_fallback"), py::arg("report"),
        py::arg("executor") = "aot", py::arg("is_whole") = false);
}
