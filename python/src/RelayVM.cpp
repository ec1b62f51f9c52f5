//===- RelayVM.cpp - Programs in the virtual machine ----------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Values cross the border in both directions: arrays, numbers and tuples as
// they are; data types, closures and references as objects that keep their
// program alive. What the interpreter made, or Python itself, is made anew.
//
//===----------------------------------------------------------------------===//

#include "Arguments.h"
#include "HeldValues.h"
#include "Metadata.h"
#include "Profile.h"
#include "RunStrings.h"
#include "TensorArguments.h"

#include "relay-mlir-c/Runtime.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Pipelines/CompiledTensors.h"
#include "relay-mlir/Pipelines/ProgramTypes.h"
#include "relay-mlir/Pipelines/ProgramValues.h"

#include "llvm/Support/FormatVariadic.h"
#include <pybind11/stl.h>

#include <deque>

namespace py = pybind11;
using namespace relay_python;
using namespace mlir;
using namespace mlir::relay;

namespace {

using Handle = ProgramValue;

/// A loaded program.
class VMProgram : public std::enable_shared_from_this<VMProgram> {
public:
  VMProgram(const std::string &path, const std::optional<std::string> &device);
  ~VMProgram() { relayModuleFree(module); }
  VMProgram(const VMProgram &) = delete;

  /// Calls a function. `types` are those of its parameters, or None.
  py::object run(const std::string &name, const py::list &args,
                 const py::object &types);
  py::object call(const Handle &closure, const py::list &args);
  /// Where the time of a function goes, as LoadedModule::profile has it.
  py::list profile(const std::string &name, const py::list &args, int repeat,
                   int warmUp, const std::string &trace);
  std::string getPrecision() const { return getArtifact().precision; }
  py::dict getMetadata() const { return relay_python::getMetadata(module); }
  std::unique_ptr<RunStrings> makeStrings() const {
    return RunStrings::create(module);
  }
  void verify() const;
  py::object wrap(const Handle &value);
  Handle unwrap(py::handle value, Type type,
                std::deque<TensorArgument> &tensors);
  Handle unwrapData(py::handle value, ADTType type,
                    std::deque<TensorArgument> &tensors);
  Handle makeData(StringRef type, StringRef name,
                  ArrayRef<RelayValue *> fields);

  /// Those that the artefact has of the parameters of a function; null for one
  /// without.
  std::vector<Type> getParamTypes(StringRef name) const;
  py::tuple describeFunction(const std::string &name) const;
  py::list getFunctions() const;
  py::list getConstants() const;
  std::string print() const;

private:
  const RelayArtifact &getArtifact() const {
    return *relayModuleGetArtifact(module);
  }
  /// What arguments are for the machine. Arrays outlive the values that borrow
  /// their elements.
  struct Values {
    std::deque<TensorArgument> tensors;
    std::vector<Handle> handles;
    SmallVector<RelayValue *> values;
  };
  /// Argument `number` of a function, or of a closure without a name, as errors
  /// name it.
  std::string describeArgument(StringRef function, size_t number) const;
  void pass(StringRef function, const py::list &args, ArrayRef<Type> types,
            Values &to);
  template <typename Fn>
  py::object invoke(StringRef function, const py::list &args,
                    ArrayRef<Type> types, Fn call);

  RelayModule *module = nullptr;
  /// Held by each run, and by a profile alone.
  std::shared_mutex runs;
  std::chrono::steady_clock::time_point lastLook;
};

/// What the classes of Python for values of the machine have besides.
struct OfMachine {
  Handle handle;
  std::shared_ptr<VMProgram> machine;
};
struct MachineData : DataValue {
  OfMachine own;
};
struct MachineClosure : ClosureValue {
  OfMachine own;
};
struct MachineRef : RefValue {
  OfMachine own;
};

} // namespace

/// The part of a held value that the machine knows; null for others.
static const OfMachine *getOfMachine(py::handle value) {
  if (py::isinstance<MachineData>(value))
    return &value.cast<const MachineData &>().own;
  if (py::isinstance<MachineClosure>(value))
    return &value.cast<const MachineClosure &>().own;
  if (py::isinstance<MachineRef>(value))
    return &value.cast<const MachineRef &>().own;
  return nullptr;
}

VMProgram::VMProgram(const std::string &path,
                     const std::optional<std::string> &device) {
  RelayStatus status;
  {
    py::gil_scoped_release release;
    status = relayModuleLoadFor(path.c_str(), /*flags=*/0,
                                device ? device->c_str() : nullptr, &module);
  }
  checkStatus(status);
  if (!getArtifact().program) {
    relayModuleFree(std::exchange(module, nullptr));
    throw py::value_error("expects '" + path +
                          "' to be a program, but it is one function of "
                          "tensors");
  }
  relayModuleSetInterrupt(
      module,
      [](void *self) -> int32_t {
        return isInterrupted(static_cast<VMProgram *>(self)->lastLook);
      },
      this);
}

//===----------------------------------------------------------------------===//
// From the machine
//===----------------------------------------------------------------------===//

static Handle getField(RelayValue *value, int32_t index) {
  RelayValue *field = nullptr;
  checkStatus(relayValueGetField(value, index, &field));
  return Handle(field);
}

static int32_t getNumFields(RelayValue *value) {
  int32_t count = 0;
  checkStatus(relayValueGetNumFields(value, &count));
  return count;
}

static py::array exportTensor(RelayValue *value) {
  DLManagedTensor *tensor = nullptr;
  checkStatus(relayValueExportTensor(value, &tensor));
  return toArray(tensor);
}

namespace {
/// One more call of functions that call themselves for parts of a value; throws
/// Python's RecursionError for a value that is too deep.
struct RecursiveCall {
  RecursiveCall() {
    if (Py_EnterRecursiveCall(" in a value of the virtual machine"))
      throw py::error_already_set();
  }
  ~RecursiveCall() { Py_LeaveRecursiveCall(); }
  RecursiveCall(const RecursiveCall &) = delete;
};
} // namespace

py::object VMProgram::wrap(const Handle &value) {
  RecursiveCall call;
  switch (relayValueGetKind(value.get())) {
  case RELAY_VALUE_TENSOR:
    return exportTensor(value.get());
  case RELAY_VALUE_TUPLE: {
    py::tuple result(getNumFields(value.get()));
    for (size_t i = 0; i < result.size(); ++i)
      result[i] = wrap(getField(value.get(), i));
    return std::move(result);
  }
  case RELAY_VALUE_DATA:
    return py::cast(MachineData{{}, {value, shared_from_this()}});
  case RELAY_VALUE_CLOSURE:
    return py::cast(MachineClosure{{}, {value, shared_from_this()}});
  case RELAY_VALUE_REFERENCE:
    return py::cast(MachineRef{{}, {value, shared_from_this()}});
  }
  return py::none();
}

static const RelayArtifactConstructor &getConstructor(const OfMachine &self) {
  const RelayArtifactConstructor *constructor = nullptr;
  checkStatus(relayValueGetConstructor(self.handle.get(), &constructor));
  return *constructor;
}

/// A node for a constructor. The artefact does not know types of fields.
static py::object getConstructorNode(const MachineData &self) {
  const RelayArtifactConstructor &known = getConstructor(self.own);
  MLIRContext *context = getSessionContext();
  std::vector<Type> fields(known.num_fields,
                           relay::IncompleteType::get(context));
  return py::cast(std::make_shared<ast::Constructor>(
      known.type, known.name, std::move(fields), known.index));
}

static py::list getFields(const MachineData &self) {
  py::list fields;
  for (int32_t i = 0, e = getNumFields(self.own.handle.get()); i < e; ++i)
    fields.append(self.own.machine->wrap(getField(self.own.handle.get(), i)));
  return fields;
}

static std::string printValue(const OfMachine &self) {
  std::string text;
  llvm::raw_string_ostream os(text);
  printProgramValue(os, self.handle.get(), getSessionContext(),
                    /*maxDepth=*/100);
  return text;
}

/// Whether there are tensors and tuples of them only.
static bool isOfTensors(RelayValue *value) {
  RecursiveCall call;
  RelayValueKind kind = relayValueGetKind(value);
  if (kind != RELAY_VALUE_TUPLE)
    return kind == RELAY_VALUE_TENSOR;
  return llvm::all_of(llvm::seq(getNumFields(value)), [&](int32_t index) {
    return isOfTensors(getField(value, index).get());
  });
}

static py::object wrapTensors(RelayValue *value) {
  RecursiveCall call;
  if (relayValueGetKind(value) == RELAY_VALUE_TENSOR)
    return exportTensor(value);
  py::tuple fields(getNumFields(value));
  for (size_t i = 0; i < fields.size(); ++i)
    fields[i] = wrapTensors(getField(value, i).get());
  return std::move(fields);
}

py::object relay_python::showProgramValue(RelayValue *value) {
  if (isOfTensors(value))
    return wrapTensors(value);
  std::string text;
  llvm::raw_string_ostream os(text);
  printProgramValue(os, value, getSessionContext(), /*maxDepth=*/100);
  return py::str(text);
}

//===----------------------------------------------------------------------===//
// To the machine
//===----------------------------------------------------------------------===//

static Handle makeTuple(ArrayRef<RelayValue *> fields) {
  RelayValue *value = nullptr;
  checkStatus(relayValueMakeTuple(fields.data(),
                                  static_cast<int32_t>(fields.size()), &value));
  return Handle(value);
}

/// A value of the interpreter, without closures in it.
static Handle convert(const RelayModule *module,
                      const InterpreterValue &value) {
  llvm::Expected<Handle> made = toProgramValue(module, value);
  if (!made)
    throw py::type_error(llvm::toString(made.takeError()));
  return *made;
}

Handle VMProgram::makeData(StringRef type, StringRef name,
                           ArrayRef<RelayValue *> fields) {
  RelayValue *value = nullptr;
  checkStatus(relayModuleMakeData(module, type.str().c_str(),
                                  name.str().c_str(), fields.data(),
                                  static_cast<int32_t>(fields.size()), &value));
  return Handle(value);
}

/// Lists of Python are values of the prelude's List, and None and all else
/// those of its Option. Null for another type or value.
Handle VMProgram::unwrapData(py::handle value, ADTType type,
                             std::deque<TensorArgument> &tensors) {
  StringRef name = type.getName().getValue();
  if (name == "Option" && type.getArgs().size() == 1) {
    if (value.is_none())
      return makeData(name, "None", {});
    Handle field = unwrap(value, type.getArgs().front(), tensors);
    return makeData(name, "Some", {field.get()});
  }
  if (name != "List" || type.getArgs().size() != 1 ||
      !py::isinstance<py::list>(value))
    return {};
  std::vector<Handle> elements;
  for (py::handle element : value)
    elements.push_back(unwrap(element, type.getArgs().front(), tensors));
  Handle list = makeData(name, "Nil", {});
  for (const Handle &element : llvm::reverse(elements))
    list = makeData(name, "Cons", {element.get(), list.get()});
  return list;
}

/// What lists and numbers become that take the place of `value`: a type of
/// tensors and tuples, incomplete where there is something else.
static Type getNumbersType(const Handle &value) {
  RecursiveCall call;
  MLIRContext *context = getSessionContext();
  switch (relayValueGetKind(value.get())) {
  case RELAY_VALUE_TENSOR: {
    DLTensor tensor;
    checkStatus(relayValueGetTensor(value.get(), &tensor));
    return RankedTensorType::get(
        SmallVector<int64_t>(tensor.ndim, ShapedType::kDynamic),
        getElementType(context, tensor.dtype));
  }
  case RELAY_VALUE_TUPLE: {
    SmallVector<Type> fields;
    for (int32_t i = 0, e = getNumFields(value.get()); i < e; ++i)
      fields.push_back(getNumbersType(getField(value.get(), i)));
    return TupleType::get(context, fields);
  }
  default:
    return relay::IncompleteType::get(context);
  }
}

Handle VMProgram::unwrap(py::handle value, Type type,
                         std::deque<TensorArgument> &tensors) {
  RecursiveCall call;
  if (const OfMachine *known = getOfMachine(value)) {
    if (known->machine.get() != this)
      throw py::type_error("expects a value of this virtual machine, but got "
                           "one of another");
    return known->handle;
  }
  if (py::isinstance<HeldValue>(value))
    return convert(module, value.cast<const HeldValue &>().value);
  auto tupleType = dyn_cast_if_present<mlir::TupleType>(type);
  if (py::isinstance<py::tuple>(value) ||
      (py::isinstance<py::list>(value) && tupleType)) {
    std::vector<Handle> fields;
    SmallVector<RelayValue *> values;
    for (py::handle field : value) {
      fields.push_back(unwrap(field,
                              tupleType && fields.size() < tupleType.size()
                                  ? tupleType.getType(fields.size())
                                  : Type(),
                              tensors));
      values.push_back(fields.back().get());
    }
    return makeTuple(values);
  }
  if (auto data = dyn_cast_if_present<ADTType>(type))
    if (Handle made = unwrapData(value, data, tensors); made.get())
      return made;
  if (type && !isa<RankedTensorType, TypeVarType, relay::IncompleteType>(type))
    raiseWrongKind(type, value);
  TensorArgument &argument = tensors.emplace_back();
  bindArray(argument, toTypedArray(value, type));
  RelayValue *tensor = nullptr;
  checkStatus(relayValueBorrowTensor(&argument.tensor, &tensor));
  return Handle(tensor);
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

std::string VMProgram::describeArgument(StringRef function,
                                        size_t number) const {
  auto signature =
      readSignature(*getArtifact().program, function, getSessionContext());
  if (!signature || number >= signature->params.size())
    return "argument " + std::to_string(number);
  return llvm::formatv("argument {0} of '{1}' ('{2}')", number, function,
                       signature->params[number].name);
}

void VMProgram::pass(StringRef function, const py::list &args,
                     ArrayRef<Type> types, Values &to) {
  for (auto [number, arg] : llvm::enumerate(args)) {
    try {
      to.handles.push_back(unwrap(
          arg, number < types.size() ? types[number] : Type(), to.tensors));
    } catch (const py::type_error &error) {
      throw py::type_error(describeArgument(function, number) + ": " +
                           error.what());
    } catch (const py::value_error &error) {
      throw py::value_error(describeArgument(function, number) + ": " +
                            error.what());
    }
    to.values.push_back(to.handles.back().get());
  }
}

template <typename Fn>
py::object VMProgram::invoke(StringRef function, const py::list &args,
                             ArrayRef<Type> types, Fn call) {
  Values values;
  pass(function, args, types, values);
  RelayValue *result = nullptr;
  RelayStatus status;
  {
    py::gil_scoped_release release;
    std::shared_lock<std::shared_mutex> lock(runs);
    status = call(values.values.data(),
                  static_cast<int32_t>(values.values.size()), &result);
  }
  if (PyErr_Occurred())
    throw py::error_already_set();
  checkStatus(status);
  Handle owned(result);
  // What only the arguments had is the result's own now.
  values.handles.clear();
  return wrap(owned);
}

std::vector<Type> VMProgram::getParamTypes(StringRef name) const {
  std::vector<Type> types;
  if (auto signature =
          readSignature(*getArtifact().program, name, getSessionContext()))
    for (const ProgramValueInfo &info : signature->params)
      types.push_back(info.type);
  return types;
}

/// (name, what describeType says) of the parameters of a function, and of its
/// results.
py::tuple VMProgram::describeFunction(const std::string &name) const {
  MLIRContext *context = getSessionContext();
  auto signature = readSignature(*getArtifact().program, name, context);
  if (!signature)
    throw py::value_error("expects a program with a function '" + name +
                          "', but it has none");
  Builder builder(context);
  auto describe = [&](ArrayRef<ProgramValueInfo> values) {
    py::list result;
    for (const ProgramValueInfo &info : values) {
      py::tuple type = describeType(
          info.type ? info.type : relay::IncompleteType::get(context),
          info.sizeNames.empty() ? ArrayAttr()
                                 : builder.getStrArrayAttr(info.sizeNames));
      if (info.isString)
        type = py::make_tuple(type[0], type[1], "string");
      result.append(py::make_tuple(info.name.str(), type));
    }
    return result;
  };
  return py::make_tuple(describe(signature->params),
                        describe(signature->results));
}

py::object VMProgram::run(const std::string &name, const py::list &args,
                          const py::object &types) {
  std::vector<Type> known =
      types.is_none() ? getParamTypes(name) : unwrapTypes(types);
  return invoke(
      name, args, known,
      [&](RelayValue *const *values, int32_t count, RelayValue **result) {
        return relayModuleInvoke(module, name.c_str(), values, count, result);
      });
}

py::object VMProgram::call(const Handle &closure, const py::list &args) {
  return invoke(
      /*function=*/"", args, {},
      [&](RelayValue *const *values, int32_t count, RelayValue **result) {
        return relayModuleInvokeClosure(module, closure.get(), values, count,
                                        result);
      });
}

py::list VMProgram::profile(const std::string &name, const py::list &args,
                            int repeat, int warmUp, const std::string &trace) {
  Values values;
  pass(name, args, getParamTypes(name), values);
  return measureProfile(
      runs, repeat, warmUp, trace, [&](const ProfileOptions &options) {
        return profileProgram(module, name, values.values, options);
      });
}

void VMProgram::verify() const {
  RelayStatus status;
  {
    py::gil_scoped_release release;
    status = relayModuleVerify(module);
  }
  checkStatus(status);
}

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

/// (name, kind, public, names of parameters, registers, words) of each
/// function.
py::list VMProgram::getFunctions() const {
  const RelayVMProgram &program = *getArtifact().program;
  py::list result;
  for (int64_t i = 0; i < program.num_functions; ++i) {
    const RelayVMFunction &function = program.functions[i];
    const char *kind = function.kind == RELAY_VM_BUILTIN    ? "builtin"
                       : function.kind == RELAY_VM_BYTECODE ? "bytecode"
                                                            : "tensors";
    py::list params;
    for (int32_t p = 0; p < function.num_params; ++p)
      params.append(function.params[p]);
    result.append(py::make_tuple(function.name, kind, function.is_public != 0,
                                 params, function.num_registers,
                                 function.num_words));
  }
  return result;
}

/// (shape, dtype) of each constant.
py::list VMProgram::getConstants() const {
  const RelayVMProgram &program = *getArtifact().program;
  py::list result;
  for (int64_t i = 0; i < program.num_constants; ++i) {
    const RelayArtifactTensor &tensor = program.constants[i].tensor;
    py::tuple shape(tensor.rank);
    for (int32_t d = 0; d < tensor.rank; ++d)
      shape[d] = tensor.dims[d];
    result.append(py::make_tuple(
        shape,
        getDType({tensor.dtype.code, tensor.dtype.bits, tensor.dtype.lanes})));
  }
  return result;
}

std::string VMProgram::print() const {
  uint64_t length = 0;
  checkStatus(relayModulePrintProgram(module, nullptr, 0, &length));
  std::string text(length, '\0');
  checkStatus(
      relayModulePrintProgram(module, text.data(), length + 1, &length));
  return text;
}

//===----------------------------------------------------------------------===//
// Bindings
//===----------------------------------------------------------------------===//

void relay_python::bindRelayVM(py::module_ &m) {
  py::class_<VMProgram, std::shared_ptr<VMProgram>>(m, "VMProgram")
      .def(py::init<const std::string &, const std::optional<std::string> &>(),
           py::arg("path"), py::arg("device") = py::none())
      .def("run", &VMProgram::run, py::arg("name"), py::arg("args"),
           py::arg("types") = py::none())
      .def("profile", &VMProgram::profile, py::arg("name"), py::arg("args"),
           py::arg("repeat"), py::arg("warm_up"), py::arg("trace"))
      .def("precision", &VMProgram::getPrecision)
      .def("metadata", &VMProgram::getMetadata)
      .def("make_strings", &VMProgram::makeStrings)
      .def("verify", &VMProgram::verify)
      .def("describe_function", &VMProgram::describeFunction, py::arg("name"))
      .def("functions", &VMProgram::getFunctions)
      .def("constants", &VMProgram::getConstants)
      .def("text", &VMProgram::print);

  py::class_<MachineData, DataValue>(m, "VMConstructorValue")
      .def("__str__",
           [](const MachineData &self) { return printValue(self.own); })
      .def("__repr__",
           [](const MachineData &self) { return printValue(self.own); })
      .def_property_readonly("constructor", &getConstructorNode)
      .def_property_readonly("tag",
                             [](const MachineData &self) {
                               const auto &known = getConstructor(self.own);
                               return getConstructorTag(known.type,
                                                        known.index);
                             })
      .def_property_readonly("name_hint",
                             [](const MachineData &self) {
                               return std::string(
                                   getConstructor(self.own).name);
                             })
      .def_property_readonly("_fields", &getFields);
  py::class_<MachineClosure, ClosureValue>(m, "VMClosure")
      .def("__str__",
           [](const MachineClosure &self) { return printValue(self.own); })
      .def("__repr__",
           [](const MachineClosure &self) { return printValue(self.own); })
      .def("_call", [](const MachineClosure &self, const py::list &args) {
        return self.own.machine->call(self.own.handle, args);
      });
  py::class_<MachineRef, RefValue>(m, "VMRefValue")
      .def("__str__",
           [](const MachineRef &self) { return printValue(self.own); })
      .def("__repr__",
           [](const MachineRef &self) { return printValue(self.own); })
      .def_property_readonly("_value",
                             [](const MachineRef &self) {
                               RelayValue *contents = nullptr;
                               checkStatus(relayValueReadReference(
                                   self.own.handle.get(), &contents));
                               return self.own.machine->wrap(Handle(contents));
                             })
      .def("_write", [](const MachineRef &self, py::handle value) {
        RelayValue *old = nullptr;
        checkStatus(relayValueReadReference(self.own.handle.get(), &old));
        std::deque<TensorArgument> tensors;
        Handle contents = self.own.machine->unwrap(
            value, getNumbersType(Handle(old)), tensors);
        checkStatus(
            relayValueWriteReference(self.own.handle.get(), contents.get()));
      });
}
