//===- RelayCodegen.cpp - Code generators of Python -----------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Callback.h"
#include "RelayBindings.h"

#include "relay-mlir/Dialect/Relay/IR/ExternalCode.h"

#include "mlir/Parser/Parser.h"

namespace py = pybind11;
using namespace relay_python;
using namespace mlir;
using namespace mlir::relay;

/// The same module in another context.
static OwningOpRef<ModuleOp> moveTo(ModuleOp module, MLIRContext *context) {
  std::string text;
  llvm::raw_string_ostream os(text);
  module->print(os, OpPrintingFlags().enableDebugInfo());
  return parseSourceString<ModuleOp>(text, context);
}

namespace {
/// Calls a function that takes the module, as lists of functions and data
/// types, and returns one of
///   ("c", source, flags), ("blob", format, bytes),
///   ("relay", functions, types), ("mlir", text)
/// beside None, or None and why there is nothing.
class PythonGenerator : public ExternalCodeGenerator {
public:
  /// `name` is that of the generator.
  PythonGenerator(const std::string &name, py::object function)
      : source("code of " + name), function(std::move(function)) {}

  FailureOr<ExternalCode> generate(ModuleOp functions) const override;

private:
  ExternalCode convert(py::handle value, MLIRContext *context) const;

  /// What places in text of the generator begin with.
  std::string source;
  Callback function;
};
} // namespace

ExternalCode PythonGenerator::convert(py::handle value,
                                      MLIRContext *context) const {
  py::tuple parts = py::reinterpret_borrow<py::tuple>(value);
  auto kind = parts[0].cast<std::string>();
  if (kind == "c")
    return ExternalCSource{parts[1].cast<std::string>(),
                           parts[2].cast<std::vector<std::string>>()};
  if (kind == "blob")
    return ExternalBlob{parts[1].cast<std::string>(),
                        parts[2].cast<std::string>()};
  OwningOpRef<ModuleOp> module;
  if (kind == "mlir") {
    module = parseSourceString<ModuleOp>(parts[1].cast<std::string>(), context,
                                         source);
  } else {
    module = importModule(parts[1], parts[2]);
    if (context != getSessionContext())
      module = moveTo(*module, context);
  }
  return ExternalModule{std::move(module)};
}

FailureOr<ExternalCode> PythonGenerator::generate(ModuleOp functions) const {
  // Expressions are of the context of all programs.
  MLIRContext *context = functions.getContext();
  OwningOpRef<ModuleOp> copy;
  if (context != getSessionContext()) {
    copy = moveTo(functions, getSessionContext());
    if (!copy)
      return emitError(functions.getLoc())
             << "cannot make expressions of the functions";
    functions = *copy;
  }
  FailureOr<ast::Module> program = exportRelay(functions);
  if (failed(program))
    return failure();
  return function.call<ExternalCode>(
      [&] { return emitError(UnknownLoc::get(context)); },
      [&] {
        py::list list, types;
        for (const ast::Module::Definition &definition : program->functions)
          list.append(py::make_tuple(definition.name, definition.function));
        return py::make_tuple(list, types);
      },
      [&](py::handle value) { return convert(value, context); });
}

static void registerCodegen(const std::string &name, py::object function) {
  addExternalCodeGenerator(
      name, std::make_shared<PythonGenerator>(name, std::move(function)));
}

void relay_python::bindRelayCodegen(py::module_ &m) {
  m.def("register_codegen", &registerCodegen);
  m.def("codegens", &getExternalCodeGenerators);
}
