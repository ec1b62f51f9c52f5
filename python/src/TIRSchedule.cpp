//===- TIRSchedule.cpp - Schedules of kernels -----------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bindings.h"

#include "relay-mlir/Dialect/TIR/TransformOps/ScheduleSession.h"
#include "relay-mlir/Pipelines/KernelArtifact.h"
#include "relay-mlir/Support/ParseModule.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/AsmState.h"
#include "llvm/Support/raw_ostream.h"

#include <pybind11/stl.h>

namespace py = pybind11;
using namespace relay_python;
using namespace mlir;

/// The kernel called `name`, or, without a name, the only one.
static tir::PrimFuncOp getKernel(ModuleOp module, const std::string &name) {
  std::string names;
  tir::PrimFuncOp found;
  for (auto kernel : module.getOps<tir::PrimFuncOp>()) {
    if (kernel.getSymName() == name)
      return kernel;
    names += (names.empty() ? "" : ", ") + kernel.getSymName().str();
    found = kernel;
  }
  if (!found)
    throw py::value_error("expects a module with a tir.prim_func");
  if (!name.empty())
    throw py::value_error("expects one of the kernels " + names + ", but got " +
                          name);
  if (!llvm::hasSingleElement(module.getOps<tir::PrimFuncOp>()))
    throw py::value_error("expects the name of one of the kernels " + names);
  return found;
}

static std::vector<std::string> getKernelNames(IRModule &self) {
  std::vector<std::string> names;
  for (auto kernel : self.module->getOps<tir::PrimFuncOp>())
    names.push_back(kernel.getSymName().str());
  return names;
}

namespace {

/// The kernels of a module, and the schedules that are written for them, one of
/// which is worked on. Handles are numbered in the order of their creation; 0
/// is that kernel.
class TIRSchedule {
public:
  TIRSchedule(IRModule &source, const std::string &name)
      : context(source.context), module(source.module->clone()) {
    tir::loadScheduleDialects(context.get());
    workOn(name);
  }

  void workOn(const std::string &name) {
    tir::PrimFuncOp wanted = getKernel(*module, name);
    for (auto &[kernel, session] : sessions)
      if (kernel == wanted) {
        current = session.get();
        this->kernel = kernel;
        return;
      }
    sessions.emplace_back(wanted,
                          std::make_unique<tir::ScheduleSession>(wanted));
    kernel = wanted;
    current = sessions.back().second.get();
  }

  std::vector<size_t>
  apply(const std::string &name, const std::vector<size_t> &operands,
        const std::map<std::string, std::string> &attributes,
        unsigned numResults) {
    DiagnosticCollector diagnostics(context.get());
    SmallVector<Value> values;
    for (size_t operand : operands)
      values.push_back(getHandle(operand));
    SmallVector<NamedAttribute> parsed = parse(attributes, diagnostics);
    FailureOr<SmallVector<Value>> results =
        current->apply(name, values, parsed, numResults);
    if (failed(results))
      diagnostics.raise("cannot apply " + name);
    return record(*results);
  }

  std::vector<size_t>
  query(const std::string &name, size_t operand,
        const std::map<std::string, std::string> &attributes) {
    DiagnosticCollector diagnostics(context.get());
    SmallVector<NamedAttribute> parsed = parse(attributes, diagnostics);
    FailureOr<SmallVector<Value>> results =
        current->query(name, getHandle(operand), parsed);
    if (failed(results))
      diagnostics.raise("cannot apply " + name);
    return record(*results);
  }

  void replay(const std::string &text) {
    DiagnosticCollector diagnostics(context.get());
    OwningOpRef<ModuleOp> parsed = mlir::relay::parseModule(
        text, "<schedule>", ParserConfig(context.get()));
    if (!parsed)
      diagnostics.raise("cannot read the schedule");
    auto scripts = parsed->getOps<transform::NamedSequenceOp>();
    std::string wanted = (kernel.getSymName() + tir::kScheduleSuffix).str();
    auto script = parsed->lookupSymbol<transform::NamedSequenceOp>(wanted);
    if (!script && llvm::hasSingleElement(scripts))
      script = *scripts.begin();
    if (!script)
      throw py::value_error("expects transform.named_sequence @" + wanted);
    auto apply = [&](transform::NamedSequenceOp steps) {
      if (failed(current->replay(steps)))
        diagnostics.raise("cannot apply the schedule");
    };
    apply(script);
    // Those of other kernels of the module, if there are several.
    std::string name = kernel.getSymName().str();
    for (transform::NamedSequenceOp other : scripts) {
      StringRef rest = other.getSymName();
      if (other == script || !rest.consume_back(tir::kScheduleSuffix) ||
          !module->lookupSymbol<tir::PrimFuncOp>(rest))
        continue;
      workOn(rest.str());
      apply(other);
    }
    workOn(name);
  }

  /// Adds the only kernel of `text`, called `name`, as half of an intrinsic.
  void addIntrinsic(const std::string &text, const std::string &name) {
    DiagnosticCollector diagnostics(context.get());
    OwningOpRef<ModuleOp> parsed = mlir::relay::parseModule(
        text, "<intrinsic>", ParserConfig(context.get()));
    if (!parsed)
      diagnostics.raise("cannot read the intrinsic");
    tir::PrimFuncOp function = getKernel(*parsed, "");
    function.setSymName(name);
    function.setPrivate();
    function->setAttr(tir::PrimFuncOp::kIntrinsic,
                      UnitAttr::get(context.get()));
    current->addIntrinsic(function);
  }

  /// The steps of all kernels that were worked on, as one module.
  std::string getScript() {
    std::string text;
    llvm::raw_string_ostream os(text);
    OwningOpRef<ModuleOp> scripts;
    for (auto &[kernel, session] : sessions) {
      auto module = session->getScript()->getParentOfType<ModuleOp>();
      if (!scripts) {
        scripts = module.clone();
        continue;
      }
      for (Operation &op : *module.getBody())
        if (!scripts->lookupSymbol(SymbolTable::getSymbolName(&op)))
          scripts->push_back(op.clone());
    }
    scripts->print(os, OpPrintingFlags().useLocalScope());
    return text;
  }

  std::unique_ptr<IRModule> getModule() {
    auto copy = std::make_unique<IRModule>();
    copy->context = context;
    copy->module = module->clone();
    return copy;
  }

  /// What the ops behind a handle are, as text.
  std::vector<std::string> describe(size_t handle) {
    if (std::optional<int64_t> number = getNumber(handle))
      return {std::to_string(*number)};
    std::vector<std::string> texts;
    for (Operation *op : current->getPayload(getHandle(handle))) {
      std::string &text = texts.emplace_back();
      if (auto block = dyn_cast<tir::BlockOp>(op)) {
        text = block.getName().str();
      } else if (auto loop = dyn_cast<tir::ForOp>(op)) {
        std::optional<int64_t> extent = loop.getConstantExtent();
        text = extent ? std::to_string(*extent) : "?";
      } else {
        text = op->getName().getStringRef().str();
      }
    }
    return texts;
  }

  /// What was sampled; nullopt for loops and blocks.
  std::optional<int64_t> getNumber(size_t handle) {
    return current->getNumber(getHandle(handle));
  }

  std::string getName() { return kernel.getSymName().str(); }

private:
  SmallVector<NamedAttribute>
  parse(const std::map<std::string, std::string> &attributes,
        DiagnosticCollector &diagnostics) {
    SmallVector<NamedAttribute> parsed;
    for (const auto &[key, text] : attributes) {
      Attribute value = parseAttribute(text, context.get());
      if (!value)
        diagnostics.raise("cannot read the attribute " + text);
      parsed.emplace_back(StringAttr::get(context.get(), key), value);
    }
    return parsed;
  }
  Value getHandle(size_t handle) {
    if (handle == 0)
      return current->getKernel();
    if (handle > handles.size())
      throw py::value_error("expects a handle of this schedule");
    auto [session, value] = handles[handle - 1];
    if (session != current)
      throw py::value_error("expects a loop or block of the kernel " +
                            getName() + ", which is worked on");
    return value;
  }
  std::vector<size_t> record(ArrayRef<Value> results) {
    std::vector<size_t> numbers;
    for (Value result : results) {
      handles.emplace_back(current, result);
      numbers.push_back(handles.size());
    }
    return numbers;
  }

  std::shared_ptr<MLIRContext> context;
  OwningOpRef<ModuleOp> module;
  /// The kernel that is worked on, and its session, one of `sessions`.
  tir::PrimFuncOp kernel;
  tir::ScheduleSession *current = nullptr;
  std::vector<std::pair<tir::PrimFuncOp, std::unique_ptr<tir::ScheduleSession>>>
      sessions;
  std::vector<std::pair<tir::ScheduleSession *, Value>> handles;
};

} // namespace

static void build(IRModule &self, const std::string &name,
                  const std::string &path, const std::string &target,
                  bool useCache, const std::string &cacheDir) {
  relay::CompileOptions options;
  options.target = target;
  options.useCache = useCache;
  options.cacheDir = cacheDir;
  tir::PrimFuncOp kernel = getKernel(*self.module, name);
  DiagnosticCollector diagnostics(self.context.get());
  LogicalResult result = failure();
  {
    py::gil_scoped_release release;
    result = relay::writeKernelArtifact(kernel, options, path);
  }
  if (failed(result))
    diagnostics.raise("cannot compile the kernel");
}

/// Makes the module one of kernels: whatever else is in it goes.
static void keepKernels(IRModule &self) {
  for (Operation &op : llvm::make_early_inc_range(*self.module->getBody()))
    if (!isa<tir::PrimFuncOp>(op))
      op.erase();
}

void relay_python::bindTIRSchedule(py::module_ &m) {
  py::class_<TIRSchedule>(m, "TIRSchedule")
      .def(py::init<IRModule &, const std::string &>(), py::arg("module"),
           py::arg("kernel"))
      .def("apply", &TIRSchedule::apply, py::arg("name"), py::arg("operands"),
           py::arg("attributes"), py::arg("num_results"))
      .def("query", &TIRSchedule::query, py::arg("name"), py::arg("operand"),
           py::arg("attributes"))
      .def("add_intrinsic", &TIRSchedule::addIntrinsic, py::arg("text"),
           py::arg("name"))
      .def("replay", &TIRSchedule::replay, py::arg("text"))
      .def("script", &TIRSchedule::getScript)
      .def("module", &TIRSchedule::getModule)
      .def("work_on", &TIRSchedule::workOn, py::arg("kernel"))
      .def("number", &TIRSchedule::getNumber, py::arg("handle"))
      .def("describe", &TIRSchedule::describe, py::arg("handle"))
      .def("name", &TIRSchedule::getName);
  m.def("tir_kernel_names", &getKernelNames, py::arg("module"));
  m.def("tir_keep_kernels", &keepKernels, py::arg("module"));
  m.def("tir_build", &build, py::arg("module"), py::arg("kernel"),
        py::arg("path"), py::arg("target"), py::arg("cache"),
        py::arg("cache_dir"));
}
