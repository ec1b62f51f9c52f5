//===- Diagnostics.cpp - MLIR diagnostics as exceptions -------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bindings.h"

#include "llvm/Support/raw_ostream.h"

#include <mutex>

namespace py = pybind11;
using namespace relay_python;

static std::string print(mlir::Location location) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (auto file = location->findInstanceOf<mlir::FileLineColLoc>())
    os << file.getFilename().getValue() << ':' << file.getLine() << ':'
       << file.getColumn();
  else if (auto name = location->findInstanceOf<mlir::NameLoc>())
    os << name.getName().getValue();
  return text;
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
  Entry entry{severity, print(diagnostic.getLocation()), diagnostic.str(), {}};
  for (mlir::Diagnostic &note : diagnostic.getNotes())
    entry.notes.push_back(convert(note));
  return entry;
}

DiagnosticCollector::DiagnosticCollector(mlir::MLIRContext *context)
    : handler(context, [this](mlir::Diagnostic &diagnostic) {
        entries.push_back(convert(diagnostic));
      }) {}

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
      entryDetails.append(py::make_tuple(note.location, note.message));
      text += "\n  note: " + note.message;
    }
    if (message.empty()) {
      location = py::str(entry.location);
      notes = entryNotes;
    }
    message += (message.empty() ? "" : "\n") + text;
    diagnostics.append(
        py::make_tuple(entry.location, entry.message, entryNotes));
    details.append(py::make_tuple(entry.location, entry.message, entryDetails));
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
  PyErr_SetObject(type.ptr(), error.ptr());
  throw py::error_already_set();
}

void relay_python::bindDiagnostics(py::module_ &) {}
