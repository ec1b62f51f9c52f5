//===- RuntimeModule.cpp - Loaded models ----------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arguments.h"
#include "Bindings.h"
#include "Metadata.h"
#include "Profile.h"
#include "RunStrings.h"
#include "TensorArguments.h"

#include "relay-mlir-c/Runtime.h"
#include "relay-mlir/Dialect/Relay/IR/DType.h"
#include "relay-mlir/Support/InputFile.h"
#include "relay-mlir/Support/OutputFile.h"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <chrono>

namespace py = pybind11;
using namespace relay_python;

void relay_python::checkStatus(RelayStatus status) {
  if (status == RELAY_OK)
    return;
  // What a function of Python has raised that a program called.
  if (PyErr_Occurred())
    throw py::error_already_set();
  std::string message = relayGetLastError();
  if (status == RELAY_INVALID_ARGUMENT)
    throw py::value_error(message);
  py::object type =
      py::module_::import("relay_mlir._errors").attr("RuntimeError");
  PyErr_SetString(type.ptr(), message.c_str());
  throw py::error_already_set();
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

py::dtype relay_python::getMlDtype(const std::string &name) {
  try {
    return py::dtype::from_args(
        py::module_::import("ml_dtypes").attr(name.c_str()));
  } catch (py::error_already_set &) {
    throw py::type_error("expects the package ml_dtypes, which " + name +
                         " needs, but it is not installed");
  }
}

py::dtype relay_python::getDType(DLDataType type) {
  if (type.code == 6)
    return py::dtype("bool");
  if (type.code == kDLBfloat)
    return getMlDtype("bfloat16");
  for (const mlir::relay::SmallFloat &format :
       mlir::relay::SmallFloat::getAll())
    if (type.code == format.dlpackCode)
      return getMlDtype(format.name.str());
  std::string kind = type.code == kDLFloat  ? "float"
                     : type.code == kDLUInt ? "uint"
                                            : "int";
  kind += std::to_string(type.bits);
  return type.bits < 8 ? getMlDtype(kind) : py::dtype(kind);
}

/// The types of ml_dtypes, by their names: to NumPy they are bytes, or floats.
static std::optional<DLDataType> getMlDLDataType(const py::dtype &dtype) {
  auto name = py::str(dtype.attr("name")).cast<std::string>();
  if (name == "bfloat16")
    return DLDataType{kDLBfloat, 16, 1};
  for (const mlir::relay::SmallFloat &format :
       mlir::relay::SmallFloat::getAll())
    if (name == format.name)
      return DLDataType{format.dlpackCode, format.width, 1};
  for (uint8_t bits : {2, 4}) {
    if (name == "int" + std::to_string(bits))
      return DLDataType{kDLInt, bits, 1};
    if (name == "uint" + std::to_string(bits))
      return DLDataType{kDLUInt, bits, 1};
  }
  return std::nullopt;
}

static DLDataType getDLDataType(const py::dtype &dtype) {
  auto bits = static_cast<uint8_t>(dtype.itemsize() * 8);
  char kind = dtype.kind();
  if (kind == 'V' || (kind == 'f' && bits == 8))
    if (std::optional<DLDataType> type = getMlDLDataType(dtype))
      return *type;
  switch (kind) {
  case 'b':
    return {6, 8, 1};
  case 'i':
    return {kDLInt, bits, 1};
  case 'u':
    return {kDLUInt, bits, 1};
  case 'f':
    if (bits > 64)
      break;
    return {kDLFloat, bits, 1};
  default:
    break;
  }
  throw py::type_error("expects an array of numbers or bools, but got dtype " +
                       py::str(dtype).cast<std::string>());
}

//===----------------------------------------------------------------------===//
// Inputs and outputs
//===----------------------------------------------------------------------===//

void relay_python::bindArray(TensorArgument &argument, py::array array) {
  py::dtype dtype = array.dtype();
  if (dtype.byteorder() == '>')
    throw py::type_error("expects arrays in native byte order");
  DLTensor &tensor = argument.tensor;
  tensor.data = const_cast<void *>(array.data());
  tensor.device = {kDLCPU, 0};
  tensor.ndim = static_cast<int>(array.ndim());
  tensor.dtype = getDLDataType(dtype);
  bool contiguous = true;
  int64_t expected = dtype.itemsize();
  for (py::ssize_t i = array.ndim() - 1; i >= 0; --i) {
    contiguous &= array.shape(i) <= 1 || array.strides(i) == expected;
    expected *= array.shape(i);
    if (array.strides(i) % dtype.itemsize() != 0) {
      // Fields of records; DLPack counts strides in elements.
      array = py::module_::import("numpy").attr("ascontiguousarray")(array);
      return bindArray(argument, array);
    }
  }
  for (py::ssize_t i = 0; i < array.ndim(); ++i) {
    argument.shape.push_back(array.shape(i));
    argument.strides.push_back(array.strides(i) / dtype.itemsize());
  }
  tensor.shape = argument.shape.data();
  tensor.strides = contiguous ? nullptr : argument.strides.data();
  argument.owner = std::move(array);
}

static void bindArgument(TensorArgument &argument, py::handle value,
                         const RelayTensorInfo &info) {
  if (py::isinstance<py::array>(value))
    return bindArray(argument, py::reinterpret_borrow<py::array>(value));
  if (py::hasattr(value, "__dlpack__")) {
    py::object capsule = value.attr("__dlpack__")();
    auto *managed = static_cast<DLManagedTensor *>(
        PyCapsule_GetPointer(capsule.ptr(), "dltensor"));
    if (!managed)
      throw py::error_already_set();
    // The capsule stays ours and frees the tensor when it goes.
    argument.owner = std::move(capsule);
    argument.tensor = managed->dl_tensor;
    return;
  }
  // Lists and numbers have no dtype of their own: they take the input's.
  bindArray(argument, toNumbers(value, getDType(info.dtype)));
}

py::array relay_python::toArray(DLManagedTensor *managed) {
  const DLTensor &tensor = managed->dl_tensor;
  py::capsule owner(managed, [](void *pointer) {
    auto *owned = static_cast<DLManagedTensor *>(pointer);
    owned->deleter(owned);
  });
  return py::array(
      getDType(tensor.dtype),
      std::vector<py::ssize_t>(tensor.shape, tensor.shape + tensor.ndim),
      static_cast<char *>(tensor.data) + tensor.byte_offset, owner);
}

//===----------------------------------------------------------------------===//
// Module
//===----------------------------------------------------------------------===//

namespace {

class LoadedModule {
public:
  LoadedModule(const std::string &path, bool mapWeights,
               const std::optional<std::string> &device)
      : LoadedModule(load(path, mapWeights, device)) {
    if (relayModuleGetArtifact(module)->program)
      throw py::value_error("expects '" + path +
                            "' to be one function of tensors, but it is a "
                            "program, which relay_mlir.load loads");
  }

  /// Null for a program.
  static std::unique_ptr<LoadedModule>
  open(const std::string &path, bool mapWeights,
       const std::optional<std::string> &device) {
    std::unique_ptr<LoadedModule> loaded(
        new LoadedModule(load(path, mapWeights, device)));
    if (relayModuleGetArtifact(loaded->module)->program)
      loaded.reset();
    return loaded;
  }

  ~LoadedModule() { relayModuleFree(module); }
  LoadedModule(const LoadedModule &) = delete;

  void verify() const {
    RelayStatus status;
    {
      py::gil_scoped_release release;
      status = relayModuleVerify(module);
    }
    checkStatus(status);
  }
  py::list describe(bool inputs) const;
  std::string getPrecision() const {
    return relayModuleGetArtifact(module)->precision;
  }
  py::dict getMetadata() const { return relay_python::getMetadata(module); }
  std::unique_ptr<RunStrings> makeStrings() const {
    return RunStrings::create(module);
  }
  std::vector<std::string> getVariants() const {
    const RelayArtifact &artifact = *relayModuleGetArtifact(module);
    std::vector<std::string> names;
    for (int32_t i = 1; i < artifact.num_functions; ++i)
      names.push_back(artifact.functions[i].name);
    return names;
  }
  std::vector<std::string> getDevices() const {
    const RelayArtifact &artifact = *relayModuleGetArtifact(module);
    std::vector<std::string> names;
    for (int32_t i = 0; i < artifact.num_devices; ++i)
      names.push_back(std::string(artifact.devices[i].kind) + ":" +
                      std::to_string(artifact.devices[i].index));
    return names;
  }
  py::object run(const py::args &args, const py::kwargs &kwargs);
  py::list profile(const py::args &args, const py::kwargs &kwargs, int repeat,
                   int warmUp, const std::string &trace);
  /// Runs once, and returns (function, source, seconds, outputs) of each call
  /// of a kernel, in their order.
  py::list traceCalls(const py::args &args, const py::kwargs &kwargs);

private:
  explicit LoadedModule(RelayModule *module) : module(module) {}

  static RelayModule *load(const std::string &path, bool mapWeights,
                           const std::optional<std::string> &device) {
    RelayModule *loaded = nullptr;
    RelayStatus status;
    {
      py::gil_scoped_release release;
      status = relayModuleLoadFor(path.c_str(),
                                  mapWeights ? RELAY_LOAD_MAP_WEIGHTS : 0,
                                  device ? device->c_str() : nullptr, &loaded);
    }
    checkStatus(status);
    return loaded;
  }

  /// The arguments of a call in the order of the inputs.
  std::vector<TensorArgument> bindAll(const py::args &args,
                                      const py::kwargs &kwargs) const;
  RelayTensorInfo getInput(int32_t index) const {
    RelayTensorInfo info;
    checkStatus(relayModuleGetInputInfo(module, index, &info));
    return info;
  }

  RelayModule *module = nullptr;
  /// Held by each run, and by a profile alone.
  std::shared_mutex runs;
};

} // namespace

/// Returns (name, shape, dtype) of each input or output; a dynamic size is the
/// text of its expression.
py::list LoadedModule::describe(bool inputs) const {
  py::list result;
  int32_t count = inputs ? relayModuleGetNumInputs(module)
                         : relayModuleGetNumOutputs(module);
  for (int32_t i = 0; i < count; ++i) {
    RelayTensorInfo info;
    checkStatus(inputs ? relayModuleGetInputInfo(module, i, &info)
                       : relayModuleGetOutputInfo(module, i, &info));
    py::tuple shape(info.ndim);
    for (int32_t d = 0; d < info.ndim; ++d)
      shape[d] = info.shape[d] < 0 ? py::object(py::str(info.dim_names[d]))
                                   : py::object(py::int_(info.shape[d]));
    result.append(
        py::make_tuple(info.name, shape,
                       info.is_string ? py::dtype("O") : getDType(info.dtype)));
  }
  return result;
}

std::vector<TensorArgument>
LoadedModule::bindAll(const py::args &args, const py::kwargs &kwargs) const {
  int32_t numInputs = relayModuleGetNumInputs(module);
  std::vector<TensorArgument> arguments(numInputs);
  std::vector<bool> isBound(numInputs);
  if (args.size() > static_cast<size_t>(numInputs))
    throw py::value_error("expects " + std::to_string(numInputs) +
                          " inputs, but got " + std::to_string(args.size()));
  auto bind = [&](int32_t index, py::handle value) {
    if (isBound[index])
      throw py::value_error("expects input '" +
                            std::string(getInput(index).name) +
                            "' once, but got it twice");
    bindArgument(arguments[index], value, getInput(index));
    isBound[index] = true;
  };
  for (size_t i = 0; i < args.size(); ++i)
    bind(static_cast<int32_t>(i), args[i]);
  for (auto [key, value] : kwargs) {
    int32_t index = 0;
    checkStatus(relayModuleFindInput(
        module, py::str(key).cast<std::string>().c_str(), &index));
    bind(index, value);
  }
  for (int32_t i = 0; i < numInputs; ++i)
    if (!isBound[i])
      throw py::value_error("expects input '" + std::string(getInput(i).name) +
                            "', but it is missing");
  return arguments;
}

static std::vector<const DLTensor *>
getTensors(const std::vector<TensorArgument> &arguments) {
  std::vector<const DLTensor *> tensors;
  for (const TensorArgument &argument : arguments)
    tensors.push_back(&argument.tensor);
  return tensors;
}

py::object LoadedModule::run(const py::args &args, const py::kwargs &kwargs) {
  std::vector<TensorArgument> arguments = bindAll(args, kwargs);
  std::vector<const DLTensor *> inputs = getTensors(arguments);
  auto numInputs = static_cast<int32_t>(inputs.size());
  std::vector<DLManagedTensor *> outputs(relayModuleGetNumOutputs(module),
                                         nullptr);
  RelayStatus status;
  std::string message;
  {
    py::gil_scoped_release release;
    std::shared_lock<std::shared_mutex> lock(runs);
    status = relayModuleRun(module, inputs.data(), numInputs, outputs.data(),
                            static_cast<int32_t>(outputs.size()));
  }
  checkStatus(status);
  py::tuple results(outputs.size());
  for (size_t i = 0; i < outputs.size(); ++i)
    results[i] = toArray(outputs[i]);
  return results.size() == 1 ? py::object(results[0]) : py::object(results);
}

py::list LoadedModule::profile(const py::args &args, const py::kwargs &kwargs,
                               int repeat, int warmUp,
                               const std::string &trace) {
  std::vector<TensorArgument> arguments = bindAll(args, kwargs);
  std::vector<const DLTensor *> inputs = getTensors(arguments);
  return measureProfile(runs, repeat, warmUp, trace, [&](const auto &options) {
    return mlir::relay::profileModel(module, inputs, options);
  });
}

namespace {

/// Takes the time of each call of a kernel, and copies what it has written: the
/// memory is used again. Copies between devices are none of the kernels, whose
/// results are kept where these are in memory of the host.
class CallTracer {
public:
  explicit CallTracer(const RelayArtifact &artifact) : artifact(artifact) {}

  void observe(int64_t index, void *const *args, const int64_t *dims) {
    Clock::time_point now = Clock::now();
    if (index != RELAY_OBSERVER_START &&
        artifact.calls[index].source_device < 0)
      record(artifact.calls[index],
             std::chrono::duration<double>(now - start).count(), args, dims);
    start = Clock::now();
  }

  py::list get() const {
    py::list result;
    for (const Traced &traced : calls) {
      py::list outputs;
      for (const Output &output : traced.outputs)
        outputs.append(
            py::array(output.dtype(), output.shape, output.bytes.data()));
      result.append(py::make_tuple(traced.call->function, traced.call->source,
                                   traced.seconds, outputs));
    }
    return result;
  }

private:
  using Clock = std::chrono::steady_clock;
  struct Output {
    DLDataType type;
    std::vector<py::ssize_t> shape;
    std::vector<char> bytes;

    py::dtype dtype() const { return getDType(type); }
  };
  struct Traced {
    const RelayArtifactCall *call;
    double seconds;
    std::vector<Output> outputs;
  };

  void record(const RelayArtifactCall &call, double seconds, void *const *args,
              const int64_t *dims) {
    Traced traced = {&call, seconds, {}};
    bool isOnHost =
        llvm::StringRef(artifact.devices[call.device].kind) == "cpu";
    for (int32_t i = 0; i < call.first_output + call.num_outputs; ++i) {
      const RelayArtifactTensor &arg = call.args[i];
      Output output = {{static_cast<uint8_t>(arg.dtype.code),
                        static_cast<uint8_t>(arg.dtype.bits), 1},
                       {},
                       {}};
      size_t size = (arg.dtype.bits + 7) / 8;
      for (int32_t d = 0; d < arg.rank; ++d) {
        output.shape.push_back(arg.dims[d] >= 0 ? arg.dims[d] : *dims++);
        size *= output.shape.back();
      }
      if (i < call.first_output || !isOnHost)
        continue;
      auto *data = static_cast<const char *>(args[i]);
      output.bytes.assign(data, data + size);
      traced.outputs.push_back(std::move(output));
    }
    calls.push_back(std::move(traced));
  }

  const RelayArtifact &artifact;
  Clock::time_point start;
  std::vector<Traced> calls;
};

} // namespace

py::list LoadedModule::traceCalls(const py::args &args,
                                  const py::kwargs &kwargs) {
  std::vector<TensorArgument> arguments = bindAll(args, kwargs);
  std::vector<const DLTensor *> inputs = getTensors(arguments);
  std::vector<DLManagedTensor *> outputs(relayModuleGetNumOutputs(module),
                                         nullptr);
  CallTracer tracer(*relayModuleGetArtifact(module));
  RelayStatus status;
  {
    py::gil_scoped_release release;
    std::unique_lock<std::shared_mutex> lock(runs);
    relayModuleSetObserver(
        module,
        [](void *user, int64_t index, void *const *args, const int64_t *dims) {
          static_cast<CallTracer *>(user)->observe(index, args, dims);
        },
        &tracer);
    status = relayModuleRun(module, inputs.data(),
                            static_cast<int32_t>(inputs.size()), outputs.data(),
                            static_cast<int32_t>(outputs.size()));
    relayModuleSetObserver(module, nullptr, nullptr);
  }
  checkStatus(status);
  for (DLManagedTensor *output : outputs)
    output->deleter(output);
  return tracer.get();
}

static void raiseOSError(std::error_code error, const std::string &path) {
  errno = error.value();
  if (error.category() == std::generic_category())
    PyErr_SetFromErrnoWithFilename(PyExc_OSError, path.c_str());
  else
    PyErr_SetString(PyExc_OSError, error.message().c_str());
  throw py::error_already_set();
}

namespace {

/// A file in memory, which has a path while this object lives, and no name:
/// nothing is left of it, whatever ends the process.
class MemoryFile {
public:
  explicit MemoryFile(const std::string &name) {
    auto created = mlir::relay::FileDescriptor::createInMemory(name);
    if (!created)
      raiseOSError(created.getError(), name);
    file = std::move(*created);
  }
  std::string getPath() const {
    return "/proc/self/fd/" + std::to_string(file.get());
  }
  /// The kernel refuses for a while if it holds pages of the file itself, as
  /// when it moves them. Then the file is loaded like any that may change.
  void seal() {
    std::error_code error = file.seal();
    if (error && error != std::errc::device_or_resource_busy)
      raiseOSError(error, getPath());
  }

private:
  mlir::relay::FileDescriptor file;
};

} // namespace

/// Copies a file; whoever looks at `to` sees all of it or what was there.
static void copyFile(const std::string &from, const std::string &to) {
  std::error_code error;
  {
    py::gil_scoped_release release;
    auto file = mlir::relay::InputFile::open(from);
    error = file ? mlir::relay::writeOutputFile(
                       to, 0777,
                       [&](int target) -> std::error_code {
                         std::vector<char> buffer(1 << 20);
                         uint64_t size = file->getSize();
                         for (uint64_t done = 0; done < size;) {
                           llvm::MutableArrayRef<char> bytes(
                               buffer.data(),
                               std::min<uint64_t>(buffer.size(), size - done));
                           std::error_code error = file->read(bytes, done);
                           if (!error)
                             error = mlir::relay::writeAt(target, bytes, done);
                           if (error)
                             return error;
                           done += bytes.size();
                         }
                         return {};
                       })
                 : file.getError();
  }
  if (error)
    raiseOSError(error, to);
}

void relay_python::bindRuntimeModule(py::module_ &m) {
  py::class_<LoadedModule>(m, "LoadedModule")
      .def(py::init<const std::string &, bool,
                    const std::optional<std::string> &>(),
           py::arg("path"), py::arg("map_weights") = false,
           py::arg("device") = py::none())
      .def_static("open", &LoadedModule::open, py::arg("path"),
                  py::arg("map_weights"), py::arg("device"))
      .def("verify", &LoadedModule::verify)
      .def("inputs", [](LoadedModule &self) { return self.describe(true); })
      .def("outputs", [](LoadedModule &self) { return self.describe(false); })
      .def("precision", &LoadedModule::getPrecision)
      .def("metadata", &LoadedModule::getMetadata)
      .def("variants", &LoadedModule::getVariants)
      .def("devices", &LoadedModule::getDevices)
      .def("make_strings", &LoadedModule::makeStrings)
      .def("run", &LoadedModule::run)
      .def(
          "profile",
          [](LoadedModule &self, const py::args &args, const py::dict &named,
             int repeat, int warmUp, const std::string &trace) {
            return self.profile(args, py::kwargs(named), repeat, warmUp, trace);
          },
          py::kw_only(), py::arg("named"), py::arg("repeat"),
          py::arg("warm_up"), py::arg("trace"))
      .def("trace_calls", &LoadedModule::traceCalls);
  py::class_<MemoryFile>(m, "MemoryFile")
      .def(py::init<const std::string &>(), py::arg("name"))
      .def("path", &MemoryFile::getPath)
      .def("seal", &MemoryFile::seal);
  m.def("copy_file", &copyFile, py::arg("source"), py::arg("target"));
  defineFunction(
      m, "set_num_threads",
      [](int count) { checkStatus(relaySetNumThreads(count)); },
      py::arg("count"));
  defineFunction(m, "get_num_threads", [] {
    int32_t count = 0;
    checkStatus(relayGetNumThreads(&count));
    return count;
  });
}
