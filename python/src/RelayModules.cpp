//===- RelayModules.cpp - Text and passes of Relay -------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RelayBindings.h"

#include "relay-mlir/Frontend/ONNX/ImportONNX.h"
#include "relay-mlir/Pipelines/LoadModel.h"
#include "relay-mlir/Prelude/Prelude.h"

#include "llvm/Support/MemoryBuffer.h"

#include <pybind11/stl.h>

namespace py = pybind11;
using namespace relay_python;
using namespace mlir;
using namespace mlir::relay;

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

ast::Module relay_python::toModule(py::handle functions, py::handle types) {
  ast::Module module;
  for (py::handle item : functions) {
    auto [name, value] = item.cast<std::pair<std::string, py::object>>();
    auto function = castArgument<std::shared_ptr<ast::Function>>(
        value, "expects '" + name + "' of the module");
    LocationAttr location = function->location;
    module.functions.push_back({name, std::move(function), location});
  }
  for (py::handle item : types)
    module.types.push_back(*castArgument<std::shared_ptr<ast::TypeData>>(
        item, "expects a type definition of the module"));
  return module;
}

py::tuple relay_python::fromModule(const ast::Module &module) {
  py::list functions, types;
  for (const ast::Module::Definition &definition : module.functions)
    functions.append(py::make_tuple(definition.name, definition.function));
  for (const ast::TypeData &data : module.types)
    types.append(std::make_shared<ast::TypeData>(data));
  return py::make_tuple(functions, types);
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

static void addSource(llvm::SourceMgr &source, const std::string &text,
                      const std::string &name) {
  source.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(text, name),
                            SMLoc());
}

static py::tuple parseModule(const std::string &text, const std::string &name,
                             py::handle functions, py::handle types,
                             const py::dict &metadata) {
  ast::Module initial = toModule(functions, types);
  ParseOptions options;
  options.initial = &initial;
  for (auto [key, values] : metadata) {
    auto &entries = options.metadata[castArgument<std::string>(
        key, "expects a key of the metadata table")];
    for (py::handle value : values) {
      auto constant = std::dynamic_pointer_cast<ast::Constant>(toExpr(value));
      if (!constant)
        throw py::type_error("expects constants in the metadata table, but "
                             "got " +
                             describeValue(value));
      entries.push_back(constant->value);
    }
  }
  SessionLock lock;
  llvm::SourceMgr source;
  addSource(source, text, name);
  DiagnosticCollector diagnostics(getSessionContext(), Words::Relay);
  FailureOr<ast::Module> module =
      parseRelayModule(source, getSessionContext(), options);
  if (failed(module))
    diagnostics.raise("cannot parse the program");
  return fromModule(*module);
}

static ast::ExprPtr parseExpr(const std::string &text,
                              const std::string &name) {
  SessionLock lock;
  llvm::SourceMgr source;
  addSource(source, text, name);
  DiagnosticCollector diagnostics(getSessionContext(), Words::Relay);
  FailureOr<ast::ExprPtr> expr = parseRelayExpr(source, getSessionContext());
  if (failed(expr))
    diagnostics.raise("cannot parse the expression");
  return *expr;
}

/// Prints with the options of print_text in text.py.
template <typename T>
static std::string printText(const T &value, const std::string &version,
                             bool showVersion, bool showMetadata,
                             bool showTypes, bool showSpans,
                             const py::object &annotate) {
  PrintOptions options;
  options.version = version == "v0.0.1"   ? TextVersion::V0_0_1
                    : version == "v0.0.4" ? TextVersion::V0_0_4
                                          : TextVersion::V0_0_5;
  options.showVersion = showVersion;
  options.showMetadata = showMetadata;
  options.showTypes = showTypes;
  options.showSpans = showSpans;
  // The printer is built without exceptions: what the callback raises waits.
  std::optional<py::error_already_set> error;
  if (!annotate.is_none())
    options.annotate = [&](const ast::ExprPtr &expr) -> std::string {
      if (error)
        return "";
      try {
        return py::str(annotate(expr));
      } catch (py::error_already_set &raised) {
        error.emplace(raised);
        return "";
      }
    };
  std::string text;
  llvm::raw_string_ostream os(text);
  printRelay(os, value, options);
  if (error)
    throw *error;
  return text;
}

static std::string printModule(py::handle functions, py::handle types,
                               const std::string &version, bool showVersion,
                               bool showMetadata, bool showTypes,
                               bool showSpans, const py::object &annotate) {
  return printText(toModule(functions, types), version, showVersion,
                   showMetadata, showTypes, showSpans, annotate);
}

static std::string printExpr(py::handle expr, const std::string &version,
                             bool showVersion, bool showMetadata,
                             bool showTypes, bool showSpans,
                             const py::object &annotate) {
  return printText(toExpr(expr), version, showVersion, showMetadata, showTypes,
                   showSpans, annotate);
}

static std::string printType(const RelayType &type) {
  std::string text;
  llvm::raw_string_ostream os(text);
  printRelayType(os, type.type);
  return text;
}

//===----------------------------------------------------------------------===//
// Passes
//===----------------------------------------------------------------------===//

static void runOnProgram(ModuleOp module, const std::string &pipeline) {
  SessionLock lock;
  DiagnosticCollector diagnostics(getSessionContext(), Words::Relay);
  runPipeline(module, pipeline, diagnostics);
}

OwningOpRef<ModuleOp> relay_python::importModule(py::handle functions,
                                                 py::handle types) {
  SessionLock lock;
  OwningOpRef<ModuleOp> module;
  {
    DiagnosticCollector diagnostics(getSessionContext(), Words::Relay);
    module = importRelay(toModule(functions, types), getSessionContext());
    if (!module)
      diagnostics.raise("cannot import the program");
  }
  runOnProgram(*module, "builtin.module(relay-infer-types)");
  return module;
}

/// Infers types, runs a pipeline unless it is empty, and returns the program.
static py::tuple runPasses(py::handle functions, py::handle types,
                           const std::string &pipeline) {
  SessionLock lock;
  OwningOpRef<ModuleOp> module = importModule(functions, types);
  if (!pipeline.empty())
    runOnProgram(*module, pipeline);
  DiagnosticCollector diagnostics(getSessionContext(), Words::Relay);
  FailureOr<ast::Module> result = exportRelay(*module);
  if (failed(result))
    diagnostics.raise("cannot make expressions of the module");
  return fromModule(*result);
}

static py::tuple exportModel(ModuleOp module,
                             DiagnosticCollector &diagnostics) {
  FailureOr<ast::Module> result = exportRelay(module);
  if (failed(result))
    diagnostics.raise("cannot make expressions of the model");
  return fromModule(*result);
}

/// Reads a model of ONNX, or MLIR.
static py::tuple load(const std::string &path) {
  DiagnosticCollector diagnostics(getSessionContext(), getWords(path));
  OwningOpRef<ModuleOp> module = loadModel(path, getSessionContext());
  if (!module)
    diagnostics.raise("cannot read '" + path + "'");
  return exportModel(*module, diagnostics);
}

/// Reads the bytes of an ONNX model.
static py::tuple loadOnnx(const py::bytes &model) {
  DiagnosticCollector diagnostics(getSessionContext());
  std::string_view bytes = model;
  OwningOpRef<ModuleOp> module = importOnnxBuffer(
      llvm::MemoryBufferRef(StringRef(bytes.data(), bytes.size()),
                            "onnx.ModelProto"),
      getSessionContext());
  if (!module)
    diagnostics.raise("cannot read the model");
  return exportModel(*module, diagnostics);
}

/// The module as text of MLIR.
static std::string printMLIR(py::handle functions, py::handle types,
                             int64_t elideLarger) {
  OwningOpRef<ModuleOp> module = importModule(functions, types);
  OpPrintingFlags flags;
  if (elideLarger >= 0)
    flags.elideLargeElementsAttrs(elideLarger).elideLargeResourceString(0);
  std::string text;
  llvm::raw_string_ostream os(text);
  module->print(os, flags);
  return text;
}

//===----------------------------------------------------------------------===//
// Standard definitions
//===----------------------------------------------------------------------===//

static std::optional<std::string> preludeText(const std::string &name) {
  std::optional<StringRef> text = getPreludeText(name);
  return text ? std::optional<std::string>(text->str()) : std::nullopt;
}

static std::vector<std::string> preludeNames() {
  std::vector<std::string> names;
  for (StringRef name : getPreludeNames())
    names.push_back(name.str());
  return names;
}

static std::string
staticTensorArrayText(const std::string &dtype,
                      const std::vector<int64_t> &shape, int64_t batchSize,
                      const std::vector<std::string> &defined) {
  return getStaticTensorArrayText(dtype, shape, batchSize, [&](StringRef name) {
    return llvm::is_contained(defined, name.str());
  });
}

void relay_python::bindRelayModules(py::module_ &m) {
  m.def("parse_module", &parseModule);
  m.def("parse_expr", &parseExpr);
  m.def("print_module", &printModule);
  m.def("print_expr", &printExpr);
  m.def("print_type", &printType);
  m.def("run_passes", &runPasses);
  m.def("load_model", &load);
  m.def("load_onnx", &loadOnnx);
  m.def("print_mlir", &printMLIR);
  m.def("prelude_text", &preludeText);
  m.def("prelude_names", &preludeNames);
  m.def("tensor_array_text",
        [](const std::string &dtype) { return getTensorArrayText(dtype); });
  m.def("static_tensor_array_text", &staticTensorArrayText);
}
