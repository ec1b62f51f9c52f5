//===- IRModule.cpp - Modules, passes and compilation ---------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bindings.h"
#include "RelayBindings.h"

#include "relay-mlir/Dialect/Relay/IR/DType.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Frontend/ONNX/ImportONNX.h"
#include "relay-mlir/InitAllDialects.h"
#include "relay-mlir/Interpreter/TensorIO.h"
#include "relay-mlir/Pipelines/Compiler.h"
#include "relay-mlir/Pipelines/LoadModel.h"
#include "relay-mlir/Pipelines/QuantizedLayers.h"
#include "relay-mlir/Report/Report.h"
#include "relay-mlir/Support/DialectPlugins.h"
#include "relay-mlir/Support/Npy.h"
#include "relay-mlir/Support/ParseModule.h"
#include "relay-mlir/Target/GraphJSON/GraphJSON.h"
#include "relay-mlir/Target/RelaxScript/RelaxScript.h"

#include "mlir/IR/AsmState.h"
#include "llvm/Support/raw_ostream.h"

#include <pybind11/stl.h>

#include <mutex>

namespace py = pybind11;
using namespace relay_python;
using namespace mlir;

namespace {
/// Dialects of plugins, for contexts to come.
struct Plugins {
  std::mutex mutex;
  DialectRegistry dialects;
};
} // namespace

static Plugins &getPlugins() {
  // Never freed: LLVM unloads plugins when the process ends, perhaps before.
  static auto *plugins = new Plugins;
  return *plugins;
}

void relay_python::registerDialects(DialectRegistry &registry) {
  mlir::relay::registerAllDialects(registry);
  Plugins &plugins = getPlugins();
  std::lock_guard<std::mutex> lock(plugins.mutex);
  plugins.dialects.appendTo(registry);
}

static void loadDialectPlugin(const std::string &path) {
  Plugins &plugins = getPlugins();
  DialectRegistry dialects;
  if (llvm::Error error = relay::loadDialectPlugin(path, dialects))
    throw py::value_error("expects a dialect plugin, but got '" + path +
                          "': " + llvm::toString(std::move(error)));
  {
    std::lock_guard<std::mutex> lock(plugins.mutex);
    dialects.appendTo(plugins.dialects);
  }
  getSessionContext()->appendDialectRegistry(dialects);
}

IRModule::IRModule() {
  DialectRegistry registry;
  registerDialects(registry);
  context = std::make_shared<MLIRContext>(registry);
  // Notes are for what the user can act on, not for the operation's text.
  context->printOpOnDiagnostic(false);
}

static std::unique_ptr<IRModule> parse(const std::string &text,
                                       const std::string &name) {
  auto result = std::make_unique<IRModule>();
  DiagnosticCollector diagnostics(result->context.get());
  ParserConfig config(result->context.get());
  result->module = mlir::relay::parseModule(text, name, config);
  if (!result->module)
    diagnostics.raise("cannot parse the module");
  return result;
}

/// Sizes, shapes and values of inputs: text, which may have a shape of its own,
/// or the bytes of a .npy file.
using FixedValue = std::tuple<std::string, std::string,
                              std::optional<std::vector<int64_t>>, py::bytes>;
using Fixed = std::tuple<std::vector<std::string>, std::vector<std::string>,
                         std::vector<FixedValue>>;

static relay::FixedInputs getFixedInputs(const std::optional<Fixed> &fixed,
                                         MLIRContext *context) {
  relay::FixedInputs result;
  if (!fixed)
    return result;
  auto check = [](llvm::Error error) {
    if (error)
      throw py::value_error(llvm::toString(std::move(error)));
  };
  for (const std::string &text : std::get<0>(*fixed))
    check(result.addDim(text));
  for (const std::string &text : std::get<1>(*fixed))
    check(result.addShape(text));
  for (const auto &[name, text, sizes, file] : std::get<2>(*fixed)) {
    relay::FixedInputs::Value value{text, {}, std::nullopt};
    if (sizes) {
      value.sizes = SmallVector<int64_t>(sizes->begin(), sizes->end());
    } else if (text.empty()) {
      std::string_view bytes = file;
      llvm::Expected<relay::NpyArray> array =
          relay::parseNpy(StringRef(bytes.data(), bytes.size()),
                          "input '" + name + "'", nullptr);
      if (!array)
        check(array.takeError());
      value.tensor = relay::getTensor(*array, context).toDenseElements();
    }
    check(result.setValue(name, std::move(value)));
  }
  return result;
}

static std::unique_ptr<IRModule> load(const std::string &path,
                                      const std::optional<Fixed> &fixed) {
  auto result = std::make_unique<IRModule>();
  relay::FixedInputs known = getFixedInputs(fixed, result->context.get());
  result->words = getWords(path);
  DiagnosticCollector diagnostics(result->context.get(), result->words);
  {
    py::gil_scoped_release release;
    result->module = relay::loadModel(path, result->context.get(), known);
  }
  if (!result->module)
    diagnostics.raise("cannot read '" + path + "'");
  diagnostics.warn();
  return result;
}

static std::unique_ptr<IRModule> loadOnnx(const py::bytes &model,
                                          const std::optional<Fixed> &fixed) {
  auto result = std::make_unique<IRModule>();
  relay::OnnxImportOptions options;
  options.inputs = getFixedInputs(fixed, result->context.get());
  DiagnosticCollector diagnostics(result->context.get());
  std::string_view bytes = model;
  {
    py::gil_scoped_release release;
    result->module = relay::importOnnxBuffer(
        llvm::MemoryBufferRef(StringRef(bytes.data(), bytes.size()),
                              "onnx.ModelProto"),
        result->context.get(), options);
  }
  if (!result->module)
    diagnostics.raise("cannot read the model");
  diagnostics.warn();
  return result;
}

static void fix(IRModule &self, const Fixed &fixed) {
  DiagnosticCollector diagnostics(self.context.get(), self.words);
  relay::FixedInputs known = getFixedInputs(fixed, self.context.get());
  bool hasFailed;
  {
    py::gil_scoped_release release;
    hasFailed = failed(relay::specializeModule(*self.module, known));
  }
  if (hasFailed)
    diagnostics.raise("cannot fix the inputs");
}

static std::string print(IRModule &self, std::optional<int64_t> elideLarger,
                         bool locations, bool generic) {
  OpPrintingFlags flags;
  if (elideLarger)
    flags
        .elideLargeElementsAttrs(*elideLarger)
        // Zero: not even turned into text first.
        .elideLargeResourceString(0);
  if (locations)
    flags.enableDebugInfo(/*enable=*/true, /*prettyForm=*/true);
  if (generic)
    flags.printGenericOpForm();
  std::string text;
  llvm::raw_string_ostream os(text);
  self.module->print(os, flags);
  return text;
}

static void runPasses(IRModule &self, const std::string &pipeline) {
  DiagnosticCollector diagnostics(self.context.get(), self.words);
  OwningOpRef<ModuleOp> before = self.module->clone();
  try {
    runPipeline(*self.module, pipeline, diagnostics);
  } catch (...) {
    // What failed, and what ran before that, has changed the module.
    self.module = std::move(before);
    throw;
  }
}

void relay_python::checkOptLevel(int optLevel) {
  if (!relay::isOptLevel(optLevel))
    throw py::value_error("expects opt_level from 0 to 3, but got " +
                          std::to_string(optLevel));
}

/// Returns whether it is a program, not one function of tensors.
static bool compile(IRModule &self, const std::string &path,
                    const std::string &emit,
                    const std::optional<std::string> &target, int optLevel,
                    const std::optional<std::string> &precisionName,
                    const std::string &deviceTargets, bool forceMatrixTiles,
                    const std::string &desiredLayout,
                    const std::string &integerRegions, bool useCache,
                    const std::string &cacheDir,
                    std::optional<unsigned> vtaSearch, relay::Report *report,
                    const std::string &form, const std::string &executor,
                    const std::vector<std::string> &variants) {
  std::optional<relay::EmitKind> kind = relay::parseEmitKind(emit);
  if (!kind)
    throw py::value_error(
        "expects one of 'relay', 'relax', 'schedules', 'tir', "
        "'llvm', 'asm', 'obj', 'so', but got '" +
        emit + "'");
  checkOptLevel(optLevel);
  relay::CompileOptions options;
  options.target = target;
  options.optLevel = optLevel;
  if (precisionName) {
    options.precision = relay::symbolizePrecision(*precisionName);
    if (!options.precision)
      throw py::value_error("expects precision 'highest', 'high' or 'medium', "
                            "but got '" +
                            *precisionName + "'");
  }
  options.deviceTargets = deviceTargets;
  options.forceMatrixTiles = forceMatrixTiles;
  options.desiredLayout = desiredLayout;
  std::optional<relay::IntegerRegions> regions =
      relay::IntegerRegions::parse(integerRegions);
  if (!regions)
    throw py::value_error("expects integer_regions to be " +
                          relay::IntegerRegions::kExpected.str() +
                          ", but got '" + integerRegions + "'");
  options.integerRegions = *regions;
  options.useCache = useCache;
  options.cacheDir = cacheDir;
  options.vtaSearch = vtaSearch.value_or(options.vtaSearch);
  options.report = report;
  options.variants = variants;
  std::optional<relay::NormalForm> from = relay::parseNormalForm(form);
  if (!from)
    throw py::value_error("expects one of the forms of a module, such as "
                          "'relay-typed', but got '" +
                          form + "'");
  options.from = *from;
  std::optional<relay::ExecutorKind> executorKind =
      relay::parseExecutorKind(executor);
  if (!executorKind)
    throw py::value_error("expects executor 'aot', 'vm' or 'graph', but got '" +
                          executor + "'");
  options.executor = *executorKind;
  bool isProgram = false;
  options.isProgram = &isProgram;

  DiagnosticCollector diagnostics(self.context.get(), self.words);
  LogicalResult result = failure();
  {
    py::gil_scoped_release release;
    // The compiler consumes its input; the caller keeps theirs.
    OwningOpRef<ModuleOp> copy = self.module->clone();
    result = relay::compileModule(*copy, options, *kind, path);
  }
  if (failed(result))
    diagnostics.raise("cannot compile the module");
  return isProgram;
}

/// The kernels that @main calls, as the graph executor has graphs.
static std::string getGraphJSON(IRModule &self) {
  DiagnosticCollector diagnostics(self.context.get(), self.words);
  auto main = self.module->lookupSymbol<relax::FuncOp>("main");
  std::string text;
  llvm::raw_string_ostream os(text);
  if (!main || failed(relay::writeGraphJSON(main, os)))
    diagnostics.raise("expects a relax.func named @main, with a graph");
  return text;
}

/// The names of what the module defines, and what each is.
static std::vector<std::pair<std::string, std::string>>
getSymbols(IRModule &self) {
  std::vector<std::pair<std::string, std::string>> symbols;
  for (auto symbol : self.module->getOps<SymbolOpInterface>())
    symbols.push_back(
        {symbol.getName().str(), symbol->getName().getStringRef().str()});
  return symbols;
}

py::tuple relay_python::describeType(Type type, ArrayAttr dims) {
  if (auto tensor = dyn_cast<RankedTensorType>(type)) {
    py::tuple shape(tensor.getRank());
    for (auto [i, size] : llvm::enumerate(tensor.getShape())) {
      auto name = dims && i < dims.size() ? dyn_cast<StringAttr>(dims[i])
                                          : StringAttr();
      if (ShapedType::isDynamic(size))
        shape[i] = py::str(name && !name.empty() ? name.str() : "?");
      else
        shape[i] = py::int_(size);
    }
    return py::make_tuple("tensor", shape,
                          relay::getDTypeName(tensor.getElementType()));
  }
  auto data = dyn_cast<relay::ADTType>(type);
  std::string kind = !data || data.getArgs().size() != 1     ? ""
                     : data.getName().getValue() == "List"   ? "seq"
                     : data.getName().getValue() == "Option" ? "optional"
                                                             : "";
  if (!kind.empty()) {
    py::tuple part = describeType(data.getArgs().front(), {});
    return py::make_tuple(kind + "(" + part[0].cast<std::string>() + ")",
                          part[1], part[2]);
  }
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return py::make_tuple(text, py::tuple(), "");
}

/// A function of relax as its script shows it, other symbols in MLIR's text.
static std::string printSymbol(IRModule &self, const std::string &name) {
  Operation *symbol = SymbolTable::lookupSymbolIn(*self.module, name);
  if (!symbol)
    throw py::key_error(name);
  std::string text;
  llvm::raw_string_ostream os(text);
  if (auto function = dyn_cast<relax::FuncOp>(symbol))
    relax::printScript(function, os);
  else
    symbol->print(os, OpPrintingFlags().useLocalScope());
  return text;
}

/// Products of @main, as tuples: see QuantizedLayer.
static py::list getQuantizedLayers(IRModule &self) {
  py::list layers;
  for (const relay::QuantizedLayer &layer :
       relay::getQuantizedLayers(*self.module))
    layers.append(py::make_tuple(layer.name, layer.op, layer.data, layer.weight,
                                 layer.source, layer.weightAxis, layer.dataAxis,
                                 layer.dataChannels, layer.isInteger));
  return layers;
}

/// See FloatOperator.
static py::list getFloatOperators(IRModule &self) {
  py::list operators;
  for (const relay::FloatOperator &op : relay::getFloatOperators(*self.module))
    operators.append(py::make_tuple(op.name, op.op, op.type, op.value,
                                    op.result, op.operands, op.isProduct,
                                    op.isQuantizable, op.needsFullPrecision));
  return operators;
}

void relay_python::bindIRModule(py::module_ &m) {
  m.def("load_dialect_plugin", &loadDialectPlugin, py::arg("path"));
  py::class_<IRModule>(m, "IRModule")
      .def_static("parse", &parse, py::arg("text"),
                  py::arg("name") = "<string>")
      .def_static("load", &load, py::arg("path"), py::arg("fixed") = py::none())
      .def_static("load_onnx", &loadOnnx, py::arg("model"),
                  py::arg("fixed") = py::none())
      .def("fix_inputs", &fix, py::arg("fixed"))
      .def("print", &print, py::arg("elide_larger") = py::none(),
           py::arg("locations") = false, py::arg("generic") = false)
      .def("run_passes", &runPasses, py::arg("pipeline"))
      .def("compile", &compile, py::arg("path"), py::arg("emit"),
           py::arg("target"), py::arg("opt_level"), py::arg("precision"),
           py::arg("device_targets"), py::arg("force_matrix_tiles"),
           py::arg("desired_layout"), py::arg("integer_regions"),
           py::arg("cache"), py::arg("cache_dir"), py::arg("vta_search"),
           py::arg("report"), py::arg("form") = "relay-typed",
           py::arg("executor") = "aot",
           py::arg("variants") = std::vector<std::string>())
      .def("graph_json", &getGraphJSON)
      .def("has_objects",
           [](IRModule &self) {
             return llvm::any_of(self.module->getOps<relax::FuncOp>(),
                                 relax::isObjectFunction);
           })
      .def("quantized_layers", &getQuantizedLayers)
      .def("float_operators", &getFloatOperators)
      .def("simulated_values",
           [](IRModule &self) {
             std::vector<std::pair<int64_t, int64_t>> values;
             for (auto [kind, value] : relay::getSimulatedValues(*self.module))
               values.emplace_back(kind, value);
             return values;
           })
      .def("gains_by_small_weights",
           [](IRModule &self) {
             return relay::gainsBySmallWeights(*self.module);
           })
      .def("constant_bytes",
           [](IRModule &self) { return relay::getConstantBytes(*self.module); })
      .def("symbols", &getSymbols)
      .def("print_symbol", &printSymbol, py::arg("name"))
      .def("clone", [](IRModule &self) {
        auto copy = std::make_unique<IRModule>();
        copy->context = self.context;
        copy->module = self.module->clone();
        return copy;
      });
}
