//===- relay-compile.cpp - Compile a model --------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/InitAllDialects.h"
#include "relay-mlir/Interpreter/TensorIO.h"
#include "relay-mlir/Pipelines/CompileFlags.h"
#include "relay-mlir/Pipelines/Compiler.h"
#include "relay-mlir/Pipelines/LoadModel.h"
#include "relay-mlir/Report/Report.h"
#include "relay-mlir/Support/DialectPlugins.h"
#include "relay-mlir/Support/Npy.h"
#include "relay-mlir/Support/OptionUse.h"
#include "relay-mlir/Support/TemporaryFile.h"
#include "relay-mlir/Support/Version.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/ToolUtilities.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/ThreadPool.h"
#include "llvm/Support/raw_ostream.h"

namespace cl = llvm::cl;
using namespace mlir;

static cl::OptionCategory category("relay-compile options");
static cl::opt<std::string> inputPath(cl::Positional, cl::Required,
                                      cl::desc("<model.onnx or model.mlir>"),
                                      cl::cat(category));
static cl::opt<std::string>
    outputPath("o", cl::desc("Output file (\"-\" is standard output for text)"),
               cl::value_desc("file"), cl::cat(category));
static cl::opt<std::string>
    emitName("emit",
             cl::desc("What to write: relay, relax, schedules, tir, llvm, "
                      "asm, bytecode, obj, so (default)"),
             cl::init("so"), cl::cat(category));
static cl::opt<std::string> fromName(
    "from",
    cl::desc("The form of an .mlir file: relay-typed (default), relay-fused, "
             "relax-kernels, tir-scheduled or relax-executable; the phases "
             "before it are left out"),
    cl::value_desc("form"), cl::init("relay-typed"), cl::cat(category));
static cl::opt<std::string>
    toName("to",
           cl::desc("Write the module in one of the later forms instead of "
                    "code, in full, so that --from can go on"),
           cl::value_desc("form"), cl::cat(category));
static relay::CompileFlags compileFlags(category);

/// The normal form that an option names; an error if there is none.
static std::optional<relay::NormalForm>
getForm(const cl::opt<std::string> &option) {
  std::optional<relay::NormalForm> form = relay::parseNormalForm(option);
  if (!form)
    llvm::errs() << "error: expects --" << option.ArgStr << "="
                 << (&option == &fromName ? "relay-typed, " : "")
                 << "relay-fused, relax-kernels, tir-scheduled or "
                    "relax-executable, but got '"
                 << option.getValue() << "'\n";
  return form;
}
static cl::opt<std::string> remarksPath(
    "remarks", cl::ValueOptional,
    cl::desc(
        "Say what became of each kernel: what is fused, packed, vectorized "
        "and parallel, and what is not and why (default: to standard "
        "error)"),
    cl::value_desc("file"), cl::cat(category));
static cl::opt<std::string> schedules(
    "schedules",
    cl::desc("Schedules of some or all kernels, which take the place of the "
             "rules: a file, or a folder of files"),
    cl::value_desc("path"), cl::cat(category));
static cl::opt<std::string>
    saveSchedules("save-schedules",
                  cl::desc("Write the schedule of each kernel to this folder"),
                  cl::value_desc("folder"), cl::cat(category));
static cl::opt<std::string> reportPath(
    "report",
    cl::desc("Write a page that shows what each pass does, with graphs and the "
             "memory plan; the graphs alone, for Model Explorer, if it ends in "
             ".json"),
    cl::value_desc("file"), cl::cat(category));
static cl::opt<std::string> reportProfile(
    "report-profile",
    cl::desc("Times of kernels for the report, of relay-run --profile=<file>"),
    cl::value_desc("file"), cl::cat(category));
static cl::list<std::string> fixedDims(
    "dim",
    cl::desc("Size of an open dimension of inputs, by its name; kernels are "
             "compiled for this size alone"),
    cl::value_desc("name=size"), cl::cat(category));
static cl::list<std::string> fixedShapes(
    "shape",
    cl::desc("Shape of an input in the place of the model's, such as "
             "x=1x3x?x224; ? stays open"),
    cl::value_desc("name=sizes"), cl::cat(category));
static cl::list<std::string> fixedValues(
    "input",
    cl::desc("Value of an input, which becomes a constant: numbers, such as "
             "scale=0.5 or sizes=1,3,224, or a file"),
    cl::value_desc("name=value or name=file.npy"), cl::cat(category));
static cl::list<std::string> variants(
    "specialize",
    cl::desc("Sizes of open dimensions for which there is code besides that "
             "for any size; runs with inputs of these sizes take it"),
    cl::value_desc("name=size,..."), cl::cat(category));
static cl::list<std::string> dialectPlugins(
    relay::kDialectPluginOption,
    cl::desc("Load dialects, such as operators and kinds of targets, from a "
             "plugin"),
    cl::value_desc("shared object"), cl::cat(category));
static cl::opt<unsigned> compileThreads(
    "compile-threads",
    cl::desc("Threads that compile; the output is the same with any number "
             "(default: 0, one for each processor)"),
    cl::init(0), cl::cat(category));
static cl::opt<bool> timing("timing", cl::desc("Print the time of each pass"),
                            cl::cat(category));

/// Prepares the report that the command line asks for, if any.
static LogicalResult startReport(std::unique_ptr<relay::Report> &report) {
  if (!reportPath.getNumOccurrences())
    return relay::refuseOptions({"report-profile"}, "without --report");
  report = std::make_unique<relay::Report>(
      relay::ReportOptions{reportPath, "relay-compile", inputPath});
  if (failed(relay::checkReportPath(
          reportPath, {inputPath, outputPath, reportProfile, remarksPath})))
    return failure();
  return reportProfile.empty() ? success() : report->readProfile(reportProfile);
}

namespace {
/// Writes remarks, those of a kernel together.
class RemarkWriter : public remark::detail::MLIRRemarkStreamerBase {
public:
  explicit RemarkWriter(llvm::raw_ostream &os) : os(os) {}

  void streamOptimizationRemark(const remark::detail::Remark &remark) override {
    if (kernel != remark.getFunction()) {
      kernel = remark.getFunction().str();
      os << "kernel " << kernel << '\n';
    }
    bool isMissed = remark.getRemarkType() == llvm::remarks::Type::Missed;
    os << "  " << (isMissed ? "not " : "") << remark.getRemarkName() << ": ";
    llvm::interleave(
        remark.getArgs(), os, [&](const auto &arg) { os << arg.val; }, " ");
    os << '\n';
  }

private:
  llvm::raw_ostream &os;
  std::string kernel;
};
} // namespace

/// An argument of --input with the name of a file.
static llvm::Error addFile(relay::FixedInputs &fixed, StringRef argument,
                           MLIRContext *context) {
  // A name may have a "=" itself.
  auto [name, path] = argument.rsplit('=');
  if (name.empty() || path.empty())
    return llvm::createStringError("expects the name of an input and a file, "
                                   "such as x=values.npy, but got '" +
                                   argument + "'");
  llvm::Expected<relay::NpyArray> array = relay::readNpy(path);
  if (!array)
    return array.takeError();
  relay::FixedInputs::Value value;
  value.tensor = relay::getTensor(*array, context).toDenseElements();
  return fixed.setValue(name, std::move(value));
}

static LogicalResult getFixedInputs(relay::FixedInputs &fixed,
                                    MLIRContext *context) {
  auto check = [](StringRef option, llvm::Error error) {
    if (!error)
      return success();
    llvm::errs() << "error: --" << option << ": "
                 << llvm::toString(std::move(error)) << '\n';
    return failure();
  };
  for (StringRef argument : fixedDims)
    if (failed(check("dim", fixed.addDim(argument))))
      return failure();
  for (StringRef argument : fixedShapes)
    if (failed(check("shape", fixed.addShape(argument))))
      return failure();
  for (StringRef argument : fixedValues)
    if (failed(check("input", argument.ends_with(".npy")
                                  ? addFile(fixed, argument, context)
                                  : fixed.addValue(argument))))
      return failure();
  return success();
}

/// Says where the graph of the executor graph goes.
static LogicalResult nameGraph(relay::CompileOptions &options,
                               relay::EmitKind kind) {
  if (kind != relay::EmitKind::SharedObject || options.to ||
      options.from > relay::NormalForm::RelaxKernels) {
    llvm::errs() << "error: expects a shared object, of a program whose "
                    "kernels are calls of a graph, for the executor graph\n";
    return failure();
  }
  if (llvm::sys::path::extension(outputPath) != ".so") {
    llvm::errs() << "error: expects an output that ends in .so for the "
                    "executor graph, whose graph goes into a .json beside it, "
                    "but got '"
                 << outputPath << "'\n";
    return failure();
  }
  SmallString<128> path(outputPath);
  llvm::sys::path::replace_extension(path, "json");
  options.graphPath = path.str();
  return success();
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  mlir::relay::removeTemporaryFilesOnSignals();
  // Of MLIR: IR after passes, and what reproduces a pass that fails.
  registerPassManagerCLOptions();
  cl::HideUnrelatedOptions(category);
  cl::AddExtraVersionPrinter([](llvm::raw_ostream &os) {
    os << "relay-mlir " << relay::getVersionString() << '\n';
  });
  cl::ParseCommandLineOptions(argc, argv, "Compiles a model to native code\n");

  std::optional<relay::EmitKind> kind = relay::parseEmitKind(emitName);
  if (!kind) {
    llvm::errs() << "error: expects --emit=relay, relax, schedules, tir, llvm, "
                    "asm, bytecode, obj or so, but got '"
                 << emitName << "'\n";
    return 1;
  }
  std::optional<relay::CompileOptions> options = compileFlags.get();
  if (!options)
    return 1;
  std::optional<relay::NormalForm> from = getForm(fromName);
  if (!from)
    return 1;
  options->from = *from;
  if (toName.getNumOccurrences()) {
    options->to = getForm(toName);
    if (!options->to || failed(relay::refuseOptions(
                            {"emit", "cache-dir", "no-cache"}, "with --to")))
      return 1;
    if (*options->to <= options->from) {
      llvm::errs() << "error: expects --to of a form after " << fromName
                   << ", but got " << toName << '\n';
      return 1;
    }
  }
  if (*from > relay::NormalForm::RelayTyped &&
      failed(relay::refuseOptions({"dim", "shape", "input"},
                                  "for a model that is compiled in part")))
    return 1;
  if (*from > relay::NormalForm::RelayTyped &&
      failed(relay::refuseOptions({"O", "desired-layout"},
                                  "for operators that are fused")))
    return 1;
  // What --emit writes early on is gone already.
  bool isBehind = (*kind == relay::EmitKind::Relay &&
                   *from > relay::NormalForm::RelayFused) ||
                  (*kind == relay::EmitKind::Schedules &&
                   *from > relay::NormalForm::RelaxKernels);
  if (isBehind) {
    llvm::errs() << "error: expects --emit of what comes after " << fromName
                 << ", but got " << emitName << '\n';
    return 1;
  }
  if (options->to == relay::NormalForm::RelayFused &&
      failed(relay::refuseOptions(
          {"remarks", "schedules", "save-schedules", "force-matrix-tiles"},
          "with --to=relay-fused")))
    return 1;
  if (options->from >= relay::NormalForm::TIRScheduled &&
      failed(relay::refuseOptions(
          {"schedules", "save-schedules", "remarks", "force-matrix-tiles"},
          "for kernels that are scheduled")))
    return 1;
  constexpr unsigned kMaxThreads = 1024;
  if (compileThreads > kMaxThreads) {
    llvm::errs() << "error: expects --compile-threads of at most "
                 << kMaxThreads << ", but got " << compileThreads << '\n';
    return 1;
  }
  if (kind == relay::EmitKind::Relay &&
      failed(relay::refuseOptions(
          {"remarks", "schedules", "save-schedules", "force-matrix-tiles"},
          "with --emit=relay")))
    return 1;
  if (kind == relay::EmitKind::Schedules &&
      failed(relay::refuseOptions({"remarks"}, "with --emit=schedules")))
    return 1;
  bool binary = !options->to && (kind == relay::EmitKind::Object ||
                                 kind == relay::EmitKind::SharedObject);
  if (outputPath.empty()) {
    if (binary) {
      llvm::errs() << "error: expects -o with the name of the output\n";
      return 1;
    }
    outputPath = "-";
  }
  if (binary && outputPath == "-") {
    llvm::errs() << "error: expects -o with the name of a file for what is no "
                    "text, but got '-'\n";
    return 1;
  }
  if (!binary && failed(relay::refuseOptions({"cache-dir", "no-cache"},
                                             "without --emit=so or obj")))
    return 1;

  std::unique_ptr<relay::Report> report;
  if (failed(startReport(report)))
    return 1;
  options->report = report.get();

  DialectRegistry registry;
  relay::registerAllDialects(registry);
  if (failed(relay::loadDialectPlugins(dialectPlugins, registry)))
    return 1;
  std::optional<llvm::DefaultThreadPool> threads;
  MLIRContext context(registry, compileThreads == 0
                                    ? MLIRContext::Threading::ENABLED
                                    : MLIRContext::Threading::DISABLED);
  if (compileThreads > 1) {
    threads.emplace(llvm::hardware_concurrency(compileThreads));
    context.setThreadPool(*threads);
  }
  relay::ModelDiagnostics diagnostics(&context, inputPath);

  relay::FixedInputs fixed;
  if (failed(getFixedInputs(fixed, &context)))
    return 1;

  std::unique_ptr<llvm::raw_fd_ostream> remarksFile;
  if (remarksPath.getNumOccurrences()) {
    llvm::raw_ostream *os = &llvm::errs();
    if (!remarksPath.empty()) {
      std::error_code code;
      remarksFile = std::make_unique<llvm::raw_fd_ostream>(remarksPath, code);
      if (code) {
        llvm::errs() << "error: cannot write '" << remarksPath
                     << "': " << code.message() << '\n';
        return 1;
      }
      os = remarksFile.get();
    }
    // A kind of remark whose filter is not set stays off.
    remark::RemarkCategories categories;
    categories.passed = categories.missed = categories.analysis =
        categories.failed = ".*";
    if (failed(remark::enableOptimizationRemarks(
            context, std::make_unique<RemarkWriter>(*os),
            std::make_unique<remark::RemarkEmittingPolicyAll>(), categories)))
      return 1;
  }

  if (options->executor == relay::ExecutorKind::Graph &&
      failed(nameGraph(*options, *kind)))
    return 1;
  options->schedules = schedules;
  options->saveSchedules = saveSchedules;
  options->variants.assign(variants.begin(), variants.end());
  options->timing = timing;
  OwningOpRef<ModuleOp> module = relay::loadModel(inputPath, &context, fixed);
  if (!module)
    return 1;
  bool hasFailed =
      failed(relay::compileModule(*module, *options, *kind, outputPath));
  // What failed is what one wants to see most.
  if (report && failed(report->write()))
    hasFailed = true;
  if (remarksFile) {
    remarksFile->flush();
    if (remarksFile->has_error()) {
      llvm::errs() << "error: cannot write '" << remarksPath
                   << "': " << remarksFile->error().message() << '\n';
      remarksFile->clear_error();
      hasFailed = true;
    }
  }
  return hasFailed;
}
