//===- OnnxCoverageReport.cpp - What an ONNX model needs ------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Pipelines/OnnxCoverageReport.h"

#include "relay-mlir/Frontend/ONNX/ImportONNX.h"
#include "relay-mlir/Pipelines/Compiler.h"
#include "relay-mlir/Support/ForeignText.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;
using namespace mlir::relay;

namespace {

/// What becomes of a model.
struct Verdict {
  /// "function", one of tensors, or "program"; empty if the model is refused.
  std::string form;
  /// What the importer or the compiler says against it, and what it says
  /// against one function.
  std::string refusal, notOneFunction;
};

} // namespace

/// The first error of `run`, with its notes; empty if it succeeds.
static std::string getError(MLIRContext *context,
                            llvm::function_ref<LogicalResult()> run) {
  std::string text;
  // The operations that passes made are no news for users of ONNX.
  context->printOpOnDiagnostic(false);
  ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() != DiagnosticSeverity::Error || !text.empty())
      return success();
    text = diagnostic.str();
    for (const Diagnostic &note : diagnostic.getNotes())
      text += "; " + note.str();
    return success();
  });
  if (succeeded(run()))
    return {};
  return text.empty() ? "it fails" : text;
}

static Verdict judge(llvm::MemoryBufferRef buffer, MLIRContext *context) {
  Verdict verdict;
  OwningOpRef<ModuleOp> module;
  verdict.refusal = getError(context, [&] {
    module = importOnnxBuffer(buffer, context);
    return success(static_cast<bool>(module));
  });
  if (!module)
    return verdict;
  auto compile = [&](ExecutorKind executor) {
    return getError(context, [&] {
      OwningOpRef<ModuleOp> copy = module->clone();
      CompileOptions options;
      options.executor = executor;
      return compileModule(*copy, options, EmitKind::Nothing, "");
    });
  };
  verdict.notOneFunction = compile(ExecutorKind::Graph);
  if (verdict.notOneFunction.empty()) {
    verdict.form = "function";
    return verdict;
  }
  verdict.refusal = compile(ExecutorKind::AOT);
  if (verdict.refusal.empty())
    verdict.form = "program";
  return verdict;
}

static StringRef getDomain(StringRef domain) {
  return domain.empty() ? "ai.onnx" : domain;
}

static void writeJson(const OnnxCoverage &coverage, const Verdict &verdict,
                      raw_ostream &os) {
  llvm::json::OStream json(os, /*IndentSize=*/2);
  json.object([&] {
    json.attributeObject("opsets", [&] {
      for (const auto &[domain, version] : coverage.opsets)
        json.attribute(getDomain(domain), version);
    });
    json.attributeArray("operators", [&] {
      for (const OnnxOperatorUse &use : coverage.operators)
        json.object([&] {
          json.attribute("domain", getDomain(use.domain));
          json.attribute("name", use.name);
          json.attribute("opset", use.opset);
          json.attribute("nodes", use.count);
          json.attribute("first", use.first);
          if (!use.missing.empty())
            json.attribute("missing", use.missing);
        });
    });
    json.attributeArray("types", [&] {
      for (const OnnxCoverage::TypeUse &use : coverage.types)
        json.object([&] {
          json.attribute("name", use.name);
          json.attribute("tensors", use.count);
          json.attribute("supported", use.isSupported);
        });
    });
    if (verdict.form.empty())
      json.attribute("compiles_to", nullptr);
    else
      json.attribute("compiles_to", verdict.form);
    if (!verdict.notOneFunction.empty())
      json.attribute("not_a_function", verdict.notOneFunction);
    if (!verdict.refusal.empty())
      json.attribute("refusal", verdict.refusal);
  });
  os << '\n';
}

/// Rows as columns that are wide enough, the last one as it is.
static void writeTable(MutableArrayRef<SmallVector<std::string>> rows,
                       raw_ostream &os) {
  SmallVector<size_t> widths(rows.front().size(), 0);
  for (MutableArrayRef<std::string> row : rows)
    for (auto [width, cell] : llvm::zip_equal(widths, row)) {
      cell = formatForeignText(cell);
      width = std::max(width, cell.size());
    }
  for (ArrayRef<std::string> row : rows) {
    std::string line;
    for (auto [width, cell] : llvm::zip_equal(widths, row))
      line += cell + std::string(width - cell.size() + 2, ' ');
    os << StringRef(line).rtrim() << '\n';
  }
}

static void writeText(const OnnxCoverage &coverage, const Verdict &verdict,
                      raw_ostream &os) {
  for (const auto &[domain, version] : coverage.opsets)
    os << "opset " << version << " of " << formatForeignText(getDomain(domain))
       << '\n';
  SmallVector<SmallVector<std::string>> rows = {
      {"operator", "opset", "nodes", "missing"}};
  for (const OnnxOperatorUse &use : coverage.operators)
    rows.push_back({(use.domain.empty() ? "" : use.domain + ".") + use.name,
                    llvm::itostr(use.opset), llvm::itostr(use.count),
                    use.missing.empty() ? "" : use.missing + "; " + use.first});
  writeTable(rows, os << '\n');
  rows = {{"type", "tensors", "missing"}};
  for (const OnnxCoverage::TypeUse &use : coverage.types)
    rows.push_back({use.name, llvm::itostr(use.count),
                    use.isSupported ? "" : "not supported"});
  writeTable(rows, os << '\n');
  os << '\n';
  if (!verdict.notOneFunction.empty())
    os << "no function of tensors: " << verdict.notOneFunction << '\n';
  if (verdict.form.empty())
    os << "refused: " << verdict.refusal << '\n';
  else
    os << "compiles to a " << verdict.form << '\n';
}

LogicalResult relay::writeOnnxCoverage(llvm::MemoryBufferRef buffer,
                                       MLIRContext *context, bool asJson,
                                       raw_ostream &os) {
  FailureOr<OnnxCoverage> coverage = getOnnxCoverage(buffer, context);
  if (failed(coverage))
    return failure();
  Verdict verdict = judge(buffer, context);
  if (asJson)
    writeJson(*coverage, verdict, os);
  else
    writeText(*coverage, verdict, os);
  return success();
}
