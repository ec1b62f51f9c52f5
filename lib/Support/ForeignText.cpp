//===- ForeignText.cpp - Names of a file in messages ----------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Support/ForeignText.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Threading.h"

using namespace mlir;
using namespace mlir::relay;

/// How much of a message is shown.
static constexpr size_t kMaxLength = 4000;

/// Whether a terminal takes the byte for a command. Such characters of two
/// bytes are 0xC2 and then one of these below 0xA0.
static bool isControl(StringRef text, size_t i) {
  unsigned char byte = text[i];
  bool isSecond = i > 0 && static_cast<unsigned char>(text[i - 1]) == 0xC2;
  return byte < 0x20 || byte == 0x7F || (isSecond && byte < 0xA0);
}

std::string relay::formatForeignText(StringRef text) {
  auto escape = [](StringRef part) {
    std::string result;
    for (size_t i = 0; i < part.size(); ++i) {
      if (isControl(part, i))
        result += "\\" + llvm::toHex(part.substr(i, 1));
      else
        result += part[i];
    }
    return result;
  };
  if (text.size() <= kMaxLength)
    return escape(text);
  // Between two characters, of which one has up to four bytes.
  auto isInside = [&](size_t i) {
    return (static_cast<unsigned char>(text[i]) & 0xC0) == 0x80;
  };
  size_t begin = kMaxLength / 2, end = text.size() - kMaxLength / 2;
  for (int i = 0; i < 3 && isInside(begin); ++i)
    --begin;
  for (int i = 0; i < 3 && isInside(end); ++i)
    ++end;
  return escape(text.take_front(begin)) + " ... (" +
         std::to_string(end - begin) + " bytes) ... " +
         escape(text.drop_front(end));
}

/// The same diagnostic with such text.
static Diagnostic rewrite(Diagnostic &diagnostic) {
  Diagnostic result(diagnostic.getLocation(), diagnostic.getSeverity());
  result << formatForeignText(diagnostic.str());
  for (Diagnostic &note : diagnostic.getNotes())
    result.attachNote(note.getLocation()) << formatForeignText(note.str());
  return result;
}

ForeignTextDiagnostics::ForeignTextDiagnostics(MLIRContext *context)
    : ScopedDiagnosticHandler(
          context, [thread = llvm::get_threadid()](Diagnostic &diagnostic) {
            if (llvm::get_threadid() == thread)
              diagnostic = rewrite(diagnostic);
            // To be shown by another handler.
            return failure();
          }) {}
