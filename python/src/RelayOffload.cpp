//===- RelayOffload.cpp - What Python says of code generators -------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Callback.h"
#include "RelayBindings.h"

#include "relay-mlir/Dialect/Relay/IR/Offload.h"
#include "relay-mlir/Dialect/Relay/IR/OperatorSchema.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"

namespace py = pybind11;
using namespace relay_python;
using namespace mlir;
using namespace mlir::relay;

namespace {
/// Answers for one module, whose expressions are made when they are needed.
class PythonQuery {
public:
  PythonQuery(ModuleOp module, const Callback &isKnown, const Callback &ask)
      : module(module), isKnown(isKnown), ask(ask) {}

  FailureOr<bool> operator()(Operation *op, StringRef target);

private:
  ModuleOp module;
  const Callback &isKnown, &ask;
  std::optional<ast::ExportedNodes> nodes;
};
} // namespace

FailureOr<bool> PythonQuery::operator()(Operation *op, StringRef target) {
  auto apply = dyn_cast<ApplyOp>(op);
  const OperatorSchema *schema =
      apply ? getOperatorSchema(apply.getName()) : getOperatorSchema(op);
  if (!schema)
    return false;
  auto emitFailure = [&]() {
    return emitError(op->getLoc())
           << "target." << target << " of '" << schema->name << "': ";
  };
  auto toBool = [](py::handle value) { return value.cast<bool>(); };
  FailureOr<bool> known = isKnown.call<bool>(
      emitFailure,
      [&] { return py::make_tuple(schema->name.str(), target.str()); }, toBool);
  if (failed(known) || !*known)
    return known;
  if (!nodes) {
    nodes.emplace();
    if (failed(exportRelay(module, &*nodes)))
      return failure();
  }
  return ask.call<bool>(
      emitFailure,
      [&] {
        return py::make_tuple(schema->name.str(), target.str(),
                              nodes->lookup(op));
      },
      toBool);
}

/// `isKnown(operator, target)` tells whether `ask(operator, target, call)`
/// knows more. Both return (bool, None) or (None, why).
static void registerOffload(py::object isKnown, py::object ask) {
  addOffloadProvider(
      [isKnown = std::make_shared<Callback>(std::move(isKnown)),
       ask = std::make_shared<Callback>(std::move(ask))](ModuleOp module) {
        return OffloadQuery(
            [query = std::make_shared<PythonQuery>(module, *isKnown, *ask),
             isKnown, ask](Operation *op, StringRef target) {
              return (*query)(op, target);
            });
      });
}

void relay_python::bindRelayOffload(py::module_ &m) {
  m.def("register_offload", &registerOffload);
}
