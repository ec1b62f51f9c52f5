//===- DiagnosticPrinter.cpp - Errors on the terminal ---------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Support/DiagnosticPrinter.h"

#include "mlir/IR/Location.h"
#include "mlir/IR/MLIRContext.h"
#include "relay-mlir/Support/ForeignText.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>

using namespace mlir;
using namespace mlir::relay;

//===----------------------------------------------------------------------===//
// ErrorLimit
//===----------------------------------------------------------------------===//

bool ErrorLimit::admits(const Diagnostic &diag) {
  return diag.getSeverity() != DiagnosticSeverity::Error ||
         ++numErrors <= kMaxErrors;
}

ErrorLimit::~ErrorLimit() {
  if (numErrors > kMaxErrors)
    os << "error: " << formatOmitted(numErrors) << '\n';
}

std::string ErrorLimit::formatOmitted(size_t numErrors) {
  size_t omitted = numErrors - kMaxErrors;
  return std::to_string(omitted) +
         (omitted == 1 ? " more error" : " more errors");
}

void relay::limitErrors(MLIRContext *context, raw_ostream &os) {
  // The handler that comes last is asked first; this one goes with the context.
  context->getDiagEngine().registerHandler(
      [limit = std::make_shared<ErrorLimit>(os)](Diagnostic &diag) {
        return success(!limit->admits(diag));
      });
}

//===----------------------------------------------------------------------===//
// Sources
//===----------------------------------------------------------------------===//

const llvm::MemoryBuffer *DiagnosticPrinter::getBuffer(StringRef filename) {
  if (sources)
    for (unsigned id = 1; id <= sources->getNumBuffers(); ++id)
      if (sources->getMemoryBuffer(id)->getBufferIdentifier() == filename)
        return sources->getMemoryBuffer(id);
  auto [it, isNew] = files.try_emplace(filename.str());
  if (!isNew)
    return it->second.get();
  llvm::sys::fs::file_status status;
  if (llvm::sys::fs::status(filename, status) ||
      status.type() != llvm::sys::fs::file_type::regular_file)
    return nullptr;
  auto buffer = llvm::MemoryBuffer::getFile(filename);
  if (buffer)
    it->second = std::move(*buffer);
  return it->second.get();
}

StringRef DiagnosticPrinter::getLine(StringRef filename, unsigned number) {
  const llvm::MemoryBuffer *buffer = getBuffer(filename);
  if (!buffer || number == 0)
    return {};
  StringRef rest = buffer->getBuffer();
  for (unsigned line = 1; line != number; ++line) {
    size_t end = rest.find('\n');
    if (end == StringRef::npos)
      return {};
    rest = rest.drop_front(end + 1);
  }
  return rest.take_until([](char c) { return c == '\n'; });
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

namespace {

/// A line with what is meant, from `column` to before `end`, counted from 0.
struct Excerpt {
  std::string line;
  size_t column, end;
};

} // namespace

/// Returns the part of a line that a terminal shows.
static Excerpt makeExcerpt(StringRef line, size_t column, size_t end) {
  constexpr size_t kMaxBefore = 80, kMaxAfter = 80;
  line = line.rtrim("\r");
  column = std::min(column, line.size());
  end = std::clamp(end, column, line.size());
  Excerpt excerpt = {line.str(), column, end};
  if (line.size() > column + kMaxAfter) {
    excerpt.line = line.take_front(column + kMaxAfter).str() + "...";
    excerpt.end = std::min(end, column + kMaxAfter);
  }
  if (column > kMaxBefore) {
    size_t dropped = column - kMaxBefore;
    excerpt.line = "..." + excerpt.line.substr(dropped);
    excerpt.column = column - dropped + 3;
    excerpt.end = excerpt.end - dropped + 3;
  }
  return excerpt;
}

/// The place in a file that a location tells, if any.
static FileLineColRange getPlace(Location location) {
  FileLineColRange place;
  location->walk([&](Location inner) {
    place = dyn_cast<FileLineColRange>(inner);
    return place ? WalkResult::interrupt() : WalkResult::advance();
  });
  return place;
}

DiagnosticPrinter::DiagnosticPrinter(MLIRContext *context,
                                     const llvm::SourceMgr *sources,
                                     raw_ostream &os)
    : ScopedDiagnosticHandler(context), sources(sources), os(os), limit(os) {
  setHandler([this](Diagnostic &diag) {
    if (!limit.admits(diag))
      return;
    print(diag);
    for (const Diagnostic &note : diag.getNotes())
      print(note);
  });
}

void DiagnosticPrinter::print(const Diagnostic &diag) {
  static constexpr llvm::SourceMgr::DiagKind kKinds[] = {
      llvm::SourceMgr::DK_Note, llvm::SourceMgr::DK_Warning,
      llvm::SourceMgr::DK_Error, llvm::SourceMgr::DK_Remark};
  llvm::SourceMgr::DiagKind kind =
      kKinds[static_cast<unsigned>(diag.getSeverity())];
  Location location = diag.getLocation();
  FileLineColRange place = getPlace(location);
  Excerpt excerpt;
  if (place) {
    os << place.getFilename().getValue() << ':' << place.getStartLine() << ':'
       << place.getStartColumn() << ": ";
    StringRef line =
        getLine(place.getFilename().getValue(), place.getStartLine());
    size_t column = place.getStartColumn() ? place.getStartColumn() - 1 : 0;
    bool endsHere = place.getEndLine() == place.getStartLine();
    size_t end =
        endsHere ? std::max(place.getEndColumn(), 1u) - 1 : line.size();
    excerpt = makeExcerpt(line, column, end);
  } else if (auto name = location->findInstanceOf<NameLoc>()) {
    os << formatForeignText(name.getName().getValue()) << ": ";
  }
  std::pair<unsigned, unsigned> range(excerpt.column, excerpt.end);
  llvm::ArrayRef<std::pair<unsigned, unsigned>> ranges;
  if (excerpt.end > excerpt.column)
    ranges = range;
  static const llvm::SourceMgr noSources;
  llvm::SMDiagnostic(noSources, llvm::SMLoc(), "",
                     /*Line=*/excerpt.line.empty() ? -1 : 1, excerpt.column,
                     kind, diag.str(), excerpt.line, ranges)
      .print(/*ProgName=*/nullptr, os, os.has_colors(), /*ShowKindLabel=*/true,
             /*ShowLocation=*/false);
}
