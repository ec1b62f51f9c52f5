//===- RelayCollage.cpp - Share programs by cost --------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Callback.h"
#include "RelayBindings.h"

#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Dialect/Relay/Transforms/CollagePartition.h"

namespace py = pybind11;
using namespace relay_python;
using namespace mlir;
using namespace mlir::relay;

namespace {
/// Calls a function that takes a program, as lists of functions and data types,
/// and the name of the target.
class PythonCostEstimator : public CostEstimator {
public:
  PythonCostEstimator(py::object function, Calls &calls)
      : function(std::move(function)), calls(calls) {}

  FailureOr<double> estimate(ModuleOp part, StringRef target) override {
    FailureOr<ast::Module> program = exportRelay(part);
    if (failed(program))
      return failure();
    std::optional<double> cost = calls.call<double>([&] {
      py::tuple arguments = fromModule(*program);
      return function(arguments[0], arguments[1], target.str()).cast<double>();
    });
    if (!cost)
      return failure();
    return *cost;
  }

private:
  py::object function;
  Calls &calls;
};

/// What checks of patterns are asked about, made when it is needed.
struct CheckedNodes {
  ModuleOp module;
  std::optional<ast::ExportedNodes> nodes = {};

  ast::ExprPtr lookup(Operation *op) {
    if (!nodes) {
      nodes.emplace();
      if (failed(exportRelay(module, &*nodes)))
        nodes->clear();
    }
    return nodes->lookup(op);
  }
};
} // namespace

/// Rows of (name, pattern, check).
static PatternTable toPatternTable(const py::list &rows, CheckedNodes &nodes,
                                   Calls &calls) {
  PatternTable table;
  for (py::handle row : rows) {
    auto [name, pattern, check] =
        row.cast<std::tuple<std::string, dataflow::PatternPtr, py::object>>();
    table.push_back(
        {name, pattern, [&, check = check](Operation *root) {
           ast::ExprPtr expr = nodes.lookup(root);
           return expr &&
                  calls
                      .call<bool>([&] {
                        // Whatever is true for Python.
                        return py::bool_(check(py::cast(expr))).cast<bool>();
                      })
                      .value_or(false);
         }});
  }
  return table;
}

/// `targets` are rows of (name, style, patterns), the styles none, kernels and
/// any.
static py::tuple partition(py::handle functions, py::handle types,
                           const py::list &targets, unsigned maxDepth,
                           unsigned maxExternalDepth, py::object estimate) {
  SessionLock lock;
  OwningOpRef<ModuleOp> module = importModule(functions, types);
  Calls calls;
  CheckedNodes nodes{*module};
  CollageOptions options;
  options.maxDepth = maxDepth;
  options.maxExternalDepth = maxExternalDepth;
  for (py::handle row : targets) {
    auto [name, style, patterns] =
        row.cast<std::tuple<std::string, std::string, py::list>>();
    CollageTarget &target = options.targets.emplace_back();
    target.name = name;
    target.style = style == "none"      ? FusionStyle::None
                   : style == "kernels" ? FusionStyle::Kernels
                                        : FusionStyle::Any;
    target.patterns = getPatternTable(getSessionContext(), name);
    llvm::append_range(target.patterns, toPatternTable(patterns, nodes, calls));
  }
  PythonCostEstimator estimator(std::move(estimate), calls);
  DiagnosticCollector diagnostics(getSessionContext(), Words::Relay);
  FailureOr<unsigned> count = collagePartition(*module, options, estimator);
  calls.raise();
  if (failed(count))
    diagnostics.raise("cannot share the program");
  FailureOr<ast::Module> result = exportRelay(*module);
  if (failed(result))
    diagnostics.raise("cannot make expressions of the module");
  return fromModule(*result);
}

/// What a part costs by a table.
static double estimateByTable(const std::vector<std::string> &entries,
                              py::handle functions, py::handle types,
                              const std::string &target) {
  SessionLock lock;
  OwningOpRef<ModuleOp> module = importModule(functions, types);
  DiagnosticCollector diagnostics(getSessionContext(), Words::Relay);
  FailureOr<TableCostEstimator> estimator =
      TableCostEstimator::create(entries, getSessionContext());
  if (failed(estimator))
    diagnostics.raise("expects a table of costs");
  FailureOr<double> cost = estimator->estimate(*module, target);
  if (failed(cost))
    diagnostics.raise("expects costs of all operators");
  return *cost;
}

void relay_python::bindRelayCollage(py::module_ &m) {
  m.def("collage_partition", &partition);
  m.def("estimate_by_table", &estimateByTable);
  m.def("has_pattern_table", [](const std::string &target) {
    SessionLock lock;
    return !getPatternTable(getSessionContext(), target).empty();
  });
}
