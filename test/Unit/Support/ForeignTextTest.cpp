//===- ForeignTextTest.cpp - Tests of names of a file in messages ---------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Support/ForeignText.h"

#include "mlir/IR/MLIRContext.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::relay;

namespace {

TEST(ForeignTextTest, TextStaysAsItIs) {
  EXPECT_EQ(formatForeignText(""), "");
  EXPECT_EQ(formatForeignText("layer/1:0 \"a\\b\""), "layer/1:0 \"a\\b\"");
  EXPECT_EQ(formatForeignText("Größe 大小 \xC2\xA0"), "Größe 大小 \xC2\xA0");
}

TEST(ForeignTextTest, TerminalsAreNotControlled) {
  EXPECT_EQ(formatForeignText("a\n\033[31mb\x7F"), "a\\0A\\1B[31mb\\7F");
  EXPECT_EQ(formatForeignText(StringRef("a\0b", 3)), "a\\00b");
  // One byte in Latin-1, two in UTF-8.
  EXPECT_EQ(formatForeignText("\xC2\x9B"), "\xC2\\9B");
}

TEST(ForeignTextTest, TheMiddleOfLongTextIsLeftOut) {
  std::string text = "begin " + std::string(1 << 20, 'x') + " end";
  std::string shown = formatForeignText(text);
  EXPECT_LT(shown.size(), 4100u);
  EXPECT_TRUE(StringRef(shown).starts_with("begin x"));
  EXPECT_TRUE(StringRef(shown).ends_with("x end"));
  EXPECT_NE(shown.find("x ... (1044586 bytes) ... x"), std::string::npos)
      << shown;
}

TEST(ForeignTextTest, CharactersAreNotCut) {
  for (size_t before = 0; before < 4; ++before) {
    std::string text(before, 'x');
    for (int i = 0; i < 3000; ++i)
      text += "大";
    StringRef shown = text;
    std::string result = formatForeignText(shown);
    size_t gap = result.find(" ... (");
    ASSERT_NE(gap, std::string::npos);
    EXPECT_EQ(result.substr(gap - 3, 3), "大");
    EXPECT_EQ(result.substr(result.find(") ... ") + 6, 3), "大");
  }
}

TEST(ForeignTextTest, MessagesAndNotesAreCleaned) {
  MLIRContext context;
  std::string shown;
  ScopedDiagnosticHandler printer(&context, [&](Diagnostic &diagnostic) {
    shown = diagnostic.str();
    for (Diagnostic &note : diagnostic.getNotes())
      shown += "; " + note.str();
  });
  ForeignTextDiagnostics cleaning(&context);
  Location loc = UnknownLoc::get(&context);
  emitError(loc, "a\033").attachNote() << "b" << StringRef("\0", 1);
  EXPECT_EQ(shown, "a\\1B; b\\00");
}

} // namespace
