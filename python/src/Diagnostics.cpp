//===- Diagnostics.cpp - MLIR diagnostics as exceptions -------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bindings.h"

#include "relay-mlir/Pipelines/LoadModel.h"
#include "relay-mlir/Support/DiagnosticPrinter.h"

#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <limits>

namespace py = pybind11;
using namespace relay_python;

static std::string print(mlir::Location location) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (auto file = location->findInstanceOf<mlir::FileLineColRange>())
    os << file.getFilename().getValue() << ':' << file.getStartLine() << ':'
       << file.getStartColumn();
  else if (auto name = location->findInstanceOf<mlir::NameLoc>())
    os << name.getName().getValue();
  return text;
}

/// How many columns of its line a location spans.
static unsigned getWidth(mlir::Location location) {
  auto file = location->findInstanceOf<mlir::FileLineColRange>();
  if (!file)
    return 0;
  // What goes on in the next line is underlined to the end of this one.
  if (file.getEndLine() != file.getStartLine())
    return std::numeric_limits<unsigned>::max();
  return std::max(file.getEndColumn(), file.getStartColumn() + 1) -
         file.getStartColumn();
}

Words relay_python::getWords(const std::string &path) {
  return mlir::relay::isRelayText(path) ? Words::Relay : Words::MLIR;
}

DiagnosticCollector::Entry
DiagnosticCollector::convert(mlir::Diagnostic &diagnostic) {
  const char *severity = "error";
  switch (diagnostic.getSeverity()) {
  case mlir::DiagnosticSeverity::Note:
    severity = "note";
    break;
  case mlir::DiagnosticSeverity::Warning:
    severity = "warning";
    break;
  case mlir::DiagnosticSeverity::Remark:
    severity = "remark";
    break;
  case mlir::DiagnosticSeverity::Error:
    break;
  }
  Entry entry{severity,
              print(diagnostic.getLocation()),
              diagnostic.str(),
              getWidth(diagnostic.getLocation()),
              {}};
  for (mlir::Diagnostic &note : diagnostic.getNotes())
    entry.notes.push_back(convert(note));
  return entry;
}

DiagnosticCollector::DiagnosticCollector(mlir::MLIRContext *context,
                                         Words words)
    : handler(context, [this](mlir::Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error &&
            ++numErrors > mlir::relay::ErrorLimit::kMaxErrors)
          return;
        entries.push_back(convert(diagnostic));
      }) {
  if (words == Words::Relay)
    translator.emplace(context);
}

void DiagnosticCollector::raise(const std::string &fallback) const {
  std::string message;
  py::list diagnostics, details;
  py::object location = py::none();
  py::list notes;
  for (const Entry &entry : entries) {
    if (entry.severity != "error")
      continue;
    py::list entryNotes, entryDetails;
    std::string text = entry.location.empty()
                           ? entry.message
                           : entry.location + ": " + entry.message;
    for (const Entry &note : entry.notes) {
      entryNotes.append(note.message);
      entryDetails.append(
          py::make_tuple(note.location, note.message, note.width));
      text += "\n  note: " + note.message;
    }
    if (message.empty()) {
      location = py::str(entry.location);
      notes = entryNotes;
    }
    message += (message.empty() ? "" : "\n") + text;
    diagnostics.append(
        py::make_tuple(entry.location, entry.message, entryNotes));
    details.append(py::make_tuple(entry.location, entry.message, entry.width,
                                  entryDetails));
  }
  std::string omitted;
  if (numErrors > mlir::relay::ErrorLimit::kMaxErrors) {
    omitted = mlir::relay::ErrorLimit::formatOmitted(numErrors);
    message += "\n" + omitted;
  }
  if (message.empty())
    message = fallback;
  py::object type =
      py::module_::import("relay_mlir._errors").attr("CompileError");
  py::object error = type(message);
  error.attr("location") = location;
  error.attr("notes") = notes;
  error.attr("diagnostics") = diagnostics;
  // With the places of the notes.
  error.attr("_details") = details;
  error.attr("_omitted") = omitted;
  PyErr_SetObject(type.ptr(), error.ptr());
  throw py::error_already_set();
}

/// How many Python functions there are up to the first outside of this package.
static Py_ssize_t getCallerLevel() {
  py::object frame = py::module_::import("sys").attr("_getframe")();
  Py_ssize_t level = 1;
  for (; !frame.is_none(); frame = frame.attr("f_back"), ++level) {
    py::dict globals = frame.attr("f_globals");
    if (!globals.contains("__package__") ||
        py::str(globals["__package__"]).cast<std::string>() != "relay_mlir")
      break;
  }
  return level;
}

void DiagnosticCollector::warn() const {
  for (const Entry &entry : entries) {
    if (entry.severity != "warning")
      continue;
    std::string text = entry.location.empty()
                           ? entry.message
                           : entry.location + ": " + entry.message;
    if (PyErr_WarnEx(PyExc_UserWarning, text.c_str(), getCallerLevel()) != 0)
      throw py::error_already_set();
  }
}

void relay_python::bindDiagnostics(py::module_ &) {}
