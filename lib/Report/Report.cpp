//===- Report.cpp - What passes do, as a page -----------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The page is files of lib/Report/Page and a library that lays out graphs,
// which become part of this library when it is built. It has the data as JSON,
// and draws it when it is opened.
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Report/Report.h"

#include "Recorder.h"

#include "relay-mlir/Support/InputFile.h"
#include "relay-mlir/Support/OutputFile.h"
#include "relay-mlir/Support/Version.h"

#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace mlir::relay;

//===----------------------------------------------------------------------===//
// Watching
//===----------------------------------------------------------------------===//

namespace {
/// Tells the data of a report what a pass manager does.
class ReportInstrumentation : public PassInstrumentation {
public:
  ReportInstrumentation(std::shared_ptr<ReportData> data, MLIRContext *context)
      : data(std::move(data)), engine(context->getDiagEngine()) {
    handler = engine.registerHandler([this](Diagnostic &diagnostic) {
      if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
        this->data->addError(diagnostic);
      // Others report it.
      return failure();
    });
  }
  ~ReportInstrumentation() override { engine.eraseHandler(handler); }

  void runBeforePass(Pass *pass, Operation *op) override {
    data->beginPass(getName(pass), isAdaptor(pass), op);
  }
  void runAfterPass(Pass *, Operation *op) override {
    data->endPass(op, /*hasFailed=*/false);
  }
  void runAfterPassFailed(Pass *, Operation *op) override {
    data->endPass(op, /*hasFailed=*/true);
  }

private:
  static StringRef getName(Pass *pass) {
    return pass->getArgument().empty() ? pass->getName() : pass->getArgument();
  }
  /// What runs a pipeline on the operations in another one is no pass to its
  /// user; the class is not public.
  static bool isAdaptor(Pass *pass) {
    return pass->getName().ends_with("OpToOpPassAdaptor");
  }

  std::shared_ptr<ReportData> data;
  DiagnosticEngine &engine;
  DiagnosticEngine::HandlerID handler;
};
} // namespace

Report::Report(ReportOptions options)
    : options(std::move(options)), data(std::make_shared<ReportData>()) {}

Report::~Report() = default;

void Report::attach(PassManager &manager) {
  std::string pipeline;
  llvm::raw_string_ostream os(pipeline);
  if (!manager.empty())
    manager.printAsTextualPipeline(os);
  data->addPipeline(std::move(pipeline));
  manager.addInstrumentation(
      std::make_unique<ReportInstrumentation>(data, manager.getContext()));
}

void Report::addPass(StringRef name, double seconds, Operation *before,
                     Operation *after) {
  data->addPass(name, seconds, before, after);
}

size_t Report::getNumSteps() const { return data->getNumSteps(); }

Report::Phase::Phase(Report *report, StringRef name) {
  if (!report)
    return;
  data = report->data;
  index = data->beginPhase(name);
}

Report::Phase::~Phase() {
  if (data)
    data->endPhase(index);
}

//===----------------------------------------------------------------------===//
// Profiles
//===----------------------------------------------------------------------===//

LogicalResult Report::readProfile(StringRef path, raw_ostream &errors) {
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> text = readInputText(path);
  if (!text) {
    errors << "error: cannot read '" << path
           << "': " << text.getError().message() << '\n';
    return failure();
  }
  auto fail = [&](const llvm::Twine &what) {
    errors << "error: expects '" << path
           << "' to be a profile of relay-run --profile, but got " << what
           << '\n';
    return failure();
  };
  llvm::Expected<llvm::json::Value> value =
      llvm::json::parse((*text)->getBuffer());
  if (!value)
    return fail("no JSON: " + llvm::toString(value.takeError()));
  llvm::json::Object *object = value->getAsObject();
  llvm::json::Array *events =
      object ? object->getArray("traceEvents") : nullptr;
  if (!events)
    return fail("JSON without traceEvents");
  struct Call {
    std::string name;
    std::vector<double> times;
  };
  std::map<int64_t, Call> calls;
  for (llvm::json::Value &entry : *events) {
    llvm::json::Object *event = entry.getAsObject();
    if (!event || event->getString("cat") != StringRef("kernel"))
      continue;
    llvm::json::Object *args = event->getObject("args");
    std::optional<int64_t> number =
        args ? args->getInteger("call") : std::nullopt;
    std::optional<double> time = event->getNumber("dur");
    std::optional<StringRef> name = event->getString("name");
    if (!number || !time || !name)
      return fail("a kernel without name, dur or call");
    calls[*number].name = name->str();
    calls[*number].times.push_back(*time);
  }
  if (calls.empty())
    return fail("one without kernels");
  for (auto &[number, call] : calls) {
    llvm::sort(call.times);
    data->kernelTimes.push_back({call.name, call.times[call.times.size() / 2]});
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

/// A part of the page.
static StringRef getPageFile(StringRef name) {
  struct File {
    StringRef name, contents;
  };
  static constexpr File kFiles[] = {
#include "PageFiles.inc"
  };
  for (const File &file : kFiles)
    if (file.name == name)
      return file.contents;
  llvm_unreachable("no such part of the page");
}

/// Writes JSON into HTML, where only "<" could end what it stands in.
static void writeEscaped(const llvm::json::Value &value, raw_ostream &os) {
  std::string text;
  llvm::raw_string_ostream(text) << value;
  StringRef rest = text;
  while (true) {
    size_t position = rest.find('<');
    os << rest.take_front(position);
    if (position == StringRef::npos)
      return;
    os << "\\u003c";
    rest = rest.drop_front(position + 1);
  }
}

/// Writes the page: what "{{name}}" stands for in its frame is a file, but for
/// the data.
static void writePage(const llvm::json::Value &data, raw_ostream &os) {
  StringRef rest = getPageFile("report.html");
  while (true) {
    auto [text, tail] = rest.split("{{");
    os << text;
    if (tail.empty())
      return;
    auto [name, next] = tail.split("}}");
    if (name == "data")
      writeEscaped(data, os);
    else
      os << getPageFile(name);
    rest = next;
  }
}

LogicalResult Report::write(raw_ostream &errors) const {
  bool isPage = !StringRef(options.path).ends_with(".json");
  llvm::json::Value value = isPage ? data->toJSON() : data->toModelExplorer();
  if (isPage) {
    llvm::json::Object &object = *value.getAsObject();
    object["tool"] = options.tool;
    object["version"] = getVersionString();
    object["input"] = llvm::json::isUTF8(options.input)
                          ? options.input
                          : llvm::json::fixUTF8(options.input);
  }
  std::error_code error = writeOutputText(options.path, [&](raw_ostream &os) {
    if (isPage)
      writePage(value, os);
    else
      os << value << '\n';
    return success();
  });
  if (!error)
    return success();
  errors << "error: cannot write the report '" << options.path
         << "': " << error.message() << '\n';
  return failure();
}

/// Whether two names are of one file, which need not be there yet.
static bool isSameFile(StringRef path, StringRef other) {
  namespace fs = llvm::sys::fs;
  if (path == other || fs::equivalent(path, other))
    return true;
  auto getFolder = [](StringRef file) {
    StringRef folder = llvm::sys::path::parent_path(file);
    return folder.empty() ? StringRef(".") : folder;
  };
  return !fs::exists(path) && !fs::exists(other) &&
         llvm::sys::path::filename(path) == llvm::sys::path::filename(other) &&
         fs::equivalent(getFolder(path), getFolder(other));
}

LogicalResult relay::checkReportPath(StringRef path, ArrayRef<StringRef> others,
                                     raw_ostream &errors) {
  if (path.empty() || path == "-") {
    errors << "error: expects a file for the report, but got '" << path
           << "'\n";
    return failure();
  }
  for (StringRef other : others) {
    if (other.empty() || other == "-")
      continue;
    // A device such as /dev/null may be several of them.
    if (!isSameFile(path, other) ||
        (llvm::sys::fs::exists(path) && !llvm::sys::fs::is_regular_file(path)))
      continue;
    errors << "error: expects the report to be another file than '" << other
           << "', but got '" << path << "'\n";
    return failure();
  }
  return success();
}
