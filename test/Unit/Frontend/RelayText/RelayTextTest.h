//===- RelayTextTest.h - Relay text in tests --------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_TEST_UNIT_FRONTEND_RELAYTEXT_RELAYTEXTTEST_H
#define RELAY_MLIR_TEST_UNIT_FRONTEND_RELAYTEXT_RELAYTEXTTEST_H

#include "relay-mlir/Frontend/RelayText/RelayText.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"

namespace mlir::relay {

/// Parses and prints, and collects diagnostics as `LINE:COLUMN: MESSAGE`.
class RelayTextTest : public testing::Test {
protected:
  RelayTextTest()
      : handler(&context, [this](Diagnostic &diagnostic) {
          messages.push_back(describe(diagnostic.getLocation()) +
                             diagnostic.str());
          for (Diagnostic &note : diagnostic.getNotes())
            messages.push_back(describe(note.getLocation()) +
                               "note: " + note.str());
          return success();
        }) {}

  static std::string describe(Location location) {
    auto place = dyn_cast<FileLineColRange>(location);
    if (!place)
      return "";
    return std::to_string(place.getStartLine()) + ":" +
           std::to_string(place.getStartColumn()) + ": ";
  }

  static void fill(llvm::SourceMgr &source, StringRef text) {
    source.AddNewSourceBuffer(
        llvm::MemoryBuffer::getMemBufferCopy(text, "test.relay"),
        llvm::SMLoc());
  }

  /// Null after errors.
  ast::ExprPtr parseExpr(StringRef text) {
    messages.clear();
    llvm::SourceMgr source;
    fill(source, text);
    FailureOr<ast::ExprPtr> expr = parseRelayExpr(source, &context, options);
    EXPECT_EQ(failed(expr), !messages.empty()) << text.str();
    return failed(expr) ? nullptr : *expr;
  }

  std::optional<ast::Module> parseModule(StringRef text) {
    messages.clear();
    llvm::SourceMgr source;
    fill(source, text);
    FailureOr<ast::Module> module = parseRelayModule(source, &context, options);
    EXPECT_EQ(failed(module), !messages.empty()) << text.str();
    if (failed(module))
      return std::nullopt;
    return std::move(*module);
  }

  /// The text without its version line.
  template <typename T>
  std::string print(const T &value, PrintOptions printOptions = {}) {
    printOptions.showVersion = false;
    return printWhole(value, printOptions);
  }
  template <typename T>
  static std::string printWhole(const T &value,
                                const PrintOptions &printOptions = {}) {
    std::string text;
    llvm::raw_string_ostream os(text);
    printRelay(os, value, printOptions);
    return text;
  }

  /// What an expression is as a graph; the messages if it does not parse.
  std::string reprint(StringRef text) {
    ast::ExprPtr expr = parseExpr(text);
    return expr ? print(expr) : getMessages();
  }
  /// A module without its version line.
  std::string reprintModule(StringRef text) {
    std::optional<ast::Module> module =
        parseModule("#[version = \"0.0.5\"]\n" + text.str());
    return module ? print(*module) : getMessages();
  }

  std::string getMessages() const {
    std::string result;
    for (const std::string &message : messages)
      result += message + "\n";
    return result;
  }
  std::string getExprErrors(StringRef text) {
    EXPECT_FALSE(parseExpr(text)) << text.str();
    return getMessages();
  }
  std::string getModuleErrors(StringRef text) {
    EXPECT_FALSE(parseModule(text)) << text.str();
    return getMessages();
  }

  MLIRContext context;
  ParseOptions options;
  std::vector<std::string> messages;
  ScopedDiagnosticHandler handler;
};

} // namespace mlir::relay

#endif // RELAY_MLIR_TEST_UNIT_FRONTEND_RELAYTEXT_RELAYTEXTTEST_H
